//! One stage of a pipeline: the same step of all ways of running.

use std::collections::BTreeSet;

use program::ir::{Function, Operand, Program};

use super::super::program_union::import;
use super::super::running::BlockMode;
use super::{carried, KeyWires, StageWord};
use crate::logic::{width_of, Logic};
use crate::merge;
use crate::sequence::{Place, Sequence};

/// A key word that a stage takes: in each way of running it may be another wire.
struct KeyParam {
    width: u8,
    wires: Vec<Option<usize>>,
}

/// What a way of running gives for a word that a stage hands on.
#[derive(Clone, Copy, PartialEq)]
enum StageOutput {
    /// A result of its body.
    Written(usize),
    /// A word that came in.
    Passed(Operand),
    /// Nothing that counts.
    Dead,
}

/// What a way of running does in a stage.
#[derive(Clone, PartialEq)]
pub(super) struct StageBody {
    function: Function,
    /// Words and round keys.
    arguments: Vec<Operand>,
    constants: Vec<u64>,
    kept: Vec<StageOutput>,
}

/// The function of a stage, and what its user gives it.
pub(super) struct StageFunction {
    name: String,
    keys: Vec<KeyParam>,
    /// What ways of running do, each once, and which of it each way does.
    of_way: Vec<usize>,
    /// Constants of all of them.
    constants: Vec<u64>,
}

/// What makes a stage's function: what ways do, its inputs, widths of its results; and the function's name.
type StageIdentity = (Vec<StageBody>, Vec<(String, u8)>, Vec<u8>, String);

/// The functions of the stages so far: equal stages are made once.
#[derive(Default)]
pub(super) struct Stages {
    known: Vec<StageIdentity>,
}

/// One stage: the same step of all ways of running.
pub(super) struct Stage<'a> {
    pub data: &'a [Sequence],
    pub stage: usize,
    pub wires: &'a KeyWires,
    pub previous: &'a [(StageWord, Operand)],
    pub kept: &'a BTreeSet<StageWord>,
    pub share: bool,
}

impl Stage<'_> {
    /// The round keys of the stage, per way, in the order of their use.
    fn keys(&self) -> Vec<Vec<(u32, u32, u8)>> {
        let of = |s: &Sequence| s.steps[self.stage].reads.iter().filter_map(|p| s.round_key(p)).collect();
        self.data.iter().map(of).collect()
    }

    /// Key parameters of the stage: each has a width and, per way, the wire that it is.
    fn key_params(&self) -> Vec<KeyParam> {
        let mut params: Vec<KeyParam> = Vec::new();
        for (way, keys) in self.keys().iter().enumerate() {
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
                params[at].wires[way] = Some(self.wires.number(way, self.stage, key));
            }
        }
        params
    }

    /// The stage as a function of what tells ways apart, carried words, block, round keys and constants; equal stages are one
    /// function.
    pub fn function(&self, program: &mut Program, stages: &mut Stages) -> StageFunction {
        let keys = self.key_params();
        let mut logic = Logic::new("stage");
        let mut input = |name: String, width: u8| logic.param(&name, width);
        let words: Vec<Operand> =
            self.previous.iter().map(|(c, _)| input(format!("{}{}", c.name, c.number), c.width)).collect();
        let key_words: Vec<Operand> = keys.iter().enumerate().map(|(n, k)| input(format!("key{n}"), k.width)).collect();
        let mut bodies: Vec<StageBody> = Vec::new();
        let mut of_way = Vec::new();
        for way in 0..self.data.len() {
            let body = self.body(program, way, &words, &key_words, &keys);
            of_way.push(bodies.iter().position(|known| *known == body).unwrap_or_else(|| {
                bodies.push(body);
                bodies.len() - 1
            }));
        }
        let constants: Vec<u64> = bodies.iter().flat_map(|body| body.constants.clone()).collect();
        let mut inputs: Vec<Operand> = words.into_iter().chain(key_words).collect();
        let mut numbers = 0..;
        for body in &mut bodies {
            let first = body.arguments.len();
            for (n, number) in (0..body.constants.len()).zip(&mut numbers) {
                let param = body.function.params[first + n];
                let width = width_of(&body.function.values[param.0 as usize].ty);
                let constant = logic.param(&format!("constant{number}"), width);
                inputs.push(constant);
                body.arguments.push(constant);
            }
        }
        // Constants are inputs by now.
        bodies.iter_mut().for_each(|body| body.constants.clear());
        let described: Vec<(String, u8)> = inputs.iter().map(|word| logic.described(*word)).collect();
        let widths: Vec<u8> = self.kept.iter().map(|word| word.width).collect();
        let same = |k: &&StageIdentity| (&k.0, &k.1, &k.2) == (&bodies, &described, &widths);
        if let Some((.., name)) = stages.known.iter().find(same) {
            return StageFunction { name: name.clone(), keys, of_way, constants };
        }
        let whole = match self.share.then(|| self.shared(program, &logic, &inputs, &bodies)).flatten() {
            Some(whole) => whole,
            None => self.chosen(logic, &bodies),
        };
        let copy = program.clone();
        let name = import(program, &copy, &whole, "stage");
        stages.known.push((bodies, described, widths, name.clone()));
        StageFunction { name, keys, of_way, constants }
    }

    /// What a way of running does.
    fn body(
        &self,
        program: &mut Program,
        way: usize,
        words: &[Operand],
        keys: &[Operand],
        params: &[KeyParam],
    ) -> StageBody {
        let sequence = &self.data[way];
        let step = &sequence.steps[self.stage];
        let function = &sequence.program.functions[step.body];
        // A stage that a way passes by has no logic of it.
        let function = if step.writes.is_empty() {
            function.clone()
        } else {
            let name = import(program, &sequence.program, function, &function.name);
            program.functions.iter().find(|f| f.name == name).unwrap_or(function).clone()
        };
        let arguments =
            step.reads.iter().map(|place| self.argument(sequence, way, place, words, keys, params)).collect();
        let given = |word: &StageWord| {
            let written = step.writes.iter().position(|p| carried(sequence, p).as_ref() == Some(word));
            let before = || self.previous.iter().position(|(c, _)| c == word).map(|n| words[n]);
            written.map(StageOutput::Written).or_else(|| before().map(StageOutput::Passed)).unwrap_or(StageOutput::Dead)
        };
        StageBody {
            function,
            arguments,
            constants: step.constants.clone(),
            kept: self.kept.iter().map(given).collect(),
        }
    }

    fn argument(
        &self,
        sequence: &Sequence,
        way: usize,
        place: &Place,
        words: &[Operand],
        keys: &[Operand],
        params: &[KeyParam],
    ) -> Operand {
        if let Some(key) = sequence.round_key(place) {
            let number = self.wires.number(way, self.stage, key);
            let at = params.iter().position(|k| k.width == key.2 && k.wires[way] == Some(number));
            return at.map_or(Operand::Const(0), |n| keys[n]);
        }
        let at = carried(sequence, place).and_then(|word| self.previous.iter().position(|(c, _)| *c == word));
        at.map_or(Operand::Const(0), |n| words[n])
    }

    /// The stage whose ways share operators.
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
                        StageOutput::Written(n) => merge::ResultSource::Result(*n),
                        StageOutput::Passed(word) => merge::ResultSource::Source(source(word)),
                        StageOutput::Dead => merge::ResultSource::Nothing,
                    })
                    .collect(),
            })
            .collect();
        let names: Vec<(String, u8)> = inputs.iter().map(|word| logic.described(*word)).collect();
        let widths: Vec<u8> = self.kept.iter().map(|word| word.width).collect();
        merge::share(program, "stage", &names, &widths, &alternatives)
    }

    /// The stage whose ways stand side by side.
    fn chosen(&self, mut logic: Logic, bodies: &[StageBody]) -> Function {
        let mut selected = Vec::new();
        if bodies.len() > 1 {
            // Parameters stand in one order with those of operators that are shared: what tells ways apart comes first.
            let bits = if bodies.len() == 2 { 1 } else { bodies.len() };
            let name = |n: usize| if bits == 1 { "second".to_owned() } else { format!("mode_{}", n + 1) };
            selected = (0..bits).map(|n| logic.first_param(n, &name(n), 1)).collect();
        }
        let called: Vec<Vec<Operand>> =
            bodies
                .iter()
                .map(|b| {
                    if b.function.results.is_empty() {
                        Vec::new()
                    } else {
                        logic.call(&b.function, b.arguments.clone())
                    }
                })
                .collect();
        let result = |body: usize, n: usize| match bodies[body].kept[n] {
            StageOutput::Written(r) => Some(called[body][r]),
            StageOutput::Passed(word) => Some(word),
            StageOutput::Dead => None,
        };
        let mut outputs = Vec::new();
        for (n, word) in self.kept.iter().enumerate() {
            let mut value = (0..bodies.len()).find_map(|body| result(body, n)).unwrap_or(Operand::Const(0));
            for body in 1..bodies.len() {
                let select = if bodies.len() == 2 { selected[0] } else { selected[body] };
                value = logic.select("", word.width, select, result(body, n).unwrap_or(value), value);
            }
            outputs.push((value, word.width));
        }
        logic.finish(&outputs)
    }

    /// The words that the stage hands on.
    pub fn call(
        &self,
        program: &Program,
        logic: &mut Logic,
        made: &StageFunction,
        running: &BlockMode,
        keys: &[Operand],
    ) -> Vec<Operand> {
        let Some(function) = program.functions.iter().find(|f| f.name == made.name) else { return Vec::new() };
        let mut arguments: Vec<Operand> = Vec::new();
        let bodies = made.of_way.iter().max().map_or(0, |n| n + 1);
        let told = match bodies {
            0 | 1 => 0..0,
            2 => 1..2,
            count => 0..count,
        };
        for body in told {
            arguments.push(running.holds(logic, &|way| made.of_way[way] == body));
        }
        arguments.extend(self.previous.iter().map(|(_, w)| *w));
        for KeyParam { width, wires } in &made.keys {
            let words: Vec<Option<Operand>> = wires.iter().map(|wire| wire.map(|n| keys[n])).collect();
            arguments.push(running.choose(logic, *width, &words).unwrap_or(Operand::Const(0)));
        }
        arguments.extend(made.constants.iter().map(|&c| Operand::Const(c)));
        logic.call(function, arguments)
    }
}
