//! Small problems with known answers.

use super::beam::Parameters;
use super::expand::Order;
use super::machine::Machine;
use super::task::Task;
use super::word::Word;
use super::{Control, Engine, Schedule};
use circuit::circuit::{Circuit, Wire};
use circuit::problem::{Metric, Problem};
use circuit::sbox::SBox;
use circuit::table::Table;
use circuit::target::Target;

/// Five operations, as many as are ready in a cycle.
pub const INFINITE: &str = r#"{"name": "infinite", "title": "", "objective": ["cycles", "ops"], "operations": [
    {"name": "not", "arity": 1, "table": 1}, {"name": "and", "arity": 2, "table": 8},
    {"name": "or", "arity": 2, "table": 14}, {"name": "xor", "arity": 2, "table": 6},
    {"name": "andcm", "arity": 2, "table": 2}]}"#;

/// Two operations a cycle, exclusive or twice as slow, the and-complement complements its first operand.
const SLOW: &str = r#"{"name": "slow", "title": "", "objective": ["cycles", "ops"], "issue_width": 2, "operations": [
    {"name": "not", "arity": 1, "table": 1}, {"name": "and", "arity": 2, "table": 8},
    {"name": "xor", "arity": 2, "table": 6, "latency": 2}, {"name": "andn", "arity": 2, "table": 4}]}"#;

const CONTROL: Control<'_> = Control { stopped: &|| false, progress: &|_| () };

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

/// The best circuit of a unit of the engine, as cycles and gates.
fn unit(problem: &Problem) -> (u32, usize) {
    let step = Schedule.run(problem, 0, &CONTROL);
    best(problem, &step.circuits)
}

fn best(problem: &Problem, circuits: &[Circuit]) -> (u32, usize) {
    circuits.iter().for_each(|c| c.check(&problem.sbox).expect("a circuit of the box"));
    circuits.iter().map(|c| (cycles(c, &problem.target), c.gates.len())).min().expect("a circuit")
}

/// The circuits of one narrow beam; the schedules that it states are those that the gates' order has.
fn beam(problem: &Problem, deadline: u8, order: Order) -> Vec<Circuit> {
    let task = Task::<u16>::new(problem).expect("a task");
    let costs = [0.0, 1.0, 2.0, 3.0, 4.0];
    let parameters =
        Parameters { width: 60, deadline, gates: 30, order, costs, doubt: 0.7, noise: 0.5, seed: 1, solutions: 20 };
    let (found, finished) = task.search(&parameters, &CONTROL);
    assert!(finished);
    found.iter().for_each(|(length, circuit)| {
        assert_eq!(*length, cycles(circuit, &problem.target));
        assert!(*length <= u32::from(deadline));
    });
    found.into_iter().map(|(_, circuit)| circuit).collect()
}

/// A box of three inputs.
const SMALL: [u8; 8] = [3, 6, 0, 5, 7, 1, 4, 2];

#[test]
fn a_narrow_beam_is_one_level_from_the_least_depth_with_few_operations() {
    let problem = problem(INFINITE, &S0);
    let (levels, gates) = best(&problem, &beam(&problem, 5, Order::Slots));
    assert!(levels <= 5 && gates <= 21, "{levels} levels, {gates} gates");
}

#[test]
fn every_way_to_fill_the_slots_of_two_units_keeps_to_the_cycles() {
    let mut target = INFINITE.replace("\"infinite\"", "\"two-alu\"");
    target.insert_str(1, "\"issue_width\": 2, ");
    let problem = problem(&target, &S0);
    for order in [Order::Slots, Order::Cycles, Order::Loose] {
        let (cycles, gates) = best(&problem, &beam(&problem, 12, order));
        assert!(cycles <= 12 && gates <= 20, "{order:?}: {cycles} cycles, {gates} gates");
    }
}

#[test]
fn circuits_of_few_gates_are_scheduled_anew() {
    let problem = problem(&INFINITE.replacen('{', "{\"issue_width\": 2, ", 1), &SMALL);
    let step = Schedule.run(&problem, 0, &CONTROL);
    let (cycles, gates) = best(&problem, &step.circuits);
    assert!(step.finished && gates <= 2 * cycles as usize && cycles <= 6, "{cycles} cycles, {gates} gates");
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
    assert_eq!(unit(&problem(SLOW, &table)), (2, 4));
}

#[test]
fn a_box_of_wires_and_constants_needs_no_gate() {
    let table: Vec<u8> = (0..8).map(|v| (v >> 1 & 1) | (v & 1) << 1 | 4).collect();
    assert_eq!(unit(&problem(INFINITE, &table)), (0, 0));
}

#[test]
fn the_same_unit_finds_the_same_circuits_at_the_least_depth() {
    let problem = problem(INFINITE, &SMALL);
    let (one, other) = (Schedule.run(&problem, 1, &CONTROL), Schedule.run(&problem, 1, &CONTROL));
    assert_eq!(one.circuits, other.circuits);
    assert_eq!((&one.effort, &one.bounds), (&other.effort, &other.bounds));
    assert_eq!(f64::from(best(&problem, &one.circuits).0), one.bounds[0].value);
}

#[test]
fn a_stopped_unit_is_not_finished() {
    let control = Control { stopped: &|| true, progress: &|_| () };
    assert!(!Schedule.run(&problem(INFINITE, &SMALL), 0, &control).finished);
}

#[test]
fn tables_of_five_inputs_are_served() {
    // A rotation of five bits, each xored with the AND of its neighbours.
    let x = |v: usize, k: usize| v >> (k % 5) & 1;
    let value = |v| (0..5).fold(0, |y, k| y | (x(v, k) ^ (x(v, k + 1) & x(v, k + 2))) << k) as u8;
    let table: Vec<u8> = (0..32).map(value).collect();
    assert_eq!(unit(&problem(INFINITE, &table)), (2, 10));
}

#[test]
fn a_target_without_operations_of_two_operands_is_not_served() {
    let only = r#"{"name": "t", "title": "", "objective": ["cycles"], "operations": [
        {"name": "ternary", "arity": 3}]}"#;
    assert_eq!(Schedule.units(&problem(only, &SMALL)), 0);
}
