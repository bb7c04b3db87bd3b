//! The core: one step of the cipher per clock, without registers for what the pins bring.
//!
//! Key and block are read in the clock that loads them, which is the first step; the result is at the pins in the last step, in that
//! clock alone. So nothing is kept twice, and nothing waits: registers that every step writes need no enable. It is the form in which
//! designers of small ciphers state their areas.

use program::diagnostic::Diagnostic;
use program::ir::{Operand, Program};

use super::controller::of_core::{of_core, Plan};
use super::copies::check;
use super::engine::Engine;
use super::iterative::{asked, cipher_engine};
use super::keys::in_core::{key_schedule, reads_key_later};
use super::keys::network::Network;
use super::keys::plan::{OnTheFly, Roots, Way};
use super::keys::steering::Steering;
use super::keys::{Element, Keys, Slot};
use super::parts::{assembled, machine, port, register, Inputs};
use super::slots::in_order;
use super::{Cut, DeviceRequest, Options};
use crate::design::{Design, Direction, Machine};
use crate::sequence::{Cuts, Place, Sequence, Step};

/// Most calls of a function of the key schedule in a clock: a core has no other way to make round keys.
const MOST: usize = 128;

/// What else there is where a core cannot be.
const OTHERS: &str = "build it for one direction, as in `--direction encrypt`, or with `--architecture iterative`";

/// Builds the core for one key size.
///
/// # Errors
/// H101 to H107 for a function that cannot be cut, H317 for several key sizes, H309 and H310 where round keys cannot be made on the fly,
/// H313 for copies, H316 where key setup would be needed.
pub fn core(wanted: &DeviceRequest<'_>, options: &Options) -> Result<Design, Diagnostic> {
    check("core", options.copies)?;
    if wanted.programs.len() > 1 {
        return Err(Diagnostic::new("H317", "a core is built for one key size"));
    }
    let data = Cuts { block_leaves: true, ..options.data.clone() };
    let key = Cuts { wires: true, ..options.key.clone() };
    let options = &Options { data, key, keys: Keys::Auto, ahead: false, ..options.clone() };
    let cut = wanted.cut("a core", options)?;
    let mut program = cut.source.clone();
    let mut slots = Vec::new();
    let engine = cipher_engine(&mut program, &cut.data, options.share, &mut slots, &in_order(&cut.data), &|_| None);
    let keys = if cut.keyed() { Some(RoundKeys::cheapest(&program, &cut, &slots, options.share)?) } else { None };
    Ok(wired(wanted, program, &cut, (&engine, &slots), keys))
}

/// How round keys are made.
struct RoundKeys {
    /// The design's program with the functions of the key schedule.
    program: Program,
    plan: OnTheFly,
    network: Network,
    steering: Steering,
}

impl RoundKeys {
    /// The way that needs fewest gates, by estimates: words of the key stand in the window, are wired from the key, or move.
    fn cheapest(program: &Program, cut: &Cut, slots: &[Slot<Element>], share: bool) -> Result<Self, Diagnostic> {
        let of = |(roots, apart)| {
            let way = Way { share, roots, apart, most: MOST, ..Way::default() };
            Self::new(program.clone(), cut, slots, way)
        };
        let ways = [Roots::Window, Roots::Key, Roots::Moving].into_iter().flat_map(|r| [(r, false), (r, true)]);
        ways.skip(1).fold(of((Roots::Window, false)), |best, way| {
            let other = of(way);
            match (&best, &other) {
                (Err(_), Ok(_)) => other,
                (Ok(one), Ok(two)) if two.cost(cut) < one.cost(cut) => other,
                _ => best,
            }
        })
    }

    fn new(mut program: Program, cut: &Cut, slots: &[Slot<Element>], way: Way) -> Result<Self, Diagnostic> {
        let plan = cut.planned_keys(&mut program, way).map_err(|refused| refused.help(OTHERS))?;
        if let Some(clocks) = &plan.setup {
            return Err(needs_setup(clocks));
        }
        let network = Network::new(&plan, &asked(&plan, slots), false);
        let steering = Steering::new(&program, &network, &[]);
        Ok(RoundKeys { program, plan, network, steering })
    }

    /// A rough count of gates: those of registers, of multiplexers, of functions.
    fn cost(&self, cut: &Cut) -> usize {
        let key = if reads_key_later(&self.network) { 8 * cut.key_bytes() as usize } else { 0 };
        let weight = |function: &String| self.plan.weights.get(function).map_or(0, |&weight| weight as usize);
        let functions: usize = self.network.copies.iter().map(|copy| weight(&copy.function)).sum();
        self.network.gates(&self.plan) + 6 * key + 2 * functions
    }
}

fn needs_setup(clocks: &[usize]) -> Diagnostic {
    let most = clocks.iter().max().map_or(0, |n| n + 1);
    Diagnostic::new("H316", "a core takes its key with each block, and has no time for key setup")
        .note(format!("round keys start from words that take {most} clocks to make"))
        .help(OTHERS)
}

fn wired(
    wanted: &DeviceRequest<'_>,
    mut program: Program,
    cut: &Cut,
    (engine, slots): (&Engine, &[Slot<Element>]),
    keys: Option<RoundKeys>,
) -> Design {
    let of_keys = keys.iter().flat_map(|keys| &keys.steering.controls);
    let plan = Plan {
        controls: of_keys.chain(&engine.controls).collect(),
        steps: engine.steps.clone(),
        backward: cut.key_pins().backward,
    };
    if let Some(keys) = &keys {
        program = keys.program.clone();
    }
    let mut machines = vec![of_core(&mut program, &plan)];
    if let Some(RoundKeys { plan, network, steering, .. }) = &keys {
        machines.push(key_schedule(&mut program, plan, network, steering, cut.ways, cut.key_bytes()));
    }
    machines.push(algorithm(&mut program, engine, cut, slots));
    let timing = cut.timing("core", |mode| {
        let steps = cut.data[cut.ways.of(mode)].steps.len() as u32;
        (0, steps - 1, steps)
    });
    assembled(wanted, program, machines, timing)
}

/// The Algorithm: the cipher's steps.
fn algorithm(program: &mut Program, engine: &Engine, cut: &Cut, slots: &[Slot<Element>]) -> Machine {
    let mut inputs = Inputs::new("algorithm");
    let controls: Vec<Operand> = engine.controls.iter().map(|c| inputs.word(&c.name, c.width)).collect();
    let pins = cut.key_pins();
    let mut outside = inputs.bus("data_in", pins.block_bytes, 8);
    if pins.tweak_bytes > 0 {
        outside.extend(inputs.bus("tweak", pins.tweak_bytes, 8));
    }
    for (n, slot) in slots.iter().enumerate() {
        outside.push(inputs.word(&format!("round_key{n}"), slot.width));
    }
    let uses: Vec<CellUse> = (0..engine.cells.len()).map(|cell| CellUse::of(cell, engine, &cut.data)).collect();
    let mut registers = Vec::new();
    let mut cells = vec![Operand::Const(0); engine.cells.len()];
    for (n, cell) in engine.cells.iter().enumerate().filter(|(n, _)| uses[*n].kept) {
        cells[n] = inputs.logic.param(&cell.name, cell.width);
        registers.push(register(&cell.name, cell.width, false, uses[n].waits));
    }
    let written = engine.write(program, &mut inputs.logic, &controls, &cells, &outside, &[]).cells;
    let byte = |place: &Place| {
        let Some(cell) = engine.find(&cut.data[0], place) else { return Operand::Const(0) };
        let made = written[cell].as_ref().filter(|_| uses[cell].made_last);
        made.map_or(cells[cell], |update| update.value)
    };
    let mut outputs: Vec<(Operand, u8)> = cut.data[0].results[0].iter().map(|place| (byte(place), 8)).collect();
    for (n, cell) in engine.cells.iter().enumerate().filter(|(n, _)| uses[*n].kept) {
        let (enable, value) =
            written[n].as_ref().map_or((Operand::Const(0), Operand::Const(0)), |w| (w.enable, w.value));
        outputs.extend(uses[n].waits.then_some((enable, 1)));
        outputs.push((value, cell.width));
    }
    let mut ports = inputs.ports;
    ports.push(port("data_out", Direction::Output, &vec![8; cut.output_bytes()], ""));
    program.functions.push(inputs.logic.finish(&outputs));
    machine("algorithm", "The Algorithm: one step of the cipher per clock.", ports, registers)
}

/// What steps do with a word of the engine.
struct CellUse {
    /// The last step makes it, whatever the way of running: as a result it is at the pins then.
    made_last: bool,
    /// A later clock needs it: it has a register.
    kept: bool,
    /// A step before the last leaves it as it is.
    waits: bool,
}

impl CellUse {
    fn of(cell: usize, engine: &Engine, data: &[Sequence]) -> Self {
        let is = |sequence: &Sequence, place: &Place| engine.find(sequence, place) == Some(cell);
        let mut used = CellUse { made_last: true, kept: false, waits: false };
        for sequence in data {
            let writes: Vec<bool> =
                sequence.steps.iter().map(|step| step.writes.iter().any(|place| is(sequence, place))).collect();
            let Some((&last, before)) = writes.split_last() else { continue };
            used.made_last &= last;
            used.waits |= before.contains(&false);
            used.kept |= sequence.steps.iter().flat_map(read_by).any(|place| is(sequence, &place));
            used.kept |= !last && sequence.results[0].iter().any(|place| is(sequence, place));
        }
        used
    }
}

/// The words that a step reads, those among which data choose too.
fn read_by(step: &Step) -> Vec<Place> {
    let chosen = step.selections.iter().flat_map(|s| (s.first..s.first + s.count).map(|n| Place::Element(s.array, n)));
    step.reads.iter().copied().chain(chosen).collect()
}
