//! The Key Schedule of a pipeline whose round keys travel with the data: every stage makes the words of its step.

use std::collections::BTreeMap;

use program::ir::{Operand, Program};

use super::super::keys::machine::root;
use super::super::keys::network::{Asked, Mux, Network, Source};
use super::super::keys::places::shifted;
use super::super::keys::plan::OnTheFly;
use super::super::keys::steering::{Steering, Words};
use super::super::parts::{machine, port, register, Inputs};
use super::KeyWires;
use crate::design::{Direction, Machine, Register};
use crate::logic::Logic;

/// Key set-up of a pipeline: the network that runs once per key, and what steers it.
pub(super) struct SetUp {
    network: Network,
    pub steering: Steering,
    pub clocks: usize,
}

impl SetUp {
    /// The set-up of a plan, if it has one.
    pub fn of(program: &Program, plan: &OnTheFly) -> Option<Self> {
        let clocks = plan.setup?;
        let mode = plan.schedules.len() - 1;
        let places = shifted(&plan.lives(&[mode]), &|v| plan.graph.values[v].width);
        let network = Network::of(plan, &[mode], 0..usize::MAX, places, &[]);
        let steering = Steering::new(program, &network, &[plan.schedules[mode].needs.len()]);
        Some(SetUp { network, steering, clocks })
    }
}

/// Registers of the machine under construction.
struct Held {
    registers: Vec<Register>,
    next: Vec<(Operand, u8)>,
}

impl Held {
    fn add(&mut self, name: &str, width: u8, value: Operand) {
        self.registers.push(register(name, width, false, false));
        self.next.push((value, width));
    }

    fn add_enabled(&mut self, name: &str, width: u8, enable: Operand, value: Operand) {
        self.registers.push(register(name, width, false, true));
        self.next.extend([(enable, 1), (value, width)]);
    }
}

/// Words of a stage.
struct Here<'a> {
    window: Vec<Operand>,
    kept: &'a [Operand],
    of_key: &'a dyn Fn(&mut Logic, usize) -> Operand,
    backwards: Option<Operand>,
}

/// Writes the Key Schedule; its function comes into the program.
pub(super) fn key_schedule(
    program: &mut Program,
    plan: &OnTheFly,
    setup: Option<&SetUp>,
    wires: &KeyWires,
    directions: bool,
    key_bytes: u32,
) -> Machine {
    let mut inputs = Inputs::new("key_schedule");
    let controls: Vec<Operand> =
        setup.map_or(Vec::new(), |s| s.steering.controls.iter().map(|c| inputs.word(&c.name, c.width)).collect());
    let starts = setup.map(|_| inputs.word("setup_starts", 1));
    let direction = directions.then(|| inputs.word("direction", 1));
    let key = inputs.bus("key_word", key_bytes as usize, 8);
    let functions: &Program = program;
    let of_key = |logic: &mut Logic, value: usize| root(functions, logic, &plan.graph, value, &key);
    let mut held = Held { registers: Vec::new(), next: Vec::new() };
    let kept = match (setup, starts) {
        (Some(setup), Some(starts)) => {
            written(functions, &mut inputs.logic, plan, setup, &controls, starts, &of_key, &mut held)
        }
        _ => Vec::new(),
    };
    let logic = &mut inputs.logic;
    let modes: Vec<usize> = (0..=usize::from(directions)).collect();
    let places = shifted(&plan.lives(&modes), &|v| plan.graph.values[v].width);
    let asked = wires.asked(plan, &modes);
    let mut here = Here { window: Vec::new(), kept: &kept, of_key: &of_key, backwards: direction };
    here.window = first(logic, plan, &places.at, &places.widths, &here);
    let mut words = vec![Operand::Const(0); asked.len()];
    let stages = plan.schedules[0].needs.len();
    for stage in 0..stages {
        let network = Network::of(plan, &modes, stage..stage + 1, places.clone(), &asked);
        let made = called(functions, logic, &network, &here);
        for (word, mux) in words.iter_mut().zip(&network.slots) {
            if !mux.distinct().is_empty() {
                *word = taken(logic, mux, &here, &made);
            }
        }
        if stage + 1 == stages {
            break;
        }
        let next: Vec<Option<Operand>> = network
            .window
            .iter()
            .map(|mux| (!mux.distinct().is_empty()).then(|| taken(logic, mux, &here, &made)))
            .collect();
        if let Some(backwards) = here.backwards {
            let name = format!("backwards_{stage}");
            held.add(&name, 1, backwards);
            here.backwards = Some(logic.param(&name, 1));
        }
        for (n, value) in next.iter().enumerate() {
            here.window[n] = Operand::Const(0);
            if let Some(value) = value {
                let (name, width) = (format!("window{n}_after_{stage}"), places.widths[n]);
                held.add(&name, width, *value);
                here.window[n] = logic.param(&name, width);
            }
        }
    }
    let mut outputs: Vec<(Operand, u8)> = words.into_iter().zip(wires.widths()).collect();
    outputs.extend(held.next);
    let mut ports = inputs.ports;
    ports.push(port("round_keys", Direction::Output, &wires.widths(), "the round keys of every stage"));
    program.functions.push(inputs.logic.finish(&outputs));
    machine("key_schedule", "The Key Schedule travels with the data.", ports, held.registers)
}

/// Key set-up: its window, and the words that it keeps.
#[allow(clippy::too_many_arguments)]
fn written(
    program: &Program,
    logic: &mut Logic,
    plan: &OnTheFly,
    setup: &SetUp,
    controls: &[Operand],
    starts: Operand,
    of_key: &dyn Fn(&mut Logic, usize) -> Operand,
    held: &mut Held,
) -> Vec<Operand> {
    let widths = &setup.network.places.widths;
    let window = widths.iter().enumerate().map(|(n, &w)| logic.param(&format!("setup{n}"), w)).collect();
    let kept: Vec<usize> = plan.kept();
    let name = |n: usize| format!("kept{n}_{}", plan.graph.values[kept[n]].name);
    let width = |n: usize| plan.graph.values[kept[n]].width;
    let words =
        Words { window, kept: (0..kept.len()).map(|n| logic.param(&name(n), width(n))).collect(), root: of_key };
    let given = setup.steering.write(program, logic, &setup.network, controls, &words);
    let enable = logic.any("setup_enable", &[given.advances, starts]);
    let start = setup.network.start(0);
    for (n, &width) in widths.iter().enumerate() {
        let value = match start.get(&n) {
            Some(&value) => {
                let word = of_key(logic, value);
                logic.select("", width, starts, word, given.window[n])
            }
            None => given.window[n],
        };
        held.add_enabled(&format!("setup{n}"), width, enable, value);
    }
    for (n, written) in given.kept.iter().enumerate() {
        let (enable, word) = written.unwrap_or_else(|| (starts, of_key(logic, kept[n])));
        held.add_enabled(&name(n), width(n), enable, word);
    }
    words.kept
}

/// The words with which a block enters.
fn first(
    logic: &mut Logic,
    plan: &OnTheFly,
    at: &[Vec<BTreeMap<usize, usize>>],
    widths: &[u8],
    here: &Here<'_>,
) -> Vec<Operand> {
    let kept = plan.kept();
    let mut list = Vec::new();
    for (n, &width) in widths.iter().enumerate() {
        let of = |logic: &mut Logic, mode: usize| {
            let value = at.get(mode)?[0].iter().find(|(_, &r)| r == n).map(|(v, _)| *v)?;
            let known = kept.iter().position(|&v| v == value);
            Some(known.map_or_else(|| (here.of_key)(logic, value), |k| here.kept[k]))
        };
        let (forward, backward) = (of(logic, 0), of(logic, 1));
        list.push(either(logic, width, here.backwards, forward, backward));
    }
    list
}

fn either(
    logic: &mut Logic,
    width: u8,
    backwards: Option<Operand>,
    forward: Option<Operand>,
    backward: Option<Operand>,
) -> Operand {
    match (forward, backward, backwards) {
        (Some(a), Some(b), Some(backwards)) => logic.select("", width, backwards, b, a),
        (a, b, _) => a.or(b).unwrap_or(Operand::Const(0)),
    }
}

/// What a word is in this stage.
fn taken(logic: &mut Logic, mux: &Mux, here: &Here<'_>, made: &[Vec<Operand>]) -> Operand {
    let mut of = |mode: usize| {
        let source = mux.from.get(mode).and_then(|clocks| clocks.first().copied().flatten())?;
        Some(match source {
            Source::Window(n) => here.window[n],
            Source::Kept(n) => here.kept[n],
            Source::Copy(copy, output) => made[copy][output],
            Source::Root(value) => (here.of_key)(logic, value),
        })
    };
    let (forward, backward) = (of(0), of(1));
    either(logic, mux.width, here.backwards, forward, backward)
}

/// The results of the stage's copies.
fn called(program: &Program, logic: &mut Logic, network: &Network, here: &Here<'_>) -> Vec<Vec<Operand>> {
    let mut made: Vec<Vec<Operand>> = Vec::new();
    for copy in &network.copies {
        let Some(function) = program.functions.iter().find(|f| f.name == copy.function) else { continue };
        let mut arguments: Vec<Operand> = copy.inputs.iter().map(|mux| taken(logic, mux, here, &made)).collect();
        for (n, values) in copy.constants.iter().enumerate() {
            let param = function.params[copy.inputs.len() + n];
            let width = crate::logic::width_of(&function.values[param.0 as usize].ty);
            let of = |mode: usize| {
                let value = values.get(mode).and_then(|clocks: &Vec<Option<u64>>| clocks.first().copied().flatten());
                value.map(|v| Logic::number(width, v))
            };
            arguments.push(either(logic, width, here.backwards, of(0), of(1)));
        }
        made.push(logic.call(function, arguments));
    }
    made
}

impl KeyWires {
    /// What the stages ask for, per way of running.
    fn asked(&self, plan: &OnTheFly, modes: &[usize]) -> Vec<Asked> {
        let of = |wire: &super::KeyWire| {
            let mut wanted: Vec<Vec<Option<usize>>> =
                modes.iter().map(|&m| vec![None; plan.schedules[m].needs.len()]).collect();
            if let Some((mode, stage)) = wire.stage {
                wanted[mode][stage] = Some(plan.graph.results[wire.result as usize][wire.element as usize]);
            }
            Asked { width: wire.width, wanted }
        };
        self.list.iter().map(of).collect()
    }
}
