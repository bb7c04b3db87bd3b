//! Bytes beside each other in memory are loaded and stored as words.

use std::collections::HashMap;
use std::sync::Arc;

use crate::code::{Instruction, Item, Line, Loop, Machine, Source, Value};
use crate::isa::{Isa, Opcode};
use crate::operand::{Operand, View};

/// How many instructions further the second byte of a word that is stored may be made.
const NEAR: usize = 48;

/// Items with loads and stores of words, if the processor has them.
#[must_use]
pub fn in_words(isa: &Isa, items: Vec<Item>) -> Vec<Item> {
    let Some(word) = isa.moves.word else { return items };
    let inner = |item| match item {
        Item::Loop(l) => Item::Loop(Arc::new(Loop { body: in_words(isa, l.body.clone()), ..Loop::clone(&l) })),
        instruction => instruction,
    };
    stores(loads(items.into_iter().map(inner).collect(), word))
}

/// Loads two bytes at an even address as a word, where the first was loaded.
fn loads(items: Vec<Item>, word: Opcode) -> Vec<Item> {
    in_pairs(items, false, |out, n, a, b| {
        let outs = a.outs.iter().chain(&b.outs).copied().collect();
        let lines = vec![of_word(&a.lines[0], word)];
        let made = Instruction {
            lines,
            outs,
            memory: a.memory.clone(),
            word: true,
            origin: a.origin.clone(),
            ..Instruction::default()
        };
        out[n] = Some(Item::Instruction(Arc::new(made)));
        true
    })
}

fn of_word(line: &Line, word: Opcode) -> Line {
    let Line::Machine(machine) = line else { return line.clone() };
    let mut operands = machine.operands.clone();
    for operand in &mut operands {
        match operand {
            Operand::Place(0, view) => *view = View::Word,
            Operand::Memory(address) => address.bits = 16,
            _ => {}
        }
    }
    Line::Machine(Machine::new(word, operands))
}

/// Stores two bytes at an even address together, where the second was stored, if they were made near each other.
fn stores(items: Vec<Item>) -> Vec<Item> {
    let mut made: HashMap<Value, usize> = HashMap::new();
    for (n, item) in items.iter().enumerate() {
        if let Item::Instruction(i) = item {
            made.extend(i.results().map(|d| (d, n)));
        }
    }
    in_pairs(items, true, |out, n, a, b| {
        let at = |i: &Instruction| i.ins[0].value().and_then(|v| made.get(&v)).copied().unwrap_or(n);
        if at(a).abs_diff(at(b)) > NEAR {
            return false;
        }
        out[n] = None;
        let ins: Vec<Source> = a.ins.iter().chain(&b.ins).copied().collect();
        let lines = vec![a.lines[0].clone(), second(&b.lines[0])];
        let made = Instruction {
            lines,
            ins,
            memory: a.memory.clone(),
            word: true,
            origin: a.origin.clone(),
            ..Instruction::default()
        };
        out.push(Some(Item::Instruction(Arc::new(made))));
        true
    })
}

/// A line whose first place is the second one.
fn second(line: &Line) -> Line {
    let Line::Machine(machine) = line else { return line.clone() };
    let one = |o: &Operand| match o {
        Operand::Place(0, view) => Operand::Place(1, *view),
        other => other.clone(),
    };
    Line::Machine(Machine::new(machine.opcode, machine.operands.iter().map(one).collect()))
}

type Place = (Arc<str>, Arc<str>, i64);

/// Items with pairs of loads, or of stores, of the two bytes of a word.
///
/// `joined` gets what is returned so far, where the first of a pair stands in it, the upper and the lower byte's instruction;
/// it puts one instruction there instead of the two and says whether it did. An access of the other kind to the same object
/// comes between no pair.
fn in_pairs(
    items: Vec<Item>,
    stores: bool,
    mut joined: impl FnMut(&mut Vec<Option<Item>>, usize, &Instruction, &Instruction) -> bool,
) -> Vec<Item> {
    let mut out: Vec<Option<Item>> = Vec::with_capacity(items.len());
    let mut open: HashMap<Place, (usize, Arc<Instruction>)> = HashMap::new();
    for item in items {
        let Item::Instruction(i) = &item else {
            open.clear();
            out.push(Some(item));
            continue;
        };
        if let Some(place) = place(i, stores) {
            let (register, object, constant) = place.clone();
            let first = if even(&object) { open.remove(&(register, object, constant ^ 1)) } else { None };
            match first {
                None => {
                    open.insert(place, (out.len(), Arc::clone(i)));
                }
                Some((n, first)) => {
                    let (a, b) = if constant & 1 == 1 { (&first, i) } else { (i, &first) };
                    if joined(&mut out, n, a, b) {
                        continue;
                    }
                    open.clear();
                }
            }
        } else if let Some(memory) = i.memory.as_ref().filter(|memory| memory.stores != stores || stores) {
            open.retain(|(_, object, _), _| *object != memory.object);
        }
        out.push(Some(item));
    }
    out.into_iter().flatten().collect()
}

/// Where an instruction loads or stores a byte, if that is known and even places stay even in a loop.
fn place(i: &Instruction, stores: bool) -> Option<Place> {
    let memory = i.memory.as_ref().filter(|memory| memory.stores == stores && !memory.odd)?;
    memory.place.clone().filter(|_| i.ins.len() == usize::from(stores))
}

/// Whether an object begins at an even address: objects do, parts of them (`x + 3`) may not.
fn even(object: &str) -> bool {
    object.split_once(" + ").map_or(true, |(_, at)| at.parse().is_ok_and(|at: i64| at % 2 == 0))
}
