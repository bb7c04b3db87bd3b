//! One file under construction: its tables, helpers and functions, each written once for all key sizes.

use std::collections::HashMap;

use program::ir::{Function, OpKind, Program, TableId};
use program::walk::for_each_op;

use super::function::{FunctionText, Writer};
use super::helpers::{reserved, Helpers};
use super::language::Language;
use super::names::Names;

/// A table of the file.
pub struct Table {
    /// Its name.
    pub name: String,
    /// Width of its elements.
    pub width: u8,
    /// Its elements.
    pub data: Vec<u64>,
    /// Whether a function that was written reads it.
    pub used: bool,
}

/// A function as it was written.
pub struct Text {
    /// Its head and body.
    pub written: FunctionText,
    /// Whether the order of its operations is chosen and should be left.
    pub keeps_order: bool,
    /// Whether it is one of several from which the key size chooses.
    pub separate: bool,
    /// What it is in the program.
    pub name: String,
}

/// A file under construction.
pub struct Unit {
    /// What it is written in.
    pub language: &'static dyn Language,
    /// Identifiers at file scope.
    pub names: Names,
    /// Inline helpers used so far.
    pub helpers: Helpers,
    /// Whether `<string.h>` is needed.
    pub uses_memcpy: bool,
    /// What stands before every function: `static ` or nothing.
    pub linkage: &'static str,
    /// Tables of the programs and constants of functions.
    pub tables: Vec<Table>,
    table_of: HashMap<(u8, Vec<u64>), usize>,
    functions: HashMap<String, String>,
    /// Functions written now are chosen from by the key size.
    separate: bool,
    written: HashMap<(String, String), String>,
    /// The functions, callees before callers.
    pub texts: Vec<Text>,
}

impl Unit {
    /// A file for these programs; names that any of them needs at file scope are taken first.
    #[must_use]
    pub fn new(language: &'static dyn Language, programs: &[&Program]) -> Self {
        let mut unit = Unit {
            language,
            names: Names::new(language.reserved()),
            helpers: Helpers::default(),
            uses_memcpy: false,
            linkage: "static ",
            tables: Vec::new(),
            table_of: HashMap::new(),
            functions: HashMap::new(),
            separate: false,
            written: HashMap::new(),
            texts: Vec::new(),
        };
        reserved().for_each(|name| unit.names.reserve(&name));
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

    /// The name of a program's table, which is written from now on.
    pub fn table(&mut self, program: &Program, id: TableId) -> String {
        let table = &program.tables[id.0 as usize];
        let n = self.table_of[&(table.width, table.data.clone())];
        self.tables[n].used = true;
        self.language.table(&self.tables[n].name, self.tables.len() == 1)
    }

    /// The name of a function of the program being written.
    #[must_use]
    pub fn function_name(&self, _program: &Program, name: &str) -> String {
        self.functions.get(name).cloned().unwrap_or_else(|| name.to_owned())
    }

    /// Writes a function of every program and all that it calls; gives their names in the file. What is the same in all of them is written
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
                let written_as =
                    self.write(program, function, if shared { "" } else { suffix }, (name.clone(), key.clone()));
                own_names[n].insert(name.clone(), written_as);
            }
        }
        own_names.iter().map(|names| names[role].clone()).collect()
    }

    fn write(&mut self, program: &Program, function: &Function, suffix: &str, key: (String, String)) -> String {
        if let Some(known) = self.written.get(&key) {
            return known.clone();
        }
        let written_as = self.names.fresh(&format!("{}{suffix}", function.name));
        let offsets = self.language.has_offsets() && program::roles::on_blocks(&function.name);
        let function = &*super::stores::late(function);
        let written = Writer::write(program, function, &written_as, offsets, self);
        let keeps_order = keeps_order(program, &function.name);
        self.texts.push(Text { written, keeps_order, separate: self.separate, name: function.name.clone() });
        self.written.insert(key, written_as.clone());
        written_as
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

    /// A constant of a function that stands beside the functions; gives its name.
    pub fn constant(&mut self, name: String, width: u8, data: Vec<u64>) -> String {
        if let Some(known) = self.tables.iter().find(|t| t.used && t.width == width && t.data == data) {
            return known.name.clone();
        }
        self.names.reserve(&name);
        self.tables.push(Table { name: name.clone(), width, data, used: true });
        name
    }
}

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
