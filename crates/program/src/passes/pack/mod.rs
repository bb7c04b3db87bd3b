//! `pack-bytes`: byte-oriented programs become word-oriented ones, with S-boxes merged into the tables of linear maps.
//!
//! Bytes that come from one place and go to one place (a row of a round key, the result of a matrix, a column that a loop carries)
//! are held in one word. A word of such bytes is made in one of these ways, all of them identities:
//!
//! * bitwise operations on bytes, side by side, are one operation on words;
//! * `M * (S[x0], S[x1], …)` is the exclusive or of `T_j[x_j]`, where `T_j[x]` is column j of `M` times `S[x]`;
//! * an S-box without a matrix is a table of bytes and a shift, or a table of words that hold the byte in its lane;
//! * an array of rows of bytes is an array of words, everywhere in the program;
//! * rotated lanes are a rotation; what is left is put together byte by byte.
//!
//! A byte is taken out of its word where only a byte will do: as the place in a table. Functions without rows of bytes, matrices and
//! tables of bytes stay as they are.

mod circular;
pub(in crate::passes) mod derive;
mod emit;
mod emit_arrays;
mod emit_loops;
pub(in crate::passes) mod facts;
mod gather;
pub(in crate::passes) mod groups;
mod lookups;
mod merged;
mod pairs;
pub(in crate::passes) mod rows;
mod shape;
mod words;

use std::collections::HashMap;

use super::only::FunctionFilter;
use super::{Pass, Settings};
use crate::builder::Builder;
use crate::diagnostic::Diagnostic;
use crate::ir::{Function, Operand, Program, Type, ValueId};

use emit::Emitter;
use facts::Facts;
use merged::{Sharing, Tables};

/// See the module's text.
pub struct PackBytes;

/// How look-ups without a matrix become words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layer {
    /// Bytes, shifted into their places.
    Shifts,
    /// Tables of words of four bytes, of which two make one of eight.
    Words,
    /// Tables of words of up to eight bytes.
    DoubleWords,
}

impl Pass for PackBytes {
    fn name(&self) -> &'static str {
        "pack-bytes"
    }

    fn description(&self) -> &'static str {
        "keep bytes in words and merge tables with linear maps"
    }

    fn options(&self) -> &'static [&'static str] {
        &["function", "width", "tables", "layer", "derive"]
    }

    fn run(&self, program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
        let most = if settings.choice("width", &["32", "64"])? == "64" { 8 } else { 4 };
        let sharing = match settings.choice("tables", &["full", "rotated", "masked"])? {
            "rotated" => Sharing::Rotated,
            "masked" => Sharing::Masked,
            _ => Sharing::Full,
        };
        let layer = settings.choice("layer", &["shifts", "words", "words-in-key-schedule", "double-words"])?;
        let derive = settings.choice("derive", &["none", "rotations"])? == "rotations";
        let only = FunctionFilter::of(settings, program)?;
        let rows = rows::choose(program, most, &only);
        let mut tables = Tables::new(std::mem::take(&mut program.tables), program.matrices.clone(), sharing);
        for (function, rows) in program.functions.iter_mut().zip(&rows) {
            let layer = match layer {
                "words" => Layer::Words,
                "double-words" => Layer::DoubleWords,
                "words-in-key-schedule" if function.name.starts_with("key_schedule") => Layer::Words,
                _ => Layer::Shifts,
            };
            if only.includes(&function.name) {
                pack(function, rows, &mut tables, Words { most, layer, derive });
            }
        }
        program.tables = tables.old;
        program.tables.append(&mut tables.new);
        Ok(())
    }
}

/// What words are like.
#[derive(Clone, Copy, Debug)]
struct Words {
    /// Most bytes of a word.
    most: usize,
    layer: Layer,
    /// Whether words of a product are made from one another.
    derive: bool,
}

fn pack(function: &mut Function, rows: &HashMap<ValueId, usize>, tables: &mut Tables, words: Words) {
    let Words { most, layer, derive } = words;
    let old = function.clone();
    let mut facts = Facts::new(&old, rows);
    facts.widest_lookups = if layer == Layer::DoubleWords { most } else { 4 };
    let groups = groups::find(&facts, &tables.old, most);
    if groups.list.is_empty() && rows.is_empty() && !facts.has_byte_tables(&tables.old) {
        return;
    }
    let mut builder = Builder::new(function);
    for (n, value) in builder.values.iter_mut().enumerate() {
        if let Some(&lanes) = rows.get(&ValueId(n as u32)) {
            value.ty = rows::retyped(&value.ty, lanes);
        }
    }
    let mut emitter = Emitter::new(&facts, &groups, tables, builder);
    emitter.layer = layer;
    emitter.most = most;
    emitter.derive = derive;
    function.body = emitter.body();
    let builder = emitter.builder;
    function.results = result_types(function, &builder);
    builder.finish(function);
    super::dce::clean(function);
}

fn result_types(function: &Function, builder: &Builder) -> Vec<Type> {
    let new = |(ty, output): (&Type, &Operand)| match (ty, output) {
        (Type::Array(_), Operand::Value(v)) => builder.ty(*v).clone(),
        _ => ty.clone(),
    };
    function.results.iter().zip(&function.body.outputs).map(new).collect()
}
