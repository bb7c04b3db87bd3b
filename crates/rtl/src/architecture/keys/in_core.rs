//! The Key Schedule of a core: what it starts with comes from the pins in the first step, and goes on from there.

use program::ir::{Operand, Program};

use super::super::controller::of_core::{FIRST, GOES_BACKWARD};
use super::super::parts::{machine, port, register, Inputs};
use super::super::running::BlockMode;
use super::super::ways::Ways;
use super::machine::root;
use super::network::{Mux, Network, Source};
use super::plan::OnTheFly;
use super::steering::{Steering, Words};
use crate::design::{Direction, Machine};
use crate::logic::Logic;

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
    let first = inputs.word(FIRST, 1);
    let direction = ways.directions.then(|| inputs.word(GOES_BACKWARD, 1));
    let block = BlockMode { ways, direction, size: None };
    let pins = inputs.bus("key", key_bytes as usize, 8);
    let Inputs { mut logic, mut ports } = inputs;
    let widths = &network.places.widths;
    let mut window: Vec<Option<Operand>> = widths
        .iter()
        .enumerate()
        .map(|(n, &width)| network.holds(n).then(|| logic.param(&format!("window{n}"), width)))
        .collect();
    let keeps = reads_key_later(network);
    let kept = |logic: &mut Logic, n: usize| if keeps { logic.param(&format!("key_byte{n}"), 8) } else { pins[n] };
    let kept: Vec<Operand> = (0..pins.len()).map(|n| kept(&mut logic, n)).collect();
    let key: Vec<Operand> =
        pins.iter().zip(&kept).map(|(&pin, &kept)| chosen(&mut logic, 8, first, pin, kept)).collect();

    let functions: &Program = program;
    let starts: Vec<_> = (0..plan.ways()).map(|way| network.start(way)).collect();
    let mut loaded: Vec<Option<Operand>> = vec![None; widths.len()];
    for (n, word) in window.iter_mut().enumerate() {
        let of_ways = starts.iter().map(|start| {
            let value = *start.get(&n)?;
            Some(root(functions, &mut logic, &plan.graph, value, &pins))
        });
        let of_ways: Vec<Option<Operand>> = of_ways.collect();
        let start = block.choose(&mut logic, widths[n], &of_ways);
        if network.loads {
            loaded[n] = start;
        } else if let Some(start) = start {
            *word = Some(word.map_or(start, |held| chosen(&mut logic, widths[n], first, start, held)));
        }
    }
    let of_key = |logic: &mut Logic, value: usize| root(functions, logic, &plan.graph, value, &key);
    let window = window.into_iter().map(|word| word.unwrap_or(Operand::Const(0))).collect();
    let words = Words { root: &of_key, window, kept: Vec::new() };
    let given = steering.write(functions, &mut logic, network, &controls, &words);

    let (mut registers, mut next) = (Vec::new(), Vec::new());
    for (n, (&width, &moved)) in widths.iter().zip(&given.window).enumerate().filter(|(n, _)| network.holds(*n)) {
        let value = loaded[n].map_or(moved, |start| chosen(&mut logic, width, first, start, moved));
        registers.push(register(&format!("window{n}"), width, false, false));
        next.push((value, width));
    }
    if keeps {
        registers.extend((0..pins.len()).map(|n| register(&format!("key_byte{n}"), 8, false, true)));
        next.extend(pins.iter().flat_map(|&pin| [(first, 1), (pin, 8)]));
    }
    let mut outputs = Vec::new();
    for (n, (&word, mux)) in given.slots.iter().zip(&network.slots).enumerate() {
        outputs.push((word, mux.width));
        ports.push(port(&format!("round_key{n}"), Direction::Output, &[mux.width], ""));
    }
    outputs.extend(next);
    program.functions.push(logic.finish(&outputs));
    let doc = "The Key Schedule makes the round keys in step with the cipher, from the key that comes with the block.";
    machine("key_schedule", doc, ports, registers)
}

/// The word from the pins in the first step, else that of a register.
fn chosen(logic: &mut Logic, width: u8, first: Operand, pin: Operand, kept: Operand) -> Operand {
    if pin == kept {
        return pin;
    }
    logic.select("", width, first, pin, kept)
}

/// Whether words of the key itself are read after the first step.
pub(in super::super) fn reads_key_later(network: &Network) -> bool {
    let later = |mux: &Mux| mux.from.iter().any(|way| way.iter().skip(1).any(|s| matches!(s, Some(Source::Root(_)))));
    network.muxes().any(later)
}
