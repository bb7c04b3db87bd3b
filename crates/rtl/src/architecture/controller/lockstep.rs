//! The Controller of an iterative device whose round keys are made in step with the cipher.
//!
//! A block starts as soon as one is there; where it needs words that are made once per key, it waits for key set-up, which runs
//! when nothing else does and gives way to blocks that do not need it.

use program::ir::{Binary, Operand, Program};

use super::super::engine::Control;
use super::{ending, finish, read, Flow, Writer};
use crate::design::Machine;
use crate::logic::bits_for;

/// What the Controller steers.
pub(in super::super) struct Plan<'a> {
    /// Controls of the cipher: a way of running for each direction.
    pub data: Vec<&'a Control>,
    /// Controls of the key schedule: the same, then key set-up where there is one.
    pub keys: Vec<&'a Control>,
    /// Steps of the cipher per direction.
    pub steps: Vec<usize>,
    /// Clocks of key set-up.
    pub setup: Option<usize>,
    /// Which directions wait for it.
    pub waits: Vec<bool>,
}

/// Key set-up: the registers that say how far it is.
struct Setup {
    runs: Operand,
    last: Operand,
    known: Operand,
}

/// Writes the Controller; its function comes into the program.
pub(in super::super) fn lockstep(program: &mut Program, plan: &Plan<'_>) -> Machine {
    let mut w = Writer::new();
    let key_loaded = w.input("key_loaded", "the Interface took a key");
    let data_loaded = w.input("data_loaded", "the Interface took a block");
    let directions = plan.steps.len() > 1;
    let decrypt = directions.then(|| w.input("decrypt", "direction of the block that the Interface holds"));
    let take = w.input("take", "the result is taken");
    let most = plan.steps.iter().copied().chain(plan.setup).max().unwrap_or(1);
    let bits = bits_for(most);
    let data_waits = w.register("data_waits", 1);
    let runs = w.register("runs", 1);
    let valid = w.register("valid", 1);
    let step = w.register("step", bits);
    let last = w.register("last", 1);
    let backwards = directions.then(|| w.register("backwards", 1));
    let setup = plan.setup.map(|_| Setup {
        runs: w.register("setup_runs", 1),
        last: w.register("setup_last", 1),
        known: w.register_from("setup_done", 1, 1),
    });
    let key_controls: Vec<Operand> = plan.keys.iter().map(|c| w.register(&c.name, c.width)).collect();
    let data_controls: Vec<Operand> = plan.data.iter().map(|c| w.register(&c.name, c.width)).collect();

    let l = &mut w.logic;
    let data_wanted = l.any("data_wanted", &[data_waits, data_loaded]);
    let Flow { not_taken, stall, going, ends, free, .. } = Flow::of(l, valid, take, last, runs);
    let no_data = l.not(data_wanted);
    let no_new_key = l.not(key_loaded);
    let known = setup.as_ref().map_or(Operand::Const(1), |s| l.all("known", &[s.known, no_new_key]));
    let permitted: Vec<Operand> = plan.waits.iter().map(|&w| if w { known } else { Operand::Const(1) }).collect();
    let may = match decrypt {
        Some(decrypt) => l.select("may_start", 1, decrypt, permitted[1], permitted[0]),
        None => permitted[0],
    };
    let start = l.all("start", &[data_wanted, free, may]);
    let not_start = l.not(start);
    let (mut setup_start, mut setup_next, mut ready) = (Operand::Const(0), Operand::Const(0), no_data);
    let mut known_next = None;
    if let Some(s) = &setup {
        let finishes = l.all("setup_finishes", &[s.runs, s.last, no_new_key]);
        let not_last = l.not(s.last);
        let goes_on = l.all("setup_goes_on", &[s.runs, not_last, no_new_key, not_start]);
        let now_known = l.any("", &[finishes, known]);
        let busy = l.any("", &[now_known, goes_on]);
        let not_busy = l.not(busy);
        setup_start = l.all("setup_start", &[not_busy, free, not_start]);
        setup_next = l.any("", &[setup_start, goes_on]);
        known_next = Some(now_known);
        if plan.waits.iter().all(|w| *w) {
            ready = l.all("", &[no_data, now_known]);
        }
    }
    let data_waits_next = l.all("", &[data_wanted, not_start]);
    let not_last = l.not(last);
    let on = l.all("", &[runs, not_last]);
    let runs_next = l.any("", &[start, on, stall]);
    let kept = l.all("", &[valid, not_taken]);
    let valid_next = l.any("", &[ends, kept]);
    let after = l.binary("", bits, Binary::Add, step, Operand::Const(1));
    let moved = l.select("", bits, stall, step, after);
    let any_start = l.any("", &[start, setup_start]);
    let step_next = l.select("step_next", bits, any_start, Operand::Const(0), moved);
    let backwards_next = match (decrypt, backwards) {
        (Some(new), Some(old)) => Some(l.select("backwards_next", 1, start, new, old)),
        _ => None,
    };
    let mut address = vec![(step_next, bits)];
    address.extend(backwards_next.map(|b| (b, 1)));
    let data_at = l.concat("at", &address);
    if setup.is_some() {
        address.push((setup_next, 1));
    }
    let key_at = l.concat("key_at", &address);
    let any_runs = l.any("", &[runs_next, setup_next]);
    let last_next = read(&mut w.logic, program, &ending(&plan.steps), bits, data_at, runs_next);
    for (value, width) in [(data_waits_next, 1), (runs_next, 1), (valid_next, 1), (step_next, bits), (last_next, 1)] {
        w.set(value, width);
    }
    if let Some(direction) = backwards_next {
        w.set(direction, 1);
    }
    if let (Some(known), Some(clocks)) = (known_next, plan.setup) {
        w.set(setup_next, 1);
        let setup_last = read(&mut w.logic, program, &ending(&[clocks]), bits, step_next, setup_next);
        w.set(setup_last, 1);
        w.set(known, 1);
    }
    let spread: Vec<Control> = plan.keys.iter().map(|control| spread(control, directions && setup.is_some())).collect();
    w.set_controls(program, spread.iter(), (bits, key_at, any_runs));
    w.set_controls(program, plan.data.iter().copied(), (bits, data_at, runs_next));
    w.output("ready", 1, ready, "a key or a block may be loaded");
    w.output("valid", 1, valid, "the result is there");
    w.output("block_starts", 1, start, "the first step of a block comes next");
    if setup.is_some() {
        w.output("setup_starts", 1, setup_start, "the first step of key set-up comes next");
    }
    let held = key_controls.into_iter().chain(data_controls);
    w.show_controls(plan.keys.iter().chain(&plan.data).copied().zip(held), going);
    finish(program, w)
}

/// Key set-up stands behind both directions, and whatever direction is noted then.
fn spread(control: &Control, twice: bool) -> Control {
    let mut control = control.clone();
    if twice {
        control.values.extend(control.values.last().cloned());
    }
    control
}
