//! Where round keys come from: the stored key schedule, run once per key.

use program::ir::{Operand, Program};

use super::super::engine::{Control, Engine};
use crate::logic::{bits_for, Logic};
use crate::sequence::{Place, Role, Sequence, Step};

/// A key word that the steps of the cipher ask for: one read port.
#[derive(Clone, Debug)]
pub(in super::super) struct Slot {
    /// Width in bits.
    pub width: u8,
    /// Per mode and step, the result of the key schedule and the element that is asked for.
    pub wanted: Vec<Vec<Option<(u32, u32)>>>,
}

impl Slot {
    /// A slot that nothing asks for yet.
    pub fn new(width: u8, steps: &[usize]) -> Self {
        Slot { width, wanted: steps.iter().map(|&n| vec![None; n]).collect() }
    }

    /// What it ever gives, each once, in the order of first use.
    pub fn distinct(&self) -> Vec<(u32, u32)> {
        let mut list = Vec::new();
        for wanted in self.wanted.iter().flatten().flatten() {
            if !list.contains(wanted) {
                list.push(*wanted);
            }
        }
        list
    }

    /// The control that chooses, where there is a choice.
    pub fn control(&self, name: &str) -> Option<Control> {
        let distinct = self.distinct();
        let number = |w: &(u32, u32)| distinct.iter().position(|d| d == w).unwrap_or(0) as u64;
        let values = self.wanted.iter().map(|mode| mode.iter().map(|w| w.as_ref().map(number)).collect());
        (distinct.len() > 1).then(|| Control {
            name: name.to_owned(),
            width: bits_for(distinct.len()),
            values: values.collect(),
        })
    }
}

/// The key schedule run step by step, its results kept in registers.
pub(in super::super) struct Stored {
    pub engine: Engine,
    sequence: Sequence,
    /// A last step that only moves words: it needs no clock.
    tail: Option<(String, Step)>,
}

impl Stored {
    /// Takes a key schedule in steps.
    pub fn new(program: &mut Program, mut sequence: Sequence, share: bool) -> Self {
        let last = sequence.steps.len() - 1;
        let wiring = last > 0 && sequence.bodies[sequence.steps[last].body].wiring;
        let tail = wiring.then(|| {
            let step = sequence.steps.remove(last);
            let function = &sequence.program.functions[step.body];
            let name = super::super::program_union::import(program, &sequence.program, function, &function.name);
            (name, step)
        });
        let arrays = sequence.arrays.clone();
        let engine = Engine::new(program, "key", &[&sequence], share, &mut |_, _, _, place| match *place {
            Place::Element(array, n) if matches!(arrays[array as usize].role, Role::Parameter(_)) => Some(n as usize),
            _ => None,
        });
        Stored { engine, sequence, tail }
    }

    /// The words of all results, as functions of the registers.
    pub fn results(
        &self,
        program: &Program,
        logic: &mut Logic,
        registers: &[Operand],
        key: &[Operand],
    ) -> Vec<Vec<Operand>> {
        let word = |place: &Place| -> Operand {
            if let Some(cell) = self.engine.find(&self.sequence, place) {
                return registers[cell];
            }
            match *place {
                Place::Element(_, n) => key[n as usize],
                Place::Word(_) => Operand::Const(0),
            }
        };
        let mut moved: Vec<(Place, Operand)> = Vec::new();
        if let Some((name, step)) = &self.tail {
            let mut arguments: Vec<Operand> = step.reads.iter().map(word).collect();
            arguments.extend(step.constants.iter().map(|&c| Operand::Const(c)));
            if let Some(function) = program.functions.iter().find(|f| f.name == *name) {
                moved = step.writes.iter().copied().zip(logic.call(function, arguments)).collect();
            }
        }
        let result = |place: &Place| moved.iter().find(|(p, _)| p == place).map_or_else(|| word(place), |(_, w)| *w);
        self.sequence.results.iter().map(|list| list.iter().map(result).collect()).collect()
    }
}
