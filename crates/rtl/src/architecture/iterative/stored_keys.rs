//! The Key Schedule of an iterative device whose round keys are stored: ports to write and to read them.

use program::ir::{Operand, Program};

use super::super::engine::{select, Control, ReadPort, Row, SelectionPort};
use super::super::keys::stored::Words;
use super::super::keys::{Slot, Stand, StoredKeys};
use super::super::parts::{kept, machine, next_words, port, register, EngineWords, Inputs};
use super::super::Options;
use crate::design::{Cell, Direction, Machine, Register};

/// Fewest words of a slot whose selection is worth a register behind it.
const MANY: usize = 4;

/// How a slot is read.
pub(super) struct ReadSide {
    /// Chooses its word for the cipher.
    pub at: Option<Control>,
    /// Chooses its word for the key schedule.
    pub read: Option<Control>,
    /// Its word waits in a register of its own, filled a clock before.
    pub ahead: bool,
    /// The key schedule takes its words from that register, too.
    pub read_ahead: bool,
}

/// How the slots are read, also by the key schedule while it runs.
pub(super) fn read_sides(
    stored: &mut StoredKeys,
    slots: &[Slot<Stand>],
    options: &Options,
    (key_bytes, selects): (u32, bool),
) -> Vec<ReadSide> {
    // A word of latches cannot be read in the clock after it is written, and which words data choose is not known.
    if options.storage == Cell::Latch && !selects && !stored.engine.selects() {
        stored.engine.keep_in_latches();
    }
    let cells = |(n, slot): (usize, &Slot<Stand>)| ReadPort {
        cells: slot.distinct().iter().map(|&word| word.cell()).collect(),
        outside: key_bytes as usize + n,
    };
    let read_ports: Vec<ReadPort> = slots.iter().enumerate().map(cells).collect();
    let reads = stored.engine.read_through(&read_ports);
    let side = |(n, (slot, read)): (usize, (&Slot<Stand>, Option<Control>))| {
        let ahead = options.ahead && slot.distinct().len() >= MANY;
        let early = |control: &Control| stored.engine.stands_a_clock_before(&read_ports[n], control);
        ReadSide {
            at: slot.control(&format!("round_key{n}_at")),
            ahead,
            read_ahead: ahead && read.as_ref().is_some_and(early),
            read,
        }
    };
    let sides: Vec<ReadSide> = slots.iter().zip(reads).enumerate().map(side).collect();
    if stored.engine.writes_files_last() && sides.iter().any(|side| side.ahead) {
        // What is written last can be read two clocks later, and the first round key is read one clock early.
        stored.engine.idle_at_last();
    }
    sides
}

/// The Key Schedule: runs once per key, then gives the round keys of each step.
pub(super) fn key_schedule(
    program: &mut Program,
    stored: &StoredKeys,
    (slots, sides): (&[Slot<Stand>], &[ReadSide]),
    selections: &[SelectionPort],
    key_bytes: u32,
) -> Machine {
    let mut inputs = Inputs::new("key_schedule");
    let controls: Vec<Operand> = stored.engine.controls.iter().map(|c| inputs.word(&c.name, c.width)).collect();
    let mut runs = |name: &str, ahead: bool| {
        let shared = sides.iter().any(|side| side.read.is_some() && side.read_ahead == ahead);
        if shared {
            inputs.word(name, 1)
        } else {
            Operand::Const(0)
        }
    };
    let runs = [runs("key_runs", false), runs("key_runs_next", true)];
    let addresses: Vec<Option<Operand>> =
        sides.iter().map(|side| side.address(&mut inputs, runs[usize::from(side.read_ahead)])).collect();
    let chosen: Vec<Operand> =
        selections.iter().enumerate().map(|(n, port)| inputs.word(&selected_at(n), port.bits())).collect();
    let key = inputs.bus("key_word", key_bytes as usize, 8);
    let held = |(n, (slot, side)): (usize, (&Slot<Stand>, &ReadSide))| {
        side.ahead.then(|| register(&format!("round_key{n}_held"), slot.width, false, false))
    };
    let further: Vec<Option<Register>> = slots.iter().zip(sides).enumerate().map(held).collect();
    let held: Vec<Register> = further.iter().flatten().cloned().collect();
    let EngineWords { registers, stores, cells, further: words } = kept(&mut inputs, &stored.engine, &held);
    let results = stored.words(program, &mut inputs.logic, &cells, &key);
    let (mut given, mut outputs, mut next_held) = (Vec::new(), Vec::new(), Vec::new());
    let mut ports = std::mem::take(&mut inputs.ports);
    let mut words = words.into_iter();
    for (n, (((slot, side), address), further)) in slots.iter().zip(sides).zip(&addresses).zip(&further).enumerate() {
        let list: Vec<Operand> = slot.distinct().iter().map(|&stand| results.at(stand)).collect();
        let word = match address {
            Some(at) => inputs.logic.choose(&format!("round_key{n}"), slot.width, *at, &list),
            None => list[0],
        };
        let shown = match further {
            Some(_) => {
                next_held.push((word, slot.width));
                words.next().unwrap_or(word)
            }
            None => word,
        };
        given.push(if side.read_ahead { shown } else { word });
        outputs.push((shown, slot.width));
        ports.push(port(&format!("round_key{n}"), Direction::Output, &[slot.width], ""));
    }
    for (n, (one, &address)) in selections.iter().zip(&chosen).enumerate() {
        let rows: Vec<Vec<Operand>> = one.rows.iter().map(|row| row_of(stored, &results, row, one.count)).collect();
        let word = select(&mut inputs.logic, (&selected(n), one.width), address, &rows);
        outputs.push((word, one.width));
        ports.push(port(&selected(n), Direction::Output, &[one.width], ""));
    }
    let outside: Vec<Operand> = key.into_iter().chain(given).collect();
    let (next, written, _) =
        next_words(program, &mut inputs, &stored.engine, (&controls, &cells, &outside, &[]), Operand::Const(1));
    outputs.extend(next.into_iter().chain(next_held).chain(written));
    program.functions.push(inputs.logic.finish(&outputs));
    let doc = "The Key Schedule runs once per key and keeps the round keys.";
    Machine { stores, ..machine("key_schedule", doc, ports, registers) }
}

/// The words of a row of results.
fn row_of(stored: &StoredKeys, results: &Words<'_>, row: &Row, count: usize) -> Vec<Operand> {
    let Row::Keys(schedule, result, first) = *row else { return Vec::new() };
    (first..first + count as u32).map(|n| results.at(stored.stand(schedule, (result, n)))).collect()
}

/// The name of a word that data choose among round keys.
pub(super) fn selected(port: usize) -> String {
    format!("selected{port}")
}

/// The name of its address.
pub(super) fn selected_at(port: usize) -> String {
    format!("selected{port}_at")
}

impl ReadSide {
    /// The address of the slot: the key schedule's while it runs, else the cipher's.
    fn address(&self, inputs: &mut Inputs, runs: Operand) -> Option<Operand> {
        let at = self.at.as_ref()?;
        let cipher = inputs.word(&at.name, at.width);
        Some(match &self.read {
            Some(read) => {
                let own = inputs.word(&read.name, read.width);
                inputs.logic.select("", at.width, runs, own, cipher)
            }
            None => cipher,
        })
    }
}
