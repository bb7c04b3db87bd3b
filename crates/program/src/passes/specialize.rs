//! `specialize`: the program becomes one for a single key, the option `key` (hexadecimal).
//!
//! The key schedule is computed here, by the evaluator; what it gives stands in `encrypt` and `decrypt` as constant arrays and
//! numbers, and the parameters for it are gone. An array that is read at places that depend on the block becomes a table. The key
//! schedules are removed; the program's fact `only_key` says which key it is for.
//!
//! Identity: a function of round keys and block, with the round keys of one key put in, is a function of the block.

use super::{Pass, Settings};
use crate::builder::Builder;
use crate::diagnostic::Diagnostic;
use crate::evaluate::{Evaluator, Value};
use crate::ir::{Function, Op, OpKind, Operand, Program, Table, TableId, Type, ValueId};
use crate::walk::for_each_block_mut;

/// See the module's text.
pub struct Specialize;

/// Name of the fact that holds the key.
pub const ONLY_KEY: &str = "only_key";

impl Pass for Specialize {
    fn name(&self) -> &'static str {
        "specialize"
    }

    fn description(&self) -> &'static str {
        "make the program one for a single key"
    }

    fn options(&self) -> &'static [&'static str] {
        &["key"]
    }

    fn run(&self, program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
        let text = settings.options.get("key").cloned().unwrap_or_default();
        let key = Value::Array(bytes(&text)?);
        for (role, own_schedule) in [("encrypt", ""), ("decrypt", "key_schedule_decrypt")] {
            let has_own = program.functions.iter().any(|f| f.name == own_schedule);
            let schedule = if has_own { own_schedule } else { "key_schedule" };
            let keys = Evaluator::new(program)?.evaluate(schedule, std::slice::from_ref(&key))?;
            let mut tables = std::mem::take(&mut program.tables);
            if let Some(function) = program.functions.iter_mut().find(|f| f.name == role) {
                fill_in(function, &keys, &mut tables);
            }
            program.tables = tables;
        }
        program.functions.retain(|f| !f.name.starts_with("key_schedule"));
        program.meta.push((ONLY_KEY.to_owned(), text));
        Ok(())
    }
}

fn bytes(text: &str) -> Result<Vec<u64>, Diagnostic> {
    if text.is_empty() || text.len() % 2 != 0 || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
        let message = format!("the key `{text}` of the pass `specialize` is not hexadecimal");
        return Err(Diagnostic::new("S012", message).help("two digits for each byte: key=000102…"));
    }
    let byte = |n| u64::from_str_radix(&text[2 * n..2 * n + 2], 16).expect("two hexadecimal digits");
    Ok((0..text.len() / 2).map(byte).collect())
}

/// Puts constants in the place of all parameters but the last.
fn fill_in(function: &mut Function, keys: &[Value], tables: &mut Vec<Table>) {
    let last = function.params.len() - 1;
    let filled: Vec<ValueId> = function.params.drain(..last).collect();
    let mut made = Vec::new();
    for (&parameter, value) in filled.iter().zip(keys) {
        let kind = match value {
            Value::Word(number) => OpKind::Const(*number),
            Value::Array(elements) => {
                make_table(function, parameter, elements, tables);
                OpKind::Array(elements.iter().map(|&e| Operand::Const(e)).collect())
            }
        };
        made.push(Op { kind, results: vec![parameter], places: Vec::new() });
    }
    function.body.ops.splice(0..0, made);
    Builder::new(function).finish(function);
}

/// Loads at places that depend on words become look-ups of a table with the array's contents.
fn make_table(function: &mut Function, array: ValueId, elements: &[u64], tables: &mut Vec<Table>) {
    let data = &function.values[array.0 as usize];
    let Type::Array(ty) = data.ty.clone() else { return };
    let name = (0..)
        .map(|n| if n == 0 { data.name.clone() } else { format!("{}.{n}", data.name) })
        .find(|name| !tables.iter().any(|t| t.name == *name))
        .unwrap_or_default();
    let is_word: Vec<bool> = function.values.iter().map(|v| matches!(v.ty, Type::Word(_))).collect();
    let id = TableId(tables.len() as u32);
    let mut used = false;
    for_each_block_mut(&mut function.body, &mut |block| {
        for op in &mut block.ops {
            let OpKind::Load(from, addresses) = &op.kind else { continue };
            let [address] = addresses.as_slice() else { continue };
            if *from == array && ty.dims.len() == 1 && address.affine.terms.iter().any(|(_, v)| is_word[v.0 as usize]) {
                op.kind = OpKind::Lookup(id, address.clone());
                used = true;
            }
        }
    });
    if used {
        tables.push(Table { name, width: ty.width, data: elements.to_vec() });
    }
}
