//! What a function does, event by event: an operation, or an iteration of a loop, and the cells of arrays that it accesses.
//!
//! Arrays are memory ([`super::objects`]); which events have to come before others is found in [`super::needs`].

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::needs::needs;
use super::objects::{definitions, roots};
use crate::ir::{Affine, ArrayType, Block, Function, Op, OpKind, Operand, Type, ValueId};
use crate::walk::uses;

/// The number of an event in the order of the program.
pub type EventId = usize;

/// An operation of a function, or an iteration of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The number of the operation.
    pub op: usize,
    /// The iteration, of a loop.
    pub iteration: Option<i64>,
}

/// Row, and place in it.
pub type Cell = (i64, i64);

/// Cells that are read or written at once.
#[derive(Clone, Debug)]
pub struct Access {
    /// It writes, or else reads.
    pub write: bool,
    /// The address does not depend on data.
    pub known: bool,
    /// The object.
    pub root: ValueId,
    /// At least one.
    pub cells: Vec<Cell>,
}

/// A function as events in the order of the program.
#[derive(Debug)]
pub struct Flow {
    /// The function.
    pub function: Function,
    /// All events.
    pub events: Vec<Event>,
    /// All objects.
    pub objects: Vec<ValueId>,
    /// The object of each array.
    roots: HashMap<ValueId, ValueId>,
    /// What each event reads and writes, in order.
    pub accesses: Vec<Vec<Access>>,
    /// Which events each needs.
    pub needs: Vec<BTreeSet<EventId>>,
}

impl Flow {
    /// The events of a function with what each needs.
    #[must_use]
    pub fn of(function: Function) -> Self {
        let roots = roots(&function);
        let mut objects = Vec::new();
        for value in definitions(&function) {
            if let Some(&root) = roots.get(&value).filter(|root| !objects.contains(*root)) {
                objects.push(root);
            }
        }
        let mut flow = Flow { function, events: Vec::new(), objects, roots, accesses: Vec::new(), needs: Vec::new() };
        for (op, one) in flow.function.body.ops.iter().enumerate() {
            let iterations: Vec<Option<i64>> = match one.kind.as_loop() {
                Some(l) => (0..l.pattern.len() as i64).map(Some).collect(),
                None => vec![None],
            };
            for iteration in iterations {
                let mut found = Vec::new();
                flow.gather(std::slice::from_ref(one), iteration, &mut HashMap::new(), &mut found);
                flow.accesses.push(found);
                flow.events.push(Event { op, iteration });
            }
        }
        flow.needs = needs(&flow);
        flow
    }

    /// The operation of an event.
    #[must_use]
    pub fn op(&self, event: EventId) -> &Op {
        &self.function.body.ops[self.events[event].op]
    }

    /// The body that an event runs, if it is an iteration.
    #[must_use]
    pub fn body(&self, event: EventId) -> Option<&Block> {
        let (l, iteration) = (self.op(event).kind.as_loop()?, self.events[event].iteration?);
        Some(&l.bodies[usize::from(l.pattern[iteration as usize])])
    }

    /// The object of an array.
    #[must_use]
    pub fn root(&self, value: ValueId) -> Option<ValueId> {
        self.roots.get(&value).copied()
    }

    /// The object of an array among operands.
    #[must_use]
    pub fn root_of(&self, operand: Operand) -> Option<ValueId> {
        match operand {
            Operand::Value(v) => self.root(v),
            Operand::Const(_) => None,
        }
    }

    /// The name of a value.
    #[must_use]
    pub fn name(&self, value: ValueId) -> &str {
        &self.function.values[value.0 as usize].name
    }

    /// The type of a value.
    #[must_use]
    pub fn ty(&self, value: ValueId) -> &Type {
        &self.function.values[value.0 as usize].ty
    }

    /// The shape of an object.
    #[must_use]
    pub fn shape(&self, root: ValueId) -> ArrayType {
        shape(self.ty(root))
    }

    /// The rows of an object.
    #[must_use]
    pub fn extent(&self, root: ValueId) -> u32 {
        self.shape(root).dims[0]
    }

    /// The objects that some events write.
    #[must_use]
    pub fn written(&self) -> BTreeSet<ValueId> {
        self.accesses.iter().flatten().filter(|access| access.write).map(|access| access.root).collect()
    }

    /// The objects of parameters and outputs.
    #[must_use]
    pub fn outside(&self) -> BTreeSet<ValueId> {
        let given = self.function.params.iter().filter_map(|p| self.root(*p));
        given.chain(self.outputs()).collect()
    }

    /// The objects of the outputs.
    #[must_use]
    pub fn outputs(&self) -> BTreeSet<ValueId> {
        self.function.body.outputs.iter().filter_map(|o| self.root_of(*o)).collect()
    }

    /// Finds the accesses of operations in order; of a loop at the top only one iteration.
    fn gather(&self, ops: &[Op], only: Option<i64>, at: &mut HashMap<ValueId, i64>, found: &mut Vec<Access>) {
        for op in ops {
            match &op.kind {
                OpKind::Loop(l) => {
                    let iterations = only.map_or(0..l.pattern.len() as i64, |one| one..one + 1);
                    for iteration in iterations {
                        let body = &l.bodies[usize::from(l.pattern[iteration as usize])];
                        let mut inner = at.clone();
                        inner.insert(body.params[0], iteration);
                        self.gather(&body.ops, None, &mut inner, found);
                    }
                }
                OpKind::IndexDiv(sum, n) => {
                    at.insert(op.results[0], evaluated(sum, at).unwrap_or(0).div_euclid(*n));
                }
                OpKind::IndexMod(sum, n) => {
                    at.insert(op.results[0], evaluated(sum, at).unwrap_or(0).rem_euclid(*n));
                }
                OpKind::Load(array, _) | OpKind::Store(array, ..) => found.push(self.access(op, *array, at)),
                OpKind::Array(cells) if !cells.is_empty() => {
                    if let Some(root) = self.root(op.results[0]) {
                        found.push(Access { write: true, known: true, root, cells: all(&self.shape(root)) });
                    }
                }
                _ => {}
            }
        }
    }

    fn access(&self, op: &Op, array: ValueId, at: &HashMap<ValueId, i64>) -> Access {
        let (root, shape) = (self.roots[&array], self.shape(array));
        let (addresses, write, count) = match &op.kind {
            OpKind::Store(_, addresses, words) => (addresses, true, words.len()),
            OpKind::Load(_, addresses) => (addresses, false, op.results.len()),
            _ => unreachable!("an access loads or stores"),
        };
        let places: Option<Vec<i64>> = addresses.iter().map(|a| evaluated(&a.affine, at)).collect();
        let Some(places) = places else { return Access { write, known: false, root, cells: all(&shape) } };
        let row = places[0].rem_euclid(i64::from(shape.dims[0]));
        let first = places.get(1).copied().unwrap_or(0);
        let cells = (0..count as i64).map(|k| (row, first + k)).collect();
        Access { write, known: true, root, cells }
    }
}

/// The shape of an array.
///
/// # Panics
/// It is none.
pub(super) fn shape(ty: &Type) -> ArrayType {
    match ty {
        Type::Array(shape) => shape.clone(),
        _ => unreachable!("an object is an array"),
    }
}

/// The value of an address, if it does not depend on data.
#[must_use]
pub fn evaluated(sum: &Affine, at: &HashMap<ValueId, i64>) -> Option<i64> {
    let terms = sum.terms.iter().map(|(c, v)| at.get(v).map(|value| c * value));
    terms.sum::<Option<i64>>().map(|terms| terms + sum.constant)
}

fn all(shape: &ArrayType) -> Vec<Cell> {
    let columns = i64::from(shape.dims.get(1).copied().unwrap_or(1));
    (0..i64::from(shape.dims[0])).flat_map(|row| (0..columns).map(move |column| (row, column))).collect()
}

/// The words that an operation reads, and arrays that it reads as they are; of a load or store not its array.
pub(super) fn reads(kind: &OpKind, f: &mut dyn FnMut(ValueId)) {
    let array = match kind {
        OpKind::Load(array, _) | OpKind::Store(array, ..) => Some(*array),
        _ => None,
    };
    uses(kind, &mut |v| {
        if Some(v) != array {
            f(v);
        }
    });
}

/// An order in which each wanted event comes as soon as what it needs is done.
#[must_use]
pub fn on_demand(flow: &Flow, wanted: &[EventId]) -> Vec<EventId> {
    let mut order = Vec::new();
    let mut seen = vec![false; flow.events.len()];
    let load = |id: EventId| matches!(flow.op(id).kind, OpKind::Load(..)) && flow.needs[id].is_empty();
    for one in wanted {
        let mut stack = vec![(*one, false)];
        while let Some((event, ready)) = stack.pop() {
            if ready {
                order.push(event);
            } else if !seen[event] {
                seen[event] = true;
                stack.push((event, true));
                let mut needs: Vec<EventId> = flow.needs[event].iter().copied().collect();
                needs.sort_by_key(|n| std::cmp::Reverse((load(*n), *n)));
                stack.extend(needs.into_iter().filter(|n| !seen[*n]).map(|n| (n, false)));
            }
        }
    }
    order
}

/// The iterations of each loop among the events.
#[must_use]
pub(super) fn by_loop(flow: &Flow, events: &[EventId]) -> BTreeMap<usize, Vec<i64>> {
    let mut found: BTreeMap<usize, Vec<i64>> = BTreeMap::new();
    for event in events.iter().map(|id| flow.events[*id]) {
        if let Some(iteration) = event.iteration {
            found.entry(event.op).or_default().push(iteration);
        }
    }
    found
}
