//! The Key Schedule as a machine that goes in step with the cipher.

use program::ir::{Operand, Program};

use super::super::parts::{machine, port, register, Inputs, ADDRESS};
use super::super::running::BlockMode;
use super::super::ways::Ways;
use super::graph::Graph;
use super::kept_files::{is_filed, KeptFile};
use super::network::Network;
use super::plan::OnTheFly;
use super::steering::{Steering, Words};
use crate::design::{Cell, Direction, Machine, Store};
use crate::logic::{bits_for, Logic};

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
    (steering, files): (&Steering, &[KeptFile]),
    ways: Ways,
    key_bytes: u32,
) -> Machine {
    let mut inputs = Inputs::new("key_schedule");
    let controls: Vec<Operand> = steering.controls.iter().map(|c| inputs.word(&c.name, c.width)).collect();
    let block_starts = inputs.word("block_starts", 1);
    let going = inputs.word("going", 1);
    let setup_starts = plan.setup.as_ref().map(|_| inputs.word("setup_starts", 1));
    let direction = ways.directions.then(|| inputs.word("direction", 1));
    let size = ways.sizes.then(|| inputs.word("size", ways.size_bits()));
    let block = BlockMode { ways, direction, size };
    let of_size = block.of_key(plan.graph.results.len() > 1);
    let key = inputs.bus("key_word", key_bytes as usize, 8);
    let functions: &Program = program;
    let of_key = |logic: &mut Logic, value: usize| root(functions, logic, &plan.graph, value, &key);
    let window = (0..network.places.widths.len())
        .map(|n| inputs.logic.param(&format!("window{n}"), network.places.widths[n]))
        .collect();
    let (kept, stores) = kept_words(&mut inputs.logic, plan, files);
    let words = Words { root: &of_key, window, kept };
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
    for (n, word) in plan.kept.iter().enumerate().filter(|(n, _)| !is_filed(files, *n)) {
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
    for ((written, at, row), file) in given.files.into_iter().zip(files) {
        let bits = bits_for(file.rows.len());
        let address = logic.concat("", &[(at, bits), (Operand::Const(0), ADDRESS - bits)]);
        let lanes: Vec<(Operand, u8)> =
            row.into_iter().zip(&file.rows[0]).map(|(word, &n)| (word, plan.kept[n].width)).collect();
        next.extend([(written, 1), (address, ADDRESS), (logic.concat("", &lanes), file.width)]);
    }
    let mut ports = inputs.ports;
    let mut outputs = Vec::new();
    for (n, (&word, mux)) in given.slots.iter().zip(&network.slots).enumerate() {
        outputs.push((word, mux.width));
        ports.push(port(&format!("round_key{n}"), Direction::Output, &[mux.width], ""));
    }
    outputs.extend(next);
    program.functions.push(inputs.logic.finish(&outputs));
    let doc = "The Key Schedule makes the round keys in step with the cipher.";
    Machine { stores, ..machine("key_schedule", doc, ports, registers) }
}

/// The kept words: parameters for the registers, then words of stores.
fn kept_words(logic: &mut Logic, plan: &OnTheFly, files: &[KeptFile]) -> (Vec<Operand>, Vec<Store>) {
    let mut words = vec![Operand::Const(0); plan.kept.len()];
    for (n, word) in plan.kept.iter().enumerate().filter(|(n, _)| !is_filed(files, *n)) {
        words[n] = logic.param(&kept_name(n, &word.name), word.width);
    }
    let mut stores = Vec::new();
    for (number, file) in files.iter().enumerate() {
        let (name, length) = (format!("kept_file{number}"), file.rows.len() as u32);
        let store = logic.store(&name, file.width, length);
        for (address, row) in file.rows.iter().enumerate() {
            let whole = logic.word_of(store, file.width, address as u32);
            let mut from = 0;
            for &n in row {
                words[n] = logic.extract(plan.kept[n].width, whole, from);
                from += plan.kept[n].width;
            }
        }
        stores.push(Store { name, width: file.width, length, writes: 1, cell: Cell::Latch });
    }
    (words, stores)
}

fn kept_name(number: usize, name: &str) -> String {
    format!("kept{number}_{name}")
}
