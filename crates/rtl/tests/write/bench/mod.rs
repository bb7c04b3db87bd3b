//! Test benches for combinational functions: the evaluator's results against those of the simulators.

pub mod clocked;
pub mod devices;
pub mod functions;

use std::path::{Path, PathBuf};
use std::process::Command;

use program::evaluate::{Evaluator, Value};
use program::generate::Random;
use program::ir::{Program, Type};
use program::semantics::mask;
use rtl::write::{function_ports, verilog_functions, vhdl_functions, File};

/// One function with arguments and results.
struct Vectors {
    module: String,
    ports: Vec<(String, bool, u32)>,
    rows: Vec<Vec<u64>>,
}

/// Functions of a program with random arguments and the evaluator's results.
pub struct Bench {
    pub files: [Vec<File>; 2],
    list: Vec<Vectors>,
}

impl Bench {
    /// Both languages and `count` rows of values for every function.
    pub fn new(program: &Program, prefix: &str, functions: &[&str], count: usize, random: &mut Random) -> Self {
        program::verify(program).expect("the program is right");
        let files = [
            verilog_functions(program, prefix, functions).expect("Verilog is written"),
            vhdl_functions(program, prefix, functions).expect("VHDL is written"),
        ];
        let mut evaluator = Evaluator::new(program).expect("the program runs");
        let mut list = Vec::new();
        for name in functions {
            let (module, ports) = function_ports(program, prefix, functions, name).expect("the function is there");
            let function = program.functions.iter().find(|f| f.name == *name).expect("the function is there");
            let widths = function.params.iter().map(|p| match function.values[p.0 as usize].ty {
                Type::Word(width) => width,
                _ => panic!("{name} takes words"),
            });
            let widths: Vec<u8> = widths.collect();
            let rows = (0..count).map(|_| {
                let arguments: Vec<u64> = widths.iter().map(|&w| random.word(w)).collect();
                let values: Vec<Value> = arguments.iter().map(|&a| Value::Word(a)).collect();
                let results = evaluator.evaluate(name, &values).expect("the function runs");
                let results = results.into_iter().map(|r| match r {
                    Value::Word(word) => word,
                    Value::Array(_) => panic!("{name} gives words"),
                });
                arguments.iter().copied().chain(results).collect()
            });
            list.push(Vectors { module, ports, rows: rows.collect() });
        }
        Bench { files, list }
    }

    /// The bench in Verilog: prints every difference, then `compared` and a count.
    pub fn verilog(&self) -> String {
        let (mut declared, mut checks) = (String::new(), String::new());
        let mut count = 0;
        for (f, vectors) in self.list.iter().enumerate() {
            let pins: Vec<String> = vectors.ports.iter().map(|(name, ..)| format!(".{name}(f{f}_{name})")).collect();
            for (name, input, width) in &vectors.ports {
                let kind = if *input { "reg" } else { "wire" };
                declared += &format!("    {kind} [{}:0] f{f}_{name};\n", width - 1);
            }
            declared += &format!("    {} f{f} ({});\n", vectors.module, pins.join(", "));
            for row in &vectors.rows {
                for ((name, input, width), value) in vectors.ports.iter().zip(row) {
                    if *input {
                        checks += &format!("        f{f}_{name} = {width}'h{value:x};\n");
                    }
                }
                checks += "        #1;\n";
                for ((name, input, width), value) in vectors.ports.iter().zip(row) {
                    if !*input {
                        let says = format!("{}.{name} is %h, not {value:x}", vectors.module);
                        checks += &format!(
                            "        if (f{f}_{name} !== {width}'h{value:x}) $display(\"{says}\", f{f}_{name});\n"
                        );
                        count += 1;
                    }
                }
            }
        }
        format!("module bench;\n{declared}    initial begin\n{checks}        $display(\"compared {count}\");\n    end\nendmodule\n")
    }

    /// The bench in VHDL.
    pub fn vhdl(&self) -> String {
        let (mut declared, mut instances, mut processes) = (String::new(), String::new(), String::new());
        for (f, vectors) in self.list.iter().enumerate() {
            let pins: Vec<String> = vectors.ports.iter().map(|(name, ..)| format!("{name} => f{f}_{name}")).collect();
            for (name, _, width) in &vectors.ports {
                declared += &match width {
                    1 => format!("  signal f{f}_{name} : std_logic;\n"),
                    _ => format!("  signal f{f}_{name} : unsigned({} downto 0);\n", width - 1),
                };
            }
            instances += &format!("  f{f} : entity work.{} port map ({});\n", vectors.module, pins.join(", "));
            let mut checks = String::new();
            for row in &vectors.rows {
                for ((name, _, width), value) in vectors.ports.iter().zip(row).filter(|(p, _)| p.1) {
                    checks += &format!("    f{f}_{name} <= {};\n", vhdl_number(*value, *width));
                }
                checks += "    wait for 1 ns;\n";
                for ((name, _, width), value) in vectors.ports.iter().zip(row).filter(|(p, _)| !p.1) {
                    let number = vhdl_number(*value, *width);
                    let says = format!("{}.{name} is not {value:x}", vectors.module);
                    checks += &format!("    assert f{f}_{name} = {number} report \"{says}\" severity error;\n");
                }
            }
            processes += &format!("  process begin\n{checks}    report \"compared {f}\";\n    wait;\n  end process;\n");
        }
        let uses = "library ieee;\nuse ieee.std_logic_1164.all;\nuse ieee.numeric_std.all;\n";
        format!("{uses}entity bench is end entity;\narchitecture test of bench is\n{declared}begin\n{instances}{processes}end architecture;\n")
    }

    /// How many differences the simulators and linters should not find: runs all that are installed, panics at the first fault.
    pub fn check(&self, folder: &Path) {
        let verilog = written(folder, &self.files[0], "bench.v", &self.verilog());
        let vhdl = written(folder, &self.files[1], "bench.vhd", &self.vhdl());
        if installed("iverilog", "-V") {
            let program = folder.join("bench");
            quiet(
                Command::new("iverilog").args(["-g2005", "-Wall", "-Wno-timescale", "-o"]).arg(&program).args(&verilog),
            );
            let said = run(Command::new("vvp").arg("-n").arg(&program));
            assert!(said.starts_with("compared ") && said.lines().count() == 1, "Icarus: {said}");
        }
        if installed("verilator", "--version") {
            for vectors in &self.list {
                let mut command = Command::new("verilator");
                command.args(["--lint-only", "-Wall", "--language", "1364-2005", "--top-module", &vectors.module]);
                quiet(command.args(&verilog[..verilog.len() - 1]));
            }
        }
        if installed("ghdl", "--version") {
            let work = format!("--workdir={}", folder.display());
            quiet(Command::new("ghdl").args(["-a", "--std=08", &work]).args(&vhdl));
            quiet(Command::new("ghdl").current_dir(folder).args(["-e", "--std=08", &work, "bench"]));
            let mut command = Command::new("ghdl");
            command.current_dir(folder).args(["-r", "--std=08", &work, "bench", "--ieee-asserts=disable"]);
            let said = run(&mut command);
            let notes = said.lines().filter(|line| line.contains("compared ")).count();
            assert!(notes == self.list.len() && notes == said.lines().count(), "GHDL: {said}");
        }
    }
}

fn vhdl_number(value: u64, width: u32) -> String {
    match width {
        1 => format!("'{value}'"),
        _ => format!("{width}x\"{:x}\"", value & mask(width as u8)),
    }
}

fn written(folder: &Path, files: &[File], bench: &str, text: &str) -> Vec<PathBuf> {
    let all = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).chain([(bench, text)]);
    let write = |(name, text): (&str, &str)| {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("the folder takes files");
        path
    };
    all.map(write).collect()
}

/// Whether a tool is there; says so where it is not.
pub fn installed(tool: &str, version: &str) -> bool {
    let found = Command::new(tool).arg(version).output().is_ok();
    if !found {
        eprintln!("skipped: {tool} is not installed");
    }
    found
}

/// Runs a tool that must succeed and say nothing.
pub fn quiet(command: &mut Command) {
    let said = run(command);
    assert!(said.is_empty(), "{:?}: {said}", command.get_program());
}

/// Runs a tool that must succeed; gives what it said.
pub fn run(command: &mut Command) -> String {
    let output = command.output().expect("the tool starts");
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{:?} failed: {said}", command.get_program());
    said
}

/// An empty folder of its own for a test.
pub fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(
        std::env::var("CARGO_TARGET_TMPDIR")
            .unwrap_or_else(|_| option_env!("CARGO_TARGET_TMPDIR").unwrap_or("target").into()),
    )
    .join(name);
    if path.exists() {
        std::fs::remove_dir_all(&path).expect("the old folder goes");
    }
    std::fs::create_dir_all(&path).expect("a folder is made");
    path
}
