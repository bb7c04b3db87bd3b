//! `carry-loads`: what an iteration stores and the next one loads is handed on as a carried word.
//!
//! A loop with one body that stores once to an array, at `c*iteration + b + c`, and loads from it, before that store, at
//! `c*iteration + b`: the load gives what the iteration before stored, in the first iteration what stood there before the loop.
//!
//! Identity: in iteration `t`, element `c*t + b` is the one that iteration `t - 1` stored to.

use super::rewrite::rewrite_loops;
use super::{Pass, Settings};
use crate::builder::{replaced, Builder, Replacements};
use crate::diagnostic::Diagnostic;
use crate::ir::{Address, Affine, Block, Loop, Op, OpKind, Operand, Place, Program, Type, ValueId};
use crate::walk::for_each_op;

/// See the module's text.
pub struct CarryLoads;

impl Pass for CarryLoads {
    fn name(&self) -> &'static str {
        "carry-loads"
    }

    fn description(&self) -> &'static str {
        "hand what the iteration before stored on as a word"
    }

    fn options(&self) -> &'static [&'static str] {
        &["function"]
    }

    fn run(&self, program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
        for function in settings.functions(program) {
            rewrite_loops(function, &mut |builder, mut op, out, _| {
                let OpKind::Loop(l) = &mut op.kind else { return };
                for carried in 0..l.init.len() {
                    carry(builder, l, carried, &mut op.results, out);
                }
                out.push(op);
            });
        }
        Ok(())
    }
}

/// A load that gives what the iteration before stored.
struct ForwardedLoad {
    load: usize,
    address: Affine,
    stored: Operand,
    places: Vec<Place>,
}

/// Makes a load from the `carried` array of a loop a carried word.
fn carry(builder: &mut Builder, l: &mut Loop, carried: usize, results: &mut Vec<ValueId>, out: &mut Vec<Op>) {
    let ([body], Operand::Value(array)) = (l.bodies.as_mut_slice(), l.init[carried]) else { return };
    let Type::Array(ty) = builder.ty(array).clone() else { return };
    let Some(found) = (ty.dims.len() == 1).then(|| find(body, carried)).flatten() else { return };
    let old = body.ops.remove(found.load).results[0];
    let word = Type::Word(ty.width);
    let first = Affine { terms: Vec::new(), constant: found.address.constant };
    let address = Address { affine: first, ring: false };
    let name = builder.values[old.0 as usize].name.clone();
    let (before, init) = builder.op(&name, word, OpKind::Load(array, vec![address]), &found.places);
    out.push(before);
    let given = builder.like(old);
    let map: Replacements = [(old, Operand::Value(given))].into();
    builder.substitute(body, &map);
    body.params.push(given);
    body.outputs.push(replaced(found.stored, &map));
    l.init.push(Operand::Value(init));
    results.push(builder.like(old));
}

fn find(body: &Block, carried: usize) -> Option<ForwardedLoad> {
    let (iteration, param) = (body.params[0], body.params[carried + 1]);
    let nested = body.ops.iter().any(|op| matches!(op.kind, OpKind::Loop(_)));
    let mut stores = Vec::new();
    for_each_op(body, &mut |op| {
        if let OpKind::Store(to, address, values) = &op.kind {
            if *to == param || body.outputs[carried] == Operand::Value(op.results[0]) {
                stores.push((*to, op.results[0], address.clone(), values.clone()));
            }
        }
    });
    let [(to, result, address, values)] = stores.as_slice() else { return None };
    let [stored] = values.as_slice() else { return None };
    if nested || *to != param || body.outputs[carried] != Operand::Value(*result) {
        return None;
    }
    let (c, at) = moving(address, iteration)?;
    body.ops.iter().enumerate().find_map(|(k, op)| {
        let OpKind::Load(from, address) = &op.kind else { return None };
        let (step, start) = moving(address, iteration)?;
        (*from == param && step == c && start + c == at && c != 0).then(|| ForwardedLoad {
            load: k,
            address: address[0].affine.clone(),
            stored: *stored,
            places: op.places.clone(),
        })
    })
}

/// Coefficient and constant of a plain address `c*iteration + b`.
fn moving(addresses: &[Address], iteration: ValueId) -> Option<(i64, i64)> {
    let [Address { affine, ring: false }] = addresses else { return None };
    match affine.terms.as_slice() {
        [(c, v)] if *v == iteration => Some((*c, affine.constant)),
        _ => None,
    }
}
