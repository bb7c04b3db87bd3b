//! The models of the package: all load, and their caps are the ones that follow from the documents.

use std::fs;
use std::path::PathBuf;

use processor::model::{load, Processor};

/// File names without `.toml`, and texts.
type Files = Vec<(String, String)>;

fn files(folder: &str) -> Files {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../python/cipherassay").join(folder);
    let mut files: Files = fs::read_dir(path)
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

fn processor(name: &str) -> Processor {
    load(&files("isas"), &files("processors"), name, &[]).unwrap_or_else(|e| panic!("{name}: {e}"))
}

#[test]
fn every_processor_loads_and_is_free_of_contradictions() {
    let (isas, processors) = (files("isas"), files("processors"));
    for name in processor::model::names(&processors) {
        if let Err(error) = load(&isas, &processors, &name, &[]) {
            panic!("{name}: {error}");
        }
    }
}

/// Caps as `name: classes <= limit`, one class of a group of equal ones.
fn caps(p: &Processor) -> Vec<String> {
    let classes = |takes: &[u8]| {
        let taken = p.resources.classes.iter().zip(takes).filter(|(_, t)| **t > 0);
        taken.map(|(name, t)| if *t == 1 { name.clone() } else { format!("{t} {name}") }).collect::<Vec<_>>().join(" ")
    };
    p.resources.caps.iter().map(|c| format!("{}: {} <= {}", c.name, classes(&c.takes), c.limit)).collect()
}

#[test]
fn caps_of_itanium_2() {
    let all =
        "ALU LOGIC CMP TBIT ISHF SHRP XTD 2 LX MMSHF MMALU MMMUL LD LDF ST SETF GETF XMA ALLOC MOVAR MOVPR MOVBR BR \
               BRLOOP CLRRRB NOPM NOPI NOPF NOPB";
    let expected = [
        "M2: GETF ALLOC <= 1",
        "I0: TBIT ISHF SHRP MMMUL MOVAR MOVPR MOVBR <= 1",
        "B2: BRLOOP CLRRRB <= 1",
        "M0 M1: LD <= 2",
        "M2 M3: ST SETF GETF ALLOC <= 2",
        "I0 I1: TBIT ISHF SHRP XTD LX MMSHF MMMUL MOVAR MOVPR MOVBR NOPI <= 2",
        "F0 F1: LX XMA NOPF <= 2",
        "B0 B1 B2: BR BRLOOP CLRRRB NOPB <= 3",
        "M0 M1 M2 M3: LD LDF ST SETF GETF ALLOC NOPM <= 4",
        &format!("issue: {all} <= 6"),
    ];
    assert_eq!(caps(&processor("mckinley")), expected);
}

#[test]
fn caps_of_the_other_processors() {
    let paper = caps(&processor("mckinley-paper"));
    assert!(paper.contains(&"I0: TBIT MMMUL MOVAR MOVPR MOVBR <= 1".to_owned()), "{paper:#?}");
    let four = caps(&processor("four-banger"));
    assert!(four.contains(&"M0 M1 M0b M1b: LD <= 4".to_owned()), "{four:#?}");
    assert!(four.iter().any(|c| c.starts_with("issue: ") && c.ends_with(" <= 12")), "{four:#?}");
    assert_eq!(caps(&processor("pa8500")), ["X0 X1: ALU SHIFT FMUL 2 BRANCH <= 2", "Y0 Y1: LOAD STORE <= 2"]);
    assert!(caps(&processor("pa8500-infinite")).is_empty());
}
