//! Operands of machine instructions.

use std::sync::Arc;

/// A register that holds a byte, by its number. Bytes of memory that instructions take like registers have numbers, too.
pub type Register = u16;

/// Which half of a pair of registers an operand means, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum View {
    /// The register itself.
    Byte,
    /// The word that it is half of.
    Word,
}

/// An operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// Before registers are given: the place of a value among those of its group, results first.
    Place(u8, View),
    /// A register of a byte.
    Register(Register),
    /// A register of a word, by the number of its even half.
    Word(Register),
    /// A number.
    Number(Expression),
    /// Memory at an address that is known.
    Memory(Address),
    /// Memory at an address in a register.
    Pointer(Pointer),
    /// Where a branch goes.
    Label(Label),
    /// A word of the assembly language that is no register of a value: `c`, `dptr`; an index into the words of the
    /// instruction set.
    Named(u16),
}

/// A number that the assembler or the linker computes: a symbol, a distance, and which part of their sum it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Expression {
    /// An index into the parts of the instruction set (`lo8({})`).
    pub part: u8,
    /// An object or a label.
    pub symbol: Option<Arc<str>>,
    /// What is added to it, or the number itself.
    pub distance: Option<i64>,
}

/// An address of memory, and the bits that it takes in the instruction where the text says so (0: it does not).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    /// The address.
    pub at: Expression,
    /// 8, 16 or 0.
    pub bits: u8,
}

/// An address in a register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointer {
    /// The register, or the lower one of a pair.
    pub base: Register,
    /// What an access does to the pointer.
    pub step: Step,
    /// What is added to the pointer.
    pub displacement: Option<Address>,
}

/// What an access does to its pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing.
    None,
    /// It moves on after the access.
    Increment,
    /// It moves back before the access.
    Decrement,
}

/// A place in the code.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Label {
    /// Near: `1`. The next or the last one of this number is meant.
    Local {
        /// One digit.
        digit: u8,
        /// The next one, not the last one.
        forward: bool,
    },
    /// The head of the loop of a number.
    Head(u32),
    /// Behind the next instruction, which has one word.
    Skip,
    /// Of a name.
    Named(Arc<str>),
}

impl Expression {
    /// A plain number.
    #[must_use]
    pub fn number(n: i64) -> Self {
        Expression { part: 0, symbol: None, distance: Some(n) }
    }

    /// An address within an object.
    #[must_use]
    pub fn at(symbol: &Arc<str>, distance: i64) -> Self {
        Expression { part: 0, symbol: Some(Arc::clone(symbol)), distance: Some(distance) }
    }

    /// Whether it is in an object or in a part of it (`x + 16` of `x`).
    #[must_use]
    pub fn names(&self, object: &str) -> bool {
        self.symbol.as_deref().is_some_and(|symbol| {
            symbol.strip_prefix(object).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '+']))
        })
    }
}

impl Operand {
    /// A plain number.
    #[must_use]
    pub fn number(n: i64) -> Self {
        Operand::Number(Expression::number(n))
    }

    /// The expression in it.
    #[must_use]
    pub fn expression(&self) -> Option<&Expression> {
        match self {
            Operand::Number(e) => Some(e),
            Operand::Memory(a) => Some(&a.at),
            Operand::Pointer(p) => p.displacement.as_ref().map(|a| &a.at),
            _ => None,
        }
    }

    /// The expression in it, to be changed.
    pub fn expression_mut(&mut self) -> Option<&mut Expression> {
        match self {
            Operand::Number(e) => Some(e),
            Operand::Memory(a) => Some(&mut a.at),
            Operand::Pointer(p) => p.displacement.as_mut().map(|a| &mut a.at),
            _ => None,
        }
    }
}
