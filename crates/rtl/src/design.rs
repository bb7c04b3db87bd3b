//! A hardware design: machines of registers with one combinational function each, and the wires between them.
//!
//! All logic stands in the functions of one program, so that its verifier, evaluator and passes serve hardware too: a
//! combinational module is a function of words, an instance is a call. A [`Machine`] is a module with a clock: in every clock
//! its function maps inputs and registers to outputs and next values.

pub mod simulate;
pub mod verify;

use program::ir::Program;

/// A device: its machines, how they are wired, and what is known about its timing.
#[derive(Clone, Debug, Default)]
pub struct Design {
    /// Name of the top-level module: `CIPHER_pipelined_3in1`.
    pub name: String,
    /// What it is, for the head of its files.
    pub doc: Vec<String>,
    /// All combinational functions: a function calls only functions before it. The clock functions of the machines are among them.
    pub program: Program,
    /// The blocks: Interface, Controller, Key Schedule, Algorithm and what else there is.
    pub machines: Vec<Machine>,
    /// The pins, without `clock` and `reset`, which every design has.
    pub ports: Vec<Port>,
    /// Every input of a machine and every output pin is the target of exactly one wire.
    pub wires: Vec<Wire>,
    /// Clock counts, as planned; a simulation confirms them.
    pub timing: Timing,
}

/// Which way a port goes, seen from its module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Into the module.
    Input,
    /// Out of it.
    Output,
}

/// A bus of one or more words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Name in the RTL.
    pub name: String,
    /// Into or out of the module.
    pub direction: Direction,
    /// Widths of its words; the first stands in the most significant bits, as a byte string is read.
    pub words: Vec<u8>,
    /// What it carries, one line.
    pub doc: String,
}

impl Port {
    /// Width of the whole bus in bits.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.words.iter().map(|&w| u32::from(w)).sum()
    }
}

/// A module with registers.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    /// Name of the instance: `key_schedule`; the module is named after the design and it.
    pub name: String,
    /// What it does, for the head of its file; cites the source.
    pub doc: Vec<String>,
    /// Its function in the program. Parameters: the words of every input port, in order; every register; every store (an array).
    /// Results: the words of every output port; per register its next value, and before it a `u1` that enables it where
    /// [`Register::enabled`]; per store and write port a `u1`, the address (a word of 16 bits) and the data.
    pub function: String,
    /// Inputs and outputs.
    pub ports: Vec<Port>,
    /// Words that change with the clock.
    pub registers: Vec<Register>,
    /// Files of words, written by address.
    pub stores: Vec<Store>,
}

impl Machine {
    /// Its name without the number of a copy: `algorithm` of `algorithm_1`.
    #[must_use]
    pub fn kind(&self) -> &str {
        match self.name.rsplit_once('_') {
            Some((kind, number)) if number.bytes().all(|digit| digit.is_ascii_digit()) => kind,
            _ => &self.name,
        }
    }
}

/// A word kept from clock to clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// Name in the RTL.
    pub name: String,
    /// Width in bits, 1 to 64.
    pub width: u8,
    /// Value after `reset`; none for data, whose flip-flops need no reset.
    pub reset: Option<u64>,
    /// Whether it keeps its value in clocks in which its enable is 0.
    pub enabled: bool,
}

/// How the words of a store are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// Edge-triggered flip-flops.
    FlipFlop,
    /// Latches, open in the first half of the clock after a write; half the transistors.
    Latch,
}

/// A file of words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    /// Name in the RTL.
    pub name: String,
    /// Width of a word in bits.
    pub width: u8,
    /// Number of words.
    pub length: u32,
    /// Number of write ports; what the later port writes wins.
    pub writes: u32,
    /// Flip-flops or latches.
    pub cell: Cell,
}

/// An end of a wire.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct End {
    /// A machine, or none for the pins of the device.
    pub machine: Option<usize>,
    /// Name of the port.
    pub port: String,
}

/// A connection of two ports whose words have the same widths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wire {
    /// An input pin, or an output of a machine.
    pub from: End,
    /// An output pin, or an input of a machine.
    pub to: End,
}

/// Clock counts of a key size and direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// Key size in bits.
    pub key_bits: u32,
    /// Decryption (or encryption).
    pub decrypt: bool,
    /// From the clock that takes a new key to the first one that may take a block.
    pub key_setup: u32,
    /// From the clock that takes a block to the one in which `valid` is 1.
    pub latency: u32,
    /// Between two blocks that follow each other at once in the same core.
    pub per_block: u32,
}

/// What is planned about time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timing {
    /// `iterative`, `pipelined`, …
    pub architecture: String,
    /// Cores side by side, so many blocks come in [`Clocks::per_block`] clocks.
    pub copies: u32,
    /// One entry per key size and direction that the device serves.
    pub clocks: Vec<Clocks>,
}

impl Default for Timing {
    fn default() -> Self {
        Timing { architecture: String::new(), copies: 1, clocks: Vec::new() }
    }
}
