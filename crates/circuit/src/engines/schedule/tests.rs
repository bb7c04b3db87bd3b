//! Small problems with known answers.

use super::machine::Machine;
use super::word::Word;
use super::{Control, Engine, Schedule};
use crate::circuit::{Circuit, Wire};
use crate::problem::{Metric, Problem};
use crate::sbox::SBox;
use crate::table::Table;
use crate::target::Target;

/// Five operations, as many as are ready in a cycle.
pub const INFINITE: &str = r#"{"name": "infinite", "title": "", "objective": ["cycles", "ops"], "operations": [
    {"name": "not", "arity": 1, "table": 1}, {"name": "and", "arity": 2, "table": 8},
    {"name": "or", "arity": 2, "table": 14}, {"name": "xor", "arity": 2, "table": 6},
    {"name": "andcm", "arity": 2, "table": 2}]}"#;

/// Two operations a cycle, exclusive or twice as slow, the and-complement complements its first operand.
const SLOW: &str = r#"{"name": "slow", "title": "", "objective": ["cycles", "ops"], "issue_width": 2, "operations": [
    {"name": "not", "arity": 1, "table": 1}, {"name": "and", "arity": 2, "table": 8},
    {"name": "xor", "arity": 2, "table": 6, "latency": 2}, {"name": "andn", "arity": 2, "table": 4}]}"#;

/// The values of Serpent's first box.
pub const S0: [u8; 16] = [3, 8, 15, 1, 10, 6, 5, 11, 14, 13, 4, 2, 7, 0, 9, 12];

/// A problem of a box with as many outputs as inputs.
pub fn problem(target: &str, table: &[u8]) -> Problem {
    let target = Target::from_json(target).expect("a target");
    let sbox = SBox::new(table.len().trailing_zeros() as u8, table.to_vec()).expect("a box");
    Problem { sbox, target, objective: vec![Metric::Cycles, Metric::Ops], seed: 1 }
}

/// The machine of a problem.
pub fn machine(problem: &Problem) -> Machine<u16> {
    Machine::new(problem).expect("a machine")
}

/// The words of a problem's inputs and outputs.
pub fn tables(problem: &Problem) -> (Vec<u16>, Vec<u16>) {
    let inputs = (0..problem.sbox.inputs).map(|k| Table::input(problem.sbox.inputs, usize::from(k)));
    let outputs = problem.sbox.tables();
    (inputs.map(|t| u16::from_table(&t)).collect(), outputs.iter().map(u16::from_table).collect())
}

/// Cycles of a circuit whose gates begin in the order in which they stand, counted apart from the search.
fn cycles(circuit: &Circuit, target: &Target) -> u32 {
    let (mut ready, mut last, mut begun): (Vec<u32>, u32, u32) = (Vec::new(), 0, 0);
    for gate in &circuit.gates {
        let operation = target.operation(gate.function).expect("an operation of the target");
        let operands = gate.operands.iter().map(|w| if let Wire::Gate(n) = w { ready[*n] } else { 0 });
        let mut cycle = operands.max().unwrap_or(0);
        if let Some(width) = target.issue_width {
            cycle = cycle.max(last);
            cycle += u32::from(cycle == last && begun == width);
            begun = if cycle == last { begun + 1 } else { 1 };
            last = cycle;
        }
        ready.push(cycle + operation.latency);
    }
    ready.into_iter().max().unwrap_or(0)
}

fn best(problem: &Problem, units: u64) -> (u32, usize) {
    let control = Control { stopped: &|| false, progress: &|_| () };
    let steps = (0..units).map(|unit| Schedule.run(problem, unit, &control));
    let circuits: Vec<Circuit> = steps.flat_map(|step| step.circuits).collect();
    circuits.iter().for_each(|c| c.check(&problem.sbox).expect("a circuit of the box"));
    circuits.iter().map(|c| (cycles(c, &problem.target), c.gates.len())).min().expect("a circuit")
}

#[test]
fn the_least_depth_of_a_box_is_reached_with_few_operations() {
    let (levels, gates) = best(&problem(INFINITE, &S0), 2);
    assert_eq!(levels, 4);
    assert!(gates <= 19, "{gates} gates");
}

#[test]
fn two_units_fill_their_slots() {
    let mut target = INFINITE.replace("\"infinite\"", "\"two-alu\"");
    target.insert_str(1, "\"issue_width\": 2, ");
    let (cycles, gates) = best(&problem(&target, &S0), 1);
    assert!(cycles <= 9 && gates <= 17, "{cycles} cycles, {gates} gates");
}

#[test]
fn latencies_and_operand_orders_are_the_target_s() {
    // y0 = x0 ^ x1, y1 = ~(x0 & x1), y2 = x2 & ~x0: the exclusive or is done after two cycles, the complement too.
    let table: Vec<u8> = (0..8u8)
        .map(|v| {
            let x = |k: u8| v >> k & 1;
            (x(0) ^ x(1)) | (1 ^ (x(0) & x(1))) << 1 | (x(2) & !x(0) & 1) << 2
        })
        .collect();
    assert_eq!(best(&problem(SLOW, &table), 1), (2, 4));
}

#[test]
fn a_box_of_wires_and_constants_needs_no_gate() {
    let table: Vec<u8> = (0..8).map(|v| (v >> 1 & 1) | (v & 1) << 1 | 4).collect();
    assert_eq!(best(&problem(INFINITE, &table), 1), (0, 0));
}

#[test]
fn the_same_unit_finds_the_same_circuits() {
    let control = Control { stopped: &|| false, progress: &|_| () };
    let problem = problem(INFINITE, &S0);
    let (one, other) = (Schedule.run(&problem, 0, &control), Schedule.run(&problem, 0, &control));
    assert_eq!(one.circuits, other.circuits);
    assert_eq!((one.effort, one.bounds), (other.effort, other.bounds));
}

#[test]
fn a_stopped_unit_is_not_finished() {
    let control = Control { stopped: &|| true, progress: &|_| () };
    assert!(!Schedule.run(&problem(INFINITE, &S0), 0, &control).finished);
}

#[test]
fn a_box_of_five_inputs_is_served() {
    // The cipher Ascon's box.
    let table = [
        4, 11, 31, 20, 26, 21, 9, 2, 27, 5, 8, 18, 29, 3, 6, 28, 30, 19, 7, 14, 0, 13, 17, 24, 16, 12, 1, 25, 22, 10,
        15, 23,
    ];
    let (levels, gates) = best(&problem(INFINITE, &table), 1);
    assert!(levels <= 5 && gates <= 40, "{levels} levels, {gates} gates");
}
