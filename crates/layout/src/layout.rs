//! A layout: tables, and the operations that make the words of the results from them.

use serde::Serialize;

use crate::cost::Cost;
use crate::orders::{Order, Problem};
use crate::pattern::{factors, Operator, Pattern};
use crate::search::{Class, Family, Load, Vocabulary};
use crate::sums::{solve, Task};

/// One operation; its value has the operation's number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    /// Table, unit, and the byte of the entry at which a word is read.
    Load(usize, usize, usize),
    /// Two values.
    Xor(usize, usize),
    /// A value, and bytes to the more significant end, around.
    Rotate(usize, usize),
    /// A value, and bytes to the more significant end.
    Up(usize, usize),
    /// A value, and bytes to the less significant end.
    Down(usize, usize),
    /// A value, and the set of bytes that stay.
    Mask(usize, usize),
}

/// A table: entries for every value of a unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Table {
    /// The S-boxes of the unit's columns.
    pub boxes: Vec<usize>,
    /// For each byte of an entry, the least significant first, the factor of each column's S-box.
    pub factors: Vec<Vec<u8>>,
}

/// A layout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Layout {
    /// How words are derived from others.
    pub family: Family,
    /// What it costs.
    pub cost: Cost,
    /// Whether no combination of the same words takes fewer exclusive ors.
    pub is_least: bool,
    /// The matrix row at each place: word after word, the least significant byte first.
    pub order: Order,
    /// The columns of each unit.
    pub units: Vec<Vec<usize>>,
    /// The tables.
    pub tables: Vec<Table>,
    /// The operations.
    pub steps: Vec<Step>,
    /// The value that each word of the result is.
    pub outputs: Vec<usize>,
}

/// The sums of a set of classes, and the operators (with the words they serve) whose results are atoms.
pub struct Shape {
    /// What is to be added.
    pub task: Task,
    /// The operator of each atom after the classes.
    pub operators: Vec<Operator>,
}

/// What a set of classes has to be combined into.
#[must_use]
pub fn shape(classes: &[Class], words: usize, vocabulary: &Vocabulary) -> Shape {
    let mut atoms: Vec<(Operator, u64)> = Vec::new();
    let mut outputs = vec![0u64; words];
    let mut uses: Vec<(usize, usize)> = Vec::new();
    for (word, output) in outputs.iter_mut().enumerate() {
        let mut applied: Vec<(Operator, u64)> = Vec::new();
        for (n, class) in classes.iter().enumerate() {
            let part = class.part(word);
            if part.identity {
                *output |= 1 << n;
            }
            let Some(operator) = part.operator.map(|o| vocabulary.operators[o]) else { continue };
            match applied.iter_mut().find(|a| a.0 == operator) {
                Some(known) => known.1 |= 1 << n,
                None => applied.push((operator, 1 << n)),
            }
        }
        for atom in applied {
            let place = atoms.iter().position(|a| *a == atom).unwrap_or_else(|| {
                atoms.push(atom);
                atoms.len() - 1
            });
            uses.push((word, place));
        }
    }
    uses.iter().for_each(|&(word, atom)| outputs[word] |= 1 << (classes.len() + atom));
    let operands = atoms.iter().map(|a| a.1).collect();
    Shape { task: Task { classes: classes.len(), operands, outputs }, operators: atoms.iter().map(|a| a.0).collect() }
}

/// A table as the search has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The S-boxes of the columns.
    pub boxes: Vec<usize>,
    /// The factors of the first bytes of an entry.
    pub low: Pattern,
    /// Those of as many further bytes, in an entry of two words.
    pub high: Option<Pattern>,
    /// Bytes of an entry.
    pub entry: usize,
    /// Bytes of an entry that is no wider than it must be.
    pub width: usize,
}

impl Candidate {
    fn table(&self, lanes: usize) -> Table {
        let low = factors(self.low, lanes.min(self.entry));
        let high = self.high.map_or_else(Vec::new, |h| factors(h, lanes));
        let split = |f: u16| (0..self.boxes.len()).map(|n| (f >> (8 * n)) as u8).collect();
        Table { boxes: self.boxes.clone(), factors: low.into_iter().chain(high).map(split).collect() }
    }
}

struct Writer {
    steps: Vec<Step>,
}

impl Writer {
    fn push(&mut self, step: Step) -> usize {
        self.steps.push(step);
        self.steps.len() - 1
    }

    fn apply(&mut self, operator: Operator, value: usize, lanes: usize) -> usize {
        match operator {
            Operator::Rotate(n) => self.push(Step::Rotate(value, n.into())),
            Operator::Up(n) => self.push(Step::Up(value, n.into())),
            Operator::Down(n) => self.push(Step::Down(value, n.into())),
            Operator::Mask(kept) => self.push(Step::Mask(value, kept.into())),
            Operator::TwoShifts(n) => {
                let up = self.push(Step::Up(value, n.into()));
                let down = self.push(Step::Down(value, lanes - usize::from(n)));
                self.push(Step::Xor(up, down))
            }
        }
    }
}

/// Writes a layout down: `chosen` has the look-ups of each kind of unit of the problem.
#[must_use]
pub fn write(
    problem: &Problem,
    chosen: &[Vec<Load>],
    candidates: &[Candidate],
    (family, vocabulary): (Family, &Vocabulary),
    lanes: usize,
    cost: Cost,
) -> Layout {
    let mut writer = Writer { steps: Vec::new() };
    let mut used: Vec<usize> = chosen.iter().flatten().map(|l| l.table).collect();
    used.sort_unstable();
    used.dedup();
    let place = |table: usize| used.iter().position(|&t| t == table).unwrap_or(0);
    let mut units = Vec::new();
    let mut classes: Vec<Class> = Vec::new();
    let mut sums: Vec<usize> = Vec::new();
    for (kind, loads) in problem.kinds.iter().zip(chosen) {
        for columns in &kind.members {
            for load in loads {
                let value = writer.push(Step::Load(place(load.table), units.len(), load.offset));
                match classes.iter().position(|c| *c == load.class) {
                    Some(n) => sums[n] = writer.push(Step::Xor(sums[n], value)),
                    None => {
                        classes.push(load.class);
                        sums.push(value);
                    }
                }
            }
            units.push(columns.clone());
        }
    }
    let shape = shape(&classes, problem.order.len() / lanes, vocabulary);
    let solved = solve(&shape.task);
    let mut known: Vec<(u64, usize)> = sums.iter().enumerate().map(|(n, &v)| (1 << n, v)).collect();
    let find = |known: &[(u64, usize)], sum: u64| known.iter().find(|k| k.0 == sum).map(|k| k.1);
    let mut waiting: Vec<(u64, u64)> = solved.steps.clone();
    let mut locked: Vec<usize> = (0..shape.operators.len()).collect();
    // Ends: each iteration but the last finds something that was awaited.
    loop {
        let before = (waiting.len(), locked.len());
        locked.retain(|&i| match find(&known, shape.task.operands[i]) {
            Some(value) => {
                let result = writer.apply(shape.operators[i], value, lanes);
                known.push((1 << (classes.len() + i), result));
                false
            }
            None => true,
        });
        waiting.retain(|&(a, b)| match (find(&known, a), find(&known, b)) {
            (Some(x), Some(y)) => {
                let result = writer.push(Step::Xor(x, y));
                known.push((a ^ b, result));
                false
            }
            _ => true,
        });
        if before == (waiting.len(), locked.len()) {
            break;
        }
    }
    Layout {
        family,
        cost,
        is_least: solved.is_least,
        order: problem.order.clone(),
        units,
        tables: used.iter().map(|&t| candidates[t].table(lanes)).collect(),
        steps: writer.steps,
        outputs: shape.task.outputs.iter().map(|&sum| find(&known, sum).unwrap_or(usize::MAX)).collect(),
    }
}
