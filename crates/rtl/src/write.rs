//! Writers: a design as readable Verilog-2005 and VHDL-2008, one module a file.
//!
//! Both languages print the same modules with the same names: what is decided about wires, instances and expressions is decided
//! once, without a language.

mod comments;
mod expression;
mod function;
mod head;
mod library;
mod lower;
mod machine;
mod module;
mod names;
mod top;
mod verilog;
mod vhdl;

use program::diagnostic::Diagnostic;
use program::ir::{Function, Op, Program, SBox, Type};

use crate::design::Design;
use library::{Library, Part};
use lower::Lowering;
use module::Module;

/// A file: its name and its text.
pub type File = (String, String);

/// A port of a function's module: its name, whether it is an input, its width.
pub type PortShape = (String, bool, u32);

/// What a language makes of the parts of a design.
trait Language {
    /// Ending of its file names.
    const ENDING: &'static str;
    /// A module as text.
    fn module(module: &Module) -> String;
    /// A part that the languages say differently: a table, a box, a word of latches; none where the language needs no module for it.
    fn part(program: &Program, part: &Part, name: &str, head: &[String]) -> Option<String>;
}

/// The design in Verilog-2005; every file holds the module of its name, modules before those that have instances of them.
///
/// # Errors
/// H401 for a function that a machine or call needs and the program lacks, H402 for an operation that hardware has not,
/// H403 for a called function that takes a store.
pub fn verilog(design: &Design) -> Result<Vec<File>, Diagnostic> {
    files::<verilog::Verilog>(design)
}

/// The design in VHDL-2008; every file holds the entity of its name, entities before those that have instances of them.
///
/// # Errors
/// Like [`verilog`].
pub fn vhdl(design: &Design) -> Result<Vec<File>, Diagnostic> {
    files::<vhdl::Vhdl>(design)
}

/// Functions of a program, without a clock, as Verilog-2005: module names begin with `prefix`.
///
/// # Errors
/// Like [`verilog`].
pub fn verilog_functions(program: &Program, prefix: &str, functions: &[&str]) -> Result<Vec<File>, Diagnostic> {
    function_files::<verilog::Verilog>(program, prefix, functions)
}

/// Functions of a program, without a clock, as VHDL-2008: entity names begin with `prefix`.
///
/// # Errors
/// Like [`verilog`].
pub fn vhdl_functions(program: &Program, prefix: &str, functions: &[&str]) -> Result<Vec<File>, Diagnostic> {
    function_files::<vhdl::Vhdl>(program, prefix, functions)
}

/// The name of a function's module, and its ports.
///
/// # Errors
/// Like [`verilog`].
pub fn function_ports(
    program: &Program,
    prefix: &str,
    functions: &[&str],
    function: &str,
) -> Result<(String, Vec<PortShape>), Diagnostic> {
    let found = function_of(program, function)?;
    let library = Library::of_functions(program, prefix, functions);
    let ports = function::ports(found).into_iter().map(|p| (p.name, p.input, p.width)).collect();
    Ok((library.function(program, function).to_owned(), ports))
}

/// The module of each machine of a design (equal machines share one) and of the device, last: for who reads the files.
#[must_use]
pub fn module_names(design: &Design) -> Vec<String> {
    let mut names = Library::of_design(design).machines;
    names.push(top::names_of(design));
    names
}

/// Per machine the name of its instance in the device, and those of its registers in its module: for who reads waves.
#[must_use]
pub fn register_names(design: &Design) -> Vec<(String, Vec<String>)> {
    top::labels(design).into_iter().zip(design.machines.iter().map(machine::register_names)).collect()
}

fn files<L: Language>(design: &Design) -> Result<Vec<File>, Diagnostic> {
    let library = Library::of_design(design);
    let program = &design.program;
    let mut files = part_files::<L>(program, &library, &design.name)?;
    let mut written: Vec<&str> = Vec::new();
    for (machine, name) in design.machines.iter().zip(&library.machines) {
        if !written.contains(&name.as_str()) {
            written.push(name);
            let module = machine::module(program, &library, machine, name)?;
            files.push(module_file::<L>(program, &design.name, module));
        }
    }
    files.push(module_file::<L>(program, &design.name, top::module(design, &library)));
    Ok(files)
}

fn function_files<L: Language>(program: &Program, prefix: &str, functions: &[&str]) -> Result<Vec<File>, Diagnostic> {
    for name in functions {
        function_of(program, name)?;
    }
    part_files::<L>(program, &Library::of_functions(program, prefix, functions), prefix)
}

fn part_files<L: Language>(program: &Program, library: &Library, device: &str) -> Result<Vec<File>, Diagnostic> {
    let mut files = Vec::new();
    for (part, name) in library.parts() {
        let module = match part {
            Part::Function(n) => {
                let function = function_of(program, &program.functions[*n].name)?;
                words_only(function)?;
                Some(function::module(program, library, function, name))
            }
            _ => function::shared(program, part, name),
        };
        if let Some(module) = module {
            files.push(module_file::<L>(program, device, module));
            continue;
        }
        let head = head::head(program, device, &part_head(program, part, name));
        files.extend(L::part(program, part, name, &head).map(|text| (format!("{name}{}", L::ENDING), text)));
    }
    Ok(files)
}

/// What a table, box or latch is, for the head of its file.
fn part_head(program: &Program, part: &Part, name: &str) -> Vec<String> {
    let text = match part {
        Part::Table(n) => {
            let table = &program.tables[*n as usize];
            format!("{name}: table {}, {} entries of {} bits", table.name, table.data.len(), table.width)
        }
        Part::Box(n, width) => {
            let found = &program.boxes[*n as usize];
            format!("{name}: box {}, {} bits to {}, at {width} bit positions", found.name, found.inputs, found.outputs)
        }
        Part::Latch(width) => format!("{name}: a word of {width} latches"),
        _ => name.to_owned(),
    };
    vec![text]
}

fn module_file<L: Language>(program: &Program, device: &str, module: Module) -> File {
    let module = Module { head: head::head(program, device, &module.head), ..module };
    (format!("{}{}", module.name, L::ENDING), L::module(&module))
}

/// A function of the program that hardware can be made of.
fn function_of<'a>(program: &'a Program, name: &str) -> Result<&'a Function, Diagnostic> {
    let found = program.functions.iter().find(|f| f.name == name);
    let function = found.ok_or_else(|| {
        let known: Vec<&str> = program.functions.iter().map(|f| f.name.as_str()).collect();
        Diagnostic::new("H401", format!("the program has no function `{name}`"))
            .help(format!("known: {}", known.join(", ")))
    })?;
    match function.body.ops.iter().find(|op| !serves(function, op)) {
        None => Ok(function),
        Some(op) => Err(Diagnostic::new("H402", format!("`{}` cannot be written as hardware", op.kind.mnemonic()))
            .at(program, &op.places)
            .note(format!("in function `{name}`"))
            .help("a function becomes hardware once it is cut into steps: words only, no loops, no arrays")),
    }
}

/// A module without a clock takes and gives words; a store belongs to a machine.
fn words_only(function: &Function) -> Result<(), Diagnostic> {
    let params = function.params.iter().map(|p| &function.values[p.0 as usize].ty);
    match params.chain(&function.results).find(|ty| !matches!(ty, Type::Word(_))) {
        None => Ok(()),
        Some(ty) => {
            Err(Diagnostic::new("H403", format!("the function `{}` takes or gives more than words", function.name))
                .note(format!("found {ty}"))
                .help("only the function of a machine has stores: let it load the word and pass that"))
        }
    }
}

fn serves(function: &Function, op: &Op) -> bool {
    let word = |v: &program::ir::ValueId| matches!(function.values[v.0 as usize].ty, Type::Word(_));
    Lowering::serves(&op.kind) && op.results.iter().all(word)
}

/// Truth table of one output of a box, in hexadecimal digits.
fn truth_digits(found: &SBox, output: u8) -> String {
    let bits: Vec<u8> = found.data.iter().map(|entry| entry >> output & 1).collect();
    let digit = |four: &[u8]| format!("{:x}", four.iter().enumerate().map(|(n, bit)| bit << n).sum::<u8>());
    bits.chunks(4).rev().map(digit).collect()
}
