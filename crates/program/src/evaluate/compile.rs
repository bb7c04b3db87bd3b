//! From functions to instructions: where values stand, loops, calls.

use std::collections::HashMap;

use super::code::{Code, Instruction, List, Note, Origin, Slot, Sum, Variable};
use super::field::Multiplier;
use super::liveness::LastUses;
use super::machine::Memory;
use crate::builder::author_name;
use crate::diagnostic::Diagnostic;
use crate::ir::{Block, Function, Op, OpKind, Operand, Program, Type, ValueId};

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
    /// The iteration numbers around the current operation.
    pub(super) iterations: Vec<Slot>,
    origin: u32,
}

impl<'c, 'a> FunctionCompiler<'c, 'a> {
    fn new(all: &'c mut Compiler<'a>, function: &'a Function) -> Self {
        let code = Code { name: function.name.clone(), ..Code::default() };
        FunctionCompiler {
            all,
            function,
            code,
            slots: vec![0; function.values.len()],
            iterations: Vec::new(),
            origin: 0,
        }
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

    pub(super) fn block(&mut self, block: &'a Block) {
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
        let mut origin = Origin { places: op.places.clone(), iterations: self.iterations.clone(), ..Origin::default() };
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

    pub(super) fn here(&self) -> u32 {
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
    pub(super) fn size(&self, v: ValueId) -> usize {
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
}

fn variable(name: &str, slot: Slot, ty: &Type) -> Variable {
    let (width, dims) = match ty {
        Type::Word(width) => (*width, Vec::new()),
        Type::Array(array) => (array.width, array.dims.clone()),
        Type::Index => (64, Vec::new()),
    };
    Variable { name: name.to_owned(), slot, width, dims }
}
