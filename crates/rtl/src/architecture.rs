//! Architectures: from the steps of a cipher's functions to a device.

mod align;
mod controller;
mod copies;
pub mod core;
mod engine;
mod in_state;
pub mod iterative;
pub mod keys;
mod parts;
pub mod pipelined;
mod program_union;
mod running;
mod slots;
mod ways;

use program::ir::{OpKind, Program};
use program::walk::for_each_op;

use self::ways::Cut;
use crate::design::Cell;
use crate::sequence::{Cuts, Ends};

/// What a device is made for.
#[derive(Clone, Debug)]
pub struct DeviceRequest<'a> {
    /// Name of the design.
    pub name: String,
    /// Key sizes in bits with the program for each: one, or 128, 192 and 256 in this order.
    pub programs: Vec<(u32, &'a Program)>,
    /// Key sizes below the longest with the bytes that make their keys keys of the longest; all of them or none.
    pub pads: Vec<(u32, Vec<u8>)>,
    /// Serves encryption.
    pub encrypt: bool,
    /// Serves decryption.
    pub decrypt: bool,
}

/// How a device is made.
#[derive(Clone, Debug)]
pub struct Options {
    /// How encryption and decryption are cut.
    pub data: Cuts,
    /// How the key schedule is cut.
    pub key: Cuts,
    /// What excludes each other (steps, directions) shares its operators.
    pub share: bool,
    /// How round keys are made.
    pub keys: keys::Keys,
    /// Round keys come from registers of their own, filled a clock before: what makes or selects them is on no path of a round.
    pub ahead: bool,
    /// How round keys are kept that are computed once per key.
    pub storage: Cell,
    /// Iterative cores side by side behind one Interface.
    pub copies: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            data: Cuts::default(),
            key: Cuts::default(),
            share: true,
            keys: keys::Keys::Stored,
            ahead: false,
            storage: Cell::FlipFlop,
            copies: 1,
        }
    }
}

impl Options {
    /// Which clock is free where an end of the cipher only moves words. Stored keys are all there: both ends stay as written.
    pub fn ends(&self) -> Ends {
        match (self.keys, self.ahead) {
            (keys::Keys::Stored, _) => Ends::AsWritten,
            // The first round key is made while the block comes.
            (_, true) => Ends::LoadFirst,
            (_, false) => Ends::OneKey,
        }
    }
}

/// A way of running the device: a key size and a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mode {
    pub key_bits: u32,
    pub decrypt: bool,
}

impl DeviceRequest<'_> {
    /// All key sizes and directions, key sizes first.
    pub(crate) fn modes(&self) -> Vec<Mode> {
        let directions: Vec<bool> =
            [(self.encrypt, false), (self.decrypt, true)].into_iter().filter(|d| d.0).map(|d| d.1).collect();
        let sizes = self.programs.iter().map(|p| p.0);
        sizes.flat_map(|key_bits| directions.iter().map(move |&decrypt| Mode { key_bits, decrypt })).collect()
    }
}

/// A program that holds what the functions of another call, and its tables.
pub(crate) fn callees(source: &Program) -> Program {
    let mut called: Vec<&str> = Vec::new();
    for function in &source.functions {
        for_each_op(&function.body, &mut |op| {
            if let OpKind::Call(callee, _) = &op.kind {
                called.push(callee);
            }
        });
    }
    let functions = source.functions.iter().filter(|f| called.contains(&f.name.as_str())).cloned().collect();
    Program { functions, ..source.clone() }
}
