//! Standard cells of least area: a beam over sets of wires, ordered by the area spent.
//!
//! A step adds one cell whose operands are wires that are there, both polarities being different wires. Which sets are
//! kept of one area is ranked by an estimate of what the missing outputs still cost: exclusive ors of the new wire
//! with wires and with what one small cell makes of them. Every path is a circuit whose area is exactly that of its
//! layer, so nothing is mapped afterwards. The operands of a cell are different wires.

mod beam;
mod estimate;
mod library;

use crate::engines::{Control, Engine, Step};
use beam::{Run, Settings};
use circuit::circuit::{Circuit, Wire};
use circuit::problem::{Metric, Problem};
use circuit::table::Table;
use library::Cells;

/// The engine.
pub struct CellArea;

impl Engine for CellArea {
    fn name(&self) -> &'static str {
        "cells"
    }

    fn description(&self) -> &'static str {
        "beam over sets of wires by the area spent: standard cells of least area, boxes of up to four inputs"
    }

    fn units(&self, problem: &Problem) -> u64 {
        let asked = problem.objective.first() == Some(&Metric::Area);
        let fits = (2..=4).contains(&problem.sbox.inputs) && !problem.target.two_operand;
        if asked && fits && Cells::new(problem).is_some() {
            u64::MAX
        } else {
            0
        }
    }

    fn run(&self, problem: &Problem, unit: u64, control: &Control<'_>) -> Step {
        let Some(cells) = Cells::new(problem) else { return Step::default() };
        let seed = crate::engines::registers::mix(problem.seed.wrapping_mul(0x1_0000).wrapping_add(unit));
        let width = width(unit);
        // Three exclusive ors for each input and output are more than any box of four inputs needs.
        let limit = 6 * cells.xor * cells.outputs.len().max(1) + 1;
        let mut settings = Settings { width: width.min(20), noise: noise(unit), seed, limit };
        let mut step = Step::default();
        let mut expanded = 0;
        loop {
            let run = beam::run(&cells, settings, control);
            expanded += run.expanded;
            let found: Vec<Circuit> = run.goals.iter().map(|&goal| circuit(problem, &cells, &run, goal)).collect();
            if !found.is_empty() {
                step.circuits = found;
                settings.limit = run.units - 1;
            }
            step.finished = run.finished && settings.width == width;
            if !run.finished || step.finished {
                break;
            }
            settings.width = width;
        }
        let noise = settings.noise;
        step.effort =
            format!("cells, width {width}, noise {noise}, seed {}, unit {unit}, {expanded} sets", problem.seed);
        step
    }
}

/// Width of a unit's beam: narrow first, for a quick answer.
fn width(unit: u64) -> usize {
    [50, 300, 1_000, 1_000, 3_000][unit.min(4) as usize]
}

/// Range of the random part, in hundredths of a unit; it changes with the unit, so that units differ.
fn noise(unit: u64) -> u64 {
    [100, 300, 300, 700, 200, 500][(unit % 6) as usize]
}

/// The cells on the way to a set, without those that no output needs.
fn circuit(problem: &Problem, cells: &Cells, run: &Run, goal: u32) -> Circuit {
    let mut path = Vec::new();
    let mut at = goal;
    while at != 0 {
        path.push(run.nodes[at as usize]);
        at = run.nodes[at as usize].parent;
    }
    let mut circuit = Circuit::new(problem.sbox.inputs);
    let mut known: Vec<(u16, Wire)> = cells.inputs.iter().enumerate().map(|(k, &w)| (w, Wire::Input(k))).collect();
    for node in path.iter().rev() {
        let function = cells.cells[usize::from(node.cell)].function;
        let operands = &node.operands[..usize::from(function.arity)];
        let wires: Vec<Wire> = operands.iter().map(|&n| known[usize::from(n)].1).collect();
        known.push((node.value, circuit.add(function, &wires)));
    }
    let wire = |table: &Table| {
        let found = known.iter().find(|(value, _)| *value == table.low16());
        found.map_or(Wire::Constant(table.low16() != 0), |known| known.1)
    };
    circuit.outputs = problem.sbox.tables().iter().map(wire).collect();
    circuit.pruned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use circuit::sbox::SBox;
    use circuit::target::Target;

    fn least(data: &[u8], outputs: u8, operations: &str) -> f64 {
        let json =
            format!(r#"{{"name": "cells:x", "title": "", "objective": ["area_um2"], "operations": [{operations}]}}"#);
        let problem = Problem {
            sbox: SBox::new(outputs, data.to_vec()).unwrap(),
            target: Target::from_json(&json).unwrap(),
            objective: vec![Metric::Area],
            seed: 1,
        };
        assert_eq!(CellArea.units(&problem), u64::MAX);
        let step = CellArea.run(&problem, 0, &Control { stopped: &|| false, progress: &|_| () });
        assert!(step.finished);
        let areas = step.circuits.iter().map(|circuit| {
            circuit.check(&problem.sbox).unwrap();
            circuit.gates.iter().map(|g| problem.target.operation(g.function).unwrap().size).sum::<f64>()
        });
        areas.min_by(f64::total_cmp).unwrap()
    }

    const NAND: &str = r#"{"name": "NAND2", "arity": 2, "table": 7, "size": 3.0},
        {"name": "INV", "arity": 1, "table": 1, "size": 2.0}"#;
    const MORE: &str = r#"{"name": "NAND2", "arity": 2, "table": 7, "size": 3.0},
        {"name": "INV", "arity": 1, "table": 1, "size": 2.0}, {"name": "BUF", "arity": 1, "table": 2, "size": 3.0},
        {"name": "AOI21", "arity": 3, "table": 7, "size": 4.5}, {"name": "XOR2", "arity": 2, "table": 6, "size": 7.0},
        {"name": "AOI22", "arity": 4, "table": 1911, "size": 5.0}"#;

    #[test]
    fn an_exclusive_or_takes_four_nands_and_a_half_adder_an_inverter_more() {
        assert_eq!(least(&[0, 1, 1, 0], 1, NAND), 12.0);
        assert_eq!(least(&[0, 1, 1, 2], 2, NAND), 14.0);
    }

    #[test]
    fn complex_cells_are_used_where_they_are_smaller() {
        // ~((a & b) | c) is a cell; (a & b) | (c & d) is a cell and an inverter, whichever wires meet.
        let function = |f: fn(bool, bool, bool, bool) -> bool| -> Vec<u8> {
            (0..16).map(|v| u8::from(f(v & 1 != 0, v & 2 != 0, v & 4 != 0, v & 8 != 0))).collect()
        };
        assert_eq!(least(&function(|a, b, c, _| !(a & b | c)), 1, MORE), 4.5);
        assert_eq!(least(&function(|a, b, c, d| a & b | c & d), 1, MORE), 7.0);
        assert_eq!(least(&function(|a, b, c, d| a & c | b & d), 1, MORE), 7.0);
    }
}
