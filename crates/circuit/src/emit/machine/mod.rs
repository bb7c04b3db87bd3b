//! Circuits as instructions of machines: cycles, orders, registers.

pub mod order;
pub mod registers;
pub mod schedule;

use super::expression::C_LIKE;
use super::source::{Line, Names};
use crate::circuit::{Circuit, Wire};
use crate::fault::Fault;
use registers::{Allocation, Pool};

/// Gates in cycles, with the register of each result.
pub struct Stream {
    /// The circuit, in the machine's functions.
    pub circuit: Circuit,
    /// Gates of each cycle.
    pub cycles: Vec<Vec<usize>>,
    /// Registers of all wires.
    pub allocation: Allocation,
}

impl Stream {
    /// The fewest cycles of `width` operations that a schedule was found for, in the machine's registers.
    ///
    /// # Errors
    /// `C403` if they do not suffice for any of the schedules.
    pub fn new(circuit: Circuit, width: usize, pool: &Pool) -> Result<Self, Fault> {
        let mut failure = None;
        for cycles in schedule::candidates(&circuit, width, pool.registers.len()) {
            match registers::allocated(&circuit, &cycles, pool) {
                Ok(allocation) => return Ok(Stream { circuit, cycles, allocation }),
                Err(fault) => failure = Some(fault),
            }
        }
        Err(failure.expect("there is a schedule to try"))
    }

    /// Names of the registers of the inputs, then of the outputs; `zero` holds 0, and a constant 1 has no register.
    #[must_use]
    pub fn places(&self, zero: &str) -> (String, String) {
        let inputs: Vec<&str> = self.allocation.inputs.iter().map(String::as_str).collect();
        let outputs: Vec<&str> = self
            .circuit
            .outputs
            .iter()
            .map(|wire| if *wire == Wire::Constant(true) { "ones" } else { self.allocation.of(*wire).unwrap_or(zero) })
            .collect();
        (inputs.join(" "), outputs.join(" "))
    }

    /// One instruction per gate, cycle by cycle: mnemonic and operands from `write`, then the gate as a comment.
    pub fn lines(&self, comment: &str, write: impl Fn(&Line) -> String) -> Vec<Vec<String>> {
        let names = Names::new(&self.circuit, |k| format!("x{k}"), |k| format!("y{k}"));
        let equations = names.lines(&self.circuit);
        let line = |&n: &usize| {
            let gate = &self.circuit.gates[n];
            let register = |wire: &Wire| self.allocation.of(*wire).unwrap_or_default().to_owned();
            let instruction = Line {
                result: register(&Wire::Gate(n)),
                function: gate.function,
                operands: gate.operands.iter().map(register).collect(),
            };
            let equation = format!("{} = {}", equations[n].result, C_LIKE.expression(&equations[n]));
            format!("        {:<28}{comment} {equation}", write(&instruction))
        };
        self.cycles.iter().map(|cycle| cycle.iter().map(line).collect()).collect()
    }
}

/// Operands ordered so that a function of the and-complement basis is one of its named operations.
#[must_use]
pub fn ordered(line: &Line) -> (&'static str, &str, &str) {
    let (a, b) = (line.operands[0].as_str(), line.operands.get(1).map_or("", String::as_str));
    match line.function.table {
        0b1000 => ("and", a, b),
        0b1110 => ("or", a, b),
        0b0110 => ("xor", a, b),
        0b0010 => ("andcm", a, b),
        0b0100 => ("andcm", b, a),
        _ => ("not", a, ""),
    }
}

/// `17 operations in 4 cycles`
#[must_use]
pub fn counted(operations: usize, cycles: usize) -> String {
    let plural = |n: usize, word: &str| if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") };
    format!("{} in {}", plural(operations, "operation"), plural(cycles, "cycle"))
}
