//! The control words of a network: which of its sources every word takes in every clock.

use program::ir::{Operand, Program};
use program::semantics::mask;

use super::super::engine::Control;
use super::kept_files::{is_filed, KeptFile};
use super::network::{Mux, Network, Source};
use crate::logic::{bits_for, width_of, Logic};

/// A number of each clock: the bits that change come from a control, the others are known.
#[derive(Clone, Copy)]
struct Number {
    width: u8,
    known: u64,
    /// The control, the position of its bits and how many there are.
    varying: Option<(usize, u8, u8)>,
}

impl Number {
    fn word(self, logic: &mut Logic, controls: &[Operand]) -> Operand {
        let Some((control, from, count)) = self.varying else { return Operand::Const(self.known) };
        let above = from + count;
        let parts = [
            (Logic::number(from.max(1), self.known), from),
            (controls[control], count),
            (Operand::Const(self.known.checked_shr(u32::from(above)).unwrap_or(0)), self.width - above),
        ];
        let parts: Vec<(Operand, u8)> = parts.into_iter().filter(|p| p.1 > 0).collect();
        logic.concat("", &parts)
    }
}

/// Controls, and which one steers what.
pub(in super::super) struct Steering {
    pub controls: Vec<Control>,
    inputs: Vec<Vec<Option<usize>>>,
    constants: Vec<Vec<Number>>,
    window: Vec<Option<usize>>,
    kept: Vec<Option<usize>>,
    slots: Vec<Option<usize>>,
    /// 1 where the window takes words.
    advances: Option<usize>,
    /// Per kept word, 1 where it is written.
    writes: Vec<Option<usize>>,
    /// Per file of kept words, whether one is written, its address, and the words of the first: all take the same.
    files: Vec<(usize, usize, Vec<usize>)>,
}

/// Words of the network in a clock.
pub(in super::super) struct Words<'a> {
    pub window: Vec<Operand>,
    pub kept: Vec<Operand>,
    /// What is made of the key by wires alone, by its number.
    pub root: &'a dyn Fn(&mut Logic, usize) -> Operand,
}

/// What the network gives.
pub(in super::super) struct NetworkOutputs {
    pub window: Vec<Operand>,
    /// Per kept word, whether key setup writes it and what; none where it never does.
    pub kept: Vec<Option<(Operand, Operand)>>,
    /// Per file of kept words, whether one is written, its address, and what.
    pub files: Vec<(Operand, Operand, Vec<Operand>)>,
    pub slots: Vec<Operand>,
    /// 1 where the window advances.
    pub advances: Operand,
}

impl Steering {
    /// The controls of a network of all ways of running, some of whose kept words stand in files.
    pub fn new(program: &Program, network: &Network, files: &[KeptFile]) -> Self {
        let mut s = Steering {
            controls: Vec::new(),
            inputs: Vec::new(),
            constants: Vec::new(),
            window: Vec::new(),
            kept: Vec::new(),
            slots: Vec::new(),
            advances: None,
            writes: Vec::new(),
            files: Vec::new(),
        };
        let advances = network.advances.iter().map(|mode| mode.iter().map(|&a| Some(u64::from(a))).collect()).collect();
        s.advances =
            (!network.window.is_empty() && !network.advances.is_empty()).then(|| s.add("window_advances", 1, advances));
        for (n, copy) in network.copies.iter().enumerate() {
            let inputs = copy.inputs.iter().enumerate().map(|(k, mux)| s.choice(&format!("key_{n}_from{k}"), mux));
            let inputs = inputs.collect();
            s.inputs.push(inputs);
            let function = program.functions.iter().find(|f| f.name == copy.function);
            let mut numbers = Vec::new();
            for (k, values) in copy.constants.iter().enumerate() {
                let param = function.map(|f| &f.values[f.params[copy.inputs.len() + k].0 as usize].ty);
                numbers.push(s.number(&format!("key_{n}_constant{k}"), param.map_or(64, width_of), values));
            }
            s.constants.push(numbers);
        }
        s.window =
            network.window.iter().enumerate().map(|(n, mux)| s.choice(&format!("window{n}_from"), mux)).collect();
        s.slots =
            network.slots.iter().enumerate().map(|(n, mux)| s.choice(&format!("round_key{n}_from"), mux)).collect();
        for (n, mux) in network.kept.iter().enumerate() {
            let choice = s.choice(&format!("kept{n}_from"), mux);
            s.kept.push(choice);
            let written: Vec<Vec<Option<u64>>> =
                mux.from.iter().map(|mode| mode.iter().map(|source| source.map(|_| 1)).collect()).collect();
            let ever = !is_filed(files, n) && written.iter().flatten().any(Option::is_some);
            let control = ever.then(|| s.add(&format!("kept{n}_written"), 1, written));
            s.writes.push(control);
        }
        for (n, file) in files.iter().enumerate() {
            let at = s.add(&format!("kept_file{n}_at"), bits_for(file.rows.len()), file.written.clone());
            let written = file.written.iter().map(|mode| mode.iter().map(|row| row.map(|_| 1)).collect()).collect();
            let written = s.add(&format!("kept_file{n}_written"), 1, written);
            s.files.push((written, at, file.rows[0].clone()));
        }
        s
    }

    /// A last clock of some ways of running in which nothing happens.
    pub fn idle_at_last(&mut self, modes: std::ops::Range<usize>) {
        self.controls.iter_mut().flat_map(|c| &mut c.values[modes.clone()]).for_each(|mode| mode.push(None));
    }

    fn add(&mut self, name: &str, width: u8, values: Vec<Vec<Option<u64>>>) -> usize {
        if let Some(known) = self.controls.iter().position(|c| c.width == width && c.values == values) {
            return known;
        }
        self.controls.push(Control { name: name.to_owned(), width, values });
        self.controls.len() - 1
    }

    /// The same for a control that may be anything where it does not matter: it is one with another that agrees.
    fn shared(&mut self, name: &str, width: u8, values: Vec<Vec<Option<u64>>>) -> usize {
        let agree = |a: &Vec<Vec<Option<u64>>>| {
            let mut pairs = a.iter().flatten().zip(values.iter().flatten());
            pairs.all(|(x, y)| x.is_none() || y.is_none() || x == y)
        };
        let chooses = |c: &Control| c.width == width && c.values.iter().flatten().any(|v| *v == Some(0));
        match self.controls.iter().position(|c| chooses(c) && agree(&c.values)) {
            Some(found) => {
                let known = self.controls[found].values.iter_mut().flatten();
                known.zip(values.iter().flatten()).for_each(|(x, y)| *x = x.or(*y));
                found
            }
            None => self.add(name, width, values),
        }
    }

    fn choice(&mut self, name: &str, mux: &Mux) -> Option<usize> {
        let distinct = mux.distinct();
        let number = |s: &Source| distinct.iter().position(|d| d == s).unwrap_or(0) as u64;
        let values = mux.from.iter().map(|mode| mode.iter().map(|s| s.as_ref().map(number)).collect()).collect();
        (distinct.len() > 1).then(|| self.shared(name, bits_for(distinct.len()), values))
    }

    fn number(&mut self, name: &str, width: u8, values: &[Vec<Option<u64>>]) -> Number {
        let first = values.iter().flatten().flatten().next().copied().unwrap_or(0);
        let differs = values.iter().flatten().flatten().fold(0, |bits, v| bits | (v ^ first));
        if differs == 0 {
            return Number { width, known: first, varying: None };
        }
        let from = differs.trailing_zeros() as u8;
        let count = (64 - differs.leading_zeros()) as u8 - from;
        let part = |v: &Option<u64>| v.map(|v| (v >> from) & mask(count));
        let values = values.iter().map(|mode| mode.iter().map(part).collect()).collect();
        Number { width, known: first, varying: Some((self.shared(name, count, values), from, count)) }
    }

    /// Writes the logic of a clock.
    pub fn write(
        &self,
        program: &Program,
        logic: &mut Logic,
        network: &Network,
        controls: &[Operand],
        words: &Words<'_>,
    ) -> NetworkOutputs {
        let mut made: Vec<Vec<Operand>> = Vec::new();
        for (n, copy) in network.copies.iter().enumerate() {
            let mut arguments: Vec<Operand> = Vec::new();
            for (mux, control) in copy.inputs.iter().zip(&self.inputs[n]) {
                arguments.push(chosen(logic, "", mux, *control, controls, words, &made));
            }
            arguments.extend(self.constants[n].iter().map(|number| number.word(logic, controls)));
            let function = program.functions.iter().find(|f| f.name == copy.function);
            made.push(function.map_or(Vec::new(), |f| logic.call(f, arguments)));
        }
        let mut all = |name: &str, list: &[Mux], steered: &[Option<usize>]| -> Vec<Operand> {
            let of = |(n, (mux, control)): (usize, (&Mux, &Option<usize>))| {
                let name = if name.is_empty() { String::new() } else { format!("{name}{n}") };
                chosen(logic, &name, mux, *control, controls, words, &made)
            };
            list.iter().zip(steered).enumerate().map(of).collect()
        };
        let window = all("", &network.window, &self.window);
        let kept = all("", &network.kept, &self.kept);
        let slots = all("round_key", &network.slots, &self.slots);
        let of_file = |words: &[usize]| words.iter().map(|&n| kept[n]).collect();
        let files =
            self.files.iter().map(|(written, at, row)| (controls[*written], controls[*at], of_file(row))).collect();
        let kept = kept.into_iter().zip(&self.writes).map(|(word, c)| c.map(|c| (controls[c], word))).collect();
        NetworkOutputs {
            window,
            kept,
            files,
            slots,
            advances: self.advances.map_or(Operand::Const(0), |c| controls[c]),
        }
    }
}

fn chosen(
    logic: &mut Logic,
    name: &str,
    mux: &Mux,
    control: Option<usize>,
    controls: &[Operand],
    words: &Words<'_>,
    made: &[Vec<Operand>],
) -> Operand {
    let list: Vec<Operand> = mux
        .distinct()
        .iter()
        .map(|source| match *source {
            Source::Window(n) => words.window[n],
            Source::Kept(n) => words.kept[n],
            Source::Copy(copy, output) => made[copy][output],
            Source::Root(value) => (words.root)(logic, value),
        })
        .collect();
    match control {
        Some(control) => logic.choose(name, mux.width, controls[control], &list),
        None => list.first().copied().unwrap_or(Operand::Const(0)),
    }
}
