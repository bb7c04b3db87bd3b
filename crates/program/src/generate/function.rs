//! A random function: what is in scope, and how values come to be.

use super::random::Random;
use crate::builder::Builder;
use crate::indices::Indices;
use crate::ir::{ArrayType, Block, Function, Op, OpKind, Operand, Place, Program, Type, ValueId};

/// Author's names.
const NAMES: [&str; 12] = ["a", "b", "c", "t", "u", "w", "A", "B", "state", "key_2", "x0", ""];

/// A function under construction.
pub(super) struct FunctionGenerator<'g> {
    pub(super) random: &'g mut Random,
    pub(super) program: &'g Program,
    /// Widths of words, each as often as it stands here.
    widths: &'g [u8],
    pub(super) builder: Builder,
    pub(super) indices: Indices,
    /// Every value that may be used now.
    pub(super) scope: Vec<ValueId>,
    /// Operations that may still be made.
    pub(super) budget: usize,
    /// Loops around the current block.
    pub(super) depth: usize,
    /// How often the current block runs when the function runs once.
    pub(super) times: u64,
    /// Types of arrays that are used again, so that values of one type meet.
    arrays: Vec<ArrayType>,
}

impl<'g> FunctionGenerator<'g> {
    pub(super) fn new(random: &'g mut Random, program: &'g Program, size: usize, widths: &'g [u8]) -> Self {
        let arrays = (0..3).map(|_| array_type(random, widths)).collect();
        FunctionGenerator {
            random,
            program,
            widths,
            builder: Builder::default(),
            indices: Indices::default(),
            scope: Vec::new(),
            budget: size,
            depth: 0,
            times: 1,
            arrays,
        }
    }

    pub(super) fn function(mut self, name: String) -> Function {
        let mut params = Vec::new();
        for _ in 0..1 + self.random.below(5) {
            let ty = if self.random.chance(40) { Type::Array(self.array_type()) } else { Type::Word(self.width()) };
            params.push(self.new_value(ty));
        }
        let mut ops = Vec::new();
        self.operations(&mut ops, usize::MAX);
        let mut results = Vec::new();
        let mut outputs = Vec::new();
        // The last values depend on most of the others.
        for &v in self.scope.iter().rev().filter(|&&v| *self.builder.ty(v) != Type::Index).take(6) {
            results.push(self.builder.ty(v).clone());
            outputs.push(Operand::Value(v));
        }
        let body = Block { params: Vec::new(), ops, outputs };
        let mut function = Function { name, params, results, values: Vec::new(), body };
        self.builder.finish(&mut function);
        function
    }

    pub(super) fn width(&mut self) -> u8 {
        // Often the width of something at hand.
        match self.scope.last().map(|&v| self.builder.ty(v).clone()) {
            Some(Type::Word(width)) if self.random.chance(50) => width,
            _ => self.random.pick(self.widths),
        }
    }

    pub(super) fn array_type(&mut self) -> ArrayType {
        self.random.pick(&self.arrays)
    }

    /// A value with a random name, in scope from now on.
    pub(super) fn new_value(&mut self, ty: Type) -> ValueId {
        let name = self.random.pick(&NAMES);
        let width = if let Type::Word(width) = ty { Some(width) } else { None };
        let v = self.builder.value(name, ty);
        if let Some(width) = width {
            self.indices.add_word(v, width);
        }
        self.scope.push(v);
        v
    }

    /// Ends with an operation: its results come into scope.
    pub(super) fn push(&mut self, ops: &mut Vec<Op>, kind: OpKind, results: Vec<Type>) -> Vec<ValueId> {
        let places = (0..self.random.below(4)).map(|_| self.place()).collect();
        let results: Vec<ValueId> = results.into_iter().map(|ty| self.new_value(ty)).collect();
        ops.push(Op { kind, results: results.clone(), places });
        self.budget = self.budget.saturating_sub(1);
        results
    }

    fn place(&mut self) -> Place {
        let file = self.random.below(self.program.files.len()) as u16;
        Place { file, line: 1 + self.random.below(200) as u32, column: 1 + self.random.below(100) as u32 }
    }

    /// The values in scope of one type.
    pub(super) fn of_type(&self, ty: &Type) -> Vec<ValueId> {
        self.scope.iter().copied().filter(|&v| self.builder.ty(v) == ty).collect()
    }

    /// Some value in scope that a test accepts.
    pub(super) fn any(&mut self, accept: impl Fn(&Type) -> bool) -> Option<ValueId> {
        let found: Vec<_> = self.scope.iter().copied().filter(|&v| accept(self.builder.ty(v))).collect();
        if found.is_empty() {
            return None;
        }
        // Recent values more often, so that long chains arise.
        let recent = found.len().saturating_sub(6);
        Some(if self.random.chance(60) { self.random.pick(&found[recent..]) } else { self.random.pick(&found) })
    }

    /// A word of a width; a constant operation if there is none.
    pub(super) fn value(&mut self, ops: &mut Vec<Op>, width: u8) -> ValueId {
        if let Some(v) = self.any(|ty| *ty == Type::Word(width)) {
            return v;
        }
        let number = self.random.word(width);
        self.push(ops, OpKind::Const(number), vec![Type::Word(width)])[0]
    }

    /// A word or a number that fits.
    pub(super) fn operand(&mut self, width: u8) -> Operand {
        let found = if self.random.chance(85) { self.any(|ty| *ty == Type::Word(width)) } else { None };
        match found {
            Some(v) => Operand::Value(v),
            None => Operand::Const(self.random.word(width)),
        }
    }

    pub(super) fn operands(&mut self, count: usize, width: u8) -> Vec<Operand> {
        (0..count).map(|_| self.operand(width)).collect()
    }
}

fn array_type(random: &mut Random, widths: &[u8]) -> ArrayType {
    let width = random.pick(widths);
    let dims = (0..1 + random.below(2)).map(|_| 1 + random.below(7) as u32).collect();
    ArrayType { width, dims }
}
