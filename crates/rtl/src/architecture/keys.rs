//! Where round keys come from: stored once per key, or made on the fly.

pub(super) mod binding;
pub(super) mod families;
pub(super) mod graph;
pub(super) mod in_core;
mod inverse;
pub(super) mod kept_files;
pub(super) mod machine;
pub(super) mod network;
pub(super) mod places;
pub(super) mod plan;
pub(super) mod schedule;
pub(super) mod steering;
pub(super) mod stored;

use program::diagnostic::Diagnostic;

use crate::design::Cell;

pub(super) use stored::{Element, Slot, Stand, StoredKeys};

/// How the round keys are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keys {
    /// All round keys are computed once per key and kept.
    #[default]
    Stored,
    /// Elements that are made from earlier elements: only those that still matter are kept, new ones are made in step with the
    /// cipher; decryption runs the recurrence backwards.
    Window,
    /// Elements that are made from the key alone: each is computed in the round that needs it.
    Independent,
    /// `window` or `independent` where the key schedule is of that kind, else `stored`.
    Auto,
}

impl Keys {
    /// The way of that name.
    ///
    /// # Errors
    /// H308 for an unknown name.
    pub fn of(name: &str) -> Result<Self, Diagnostic> {
        match name {
            "stored" => Ok(Keys::Stored),
            "window" => Ok(Keys::Window),
            "independent" => Ok(Keys::Independent),
            "auto" => Ok(Keys::Auto),
            other => Err(Diagnostic::new("H308", format!("there is no way `{other}` of making round keys"))
                .help("known: stored, window, independent, auto")),
        }
    }
}

/// How words are kept that are computed once per key: the cell of that name.
///
/// # Errors
/// H312 for an unknown name.
pub fn storage(name: &str) -> Result<Cell, Diagnostic> {
    match name {
        "registers" => Ok(Cell::FlipFlop),
        "latches" => Ok(Cell::Latch),
        other => {
            Err(Diagnostic::new("H312", format!("round keys are not kept in `{other}`"))
                .help("known: registers, latches"))
        }
    }
}
