//! From a function of bytes to code: operations selected, memory laid out, loops stepped.

mod access;
mod loops;
mod objects;
mod operations;
mod pointers;
mod rotations;
mod window;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use program::ir::{Function, OpKind, Operand, Program, Type, ValueId};
use program::walk::{for_each_op, use_counts};
use program::Diagnostic;

use crate::code::{Code, Instruction, Item, Loop, Source, Value};
use crate::isa::Isa;
use crate::matrix::Plan;
use crate::operand::Register as Number;
use crate::select::{in_words, sums_in_addresses, Bytes, SelectResult, Selector};
use loops::Nest;

/// An array of which only some rows are kept: which ones is known when the code runs.
#[derive(Clone, Debug)]
pub struct Window {
    /// The object.
    pub object: String,
    /// The byte that holds the number of the first row that is kept.
    pub first: String,
    /// How many rows are kept.
    pub rows: u32,
    /// The number of each row; rows that loops count have their own.
    pub order: Vec<u32>,
}

/// A function to be lowered, and where its objects lie.
#[derive(Clone, Debug, Default)]
pub struct Request<'a> {
    /// What the code is called.
    pub name: &'a str,
    /// Objects of parameters (`%name`) and of results (`#0`, …); a part of one is `x + 16`.
    pub places: HashMap<String, String>,
    /// The memory of tables, where there are several.
    pub tables: &'a str,
    /// Objects that short addresses reach, by the ends of their names.
    pub near: Vec<String>,
    /// Objects in internal memory that is reached by pointers alone, by parts of their names; without an accumulator nothing.
    pub internal: Vec<String>,
    /// Addresses are bytes, whatever the sizes of objects.
    pub small: bool,
    /// The array of which only some rows are kept.
    pub window: Option<Window>,
}

/// Code, and what it needs.
#[derive(Clone, Debug)]
pub struct LoweredCode {
    /// The code.
    pub code: Code,
    /// Tables that are read, by name.
    pub tables: Vec<(String, Vec<u8>)>,
    /// Objects of arrays that are neither parameters nor results, with their bytes.
    pub scratch: Vec<(String, u32)>,
}

/// The code of a function of a program that `split-words` has split into bytes.
///
/// # Errors
/// `E101` to `E115`: something of the function is not made yet; `E131`: a template is no instruction.
pub fn lowered(isa: &Isa, program: &Program, function: &Function, request: &Request<'_>) -> SelectResult<LoweredCode> {
    let mut lowering = Lowering::new(isa, program, function, request)?;
    lowering.block(&function.body.ops)?;
    let out = std::mem::take(&mut lowering.selector.out);
    let items = sums_in_addresses(&mut lowering.selector, out)?;
    let items = in_words(isa, items);
    let reserved = lowering.reserved(&items);
    let mut numbers = Numbers::default();
    let items = numbers.items(&items);
    let code = Code { name: request.name.into(), items, reserved, values: numbers.values.len() as Value };
    Ok(LoweredCode { code, tables: lowering.selector.tables, scratch: lowering.scratch })
}

/// One function on its way to code.
struct Lowering<'a> {
    program: &'a Program,
    function: &'a Function,
    request: &'a Request<'a>,
    /// The object of every array.
    places: HashMap<ValueId, Arc<str>>,
    scratch: Vec<(String, u32)>,
    /// Objects that lie within one page of 256 bytes.
    paged: HashMap<Arc<str>, bool>,
    values: HashMap<ValueId, Source>,
    /// Indices modulo a number that a byte holds: loops step them, and they are bytes everywhere.
    remainders: HashSet<ValueId>,
    /// Words of several bytes that addresses or amounts are.
    wholes: HashMap<ValueId, Bytes>,
    /// Single bits that are only put beside others: the byte and the bit in it, for which nothing is computed.
    bits: HashMap<ValueId, (Source, u32)>,
    /// The bits that only stand beside others.
    joined: HashSet<ValueId>,
    selector: Selector<'a>,
    /// The loops around, the innermost last.
    nests: Vec<Nest>,
    /// Registers that are pointers for a whole loop.
    pinned: HashSet<usize>,
    plans: HashMap<u32, Plan>,
}

/// Single bits of words that are only put beside other single bits, at least four of them: layers of bits. Where longer
/// parts stand beside them, shifts of whole bytes are shorter.
fn joined_bits(function: &Function) -> HashSet<ValueId> {
    let one = |v: &ValueId| function.values[v.0 as usize].ty == Type::Word(1);
    let (mut single, mut beside) = (HashSet::new(), HashMap::<ValueId, u32>::new());
    for_each_op(&function.body, &mut |op| match &op.kind {
        OpKind::Extract(Operand::Value(_), _) if one(&op.results[0]) => {
            single.insert(op.results[0]);
        }
        OpKind::Concat(parts) if parts.len() >= 4 && parts.iter().all(one) => {
            parts.iter().for_each(|part| *beside.entry(*part).or_default() += 1);
        }
        _ => {}
    });
    let counts = use_counts(function);
    single.retain(|bit| beside.get(bit) == Some(&counts[bit.0 as usize]));
    single
}

impl<'a> Lowering<'a> {
    fn new(isa: &'a Isa, program: &'a Program, function: &'a Function, request: &'a Request<'a>) -> SelectResult<Self> {
        let (places, scratch) = objects::objects(function, &request.places)?;
        let paged = objects::paged(function, &places, request.small);
        Ok(Lowering {
            program,
            function,
            request,
            places,
            scratch,
            paged,
            values: HashMap::new(),
            remainders: loops::remainders(function),
            wholes: HashMap::new(),
            bits: HashMap::new(),
            joined: if isa.selection.bit.is_some() { joined_bits(function) } else { HashSet::new() },
            selector: Selector::new(isa, request.tables),
            nests: Vec::new(),
            pinned: HashSet::new(),
            plans: HashMap::new(),
        })
    }

    /// The bits of a word, 0 of anything else.
    fn word_bits(&self, value: ValueId) -> u32 {
        match self.function.values[value.0 as usize].ty {
            program::ir::Type::Word(bits) => bits.into(),
            _ if self.remainders.contains(&value) => 8,
            _ => 0,
        }
    }

    /// What stands for an operand.
    fn source(&self, operand: Operand) -> Source {
        match operand {
            Operand::Const(n) => Source::Number(n as i32),
            Operand::Value(v) => self.values[&v],
        }
    }

    fn width(&self, operand: Operand) -> u32 {
        match operand {
            Operand::Const(_) => 8,
            Operand::Value(v) => self.word_bits(v),
        }
    }

    /// The bytes of a word that an address or an amount is.
    fn bytes(&self, value: ValueId) -> Bytes {
        self.wholes.get(&value).cloned().unwrap_or_else(|| vec![self.values[&value]])
    }

    /// The object of an array.
    fn object(&self, array: ValueId) -> Arc<str> {
        Arc::clone(&self.places[&array])
    }

    fn addresses(&self) -> &'a crate::isa::Addresses {
        &self.selector.templates().addresses
    }

    /// Registers that no value may have: those of addresses, of pinned pointers, and what instructions write besides.
    fn reserved(&self, items: &[Item]) -> HashSet<Number> {
        let isa = self.selector.isa;
        let number = |name: &String| isa.registers.names.iter().position(|n| n == name).map(|r| r as Number);
        let pins = self.addresses().registers.iter().flat_map(|registers| &registers.pins).enumerate();
        let pinned = pins.filter(|(n, _)| self.pinned.contains(n)).flat_map(|(_, pin)| [&pin.low, &pin.high]);
        let mut found: HashSet<Number> = self.addresses().reserved.iter().chain(pinned).filter_map(number).collect();
        if isa.accumulator.is_none() {
            clobbered(isa, items, &mut found);
        }
        found
    }
}

/// Adds the registers that instructions write besides their operands.
fn clobbered(isa: &Isa, items: &[Item], found: &mut HashSet<Number>) {
    for item in items {
        match item {
            Item::Loop(l) => clobbered(isa, &l.body, found),
            Item::Instruction(i) => {
                let machines = i.lines.iter().filter_map(|line| match line {
                    crate::code::Line::Machine(machine) => isa.form(machine),
                    _ => None,
                });
                machines.for_each(|form| found.extend(&form.clobbers));
            }
        }
    }
}

/// Values and loops in the order in which they stand in the code.
#[derive(Default)]
struct Numbers {
    values: HashMap<Value, Value>,
    loops: usize,
}

impl Numbers {
    fn items(&mut self, items: &[Item]) -> Vec<Item> {
        let one = |item: &Item| match item {
            Item::Instruction(i) => Item::Instruction(Arc::new(self.instruction(i))),
            Item::Loop(l) => Item::Loop(Arc::new(self.repeated(l))),
        };
        items.iter().map(one).collect()
    }

    fn repeated(&mut self, l: &Loop) -> Loop {
        let id = self.loops;
        self.loops += 1;
        let carried = l.carried.iter().map(|(p, a, b)| (self.value(*p), self.source(*a), self.source(*b))).collect();
        let counter = self.value(l.counter);
        let results = l.results.iter().map(|v| self.value(*v)).collect();
        Loop { id, carried, counter, results, body: self.items(&l.body), ..l.clone() }
    }

    fn instruction(&mut self, i: &Instruction) -> Instruction {
        let tied = i.tied.iter().map(|(d, s)| (self.value(*d), self.source(*s))).collect();
        let access = i.access.clone().map(|access| {
            let index = access.index.iter().map(|s| self.source(*s)).collect();
            crate::code::Access { index, ..access }
        });
        let outs = i.outs.iter().map(|v| self.value(*v)).collect();
        let ins = i.ins.iter().map(|s| self.source(*s)).collect();
        let parts = i.parts.iter().map(|part| self.instruction(part)).collect();
        Instruction { tied, access, outs, ins, parts, ..i.clone() }
    }

    fn value(&mut self, value: Value) -> Value {
        let next = self.values.len() as Value;
        *self.values.entry(value).or_insert(next)
    }

    fn source(&mut self, source: Source) -> Source {
        match source {
            Source::Value(v) => Source::Value(self.value(v)),
            number @ Source::Number(_) => number,
        }
    }
}

/// An error that code without loops does not have.
fn in_loops(code: &'static str, message: impl Into<String>, what: &str) -> Diagnostic {
    Diagnostic::new(code, message).help(format!("`--unrolled` makes {what}"))
}
