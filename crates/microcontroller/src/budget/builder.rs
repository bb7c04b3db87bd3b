//! Functions and memory of one candidate: operations in one function, or as calls of inner functions.

use std::collections::HashMap;
use std::sync::Arc;

use program::ir::{Function as Source, Program, Type};
use program::round_keys::{Memory, Steps};
use program::Diagnostic;

use super::{BudgetRecord, Text};
use crate::allocate::Objects;
use crate::assembly;
use crate::function::{Call, Function};
use crate::isa::Isa;
use crate::lower::{lowered, LoweredCode, Request, Window};
use crate::search::{self, Aim};

/// More than any code has bytes for values: which addresses are short is said when all objects are known.
const ALL_NEAR: u32 = 1 << 16;

/// Adds operations of programs of bytes to a text.
pub(super) struct Builder<'a> {
    isa: &'a Isa,
    record: &'a BudgetRecord,
    /// What the names of functions and objects begin with.
    prefix: &'a str,
    /// Bytes of RAM that all may take, `stack` of them for the stack.
    budget: u32,
    stack: u32,
    pub text: Text,
    /// What is kept between inner functions: name, place, and bytes.
    values: Vec<(String, u32, u32)>,
}

/// A call of an inner function, or a number for a byte.
enum Action {
    Call(String),
    Number(String, i64),
}

impl<'a> Builder<'a> {
    pub fn new(isa: &'a Isa, record: &'a BudgetRecord, prefix: &'a str, [budget, stack]: [u32; 2], text: Text) -> Self {
        Builder { isa, record, prefix, budget, stack, text, values: Vec::new() }
    }

    /// Adds an operation that takes key and block and is one function.
    pub fn whole(&mut self, program: &Program, name: &str) -> Result<(), Diagnostic> {
        let function = program.function(name)?;
        let mut places = HashMap::new();
        for (param, what) in params(function).zip(["key", "block"]) {
            places.insert(format!("%{}", param.0), self.object(what, param.1.elements()));
        }
        places.insert("#0".to_owned(), format!("{}_block", self.prefix));
        self.function(program, function, places, false, None)
    }

    /// Adds a key schedule that stores only the rows of its first result that the window has.
    pub fn filler(&mut self, program: &Program, name: &str, rows: u32, order: &[u32]) -> Result<(), Diagnostic> {
        let function = program.function(name)?;
        let mut places = HashMap::new();
        for (key, ty) in params(function).take(1) {
            places.insert(format!("%{key}"), self.object("key", ty.elements()));
        }
        for (n, ty) in function.results.iter().enumerate() {
            let place = match n {
                0 => self.value("window", rows * row(ty)),
                _ => self.value(&format!("kept{n}"), ty.elements()),
            };
            places.insert(format!("#{n}"), place);
        }
        let (object, first) = (self.value("window", 0), self.value("first", 1));
        self.function(program, function, places, true, Some(Window { object, first, rows, order: order.to_vec() }))
    }

    /// Adds an operation as calls of inner functions. `program` has the functions of the steps on bytes; `refill` fills the
    /// window of round keys and is called before a step whose window is another than the last one's.
    pub fn steps(&mut self, program: &Program, name: &str, done: &Steps, refill: &str) -> Result<(), Diagnostic> {
        let mut every = Vec::new();
        for (step, [given, made]) in done.functions.iter().zip(&done.places) {
            let function = program.function(&step.name)?;
            let mut places = HashMap::new();
            for ((param, ty), memory) in params(function).zip(given) {
                places.insert(format!("%{param}"), self.place(memory, ty));
            }
            for (n, (ty, memory)) in function.results.iter().zip(made).enumerate() {
                places.insert(format!("#{n}"), self.place(memory, ty));
            }
            every.push((function, places));
        }
        for (function, places) in every {
            self.function(program, function, places, true, None)?;
        }
        let actions = self.actions(done, refill);
        let driver = self.driver(&format!("{}_{name}", self.prefix), &actions)?;
        self.text.add(driver);
        Ok(())
    }

    /// Adds key setup and operations that find their round keys in memory.
    pub fn kept(&mut self, program: &Program) -> Result<(), Diagnostic> {
        let keys = format!("{}_keys", self.prefix);
        let mut every = Vec::new();
        for name in ["key_schedule", "encrypt", "decrypt"] {
            let function = program.function(name)?;
            let setup = name == "key_schedule";
            let mut places = HashMap::new();
            let given: Vec<_> = params(function).collect();
            let (outer, inner) = if setup { given.split_at(1) } else { given.split_at(given.len() - 1) };
            let ((param, ty), object) = if setup { (outer[0], "key") } else { (inner[0], "block") };
            let place = self.object(object, ty.elements());
            if !setup {
                places.insert("#0".to_owned(), place.clone());
            }
            places.insert(format!("%{param}"), place);
            let results = function.results.iter().enumerate().map(|(n, ty)| (format!("#{n}"), ty));
            let words: Vec<_> = match setup {
                true => results.collect(),
                false => outer.iter().map(|(p, ty)| (format!("%{p}"), *ty)).collect(),
            };
            let mut at = 0;
            for (what, ty) in words {
                places.insert(what, format!("{keys} + {at}"));
                at += ty.elements();
            }
            self.text.object(&keys, at);
            every.push((function, places));
        }
        every.into_iter().try_for_each(|(function, places)| self.function(program, function, places, false, None))
    }

    fn object(&mut self, what: &str, bytes: u32) -> String {
        let name = format!("{}_{what}", self.prefix);
        self.text.object(&name, bytes);
        name
    }

    /// The place of what a step takes or makes.
    fn place(&mut self, memory: &Memory, ty: &Type) -> String {
        if ["key", "block"].contains(&memory.name.as_str()) {
            return format!("{}_{}", self.prefix, memory.name);
        }
        let rows = memory.rows.map_or(rows(ty), |rows_| rows_.min(rows(ty)));
        self.value(&memory.name, row(ty) * rows)
    }

    /// The place of something that is kept between inner functions; operations share the memory.
    fn value(&mut self, name: &str, bytes: u32) -> String {
        let object = format!("{}_values", self.prefix);
        if let Some((_, at, _)) = self.values.iter().find(|(known, ..)| known == name) {
            return format!("{object} + {at}");
        }
        let at = self.values.iter().map(|(.., bytes)| bytes).sum();
        self.values.push((name.to_owned(), at, self.multiple(bytes)));
        self.text.object(&object, at + bytes);
        format!("{object} + {at}")
    }

    /// The calls of the steps, and the numbers that they are given before.
    fn actions(&mut self, done: &Steps, refill: &str) -> Vec<Action> {
        let mut actions = Vec::new();
        let mut at = None;
        let mut counted: HashMap<&str, i64> = HashMap::new();
        for call in &done.calls {
            if !refill.is_empty() && call.first.is_some() && call.first != at {
                at = call.first;
                actions.push(Action::Number(self.value("first", 1), i64::from(at.unwrap_or(0))));
                actions.push(Action::Call(format!("{}_{refill}", self.prefix)));
            }
            for (given, number) in &call.numbers {
                if counted.get(given.as_str()) != Some(number) {
                    actions.push(Action::Number(self.value(given, 1), number & 255));
                    counted.insert(given, *number);
                }
            }
            actions.push(Action::Call(format!("{}_{}", self.prefix, call.function)));
        }
        actions
    }

    /// A function that calls inner ones, and keeps the registers that they change.
    fn driver(&self, name: &str, actions: &[Action]) -> Result<Function, Diagnostic> {
        let record = &self.record.driver;
        let mut lines = Vec::new();
        for action in actions {
            let texts: Vec<String> = match action {
                Action::Call(function) => vec![record.call.replace("{function}", function)],
                Action::Number(place, number) => {
                    let (place, number) = (assembly::compact(self.isa, place), number.to_string());
                    let filled = |line: &String| line.replace("{place}", &place).replace("{number}", &number);
                    record.number.iter().map(filled).collect()
                }
            };
            for text in texts {
                lines.push(assembly::read(self.isa, &text)?);
            }
        }
        let called = |function: &&Function| {
            actions.iter().any(|action| matches!(action, Action::Call(name) if **name == *function.name))
        };
        let besides = match record.saves_all {
            true => (0..self.isa.registers.names.len() as u16).collect(),
            false => self.text.functions.iter().filter(called).flat_map(|f| f.registers.iter().copied()).collect(),
        };
        Function::framed(self.isa, &name.into(), lines, &Call { besides, ..Call::default() })
    }

    /// Adds a function of a program of bytes; values without register share the object `_work`.
    fn function(
        &mut self,
        program: &Program,
        function: &Source,
        places: HashMap<String, String>,
        inner: bool,
        window: Option<Window>,
    ) -> Result<(), Diagnostic> {
        let (name, work) = (format!("{}_{}", self.prefix, function.name), format!("{}_work", self.prefix));
        let BudgetRecord { tables, near, internal, small, .. } = self.record.clone();
        let request = Request { name: &name, places, tables: &tables, near, internal, small, window };
        let code = lowered(self.isa, program, function, &request)?;
        let others = self.text.objects.iter().filter(|(object, _)| *object != work).map(|(_, bytes)| bytes);
        let scratch = code.scratch.iter().map(|(_, bytes)| self.multiple(*bytes));
        let taken = others.sum::<u32>() + self.stack + scratch.sum::<u32>();
        let (made, mut slots) = self.with_registers(&code, inner, self.budget.saturating_sub(taken))?;
        // Values begin at the start of the object, scratch objects behind them.
        let mut starts = HashMap::from([(format!("{name}_spill"), (Arc::from(work.as_str()), 0))]);
        for (scratch, bytes) in &code.scratch {
            slots = self.multiple(slots);
            starts.insert(scratch.clone(), (Arc::from(work.as_str()), i64::from(slots)));
            slots += bytes;
        }
        self.text.add(made.renamed(&starts));
        if slots > 0 {
            self.text.object(&work, slots);
        }
        self.text.add_tables(&code.tables);
        Ok(())
    }

    /// A function with registers, and the bytes that it needs for values; `most` are aimed at.
    fn with_registers(&self, code: &LoweredCode, inner: bool, most: u32) -> Result<(Function, u32), Diagnostic> {
        let (isa, record, code) = (self.isa, self.record, &code.code);
        let block = format!("{}_block", self.prefix);
        let tried = |at_ends: bool| {
            let short = record.objects.as_ref().filter(|rule| rule.always_near.is_none()).map(|_| ALL_NEAR);
            let room = if isa.accumulator.is_some() { most.min(record.direct) } else { 0 };
            let near = short.or(isa.moves.short).unwrap_or(room);
            let block = if at_ends { &*block } else { "" };
            let objects = Objects::of(&code.name, block, near, 0);
            let most = isa.accumulator.is_none().then_some(most);
            let aim = Aim { block: block.into(), shared: format!("{}_block", self.prefix).into(), most };
            search::best(isa, code, &objects, &aim).map(|best| (best, objects))
        };
        let (mut best, mut objects) = tried(!record.block_anywhere)?;
        if record.block_anywhere && best.over > 0 {
            let other = tried(true)?;
            if (other.0.over, other.0.cycles) < (best.over, best.cycles) {
                (best, objects) = other;
            }
        }
        if isa.accumulator.is_some() {
            let (function, _) = best.function(isa, &objects, None, inner)?;
            return Ok((function, search::bytes(&best.allocation)));
        }
        best.function(isa, &objects, Some(&block), inner)
    }

    fn multiple(&self, bytes: u32) -> u32 {
        bytes.next_multiple_of(self.record.object_multiple)
    }
}

/// Names and types of parameters.
pub(super) fn params(function: &Source) -> impl Iterator<Item = (&str, &Type)> {
    function.params.iter().map(|param| &function.values[param.0 as usize]).map(|data| (&*data.name, &data.ty))
}

/// Elements of a row of an array.
fn row(ty: &Type) -> u32 {
    ty.extents().iter().skip(1).product()
}

/// Rows of an array.
fn rows(ty: &Type) -> u32 {
    ty.extents().first().copied().unwrap_or(1)
}
