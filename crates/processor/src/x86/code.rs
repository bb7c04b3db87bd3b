//! Instructions and labels in the order of the text.

use std::fmt;
use std::sync::Arc;

use super::graph::Places;
use super::instruction::Instruction;

/// A line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// An instruction.
    Instruction(Instruction),
    /// Where a branch goes to.
    Label(Arc<str>),
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Item::Instruction(one) => one.fmt(f),
            Item::Label(name) => write!(f, "{name}:"),
        }
    }
}

/// A line, and where in the author's text it comes from; nowhere: it was added.
#[derive(Clone, Debug)]
pub struct PlacedItem {
    /// The line.
    pub item: Item,
    /// Innermost first.
    pub places: Places,
}

/// The text of a function without its entry and return.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Code {
    /// Its lines.
    pub items: Vec<Item>,
}

impl Code {
    /// The instructions in the order of the text.
    pub fn instructions(&self) -> impl Iterator<Item = &Instruction> {
        self.items.iter().filter_map(|item| match item {
            Item::Instruction(one) => Some(one),
            Item::Label(_) => None,
        })
    }

    /// Labels with their places among the instructions.
    pub fn labels(&self) -> impl Iterator<Item = (&Arc<str>, usize)> {
        let mut place = 0;
        self.items.iter().filter_map(move |item| match item {
            Item::Label(name) => Some((name, place)),
            Item::Instruction(_) => {
                place += 1;
                None
            }
        })
    }
}
