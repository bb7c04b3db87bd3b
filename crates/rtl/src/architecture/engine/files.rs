//! Files of latches: words of an array that are written one at a time, all through one port.
//!
//! A latch has a little over half the transistors of a flip-flop and needs no multiplexer to keep its word. Address and data of a
//! write are registered, and the word opens in the first half of the clock after: so nothing may read it in that clock. What is
//! read then comes from a register that holds the word written last, which is the data register of the port.

use std::collections::{BTreeMap, BTreeSet};

use super::{Cell, Control, Engine, Source};
use crate::logic::bits_for;

// Transistors of a bit by the library of 0.5 micrometre cells: what is counted decides only between close alternatives.
const FLIP_FLOP: usize = 22;
const ENABLED: usize = FLIP_FLOP + 10;
const LATCH: usize = 12;
/// Transistors that decode the address of a word.
const DECODED: usize = 24;

/// Words behind one write port.
pub(in super::super) struct File {
    pub name: String,
    pub width: u8,
    /// The cells, by address.
    pub cells: Vec<usize>,
    /// Control: which word is written.
    pub at: usize,
    /// Control: whether one is.
    pub written: usize,
    /// The cell that holds what was written a clock before, where that is read.
    pub last: Option<usize>,
}

/// A step of a way of running.
type At = (usize, usize);

/// Cells that could stand behind one port.
#[derive(Default)]
struct Class {
    cells: Vec<usize>,
    /// Steps in which one is written, with its place in the list.
    steps: BTreeMap<At, usize>,
    /// The result of each body that goes there.
    results: BTreeMap<usize, usize>,
}

impl Class {
    fn takes(&self, writes: &[(At, usize, usize)]) -> bool {
        writes.iter().all(|(at, body, result)| {
            !self.steps.contains_key(at) && self.results.get(body).map_or(true, |known| known == result)
        })
    }
}

/// Whether so many words of a width need fewer transistors in latches than in registers.
pub(in super::super) fn pays(words: usize, width: u8) -> bool {
    let width = usize::from(width);
    let port = (width + usize::from(bits_for(words)) + 1) * FLIP_FLOP + words * DECODED;
    words * width * (ENABLED - LATCH) > port
}

impl Engine {
    /// Makes files of the arrays whose words are written one at a time, where that needs fewer transistors.
    pub fn keep_in_latches(&mut self) {
        let writes = self.writes();
        for (name, cells) in self.arrays() {
            let mut classes: Vec<Class> = Vec::new();
            for cell in cells {
                let Some(list) = writes.get(&cell) else { continue };
                let at = classes.iter().position(|class| class.takes(list)).unwrap_or_else(|| {
                    classes.push(Class::default());
                    classes.len() - 1
                });
                let class = &mut classes[at];
                class.steps.extend(list.iter().map(|(at, _, _)| (*at, class.cells.len())));
                class.results.extend(list.iter().map(|&(_, body, result)| (body, result)));
                class.cells.push(cell);
            }
            let several = classes.len() > 1;
            for (n, class) in classes.iter().enumerate() {
                if pays(class.cells.len(), self.cells[class.cells[0]].width) {
                    let name = if several { format!("{name}_{n}") } else { name.clone() };
                    self.file(name, class);
                }
            }
        }
        self.drop_unused();
    }

    /// The uses of all bodies: way of running and step, and the body.
    fn uses(&self) -> Vec<(At, usize)> {
        let mut list = Vec::new();
        for (number, body) in self.bodies.iter().enumerate() {
            for (mode, steps) in self.controls[body.selected].values.iter().enumerate() {
                let used = (0..steps.len()).filter(|&step| steps[step].is_some());
                list.extend(used.map(|step| ((mode, step), number)));
            }
        }
        list
    }

    fn told(&self, control: Option<usize>, (mode, step): At) -> usize {
        control.map_or(0, |c| self.controls[c].values[mode][step].unwrap_or(0) as usize)
    }

    /// Where a parameter of a body comes from in a step.
    pub(super) fn source(&self, body: usize, parameter: usize, at: At) -> &Source {
        let (sources, told) = &self.bodies[body].inputs[parameter];
        &sources[self.told(*told, at)]
    }

    /// Per cell, when it is written, by which result of which body.
    fn writes(&self) -> BTreeMap<usize, Vec<(At, usize, usize)>> {
        let mut list: BTreeMap<usize, Vec<_>> = BTreeMap::new();
        for (at, body) in self.uses() {
            for (result, (cells, told)) in self.bodies[body].outputs.iter().enumerate() {
                list.entry(cells[self.told(*told, at)]).or_default().push((at, body, result));
            }
        }
        list
    }

    /// The cells with the steps in which they are written: those behind ports as these are told, the others by their bodies.
    pub(super) fn written(&self) -> Vec<(usize, At)> {
        let mut list = Vec::new();
        for file in &self.files {
            for (mode, steps) in self.controls[file.written].values.iter().enumerate() {
                let at = (0..steps.len()).filter(|&step| steps[step].is_some()).map(|step| (mode, step));
                list.extend(at.map(|at| (file.cells[self.told(Some(file.at), at)], at)));
            }
        }
        let free = self.writes().into_iter().filter(|(cell, _)| self.file_of(*cell).is_none());
        list.extend(free.flat_map(|(cell, writes)| writes.into_iter().map(move |(at, _, _)| (cell, at))));
        list
    }

    /// The arrays with their cells in order.
    fn arrays(&self) -> Vec<(String, Vec<usize>)> {
        let mut arrays: BTreeMap<&str, Vec<(u32, usize)>> = BTreeMap::new();
        for ((name, number), &cell) in self.known.iter().filter(|((_, number), _)| *number > 0) {
            arrays.entry(name).or_default().push((*number, cell));
        }
        let name = |cell: usize| self.cells[cell].name.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
        let sorted = arrays.into_values().map(|mut list| {
            list.sort_unstable();
            (name(list[0].1), list.into_iter().map(|(_, cell)| cell).collect())
        });
        sorted.collect()
    }

    fn file(&mut self, name: String, class: &Class) {
        let width = self.cells[class.cells[0]].width;
        let mut values: Vec<Vec<Option<u64>>> = self.steps.iter().map(|&n| vec![None; n]).collect();
        class.steps.iter().for_each(|(&(mode, step), &word)| values[mode][step] = Some(word as u64));
        let written = values.iter().map(|mode| mode.iter().map(|v| v.map(|_| 1)).collect()).collect();
        let at = self.equal_control(&format!("{name}_at"), bits_for(class.cells.len()), values);
        let written = self.equal_control(&format!("{name}_written"), 1, written);
        let last = self.read_from_last(&name, width, class);
        self.files.push(File { name, width, cells: class.cells.clone(), at, written, last });
    }

    /// The control with these values, made if there is none.
    fn equal_control(&mut self, name: &str, width: u8, values: Vec<Vec<Option<u64>>>) -> usize {
        let equal = |c: &Control| c.width == width && c.values == values;
        self.controls.iter().position(equal).unwrap_or_else(|| {
            self.controls.push(Control { name: name.to_owned(), width, values });
            self.controls.len() - 1
        })
    }

    /// Reads of words written a step before take the word from a register of its own.
    fn read_from_last(&mut self, name: &str, width: u8, class: &Class) -> Option<usize> {
        let last = self.cells.len();
        let fresh = |cell: usize, (mode, step): At| {
            step > 0 && class.steps.get(&(mode, step - 1)).is_some_and(|&word| class.cells[word] == cell)
        };
        let mut found = false;
        self.resourced(&mut |source, at| match *source {
            Source::Register(cell) if fresh(cell, at) => {
                found = true;
                Some(Source::Register(last))
            }
            _ => None,
        });
        if found {
            self.cells.push(Cell { name: format!("{name}_last"), width });
        }
        found.then_some(last)
    }

    /// Gives parameters of bodies other sources where `other` names one for a source and a step.
    fn resourced(&mut self, other: &mut dyn FnMut(&Source, At) -> Option<Source>) {
        for body in 0..self.bodies.len() {
            for parameter in 0..self.bodies[body].inputs.len() {
                let found: BTreeMap<At, Source> = self
                    .uses_of(body)
                    .into_iter()
                    .filter_map(|at| Some((at, other(self.source(body, parameter, at), at)?)))
                    .collect();
                self.resourced_one(body, parameter, &|at| found.get(at).cloned());
            }
        }
    }

    /// The same for one parameter.
    pub(super) fn resourced_one(&mut self, body: usize, parameter: usize, other: &dyn Fn(&At) -> Option<Source>) {
        let uses = self.uses_of(body);
        let before: Vec<Source> = uses.iter().map(|&at| self.source(body, parameter, at).clone()).collect();
        let after: Vec<Source> =
            before.iter().zip(&uses).map(|(source, at)| other(at).unwrap_or_else(|| source.clone())).collect();
        if after != before {
            let name = format!("{}_from{parameter}", self.controls[self.bodies[body].selected].name);
            self.bodies[body].inputs[parameter] = self.told_apart(&name, &uses, after);
        }
    }

    /// The steps of a body.
    pub(super) fn uses_of(&self, body: usize) -> Vec<At> {
        self.uses().into_iter().filter(|one| one.1 == body).map(|one| one.0).collect()
    }

    /// The file of a cell.
    pub fn file_of(&self, cell: usize) -> Option<usize> {
        self.files.iter().position(|file| file.cells.contains(&cell))
    }

    /// Whether a file is written in the last step of a way of running.
    pub fn writes_files_last(&self) -> bool {
        let last =
            |file: &File| self.controls[file.written].values.iter().any(|m| m.last().is_some_and(Option::is_some));
        self.files.iter().any(last)
    }

    /// A last step in which nothing happens.
    pub fn idle_at_last(&mut self) {
        self.steps.iter_mut().for_each(|n| *n += 1);
        self.controls.iter_mut().flat_map(|c| &mut c.values).for_each(|mode| mode.push(None));
    }

    /// Removes controls that nothing reads.
    pub(super) fn drop_unused(&mut self) {
        let mut used: BTreeSet<usize> = self.files.iter().flat_map(|f| [f.at, f.written]).collect();
        let filed: BTreeSet<usize> = self.files.iter().flat_map(|f| f.cells.iter().copied()).collect();
        for body in &self.bodies {
            used.insert(body.selected);
            used.extend(&body.constants);
            used.extend(body.selected_words.iter().filter_map(|one| one.told()));
            used.extend(body.inputs.iter().filter_map(|(_, told)| *told));
            let kept = body.outputs.iter().filter(|(cells, _)| cells.iter().any(|cell| !filed.contains(cell)));
            used.extend(kept.filter_map(|(_, told)| *told));
        }
        let number: BTreeMap<usize, usize> = used.iter().enumerate().map(|(n, &control)| (control, n)).collect();
        let renamed = |control: &mut usize| *control = number.get(control).copied().unwrap_or(0);
        for body in &mut self.bodies {
            renamed(&mut body.selected);
            body.constants.iter_mut().for_each(renamed);
            body.selected_words.iter_mut().filter_map(|one| one.told_mut()).for_each(renamed);
            body.inputs.iter_mut().filter_map(|(_, told)| told.as_mut()).for_each(renamed);
            body.outputs.iter_mut().filter_map(|(_, told)| told.as_mut()).for_each(renamed);
        }
        for file in &mut self.files {
            renamed(&mut file.at);
            renamed(&mut file.written);
        }
        let controls = std::mem::take(&mut self.controls);
        self.controls = controls.into_iter().enumerate().filter(|(n, _)| used.contains(n)).map(|(_, c)| c).collect();
    }
}
