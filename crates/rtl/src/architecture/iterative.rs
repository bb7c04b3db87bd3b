//! The iterative architecture: one step of the cipher per clock, in one set of registers.

use program::diagnostic::Diagnostic;
use program::ir::{Operand, Program};

use super::controller::{controller, port, Plan};
use super::engine::Engine;
use super::keys::{Slot, Stored};
use super::{Mode, Wanted};
use crate::design::{Clocks, Design, Direction, End, Machine, Port, Register, Timing, Wire};
use crate::logic::Logic;
use crate::sequence::{sequence, Cuts, Place, Role, Sequence};

/// How the functions of the cipher are cut.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Encryption and decryption.
    pub data: Cuts,
    /// The key schedule.
    pub key: Cuts,
}

/// Builds the iterative device for one key size.
///
/// # Errors
/// H101 to H104 for a function that cannot be cut, H301 for more than one key size.
pub fn iterative(wanted: &Wanted<'_>, options: &Options) -> Result<Design, Diagnostic> {
    let [(key_bits, source)] = wanted.programs[..] else {
        return Err(Diagnostic::new("H301", "an iterative device is built for one key size at a time"));
    };
    let modes = wanted.modes();
    let data: Vec<Sequence> = modes
        .iter()
        .map(|mode| sequence(source, if mode.decrypt { "decrypt" } else { "encrypt" }, &options.data))
        .collect::<Result<_, _>>()?;
    let keys = sequence(source, "key_schedule", &options.key)?;
    let mut program = Program { functions: Vec::new(), ..source.clone() };
    let stored = Stored::new(&mut program, keys);
    let mut slots = Vec::new();
    let engine = cipher_engine(&mut program, &data, &mut slots);
    let slot_controls: Vec<_> =
        slots.iter().enumerate().map(|(n, slot): (usize, &Slot)| slot.control(&format!("round_key{n}_at"))).collect();
    let plan = Plan {
        data: engine.controls.iter().chain(slot_controls.iter().flatten()).collect(),
        data_steps: engine.steps.clone(),
        key: stored.engine.controls.iter().collect(),
        key_steps: stored.engine.steps[0],
        directions: modes.len() > 1,
    };
    let key_bytes = key_bits / 8;
    let machines = vec![
        interface(&mut program, key_bytes, plan.directions),
        controller(&mut program, &plan),
        key_schedule(&mut program, &stored, &slots, &slot_controls, key_bytes),
        algorithm(&mut program, &engine, &data, &slots),
    ];
    let timing = timing(&modes, &engine.steps, stored.engine.steps[0]);
    Ok(assembled(wanted, program, machines, timing))
}

fn timing(modes: &[Mode], steps: &[usize], key_steps: usize) -> Timing {
    let clocks = modes.iter().zip(steps).map(|(mode, &n)| Clocks {
        key_bits: mode.key_bits,
        decrypt: mode.decrypt,
        key_setup: key_steps as u32 + 2,
        latency: n as u32 + 2,
        per_block: n as u32,
    });
    Timing { architecture: "iterative".to_owned(), clocks: clocks.collect() }
}

/// The engine of the cipher's steps. Words from outside: the bytes of the block, then the slots of round keys.
fn cipher_engine(program: &mut Program, data: &[Sequence], slots: &mut Vec<Slot>) -> Engine {
    let steps: Vec<usize> = data.iter().map(|s| s.steps.len()).collect();
    let modes: Vec<&Sequence> = data.iter().collect();
    Engine::new(program, "round", &modes, &mut |mode, step, read, place| {
        let Place::Element(array, n) = *place else { return None };
        let Role::Parameter(parameter) = data[mode].arrays[array as usize].role else { return None };
        if parameter == last_parameter(&data[mode]) {
            return Some(n as usize);
        }
        let width = data[mode].arrays[array as usize].width;
        let before = data[mode].steps[step].reads[..read].iter();
        let ordinal = before.filter(|p| is_key(&data[mode], p) == Some(width)).count();
        let number = slot_number(slots, width, ordinal, &steps);
        slots[number].wanted[mode][step] = Some((parameter, n));
        Some(BLOCK + number)
    })
}

/// Bytes of a block.
const BLOCK: usize = 16;

fn last_parameter(sequence: &Sequence) -> u32 {
    let numbers = sequence.arrays.iter().filter_map(|a| match a.role {
        Role::Parameter(n) => Some(n),
        _ => None,
    });
    numbers.max().unwrap_or(0)
}

/// Width of a place if it is a round key.
fn is_key(sequence: &Sequence, place: &Place) -> Option<u8> {
    let Place::Element(array, _) = *place else { return None };
    let array = &sequence.arrays[array as usize];
    match array.role {
        Role::Parameter(n) if n != last_parameter(sequence) => Some(array.width),
        _ => None,
    }
}

/// The slot that is the `ordinal`-th of its width.
fn slot_number(slots: &mut Vec<Slot>, width: u8, ordinal: usize, steps: &[usize]) -> usize {
    let fitting: Vec<usize> = (0..slots.len()).filter(|&n| slots[n].width == width).collect();
    fitting.get(ordinal).copied().unwrap_or_else(|| {
        slots.push(Slot::new(width, steps));
        slots.len() - 1
    })
}

/// The Interface registers all inputs.
fn interface(program: &mut Program, key_bytes: u32, directions: bool) -> Machine {
    let mut logic = Logic::new("interface");
    let mut ports = Vec::new();
    let mut inputs = Vec::new();
    let mut input = |logic: &mut Logic, name: &str, words: usize, width: u8| -> Vec<Operand> {
        ports.push(port(name, Direction::Input, &vec![width; words], ""));
        let name = |n| if words == 1 { name.to_owned() } else { format!("{name}{n}") };
        (0..words).map(|n| logic.param(&name(n), width)).collect()
    };
    let ready = input(&mut logic, "ready", 1, 1)[0];
    let load_key = input(&mut logic, "load_key", 1, 1)[0];
    let load_data = input(&mut logic, "load_data", 1, 1)[0];
    if directions {
        inputs.extend(input(&mut logic, "decrypt", 1, 1).into_iter().map(|w| ("direction", w, 1, false)));
    }
    inputs.extend(input(&mut logic, "key", key_bytes as usize, 8).into_iter().map(|w| ("key_byte", w, 8, true)));
    inputs.extend(input(&mut logic, "data_in", BLOCK, 8).into_iter().map(|w| ("block_byte", w, 8, false)));
    let take_key = logic.all("take_key", &[ready, load_key]);
    let take_data = logic.all("take_data", &[ready, load_data]);
    let mut registers = vec![register("key_loaded", 1, true, false), register("data_loaded", 1, true, false)];
    let mut held = vec![(logic.param("key_loaded", 1), 1), (logic.param("data_loaded", 1), 1)];
    let mut next = vec![(take_key, 1), (take_data, 1)];
    for (n, &(name, word, width, of_key)) in inputs.iter().enumerate() {
        let name = if width == 1 { name.to_owned() } else { format!("{name}{n}") };
        registers.push(register(&name, width, false, true));
        held.push((logic.param(&name, width), width));
        next.push((if of_key { take_key } else { take_data }, 1));
        next.push((word, width));
    }
    let mut outputs = vec![("key_loaded", vec![1]), ("data_loaded", vec![1])];
    if directions {
        outputs.push(("direction", vec![1]));
    }
    outputs.push(("key_word", vec![8; key_bytes as usize]));
    outputs.push(("block", vec![8; BLOCK]));
    ports.extend(outputs.iter().map(|(name, words)| port(name, Direction::Output, words, "")));
    held.extend(next);
    program.functions.push(logic.finish(&held));
    machine("interface", "The Interface registers all inputs.", ports, registers)
}

fn register(name: &str, width: u8, reset: bool, enabled: bool) -> Register {
    Register { name: name.to_owned(), width, reset: reset.then_some(0), enabled }
}

fn machine(name: &str, doc: &str, ports: Vec<Port>, registers: Vec<Register>) -> Machine {
    Machine {
        name: name.to_owned(),
        doc: vec![doc.to_owned()],
        function: name.to_owned(),
        ports,
        registers,
        stores: Vec::new(),
    }
}

/// Inputs of a machine: a port for each control, then buses.
struct Inputs {
    logic: Logic,
    ports: Vec<Port>,
}

impl Inputs {
    fn new(name: &str) -> Self {
        Inputs { logic: Logic::new(name), ports: Vec::new() }
    }

    fn word(&mut self, name: &str, width: u8) -> Operand {
        self.ports.push(port(name, Direction::Input, &[width], ""));
        self.logic.param(name, width)
    }

    fn bus(&mut self, name: &str, words: usize, width: u8) -> Vec<Operand> {
        self.ports.push(port(name, Direction::Input, &vec![width; words], ""));
        (0..words).map(|n| self.logic.param(&format!("{name}{n}"), width)).collect()
    }
}

/// Registers of an engine, as parameters; then its logic. Gives the registers, their operands and next values.
fn engine_part(
    program: &Program,
    inputs: &mut Inputs,
    engine: &Engine,
    controls: &[Operand],
    outside: &[Operand],
) -> (Vec<Register>, Vec<Operand>, Vec<(Operand, u8)>) {
    let cells: Vec<Operand> = engine.cells.iter().map(|c| inputs.logic.param(&c.name, c.width)).collect();
    let next = engine.write(program, &mut inputs.logic, controls, &cells, outside);
    let registers = engine.cells.iter().map(|c| register(&c.name, c.width, false, true)).collect();
    let mut results = Vec::new();
    for (cell, next) in engine.cells.iter().zip(&next) {
        results.push((next.enable, 1));
        results.push((next.value, cell.width));
    }
    (registers, cells, results)
}

/// The Key Schedule: runs once per key, then gives the round keys of each step.
fn key_schedule(
    program: &mut Program,
    stored: &Stored,
    slots: &[Slot],
    slot_controls: &[Option<super::engine::Control>],
    key_bytes: u32,
) -> Machine {
    let mut inputs = Inputs::new("key_schedule");
    let controls: Vec<Operand> =
        stored.engine.controls.iter().map(|c| inputs.word(&c.name, c.width)).collect();
    let addresses: Vec<Option<Operand>> =
        slot_controls.iter().map(|c| c.as_ref().map(|c| inputs.word(&c.name, c.width))).collect();
    let key = inputs.bus("key_word", key_bytes as usize, 8);
    let (registers, cells, next) = engine_part(program, &mut inputs, &stored.engine, &controls, &key);
    let results = stored.results(program, &mut inputs.logic, &cells, &key);
    let mut outputs = Vec::new();
    let mut ports = inputs.ports;
    for (n, (slot, address)) in slots.iter().zip(&addresses).enumerate() {
        let words: Vec<Operand> = slot.distinct().iter().map(|&(r, e)| results[r as usize][e as usize]).collect();
        let word = match address {
            Some(at) => inputs.logic.choose(&format!("round_key{n}"), slot.width, *at, &words),
            None => words[0],
        };
        outputs.push((word, slot.width));
        ports.push(port(&format!("round_key{n}"), Direction::Output, &[slot.width], ""));
    }
    outputs.extend(next);
    program.functions.push(inputs.logic.finish(&outputs));
    machine("key_schedule", "The Key Schedule runs once per key and keeps the round keys.", ports, registers)
}

/// The Algorithm: the cipher's steps.
fn algorithm(program: &mut Program, engine: &Engine, data: &[Sequence], slots: &[Slot]) -> Machine {
    let mut inputs = Inputs::new("algorithm");
    let controls: Vec<Operand> = engine.controls.iter().map(|c| inputs.word(&c.name, c.width)).collect();
    let mut outside = inputs.bus("block", BLOCK, 8);
    for (n, slot) in slots.iter().enumerate() {
        outside.push(inputs.word(&format!("round_key{n}"), slot.width));
    }
    let (registers, cells, next) = engine_part(program, &mut inputs, engine, &controls, &outside);
    let place = |place: &Place| engine.find(&data[0], place).map_or(Operand::Const(0), |cell| cells[cell]);
    let mut outputs: Vec<(Operand, u8)> = data[0].results[0].iter().map(|p| (place(p), 8)).collect();
    outputs.extend(next);
    let mut ports = inputs.ports;
    ports.push(port("data_out", Direction::Output, &[8; BLOCK], ""));
    program.functions.push(inputs.logic.finish(&outputs));
    machine("algorithm", "The Algorithm: one step of the cipher per clock.", ports, registers)
}

/// Wires equal names together; pins go to and come from the machines that have them.
fn assembled(wanted: &Wanted<'_>, program: Program, machines: Vec<Machine>, timing: Timing) -> Design {
    let find = |name: &str, direction: Direction| {
        machines.iter().position(|m| m.ports.iter().any(|p| p.name == name && p.direction == direction))
    };
    let mut ports = Vec::new();
    let mut wires = Vec::new();
    for (number, machine) in machines.iter().enumerate() {
        for input in machine.ports.iter().filter(|p| p.direction == Direction::Input) {
            // The direction of a block reaches the Controller from the Interface, not from its pin.
            let name = if machine.name == "controller" && input.name == "decrypt" { "direction" } else { &input.name };
            let from = find(name, Direction::Output);
            if from.is_none() && !ports.iter().any(|p: &Port| p.name == input.name) {
                ports.push(Port { direction: Direction::Input, ..input.clone() });
            }
            wires.push(Wire {
                from: End { machine: from, port: name.to_owned() },
                to: End { machine: Some(number), port: input.name.clone() },
            });
        }
    }
    for name in ["data_out", "valid", "ready"] {
        let Some(number) = find(name, Direction::Output) else { continue };
        let Some(output) = machines[number].ports.iter().find(|p| p.name == name) else { continue };
        ports.push(output.clone());
        let end = |machine| End { machine, port: name.to_owned() };
        wires.push(Wire { from: end(Some(number)), to: end(None) });
    }
    Design { name: wanted.name.clone(), doc: Vec::new(), program, machines, ports, wires, timing }
}

