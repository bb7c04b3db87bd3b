//! From functions to instructions: where values stand, loops, calls.

use std::collections::{BTreeMap, HashMap};

use super::code::{Code, Instruction, List, Multiplier, Note, Origin, Slot, Sum, Variable};
use super::liveness::{inner_uses, LastUses};
use super::machine::Memory;
use super::moves::in_order;
use crate::builder::author_name;
use crate::diagnostic::Diagnostic;
use crate::ir::{Block, Function, Loop, Op, OpKind, Operand, Program, Type, ValueId};

/// Most slots of all functions together.
const MOST_SLOTS: usize = 1 << 26;

/// Everything compiled so far.
pub(super) struct Compiler<'a> {
    pub(super) program: &'a Program,
    pub(super) memory: Memory,
    pub(super) functions: Vec<Code>,
    pub(super) tables: Vec<Slot>,
    constants: HashMap<u64, Slot>,
    /// Whether notes are made for an observer.
    tracing: bool,
}

impl<'a> Compiler<'a> {
    /// Compiles a verified program.
    pub(super) fn compile(program: &'a Program, tracing: bool) -> Result<Self, Diagnostic> {
        let mut compiler = Compiler {
            program,
            memory: Memory::default(),
            functions: Vec::new(),
            tables: Vec::new(),
            constants: HashMap::new(),
            tracing,
        };
        for table in &program.tables {
            let slot = compiler.memory.allocate(table.data.len());
            compiler.tables.push(slot);
            compiler.memory.words[slot as usize..].copy_from_slice(&table.data);
        }
        for function in &program.functions {
            let code = FunctionCompiler::new(&mut compiler, function).compile();
            compiler.functions.push(code);
            if compiler.memory.words.len() > MOST_SLOTS {
                let message = format!("function `{}` needs too much memory to be evaluated", function.name);
                return Err(Diagnostic::new("P202", message).note(format!("expected at most {MOST_SLOTS} words")));
            }
        }
        Ok(compiler)
    }

    fn constant(&mut self, n: u64) -> Slot {
        let memory = &mut self.memory;
        *self.constants.entry(n).or_insert_with(|| {
            let slot = memory.allocate(1);
            memory.words[slot as usize] = n;
            slot
        })
    }

    /// The matrices, ready to multiply.
    pub(super) fn multipliers(&self) -> Vec<Multiplier> {
        self.program.matrices.iter().map(Multiplier::new).collect()
    }
}

/// One function being compiled.
pub(super) struct FunctionCompiler<'c, 'a> {
    pub(super) all: &'c mut Compiler<'a>,
    pub(super) function: &'a Function,
    pub(super) code: Code,
    slots: Vec<Slot>,
    /// The trip numbers around the current operation.
    trips: Vec<Slot>,
    origin: u32,
}

impl<'c, 'a> FunctionCompiler<'c, 'a> {
    fn new(all: &'c mut Compiler<'a>, function: &'a Function) -> Self {
        let code = Code { name: function.name.clone(), ..Code::default() };
        FunctionCompiler { all, function, code, slots: vec![0; function.values.len()], trips: Vec::new(), origin: 0 }
    }

    fn compile(mut self) -> Code {
        let function = self.function;
        self.code.origins.push(Origin::default());
        for &param in &function.params {
            let slot = self.place(param);
            let data = &function.values[param.0 as usize];
            let variable = variable(author_name(&data.name), slot, &data.ty);
            self.code.params.push(variable);
        }
        self.block(&function.body);
        for (&output, ty) in function.body.outputs.iter().zip(&function.results) {
            let name = match output {
                Operand::Value(v) => author_name(&function.values[v.0 as usize].name),
                Operand::Const(_) => "",
            };
            let slot = self.operand(output);
            self.code.results.push(variable(name, slot, ty));
        }
        self.emit(Instruction::Return);
        self.code
    }

    fn block(&mut self, block: &'a Block) {
        let last = LastUses::of(block, &self.function.values);
        for (n, op) in block.ops.iter().enumerate() {
            self.new_origin(op);
            match &op.kind {
                OpKind::Loop(l) => self.loop_(op, l, &last, n),
                OpKind::Store(array, addresses, words) => {
                    self.store(op.results[0], *array, addresses, words, last.ends_at(*array, n));
                }
                _ => self.operation(op),
            }
            self.notes(op);
        }
    }

    /// What the next instructions come from.
    fn new_origin(&mut self, op: &Op) {
        let mut origin = Origin { places: op.places.clone(), trips: self.trips.clone(), ..Origin::default() };
        if let OpKind::Load(array, _) = &op.kind {
            let data = &self.function.values[array.0 as usize];
            origin.array = author_name(&data.name).to_owned();
            if let Type::Array(ty) = &data.ty {
                origin.shape = (self.slot(*array), ty.dims.clone());
            }
        }
        self.origin = self.code.origins.len() as u32;
        self.code.origins.push(origin);
    }

    fn notes(&mut self, op: &Op) {
        if !self.all.tracing {
            return;
        }
        // A loop has compiled other operations since.
        self.new_origin(op);
        for &result in &op.results {
            let data = &self.function.values[result.0 as usize];
            let name = author_name(&data.name);
            let elements = match &data.ty {
                Type::Array(ty) => Some(ty.len() as u32),
                Type::Word(_) => None,
                Type::Index => continue,
            };
            if !name.chars().all(|c| c.is_ascii_digit()) {
                let note = self.code.notes.len() as u32;
                let slot = self.slot(result);
                self.code.notes.push(Note { name: name.to_owned(), slot, elements, origin: self.origin });
                self.emit(Instruction::Note { note });
            }
        }
    }

    pub(super) fn emit(&mut self, instruction: Instruction) {
        self.code.instructions.push(instruction);
        self.code.origin_of.push(self.origin);
    }

    fn here(&self) -> u32 {
        self.code.instructions.len() as u32
    }

    /// Elements of an array; `None` for a word.
    pub(super) fn elements(&self, v: ValueId) -> Option<usize> {
        match &self.function.values[v.0 as usize].ty {
            Type::Array(ty) => Some(ty.len()),
            _ => None,
        }
    }

    /// Slots of a value.
    fn size(&self, v: ValueId) -> usize {
        self.elements(v).unwrap_or(1)
    }

    /// Gives a value a place of its own.
    pub(super) fn place(&mut self, v: ValueId) -> Slot {
        let slot = self.all.memory.allocate(self.size(v));
        self.slots[v.0 as usize] = slot;
        slot
    }

    /// Gives a value the place of another one.
    pub(super) fn place_at(&mut self, v: ValueId, slot: Slot) {
        self.slots[v.0 as usize] = slot;
    }

    pub(super) fn slot(&self, v: ValueId) -> Slot {
        self.slots[v.0 as usize]
    }

    pub(super) fn operand(&mut self, operand: Operand) -> Slot {
        match operand {
            Operand::Value(v) => self.slot(v),
            Operand::Const(n) => self.all.constant(n),
        }
    }

    pub(super) fn list(&mut self, entries: Vec<u32>) -> List {
        let start = self.code.lists.len() as u32;
        let count = entries.len() as u32;
        self.code.lists.extend(entries);
        List { start, count }
    }

    pub(super) fn operand_list(&mut self, operands: &[Operand]) -> List {
        let slots = operands.iter().map(|&o| self.operand(o)).collect();
        self.list(slots)
    }

    pub(super) fn sum(&mut self, to: Slot, sum: Sum) {
        self.emit(Instruction::Sum { to, sum: self.code.sums.len() as u32 });
        self.code.sums.push(sum);
    }

    /// Copies a word, or an array with its unwritten cells.
    pub(super) fn move_one(&mut self, to: Slot, from: Slot, elements: Option<usize>) {
        self.emit(match elements {
            None => Instruction::Move { to, from },
            Some(count) => Instruction::Copy { to, from, count: count as u32 },
        });
    }

    /// Places of the carried values. The place of an initial array is taken over if the loop is its last use.
    fn carried(&mut self, op: &Op, l: &Loop, last: &LastUses, n: usize) -> Vec<Slot> {
        let mut inside = Vec::new();
        inner_uses(l, &mut |v| inside.push(v));
        let mut places = Vec::new();
        for (&init, &result) in l.init.iter().zip(&op.results) {
            let free = match init {
                Operand::Value(v) => {
                    let once = l.init.iter().filter(|&&o| o == init).count() == 1;
                    (last.ends_at(v, n) && once && !inside.contains(&v)).then(|| self.slot(v))
                }
                Operand::Const(_) => None,
            };
            let place = match free {
                Some(slot) => slot,
                None => {
                    let slot = self.all.memory.allocate(self.size(result));
                    let from = self.operand(init);
                    self.move_one(slot, from, self.elements(result));
                    slot
                }
            };
            places.push(place);
        }
        places
    }

    fn loop_(&mut self, op: &'a Op, l: &'a Loop, last: &LastUses, n: usize) {
        let places = self.carried(op, l, last, n);
        let trip = self.all.memory.allocate(1);
        self.emit(Instruction::Zero { to: trip });
        let targets = self.code.targets.len() as u32;
        self.code.targets.push(Vec::new());
        let head = self.here();
        self.emit(Instruction::Body { trip, targets });
        let mut starts = Vec::new();
        let mut ends = Vec::new();
        self.trips.push(trip);
        for body in &l.bodies {
            starts.push(self.here());
            self.place_at(body.params[0], trip);
            for (&param, &place) in body.params[1..].iter().zip(&places) {
                self.place_at(param, place);
            }
            self.block(body);
            self.yield_to(&op.results, &places, &body.outputs);
            ends.push(self.here() as usize);
            self.emit(Instruction::Next { trip, count: l.pattern.len() as u32, head, end: 0 });
        }
        self.trips.pop();
        let after = self.here();
        for end in ends {
            if let Instruction::Next { end, .. } = &mut self.code.instructions[end] {
                *end = after;
            }
        }
        self.code.targets[targets as usize] = l.pattern.iter().map(|&b| starts[usize::from(b)]).collect();
        for (&result, &place) in op.results.iter().zip(&places) {
            self.place_at(result, place);
        }
    }

    /// Moves what a body yields to the places of the carried values, each size on its own since only equal types change places.
    fn yield_to(&mut self, results: &[ValueId], places: &[Slot], outputs: &[Operand]) {
        let mut by_size: BTreeMap<Option<usize>, Vec<(Slot, Slot)>> = BTreeMap::new();
        for ((&result, &place), &output) in results.iter().zip(places).zip(outputs) {
            let from = self.operand(output);
            by_size.entry(self.elements(result)).or_default().push((place, from));
        }
        for (elements, moves) in by_size {
            for (to, from) in in_order(moves, || self.all.memory.allocate(elements.unwrap_or(1))) {
                self.move_one(to, from, elements);
            }
        }
    }
}

fn variable(name: &str, slot: Slot, ty: &Type) -> Variable {
    let (width, dims) = match ty {
        Type::Word(width) => (*width, Vec::new()),
        Type::Array(array) => (array.width, array.dims.clone()),
        Type::Index => (64, Vec::new()),
    };
    Variable { name: name.to_owned(), slot, width, dims }
}
