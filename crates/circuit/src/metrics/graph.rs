//! Levels of a circuit: every gate as early as possible, each taking one level.

use crate::circuit::{Circuit, Wire};

/// The level of each gate, from 1.
pub fn levels(circuit: &Circuit) -> Vec<u32> {
    let mut levels: Vec<u32> = Vec::with_capacity(circuit.gates.len());
    for gate in &circuit.gates {
        let before = gate.operands.iter().map(|w| if let Wire::Gate(n) = w { levels[*n] } else { 0 });
        levels.push(1 + before.max().unwrap_or(0));
    }
    levels
}

/// Gates on the longest path.
pub fn depth(circuit: &Circuit) -> u32 {
    levels(circuit).into_iter().max().unwrap_or(0)
}

/// Most gates of one level.
pub fn width(circuit: &Circuit) -> usize {
    let levels = levels(circuit);
    (1..=depth(circuit)).map(|level| levels.iter().filter(|&&l| l == level).count()).max().unwrap_or(0)
}

/// The gates that each gate reads.
pub fn sources(circuit: &Circuit) -> Vec<Vec<usize>> {
    let gate = |wire: &Wire| if let Wire::Gate(n) = wire { Some(*n) } else { None };
    circuit.gates.iter().map(|g| g.operands.iter().filter_map(gate).collect()).collect()
}
