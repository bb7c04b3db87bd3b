//! `circuits`: bit-sliced boxes become sequences of and, or, xor and not.
//!
//! Identity: a circuit that equals the box on all its inputs equals it at every bit position of the words. Each
//! circuit from a file was checked against its own table when read, and is used only for boxes with that table.
//! A box that no file has gets a circuit by Shannon expansion.

use std::collections::HashMap;

use super::circuit_text::{parse, synthesize, Circuit, Gate, Wire};
use super::rewrite::{rewrite, Rewriter};
use super::{Pass, Settings};
use crate::diagnostic::Diagnostic;
use crate::ir::{Binary, Op, OpKind, Operand, Program, Type};

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
        &["set"]
    }

    fn run(&self, program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
        let set = settings.options.get("set").map(String::as_str).unwrap_or_default();
        let mut known: HashMap<Vec<u8>, Circuit> = HashMap::new();
        for (file, text) in settings.circuits.iter().filter(|(file, _)| set.is_empty() || file.contains(set)) {
            for entry in parse(file, text)? {
                known.entry(entry.data).or_insert(entry.circuit);
            }
        }
        let circuits: Vec<Circuit> =
            program.boxes.iter().map(|b| known.get(&b.data).cloned().unwrap_or_else(|| synthesize(b))).collect();
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
        let kind = match *gate {
            Gate::Xor(a, b) => OpKind::Binary(Binary::Xor, read(a, &results), read(b, &results)),
            Gate::And(a, b) => OpKind::Binary(Binary::And, read(a, &results), read(b, &results)),
            Gate::Or(a, b) => OpKind::Binary(Binary::Or, read(a, &results), read(b, &results)),
            Gate::Not(a) => OpKind::Not(read(a, &results)),
        };
        results.push(r.word(width, kind));
    }
    for (k, &result) in op.results.iter().enumerate() {
        r.stand(result, read(circuit.outputs[k], &results));
    }
}
