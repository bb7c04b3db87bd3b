//! What operators cost, in gate equivalents (two-input NAND gates).
//!
//! From cells of a 0.5 micron library and from operators synthesized in it for small area: XOR2 504, MUX2 432, AND2 288 square
//! micrometres against 216 of a NAND2; 32-bit adder 0.049, 32 x 32 multiplier 0.807, S-box of 256 bytes 0.120, table of 512 words
//! of 32 bits 0.739 square millimetres; the eight S-boxes of 4 bits some 25 gates each. Only ratios matter.

use program::ir::{Matrix, Program};
use program::semantics::field_multiply;

use super::graph::{Choice, Graph, Kind, Node, Src, WireKind};

/// A bit of a multiplexer of two words.
pub(crate) const MUX: f64 = 2.0;
/// Against a constant a multiplexer is an AND or OR gate.
const GATE: f64 = 1.33;
const XOR: f64 = 2.33;
const ADD_PER_BIT: f64 = 7.0;
const MUL_PER_BIT_SQUARED: f64 = 3.6;
const TABLE_PER_BIT: f64 = 0.25;
const BOX_PER_BIT: f64 = 0.4;
const COMPARE_PER_BIT: f64 = 2.5;

/// Cost of an operator without what chooses its inputs.
pub(super) fn operator(program: &Program, node: &Node) -> f64 {
    let width = f64::from(node.results[0]);
    let number = |n: usize| matches!(node.inputs[n][..], [(Src::Number(_), _)]);
    match &node.kind {
        Kind::Add { subtracts } => {
            let mixed = *subtracts & node.modes != 0 && *subtracts & node.modes != node.modes;
            let half = if number(0) || number(1) { 0.6 } else { 1.0 };
            width * (ADD_PER_BIT * half + if mixed { XOR } else { 0.0 })
        }
        Kind::Mul if node.inputs[0] == node.inputs[1] => width * width * MUL_PER_BIT_SQUARED / 2.0,
        Kind::Mul => width * width * MUL_PER_BIT_SQUARED,
        Kind::Xor => width * XOR,
        Kind::And | Kind::Or => width * GATE,
        Kind::Rotate { right } => {
            let mixed = *right & node.modes != 0 && *right & node.modes != node.modes;
            let amount = f64::from(node.widths[1]);
            MUX * width * amount + if mixed { amount * (ADD_PER_BIT / 2.0 + MUX) } else { 0.0 }
        }
        Kind::Shift(_) => MUX * width * f64::from(node.widths[1].min(6)),
        Kind::Compare(_) => COMPARE_PER_BIT * f64::from(node.widths[0]),
        Kind::Select => MUX * width,
        Kind::Lookup(table) => TABLE_PER_BIT * width * program.tables[table.0 as usize].data.len() as f64,
        Kind::Linear(matrix) => matrix_gates(&program.matrices[matrix.0 as usize]),
        Kind::Bitsliced(sbox) => {
            let sbox = &program.boxes[sbox.0 as usize];
            BOX_PER_BIT * width * (sbox.data.len() * usize::from(sbox.outputs)) as f64
        }
        // A function of its own is taken to be large.
        Kind::Call(_) => 1000.0,
    }
}

/// Exclusive-or gates of a matrix; about half of those that it spells are common.
fn matrix_gates(matrix: &Matrix) -> f64 {
    let bits = 63 - matrix.polynomial.leading_zeros();
    let ones = |c: u64| (0..bits).map(|b| field_multiply(matrix.polynomial, c, 1 << b).count_ones()).sum::<u32>();
    let all: u32 = matrix.rows.iter().flatten().map(|&c| ones(c)).sum();
    XOR * f64::from(all.saturating_sub(matrix.rows.len() as u32 * bits)) / 2.0
}

/// Cost of choosing a word of some width; [`bases`] come first.
pub(super) fn choice(choice: &Choice, width: u8) -> f64 {
    let words = choice.iter().filter(|(src, _)| !matches!(src, Src::Number(_))).count();
    let numbers = choice.len() - words;
    let width = f64::from(width);
    match words {
        0 => width * GATE / 2.0 * (numbers.saturating_sub(1)) as f64,
        _ => width * (MUX * (words - 1) as f64 + GATE * numbers as f64),
    }
}

/// The words to be chosen for a choice: where all its sources are the same wires from other words, those are chosen instead.
pub(super) fn bases(graph: &Graph, choice: &Choice, width: u8, out: &mut Vec<(Choice, u8)>) {
    if choice.len() < 2 {
        return;
    }
    match below(graph, choice) {
        None => out.push((choice.clone(), width)),
        Some(list) => list.iter().for_each(|(choice, width)| bases(graph, choice, *width, out)),
    }
}

/// The choices below the same wires, if all sources of a choice are the same wires.
pub(super) fn below(graph: &Graph, choice: &Choice) -> Option<Vec<(Choice, u8)>> {
    let Src::Wire(first) = choice[0].0 else { return None };
    let first = &graph.wires[first as usize];
    if matches!(first.kind, WireKind::Extract(_)) {
        return None;
    }
    let mut list: Vec<Vec<(Src, u64)>> = vec![Vec::new(); first.from.len()];
    for &(src, modes) in choice {
        let Src::Wire(w) = src else { return None };
        let wire = &graph.wires[w as usize];
        if (&wire.kind, wire.width, &wire.widths) != (&first.kind, first.width, &first.widths) {
            return None;
        }
        list.iter_mut().zip(&wire.from).for_each(|(list, src)| list.push((*src, modes)));
    }
    Some(list.into_iter().map(|l| super::graph::grouped(l.into_iter())).zip(first.widths.iter().copied()).collect())
}
