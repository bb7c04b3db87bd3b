//! From loops to instructions.

use std::collections::BTreeMap;

use super::code::{Instruction, Slot};
use super::compile::FunctionCompiler;
use super::liveness::{inner_uses, LastUses};
use super::moves::in_order;
use crate::ir::{Loop, Op, Operand, ValueId};

impl<'a> FunctionCompiler<'_, 'a> {
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

    /// A loop whose initial arrays may be taken over where operation `n` of the block is their last use.
    pub(super) fn loop_(&mut self, op: &'a Op, l: &'a Loop, last: &LastUses, n: usize) {
        let places = self.carried(op, l, last, n);
        let iteration = self.all.memory.allocate(1);
        self.emit(Instruction::Zero { to: iteration });
        let targets = self.code.targets.len() as u32;
        self.code.targets.push(Vec::new());
        let head = self.here();
        if l.bodies.len() > 1 {
            self.emit(Instruction::Body { iteration, targets });
        }
        let mut starts = Vec::new();
        let mut ends = Vec::new();
        self.iterations.push(iteration);
        for body in &l.bodies {
            starts.push(self.here());
            self.place_at(body.params[0], iteration);
            for (&param, &place) in body.params[1..].iter().zip(&places) {
                self.place_at(param, place);
            }
            self.block(body);
            self.yield_to(&op.results, &places, &body.outputs);
            ends.push(self.here() as usize);
            self.emit(Instruction::Next { iteration, count: l.pattern.len() as u32, head, end: 0 });
        }
        self.iterations.pop();
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
