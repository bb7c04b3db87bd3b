//! `group-lookups`: look-ups of one table stand one after the other, as far as what they need allows.
//!
//! Where the page of a table is loaded into a register before its entries are read, each change of the table costs an instruction.
//! Operations stay in their order, but a look-up of another table than the last one waits until nothing else is ready; then comes the
//! table of which most look-ups are. Blocks whose look-ups are all of one table stay.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::only::FunctionFilter;
use super::{Pass, Settings};
use crate::diagnostic::Diagnostic;
use crate::ir::{Block, OpKind, Operand, Program, TableId, ValueId};
use crate::walk::{for_each_block, for_each_block_mut, uses};

/// See the module's text.
pub struct GroupLookups;

impl Pass for GroupLookups {
    fn name(&self) -> &'static str {
        "group-lookups"
    }

    fn description(&self) -> &'static str {
        "let look-ups of one table stand one after the other"
    }

    fn options(&self) -> &'static [&'static str] {
        &["function"]
    }

    fn run(&self, program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
        let only = FunctionFilter::of(settings, program)?;
        for function in only.functions(program) {
            for_each_block_mut(&mut function.body, &mut group);
            crate::walk::renumber(function);
        }
        Ok(())
    }
}

fn table(kind: &OpKind) -> Option<TableId> {
    match kind {
        OpKind::Lookup(table, _) => Some(*table),
        _ => None,
    }
}

fn group(block: &mut Block) {
    let tables: BTreeSet<TableId> = block.ops.iter().filter_map(|op| table(&op.kind)).collect();
    if tables.len() < 2 {
        return;
    }
    let order = order(block);
    let mut ops: Vec<Option<_>> = std::mem::take(&mut block.ops).into_iter().map(Some).collect();
    block.ops = order.into_iter().filter_map(|n| ops[n].take()).collect();
}

/// The new order of a block's operations.
fn order(block: &Block) -> Vec<usize> {
    let (mut waiting, after) = dependences(block);
    let mut ready: BTreeSet<usize> = (0..block.ops.len()).filter(|&n| waiting[n] == 0).collect();
    let mut last = None;
    let mut order = Vec::with_capacity(block.ops.len());
    while !ready.is_empty() {
        let other = |n: &&usize| table(&block.ops[**n].kind).is_some_and(|t| Some(t) != last);
        let chosen = ready.iter().find(|n| !other(n)).copied().unwrap_or_else(|| first_of_most(block, &ready));
        ready.remove(&chosen);
        last = table(&block.ops[chosen].kind).or(last);
        for &n in &after[chosen] {
            waiting[n] -= 1;
            if waiting[n] == 0 {
                ready.insert(n);
            }
        }
        order.push(chosen);
    }
    order
}

/// The first look-up of the table of which most are ready; of equals that of which the first is ready.
fn first_of_most(block: &Block, ready: &BTreeSet<usize>) -> usize {
    let mut counts: BTreeMap<TableId, (usize, usize)> = BTreeMap::new();
    for &n in ready {
        if let Some(table) = table(&block.ops[n].kind) {
            counts.entry(table).or_insert((0, n)).0 += 1;
        }
    }
    let most = counts.values().max_by_key(|(count, n)| (*count, std::cmp::Reverse(*n)));
    most.map_or_else(|| ready.iter().next().copied().unwrap_or(0), |&(_, n)| n)
}

/// For each operation how many of the block it waits for, and those that wait for it. What writes memory keeps its place among what reads it:
/// back ends let the new array stand where the old one stood.
fn dependences(block: &Block) -> (Vec<usize>, Vec<Vec<usize>>) {
    let mut maker: HashMap<ValueId, usize> = HashMap::new();
    let mut waiting = vec![0; block.ops.len()];
    let mut after = vec![Vec::new(); block.ops.len()];
    // The last operation that writes memory, and the loads since.
    let (mut written, mut loads): (Option<usize>, Vec<usize>) = (None, Vec::new());
    for (n, op) in block.ops.iter().enumerate() {
        let mut read: BTreeSet<usize> = BTreeSet::new();
        uses(&op.kind, &mut |v| read.extend(maker.get(&v)));
        if let OpKind::Loop(l) = &op.kind {
            l.bodies.iter().for_each(|body| for_each_block(body, &mut |inner| used_within(inner, &maker, &mut read)));
        }
        match &op.kind {
            OpKind::Load(..) => {
                read.extend(written);
                loads.push(n);
            }
            OpKind::Store(..) | OpKind::Array(_) | OpKind::Loop(_) | OpKind::Call(..) => {
                read.extend(written.replace(n));
                read.append(&mut loads.drain(..).collect());
            }
            _ => {}
        }
        waiting[n] = read.len();
        read.into_iter().for_each(|m| after[m].push(n));
        maker.extend(op.results.iter().map(|&v| (v, n)));
    }
    (waiting, after)
}

fn used_within(block: &Block, maker: &HashMap<ValueId, usize>, read: &mut BTreeSet<usize>) {
    block.ops.iter().for_each(|op| uses(&op.kind, &mut |v| read.extend(maker.get(&v))));
    let outputs = block.outputs.iter().filter_map(|o| match o {
        Operand::Value(v) => maker.get(v),
        Operand::Const(_) => None,
    });
    read.extend(outputs);
}
