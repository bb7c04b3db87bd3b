//! `hoist-key-only`: what `encrypt` and `decrypt` compute from the round keys alone is computed once, by the key schedule.
//!
//! Identity: a value that does not depend on the block is the same for every block; the key schedule computes it by the same
//! operations, stores it in an array that it returns beside its other results, and the direction loads it. In a loop there is one
//! element for every iteration. What costs no more than the load that would replace it stays (loads at known addresses, their fields, constants; the
//! option `cost` asks for more operations than one, with `fields=yes` a field that is not whole bytes is one).
//!
//! Before that, unless `split=no`, sums and exclusive ors are regrouped so that more depends on the key alone:
//! `c * (x + k) + d = c * x + (c * k + d)` and `(x ^ k) ^ d = x ^ (k ^ d)` for k and d that do not depend on the block. With c = 1 and for
//! exclusive ors this is done only where nothing else uses the inner sum.
//!
//! Both directions take the additional arrays of each, as they share the key schedule, unless `key_schedule_decrypt` serves one of them alone.
//! What was saved is noted in the program's facts. Calls are not looked into; `inline-calls` comes first.

mod analysis;
mod layout;
mod split;
mod store;

use std::collections::BTreeMap;

use crate::builder::{Builder, Replacements};
use crate::diagnostic::Diagnostic;
use crate::ir::{ArrayType, Block, Function, Op, OpKind, Operand, Program, Type, ValueId};
use crate::statistics::statistics;

use super::only::FunctionFilter;
use super::{Pass, Settings};
use analysis::{Dependence, Sites};
use layout::Layout;

/// See the module's text.
pub struct HoistKeyOnly;

impl Pass for HoistKeyOnly {
    fn name(&self) -> &'static str {
        "hoist-key-only"
    }

    fn description(&self) -> &'static str {
        "move what depends on the round keys alone from encryption and decryption into the key schedule"
    }

    fn options(&self) -> &'static [&'static str] {
        &["function", "cost", "split", "fields"]
    }

    fn run(&self, program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
        let least = settings.number("cost", 1)?.max(1);
        let split = settings.choice("split", &["yes", "no"])? == "yes";
        let fields = settings.choice("fields", &["no", "yes"])? == "yes";
        let only = FunctionFilter::of(settings, program)?;
        for direction in ["encrypt", "decrypt"] {
            if only.includes(direction) {
                hoist(program, direction, (least, fields), split);
            }
        }
        Ok(())
    }
}

fn find(program: &Program, name: &str) -> Option<usize> {
    program.functions.iter().position(|f| f.name == name)
}

/// The key schedule of a direction, and the directions that share it.
fn key_schedule_of(program: &Program, direction: &str) -> Option<(usize, Vec<usize>)> {
    let own = find(program, "key_schedule_decrypt");
    let both = ["encrypt", "decrypt"].iter().filter_map(|name| find(program, name)).collect();
    match (direction, own) {
        ("decrypt", Some(own)) => Some((own, vec![find(program, "decrypt")?])),
        ("encrypt", Some(_)) => Some((find(program, "key_schedule")?, vec![find(program, "encrypt")?])),
        _ => Some((find(program, "key_schedule")?, both)),
    }
}

/// Operations other than loads that one run of a function executes.
fn executed(program: &Program, function: &str) -> u64 {
    let counts = statistics(program, function).unwrap_or_default();
    counts.iter().filter(|(kind, _)| **kind != "load").map(|(_, count)| count.executed).sum()
}

fn hoist(program: &mut Program, direction: &str, (least, fields): (u64, bool), split: bool) {
    let (Some(at), Some((schedule, users))) = (find(program, direction), key_schedule_of(program, direction)) else {
        return;
    };
    let mut function = program.functions[at].clone();
    if split {
        split::regroup(&mut function);
    }
    let dependence = Dependence::of(&function);
    let sites = Sites::of(&function, &dependence, least, fields);
    if sites.is_empty() {
        return;
    }
    let before = executed(program, direction);
    let layouts = Layout::of_all(&function, &sites);
    let storing = store::storing(&function, &layouts);
    append(&mut program.functions[schedule], &storing);
    let types: Vec<Type> = layouts.values().map(Layout::ty).collect();
    for user in users {
        if user == at {
            program.functions[at] = loading(function.clone(), &layouts);
        } else {
            add_params(&mut program.functions[user], &types, direction);
        }
    }
    note(program, direction, &types, before);
}

fn note(program: &mut Program, direction: &str, types: &[Type], before: u64) {
    let words: Vec<String> = types.iter().map(text_of).collect();
    let after = executed(program, direction);
    let stored = words.join(", ");
    let fact = format!("{stored} from the key schedule; operations without loads: {after} instead of {before}");
    program.meta.push((format!("hoisted_{direction}"), fact));
}

fn text_of(ty: &Type) -> String {
    match ty {
        Type::Array(array) => format!("u{}[{}]", array.width, array.len()),
        Type::Word(width) => format!("u{width}"),
        Type::Index => "index".to_owned(),
    }
}

/// New parameters before the last one, the block.
fn add_params(function: &mut Function, types: &[Type], direction: &str) -> Vec<ValueId> {
    let mut builder = Builder::new(function);
    let new: Vec<ValueId> =
        types.iter().map(|ty| builder.value(&format!("prepared_{direction}"), ty.clone())).collect();
    let end = function.params.len().saturating_sub(1);
    function.params.splice(end..end, new.iter().copied());
    builder.finish(function);
    let count = types.len();
    function.params[end..end + count].to_vec()
}

/// Adds the operations of `storing`, whose parameters are the results so far, to the end of the key schedule.
fn append(schedule: &mut Function, storing: &Function) {
    let mut builder = Builder::new(schedule);
    let mut map: Replacements = storing.params.iter().copied().zip(schedule.body.outputs.iter().copied()).collect();
    builder.copy_ops(&storing.body.ops, Some(&storing.values), &mut map, &[], &mut schedule.body.ops);
    for (output, ty) in storing.body.outputs.iter().zip(&storing.results) {
        schedule.body.outputs.push(crate::builder::replaced(*output, &map));
        schedule.results.push(ty.clone());
    }
    builder.finish(schedule);
}

/// The direction with loads in place of what the key schedule now stores.
fn loading(mut function: Function, layouts: &BTreeMap<u8, Layout>) -> Function {
    let types: Vec<Type> = layouts.values().map(Layout::ty).collect();
    let direction = function.name.clone();
    let mut builder = Builder::new(&mut function);
    let arrays: Vec<ValueId> =
        types.iter().map(|ty| builder.value(&format!("prepared_{direction}"), ty.clone())).collect();
    let end = function.params.len() - 1;
    function.params.splice(end..end, arrays.iter().copied());
    let arrays = layouts.keys().copied().zip(arrays).collect();
    let mut loader = Loader { builder: &mut builder, layouts, arrays, map: Replacements::new() };
    loader.block(&mut function.body);
    builder.finish(&mut function);
    super::dce::clean(&mut function);
    function
}

struct Loader<'a> {
    builder: &'a mut Builder,
    layouts: &'a BTreeMap<u8, Layout>,
    arrays: BTreeMap<u8, ValueId>,
    map: Replacements,
}

impl Loader<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut out = Vec::with_capacity(block.ops.len());
        for op in std::mem::take(&mut block.ops) {
            let mut single = Block { ops: vec![op], ..Block::default() };
            if let OpKind::Loop(l) = &mut single.ops[0].kind {
                l.init.iter_mut().for_each(|o| *o = crate::builder::replaced(*o, &self.map));
                l.bodies.iter_mut().for_each(|body| self.block(body));
            } else {
                self.builder.substitute(&mut single, &self.map);
            }
            let results: Vec<ValueId> = single.ops.iter().flat_map(|op| op.results.clone()).collect();
            out.append(&mut single.ops);
            results.into_iter().for_each(|v| self.load(v, &mut out));
        }
        block.ops = out;
        block.outputs.iter_mut().for_each(|o| *o = crate::builder::replaced(*o, &self.map));
    }

    fn load(&mut self, value: ValueId, out: &mut Vec<Op>) {
        let Type::Word(width) = *self.builder.ty(value) else { return };
        let Some(address) = self.layouts.get(&width).and_then(|l| l.address(value)) else { return };
        let places = out.last().map_or_else(Vec::new, |op| op.places.clone());
        let name = self.builder.values[value.0 as usize].name.clone();
        let load = OpKind::Load(self.arrays[&width], vec![address]);
        let (op, loaded) = self.builder.op(&name, Type::Word(width), load, &places);
        out.push(op);
        self.map.insert(value, Operand::Value(loaded));
    }
}

fn array_type(width: u8, length: u32) -> Type {
    Type::Array(ArrayType { width, dims: vec![length] })
}

#[cfg(test)]
mod tests;
