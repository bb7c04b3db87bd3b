//! `machine-words`: operations that registers of a width cannot hold become operations on words that they can.
//!
//! Words wider than a register are split (`split-words`), and the functions of one wide operation that this leaves are written out:
//! sums as chains of carries, which are comparisons; products by the parts' products, whose upper halves stand as
//! `extract (mul (zext a), (zext b)), w`, the only wide words that remain; shifts by numbers as fields, shifts by words as shifts
//! of parts and moves of whole parts. Before that, rotations by words are made from shifts where the width is no power of two, and
//! amounts are cut to a register.
//!
//! A program without such operations stays as it is.

pub(super) mod amounts;
mod expand;

use super::{inline_calls, split_words, Pass, Settings};
use crate::diagnostic::Diagnostic;
use crate::ir::{Function, Program, Type};

/// See the module's text.
pub struct MachineWords;

impl Pass for MachineWords {
    fn name(&self) -> &'static str {
        "machine-words"
    }

    fn description(&self) -> &'static str {
        "make words wider than a register, and rotations of odd widths, from what a processor has"
    }

    fn options(&self) -> &'static [&'static str] {
        &["width"]
    }

    fn run(&self, program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
        let width = settings.number("width", 32)?;
        if !matches!(width, 8 | 16 | 32 | 64) {
            return Err(Diagnostic::new("S043", format!("registers have 8, 16, 32 or 64 bits, not {width}")));
        }
        for function in &mut program.functions {
            amounts::of_odd_rotations(function);
            amounts::within_registers(function, width as u8);
        }
        if widest(program) <= width as u8 {
            return Ok(());
        }
        let wide = split_words::split(program, width as u8)?;
        for function in program.functions.iter_mut().filter(|f| wide.contains(&f.name)) {
            expand::body(function, width as u8);
        }
        inline_calls::InlineCalls.run(program, settings)?;
        program.functions.retain(|f| !wide.contains(&f.name));
        Ok(())
    }
}

/// Bits of the widest word of a program.
fn widest(program: &Program) -> u8 {
    let of = |f: &Function| f.values.iter().map(|v| &v.ty).chain(&f.results).map(Type::width).max();
    program.functions.iter().filter_map(of).max().unwrap_or(0)
}
