//! The models of the package as texts.

use std::fs;
use std::path::PathBuf;

/// File names without `.toml`, and texts, in order.
pub fn read(folder: &str) -> Vec<(String, String)> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../python/cipherassay").join(folder);
    let mut files: Vec<(String, String)> = fs::read_dir(path)
        .expect("the folder is there")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            (name, fs::read_to_string(&path).expect("text"))
        })
        .collect();
    files.sort();
    files
}
