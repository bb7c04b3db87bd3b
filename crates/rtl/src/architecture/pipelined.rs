//! The pipelined architecture: a register after every step, one block per clock.
//!
//! Stored round keys are computed once per key, as in the iterative device; every stage has the words that it uses wired to it. A
//! new key is taken when the pipeline is empty. Round keys on the fly travel with the data, and the key may change with every
//! block where nothing is set up.

mod late;
mod stage;
mod travelling;

use std::collections::{BTreeMap, BTreeSet};

use program::diagnostic::Diagnostic;
use program::ir::{Operand, Program};

use super::controller::{always_ready, key_controller, setup_controller, ENTERS};
use super::copies::check;
use super::keys::plan::Way;
use super::keys::{Keys, Stand, StoredKeys};
use super::parts::{assembled, engine_part, interface, machine, port, register, Inputs};
use super::running::BlockMode;
use super::{Cut, DeviceRequest};
use crate::design::{Design, Direction, Machine, Register, Timing};
use crate::logic::Logic;
use crate::sequence::{Cuts, Place, Role, Sequence};

use self::stage::{Stage, Stages};

pub use super::Options;

/// Builds the pipelined device for one key size or all three.
///
/// # Errors
/// H101 to H104, H318 for a function that cannot be cut, H301 for other key sizes, H309 and H310 where keys cannot be made on
/// the fly, H313 for copies.
pub fn pipelined(wanted: &DeviceRequest<'_>, options: &Options) -> Result<Design, Diagnostic> {
    check("pipelined", options.copies)?;
    // Stages of the key schedule run before those of the cipher: the first round key is there with the block.
    // All its steps run in every clock, each with what chooses words by data.
    let every_step = Cuts { few: usize::MAX, ..options.data.clone() };
    let mut cut = wanted.cut("a pipelined device", &Options { ahead: false, data: every_step, ..options.clone() })?;
    cut.align();
    match options.keys {
        _ if !cut.keyed() => Ok(without_key(wanted, &cut, options)),
        Keys::Stored => Ok(kept(wanted, cut, options)),
        Keys::Auto => on_the_fly(wanted, &cut, options).or_else(|_| Ok(kept(wanted, cut, options))),
        Keys::Window | Keys::Independent => on_the_fly(wanted, &cut, options),
    }
}

/// The device without a key.
fn without_key(wanted: &DeviceRequest<'_>, cut: &Cut, options: &Options) -> Design {
    let mut program = cut.source.clone();
    let wires = KeyWires { list: Vec::new(), numbers: BTreeMap::new() };
    let machines = vec![
        interface(&mut program, &cut.key_pins()),
        always_ready(&mut program, false),
        algorithm(&mut program, cut, &wires, (options.share, 0)),
    ];
    assembled(wanted, program, machines, timing(cut, 0, |_| 0))
}

/// The device whose round keys are computed once per key and kept.
fn kept(wanted: &DeviceRequest<'_>, mut cut: Cut, options: &Options) -> Design {
    let mut program = cut.source.clone();
    let stored = StoredKeys::new(&mut program, cut.keys.clone(), options.share);
    if stored.same_places() {
        cut.unite_sizes();
    }
    let wires = KeyWires::of(&cut, Some(&stored));
    let machines = vec![
        interface(&mut program, &cut.key_pins()),
        key_controller(&mut program, &stored.engine.controls, &stored.engine.steps, false),
        key_schedule(&mut program, &stored, &wires, cut.key_bytes()),
        algorithm(&mut program, &cut, &wires, (options.share, 0)),
    ];
    assembled(wanted, program, machines, timing(&cut, 0, |mode| stored.engine.steps[cut.keys_of_mode(mode)] as u32 + 2))
}

/// The device whose round keys travel with the data.
fn on_the_fly(wanted: &DeviceRequest<'_>, cut: &Cut, options: &Options) -> Result<Design, Diagnostic> {
    let mut program = cut.source.clone();
    let plan = cut.planned_keys(
        &mut program,
        Way { keys: options.keys, travels: true, share: options.share, ..Way::default() },
    )?;
    let wires = KeyWires::of(cut, None);
    let setup = travelling::SetUp::of(&program, &plan);
    let interface = interface(&mut program, &cut.key_pins());
    let controller = match &setup {
        // Only the words that a block enters with are set up: a key may change while blocks are under way.
        Some(s) if plan.sets_up_starts() => {
            setup_controller(&mut program, &s.steering.controls, &s.clocks, (cut.ways, &plan.waits))
        }
        Some(s) => key_controller(&mut program, &s.steering.controls, &s.clocks, true),
        None => always_ready(&mut program, true),
    };
    let what = (cut.key_bytes(), options.ahead);
    let (keys, ahead) = travelling::key_schedule(&mut program, &plan, setup.as_ref(), &wires, cut.ways, what);
    let algorithm = algorithm(&mut program, cut, &wires, (options.share, ahead));
    let machines = vec![interface, controller, keys, algorithm];
    let clocks = |mode: usize| match &setup {
        Some(s) if plan.sets_up_starts() => {
            u32::from(plan.waits[cut.ways.of(mode)]) * (s.clocks[cut.keys_of_mode(mode)] as u32 + 1)
        }
        Some(s) => s.clocks[cut.keys_of_mode(mode)] as u32 + 2,
        None => 0,
    };
    let timing = timing(cut, ahead, clocks);
    Ok(assembled(wanted, program, machines, timing))
}

fn timing(cut: &Cut, ahead: u32, key_setup: impl Fn(usize) -> u32) -> Timing {
    let latency = cut.data[0].steps.len() as u32 + 1 + ahead;
    cut.timing("pipelined", |mode| (key_setup(mode), latency, 1))
}

/// A round key that a stage uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct KeyWire {
    /// The stage, where every stage has wires of its own: result and element are then 0 and a count of the words of this width,
    /// and every way of running has words of its own on them.
    stage: Option<usize>,
    /// The key schedule.
    schedule: usize,
    result: u32,
    element: u32,
    width: u8,
}

/// The round keys that the stages use, each once.
struct KeyWires {
    list: Vec<KeyWire>,
    /// Per way, stage and round key, its number in the list.
    numbers: BTreeMap<(usize, usize, u32, u32), usize>,
}

impl KeyWires {
    /// The wires of stored keys, or those of keys that travel.
    fn of(cut: &Cut, stored: Option<&StoredKeys>) -> Self {
        let mut known: BTreeMap<Stand, KeyWire> = BTreeMap::new();
        let mut wanted = BTreeMap::new();
        for (way, sequence) in cut.data.iter().enumerate() {
            let schedule = cut.keys_of(way);
            for (stage, step) in sequence.steps.iter().enumerate() {
                let mut counts: BTreeMap<u8, u32> = BTreeMap::new();
                for (result, element, width) in step.reads.iter().filter_map(|place| sequence.round_key(place)) {
                    let count = counts.entry(width).and_modify(|n| *n += 1).or_insert(0);
                    let wire = match stored {
                        // Words of several key sizes that stand at the same place are one wire.
                        Some(s) => *known.entry(s.stand(schedule, (result, element))).or_insert(KeyWire {
                            stage: None,
                            schedule,
                            result,
                            element,
                            width,
                        }),
                        None => KeyWire { stage: Some(stage), schedule: 0, result: 0, element: *count, width },
                    };
                    wanted.insert((way, stage, result, element), wire);
                }
            }
        }
        let list: BTreeSet<KeyWire> = wanted.values().copied().collect();
        let list: Vec<KeyWire> = list.into_iter().collect();
        let number = |wire: &KeyWire| list.binary_search(wire).unwrap_or(0);
        let numbers = wanted.iter().map(|(key, wire)| (*key, number(wire))).collect();
        KeyWires { list, numbers }
    }

    fn number(&self, way: usize, stage: usize, (result, element, _): (u32, u32, u8)) -> usize {
        self.numbers[&(way, stage, result, element)]
    }

    fn widths(&self) -> Vec<u8> {
        self.list.iter().map(|w| w.width).collect()
    }
}

/// The Key Schedule: runs once per key, all round keys are outputs.
fn key_schedule(program: &mut Program, stored: &StoredKeys, wires: &KeyWires, key_bytes: u32) -> Machine {
    let mut inputs = Inputs::new("key_schedule");
    let controls: Vec<Operand> = stored.engine.controls.iter().map(|c| inputs.word(&c.name, c.width)).collect();
    let key = inputs.bus("key_word", key_bytes as usize, 8);
    let (registers, cells, next, _) =
        engine_part(program, &mut inputs, &stored.engine, &controls, (&key, &[]), Operand::Const(1));
    let results = stored.words(program, &mut inputs.logic, &cells, &key);
    let words = wires.list.iter().map(|w| (results.at(stored.stand(w.schedule, (w.result, w.element))), w.width));
    let mut outputs: Vec<(Operand, u8)> = words.collect();
    outputs.extend(next);
    let mut ports = inputs.ports;
    ports.push(port("round_keys", Direction::Output, &wires.widths(), "all round keys, in order"));
    program.functions.push(inputs.logic.finish(&outputs));
    machine("key_schedule", "The Key Schedule runs once per key and keeps the round keys.", ports, registers)
}

/// A word that a stage hands to the next: its name is the same in both directions where its place is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct StageWord {
    name: String,
    number: u32,
    width: u8,
}

fn carried(sequence: &Sequence, place: &Place) -> Option<StageWord> {
    match *place {
        Place::Word(n) => {
            let word = &sequence.words[n as usize];
            Some(StageWord { name: "state".to_owned(), number: n, width: word.width })
        }
        Place::Element(array, n) => {
            let before = &sequence.arrays[..array as usize];
            let array = &sequence.arrays[array as usize];
            let name = match array.role {
                Role::Parameter(p) if p == sequence.last_parameter() => "block".to_owned(),
                Role::Parameter(_) => return None,
                _ => match before.iter().filter(|one| !matches!(one.role, Role::Parameter(_))).count() {
                    0 => "out".to_owned(),
                    others => format!("out{others}_"),
                },
            };
            Some(StageWord { name, number: n, width: array.width })
        }
    }
}

/// What is live after each step: read later, or a result.
fn live_after(sequence: &Sequence) -> Vec<BTreeSet<StageWord>> {
    let mut live: BTreeSet<StageWord> =
        sequence.results.iter().flatten().filter_map(|p| carried(sequence, p)).collect();
    let mut list = vec![live.clone()];
    for step in sequence.steps.iter().skip(1).rev() {
        for word in step.writes.iter().filter_map(|p| carried(sequence, p)) {
            live.remove(&word);
        }
        live.extend(step.reads.iter().filter_map(|p| carried(sequence, p)));
        list.push(live.clone());
    }
    list.reverse();
    list
}

/// The Algorithm: a stage for every step.
fn algorithm(program: &mut Program, cut: &Cut, wires: &KeyWires, (share, ahead): (bool, u32)) -> Machine {
    let (data, ways) = (&cut.data, cut.ways);
    let mut inputs = Inputs::new("algorithm");
    let enters = inputs.word(ENTERS, 1);
    let direction = ways.directions.then(|| inputs.word("direction", 1));
    let size = ways.sizes.then(|| inputs.word("size", ways.size_bits()));
    let block = inputs.bus("block", cut.input_bytes(), 8);
    if cut.keyed() {
        inputs.ports.push(port("round_keys", Direction::Input, &wires.widths(), "all round keys, in order"));
    }
    let keys: Vec<Operand> =
        wires.list.iter().enumerate().map(|(n, w)| inputs.logic.param(&format!("round_key{n}"), w.width)).collect();
    let live: Vec<Vec<BTreeSet<StageWord>>> = data.iter().map(live_after).collect();
    let stages = data[0].steps.len();
    let mut registers: Vec<Register> = Vec::new();
    let mut next: Vec<(Operand, u8)> = Vec::new();
    let byte = |n: usize| StageWord { name: "block".to_owned(), number: n as u32, width: 8 };
    let mut previous: Vec<(StageWord, Operand)> = block.iter().enumerate().map(|(n, &w)| (byte(n), w)).collect();
    let (mut valid, mut running) = (enters, BlockMode { ways, direction, size });
    let (mut busy, mut known) = (vec![enters], Stages::default());
    for before in (1..=ahead).rev() {
        let logic = &mut inputs.logic;
        let mut wait = |logic: &mut Logic, name: &str, width: u8, reset: bool, value: Operand| {
            let name = format!("{name}_before{}", if before > 1 { before.to_string() } else { String::new() });
            registers.push(register(&name, width, reset, false));
            next.push((value, width));
            logic.param(&name, width)
        };
        valid = wait(logic, "valid", 1, true, valid);
        running.direction = running.direction.map(|b| wait(logic, "backwards", 1, false, b));
        running.size = running.size.map(|s| wait(logic, "size", ways.size_bits(), false, s));
        for (byte, word) in &mut previous {
            *word = wait(logic, &format!("block{}", byte.number), byte.width, false, *word);
        }
        busy.push(valid);
    }
    for stage in 0..stages {
        let kept: BTreeSet<StageWord> = live.iter().flat_map(|mode| mode[stage].iter().cloned()).collect();
        let plan = Stage { data, stage, wires, previous: &previous, kept: &kept, share };
        let made = plan.function(program, &mut known);
        let values = plan.call(program, &mut inputs.logic, &made, &running, &keys);
        let mut held = Vec::new();
        let mut add = |logic: &mut Logic, name: String, width: u8, reset: bool, value: Operand| {
            let operand = logic.param(&name, width);
            registers.push(register(&name, width, reset, false));
            next.push((value, width));
            operand
        };
        let logic = &mut inputs.logic;
        let now_valid = add(logic, format!("valid_{stage}"), 1, true, valid);
        let direction = running.direction.map(|b| add(logic, format!("backwards_{stage}"), 1, false, b));
        let size = running.size.map(|s| add(logic, format!("size_{stage}"), ways.size_bits(), false, s));
        for (word, value) in kept.iter().zip(values) {
            let name = format!("{}{}_after_{stage}", word.name, word.number);
            held.push((word.clone(), add(logic, name, word.width, false, value)));
        }
        (valid, running, previous) = (now_valid, BlockMode { ways, direction, size }, held);
        busy.push(valid);
    }
    let busy = inputs.logic.any("busy", &busy);
    let result = |place: &Place| {
        let wanted = carried(&data[0], place);
        previous.iter().find(|(word, _)| Some(word) == wanted.as_ref()).map_or(Operand::Const(0), |(_, w)| *w)
    };
    let mut outputs: Vec<(Operand, u8)> = data[0].results[0].iter().map(|p| (result(p), 8)).collect();
    outputs.push((valid, 1));
    outputs.push((busy, 1));
    outputs.extend(next);
    let mut ports = inputs.ports;
    ports.push(port("data_out", Direction::Output, &vec![8; cut.output_bytes()], ""));
    ports.push(port("valid", Direction::Output, &[1], "the result of a block is there"));
    ports.push(port("busy", Direction::Output, &[1], "blocks are under way"));
    program.functions.push(inputs.logic.finish(&outputs));
    machine("algorithm", "The Algorithm: a stage for every step of the cipher.", ports, registers)
}
