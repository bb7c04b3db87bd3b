use super::*;
use crate::graph::{Cap, Edge};
use crate::model::Class;

fn processor() -> Processor {
    let class = |name: &str, ports, slots| Class { name: name.into(), ports, slots, ..Class::default() };
    let cap = |name: &str, takes: &[u8], limit| Cap {
        name: name.into(),
        takes: takes.to_vec(),
        limit,
        holds: vec![],
        keeps: vec![],
    };
    Processor {
        ports: ["M0", "M1", "I0"].map(String::from).to_vec(),
        classes: vec![class("A", 0b111, 1), class("LD", 0b011, 1), class("ISHF", 0b100, 1), class("MOVL", 0b100, 2)],
        resources: Resources {
            classes: ["A", "LD", "ISHF", "MOVL"].map(String::from).to_vec(),
            caps: vec![
                cap("issue", &[1, 1, 1, 2], 3),
                cap("M0 M1", &[0, 1, 0, 0], 2),
                cap("I0", &[0, 0, 1, 1], 1),
                cap("M0 M1 I0", &[1, 1, 1, 1], 3),
            ],
        },
        issue: 3,
        ..Processor::default()
    }
}

fn text(error: &Diagnostic) -> String {
    format!("{} {} | {}", error.code, error.message, error.notes.join(" | "))
}

fn schedule(cycles: &[u32], interval: Option<u32>) -> Schedule {
    Schedule { cycles: cycles.to_vec(), interval }
}

#[test]
fn violated_edges_are_named() {
    let edges =
        vec![Edge { from: 0, to: 1, latency: 2, distance: 0 }, Edge { from: 1, to: 0, latency: 1, distance: 1 }];
    let (graph, processor) = (Graph { classes: vec![1, 0], edges }, processor());
    let error = |s: &Schedule| text(&check(&graph, &processor.resources, s).unwrap_err());
    assert_eq!(error(&schedule(&[0], None)), "M310 the schedule has 1 cycles for 2 operations | ");
    assert_eq!(error(&schedule(&[0, 2], Some(0))), "M310 the initiation interval is 0 | ");
    assert_eq!(
        error(&schedule(&[0, 1], None)),
        "M311 operation 1 (A) issues in cycle 1, before cycle 2 | operation 0 (LD) issues in cycle 0; latency 2"
    );
    assert_eq!(
        error(&schedule(&[0, 2], Some(2))),
        "M311 operation 0 (LD) issues in cycle 0, before cycle 1 | operation 1 (A) of the iteration before issues in cycle 0; \
         latency 1"
    );
    check(&graph, &processor.resources, &schedule(&[0, 2], None)).unwrap();
    check_ports(&graph, &processor, &schedule(&[0, 2], Some(3))).unwrap();
}

#[test]
fn crowded_cycles_are_named() {
    let processor = processor();
    let graph = |classes: &[u16]| Graph { classes: classes.to_vec(), edges: vec![] };
    let caps = |g: &Graph, s: &Schedule| text(&check(g, &processor.resources, s).unwrap_err());
    let ports = |g: &Graph, s: &Schedule| text(&check_ports(g, &processor, s).unwrap_err());
    let loads = graph(&[1, 1, 0, 1]);
    assert_eq!(
        caps(&loads, &schedule(&[4, 4, 5, 4], None)),
        "M312 cycle 4 takes 3 slots of the cap `M0 M1`, which has 2 | operations 0 (LD), 1 (LD), 3 (LD)"
    );
    assert_eq!(
        ports(&loads, &schedule(&[4, 4, 5, 4], None)),
        "M313 operation 3 (LD) finds no port in cycle 4 | its ports are M0 M1 | operations 0 (LD), 1 (LD), 3 (LD)"
    );
    let wide = graph(&[0, 0, 3]);
    assert_eq!(
        ports(&wide, &schedule(&[1, 3, 5], Some(2))),
        "M314 cycle 1 issues 4 slots, and the processor 3 | operations 0 (A), 1 (A), 2 (MOVL)"
    );
    check_ports(&wide, &processor, &schedule(&[1, 2, 5], Some(2))).unwrap();
}

#[test]
fn caps_and_ports_agree_on_every_cycle() {
    let processor = processor();
    for code in 0..4_u32.pow(4) {
        let classes: Vec<u16> = (0..4).map(|k| (code / 4_u32.pow(k) % 4) as u16).collect();
        let graph = Graph { classes: classes.clone(), edges: vec![] };
        for ops in 0..=4 {
            let graph = Graph { classes: graph.classes[..ops].to_vec(), edges: vec![] };
            let all = schedule(&vec![0; ops], None);
            let (caps, ports) = (check(&graph, &processor.resources, &all), check_ports(&graph, &processor, &all));
            assert_eq!(caps.is_ok(), ports.is_ok(), "{classes:?}: {caps:?} {ports:?}");
        }
    }
}

#[test]
fn caps_of_every_model_agree_with_its_ports() {
    let read = |folder: &str| -> Vec<(String, String)> {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/cipherassay").join(folder);
        let mut files: Vec<_> = std::fs::read_dir(root).unwrap().map(|f| f.unwrap().path()).collect();
        files.retain(|f| f.extension().is_some_and(|e| e == "toml"));
        files.sort();
        let stem = |f: &std::path::Path| f.file_stem().unwrap().to_string_lossy().into_owned();
        files.iter().map(|f| (stem(f), std::fs::read_to_string(f).unwrap())).collect()
    };
    let (isas, processors) = (read("isas"), read("processors"));
    for (name, _) in &processors {
        let processor = crate::model::load(&isas, &processors, name, &[]).unwrap();
        let mut random = program::generate::Random::new(1);
        for _ in 0..3000 {
            let ops = 1 + random.below(processor.ports.len() + 1);
            let classes: Vec<u16> = (0..ops).map(|_| random.below(processor.classes.len()) as u16).collect();
            let (graph, all) = (Graph { classes, edges: vec![] }, schedule(&vec![0; ops], None));
            let (caps, ports) = (check(&graph, &processor.resources, &all), check_ports(&graph, &processor, &all));
            assert_eq!(caps.is_ok(), ports.is_ok(), "{name}: {caps:?} {ports:?}");
        }
    }
}
