//! Processors of the package, and runs of small texts.

use std::fs;
use std::path::PathBuf;

use processor::model::{load, Processor};
use processor::simulate::{Machine, Options, Run};

type Files = Vec<(String, String)>;

fn files(folder: &str) -> Files {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../python/cipherassay").join(folder);
    let paths = fs::read_dir(path).expect("the folder is there").map(|entry| entry.expect("a file").path());
    let texts = paths.filter(|path| path.extension().is_some_and(|e| e == "toml"));
    let mut files: Files = texts
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            (name, fs::read_to_string(&path).expect("a text"))
        })
        .collect();
    files.sort();
    files
}

pub fn processor(name: &str) -> Processor {
    load(&files("isas"), &files("processors"), name, &[]).unwrap_or_else(|e| panic!("{name}: {e}"))
}

pub const BASE: u64 = 0x1000;

/// A machine for a text that is sound.
pub fn machine(name: &str, text: &str) -> Machine {
    Machine::load(text, "text", &processor(name)).unwrap_or_else(|e| panic!("{e}"))
}

/// Runs a text on little-endian or big-endian words from [`BASE`] on; returns what happened and the words afterwards.
pub fn run(name: &str, text: &str, arguments: &[u64], words: &[u32]) -> (Run, Vec<u32>) {
    run_with(name, text, arguments, words, Options { timeline: true, ..Options::default() })
}

pub fn run_with(name: &str, text: &str, arguments: &[u64], words: &[u32], options: Options) -> (Run, Vec<u32>) {
    let big = processor(name).isa.big_endian;
    let bytes = |w: &u32| if big { w.to_be_bytes() } else { w.to_le_bytes() };
    let image = words.iter().flat_map(bytes).collect();
    let (run, image) = machine(name, text).run(arguments, BASE, image, options).unwrap_or_else(|e| panic!("{e}"));
    let word = |b: &[u8]| {
        let b = b.try_into().expect("four bytes");
        if big {
            u32::from_be_bytes(b)
        } else {
            u32::from_le_bytes(b)
        }
    };
    (run, image.chunks(4).map(word).collect())
}

/// The error of a text or of its run.
pub fn error(name: &str, text: &str, arguments: &[u64], bytes: usize) -> String {
    match Machine::load(text, "text", &processor(name)) {
        Err(error) => error.to_string(),
        Ok(machine) => match machine.run(arguments, BASE, vec![0; bytes], Options::default()) {
            Err(error) => error.to_string(),
            Ok(_) => panic!("the text is sound"),
        },
    }
}
