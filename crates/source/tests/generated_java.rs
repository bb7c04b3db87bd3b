//! Random programs: the emitted Java compiles and gives what the evaluator gives.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use program::evaluate::{Evaluator, Value};
use program::generate::{arguments, generate, Random};
use program::ir::{Function, Program, Type};
use source::java::types::{memory_type, table_entry, value_type};

fn has_jdk() -> bool {
    let found = Command::new("javac").arg("-version").output().is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("skipped: there is no JDK (apt-get install default-jdk-headless)");
    }
    found
}

fn words(value: &Value) -> Vec<u64> {
    match value {
        Value::Word(w) => vec![*w],
        Value::Array(a) => a.clone(),
    }
}

/// The Java type of an element and its width there.
fn element(ty: &Type) -> (&'static str, u8) {
    match ty {
        Type::Array(a) => (memory_type(a.width), a.width),
        Type::Word(w) => (value_type(*w), (*w).max(32)),
        Type::Index => ("long", 64),
    }
}

fn constant(name: &str, ty: &Type, value: &Value) -> String {
    let (word, width) = element(ty);
    let entries: Vec<String> = words(value).iter().map(|&v| table_entry(v, width)).collect();
    format!("        final {word}[] {name} = {{ {} }};\n", entries.join(", "))
}

/// A method that calls the function on these arguments and says whether all results are the expected ones.
fn call(class: &str, method: &str, function: &Function, arguments: &[Value], expected: &[Value]) -> String {
    let mut text = format!("    static boolean {method}() {{\n");
    let mut list = Vec::new();
    for (n, (value, parameter)) in arguments.iter().zip(&function.params).enumerate() {
        let ty = &function.values[parameter.0 as usize].ty;
        text += &constant(&format!("a{n}"), ty, value);
        list.push(if matches!(ty, Type::Array(_)) { format!("a{n}") } else { format!("a{n}[0]") });
    }
    let returns = matches!(function.results.as_slice(), [Type::Word(_)]);
    for (n, (value, ty)) in expected.iter().zip(&function.results).enumerate() {
        let (word, length) = (element(ty).0, words(value).len());
        text += &constant(&format!("e{n}"), ty, value);
        writeln!(text, "        final {word}[] r{n} = new {word}[{length}];").unwrap();
        if !returns {
            list.push(format!("r{n}"));
        }
    }
    let target = if returns { "r0[0] = " } else { "" };
    writeln!(text, "        {target}{class}.{}({});", function.name, list.join(", ")).unwrap();
    let equal: Vec<String> = (0..expected.len()).map(|n| format!("java.util.Arrays.equals(r{n}, e{n})")).collect();
    text + &format!("        return {};\n    }}\n", if equal.is_empty() { "true".into() } else { equal.join(" && ") })
}

/// Writes the program's class and a class that calls each function three times; gives the latter's methods.
fn write(program: &Program, class: &str, seed: u64, folder: &Path) -> Vec<String> {
    let (name, functions) = source::java::emit_functions(program, class).unwrap().remove(0);
    fs::write(folder.join(name), functions).unwrap();
    let (mut random, mut evaluator) = (Random::new(seed), Evaluator::new(program).unwrap());
    let (mut text, mut methods) = (format!("final class {class}Check {{\n"), Vec::new());
    for (n, function) in program.functions.iter().enumerate() {
        for time in 0..3 {
            let arguments = arguments(program, n, &mut random);
            let expected = evaluator.evaluate(&function.name, &arguments).unwrap();
            let method = format!("check{n}_{time}");
            text += &call(class, &method, function, &arguments, &expected);
            methods.push(format!("{class}Check.{method}()"));
        }
    }
    fs::write(folder.join(format!("{class}Check.java")), text + "}\n").unwrap();
    methods
}

fn check(count: usize, first_seed: u64, size: usize, passes: &[&str]) {
    if !has_jdk() {
        return;
    }
    let folder: PathBuf = std::env::temp_dir().join(format!("assay-java-{}-{first_seed}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let mut main = String::from("final class Main {\n    public static void main(String[] arguments) {\n");
    for n in 0..count {
        let seed = first_seed + n as u64;
        let mut program = generate(seed, size);
        program::passes::run_all(&mut program, passes, &[]).unwrap();
        for method in write(&program, &format!("P{n}"), seed, &folder) {
            writeln!(main, "        if (!{method}) System.out.println(\"seed {seed} differs: {method}\");").unwrap();
        }
    }
    fs::write(folder.join("Main.java"), main + "    }\n}\n").unwrap();
    let files: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    // The compiler itself runs for a second: to optimize it would take longer.
    let short_run = ["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"];
    let built =
        Command::new("javac").current_dir(&folder).args(short_run).args(["-d", "."]).args(&files).output().unwrap();
    assert!(built.status.success(), "javac in {}:\n{}", folder.display(), String::from_utf8_lossy(&built.stderr));
    let run = Command::new("java").current_dir(&folder).args(["-cp", ".", "Main"]).output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success() && said.trim().is_empty(), "in {}:\n{said}", folder.display());
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn random_programs_give_the_same_in_java() {
    check(24, 1000, 50, &[]);
}

#[test]
fn random_programs_after_passes_give_the_same_in_java() {
    check(12, 2000, 40, &["inline-calls", "unroll:factor=2", "fold", "scalars", "cse", "dce"]);
}
