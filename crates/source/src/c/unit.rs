//! One C file under construction: its tables, helpers and functions, each written once for all key sizes.

use std::collections::HashMap;

use program::ir::{Function, OpKind, Program, TableId};
use program::walk::for_each_op;

use super::function::Writer;
use super::helpers::Helpers;
use super::names::Names;
use super::types::{ctype, table_entry};

/// A table of the file.
struct Table {
    name: String,
    width: u8,
    data: Vec<u64>,
    used: bool,
}

/// A C file under construction.
#[derive(Default)]
pub struct Unit {
    /// Identifiers at file scope.
    pub names: Names,
    /// Inline helpers used so far.
    pub helpers: Helpers,
    /// Whether `<string.h>` is needed.
    pub uses_memcpy: bool,
    /// What stands before every function: `static ` or nothing.
    pub linkage: &'static str,
    tables: Vec<Table>,
    table_of: HashMap<(u8, Vec<u64>), usize>,
    functions: HashMap<String, String>,
    /// Functions written now are chosen from by the key size.
    separate: bool,
    written: HashMap<(String, String), String>,
    texts: Vec<String>,
}

impl Unit {
    /// A file for these programs; names that any of them needs at file scope are taken first.
    #[must_use]
    pub fn new(programs: &[&Program]) -> Self {
        let mut unit = Unit { linkage: "static ", ..Unit::default() };
        for width in [8, 16, 32, 64] {
            for helper in ["load#_le", "load#_be", "store#_le", "store#_be", "select#"] {
                unit.names.reserve(&helper.replace('#', &width.to_string()));
            }
        }
        for width in 1..=64 {
            for helper in ["rotl", "rotr", "shl", "shr"] {
                unit.names.reserve(&format!("{helper}{width}"));
            }
        }
        ["KEEP_ORDER", "SEPARATE", "tables"].iter().for_each(|n| unit.names.reserve(n));
        for program in programs {
            for table in &program.tables {
                let key = (table.width, table.data.clone());
                if !unit.table_of.contains_key(&key) {
                    let name = unit.names.fresh(&table.name);
                    unit.table_of.insert(key, unit.tables.len());
                    unit.tables.push(Table { name, width: table.width, data: table.data.clone(), used: false });
                }
            }
        }
        unit
    }

    /// The C name of a program's table, which is written from now on.
    pub fn table(&mut self, program: &Program, id: TableId) -> String {
        let table = &program.tables[id.0 as usize];
        let n = self.table_of[&(table.width, table.data.clone())];
        self.tables[n].used = true;
        if self.tables.len() > 1 {
            format!("tables.{}", self.tables[n].name)
        } else {
            self.tables[n].name.clone()
        }
    }

    /// The C name of a function of the program being written.
    #[must_use]
    pub fn function_name(&self, _program: &Program, name: &str) -> String {
        self.functions.get(name).cloned().unwrap_or_else(|| name.to_owned())
    }

    /// Writes a function of every program and all that it calls; gives the C names. What is the same in all of them is written
    /// once under its plain name, else under names with the programs' suffixes.
    pub fn functions(&mut self, programs: &[(&Program, String)], role: &str) -> Vec<String> {
        let wanted: Vec<Vec<String>> = programs.iter().map(|(p, _)| reachable(p, role)).collect();
        let mut own_names: Vec<HashMap<String, String>> = vec![HashMap::new(); programs.len()];
        for name in in_order(programs, &wanted) {
            let mut keys: Vec<Option<String>> = Vec::new();
            for (n, (program, _)) in programs.iter().enumerate() {
                self.functions.clone_from(&own_names[n]);
                let function = program.functions.iter().find(|f| f.name == name && wanted[n].contains(&f.name));
                keys.push(function.map(|f| self.fingerprint(program, f)));
            }
            let present: Vec<&String> = keys.iter().flatten().collect();
            let shared = present.iter().all(|k| *k == present[0]);
            self.separate = !shared && name == role;
            for (n, (program, suffix)) in programs.iter().enumerate() {
                let Some(key) = &keys[n] else { continue };
                let Some(function) = program.functions.iter().find(|f| f.name == name) else { continue };
                self.functions.clone_from(&own_names[n]);
                let c_name =
                    self.write(program, function, if shared { "" } else { suffix }, (name.clone(), key.clone()));
                own_names[n].insert(name.clone(), c_name);
            }
        }
        own_names.iter().map(|names| names[role].clone()).collect()
    }

    fn write(&mut self, program: &Program, function: &Function, suffix: &str, key: (String, String)) -> String {
        if let Some(known) = self.written.get(&key) {
            return known.clone();
        }
        let c_name = self.names.fresh(&format!("{}{suffix}", function.name));
        let written = Writer::write(program, function, &c_name, self);
        let keep = if keeps_order(program, &function.name) { "KEEP_ORDER\n" } else { "" };
        let separate = if self.separate { "SEPARATE\n" } else { "" };
        self.texts.push(format!("{keep}{separate}{}\n{}", written.head, written.body));
        self.written.insert(key, c_name.clone());
        c_name
    }

    /// What a function does, apart from names and places: the text form with values numbered and tables, callees by content.
    fn fingerprint(&self, program: &Program, function: &Function) -> String {
        let mut copy = function.clone();
        for (n, value) in copy.values.iter_mut().enumerate() {
            value.name = n.to_string();
        }
        program::walk::for_each_block_mut(&mut copy.body, &mut |block| {
            for op in &mut block.ops {
                op.places.clear();
                match &mut op.kind {
                    OpKind::Lookup(table, _) => {
                        let described = &program.tables[table.0 as usize];
                        table.0 = self.table_of[&(described.width, described.data.clone())] as u32;
                    }
                    OpKind::Call(name, _) => *name = self.function_name(program, name),
                    OpKind::Loop(l) => l.counter.clear(),
                    _ => {}
                }
            }
        });
        let names = Program { tables: self.named_tables(), ..Program::default() };
        let keep = if keeps_order(program, &function.name) { " kept" } else { "" };
        Program { functions: vec![copy], ..names }.to_string() + keep
    }

    fn named_tables(&self) -> Vec<program::ir::Table> {
        let named = |t: &Table| program::ir::Table { name: t.name.clone(), width: t.width, data: vec![0] };
        self.tables.iter().map(named).collect()
    }

    /// Tables, helpers and functions as text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        let used: Vec<&Table> = self.tables.iter().filter(|t| t.used).collect();
        text += &match (used.as_slice(), self.tables.len()) {
            ([], _) => String::new(),
            ([only], 1) => format!("static _Alignas(64) const {} = {};\n\n", declaration(only), initializer(only, "")),
            _ => tables_text(&used),
        };
        text += &self.helpers.text();
        for (name, definition) in [("KEEP_ORDER\n", KEEP_ORDER), ("SEPARATE\n", SEPARATE)] {
            if self.texts.iter().any(|t| t.contains(name)) {
                text += definition;
            }
        }
        text + &self.texts.join("\n")
    }
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

/// One of several functions put into the caller would cost the others registers.
const SEPARATE: &str = "\
#if defined(__GNUC__)
#define SEPARATE __attribute__((noinline))
#else
#define SEPARATE
#endif

";

/// Whether the program's passes chose the order of a function's operations (its fact `keep_order`).
fn keeps_order(program: &Program, function: &str) -> bool {
    program.meta.iter().any(|(key, names)| key == "keep_order" && names.split(' ').any(|name| name == function))
}

/// The wanted functions of all programs, callees before callers.
fn in_order(programs: &[(&Program, String)], wanted: &[Vec<String>]) -> Vec<String> {
    let mut order: Vec<String> = Vec::new();
    for ((program, _), wanted) in programs.iter().zip(wanted) {
        for function in program.functions.iter().filter(|f| wanted.contains(&f.name)) {
            if !order.contains(&function.name) {
                order.push(function.name.clone());
            }
        }
    }
    order
}

fn reachable(program: &Program, name: &str) -> Vec<String> {
    let mut found = vec![name.to_owned()];
    for function in program.functions.iter().rev() {
        if found.contains(&function.name) {
            for_each_op(&function.body, &mut |op| {
                if let OpKind::Call(callee, _) = &op.kind {
                    found.push(callee.clone());
                }
            });
        }
    }
    found
}

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
    let values: String = used.iter().map(|t| format!("    .{} = {},\n", t.name, initializer(t, "    "))).collect();
    format!("static _Alignas(64) const struct {{\n{members}}} tables = {{\n{values}}};\n\n")
}
