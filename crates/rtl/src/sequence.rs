//! A function as a sequence of clocked steps: which combinational body each step runs, and which words it reads and writes.
//!
//! A function is executed symbolically, iteration by iteration. Arrays dissolve into cells with known numbers, indices into numbers; what is
//! left between two cuts is one straight body of word operations. Bodies that are equal but for constants are one body with
//! constants as parameters, so that hardware is shared where the source repeats itself.

mod bodies;
mod delay;
mod ends;
mod execute;
mod held;
mod known;
mod names;
mod operations;
mod raw;
mod run;
mod selecting;
mod split;

use program::diagnostic::Diagnostic;
use program::ir::{Block, Function, Loop, LoopTag, OpKind, Program};

/// Where a word is kept between two steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// A word of the state: an index into [`Sequence::words`].
    Word(u32),
    /// An element of an array: indices into [`Sequence::arrays`] and into it, row by row.
    Element(u32, u32),
}

/// A word of the state, carried from step to step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The author's name.
    pub name: String,
    /// Width in bits.
    pub width: u8,
}

/// What an array is to the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The parameter of that number.
    Parameter(u32),
    /// The result of that number.
    Result(u32),
    /// Neither.
    Inner,
}

/// An array of the function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// The author's name.
    pub name: String,
    /// Width of an element in bits.
    pub width: u8,
    /// Extents, outermost first.
    pub dims: Vec<u32>,
    /// Parameter, result or neither.
    pub role: Role,
}

/// One clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Index into [`Sequence::bodies`].
    pub body: usize,
    /// Where the body's parameters come from, in order.
    pub reads: Vec<Place>,
    /// Words of arrays that data choose: parameters behind the reads.
    pub selections: Vec<Selection>,
    /// Values of its remaining parameters, which are constants of this step.
    pub constants: Vec<u64>,
    /// Where its results go, in order; no place twice.
    pub writes: Vec<Place>,
    /// The author's loop and counter, `i = 3`; empty outside of loops.
    pub iteration: String,
}

/// Words of an array, of which data choose one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Selection {
    /// Index into [`Sequence::arrays`].
    pub array: u32,
    /// The first of the words.
    pub first: u32,
    /// How many there are.
    pub count: u32,
}

/// A function of a body's parameters that gives the address of a selection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressFunction {
    /// Its function in [`Sequence::program`].
    pub function: String,
    /// The numbers of the body's parameters that it takes.
    pub parameters: Vec<usize>,
}

/// A combinational body that one or more steps run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// Its function in [`Sequence::program`].
    pub function: String,
    /// It only moves words: no gate is needed.
    pub wiring: bool,
    /// Per selection what gives its address; it takes words of earlier selections at most.
    pub addresses: Vec<AddressFunction>,
}

/// A function in steps.
#[derive(Clone, Debug, Default)]
pub struct Sequence {
    /// Holds the functions of the bodies in their order, those of addresses behind them, with tables, matrices and boxes.
    pub program: Program,
    /// The functions that bodies call, those that they call before them.
    pub called: Vec<Function>,
    /// The bodies, in the order of their first step.
    pub bodies: Vec<Body>,
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// The state.
    pub words: Vec<Word>,
    /// The arrays.
    pub arrays: Vec<Array>,
    /// Per result of the function, where its words stand at the end: one place for a word, all elements of an array.
    pub results: Vec<Vec<Place>>,
}

impl Sequence {
    /// The program with what its bodies call.
    #[must_use]
    pub fn whole(&self) -> Program {
        let functions = self.called.iter().chain(&self.program.functions).cloned().collect();
        Program { functions, ..self.program.clone() }
    }

    /// The number of the last parameter: the block of an encryption, the key of a key schedule.
    #[must_use]
    pub fn last_parameter(&self) -> u32 {
        let number = |array: &Array| match array.role {
            Role::Parameter(n) => Some(n),
            _ => None,
        };
        self.arrays.iter().filter_map(number).max().unwrap_or(0)
    }

    /// The sequence with its parameters numbered from another number on.
    #[must_use]
    pub fn with_parameters_from(mut self, first: u32) -> Self {
        for array in &mut self.arrays {
            if let Role::Parameter(number) = &mut array.role {
                *number += first;
            }
        }
        self
    }

    /// Whether data choose among words outside of the bodies.
    #[must_use]
    pub fn selects(&self) -> bool {
        self.steps.iter().any(|step| !step.selections.is_empty())
    }

    /// Parameter, element and width of a place that is a round key: an element of a parameter other than the last.
    #[must_use]
    pub fn round_key(&self, place: &Place) -> Option<(u32, u32, u8)> {
        let Place::Element(array, n) = *place else { return None };
        let array = &self.arrays[array as usize];
        match array.role {
            Role::Parameter(p) if p != self.last_parameter() => Some((p, n, array.width)),
            _ => None,
        }
    }
}

/// Where a function is cut into steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cuts {
    /// Iterations of a loop that make one step; the last step of a loop may have fewer.
    pub iterations: usize,
    /// What stands before a loop belongs to its first step; else it is a step of its own.
    pub merge_before: bool,
    /// What stands after a loop belongs to its last step; else it is a step of its own.
    pub merge_after: bool,
    /// Clocks that a step takes at most: more than one cut inside of a round.
    pub parts: usize,
    /// What becomes of an end that only moves words.
    pub ends: Ends,
    /// The block is at the pins in the first step alone.
    pub block_leaves: bool,
    /// An iteration that only moves words is a step, too; else it belongs to the next.
    pub wires: bool,
    /// Of so many words at most the body itself chooses one by data; [`usize::MAX`] where all steps run in every clock.
    pub few: usize,
}

/// Words up to which a body itself chooses one by data: a multiplexer not larger than what else is in a round.
pub const FEW: usize = 32;

/// What stands before and after the rounds, where one of both only moves words and so leaves a clock free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ends {
    /// Both have their clocks.
    #[default]
    AsWritten,
    /// The clock is the first: it brings the block, and needs no round key yet.
    LoadFirst,
    /// The clock goes to the other end, where that reads more round keys than a round.
    OneKey,
}

impl Default for Cuts {
    fn default() -> Self {
        Cuts {
            iterations: 1,
            merge_before: false,
            merge_after: false,
            parts: 1,
            ends: Ends::AsWritten,
            block_leaves: false,
            wires: false,
            few: FEW,
        }
    }
}

impl Cuts {
    /// Checks that some loop of a function has as many rounds as make a step.
    ///
    /// # Errors
    /// H107 for more.
    pub fn fit(&self, function: &Function) -> Result<(), Diagnostic> {
        let most = rounds(&function.body).max(1);
        if self.iterations <= most {
            return Ok(());
        }
        Err(Diagnostic::new("H107", format!("a step of `{}` cannot have {} rounds", function.name, self.iterations))
            .help(format!("its longest loop of rounds has {most}")))
    }

    /// Checks that a step has something to do.
    ///
    /// # Errors
    /// H106 for a step of no iterations or no clocks.
    fn some(&self, function: &str) -> Result<(), Diagnostic> {
        let missing = match self {
            Cuts { iterations: 0, .. } => "rounds",
            Cuts { parts: 0, .. } => "clocks",
            _ => return Ok(()),
        };
        Err(Diagnostic::new("H106", format!("a step of `{function}` cannot have 0 {missing}")))
    }
}

/// Iterations of the longest loop of rounds that holds no other.
fn rounds(block: &Block) -> usize {
    let of_loop = |l: &Loop| match l.bodies.iter().map(rounds).max().unwrap_or(0) {
        0 if l.tag == LoopTag::Rounds => l.pattern.len(),
        inner => inner,
    };
    let loops = block.ops.iter().filter_map(|op| if let OpKind::Loop(l) = &op.kind { Some(of_loop(l)) } else { None });
    loops.max().unwrap_or(0)
}

/// Cuts a function into steps.
///
/// # Errors
/// H101 for an array that is accessed at a place that depends on more data than one word, H103 for an unknown function, H106 for steps
/// of no iterations or no clocks, H318 for more multiplexers in a clock than there may be; with the line of the cipher.
pub fn sequence(program: &Program, function: &str, cuts: &Cuts) -> Result<Sequence, Diagnostic> {
    sequence_of(program, &[function], cuts)
}

/// Cuts functions of the same parameters into steps, one after the other: their results are those of the first, then those of the next.
/// What the first computed the next do not compute again.
///
/// # Errors
/// As [`sequence`].
pub fn sequence_of(program: &Program, functions: &[&str], cuts: &Cuts) -> Result<Sequence, Diagnostic> {
    let mut found = Vec::new();
    for name in functions {
        found.push(program.functions.iter().find(|f| f.name == *name).ok_or_else(|| {
            let known: Vec<&str> = program.functions.iter().map(|f| f.name.as_str()).collect();
            Diagnostic::new("H103", format!("the program has no function `{name}`"))
                .help(format!("known: {}", known.join(", ")))
        })?);
        cuts.some(name)?;
    }
    let raw = execute::execute(program, &found, cuts)?;
    let mut sequence = bodies::shared(program, functions[0], raw, cuts);
    names::tell_apart(&mut sequence);
    Ok(sequence)
}
