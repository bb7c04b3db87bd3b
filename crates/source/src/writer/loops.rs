//! Loops: a counter in the author's terms, carried values as variables, one body per kind of iteration.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use program::ir::{Block, Loop, OpKind, Operand, ValueId};
use program::walk::{for_each_block, slots_mut, Slot};

use super::expr::Expr;
use super::function::{Writer, VARIABLES};
use super::index::Counter;
use super::language::Place;
use super::words::array_of;

/// A carried word: its variable.
struct CarriedWord {
    name: String,
    number: usize,
    width: u8,
}

impl<'a> Writer<'a, '_> {
    /// Writes a loop.
    pub fn write_loop(&mut self, l: &'a Loop, results: &[ValueId]) {
        let mut written = BTreeSet::new();
        l.bodies.iter().for_each(|body| self.written_in(body, &mut written));
        let carried: Vec<Option<CarriedWord>> = (0..results.len()).map(|k| self.initial(l, k, results[k])).collect();
        self.flush(&|plan, read| read < VARIABLES && written.iter().any(|&w| plan.may_alias(w, read)));
        let counter = self.counter(l);
        let (from, step, iterations) = (counter.from, counter.step, l.pattern.len() as i64);
        let name = counter.name.clone();
        let head = match step {
            1 => format!("for (int {name} = {from}; {name} < {}; {name}++) {{", from + iterations),
            -1 => format!("for (int {name} = {from}; {name} >= {}; {name}--) {{", from - iterations + 1),
            s if s > 0 => {
                format!("for (int {name} = {from}; {name} < {}; {name} += {s}) {{", from + s * (iterations - 1) + 1)
            }
            s => {
                format!("for (int {name} = {from}; {name} > {}; {name} -= {}) {{", from + s * (iterations - 1) - 1, -s)
            }
        };
        self.open(&head);
        for body in &l.bodies {
            self.indices.count(body.params[0], counter.clone());
        }
        self.bodies(l, &counter, &carried);
        self.close("}");
    }

    fn initial(&mut self, l: &Loop, k: usize, result: ValueId) -> Option<CarriedWord> {
        if array_of(&self.function.values[result.0 as usize].ty).is_some() {
            self.initial_array(l.init[k], result);
            return None;
        }
        let width = self.width(result);
        let value = self.take_text(l.init[k], width);
        let wanted = if self.facts.is_used(result) { result } else { l.bodies[0].params[k + 1] };
        let name = self.fresh(wanted);
        let text = self.language.variable(&name, width, &value);
        self.line(&text);
        let number = self.new_variable();
        let variable = Expr { reads: BTreeSet::from([number]), ..Expr::primary(name.clone()) };
        self.set(result, variable.clone());
        l.bodies.iter().for_each(|body| self.set(body.params[k + 1], variable.clone()));
        Some(CarriedWord { name, number, width })
    }

    fn initial_array(&mut self, init: Operand, result: ValueId) {
        let Operand::Value(init) = init else { return };
        let (from, storage) = (self.plan.of(init), self.plan.of(result));
        if from != storage {
            self.flush_before_write(storage);
            self.declare_storage(storage);
            let (to, old) = (self.storage(storage).clone(), self.storage(from).clone());
            self.copy_array(&to, &old, storage);
        }
    }

    /// The author's counter where every use of the iteration number can be written by it, else the iteration number.
    fn counter(&mut self, l: &Loop) -> Counter {
        let divisible = l.bodies.iter().all(|body| uses_multiples(body, body.params[0], l.step));
        let wanted = if l.counter.is_empty() { "i" } else { &l.counter };
        let name = self.fresh_name(wanted);
        if divisible {
            Counter { name, from: l.from, step: l.step }
        } else {
            Counter { name, from: 0, step: 1 }
        }
    }

    fn bodies(&mut self, l: &'a Loop, counter: &Counter, carried: &[Option<CarriedWord>]) {
        if l.bodies.len() == 1 {
            self.body(&l.bodies[0], carried);
            return;
        }
        match segments(&l.pattern) {
            Some(ends) => self.chain(l, counter, carried, &ends),
            None => self.switch(l, counter, carried),
        }
    }

    /// `if (i < 8) { … } else { … }` for bodies that each run in one stretch of iterations.
    fn chain(&mut self, l: &'a Loop, counter: &Counter, carried: &[Option<CarriedWord>], ends: &[(u8, i64)]) {
        for (n, (body, end)) in ends.iter().enumerate() {
            let limit = counter.from + counter.step * end;
            let condition = format!("if ({} {} {limit}) {{", counter.name, if counter.step > 0 { "<" } else { ">" });
            match n {
                0 => self.open(&condition),
                _ if n + 1 == ends.len() => self.reopen("} else {"),
                _ => self.reopen(&format!("}} else {condition}")),
            }
            self.body(&l.bodies[usize::from(*body)], carried);
        }
        self.close("}");
    }

    fn reopen(&mut self, text: &str) {
        self.close(text);
        self.deepen();
    }

    fn switch(&mut self, l: &'a Loop, counter: &Counter, carried: &[Option<CarriedWord>]) {
        let (selector, cases) = self.selector(l, counter);
        if let ([own], 2) = (cases[0].as_slice(), l.bodies.len()) {
            self.open(&format!("if ({selector} == {own}) {{"));
            self.body(&l.bodies[0], carried);
            self.reopen("} else {");
            self.body(&l.bodies[1], carried);
            self.close("}");
            return;
        }
        self.open(&format!("switch ({selector}) {{"));
        for (n, body) in l.bodies.iter().enumerate() {
            let labels: Vec<String> = cases[n].iter().map(|c| format!("case {c}:")).collect();
            let head = if n + 1 == l.bodies.len() { "default:".to_owned() } else { labels.join(" ") };
            self.open(&format!("{head} {{"));
            self.body(body, carried);
            self.line("break;");
            self.close("}");
        }
        self.close("}");
    }

    /// What tells the bodies apart, and for each body the values that choose it.
    fn selector(&mut self, l: &Loop, counter: &Counter) -> (String, Vec<Vec<i64>>) {
        let iterations = l.pattern.len() as i64;
        let last = counter.from + counter.step * (iterations - 1);
        let plain = counter.step.abs() == 1 && counter.from >= 0 && last >= 0;
        let value = |t: i64| if plain { counter.from + counter.step * t } else { t };
        let period = (1..=16.min(iterations))
            .find(|&p| (p..iterations).all(|t| l.pattern[t as usize] == l.pattern[(t - p) as usize]));
        let mut cases = vec![Vec::new(); l.bodies.len()];
        match period {
            Some(p) => {
                (0..p).for_each(|t| cases[usize::from(l.pattern[t as usize])].push(value(t) % p));
                cases.iter_mut().for_each(|c| c.sort_unstable());
                (format!("{} % {p}", iteration_text(counter, plain)), cases)
            }
            None => {
                (0..l.bodies.len()).for_each(|n| cases[n].push(n as i64));
                let kinds: Vec<u64> = l.pattern.iter().map(|&kind| u64::from(kind)).collect();
                let name = self.constant_array("kind", 8, kinds);
                let iteration = iteration_text(&Counter { name: counter.name.clone(), ..*counter }, false);
                (format!("{name}[{iteration}]"), cases)
            }
        }
    }

    fn body(&mut self, body: &'a Block, carried: &[Option<CarriedWord>]) {
        self.operations(body);
        self.copy_yielded_arrays(body);
        let mut moves = Vec::new();
        for (k, slot) in carried.iter().enumerate() {
            if let Some(slot) = slot {
                let value = self.take(body.outputs[k]);
                if value.text != slot.name {
                    moves.push((slot, value, body.outputs[k]));
                }
            }
        }
        self.parallel_moves(moves);
    }

    /// Assigns all at once: a variable only after everything that still reads its old value.
    fn parallel_moves(&mut self, mut moves: Vec<(&CarriedWord, Expr, Operand)>) {
        // Terminates: each iteration removes a move, or takes from one all that it reads; one that reads nothing is not
        // chosen again.
        while !moves.is_empty() {
            match next_move(&moves.iter().map(|(slot, value, _)| (slot.number, &value.reads)).collect::<Vec<_>>()) {
                NextMove::Assign(m) => {
                    let (slot, value, _) = moves.remove(m);
                    let text = format!("{} = {};", slot.name, self.language.value(&value, slot.width));
                    self.line(&text);
                }
                NextMove::Name(m) => {
                    let wanted = format!("{}_next", moves[m].0.name);
                    let width = moves[m].0.width;
                    let value = moves[m].1.clone();
                    moves[m].1 = self.hoist(&value, &wanted, width);
                }
            }
        }
    }

    fn copy_yielded_arrays(&mut self, body: &Block) {
        let copies: Vec<(usize, usize)> = body
            .outputs
            .iter()
            .zip(body.params.iter().skip(1))
            .filter_map(|(output, &parameter)| match output {
                Operand::Value(v) if array_of(&self.function.values[v.0 as usize].ty).is_some() => {
                    Some((self.plan.of(parameter), self.plan.of(*v)))
                }
                _ => None,
            })
            .filter(|(to, from)| to != from)
            .collect();
        for &(to, _) in &copies {
            self.flush_before_write(to);
        }
        let mut sources = Vec::new();
        for &(_, from) in &copies {
            let clash = copies.iter().any(|&(to, _)| to == from);
            sources.push(if clash { self.spare_copy(from) } else { self.storage(from).clone() });
        }
        for (&(to, _), source) in copies.iter().zip(&sources) {
            let target = self.storage(to).clone();
            self.copy_array(&target, source, to);
        }
    }

    fn spare_copy(&mut self, storage: usize) -> Place {
        let from = self.storage(storage).clone();
        let copy = Place::whole(self.fresh_name(&from.name));
        let text = self.language.array(&copy.name, self.shape(storage));
        self.line(&text);
        self.copy_array(&copy, &from, storage);
        copy
    }
}

/// What to do next with moves that are to happen at once.
#[derive(Debug, PartialEq, Eq)]
enum NextMove {
    /// Nothing else reads the variable of this move: it can be assigned.
    Assign(usize),
    /// Each variable is read by another move: the value of this one gets a name of its own, and reads no variable then.
    Name(usize),
}

/// The next of some moves, each a variable and the variables that its value reads.
fn next_move(moves: &[(usize, &BTreeSet<usize>)]) -> NextMove {
    let read_by_others =
        |m: usize| moves.iter().enumerate().any(|(n, (_, reads))| n != m && reads.contains(&moves[m].0));
    if let Some(m) = (0..moves.len()).find(|&m| !read_by_others(m)) {
        return NextMove::Assign(m);
    }
    // The one that reads most of them; at least one reads another's, or there would be one to assign.
    let others = |m: usize| moves.iter().enumerate().filter(|(n, (to, _))| *n != m && moves[m].1.contains(to)).count();
    NextMove::Name((0..moves.len()).min_by_key(|&m| Reverse(others(m))).unwrap_or(0))
}

fn iteration_text(counter: &Counter, plain: bool) -> String {
    let name = &counter.name;
    match (plain || (counter.from == 0 && counter.step == 1), counter.step) {
        (true, _) => name.clone(),
        (false, 1) if counter.from < 0 => format!("({name} + {})", -counter.from),
        (false, 1) => format!("({name} - {})", counter.from),
        (false, -1) => format!("({} - {name})", counter.from),
        (false, step) => format!("(({name} - ({})) / {step})", counter.from),
    }
}

/// For bodies that each run in one stretch of iterations: the bodies in that order, and where each ends.
fn segments(pattern: &[u8]) -> Option<Vec<(u8, i64)>> {
    let mut ends: Vec<(u8, i64)> = Vec::new();
    for (t, &body) in pattern.iter().enumerate() {
        let end = t as i64 + 1;
        match ends.iter().position(|(b, _)| *b == body) {
            Some(n) if n + 1 == ends.len() => ends[n].1 = end,
            Some(_) => return None,
            None => ends.push((body, end)),
        }
    }
    Some(ends)
}

/// Whether every use of the iteration number has a coefficient that the step divides.
fn uses_multiples(body: &Block, iteration: ValueId, step: i64) -> bool {
    let mut fits = true;
    for_each_block(body, &mut |block| {
        for op in &block.ops {
            let mut kind: OpKind = match &op.kind {
                OpKind::Loop(_) => continue,
                other => other.clone(),
            };
            slots_mut(&mut kind, &mut |slot| {
                if let Slot::Affine(affine) = slot {
                    fits &= affine.terms.iter().all(|&(c, v)| v != iteration || c % step == 0);
                }
            });
        }
    });
    fits
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The steps that bring some moves to their end.
    fn steps(moves: &[(usize, &[usize])]) -> Vec<String> {
        let mut left: Vec<(usize, BTreeSet<usize>)> =
            moves.iter().map(|(to, reads)| (*to, reads.iter().copied().collect())).collect();
        let mut steps = Vec::new();
        while !left.is_empty() {
            assert!(steps.len() < 2 * moves.len(), "more steps than moves and names: {steps:?}");
            match next_move(&left.iter().map(|(to, reads)| (*to, reads)).collect::<Vec<_>>()) {
                NextMove::Assign(m) => steps.push(format!("assign {}", left.remove(m).0)),
                NextMove::Name(m) => {
                    left[m].1.clear();
                    steps.push(format!("name {}", left[m].0));
                }
            }
        }
        steps
    }

    #[test]
    fn a_cycle_needs_one_name() {
        assert_eq!(steps(&[(0, &[1]), (1, &[0])]), ["name 0", "assign 1", "assign 0"]);
    }

    #[test]
    fn words_that_change_places_behind_a_select_come_to_an_end() {
        // a, b, c, d = b, c, d, select(a < b, c, d)
        let moves: [(usize, &[usize]); 4] = [(0, &[1]), (1, &[2]), (2, &[3]), (3, &[0, 1, 2, 3])];
        assert_eq!(steps(&moves), ["name 3", "assign 0", "assign 1", "assign 2", "assign 3"]);
    }

    #[test]
    fn a_value_that_reads_only_its_own_variable_is_not_named() {
        assert_eq!(steps(&[(0, &[0]), (1, &[0, 2]), (2, &[1])])[0], "name 1");
    }
}
