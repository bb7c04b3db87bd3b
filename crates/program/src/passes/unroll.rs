//! `unroll`: several iterations of a loop become one, or all of them straight-line code.
//!
//! Options: `factor` is `full` (the default), a number of iterations, `period` (the period in which the bodies of a
//! loop alternate; loops with one body stay) or `ring` (the fewest iterations after which every ring address has come round, so that it no
//! longer depends on the iteration), `remainders` (the same of indices that are divided by a number) or `places` (the fewest iterations
//! after which carried values that change places are back in theirs); `tag` keeps to `rounds` or `steps`; `function` keeps to functions whose names are joined by `+`;
//! `most` leaves loops alone that would give more operations than this (with `places` more values); `extent` leaves rings of more elements out of `ring`;
//! `only` keeps to loops inside of loops (`inner`) or to loops that hold loops (`outer`).
//!
//! Identity: iteration `n*q + k` of the old loop is part `k` of iteration `q` of the new one. Iterations that do not fill a whole new iteration are
//! written out after the loop.

mod places;

use super::rewrite::reduce_amounts;
use super::{Pass, Settings};
use crate::builder::{replaced, Builder, Replacements};
use crate::diagnostic::Diagnostic;
use crate::ir::{Address, Affine, Block, Loop, LoopTag, Op, OpKind, Operand, Program, Type, ValueId};
use crate::walk::{count_ops, for_each_op, slots_mut, Slot};

/// See the module's text.
pub struct Unroll;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Factor {
    Full,
    Iterations(usize),
    Period,
    Ring,
    Remainders,
    Places,
}

struct Plan {
    factor: Factor,
    tag: Option<LoopTag>,
    most: usize,
    extent: usize,
    only: Option<LoopFilter>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LoopFilter {
    Inner,
    Outer,
}

impl Pass for Unroll {
    fn name(&self) -> &'static str {
        "unroll"
    }

    fn description(&self) -> &'static str {
        "write several or all iterations of a loop one after the other"
    }

    fn options(&self) -> &'static [&'static str] {
        &["factor", "tag", "function", "most", "extent", "only"]
    }

    fn run(&self, program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
        let plan = plan(settings)?;
        for function in settings.functions(program) {
            let shapes: Vec<Type> = function.values.iter().map(|v| v.ty.clone()).collect();
            let mut builder = Builder::new(function);
            let mut unroller = Unroller { builder: &mut builder, plan: &plan, shapes, depth: 0 };
            unroller.block(&mut function.body, &mut Replacements::new());
            builder.finish(function);
            reduce_amounts(function);
        }
        Ok(())
    }
}

fn plan(settings: &Settings<'_>) -> Result<Plan, Diagnostic> {
    let factor = match settings.options.get("factor").map(String::as_str) {
        None | Some("full") => Factor::Full,
        Some("period") => Factor::Period,
        Some("ring") => Factor::Ring,
        Some("remainders") => Factor::Remainders,
        Some("places") => Factor::Places,
        Some(_) => match settings.number("factor", 1)? {
            0 => return Err(Diagnostic::new("S017", "the option `factor` of a pass cannot be 0")),
            n => Factor::Iterations(n as usize),
        },
    };
    let tag = match settings.choice("tag", &["any", "rounds", "steps"])? {
        "rounds" => Some(LoopTag::Rounds),
        "steps" => Some(LoopTag::Steps),
        _ => None,
    };
    let only = match settings.choice("only", &["any", "inner", "outer"])? {
        "inner" => Some(LoopFilter::Inner),
        "outer" => Some(LoopFilter::Outer),
        _ => None,
    };
    let (most, extent) = (settings.number("most", 20_000)? as usize, settings.number("extent", u64::from(u32::MAX))?);
    Ok(Plan { factor, tag, most, extent: extent as usize, only })
}

struct Unroller<'a> {
    builder: &'a mut Builder,
    plan: &'a Plan,
    shapes: Vec<Type>,
    depth: usize,
}

impl Unroller<'_> {
    /// Unrolls the loops of a block, the innermost first; `map` says what stands for results that are gone.
    fn block(&mut self, block: &mut Block, map: &mut Replacements) {
        let mut out = Vec::new();
        for op in std::mem::take(&mut block.ops) {
            let mut one = Block { ops: vec![op], ..Block::default() };
            self.builder.substitute(&mut one, map);
            let Some(mut op) = one.ops.pop() else { continue };
            out.append(&mut one.ops);
            match &mut op.kind {
                OpKind::Loop(l) => {
                    self.depth += 1;
                    l.bodies.iter_mut().for_each(|body| self.block(body, &mut Replacements::new()));
                    self.depth -= 1;
                    let iterations = self.iterations(l);
                    self.unrolled(op, iterations, &mut out, map);
                }
                _ => out.push(op),
            }
        }
        block.ops = out;
        block.outputs.iter_mut().for_each(|o| *o = replaced(*o, map));
    }

    /// How many iterations of the loop become one; 1 leaves it alone.
    fn iterations(&self, l: &Loop) -> usize {
        let all = l.pattern.len();
        let holds = l.bodies.iter().flat_map(|body| &body.ops).any(|op| matches!(op.kind, OpKind::Loop(_)));
        let wanted = match self.plan.only {
            None => true,
            Some(LoopFilter::Inner) => self.depth > 0,
            Some(LoopFilter::Outer) => holds,
        };
        if !wanted || self.plan.tag.is_some_and(|tag| tag != l.tag) {
            return 1;
        }
        let wanted = match self.plan.factor {
            Factor::Full => all,
            Factor::Iterations(n) => n.min(all),
            Factor::Period if l.bodies.len() == 1 => 1,
            Factor::Period => period(&l.pattern),
            Factor::Ring => self.ring_period(l),
            Factor::Remainders => remainder_period(l),
            Factor::Places => places::period(l),
        };
        let size = match self.plan.factor {
            Factor::Places => places::values(l),
            _ => l.bodies.iter().map(count_ops).max().unwrap_or(0),
        };
        if size * wanted > self.plan.most {
            1
        } else {
            wanted
        }
    }

    /// The fewest iterations after which every ring address that moves with the iteration has come round.
    fn ring_period(&self, l: &Loop) -> usize {
        let mut iterations = 1;
        for body in &l.bodies {
            for_each_op(body, &mut |op| {
                let (array, addresses): (_, &[Address]) = match &op.kind {
                    OpKind::Load(array, addresses) | OpKind::Store(array, addresses, _) => (array, addresses),
                    _ => return,
                };
                let Some(Type::Array(ty)) = self.shapes.get(array.0 as usize) else { return };
                for (address, &extent) in
                    addresses.iter().zip(&ty.dims).filter(|(a, d)| a.ring && **d as usize <= self.plan.extent)
                {
                    iterations = lcm(iterations, comes_round(&address.affine, body.params[0], extent as usize));
                }
            });
        }
        iterations.min(l.pattern.len())
    }

    fn unrolled(&mut self, op: Op, iterations: usize, out: &mut Vec<Op>, map: &mut Replacements) {
        let OpKind::Loop(l) = op.kind else { return };
        let whole = l.pattern.len() / iterations;
        if iterations == 1 && whole > 1 {
            out.push(Op { kind: OpKind::Loop(l), ..op });
            return;
        }
        let mut current = l.init.clone();
        if whole > 1 {
            let new = self.widened(&l, iterations, whole, &op.results);
            let results: Vec<ValueId> = op.results.iter().map(|&r| self.builder.like(r)).collect();
            current = results.iter().map(|&r| Operand::Value(r)).collect();
            out.push(Op { kind: OpKind::Loop(Box::new(new)), results, places: op.places.clone() });
        }
        let first = if whole > 1 { whole * iterations } else { 0 };
        for iteration in first..l.pattern.len() {
            current = self.part(&l, usize::from(l.pattern[iteration]), &current, &Iteration::Number(iteration), out);
        }
        for (&result, value) in op.results.iter().zip(current) {
            map.insert(result, value);
        }
    }

    /// The loop with `iterations` old iterations in each of its `whole` new ones.
    fn widened(&mut self, l: &Loop, iterations: usize, whole: usize, results: &[ValueId]) -> Loop {
        let mut kinds: Vec<Vec<u8>> = Vec::new();
        let mut pattern = Vec::new();
        for chunk in l.pattern.chunks_exact(iterations).take(whole) {
            let n = kinds.iter().position(|k| k == chunk).unwrap_or_else(|| {
                kinds.push(chunk.to_vec());
                kinds.len() - 1
            });
            pattern.push(n as u8);
        }
        let bodies = kinds.iter().map(|kind| self.wide_body(l, kind, results)).collect();
        Loop {
            pattern,
            bodies,
            step: l.step * iterations as i64,
            init: l.init.clone(),
            counter: l.counter.clone(),
            ..*l
        }
    }

    fn wide_body(&mut self, l: &Loop, kind: &[u8], results: &[ValueId]) -> Block {
        let counter = self.builder.like(l.bodies[0].params[0]);
        let carried: Vec<ValueId> = results.iter().map(|&r| self.builder.like(r)).collect();
        let mut current: Vec<Operand> = carried.iter().map(|&v| Operand::Value(v)).collect();
        let mut ops = Vec::new();
        for (k, &body) in kind.iter().enumerate() {
            let iteration = Iteration::Part { counter, of: kind.len() as i64, part: k as i64 };
            current = self.part(l, usize::from(body), &current, &iteration, &mut ops);
        }
        Block { params: [vec![counter], carried].concat(), ops, outputs: current }
    }

    /// One old iteration, copied to the end of `out`; gives the next carried values.
    fn part(
        &mut self,
        l: &Loop,
        body: usize,
        current: &[Operand],
        iteration: &Iteration,
        out: &mut Vec<Op>,
    ) -> Vec<Operand> {
        let body = &l.bodies[body];
        let mut map: Replacements = body.params[1..].iter().copied().zip(current.iter().copied()).collect();
        let mut ops = body.ops.clone();
        match *iteration {
            Iteration::Number(n) => {
                map.insert(body.params[0], Operand::Const(n as u64));
            }
            Iteration::Part { counter, of, part } => {
                ops.iter_mut().for_each(|op| rescale(op, body.params[0], of, part));
                map.insert(body.params[0], Operand::Value(counter));
            }
        }
        self.builder.copy_ops(&ops, None, &mut map, &[], out);
        self.note_shapes();
        body.outputs.iter().map(|&o| replaced(o, &map)).collect()
    }

    fn note_shapes(&mut self) {
        let known = self.shapes.len();
        self.shapes.extend(self.builder.values[known..].iter().map(|v| v.ty.clone()));
    }
}

enum Iteration {
    Number(usize),
    Part { counter: ValueId, of: i64, part: i64 },
}

/// `iteration` becomes `of * iteration + part` in every sum.
pub(super) fn rescale(op: &mut Op, iteration: ValueId, of: i64, part: i64) {
    slots_mut(&mut op.kind, &mut |slot| {
        if let Slot::Affine(affine) = slot {
            for (coefficient, _) in affine.terms.iter_mut().filter(|(_, v)| *v == iteration) {
                affine.constant += *coefficient * part;
                *coefficient *= of;
            }
        }
    });
    if let OpKind::Loop(l) = &mut op.kind {
        for body in &mut l.bodies {
            body.ops.iter_mut().for_each(|inner| rescale(inner, iteration, of, part));
        }
    }
}

/// The fewest iterations after which every index that moves with the iteration and is divided by a number has the same remainder.
fn remainder_period(l: &Loop) -> usize {
    let mut iterations = 1;
    for body in &l.bodies {
        for_each_op(body, &mut |op| {
            if let OpKind::IndexDiv(sum, divisor) | OpKind::IndexMod(sum, divisor) = &op.kind {
                iterations = lcm(iterations, comes_round(sum, body.params[0], divisor.unsigned_abs() as usize));
            }
        });
    }
    iterations.min(l.pattern.len())
}

/// The fewest iterations in which a sum moves by a multiple of a number.
fn comes_round(sum: &Affine, iteration: ValueId, extent: usize) -> usize {
    let coefficient = sum.terms.iter().find(|(_, v)| *v == iteration).map_or(0, |term| term.0);
    extent / gcd(coefficient.unsigned_abs() as usize, extent).max(1)
}

fn period(pattern: &[u8]) -> usize {
    (1..=pattern.len()).find(|&p| (p..pattern.len()).all(|t| pattern[t] == pattern[t - p])).unwrap_or(1)
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 {
        a
    } else {
        gcd(b, a % b)
    }
}

fn lcm(a: usize, b: usize) -> usize {
    a / gcd(a, b).max(1) * b
}
