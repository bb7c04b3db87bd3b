//! Sequences of two-operand machines with few registers: a beam over the contents of the register file.
//!
//! A state is the set of truth tables in the registers; which register holds which does not matter. An instruction
//! replaces one of its operands by the result; with a move before it (together two instructions) the result takes an
//! unused register or one whose value is given up. States that no longer tell apart what the outputs tell apart are
//! dropped, so are those whose distance from the outputs exceeds the instructions left. States are ranked by a least tree
//! over the missing outputs: each is reached from the registers, or from another output by an exclusive or.

mod beam;
mod distance;
mod machine;
mod state;
mod word;

use crate::engines::{Control, Engine, Step};
use beam::{Run, Settings};
use circuit::circuit::{Circuit, Wire};
use circuit::problem::{Metric, Problem};
use machine::{Machine, MOST_REGISTERS};
pub(super) use state::mix;
use state::{Node, FREE};
use word::Word;

/// The engine.
pub struct Registers;

/// Circuits that a unit returns at most.
const MOST_CIRCUITS: usize = 16;

impl Engine for Registers {
    fn name(&self) -> &'static str {
        "registers"
    }

    fn description(&self) -> &'static str {
        "beam over the register contents of a two-operand machine: fewest instructions, moves among them"
    }

    fn units(&self, problem: &Problem) -> u64 {
        let target = &problem.target;
        let registers = target.registers.unwrap_or(0) as usize;
        let inputs = problem.sbox.inputs;
        let fits = (2..=5).contains(&inputs) && (usize::from(inputs)..=MOST_REGISTERS).contains(&registers);
        let simple = target.operations.iter().all(|o| o.arity > 2 || o.table.is_some());
        let asked = problem.objective.first() == Some(&Metric::Instructions);
        if target.two_operand && fits && simple && asked {
            u64::MAX
        } else {
            0
        }
    }

    fn run(&self, problem: &Problem, unit: u64, control: &Control<'_>) -> Step {
        if problem.sbox.inputs <= 4 {
            search::<u16>(problem, unit, control)
        } else {
            search::<u32>(problem, unit, control)
        }
    }
}

/// Width of a unit's beam: narrow first, for a quick answer, then wider.
fn width(unit: u64) -> usize {
    match unit {
        0 => 1_000,
        1 => 10_000,
        2 => 50_000,
        3..=5 => 150_000,
        _ => 500_000,
    }
}

/// Range of the random part of the score; it changes with the unit, so that units differ.
fn noise(unit: u64) -> u64 {
    [32, 64, 48, 96][(unit % 4) as usize]
}

/// Runs the beam, then again with one instruction less allowed, until nothing is found: the fewer are allowed, the
/// more states are known to be hopeless.
fn search<W: Word>(problem: &Problem, unit: u64, control: &Control<'_>) -> Step {
    let machine = Machine::<W>::new(problem);
    let width = width(unit);
    let seed = state::mix(problem.seed.wrapping_mul(0x1_0000).wrapping_add(unit));
    let longest = 8 * usize::from(problem.sbox.inputs) * usize::from(problem.sbox.outputs).max(2);
    let mut settings = Settings { width: width.min(2_000), noise: noise(unit), seed, limit: longest.min(250) };
    let mut step = Step::default();
    let mut expanded = 0;
    loop {
        let run = beam::run(&machine, settings, control);
        expanded += run.expanded;
        let found = circuits(problem, &machine, &run);
        if !run.finished {
            step.circuits.extend(found);
            break;
        }
        if !found.is_empty() {
            step.circuits = found;
            settings.limit = run.instructions - 1;
        } else if settings.width == width {
            step.finished = true;
            break;
        }
        settings.width = width;
    }
    step.effort = format!(
        "registers, width {width}, noise {}, seed {}, unit {unit}, {expanded} states",
        noise(unit),
        problem.seed
    );
    step
}

fn circuits<W: Word>(problem: &Problem, machine: &Machine<W>, run: &Run<W>) -> Vec<Circuit> {
    let mut goals = run.goals.clone();
    goals.sort_by_key(|goal| u8::MAX - goal.moves);
    goals.iter().take(MOST_CIRCUITS).map(|goal| circuit(problem, machine, run, goal)).collect()
}

/// The gates on the way to a state.
fn circuit<W: Word>(problem: &Problem, machine: &Machine<W>, run: &Run<W>, goal: &Node<W>) -> Circuit {
    let mut path = vec![*goal];
    loop {
        let node = path[path.len() - 1];
        path.push(run.layers[usize::from(node.layer)][node.parent as usize]);
        if node.layer == 0 {
            break;
        }
    }
    path.reverse();
    let mut circuit = Circuit::new(problem.sbox.inputs);
    let mut known: Vec<(W, Wire)> = machine.inputs.iter().enumerate().map(|(k, &w)| (w, Wire::Input(k))).collect();
    known.sort_unstable_by_key(|(w, _)| *w);
    for node in &path[1..] {
        let action = node.action;
        let rule = usize::from(action.rule);
        let (a, b) = (known[usize::from(action.first)], known[usize::from(action.second)]);
        let unary = machine.unary.len();
        let (result, wire) = if rule < unary {
            let rule = machine.unary[rule];
            (rule.apply(a.0, a.0), circuit.add(rule.function, &[a.1]))
        } else {
            let rule = machine.binary[rule - unary];
            (rule.apply(a.0, b.0), circuit.add(rule.function, &[a.1, b.1]))
        };
        if action.place != FREE {
            known.remove(usize::from(action.place));
        }
        known.push((result, wire));
        known.sort_unstable_by_key(|(w, _)| *w);
    }
    let wire =
        |table: W| known.iter().find(|(w, _)| *w == table).map_or(Wire::Constant(table != W::default()), |k| k.1);
    circuit.outputs = problem.sbox.tables().iter().map(|t| wire(W::of(t))).collect();
    circuit
}

#[cfg(test)]
mod tests {
    use super::*;
    use circuit::sbox::SBox;
    use circuit::sequence::Sequence;
    use circuit::target::Target;

    fn problem(data: &[u8], registers: u32, operations: &str) -> Problem {
        let json = format!(
            r#"{{"name": "machine", "title": "", "two_operand": true, "registers": {registers},
            "objective": ["instructions"], "operations": [{operations}]}}"#
        );
        let outputs = data.iter().max().map_or(1, |m| 8 - m.leading_zeros() as u8);
        Problem {
            sbox: SBox::new(outputs, data.to_vec()).unwrap(),
            target: Target::from_json(&json).unwrap(),
            objective: vec![Metric::Instructions],
            seed: 1,
        }
    }

    fn fewest(problem: &Problem, unit: u64) -> usize {
        let control = Control { stopped: &|| false, progress: &|_| () };
        let step = Registers.run(problem, unit, &control);
        assert!(step.finished);
        let lengths = step.circuits.iter().map(|circuit| {
            circuit.check(&problem.sbox).unwrap();
            let sequence = Sequence::of(circuit, &problem.target).unwrap();
            sequence.check(&problem.sbox).unwrap();
            sequence.instructions.len()
        });
        lengths.min().unwrap()
    }

    const X86: &str = r#"{"name": "not", "arity": 1, "table": 1}, {"name": "and", "arity": 2, "table": 8},
        {"name": "or", "arity": 2, "table": 14}, {"name": "xor", "arity": 2, "table": 6}"#;
    const PANDN: &str = r#"{"name": "pandn", "arity": 2, "table": 4}, {"name": "xor", "arity": 2, "table": 6}"#;

    #[test]
    fn small_boxes_take_what_a_person_finds() {
        // One more, modulo 4: an exclusive or and a complement, in two registers.
        assert_eq!(fewest(&problem(&[1, 2, 3, 0], 2, X86), 0), 2);
        // A quadratic map of rows of three bits, with an and-complement that destroys the complemented operand.
        assert_eq!(fewest(&problem(&[0, 3, 6, 1, 5, 4, 2, 7], 5, PANDN), 0), 7);
    }

    #[test]
    fn a_box_of_five_inputs_is_served() {
        let data: Vec<u8> = (0..32u8).map(|v| (v ^ v >> 1 & v >> 2) & 1 | (v >> 3 | v >> 4) << 1 & 2).collect();
        assert_eq!(fewest(&problem(&data, 5, X86), 0), 3);
    }

    #[test]
    fn other_questions_are_not_served() {
        let mut other = problem(&[1, 2, 3, 0], 2, X86);
        other.objective = vec![Metric::Depth];
        assert_eq!(Registers.units(&other), 0);
        assert_eq!(Registers.units(&problem(&[1, 2, 3, 0], 1, X86)), 0);
        assert_eq!(Registers.units(&problem(&[1, 2, 3, 0], 2, X86)), u64::MAX);
    }
}
