//! C11 from programs: readable, without dependencies, the same on every host.
//!
//! The emitted code has no undefined behaviour: words are unsigned types of at least their width and masked where a
//! result could leave it, shift counts stay below the width, bytes become words by shifts, so that neither byte
//! order nor alignment of the host matters. Loops stay loops; a value used once is written where it is used.

mod api;
mod expr;
mod helpers;
mod language;
mod text;
pub mod types;

use crate::writer::api::{first_lines, lower, lower_all, Options, SizedProgram};
use crate::writer::unit::Unit;
use api::Api;
use language::C;
use program::diagnostic::Diagnostic;
use program::ir::Program;

/// Writes `NAME.h` and `NAME.c` for a cipher compiled for one or more key sizes.
///
/// # Errors
/// `S001`, `S002` (see [`Api::new`]); errors of the passes that lower what C does not have.
pub fn emit(programs: &[(u32, Program)], options: &Options) -> Result<Vec<(String, String)>, Diagnostic> {
    let lowered = lower_all(programs)?;
    let sizes: Vec<SizedProgram> =
        lowered.iter().map(|(bits, program)| SizedProgram { key_bits: *bits, program }).collect();
    let api = Api::new(&sizes, options)?;
    let all: Vec<&Program> = lowered.iter().map(|(_, p)| p).collect();
    let mut unit = Unit::new(&C, &all);
    for role in [
        "encrypt_key",
        "decrypt_key",
        "set_key",
        "evaluate_key",
        "encrypt",
        "decrypt",
        "permute",
        "inverse",
        "evaluate",
        "ctx",
    ] {
        unit.names.reserve(&format!("{}_{role}", options.name));
    }
    let public = api.source(&mut unit);
    let top = first_comment(&all, options);
    Ok(vec![
        (format!("{}.h", options.name), header_file(&top, &options.name, &api.header())),
        (format!("{}.c", options.name), source_file(&top, &options.name, &unit, &public)),
    ])
}

/// Writes every function of a program, static or for callers from outside: `NAME.c` alone.
///
/// # Errors
/// Errors of the passes that lower what C does not have.
pub fn emit_functions(program: &Program, name: &str, external: bool) -> Result<Vec<(String, String)>, Diagnostic> {
    let program = lower(program)?;
    let mut unit = Unit::new(&C, &[&program]);
    if external {
        unit.linkage = "";
    }
    for function in &program.functions {
        unit.functions(&[(&program, String::new())], &function.name);
    }
    let text = format!("{}{}", includes(&unit), text::of(&unit));
    Ok(vec![(format!("{name}.c"), text)])
}

fn first_comment(programs: &[&Program], options: &Options) -> String {
    let lines = first_lines(programs, options).into_iter().map(|l| format!(" * {}\n", l.replace("*/", "* /")));
    format!("/*\n{} */\n", lines.collect::<String>())
}

fn header_file(top: &str, name: &str, declarations: &str) -> String {
    let guard = format!("{}_H", name.to_uppercase());
    format!(
        "{top}#ifndef {guard}\n#define {guard}\n\n#include <stddef.h>\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n{declarations}\n#ifdef __cplusplus\n}}\n#endif\n\n#endif\n"
    )
}

fn includes(unit: &Unit) -> String {
    let memory = if unit.uses_memcpy { "#include <string.h>\n" } else { "" };
    format!("#include <stddef.h>\n#include <stdint.h>\n{memory}\n")
}

fn source_file(top: &str, name: &str, unit: &Unit, public: &str) -> String {
    let memory = if unit.uses_memcpy { "#include <string.h>\n" } else { "" };
    format!("{top}#include \"{name}.h\"\n{memory}\n{}\n{}\n", text::of(unit), public.trim_end())
}
