//! `split-loops`: a loop becomes several, one after the other, each with a single body and ring addresses that do not wrap.
//!
//! A loop is cut where another body begins to run and where a ring address of its own iteration number passes the end of
//! its dimension; in each part such an address is a plain one. Parts of one iteration become straight-line code. Option `most`: loops that would
//! become more parts than this stay as they are. With `only=bodies` loops of one body stay, too.
//!
//! Identity: iteration `q` of a part that begins with iteration `n` is iteration `n + q` of the old loop.

use super::rewrite::rewrite_loops;
use super::unroll::rescale;
use super::{Pass, Settings};
use crate::builder::{replaced, Builder, Replacements};
use crate::diagnostic::Diagnostic;
use crate::ir::{Address, Block, Loop, Op, OpKind, Operand, Program, Type, ValueId};
use crate::walk::for_each_op;

/// See the module's text.
pub struct SplitLoops;

impl Pass for SplitLoops {
    fn name(&self) -> &'static str {
        "split-loops"
    }

    fn description(&self) -> &'static str {
        "cut loops where their body changes or a ring address wraps around"
    }

    fn options(&self) -> &'static [&'static str] {
        &["most", "only", "function"]
    }

    fn run(&self, program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
        let most = settings.number("most", 4)? as usize;
        let bodies_alone = settings.choice("only", &["all", "bodies"])? == "bodies";
        for function in settings.functions(program) {
            rewrite_loops(function, &mut |builder, op, out, map| {
                let OpKind::Loop(l) = &op.kind else { return };
                let starts = starts(builder, l);
                let wraps = !rings(builder, l).is_empty();
                let stays = bodies_alone && l.bodies.len() == 1;
                if stays || starts.len() > most || (starts.len() == 1 && !wraps) {
                    out.push(op);
                } else {
                    split(builder, &op, &starts, out, map);
                }
            });
        }
        Ok(())
    }
}

/// Of each ring address that moves with the loop's iteration alone: the body, the address and the extent.
fn rings(builder: &Builder, l: &Loop) -> Vec<(usize, Address, i64)> {
    let mut found = Vec::new();
    for (k, body) in l.bodies.iter().enumerate() {
        for_each_op(body, &mut |op| {
            let (OpKind::Load(array, addresses) | OpKind::Store(array, addresses, _)) = &op.kind else { return };
            for (address, extent) in addresses.iter().zip(extents(builder, *array)) {
                if moves(address, body.params[0]) {
                    found.push((k, address.clone(), extent));
                }
            }
        });
    }
    found
}

fn extents(builder: &Builder, array: ValueId) -> Vec<i64> {
    match builder.ty(array) {
        Type::Array(ty) => ty.dims.iter().map(|&d| i64::from(d)).collect(),
        _ => Vec::new(),
    }
}

/// A ring address whose only term is the iteration number.
fn moves(address: &Address, iteration: ValueId) -> bool {
    address.ring && matches!(address.affine.terms.as_slice(), [(_, v)] if *v == iteration)
}

/// How often the address has come round in an iteration.
fn rounds(address: &Address, extent: i64, iteration: i64) -> i64 {
    let coefficient = address.affine.terms.first().map_or(0, |t| t.0);
    (coefficient * iteration + address.affine.constant).div_euclid(extent)
}

/// The first iteration of each part.
fn starts(builder: &Builder, l: &Loop) -> Vec<usize> {
    let rings = rings(builder, l);
    let cut = |t: usize| {
        let wraps = |(body, address, extent): &(usize, Address, i64)| {
            *body == usize::from(l.pattern[t])
                && rounds(address, *extent, t as i64) != rounds(address, *extent, t as i64 - 1)
        };
        l.pattern[t] != l.pattern[t - 1] || rings.iter().any(wraps)
    };
    (0..l.pattern.len()).filter(|&t| t == 0 || cut(t)).collect()
}

fn split(builder: &mut Builder, op: &Op, starts: &[usize], out: &mut Vec<Op>, map: &mut Replacements) {
    let OpKind::Loop(l) = &op.kind else { return };
    let mut current = l.init.clone();
    for (k, &start) in starts.iter().enumerate() {
        let iterations = starts.get(k + 1).copied().unwrap_or(l.pattern.len()) - start;
        current = part(builder, op, l, (start, iterations), &current, out);
    }
    for (&result, value) in op.results.iter().zip(current) {
        map.insert(result, value);
    }
}

/// One part of the loop, at the end of `out`; gives the carried values after it.
fn part(
    builder: &mut Builder,
    op: &Op,
    l: &Loop,
    (start, iterations): (usize, usize),
    current: &[Operand],
    out: &mut Vec<Op>,
) -> Vec<Operand> {
    let body = &l.bodies[usize::from(l.pattern[start])];
    let mut ops = body.ops.clone();
    ops.iter_mut().for_each(|inner| unwrapped(builder, inner, body.params[0], start as i64));
    ops.iter_mut().for_each(|inner| rescale(inner, body.params[0], 1, start as i64));
    let mut map = Replacements::new();
    if iterations == 1 {
        map.insert(body.params[0], Operand::Const(0));
        map.extend(body.params[1..].iter().copied().zip(current.iter().copied()));
        builder.copy_ops(&ops, None, &mut map, &[], out);
        return body.outputs.iter().map(|&o| replaced(o, &map)).collect();
    }
    let params: Vec<ValueId> = body.params.iter().map(|&p| builder.like(p)).collect();
    map.extend(body.params.iter().copied().zip(params.iter().map(|&p| Operand::Value(p))));
    let mut copied = Vec::new();
    builder.copy_ops(&ops, None, &mut map, &[], &mut copied);
    let outputs = body.outputs.iter().map(|&o| replaced(o, &map)).collect();
    let new = Loop {
        tag: l.tag,
        counter: l.counter.clone(),
        from: l.from + l.step * start as i64,
        step: l.step,
        init: current.to_vec(),
        pattern: vec![0; iterations],
        bodies: vec![Block { params, ops: copied, outputs }],
    };
    let results: Vec<ValueId> = op.results.iter().map(|&r| builder.like(r)).collect();
    out.push(Op { kind: OpKind::Loop(Box::new(new)), results: results.clone(), places: op.places.clone() });
    results.into_iter().map(Operand::Value).collect()
}

/// Makes the ring addresses that move with the iteration plain ones, as they are from an iteration on.
fn unwrapped(builder: &Builder, op: &mut Op, iteration: ValueId, start: i64) {
    match &mut op.kind {
        OpKind::Load(array, addresses) | OpKind::Store(array, addresses, _) => {
            let extents = extents(builder, *array);
            for (address, extent) in addresses.iter_mut().zip(extents).filter(|(a, _)| moves(a, iteration)) {
                address.affine.constant -= extent * rounds(address, extent, start);
                address.ring = false;
            }
        }
        OpKind::Loop(l) => {
            for inner in l.bodies.iter_mut().flat_map(|body| &mut body.ops) {
                unwrapped(builder, inner, iteration, start);
            }
        }
        _ => {}
    }
}
