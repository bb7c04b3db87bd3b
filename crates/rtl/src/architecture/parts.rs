//! What the architectures share: the Interface, machines around an engine, wires by name.

use std::collections::BTreeSet;

use program::ir::{OpKind, Operand, Program};

use super::engine::Engine;
use super::DeviceRequest;
use crate::design::{self, Design, Direction, End, Machine, Port, Register, Store, Timing, Wire};
use crate::logic::{bits_for, Logic};

/// Bits of the address of a store.
pub(super) const ADDRESS: u8 = 16;

/// A port of one machine or the device.
pub(super) fn port(name: &str, direction: Direction, words: &[u8], doc: &str) -> Port {
    Port { name: name.to_owned(), direction, words: words.to_vec(), doc: doc.to_owned() }
}

/// The pins of key and block, and what follows a short key.
pub(super) struct Pins {
    /// Bytes of the key's pins; short keys stand in the first. None where there is no key.
    pub key_bytes: u32,
    /// Bytes of a block.
    pub block_bytes: usize,
    /// Bytes of the tweak that comes with a block; 0 where there is none.
    pub tweak_bytes: usize,
    /// A key brings its size along, and other blocks of the device are told.
    pub size: KeySizeUsers,
    /// How many sizes of a key there are.
    pub key_sizes: usize,
    /// The pin by which a block brings its direction along: what it is called to go backward.
    pub backward: Option<String>,
    /// Per key size the bytes that follow the key; empty where nobody looks at them.
    pub pads: Vec<Vec<u8>>,
}

/// Who is told the size of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeySizeUsers {
    /// There is one size.
    Nobody,
    /// Only the Interface.
    Interface,
    /// Other blocks too.
    Others,
}

/// The output of the Interface that says that a key was taken since reset.
pub(super) const HAS_KEY: &str = "has_key";

/// Fewest clocks between two blocks that the Interface of an iterative device passes on: one to take a block, one to start it.
pub(super) const BETWEEN_BLOCKS: u32 = 2;

/// The Interface registers all inputs and pads short keys. It takes the first key after reset without being asked: the Controller is
/// ready once `has_key` is 1.
pub(super) fn interface(program: &mut Program, pins: &Pins) -> Machine {
    let &Pins { key_bytes, block_bytes, tweak_bytes, ref backward, .. } = pins;
    let keyed = key_bytes > 0;
    let mut logic = Logic::new("interface");
    let mut ports = Vec::new();
    let mut inputs = Vec::new();
    let mut input = |logic: &mut Logic, name: &str, words: usize, width: u8| -> Vec<Operand> {
        ports.push(port(name, Direction::Input, &vec![width; words], ""));
        let name = |n| if words == 1 { name.to_owned() } else { format!("{name}{n}") };
        (0..words).map(|n| logic.param(&name(n), width)).collect()
    };
    let ready = input(&mut logic, "ready", 1, 1)[0];
    let load_key = keyed.then(|| input(&mut logic, "load_key", 1, 1)[0]);
    let load_data = input(&mut logic, "load_data", 1, 1)[0];
    if let Some(backward) = backward {
        inputs.extend(input(&mut logic, backward, 1, 1).into_iter().map(|w| ("direction", w, 1, false)));
    }
    let size_bits = bits_for(pins.key_sizes);
    let size = (pins.size != KeySizeUsers::Nobody).then(|| input(&mut logic, "key_size", 1, size_bits)[0]);
    if let (Some(size), KeySizeUsers::Others) = (size, pins.size) {
        inputs.push(("size", known_size(&mut logic, size, pins.key_sizes), size_bits, true));
    }
    let key = if keyed { input(&mut logic, "key", key_bytes as usize, 8) } else { Vec::new() };
    let key = padded(&mut logic, pins, size, key);
    inputs.extend(key.into_iter().map(|w| ("key_byte", w, 8, true)));
    for (name, bytes) in [("data_in", block_bytes), ("tweak", tweak_bytes)].into_iter().filter(|(_, n)| *n > 0) {
        inputs.extend(input(&mut logic, name, bytes, 8).into_iter().map(|w| ("block_byte", w, 8, false)));
    }
    let flags = if keyed { &["key_loaded", "data_loaded", HAS_KEY][..] } else { &["data_loaded"] };
    let mut registers: Vec<Register> = flags.iter().map(|name| register(name, 1, true, false)).collect();
    let mut held: Vec<(Operand, u8)> = flags.iter().map(|name| (logic.param(name, 1), 1)).collect();
    let (take_key, take_data, mut next);
    if let Some(load_key) = load_key {
        let has_key = held[2].0;
        let has_none = logic.not(has_key);
        let may = logic.any("", &[ready, has_none]);
        take_key = logic.all("take_key", &[may, load_key]);
        take_data = logic.all("take_data", &[ready, load_data]);
        let any_key = logic.any("", &[has_key, load_key]);
        next = vec![(take_key, 1), (take_data, 1), (any_key, 1)];
    } else {
        take_key = Operand::Const(0);
        take_data = logic.all("take_data", &[ready, load_data]);
        next = vec![(take_data, 1)];
    }
    for (n, &(name, word, width, of_key)) in inputs.iter().enumerate() {
        let name = if width < 8 { name.to_owned() } else { format!("{name}{n}") };
        registers.push(register(&name, width, false, true));
        held.push((logic.param(&name, width), width));
        next.push((if of_key { take_key } else { take_data }, 1));
        next.push((word, width));
    }
    let mut outputs: Vec<(&str, Vec<u8>)> = flags.iter().map(|name| (*name, vec![1])).collect();
    if backward.is_some() {
        outputs.push(("direction", vec![1]));
    }
    if pins.size == KeySizeUsers::Others {
        outputs.push(("size", vec![size_bits]));
    }
    if keyed {
        outputs.push(("key_word", vec![8; key_bytes as usize]));
    }
    outputs.push(("block", vec![8; block_bytes + tweak_bytes]));
    ports.extend(outputs.iter().map(|(name, words)| port(name, Direction::Output, words, "")));
    held.extend(next);
    program.functions.push(logic.finish(&held));
    machine("interface", "The Interface registers all inputs.", ports, registers)
}

/// The code of a key size: one beyond the list means the last size.
fn known_size(logic: &mut Logic, size: Operand, count: usize) -> Operand {
    if count.is_power_of_two() {
        return size;
    }
    let last = count - 1;
    let bits: Vec<Operand> = (0..bits_for(count)).map(|bit| logic.extract(1, size, bit)).collect();
    let mut known = bits.clone();
    // From the highest bit down, those that are 1 in the last code; a bit that is 0 in it makes a code greater where all of them
    // are set.
    let mut ones = Vec::new();
    let mut greater = Vec::new();
    for (n, &bit) in bits.iter().enumerate().rev() {
        if last >> n & 1 == 1 {
            let beyond: Vec<Operand> = greater.iter().map(|set: &Vec<Operand>| logic.all("", set)).collect();
            known[n] = logic.any("", &[&[bit], &beyond[..]].concat());
            ones.push(bit);
        } else {
            let all = logic.all("", &ones);
            let not_all = logic.not(all);
            known[n] = logic.all("", &[bit, not_all]);
            greater.push([&[bit], &ones[..]].concat());
        }
    }
    let known: Vec<(Operand, u8)> = known.into_iter().map(|bit| (bit, 1)).collect();
    logic.concat("known_size", &known)
}

/// The bytes of the key with those that follow short keys.
fn padded(logic: &mut Logic, pins: &Pins, size: Option<Operand>, mut key: Vec<Operand>) -> Vec<Operand> {
    let Some(size) = size else { return key };
    for (n, pads) in pins.pads.iter().enumerate() {
        let shorter = match n {
            0 => {
                let any = (0..bits_for(pins.key_sizes)).map(|bit| logic.extract(1, size, bit)).collect::<Vec<_>>();
                let longer = logic.any("", &any);
                logic.not(longer)
            }
            _ => logic.is(size, n as u64),
        };
        let from = key.len() - pads.len();
        for (word, &pad) in key[from..].iter_mut().zip(pads) {
            *word = logic.select("", 8, shorter, Operand::Const(u64::from(pad)), *word);
        }
    }
    key
}

pub(super) fn register(name: &str, width: u8, reset: bool, enabled: bool) -> Register {
    Register { name: name.to_owned(), width, reset: reset.then_some(0), enabled }
}

pub(super) fn machine(name: &str, doc: &str, ports: Vec<Port>, registers: Vec<Register>) -> Machine {
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
pub(super) struct Inputs {
    pub logic: Logic,
    pub ports: Vec<Port>,
}

impl Inputs {
    pub fn new(name: &str) -> Self {
        Inputs { logic: Logic::new(name), ports: Vec::new() }
    }

    pub fn word(&mut self, name: &str, width: u8) -> Operand {
        self.ports.push(port(name, Direction::Input, &[width], ""));
        self.logic.param(name, width)
    }

    pub fn bus(&mut self, name: &str, words: usize, width: u8) -> Vec<Operand> {
        self.ports.push(port(name, Direction::Input, &vec![width; words], ""));
        (0..words).map(|n| self.logic.param(&format!("{name}{n}"), width)).collect()
    }
}

/// The words of an engine in a machine, and what the machine keeps them in.
pub(super) struct EngineWords {
    pub registers: Vec<Register>,
    pub stores: Vec<Store>,
    /// Per cell of the engine.
    pub cells: Vec<Operand>,
    /// Registers of others, behind those of the engine.
    pub further: Vec<Operand>,
}

/// Registers and stores of an engine, as parameters, with further registers between them.
pub(super) fn kept(inputs: &mut Inputs, engine: &Engine, further: &[Register]) -> EngineWords {
    let logic = &mut inputs.logic;
    let mut cells = vec![Operand::Const(0); engine.cells.len()];
    let mut registers = Vec::new();
    for (n, cell) in engine.cells.iter().enumerate().filter(|(n, _)| engine.file_of(*n).is_none()) {
        cells[n] = logic.param(&cell.name, cell.width);
        registers.push(register(&cell.name, cell.width, false, true));
    }
    let words = further.iter().map(|r| logic.param(&r.name, r.width)).collect();
    registers.extend(further.iter().cloned());
    let mut stores = Vec::new();
    for file in &engine.files {
        let length = file.cells.len() as u32;
        let store = logic.store(&file.name, file.width, length);
        for (n, &cell) in file.cells.iter().enumerate() {
            cells[cell] = logic.word_of(store, file.width, n as u32);
        }
        stores.push(Store { name: file.name.clone(), width: file.width, length, writes: 1, cell: design::Cell::Latch });
    }
    EngineWords { registers, stores, cells, further: words }
}

/// Words with their widths.
type Words = Vec<(Operand, u8)>;

/// What an engine's registers and what its stores take, and the addresses of its selection ports; where `going` is 0, no register is written.
pub(super) fn next_words(
    program: &mut Program,
    inputs: &mut Inputs,
    engine: &Engine,
    (controls, cells, outside, through): (&[Operand], &[Operand], &[Operand], &[Operand]),
    going: Operand,
) -> (Words, Words, Words) {
    let written = engine.write(program, &mut inputs.logic, controls, cells, outside, through);
    let (mut registers, mut stores) = (Vec::new(), Vec::new());
    for (n, cell) in engine.cells.iter().enumerate().filter(|(n, _)| engine.file_of(*n).is_none()) {
        let (enable, value) =
            written.cells[n].as_ref().map_or((Operand::Const(0), Operand::Const(0)), |next| (next.enable, next.value));
        registers.push((inputs.logic.all("", &[enable, going]), 1));
        registers.push((value, cell.width));
    }
    for (file, next) in engine.files.iter().zip(&written.files) {
        let bits = bits_for(file.cells.len());
        let address = inputs.logic.concat("", &[(controls[file.at], bits), (Operand::Const(0), ADDRESS - bits)]);
        stores.extend([(next.enable, 1), (address, ADDRESS), (next.value, file.width)]);
    }
    let addresses = written.addresses.into_iter().zip(&engine.selection_ports).map(|(word, port)| (word, port.bits()));
    (registers, stores, addresses.collect())
}

/// Registers of an engine without stores, as parameters; then its logic. Gives the registers, their operands and next values, and the
/// addresses of selection ports, through which words come. Where `going` is 0, nothing is written.
pub(super) fn engine_part(
    program: &mut Program,
    inputs: &mut Inputs,
    engine: &Engine,
    controls: &[Operand],
    (outside, through): (&[Operand], &[Operand]),
    going: Operand,
) -> (Vec<Register>, Vec<Operand>, Words, Words) {
    let EngineWords { registers, cells, .. } = kept(inputs, engine, &[]);
    let (next, _, addresses) = next_words(program, inputs, engine, (controls, &cells, outside, through), going);
    (registers, cells, next, addresses)
}

/// Wires equal names together; pins go to and come from the machines that have them.
pub(super) fn assembled(
    wanted: &DeviceRequest<'_>,
    program: Program,
    machines: Vec<Machine>,
    timing: Timing,
) -> Design {
    let find = |name: &str, direction: Direction| {
        machines.iter().position(|m| m.ports.iter().any(|p| p.name == name && p.direction == direction))
    };
    let mut ports = Vec::new();
    let mut wires = Vec::new();
    for (number, machine) in machines.iter().enumerate() {
        for input in machine.ports.iter().filter(|p| p.direction == Direction::Input) {
            // The direction of a block reaches the Controller from the Interface.
            let name = match (machine.name.as_str(), input.name.as_str()) {
                ("controller", "decrypt") if find("direction", Direction::Output).is_some() => "direction",
                (_, name) => name,
            };
            let from = find(name, Direction::Output);
            if from.is_none() && !ports.iter().any(|p: &Port| p.name == name) {
                ports.push(Port { name: name.to_owned(), direction: Direction::Input, ..input.clone() });
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
    let program = called(program, &machines);
    Design { name: wanted.name.clone(), doc: Vec::new(), program, machines, ports, wires, timing }
}

/// The functions of the machines and what they call; bodies that were merged are gone.
fn called(mut program: Program, machines: &[Machine]) -> Program {
    let mut kept: BTreeSet<String> = machines.iter().map(|m| m.function.clone()).collect();
    // A function calls only functions before it.
    for function in program.functions.iter().rev() {
        if !kept.contains(&function.name) {
            continue;
        }
        for op in &function.body.ops {
            if let OpKind::Call(callee, _) = &op.kind {
                kept.insert(callee.clone());
            }
        }
    }
    program.functions.retain(|f| kept.contains(&f.name));
    program
}
