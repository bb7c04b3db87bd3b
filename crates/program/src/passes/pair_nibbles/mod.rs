//! `pair-nibbles`: words of four bits that loops carry, and those of the rows of arrays, are kept two in a byte.
//!
//! Identities, for two words u and v side by side in a byte: bitwise operations on both are one on the byte; an exchange of the two is a
//! rotation by four bits; look-ups at both make a byte again, which `merge-lookups` makes one look-up; words joined from bits are joined to
//! one byte. What is neither is taken out of its byte and joined anew.
//!
//! Which of the 2^k words of a run that a loop carries share a byte is searched: word i is with word i ^ e, and in the upper half where
//! i & m has an odd number of ones, for all e of one bit and all m of this one and at most one more. The choice counts for which all functions
//! together take the fewest operations on bytes, each with a weight (`cost.rs`); that none are paired is one of the choices. The columns of
//! an array's rows go as the function that reads them first wants them: `encrypt`, then the others; a column in which one number stands in all rows
//! goes. An array of round keys changes its type thereby.

mod cost;
mod rebuild;
mod search;
mod ways;

use std::collections::{BTreeMap, HashMap};

use self::search::{Numbers, Search};
use super::only::FunctionFilter;
use super::pack::rows::classes_of;
use super::{Pass, Settings};
use crate::diagnostic::Diagnostic;
use crate::ir::{OpKind, Operand, Program, Type, ValueId};
use crate::walk::for_each_op;

/// See the module's text.
pub struct PairNibbles;

/// Bits of the words that are paired.
const BITS: u8 = 4;
impl Pass for PairNibbles {
    fn name(&self) -> &'static str {
        "pair-nibbles"
    }

    fn description(&self) -> &'static str {
        "keep words of four bits in pairs, two in a byte"
    }

    fn options(&self) -> &'static [&'static str] {
        &["function"]
    }

    fn run(&self, program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
        let only = FunctionFilter::of(settings, program)?;
        let plain =
            |list: HashMap<ValueId, (usize, usize)>| list.into_iter().map(|(v, (class, _))| (v, class)).collect();
        let mut classes: Vec<BTreeMap<ValueId, usize>> =
            classes_of(program, &only, &columns_of).into_iter().map(plain).collect();
        let numbers = numbers(program, &classes);
        // Arrays in which nothing is ever stored stay.
        classes.iter_mut().for_each(|list| list.retain(|_, class| numbers.contains_key(class)));
        let made = Search { program, numbers: &numbers, classes: &classes }.made(&only);
        for (function, made) in program.functions.iter_mut().zip(made) {
            if let Some(made) = made {
                *function = made;
            }
        }
        Ok(())
    }
}

/// The columns of an array of rows of words that may be paired.
fn columns_of(ty: &Type) -> Option<usize> {
    match ty {
        Type::Array(array) if array.width == BITS && array.dims.len() == 2 => Some(array.dims[1] as usize),
        _ => None,
    }
}

/// For the columns of each class of arrays the number that stands in all rows, if there is one.
fn numbers(program: &Program, classes: &[BTreeMap<ValueId, usize>]) -> Numbers {
    let mut found: Numbers = HashMap::new();
    let mut row = |class: usize, words: &[Operand]| {
        let number = |word: &Operand| match word {
            Operand::Const(number) => Some(*number),
            Operand::Value(_) => None,
        };
        let all = found.entry(class).or_insert_with(|| words.iter().map(number).collect());
        all.iter_mut().zip(words).filter(|(old, word)| **old != number(word)).for_each(|(old, _)| *old = None);
    };
    for (function, classes) in program.functions.iter().zip(classes) {
        for_each_op(&function.body, &mut |op| {
            let class = op.results.first().and_then(|v| classes.get(v));
            match (class, &op.kind) {
                (Some(&class), OpKind::Store(_, _, words)) => row(class, words),
                (Some(&class), OpKind::Array(words)) => {
                    let columns = columns_of(&function.values[op.results[0].0 as usize].ty).unwrap_or(1);
                    words.chunks(columns).for_each(|words| row(class, words));
                }
                _ => {}
            }
        });
    }
    // A row has at least one column.
    found.values_mut().filter(|all| all.iter().all(Option::is_some)).for_each(|all| all[0] = None);
    found
}
