//! Events as operations again: with new names, other indices, and objects of which only some rows are kept.

use std::collections::{BTreeMap, BTreeSet};

use super::events::{by_loop, EventId, Flow};
use super::repetition::{distance, moves, stretches, Stretch};
use super::step_writer::Step;
use super::storage::{kept_rows, Rows};
use super::Unsuitable;
use crate::ir::{Affine, Block, Function, Loop, LoopTag, Op, OpKind, Operand, Type, ValueData, ValueId};
use crate::walk::renumber;

/// Events as a function; nothing if their order breaks what arrays hold.
pub fn function(flow: &Flow, order: &[EventId], name: &str) -> Option<Function> {
    let repeated = stretches(flow, order);
    let rows = kept_rows(flow, order, &moves(flow, order, &repeated))?;
    let mut writer = Writer::new(flow, &rows, None);
    writer.whole(order, &repeated, name).ok()
}

/// Values by number or object, in the order in which they came.
pub(super) type Ordered<K, V> = Vec<(K, V)>;

/// Writes events: operations of the function, and iterations of its loops.
pub(super) struct Writer<'a> {
    pub flow: &'a Flow,
    /// How many rows of each object are kept.
    pub rows: &'a Rows,
    /// What has been written.
    pub out: Vec<Op>,
    pub values: Vec<ValueData>,
    pub names: u32,
    /// What stands for words, for indices, and for objects by now.
    pub words: BTreeMap<ValueId, Operand>,
    pub indices: BTreeMap<ValueId, Affine>,
    pub arrays: Ordered<ValueId, ValueId>,
    /// Objects that one operation has made with all their cells.
    pub given: BTreeSet<ValueId>,
    /// The words that each loop carries by now.
    pub carried: BTreeMap<usize, Vec<Operand>>,
    /// What is special where the events are one step of several.
    pub step: Option<Step<'a>>,
}

/// What a loop of events carries: words, by loop, place and type, and the objects that it stores to.
struct Carried {
    words: Vec<(usize, usize, Type)>,
    objects: Vec<ValueId>,
}

impl<'a> Writer<'a> {
    pub fn new(flow: &'a Flow, rows: &'a Rows, step: Option<Step<'a>>) -> Self {
        Writer {
            flow,
            rows,
            out: Vec::new(),
            values: Vec::new(),
            names: 0,
            words: BTreeMap::new(),
            indices: BTreeMap::new(),
            arrays: Vec::new(),
            given: BTreeSet::new(),
            carried: BTreeMap::new(),
            step,
        }
    }

    fn whole(&mut self, order: &[EventId], repeated: &[Stretch], name: &str) -> Result<Function, Unsuitable> {
        let source = &self.flow.function;
        let mut params = Vec::new();
        for p in &source.params {
            let new = self.named(self.flow.name(*p), self.flow.ty(*p).clone());
            self.words.insert(*p, Operand::Value(new));
            if let Some(root) = self.flow.root(*p) {
                self.set_array(root, new);
            }
            params.push(new);
        }
        for (root, _) in &self.rows.0 {
            if self.array(*root).is_err() && !self.made_at_once(order, *root)? {
                let name = self.flow.name(*root);
                self.new_array(*root, name)?;
            }
        }
        self.write(order, repeated)?;
        let outputs = source.body.outputs.iter().map(|o| self.value(*o)).collect::<Result<_, _>>()?;
        let body = Block { params: Vec::new(), ops: std::mem::take(&mut self.out), outputs };
        let values = std::mem::take(&mut self.values);
        let mut function = Function { name: name.to_owned(), params, results: source.results.clone(), values, body };
        renumber(&mut function);
        Ok(function)
    }

    /// Whether an object is made by an operation that gives all its cells.
    pub fn made_at_once(&self, order: &[EventId], root: ValueId) -> Result<bool, Unsuitable> {
        let makes = |event: &EventId| {
            let op = self.flow.op(*event);
            matches!(&op.kind, OpKind::Array(cells) if !cells.is_empty()) && self.flow.root(op.results[0]) == Some(root)
        };
        Ok(self.rows.of(root)? == self.flow.extent(root) && order.iter().any(makes))
    }

    /// Writes events, repeated stretches as loops.
    pub fn write(&mut self, order: &[EventId], repeated: &[Stretch]) -> Result<(), Unsuitable> {
        let mut at = 0;
        for stretch in repeated {
            order[at..stretch.start].iter().try_for_each(|event| self.event(*event, None))?;
            self.events_as_loop(order, *stretch)?;
            at = stretch.end();
        }
        order[at..].iter().try_for_each(|event| self.event(*event, None))
    }

    /// Writes one event; the number of an iteration may move on with a new loop's index, by so many from one to the next.
    fn event(&mut self, event: EventId, moves: Option<(i64, ValueId)>) -> Result<(), Unsuitable> {
        let flow = self.flow;
        let (op, n) = (flow.op(event), flow.events[event].op);
        let (Some(l), Some(at), Some(body)) = (op.kind.as_loop(), flow.events[event].iteration, flow.body(event))
        else {
            return self.op(op);
        };
        if let Some(step) = &mut self.step {
            step.index_of.extend(l.bodies.iter().map(|body| (body.params[0], n)));
        }
        if at > 0 || moves.is_some() {
            self.begin_loop(n)?;
        } else {
            self.initial(n)?;
        }
        let iteration = Affine { terms: moves.into_iter().collect(), constant: at };
        self.indices.insert(body.params[0], iteration);
        for (p, value) in body.params[1..].iter().zip(self.carried[&n].clone()) {
            if flow.root(*p).is_none() {
                self.words.insert(*p, value);
            }
        }
        body.ops.iter().try_for_each(|inner| self.op(inner))?;
        let carried = self.words_of(&body.outputs)?;
        self.carried.insert(n, carried);
        if at as usize == l.pattern.len() - 1 {
            self.end_loop(n);
        }
        Ok(())
    }

    /// Begins a loop if it has not begun.
    fn begin_loop(&mut self, n: usize) -> Result<(), Unsuitable> {
        if self.carried.contains_key(&n) {
            return Ok(());
        }
        match self.carried_before(n) {
            Some(carried) => drop(self.carried.insert(n, carried)),
            None => self.initial(n)?,
        }
        Ok(())
    }

    /// Begins a loop, or begins it again.
    fn initial(&mut self, n: usize) -> Result<(), Unsuitable> {
        let l = self.flow.function.body.ops[n].kind.as_loop().ok_or(Unsuitable)?;
        let carried = self.words_of(&l.init)?;
        self.carried.insert(n, carried);
        Ok(())
    }

    fn end_loop(&mut self, n: usize) {
        for (r, value) in self.flow.function.body.ops[n].results.iter().zip(&self.carried[&n]) {
            if self.flow.root(*r).is_none() {
                self.words.insert(*r, *value);
            }
        }
    }

    /// Writes a repeated stretch as a loop: it carries its loops' words and the arrays that it stores to.
    fn events_as_loop(&mut self, order: &[EventId], stretch: Stretch) -> Result<(), Unsuitable> {
        let period = &order[stretch.start..stretch.start + stretch.period];
        let mut steps: Ordered<usize, i64> = Vec::new();
        for (event, later) in period.iter().zip(&order[stretch.start + stretch.period..]) {
            let n = self.flow.events[*event].op;
            if steps.iter().all(|(one, _)| *one != n) {
                steps.push((n, distance(self.flow, *event, *later)));
            }
        }
        let iterations = by_loop(self.flow, period);
        for (n, _) in &steps {
            match iterations[n][0] {
                0 => self.initial(*n)?,
                _ => self.begin_loop(*n)?,
            }
        }
        let carried = self.carried_by(period, &steps);
        let init = self.values_of(&carried)?;
        let body = self.body(period, &steps, &carried)?;
        let types: Vec<Type> = body.params[1..].iter().map(|p| self.values[p.0 as usize].ty.clone()).collect();
        let results: Vec<ValueId> = types.into_iter().map(|ty| self.fresh("r", ty)).collect();
        self.define_carried(&carried, &results);
        let pattern = vec![0; stretch.count];
        let made =
            Loop { tag: LoopTag::Rounds, counter: "i".to_owned(), from: 0, step: 1, init, pattern, bodies: vec![body] };
        self.push(OpKind::Loop(Box::new(made)), results);
        for event in &order[stretch.end() - stretch.period..stretch.end()] {
            let (n, iteration) = (self.flow.events[*event].op, self.flow.events[*event].iteration);
            let last = self.flow.op(*event).kind.as_loop().map(|l| l.pattern.len() as i64 - 1);
            if iteration.is_some() && iteration == last {
                self.end_loop(n);
            }
        }
        Ok(())
    }

    fn carried_by(&self, period: &[EventId], steps: &[(usize, i64)]) -> Carried {
        let mut words = Vec::new();
        for (n, _) in steps {
            for (k, r) in self.flow.function.body.ops[*n].results.iter().enumerate() {
                if self.flow.root(*r).is_none() {
                    words.push((*n, k, self.flow.ty(*r).clone()));
                }
            }
        }
        let mut objects = Vec::new();
        for access in period.iter().flat_map(|event| &self.flow.accesses[*event]).filter(|access| access.write) {
            if !objects.contains(&access.root) {
                objects.push(access.root);
            }
        }
        Carried { words, objects }
    }

    fn values_of(&self, carried: &Carried) -> Result<Vec<Operand>, Unsuitable> {
        let words = carried.words.iter().map(|(n, k, _)| Ok(self.carried[n][*k]));
        words.chain(carried.objects.iter().map(|root| self.array(*root).map(Operand::Value))).collect()
    }

    fn define_carried(&mut self, carried: &Carried, values: &[ValueId]) {
        for ((n, k, _), value) in carried.words.iter().zip(values) {
            if let Some(words) = self.carried.get_mut(n) {
                words[*k] = Operand::Value(*value);
            }
        }
        for (root, value) in carried.objects.iter().zip(&values[carried.words.len()..]) {
            self.set_array(*root, *value);
        }
    }

    /// The body of a loop of events; `steps` says by how much the iteration of each loop moves on.
    fn body(&mut self, period: &[EventId], steps: &[(usize, i64)], carried: &Carried) -> Result<Block, Unsuitable> {
        let index = self.fresh("iteration", Type::Index);
        let mut params = vec![index];
        for (.., ty) in &carried.words {
            params.push(self.fresh("c", ty.clone()));
        }
        for root in &carried.objects {
            let ty = self.kept_type(*root)?;
            params.push(self.fresh(self.flow.name(*root), ty));
        }
        self.define_carried(carried, &params[1..]);
        let outside = std::mem::take(&mut self.out);
        for event in period {
            let n = self.flow.events[*event].op;
            let step = steps.iter().find(|(one, _)| *one == n).map(|(_, step)| (*step, index));
            self.event(*event, step)?;
        }
        let outputs = self.values_of(carried)?;
        let ops = std::mem::replace(&mut self.out, outside);
        Ok(Block { params, ops, outputs })
    }
}
