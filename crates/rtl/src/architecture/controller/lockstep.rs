//! The Controller of an iterative device whose round keys are made in step with the cipher.
//!
//! A block starts as soon as one is there; where it needs words that are made once per key, it waits for key setup, which runs
//! when nothing else does and gives way to blocks that do not need it.

use program::ir::{Binary, Operand, Program};

use super::super::engine::Control;
use super::super::running::BlockMode;
use super::super::ways::Ways;
use super::{addressed, ending, finish, next_size, read, unread, Flow, Writer, READY, READY_WITHOUT_KEY};
use crate::design::Machine;
use crate::logic::bits_for;

/// What the Controller steers.
pub(in super::super) struct Plan<'a> {
    /// Controls of the cipher, per way of running.
    pub data: Vec<&'a Control>,
    /// Controls of the key schedule: the same, then key setup of every key schedule where there is one.
    pub keys: Vec<&'a Control>,
    /// Steps of the cipher per way of running.
    pub steps: Vec<usize>,
    /// Clocks of key setup per key schedule.
    pub setup: Option<Vec<usize>>,
    /// Which ways of running wait for it.
    pub waits: Vec<bool>,
    /// What distinguishes the ways of running.
    pub ways: Ways,
    /// It is the first step of a block, not the last one, that would overwrite the result before.
    pub waits_first: bool,
    /// There is a key.
    pub keyed: bool,
}

/// Key setup: the registers that say how far it is.
struct Setup {
    runs: Operand,
    last: Operand,
    known: Operand,
}

/// Writes the Controller; its function comes into the program.
pub(in super::super) fn lockstep(program: &mut Program, plan: &Plan<'_>) -> Machine {
    let mut w = Writer::new();
    let key_loaded = if plan.keyed { w.input("key_loaded", "the Interface took a key") } else { Operand::Const(0) };
    let data_loaded = w.input("data_loaded", "the Interface took a block");
    let has_key = plan.keyed.then(|| w.has_key());
    let ways = plan.ways;
    let decrypt = ways.directions.then(|| w.input("decrypt", "direction of the block that the Interface holds"));
    let size = ways.sizes.then(|| w.size(ways.key_sizes));
    let take = w.input("take", "the result is taken");
    let most = plan.steps.iter().chain(plan.setup.iter().flatten()).copied().max().unwrap_or(1);
    let bits = bits_for(most);
    let data_waits = w.register("data_waits", 1);
    let runs = w.register("runs", 1);
    let valid = w.register("valid", 1);
    let step = w.register("step", bits);
    let last = w.register("last", 1);
    let backwards = ways.directions.then(|| w.register("backwards", 1));
    let block_size = ways.sizes.then(|| (w.register("block_size", ways.size_bits()), ways.size_bits()));
    let first = plan.waits_first.then(|| w.register("first", 1));
    let setup = plan.setup.as_ref().map(|_| Setup {
        runs: w.register("setup_runs", 1),
        last: w.register("setup_last", 1),
        known: w.register_from("setup_done", 1, 1),
    });
    let key_controls: Vec<Operand> = plan.keys.iter().map(|c| w.register(&c.name, c.width)).collect();
    let data_controls: Vec<Operand> = plan.data.iter().map(|c| w.register(&c.name, c.width)).collect();

    let l = &mut w.logic;
    let data_wanted = l.any("data_wanted", &[data_waits, data_loaded]);
    let Flow { not_taken, stall, going, ends, free, .. } = Flow::of(l, valid, take, last, first, runs);
    let no_data = l.not(data_wanted);
    let no_new_key = l.not(key_loaded);
    let known = setup.as_ref().map_or(Operand::Const(1), |s| l.all("known", &[s.known, no_new_key]));
    let waits = BlockMode { ways, direction: decrypt, size: size.map(|(code, _)| code) }
        .holds(l, &|way| plan.waits[way.min(plan.waits.len() - 1)]);
    let need_not = l.not(waits);
    let may = l.any("may_start", &[need_not, known]);
    let start = l.all("start", &[data_wanted, free, may]);
    let not_start = l.not(start);
    let free_inputs = {
        let unread = unread(l, no_data, first, valid);
        has_key.map_or(unread, |has_key| l.all("", &[unread, has_key]))
    };
    let (mut setup_start, mut setup_next, mut ready) = (Operand::Const(0), Operand::Const(0), free_inputs);
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
            ready = l.all("", &[free_inputs, now_known]);
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
    // No block runs while keys are set up: the size is that of whichever runs.
    let block_size_next = size.zip(block_size).map(|(new, old)| next_size(l, any_start, new, old));
    let data_at = addressed(l, "at", (step_next, bits), backwards_next, block_size_next);
    let key_at = match &setup {
        Some(_) => {
            let width = bits + u8::from(ways.directions) + if ways.sizes { ways.size_bits() } else { 0 };
            l.concat("key_at", &[(data_at, width), (setup_next, 1)])
        }
        None => data_at,
    };
    let any_runs = l.any("", &[runs_next, setup_next]);
    let last_next = read(&mut w.logic, program, &ending(&plan.steps), bits, data_at, runs_next);
    for (value, width) in [(data_waits_next, 1), (runs_next, 1), (valid_next, 1), (step_next, bits), (last_next, 1)] {
        w.set(value, width);
    }
    if let Some(direction) = backwards_next {
        w.set(direction, 1);
    }
    if let Some((size, width)) = block_size_next {
        w.set(size, width);
    }
    if first.is_some() {
        let first_next = w.logic.any("first_next", &[start, stall]);
        w.set(first_next, 1);
    }
    if let (Some(known), Some(clocks)) = (known_next, &plan.setup) {
        w.set(setup_next, 1);
        let of_size = block_size_next.filter(|_| clocks.len() > 1);
        let at = addressed(&mut w.logic, "setup_at", (step_next, bits), None, of_size);
        let setup_last = read(&mut w.logic, program, &ending(clocks), bits, at, setup_next);
        w.set(setup_last, 1);
        w.set(known, 1);
    }
    let spread: Vec<Control> = plan.keys.iter().map(|control| spread(control, plan)).collect();
    w.set_controls(program, spread.iter(), (bits, key_at, any_runs));
    w.set_controls(program, plan.data.iter().copied(), (bits, data_at, runs_next));
    w.output("ready", 1, ready, if plan.keyed { READY } else { READY_WITHOUT_KEY });
    w.output("valid", 1, valid, "the result is there");
    if plan.keyed {
        w.output("block_starts", 1, start, "the first step of a block comes next");
    }
    if setup.is_some() {
        w.output("setup_starts", 1, setup_start, "the first step of key set-up comes next");
    }
    let held = key_controls.into_iter().chain(data_controls);
    w.show_controls(plan.keys.iter().chain(&plan.data).copied().zip(held), going);
    finish(program, w)
}

/// The modes of a control as they are addressed: for every way of running, then key setup for whatever way is noted then.
fn spread(control: &Control, plan: &Plan<'_>) -> Control {
    let Some(setups) = &plan.setup else { return control.clone() };
    let ways = plan.steps.len();
    let places = ways.next_power_of_two();
    let of_schedule = ways / setups.len();
    let of = |place: usize| {
        let way = (place % places).min(ways - 1);
        let mode = if place < places { way } else { ways + way / of_schedule };
        control.values[mode].clone()
    };
    Control { values: (0..2 * places).map(of).collect(), ..control.clone() }
}
