//! Runs a verified program: compiles every function to instructions on one flat memory, then executes them.
//!
//! Nothing is allocated while a function runs. An array that is stored to takes the place of the old one where that is
//! not used again (`liveness`); reading a cell that was never stored is an error.

mod blocks;
mod code;
mod compile;
mod field;
mod liveness;
mod loops;
mod machine;
mod moves;
mod operations;
mod trace;

use crate::diagnostic::Diagnostic;
use crate::ir::{Program, SBox};
use crate::semantics::mask;

use code::{Code, Origin, Variable};
use compile::Compiler;
use field::Multiplier;
use machine::{Memory, NoObserver, Observer, Tools, UnwrittenRead};

pub use blocks::Chain;
pub use trace::{trace, Event, RecordedValue};

/// An argument or a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A word.
    Word(u64),
    /// The elements of an array, row by row.
    Array(Vec<u64>),
}

/// A program ready to run.
#[derive(Clone, Debug)]
pub struct Evaluator {
    program: Program,
    memory: Memory,
    functions: Vec<Code>,
    multipliers: Vec<Multiplier>,
    boxes: Vec<SBox>,
}

impl Evaluator {
    /// Compiles a program, which must be verified.
    ///
    /// # Errors
    /// P202 if the values of its functions need more than 2^26 places.
    pub fn new(program: &Program) -> Result<Self, Diagnostic> {
        Self::compiled(program, false)
    }

    fn compiled(program: &Program, tracing: bool) -> Result<Self, Diagnostic> {
        let compiler = Compiler::compile(program, tracing)?;
        let multipliers = compiler.multipliers();
        let Compiler { memory, functions, .. } = compiler;
        Ok(Evaluator { program: program.clone(), memory, functions, multipliers, boxes: program.boxes.clone() })
    }

    /// Number of a function.
    ///
    /// # Errors
    /// P203 if there is none of that name.
    fn find(&self, function: &str) -> Result<usize, Diagnostic> {
        self.functions.iter().position(|f| f.name == function).ok_or_else(|| {
            let known: Vec<_> = self.functions.iter().map(|f| f.name.as_str()).collect();
            Diagnostic::new("P203", format!("the program has no function `{function}`"))
                .help(format!("known: {}", known.join(", ")))
        })
    }

    /// Runs a function.
    ///
    /// # Errors
    /// P203 for an unknown function, P204 and P209 for arguments that do not fit it, P201 where an unwritten cell is read or returned.
    pub fn evaluate(&mut self, function: &str, arguments: &[Value]) -> Result<Vec<Value>, Diagnostic> {
        let number = self.find(function)?;
        self.set_arguments(number, arguments)?;
        self.run(number, &mut NoObserver)?;
        self.results(number)
    }

    fn set_arguments(&mut self, number: usize, arguments: &[Value]) -> Result<(), Diagnostic> {
        let params = self.functions[number].params.clone();
        let name = self.functions[number].name.clone();
        self.set_variables(&name, &params, arguments, "")
    }

    fn set_variables(
        &mut self,
        function: &str,
        params: &[Variable],
        arguments: &[Value],
        place: &str,
    ) -> Result<(), Diagnostic> {
        if params.len() != arguments.len() {
            let message = format!("`{function}` takes {} arguments{place}, not {}", params.len(), arguments.len());
            return Err(Diagnostic::new("P209", message));
        }
        for (param, argument) in params.iter().zip(arguments) {
            let words = match argument {
                Value::Word(word) if param.dims.is_empty() => std::slice::from_ref(word),
                Value::Array(words) if !param.dims.is_empty() && words.len() == param.len() => words,
                other => return Err(wrong_argument(function, param, &describe(other))),
            };
            if let Some(large) = words.iter().find(|&&w| w > mask(param.width)) {
                return Err(wrong_argument(function, param, &format!("{large:#x}")));
            }
            self.memory.words[param.range()].copy_from_slice(words);
            self.memory.written[param.range()].fill(true);
        }
        Ok(())
    }

    fn run<O: Observer>(&mut self, number: usize, observer: &mut O) -> Result<(), Diagnostic> {
        let tools = Tools { functions: &self.functions, multipliers: &self.multipliers, boxes: &self.boxes };
        self.memory.run(&tools, number, observer).map_err(|found| self.unwritten(&found))
    }

    fn results(&self, number: usize) -> Result<Vec<Value>, Diagnostic> {
        let one = |variable: &Variable| {
            self.check_written(number, variable)?;
            let words = &self.memory.words[variable.range()];
            Ok(if variable.dims.is_empty() { Value::Word(words[0]) } else { Value::Array(words.to_vec()) })
        };
        self.functions[number].results.iter().map(one).collect()
    }

    fn check_written(&self, number: usize, variable: &Variable) -> Result<(), Diagnostic> {
        let cells = &self.memory.written[variable.range()];
        if variable.dims.is_empty() || cells.iter().all(|&w| w) {
            return Ok(());
        }
        let cell = cells.iter().position(|&w| !w).unwrap_or(0);
        let message = format!("`{}` is returned with cells that were never written", variable.name);
        Err(Diagnostic::new("P201", message)
            .note(format!("the first one is {}{}", variable.name, cell_text(cell, &variable.dims)))
            .note(format!("in function `{}`", self.functions[number].name)))
    }

    /// The error that an unwritten cell was read, with the author's name of the array, the cell and the iterations.
    fn unwritten(&self, found: &UnwrittenRead) -> Diagnostic {
        let (function, instruction) = found.calls[0];
        let code = &self.functions[function];
        let origin = &code.origins[code.origin_of[instruction] as usize];
        let cell = cell_text(found.slot - origin.shape.0 as usize, &origin.shape.1);
        let mut error = Diagnostic::new("P201", format!("`{}{cell}` is read before it is written", origin.array));
        for &(function, instruction) in &found.calls {
            let code = &self.functions[function];
            error = error.at(&self.program, &code.origins[code.origin_of[instruction] as usize].places);
        }
        let iterations: Vec<String> = self.iterations(origin).iter().map(u64::to_string).collect();
        match iterations.len() {
            0 => error,
            _ => error.note(format!(
                "on iteration {} of the loops around it (from 0, outermost first)",
                iterations.join(", ")
            )),
        }
        .note(format!("in function `{}`", code.name))
    }

    fn iterations(&self, origin: &Origin) -> Vec<u64> {
        origin.iterations.iter().map(|&slot| self.memory.words[slot as usize]).collect()
    }
}

fn wrong_argument(function: &str, param: &Variable, found: &str) -> Diagnostic {
    let dims: String = param.dims.iter().map(|d| format!("[{d}]")).collect();
    Diagnostic::new("P204", format!("argument `{}` of `{function}` has a wrong value", param.name))
        .note(format!("expected u{}{dims}", param.width))
        .note(format!("found {found}"))
}

fn describe(value: &Value) -> String {
    match value {
        Value::Word(_) => "one number".to_owned(),
        Value::Array(words) => format!("{} numbers", words.len()),
    }
}

/// `[3]` or `[3][1]`
fn cell_text(cell: usize, dims: &[u32]) -> String {
    match dims {
        [_, inner] => format!("[{}][{}]", cell / *inner as usize, cell % *inner as usize),
        _ => format!("[{cell}]"),
    }
}
