//! `scalars`: arrays whose addresses are all known become single values.
//!
//! Two steps. A load at a known address of an array whose contents there are known becomes that value. A loop that
//! carries an array (of at most `most` elements, 64 unless told) and touches it at known addresses only carries its elements instead.
//!
//! Soundness: arrays are values, so what a chain of stores at known addresses leaves in a cell is known; the chain is
//! followed only while every address on it is a number. A cell that was never written is carried as 0, which nothing may read.

use std::collections::HashMap;

use super::rewrite::rewrite_loops;
use super::{Pass, Settings};
use crate::builder::{replaced, Builder, Replacements};
use crate::diagnostic::Diagnostic;
use crate::ir::{Address, ArrayType, Block, Function, Loop, Op, OpKind, Operand, Program, Type, ValueId};
use crate::walk::for_each_op;

/// See the module's text.
pub struct Scalars;

impl Pass for Scalars {
    fn name(&self) -> &'static str {
        "scalars"
    }

    fn description(&self) -> &'static str {
        "keep arrays whose addresses are all known in single values"
    }

    fn options(&self) -> &'static [&'static str] {
        &["most"]
    }

    fn run(&self, program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
        let most = settings.number("most", 64)? as usize;
        for function in &mut program.functions {
            split_carried(function, most);
            forward(function);
            super::dce::clean(function);
        }
        Ok(())
    }
}

/// The flat number of the first element, if every address is a number.
fn known_element(addresses: &[Address], ty: &ArrayType) -> Option<usize> {
    let mut flat = 0;
    for (n, &extent) in ty.dims.iter().enumerate() {
        let at = match addresses.get(n) {
            None => 0,
            Some(a) if !a.affine.terms.is_empty() => return None,
            Some(a) if a.ring => a.affine.constant.rem_euclid(i64::from(extent)),
            Some(a) => a.affine.constant,
        };
        flat = flat * extent as usize + at as usize;
    }
    Some(flat)
}

fn array_type(builder: &Builder, v: ValueId) -> Option<ArrayType> {
    match builder.ty(v) {
        Type::Array(a) => Some(a.clone()),
        _ => None,
    }
}

// ---- loops ----

fn split_carried(function: &mut Function, most: usize) {
    rewrite_loops(function, &mut |builder, mut op, out, map| {
        let OpKind::Loop(l) = &mut op.kind else { return };
        let results = op.results.clone();
        let chosen: Vec<usize> = (0..results.len()).filter(|&k| can_split(builder, l, results[k], k, most)).collect();
        let mut after = Vec::new();
        for &k in chosen.iter().rev() {
            split(builder, &mut op, k, out, &mut after, map);
        }
        out.push(op);
        out.append(&mut after);
    });
}

/// Whether every body touches carried array `k` at known addresses only and passes its own last version on.
fn can_split(builder: &Builder, l: &Loop, result: ValueId, k: usize, most: usize) -> bool {
    let Some(ty) = array_type(builder, result) else { return false };
    ty.len() <= most && l.bodies.iter().all(|body| touched_at_known(body, k, &ty))
}

fn touched_at_known(body: &Block, k: usize, ty: &ArrayType) -> bool {
    let mut versions = vec![body.params[k + 1]];
    let mut fine = true;
    for_each_op(body, &mut |op| match &op.kind {
        OpKind::Load(array, addresses) if versions.contains(array) => fine &= known_element(addresses, ty).is_some(),
        OpKind::Store(array, addresses, _) if versions.contains(array) => {
            fine &= known_element(addresses, ty).is_some();
            versions.push(op.results[0]);
        }
        kind => crate::walk::uses(kind, &mut |v| fine &= !versions.contains(&v)),
    });
    fine && matches!(body.outputs[k], Operand::Value(v) if versions.contains(&v))
        && !body
            .outputs
            .iter()
            .enumerate()
            .any(|(n, o)| n != k && matches!(o, Operand::Value(v) if versions.contains(v)))
}

fn split(
    builder: &mut Builder,
    op: &mut Op,
    k: usize,
    before: &mut Vec<Op>,
    after: &mut Vec<Op>,
    map: &mut Replacements,
) {
    let (places, result) = (op.places.clone(), op.results[k]);
    let Some(ty) = array_type(builder, result) else { return };
    let OpKind::Loop(l) = &mut op.kind else { return };
    let Operand::Value(init) = l.init[k] else { return };
    let initial = elements_of(builder, init, &ty, before);
    l.init.splice(k..=k, initial);
    for body in &mut l.bodies {
        let old = body.params[k + 1];
        let params = element_values(builder, old, &ty);
        body.params.splice(k + 1..=k + 1, params.iter().copied());
        let rebuilt = OpKind::Array(params.iter().map(|&p| Operand::Value(p)).collect());
        body.ops.insert(0, Op { kind: rebuilt, results: vec![old], places: places.clone() });
        let Operand::Value(last) = body.outputs[k] else { return };
        let mut loads = Vec::new();
        let finals = loaded(builder, last, &ty, &mut loads);
        body.ops.append(&mut loads);
        body.outputs.splice(k..=k, finals);
    }
    let results = element_values(builder, result, &ty);
    op.results.splice(k..=k, results.iter().copied());
    let array = builder.like(result);
    map.insert(result, Operand::Value(array));
    let rebuilt = OpKind::Array(results.iter().map(|&r| Operand::Value(r)).collect());
    after.push(Op { kind: rebuilt, results: vec![array], places });
}

fn element_values(builder: &mut Builder, like: ValueId, ty: &ArrayType) -> Vec<ValueId> {
    let name = builder.values[like.0 as usize].name.clone();
    (0..ty.len())
        .map(|n| builder.value(&format!("{}{n}", crate::builder::author_name(&name)), Type::Word(ty.width)))
        .collect()
}

/// Loads every element.
fn loaded(builder: &mut Builder, array: ValueId, ty: &ArrayType, out: &mut Vec<Op>) -> Vec<Operand> {
    (0..ty.len())
        .map(|n| {
            let addresses = element_address(n, ty);
            let (op, v) = builder.op("", Type::Word(ty.width), OpKind::Load(array, addresses), &[]);
            out.push(op);
            Operand::Value(v)
        })
        .collect()
}

fn element_address(n: usize, ty: &ArrayType) -> Vec<Address> {
    let number =
        |n: usize| Address { affine: crate::ir::Affine { terms: Vec::new(), constant: n as i64 }, ring: false };
    match ty.dims.as_slice() {
        [_, columns] => vec![number(n / *columns as usize), number(n % *columns as usize)],
        _ => vec![number(n)],
    }
}

/// The elements of an array that is known to be built in this block; 0 for cells never written, loads for what is not known.
fn elements_of(builder: &mut Builder, array: ValueId, ty: &ArrayType, ops: &mut Vec<Op>) -> Vec<Operand> {
    let mut cells: Vec<Option<Operand>> = vec![None; ty.len()];
    let mut at = array;
    let mut complete = false;
    for op in ops.iter().rev() {
        if op.results.first() != Some(&at) {
            continue;
        }
        match &op.kind {
            OpKind::Array(list) => {
                for (n, cell) in cells.iter_mut().enumerate() {
                    cell.get_or_insert(list.get(n).copied().unwrap_or(Operand::Const(0)));
                }
                complete = true;
                break;
            }
            OpKind::Store(old, addresses, words) => {
                let Some(first) = known_element(addresses, ty) else { break };
                for (n, &word) in words.iter().enumerate() {
                    cells[first + n].get_or_insert(word);
                }
                at = *old;
            }
            _ => break,
        }
    }
    if complete {
        return cells.into_iter().map(|c| c.unwrap_or(Operand::Const(0))).collect();
    }
    loaded(builder, array, ty, ops)
}

// ---- straight-line code ----

fn forward(function: &mut Function) {
    let mut builder = Builder::new(function);
    let mut forwarder = Forwarder { builder: &mut builder, contents: HashMap::new(), map: Replacements::new() };
    forwarder.block(&mut function.body);
    builder.finish(function);
}

struct Forwarder<'a> {
    builder: &'a mut Builder,
    /// What is known of the cells of an array; `None` for a cell that is not known.
    contents: HashMap<ValueId, Vec<Option<Operand>>>,
    map: Replacements,
}

impl Forwarder<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut out = Vec::with_capacity(block.ops.len());
        for op in std::mem::take(&mut block.ops) {
            let mut one = Block { ops: vec![op], ..Block::default() };
            if let OpKind::Loop(l) = &mut one.ops[0].kind {
                l.init.iter_mut().for_each(|o| *o = replaced(*o, &self.map));
                l.bodies.iter_mut().for_each(|body| self.block(body));
                out.append(&mut one.ops);
                continue;
            }
            self.builder.substitute(&mut one, &self.map);
            let Some(op) = one.ops.pop() else { continue };
            out.append(&mut one.ops);
            if !self.forwarded(&op) {
                self.note(&op);
                out.push(op);
            }
        }
        block.ops = out;
        block.outputs.iter_mut().for_each(|o| *o = replaced(*o, &self.map));
    }

    /// Whether the operation is a load of known cells, which then stand for its results.
    fn forwarded(&mut self, op: &Op) -> bool {
        let OpKind::Load(array, addresses) = &op.kind else { return false };
        let Some(ty) = array_type(self.builder, *array) else { return false };
        let (Some(cells), Some(first)) = (self.contents.get(array), known_element(addresses, &ty)) else {
            return false;
        };
        let found: Option<Vec<Operand>> = (first..first + op.results.len()).map(|n| cells[n]).collect();
        match found {
            Some(values) => {
                self.map.extend(op.results.iter().copied().zip(values));
                true
            }
            None => false,
        }
    }

    fn note(&mut self, op: &Op) {
        match &op.kind {
            OpKind::Array(list) => {
                let Some(ty) = array_type(self.builder, op.results[0]) else { return };
                let cells = (0..ty.len()).map(|n| list.get(n).copied()).collect();
                self.contents.insert(op.results[0], cells);
            }
            OpKind::Store(old, addresses, words) => {
                let Some(ty) = array_type(self.builder, *old) else { return };
                let mut cells = self.contents.get(old).cloned().unwrap_or_else(|| vec![None; ty.len()]);
                match known_element(addresses, &ty) {
                    Some(first) => words.iter().enumerate().for_each(|(n, &w)| cells[first + n] = Some(w)),
                    None => cells.fill(None),
                }
                self.contents.insert(op.results[0], cells);
            }
            _ => {}
        }
    }
}
