//! Orders of instructions: list scheduling by ranks.
//!
//! Loads wait until just before their first use. Among what is ready an order takes what leaves the fewest values
//! alive, or what continues with the latest results; the former suits sums of many, the latter S-boxes written as
//! gates.

mod memory;
mod rank;
mod stretches;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::code::{read, Instruction, Item, Loop, Value};
use memory::add_memory;
pub use rank::Rank;
use stretches::stretches;

/// Items with the instructions between loops in another order; the object `block` is loaded first, stored last.
#[must_use]
pub fn ordered(items: &[Item], rank: &Rank, block: &str) -> Vec<Item> {
    part(items, rank, block, &HashSet::new())
}

/// Items in another order; `ends` stay alive behind them.
fn part(items: &[Item], rank: &Rank, block: &str, ends: &HashSet<Value>) -> Vec<Item> {
    let (mut out, mut segment) = (Vec::new(), Vec::new());
    for (n, item) in items.iter().enumerate() {
        match item {
            Item::Instruction(i) => segment.push(Arc::clone(i)),
            Item::Loop(l) => {
                let alive = read(&items[n..]).union(ends).copied().collect();
                out.extend(ordered_segment(&std::mem::take(&mut segment), rank, block, &alive));
                out.push(Item::Loop(Arc::new(ordered_loop(l, rank, block))));
            }
        }
    }
    out.extend(ordered_segment(&segment, rank, block, ends));
    out
}

fn ordered_loop(l: &Loop, rank: &Rank, block: &str) -> Loop {
    let ends = l.ends().union(&l.needed()).copied().collect();
    Loop { body: part(&l.body, rank, block, &ends), ..l.clone() }
}

fn ordered_segment(items: &[Arc<Instruction>], rank: &Rank, block: &str, alive: &HashSet<Value>) -> Vec<Item> {
    let of = |stores| items.iter().filter(move |i| i.accesses(stores, block)).cloned();
    let last: Vec<_> = of(true).collect();
    let middle: Vec<_> =
        items.iter().filter(|i| !i.accesses(false, block) && !i.accesses(true, block)).cloned().collect();
    let mut kept = alive.clone();
    kept.extend(last.iter().flat_map(|i| i.read()));
    let mut out: Vec<_> = of(false).collect();
    out.extend(List::new(&middle, rank, &kept).run());
    out.extend(last);
    out.into_iter().map(Item::Instruction).collect()
}

type Key = (i64, bool, [i64; 3]);

/// List scheduling of instructions without loops.
struct List<'a> {
    items: &'a [Arc<Instruction>],
    rank: &'a Rank,
    alive: &'a HashSet<Value>,
    stretch: Vec<i64>,
    /// The instruction that makes each value, and how many that read it are left.
    maker: HashMap<Value, usize>,
    left: HashMap<Value, usize>,
    readers: HashMap<Value, Vec<usize>>,
    /// Values that each instruction reads, each once.
    read: Vec<Vec<Value>>,
    before: Vec<BTreeSet<usize>>,
    after: Vec<Vec<usize>>,
    waiting: Vec<usize>,
    /// Loads, which wait until something needs them.
    lazy: Vec<bool>,
    ready: BTreeSet<usize>,
    released: Vec<bool>,
    /// Ranks since nothing has changed on which they depend.
    ranks: Vec<Option<[i64; 3]>>,
    made: HashMap<Value, i64>,
    done: Vec<bool>,
    setting: Option<Arc<str>>,
    out: Vec<Arc<Instruction>>,
}

impl<'a> List<'a> {
    fn new(items: &'a [Arc<Instruction>], rank: &'a Rank, alive: &'a HashSet<Value>) -> Self {
        let count = items.len();
        let mut maker = HashMap::new();
        for (n, i) in items.iter().enumerate() {
            maker.extend(i.results().map(|d| (d, n)));
        }
        let read: Vec<Vec<Value>> =
            items.iter().map(|i| i.read().collect::<BTreeSet<_>>().into_iter().collect()).collect();
        let mut readers: HashMap<Value, Vec<usize>> = HashMap::new();
        for (n, values) in read.iter().enumerate() {
            for s in values {
                readers.entry(*s).or_default().push(n);
            }
        }
        let mut before: Vec<BTreeSet<usize>> =
            read.iter().map(|values| values.iter().filter_map(|s| maker.get(s).copied()).collect()).collect();
        add_memory(items, &mut before);
        let mut after = vec![Vec::new(); count];
        for (n, befores) in before.iter().enumerate() {
            for b in befores {
                after[*b].push(n);
            }
        }
        let lazy = |i: &Arc<Instruction>| i.setting.is_none() && i.memory.as_ref().is_some_and(|m| !m.stores);
        List {
            items,
            rank,
            alive,
            stretch: if rank.stretches { stretches(items, alive) } else { vec![0; count] },
            maker,
            left: readers.iter().map(|(s, readers)| (*s, readers.len())).collect(),
            readers,
            read,
            waiting: before.iter().map(BTreeSet::len).collect(),
            ready: (0..count).filter(|n| before[*n].is_empty()).collect(),
            before,
            after,
            lazy: items.iter().map(lazy).collect(),
            released: vec![false; count],
            ranks: vec![None; count],
            made: HashMap::new(),
            done: vec![false; count],
            setting: None,
            out: Vec::with_capacity(count),
        }
    }

    /// The instructions in their new order.
    fn run(mut self) -> Vec<Arc<Instruction>> {
        for n in self.ready.clone() {
            if self.lazy[n] {
                self.free(n);
            }
        }
        while self.out.len() < self.items.len() {
            let chosen = self.chosen();
            self.ready.remove(&chosen);
            for n in self.loads(chosen).into_iter().chain([chosen]) {
                self.take(n);
                self.ready.remove(&n);
            }
            if !self.lazy[chosen] {
                self.release(chosen);
            }
        }
        self.out
    }

    /// The ready instruction of the least rank; a load only where nothing else is ready.
    fn chosen(&mut self) -> usize {
        let mut candidates: Vec<usize> = self.ready.iter().copied().filter(|n| !self.lazy[*n]).collect();
        if candidates.is_empty() {
            candidates.extend(&self.ready);
        }
        let least = candidates.into_iter().map(|n| (self.key(n), n)).min();
        least.expect("dependences have no circle").1
    }

    /// What waits for an instruction is nearer to being ready.
    fn release(&mut self, n: usize) {
        for k in 0..self.after[n].len() {
            let a = self.after[n][k];
            self.waiting[a] -= 1;
            if self.waiting[a] == 0 {
                self.ready.insert(a);
                if self.lazy[a] {
                    self.free(a);
                }
            }
        }
    }

    fn free(&mut self, n: usize) {
        if !std::mem::replace(&mut self.released[n], true) {
            self.release(n);
        }
    }

    /// The loads that wait for an instruction, and those that they need for their addresses.
    fn loads(&self, n: usize) -> Vec<usize> {
        let mut found = Vec::new();
        for &b in &self.before[n] {
            if self.lazy[b] && !self.done[b] {
                for one in self.loads(b).into_iter().chain([b]) {
                    if !found.contains(&one) {
                        found.push(one);
                    }
                }
            }
        }
        found
    }

    fn key(&mut self, n: usize) -> Key {
        let rank = match self.ranks[n] {
            Some(rank) => rank,
            None => {
                let rank = self.computed(n);
                self.ranks[n] = Some(rank);
                rank
            }
        };
        let setting = &self.items[n].setting;
        let other = self.rank.together && setting.is_some() && *setting != self.setting;
        (self.stretch[n], other, rank)
    }

    fn computed(&self, n: usize) -> [i64; 3] {
        let values = &self.read[n];
        let loads = values.iter().filter(|s| self.maker.get(s).is_some_and(|m| !self.done[*m])).count();
        let dying = values.iter().filter(|s| self.left[s] == 1 && !self.alive.contains(s)).count();
        let alive = (self.items[n].results().count() + loads) as i64 - dying as i64;
        let newest = values.iter().map(|s| self.made.get(s).copied().unwrap_or(-1)).max().unwrap_or(-1);
        let mut key = [0; 3];
        for (place, [a, b, c]) in key.iter_mut().zip(&self.rank.key) {
            *place = a * alive + b * newest + c * n as i64;
        }
        key
    }

    fn take(&mut self, n: usize) {
        let i = &self.items[n];
        self.done[n] = true;
        if i.setting.is_some() {
            self.setting.clone_from(&i.setting);
        }
        for s in &self.read[n] {
            *self.left.get_mut(s).expect("it is read") -= 1;
        }
        for d in i.results() {
            self.made.insert(d, self.out.len() as i64);
        }
        for changed in self.read[n].iter().copied().chain(i.results()) {
            for reader in self.readers.get(&changed).into_iter().flatten() {
                self.ranks[*reader] = None;
            }
        }
        self.out.push(Arc::clone(i));
    }
}
