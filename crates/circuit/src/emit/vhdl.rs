//! VHDL: an entity and an architecture of concurrent assignments.

use super::expression::Operators;
use super::lower::{lower, Basis};
use super::source::{Names, Source};
use super::{Language, Options};
use crate::circuit::Wire;
use crate::fault::Fault;

/// A synthesizable entity.
pub struct Vhdl;

const OPERATORS: Operators = Operators {
    and: " and ",
    or: " or ",
    xor: " xor ",
    not: "not ",
    complemented: Some([" nand ", " nor ", " xnor "]),
};

impl Language for Vhdl {
    fn name(&self) -> &'static str {
        "vhdl"
    }

    fn title(&self) -> &'static str {
        "VHDL 1993, an entity of assignments"
    }

    fn suffix(&self) -> &'static str {
        "vhd"
    }

    fn write(&self, source: &Source, _: &Options) -> Result<String, Fault> {
        let circuit = lower(&source.circuit, &Basis::ANY);
        let names = Names::new(&circuit, |k| format!("x({k})"), |k| format!("y{k}"));
        let mut head = source.head(&circuit, "VHDL");
        head.extend([
            String::new(),
            "x is the input, y the output of one box, bit 0 the least significant.".to_owned(),
        ]);
        let mut text: String = head.iter().map(|line| format!("-- {line}").trim_end().to_owned() + "\n").collect();
        let name = source.identifier();
        text.push_str("library ieee;\nuse ieee.std_logic_1164.all;\n\n");
        let vector = |bits: usize| format!("std_logic_vector({} downto 0)", bits - 1);
        let (inputs, outputs) = (vector(usize::from(circuit.inputs)), vector(circuit.outputs.len()));
        text.push_str(&format!("entity {name} is\n    port (\n        x : in  {inputs};\n"));
        text.push_str(&format!("        y : out {outputs}\n    );\nend entity {name};\n\n"));
        text.push_str(&format!("architecture gates of {name} is\n"));
        let lines = names.lines(&circuit);
        for results in lines.chunks(12) {
            let list: Vec<&str> = results.iter().map(|line| line.result.as_str()).collect();
            text.push_str(&format!("    signal {} : std_logic;\n", list.join(", ")));
        }
        text.push_str("begin\n");
        for line in &lines {
            text.push_str(&format!("    {} <= {};\n", line.result, OPERATORS.expression(line)));
        }
        for (k, wire) in circuit.outputs.iter().enumerate() {
            let value = match (wire, names.of(*wire)) {
                (_, Some(name)) => name.to_owned(),
                (Wire::Constant(true), _) => "'1'".to_owned(),
                _ => "'0'".to_owned(),
            };
            text.push_str(&format!("    y({k}) <= {value};\n"));
        }
        Ok(text + "end architecture gates;\n")
    }
}
