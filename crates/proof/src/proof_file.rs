//! The binary LRAT format: steps that add a clause or delete some.
//!
//! `a`, the clause's number, its literals, 0, the numbers of the clauses that it follows from, 0; or `d`, numbers, 0.
//! A number is written in groups of seven bits, the lowest first, the high bit of a byte saying that more follow; a
//! literal or clause number `n` as `2 n`, its negative as `2 n + 1`.

use std::io::Read;

use crate::{refuse, Refusal};

/// A step of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A clause, its number, and the numbers of those that it follows from.
    Add {
        /// Number.
        number: u64,
        /// Literals.
        clause: Vec<i32>,
        /// What it follows from, in the order in which the clauses become units.
        because: Vec<u64>,
    },
    /// Numbers of clauses that are used no more.
    Delete(Vec<u64>),
}

/// Reads steps one after the other.
pub struct Steps<R> {
    input: R,
}

impl<R: Read> Steps<R> {
    /// Steps of a file; give a buffered reader.
    pub fn new(input: R) -> Self {
        Steps { input }
    }

    fn byte(&mut self) -> Result<Option<u8>, Refusal> {
        let mut byte = [0];
        match self.input.read(&mut byte) {
            Ok(0) => Ok(None),
            Ok(_) => Ok(Some(byte[0])),
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => self.byte(),
            Err(e) => refuse(format!("the proof file cannot be read: {e}")),
        }
    }

    fn number(&mut self) -> Result<u64, Refusal> {
        let mut number = 0u64;
        for shift in (0..63).step_by(7) {
            let Some(byte) = self.byte()? else { return refuse("the proof file ends inside a step") };
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        refuse("a number in the proof file is too long")
    }

    fn numbers(&mut self) -> Result<Vec<u64>, Refusal> {
        let mut numbers = Vec::new();
        loop {
            match self.number()? {
                0 => return Ok(numbers),
                n if n % 2 == 1 => return refuse("the proof extends the formula, which is not accepted"),
                n => numbers.push(n / 2),
            }
        }
    }

    fn literals(&mut self) -> Result<Vec<i32>, Refusal> {
        let mut literals = Vec::new();
        loop {
            let n = self.number()?;
            let Ok(variable) = i32::try_from(n / 2) else { return refuse("a literal in the proof file is too large") };
            match (n, variable) {
                (0, _) => return Ok(literals),
                (_, 0) => return refuse("a literal in the proof file has no variable"),
                _ => literals.push(if n % 2 == 0 { variable } else { -variable }),
            }
        }
    }

    fn step(&mut self) -> Result<Option<Step>, Refusal> {
        match self.byte()? {
            None => Ok(None),
            Some(b'a') => {
                let number = self.number()?;
                if number == 0 || number % 2 == 1 {
                    return refuse("a clause in the proof file has no number");
                }
                let clause = self.literals()?;
                Ok(Some(Step::Add { number: number / 2, clause, because: self.numbers()? }))
            }
            Some(b'd') => Ok(Some(Step::Delete(self.numbers()?))),
            Some(other) => refuse(format!("byte {other} begins no step of a binary LRAT proof")),
        }
    }
}

impl<R: Read> Iterator for Steps<R> {
    type Item = Result<Step, Refusal>;

    fn next(&mut self) -> Option<Self::Item> {
        self.step().transpose()
    }
}

/// Appends a step in the same format.
pub fn write(step: &Step, out: &mut Vec<u8>) {
    match step {
        Step::Add { number, clause, because } => {
            out.push(b'a');
            put(2 * number, out);
            for literal in clause {
                put(2 * u64::from(literal.unsigned_abs()) + u64::from(*literal < 0), out);
            }
            out.push(0);
            because.iter().for_each(|n| put(2 * n, out));
        }
        Step::Delete(numbers) => {
            out.push(b'd');
            numbers.iter().for_each(|n| put(2 * n, out));
        }
    }
    out.push(0);
}

fn put(mut number: u64, out: &mut Vec<u8>) {
    while number > 0x7f {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}
