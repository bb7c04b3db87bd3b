//! A C file's tables, helpers and functions as text.

use super::types::{ctype, table_entry};
use crate::writer::unit::{Table, Unit};

/// Tables, helpers and functions.
pub fn of(unit: &Unit) -> String {
    let mut text = String::new();
    let used: Vec<&Table> = unit.tables.iter().filter(|t| t.used).collect();
    text += &match (used.as_slice(), unit.tables.len()) {
        ([], _) => String::new(),
        ([only], 1) => {
            format!("{ALIGNED}ALIGNED(64) static const {} = {};\n\n", declaration(only), initializer(only, ""))
        }
        _ => ALIGNED.to_owned() + &tables_text(&used),
    };
    text += &unit.helpers.texts().fold(String::new(), |all, one| all + one + "\n");
    if unit.texts.iter().any(|t| t.keeps_order) {
        text += KEEP_ORDER;
    }
    if unit.texts.iter().any(|t| t.separate) {
        text += SEPARATE;
    }
    let functions: Vec<String> = unit
        .texts
        .iter()
        .map(|t| {
            let keep = if t.keeps_order { "KEEP_ORDER\n" } else { "" };
            let separate = if t.separate { "SEPARATE\n" } else { "" };
            format!("{keep}{separate}{}\n{}", t.written.head, t.written.body)
        })
        .collect();
    text + &functions.join("\n")
}

/// GCC rebuilds sums and exclusive ors as chains unless told not to; other compilers leave them.
const KEEP_ORDER: &str = "\
/* The order of operations below is chosen by when their operands are ready; the compiler is asked to leave it so. */
#if defined(__GNUC__) && !defined(__clang__)
#define KEEP_ORDER __attribute__((optimize(\"no-tree-reassoc\")))
#else
#define KEEP_ORDER
#endif

";

/// C11 and C++11 have words for it, C99 has none.
const ALIGNED: &str = "\
/* Tables begin with a line of the data cache. */
#if defined(__cplusplus)
#define ALIGNED(bytes) alignas(bytes)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define ALIGNED(bytes) _Alignas(bytes)
#elif defined(__GNUC__)
#define ALIGNED(bytes) __attribute__((aligned(bytes)))
#else
#define ALIGNED(bytes)
#endif

";

/// One of several functions put into the caller would cost the others registers.
const SEPARATE: &str = "\
#if defined(__GNUC__)
#define SEPARATE __attribute__((noinline))
#else
#define SEPARATE
#endif

";

fn declaration(table: &Table) -> String {
    format!("{} {}[{}]", ctype(table.width), table.name, table.data.len())
}

fn initializer(table: &Table, indent: &str) -> String {
    let per_line = match ctype(table.width) {
        "uint8_t" => 16,
        "uint16_t" => 12,
        "uint32_t" => 8,
        _ => 3,
    };
    let entries = |chunk: &[u64]| chunk.iter().map(|&v| table_entry(v, table.width)).collect::<Vec<_>>().join(", ");
    let lines: Vec<String> =
        table.data.chunks(per_line).map(|chunk| format!("{indent}    {},\n", entries(chunk))).collect();
    format!("{{\n{}{indent}}}", lines.concat())
}

/// Several tables in one structure, so that one register holds the address of all.
fn tables_text(used: &[&Table]) -> String {
    let members: String = used.iter().map(|t| format!("    {};\n", declaration(t))).collect();
    let values: String = used.iter().map(|t| format!("    /* {} */ {},\n", t.name, initializer(t, "    "))).collect();
    format!("ALIGNED(64) static const struct {{\n{members}}} tables = {{\n{values}}};\n\n")
}
