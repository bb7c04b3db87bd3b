//! Names of registers in a text and their slots.

use std::collections::BTreeMap;

use crate::isa::{Control, Isa, OperandKind};
use crate::simulate::slots::{Pool, Slot, ONE, SINK, ZERO};

/// A family of names: a prefix and numbers up to the greatest that the instruction set names.
#[derive(Clone, Debug)]
struct Family {
    class: usize,
    prefix: String,
    last: u32,
}

/// The registers of a text.
#[derive(Clone, Debug)]
pub struct Names {
    families: Vec<Family>,
    /// Of each class its names without a family: `%sar`.
    single: Vec<Vec<String>>,
    zero: Vec<Option<String>>,
    slots: BTreeMap<(usize, String), Slot>,
    /// Of each slot its register, for messages.
    pub of_slot: BTreeMap<Slot, String>,
    /// Of each class its bits.
    pub bits: Vec<u8>,
    /// Of each class the slots of the registers that rotate, in their order.
    pub rotating: Vec<Vec<Slot>>,
}

impl Names {
    /// The registers of an instruction set; those that rotate have consecutive slots.
    pub fn new(isa: &Isa, pool: &mut Pool) -> Names {
        let mut names = Names {
            families: Vec::new(),
            single: vec![Vec::new(); isa.registers.len()],
            zero: isa.registers.iter().map(|c| c.zero.clone()).collect(),
            slots: BTreeMap::new(),
            of_slot: BTreeMap::new(),
            bits: isa.registers.iter().map(|c| c.bits).collect(),
            rotating: Vec::new(),
        };
        for (class, registers) in isa.registers.iter().enumerate() {
            for name in registers.usable.iter().chain(&registers.rotating).chain(&registers.zero) {
                names.add_name(class, name);
            }
            let rotating = registers.rotating.iter().map(|name| names.allocate(class, name, pool)).collect();
            names.rotating.push(rotating);
        }
        if let (Some(class), Some(name)) = (return_class(isa), &isa.return_address) {
            names.add_name(class, name);
        }
        names
    }

    fn add_name(&mut self, class: usize, name: &str) {
        let Some((prefix, number)) = split_number(name) else {
            self.single[class].push(name.to_owned());
            return;
        };
        match self.families.iter_mut().find(|f| f.class == class && f.prefix == prefix) {
            Some(family) => family.last = family.last.max(number),
            None => self.families.push(Family { class, prefix: prefix.to_owned(), last: number }),
        }
    }

    fn allocate(&mut self, class: usize, name: &str, pool: &mut Pool) -> Slot {
        if let Some(&slot) = self.slots.get(&(class, name.to_owned())) {
            return slot;
        }
        let slot = pool.fresh();
        self.slots.insert((class, name.to_owned()), slot);
        self.of_slot.insert(slot, name.to_owned());
        slot
    }

    /// Whether the class has a register of this name.
    #[must_use]
    pub fn knows(&self, class: usize, name: &str) -> bool {
        if self.single[class].iter().any(|n| n == name) || self.always_one(class, name) {
            return true;
        }
        split_number(name).is_some_and(|(prefix, number)| {
            self.families.iter().any(|f| f.class == class && f.prefix == prefix && number <= f.last)
        })
    }

    /// The classes that have a register of this name.
    #[must_use]
    pub fn class_of(&self, name: &str) -> Option<usize> {
        (0..self.bits.len()).find(|&class| self.knows(class, name))
    }

    /// The slot to read a register from.
    pub fn read(&mut self, class: usize, name: &str, pool: &mut Pool) -> Option<Slot> {
        if self.zero[class].as_deref() == Some(name) {
            return Some(ZERO);
        }
        if self.always_one(class, name) {
            return Some(ONE);
        }
        self.knows(class, name).then(|| self.allocate(class, name, pool))
    }

    /// The slot to write a register to.
    pub fn write(&mut self, class: usize, name: &str, pool: &mut Pool) -> Option<Slot> {
        self.read(class, name, pool).map(|slot| if slot == ZERO || slot == ONE { SINK } else { slot })
    }

    /// Predicate 0 is always 1.
    fn always_one(&self, class: usize, name: &str) -> bool {
        self.bits[class] == 1 && self.zero[class].is_none() && name == "p0"
    }

    /// The register of a slot.
    #[must_use]
    pub fn name(&self, slot: Slot) -> &str {
        self.of_slot.get(&slot).map_or("", String::as_str)
    }
}

/// The class of the register that holds where a kernel returns to, which no value may take.
fn return_class(isa: &Isa) -> Option<usize> {
    let returns = isa.instructions.iter().find(|i| i.control == Control::Return)?;
    returns.uses.iter().find_map(|o| match o.kind {
        OperandKind::Register(class) => Some(class),
        OperandKind::Immediate(..) => None,
    })
}

fn split_number(name: &str) -> Option<(&str, u32)> {
    let digits = name.len() - name.bytes().rev().take_while(u8::is_ascii_digit).count();
    if digits == 0 || (name[digits..].len() > 1 && name[digits..].starts_with('0')) {
        return None;
    }
    Some((&name[..digits], name[digits..].parse().ok()?))
}
