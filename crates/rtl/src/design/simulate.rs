//! Cycle simulation of a design by the program's reference evaluator.

use std::collections::HashMap;

use program::diagnostic::Diagnostic;
use program::evaluate::{Evaluator, Value};

use super::{Design, Direction, End, Machine};

/// A design in operation.
pub struct Simulation {
    design: Design,
    evaluator: Evaluator,
    registers: Vec<Vec<u64>>,
    stores: Vec<Vec<Vec<u64>>>,
    nets: HashMap<End, Vec<u64>>,
}

/// What a machine's function gave.
struct Outcome {
    outputs: Vec<(String, Vec<u64>)>,
    rest: Vec<u64>,
}

impl Simulation {
    /// Every register and store starts with 0, registers with a reset value with that.
    ///
    /// # Errors
    /// What the evaluator refuses.
    pub fn new(design: &Design) -> Result<Self, Diagnostic> {
        let evaluator = Evaluator::new(&design.program)?;
        let registers = design.machines.iter().map(|m| m.registers.iter().map(|r| r.reset.unwrap_or(0)).collect());
        let stores = design.machines.iter().map(|m| m.stores.iter().map(|s| vec![0; s.length as usize]).collect());
        Ok(Simulation {
            evaluator,
            registers: registers.collect(),
            stores: stores.collect(),
            nets: HashMap::new(),
            design: design.clone(),
        })
    }

    /// One clock: pins in, pins out (both by name, as words), then registers take their next values, with `reset` those after reset.
    ///
    /// # Errors
    /// H201 for an input pin that is missing.
    pub fn clock(
        &mut self,
        pins: &HashMap<String, Vec<u64>>,
        reset: bool,
    ) -> Result<HashMap<String, Vec<u64>>, Diagnostic> {
        self.set_pins(pins)?;
        let outcomes = self.settle()?;
        for (machine, outcome) in outcomes.into_iter().enumerate() {
            self.advance(machine, outcome, reset);
        }
        let outputs = self.design.ports.iter().filter(|p| p.direction == Direction::Output);
        let of = |name: &str| self.nets.get(&End { machine: None, port: name.to_owned() }).cloned().unwrap_or_default();
        Ok(outputs.map(|port| (port.name.clone(), of(&port.name))).collect())
    }

    /// The value of a register, for a trace.
    #[must_use]
    pub fn register(&self, machine: &str, register: &str) -> Option<u64> {
        let m = self.design.machines.iter().position(|m| m.name == machine)?;
        let r = self.design.machines[m].registers.iter().position(|r| r.name == register)?;
        Some(self.registers[m][r])
    }

    /// The values of all registers, and of the words of all stores, machine by machine.
    #[must_use]
    pub fn state(&self) -> Vec<(&[u64], &[Vec<u64>])> {
        self.registers.iter().zip(&self.stores).map(|(r, s)| (r.as_slice(), s.as_slice())).collect()
    }

    fn set_pins(&mut self, pins: &HashMap<String, Vec<u64>>) -> Result<(), Diagnostic> {
        for port in self.design.ports.iter().filter(|p| p.direction == Direction::Input) {
            let words = pins.get(&port.name).filter(|words| words.len() == port.words.len());
            let words = words.ok_or_else(|| {
                Diagnostic::new("H201", format!("the pin `{}` needs {} words", port.name, port.words.len()))
            })?;
            self.nets.insert(End { machine: None, port: port.name.clone() }, words.clone());
        }
        for (number, machine) in self.design.machines.iter().enumerate() {
            for port in &machine.ports {
                let end = End { machine: Some(number), port: port.name.clone() };
                self.nets.entry(end).or_insert_with(|| vec![0; port.words.len()]);
            }
        }
        Ok(())
    }

    /// Evaluates all machines until no wire changes; there are at most as many rounds as wires.
    fn settle(&mut self) -> Result<Vec<Outcome>, Diagnostic> {
        for _ in 0..self.design.wires.len() + 2 {
            let mut changed = self.follow_wires();
            let mut outcomes = Vec::new();
            for number in 0..self.design.machines.len() {
                let outcome = self.evaluate(number)?;
                for (port, words) in &outcome.outputs {
                    let end = End { machine: Some(number), port: port.clone() };
                    changed |= self.nets.insert(end, words.clone()).as_ref() != Some(words);
                }
                outcomes.push(outcome);
            }
            if !changed {
                return Ok(outcomes);
            }
        }
        unreachable!("the verifier refuses outputs that depend on themselves within a clock (H218)")
    }

    fn follow_wires(&mut self) -> bool {
        let mut changed = false;
        for wire in &self.design.wires {
            let words = self.nets.get(&wire.from).cloned().unwrap_or_default();
            changed |= self.nets.insert(wire.to.clone(), words.clone()).as_ref() != Some(&words);
        }
        changed
    }

    fn evaluate(&mut self, number: usize) -> Result<Outcome, Diagnostic> {
        let machine = &self.design.machines[number];
        let mut arguments = Vec::new();
        for port in machine.ports.iter().filter(|p| p.direction == Direction::Input) {
            let end = End { machine: Some(number), port: port.name.clone() };
            arguments.extend(self.nets[&end].iter().map(|&w| Value::Word(w)));
        }
        arguments.extend(self.registers[number].iter().map(|&w| Value::Word(w)));
        arguments.extend(self.stores[number].iter().map(|words| Value::Array(words.clone())));
        let results = self.evaluator.evaluate(&machine.function, &arguments)?;
        let mut words = results.into_iter().filter_map(|value| match value {
            Value::Word(word) => Some(word),
            Value::Array(_) => None,
        });
        let outputs = machine.ports.iter().filter(|p| p.direction == Direction::Output);
        let outputs = outputs.map(|p| (p.name.clone(), words.by_ref().take(p.words.len()).collect())).collect();
        Ok(Outcome { outputs, rest: words.collect() })
    }

    fn advance(&mut self, number: usize, outcome: Outcome, reset: bool) {
        let Machine { registers, stores, .. } = &self.design.machines[number];
        let mut words = outcome.rest.into_iter();
        let mut next = || words.next().unwrap_or(0);
        for (register, value) in registers.iter().zip(&mut self.registers[number]) {
            let enable = !register.enabled || next() == 1;
            let word = next();
            match register.reset.filter(|_| reset) {
                Some(start) => *value = start,
                None if enable => *value = word,
                None => {}
            }
        }
        for (store, cells) in stores.iter().zip(&mut self.stores[number]) {
            for _ in 0..store.writes {
                let (enable, address, word) = (next(), next(), next());
                if enable == 1 && address < u64::from(store.length) {
                    cells[address as usize] = word;
                }
            }
        }
    }
}
