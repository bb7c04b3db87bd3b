use super::*;
use circuit::sbox::SBox;
use circuit::target::Target;

const PRESENT: &str = "12 5 6 11 9 0 10 13 3 14 15 8 4 7 1 2";
const GIFT: &str = "1 10 4 12 6 15 3 9 2 13 11 7 5 0 8 14";
const SKINNY: &str = "12 6 9 0 1 10 2 11 3 8 5 13 4 14 7 15";

fn target(operations: &[(&str, u8, Option<u16>)]) -> Target {
    let list: Vec<String> = operations
        .iter()
        .map(|(name, arity, table)| {
            let table = table.map_or(String::from("null"), |t| t.to_string());
            format!(r#"{{"name": "{name}", "arity": {arity}, "table": {table}}}"#)
        })
        .collect();
    let text = format!(r#"{{"name": "t", "title": "", "operations": [{}], "objective": ["gates"]}}"#, list.join(", "));
    Target::from_json(&text).unwrap()
}

fn two_input() -> Target {
    target(&[("gate", 2, None), ("not", 1, None)])
}

fn and_complement() -> Target {
    target(&[("and", 2, Some(8)), ("or", 2, Some(14)), ("xor", 2, Some(6)), ("andcm", 2, Some(2)), ("not", 1, Some(1))])
}

fn problem(table: &str, outputs: u8, target: Target) -> Problem {
    let data = table.split(' ').map(|v| v.parse().unwrap()).collect();
    Problem { sbox: SBox::new(outputs, data).unwrap(), target, objective: vec![Metric::Gates], seed: 1 }
}

fn run(problem: &Problem, unit: u64) -> Vec<Circuit> {
    let step = Sets.run(problem, unit, &Control { stopped: &|| false, progress: &|_| () });
    assert!(step.finished);
    for circuit in &step.circuits {
        circuit.check(&problem.sbox).unwrap();
        assert!(circuit.gates.iter().all(|g| problem.target.has(g.function)));
        assert_eq!(circuit.pruned().gates.len(), circuit.gates.len());
    }
    step.circuits
}

fn gates(table: &str, target: Target) -> usize {
    run(&problem(table, 4, target), 0)[0].gates.len()
}

#[test]
fn known_boxes_get_the_fewest_gates_known() {
    assert_eq!(gates(SKINNY, two_input()), 8);
    assert_eq!(gates(GIFT, two_input()), 10);
    assert!(gates(PRESENT, two_input()) <= 13);
}

#[test]
fn inverters_are_added_where_complements_cost() {
    let free = gates(GIFT, two_input());
    let folded = gates(GIFT, and_complement());
    let plain =
        gates(GIFT, target(&[("and", 2, Some(8)), ("or", 2, Some(14)), ("xor", 2, Some(6)), ("not", 1, Some(1))]));
    // GIFT(0) = 1, and every gate but NOT is 0 where its operands are: one NOT at least.
    assert_eq!(folded, free + 1);
    assert!(plain >= folded && plain <= 12);
}

#[test]
fn gates_without_exclusive_or_will_do() {
    let half_adder = problem("0 1 1 2", 2, target(&[("nand", 2, Some(7))]));
    assert_eq!(run(&half_adder, 0)[0].gates.len(), 5);
}

#[test]
fn outputs_that_need_no_gates_get_none() {
    // Constant one, an input, its complement, and an AND with its complement beside it.
    let table: Vec<String> = (0..8u8)
        .map(|v| (1 | (v & 1) << 1 | (!v & 1) << 2 | u8::from(v & 6 == 6) << 3 | u8::from(v & 6 != 6) << 4).to_string())
        .collect();
    assert_eq!(run(&problem(&table.join(" "), 5, and_complement()), 0)[0].gates.len(), 3);
}

#[test]
fn five_inputs_are_served_too() {
    // A mapping of rows of five bits: five ANDs with a complement and five sums.
    let chi = |v: usize| (0..5).fold(0, |y, k| y | ((v >> k ^ (!v >> ((k + 1) % 5) & v >> ((k + 2) % 5))) % 2) << k);
    let table: Vec<String> = (0..32).map(|v| chi(v).to_string()).collect();
    assert_eq!(run(&problem(&table.join(" "), 5, and_complement()), 0)[0].gates.len(), 10);
}

#[test]
fn the_same_unit_gives_the_same_circuits() {
    let problem = problem(GIFT, 4, and_complement());
    assert_eq!(run(&problem, 0), run(&problem, 0));
}

#[test]
fn targets_of_other_gates_are_left_to_other_engines() {
    let none = problem(GIFT, 4, target(&[("nand3", 3, Some(0x7f))]));
    assert_eq!(Sets.units(&none), 0);
    assert_eq!(Sets.units(&problem(GIFT, 4, two_input())), u64::MAX);
}

#[test]
fn a_stopped_unit_is_not_finished() {
    let problem = problem(PRESENT, 4, two_input());
    let step = Sets.run(&problem, 0, &Control { stopped: &|| true, progress: &|_| () });
    assert!(!step.finished && step.circuits.is_empty());
}
