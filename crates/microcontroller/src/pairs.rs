//! Copies by pairs: where two values are copied near each other, one instruction copies both.
//!
//! An instruction that changes a register needs a copy of a value that is used again. `movw` copies two registers from
//! an even one on; so two such values are asked to stand in such a pair, and are copied at once.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use crate::code::{read, Code, Instruction, Item, Line, Loop, Machine, Source, Value};
use crate::operand::{Operand, View};

/// How many instructions further the second copy may be.
const NEAR: usize = 24;

/// Of a value the other of its pair, and its own place in it: 0 or 1.
pub type Pairs = HashMap<Value, (Value, u16)>;

/// Code with copies by pairs, and the pairs. `copy` copies a register; `chains`: also values that others were changed
/// into in their registers are copied so.
#[must_use]
pub fn paired(code: &Code, copy: &Machine, chains: bool) -> (Code, Pairs) {
    let mut made = PairBuilder { copy, chains, pairs: Pairs::new(), values: code.values };
    let items = made.part(&code.items, &HashSet::new());
    (Code { items, values: made.values, ..code.clone() }, made.pairs)
}

struct PairBuilder<'a> {
    copy: &'a Machine,
    chains: bool,
    pairs: Pairs,
    values: Value,
}

impl PairBuilder<'_> {
    /// Items with copies by pairs; `after` is needed behind them.
    fn part(&mut self, items: &[Item], after: &HashSet<Value>) -> Vec<Item> {
        let (mut out, mut segment) = (Vec::new(), Vec::new());
        for (n, item) in items.iter().enumerate() {
            match item {
                Item::Instruction(i) => segment.push(Arc::clone(i)),
                Item::Loop(l) => {
                    let later = read(&items[n..]).union(after).copied().collect();
                    out.extend(self.segment(&std::mem::take(&mut segment), &later));
                    let ends = l.ends().union(&l.needed()).copied().collect();
                    out.push(Item::Loop(Arc::new(Loop { body: self.part(&l.body, &ends), ..(**l).clone() })));
                }
            }
        }
        out.extend(self.segment(&segment, after));
        out
    }

    fn segment(&mut self, items: &[Arc<Instruction>], later: &HashSet<Value>) -> Vec<Item> {
        let mut last: HashMap<Value, usize> = HashMap::new();
        for (n, i) in items.iter().enumerate() {
            last.extend(i.read().map(|s| (s, n)));
        }
        let made = self.made(items, &last, later);
        let mut wanting: BTreeMap<usize, [Value; 2]> = BTreeMap::new();
        for (n, i) in items.iter().enumerate().filter(|(_, i)| i.commutative && i.lines.len() == 1) {
            if let (Source::Value(a), Source::Value(b)) = (i.tied[0].1, i.ins[0]) {
                if [a, b].iter().all(|s| last[s] > n || later.contains(s)) {
                    wanting.insert(n, [a, b]);
                }
            }
        }
        let mut copies: BTreeMap<usize, Vec<Instruction>> = BTreeMap::new();
        let mut changed: BTreeMap<usize, Instruction> = BTreeMap::new();
        for n in wanting.keys().copied() {
            if !changed.contains_key(&n) {
                self.matched(n, items, &wanting, &made, &mut copies, &mut changed);
            }
        }
        let mut out = Vec::new();
        for (n, i) in items.iter().enumerate() {
            out.extend(copies.remove(&n).into_iter().flatten().map(|i| Item::Instruction(Arc::new(i))));
            out.push(Item::Instruction(changed.remove(&n).map_or_else(|| Arc::clone(i), Arc::new)));
        }
        out
    }

    /// Where values are made, and which value first stood in their register, so that it chose it.
    fn made(
        &self,
        items: &[Arc<Instruction>],
        last: &HashMap<Value, usize>,
        later: &HashSet<Value>,
    ) -> HashMap<Value, (usize, Value)> {
        let mut made: HashMap<Value, (usize, Value)> = HashMap::new();
        for (n, i) in items.iter().enumerate() {
            match (&i.tied[..], &i.outs[..]) {
                ([], [d]) => {
                    made.insert(*d, (n, *d));
                }
                ([(d, Source::Value(s))], []) if self.chains && last.get(s) == Some(&n) && !later.contains(s) => {
                    if let Some((_, first)) = made.get(s) {
                        made.insert(*d, (n, *first));
                    }
                }
                _ => {}
            }
        }
        made
    }

    /// Finds the other copy for the one that an instruction needs.
    fn matched(
        &mut self,
        n: usize,
        items: &[Arc<Instruction>],
        wanting: &BTreeMap<usize, [Value; 2]>,
        made: &HashMap<Value, (usize, Value)>,
        copies: &mut BTreeMap<usize, Vec<Instruction>>,
        changed: &mut BTreeMap<usize, Instruction>,
    ) {
        for (m, others) in wanting.range(n + 1..=n + NEAR).filter(|(m, _)| !changed.contains_key(m)) {
            for x in wanting[&n] {
                for y in *others {
                    let (Some(&(at_x, first_x)), Some(&(at_y, first_y))) = (made.get(&x), made.get(&y)) else {
                        continue;
                    };
                    let free = first_x != first_y && ![first_x, first_y].iter().any(|v| self.pairs.contains_key(v));
                    if free && at_x.max(at_y) < n {
                        self.pairs.insert(first_x, (first_y, 0));
                        self.pairs.insert(first_y, (first_x, 1));
                        let copied = [self.values, self.values + 1];
                        self.values += 2;
                        copies.entry(n).or_default().push(self.both(copied, [x, y]));
                        changed.insert(n, with_copy(&items[n], x, copied[0]));
                        changed.insert(*m, with_copy(&items[*m], y, copied[1]));
                        return;
                    }
                }
            }
        }
    }

    /// Two copies.
    fn both(&self, outs: [Value; 2], ins: [Value; 2]) -> Instruction {
        let places = |a, b| vec![Operand::Place(a, View::Byte), Operand::Place(b, View::Byte)];
        let line = |a, b| Line::Machine(Machine::new(self.copy.opcode, places(a, b)));
        Instruction {
            lines: vec![line(0, 2), line(1, 3)],
            outs: outs.to_vec(),
            ins: ins.map(Source::Value).to_vec(),
            early: true,
            ..Instruction::default()
        }
    }
}

/// An instruction that changes a copy of one of its operands.
fn with_copy(i: &Instruction, value: Value, copy: Value) -> Instruction {
    let other = if i.tied[0].1 == Source::Value(value) { i.ins[0] } else { i.tied[0].1 };
    Instruction {
        lines: i.lines.clone(),
        tied: vec![(i.tied[0].0, Source::Value(copy))],
        ins: vec![other],
        commutative: true,
        origin: i.origin.clone(),
        ..Instruction::default()
    }
}
