//! Loops, written with words for carried bytes.

use super::emit::Emitter;
use super::facts::uses_inside;
use crate::ir::{Block, Loop, Op, OpKind, Operand, Type, ValueId};

impl<'a> Emitter<'a> {
    pub(super) fn write_loop(&mut self, op: &'a Op, l: &'a Loop) {
        self.prepare(l);
        let carried: &'a [(usize, usize)] = &self.groups.carried[&op.results[0]];
        let init = self.carried_operands(&l.init, carried);
        let results = self.carried_values(&op.results, carried);
        let mut new = Loop { init, bodies: Vec::new(), pattern: l.pattern.clone(), counter: l.counter.clone(), ..*l };
        for body in &l.bodies {
            new.bodies.push(self.write_body(body, carried));
        }
        self.out.push(Op { kind: OpKind::Loop(Box::new(new)), results: results.clone(), places: op.places.clone() });
        self.define_carried(&op.results, &results, carried);
    }

    fn write_body(&mut self, body: &'a Block, carried: &'a [(usize, usize)]) -> Block {
        let mark = self.journal.len();
        let out = std::mem::take(&mut self.out);
        let block = std::mem::replace(&mut self.block, self.facts.body_number(body));
        let counter = body.params[0];
        let mut params = vec![counter];
        self.stand(counter, Operand::Value(counter));
        params.extend(self.carried_values(&body.params[1..], carried));
        self.define_carried(&body.params[1..], &params[1..], carried);
        self.ops(&body.ops);
        let outputs = self.carried_operands(&body.outputs, carried);
        self.block = block;
        let ops = std::mem::replace(&mut self.out, out);
        self.forget(mark);
        Block { params, ops, outputs }
    }

    /// Writes what the bodies of a loop need from outside before the loop.
    fn prepare(&mut self, l: &Loop) {
        let mut needed = Vec::new();
        uses_inside(l, &mut |v| needed.push(v));
        let (first, end) = self.facts.blocks_of_loop(l);
        for v in needed {
            match self.groups.home.get(&v) {
                _ if (first..end).contains(&self.facts.def(v).block) => {}
                Some(&(group, _)) => drop(self.group_word(group)),
                None => drop(self.value(v)),
            }
        }
    }

    fn carried_operands(&mut self, list: &[Operand], carried: &[(usize, usize)]) -> Vec<Operand> {
        let mut new = Vec::new();
        let mut n = 0;
        while n < list.len() {
            match carried.iter().find(|c| c.0 == n) {
                Some(&(_, count)) => {
                    new.push(self.word(&list[n..n + count]));
                    n += count;
                }
                None => {
                    new.push(self.operand(list[n]));
                    n += 1;
                }
            }
        }
        new
    }

    /// New values for groups, the old ones for the rest.
    fn carried_values(&mut self, list: &[ValueId], carried: &[(usize, usize)]) -> Vec<ValueId> {
        let mut new = Vec::new();
        let mut n = 0;
        while n < list.len() {
            match carried.iter().find(|c| c.0 == n) {
                Some(&(_, count)) => {
                    let name = self.builder.values[list[n].0 as usize].name.clone();
                    new.push(self.builder.value(&name, Type::Word(8 * count as u8)));
                    n += count;
                }
                None => {
                    new.push(list[n]);
                    n += 1;
                }
            }
        }
        new
    }

    fn define_carried(&mut self, old: &[ValueId], new: &[ValueId], carried: &[(usize, usize)]) {
        let mut n = 0;
        for &value in new {
            match carried.iter().find(|c| c.0 == n) {
                Some(&(_, count)) => {
                    let (group, _) = self.groups.home[&old[n]];
                    self.set_group(group, Operand::Value(value));
                    n += count;
                }
                None => {
                    self.stand(old[n], Operand::Value(value));
                    n += 1;
                }
            }
        }
    }
}
