//! Architectures: from the steps of a cipher's functions to a device.

mod controller;
mod engine;
pub mod iterative;
pub mod keys;
mod parts;
pub mod pipelined;
mod program_union;

use program::diagnostic::Diagnostic;
use program::ir::{OpKind, Program};
use program::walk::for_each_op;

use self::keys::plan::{plan, OnTheFly, Way};
use crate::design::{Clocks, Timing};
use crate::sequence::{sequence, Cuts, Sequence};

/// What a device is made for.
#[derive(Clone, Debug)]
pub struct Wanted<'a> {
    /// Name of the design.
    pub name: String,
    /// Key sizes in bits with the program for each, calls inlined.
    pub programs: Vec<(u32, &'a Program)>,
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
}

impl Default for Options {
    fn default() -> Self {
        Options { data: Cuts::default(), key: Cuts::default(), share: true, keys: keys::Keys::Stored }
    }
}

/// A way of running the device: a key size and a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mode {
    pub key_bits: u32,
    pub decrypt: bool,
}

impl Wanted<'_> {
    /// All key sizes and directions, key sizes first.
    pub(crate) fn modes(&self) -> Vec<Mode> {
        let directions: Vec<bool> =
            [(self.encrypt, false), (self.decrypt, true)].into_iter().filter(|d| d.0).map(|d| d.1).collect();
        let sizes = self.programs.iter().map(|p| p.0);
        sizes.flat_map(|key_bits| directions.iter().map(move |&decrypt| Mode { key_bits, decrypt })).collect()
    }
}

/// The functions of a cipher in steps, for one key size.
struct Cut<'a> {
    source: &'a Program,
    modes: Vec<Mode>,
    /// Encryption or decryption, one sequence per mode.
    data: Vec<Sequence>,
    keys: Sequence,
}

impl Wanted<'_> {
    /// Cuts the functions; `device` names what is built in the error.
    ///
    /// # Errors
    /// H101 to H104 for a function that cannot be cut, H301 for more than one key size.
    fn cut(&self, device: &str, options: &Options) -> Result<Cut<'_>, Diagnostic> {
        let [(_, source)] = self.programs[..] else {
            return Err(Diagnostic::new("H301", format!("{device} is built for one key size at a time")));
        };
        let modes = self.modes();
        let name = |mode: &Mode| if mode.decrypt { "decrypt" } else { "encrypt" };
        let data = modes.iter().map(|mode| sequence(source, name(mode), &options.data)).collect::<Result<_, _>>()?;
        Ok(Cut { source, modes, data, keys: sequence(source, "key_schedule", &options.key)? })
    }
}

impl Cut<'_> {
    fn key_bytes(&self) -> u32 {
        self.modes[0].key_bits / 8
    }

    /// Whether a block brings its direction along.
    fn directions(&self) -> bool {
        self.modes.len() > 1
    }

    /// Round keys on the fly; what they call comes into the program.
    ///
    /// # Errors
    /// H309 and H310 where the key schedule is not of that kind.
    fn planned_keys(&self, program: &mut Program, way: Way) -> Result<OnTheFly, Diagnostic> {
        let data: Vec<&Sequence> = self.data.iter().collect();
        let backwards: Vec<bool> = self.modes.iter().map(|m| m.decrypt).collect();
        plan(program, &self.keys, &data, &backwards, way)
    }

    /// Planned clock counts: of key set-up, latency and from block to block, per mode.
    fn timing(&self, architecture: &str, counts: impl Fn(usize) -> (u32, u32, u32)) -> Timing {
        let clocks = self.modes.iter().enumerate().map(|(n, mode)| {
            let (key_setup, latency, per_block) = counts(n);
            Clocks { key_bits: mode.key_bits, decrypt: mode.decrypt, key_setup, latency, per_block }
        });
        Timing { architecture: architecture.to_owned(), clocks: clocks.collect() }
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
