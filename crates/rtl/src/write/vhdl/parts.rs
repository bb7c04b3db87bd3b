//! Tables and boxes in VHDL.

use program::ir::{SBox, Table};

use super::expression::number;
use super::{heading, type_text};
use crate::logic::bits_for;

fn entity(name: &str, ports: &[(String, &str, u32)]) -> String {
    let line =
        |(port, direction, width): &(String, &str, u32)| format!("    {port} : {direction} {}", type_text(*width));
    let lines: Vec<String> = ports.iter().map(line).collect();
    format!("entity {name} is\n  port (\n{}\n  );\nend entity;\n\n", lines.join(";\n"))
}

/// A table as a constant array; entries beyond its last are zero, so that every address is one.
pub(super) fn table(table: &Table, name: &str, head: &[String]) -> String {
    let (width, bits) = (u32::from(table.width), u32::from(bits_for(table.data.len())));
    let ports = [("address".to_owned(), "in ", bits), ("value".to_owned(), "out", width)];
    let mut text = heading(head) + &entity(name, &ports);
    let last = (1u64 << bits) - 1;
    text += &format!("architecture rtl of {name} is\n  type entries is array (0 to {last}) of {};\n", type_text(width));
    text += "  constant entry : entries := (\n";
    let mut entries: Vec<String> = table.data.iter().map(|&v| hexadecimal(v, width)).collect();
    if table.data.len() as u64 <= last {
        entries.push(format!("others => {}", hexadecimal(0, width)));
    }
    let each = if width <= 8 { 12 } else { 6 };
    let lines: Vec<String> = entries.chunks(each).map(|line| format!("    {}", line.join(", "))).collect();
    text += &lines.join(",\n");
    let index = if bits == 1 { "unsigned'(\"\" & address)" } else { "address" };
    text + &format!("\n  );\nbegin\n  value <= entry(to_integer({index}));\nend architecture;\n")
}

fn hexadecimal(value: u64, width: u32) -> String {
    match width {
        1 => number(value, 1),
        _ => format!("{width}x\"{value:0digits$x}\"", digits = width.div_ceil(4) as usize),
    }
}

/// A box: the truth table of every output, looked up at every bit position.
pub(super) fn sbox(found: &SBox, width: u32, name: &str, head: &[String]) -> String {
    let inputs = (0..found.inputs).map(|n| (format!("x{n}"), "in ", width));
    let outputs = (0..found.outputs).map(|n| (format!("y{n}"), "out", width));
    let mut text = heading(head) + &entity(name, &inputs.chain(outputs).collect::<Vec<_>>());
    text += &format!("architecture rtl of {name} is\n  -- Bit x of a truth table is the output for input x.\n");
    let length = found.data.len();
    for k in 0..found.outputs {
        let truth = crate::write::truth_digits(found, k);
        let vector = format!("std_logic_vector({} downto 0)", length - 1);
        text += &format!("  constant truth{k} : {vector} := {length}x\"{truth}\";\n");
    }
    let at = if width == 1 { "" } else { "(n)" };
    let bits: Vec<String> = (0..found.inputs).rev().map(|n| format!("x{n}{at}")).collect();
    let bits = if bits.len() == 1 { format!("\"\" & {}", bits[0]) } else { bits.join(" & ") };
    let indent = if width == 1 { "  " } else { "    " };
    let signal = format!("{indent}signal x : unsigned({} downto 0);\n", found.inputs - 1);
    let mut lines = format!("{indent}x <= {bits};\n");
    for k in 0..found.outputs {
        lines += &format!("{indent}y{k}{at} <= truth{k}(to_integer(x));\n");
    }
    text += &match width {
        1 => format!("{signal}begin\n{lines}"),
        _ => format!(
            "begin\n  position : for n in 0 to {} generate\n{signal}  begin\n{lines}  end generate;\n",
            width - 1
        ),
    };
    text + "end architecture;\n"
}
