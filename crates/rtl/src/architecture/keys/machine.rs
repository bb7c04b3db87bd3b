//! The Key Schedule as a machine that goes in step with the cipher.

use program::ir::{Operand, Program};

use super::super::parts::{machine, port, register, Inputs};
use super::graph::Graph;
use super::network::Network;
use super::plan::OnTheFly;
use super::steering::{Steering, Words};
use crate::design::{Direction, Machine};
use crate::logic::Logic;

/// A root as a function of the key's bytes.
pub(in super::super) fn root(
    program: &Program,
    logic: &mut Logic,
    graph: &Graph,
    value: usize,
    key: &[Operand],
) -> Operand {
    let Some(maker) = graph.values[value].maker else { return key[value] };
    let call = &graph.calls[maker];
    let mut arguments: Vec<Operand> = call.inputs.iter().map(|&v| root(program, logic, graph, v, key)).collect();
    arguments.extend(call.constants.iter().map(|&c| Operand::Const(c)));
    let Some(function) = program.functions.iter().find(|f| f.name == call.function) else { return Operand::Const(0) };
    let at = call.outputs.iter().position(|&v| v == value).unwrap_or(0);
    match function.body.outputs[at] {
        Operand::Const(number) => Operand::Const(number),
        Operand::Value(_) => logic.call(function, arguments)[at],
    }
}

/// Writes the Key Schedule; its function comes into the program.
pub(in super::super) fn key_schedule(
    program: &mut Program,
    plan: &OnTheFly,
    network: &Network,
    steering: &Steering,
    directions: bool,
    key_bytes: u32,
) -> Machine {
    let mut inputs = Inputs::new("key_schedule");
    let controls: Vec<Operand> = steering.controls.iter().map(|c| inputs.word(&c.name, c.width)).collect();
    let block_starts = inputs.word("block_starts", 1);
    let setup_starts = plan.setup.map(|_| inputs.word("setup_starts", 1));
    let direction = directions.then(|| inputs.word("direction", 1));
    let key = inputs.bus("key_word", key_bytes as usize, 8);
    let kept = plan.kept();
    let values = &plan.graph.values;
    let functions: &Program = program;
    let of_key = |logic: &mut Logic, value: usize| root(functions, logic, &plan.graph, value, &key);
    let words = Words {
        root: &of_key,
        window: (0..network.places.widths.len())
            .map(|n| inputs.logic.param(&format!("window{n}"), network.places.widths[n]))
            .collect(),
        kept: kept
            .iter()
            .enumerate()
            .map(|(n, &v)| inputs.logic.param(&kept_name(n, &values[v].name), values[v].width))
            .collect(),
    };
    let logic = &mut inputs.logic;
    let given = steering.write(functions, logic, network, &controls, &words);
    let starts = logic.any("starts", &[block_starts, setup_starts.unwrap_or(Operand::Const(0))]);
    let enable = logic.any("window_enable", &[given.advances, starts]);
    let (mut registers, mut next) = (Vec::new(), Vec::new());
    let modes = plan.schedules.len();
    let at_start: Vec<_> = (0..modes).map(|mode| network.start(mode)).collect();
    for (n, &width) in network.places.widths.iter().enumerate() {
        let first: Vec<Option<Operand>> = at_start
            .iter()
            .map(|map| {
                let value = *map.get(&n)?;
                Some(match kept.iter().position(|&v| v == value) {
                    Some(k) => words.kept[k],
                    None => of_key(logic, value),
                })
            })
            .collect();
        let start = started(logic, width, &first, direction, setup_starts);
        let value = match start {
            Some(start) => logic.select("", width, starts, start, given.window[n]),
            None => given.window[n],
        };
        registers.push(register(&format!("window{n}"), width, false, true));
        next.push((enable, 1));
        next.push((value, width));
    }
    for (n, &value) in kept.iter().enumerate() {
        let width = values[value].width;
        let (enable, word) = match given.kept[n] {
            Some(written) => written,
            None => {
                let word = of_key(logic, value);
                (setup_starts.unwrap_or(Operand::Const(0)), word)
            }
        };
        registers.push(register(&kept_name(n, &values[value].name), width, false, true));
        next.push((enable, 1));
        next.push((word, width));
    }
    let mut ports = inputs.ports;
    let mut outputs = Vec::new();
    for (n, (&word, mux)) in given.slots.iter().zip(&network.slots).enumerate() {
        outputs.push((word, mux.width));
        ports.push(port(&format!("round_key{n}"), Direction::Output, &[mux.width], ""));
    }
    outputs.extend(next);
    program.functions.push(inputs.logic.finish(&outputs));
    machine("key_schedule", "The Key Schedule makes the round keys in step with the cipher.", ports, registers)
}

fn kept_name(number: usize, name: &str) -> String {
    format!("kept{number}_{name}")
}

/// The word that a register starts with: for the first direction, the second and key set-up.
fn started(
    logic: &mut Logic,
    width: u8,
    first: &[Option<Operand>],
    direction: Option<Operand>,
    setup: Option<Operand>,
) -> Option<Operand> {
    let of_setup = setup.and_then(|_| first[first.len() - 1]);
    let forward = first[0];
    let backward = direction.and_then(|_| first[1]);
    let block = match (forward, backward, direction) {
        (Some(a), Some(b), Some(direction)) => Some(logic.select("", width, direction, b, a)),
        (a, b, _) => a.or(b),
    };
    match (block, of_setup, setup) {
        (Some(a), Some(b), Some(setup)) => Some(logic.select("", width, setup, b, a)),
        (a, b, _) => a.or(b),
    }
}
