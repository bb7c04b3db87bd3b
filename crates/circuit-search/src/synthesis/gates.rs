//! The clauses that say: exactly this many gates compute the goal.
//!
//! Wires are numbered inputs first, then gates. A gate has a set of operands (one variable per set, exactly one true),
//! a truth table over them in rising order of wire, and a value at every input. Every gate depends on each of its
//! operands, so that a gate of fewer operands has a smaller set.
//!
//! Left out is only what cannot be needed (each step below makes the sequence of operand sets and tables smaller in
//! the order used, or leads to fewer gates, which are a question of their own):
//! * a gate that neither an output nor a later gate reads;
//! * neighbouring gates of which the second does not read the first stand in rising order of operand set (as binary
//!   numbers), and of table where the sets are equal;
//! * if any function of up to `k` operands is a gate: a gate that reads another and otherwise only operands of that
//!   one (it could read those operands instead); a gate with one reader that the reader can swallow; and a gate whose
//!   readers all read its operand `a` as well is 0 where `a` is its only operand that is 1 (it or its exclusive or
//!   with `a` is, and the readers can tell them apart).

use crate::synthesis::cnf::Cnf;
use crate::synthesis::gate_set::GateSet;
use crate::synthesis::goal::Goal;
use circuit::circuit::{Circuit, Wire};
use circuit::function::Function;

/// The clauses and the variables that a circuit is read from.
pub struct GateEncoding {
    /// The clauses.
    pub cnf: Cnf,
    inputs: usize,
    normal: bool,
    gates: Vec<GateVariables>,
    /// `places[h][i]`: function `h` of the goal is gate `i`.
    places: Vec<Vec<i32>>,
}

struct GateVariables {
    /// Operand sets as bits of wires, in rising order, and the variable of each.
    choices: Vec<(u32, i32)>,
    /// Table entries; the first is 0 where all is in normal form.
    table: Vec<Option<i32>>,
    /// Value at each input; the first is 0 where all is in normal form.
    values: Vec<Option<i32>>,
}

impl GateEncoding {
    /// The clauses for a number of gates.
    #[must_use]
    pub fn new(goal: &Goal, set: &GateSet, gates: usize) -> Self {
        let mut encoding = GateEncoding {
            cnf: Cnf::default(),
            inputs: usize::from(goal.inputs),
            normal: goal.normal,
            gates: Vec::new(),
            places: Vec::new(),
        };
        (0..gates).for_each(|i| encoding.declare(i, set));
        (0..gates).for_each(|i| encoding.compute(i, set));
        encoding.outputs(goal);
        encoding.every_gate_is_read();
        (1..gates).for_each(|i| encoding.order(i));
        if set.complete {
            encoding.no_detour();
            encoding.no_swallowed_gate(set.arity);
            encoding.shared_operands();
        }
        encoding
    }

    fn wire(&self, gate: usize) -> u32 {
        1 << (self.inputs + gate)
    }

    fn declare(&mut self, i: usize, set: &GateSet) {
        let wires = self.inputs + i;
        let sizes = set.sizes();
        let choices: Vec<u32> =
            (1u32..1 << wires).filter(|mask| sizes.contains(&(mask.count_ones() as usize))).collect();
        let choices = choices.into_iter().map(|mask| (mask, self.cnf.variable())).collect();
        let skip = usize::from(self.normal);
        let declare =
            |cnf: &mut Cnf, count: usize| (0..count).map(|n| (n >= skip).then(|| cnf.variable())).collect::<Vec<_>>();
        let table = declare(&mut self.cnf, 1 << set.arity);
        let values = declare(&mut self.cnf, 1 << self.inputs);
        self.gates.push(GateVariables { choices, table, values });
    }

    /// The gate's value is its table's entry at its operands' values; the table is one of the set.
    fn compute(&mut self, i: usize, set: &GateSet) {
        let choices = self.gates[i].choices.clone();
        let all: Vec<i32> = choices.iter().map(|(_, s)| *s).collect();
        self.cnf.exactly_one(&all);
        for &(mask, chosen) in &choices {
            let operands = bits(mask);
            for input in usize::from(self.normal)..1 << self.inputs {
                for pattern in 0..1usize << operands.len() {
                    self.compute_entry(i, chosen, &operands, input, pattern);
                }
            }
            for entry in 1 << operands.len()..1 << set.arity {
                let unused = self.gates[i].table[entry].expect("only the first entry is constant");
                self.cnf.add(&[-chosen, -unused]);
            }
        }
        self.allowed_tables(i, set);
    }

    fn compute_entry(&mut self, i: usize, chosen: i32, operands: &[usize], input: usize, pattern: usize) {
        let mut clause = vec![-chosen];
        for (n, &operand) in operands.iter().enumerate() {
            let wanted = pattern >> n & 1 == 1;
            if operand < self.inputs {
                if (input >> operand & 1 == 1) != wanted {
                    return;
                }
            } else {
                let value = self.gates[operand - self.inputs].values[input].expect("input 0 is left out");
                clause.push(if wanted { -value } else { value });
            }
        }
        let value = self.gates[i].values[input].expect("input 0 is left out");
        match self.gates[i].table[pattern] {
            None => self.cnf.add(&[&clause[..], &[-value]].concat()),
            Some(entry) => {
                self.cnf.add(&[&clause[..], &[-value, entry]].concat());
                self.cnf.add(&[&clause[..], &[value, -entry]].concat());
            }
        }
    }

    /// Forbids the tables that are no gate: those that ignore an operand, and those that the set has not.
    ///
    /// One variable per size says how many operands the gate has.
    fn allowed_tables(&mut self, i: usize, set: &GateSet) {
        for size in set.sizes() {
            let of_size: Vec<i32> = {
                let choices = self.gates[i].choices.iter();
                choices.filter(|(mask, _)| mask.count_ones() as usize == size).map(|(_, s)| *s).collect()
            };
            let has_size = self.cnf.or(&of_size);
            for cube in set.forbidden(size, self.normal) {
                let mut clause = vec![-has_size];
                for (entry, value) in cube {
                    if let Some(variable) = self.gates[i].table[entry] {
                        clause.push(if value { -variable } else { variable });
                    }
                }
                self.cnf.add(&clause);
            }
        }
    }

    fn outputs(&mut self, goal: &Goal) {
        for function in &goal.functions {
            let places = self.cnf.variables(self.gates.len());
            self.cnf.exactly_one(&places);
            for (gate, &place) in self.gates.iter().zip(&places) {
                for (input, value) in gate.values.iter().enumerate() {
                    if let Some(value) = *value {
                        self.cnf.add(&[-place, if function.bit(input) { value } else { -value }]);
                    }
                }
            }
            self.places.push(places);
        }
        // The functions differ, so a gate is at most one of them.
        for i in 0..self.gates.len() {
            let here: Vec<i32> = self.places.iter().map(|p| p[i]).collect();
            self.cnf.at_most_one(&here);
        }
    }

    /// The choices of gate `m` that read gate `i`.
    fn reads(&self, m: usize, i: usize) -> impl Iterator<Item = (u32, i32)> + '_ {
        let wire = self.wire(i);
        self.gates[m].choices.iter().copied().filter(move |(mask, _)| mask & wire != 0)
    }

    fn is_output(&self, i: usize) -> impl Iterator<Item = i32> + '_ {
        self.places.iter().map(move |p| p[i])
    }

    fn every_gate_is_read(&mut self) {
        for i in 0..self.gates.len() {
            let mut clause: Vec<i32> = self.is_output(i).collect();
            for m in i + 1..self.gates.len() {
                clause.extend(self.reads(m, i).map(|(_, s)| s));
            }
            self.cnf.add(&clause);
        }
    }

    /// Gate `i` reads gate `i - 1` or does not come before it in the order.
    fn order(&mut self, i: usize) {
        let before = self.gates[i - 1].choices.clone();
        let wire = self.wire(i - 1);
        let after: Vec<(u32, i32)> =
            self.gates[i].choices.iter().copied().filter(|(mask, _)| mask & wire == 0).collect();
        debug_assert_eq!(before.len(), after.len());
        // above[n]: gate i - 1 has the set n or a larger one.
        let mut above = self.cnf.variable();
        self.cnf.add(&[-before[before.len() - 1].1, above]);
        let mut same = Vec::new();
        for n in (0..before.len()).rev() {
            if n + 1 < before.len() {
                self.cnf.add(&[-after[n].1, -above]);
                let next = self.cnf.variable();
                self.cnf.add(&[-above, next]);
                self.cnf.add(&[-before[n].1, next]);
                above = next;
            }
            same.push((before[n].1, after[n].1));
        }
        let equal = self.cnf.variable();
        for (a, b) in same {
            self.cnf.add(&[-a, -b, equal]);
        }
        self.rising_tables(i, equal);
    }

    /// If `equal`, the table of gate `i - 1` is smaller than that of gate `i`, entries of one operand first.
    fn rising_tables(&mut self, i: usize, equal: i32) {
        let mut entries: Vec<usize> = (0..self.gates[i].table.len()).collect();
        entries.sort_by_key(|e| (e.count_ones(), *e));
        let mut so_far = equal;
        for entry in entries {
            let (Some(a), Some(b)) = (self.gates[i - 1].table[entry], self.gates[i].table[entry]) else { continue };
            self.cnf.add(&[-so_far, -a, b]);
            let next = self.cnf.variable();
            self.cnf.add(&[-so_far, -a, next]);
            self.cnf.add(&[-so_far, b, next]);
            so_far = next;
        }
        self.cnf.add(&[-so_far]);
    }

    /// No gate reads another and otherwise only operands of that one.
    fn no_detour(&mut self) {
        for m in 1..self.gates.len() {
            for i in 0..m {
                for (mask, reader) in self.reads(m, i).collect::<Vec<_>>() {
                    let rest = mask & !self.wire(i);
                    for n in 0..self.gates[i].choices.len() {
                        let (inner, chosen) = self.gates[i].choices[n];
                        if rest & !inner == 0 {
                            self.cnf.add(&[-reader, -chosen]);
                        }
                    }
                }
            }
        }
    }

    /// No gate with a single reader could be part of that reader.
    fn no_swallowed_gate(&mut self, arity: usize) {
        let last = self.gates.len();
        for i in 0..last {
            let read_by: Vec<(usize, i32)> = (i + 1..last)
                .map(|m| {
                    let readers: Vec<i32> = self.reads(m, i).map(|(_, s)| s).collect();
                    (m, self.cnf.or(&readers))
                })
                .collect();
            for &(m, _) in &read_by {
                let others = read_by.iter().filter(|(n, _)| *n != m).map(|(_, v)| *v);
                let elsewhere: Vec<i32> = self.is_output(i).chain(others).collect();
                for (mask, reader) in self.reads(m, i).collect::<Vec<_>>() {
                    let rest = mask & !self.wire(i);
                    for n in 0..self.gates[i].choices.len() {
                        let (inner, chosen) = self.gates[i].choices[n];
                        let detour = rest & !inner == 0;
                        if !detour && (rest | inner).count_ones() as usize <= arity {
                            self.cnf.add(&[&[-reader, -chosen], &elsewhere[..]].concat());
                        }
                    }
                }
            }
        }
    }

    /// A gate whose readers all share an operand with it is 0 where that is its only operand that is 1.
    fn shared_operands(&mut self) {
        for i in 0..self.gates.len() {
            for operand in 0..self.inputs + i {
                let mut without: Vec<i32> = self.is_output(i).collect();
                for m in i + 1..self.gates.len() {
                    without.extend(self.reads(m, i).filter(|(mask, _)| mask >> operand & 1 == 0).map(|(_, s)| s));
                }
                let without = self.cnf.or(&without);
                for n in 0..self.gates[i].choices.len() {
                    let (mask, chosen) = self.gates[i].choices[n];
                    if mask >> operand & 1 == 1 {
                        let place = (mask & ((1 << operand) - 1)).count_ones();
                        let entry = self.gates[i].table[1 << place].expect("only the first entry is constant");
                        self.cnf.add(&[-chosen, -entry, without]);
                    }
                }
            }
        }
    }

    /// The circuit of a model.
    #[must_use]
    pub fn decode(&self, goal: &Goal, model: &dyn Fn(i32) -> bool) -> Circuit {
        let mut circuit = Circuit::new(goal.inputs);
        for gate in &self.gates {
            let mask = gate.choices.iter().find(|(_, s)| model(*s)).map_or(0, |(mask, _)| *mask);
            let operands: Vec<Wire> = bits(mask).into_iter().map(|w| self.as_wire(w)).collect();
            let entries = gate.table.iter().enumerate();
            let table = entries.filter(|(_, v)| v.is_some_and(model)).fold(0, |t, (n, _)| t | 1 << n);
            circuit.add(Function::new(operands.len() as u8, table), &operands);
        }
        let place = |places: &Vec<i32>| Wire::Gate(places.iter().position(|&p| model(p)).unwrap_or(0));
        let wires: Vec<Wire> = self.places.iter().map(place).collect();
        goal.finish(circuit, &wires)
    }

    fn as_wire(&self, number: usize) -> Wire {
        if number < self.inputs {
            Wire::Input(number)
        } else {
            Wire::Gate(number - self.inputs)
        }
    }
}

fn bits(mask: u32) -> Vec<usize> {
    (0..32).filter(|n| mask >> n & 1 == 1).collect()
}
