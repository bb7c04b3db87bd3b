//! Pointers that move along: accesses at known distances from an object are dealt to a few pointers, each of which goes from
//! one access to its next by post-increment.

use std::collections::{BTreeSet, HashMap};

use super::emit::{ChainedAddress, Emitter};
use crate::code::{CarriedValue, Op, Use, ValueId};
use crate::isa::{Instruction, InstructionId, Isa, OperandKind};
use crate::semantics::{Expression, Operator, Statement};

/// Stores of a block, and not many more.
const SHORT: usize = 8;

/// The instructions that move pointers.
#[derive(Debug, Default)]
pub struct Movers {
    /// Plain access and its form that adds a number to the address: the two instructions, and the numbers it can add.
    pairs: Vec<(InstructionId, InstructionId, i64, i64)>,
    /// `d = a + n`: the instruction, which operand is the register, and the numbers.
    add: Option<(InstructionId, usize, i64, i64)>,
}

impl Movers {
    /// Finds them in an instruction set.
    #[must_use]
    pub fn new(isa: &Isa) -> Self {
        let mut movers = Movers { pairs: Vec::new(), add: adder(isa) };
        for (plain, instruction) in isa.instructions.iter().enumerate() {
            let [statement] = instruction.semantics.as_slice() else { continue };
            for (moving, other) in isa.instructions.iter().enumerate() {
                if let Some((low, high)) = moves(instruction, statement, other) {
                    movers.pairs.push((plain as InstructionId, moving as InstructionId, low, high));
                }
            }
        }
        movers
    }

    /// Whether the instruction set has loads that move their pointers.
    #[must_use]
    pub fn any(&self) -> bool {
        !self.pairs.is_empty() && self.add.is_some()
    }

    fn moving(&self, plain: InstructionId, by: i64) -> Option<InstructionId> {
        let fits = |p: &&(InstructionId, InstructionId, i64, i64)| p.0 == plain && p.2 <= by && by <= p.3;
        self.pairs.iter().find(fits).map(|p| p.1)
    }
}

/// The range of the numbers that `other` adds to the address, if it is the same access with such an addition.
fn moves(plain: &Instruction, statement: &Statement, other: &Instruction) -> Option<(i64, i64)> {
    let [access, step] = other.semantics.as_slice() else { return None };
    if !matches!(statement, Statement::Store(..)) && !format!("{statement:?}").contains("Load") {
        return None;
    }
    let Statement::Assign(pointer, Expression::Binary(Operator::Add, a, n)) = step else { return None };
    let (Expression::Name(a), Expression::Name(n)) = (a.as_ref(), n.as_ref()) else { return None };
    let same = access == statement && pointer == a && plain.uses.iter().any(|u| &u.name == a);
    let number = other.uses.iter().find(|u| &u.name == n)?;
    match number.kind {
        OperandKind::Immediate(low, high) if same => Some((low, high)),
        _ => None,
    }
}

fn adder(isa: &Isa) -> Option<(InstructionId, usize, i64, i64)> {
    let mut best: Option<(InstructionId, usize, i64, i64)> = None;
    for (id, instruction) in isa.instructions.iter().enumerate() {
        let [Statement::Assign(_, Expression::Binary(Operator::Add, x, y))] = instruction.semantics.as_slice() else {
            continue;
        };
        let at = |e: &Expression| match e {
            Expression::Name(name) => instruction.uses.iter().position(|u| &u.name == name),
            _ => None,
        };
        let (Some(x), Some(y)) = (at(x), at(y)) else { continue };
        for (register, number) in [(x, y), (y, x)] {
            let OperandKind::Register(_) = instruction.uses[register].kind else { continue };
            let OperandKind::Immediate(low, high) = instruction.uses[number].kind else { continue };
            if best.map_or(true, |b| high - low < b.3 - b.2) && low <= -8192 {
                best = Some((id as InstructionId, register, low, high));
            }
        }
    }
    best
}

/// Makes the pointers of all chained accesses; of a loop, gives those that it carries.
pub fn link(emitter: &mut Emitter<'_>, movers: &Movers, pointers: usize) -> Vec<CarriedValue> {
    let mut chained = std::mem::take(&mut emitter.chained);
    if emitter.changing.is_none() {
        ordered(emitter, &mut chained);
    }
    // A chain holds accesses of one kind to one object, so that reading does not wait for writing.
    let kind = |emitter: &Emitter<'_>, c: &ChainedAddress| {
        let access = emitter.ops[c.op].access;
        (c.base, c.step, access.map(|a| (a.object, a.store)))
    };
    let mut kinds: Vec<_> = chained.iter().map(|c| kind(emitter, c)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let mut chains: Vec<Vec<ChainedAddress>> = Vec::new();
    for wanted in kinds {
        let list: Vec<ChainedAddress> = chained.iter().filter(|c| kind(emitter, c) == wanted).copied().collect();
        let pointers = pointers.min(list.len().div_ceil(2)).max(1);
        chains.extend((0..pointers).map(|k| list.iter().skip(k).step_by(pointers).copied().collect()));
    }
    let mut inserted: Vec<(usize, Op)> = Vec::new();
    let mut carried = Vec::new();
    for chain in &chains {
        let others = chains.iter().filter(|c| c[0].base == chain[0].base).count() > 1;
        carried.extend(one_chain(emitter, movers, chain, others, &mut inserted));
    }
    insert(&mut emitter.ops, inserted);
    carried
}

/// Stores of a row, in the order in which they may issue: what is stored at about the same time goes by different pointers,
/// and no pointer waits for a later store first. Rows that are long or read again keep their order.
fn ordered(emitter: &mut Emitter<'_>, chained: &mut [ChainedAddress]) {
    let depths = depths(&emitter.ops);
    let mut keys: Vec<(usize, usize)> = (0..depths.len()).map(|op| (op, 0)).collect();
    let access = |c: &ChainedAddress| emitter.ops[c.op].access.filter(|a| a.store);
    let objects: BTreeSet<usize> = chained.iter().filter_map(|c| access(c).map(|a| a.object)).collect();
    for object in objects {
        let mut stores: Vec<&ChainedAddress> =
            chained.iter().filter(|c| access(c).is_some_and(|a| a.object == object)).collect();
        let touching = emitter.ops.iter().filter(|op| op.access.is_some_and(|a| a.object == object)).count();
        let places: BTreeSet<i64> = stores.iter().map(|c| c.at).collect();
        if touching != stores.len() || places.len() != stores.len() || stores.len() > SHORT {
            continue;
        }
        stores.sort_by_key(|c| depths[c.op]);
        let mut last = (0, 0);
        for store in stores {
            last = if store.op > last.0 { (store.op, 0) } else { (last.0, last.1 + 1) };
            keys[store.op] = last;
        }
    }
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|&op| keys[op]);
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(k, &op)| place[op] = k);
    let mut ops: Vec<Option<Op>> = std::mem::take(&mut emitter.ops).into_iter().map(Some).collect();
    emitter.ops = order.iter().filter_map(|&op| ops[op].take()).collect();
    chained.iter_mut().for_each(|c| c.op = place[c.op]);
    chained.sort_by_key(|c| c.op);
}

/// Of each operation how many others it waits for, one after the other.
fn depths(ops: &[Op]) -> Vec<usize> {
    let mut of_value: HashMap<ValueId, usize> = HashMap::new();
    let mut depths = Vec::with_capacity(ops.len());
    for op in ops {
        let used = op.uses.iter().filter_map(|u| if let Use::Value(v) = u { of_value.get(v) } else { None });
        let depth = 1 + used.copied().max().unwrap_or(0);
        op.defines.iter().for_each(|&v| {
            of_value.insert(v, depth);
        });
        depths.push(depth);
    }
    depths
}

/// Makes the pointer of one chain; `others` says that another chain starts from the same input. The first access of straight
/// code goes by the input itself if that is its address; what others use, too, is not moved.
fn one_chain(
    emitter: &mut Emitter<'_>,
    movers: &Movers,
    chain: &[ChainedAddress],
    others: bool,
    inserted: &mut Vec<(usize, Op)>,
) -> Option<CarriedValue> {
    let class = emitter.isa.general();
    let in_loop = emitter.changing.is_some();
    let (first, last) = (chain[0], chain[chain.len() - 1]);
    let start = emitter.pointer(first.base);
    let start = if in_loop {
        let op = adding(emitter, movers, start, first.at, first.op);
        emitter.before.push(op.0);
        op.1
    } else if first.at == 0 {
        start
    } else {
        moved(emitter, movers, start, first.at, first.op, inserted)
    };
    let returns = in_loop && (first.step != 0 || chain.len() > 1);
    let mut pointer = start;
    if returns {
        let name = emitter.shared.values[start as usize].name.clone();
        pointer = emitter.value(&name, class);
    }
    let entry = pointer;
    let fixed = !in_loop && first.at == 0 && (others || uses(emitter, start));
    for (k, access) in chain.iter().enumerate() {
        emitter.ops[access.op].uses[access.operand] = Use::Value(pointer);
        let by = match chain.get(k + 1) {
            Some(next) => next.at - access.at,
            None if returns => first.at + first.step - last.at,
            None => break,
        };
        let plain = emitter.ops[access.op].instruction;
        let next = chain.get(k + 1).map_or(emitter.ops.len(), |n| n.op);
        match movers.moving(plain, by).filter(|_| by != 0 && !(fixed && pointer == start)) {
            Some(moving) => {
                let name = emitter.shared.values[pointer as usize].name.clone();
                let after = emitter.value(&name, class);
                step_along(emitter, access, moving, by, after);
                pointer = after;
            }
            None if by == 0 => {}
            None => pointer = moved(emitter, movers, pointer, by, next, inserted),
        }
    }
    returns.then_some(CarriedValue { value: entry, init: start, next: pointer })
}

/// Whether an operation uses a value.
fn uses(emitter: &Emitter<'_>, value: ValueId) -> bool {
    emitter.ops.iter().any(|op| op.uses.contains(&Use::Value(value)))
}

/// Makes a plain access one that moves its pointer.
fn step_along(emitter: &mut Emitter<'_>, access: &ChainedAddress, moving: InstructionId, by: i64, after: ValueId) {
    let isa = emitter.isa;
    let plain = &isa.instructions[emitter.ops[access.op].instruction as usize];
    let moving_data = &isa.instructions[moving as usize];
    let op = &mut emitter.ops[access.op];
    let old_uses = std::mem::take(&mut op.uses);
    let old_defines = std::mem::take(&mut op.defines);
    op.uses = (moving_data.uses.iter())
        .map(|u| match plain.uses.iter().position(|p| p.name == u.name) {
            Some(k) => old_uses[k],
            None => Use::Immediate(by),
        })
        .collect();
    op.defines = (moving_data.defines.iter())
        .map(|d| match plain.defines.iter().position(|p| p.name == d.name) {
            Some(k) => old_defines[k],
            None => after,
        })
        .collect();
    op.instruction = moving;
}

/// A pointer moved by a number, in an operation of its own before another one.
fn moved(
    emitter: &mut Emitter<'_>,
    movers: &Movers,
    pointer: ValueId,
    by: i64,
    op: usize,
    inserted: &mut Vec<(usize, Op)>,
) -> ValueId {
    let (added, value) = adding(emitter, movers, pointer, by, op.min(emitter.ops.len().saturating_sub(1)));
    inserted.push((op, added));
    value
}

/// The operation that adds a number to a pointer, for the access of another operation, and its result.
fn adding(emitter: &mut Emitter<'_>, movers: &Movers, pointer: ValueId, by: i64, op: usize) -> (Op, ValueId) {
    let (add, register, ..) = movers.add.expect("pointers only move where something can add to them");
    let name = emitter.shared.values[pointer as usize].name.clone();
    let value = emitter.value(&name, emitter.isa.general());
    let mut uses = vec![Use::Immediate(by); 2];
    uses[register] = Use::Value(pointer);
    let places = emitter.ops[op].places.clone();
    (Op { instruction: add, defines: vec![value], uses, guard: None, access: None, places }, value)
}

/// Inserts operations before others, those for one place in the order given.
fn insert(ops: &mut Vec<Op>, mut before: Vec<(usize, Op)>) {
    before.sort_by_key(|b| b.0);
    let mut result = Vec::with_capacity(ops.len() + before.len());
    let mut added = before.into_iter().peekable();
    for (k, op) in ops.drain(..).enumerate() {
        while let Some((_, new)) = added.next_if(|b| b.0 == k) {
            result.push(new);
        }
        result.push(op);
    }
    result.extend(added.map(|b| b.1));
    *ops = result;
}
