//! Tables of the emitted class: short ones as initializers, long ones as text that is decoded when the class is loaded.
//!
//! An initializer of an array is code, at seven bytes an entry and 64 KB in all; text is data.

use super::types::{memory_type, table_entry};
use crate::writer::unit::Table;
use crate::writer::words::container;

/// Longest table that is written as an initializer.
const SHORT: usize = 32;

/// All tables that functions read, and the methods that decode them.
pub fn text(tables: &[Table]) -> String {
    let used: Vec<&Table> = tables.iter().filter(|t| t.used).collect();
    let mut text: String = used.iter().map(|t| declaration(t)).collect();
    let mut decoded: Vec<u8> = used.iter().filter(|t| t.data.len() > SHORT).map(|t| container(t.width)).collect();
    decoded.sort_unstable();
    decoded.dedup();
    text += &decoded.into_iter().map(decoder).collect::<String>();
    text
}

fn declaration(table: &Table) -> String {
    let word = memory_type(table.width);
    if table.data.len() <= SHORT {
        let per_line = [8, 8, 8, 4][usize::from(container(table.width).trailing_zeros() as u8 - 3)];
        let lines = rows(table, per_line, ", ", |entry| table_entry(entry, table.width));
        let body: String = lines.iter().map(|line| format!("        {line},\n")).collect();
        return format!("    private static final {word}[] {} = {{\n{body}    }};\n\n", table.name);
    }
    let digits = usize::from(container(table.width) / 4);
    let lines = rows(table, 96 / (digits + 1), " ", |entry| format!("{entry:0digits$x}"));
    let quoted: Vec<String> = lines.iter().map(|line| format!("        \"{line}\"")).collect();
    format!("    private static final {word}[] {} = {word}s(\n{});\n\n", table.name, quoted.join(",\n"))
}

fn rows(table: &Table, per_line: usize, separator: &str, entry: impl Fn(u64) -> String) -> Vec<String> {
    let per_line = if per_line > 8 { per_line / 8 * 8 } else { per_line.next_power_of_two() };
    table
        .data
        .chunks(per_line)
        .map(|chunk| chunk.iter().map(|&v| entry(v)).collect::<Vec<_>>().join(separator))
        .collect()
}

fn decoder(container: u8) -> String {
    let word = memory_type(container);
    let parsed = match container {
        64 => "Long.parseUnsignedLong(words[n], 16)".to_owned(),
        32 => "Integer.parseUnsignedInt(words[n], 16)".to_owned(),
        _ => format!("({word}) Integer.parseInt(words[n], 16)"),
    };
    format!(
        "    /** The words of a table that is written in hexadecimal. */\n    private static {word}[] {word}s(String... rows) {{\n        \
         final String[] words = String.join(\" \", rows).split(\" \");\n        \
         final {word}[] table = new {word}[words.length];\n        \
         for (int n = 0; n < table.length; n++) {{\n            table[n] = {parsed};\n        }}\n        return table;\n    }}\n\n"
    )
}
