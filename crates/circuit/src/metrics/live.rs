//! Values alive at once, in the order written and in the best order.

use std::collections::HashSet;

use crate::circuit::{Circuit, Wire};

/// Most values alive at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeakLiveness {
    /// Results of gates.
    pub values: usize,
    /// Results of gates and inputs.
    pub registers: usize,
}

/// More orders than this are not tried.
const MOST_STATES: usize = 400_000;

struct Lives {
    /// For each gate the gates that read it; the bit of the end if it is an output.
    readers: Vec<u128>,
    /// The same for each input.
    input_readers: Vec<u128>,
    /// For each gate the gates that it reads.
    sources: Vec<u128>,
}

/// Stands among readers for the end: outputs are read there.
const END: u128 = 1 << 127;

impl Lives {
    fn new(circuit: &Circuit) -> Self {
        let count = circuit.gates.len();
        let mut lives =
            Lives { readers: vec![0; count], input_readers: vec![0; circuit.inputs.into()], sources: vec![0; count] };
        for (n, gate) in circuit.gates.iter().enumerate() {
            for &wire in &gate.operands {
                lives.read(wire, 1 << n);
                if let Wire::Gate(m) = wire {
                    lives.sources[n] |= 1 << m;
                }
            }
        }
        circuit.outputs.iter().for_each(|&wire| lives.read(wire, END));
        lives
    }

    fn read(&mut self, wire: Wire, reader: u128) {
        match wire {
            Wire::Input(k) => self.input_readers[k] |= reader,
            Wire::Gate(n) => self.readers[n] |= reader,
            Wire::Constant(_) => {}
        }
    }

    /// What is alive when the gates of a set are done.
    fn alive(&self, done: u128) -> PeakLiveness {
        let gates = self.readers.iter().enumerate();
        let values = gates.filter(|(n, readers)| done >> n & 1 == 1 && **readers & !done != 0).count();
        let inputs = self.input_readers.iter().filter(|readers| **readers & !done != 0).count();
        PeakLiveness { values, registers: values + inputs }
    }
}

/// Most values alive in the order written; circuits of more than 127 gates are counted in the same way.
pub fn in_order(circuit: &Circuit) -> PeakLiveness {
    let count = circuit.gates.len();
    let mut last_gate = vec![0; count];
    let mut last_input = vec![0; circuit.inputs.into()];
    let mut note = |wire: &Wire, at: usize| match *wire {
        Wire::Input(k) => last_input[k] = at,
        Wire::Gate(n) => last_gate[n] = at,
        Wire::Constant(_) => {}
    };
    for (n, gate) in circuit.gates.iter().enumerate() {
        gate.operands.iter().for_each(|w| note(w, n));
    }
    circuit.outputs.iter().for_each(|w| note(w, count));
    let used = |wire: Wire| circuit.gates.iter().any(|g| g.operands.contains(&wire)) || circuit.outputs.contains(&wire);
    let inputs: Vec<usize> = (0..last_input.len()).filter(|&k| used(Wire::Input(k))).collect();
    let mut most = PeakLiveness { values: 0, registers: inputs.len() };
    for n in 0..count {
        let values = (0..=n).filter(|&m| last_gate[m] > n).count();
        let held = inputs.iter().filter(|&&k| last_input[k] > n).count();
        most.values = most.values.max(values);
        most.registers = most.registers.max(values + held);
    }
    most
}

/// Fewest values alive over all orders, each figure by itself; nothing if there are too many orders.
pub fn best(circuit: &Circuit) -> Option<PeakLiveness> {
    if circuit.gates.len() > 100 {
        return None;
    }
    let lives = Lives::new(circuit);
    let upper = in_order(circuit);
    let values = least(&lives, upper.values, |alive| alive.values)?;
    let registers = least(&lives, upper.registers, |alive| alive.registers)?;
    Some(PeakLiveness { values, registers })
}

/// The smallest peak, found by asking for each peak below the known one.
fn least(lives: &Lives, known: usize, figure: impl Fn(PeakLiveness) -> usize) -> Option<usize> {
    for peak in figure(lives.alive(0)).max(1)..known {
        let mut seen = HashSet::new();
        match reachable(lives, 0, peak, &figure, &mut seen) {
            Some(true) => return Some(peak),
            Some(false) => {}
            None => return None,
        }
    }
    Some(known)
}

/// Whether all gates can be done from here without exceeding the peak; nothing if that is too much work.
fn reachable(
    lives: &Lives,
    done: u128,
    peak: usize,
    figure: &impl Fn(PeakLiveness) -> usize,
    seen: &mut HashSet<u128>,
) -> Option<bool> {
    let all = (1u128 << lives.sources.len()) - 1;
    if done == all {
        return Some(true);
    }
    if seen.len() > MOST_STATES {
        return None;
    }
    if !seen.insert(done) {
        return Some(false);
    }
    for n in 0..lives.sources.len() {
        let next = done | 1 << n;
        if next == done || lives.sources[n] & !done != 0 || figure(lives.alive(next)) > peak {
            continue;
        }
        if reachable(lives, next, peak, figure, seen)? {
            return Some(true);
        }
    }
    Some(false)
}
