//! The Controller: what waits, what runs, and the control words, made a clock before they are used.

pub(super) mod lockstep;
pub(super) mod of_core;

use program::ir::{Binary, Function, Operand, Program};

use super::engine::Control;
use super::parts::{port, HAS_KEY};
use super::running::BlockMode;
use super::ways::Ways;
use crate::design::{Direction, Machine, Port, Register};
use crate::logic::{bits_for, Logic};

/// What the Controller steers.
pub(super) struct Plan<'a> {
    /// Controls of the steps of the cipher; one mode per way of running.
    pub data: Vec<&'a Control>,
    /// Controls of the cipher that are used a clock early, straight from their tables.
    pub early: Vec<&'a Control>,
    /// Controls of the key schedule that are used a clock early.
    pub key_early: Vec<&'a Control>,
    /// Whether somebody must know that the key schedule runs.
    pub shows_key_runs: bool,
    /// Steps of the cipher per way of running.
    pub data_steps: Vec<usize>,
    /// Controls of the key schedule; one mode per key size.
    pub key: Vec<&'a Control>,
    /// Steps of the key schedule per key size.
    pub key_steps: Vec<usize>,
    /// What distinguishes the ways of running.
    pub ways: Ways,
    /// It is the first step of a block, not the last one, that would overwrite the result before.
    pub waits_first: bool,
}

/// What the Controller of a pipeline tells the Algorithm.
pub(super) const ENTERS: &str = "block_enters";

/// What the pin `ready` says.
const READY: &str = "a key or a block may be loaded";
const READY_WITHOUT_KEY: &str = "a block may be loaded";

/// The code of a key size, and its bits.
type SizeCode = (Operand, u8);

struct Writer {
    logic: Logic,
    ports: Vec<Port>,
    outputs: Vec<(Operand, u8)>,
    registers: Vec<Register>,
    next: Vec<(Operand, u8)>,
}

impl Writer {
    fn new() -> Self {
        Writer {
            logic: Logic::new("controller"),
            ports: Vec::new(),
            outputs: Vec::new(),
            registers: Vec::new(),
            next: Vec::new(),
        }
    }

    fn input(&mut self, name: &str, doc: &str) -> Operand {
        self.ports.push(port(name, Direction::Input, &[1], doc));
        self.logic.param(name, 1)
    }

    /// Whether a key was taken since reset: nothing is ready before.
    fn has_key(&mut self) -> Operand {
        self.input(HAS_KEY, "a key was taken since reset")
    }

    /// The size of the key that the Interface holds, of so many sizes.
    fn size(&mut self, key_sizes: usize) -> SizeCode {
        let width = bits_for(key_sizes);
        self.ports.push(port("size", Direction::Input, &[width], "size of the key that the Interface holds"));
        (self.logic.param("size", width), width)
    }

    fn output(&mut self, name: &str, width: u8, value: Operand, doc: &str) {
        self.ports.push(port(name, Direction::Output, &[width], doc));
        self.outputs.push((value, width));
    }

    fn register(&mut self, name: &str, width: u8) -> Operand {
        self.register_from(name, width, 0)
    }

    /// A register with its value after reset.
    fn register_from(&mut self, name: &str, width: u8, reset: u64) -> Operand {
        self.registers.push(Register { name: name.to_owned(), width, reset: Some(reset), enabled: false });
        self.logic.param(name, width)
    }

    fn set(&mut self, value: Operand, width: u8) {
        self.next.push((value, width));
    }

    /// Sets the registers of controls to their values in the next clock: `at` has the bits of the step, its number, whether it runs.
    fn set_controls<'c>(
        &mut self,
        program: &mut Program,
        controls: impl Iterator<Item = &'c Control>,
        (bits, at, runs): (u8, Operand, Operand),
    ) {
        for control in controls {
            let value = read(&mut self.logic, program, control, bits, at, runs);
            self.set(value, control.width);
        }
    }

    /// Controls as outputs a clock before they are used, straight from their tables; the rest as for `set_controls`.
    fn show_early(&mut self, program: &mut Program, controls: &[&Control], (bits, at, runs): (u8, Operand, Operand)) {
        for control in controls {
            let value = read(&mut self.logic, program, control, bits, at, runs);
            self.output(&control.name, control.width, value, "");
        }
    }

    /// Controls as outputs, straight from their registers: that a step waits comes late and goes to enables alone.
    fn show_controls<'c>(&mut self, controls: impl Iterator<Item = (&'c Control, Operand)>, going: Operand) {
        for (control, value) in controls {
            self.output(&control.name, control.width, value, "");
        }
        self.output("going", 1, going, "no result waits to be taken that this step would overwrite");
    }
}

/// The block under way and its result: what `valid`, `take`, `last` and `runs` say of this clock.
struct Flow {
    not_taken: Operand,
    /// The step that would overwrite the result of the block before waits, since that is not taken.
    stall: Operand,
    going: Operand,
    ends: Operand,
    /// Nothing runs from the next clock on.
    free: Operand,
    not_running: Operand,
}

impl Flow {
    fn of(l: &mut Logic, valid: Operand, take: Operand, last: Operand, first: Option<Operand>, runs: Operand) -> Self {
        let not_taken = l.not(take);
        let stall = l.all("stall", &[valid, not_taken, first.unwrap_or(last)]);
        let going = l.not(stall);
        let ends = l.all("ends", &[last, going]);
        let not_running = l.not(runs);
        let free = l.any("free", &[not_running, ends]);
        Flow { not_taken, stall, going, ends, free, not_running }
    }
}

/// `ready`, but not while the first step of a block may wait: it still reads the block and the key from the Interface.
fn unread(l: &mut Logic, ready: Operand, first: Option<Operand>, valid: Operand) -> Operand {
    let Some(first) = first else { return ready };
    let waiting = l.all("", &[first, valid]);
    let read = l.not(waiting);
    l.all("", &[ready, read])
}

/// The values of a control as a table over steps and modes; where it does not matter it keeps what it was, a selection is 0. Modes
/// that do not exist are like the last.
fn table(control: &Control, index_bits: u8) -> Vec<u64> {
    let mut data = Vec::new();
    let modes = control.values.len();
    for n in 0..modes.next_power_of_two() {
        let mode = &control.values[n.min(modes - 1)];
        let mut last = if control.width == 1 { 0 } else { mode.iter().flatten().next().copied().unwrap_or(0) };
        for step in 0..1usize << index_bits {
            let wanted = mode.get(step).copied().flatten();
            last = wanted.unwrap_or(if control.width == 1 { 0 } else { last });
            data.push(last);
        }
    }
    data
}

/// The code of the size of the next block's key.
fn next_size(logic: &mut Logic, start: Operand, (new, width): SizeCode, (old, _): SizeCode) -> SizeCode {
    (logic.select("block_size_next", width, start, new, old), width)
}

/// The place in a table over steps, directions and key sizes.
fn addressed(
    logic: &mut Logic,
    name: &str,
    step: (Operand, u8),
    direction: Option<Operand>,
    size: Option<SizeCode>,
) -> Operand {
    let mut parts = vec![step];
    parts.extend(direction.map(|d| (d, 1)));
    parts.extend(size);
    logic.concat(name, &parts)
}

/// Writes the Controller; its function comes into the program.
pub(super) fn controller(program: &mut Program, plan: &Plan<'_>) -> Machine {
    let mut w = Writer::new();
    let key_loaded = w.input("key_loaded", "the Interface took a key");
    let data_loaded = w.input("data_loaded", "the Interface took a block");
    let has_key = w.has_key();
    let decrypt = plan.ways.directions.then(|| w.input("decrypt", "direction of the block that the Interface holds"));
    let of_key = plan.key_steps.len() > 1;
    let size = (of_key || plan.ways.sizes).then(|| w.size(plan.ways.key_sizes));
    let take = w.input("take", "the result is taken");
    let key_bits = bits_for(plan.key_steps.iter().copied().max().unwrap_or(1));
    let data_bits = bits_for(plan.data_steps.iter().copied().max().unwrap_or(1));
    let key_waits = w.register("key_waits", 1);
    let data_waits = w.register("data_waits", 1);
    let key_runs = w.register("key_runs", 1);
    let runs = w.register("runs", 1);
    let valid = w.register("valid", 1);
    let key_step = w.register("key_step", key_bits);
    let step = w.register("step", data_bits);
    let last = w.register("last", 1);
    let key_last = w.register("key_last", 1);
    let backwards = plan.ways.directions.then(|| w.register("backwards", 1));
    let block_size = plan.ways.sizes.then(|| (w.register("block_size", plan.ways.size_bits()), plan.ways.size_bits()));
    let first = plan.waits_first.then(|| w.register("first", 1));
    let key_controls: Vec<Operand> = plan.key.iter().map(|c| w.register(&c.name, c.width)).collect();
    let data_controls: Vec<Operand> = plan.data.iter().map(|c| w.register(&c.name, c.width)).collect();

    let l = &mut w.logic;
    let key_wanted = l.any("key_wanted", &[key_waits, key_loaded]);
    let data_wanted = l.any("data_wanted", &[data_waits, data_loaded]);
    let Flow { not_taken, stall, going, ends, free, not_running } = Flow::of(l, valid, take, last, first, runs);
    let no_key_wanted = l.not(key_wanted);
    let no_key_runs = l.not(key_runs);
    let start = l.all("start", &[data_wanted, no_key_wanted, no_key_runs, free]);
    let key_start = l.all("key_start", &[key_wanted, no_key_runs, not_running]);
    let idle_inputs = l.any("", &[key_wanted, data_wanted, key_runs]);
    let ready = {
        let free = l.not(idle_inputs);
        let free = unread(l, free, first, valid);
        l.all("", &[free, has_key])
    };

    let not_start = l.not(start);
    let not_key_start = l.not(key_start);
    let key_waits_next = l.all("", &[key_wanted, not_key_start]);
    let data_waits_next = l.all("", &[data_wanted, not_start]);
    let key_goes_on = {
        let not_last = l.not(key_last);
        l.all("", &[key_runs, not_last])
    };
    let key_runs_next = l.any("", &[key_start, key_goes_on]);
    let goes_on = {
        let not_last = l.not(last);
        let on = l.all("", &[runs, not_last]);
        l.any("", &[on, stall])
    };
    let runs_next = l.any("", &[start, goes_on]);
    let valid_next = {
        let kept = l.all("", &[valid, not_taken]);
        l.any("", &[ends, kept])
    };
    let one = Operand::Const(1);
    let key_after = l.binary("", key_bits, Binary::Add, key_step, one);
    let key_step_next = l.select("key_step_next", key_bits, key_start, Operand::Const(0), key_after);
    let after = l.binary("", data_bits, Binary::Add, step, one);
    let moved = l.select("", data_bits, stall, step, after);
    let step_next = l.select("step_next", data_bits, start, Operand::Const(0), moved);
    let backwards_next = match (decrypt, backwards) {
        (Some(new), Some(old)) => Some(l.select("backwards_next", 1, start, new, old)),
        _ => None,
    };
    let block_size_next = size.zip(block_size).map(|(new, old)| next_size(l, start, new, old));
    let key_at = addressed(l, "key_at", (key_step_next, key_bits), None, size.filter(|_| of_key));
    let data_at = addressed(l, "at", (step_next, data_bits), backwards_next, block_size_next);
    let key_end = ending(&plan.key_steps);
    let data_end = ending(&plan.data_steps);
    let key_last_next = read(&mut w.logic, program, &key_end, key_bits, key_at, key_runs_next);
    let last_next = read(&mut w.logic, program, &data_end, data_bits, data_at, runs_next);
    for (value, width) in [
        (key_waits_next, 1),
        (data_waits_next, 1),
        (key_runs_next, 1),
        (runs_next, 1),
        (valid_next, 1),
        (key_step_next, key_bits),
        (step_next, data_bits),
        (last_next, 1),
        (key_last_next, 1),
    ] {
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
    w.set_controls(program, plan.key.iter().copied(), (key_bits, key_at, key_runs_next));
    w.set_controls(program, plan.data.iter().copied(), (data_bits, data_at, runs_next));
    w.show_early(program, &plan.early, (data_bits, data_at, runs_next));
    w.show_early(program, &plan.key_early, (key_bits, key_at, key_runs_next));
    if plan.shows_key_runs {
        w.output("key_runs", 1, key_runs, "the key schedule runs");
    }
    if !plan.key_early.is_empty() {
        w.output("key_runs_next", 1, key_runs_next, "the key schedule runs in the next clock");
    }
    w.output("ready", 1, ready, READY);
    w.output("valid", 1, valid, "the result is there");
    for (control, &value) in plan.key.iter().zip(&key_controls) {
        w.output(&control.name, control.width, value, "");
    }
    w.show_controls(plan.data.iter().copied().zip(data_controls), going);
    finish(program, w)
}

/// The Controller of a pipeline: only the key schedule has steps; a new key waits until the pipeline is empty, and a block that came
/// with it until its round keys are there. With `starts` it says when the first step comes next.
pub(super) fn key_controller(program: &mut Program, controls: &[Control], steps: &[usize], starts: bool) -> Machine {
    let mut w = Writer::new();
    let key_loaded = w.input("key_loaded", "the Interface took a key");
    let data_loaded = w.input("data_loaded", "the Interface took a block");
    let has_key = w.has_key();
    let size = (steps.len() > 1).then(|| w.size(steps.len()));
    let busy = w.input("busy", "blocks are under way");
    let bits = bits_for(steps.iter().copied().max().unwrap_or(1));
    let key_waits = w.register("key_waits", 1);
    let data_waits = w.register("data_waits", 1);
    let key_runs = w.register("key_runs", 1);
    let key_last = w.register("key_last", 1);
    let key_step = w.register("key_step", bits);
    let held: Vec<Operand> = controls.iter().map(|c| w.register(&c.name, c.width)).collect();
    let l = &mut w.logic;
    let wanted = l.any("key_wanted", &[key_waits, key_loaded]);
    let no_key_runs = l.not(key_runs);
    let empty = l.not(busy);
    let start = l.all("key_start", &[wanted, no_key_runs, empty]);
    let occupied = l.any("", &[wanted, key_runs]);
    let free = l.not(occupied);
    let ready = l.all("", &[free, has_key]);
    let data_wanted = l.any("data_wanted", &[data_waits, data_loaded]);
    let enters = l.all("", &[data_wanted, free]);
    let data_waits_next = l.all("", &[data_wanted, occupied]);
    let not_start = l.not(start);
    let waits_next = l.all("", &[wanted, not_start]);
    let not_last = l.not(key_last);
    let goes_on = l.all("", &[key_runs, not_last]);
    let runs_next = l.any("", &[start, goes_on]);
    let after = l.binary("", bits, Binary::Add, key_step, Operand::Const(1));
    let step_next = l.select("key_step_next", bits, start, Operand::Const(0), after);
    let at = addressed(l, "at", (step_next, bits), None, size);
    let last_next = read(&mut w.logic, program, &ending(steps), bits, at, runs_next);
    for (value, width) in [(waits_next, 1), (data_waits_next, 1), (runs_next, 1), (last_next, 1), (step_next, bits)] {
        w.set(value, width);
    }
    w.set_controls(program, controls.iter(), (bits, at, runs_next));
    w.output("ready", 1, ready, READY);
    w.output(ENTERS, 1, enters, "a block enters the pipeline");
    if starts {
        w.output("setup_starts", 1, start, "the first step of key set-up comes next");
    }
    for (control, &value) in controls.iter().zip(&held) {
        w.output(&control.name, control.width, value, "");
    }
    finish(program, w)
}

/// The Controller of a pipeline in which blocks take their round keys along: a key may come while blocks are under way, and only
/// blocks of the ways of running that wait stay in the Interface until key setup is over. Where all wait, so does a new key.
pub(super) fn setup_controller(
    program: &mut Program,
    controls: &[Control],
    steps: &[usize],
    (ways, wait): (Ways, &[bool]),
) -> Machine {
    let mut w = Writer::new();
    let key_loaded = w.input("key_loaded", "the Interface took a key");
    let data_loaded = w.input("data_loaded", "the Interface took a block");
    let has_key = w.has_key();
    let direction = ways.directions.then(|| w.input("decrypt", "direction of the block that the Interface holds"));
    let size = (steps.len() > 1 || ways.sizes).then(|| w.size(ways.key_sizes));
    let bits = bits_for(steps.iter().copied().max().unwrap_or(1));
    let runs = w.register("setup_runs", 1);
    let last = w.register("setup_last", 1);
    let known = w.register("setup_done", 1);
    let data_waits = w.register("data_waits", 1);
    let step = w.register("setup_step", bits);
    let held: Vec<Operand> = controls.iter().map(|c| w.register(&c.name, c.width)).collect();
    let l = &mut w.logic;
    let finishes = l.all("setup_finishes", &[runs, last]);
    let no_new_key = l.not(key_loaded);
    let now_known = l.any("", &[finishes, known]);
    let known_next = l.all("setup_known", &[now_known, no_new_key]);
    let usable = l.all("", &[known, no_new_key]);
    let unusable = l.not(usable);
    let data_wanted = l.any("data_wanted", &[data_waits, data_loaded]);
    let running = BlockMode { ways, direction, size: size.filter(|_| ways.sizes).map(|(code, _)| code) };
    let of_way = running.holds(l, &|way| wait[way.min(wait.len() - 1)]);
    let waits = l.all("waits", &[data_wanted, unusable, of_way]);
    let enters = {
        let goes = l.not(waits);
        l.all("", &[data_wanted, goes])
    };
    let ready = {
        let unread = l.not(waits);
        let others = if wait.iter().all(|w| *w) { known_next } else { Operand::Const(1) };
        l.all("", &[unread, others, has_key])
    };
    let not_last = l.not(last);
    let goes_on = l.all("setup_goes_on", &[runs, not_last]);
    let runs_next = l.any("", &[key_loaded, goes_on]);
    let after = l.binary("", bits, Binary::Add, step, Operand::Const(1));
    let step_next = l.select("setup_step_next", bits, key_loaded, Operand::Const(0), after);
    let at = addressed(l, "at", (step_next, bits), None, size.filter(|_| steps.len() > 1));
    let last_next = read(&mut w.logic, program, &ending(steps), bits, at, runs_next);
    for (value, width) in [(runs_next, 1), (last_next, 1), (known_next, 1), (waits, 1), (step_next, bits)] {
        w.set(value, width);
    }
    w.set_controls(program, controls.iter(), (bits, at, runs_next));
    w.output("ready", 1, ready, READY);
    w.output(ENTERS, 1, enters, "a block enters the pipeline");
    w.output("setup_starts", 1, key_loaded, "the first step of key set-up comes next");
    for (control, &value) in controls.iter().zip(&held) {
        w.output(&control.name, control.width, value, "");
    }
    finish(program, w)
}

/// The Controller of a pipeline in which nothing is set up: ready from the first key on, or always.
pub(super) fn always_ready(program: &mut Program, keyed: bool) -> Machine {
    let mut w = Writer::new();
    let data_loaded = w.input("data_loaded", "the Interface took a block");
    let (ready, doc) = if keyed { (w.has_key(), READY) } else { (Operand::Const(1), READY_WITHOUT_KEY) };
    w.output("ready", 1, ready, doc);
    w.output(ENTERS, 1, data_loaded, "a block enters the pipeline");
    finish(program, w)
}

fn ending(steps: &[usize]) -> Control {
    let mode = |&n: &usize| (0..n).map(|step| Some(u64::from(step + 1 == n))).collect();
    Control { name: "last".to_owned(), width: 1, values: steps.iter().map(mode).collect() }
}

/// A control's value in the next clock; a selection is 0 when nothing runs.
fn read(
    logic: &mut Logic,
    program: &mut Program,
    control: &Control,
    bits: u8,
    at: Operand,
    running: Operand,
) -> Operand {
    let name = format!("{}_in_step", control.name);
    let value = logic.lookup(program, &name, control.width, table(control, bits), at);
    if control.width == 1 {
        logic.all("", &[value, running])
    } else {
        value
    }
}

fn finish(program: &mut Program, w: Writer) -> Machine {
    let mut results = w.outputs;
    results.extend(w.next);
    let function: Function = w.logic.finish(&results);
    program.functions.push(function);
    Machine {
        name: "controller".to_owned(),
        doc: vec!["The Controller: what waits, what runs, and the control words, made a clock before they are used."
            .to_owned()],
        function: "controller".to_owned(),
        ports: w.ports,
        registers: w.registers,
        stores: Vec::new(),
    }
}
