//! The clauses that say: exactly this many ANDs, with exclusive ors free, compute the goal.
//!
//! Wires are numbered inputs first, then ANDs. The operands of an AND, and the outputs, are exclusive ors of wires.
//! In normal form (everything 0 at input 0) complements vanish: `(a ^ 1) & b` is `(a & b) ^ b`.
//!
//! Left out is only what cannot be needed:
//! * an AND of `a` and `b` gives, up to exclusive ors, the same as one of any two of `a`, `b`, `a ^ b`: of the three
//!   the pair in reduced echelon form is taken (the highest wires of the two differ, and neither has the other's);
//! * an AND whose operands are equal, or that nothing reads (a question with fewer ANDs);
//! * neighbouring ANDs of which the second does not read the first stand in rising order of their operands.

use crate::synthesis::cnf::Cnf;
use crate::synthesis::goal::Goal;
use circuit::circuit::{Circuit, Wire};
use circuit::function::Function;

/// The clauses and the variables that a circuit is read from.
pub struct AndEncoding {
    /// The clauses.
    pub cnf: Cnf,
    inputs: usize,
    ands: Vec<AndVariables>,
    /// Per function of the goal, one variable per wire.
    outputs: Vec<Vec<i32>>,
}

struct AndVariables {
    /// One variable per wire: whether it is in the left operand.
    left: Vec<i32>,
    right: Vec<i32>,
    /// Value at each input from 1.
    values: Vec<i32>,
}

impl AndEncoding {
    /// The clauses for a number of ANDs; the goal is in normal form.
    #[must_use]
    pub fn new(goal: &Goal, ands: usize) -> Self {
        let inputs = usize::from(goal.inputs);
        let mut encoding = AndEncoding { cnf: Cnf::default(), inputs, ands: Vec::new(), outputs: Vec::new() };
        (0..ands).for_each(|i| encoding.and_gate(i));
        for function in &goal.functions {
            let wires = encoding.cnf.variables(inputs + ands);
            let values = (1..1 << inputs).map(|v| function.bit(v)).collect::<Vec<_>>();
            encoding.sum(&wires, |cnf, v, terms| cnf.parity(terms, values[v - 1]));
            encoding.outputs.push(wires);
        }
        (0..ands).for_each(|i| encoding.is_read(i));
        (1..ands).for_each(|i| encoding.order(i));
        encoding
    }

    fn and_gate(&mut self, i: usize) {
        let wires = self.inputs + i;
        let (left, right) = (self.cnf.variables(wires), self.cnf.variables(wires));
        let a = self.values_of(&left);
        let b = self.values_of(&right);
        let values = a.iter().zip(&b).map(|(a, b)| self.cnf.and(*a, *b)).collect();
        self.echelon(&left, &right);
        self.ands.push(AndVariables { left, right, values });
    }

    /// A variable for the value of a sum of wires at each input from 1.
    fn values_of(&mut self, wires: &[i32]) -> Vec<i32> {
        let values = self.cnf.variables((1 << self.inputs) - 1);
        self.sum(wires, |cnf, v, terms| {
            let terms: Vec<i32> = terms.iter().copied().chain([values[v - 1]]).collect();
            cnf.parity(&terms, false);
        });
        values
    }

    /// Calls `use_terms` for every input from 1 with the literals whose exclusive or is the sum's value there.
    fn sum(&mut self, wires: &[i32], mut use_terms: impl FnMut(&mut Cnf, usize, &[i32])) {
        let mut linear = vec![0; 1 << self.inputs];
        for v in 1usize..1 << self.inputs {
            let rest = v & (v - 1);
            let lowest = wires[v.trailing_zeros() as usize];
            linear[v] = if rest == 0 { lowest } else { self.cnf.xor(linear[rest], lowest) };
            let mut terms = vec![linear[v]];
            for (j, &taken) in wires[self.inputs..].iter().enumerate() {
                let value = self.ands[j].values[v - 1];
                terms.push(self.cnf.and(taken, value));
            }
            use_terms(&mut self.cnf, v, &terms);
        }
    }

    /// The highest wire of the right operand is below that of the left, which has not the former.
    fn echelon(&mut self, left: &[i32], right: &[i32]) {
        let highest = |cnf: &mut Cnf, row: &[i32]| {
            let leads = cnf.variables(row.len());
            cnf.exactly_one(&leads);
            for (n, &lead) in leads.iter().enumerate() {
                cnf.add(&[-lead, row[n]]);
                row[n + 1..].iter().for_each(|&above| cnf.add(&[-lead, -above]));
            }
            leads
        };
        let left_leads = highest(&mut self.cnf, left);
        let right_leads = highest(&mut self.cnf, right);
        for n in 0..right.len() {
            self.cnf.add(&[-right_leads[n], -left[n]]);
            (0..=n).for_each(|m| self.cnf.add(&[-right_leads[n], -left_leads[m]]));
        }
    }

    fn is_read(&mut self, i: usize) {
        let wire = self.inputs + i;
        let later = self.ands[i + 1..].iter().flat_map(|and| [and.left[wire], and.right[wire]]);
        let clause: Vec<i32> = later.chain(self.outputs.iter().map(|o| o[wire])).collect();
        self.cnf.add(&clause);
    }

    /// AND `i` reads AND `i - 1`, or its operands are larger (left first, highest wire first).
    fn order(&mut self, i: usize) {
        let wires = self.inputs + i - 1;
        let row = |and: &AndVariables| -> Vec<i32> {
            [&and.left, &and.right].into_iter().flat_map(|side| side[..wires].iter().rev().copied()).collect()
        };
        let (before, after) = (row(&self.ands[i - 1]), row(&self.ands[i]));
        // In echelon form the left operand has the highest wire if either has.
        let mut so_far = -self.ands[i].left[wires];
        for (a, b) in before.into_iter().zip(after) {
            self.cnf.add(&[-so_far, -a, b]);
            let next = self.cnf.variable();
            self.cnf.add(&[-so_far, -a, next]);
            self.cnf.add(&[-so_far, b, next]);
            so_far = next;
        }
        self.cnf.add(&[-so_far]);
    }

    /// The circuit of a model, its sums written out one after the other.
    #[must_use]
    pub fn decode(&self, goal: &Goal, model: &dyn Fn(i32) -> bool) -> Circuit {
        let mut circuit = Circuit::new(goal.inputs);
        let mut wires: Vec<Wire> = (0..self.inputs).map(Wire::Input).collect();
        for and in &self.ands {
            let a = add_sum(&mut circuit, &wires, &and.left, model);
            let b = add_sum(&mut circuit, &wires, &and.right, model);
            wires.push(circuit.add(Function::AND, &[a, b]));
        }
        let outputs: Vec<Wire> = self.outputs.iter().map(|o| add_sum(&mut circuit, &wires, o, model)).collect();
        goal.finish(circuit, &outputs)
    }
}

fn add_sum(circuit: &mut Circuit, wires: &[Wire], taken: &[i32], model: &dyn Fn(i32) -> bool) -> Wire {
    let mut terms = wires.iter().zip(taken).filter(|(_, v)| model(**v)).map(|(w, _)| *w);
    let first = terms.next().unwrap_or(Wire::Constant(false));
    terms.fold(first, |sum, term| circuit.add(Function::XOR, &[sum, term]))
}
