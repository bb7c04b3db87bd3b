//! The models of the package: all load, and their caps are the ones that follow from the documents.

use crate::files::read as files;
use processor::model::{check, document, load, Processor};

fn processor(name: &str) -> Processor {
    load(&files("isas"), &files("processors"), name, &[]).unwrap_or_else(|e| panic!("{name}: {e}"))
}

#[test]
fn every_processor_loads_and_is_free_of_contradictions() {
    let (isas, processors) = (files("isas"), files("processors"));
    for name in processor::model::names(&processors) {
        let found = check(&isas, &processors, &name);
        assert!(found.is_empty(), "{name}: {}", found[0]);
    }
}

#[test]
fn latencies_of_itanium_2() {
    let p = processor("mckinley");
    let id = |name: &str| p.isa.instruction(name).unwrap_or_else(|| panic!("{name}"));
    let of = |from: &str, output: usize, to: &str, operand: Option<usize>| p.latency(id(from), output, id(to), operand);
    assert_eq!(of("add", 0, "xor", Some(0)), 1);
    assert_eq!(of("ld4", 0, "xor", Some(0)), 1, "load to use");
    assert_eq!(of("ld4", 0, "ld4", Some(0)), 2, "load to address");
    assert_eq!(of("ld4", 0, "st4", Some(0)), 2, "load to address of a store");
    assert_eq!(of("ld4", 0, "st4", Some(1)), 1, "load to data of a store");
    assert_eq!(of("ld4.post", 1, "ld4", Some(0)), 1, "post-increment to address");
    assert_eq!(of("ld4", 0, "padd2", Some(0)), 2);
    assert_eq!(of("shl", 0, "shl", Some(0)), 2);
    assert_eq!(of("shl", 0, "add", Some(0)), 3);
    assert_eq!(of("add", 0, "shl", Some(1)), 3);
    assert_eq!(of("cmp.eq", 0, "br.cond", None), 0);
    assert_eq!(of("cmp.eq", 0, "add", None), 1);
    assert_eq!(
        of("setf.sig", 0, "xma.l", Some(1)) + of("xma.l", 0, "getf.sig", Some(0)) + of("getf.sig", 0, "add", Some(0)),
        14
    );
}

#[test]
fn settings_change_a_processor() {
    let with = |settings: &[(&str, &str)]| {
        let settings: Vec<(String, String)> = settings.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect();
        load(&files("isas"), &files("processors"), "epic", &settings).unwrap_or_else(|e| panic!("{e}"))
    };
    let has = |p: &Processor, name: &str| p.isa.instruction(name).is_some();
    let plain = with(&[]);
    assert!(!has(&plain, "load.4") && !has(&plain, "extract") && !has(&plain, "rotl"));
    assert_eq!(caps(&plain), ["issue: ALU CMP MUL LOAD LOADX STORE BRANCH <= 1"]);
    let wide =
        with(&[("width", "8"), ("memory-ports", "2"), ("addressing", "scaled-indexed-extract"), ("rotate", "present")]);
    assert!(has(&wide, "load.4") && has(&wide, "extract") && has(&wide, "rotl") && !has(&wide, "load.0b.4"));
    assert_eq!(caps(&wide), ["G0 G1: LOAD LOADX STORE <= 2", "issue: ALU CMP MUL LOAD LOADX STORE BRANCH <= 8"]);
    let all = with(&[("addressing", "load-extract-scale"), ("load_extract_scale_latency", "1")]);
    let load = all.isa.instruction("load.2b.4").expect("switched on");
    assert_eq!(all.classes[all.class_of(load)].latency, 1);
}

#[test]
fn the_document_tells_all() {
    let p = processor("ia64pp");
    let known = document(&p);
    assert_eq!(known["isa"]["instructions"].as_array().map(Vec::len), Some(p.isa.instructions.len()));
    let shift = known["classes"].as_array().and_then(|c| c.iter().find(|c| c["name"] == "ISHF")).expect("ISHF");
    assert_eq!(shift["ports"], serde_json::json!(["I0", "I1"]));
    assert_eq!(shift["confidence"], "inferred");
    let new =
        known["isa"]["instructions"].as_array().and_then(|i| i.iter().find(|i| i["name"] == "mpy32")).expect("mpy32");
    assert_eq!(new["confidence"], "hypothetical");
    assert_eq!(new["form"], "d:gr = a:gr, b:gr");
    assert_eq!(new["semantics"], "d = field(a * b, 0, 32)");
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
