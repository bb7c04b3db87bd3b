//! Java from programs: one readable class per cipher, without dependencies, for version 11 and later.
//!
//! Java has no unsigned words (see `expr`), no pointers (blocks have offsets; a function that gives several words writes them
//! into arrays of one), and limits: 64 KB of code in a method, and just-in-time compilers that leave methods above 8000 bytes
//! alone. So loops stay loops unless a strategy says otherwise, and long tables are text (`tables`).

mod class;
mod expr;
mod helpers;
mod language;
mod tables;
pub mod types;

use program::diagnostic::Diagnostic;
use program::ir::Program;

use crate::writer::api::{first_lines, lower, lower_all, Keys, Options, SizedProgram};
use crate::writer::unit::Unit;
use language::Java;

/// Writes `NAME.java` for a cipher compiled for one or more key sizes: a class of that name in a package (empty: none).
///
/// # Errors
/// `S001`, `S002` (see [`Keys::new`]); errors of the passes that lower what Java does not have.
pub fn emit(
    programs: &[(u32, Program)],
    options: &Options,
    package: &str,
) -> Result<Vec<(String, String)>, Diagnostic> {
    let lowered = lower_all(programs)?;
    let sizes: Vec<SizedProgram> =
        lowered.iter().map(|(bits, program)| SizedProgram { key_bits: *bits, program }).collect();
    let all: Vec<&Program> = lowered.iter().map(|(_, p)| p).collect();
    let mut unit = new_unit(&all, &options.name);
    let mut names = unit.names.clone();
    ["key", "in", "inOffset", "out", "outOffset"].iter().for_each(|name| names.reserve(name));
    let keys = Keys::new(&sizes, names, "Java")?;
    if keys.encrypt.is_empty() {
        [keys.roles.0, keys.roles.1].iter().for_each(|name| unit.names.reserve(name));
    }
    let (members, public) = class::face(&options.name, &keys, &mut unit);
    let package = if package.is_empty() { String::new() } else { format!("package {package};\n\n") };
    let functions = functions(&unit);
    let text = format!(
        "{package}{}import java.util.Objects;\n\n{}public final class {} {{\n{}{members}{public}{functions}}}\n",
        imports(&functions),
        javadoc(&all, &keys, options),
        options.name,
        tables::text(&unit.tables)
    );
    Ok(vec![(format!("{}.java", options.name), text)])
}

/// Writes every function of a program as a static method of a class: `NAME.java` alone.
///
/// # Errors
/// Errors of the passes that lower what Java does not have.
pub fn emit_functions(program: &Program, name: &str) -> Result<Vec<(String, String)>, Diagnostic> {
    let program = lower(program)?;
    let mut unit = new_unit(&[&program], name);
    unit.linkage = "static ";
    for function in &program.functions {
        unit.functions(&[(&program, String::new())], &function.name);
    }
    let functions = functions(&unit);
    let imports = imports(&functions);
    let text = format!("{imports}final class {name} {{\n{}{functions}}}\n", tables::text(&unit.tables));
    Ok(vec![(format!("{name}.java"), text)])
}

fn new_unit(programs: &[&Program], class: &str) -> Unit {
    let mut unit = Unit::new(&Java, programs);
    unit.linkage = "private static ";
    unit.names.reserve(class);
    unit
}

fn javadoc(programs: &[&Program], keys: &Keys<'_>, options: &Options) -> String {
    let (kind, about) = if keys.keyed() && keys.roles.1.is_empty() {
        ("function", "One object holds one key, which inputs only read: after a key is set, several threads may\ncall one object.")
    } else if keys.keyed() {
        let about = "One object holds one key, which blocks only read: after a key is set, several threads may\nencrypt and decrypt by one object.";
        ("block cipher", about)
    } else {
        let kind = if keys.roles.1.is_empty() { "function" } else { "permutation" };
        (kind, "There is no key, and nothing is kept between calls: several threads may call at once.")
    };
    let mut lines = vec![format!("The {kind} {}.", programs[0].name), String::new()];
    lines.extend(format!("<p>Generated, do not edit. {about}").lines().map(str::to_owned));
    lines.extend([String::new(), "<ul>".to_owned()]);
    lines.extend(first_lines(programs, options).into_iter().skip(1).map(|line| format!("<li>{}", escaped(&line))));
    lines.push("</ul>".to_owned());
    lines.push(
        "What is said of constant time holds for the operations as written; a virtual machine promises nothing."
            .to_owned(),
    );
    let text: String = lines.iter().map(|l| format!(" * {l}").trim_end().to_owned() + "\n").collect();
    format!("/**\n{text} */\n")
}

fn escaped(line: &str) -> String {
    line.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace("*/", "*&#47;").replace('@', "&#64;")
}

/// The imports that views of byte arrays need, where a text has them.
fn imports(functions: &str) -> &'static str {
    if functions.contains("VarHandle") {
        "import java.lang.invoke.MethodHandles;\nimport java.lang.invoke.VarHandle;\nimport java.nio.ByteOrder;\n"
    } else {
        ""
    }
}

/// Helpers and functions, indented.
fn functions(unit: &Unit) -> String {
    let mut texts: Vec<String> = unit.helpers.texts().cloned().collect();
    for text in &unit.texts {
        let body: String = text
            .written
            .body
            .lines()
            .skip(1)
            .map(|line| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") })
            .collect();
        texts.push(format!("    {} {{\n{body}", text.written.head));
    }
    texts.join("\n")
}
