//! A module without a language: what both writers print.

use std::collections::BTreeMap;

use super::expression::Expr;

/// A module or entity.
#[derive(Clone, Debug, Default)]
pub(super) struct Module {
    pub name: String,
    /// Comment at the head of its file.
    pub head: Vec<String>,
    pub ports: Vec<ModulePort>,
    /// Registers that the clock writes.
    pub registers: Vec<Register>,
    pub stores: Vec<Memory>,
    pub items: Vec<Item>,
    /// The ports are pins of the device: plain vectors in VHDL.
    pub pins: bool,
}

/// A port; a width of 1 is a scalar.
#[derive(Clone, Debug)]
pub(super) struct ModulePort {
    pub name: String,
    pub input: bool,
    pub width: u32,
    pub doc: String,
}

/// What stands in a module, in order.
#[derive(Clone, Debug)]
pub(super) enum Item {
    /// A new group of items, with what is said about it; may be empty.
    Comment(String),
    /// A wire that several items drive or read before it is driven.
    Signal {
        name: String,
        width: u32,
    },
    /// A value for a new wire, or for a port or wire that is declared.
    Assign {
        target: Expr,
        declare: bool,
        value: Expr,
    },
    Instance(Instance),
}

/// An instance of another module.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    pub module: String,
    pub label: String,
    pub inputs: Vec<(String, Expr)>,
    /// Port, the wire or port that it drives, its width, and whether the wire is new.
    pub outputs: Vec<(String, String, u32, bool)>,
}

/// A register with its value after the clock.
#[derive(Clone, Debug)]
pub(super) struct Register {
    pub name: String,
    pub width: u32,
    pub reset: Option<u64>,
    pub enable: Option<Expr>,
    pub next: Expr,
    /// Whether it takes its value on the falling edge of the clock.
    pub falling: bool,
}

/// A store with its write ports.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    pub name: String,
    pub width: u32,
    pub length: u32,
    /// Bits of an address.
    pub address_bits: u32,
    /// Name of its type in VHDL.
    pub type_name: String,
    pub writes: Vec<Write>,
    /// Where its words are latches: the names that they need.
    pub latch: Option<Latch>,
}

/// One write port of a store.
#[derive(Clone, Debug)]
pub(super) struct Write {
    pub enable: Expr,
    pub address: Expr,
    pub data: Expr,
}

/// Names of a store of latches. A write is held in registers for one clock and opens its latches in the first half of that clock.
///
/// Data registers take their value on the rising edge that opens the latches and keep it for half a clock after these close. What
/// opens a word comes from registers of the falling edge: it is there half a clock before and changes after the clock is low again.
/// So neither the latches nor the gate in front of them can see the next write, whatever the gate's delay is up to half a clock.
#[derive(Clone, Debug)]
pub(super) struct Latch {
    /// The module of one word.
    pub module: String,
    /// Which words open.
    pub open: String,
    /// Number of a word.
    pub number: String,
    /// The latches of a word, and what they take.
    pub cell: String,
    pub taken: String,
    /// Label of the group of words.
    pub label: String,
}

impl Module {
    /// Which bits of each name are used, as a mask of bits.
    pub fn used_bits(&self) -> BTreeMap<String, Vec<bool>> {
        let mut used: BTreeMap<String, Vec<bool>> = BTreeMap::new();
        let mut mark = |name: &str, low: u32, width: u32| {
            let bits = used.entry(name.to_owned()).or_default();
            bits.resize(bits.len().max((low + width) as usize), false);
            bits[low as usize..(low + width) as usize].fill(true);
        };
        self.for_each_expression(&mut |e| e.for_each_name(&mut mark));
        if !self.registers.is_empty() || !self.stores.is_empty() {
            mark("clock", 0, 1);
        }
        if self.registers.iter().any(|r| r.reset.is_some()) {
            mark("reset", 0, 1);
        }
        used
    }

    /// Visits every expression that is read.
    pub fn for_each_expression(&self, f: &mut dyn FnMut(&Expr)) {
        for register in &self.registers {
            register.enable.iter().for_each(&mut *f);
            f(&register.next);
        }
        for write in self.stores.iter().flat_map(|s| &s.writes) {
            [&write.enable, &write.address, &write.data].into_iter().for_each(&mut *f);
        }
        for item in &self.items {
            match item {
                Item::Assign { value, .. } => f(value),
                Item::Instance(instance) => instance.inputs.iter().for_each(|(_, e)| f(e)),
                Item::Comment(_) | Item::Signal { .. } => {}
            }
        }
    }

    /// Wires that its items declare, with their widths, in order.
    pub fn wires(&self) -> Vec<(&str, u32)> {
        let mut wires = Vec::new();
        for item in &self.items {
            match item {
                Item::Signal { name, width } => wires.push((name.as_str(), *width)),
                Item::Assign { target: Expr::Name { name, width }, declare: true, .. } => wires.push((name, *width)),
                Item::Instance(instance) => {
                    let new = instance.outputs.iter().filter(|o| o.3);
                    wires.extend(new.map(|(_, wire, width, _)| (wire.as_str(), *width)));
                }
                Item::Assign { .. } | Item::Comment(_) => {}
            }
        }
        wires
    }
}

/// Registers in their order, neighbours of one enable together.
pub(super) fn groups(registers: &[Register]) -> Vec<(Option<&Expr>, &[Register])> {
    let mut groups = Vec::new();
    let mut rest = registers;
    while let Some(first) = rest.first() {
        let count = rest.iter().take_while(|r| r.enable == first.enable).count();
        let (group, others) = rest.split_at(count);
        groups.push((first.enable.as_ref(), group));
        rest = others;
    }
    groups
}
