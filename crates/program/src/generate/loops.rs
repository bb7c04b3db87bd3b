//! Random loops.

use super::function::FunctionGenerator;
use crate::ir::{Address, Affine, Block, Loop, LoopTag, Op, OpKind, Operand, Type, ValueId};
use crate::text::words::COMPARE;

/// Deepest nesting of loops.
const DEEPEST: usize = 3;

impl FunctionGenerator<'_> {
    /// A loop with one to three bodies that carries some words and arrays.
    pub(super) fn any_loop(&mut self, ops: &mut Vec<Op>) {
        if self.depth == DEEPEST || self.budget < 8 {
            return;
        }
        let types = self.carried();
        let init = types.iter().map(|ty| self.argument(ops, ty)).collect();
        let iterations = 1 + self.random.below(6);
        let pattern = self.pattern(iterations);
        let count = pattern.iter().max().map_or(1, |&b| usize::from(b) + 1);
        let mut l = self.header(init, pattern);
        let share = 1 + self.budget / (2 * count);
        for n in 0..count {
            let body = self.body(&l.iterations_of(n), &types, share);
            l.bodies.push(body);
        }
        self.push(ops, OpKind::Loop(Box::new(l)), types);
    }

    /// Types of what a loop carries: sometimes words of one width, that can change places.
    fn carried(&mut self) -> Vec<Type> {
        if self.random.chance(30) {
            return vec![Type::Word(self.width()); 2 + self.random.below(4)];
        }
        let count = 1 + self.random.below(4);
        (0..count)
            .map(|_| match self.any(|ty| *ty != Type::Index) {
                Some(v) => self.builder.ty(v).clone(),
                None => Type::Word(self.width()),
            })
            .collect()
    }

    fn header(&mut self, init: Vec<Operand>, pattern: Vec<u8>) -> Loop {
        let tag = self.random.pick(&[LoopTag::Rounds, LoopTag::Steps]);
        let counter = self.random.pick(&["i", "j", ""]).to_owned();
        let (from, step) = (self.random.from_to(-5, 20), self.random.pick(&[1, 1, 2, -1]));
        Loop { tag, counter, from, step, init, pattern, bodies: Vec::new() }
    }

    /// Which iteration runs which body: numbered by first use, at most three.
    fn pattern(&mut self, iterations: usize) -> Vec<u8> {
        let most = self.random.pick(&[1, 1, 2, 3]);
        let mut pattern: Vec<u8> = Vec::new();
        for _ in 0..iterations {
            let used = pattern.iter().max().map_or(0, |&b| usize::from(b) + 1);
            pattern.push(self.random.below(most.min(used + 1)) as u8);
        }
        pattern
    }

    fn body(&mut self, iterations: &[u32], types: &[Type], share: usize) -> Block {
        let outside = self.scope.len();
        let counter = self.new_value(Type::Index);
        self.indices.add_counter(counter, iterations);
        let mut params = vec![counter];
        params.extend(types.iter().map(|ty| self.new_value(ty.clone())).collect::<Vec<_>>());
        let mut ops = Vec::new();
        let times = self.times;
        self.depth += 1;
        self.times *= iterations.len() as u64;
        self.operations(&mut ops, share);
        self.depth -= 1;
        self.times = times;
        let outputs = match types {
            [Type::Word(width), _, ..] if types.iter().all(|ty| *ty == types[0]) && self.random.chance(60) => {
                self.change_places(&mut ops, &params[1..], *width)
            }
            _ => types.iter().map(|ty| self.output(ty)).collect(),
        };
        self.scope.truncate(outside);
        Block { params, ops, outputs }
    }

    /// Carried words move on by some places; one of them is what a comparison chooses.
    fn change_places(&mut self, ops: &mut Vec<Op>, carried: &[ValueId], width: u8) -> Vec<Operand> {
        let mut pick = || Operand::Value(self.random.pick(carried));
        let (a, b, c, d) = (pick(), pick(), pick(), pick());
        let which = self.random.pick(&COMPARE).1;
        let condition = self.push(ops, OpKind::Compare(which, a, b), vec![Type::Word(1)])[0];
        let kind = OpKind::Select(Operand::Value(condition), c, d);
        let chosen = self.push(ops, kind, vec![Type::Word(width)])[0];
        let mut outputs: Vec<Operand> = carried.iter().map(|&v| Operand::Value(v)).collect();
        outputs.rotate_left(1 + self.random.below(carried.len() - 1));
        let place = self.random.below(outputs.len());
        outputs[place] = Operand::Value(chosen);
        outputs
    }

    /// Something of a type that is in scope: what the body made, or a carried value, perhaps from another position.
    fn output(&mut self, ty: &Type) -> Operand {
        match ty {
            Type::Word(width) => self.operand(*width),
            _ => {
                let known: Vec<ValueId> = self.of_type(ty);
                Operand::Value(if self.random.chance(70) { known[known.len() - 1] } else { self.random.pick(&known) })
            }
        }
    }

    /// An array that begins unwritten and is filled by a loop, each cell or row once.
    pub(super) fn filled_array(&mut self, ops: &mut Vec<Op>) {
        let shape = self.array_type();
        let ty = Type::Array(shape.clone());
        let outside = self.scope.len();
        let empty = self.push(ops, OpKind::Array(Vec::new()), vec![ty.clone()])[0];
        // Nothing but the loop may see the unwritten array.
        self.scope.truncate(outside);
        let iterations: Vec<u32> = (0..shape.dims[0]).collect();
        let counter = self.new_value(Type::Index);
        self.indices.add_counter(counter, &iterations);
        let mut inner = Vec::new();
        let words = self.operands(shape.len() / iterations.len(), shape.width);
        let carried = self.new_value(ty.clone());
        let (row, name) = (Affine { terms: vec![(1, counter)], constant: 0 }, vec![ty.clone()]);
        let address = Address { affine: row, ring: self.random.chance(20) };
        let stored = if shape.dims.len() == 2 && self.random.chance(50) {
            self.fill_row(&mut inner, carried, address, &words, &ty)
        } else {
            self.push(&mut inner, OpKind::Store(carried, vec![address], words), name)[0]
        };
        let body = Block { params: vec![counter, carried], ops: inner, outputs: vec![Operand::Value(stored)] };
        self.scope.truncate(outside);
        let mut l = self.header(vec![Operand::Value(empty)], vec![0; iterations.len()]);
        l.bodies.push(body);
        self.push(ops, OpKind::Loop(Box::new(l)), vec![ty]);
    }

    /// A row written element by element.
    fn fill_row(&mut self, ops: &mut Vec<Op>, array: ValueId, row: Address, words: &[Operand], ty: &Type) -> ValueId {
        words.iter().enumerate().fold(array, |array, (n, &word)| {
            let column = Address { affine: Affine { terms: Vec::new(), constant: n as i64 }, ring: false };
            let kind = OpKind::Store(array, vec![row.clone(), column], vec![word]);
            self.push(ops, kind, vec![ty.clone()])[0]
        })
    }
}
