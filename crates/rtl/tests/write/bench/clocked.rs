//! Test benches for designs: every clock against the simulation by the evaluator.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use program::generate::Random;
use rtl::design::simulate::Simulation;
use rtl::design::{Design, Direction, Port};
use rtl::write::{module_names, verilog, vhdl};

use super::{installed, quiet, run, vhdl_number, written};

/// Pins of a design in every clock, inputs and outputs, as rows of whole numbers by port.
pub struct PinTrace {
    design: Design,
    /// Per clock the words of every port.
    rows: Vec<Vec<Vec<u64>>>,
    /// Clocks at the start in which registers without a reset are not known yet.
    unknown: usize,
}

impl PinTrace {
    /// Runs a design with random inputs.
    pub fn new(design: &Design, clocks: usize, unknown: usize, random: &mut Random) -> Self {
        let mut simulation = Simulation::new(design).expect("the design runs");
        let mut rows = Vec::new();
        for _ in 0..clocks {
            let inputs = design.ports.iter().filter(|p| p.direction == Direction::Input);
            let pins: HashMap<String, Vec<u64>> =
                inputs.map(|p| (p.name.clone(), p.words.iter().map(|&w| random.word(w)).collect())).collect();
            let outputs = simulation.clock(&pins, false).expect("the design runs");
            let of = |p: &Port| pins.get(&p.name).or(outputs.get(&p.name)).expect("every pin has a value").clone();
            rows.push(design.ports.iter().map(of).collect());
        }
        PinTrace { design: design.clone(), rows, unknown }
    }

    fn verilog(&self) -> String {
        let name = &self.design.name;
        let mut text = String::from("module bench;\n    reg clock = 1'b0;\n    reg reset = 1'b1;\n");
        for port in &self.design.ports {
            let kind = if port.direction == Direction::Input { "reg" } else { "wire" };
            text += &format!("    {kind} [{}:0] {};\n", port.width() - 1, port.name);
        }
        let pins: String = self.design.ports.iter().map(|p| format!(", .{0}({0})", p.name)).collect();
        text += &format!("    {name} device (.clock(clock), .reset(reset){pins});\n");
        text += "    always #5 clock = ~clock;\n    initial begin\n";
        for (port, _) in self.of(0, Direction::Input) {
            text += &format!("        {} = 0;\n", port.name);
        }
        // Inputs change after the rising edge, as those of registers do: falling edges take them, too.
        text += "        #6 reset = 1'b0;\n";
        for clock in 0..self.rows.len() {
            for (port, words) in self.of(clock, Direction::Input) {
                text += &format!("        {} = {};\n", port.name, bus(port, words, "'h", ", "));
            }
            text += "        #2;\n";
            for (port, words) in self.of(clock, Direction::Output).filter(|_| clock >= self.unknown) {
                let value = bus(port, words, "'h", ", ");
                text += &format!(
                    "        if ({0} !== {value}) $display(\"clock {clock}: {0} is %h, not %h\", {0}, {value});\n",
                    port.name
                );
            }
            text += "        #8;\n";
        }
        text + "        $display(\"compared\");\n        $finish;\n    end\nendmodule\n"
    }

    fn vhdl(&self) -> String {
        let name = &self.design.name;
        let mut text = String::from("library ieee;\nuse ieee.std_logic_1164.all;\nentity bench is end entity;\n");
        text +=
            "architecture test of bench is\n  signal clock : std_logic := '0';\n  signal reset : std_logic := '1';\n";
        text += "  signal ended : boolean := false;\n";
        for port in &self.design.ports {
            let (ty, zero) = match port.width() {
                1 => ("std_logic".to_owned(), "'0'"),
                width => (format!("std_logic_vector({} downto 0)", width - 1), "(others => '0')"),
            };
            let start = if port.direction == Direction::Input { format!(" := {zero}") } else { String::new() };
            text += &format!("  signal {} : {ty}{start};\n", port.name);
        }
        let pins: String = self.design.ports.iter().map(|p| format!(", {0} => {0}", p.name)).collect();
        text += &format!("begin\n  device : entity work.{name} port map (clock => clock, reset => reset{pins});\n");
        text += "  clock <= not clock after 5 ns when not ended else '0';\n  process begin\n    wait for 6 ns;\n    reset <= '0';\n";
        for clock in 0..self.rows.len() {
            for (port, words) in self.of(clock, Direction::Input) {
                text += &format!("    {} <= {};\n", port.name, vhdl_bus(port, words));
            }
            text += "    wait for 2 ns;\n";
            for (port, words) in self.of(clock, Direction::Output).filter(|_| clock >= self.unknown) {
                let value = vhdl_bus(port, words);
                let says = format!("clock {clock}: {} is wrong", port.name);
                text += &format!("    assert {} = {value} report \"{says}\" severity error;\n", port.name);
            }
            text += "    wait for 8 ns;\n";
        }
        text + "    report \"compared\";\n    ended <= true;\n    wait;\n  end process;\nend architecture;\n"
    }

    fn of(&self, clock: usize, direction: Direction) -> impl Iterator<Item = (&Port, &Vec<u64>)> {
        self.design.ports.iter().zip(&self.rows[clock]).filter(move |(p, _)| p.direction == direction)
    }

    /// Runs all tools that are installed; panics at the first fault.
    pub fn check(&self, folder: &Path) {
        let top = module_names(&self.design).pop().expect("the device has a name");
        let verilog = written(folder, &verilog(&self.design).expect("Verilog is written"), "bench.v", &self.verilog());
        let vhdl = written(folder, &vhdl(&self.design).expect("VHDL is written"), "bench.vhd", &self.vhdl());
        if installed("iverilog", "-V") {
            let program = folder.join("bench");
            quiet(
                Command::new("iverilog").args(["-g2005", "-Wall", "-Wno-timescale", "-o"]).arg(&program).args(&verilog),
            );
            assert_eq!(run(Command::new("vvp").arg("-n").arg(&program)), "compared\n", "Icarus");
        }
        if installed("verilator", "--version") {
            let mut command = Command::new("verilator");
            command.args(["--lint-only", "-Wall", "--top-module", &top]);
            quiet(command.args(&verilog[..verilog.len() - 1]));
        }
        if installed("ghdl", "--version") {
            let work = format!("--workdir={}", folder.display());
            quiet(Command::new("ghdl").args(["-a", "--std=08", &work]).args(&vhdl));
            quiet(Command::new("ghdl").current_dir(folder).args(["-e", "--std=08", &work, "bench"]));
            let mut command = Command::new("ghdl");
            command.current_dir(folder).args(["-r", "--std=08", &work, "bench", "--ieee-asserts=disable"]);
            let said = run(&mut command);
            assert!(said.lines().count() == 1 && said.contains("compared"), "GHDL: {said}");
        }
    }
}

/// The words of a bus, the first in the most significant bits.
fn bus(port: &Port, words: &[u64], mark: &str, between: &str) -> String {
    let list: Vec<String> =
        port.words.iter().zip(words).map(|(width, word)| format!("{width}{mark}{word:x}")).collect();
    format!("{{{}}}", list.join(between))
}

fn vhdl_bus(port: &Port, words: &[u64]) -> String {
    let list: Vec<String> = port.words.iter().zip(words).map(|(&w, &word)| vhdl_number(word, w.into())).collect();
    match list.len() {
        1 => list[0].clone(),
        _ => format!("std_logic_vector'({})", list.join(" & ")),
    }
}
