//! `byte-exchanges`: bytes made of bits of several other bytes become exchanges of bits between pairs of bytes.
//!
//! Identity: let N = 2^m bytes be made of the bits of N others, each of 8/N bits of every one. In m stages, stage j exchanges bits
//! between the bytes whose numbers differ in digit j alone: those bits whose target's number has the other digit. An exchange of bits
//! under a mask, that of one byte s places above that of the other, is `t = (x >> s ^ y) & m; x ^ t << s; y ^ t`. The amounts s and the
//! numbers of the bytes are chosen so that every bit ends in its place, with the fewest shifts.
//!
//! Where the bytes are pairs of look-ups of four bits at the two halves of a byte, the bits in front of the exchanges may stand in any order,
//! since `merge-lookups` puts it into a table; where the results are only the indices of look-ups, the bits behind them may. Bytes
//! for which no such exchanges are found stay.

mod find;
mod search;

use std::collections::{BTreeMap, HashMap, HashSet};

use self::find::{Component, Source};
use self::search::{search, Plan};
use super::only::FunctionFilter;
use super::rewrite::Rewriter;
use super::{Pass, Settings};
use crate::builder::{Builder, Replacements};
use crate::diagnostic::Diagnostic;
use crate::ir::{Binary, Block, OpKind, Operand, Program, Shift, Type, ValueId};
use crate::walk::for_each_block_mut;

/// See the module's text.
pub struct ByteExchanges;

impl Pass for ByteExchanges {
    fn name(&self) -> &'static str {
        "byte-exchanges"
    }

    fn description(&self) -> &'static str {
        "write permutations of the bits of several bytes as exchanges between pairs of bytes"
    }

    fn options(&self) -> &'static [&'static str] {
        &["function"]
    }

    fn run(&self, program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
        let filter = FunctionFilter::of(settings, program)?;
        let mut known = HashMap::new();
        for function in filter.functions(program) {
            let only_indices = find::only_indices(function);
            let mut builder = Builder::new(function);
            for_each_block_mut(&mut function.body, &mut |block| {
                let found = find::components(block, &builder, &only_indices);
                exchange(block, found, &mut builder, &mut known);
            });
            builder.finish(function);
            super::dce::clean(function);
        }
        Ok(())
    }
}

/// Writes the components of a block for which there are exchanges, each as soon as all of its sources are there.
fn exchange(
    block: &mut Block,
    components: Vec<Component>,
    builder: &mut Builder,
    known: &mut HashMap<search::Problem, Option<Plan>>,
) {
    let mut at: BTreeMap<usize, Vec<(Component, Plan)>> = BTreeMap::new();
    for component in components {
        let problem = component.problem();
        let plan = known.entry(problem.clone()).or_insert_with(|| search(&problem)).clone();
        if let (Some(plan), Some(place)) = (plan, find::place(block, &component)) {
            at.entry(place).or_default().push((component, plan));
        }
    }
    let gone: HashSet<usize> =
        at.values().flatten().flat_map(|(component, _)| component.targets.iter().map(|t| t.at)).collect();
    let mut out = Vec::with_capacity(block.ops.len());
    let mut map = Replacements::new();
    for (n, op) in std::mem::take(&mut block.ops).into_iter().enumerate() {
        for (component, plan) in at.get(&n).into_iter().flatten() {
            let mut r = Rewriter { builder, out: &mut out, map: &mut map, places: op.places.clone() };
            write(&mut r, component, plan);
        }
        if !gone.contains(&n) {
            out.push(op);
        }
    }
    block.ops = out;
    builder.substitute(block, &map);
}

fn write(r: &mut Rewriter<'_>, component: &Component, plan: &Plan) {
    let mut bytes: Vec<Operand> = vec![Operand::Const(0); component.sources.len()];
    for (source, &number) in component.sources.iter().zip(&plan.source_numbers) {
        bytes[number] = first_byte(r, source, &plan.first[number]);
    }
    for (digit, stage) in plan.stages.iter().enumerate() {
        for (low, &mask) in &stage.masks {
            let high = low | 1 << digit;
            (bytes[*low], bytes[high]) = exchanged(r, bytes[*low], bytes[high], stage.shift, mask);
        }
    }
    for (target, &number) in component.targets.iter().zip(&plan.target_numbers) {
        let byte = in_order(r, bytes[number], &plan.last[number]);
        r.stand(target.value, byte);
    }
}

/// A byte in front of the exchanges; `order` says which bit stands in each place.
fn first_byte(r: &mut Rewriter<'_>, source: &Source, order: &[u8]) -> Operand {
    let parts: Vec<ValueId> = match source {
        Source::Byte(v) => return in_order(r, Operand::Value(*v), order),
        Source::Halves(halves) => {
            let bit = |&b: &u8| OpKind::Extract(Operand::Value(halves[usize::from(b / 4)]), b % 4);
            order.iter().map(|b| r.op("", Type::Word(1), bit(b))).collect()
        }
    };
    r.word(8, OpKind::Concat(parts))
}

/// A byte whose bits are moved; `order` says which bit stands in each place.
fn in_order(r: &mut Rewriter<'_>, byte: Operand, order: &[u8]) -> Operand {
    if order.iter().enumerate().all(|(place, &bit)| place == usize::from(bit)) {
        return byte;
    }
    let parts = order.iter().map(|&bit| r.op("", Type::Word(1), OpKind::Extract(byte, bit))).collect();
    r.word(8, OpKind::Concat(parts))
}

/// Exchanges the bits of `y` under a mask with those of `x` that stand `shift` places above.
fn exchanged(r: &mut Rewriter<'_>, x: Operand, y: Operand, shift: u32, mask: u8) -> (Operand, Operand) {
    // Where all bits go from one half to the other, an exchange of the halves is enough.
    let moved = |r: &mut Rewriter<'_>, which: Shift, word: Operand| match shift {
        4 => r.shift(Shift::Rotl, word, 4, 8),
        _ => r.shift(which, word, shift.into(), 8),
    };
    let down = moved(r, Shift::Shr, x);
    let difference = r.xor(down, y, 8);
    let difference = r.word(8, OpKind::Binary(Binary::And, difference, Operand::Const(mask.into())));
    let y = r.xor(y, difference, 8);
    let up = moved(r, Shift::Shl, difference);
    (r.xor(x, up, 8), y)
}
