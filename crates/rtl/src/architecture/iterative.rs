//! The iterative architecture: one step of the cipher per clock, in one set of registers.

mod stored_keys;

use std::collections::BTreeMap;

use program::diagnostic::Diagnostic;
use program::ir::{Operand, Program};

use super::controller::{controller, lockstep, Plan};
use super::copies::{check, side_by_side};
use super::engine::Engine;
use super::in_state::Results;
use super::keys::kept_files::kept_files;
use super::keys::machine::key_schedule as lockstep_keys;
use super::keys::network::{Network, NetworkRequest};
use super::keys::plan::{OnTheFly, Way};
use super::keys::steering::Steering;
use super::keys::{Element, Keys, Slot, Stand, StoredKeys};
use super::parts::{assembled, engine_part, interface, machine, port, Inputs, BETWEEN_BLOCKS};
use super::slots::{in_order, slots as assigned, Read};
use super::ways::input_bytes;
use super::{Cut, DeviceRequest};
use crate::design::{Cell, Design, Direction, Machine, Timing};
use crate::sequence::{Cuts, Place, Role, Sequence};

use self::stored_keys::{key_schedule, read_sides, selected, selected_at, ReadSide};

pub use super::Options;

/// Builds the iterative device for one key size or all three.
///
/// # Errors
/// H101 to H107 for a function that cannot be cut, H301 for other key sizes, H309 and H310 where keys cannot be made on the fly,
/// H313 and H314 for a number of copies that cannot be.
pub fn iterative(wanted: &DeviceRequest<'_>, options: &Options) -> Result<Design, Diagnostic> {
    check("iterative", options.copies)?;
    // A core takes the next block from the Interface while it works on the one before.
    let data = Cuts { block_leaves: true, ..options.data.clone() };
    let options = &Options { data, ..options.clone() };
    let cut = wanted.cut("an iterative device", options)?;
    let one = match options.keys {
        _ if !cut.keyed() => Ok(without_key(wanted, &cut, options)),
        Keys::Stored => Ok(kept(wanted, cut, options)),
        Keys::Auto => in_step(wanted, &cut, options).or_else(|_| Ok(kept(wanted, cut, options))),
        Keys::Window | Keys::Independent => in_step(wanted, &cut, options),
    };
    side_by_side(one?, options.copies)
}

/// The device without a key.
fn without_key(wanted: &DeviceRequest<'_>, cut: &Cut, options: &Options) -> Design {
    let mut program = cut.source.clone();
    let results = Results::of(&cut.data);
    let engine =
        cipher_engine(&mut program, &results.data, options.share, &mut Vec::new(), &BTreeMap::new(), &|_| None);
    let plan = lockstep::Plan {
        data: engine.controls.iter().collect(),
        keys: Vec::new(),
        steps: engine.steps.clone(),
        setup: None,
        waits: vec![false],
        ways: cut.ways,
        waits_first: results.in_state(),
        keyed: false,
    };
    let machines = vec![
        interface(&mut program, &cut.key_pins()),
        lockstep::lockstep(&mut program, &plan),
        algorithm::<Stand>(&mut program, &engine, &results, &[], (cut.input_bytes(), cut.output_bytes())),
    ];
    assembled(wanted, program, machines, timing(cut, |_| 0))
}

/// The device whose round keys are computed once per key and kept.
fn kept(wanted: &DeviceRequest<'_>, mut cut: Cut, options: &Options) -> Design {
    let mut program = cut.source.clone();
    let mut stored = StoredKeys::new(&mut program, cut.keys.clone(), options.share);
    if stored.same_places() {
        cut.unite_sizes();
    }
    let mut slots = Vec::new();
    let results = Results::of(&cut.data);
    let schedule = |way| Some(cut.keys_of(way));
    let engine = cipher_engine(&mut program, &results.data, options.share, &mut slots, &assigned(&cut.data), &schedule);
    let stands = |slot: &Slot<Element>| slot.renamed(|way, key| stored.stand(cut.keys_of(way), *key));
    let slots: Vec<Slot<Stand>> = slots.iter().map(stands).collect();
    let ports = read_sides(&mut stored, &slots, options, (cut.key_bytes(), engine.selects()));
    let (early, in_time): (Vec<&ReadSide>, Vec<&ReadSide>) = ports.iter().partition(|port| port.ahead);
    let (key_early, key_in_time): (Vec<&ReadSide>, Vec<&ReadSide>) = ports.iter().partition(|port| port.read_ahead);
    let plan = Plan {
        data: engine.controls.iter().chain(in_time.iter().filter_map(|port| port.at.as_ref())).collect(),
        shows_key_runs: key_in_time.iter().any(|port| port.read.is_some()),
        early: early.iter().filter_map(|port| port.at.as_ref()).collect(),
        data_steps: engine.steps.clone(),
        key: stored.engine.controls.iter().chain(key_in_time.iter().filter_map(|port| port.read.as_ref())).collect(),
        key_early: key_early.iter().filter_map(|port| port.read.as_ref()).collect(),
        key_steps: stored.engine.steps.clone(),
        ways: cut.ways,
        waits_first: results.in_state(),
    };
    let machines = vec![
        interface(&mut program, &cut.key_pins()),
        controller(&mut program, &plan),
        key_schedule(&mut program, &stored, (&slots, &ports), &engine.selection_ports, cut.key_bytes()),
        algorithm(&mut program, &engine, &results, &slots, (cut.input_bytes(), cut.output_bytes())),
    ];
    assembled(wanted, program, machines, timing(&cut, |mode| stored.engine.steps[cut.keys_of_mode(mode)] as u32 + 2))
}

/// The device whose round keys are made in step with the cipher.
fn in_step(wanted: &DeviceRequest<'_>, cut: &Cut, options: &Options) -> Result<Design, Diagnostic> {
    let mut program = cut.source.clone();
    let mut keys = cut.planned_keys(
        &mut program,
        Way { keys: options.keys, ahead: options.ahead, share: options.share, ..Way::default() },
    )?;
    let mut slots = Vec::new();
    let results = Results::of(&cut.data);
    let engine = cipher_engine(&mut program, &results.data, options.share, &mut slots, &in_order(&cut.data), &|_| None);
    let network = Network::new(&keys, &asked(&keys, &slots), true);
    let files = if options.storage == Cell::Latch { kept_files(&keys, &network) } else { Vec::new() };
    let mut steering = Steering::new(&program, &network, &files);
    if !files.is_empty() {
        // What is written last can be read two clocks later.
        steering.idle_at_last(keys.ways()..keys.schedules.len());
        keys.setup.iter_mut().flatten().for_each(|clocks| *clocks += 1);
    }
    let plan = lockstep::Plan {
        data: engine.controls.iter().collect(),
        keys: steering.controls.iter().collect(),
        steps: engine.steps.clone(),
        setup: keys.setup.clone(),
        waits: keys.waits.clone(),
        ways: cut.ways,
        waits_first: results.in_state(),
        keyed: true,
    };
    let machines = vec![
        interface(&mut program, &cut.key_pins()),
        lockstep::lockstep(&mut program, &plan),
        lockstep_keys(&mut program, &keys, &network, (&steering, &files), cut.ways, cut.key_bytes()),
        algorithm(&mut program, &engine, &results, &slots, (cut.input_bytes(), cut.output_bytes())),
    ];
    let setup = |mode: usize| match &keys.setup {
        Some(clocks) if keys.waits[cut.ways.of(mode)] => clocks[cut.keys_of_mode(mode)] as u32 + 1,
        _ => 0,
    };
    Ok(assembled(wanted, program, machines, timing(cut, setup)))
}

fn timing(cut: &Cut, key_setup: impl Fn(usize) -> u32) -> Timing {
    cut.timing("iterative", |mode| {
        let steps = cut.data[cut.ways.of(mode)].steps.len() as u32;
        (key_setup(mode), steps + 2, steps.max(BETWEEN_BLOCKS))
    })
}

/// The values that the slots ask for.
pub(super) fn asked(keys: &OnTheFly, slots: &[Slot<Element>]) -> Vec<NetworkRequest> {
    let of = |slot: &Slot<Element>| NetworkRequest {
        width: slot.width,
        wanted: slot.renamed(|way, element| keys.result(way, *element)).wanted,
    };
    slots.iter().map(of).collect()
}

/// The engine of the cipher's steps. Words from outside: the bytes of the block, then the slots of round keys.
pub(super) fn cipher_engine(
    program: &mut Program,
    data: &[Sequence],
    share: bool,
    slots: &mut Vec<Slot<Element>>,
    assigned: &BTreeMap<Read, usize>,
    schedule: &dyn Fn(usize) -> Option<usize>,
) -> Engine {
    let steps: Vec<usize> = data.iter().map(|s| s.steps.len()).collect();
    let modes: Vec<&Sequence> = data.iter().collect();
    let block_bytes = input_bytes(data);
    Engine::new(
        program,
        "round",
        &modes,
        share,
        &mut |mode, step, read, place| {
            let sequence = &data[mode];
            let Some((parameter, n, width)) = sequence.round_key(place) else {
                let Place::Element(array, n) = *place else { return None };
                return matches!(sequence.arrays[array as usize].role, Role::Parameter(_)).then_some(n as usize);
            };
            let number = assigned[&(mode, step, read)];
            while slots.len() <= number {
                slots.push(Slot::new(width, &steps));
            }
            slots[number].width = width;
            slots[number].wanted[mode][step] = Some((parameter, n));
            Some(block_bytes + number)
        },
        schedule,
    )
}

/// The Algorithm: the cipher's steps.
fn algorithm<T>(
    program: &mut Program,
    engine: &Engine,
    results: &Results,
    slots: &[Slot<T>],
    (input_bytes, output_bytes): (usize, usize),
) -> Machine {
    let mut inputs = Inputs::new("algorithm");
    let controls: Vec<Operand> = engine.controls.iter().map(|c| inputs.word(&c.name, c.width)).collect();
    let mut outside = inputs.bus("block", input_bytes, 8);
    for (n, slot) in slots.iter().enumerate() {
        outside.push(inputs.word(&format!("round_key{n}"), slot.width));
    }
    let ports = engine.selection_ports.iter().enumerate();
    let through: Vec<Operand> = ports.map(|(n, port)| inputs.word(&selected(n), port.width)).collect();
    let going = inputs.word("going", 1);
    let (registers, cells, next, addresses) =
        engine_part(program, &mut inputs, engine, &controls, (&outside, &through), going);
    let bytes = results.bytes(&mut inputs.logic, engine, &cells);
    let mut outputs: Vec<(Operand, u8)> = bytes.into_iter().map(|byte| (byte, 8)).collect();
    let mut ports = inputs.ports;
    ports.push(port("data_out", Direction::Output, &vec![8; output_bytes], ""));
    for (n, (_, bits)) in addresses.iter().enumerate() {
        ports.push(port(&selected_at(n), Direction::Output, &[*bits], ""));
    }
    outputs.extend(addresses.into_iter().chain(next));
    program.functions.push(inputs.logic.finish(&outputs));
    machine("algorithm", "The Algorithm: one step of the cipher per clock.", ports, registers)
}
