//! Verilog: a module of continuous assignments.

use super::expression::C_LIKE;
use super::lower::{lower, Basis};
use super::source::{Names, Source};
use super::{Language, Options};
use crate::circuit::Wire;
use crate::fault::Fault;

/// A synthesizable module.
pub struct Verilog;

impl Language for Verilog {
    fn name(&self) -> &'static str {
        "verilog"
    }

    fn title(&self) -> &'static str {
        "Verilog 2001, a module of assignments"
    }

    fn suffix(&self) -> &'static str {
        "v"
    }

    fn write(&self, source: &Source, _: &Options) -> Result<String, Fault> {
        let circuit = lower(&source.circuit, &Basis::ANY);
        let names = Names::new(&circuit, |k| format!("x[{k}]"), |k| format!("y[{k}]"));
        let mut head = source.head(&circuit, "Verilog");
        head.extend([
            String::new(),
            "x is the input, y the output of one box, bit 0 the least significant.".to_owned(),
        ]);
        let mut text: String = head.iter().map(|line| format!("// {line}").trim_end().to_owned() + "\n").collect();
        let (inputs, outputs) = (circuit.inputs - 1, circuit.outputs.len() - 1);
        text.push_str(&format!("module {} (\n", source.identifier()));
        text.push_str(&format!("    input  wire [{inputs}:0] x,\n    output wire [{outputs}:0] y\n);\n"));
        let lines = names.lines(&circuit);
        for line in &lines {
            let kind = if line.result.starts_with('y') { "assign" } else { "wire  " };
            text.push_str(&format!("    {kind} {} = {};\n", line.result, C_LIKE.expression(line)));
        }
        for (k, wire) in circuit.outputs.iter().enumerate() {
            let own = format!("y[{k}]");
            match (wire, names.of(*wire)) {
                (_, Some(name)) if name == own => {}
                (_, Some(name)) => text.push_str(&format!("    assign {own} = {name};\n")),
                (Wire::Constant(value), _) => text.push_str(&format!("    assign {own} = 1'b{};\n", u8::from(*value))),
                _ => {}
            }
        }
        Ok(text + "endmodule\n")
    }
}
