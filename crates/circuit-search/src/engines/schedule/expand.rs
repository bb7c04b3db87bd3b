//! The gates that a state can add, and how far each brings the missing outputs.

use std::collections::HashSet;

use super::machine::Machine;
use super::state::{State, Step, COMPLEMENT};
use super::word::{Marks, Word};

/// Distances beyond this are not told apart.
pub const FAR: u8 = 4;

/// How gates get their cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The first free slot after the operands are there.
    Slots,
    /// The same, and not before the gate added last.
    Cycles,
    /// As soon as the operands are there, as long as there are slots enough from each cycle on; whether the machine
    /// can keep to it is seen at the end.
    Loose,
}

/// A gate that can be added.
#[derive(Clone, Copy, Debug)]
pub struct Gate<W> {
    /// Its truth table.
    pub table: W,
    /// How it is computed.
    pub step: Step,
}

/// Partners of a wire for a missing output: with the role's form, wire and partner give the output.
#[derive(Clone, Debug)]
struct Partners<W> {
    /// Wires of the state.
    wires: Vec<W>,
    /// Gates that can be added, by index.
    gates: Vec<u16>,
}

/// Works out neighbours of a state; keeps its memory from state to state.
pub struct Expander<'a, W> {
    machine: &'a Machine<W>,
    outputs: &'a [W],
    deadline: u8,
    order: Order,
    /// The tables that gates may have, if not all.
    within: Option<&'a HashSet<W>>,
    /// The last cycle in which a gate of the current state may begin.
    last: u8,
    /// The gates that the current state can add.
    pub gates: Vec<Gate<W>>,
    /// Index of a wire of the state, or `WIRES` + index of a gate.
    marks: Marks<W>,
    /// Bit k of entry n: with gate n added, output k is two gates away.
    twins: Vec<u8>,
    partners: Vec<Partners<W>>,
    distance: Vec<u8>,
    /// For each missing output of the current state, the number of partners that chance would give (see `chance`).
    hope: Vec<f32>,
    next: Vec<(W, u8)>,
    /// 2^-n by n.
    chance: Vec<f32>,
}

const WIRES: usize = 256;

impl<'a, W: Word> Expander<'a, W> {
    /// For a machine, the outputs' tables and a number of cycles.
    #[must_use]
    pub fn new(machine: &'a Machine<W>, outputs: &'a [W], deadline: u8, order: Order) -> Self {
        let empty = Partners { wires: Vec::new(), gates: Vec::new() };
        Expander {
            machine,
            outputs,
            deadline,
            order,
            within: None,
            last: 0,
            gates: Vec::new(),
            marks: Marks::new(),
            twins: Vec::new(),
            partners: vec![empty; outputs.len() * machine.forms.len()],
            distance: vec![FAR; outputs.len()],
            hope: vec![0.0; outputs.len()],
            chance: (0..=W::BITS).map(|n| 0.5f32.powi(n as i32)).collect(),
            next: Vec::new(),
        }
    }

    /// Keeps to gates with tables of a set.
    #[must_use]
    pub fn within(mut self, tables: Option<&'a HashSet<W>>) -> Self {
        self.within = tables;
        self
    }

    /// Lists the gates that a state can add within the deadline, each table once with its earliest cycle.
    pub fn list(&mut self, state: &State<W>) {
        self.marks.clear();
        self.gates.clear();
        state.wires.iter().enumerate().for_each(|(n, &w)| self.marks.set(w, n));
        let from = if self.order == Order::Cycles { state.steps.last().map_or(0, |s| s.issue) } else { 0 };
        let last = if self.order == Order::Loose { state.last_begin(self.machine.width) } else { Some(u8::MAX) };
        let Some(last) = last else { return };
        self.last = last;
        let machine = self.machine;
        for b in 0..state.wires.len() {
            let late = state.steps[b].ready.max(from);
            if let Some(latency) = machine.complement {
                self.offer(state, !state.wires[b], late, latency, (COMPLEMENT, b, b));
            }
            for a in 0..b {
                let ready = state.steps[a].ready.max(late);
                for (n, form) in machine.forms.iter().enumerate() {
                    let table = form.apply(state.wires[a], state.wires[b]);
                    self.offer(state, table, ready, form.latency, (n as u8, a, b));
                }
            }
        }
    }

    fn offer(&mut self, state: &State<W>, table: W, ready: u8, latency: u8, how: (u8, usize, usize)) {
        if table == W::ZERO || table == !W::ZERO {
            return;
        }
        let known = self.marks.get(table);
        if known.is_some_and(|n| n < WIRES) || self.within.is_some_and(|set| !set.contains(&table)) {
            return;
        }
        let slot = match self.order {
            Order::Loose => (ready <= self.last).then_some(ready),
            _ => state.slot(ready, self.machine.width),
        };
        let Some(issue) = slot else { return };
        let ready = issue + latency;
        let useful = ready + self.machine.fastest <= self.deadline;
        if ready > self.deadline || !useful && !self.outputs.contains(&table) {
            return;
        }
        let gate = Gate { table, step: Step { form: how.0, a: how.1 as u8, b: how.2 as u8, issue, ready } };
        match known {
            Some(n) if self.gates[n - WIRES].step.ready <= ready => {}
            Some(n) => self.gates[n - WIRES] = gate,
            None => {
                self.marks.set(table, WIRES + self.gates.len());
                self.gates.push(gate);
            }
        }
    }

    /// Whether a gate's result can be read before the deadline.
    fn readable(&self, gate: &Gate<W>) -> bool {
        gate.step.ready + self.machine.fastest <= self.deadline
    }

    /// Works out the distances of the state's missing outputs, and what [`Expander::distances`] needs.
    pub fn prepare(&mut self, state: &State<W>) {
        self.twins.clear();
        self.twins.resize(self.gates.len(), 0);
        for k in 0..self.outputs.len() {
            if state.missing >> k & 1 == 1 {
                self.hope[k] = 0.0;
                self.distance[k] = if self.marks.get(self.outputs[k]).is_some() { 1 } else { FAR };
                self.prepare_output(state, k);
            }
        }
    }

    fn prepare_output(&mut self, state: &State<W>, k: usize) {
        let y = self.outputs[k];
        if let Some(Some(n)) = self.machine.complement.map(|_| self.marks.get(!y)) {
            if n >= WIRES {
                self.distance[k] = self.distance[k].min(2);
            }
        }
        for (f, form) in self.machine.forms.iter().enumerate() {
            let place = k * self.machine.forms.len() + f;
            let inner = y ^ form.out;
            if form.linear {
                for n in 0..self.gates.len() {
                    let found = self.marks.get(self.gates[n].table ^ inner);
                    self.meet(k, n, found);
                }
                continue;
            }
            let mut partners = std::mem::replace(&mut self.partners[place], Partners { wires: vec![], gates: vec![] });
            partners.wires.clear();
            partners.gates.clear();
            let fits = |w: W| inner & !(w ^ form.second) == W::ZERO;
            partners.wires.extend(state.wires.iter().copied().filter(|&w| fits(w)));
            let gates = self.gates.iter().enumerate().filter(|(_, g)| fits(g.table));
            partners.gates.extend(gates.map(|(n, _)| n as u16));
            for n in 0..self.gates.len() {
                let table = self.gates[n].table ^ form.first;
                if inner & !table != W::ZERO || !self.readable(&self.gates[n]) {
                    continue;
                }
                self.hope[k] += self.chance[table.weight() as usize];
                if partners.wires.iter().any(|&w| (w ^ form.second) & table == inner) {
                    self.distance[k] = self.distance[k].min(2);
                }
                for &m in &partners.gates {
                    let other = self.gates[usize::from(m)].table ^ form.second;
                    if other & table == inner && self.readable(&self.gates[usize::from(m)]) {
                        self.distance[k] = self.distance[k].min(3);
                        self.twins[n] |= 1 << k;
                        self.twins[usize::from(m)] |= 1 << k;
                    }
                }
            }
            self.partners[place] = partners;
        }
    }

    fn meet(&mut self, k: usize, n: usize, found: Option<usize>) {
        let Some(found) = found else { return };
        if !self.readable(&self.gates[n]) {
            return;
        }
        if found < WIRES {
            self.distance[k] = self.distance[k].min(2);
        } else if self.readable(&self.gates[found - WIRES]) {
            self.distance[k] = self.distance[k].min(3);
            self.twins[n] |= 1 << k;
            self.twins[found - WIRES] |= 1 << k;
        }
    }

    /// The distances of all outputs (0: computed) once gate `n` is added: how many gates are missing, as far as up to
    /// two gates and balanced trees of three show it.
    ///
    /// The sum returned tells states apart whose outputs are far: for each output at a distance of three or more, from
    /// 0 to 1, how unlikely it is that some function chosen at random gives it with one that is in reach.
    pub fn distances(&mut self, state: &State<W>, n: usize, result: &mut [u8]) -> f32 {
        let gate = self.gates[n];
        let mut open = 0u8;
        for (k, place) in result.iter_mut().enumerate() {
            let twin = if self.twins[n] >> k & 1 == 1 { 2 } else { FAR };
            *place = if state.missing >> k & 1 == 0 || self.outputs[k] == gate.table {
                0
            } else {
                self.distance[k].min(twin)
            };
            open |= u8::from(*place > 1) << k;
        }
        if open == 0 {
            return 0.0;
        }
        self.reach(state, gate, open, result);
        let mut doubt = 0.0;
        for k in (0..result.len()).filter(|k| open >> k & 1 == 1) {
            if result[k] > 2 {
                let (distance, hope) = self.distance_by_next(k, gate.table, result[k]);
                result[k] = distance;
                if distance > 2 {
                    doubt += (-(hope + self.chance[W::BITS as usize]).log2()).max(0.0) / W::BITS as f32;
                }
            }
        }
        doubt
    }

    /// Lists what the gate makes reachable in one step, and marks the outputs among it.
    fn reach(&mut self, state: &State<W>, gate: Gate<W>, open: u8, result: &mut [u8]) {
        self.next.clear();
        let machine = self.machine;
        for (&wire, step) in state.wires.iter().zip(&state.steps) {
            let ready = gate.step.ready.max(step.ready);
            for form in &machine.forms {
                self.next.push((form.apply(gate.table, wire), ready + form.latency));
            }
        }
        if let Some(latency) = machine.complement {
            self.next.push((!gate.table, gate.step.ready + latency));
        }
        for k in (0..result.len()).filter(|k| open >> k & 1 == 1) {
            let y = self.outputs[k];
            if self.next.iter().any(|&(table, ready)| table == y && ready <= self.deadline) {
                result[k] = 1;
            }
        }
        let last = self.deadline - machine.fastest.min(self.deadline);
        self.next.retain(|&(_, ready)| ready <= last);
    }

    fn distance_by_next(&self, k: usize, gate: W, bound: u8) -> (u8, f32) {
        let y = self.outputs[k];
        let (mut best, mut hope) = (bound, self.hope[k]);
        if self.machine.complement.is_some() && self.next.iter().any(|&(table, _)| table == !y) {
            return (2, 0.0);
        }
        for (f, form) in self.machine.forms.iter().enumerate() {
            let inner = y ^ form.out;
            if form.linear {
                for &(table, _) in &self.next {
                    if table ^ inner == gate {
                        return (2, 0.0);
                    }
                    match self.marks.get(table ^ inner) {
                        Some(m) if m < WIRES => return (2, 0.0),
                        Some(_) => best = best.min(3),
                        None => {}
                    }
                }
                continue;
            }
            let partners = &self.partners[k * self.machine.forms.len() + f];
            for &(table, _) in &self.next {
                let table = table ^ form.first;
                if inner & !table != W::ZERO {
                    continue;
                }
                hope += self.chance[table.weight() as usize];
                let meets = |w: W| (w ^ form.second) & table == inner;
                if meets(gate) || partners.wires.iter().any(|&w| meets(w)) {
                    return (2, 0.0);
                }
                if best > 3 && partners.gates.iter().any(|&m| meets(self.gates[usize::from(m)].table)) {
                    best = 3;
                }
            }
        }
        (best, hope)
    }
}
