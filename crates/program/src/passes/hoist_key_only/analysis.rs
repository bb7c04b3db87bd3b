//! Which values depend on the block, and which of the others are worth storing.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::ir::{Address, Binary, Block, Function, Loop, Op, OpKind, Operand, Type, ValueId};
use crate::walk::{for_each_block, uses};

/// The values that depend on the last parameter of a function, or on what a call gives.
#[derive(Debug)]
pub struct Dependence {
    on_block: HashSet<ValueId>,
}

impl Dependence {
    /// Looks at a whole function.
    #[must_use]
    pub fn of(function: &Function) -> Self {
        let mut dependence = Dependence { on_block: function.params.last().copied().into_iter().collect() };
        // Ends: values only come to the set.
        loop {
            let before = dependence.on_block.len();
            for_each_block(&function.body, &mut |block| block.ops.iter().for_each(|op| dependence.add(op)));
            if dependence.on_block.len() == before {
                return dependence;
            }
        }
    }

    /// Whether a value depends on the block.
    #[must_use]
    pub fn contains(&self, v: ValueId) -> bool {
        self.on_block.contains(&v)
    }

    /// Whether an operand depends on the block.
    #[must_use]
    pub fn holds(&self, operand: Operand) -> bool {
        matches!(operand, Operand::Value(v) if self.contains(v))
    }

    fn add(&mut self, op: &Op) {
        match &op.kind {
            OpKind::Loop(l) => self.add_loop(l, op),
            OpKind::Call(..) => self.on_block.extend(&op.results),
            kind => {
                let mut depends = false;
                uses(kind, &mut |v| depends |= self.contains(v));
                if depends {
                    self.on_block.extend(&op.results);
                }
            }
        }
    }

    fn add_loop(&mut self, l: &Loop, op: &Op) {
        for k in 0..l.init.len() {
            let depends = self.holds(l.init[k]) || l.bodies.iter().any(|body| self.holds(body.outputs[k]));
            if depends {
                self.on_block.insert(op.results[k]);
                self.on_block.extend(l.bodies.iter().map(|body| body.params[k + 1]));
            }
        }
    }
}

/// The values that the key schedule is to store: words that depend on keys alone and that something reads which depends on the block.
#[derive(Debug)]
pub struct Sites {
    values: BTreeSet<ValueId>,
}

impl Sites {
    /// Values that cost at least as many operations as asked; whether fields that are no bytes cost one.
    #[must_use]
    pub fn of(function: &Function, dependence: &Dependence, least: u64, fields: bool) -> Self {
        let costs = costs(function, dependence, fields);
        let mut values = BTreeSet::new();
        let mut add = |v: ValueId| {
            let is_word = matches!(function.values[v.0 as usize].ty, Type::Word(_));
            if is_word && !dependence.contains(v) && costs.get(&v).is_some_and(|&cost| cost >= least) {
                values.insert(v);
            }
        };
        let mut add_operand = |o: &Operand| {
            if let Operand::Value(v) = o {
                add(*v);
            }
        };
        for_each_block(&function.body, &mut |block: &Block| {
            for op in &block.ops {
                match &op.kind {
                    OpKind::Loop(l) => {
                        let read = |k: &usize| dependence.contains(op.results[*k]);
                        (0..l.init.len()).filter(read).for_each(|k| add_operand(&l.init[k]));
                        l.bodies.iter().for_each(|body| {
                            (0..l.init.len()).filter(read).for_each(|k| add_operand(&body.outputs[k]));
                        });
                    }
                    kind if op.results.iter().any(|&r| dependence.contains(r)) => {
                        uses(kind, &mut |v| add_operand(&Operand::Value(v)));
                    }
                    _ => {}
                }
            }
        });
        function.body.outputs.iter().for_each(&mut add_operand);
        Sites { values }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Whether a value is to be stored.
    #[must_use]
    pub fn contains(&self, v: ValueId) -> bool {
        self.values.contains(&v)
    }

    /// Values to store, by width.
    #[must_use]
    pub fn widths(&self, function: &Function) -> BTreeMap<u8, u32> {
        let mut counts = BTreeMap::new();
        for v in &self.values {
            if let Type::Word(width) = function.values[v.0 as usize].ty {
                *counts.entry(width).or_insert(0) += 1;
            }
        }
        counts
    }
}

/// Operations that it takes to compute each value that does not depend on the block.
fn costs(function: &Function, dependence: &Dependence, fields: bool) -> HashMap<ValueId, u64> {
    let mut costs: HashMap<ValueId, u64> = HashMap::new();
    let is_field = |op: &Op| fields && is_odd_field(op, function);
    block_costs(&function.body, dependence, &is_field, &mut costs);
    costs
}

/// Whether an operation takes a field that is not whole bytes of memory.
fn is_odd_field(op: &Op, function: &Function) -> bool {
    let OpKind::Extract(_, position) = op.kind else { return false };
    position % 8 != 0 || function.values[op.results[0].0 as usize].ty.width() % 8 != 0
}

fn block_costs(
    block: &Block,
    dependence: &Dependence,
    is_field: &dyn Fn(&Op) -> bool,
    costs: &mut HashMap<ValueId, u64>,
) {
    for op in &block.ops {
        if let OpKind::Loop(l) = &op.kind {
            l.bodies.iter().for_each(|body| block_costs(body, dependence, is_field, costs));
            let free = op.results.iter().filter(|&&r| !dependence.contains(r));
            costs.extend(free.map(|&r| (r, l.pattern.len() as u64)));
            continue;
        }
        let mut cost = own_cost(&op.kind) + u64::from(is_field(op));
        uses(&op.kind, &mut |v| cost = cost.saturating_add(costs.get(&v).copied().unwrap_or(0)));
        let free = op.results.iter().filter(|&&r| !dependence.contains(r));
        costs.extend(free.map(|&r| (r, cost)));
    }
}

/// Operations beside one load at a known address.
fn own_cost(kind: &OpKind) -> u64 {
    let known = |addresses: &[Address]| addresses.iter().all(|a| a.affine.terms.is_empty());
    match kind {
        OpKind::Const(_) | OpKind::Word(_) | OpKind::IndexDiv(..) | OpKind::IndexMod(..) => 0,
        OpKind::Zext(_) | OpKind::Extract(..) | OpKind::Load(..) | OpKind::Array(_) => 0,
        OpKind::Lookup(_, address) => u64::from(!known(std::slice::from_ref(address))),
        OpKind::Binary(Binary::Mul, ..) => 3,
        OpKind::Linear(_, inputs) | OpKind::Bitsliced(_, inputs) => 4 * inputs.len() as u64,
        _ => 1,
    }
}
