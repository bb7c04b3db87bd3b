//! The instructions of the evaluator: every operand is a position in one memory.

use crate::ir::{Compare, Place, Shift};

/// Position in the memory.
pub(super) type Slot = u32;

/// An element of an array: `base + coefficient * memory[index]`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub base: i32,
    pub coefficient: i32,
    pub index: Slot,
}

/// Operands in [`Code::lists`].
#[derive(Clone, Copy, Debug)]
pub(super) struct List {
    pub start: u32,
    pub count: u32,
}

impl List {
    pub(super) fn range(self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.count) as usize
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Instruction {
    Move {
        to: Slot,
        from: Slot,
    },
    Add {
        width: u8,
        to: Slot,
        a: Slot,
        b: Slot,
    },
    Sub {
        width: u8,
        to: Slot,
        a: Slot,
        b: Slot,
    },
    Mul {
        width: u8,
        to: Slot,
        a: Slot,
        b: Slot,
    },
    And {
        to: Slot,
        a: Slot,
        b: Slot,
    },
    Or {
        to: Slot,
        a: Slot,
        b: Slot,
    },
    Xor {
        to: Slot,
        a: Slot,
        b: Slot,
    },
    Not {
        width: u8,
        to: Slot,
        a: Slot,
    },
    Shift {
        which: Shift,
        width: u8,
        to: Slot,
        a: Slot,
        amount: Slot,
    },
    Rotate {
        left: bool,
        width: u8,
        to: Slot,
        a: Slot,
        amount: Slot,
    },
    Extract {
        position: u8,
        width: u8,
        to: Slot,
        a: Slot,
    },
    /// Slots and their bit positions by turns.
    Concat {
        to: Slot,
        list: List,
    },
    Compare {
        which: Compare,
        to: Slot,
        a: Slot,
        b: Slot,
    },
    Select {
        to: Slot,
        condition: Slot,
        a: Slot,
        b: Slot,
    },
    /// An entry of a table; tables are always written.
    Fetch {
        to: Slot,
        cell: Cell,
    },
    Load {
        to: Slot,
        cell: Cell,
    },
    LoadRow {
        to: Slot,
        cell: Cell,
        count: u32,
    },
    Store {
        cell: Cell,
        from: Slot,
    },
    StoreRow {
        cell: Cell,
        list: List,
    },
    /// `sum` of [`Code::sums`].
    Sum {
        to: Slot,
        sum: u32,
    },
    Ring {
        to: Slot,
        extent: u32,
    },
    Divide {
        to: Slot,
        divisor: i64,
    },
    Remainder {
        to: Slot,
        divisor: i64,
    },
    Copy {
        to: Slot,
        from: Slot,
        count: u32,
    },
    Forget {
        to: Slot,
        count: u32,
    },
    Linear {
        matrix: u32,
        to: Slot,
        list: List,
    },
    Bitsliced {
        sbox: u32,
        width: u8,
        to: Slot,
        list: List,
    },
    Call {
        function: u32,
    },
    Zero {
        to: Slot,
    },
    /// Goes to the body of the iteration.
    Body {
        iteration: Slot,
        targets: u32,
    },
    /// Counts the iteration; goes to `head` unless that was the last.
    Next {
        iteration: Slot,
        count: u32,
        head: u32,
        end: u32,
    },
    /// Shows a value to the observer.
    Note {
        note: u32,
    },
    Return,
}

/// Sum of coefficient times slot, and a constant.
#[derive(Clone, Debug)]
pub(super) struct Sum {
    pub terms: Vec<(i64, Slot)>,
    pub constant: i64,
}

/// Where an instruction comes from, for errors and traces.
#[derive(Clone, Debug, Default)]
pub(super) struct Origin {
    pub places: Vec<Place>,
    /// The array that it reads, if it reads one.
    pub array: String,
    /// First slot and extents of that array.
    pub shape: (Slot, Vec<u32>),
    /// Slots of the iteration numbers around it, outermost first.
    pub iterations: Vec<Slot>,
}

/// What a note shows: a named value.
#[derive(Clone, Debug)]
pub(super) struct Note {
    pub name: String,
    pub slot: Slot,
    /// Elements of an array; `None` for a word.
    pub elements: Option<u32>,
    pub origin: u32,
}

/// A compiled function; its parameters and results stand at fixed positions, since no function can call itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Code {
    pub name: String,
    pub instructions: Vec<Instruction>,
    /// For each instruction the number of its origin.
    pub origin_of: Vec<u32>,
    pub origins: Vec<Origin>,
    pub lists: Vec<u32>,
    pub sums: Vec<Sum>,
    pub targets: Vec<Vec<u32>>,
    pub notes: Vec<Note>,
    pub params: Vec<Variable>,
    pub results: Vec<Variable>,
}

/// A parameter or result.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub name: String,
    pub slot: Slot,
    pub width: u8,
    /// Extents; empty for a word.
    pub dims: Vec<u32>,
}

impl Variable {
    pub(super) fn len(&self) -> usize {
        self.dims.iter().map(|&d| d as usize).product()
    }

    pub(super) fn range(&self) -> std::ops::Range<usize> {
        self.slot as usize..self.slot as usize + self.len()
    }
}
