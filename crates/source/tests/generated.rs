//! Random programs: the emitted C compiles without a warning, runs clean under the sanitizers, and gives what the evaluator gives.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use program::evaluate::{Evaluator, Value};
use program::generate::{arguments, generate, Random};
use program::ir::{Function, Program, Type};
use source::c::types::{ctype, table_entry, value_type};

const WARNINGS: [&str; 6] = ["-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Wsign-conversion", "-Werror"];
const SANITIZERS: [&str; 3] = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-O1"];

fn compilers() -> Vec<&'static str> {
    let found: Vec<&str> = ["gcc", "clang"].into_iter().filter(|c| has_sanitizers(c)).collect();
    if found.is_empty() {
        eprintln!("skipped: neither gcc nor clang is installed with its sanitizers");
    }
    found
}

/// Whether a compiler is here together with its sanitizers' libraries, which clang has in a package of their own.
fn has_sanitizers(compiler: &str) -> bool {
    let folder =
        std::env::temp_dir().join(format!("assay-{compiler}-{}-{:?}", std::process::id(), std::thread::current().id()));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("empty.c"), "int main(void) { return 0; }\n").unwrap();
    let mut command = Command::new(compiler);
    let built = command.current_dir(&folder).args(SANITIZERS).args(["empty.c", "-o", "empty"]).output();
    let fine = built.is_ok_and(|output| output.status.success());
    fs::remove_dir_all(&folder).unwrap();
    fine
}

fn words(value: &Value) -> Vec<u64> {
    match value {
        Value::Word(w) => vec![*w],
        Value::Array(a) => a.clone(),
    }
}

fn width(ty: &Type) -> u8 {
    match ty {
        Type::Word(w) => *w,
        Type::Array(a) => a.width,
        Type::Index => 64,
    }
}

fn c_type(ty: &Type) -> &'static str {
    match ty {
        Type::Array(_) => ctype(width(ty)),
        _ => value_type(width(ty)),
    }
}

fn constant(name: &str, ty: &Type, value: &Value) -> String {
    let (width, data) = (width(ty), words(value));
    let entries: Vec<String> = data.iter().map(|&v| table_entry(v, width)).collect();
    format!("    static const {} {name}[{}] = {{ {} }};\n", c_type(ty), data.len(), entries.join(", "))
}

/// A block that calls the function on these arguments and returns 1 if a result differs.
fn call(function: &Function, name: &str, arguments: &[Value], expected: &[Value]) -> String {
    let mut text = String::from("    {\n");
    let mut list = Vec::new();
    for (n, (value, parameter)) in arguments.iter().zip(&function.params).enumerate() {
        let ty = &function.values[parameter.0 as usize].ty;
        text += &constant(&format!("a{n}"), ty, value);
        list.push(if matches!(ty, Type::Array(_)) { format!("a{n}") } else { format!("a{n}[0]") });
    }
    let returns = matches!(function.results.as_slice(), [Type::Word(_)]);
    for (n, (value, ty)) in expected.iter().zip(&function.results).enumerate() {
        text += &constant(&format!("e{n}"), ty, value);
        text += &format!("    {} r{n}[{}];\n", c_type(ty), words(value).len());
        if !returns {
            list.push(format!("r{n}"));
        }
    }
    text += &if returns {
        format!("    r0[0] = {name}({});\n", list.join(", "))
    } else {
        format!("    {name}({});\n", list.join(", "))
    };
    for n in 0..expected.len() {
        text += &format!("    if (memcmp(r{n}, e{n}, sizeof e{n}) != 0) return 1;\n");
    }
    text + "    }\n"
}

/// A C file with the program's functions and `check_N`, which says whether each gives what the evaluator gave.
fn file(program: &Program, number: usize, seed: u64) -> String {
    let functions = source::c::emit_functions(program, "p", false).unwrap().remove(0).1;
    let mut random = Random::new(seed);
    let mut evaluator = Evaluator::new(program).unwrap();
    let mut text =
        format!("{functions}\n#include <string.h>\nint check_{number}(void);\nint check_{number}(void)\n{{\n");
    for (n, function) in program.functions.iter().enumerate() {
        for _ in 0..3 {
            let arguments = arguments(program, n, &mut random);
            let expected = evaluator.evaluate(&function.name, &arguments).unwrap();
            text += &call(function, &function.name, &arguments, &expected);
        }
    }
    text + "    return 0;\n}\n"
}

fn check(count: usize, first_seed: u64, size: usize, passes: &[&str]) {
    let folder: PathBuf = std::env::temp_dir().join(format!("assay-c-{}-{first_seed}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let mut main = String::from("#include <stdio.h>\n");
    let mut calls = String::new();
    let mut files = vec!["main.c".to_owned()];
    for n in 0..count {
        let seed = first_seed + n as u64;
        let mut program = generate(seed, size);
        program::passes::run_all(&mut program, passes, &[]).unwrap();
        fs::write(folder.join(format!("p{n}.c")), file(&program, n, seed)).unwrap();
        files.push(format!("p{n}.c"));
        main += &format!("int check_{n}(void);\n");
        calls += &format!("    if (check_{n}()) {{ printf(\"seed {seed} differs\\n\"); bad = 1; }}\n");
    }
    main += &format!("int main(void)\n{{\n    int bad = 0;\n{calls}    return bad;\n}}\n");
    fs::write(folder.join("main.c"), main).unwrap();
    for compiler in compilers() {
        let mut command = Command::new(compiler);
        command.current_dir(&folder).args(WARNINGS).args(SANITIZERS).args(&files).args(["-o", "check"]);
        let built = command.output().unwrap();
        assert!(
            built.status.success(),
            "{compiler} in {}:\n{}",
            folder.display(),
            String::from_utf8_lossy(&built.stderr)
        );
        let run = Command::new(folder.join("check")).output().unwrap();
        let said = format!("{}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
        assert!(run.status.success(), "{compiler} in {}:\n{said}", folder.display());
    }
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn random_programs_give_the_same_in_c() {
    check(24, 1000, 50, &[]);
}

#[test]
fn random_programs_after_passes_give_the_same_in_c() {
    check(12, 2000, 40, &["inline-calls", "unroll:factor=2", "fold", "scalars", "cse", "dce"]);
}
