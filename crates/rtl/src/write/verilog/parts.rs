//! Tables, boxes and words of latches in Verilog.

use program::ir::{SBox, Table};

use super::{heading, range};
use crate::logic::bits_for;
use crate::write::expression::Expr;
use crate::write::verilog::expression::{self, number};

/// A table as a memory that holds its entries from the start.
pub(super) fn table(table: &Table, name: &str, head: &[String]) -> String {
    let (width, bits) = (u32::from(table.width), u32::from(bits_for(table.data.len())));
    let mut text = heading(head);
    text += &format!("module {name} (\n    input  {}address,\n    output {}value\n);\n\n", range(bits), range(width));
    text += &format!("    reg {}entry [0:{}];\n\n    initial begin\n", range(width), table.data.len() - 1);
    let each = if width <= 8 { 6 } else { 4 };
    let entries: Vec<String> =
        table.data.iter().enumerate().map(|(n, &v)| format!("entry[{n}] = {};", hexadecimal(v, width))).collect();
    for line in entries.chunks(each) {
        text += &format!("        {}\n", line.join(" "));
    }
    text += "    end\n\n    assign value = entry[address];\n\nendmodule\n";
    text
}

fn hexadecimal(value: u64, width: u32) -> String {
    match width {
        1 => number(value, 1),
        _ => format!("{width}'h{value:0digits$x}", digits = width.div_ceil(4) as usize),
    }
}

/// A box: the truth table of every output, looked up at every bit position.
pub(super) fn sbox(found: &SBox, width: u32, name: &str, head: &[String]) -> String {
    let mut text = heading(head);
    let side = |direction: &str, letter: char, count: u8| -> Vec<String> {
        (0..count).map(|n| format!("    {direction} {}{letter}{n}", range(width))).collect()
    };
    let ports = [side("input ", 'x', found.inputs), side("output", 'y', found.outputs)].concat();
    text += &format!(
        "module {name} (\n{}\n);\n\n    // Bit x of a truth table is the output for input x.\n",
        ports.join(",\n")
    );
    for k in 0..found.outputs {
        text += &format!(
            "    localparam [{}:0] truth{k} = {}'h{};\n",
            found.data.len() - 1,
            found.data.len(),
            crate::write::truth_digits(found, k)
        );
    }
    let at = if width == 1 { "" } else { "[n]" };
    let indent = if width == 1 { "    " } else { "            " };
    let inputs: Vec<String> = (0..found.inputs).rev().map(|n| format!("x{n}{at}")).collect();
    let index = if inputs.len() == 1 { inputs[0].clone() } else { format!("{{{}}}", inputs.join(", ")) };
    let lines: String = (0..found.outputs).map(|k| format!("{indent}assign y{k}{at} = truth{k}[{index}];\n")).collect();
    text += "\n";
    if width == 1 {
        text += &lines;
    } else {
        text += "    genvar n;\n    generate\n";
        text += &format!(
            "        for (n = 0; n < {width}; n = n + 1) begin : position\n{lines}        end\n    endgenerate\n"
        );
    }
    text + "\nendmodule\n"
}

/// The statements that choose one of many words.
pub(super) fn choice(name: &str, address: &Expr, words: &[Expr]) -> Vec<String> {
    let bits = address.width();
    let mut lines = vec!["    always @*".to_owned(), format!("        case ({})", expression::text(address))];
    lines.extend(words.iter().enumerate().map(|(n, word)| {
        let label = if n + 1 == words.len() { "default".to_owned() } else { number(n as u64, bits) };
        format!("            {label}: {name} = {};", expression::text(word))
    }));
    lines.push("        endcase".to_owned());
    lines
}

/// A word of latches behind its clock gate.
pub(super) fn latch(width: u32, name: &str, head: &[String]) -> String {
    let mut text = heading(head);
    text += &format!(
        "module {name} (\n    input  clock,\n    input  open,\n    input  {}d,\n    output reg {}q\n);\n\n",
        range(width),
        range(width)
    );
    text += "`ifdef VERILATOR\n";
    text += "    // There the clock comes through the gate before registers take what the word held. So here the word changes\n";
    text += "    // when it closes: nothing reads it before, so nothing can tell.\n";
    text += "    always @(negedge clock)\n        if (open) q <= d;\n`else\n";
    text += "    // The clock gate: `open` changes only while the clock is low.\n    wire gated = clock & open;\n";
    text += "    always @*\n        if (gated) q <= d;\n`endif\n";
    text + "\nendmodule\n"
}
