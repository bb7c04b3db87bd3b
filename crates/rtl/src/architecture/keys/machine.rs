//! The Key Schedule as a machine that goes in step with the cipher.

use program::ir::{Operand, Program};

use super::super::parts::{machine, port, register, Inputs, SIZE_BITS};
use super::super::running::Running;
use super::super::ways::Ways;
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
    let Some(maker) = graph.values[value].maker else {
        return graph.values[value].byte.map_or(Operand::Const(0), |n| key[n]);
    };
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
    ways: Ways,
    key_bytes: u32,
) -> Machine {
    let mut inputs = Inputs::new("key_schedule");
    let controls: Vec<Operand> = steering.controls.iter().map(|c| inputs.word(&c.name, c.width)).collect();
    let block_starts = inputs.word("block_starts", 1);
    let going = inputs.word("going", 1);
    let setup_starts = plan.setup.as_ref().map(|_| inputs.word("setup_starts", 1));
    let direction = ways.directions.then(|| inputs.word("direction", 1));
    let size = ways.sizes.then(|| inputs.word("size", SIZE_BITS));
    let block = Running { ways, direction, size };
    let of_size = block.of_key(plan.graph.results.len() > 1);
    let key = inputs.bus("key_word", key_bytes as usize, 8);
    let functions: &Program = program;
    let of_key = |logic: &mut Logic, value: usize| root(functions, logic, &plan.graph, value, &key);
    let words = Words {
        root: &of_key,
        window: (0..network.places.widths.len())
            .map(|n| inputs.logic.param(&format!("window{n}"), network.places.widths[n]))
            .collect(),
        kept: (plan.kept.iter().enumerate())
            .map(|(n, word)| inputs.logic.param(&kept_name(n, &word.name), word.width))
            .collect(),
    };
    let logic = &mut inputs.logic;
    let given = steering.write(functions, logic, network, &controls, &words);
    let starts = logic.any("starts", &[block_starts, setup_starts.unwrap_or(Operand::Const(0))]);
    let advances = logic.all("", &[given.advances, going]);
    let enable = logic.any("window_enable", &[advances, starts]);
    let (mut registers, mut next) = (Vec::new(), Vec::new());
    let at_start: Vec<_> = (0..plan.schedules.len()).map(|mode| network.start(mode)).collect();
    for (n, &width) in network.places.widths.iter().enumerate() {
        let first: Vec<Option<Operand>> = at_start
            .iter()
            .enumerate()
            .map(|(mode, map)| {
                let value = *map.get(&n)?;
                Some(match plan.kept_in(mode, value) {
                    Some(k) => words.kept[k],
                    None => of_key(logic, value),
                })
            })
            .collect();
        let (of_ways, of_setups) = first.split_at(plan.ways());
        let of_ways = block.choose(logic, width, of_ways);
        let of_setups = of_size.choose(logic, width, of_setups);
        let start = match (of_ways, of_setups, setup_starts) {
            (Some(a), Some(b), Some(setup)) => Some(logic.select("", width, setup, b, a)),
            (a, b, _) => a.or(b),
        };
        let value = match start {
            Some(start) => logic.select("", width, starts, start, given.window[n]),
            None => given.window[n],
        };
        registers.push(register(&format!("window{n}"), width, false, true));
        next.push((enable, 1));
        next.push((value, width));
    }
    for (n, word) in plan.kept.iter().enumerate() {
        let (enable, value) = match given.kept[n] {
            Some(written) => written,
            None => {
                let roots: Vec<Option<Operand>> = word.values.iter().map(|v| v.map(|v| of_key(logic, v))).collect();
                let value = of_size.choose(logic, word.width, &roots).unwrap_or(Operand::Const(0));
                (setup_starts.unwrap_or(Operand::Const(0)), value)
            }
        };
        registers.push(register(&kept_name(n, &word.name), word.width, false, true));
        next.push((enable, 1));
        next.push((value, word.width));
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
