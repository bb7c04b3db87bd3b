//! What is worth code: all round keys kept, made on the fly, made again, or made for each window of them.

use std::sync::{Arc, OnceLock};

use program::ir::Program;
use program::passes::run_all;
use program::round_keys::{Cut, Order, RoundKeys};
use program::statistics::statistics;
use program::walk::count_ops;
use program::{verify, Diagnostic};

use super::builder::{self, Builder};
use super::{BudgetRecord, Text};
use crate::isa::Isa;

/// The refusal of an instruction that needs more registers at once than there are.
const NO_REGISTERS: &str = "E114";
/// Operations on bytes above which straight-line code is not tried: it takes 16 KiB and more.
const STRAIGHT: u64 = 6000;
/// The operations that use round keys.
const OPERATIONS: [&str; 2] = ["encrypt", "decrypt"];

/// Code of one operation, or of all.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// What it is called.
    pub name: String,
    /// How often the key schedule runs.
    pub runs: u32,
    /// Rows of round keys that are made at once; 0 if there is no window.
    pub window: u32,
    /// The code.
    pub text: Arc<Text>,
}

/// Passes that split a program into bytes.
#[derive(Clone, Debug)]
pub struct Passes {
    /// With all loops written out.
    pub unrolled: Vec<String>,
    /// With loops.
    pub looped: Vec<String>,
    /// S-box circuits for the pass of that name.
    pub circuits: Vec<(String, String)>,
}

/// All candidates for a program on a processor; each is made when it is asked for.
#[derive(Debug)]
pub struct Candidates {
    isa: Arc<Isa>,
    record: BudgetRecord,
    program: Program,
    keys: Arc<RoundKeys>,
    /// What names begin with.
    prefix: String,
    /// Bytes of RAM.
    budget: u32,
    passes: Passes,
    /// Key schedule and operation in the order of need.
    orders: [OnceLock<Result<Option<Order>, Diagnostic>>; 2],
    /// The program in bytes, with loops and unrolled.
    whole: [OnceLock<Result<Program, Diagnostic>>; 2],
}

impl Candidates {
    /// The candidates for a program with `keys` on a processor, within a budget in bytes of RAM.
    ///
    /// # Errors
    /// `E135`: the instruction set says nothing of budgets.
    pub fn of(
        isa: &Arc<Isa>,
        program: Program,
        keys: Arc<RoundKeys>,
        passes: Passes,
        prefix: String,
        budget: u32,
    ) -> Result<Self, Diagnostic> {
        let record = isa.budget_record()?.clone();
        let (orders, whole) = (Default::default(), Default::default());
        Ok(Candidates { isa: Arc::clone(isa), record, program, keys, prefix, budget, passes, orders, whole })
    }

    /// Bytes of the block.
    ///
    /// # Errors
    /// `P203`: the program has no encryption.
    pub fn block(&self) -> Result<u32, Diagnostic> {
        let function = self.program.function("encrypt")?;
        Ok(builder::params(function).last().map_or(0, |(_, ty)| ty.elements()))
    }

    // Round keys kept.

    /// Key setup is a function of its own and all round keys stay. `shared`: the block lies in the key's bytes, which are not
    /// needed any more.
    ///
    /// # Errors
    /// What passes and the selection of instructions refuse; so for all that follow.
    pub fn kept(&self, shared: bool) -> Result<Vec<Candidate>, Diagnostic> {
        let operations = OPERATIONS.map(|operation| self.work(operation)).into_iter().collect::<Result<Vec<_>, _>>()?;
        let executed = self.work("key_schedule")? + operations.into_iter().max().unwrap_or(0);
        let mut found = Vec::new();
        for unrolled in forms(executed) {
            let mut builder = self.builder(self.record.stack_bytes(&self.isa), shared)?;
            let split = self.whole[usize::from(unrolled)].get_or_init(|| self.split(self.program.clone(), unrolled));
            builder.kept(split.as_ref().map_err(Clone::clone)?)?;
            let place = if shared { ", block in the key's bytes" } else { "" };
            found.push(one_run(format!("round keys kept, {}{place}", form(unrolled)), builder.text));
        }
        Ok(found)
    }

    // Round keys on the fly.

    /// Each round key is made where it is needed, in one function.
    ///
    /// # Errors
    /// As [`Candidates::kept`].
    pub fn on_the_fly(&self, operation: &str) -> Result<Vec<Candidate>, Diagnostic> {
        let Some(function) = self.order(operation)?.and_then(Order::function) else { return Ok(Vec::new()) };
        let program = verified(self.keys.with_functions(vec![function]))?;
        // A recurrence that runs backwards has run to its end before.
        let runs = if operation == "decrypt" { 2 } else { 1 };
        let executed = self.work("key_schedule")? * runs + self.work(operation)?;
        let mut found = Vec::new();
        for unrolled in forms(executed) {
            let split = self.split(program.clone(), unrolled)?;
            if !unrolled && count_ops(&split.function(operation)?.body) as u64 > STRAIGHT * 3 / 4 {
                continue;
            }
            let mut builder = self.builder(self.record.stack_bytes(&self.isa), false)?;
            builder.whole(&split, operation)?;
            found.push(one_run(format!("round keys on the fly, {}", form(unrolled)), builder.text));
        }
        Ok(found)
    }

    /// Each round key is made where it is needed, in steps that are called one after the other.
    ///
    /// # Errors
    /// As [`Candidates::kept`].
    pub fn in_steps(&self, operation: &str) -> Result<Vec<Candidate>, Diagnostic> {
        let Some(order) = self.order(operation)? else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        let mut long = false;
        for (cut, kind) in [(Cut::Coarse, ""), (Cut::Fine, " of one kind"), (Cut::Single, " of one iteration")] {
            if cut == Cut::Single && !long {
                break;
            }
            let text = self.calls(operation, order, cut)?;
            // The other operation has to fit as well.
            let bytes = text.as_ref().map(|text| text.bytes(&self.isa, &self.record)).transpose()?;
            long = bytes.is_some_and(|bytes| bytes.map_or(true, |bytes| bytes > self.record.code / 2));
            found.extend(text.map(|text| one_run(format!("round keys on the fly, in steps{kind}"), text)));
        }
        Ok(found)
    }

    // The key schedule runs again.

    /// The key schedule runs again, as far as it has to, for round keys that are gone by: for operations that have neither
    /// round keys on the fly nor windows of them.
    ///
    /// # Errors
    /// As [`Candidates::kept`].
    pub fn again(&self, operation: &str) -> Result<Vec<Candidate>, Diagnostic> {
        if self.keys.searches() || self.order(operation)?.is_some() || self.keys.fill()?.is_some() {
            return Ok(Vec::new());
        }
        self.run_again(operation)
    }

    /// The same whether the operation has others or not: they keep the fewest round keys, and the most that the budget allows.
    ///
    /// # Errors
    /// As [`Candidates::kept`].
    pub fn run_again(&self, operation: &str) -> Result<Vec<Candidate>, Diagnostic> {
        let portions = self.keys.portions(operation)?;
        let (Some(&least), Some(&most)) = (portions.first(), portions.last()) else { return Ok(Vec::new()) };
        if self.keys.again(operation, most)?.is_none() {
            return Ok(Vec::new());
        }
        let row = self.keys.rows().1;
        let fixed = self.keys.key() + self.block()? + self.deepest() + self.keys.inner_bytes(operation)?;
        let fitting = portions.iter().copied().filter(|rows| rows * row + fixed <= self.budget).last();
        let mut found = Vec::new();
        for rows in std::iter::once(least).chain(fitting.filter(|rows| *rows != least)) {
            let Some(order) = self.keys.again(operation, rows)? else { continue };
            for (cut, steps) in [(Cut::Fine, "in steps"), (Cut::Single, "in steps of one iteration")] {
                let name = format!("{} bytes of round keys made again, {steps}", rows * row);
                let text = self.calls(operation, &order, cut)?;
                found.extend(text.map(|text| Candidate { runs: order.runs, ..one_run(name, text) }));
            }
        }
        Ok(found)
    }

    // Windows.

    /// So many rows of round keys are made at a time; nothing if registers are too few.
    ///
    /// # Errors
    /// As [`Candidates::kept`].
    pub fn window(&self, operation: &str, rows: u32) -> Result<Option<Candidate>, Diagnostic> {
        let (Some(fill), Ok(done)) = (self.keys.fill()?, self.keys.windowed(operation, rows)) else { return Ok(None) };
        let functions = std::iter::once(&fill.function).chain(&done.functions).cloned().collect();
        let split = self.split(verified(self.keys.with_functions(functions))?, false)?;
        if operations(&split) > 2 * STRAIGHT {
            return Ok(None);
        }
        let mut builder = self.builder(self.deepest(), false)?;
        let made = builder.filler(&split, "fill", rows, &fill.numbers);
        match made.and_then(|()| builder.steps(&split, operation, &done, "fill")) {
            Err(refused) if refused.code == NO_REGISTERS => return Ok(None),
            other => other?,
        }
        let mut firsts: Vec<u32> = done.calls.iter().filter_map(|call| call.first).collect();
        firsts.dedup();
        let name = format!("{} bytes of round keys at a time", rows * self.keys.rows().1);
        Ok(Some(Candidate { runs: firsts.len() as u32, window: rows, ..one_run(name, builder.text) }))
    }

    // What these share.

    fn builder(&self, stack: u32, shared: bool) -> Result<Builder<'_>, Diagnostic> {
        let (key, block) = (format!("{}_key", self.prefix), format!("{}_block", self.prefix));
        let inside = if shared { vec![(block.clone(), key.clone())] } else { Vec::new() };
        let mut text = Text { inside, ..Text::default() };
        text.object(&key, self.keys.key());
        text.object(&block, self.block()?);
        Ok(Builder::new(&self.isa, &self.record, &self.prefix, [self.budget, stack], text))
    }

    /// Bytes of stack of functions that call inner ones.
    fn deepest(&self) -> u32 {
        self.record.stack_bytes(&self.isa) + self.record.stack.address
    }

    fn order(&self, operation: &str) -> Result<Option<&Order>, Diagnostic> {
        let known = OPERATIONS.iter().position(|one| *one == operation).unwrap_or(0);
        let made = self.orders[known].get_or_init(|| self.keys.on_the_fly(operation));
        made.as_ref().map(Option::as_ref).map_err(Clone::clone)
    }

    /// A program of bytes, with loops of one body or none.
    fn split(&self, mut program: Program, unrolled: bool) -> Result<Program, Diagnostic> {
        let passes = if unrolled { &self.passes.unrolled } else { &self.passes.looped };
        let passes: Vec<&str> = passes.iter().map(String::as_str).collect();
        run_all(&mut program, &passes, &self.passes.circuits)?;
        verified(program)
    }

    /// An operation as calls of steps; nothing if there are none or they are too long.
    fn calls(&self, operation: &str, order: &Order, cut: Cut) -> Result<Option<Text>, Diagnostic> {
        let Ok(done) = order.steps(cut) else { return Ok(None) };
        let split = self.split(verified(self.keys.with_functions(done.functions.clone()))?, false)?;
        if operations(&split) > STRAIGHT {
            return Ok(None);
        }
        let mut builder = self.builder(self.deepest(), false)?;
        builder.steps(&split, operation, &done, "")?;
        Ok(Some(builder.text))
    }

    /// About how many operations on bytes a function executes.
    fn work(&self, function: &str) -> Result<u64, Diagnostic> {
        let values = self.program.functions.iter().flat_map(|function| &function.values);
        let bytes = if values.into_iter().any(|value| value.ty.width() == 32) { 4 } else { 1 };
        let counts = statistics(&self.program, &self.program.function(function)?.name).unwrap_or_default();
        Ok(bytes * counts.values().map(|count| count.executed).sum::<u64>())
    }
}

fn one_run(name: String, text: Text) -> Candidate {
    Candidate { name, runs: 1, window: 0, text: Arc::new(text) }
}

/// Rounds unrolled if they are short enough, then in loops.
fn forms(executed: u64) -> impl Iterator<Item = bool> {
    (executed <= STRAIGHT).then_some(true).into_iter().chain([false])
}

fn form(unrolled: bool) -> &'static str {
    if unrolled {
        "rounds unrolled"
    } else {
        "rounds in loops"
    }
}

fn operations(program: &Program) -> u64 {
    program.functions.iter().map(|function| count_ops(&function.body) as u64).sum()
}

fn verified(program: Program) -> Result<Program, Diagnostic> {
    verify(&program).map(|()| program)
}
