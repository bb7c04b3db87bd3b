//! The Controller of an iterative device whose round keys are made in step with the cipher.
//!
//! A block starts as soon as one is there; where it needs words that are made once per key, it waits for key set-up, which runs
//! when nothing else does and gives way to blocks that do not need it.

use program::ir::{Binary, Operand, Program};

use super::super::engine::Control;
use super::{ending, finish, is_selection, read, Writer};
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
    let not_taken = l.not(take);
    let stall = l.all("stall", &[valid, not_taken, last]);
    let going = l.not(stall);
    let ends = l.all("ends", &[last, going]);
    let not_running = l.not(runs);
    let free = l.any("free", &[not_running, ends]);
    let no_data = l.not(data_wanted);
    let new_key = key_loaded;
    let no_new_key = l.not(new_key);
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
    let data_bits = bits;
    if setup.is_some() {
        address.push((setup_next, 1));
    }
    let key_at = l.concat("key_at", &address);
    let any_runs = l.any("", &[runs_next, setup_next]);
    let last_next = read(&mut w.logic, program, &ending(&plan.steps), data_bits, data_at, runs_next);
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
    for control in &plan.keys {
        // Key set-up stands behind both directions, and whatever direction is noted then.
        let mut spread = (*control).clone();
        if directions && setup.is_some() {
            spread.values.push(spread.values[spread.values.len() - 1].clone());
        }
        let value = read(&mut w.logic, program, &spread, bits, key_at, any_runs);
        w.set(value, control.width);
    }
    for control in &plan.data {
        let value = read(&mut w.logic, program, control, data_bits, data_at, runs_next);
        w.set(value, control.width);
    }
    w.output("ready", 1, ready, "a key or a block may be loaded");
    w.output("valid", 1, valid, "the result is there");
    w.output("block_starts", 1, start, "the first step of a block comes next");
    if setup.is_some() {
        w.output("setup_starts", 1, setup_start, "the first step of key set-up comes next");
    }
    let held = key_controls.iter().chain(&data_controls);
    for (control, &value) in plan.keys.iter().chain(&plan.data).zip(held) {
        // While the result of the block before is not taken, the last step waits.
        let shown = if control.width == 1 && is_selection(control) { w.logic.all("", &[value, going]) } else { value };
        w.output(&control.name, control.width, shown, "");
    }
    finish(program, w)
}
