//! Several sequences that exclude each other as one set of registers and shared bodies, steered by control words.

pub(super) mod files;
mod reading;
mod selecting;

use std::collections::BTreeMap;

use program::builder::author_name;
use program::ir::{Function, Operand, Program};
use program::walk::{renumber, use_counts};

use super::program_union::import;
use crate::logic::{bits_for, width_of, Logic};
use crate::merge;
use crate::sequence::{Place, Sequence};

pub(super) use files::File;
pub(super) use reading::ReadPort;
pub(super) use selecting::{select, Row, SelectionPort};

/// A control signal: its value in every step of every mode, where it matters.
#[derive(Clone, Debug)]
pub(super) struct Control {
    pub name: String,
    pub width: u8,
    pub values: Vec<Vec<Option<u64>>>,
}

/// Where a body's parameter comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A register of the engine.
    Register(usize),
    /// A word from outside, by the number that the engine's user gave it.
    Outside(usize),
}

/// A register of the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub name: String,
    pub width: u8,
}

struct Body {
    function: String,
    /// Per parameter that is a place: the sources it has in some step, and which control tells them apart.
    inputs: Vec<(Vec<Source>, Option<usize>)>,
    /// What it takes of many words, as data say.
    selected_words: Vec<selecting::Selected>,
    /// Controls that hold its constants.
    constants: Vec<usize>,
    /// Per result: the registers it goes to in some step, and which control tells them apart.
    outputs: Vec<(Vec<usize>, Option<usize>)>,
    /// Widths of the results.
    widths: Vec<u8>,
    /// Control that is 1 in its steps.
    selected: usize,
}

/// The shared form of sequences, one per mode.
pub(super) struct Engine {
    pub cells: Vec<Cell>,
    pub controls: Vec<Control>,
    /// Steps of each mode.
    pub steps: Vec<usize>,
    bodies: Vec<Body>,
    known: BTreeMap<(String, u32), usize>,
    /// The bodies share their operators.
    share: bool,
    /// Cells that are words of latches.
    pub files: Vec<File>,
    /// Ports to words of another machine, among which data choose.
    pub selection_ports: Vec<SelectionPort>,
}

/// What registers do in a clock.
pub(super) struct RegisterUpdate {
    pub enable: Operand,
    pub value: Operand,
}

/// What all words do in a clock.
pub(super) struct WordUpdates {
    /// Per cell; none for words of files.
    pub cells: Vec<Option<RegisterUpdate>>,
    /// Per file, what goes through its port.
    pub files: Vec<RegisterUpdate>,
    /// The addresses of the selection ports.
    pub addresses: Vec<Operand>,
}

/// What writes a word: the body's selection, whether it writes this word, the value.
struct Writer {
    selected: Operand,
    here: Operand,
    value: Operand,
}

impl Engine {
    /// Builds the engine; `outside` gives the number of a place that is not kept here, for a mode and step; `schedule` the key schedule
    /// of a mode, where one makes the words of other parameters than the last.
    /// The bodies come into `program`; names of controls begin with `prefix`.
    pub fn new(
        program: &mut Program,
        prefix: &str,
        modes: &[&Sequence],
        share: bool,
        outside: &mut dyn FnMut(usize, usize, usize, &Place) -> Option<usize>,
        schedule: &dyn Fn(usize) -> Option<usize>,
    ) -> Self {
        let steps: Vec<usize> = modes.iter().map(|m| m.steps.len()).collect();
        let (cells, controls, bodies, known) = (Vec::new(), Vec::new(), Vec::new(), BTreeMap::new());
        let mut engine =
            Engine { cells, controls, steps, bodies, known, share, files: Vec::new(), selection_ports: Vec::new() };
        let mut uses: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
        let mut order: Vec<String> = Vec::new();
        for (mode, sequence) in modes.iter().enumerate() {
            let names: Vec<String> =
                sequence.program.functions.iter().map(|f| import(program, &sequence.program, f, &f.name)).collect();
            for (step, one) in sequence.steps.iter().enumerate() {
                let name = &names[one.body];
                if !order.contains(name) {
                    order.push(name.clone());
                }
                uses.entry(name.clone()).or_default().push((mode, step));
            }
        }
        for name in order {
            engine.add_body(program, prefix, &name, &uses[&name], modes, outside, schedule);
        }
        engine
    }

    #[allow(clippy::too_many_arguments)]
    fn add_body(
        &mut self,
        program: &mut Program,
        prefix: &str,
        name: &str,
        uses: &[(usize, usize)],
        modes: &[&Sequence],
        outside: &mut dyn FnMut(usize, usize, usize, &Place) -> Option<usize>,
        schedule: &dyn Fn(usize) -> Option<usize>,
    ) {
        let number = self.bodies.len() + 1;
        let first = &modes[uses[0].0].steps[uses[0].1];
        let step_of = |(mode, step): (usize, usize)| &modes[mode].steps[step];
        let selected = self.control(&format!("{prefix}_{number}"), 1, uses, &mut |_| 1);
        let mut inputs = Vec::new();
        for p in 0..first.reads.len() {
            let sources: Vec<Source> = uses
                .iter()
                .map(|&(mode, step)| {
                    let place = &step_of((mode, step)).reads[p];
                    match outside(mode, step, p, place) {
                        Some(n) => Source::Outside(n),
                        None => Source::Register(self.cell(modes[mode], place)),
                    }
                })
                .collect();
            inputs.push(self.told_apart(&format!("{prefix}_{number}_from{p}"), uses, sources));
        }
        let selected_words = self.selections(program, (&format!("{prefix}_{number}"), uses), modes, schedule);
        let before = first.reads.len() + first.selections.len();
        let constants = (0..first.constants.len())
            .map(|c| {
                let values: Vec<u64> = uses.iter().map(|&u| step_of(u).constants[c]).collect();
                let function = program.functions.iter().find(|f| f.name == name);
                let width = function.map_or(64, |f| width_of(&f.values[f.params[before + c].0 as usize].ty));
                self.control(&format!("{prefix}_{number}_constant{c}"), width, uses, &mut |n| values[n])
            })
            .collect();
        let mut outputs = Vec::new();
        let mut widths = Vec::new();
        for w in 0..first.writes.len() {
            let cells: Vec<usize> =
                uses.iter().map(|&(mode, step)| self.cell(modes[mode], &step_of((mode, step)).writes[w])).collect();
            widths.push(self.cells[cells[0]].width);
            outputs.push(self.told_apart(&format!("{prefix}_{number}_to{w}"), uses, cells));
        }
        self.bodies.push(Body {
            function: name.to_owned(),
            inputs,
            selected_words,
            constants,
            outputs,
            widths,
            selected,
        });
    }

    /// The distinct members of a list (one entry per use), and the control that says which it is where there are several.
    fn told_apart<T: PartialEq + Clone>(
        &mut self,
        name: &str,
        uses: &[(usize, usize)],
        list: Vec<T>,
    ) -> (Vec<T>, Option<usize>) {
        let mut distinct: Vec<T> = Vec::new();
        let mut numbers = Vec::new();
        for one in list {
            let at = distinct.iter().position(|d| *d == one).unwrap_or_else(|| {
                distinct.push(one);
                distinct.len() - 1
            });
            numbers.push(at as u64);
        }
        let control =
            (distinct.len() > 1).then(|| self.control(name, bits_for(distinct.len()), uses, &mut |n| numbers[n]));
        (distinct, control)
    }

    fn control(
        &mut self,
        name: &str,
        width: u8,
        uses: &[(usize, usize)],
        value: &mut dyn FnMut(usize) -> u64,
    ) -> usize {
        let mut values: Vec<Vec<Option<u64>>> = self.steps.iter().map(|&n| vec![None; n]).collect();
        for (n, &(mode, step)) in uses.iter().enumerate() {
            values[mode][step] = Some(value(n));
        }
        self.controls.push(Control { name: name.to_owned(), width, values });
        self.controls.len() - 1
    }

    /// The register of a place: equal names of equal width are one register in all modes.
    fn cell(&mut self, sequence: &Sequence, place: &Place) -> usize {
        let (name, number, width) = match *place {
            Place::Word(n) => {
                let word = &sequence.words[n as usize];
                (format!("state{n}_{}", word.width), 0, word.width)
            }
            Place::Element(array, n) => {
                let array = &sequence.arrays[array as usize];
                (format!("{}_{}", array.name, array.width), n + 1, array.width)
            }
        };
        let next = self.cells.len();
        let index = *self.known.entry((name, number)).or_insert(next);
        if index == next {
            let text = match *place {
                Place::Word(n) => sequence.words[n as usize].name.clone(),
                Place::Element(array, n) => format!("{}{n}", sequence.arrays[array as usize].name),
            };
            self.cells.push(Cell { name: text, width });
        }
        index
    }

    /// The register of a place, if some step writes or reads it.
    pub fn find(&self, sequence: &Sequence, place: &Place) -> Option<usize> {
        let key = match *place {
            Place::Word(n) => (format!("state{n}_{}", sequence.words[n as usize].width), 0),
            Place::Element(array, n) => {
                let array = &sequence.arrays[array as usize];
                (format!("{}_{}", array.name, array.width), n + 1)
            }
        };
        self.known.get(&key).copied()
    }

    /// Writes the logic: bodies called, or what they share; registers' next values chosen.
    pub fn write(
        &self,
        program: &mut Program,
        logic: &mut Logic,
        controls: &[Operand],
        registers: &[Operand],
        outside: &[Operand],
        through: &[Operand],
    ) -> WordUpdates {
        let words = (controls, registers, outside);
        let selecting::SelectionWords { arguments, addresses } = self.select(program, logic, words, through);
        let bodies: Vec<(Function, Vec<Operand>)> = self
            .bodies
            .iter()
            .zip(arguments)
            .filter_map(|(body, known)| self.arguments(program, logic, body, words, known))
            .collect();
        let results = match self.share.then(|| self.shared(program, logic, &bodies, controls)).flatten() {
            Some(results) => results,
            None => bodies.into_iter().map(|(function, arguments)| logic.call(&function, arguments)).collect(),
        };
        let (mut of_cells, mut of_files) = (Vec::new(), Vec::new());
        of_cells.resize_with(self.cells.len(), Vec::new);
        of_files.resize_with(self.files.len(), Vec::new);
        for (body, results) in self.bodies.iter().zip(&results) {
            let selected = controls[body.selected];
            for (&value, (cells, told)) in results.iter().zip(&body.outputs) {
                for (k, &cell) in cells.iter().enumerate() {
                    let Some(file) = self.file_of(cell) else {
                        let here = told.map_or(Operand::Const(1), |control| logic.is(controls[control], k as u64));
                        of_cells[cell].push(Writer { selected, here, value });
                        continue;
                    };
                    of_files[file].push(Writer { selected, here: Operand::Const(1), value });
                }
            }
        }
        let through = |logic: &mut Logic, (file, writers): (&File, &Vec<Writer>)| {
            let value = chosen(logic, file.width, writers);
            RegisterUpdate { enable: controls[file.written], value }
        };
        let files: Vec<RegisterUpdate> = self.files.iter().zip(&of_files).map(|one| through(logic, one)).collect();
        let mut cells: Vec<Option<RegisterUpdate>> = of_cells
            .iter()
            .zip(&self.cells)
            .map(|(writers, cell)| (!writers.is_empty()).then(|| next(logic, cell, writers)))
            .collect();
        for (file, written) in self.files.iter().zip(&files) {
            if let Some(last) = file.last {
                cells[last] = Some(RegisterUpdate { enable: Operand::Const(1), value: written.value });
            }
        }
        WordUpdates { cells, files, addresses }
    }

    /// A body's function and its arguments; those before its constants may be known already.
    fn arguments(
        &self,
        program: &Program,
        logic: &mut Logic,
        body: &Body,
        (controls, registers, outside): (&[Operand], &[Operand], &[Operand]),
        known: Option<Vec<Operand>>,
    ) -> Option<(Function, Vec<Operand>)> {
        let function = program.functions.iter().find(|f| f.name == body.function)?;
        let mut arguments = match known {
            Some(known) => known,
            None => self.reads(program, logic, body, controls, registers, outside)?,
        };
        arguments.extend(body.constants.iter().map(|&c| controls[c]));
        debug_assert_eq!(function.results.len(), body.widths.len());
        Some((function.clone(), arguments))
    }

    /// The words that a body reads.
    fn reads(
        &self,
        program: &Program,
        logic: &mut Logic,
        body: &Body,
        controls: &[Operand],
        registers: &[Operand],
        outside: &[Operand],
    ) -> Option<Vec<Operand>> {
        let function = program.functions.iter().find(|f| f.name == body.function)?;
        let mut arguments = Vec::new();
        for (n, (sources, told)) in body.inputs.iter().enumerate() {
            let width = width_of(&function.values[function.params[n].0 as usize].ty);
            let words: Vec<Operand> = sources
                .iter()
                .map(|source| match source {
                    Source::Register(r) => registers[*r],
                    Source::Outside(n) => outside[*n],
                })
                .collect();
            arguments.push(match told {
                Some(control) => logic.choose("", width, controls[*control], &words),
                None => words[0],
            });
        }
        Some(arguments)
    }

    /// Per body its results, all from one function whose operators the bodies share.
    fn shared(
        &self,
        program: &mut Program,
        logic: &mut Logic,
        bodies: &[(Function, Vec<Operand>)],
        controls: &[Operand],
    ) -> Option<Vec<Vec<Operand>>> {
        // Results that go to the same registers are one result of the shared function.
        let mut slots: Vec<(u8, Vec<usize>)> = Vec::new();
        let mut of_body: Vec<Vec<usize>> = Vec::new();
        for body in &self.bodies {
            let mut mine = Vec::new();
            for ((cells, _), &width) in body.outputs.iter().zip(&body.widths) {
                let free = |n: &usize| !mine.contains(n) && slots[*n] == (width, cells.clone());
                let at = (0..slots.len()).find(free).unwrap_or_else(|| {
                    slots.push((width, cells.clone()));
                    slots.len() - 1
                });
                mine.push(at);
            }
            of_body.push(mine);
        }
        let widths: Vec<u8> = slots.iter().map(|s| s.0).collect();
        let names = self.bodies.iter().map(|b| b.selected).map(|c| controls[c]).collect::<Vec<_>>();
        let results = merged(program, logic, bodies, &names, &of_body, &widths)?;
        Some(of_body.iter().map(|mine| mine.iter().map(|&n| results[n]).collect()).collect())
    }
}

/// Calls the function that bodies share; gives its results. Body by body, `of_body` says which they are.
fn merged(
    program: &mut Program,
    logic: &mut Logic,
    bodies: &[(Function, Vec<Operand>)],
    selected: &[Operand],
    of_body: &[Vec<usize>],
    widths: &[u8],
) -> Option<Vec<Operand>> {
    let mut inputs: Vec<(String, u8)> = Vec::new();
    let mut words: Vec<Operand> = Vec::new();
    let mut alternatives = Vec::new();
    for ((function, arguments), slots) in bodies.iter().zip(of_body) {
        let mut source = |(n, &word): (usize, &Operand)| match word {
            Operand::Const(c) => merge::Source::Number(c),
            Operand::Value(_) => merge::Source::Input(words.iter().position(|w| *w == word).unwrap_or_else(|| {
                let value = &function.values[function.params[n].0 as usize];
                words.push(word);
                inputs.push((author_name(&value.name).to_owned(), width_of(&value.ty)));
                words.len() - 1
            })),
        };
        let arguments = arguments.iter().enumerate().map(&mut source).collect();
        let given = (0..widths.len()).map(|slot| match slots.iter().position(|s| *s == slot) {
            Some(n) => merge::ResultSource::Result(n),
            None => merge::ResultSource::Nothing,
        });
        alternatives.push(merge::Alternative { function, arguments, results: given.collect() });
    }
    let mut shared = merge::share(program, "shared", &inputs, widths, &alternatives)?;
    let selectors = if bodies.len() == 2 { &selected[1..] } else { selected };
    let mut arguments: Vec<Operand> = selectors.iter().copied().chain(words).collect();
    let uses = use_counts(&shared);
    let used: Vec<bool> = shared.params.iter().map(|p| uses[p.0 as usize] > 0).collect();
    let mut keep = used.iter();
    arguments.retain(|_| *keep.next().unwrap_or(&false));
    let mut keep = used.iter();
    shared.params.retain(|_| *keep.next().unwrap_or(&false));
    renumber(&mut shared);
    let copy = program.clone();
    let name = import(program, &copy, &shared, "shared");
    let function = program.functions.iter().find(|f| f.name == name)?;
    Some(logic.call(function, arguments))
}

/// A register's next value: what its writer gives, where one is selected.
fn next(logic: &mut Logic, cell: &Cell, writers: &[Writer]) -> RegisterUpdate {
    let conditions: Vec<Operand> = writers.iter().map(|w| logic.all("", &[w.selected, w.here])).collect();
    let enable = logic.any(&format!("write_{}", cell.name), &conditions);
    RegisterUpdate { enable, value: chosen(logic, cell.width, writers) }
}

/// The value of the writer that is selected. Whether it writes this word matters only where a body has two results for it: where
/// nothing is written, the value does not matter, and words of one array share it.
fn chosen(logic: &mut Logic, width: u8, writers: &[Writer]) -> Operand {
    let twice = |w: &Writer| writers.iter().any(|o| o.selected == w.selected && o.value != w.value);
    let mut values: Vec<(Vec<Operand>, Operand)> = Vec::new();
    for writer in writers {
        let condition = if twice(writer) { logic.all("", &[writer.selected, writer.here]) } else { writer.selected };
        match values.iter_mut().find(|(_, known)| *known == writer.value) {
            Some((conditions, _)) if conditions.contains(&condition) => {}
            Some((conditions, _)) => conditions.push(condition),
            None => values.push((vec![condition], writer.value)),
        }
    }
    let words: Vec<(Operand, Operand)> =
        values.into_iter().map(|(conditions, value)| (logic.any("", &conditions), value)).collect();
    logic.one_of(width, &words)
}
