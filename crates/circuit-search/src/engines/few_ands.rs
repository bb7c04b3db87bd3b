//! Few ANDs, then few gates: the exclusive ors between the ANDs are shared anew, many times at random.
//!
//! A circuit of two-input gates is a list of ANDs whose operands, like the outputs, are sums (exclusive ors) of inputs
//! and earlier ANDs. For the ANDs only the plane that the two operands span matters: any two of its three sums give
//! the same AND up to sums of the plane, and so does any nonlinear function of the two. The walk makes the sums AND by
//! AND with as few gates as it can, choosing at random among the shortest ways; the best of many walks is kept.

use crate::engines::{Bound, Control, Engine, Step};
use crate::synthesis::goal::Goal;
use crate::synthesis::{Outcome, Question};
use circuit::circuit::{Circuit, Wire};
use circuit::function::Function;
use circuit::problem::{Metric, Problem};
use circuit::random::Random;
use circuit::sbox::SBox;
use circuit::table::Table;

/// Unit `u` takes circuits of the fewest ANDs that the SAT solver finds with seeds of its own, and shares their sums.
pub struct FewAnds;

const MODELS: u64 = 8;
const WALKS: usize = 40_000;

/// ANDs and outputs as sums: bit `k` is input `k`, bit `inputs + i` is AND `i`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sums {
    inputs: usize,
    planes: Vec<[u32; 2]>,
    outputs: Vec<u32>,
}

impl Sums {
    /// The sums of a circuit of gates of at most two operands.
    fn of(circuit: &Circuit) -> Option<Self> {
        let inputs = usize::from(circuit.inputs);
        let mut sums = Sums { inputs, planes: Vec::new(), outputs: Vec::new() };
        let mut gates: Vec<u32> = Vec::new();
        let read = |wire: Wire, gates: &[u32]| match wire {
            Wire::Input(k) => 1 << k,
            Wire::Gate(n) => gates[n],
            Wire::Constant(_) => 0,
        };
        for gate in &circuit.gates {
            let operands: Vec<u32> = gate.operands.iter().map(|w| read(*w, &gates)).collect();
            let f = gate.function;
            let taken = |n: usize| if f.value(1 << n) == f.value(0) { 0 } else { operands[n] };
            let mut sum = (0..operands.len()).fold(0, |s, n| s ^ taken(n));
            if !f.is_linear() {
                let [a, b] = operands[..] else { return None };
                sum ^= 1 << (inputs + sums.planes.len());
                sums.planes.push([a, b]);
            }
            gates.push(sum);
        }
        sums.outputs = circuit.outputs.iter().map(|w| read(*w, &gates)).collect();
        Some(sums)
    }
}

/// A circuit in the making: which sum each wire is, and the gates.
struct Walk<'a> {
    sums: &'a Sums,
    wires: Vec<u32>,
    gates: Vec<(u8, usize, usize)>,
    limit: usize,
}

impl<'a> Walk<'a> {
    /// One random walk; `None` if it needs `limit` gates or more.
    fn run(sums: &'a Sums, limit: usize, random: &mut Random) -> Option<Self> {
        let wires = (0..sums.inputs).map(|k| 1 << k).collect();
        let mut walk = Walk { sums, wires, gates: Vec::new(), limit };
        for (i, [a, b]) in sums.planes.iter().copied().enumerate() {
            let (first, second) = walk.two_of([a, b, a ^ b], random)?;
            let table = random.pick(&[0b1000u8, 0b0010, 0b0100, 0b1110]);
            let sum = |bit: u8, s: u32| if table >> bit & 1 == 1 { s } else { 0 };
            let gate = 1 << (sums.inputs + i) ^ walk.correction(i, first, second);
            let made = gate ^ sum(1, walk.wires[first]) ^ sum(2, walk.wires[second]);
            walk.add(table, first, second, made)?;
        }
        let mut outputs = sums.outputs.clone();
        while !outputs.is_empty() {
            let lengths: Vec<usize> = outputs.iter().map(|o| walk.distance(*o)).collect();
            let shortest = *lengths.iter().min()?;
            let ready: Vec<usize> = (0..outputs.len()).filter(|n| lengths[*n] == shortest).collect();
            let next = outputs.swap_remove(random.pick(&ready));
            walk.make(next, random)?;
        }
        Some(walk)
    }

    /// What the AND of two sums of plane `i` differs by from the AND of the plane's first two.
    fn correction(&self, i: usize, first: usize, second: usize) -> u32 {
        let [a, b] = self.sums.planes[i];
        // (a ^ b) & b = (a & b) ^ b, and so on: the product with the third sum adds the other operand.
        match (self.wires[first], self.wires[second]) {
            (p, q) if p == a ^ b => q,
            (p, q) if q == a ^ b => p,
            _ => {
                debug_assert!(self.wires[first] == a || self.wires[first] == b);
                0
            }
        }
    }

    /// Makes two of the three sums of a plane.
    fn two_of(&mut self, plane: [u32; 3], random: &mut Random) -> Option<(usize, usize)> {
        let first = self.nearest(&plane, random);
        let first_wire = self.make(first, random)?;
        let rest: Vec<u32> = plane.into_iter().filter(|s| *s != first).collect();
        let second = self.nearest(&rest, random);
        Some((first_wire, self.make(second, random)?))
    }

    fn nearest(&self, sums: &[u32], random: &mut Random) -> u32 {
        let lengths: Vec<usize> = sums.iter().map(|s| self.distance(*s)).collect();
        let shortest = lengths.iter().min().copied().unwrap_or(0);
        let best: Vec<u32> = sums.iter().zip(&lengths).filter(|(_, l)| **l == shortest).map(|(s, _)| *s).collect();
        random.pick(&best)
    }

    fn find(&self, sum: u32) -> Option<usize> {
        self.wires.iter().position(|w| *w == sum)
    }

    /// Exclusive ors until a sum is there, up to two exactly, else a large number that grows with its terms.
    fn distance(&self, sum: u32) -> usize {
        let there = |s: u32| s == 0 || self.find(s).is_some();
        if there(sum) {
            return 0;
        }
        if self.wires.iter().any(|w| there(sum ^ w)) {
            return 1;
        }
        let two = self.wires.iter().enumerate().any(|(n, a)| self.wires[..n].iter().any(|b| there(sum ^ a ^ b)));
        if two {
            2
        } else {
            2 + sum.count_ones() as usize
        }
    }

    /// Makes a sum in as few exclusive ors as can be, at random among the ways; returns its wire.
    fn make(&mut self, sum: u32, random: &mut Random) -> Option<usize> {
        if let Some(wire) = self.find(sum) {
            return Some(wire);
        }
        let mut steps: Vec<(usize, usize)> = Vec::new();
        let pairs = |left: u32| -> Vec<(usize, usize)> {
            let other = |n: usize| self.find(left ^ self.wires[n]).filter(|m| *m < n);
            (0..self.wires.len()).filter_map(|n| other(n).map(|m| (n, m))).collect()
        };
        let direct = pairs(sum);
        if direct.is_empty() {
            for n in 0..self.wires.len() {
                // Each of the three may be added last: every order of a triple is met.
                let rest = pairs(sum ^ self.wires[n]);
                steps.extend(rest.into_iter().filter(|(a, b)| *a != n && *b != n));
            }
            if steps.is_empty() {
                return self.make_long(sum, random);
            }
            let (a, b) = random.pick(&steps);
            self.add(0b0110, a, b, self.wires[a] ^ self.wires[b])?;
            return self.make(sum, random);
        }
        let (a, b) = random.pick(&direct);
        self.add(0b0110, a, b, sum)
    }

    /// Takes a wire that has the sum's last term and leaves the fewest, and makes the rest.
    fn make_long(&mut self, sum: u32, random: &mut Random) -> Option<usize> {
        let wires = 0..self.wires.len();
        let ends: Vec<usize> = wires.filter(|n| self.wires[*n].leading_zeros() == sum.leading_zeros()).collect();
        let terms = |n: &usize| (sum ^ self.wires[*n]).count_ones();
        let least = ends.iter().map(terms).min()?;
        let best: Vec<usize> = ends.into_iter().filter(|n| terms(n) == least).collect();
        let n = random.pick(&best);
        let rest = self.make(sum ^ self.wires[n], random)?;
        self.add(0b0110, n, rest, sum)
    }

    fn add(&mut self, table: u8, a: usize, b: usize, sum: u32) -> Option<usize> {
        self.gates.push((table, a, b));
        self.wires.push(sum);
        (self.gates.len() < self.limit).then_some(self.wires.len() - 1)
    }

    /// The circuit of the box.
    fn circuit(&self, sbox: &SBox, goal: &Goal) -> Option<Circuit> {
        let mut circuit = Circuit::new(sbox.inputs);
        let wire = |n: usize| if n < self.sums.inputs { Wire::Input(n) } else { Wire::Gate(n - self.sums.inputs) };
        for &(table, a, b) in &self.gates {
            circuit.add(Function::new(2, u16::from(table)), &[wire(a), wire(b)]);
        }
        let tables = circuit.tables();
        let place = |wanted: &Table| tables.iter().position(|t| t == wanted).map(Wire::Gate);
        let wires: Option<Vec<Wire>> = goal.functions.iter().map(place).collect();
        Some(goal.finish(circuit, &wires?))
    }
}

/// The circuit of the fewest gates that some walks make of a circuit's ANDs.
fn shared(sbox: &SBox, circuit: &Circuit, walks: usize, random: &mut Random, stopped: &dyn Fn() -> bool) -> Circuit {
    let goal = Goal::new(sbox, true);
    let mut best = circuit.clone();
    let Some(sums) = Sums::of(circuit) else { return best };
    for n in 0..walks {
        if n % 256 == 255 && stopped() {
            break;
        }
        let limit = best.gates.len().saturating_sub(goal.inverters);
        if let Some(found) = Walk::run(&sums, limit, random).and_then(|walk| walk.circuit(sbox, &goal)) {
            let found = found.pruned();
            if found.gates.len() < best.gates.len() {
                best = found;
            }
        }
    }
    best
}

impl Engine for FewAnds {
    fn name(&self) -> &'static str {
        "few-ands"
    }

    fn description(&self) -> &'static str {
        "fewest ANDs by a SAT solver, then few gates by random sharing of the exclusive ors"
    }

    fn units(&self, problem: &Problem) -> u64 {
        let asked = problem.objective.first() == Some(&Metric::AndCount);
        let fits = asked && Question::new(&problem.sbox, &problem.target, Metric::AndCount).is_ok();
        if fits {
            u64::MAX
        } else {
            0
        }
    }

    fn run(&self, problem: &Problem, unit: u64, control: &Control<'_>) -> Step {
        let effort = format!("few-ands, {MODELS} models, {WALKS} walks each, seed {}", problem.seed.wrapping_add(unit));
        let mut step = Step { effort, ..Step::default() };
        let Ok(question) = Question::new(&problem.sbox, &problem.target, Metric::AndCount) else { return step };
        let mut ands = question.least();
        let first = problem.seed.wrapping_add(unit).wrapping_mul(MODELS);
        let mut random = Random::new(first);
        let mut model = 0;
        while model < MODELS {
            (control.progress)(&format!("{ands} ANDs, model {model} of {MODELS}"));
            match question.solve(ands, first.wrapping_add(model), control.stopped) {
                Outcome::Undecided => return step,
                Outcome::Impossible => {
                    ands += 1;
                    step.bounds = vec![Bound { metric: Metric::AndCount, value: ands as f64, kind: "unsatisfiable" }];
                }
                Outcome::Found(circuit) => {
                    model += 1;
                    step.circuits.push(shared(&problem.sbox, &circuit, WALKS, &mut random, control.stopped));
                }
            }
        }
        step.finished = !(control.stopped)();
        step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sharing_keeps_the_box_and_the_ands() {
        // y0 = x0 x1 ^ x2 ^ x3, y1 = x0 x1 ^ x2 ^ x3 ^ (y0 | x2), written wastefully.
        let mut circuit = Circuit::new(4);
        let x: Vec<Wire> = (0..4).map(Wire::Input).collect();
        let and = circuit.add(Function::AND, &[x[0], x[1]]);
        let a = circuit.add(Function::XOR, &[and, x[2]]);
        let y0 = circuit.add(Function::XOR, &[a, x[3]]);
        let b = circuit.add(Function::XOR, &[x[2], x[3]]);
        let or = circuit.add(Function::OR, &[y0, x[2]]);
        let c = circuit.add(Function::XOR, &[b, or]);
        let y1 = circuit.add(Function::XNOR, &[and, c]);
        circuit.outputs = vec![y0, y1];
        let sbox = circuit.sbox();
        let found = shared(&sbox, &circuit, 500, &mut Random::new(1), &|| false);
        found.check(&sbox).unwrap();
        assert_eq!(found.gates.iter().filter(|g| !g.function.is_linear()).count(), 2);
        assert_eq!(found.gates.len(), 4); // y1 = x2 & ~y0
    }
}
