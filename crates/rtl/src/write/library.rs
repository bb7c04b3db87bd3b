//! Which modules a design needs beside its machines, and how each is called.

use std::collections::{BTreeMap, BTreeSet};

use program::ir::{Function, Op, OpKind, Operand, Program, Shift, Type, ValueId};

use super::names::Names;
use crate::design::{Cell, Design};

/// A module that machines and functions have instances of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// Constant table by its number.
    Table(u32),
    /// Matrix by its number.
    Matrix(u32),
    /// Box by its number, for words of a width.
    Box(u32, u32),
    /// Rotation of a word of a width to the left (or right) by a variable amount.
    Rotation(bool, u32),
    /// One word of a store of latches.
    Latch(u32),
    /// Function by its number.
    Function(usize),
}

/// Names of the modules.
#[derive(Debug, Default)]
pub(super) struct Library {
    /// Module of each machine of the design; equal machines share one.
    pub machines: Vec<String>,
    /// The others, parts before what uses them.
    parts: BTreeMap<Part, String>,
}

impl Library {
    /// Names everything that a design needs.
    pub fn of_design(design: &Design) -> Self {
        let mut names = Names::default();
        names.unique(&design.name);
        let mut library = Library::default();
        for (n, machine) in design.machines.iter().enumerate() {
            let same = |m: usize| {
                let other = &design.machines[m];
                other.function == machine.function
                    && other.ports == machine.ports
                    && other.registers == machine.registers
                    && other.stores == machine.stores
            };
            let name = match (0..n).find(|&m| same(m)) {
                Some(m) => library.machines[m].clone(),
                None => names.unique(&format!("{}_{}", design.name, machine.kind())),
            };
            library.machines.push(name);
        }
        let functions: Vec<&str> = design.machines.iter().map(|m| m.function.as_str()).collect();
        let mut parts = needed(&design.program, &functions);
        let stores = design.machines.iter().flat_map(|m| &m.stores);
        parts.extend(stores.filter(|s| s.cell == Cell::Latch).map(|s| Part::Latch(s.width.into())));
        library.name_parts(&design.program, &design.name, parts, &mut names);
        library
    }

    /// Names some functions of a program and what they need.
    pub fn of_functions(program: &Program, prefix: &str, functions: &[&str]) -> Self {
        let mut library = Library::default();
        let mut parts = needed(program, functions);
        parts.extend(functions.iter().filter_map(|f| function_number(program, f)).map(Part::Function));
        library.name_parts(program, prefix, parts, &mut Names::default());
        library
    }

    fn name_parts(&mut self, program: &Program, prefix: &str, parts: BTreeSet<Part>, names: &mut Names) {
        for part in parts {
            let base = match &part {
                Part::Table(n) => program.tables[*n as usize].name.clone(),
                Part::Matrix(n) => program.matrices[*n as usize].name.clone(),
                Part::Box(n, width) => format!("{}_{width}", program.boxes[*n as usize].name),
                Part::Rotation(true, width) => format!("rotl_{width}"),
                Part::Rotation(false, width) => format!("rotr_{width}"),
                Part::Latch(width) => format!("latch_{width}"),
                Part::Function(n) => program.functions[*n].name.clone(),
            };
            self.parts.insert(part, names.unique(&format!("{prefix}_{base}")));
        }
    }

    /// Name of the module of a part.
    pub fn name(&self, part: &Part) -> &str {
        &self.parts[part]
    }

    /// Name of the module of a function.
    pub fn function(&self, program: &Program, name: &str) -> &str {
        self.name(&Part::Function(function_number(program, name).expect("a verified call finds its function")))
    }

    /// All parts with their names, functions last and in the order of the program.
    pub fn parts(&self) -> impl Iterator<Item = (&Part, &str)> {
        self.parts.iter().map(|(part, name)| (part, name.as_str()))
    }
}

fn function_number(program: &Program, name: &str) -> Option<usize> {
    program.functions.iter().position(|f| f.name == name)
}

/// What some functions need, the functions that they call with all that those need.
fn needed(program: &Program, functions: &[&str]) -> BTreeSet<Part> {
    let mut parts = BTreeSet::new();
    let mut open: Vec<usize> = functions.iter().filter_map(|f| function_number(program, f)).collect();
    let mut seen: BTreeSet<usize> = open.iter().copied().collect();
    while let Some(number) = open.pop() {
        let function = &program.functions[number];
        let live = live_ops(function);
        for part in function
            .body
            .ops
            .iter()
            .zip(live)
            .filter(|(_, live)| *live)
            .filter_map(|(op, _)| part_of(program, function, op))
        {
            if let Part::Function(callee) = part {
                if seen.insert(callee) {
                    open.push(callee);
                }
            }
            parts.insert(part);
        }
    }
    parts
}

fn part_of(program: &Program, function: &Function, op: &Op) -> Option<Part> {
    match &op.kind {
        OpKind::Lookup(id, _) if program.tables[id.0 as usize].data.len() > 1 => Some(Part::Table(id.0)),
        OpKind::Linear(id, _) => Some(Part::Matrix(id.0)),
        OpKind::Bitsliced(id, _) => Some(Part::Box(id.0, width_of(function, op.results[0]))),
        OpKind::Shift(shift @ (Shift::Rotl | Shift::Rotr), _, Operand::Value(_)) => {
            let width = width_of(function, op.results[0]);
            (width > 1).then_some(Part::Rotation(*shift == Shift::Rotl, width))
        }
        OpKind::Call(name, _) => function_number(program, name).map(Part::Function),
        _ => None,
    }
}

/// Width of a word; 0 for another type.
pub(super) fn width_of(function: &Function, v: ValueId) -> u32 {
    match function.values[v.0 as usize].ty {
        Type::Word(width) => width.into(),
        _ => 0,
    }
}

/// Which operations of a function's body its results need.
pub(super) fn live_ops(function: &Function) -> Vec<bool> {
    let mut needed = vec![false; function.values.len()];
    for output in &function.body.outputs {
        if let Operand::Value(v) = output {
            needed[v.0 as usize] = true;
        }
    }
    let mut live = vec![false; function.body.ops.len()];
    for (n, op) in function.body.ops.iter().enumerate().rev() {
        live[n] = op.results.iter().any(|r| needed[r.0 as usize]);
        if live[n] {
            program::walk::uses(&op.kind, &mut |v| needed[v.0 as usize] = true);
        }
    }
    live
}
