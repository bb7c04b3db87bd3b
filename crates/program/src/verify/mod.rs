//! Whether a program means something. Every invariant that back ends and the evaluator rely on is checked here and nowhere else.
//!
//! The number of an invariant is that of its error: invariant 7 is P107.
//!
//! 1. Names are made of letters, digits, `_` and `.`; functions, tables, matrices and boxes each have different names, and so have the values of a function.
//! 2. Every value is defined once; what an operation refers to (value, table, matrix, box) exists.
//! 3. A value is used after its definition, in the same block or in one inside it.
//! 4. Words have 1 to 64 bits; arrays have one or two extents, each at least 1, and at most 2^20 elements.
//! 5. A table has at least one entry and every entry fits its width.
//! 6. A matrix has a polynomial of degree 1 to 63, rows of one length, and entries below 2^degree.
//! 7. A box has 1 to 8 inputs and outputs, an entry for each input, and entries below 2^outputs.
//! 8. Operations have as many operands and results as their kind asks for, at least one result.
//! 9. Operands and results have the types that their operation asks for.
//! 10. A number fits the width that it meets (64 bits where it meets none: both sides of a comparison, the operand of `extract`).
//! 11. A constant shift lies below the width; `extract` stays inside its operand.
//! 12. A sum has no value twice and no coefficient 0; its values are indices. An address may hold one word, of fewer than 64 bits, with coefficient 1.
//! 13. There is an address per dimension, or one less for a row; without `ring` it lies in its dimension on every iteration and for every value of its word.
//! 14. The sum of `word` fits its result on every iteration; every sum fits a signed 64-bit number.
//! 15. The divisor of `index_div` and `index_mod` is positive.
//! 16. A call names a function that stands before, with its types.
//! 17. A loop has 1 to 2^20 iterations, a step other than 0 and a counter that fits 64 bits; every iteration has a body and every body an iteration.
//! 18. A loop's initial values, each body's parameters and yields, and its results agree in number and type; a body's first parameter is an index, the others are words or arrays.
//! 19. A function takes and returns words and arrays, and returns what it says.
//! 20. A place names a file of the program, a line and a column from 1.

mod checker;
mod constants;
mod loops;
mod operations;
mod references;
mod sums;

use crate::diagnostic::Diagnostic;
use crate::ir::{Function, Program};
use crate::text::is_name_char;

use checker::Checker;

/// Checks every invariant.
///
/// # Errors
/// The first one that does not hold, in the order of the text; P101 to P120 as numbered above.
pub fn verify(program: &Program) -> Result<(), Diagnostic> {
    constants::check(program)?;
    different_names("function", program.functions.iter().map(|f| &f.name))?;
    for (n, function) in program.functions.iter().enumerate() {
        references::check(program, function)?;
        Checker::new(program, n).function()?;
    }
    Ok(())
}

/// Invariant 1 for one kind of thing.
fn different_names<'a>(what: &str, names: impl Iterator<Item = &'a String>) -> Result<(), Diagnostic> {
    let mut seen = std::collections::HashSet::new();
    for name in names {
        if name.is_empty() || !name.chars().all(is_name_char) {
            return Err(Diagnostic::new("P101", format!("{what} name {name:?} cannot be written"))
                .note("expected letters, digits, `_` and `.`"));
        }
        if !seen.insert(name) {
            return Err(Diagnostic::new("P101", format!("two {what}s have the name `{name}`")));
        }
    }
    Ok(())
}

/// Adds where a problem was found that has no place in the author's text.
fn in_function(error: Diagnostic, function: &Function) -> Diagnostic {
    error.note(format!("in function `{}`", function.name))
}
