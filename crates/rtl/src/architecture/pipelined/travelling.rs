//! The Key Schedule of a pipeline whose round keys travel with the data: every stage makes the words of its step.

use std::collections::{BTreeMap, BTreeSet};

use program::ir::{Operand, Program};

use super::super::keys::machine::root;
use super::super::keys::network::{Mux, Network, NetworkRequest, Source};
use super::super::keys::places::{shifted, Places};
use super::super::keys::plan::OnTheFly;
use super::super::keys::steering::{Steering, Words};
use super::super::parts::{machine, port, register, Inputs};
use super::super::running::BlockMode;
use super::super::ways::Ways;
use super::{late, KeyWires};
use crate::design::{Direction, Machine, Register};
use crate::logic::Logic;

/// Key setup of a pipeline: the network that runs once per key, and what steers it.
pub(super) struct SetUp {
    network: Network,
    pub steering: Steering,
    /// Per key schedule.
    pub clocks: Vec<usize>,
}

impl SetUp {
    /// The set-up of a plan, if it has one.
    pub fn of(program: &Program, plan: &OnTheFly) -> Option<Self> {
        let clocks = plan.setup.clone()?;
        let modes: Vec<usize> = (plan.ways()..plan.schedules.len()).collect();
        let places = shifted(&plan.lives(&modes), &|v| plan.graph.values[v].width);
        let network = Network::of(plan, &modes, 0..usize::MAX, places, &[]);
        let steering = Steering::new(program, &network, &[]);
        Some(SetUp { network, steering, clocks })
    }
}

/// Registers of the machine under construction.
pub(super) struct StageRegisters {
    registers: Vec<Register>,
    next: Vec<(Operand, u8)>,
}

impl StageRegisters {
    /// A register that takes a word in every clock; gives what it holds.
    pub fn hold(&mut self, logic: &mut Logic, name: &str, width: u8, word: Operand) -> Operand {
        self.add(name, width, word);
        logic.param(name, width)
    }

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
pub(super) struct StageWords<'a> {
    pub window: Vec<Operand>,
    kept: &'a [Operand],
    of_key: &'a dyn Fn(&mut Logic, usize) -> Operand,
    pub running: BlockMode,
}

impl StageWords<'_> {
    /// The word of a source; `made` has the results of copies.
    pub fn word(&self, logic: &mut Logic, source: Source, made: &[Vec<Operand>]) -> Operand {
        match source {
            Source::Window(n) => self.window[n],
            Source::Kept(n) => self.kept[n],
            Source::Copy(copy, output) => made[copy][output],
            Source::Root(value) => (self.of_key)(logic, value),
        }
    }
}

/// Writes the Key Schedule; its function comes into the program. Gives, too, by how many clocks the Algorithm runs behind it: none
/// without `ahead`, else round keys come from registers, and what makes them of words of the recurrence has a clock of its own.
pub(super) fn key_schedule(
    program: &mut Program,
    plan: &OnTheFly,
    setup: Option<&SetUp>,
    wires: &KeyWires,
    ways: Ways,
    (key_bytes, ahead): (u32, bool),
) -> (Machine, u32) {
    let mut inputs = Inputs::new("key_schedule");
    let controls: Vec<Operand> =
        setup.map_or(Vec::new(), |s| s.steering.controls.iter().map(|c| inputs.word(&c.name, c.width)).collect());
    let starts = setup.map(|_| inputs.word("setup_starts", 1));
    let direction = ways.directions.then(|| inputs.word("direction", 1));
    let several = plan.graph.results.len() > 1;
    let size = (ways.sizes || several).then(|| inputs.word("size", ways.size_bits()));
    let running = BlockMode { ways, direction, size: size.filter(|_| ways.sizes) };
    let of_size = BlockMode { size, ..running }.of_key(several);
    let key = inputs.bus("key_word", key_bytes as usize, 8);
    let functions: &Program = program;
    let of_key = |logic: &mut Logic, value: usize| root(functions, logic, &plan.graph, value, &key);
    let mut held = StageRegisters { registers: Vec::new(), next: Vec::new() };
    let kept = match (setup, starts) {
        (Some(setup), Some(starts)) => {
            written(functions, &mut inputs.logic, plan, setup, &controls, (starts, &of_size), &of_key, &mut held)
        }
        _ => Vec::new(),
    };
    let logic = &mut inputs.logic;
    let modes: Vec<usize> = (0..plan.ways()).collect();
    let asked = wires.asked(plan, &modes);
    let stages = plan.schedules[0].needs.len();
    let places = Network::places_in_stages(plan, &modes, stages, &asked);
    let networks: Vec<Network> =
        (0..stages).map(|n| Network::of(plan, &modes, n..n + 1, places.clone(), &asked)).collect();
    let twice = ahead && networks.iter().any(late::follows);
    let mut here = StageWords { window: Vec::new(), kept: &kept, of_key: &of_key, running };
    here.window = first(logic, plan, &places, &here);
    let mut words = vec![Operand::Const(0); asked.len()];
    for (stage, network) in networks.iter().enumerate() {
        let late = if twice { late::copies(network) } else { BTreeSet::new() };
        let taken = &mut |logic: &mut Logic, mux: &Mux, made: &[Vec<Operand>]| taken(logic, mux, &here, made);
        let made = called(functions, logic, network, here.running, &|n| !late.contains(&n), taken);
        if !twice {
            round_keys(network, &mut words, |mux| taken(logic, mux, &made));
        }
        let more = stage + 1 < stages;
        let next: Vec<Option<Operand>> = network
            .window
            .iter()
            .map(|mux| (more && !mux.distinct().is_empty()).then(|| taken(logic, mux, &made)))
            .collect();
        if !more && !twice {
            break;
        }
        let direction = here.running.direction.map(|b| held.hold(logic, &format!("backwards_{stage}"), 1, b));
        let size = here.running.size.map(|s| held.hold(logic, &format!("size_{stage}"), ways.size_bits(), s));
        let running = BlockMode { ways, direction, size };
        let window: Vec<Option<Operand>> = (next.iter().enumerate())
            .map(|(n, word)| {
                let name = format!("window{n}_after_{stage}");
                word.map(|word| held.hold(logic, &name, places.widths[n], word))
            })
            .collect();
        if twice {
            let (made, window, known) = (&made, &window, BTreeMap::new());
            let mut later = late::LateWords { network, stage, here: &here, made, window, held: &mut held, known };
            let taken =
                &mut |logic: &mut Logic, mux: &Mux, made: &[Vec<Operand>]| later.taken(logic, mux, running, made);
            let made = called(functions, logic, network, running, &|n| late.contains(&n), taken);
            round_keys(network, &mut words, |mux| taken(logic, mux, &made));
        }
        here.running = running;
        here.window = window.into_iter().map(|word| word.unwrap_or(Operand::Const(0))).collect();
    }
    let mut outputs: Vec<(Operand, u8)> = words.into_iter().zip(wires.widths()).collect();
    if ahead {
        for (n, (word, width)) in outputs.iter_mut().enumerate() {
            *word = held.hold(logic, &format!("round_key{n}"), *width, *word);
        }
    }
    outputs.extend(held.next);
    let mut ports = inputs.ports;
    ports.push(port("round_keys", Direction::Output, &wires.widths(), "the round keys of every stage"));
    program.functions.push(inputs.logic.finish(&outputs));
    let made = machine("key_schedule", "The Key Schedule travels with the data.", ports, held.registers);
    (made, u32::from(ahead) + u32::from(twice))
}

/// The round keys of a stage.
fn round_keys(network: &Network, words: &mut [Operand], mut taken: impl FnMut(&Mux) -> Operand) {
    for (word, mux) in words.iter_mut().zip(&network.slots) {
        if !mux.distinct().is_empty() {
            *word = taken(mux);
        }
    }
}

/// Key setup: its window, and the words that it keeps.
#[allow(clippy::too_many_arguments)]
fn written(
    program: &Program,
    logic: &mut Logic,
    plan: &OnTheFly,
    setup: &SetUp,
    controls: &[Operand],
    (starts, of_size): (Operand, &BlockMode),
    of_key: &dyn Fn(&mut Logic, usize) -> Operand,
    held: &mut StageRegisters,
) -> Vec<Operand> {
    let widths = &setup.network.places.widths;
    let window = widths.iter().enumerate().map(|(n, &w)| logic.param(&format!("setup{n}"), w)).collect();
    let name = |n: usize| format!("kept{n}_{}", plan.kept[n].name);
    let width = |n: usize| plan.kept[n].width;
    let words =
        Words { window, kept: (0..plan.kept.len()).map(|n| logic.param(&name(n), width(n))).collect(), root: of_key };
    let given = setup.steering.write(program, logic, &setup.network, controls, &words);
    let enable = logic.any("setup_enable", &[given.advances, starts]);
    let start: Vec<_> = (0..setup.clocks.len()).map(|n| setup.network.start(n)).collect();
    let roots = |logic: &mut Logic, values: &[Option<usize>], width: u8| {
        let words: Vec<Option<Operand>> = values.iter().map(|value| value.map(|v| of_key(logic, v))).collect();
        of_size.choose(logic, width, &words)
    };
    for (n, &width) in widths.iter().enumerate() {
        let values: Vec<Option<usize>> = start.iter().map(|map| map.get(&n).copied()).collect();
        let value = match roots(logic, &values, width) {
            Some(word) => logic.select("", width, starts, word, given.window[n]),
            None => given.window[n],
        };
        held.add_enabled(&format!("setup{n}"), width, enable, value);
    }
    for (n, written) in given.kept.iter().enumerate() {
        let (enable, word) = written.unwrap_or_else(|| {
            let word = roots(logic, &plan.kept[n].values, width(n));
            (starts, word.unwrap_or(Operand::Const(0)))
        });
        held.add_enabled(&name(n), width(n), enable, word);
    }
    words.kept
}

/// The words with which a block enters.
fn first(logic: &mut Logic, plan: &OnTheFly, places: &Places, here: &StageWords<'_>) -> Vec<Operand> {
    let mut list = Vec::new();
    for (n, &width) in places.widths.iter().enumerate() {
        let mut of = |mode: usize| {
            let value = places.at[mode][0].iter().find(|(_, &r)| r == n).map(|(v, _)| *v)?;
            let known = plan.kept_in(mode, value);
            Some(known.map_or_else(|| (here.of_key)(logic, value), |k| here.kept[k]))
        };
        let words: Vec<Option<Operand>> = (0..plan.ways()).map(&mut of).collect();
        list.push(here.running.choose(logic, width, &words).unwrap_or(Operand::Const(0)));
    }
    list
}

/// What a word is in this stage.
fn taken(logic: &mut Logic, mux: &Mux, here: &StageWords<'_>, made: &[Vec<Operand>]) -> Operand {
    chosen(logic, mux, here.running, |logic, _, source| here.word(logic, source, made))
}

/// A word by the way that runs; `word` gives it for a way and its source.
pub(super) fn chosen(
    logic: &mut Logic,
    mux: &Mux,
    running: BlockMode,
    mut word: impl FnMut(&mut Logic, usize, Source) -> Operand,
) -> Operand {
    let of = |(way, clocks): (usize, &Vec<Option<Source>>)| {
        clocks.first().copied().flatten().map(|source| word(logic, way, source))
    };
    let words: Vec<Option<Operand>> = mux.from.iter().enumerate().map(of).collect();
    running.choose(logic, mux.width, &words).unwrap_or(Operand::Const(0))
}

/// Gives a word; the last argument has the results of the stage's copies so far.
type WordSource<'a> = dyn FnMut(&mut Logic, &Mux, &[Vec<Operand>]) -> Operand + 'a;

/// The results of the stage's copies that are wanted, and none of the others; `taken` gives their arguments.
fn called(
    program: &Program,
    logic: &mut Logic,
    network: &Network,
    running: BlockMode,
    wanted: &dyn Fn(usize) -> bool,
    taken: &mut WordSource<'_>,
) -> Vec<Vec<Operand>> {
    let mut made: Vec<Vec<Operand>> = Vec::new();
    for (n, copy) in network.copies.iter().enumerate() {
        let Some(function) = program.functions.iter().find(|f| f.name == copy.function).filter(|_| wanted(n)) else {
            made.push(Vec::new());
            continue;
        };
        let mut arguments: Vec<Operand> = copy.inputs.iter().map(|mux| taken(logic, mux, &made)).collect();
        for (n, values) in copy.constants.iter().enumerate() {
            let param = function.params[copy.inputs.len() + n];
            let width = crate::logic::width_of(&function.values[param.0 as usize].ty);
            let of = |clocks: &Vec<Option<u64>>| clocks.first().copied().flatten().map(|v| Logic::number(width, v));
            let words: Vec<Option<Operand>> = values.iter().map(of).collect();
            arguments.push(running.choose(logic, width, &words).unwrap_or(Operand::Const(0)));
        }
        made.push(logic.call(function, arguments));
    }
    made
}

impl KeyWires {
    /// What the stages ask for, per way of running.
    fn asked(&self, plan: &OnTheFly, modes: &[usize]) -> Vec<NetworkRequest> {
        let nothing: Vec<Vec<Option<usize>>> =
            modes.iter().map(|&m| vec![None; plan.schedules[m].needs.len()]).collect();
        let mut asked: Vec<NetworkRequest> =
            self.list.iter().map(|wire| NetworkRequest { width: wire.width, wanted: nothing.clone() }).collect();
        for (&(way, stage, result, element), &number) in &self.numbers {
            asked[number].wanted[way][stage] = Some(plan.result(way, (result, element)));
        }
        asked
    }
}
