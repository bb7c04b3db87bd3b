//! The pipelined architecture: a register after every step, one block per clock.
//!
//! Stored round keys are computed once per key, as in the iterative device; every stage has the words that it uses wired to it. A
//! new key is taken when the pipeline is empty. Round keys on the fly travel with the data, and the key may change with every
//! block where nothing is set up.

mod travelling;

use std::collections::BTreeSet;

use program::diagnostic::Diagnostic;
use program::ir::{Function, Operand, Program};

use super::controller::{always_ready, key_controller};
use super::keys::plan::Way;
use super::keys::{Keys, Stored};
use super::parts::{assembled, engine_part, interface, machine, port, register, Inputs, BLOCK};
use super::program_union::import;
use super::{callees, Cut, Wanted};
use crate::design::{Design, Direction, Machine, Register, Timing};
use crate::logic::{width_of, Logic};
use crate::merge;
use crate::sequence::{Place, Role, Sequence};

pub use super::Options;

/// Builds the pipelined device for one key size.
///
/// # Errors
/// H101 to H104 for a function that cannot be cut, H301 for more than one key size, H302 where directions differ in their steps.
pub fn pipelined(wanted: &Wanted<'_>, options: &Options) -> Result<Design, Diagnostic> {
    let cut = wanted.cut("a pipelined device", options)?;
    let data = &cut.data;
    if data.iter().any(|d| d.steps.len() != data[0].steps.len()) {
        let counts: Vec<String> = data.iter().map(|d| d.steps.len().to_string()).collect();
        return Err(Diagnostic::new("H302", "encryption and decryption have different numbers of steps")
            .note(format!("steps: {}", counts.join(", "))));
    }
    match options.keys {
        Keys::Stored => Ok(kept(wanted, &cut, options)),
        Keys::Auto => Ok(on_the_fly(wanted, &cut, options).unwrap_or_else(|_| kept(wanted, &cut, options))),
        Keys::Window | Keys::Independent => on_the_fly(wanted, &cut, options),
    }
}

/// The device whose round keys are computed once per key and kept.
fn kept(wanted: &Wanted<'_>, cut: &Cut<'_>, options: &Options) -> Design {
    let mut program = callees(cut.source);
    let stored = Stored::new(&mut program, cut.keys.clone(), options.share);
    let wires = KeyWires::of(&cut.data, false);
    let directions = cut.directions();
    let machines = vec![
        interface(&mut program, cut.key_bytes(), directions),
        key_controller(&mut program, &stored.engine.controls, stored.engine.steps[0], false),
        key_schedule(&mut program, &stored, &wires, cut.key_bytes()),
        algorithm(&mut program, &cut.data, &wires, directions, options.share),
    ];
    let setup = stored.engine.steps[0] as u32 + 2;
    assembled(wanted, program, machines, timing(cut, setup))
}

/// The device whose round keys travel with the data.
fn on_the_fly(wanted: &Wanted<'_>, cut: &Cut<'_>, options: &Options) -> Result<Design, Diagnostic> {
    let directions = cut.directions();
    let mut program = callees(cut.source);
    let plan = cut.planned_keys(&mut program, Way { keys: options.keys, travels: true })?;
    let wires = KeyWires::of(&cut.data, true);
    let setup = travelling::SetUp::of(&program, &plan);
    let machines = vec![
        interface(&mut program, cut.key_bytes(), directions),
        match &setup {
            Some(setup) => key_controller(&mut program, &setup.steering.controls, setup.clocks, true),
            None => always_ready(&mut program),
        },
        travelling::key_schedule(&mut program, &plan, setup.as_ref(), &wires, directions, cut.key_bytes()),
        algorithm(&mut program, &cut.data, &wires, directions, options.share),
    ];
    let clocks = setup.as_ref().map_or(0, |s| s.clocks as u32 + 2);
    Ok(assembled(wanted, program, machines, timing(cut, clocks)))
}

fn timing(cut: &Cut<'_>, key_setup: u32) -> Timing {
    let latency = cut.data[0].steps.len() as u32 + 1;
    cut.timing("pipelined", |_| (key_setup, latency, 1))
}

/// A round key that a stage uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct KeyWire {
    /// Direction and stage, where every stage has wires of its own.
    stage: Option<(usize, usize)>,
    result: u32,
    element: u32,
    width: u8,
}

/// The round keys that the stages use, each once.
struct KeyWires {
    list: Vec<KeyWire>,
    of_stages: bool,
}

impl KeyWires {
    fn of(data: &[Sequence], of_stages: bool) -> Self {
        let mut wires = KeyWires { list: Vec::new(), of_stages };
        let mut list = BTreeSet::new();
        for (mode, sequence) in data.iter().enumerate() {
            for (stage, step) in sequence.steps.iter().enumerate() {
                let words = step.reads.iter().filter_map(|place| sequence.round_key(place));
                list.extend(words.map(|word| wires.wire(mode, stage, word)));
            }
        }
        wires.list = list.into_iter().collect();
        wires
    }

    fn wire(&self, mode: usize, stage: usize, (result, element, width): (u32, u32, u8)) -> KeyWire {
        KeyWire { stage: self.of_stages.then_some((mode, stage)), result, element, width }
    }

    fn number(&self, mode: usize, stage: usize, word: (u32, u32, u8)) -> usize {
        let wanted = self.wire(mode, stage, word);
        self.list.iter().position(|w| *w == wanted).unwrap_or(0)
    }

    fn widths(&self) -> Vec<u8> {
        self.list.iter().map(|w| w.width).collect()
    }
}

/// The Key Schedule: runs once per key, all round keys are outputs.
fn key_schedule(program: &mut Program, stored: &Stored, wires: &KeyWires, key_bytes: u32) -> Machine {
    let mut inputs = Inputs::new("key_schedule");
    let controls: Vec<Operand> = stored.engine.controls.iter().map(|c| inputs.word(&c.name, c.width)).collect();
    let key = inputs.bus("key_word", key_bytes as usize, 8);
    let (registers, cells, next) = engine_part(program, &mut inputs, &stored.engine, &controls, &key);
    let results = stored.results(program, &mut inputs.logic, &cells, &key);
    let words = wires.list.iter().map(|w| (results[w.result as usize][w.element as usize], w.width));
    let mut outputs: Vec<(Operand, u8)> = words.collect();
    outputs.extend(next);
    let mut ports = inputs.ports;
    ports.push(port("round_keys", Direction::Output, &wires.widths(), "all round keys, in order"));
    program.functions.push(inputs.logic.finish(&outputs));
    machine("key_schedule", "The Key Schedule runs once per key and keeps the round keys.", ports, registers)
}

/// A word that a stage hands to the next: its name is the same in both directions where its place is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Carried {
    name: String,
    number: u32,
    width: u8,
}

fn carried(sequence: &Sequence, place: &Place) -> Option<Carried> {
    match *place {
        Place::Word(n) => {
            let word = &sequence.words[n as usize];
            Some(Carried { name: "state".to_owned(), number: n, width: word.width })
        }
        Place::Element(array, n) => {
            let array = &sequence.arrays[array as usize];
            let name = match array.role {
                Role::Parameter(p) if p == sequence.last_parameter() => "block",
                Role::Parameter(_) => return None,
                _ => "out",
            };
            Some(Carried { name: name.to_owned(), number: n, width: array.width })
        }
    }
}

/// What is live after each step: read later, or a result.
fn live_after(sequence: &Sequence) -> Vec<BTreeSet<Carried>> {
    let mut live: BTreeSet<Carried> = sequence.results.iter().flatten().filter_map(|p| carried(sequence, p)).collect();
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
fn algorithm(program: &mut Program, data: &[Sequence], wires: &KeyWires, directions: bool, share: bool) -> Machine {
    let mut inputs = Inputs::new("algorithm");
    let enters = inputs.word("data_loaded", 1);
    let direction = directions.then(|| inputs.word("direction", 1));
    let block = inputs.bus("block", BLOCK, 8);
    inputs.ports.push(port("round_keys", Direction::Input, &wires.widths(), "all round keys, in order"));
    let keys: Vec<Operand> =
        wires.list.iter().enumerate().map(|(n, w)| inputs.logic.param(&format!("round_key{n}"), w.width)).collect();
    let live: Vec<Vec<BTreeSet<Carried>>> = data.iter().map(live_after).collect();
    let stages = data[0].steps.len();
    let mut registers: Vec<Register> = Vec::new();
    let mut next: Vec<(Operand, u8)> = Vec::new();
    let byte = |n: usize| Carried { name: "block".to_owned(), number: n as u32, width: 8 };
    let mut previous: Vec<(Carried, Operand)> = block.iter().enumerate().map(|(n, &w)| (byte(n), w)).collect();
    let (mut valid, mut backwards) = (enters, direction);
    let mut busy = vec![enters];
    for stage in 0..stages {
        let kept: BTreeSet<Carried> = live.iter().flat_map(|mode| mode[stage].iter().cloned()).collect();
        let plan = Stage { data, stage, wires, previous: &previous, kept: &kept, directions, share };
        let (name, keys_used) = plan.function(program);
        let values = plan.call(program, &mut inputs.logic, &name, &keys_used, backwards, &keys);
        let mut held = Vec::new();
        let mut add = |logic: &mut Logic, name: String, width: u8, reset: bool, value: Operand| {
            let operand = logic.param(&name, width);
            registers.push(register(&name, width, reset, false));
            next.push((value, width));
            operand
        };
        let logic = &mut inputs.logic;
        let now_valid = add(logic, format!("valid_{stage}"), 1, true, valid);
        let now_backwards = backwards.map(|b| add(logic, format!("backwards_{stage}"), 1, false, b));
        for (word, value) in kept.iter().zip(values) {
            let name = format!("{}{}_after_{stage}", word.name, word.number);
            held.push((word.clone(), add(logic, name, word.width, false, value)));
        }
        (valid, backwards, previous) = (now_valid, now_backwards, held);
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
    ports.push(port("data_out", Direction::Output, &[8; BLOCK], ""));
    ports.push(port("valid", Direction::Output, &[1], "the result of a block is there"));
    ports.push(port("busy", Direction::Output, &[1], "blocks are under way"));
    program.functions.push(inputs.logic.finish(&outputs));
    machine("algorithm", "The Algorithm: a stage for every step of the cipher.", ports, registers)
}

/// A key word that a stage takes: in each direction it may be another wire.
struct KeyParam {
    width: u8,
    wires: Vec<Option<usize>>,
}

/// What a direction gives for a word that a stage hands on.
enum Kept {
    /// A result of its body.
    Written(usize),
    /// A word that came in.
    Passed(Operand),
    /// Nothing that counts.
    Dead,
}

/// A direction's part of a stage.
struct StageBody {
    function: Function,
    arguments: Vec<Operand>,
    kept: Vec<Kept>,
}

/// One stage: the same step of both directions.
struct Stage<'a> {
    data: &'a [Sequence],
    stage: usize,
    wires: &'a KeyWires,
    previous: &'a [(Carried, Operand)],
    kept: &'a BTreeSet<Carried>,
    directions: bool,
    share: bool,
}

impl Stage<'_> {
    /// The round keys of the stage, per mode, in the order of their use.
    fn keys(&self) -> Vec<Vec<(u32, u32, u8)>> {
        let of = |s: &Sequence| s.steps[self.stage].reads.iter().filter_map(|p| s.round_key(p)).collect();
        self.data.iter().map(of).collect()
    }

    /// Key parameters of the stage: each has a width and, per mode, the wire that it is.
    fn key_params(&self) -> Vec<KeyParam> {
        let mut params: Vec<KeyParam> = Vec::new();
        for (mode, keys) in self.keys().iter().enumerate() {
            let mut free: Vec<usize> = (0..params.len()).collect();
            for &key in keys {
                let fitting = free.iter().position(|&n| params[n].width == key.2);
                let at = match fitting {
                    Some(k) => free.remove(k),
                    None => {
                        params.push(KeyParam { width: key.2, wires: vec![None; self.data.len()] });
                        params.len() - 1
                    }
                };
                params[at].wires[mode] = Some(self.wires.number(mode, self.stage, key));
            }
        }
        params
    }

    /// The stage as a function of direction, carried words, block, round keys and constants; equal stages are one function.
    fn function(&self, program: &mut Program) -> (String, Vec<KeyParam>) {
        let key_params = self.key_params();
        let mut logic = Logic::new("stage");
        let backwards = self.directions.then(|| logic.param("backwards", 1));
        let words: Vec<Operand> =
            self.previous.iter().map(|(c, _)| logic.param(&format!("{}{}", c.name, c.number), c.width)).collect();
        let keys: Vec<Operand> =
            key_params.iter().enumerate().map(|(n, k)| logic.param(&format!("key{n}"), k.width)).collect();
        let mut bodies: Vec<StageBody> = Vec::new();
        let mut constants = Vec::new();
        for (mode, sequence) in self.data.iter().enumerate() {
            let step = &sequence.steps[self.stage];
            let function = &sequence.program.functions[step.body];
            let name = import(program, &sequence.program, function, &function.name);
            let Some(function) = program.functions.iter().find(|f| f.name == name).cloned() else { continue };
            let mut arguments: Vec<Operand> = step
                .reads
                .iter()
                .map(|place| self.argument(sequence, mode, place, &words, &keys, &key_params))
                .collect();
            for n in 0..step.constants.len() {
                let width = width_of(&function.values[function.params[step.reads.len() + n].0 as usize].ty);
                let constant = logic.param(&format!("constant{}", constants.len()), width);
                constants.push(constant);
                arguments.push(constant);
            }
            let given = |word: &Carried| {
                let written = step.writes.iter().position(|p| carried(sequence, p).as_ref() == Some(word));
                let before = || self.previous.iter().position(|(c, _)| c == word).map(|n| words[n]);
                written.map(Kept::Written).or_else(|| before().map(Kept::Passed)).unwrap_or(Kept::Dead)
            };
            bodies.push(StageBody { function, arguments, kept: self.kept.iter().map(given).collect() });
        }
        let inputs: Vec<Operand> = words.iter().chain(&keys).chain(&constants).copied().collect();
        let whole = match self.share.then(|| self.shared(program, &logic, &inputs, &bodies)).flatten() {
            Some(whole) => whole,
            None => self.chosen(logic, backwards, &bodies),
        };
        let copy = program.clone();
        (import(program, &copy, &whole, "stage"), key_params)
    }

    /// The stage whose directions share operators.
    fn shared(&self, program: &Program, logic: &Logic, inputs: &[Operand], bodies: &[StageBody]) -> Option<Function> {
        let source = |word: &Operand| match *word {
            Operand::Const(c) => merge::Source::Number(c),
            Operand::Value(_) => merge::Source::Input(inputs.iter().position(|i| i == word).unwrap_or(0)),
        };
        let alternatives: Vec<merge::Alternative> = bodies
            .iter()
            .map(|body| merge::Alternative {
                function: &body.function,
                arguments: body.arguments.iter().map(source).collect(),
                results: body
                    .kept
                    .iter()
                    .map(|kept| match kept {
                        Kept::Written(n) => merge::Given::Result(*n),
                        Kept::Passed(word) => merge::Given::Source(source(word)),
                        Kept::Dead => merge::Given::Nothing,
                    })
                    .collect(),
            })
            .collect();
        let names: Vec<(String, u8)> = inputs.iter().map(|word| logic.described(*word)).collect();
        let widths: Vec<u8> = self.kept.iter().map(|word| word.width).collect();
        merge::share(program, "stage", &names, &widths, &alternatives)
    }

    /// The stage whose directions stand side by side.
    fn chosen(&self, mut logic: Logic, backwards: Option<Operand>, bodies: &[StageBody]) -> Function {
        let called: Vec<Vec<Operand>> =
            bodies.iter().map(|body| logic.call(&body.function, body.arguments.clone())).collect();
        let result = |mode: usize, n: usize| match bodies[mode].kept[n] {
            Kept::Written(r) => called[mode][r],
            Kept::Passed(word) => word,
            Kept::Dead => Operand::Const(0),
        };
        let mut outputs = Vec::new();
        for (n, word) in self.kept.iter().enumerate() {
            let value = match backwards {
                Some(backwards) => logic.select("", word.width, backwards, result(1, n), result(0, n)),
                None => result(0, n),
            };
            outputs.push((value, word.width));
        }
        logic.finish(&outputs)
    }

    #[allow(clippy::too_many_arguments)]
    fn argument(
        &self,
        sequence: &Sequence,
        mode: usize,
        place: &Place,
        words: &[Operand],
        keys: &[Operand],
        key_params: &[KeyParam],
    ) -> Operand {
        if let Some(key) = sequence.round_key(place) {
            let number = self.wires.number(mode, self.stage, key);
            let at = key_params.iter().position(|k| k.width == key.2 && k.wires[mode] == Some(number));
            return at.map_or(Operand::Const(0), |n| keys[n]);
        }
        let at = carried(sequence, place).and_then(|word| self.previous.iter().position(|(c, _)| *c == word));
        at.map_or(Operand::Const(0), |n| words[n])
    }

    #[allow(clippy::too_many_arguments)]
    fn call(
        &self,
        program: &Program,
        logic: &mut Logic,
        name: &str,
        key_params: &[KeyParam],
        backwards: Option<Operand>,
        keys: &[Operand],
    ) -> Vec<Operand> {
        let Some(function) = program.functions.iter().find(|f| f.name == name) else { return Vec::new() };
        let mut arguments: Vec<Operand> = backwards.into_iter().collect();
        arguments.extend(self.previous.iter().map(|(_, w)| *w));
        for KeyParam { width, wires } in key_params {
            let first = wires.iter().flatten().next().map_or(Operand::Const(0), |&n| keys[n]);
            let of = |mode: usize| wires[mode].map_or(first, |n| keys[n]);
            arguments.push(match backwards {
                Some(backwards) => logic.select("", *width, backwards, of(1), of(0)),
                None => of(0),
            });
        }
        for sequence in self.data {
            arguments.extend(sequence.steps[self.stage].constants.iter().map(|&c| Operand::Const(c)));
        }
        logic.call(function, arguments)
    }
}
