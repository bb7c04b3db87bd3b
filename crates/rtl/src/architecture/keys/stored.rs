//! Where round keys come from: the stored key schedule, run once per key.

use program::ir::{Operand, Program};

use super::super::engine::{Control, Engine};
use super::super::program_union::import;
use crate::logic::{bits_for, Logic};
use crate::sequence::{Place, Role, Sequence, Step};

/// A key word that the steps of the cipher ask for: one read port.
#[derive(Clone, Debug)]
pub(in super::super) struct Slot<T> {
    /// Width in bits.
    pub width: u8,
    /// Per way of running and step, what is asked for.
    pub wanted: Vec<Vec<Option<T>>>,
}

/// A result of the key schedule and an element of it.
pub(in super::super) type Element = (u32, u32);

impl<T: Clone + PartialEq> Slot<T> {
    /// A slot that nothing asks for yet.
    pub fn new(width: u8, steps: &[usize]) -> Self {
        Slot { width, wanted: steps.iter().map(|&n| vec![None; n]).collect() }
    }

    /// The same slot with other names for what is asked for.
    pub fn renamed<U>(&self, name: impl Fn(usize, &T) -> U) -> Slot<U> {
        let of = |(way, steps): (usize, &Vec<Option<T>>)| {
            steps.iter().map(|wanted| wanted.as_ref().map(|w| name(way, w))).collect()
        };
        Slot { width: self.width, wanted: self.wanted.iter().enumerate().map(of).collect() }
    }

    /// What it ever gives, each once, in the order of first use.
    pub fn distinct(&self) -> Vec<T> {
        let mut list = Vec::new();
        for wanted in self.wanted.iter().flatten().flatten() {
            if !list.contains(wanted) {
                list.push(wanted.clone());
            }
        }
        list
    }

    /// The control that chooses, where there is a choice.
    pub fn control(&self, name: &str) -> Option<Control> {
        let distinct = self.distinct();
        let number = |w: &T| distinct.iter().position(|d| d == w).unwrap_or(0) as u64;
        let values = self.wanted.iter().map(|way| way.iter().map(|w| w.as_ref().map(number)).collect());
        (distinct.len() > 1).then(|| Control {
            name: name.to_owned(),
            width: bits_for(distinct.len()),
            values: values.collect(),
        })
    }
}

/// Where a word of the results stands when the key schedule has run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum Stand {
    /// In a register of the engine.
    Register(usize),
    /// In the Interface: a byte of the key.
    Key(usize),
    /// It is a result of wiring: which, and which result.
    Moved(usize, usize),
}

impl Stand {
    /// The register of the engine.
    pub fn cell(self) -> Option<usize> {
        match self {
            Stand::Register(cell) => Some(cell),
            Stand::Key(_) | Stand::Moved(..) => None,
        }
    }
}

/// A last step that only moves words: it needs no clock.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Tail {
    function: String,
    arguments: Vec<Stand>,
    constants: Vec<u64>,
}

/// The key schedules of all key sizes run step by step, their results kept in registers.
pub(in super::super) struct StoredKeys {
    pub engine: Engine,
    /// Per key schedule, result and element.
    stands: Vec<Vec<Vec<Stand>>>,
    tails: Vec<Tail>,
}

/// The words that stand somewhere.
pub(in super::super) struct Words<'a> {
    registers: &'a [Operand],
    key: &'a [Operand],
    moved: Vec<Vec<Operand>>,
}

impl StoredKeys {
    /// Takes key schedules in steps.
    pub fn new(program: &mut Program, mut sequences: Vec<Sequence>, share: bool) -> Self {
        let moves: Vec<Option<(String, Step)>> = sequences.iter_mut().map(|s| last_move(program, s)).collect();
        let modes: Vec<&Sequence> = sequences.iter().collect();
        let engine = Engine::new(
            program,
            "key",
            &modes,
            share,
            &mut |mode, _, _, place| match *place {
                Place::Element(array, n) if matches!(modes[mode].arrays[array as usize].role, Role::Parameter(_)) => {
                    Some(n as usize)
                }
                _ => None,
            },
            &|_| None,
        );
        let mut stored = StoredKeys { engine, stands: Vec::new(), tails: Vec::new() };
        for (sequence, moves) in sequences.iter().zip(&moves) {
            let stands = stored.standing(sequence, moves.as_ref());
            stored.stands.push(stands);
        }
        stored
    }

    /// Where the results of a key schedule stand.
    fn standing(&mut self, sequence: &Sequence, moves: Option<&(String, Step)>) -> Vec<Vec<Stand>> {
        let stand = |engine: &Engine, place: &Place| match (engine.find(sequence, place), *place) {
            (Some(cell), _) => Stand::Register(cell),
            (None, Place::Element(_, n) | Place::Word(n)) => Stand::Key(n as usize),
        };
        let mut moved: Vec<(Place, Stand)> = Vec::new();
        if let Some((function, step)) = moves {
            let arguments = step.reads.iter().map(|place| stand(&self.engine, place)).collect();
            let tail = Tail { function: function.clone(), arguments, constants: step.constants.clone() };
            let at = self.tails.iter().position(|t| *t == tail).unwrap_or_else(|| {
                self.tails.push(tail);
                self.tails.len() - 1
            });
            moved = step.writes.iter().enumerate().map(|(n, place)| (*place, Stand::Moved(at, n))).collect();
        }
        let result = |place: &Place| {
            let found = moved.iter().find(|(p, _)| p == place);
            found.map_or_else(|| stand(&self.engine, place), |(_, stand)| *stand)
        };
        sequence.results.iter().map(|list| list.iter().map(result).collect()).collect()
    }

    /// Where an element of a key schedule's results stands.
    pub fn stand(&self, schedule: usize, (result, n): Element) -> Stand {
        self.stands[schedule][result as usize][n as usize]
    }

    /// Whether the results stand at the same places for all key sizes.
    pub fn same_places(&self) -> bool {
        self.stands.iter().all(|s| *s == self.stands[0])
    }

    /// The words of all results, as functions of the registers.
    pub fn words<'a>(
        &self,
        program: &Program,
        logic: &mut Logic,
        registers: &'a [Operand],
        key: &'a [Operand],
    ) -> Words<'a> {
        let mut words = Words { registers, key, moved: Vec::new() };
        for tail in &self.tails {
            let mut arguments: Vec<Operand> = tail.arguments.iter().map(|&stand| words.at(stand)).collect();
            arguments.extend(tail.constants.iter().map(|&c| Operand::Const(c)));
            let function = program.functions.iter().find(|f| f.name == tail.function);
            words.moved.push(function.map_or(Vec::new(), |f| logic.call(f, arguments)));
        }
        words
    }
}

impl Words<'_> {
    /// The word that stands there.
    pub fn at(&self, stand: Stand) -> Operand {
        match stand {
            Stand::Register(n) => self.registers[n],
            Stand::Key(n) => self.key[n],
            Stand::Moved(tail, n) => self.moved[tail][n],
        }
    }
}

/// Takes a last step off that only moves words; its function comes into the program.
fn last_move(program: &mut Program, sequence: &mut Sequence) -> Option<(String, Step)> {
    let last = sequence.steps.len() - 1;
    let wiring = last > 0 && sequence.bodies[sequence.steps[last].body].wiring;
    wiring.then(|| {
        let step = sequence.steps.remove(last);
        let function = &sequence.program.functions[step.body];
        (import(program, &sequence.program, function, &function.name), step)
    })
}
