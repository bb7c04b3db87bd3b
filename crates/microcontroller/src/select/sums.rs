//! Look-ups of sums, as of state and round key: a sum that only a look-up reads is made in the register of addresses.

use std::collections::HashMap;
use std::sync::Arc;

use super::{SelectResult, Selector};
use crate::code::{Instruction, Item, Line, Loop, Machine, Source, Value};
use crate::isa::Opcode;
use crate::operand::{Operand, Register, View};

/// How the name of the object ends whose bytes are in registers before anything is counted.
const BLOCK: &str = "_block";

/// Items whose look-ups make their sums.
///
/// # Errors
/// `E131`: a template is no instruction.
pub fn sums_in_addresses(selector: &mut Selector<'_>, items: Vec<Item>) -> SelectResult<Vec<Item>> {
    let look_up = &selector.templates().look_up;
    let Some(name) = &look_up.sum else { return Ok(items) };
    let Some(register) = selector.isa.registers.names.iter().position(|n| n == name) else { return Ok(items) };
    let first = selector.line(look_up.page.lines[0].clone())?;
    let xor = selector.line(selector.templates().xor.lines[0].clone())?;
    let Line::Machine(Machine { opcode: xor, .. }) = xor else { return Ok(items) };
    let mut uses = HashMap::new();
    count(&items, &mut uses);
    let places = Addresses { register: register as Register, first, xor, uses };
    Ok(if look_up.loaded { places.with_loads(&items) } else { places.alone(&items) })
}

/// How often values are read.
fn count(items: &[Item], uses: &mut HashMap<Value, usize>) {
    for item in items {
        match item {
            Item::Instruction(i) => i.read().for_each(|v| *uses.entry(v).or_default() += 1),
            Item::Loop(l) => {
                let carried = l.carried.iter().flat_map(|(_, first, last)| [*first, *last]);
                carried.filter_map(Source::value).for_each(|v| *uses.entry(v).or_default() += 1);
                count(&l.body, uses);
            }
        }
    }
}

struct Addresses {
    register: Register,
    /// The first line of a look-up.
    first: Line,
    xor: Opcode,
    uses: HashMap<Value, usize>,
}

impl Addresses {
    fn once(&self, value: Value) -> bool {
        self.uses.get(&value) == Some(&1)
    }

    /// The value that alone is the address of a look-up.
    fn address(&self, i: &Instruction) -> Option<Value> {
        let looks_up = i.lines.first() == Some(&self.first) && i.memory.is_none() && !i.outs.is_empty();
        match i.ins[..] {
            [address] if looks_up => address.value(),
            _ => None,
        }
    }

    /// Sums of which one operand is loaded for them alone: it is loaded into the register as well.
    fn with_loads(&self, items: &[Item]) -> Vec<Item> {
        let mut out: Vec<Option<Item>> = Vec::with_capacity(items.len());
        let (mut loads, mut sums) = (HashMap::new(), HashMap::new());
        for item in items {
            let i = match item {
                Item::Loop(l) => {
                    (loads, sums) = (HashMap::new(), HashMap::new());
                    out.push(Some(Item::Loop(Arc::new(Loop { body: self.with_loads(&l.body), ..Loop::clone(l) }))));
                    continue;
                }
                Item::Instruction(i) => i,
            };
            if let Some((load, sum)) = self.found(i, &loads, &sums) {
                (out[load.1], out[sum.1]) = (None, None);
                out.push(Some(Item::Instruction(Arc::new(self.loaded_and_added(i, &load.0, &sum.0)))));
                continue;
            }
            let here = (Arc::clone(i), out.len());
            match (&i.memory, &i.outs[..]) {
                (Some(memory), [d]) if !memory.stores && self.once(*d) && !memory.object.ends_with(BLOCK) => {
                    loads.insert(*d, here);
                }
                (Some(memory), _) if memory.stores => {
                    loads.retain(|_, (load, _): &mut Definition| !load.accesses(false, &memory.object));
                }
                _ if i.commutative && i.lines.len() == 1 && self.once(i.tied[0].0) => {
                    sums.insert(i.tied[0].0, here);
                }
                _ => {}
            }
            out.push(Some(item.clone()));
        }
        out.into_iter().flatten().collect()
    }

    /// The load and the sum that a look-up alone needs.
    fn found(&self, i: &Instruction, loads: &Definitions, sums: &Definitions) -> Option<(Definition, Definition)> {
        let sum = sums.get(&self.address(i)?)?;
        let operands: Vec<Value> = sum.0.read().collect();
        let load = operands.iter().rev().find_map(|v| loads.get(v))?;
        Some((load.clone(), sum.clone()))
    }

    fn loaded_and_added(&self, i: &Instruction, load: &Instruction, sum: &Instruction) -> Instruction {
        let other = sum.sources().find(|s| *s != Source::Value(load.outs[0]));
        let count = load.ins.len() as u8;
        // The result has the number of what was loaded; what is added comes behind the address.
        let mut lines: Vec<Line> = load.lines.iter().map(|line| self.replaced(line, 0)).collect();
        lines.push(self.replaced(&sum.lines[0], count));
        lines.extend(i.lines[1..].iter().cloned());
        let ins = load.ins.iter().copied().chain(other).collect();
        Instruction { lines, ins, memory: load.memory.clone(), ..i.clone() }
    }

    /// Sums that nothing is loaded for.
    fn alone(&self, items: &[Item]) -> Vec<Item> {
        let instructions = || {
            items.iter().filter_map(|item| match item {
                Item::Instruction(i) => Some(i),
                Item::Loop(_) => None,
            })
        };
        let sums: HashMap<Value, &Arc<Instruction>> =
            instructions().filter(|i| self.is_sum(i)).map(|i| (i.tied[0].0, i)).collect();
        let wanted = |i: &Instruction| self.address(i).filter(|x| self.once(*x)).filter(|x| sums.contains_key(x));
        let gone: Vec<Value> = instructions().filter_map(|i| wanted(i)).collect();
        let one = |item: &Item| match item {
            Item::Loop(l) => Some(Item::Loop(Arc::new(Loop { body: self.alone(&l.body), ..Loop::clone(l) }))),
            Item::Instruction(i) if self.is_sum(i) && gone.contains(&i.tied[0].0) => None,
            Item::Instruction(i) => match wanted(i) {
                Some(x) => Some(Item::Instruction(Arc::new(self.added(i, sums[&x])))),
                None => Some(item.clone()),
            },
        };
        items.iter().filter_map(one).collect()
    }

    fn is_sum(&self, i: &Instruction) -> bool {
        let xor = |line: &Line| matches!(line, Line::Machine(machine) if machine.opcode == self.xor);
        i.lines.len() == 1 && i.tied.len() == 1 && xor(&i.lines[0])
    }

    fn added(&self, i: &Instruction, sum: &Instruction) -> Instruction {
        let line = self.replaced(&sum.lines[0], 1);
        let lines = [&i.lines[..1], &[line], &i.lines[1..]].concat();
        Instruction {
            lines,
            outs: i.outs.clone(),
            ins: sum.sources().collect(),
            origin: i.origin.clone(),
            ..Instruction::default()
        }
    }

    /// A line that makes its first place in the register, and has the place of its other source so much further.
    fn replaced(&self, line: &Line, shift: u8) -> Line {
        let Line::Machine(machine) = line else { return line.clone() };
        let one = |operand: &Operand| match operand {
            Operand::Place(0, View::Byte) => Operand::Register(self.register),
            Operand::Place(n, view) => Operand::Place(n + shift, *view),
            other => other.clone(),
        };
        Line::Machine(Machine::new(machine.opcode, machine.operands.iter().map(one).collect()))
    }
}

/// An instruction and where it stands.
type Definition = (Arc<Instruction>, usize);
type Definitions = HashMap<Value, Definition>;
