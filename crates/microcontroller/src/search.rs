//! The search over orders: several are tried, each with registers, and the least cycles win.

use std::sync::Arc;

use program::Diagnostic;

use crate::allocate::{allocate, Allocation, Objects, Preferences, NAMED};
use crate::code::{Code, Instruction, Item, Line};
use crate::function::{marked, runs, Call, Function};
use crate::isa::{Isa, ACCUMULATOR};
use crate::order::{ordered, Rank};
use crate::pairs::{paired, Pairs};
use crate::slots::packed;
use crate::tidy::tidied;

/// Instructions of which no program memory that 16-bit addresses reach holds more: orders of such code are of no use.
const MOST: usize = 1 << 16;

/// The part of the cycles that registers for numbers have to save (one in so many): what gains less stays as it was.
const WORTH: u64 = 32;

/// What an allocation is for.
#[derive(Clone, Debug, Default)]
pub struct Aim {
    /// The object that is loaded first and stored last; empty if there is none.
    pub block: Arc<str>,
    /// The object in which values may stand while it is not needed.
    pub shared: Arc<str>,
    /// Bytes in memory for values: a limit that goes before cycles where it can be kept.
    pub most: Option<u32>,
}

/// An allocation, what it takes, and the code in its order.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Registers.
    pub allocation: Allocation,
    /// By how many bytes it passes the limit, or the memory that there is.
    pub over: u32,
    /// About how many cycles it takes: branches count as not taken.
    pub cycles: u64,
    code: Code,
}

impl Candidate {
    /// The function, and the bytes of memory that its values take. With an object `pack` values share bytes, those of this
    /// object among them. An `inner` function is called by one that saves registers for it.
    ///
    /// # Errors
    /// `E131`: the frame of functions has a line that is no instruction.
    pub fn function(
        &self,
        isa: &Isa,
        objects: &Objects,
        pack: Option<&str>,
        inner: bool,
    ) -> Result<(Function, u32), Diagnostic> {
        let name = &self.code.name;
        let mut lines = self.allocation.lines.clone();
        let mut slots = self.allocation.slots;
        let call = Call { inner, marked: pack.is_some() && isa.frame.around_block, ..Call::default() };
        if let Some(block) = pack {
            if call.marked {
                lines = marked(isa, name, &lines, block)?;
            }
            (lines, slots) = packed(isa, &lines, &objects.values, block);
        }
        let function = Function::framed(isa, name, tidied(isa, &lines), &call)?;
        Ok((Function { iterations: self.allocation.iterations.clone(), ..function }, slots))
    }
}

/// The best of several orders; of code that is too long for any program memory the one in which it is written.
///
/// # Errors
/// Those of [`allocate`].
pub fn best(isa: &Isa, code: &Code, objects: &Objects, aim: &Aim) -> Result<Candidate, Diagnostic> {
    if instructions(&code.items, &|_| true) > MOST {
        return as_written(isa, code, objects, aim);
    }
    let in_order = |rank: &Rank| Code { items: ordered(&code.items, rank, &aim.block), ..code.clone() };
    let common = [Rank::fewest_alive(), Rank::newest(), Rank::in_turn()];
    let in_stretches = common[..2].iter().cloned().map(|rank| Rank { stretches: true, ..rank });
    let ranks: Vec<Rank> = common.iter().cloned().chain(isa.orders.iter().cloned()).chain(in_stretches).collect();
    let orders: Vec<Code> = [code.clone()].into_iter().chain(ranks.iter().map(in_order)).collect();
    let search = Search { isa, objects, aim };
    let plain = Preferences::default();
    let tried = |one| some(orders.iter().map(move |code| search.candidate(code.clone(), Pairs::new(), one)));
    let mut every = tried(plain)?;
    if aim.most.is_some() && every.iter().all(|one| one.over > 0) {
        every.extend(tried(Preferences { frugal: true, ..plain })?);
    }
    let done = least(every);
    let mut kinds = vec![(done.code.clone(), Pairs::new())];
    let mut again = vec![done];
    if isa.tidying.pair.is_some() {
        kinds.extend([false, true].map(|chains| paired(&again[0].code, &isa.moves.copy, chains)));
        for (code, pairs) in &kinds[1..] {
            again.push(search.candidate(code.clone(), pairs.clone(), plain)?);
        }
    }
    let best = least(again);
    if instructions(&code.items, &|one| one.immediate.is_some()) == 0 {
        return Ok(best);
    }
    let numbers = Preferences { numbers: true, ..plain };
    let tried = kinds.into_iter().map(|(code, pairs)| search.candidate(code, pairs, numbers));
    let other = least(tried.collect::<Result<Vec<_>, _>>()?);
    let saves = other.over <= best.over && other.cycles + best.cycles / WORTH <= best.cycles;
    Ok(if saves { other } else { best })
}

fn instructions(items: &[Item], counts: &impl Fn(&Instruction) -> bool) -> usize {
    let of = |item: &Item| match item {
        Item::Instruction(one) => usize::from(counts(one)),
        Item::Loop(l) => instructions(&l.body, counts),
    };
    items.iter().map(of).sum()
}

/// Bytes that the code takes at least, whatever its registers: each operation that changes its first operand is an instruction.
#[must_use]
pub fn least_bytes(isa: &Isa, code: &Code) -> usize {
    let shortest = isa.forms.iter().flatten().map(|form| form.bytes).filter(|bytes| *bytes > 0).min().unwrap_or(0);
    instructions(&code.items, &|one| !one.tied.is_empty() && !one.lines.is_empty()) * shortest as usize
}

/// The candidates that are made; an error where all are refused.
fn some(tried: impl Iterator<Item = Result<Candidate, Diagnostic>>) -> Result<Vec<Candidate>, Diagnostic> {
    let (made, refused): (Vec<_>, Vec<_>) = tried.partition(Result::is_ok);
    if let (true, Some(error)) = (made.is_empty(), refused.into_iter().next()) {
        return error.map(|one| vec![one]);
    }
    made.into_iter().collect()
}

/// The code as it is, with registers.
///
/// # Errors
/// Those of [`allocate`].
pub fn as_written(isa: &Isa, code: &Code, objects: &Objects, aim: &Aim) -> Result<Candidate, Diagnostic> {
    Search { isa, objects, aim }.candidate(code.clone(), Pairs::new(), Preferences::default())
}

/// The candidate of the fewest cycles among those that stay within the limit or pass it least.
#[must_use]
pub fn least(tried: Vec<Candidate>) -> Candidate {
    tried.into_iter().min_by_key(|one| (one.over, one.cycles)).expect("something is tried")
}

#[derive(Clone, Copy)]
struct Search<'a> {
    isa: &'a Isa,
    objects: &'a Objects,
    aim: &'a Aim,
}

impl Search<'_> {
    fn candidate(&self, code: Code, pairs: Pairs, preferences: Preferences) -> Result<Candidate, Diagnostic> {
        let allocation = allocate(self.isa, &code, self.objects, pairs, preferences)?;
        let cycles = cycles(self.isa, &allocation)?;
        Ok(Candidate { over: self.over(&allocation), cycles, allocation, code })
    }

    fn over(&self, allocation: &Allocation) -> u32 {
        if self.isa.accumulator.is_some() {
            return bytes(allocation).saturating_sub(self.objects.near_bytes + self.objects.far_bytes);
        }
        match self.aim.most {
            Some(most) if allocation.slots > most => {
                let (_, count) = packed(self.isa, &allocation.lines, &self.objects.values, &self.aim.shared);
                count.saturating_sub(most)
            }
            _ => 0,
        }
    }
}

/// Bytes of internal memory that values take besides registers with names, where such bytes are registers.
#[must_use]
pub fn bytes(allocation: &Allocation) -> u32 {
    let used = allocation.used.range(NAMED..ACCUMULATOR).next_back();
    used.map_or(0, |r| u32::from(*r) - u32::from(NAMED) + 1)
}

/// About how many cycles a function takes: branches count as not taken.
fn cycles(isa: &Isa, allocation: &Allocation) -> Result<u64, Diagnostic> {
    let lines = tidied(isa, &allocation.lines);
    let costs = lines.iter().zip(runs(&lines, &allocation.iterations)).map(|(line, runs)| match line {
        Line::Machine(machine) => Ok(runs * u64::from(isa.cost(machine)?.0)),
        _ => Ok(0),
    });
    costs.sum()
}
