//! Copies side by side: several iterative cores behind one Interface, fed in turn.
//!
//! Each core is the Controller, Key Schedule and Algorithm of the iterative device as they are; equal machines are one module. A
//! new key goes to all cores, a block to the core whose turn it is. A small Distributor says whose turn it is to be fed and whose
//! result is the oldest, so results come in the order of the blocks, whatever directions and key sizes they have. The Interface holds
//! a key until every core has read it and a block until its core starts: it is ready again where all cores are. A core whose result
//! is taken just as its next block starts is ready a clock later than one that was idle; the Distributor lets the Interface rest for
//! that clock always, so that the cores keep their distance and none waits for another.

use program::diagnostic::Diagnostic;
use program::ir::{Operand, Program};

use super::parts::{machine, port, register, Inputs};
use crate::design::{Design, Direction, End, Machine, Register, Wire};
use crate::logic::Logic;

/// Clocks between two blocks that the Interface passes on: one to take it, one to start it, one to rest.
const BETWEEN: u32 = 3;

/// Machines before those of the cores: Interface and Distributor.
const SHARED: usize = 2;
const INTERFACE: usize = 0;
const DISTRIBUTOR: usize = 1;

/// Checks how many cores a device is asked to have.
///
/// # Errors
/// H313 for none, or for several in an architecture that is not iterative.
pub(super) fn check(architecture: &str, copies: u32) -> Result<(), Diagnostic> {
    match (architecture, copies) {
        (_, 1) | ("iterative", 2..) => Ok(()),
        (_, 0) => Err(Diagnostic::new("H313", "a device has at least one core, not 0 copies")),
        _ => {
            Err(Diagnostic::new("H313", format!("the {architecture} architecture has no {copies} copies side by side"))
                .help("copies are iterative cores: a pipeline takes a block every clock already"))
        }
    }
}

/// The iterative device with so many cores.
///
/// # Errors
/// H314 for more cores than one Interface can feed.
pub(super) fn side_by_side(one: Design, copies: u32) -> Result<Design, Diagnostic> {
    if copies == 1 {
        return Ok(one);
    }
    let fastest = one.timing.clocks.iter().map(|c| c.per_block).min().unwrap_or(0);
    if BETWEEN * copies > fastest {
        let message = format!("{copies} copies are more than one Interface feeds");
        return Err(Diagnostic::new("H314", message)
            .note(format!("a block takes {fastest} clocks, and the Interface takes one every {BETWEEN} clocks"))
            .help(format!("at most {} copies", fastest / BETWEEN)));
    }
    let mut program = one.program.clone();
    let result = one.machines.iter().flat_map(|m| &m.ports).find(|p| p.name == "data_out");
    let distributor = distributor(&mut program, copies, result.map_or(0, |p| p.words.len()));
    let wires = Wiring { one: &one, copies: copies as usize }.wires();
    let mut machines = vec![one.machines[INTERFACE].clone(), distributor];
    for copy in 0..copies {
        let cores = one.machines[1..].iter();
        machines.extend(cores.map(|m| Machine { name: numbered(&m.name, copy as usize), ..m.clone() }));
    }
    let mut timing = one.timing.clone();
    timing.copies = copies;
    let mut doc = one.doc.clone();
    doc.push(format!("{copies} cores side by side, fed in turn; results come in the order of the blocks."));
    Ok(Design { program, machines, wires, timing, doc, ..one })
}

fn numbered(name: &str, copy: usize) -> String {
    format!("{name}_{copy}")
}

/// The wires of the device with several cores, from those of the device with one.
struct Wiring<'a> {
    one: &'a Design,
    copies: usize,
}

impl Wiring<'_> {
    fn wires(&self) -> Vec<Wire> {
        let mut wires: Vec<Wire> = Vec::new();
        let mut join = |from: End, to: End| {
            let wire = Wire { from, to };
            if !wires.contains(&wire) {
                wires.push(wire);
            }
        };
        for wire in &self.one.wires {
            let (from, to) = (&wire.from, &wire.to);
            match (self.in_core(from), self.in_core(to)) {
                (true, true) => (0..self.copies).for_each(|n| join(self.of(from, n), self.of(to, n))),
                (true, false) => {
                    (0..self.copies).for_each(|n| join(self.of(from, n), port_of(&from.port, Some(n))));
                    join(port_of(&to.port, None), to.clone());
                }
                (false, true) if TURNS.contains(&from.port.as_str()) => {
                    join(from.clone(), port_of(&from.port, None));
                    (0..self.copies).for_each(|n| join(port_of(&from.port, Some(n)), self.of(to, n)));
                }
                (false, true) => (0..self.copies).for_each(|n| join(from.clone(), self.of(to, n))),
                (false, false) => join(from.clone(), to.clone()),
            }
        }
        wires
    }

    /// Whether an end belongs to the core: neither a pin nor a port of the Interface.
    fn in_core(&self, end: &End) -> bool {
        end.machine.is_some_and(|n| n != INTERFACE)
    }

    /// An end of the core in one of its copies.
    fn of(&self, end: &End, copy: usize) -> End {
        let cores = self.one.machines.len() - 1;
        End { machine: end.machine.map(|n| SHARED + copy * cores + n - 1), port: end.port.clone() }
    }
}

/// What goes to one core at a time.
const TURNS: [&str; 2] = ["data_loaded", "take"];

/// A port of the Distributor: towards a core, or towards Interface and pins.
fn port_of(name: &str, copy: Option<usize>) -> End {
    let port = copy.map_or_else(|| name.to_owned(), |n| numbered(name, n));
    End { machine: Some(DISTRIBUTOR), port }
}

/// The Distributor: whose turn it is, in rings of registers of which one is 1.
fn distributor(program: &mut Program, copies: u32, block_bytes: usize) -> Machine {
    let copies = copies as usize;
    let mut inputs = Inputs::new("distributor");
    let [data_loaded, take] = TURNS.map(|name| inputs.word(name, 1));
    let mut each = |name: &str| -> Vec<Operand> { (0..copies).map(|n| inputs.word(&numbered(name, n), 1)).collect() };
    let (readies, valids) = (each("ready"), each("valid"));
    let results: Vec<Vec<Operand>> =
        (0..copies).map(|n| inputs.bus(&numbered("data_out", n), block_bytes, 8)).collect();
    let Inputs { mut logic, mut ports } = inputs;
    let feeds = ring(&mut logic, "feeds", copies);
    let shows = ring(&mut logic, "shows", copies);
    let rests = logic.param("rests", 1);

    let shown: Vec<Operand> = valids.iter().zip(&shows).map(|(&valid, &turn)| logic.all("", &[valid, turn])).collect();
    let valid = logic.any("valid", &shown);
    let awake = logic.not(rests);
    let ready = logic.all("ready", &[&readies[..], &[awake]].concat());
    let taken = logic.all("taken", &[valid, take]);
    let mut outputs: Vec<(Operand, u8)> = Vec::new();
    let mut give = |name: &str, words: Vec<(Operand, u8)>| {
        let widths: Vec<u8> = words.iter().map(|word| word.1).collect();
        ports.push(port(name, Direction::Output, &widths, ""));
        outputs.extend(words);
    };
    for (n, (&feed, &show)) in feeds.iter().zip(&shows).enumerate() {
        give(&numbered(TURNS[0], n), vec![(logic.all("", &[data_loaded, feed]), 1)]);
        give(&numbered(TURNS[1], n), vec![(logic.all("", &[take, show]), 1)]);
    }
    give("data_out", (0..block_bytes).map(|byte| (oldest(&mut logic, &shows, &results, byte), 8)).collect());
    give("valid", vec![(valid, 1)]);
    give("ready", vec![(ready, 1)]);
    for (turns, moves) in [(&feeds, data_loaded), (&shows, taken)] {
        let before = turns.iter().cycle().skip(copies - 1);
        outputs.extend(before.take(copies).flat_map(|&turn| [(moves, 1), (turn, 1)]));
    }
    outputs.push((data_loaded, 1));
    program.functions.push(logic.finish(&outputs));
    let turns = ["feeds", "shows"].iter().flat_map(|name| (0..copies).map(|n| turn(name, n)));
    let registers = turns.chain([register("rests", 1, true, false)]).collect();
    machine("distributor", "The Distributor: a block for each core in turn, the oldest result first.", ports, registers)
}

/// The registers that say whose turn it is, as parameters.
fn ring(logic: &mut Logic, name: &str, copies: usize) -> Vec<Operand> {
    (0..copies).map(|n| logic.param(&numbered(name, n), 1)).collect()
}

fn turn(name: &str, copy: usize) -> Register {
    Register { name: numbered(name, copy), width: 1, reset: Some(u64::from(copy == 0)), enabled: true }
}

/// A byte of the oldest result.
fn oldest(logic: &mut Logic, shows: &[Operand], results: &[Vec<Operand>], byte: usize) -> Operand {
    let bytes: Vec<Operand> = results.iter().map(|words| words[byte]).collect();
    let (last, others) = (bytes[bytes.len() - 1], &bytes[..bytes.len() - 1]);
    others.iter().zip(shows).rev().fold(last, |value, (&one, &turn)| logic.select("", 8, turn, one, value))
}
