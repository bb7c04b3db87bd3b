//! A partial circuit whose every gate has a cycle.

use super::machine::Machine;
use super::word::Word;
use circuit::circuit::{Circuit, Wire};
use circuit::function::Function;
use circuit::random::mix;
use circuit::target::Target;

/// How a wire is computed: a form of the machine (or the complement) of two earlier wires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Index of the form; [`COMPLEMENT`] for the complement of `a`.
    pub form: u8,
    /// First operand.
    pub a: u8,
    /// Second operand.
    pub b: u8,
    /// Cycle in which it begins.
    pub issue: u8,
    /// First cycle in which it can be read.
    pub ready: u8,
}

/// The form number of the complement.
pub const COMPLEMENT: u8 = u8::MAX;

/// Wires computed so far, inputs first, and when.
#[derive(Clone, Debug)]
pub struct State<W> {
    /// Truth tables of the wires.
    pub wires: Vec<W>,
    /// How each was computed; the entries of inputs are all zero.
    pub steps: Vec<Step>,
    /// Operations begun in each cycle.
    pub used: Vec<u8>,
    /// Which outputs are missing, one bit each.
    pub missing: u8,
    /// Sum over the computed tables: the same for the same set in any order.
    pub key: u64,
}

impl<W: Word> State<W> {
    /// Nothing computed yet.
    #[must_use]
    pub fn new(inputs: &[W], outputs: &[W], deadline: u8) -> Self {
        let given = |y: W| inputs.contains(&y) || y == W::ZERO || y == !W::ZERO;
        let missing = outputs.iter().enumerate().filter(|(_, &y)| !given(y));
        State {
            wires: inputs.to_vec(),
            steps: vec![Step::default(); inputs.len()],
            used: vec![0; usize::from(deadline)],
            missing: missing.fold(0, |bits, (k, _)| bits | 1 << k),
            key: 0,
        }
    }

    /// The first cycle with a free slot from a cycle on.
    #[must_use]
    #[inline]
    pub fn slot(&self, from: u8, width: u8) -> Option<u8> {
        (usize::from(from)..self.used.len()).find(|&cycle| self.used[cycle] < width).map(|cycle| cycle as u8)
    }

    /// The last cycle in which one more gate may have its operands, if every gate is counted where its operands are
    /// there: from each cycle on there must be slots for what cannot begin before.
    #[must_use]
    pub fn last_begin(&self, width: u8) -> Option<u8> {
        let late = |cycle: usize| self.used[cycle..].iter().map(|&n| usize::from(n)).sum::<usize>();
        let room = |cycle: usize| late(cycle) < usize::from(width) * (self.used.len() - cycle);
        (0..self.used.len()).take_while(|&cycle| room(cycle)).last().map(|cycle| cycle as u8)
    }

    /// The set's number after one more wire.
    #[must_use]
    #[inline]
    pub fn key_with(&self, wire: W) -> u64 {
        self.key.wrapping_add(mix(wire.number()))
    }

    /// The state with one more wire.
    #[must_use]
    pub fn with(&self, wire: W, step: Step, outputs: &[W]) -> Self {
        let mut next = State {
            wires: Vec::with_capacity(self.wires.len() + 1),
            steps: Vec::with_capacity(self.steps.len() + 1),
            used: self.used.clone(),
            missing: self.missing,
            key: self.key_with(wire),
        };
        next.wires.extend_from_slice(&self.wires);
        next.wires.push(wire);
        next.steps.extend_from_slice(&self.steps);
        next.steps.push(step);
        next.used[usize::from(step.issue)] += 1;
        for (k, _) in outputs.iter().enumerate().filter(|(_, &y)| y == wire) {
            next.missing &= !(1 << k);
        }
        next
    }

    /// The circuit, gates in the order of their cycles.
    #[must_use]
    pub fn circuit(&self, machine: &Machine<W>, target: &Target, inputs: usize, outputs: &[W]) -> Circuit {
        let mut order: Vec<usize> = (inputs..self.wires.len()).collect();
        order.sort_by_key(|&n| self.steps[n].issue);
        let mut circuit = Circuit::new(inputs as u8);
        let mut place: Vec<Wire> = (0..self.wires.len()).map(Wire::Input).collect();
        for n in order {
            let step = self.steps[n];
            let (a, b) = (place[usize::from(step.a)], place[usize::from(step.b)]);
            place[n] = if step.form == COMPLEMENT {
                circuit.add(Function::NOT, &[a])
            } else {
                let function = machine.forms[usize::from(step.form)].function;
                let turned = function.reordered(&[1, 0]);
                match target.has(function) {
                    true => circuit.add(function, &[a, b]),
                    false => circuit.add(turned, &[b, a]),
                }
            };
        }
        let find = |y: &W| self.wires.iter().position(|w| w == y).map_or(Wire::Constant(*y != W::ZERO), |n| place[n]);
        circuit.outputs = outputs.iter().map(find).collect();
        circuit.pruned()
    }
}
