//! From chosen tiles to operations on values.

use std::collections::{HashMap, HashSet};

use super::cover::Cover;
use super::lower::{LoweredRegion, Store};
use super::matching::{step_number, Bound, Match};
use super::objects::Objects;
use super::patterns::{Source, Step, Tile};
use super::terms::{ClassId, Dag, Load, Term};
use crate::code::{Access, Input, Op, Use, Value, ValueId};
use crate::isa::{InstructionId, Isa, OperandKind};
use crate::semantics::{Expression, Function, Statement};

/// An operation whose address a moving pointer will hold.
#[derive(Clone, Copy, Debug)]
pub struct ChainedAddress {
    /// Index of the operation.
    pub op: usize,
    /// Index of the operand that is the address.
    pub operand: usize,
    /// The object that the distance is measured from.
    pub base: usize,
    /// The distance in bytes.
    pub at: i64,
    /// How far it moves per iteration.
    pub step: i64,
}

/// What goes from region to region.
#[derive(Debug, Default)]
pub struct SharedState {
    /// The values.
    pub values: Vec<Value>,
    /// Values that are there at entry.
    pub inputs: Vec<Input>,
    /// Pure operations by what they do.
    known: HashMap<(InstructionId, Vec<Use>), Vec<ValueId>>,
    /// The slot of scratch memory in use.
    slot: u32,
}

/// Bytes of scratch memory that one use of a recipe takes.
pub const SLOT_BYTES: u32 = 16;

/// Slots, taken in turn so that uses close to each other do not wait for one another.
pub const SLOTS: u32 = 8;

/// Stands for an address until its pointer is made.
const UNKNOWN: ValueId = ValueId::MAX;

/// Operations under construction.
pub struct Emitter<'a> {
    /// The instruction set.
    pub isa: &'a Isa,
    /// The tiles.
    pub tiles: &'a [Tile],
    /// Memory.
    pub objects: &'a Objects,
    /// The region.
    pub lowered: &'a LoweredRegion,
    /// What was chosen.
    pub cover: &'a Cover,
    /// What goes from region to region.
    pub shared: SharedState,
    /// The operations.
    pub ops: Vec<Op>,
    /// Accesses whose pointers are still to be made.
    pub chained: Vec<ChainedAddress>,
    /// Of a loop: operations that are the same in every iteration, to be done before it.
    pub before: Vec<Op>,
    /// Of a loop: values that change from iteration to iteration; `None`: this is no loop.
    pub changing: Option<HashSet<ValueId>>,
    of_class: HashMap<ClassId, ValueId>,
}

impl<'a> Emitter<'a> {
    /// Without operations.
    #[must_use]
    pub fn new(
        isa: &'a Isa,
        tiles: &'a [Tile],
        objects: &'a Objects,
        lowered: &'a LoweredRegion,
        cover: &'a Cover,
        shared: SharedState,
    ) -> Self {
        Emitter {
            isa,
            tiles,
            objects,
            lowered,
            cover,
            shared,
            ops: Vec::new(),
            chained: Vec::new(),
            before: Vec::new(),
            changing: None,
            of_class: HashMap::new(),
        }
    }

    fn dag(&self) -> &'a Dag {
        &self.lowered.words.dag
    }

    /// A new value.
    pub fn value(&mut self, name: &str, class: usize) -> ValueId {
        self.shared.values.push(Value { name: name.to_owned(), class });
        self.shared.values.len() as ValueId - 1
    }

    /// The value that holds the address of an object at entry.
    pub fn pointer(&mut self, object: usize) -> ValueId {
        if let Some(input) = self.shared.inputs.iter().find(|i| i.object == object) {
            return input.value;
        }
        let name = self.objects.objects[object].name.clone();
        let value = self.value(&name, self.isa.general());
        self.shared.inputs.push(Input { value, object, offset: 0 });
        value
    }

    /// Everything that the stores need, in the order of the program's operations.
    pub fn all(&mut self, stores: &[(Match, &Store)]) {
        let mut order: Vec<(u32, ClassId)> = (0..self.dag().classes.len() as ClassId)
            .filter(|&c| self.cover.of(c).is_some() && self.is_load(c))
            .map(|c| (self.dag().classes[c as usize].sequence, c))
            .collect();
        order.sort_unstable();
        let mut loads = order.into_iter().peekable();
        for (found, store) in stores {
            while let Some((_, class)) = loads.next_if(|&(sequence, _)| sequence < store.sequence) {
                self.class(class);
            }
            self.store(found, store);
        }
    }

    /// Loads of objects that are stored to keep their place among the stores; all else is made where it is needed first.
    fn is_load(&self, class: ClassId) -> bool {
        let found = self.cover.of(class);
        let load = found.and_then(|m| m.load.as_ref());
        load.is_some_and(|l| self.lowered.stores.iter().any(|s| s.object == l.object))
    }

    fn store(&mut self, found: &Match, store: &Store) {
        found.leaves.iter().for_each(|&leaf| {
            self.class(leaf);
        });
        let tile = &self.tiles[found.tile.expect("a store is done by a tile")];
        let access = Access { object: store.object, offset: store.offset, bytes: store.bits / 8, store: true };
        self.tile(tile, found, store.sequence, Some(access));
    }

    /// The value of a class, computed now if it was not before.
    pub fn class(&mut self, class: ClassId) -> ValueId {
        let mut todo = vec![class];
        while let Some(&next) = todo.last() {
            if self.of_class.contains_key(&next) {
                todo.pop();
                continue;
            }
            let leaves = self.cover.of(next).map(|m| m.leaves.clone()).unwrap_or_default();
            let missing: Vec<ClassId> = leaves.into_iter().filter(|l| !self.of_class.contains_key(l)).collect();
            if missing.is_empty() {
                let value = self.compute(next);
                self.of_class.insert(next, value);
                todo.pop();
            } else {
                todo.extend(missing.into_iter().rev());
            }
        }
        self.of_class[&class]
    }

    fn compute(&mut self, class: ClassId) -> ValueId {
        for term in &self.dag().classes[class as usize].terms {
            match term {
                Term::Pointer(object) => return self.pointer(*object),
                Term::Given(value) => return *value,
                _ => {}
            }
        }
        let found = self.cover.of(class).expect("every class in use has a match").clone();
        let Some(tile) = found.tile else { return self.of_class[&found.leaves[0]] };
        let access = found.load.as_ref().map(|l: &Load| Access {
            object: l.object,
            offset: l.offset,
            bytes: l.bits / 8,
            store: false,
        });
        let sequence = self.dag().classes[class as usize].sequence;
        self.tile(&self.tiles[tile], &found, sequence, access)
    }

    /// The object whose pointer reaches scratch memory, and the distance from it.
    fn scratch(&self) -> (usize, i64) {
        self.objects.base(self.objects.scratch.expect("selection makes scratch memory where a recipe needs it"))
    }

    /// The operations of one tile; gives the value of its result.
    fn tile(&mut self, tile: &Tile, found: &Match, sequence: u32, access: Option<Access>) -> ValueId {
        let mut locals: Vec<ValueId> = vec![UNKNOWN; tile.locals];
        let uses_scratch = tile.steps.iter().any(is_scratch);
        if uses_scratch {
            self.shared.slot = (self.shared.slot + 1) % SLOTS;
        }
        for step in &tile.steps {
            let mut uses: Vec<Use> = step.uses.iter().map(|s| self.source(tile, found, &locals, s)).collect();
            let access = if is_scratch(step) { self.place_in_scratch(step, &mut uses) } else { access };
            let guard = step.guard.as_ref().and_then(|s| match self.source(tile, found, &locals, s) {
                Use::Value(v) => Some(v),
                _ => None,
            });
            let defined = self.step(step, uses, guard, sequence, access, found);
            step.defines.iter().zip(defined).for_each(|(&local, value)| locals[local] = value);
        }
        locals.get(tile.result).copied().unwrap_or(UNKNOWN)
    }

    /// Moves an access to scratch memory to the slot in use.
    fn place_in_scratch(&self, step: &Step, uses: &mut [Use]) -> Option<Access> {
        let (_, distance) = self.scratch();
        let mut at = i64::from(self.shared.slot * SLOT_BYTES);
        for used in uses.iter_mut() {
            if let Use::Immediate(n) = used {
                at += *n;
                *n = at + distance;
            }
        }
        let semantics = &self.isa.instructions[step.instruction as usize].semantics;
        let bytes = accessed_bytes(semantics);
        let store = touches_memory(semantics)?;
        Some(Access { object: self.objects.scratch?, offset: Some((at, 0)), bytes, store })
    }

    fn source(&mut self, tile: &Tile, found: &Match, locals: &[ValueId], source: &Source) -> Use {
        match source {
            Source::Local(k) => Use::Value(locals[*k]),
            Source::Zero => Use::Zero,
            Source::Number(_) => Use::Immediate(step_number(tile, &found.bound, source).unwrap_or(0)),
            Source::Scratch(_) => {
                let (base, _) = self.scratch();
                Use::Value(self.pointer(base))
            }
            Source::Operand(k) => match &found.bound[*k] {
                Bound::Class(class) => Use::Value(self.of_class[class]),
                Bound::Zero => Use::Zero,
                Bound::Number(n) => Use::Immediate(*n),
                Bound::Chain(..) => Use::Value(UNKNOWN),
            },
        }
    }

    /// Adds an operation, before the loop if it is the same in every iteration.
    fn push(&mut self, op: Op, memory: bool) {
        let Some(changing) = &mut self.changing else {
            self.ops.push(op);
            return;
        };
        let used = op.uses.iter().filter_map(|u| if let Use::Value(v) = u { Some(*v) } else { None });
        if memory || used.chain(op.guard).any(|v| v == UNKNOWN || changing.contains(&v)) {
            changing.extend(&op.defines);
            self.ops.push(op);
        } else {
            self.before.push(op);
        }
    }

    /// Forgets operations whose values are those of one iteration only.
    pub fn forget_changing(&mut self) {
        if let Some(changing) = &self.changing {
            self.shared.known.retain(|_, defines| !defines.iter().any(|d| changing.contains(d)));
        }
    }

    fn step(
        &mut self,
        step: &Step,
        uses: Vec<Use>,
        guard: Option<ValueId>,
        sequence: u32,
        access: Option<Access>,
        found: &Match,
    ) -> Vec<ValueId> {
        let instruction = &self.isa.instructions[step.instruction as usize];
        let memory = touches_memory(&instruction.semantics);
        let key = (step.instruction, uses.clone());
        if memory.is_none() && guard.is_none() {
            if let Some(values) = self.shared.known.get(&key) {
                return values.clone();
            }
        }
        let (name, places) = self.dag().origins[sequence as usize].clone();
        let mut defines = Vec::new();
        for operand in &instruction.defines {
            if let OperandKind::Register(class) = operand.kind {
                defines.push(self.value(&name, class));
            }
        }
        let access = access.filter(|_| memory.is_some());
        let unknown = uses.iter().position(|u| *u == Use::Value(UNKNOWN));
        let chain = found.bound.iter().find_map(|b| match b {
            Bound::Chain(base, at, step) => Some((*base, *at, *step)),
            _ => None,
        });
        if let (Some(operand), Some((base, at, step))) = (unknown, chain) {
            self.chained.push(ChainedAddress { op: self.ops.len(), operand, base, at, step });
        }
        let op = Op { instruction: step.instruction, defines: defines.clone(), uses, guard, access, places };
        self.push(op, memory.is_some());
        if memory.is_none() && guard.is_none() {
            self.shared.known.insert(key, defines.clone());
        }
        defines
    }
}

/// Whether a step touches scratch memory.
pub fn is_scratch(step: &Step) -> bool {
    step.uses.iter().any(|s| matches!(s, Source::Scratch(_)))
}

/// Bytes of the access of an instruction.
fn accessed_bytes(semantics: &[Statement]) -> u8 {
    let of = |s: &Statement| match s {
        Statement::Store(bits, ..) => bits / 8,
        Statement::Assign(_, expression) => loaded_bits(expression) / 8,
    };
    semantics.iter().map(of).max().unwrap_or(0)
}

fn loaded_bits(expression: &Expression) -> u8 {
    match expression {
        Expression::Call(Function::Load(bits), _) => *bits,
        Expression::Call(_, list) => list.iter().map(loaded_bits).max().unwrap_or(0),
        Expression::Binary(_, x, y) => loaded_bits(x).max(loaded_bits(y)),
        Expression::Not(x) => loaded_bits(x),
        Expression::Select(c, x, y) => loaded_bits(c).max(loaded_bits(x)).max(loaded_bits(y)),
        Expression::Name(_) | Expression::Number(_) => 0,
    }
}

/// Whether an instruction loads (`Some(false)`) or stores (`Some(true)`).
#[must_use]
pub fn touches_memory(semantics: &[Statement]) -> Option<bool> {
    let mut found = None;
    for statement in semantics {
        match statement {
            Statement::Store(..) => return Some(true),
            Statement::Assign(_, expression) if loads(expression) => found = Some(false),
            Statement::Assign(..) => {}
        }
    }
    found
}

fn loads(expression: &Expression) -> bool {
    match expression {
        Expression::Name(_) | Expression::Number(_) => false,
        Expression::Not(x) => loads(x),
        Expression::Binary(_, x, y) => loads(x) || loads(y),
        Expression::Select(c, x, y) => loads(c) || loads(x) || loads(y),
        Expression::Call(Function::Load(_), _) => true,
        Expression::Call(_, list) => list.iter().any(loads),
    }
}
