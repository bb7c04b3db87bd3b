//! The Controller of a core: a counter of steps, which waits in the first one for a block.
//!
//! Controls follow from the counter in the same clock, so that none of them needs a register. While the core waits, it runs the first
//! step on whatever the pins bring; the step counts once a block is loaded.

use program::ir::{Binary, Operand, Program};
use program::semantics::mask;

use super::super::engine::Control;
use super::{addressed, ending, finish, read, Writer};
use crate::design::Machine;
use crate::logic::{bits_for, Logic};

/// What the Controller steers.
pub(in super::super) struct Plan<'a> {
    /// Controls of the cipher and of its key schedule, per way of running.
    pub controls: Vec<&'a Control>,
    /// Steps of the cipher per way of running.
    pub steps: Vec<usize>,
    /// The pin by which a block brings its direction along.
    pub backward: Option<String>,
}

/// The output that is 1 while the core waits, and in the first step.
pub(in super::super) const FIRST: &str = "first";
/// The output that says in which direction the block under way goes.
pub(in super::super) const GOES_BACKWARD: &str = "goes_backward";

/// Writes the Controller; its function comes into the program.
pub(in super::super) fn of_core(program: &mut Program, plan: &Plan<'_>) -> Machine {
    let mut w = Writer::new();
    let load = w.input("load_data", "a block is at `data_in`");
    let pin = plan.backward.as_ref().map(|name| w.input(name, "direction of the block"));
    let bits = bits_for(plan.steps.iter().copied().max().unwrap_or(1));
    let step = w.register("step", bits);
    let backwards = pin.map(|_| w.register("backwards", 1));
    let l = &mut w.logic;
    let first = l.is(step, 0);
    let waits = {
        let no_load = l.not(load);
        l.all("waits", &[first, no_load])
    };
    let direction = match (pin, backwards) {
        (Some(pin), Some(backwards)) => Some(l.select(GOES_BACKWARD, 1, first, pin, backwards)),
        _ => None,
    };
    let at = addressed(l, "at", (step, bits), direction, None);
    let counter = Counter { step, bits, at };
    let last = counter.value(&mut w.logic, program, &ending(&plan.steps));
    let l = &mut w.logic;
    let after = l.binary("", bits, Binary::Add, step, Operand::Const(1));
    let stays = l.any("", &[waits, last]);
    let step_next = l.select("step_next", bits, stays, Operand::Const(0), after);
    let works = l.not(waits);
    let valid = l.all("", &[last, works]);
    w.set(step_next, bits);
    if let Some(direction) = direction {
        w.set(direction, 1);
    }
    for control in &plan.controls {
        let value = counter.value(&mut w.logic, program, control);
        w.output(&control.name, control.width, value, "");
    }
    w.output("ready", 1, first, "a block may be loaded");
    w.output("valid", 1, valid, "the result is there, in this clock alone");
    w.output(FIRST, 1, first, "the first step takes its words from the pins");
    if let Some(direction) = direction {
        w.output(GOES_BACKWARD, 1, direction, "direction of the block under way");
    }
    let doc = "The Controller: a counter of steps, which waits in the first one for a block; controls follow from it.";
    Machine { doc: vec![doc.to_owned()], ..finish(program, w) }
}

/// The number of the step, from which controls follow.
struct Counter {
    step: Operand,
    bits: u8,
    /// It, with the direction where there are two.
    at: Operand,
}

impl Counter {
    /// A control's value in this clock: bits of the number, or whether it is one of two steps or none of them, else by a table.
    fn value(&self, logic: &mut Logic, program: &mut Program, control: &Control) -> Operand {
        if let Some(from) = bits_of_step(control, self.bits) {
            return logic.extract(control.width, self.step, from);
        }
        if let Some(ones) = ones(control) {
            let zeros: Vec<usize> = (0..control.values[0].len()).filter(|step| !ones.contains(step)).collect();
            for (few, inverted) in [(&ones, false), (&zeros, true)] {
                if few.len() <= FEW {
                    let each: Vec<Operand> = few.iter().map(|&n| logic.is(self.step, n as u64)).collect();
                    let any = logic.any("", &each);
                    return if inverted { logic.not(any) } else { any };
                }
            }
        }
        read(logic, program, control, self.bits, self.at, Operand::Const(1))
    }
}

/// So many steps are compared with the counter; more stand in a table.
const FEW: usize = 2;

/// The steps in which a selection is 1, if these are the same in all ways of running.
fn ones(control: &Control) -> Option<Vec<usize>> {
    let first = &control.values[0];
    let same = control.values.iter().all(|way| way == first);
    let is_one = |step: &usize| first[*step] == Some(1);
    (control.width == 1 && same).then(|| (0..first.len()).filter(is_one).collect())
}

/// The lowest bit of the step's number from which it is the value of a control, wherever that matters. A control that is never 0 is a
/// selection, which is 0 where it does not say otherwise.
fn bits_of_step(control: &Control, bits: u8) -> Option<u8> {
    let known = || {
        let of_way = |way: &Vec<Option<u64>>| way.clone().into_iter().enumerate();
        control.values.iter().flat_map(of_way).filter_map(|(step, value)| Some((step as u64, value?)))
    };
    let counts = |from: &u8| known().all(|(step, value)| step >> from & mask(control.width) == value);
    let last = bits.checked_sub(control.width)?;
    known().any(|(_, value)| value == 0).then(|| (0..=last).find(counts)).flatten()
}
