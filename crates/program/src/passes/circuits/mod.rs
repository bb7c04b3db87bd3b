//! `circuits`: bit-sliced boxes become sequences of and, or, xor and not.
//!
//! Identity: a circuit that equals the box on all its inputs equals it at every bit position of the words. Each
//! circuit from a file was checked against its own table when read, and is used only for boxes with that table.
//! A box that no file has gets a circuit by Shannon expansion. The option `target` takes the circuits that were made
//! for a target; a gate that programs have no operation for (three-input logic, a cell) is written by its cheapest
//! composition, so that a compiler may find the gate again, but need not.

mod basis;
mod choose;
mod shannon;

use circuit::{Circuit, Function, Wire};

use super::rewrite::{rewrite, Rewriter};
use super::{Pass, Settings};
use crate::diagnostic::Diagnostic;
use crate::ir::{Binary, Op, OpKind, Operand, Program, SBox, Type};

/// See the module's text.
pub struct Circuits;

impl Pass for Circuits {
    fn name(&self) -> &'static str {
        "circuits"
    }

    fn description(&self) -> &'static str {
        "write bit-sliced S-boxes as sequences of and, or, xor and not"
    }

    fn options(&self) -> &'static [&'static str] {
        &["set", "target"]
    }

    fn run(&self, program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
        let known = choose::circuits(settings)?;
        let of = |b: &SBox| known.get(&b.data).cloned().unwrap_or_else(|| shannon::synthesize(b));
        let circuits: Vec<Circuit> = program.boxes.iter().map(of).collect();
        for function in &mut program.functions {
            rewrite(function, &mut |r, op| match &op.kind {
                OpKind::Bitsliced(id, inputs) => write(r, &circuits[id.0 as usize], inputs, &op),
                _ => r.keep(op),
            });
        }
        Ok(())
    }
}

fn write(r: &mut Rewriter<'_>, circuit: &Circuit, inputs: &[Operand], op: &Op) {
    let Type::Word(width) = *r.builder.ty(op.results[0]) else { return };
    let ones = if width == 64 { u64::MAX } else { (1 << width) - 1 };
    let mut results: Vec<Operand> = Vec::with_capacity(circuit.gates.len());
    let read = |wire: Wire, results: &[Operand]| match wire {
        Wire::Input(k) => inputs[k],
        Wire::Gate(n) => results[n],
        Wire::Constant(c) => Operand::Const(if c { ones } else { 0 }),
    };
    for gate in &circuit.gates {
        let first = read(gate.operands[0], &results);
        let binary = |operator| OpKind::Binary(operator, first, read(gate.operands[1], &results));
        let kind = match gate.function {
            Function::XOR => binary(Binary::Xor),
            Function::AND => binary(Binary::And),
            Function::OR => binary(Binary::Or),
            _ => OpKind::Not(first),
        };
        results.push(r.word(width, kind));
    }
    for (k, &result) in op.results.iter().enumerate() {
        r.stand(result, read(circuit.outputs[k], &results));
    }
}
