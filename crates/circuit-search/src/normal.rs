//! Normal form: a function and its complement as one, the one that is 0 at input 0.
//!
//! Of functions in normal form the ten two-input functions give five in normal form, the others being complements of
//! them. A set of functions in which each is made of two others by one of the five, up from the inputs, is a circuit
//! of two-input gates whose complements are still open.

use circuit::function::Function;
use circuit::table::Table;

/// The five two-input functions that are 0 where both operands are.
pub const CLASSES: [Function; 5] = [
    Function { arity: 2, table: 0b1000 },
    Function { arity: 2, table: 0b0010 },
    Function { arity: 2, table: 0b0100 },
    Function { arity: 2, table: 0b1110 },
    Function { arity: 2, table: 0b0110 },
];

/// The table or its complement, whichever is 0 at input 0.
#[must_use]
pub fn normal(table: Table) -> Table {
    if table.bit(0) {
        table.complement()
    } else {
        table
    }
}

/// The function that computes `function` (or its complement, by `output`) when its operands are complemented as said.
#[must_use]
pub fn with_complements(function: Function, operands: [bool; 2], output: bool) -> Function {
    let flip = usize::from(operands[0]) | usize::from(operands[1]) << 1;
    let table = (0..4).filter(|&at| function.value(at ^ flip) != output).fold(0, |sum, at| sum | 1 << at);
    Function::new(2, table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complements_move_between_operands_and_output() {
        assert_eq!(with_complements(Function::AND, [true, true], false), Function::NOR);
        assert_eq!(with_complements(Function::AND, [false, true], false), Function::ANDNOT);
        assert_eq!(with_complements(Function::OR, [true, true], true), Function::AND);
        assert_eq!(with_complements(Function::XOR, [true, false], true), Function::XOR);
    }

    #[test]
    fn the_ten_functions_are_five_and_their_complements() {
        let mut all: Vec<u16> = CLASSES.iter().flat_map(|f| [f.table, f.complement().table]).collect();
        all.sort_unstable();
        assert_eq!(all, [1, 2, 4, 6, 7, 8, 9, 11, 13, 14]);
        assert!(CLASSES.iter().all(|f| !f.value(0)));
        assert!(!normal(Table::input(4, 2).complement()).bit(0));
    }
}
