//! How far the outputs are from the values in the registers.

use super::machine::{Demand, Machine, Step};
use super::word::{Marks, Word};

/// Distance given to what is further than the search looks.
pub(super) const FAR: u8 = 5;

/// Operations with one operand open: those that pass it whole (`offset ^ w`), and those that pass a part of it.
struct Steps<W> {
    whole: Vec<W>,
    part: Vec<Step<W>>,
}

impl<W: Word> Steps<W> {
    fn new() -> Self {
        Steps { whole: Vec::with_capacity(256), part: Vec::with_capacity(512) }
    }

    fn clear(&mut self) {
        self.whole.clear();
        self.part.clear();
    }

    fn push(&mut self, step: Step<W>, ones: W) {
        if step.pass == ones {
            self.whole.push(step.offset);
        } else {
            self.part.push(step);
        }
    }

    fn extend(&mut self, machine: &Machine<W>, others: &[W]) {
        for rule in &machine.binary {
            others.iter().for_each(|&b| self.push(rule.with_second(b), machine.ones));
            if !rule.symmetric {
                others.iter().for_each(|&a| self.push(rule.with_first(a), machine.ones));
            }
        }
    }

    /// What a table demands of the open operand of those that pass a part of it.
    fn demands(&self, table: W, ones: W) -> impl Iterator<Item = Demand<W>> + '_ {
        let goal = Demand { mask: ones, value: table };
        self.part.iter().filter_map(move |&step| goal.before(step))
    }
}

/// Tables reachable from a state, kept between states to save their allocation.
pub(super) struct Distances<'a, W> {
    machine: &'a Machine<W>,
    /// Results of one operation, and of two in a row.
    one: Vec<W>,
    two: Vec<W>,
    in_one: Marks,
    in_two: Marks,
    /// One more operation, the other operand being a register, or a result of one operation.
    by_register: Steps<W>,
    by_one: Steps<W>,
}

impl<'a, W: Word> Distances<'a, W> {
    pub(super) fn new(machine: &'a Machine<W>) -> Self {
        Distances {
            machine,
            one: Vec::with_capacity(256),
            two: Vec::with_capacity(4096),
            in_one: Marks::new(),
            in_two: Marks::new(),
            by_register: Steps::new(),
            by_one: Steps::new(),
        }
    }

    /// Looks at a state; the results then answer [`Distances::of`].
    pub(super) fn look(&mut self, registers: &[W]) {
        self.forget();
        let machine = self.machine;
        for (n, &b) in registers.iter().enumerate() {
            for rule in &machine.unary {
                self.one.push(rule.apply(b, b));
            }
            for rule in &machine.binary {
                self.one.extend(registers[..n].iter().map(|&a| rule.apply(a, b)));
                if !rule.symmetric {
                    self.one.extend(registers[..n].iter().map(|&a| rule.apply(b, a)));
                }
            }
        }
        self.by_register.extend(machine, registers);
        self.by_one.extend(machine, &self.one);
        for rule in &machine.unary {
            self.by_register.push(rule.with_second(machine.ones), machine.ones);
        }
        for &offset in &self.by_register.whole {
            self.two.extend(self.one.iter().map(|&w| offset ^ w));
        }
        for step in &self.by_register.part {
            self.two.extend(self.one.iter().map(|&w| step.offset ^ (w & step.pass)));
        }
        self.one.iter().for_each(|&w| self.in_one.set(w));
        self.two.iter().for_each(|&w| self.in_two.set(w));
    }

    fn forget(&mut self) {
        self.one.iter().for_each(|&w| self.in_one.clear(w));
        self.two.iter().for_each(|&w| self.in_two.clear(w));
        self.one.clear();
        self.two.clear();
        self.by_register.clear();
        self.by_one.clear();
    }

    /// The fewest operations that compute a table which is in no register, up to 4; [`FAR`] if more.
    ///
    /// Distances up to 3 are never too large; 4 may be missed in rare shapes.
    pub(super) fn of(&self, table: W) -> u8 {
        if self.in_one.has(table) {
            return 1;
        }
        if self.in_two.has(table) {
            return 2;
        }
        if self.within_three(table) {
            return 3;
        }
        if self.within_four(table) {
            return 4;
        }
        FAR
    }

    /// As [`Distances::of`], for any table and only up to 2.
    pub(super) fn near(&self, registers: &[W], table: W) -> u8 {
        if registers.contains(&table) {
            0
        } else if self.in_one.has(table) {
            1
        } else if self.in_two.has(table) {
            2
        } else {
            FAR - 1
        }
    }

    fn within_three(&self, table: W) -> bool {
        let ones = self.machine.ones;
        self.by_register.whole.iter().any(|&offset| self.in_two.has(table ^ offset))
            || self.by_one.whole.iter().any(|&offset| self.in_one.has(table ^ offset))
            || self.by_register.demands(table, ones).any(|demand| meets(&self.two, demand))
            || self.by_one.demands(table, ones).any(|demand| meets(&self.one, demand))
    }

    /// An exclusive or of a register with an exclusive or of two results is one of a result with one of two in a row,
    /// so that shape needs no look of its own.
    fn within_four(&self, table: W) -> bool {
        let ones = self.machine.ones;
        if self.by_one.whole.iter().any(|&offset| self.in_two.has(table ^ offset))
            || self.by_one.demands(table, ones).any(|demand| meets(&self.two, demand))
        {
            return true;
        }
        self.by_register.whole.iter().map(|&offset| table ^ offset).any(|before| {
            self.by_register.whole.iter().any(|&offset| self.in_two.has(before ^ offset))
                || self.by_register.demands(before, ones).any(|demand| meets(&self.two, demand))
                || self.by_one.demands(before, ones).any(|demand| meets(&self.one, demand))
        })
    }
}

/// Whether a word meets the demand; written without a branch so that it runs on vectors.
fn meets<W: Word>(words: &[W], demand: Demand<W>) -> bool {
    words.chunks(64).any(|chunk| chunk.iter().fold(false, |met, &w| met | (w & demand.mask == demand.value)))
}
