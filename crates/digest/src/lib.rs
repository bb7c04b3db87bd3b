//! Digests of the crates of a workspace: equal as long as the code is.
//!
//! A crate's digest covers the tokens of its modules (no comments, no formatting, no tests), the data files that it
//! includes, the versions of the packages that it names, and the digests of the crates of the workspace that it names.
//! So a stored result can be keyed by the digest of the crate that computed it. Only the library is read: a binary, a
//! build script or an integration test changes no digest.

mod manifest;
mod tokens;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use manifest::Workspace;

/// The digests of some crates, and what they were made from.
pub struct Digests {
    /// Digest of each crate by the name of its folder, 32 hexadecimal digits.
    pub crates: BTreeMap<String, String>,
    /// Every file that was read.
    pub files: BTreeSet<PathBuf>,
}

/// The digests of the crate in the folder `crates/NAME` of a workspace and of all crates of the workspace that it needs.
///
/// # Errors
/// A file that cannot be read, or does not have the form that this crate reads.
pub fn digests(root: &Path, name: &str) -> io::Result<Digests> {
    let workspace = Workspace::read(root)?;
    let mut made = Digests { crates: BTreeMap::new(), files: workspace.files() };
    add(&workspace, name, &mut made)?;
    Ok(made)
}

/// Adds the digest of a crate; those of the crates that it names first.
fn add(workspace: &Workspace, name: &str, made: &mut Digests) -> io::Result<()> {
    if made.crates.contains_key(name) {
        return Ok(());
    }
    let folder = workspace.folder(name);
    let manifest = folder.join("Cargo.toml");
    let mut hash = Hash::default();
    for dependency in workspace.dependencies(&manifest)? {
        match dependency {
            manifest::Dependency::Member(other) => {
                add(workspace, &other, made)?;
                hash.text(&made.crates[&other]);
            }
            manifest::Dependency::Package(text) => hash.text(&text),
        }
    }
    made.files.insert(manifest);
    module(&folder.join("src/lib.rs"), &folder.join("src"), &mut hash, &mut made.files)?;
    made.crates.insert(name.to_owned(), format!("{:032x}", hash.0));
    Ok(())
}

/// Adds a file with the modules that it declares, whose files stand in `folder`.
fn module(file: &Path, folder: &Path, hash: &mut Hash, files: &mut BTreeSet<PathBuf>) -> io::Result<()> {
    let code = tokens::read(&fs::read_to_string(file).map_err(|error| at(file, error))?)
        .map_err(|message| at(file, io::Error::new(io::ErrorKind::InvalidData, message)))?;
    files.insert(file.to_owned());
    hash.text(&code.text);
    for included in code.included {
        let path = file.with_file_name(included);
        hash.bytes(&fs::read(&path).map_err(|error| at(&path, error))?);
        files.insert(path);
    }
    for name in code.modules {
        let inner = folder.join(&name);
        let beside = folder.join(format!("{name}.rs"));
        hash.text(&name);
        module(&if beside.exists() { beside } else { inner.join("mod.rs") }, &inner, hash, files)?;
    }
    Ok(())
}

fn at(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// FNV-1a of 128 bits: the same for every version of the compiler, and no package to build.
struct Hash(u128);

impl Default for Hash {
    fn default() -> Self {
        Hash(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }
}

impl Hash {
    fn bytes(&mut self, bytes: &[u8]) {
        // The length first, so that two pieces never read like two others.
        for byte in (bytes.len() as u64).to_le_bytes().iter().chain(bytes) {
            self.0 = (self.0 ^ u128::from(*byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }
}
