use super::*;
use circuit::circuit::Circuit;
use circuit::problem::Metric;
use circuit::random::mix;
use circuit::sbox::SBox;
use circuit::target::Target;

fn target(operations: &str) -> Target {
    let text = format!(r#"{{"name": "t", "title": "", "operations": [{operations}], "objective": ["gates"]}}"#);
    Target::from_json(&text).unwrap()
}

fn best(data: Vec<u8>, outputs: u8, target: Target) -> Circuit {
    let sbox = SBox::new(outputs, data).unwrap();
    let problem = Problem { sbox, target, objective: vec![Metric::Gates], seed: 3 };
    let step = Split.run(&problem, 0, &Control { stopped: &|| false, progress: &|_| () });
    assert!(step.finished && step.circuits.len() == ATTEMPTS as usize);
    for circuit in &step.circuits {
        circuit.check(&problem.sbox).unwrap();
        assert!(circuit.gates.iter().all(|gate| problem.target.has(gate.function)));
    }
    step.circuits.into_iter().min_by_key(|circuit| circuit.gates.len()).unwrap()
}

fn random(inputs: u8, outputs: u8) -> Vec<u8> {
    (0..1u64 << inputs).map(|v| (mix(v ^ 77) & ((1 << outputs) - 1)) as u8).collect()
}

const ALL: &str = r#"{"name": "gate", "arity": 2}, {"name": "not", "arity": 1}"#;

#[test]
fn a_box_without_structure_gets_a_circuit() {
    assert!(best(random(6, 4), 4, target(ALL)).gates.len() < 110);
    let plain = r#"{"name": "and", "arity": 2, "table": 8}, {"name": "or", "arity": 2, "table": 14},
        {"name": "xor", "arity": 2, "table": 6}, {"name": "not", "arity": 1, "table": 1}"#;
    assert!(best(random(5, 5), 5, target(plain)).gates.len() < 90);
}

#[test]
fn seven_and_eight_inputs_are_served() {
    assert!(best(random(7, 2), 2, target(ALL)).gates.len() < 130);
    let sum: Vec<u8> = (0..256u32).map(|v| (v.count_ones() & 1) as u8).collect();
    assert!(best(sum, 1, target(ALL)).gates.len() < 20);
}

#[test]
fn one_kind_of_gate_is_enough() {
    best(random(5, 2), 2, target(r#"{"name": "nor", "arity": 2, "table": 1}"#));
}
