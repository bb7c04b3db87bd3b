//! Words that data choose among many: multiplexers beside the bodies, which give their addresses.

use program::ir::{Operand, Program};

use super::{Body, Engine};
use crate::architecture::program_union::import;
use crate::logic::{bits_for, Logic};
use crate::sequence::{Place, Role, Sequence};

/// Neighbouring words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Row {
    /// Registers of the engine.
    Cells(Vec<usize>),
    /// Words from outside, from this number on.
    Outside(usize),
    /// Results of a key schedule: its number, the result, its first element.
    Keys(usize, u32, u32),
}

/// A selection of a body.
pub(super) struct Selected {
    /// Where its words may be, and which control tells the rows apart.
    rows: Vec<Row>,
    told: Option<usize>,
    count: usize,
    width: u8,
    /// The function of the address, and the numbers of the body's parameters that it takes.
    address: String,
    parameters: Vec<usize>,
    /// The port through which its words are read, if they are in another machine.
    port: Option<usize>,
}

impl Selected {
    pub fn told(&self) -> Option<usize> {
        self.told
    }

    pub fn told_mut(&mut self) -> Option<&mut usize> {
        self.told.as_mut()
    }
}

/// A port to words of another machine: an address goes out, a word comes back.
pub(in super::super) struct SelectionPort {
    pub rows: Vec<Row>,
    pub count: usize,
    pub width: u8,
    /// Bodies read through it after the ports of lower ranks.
    rank: usize,
}

impl SelectionPort {
    /// Bits of the address: among the words of a row, then of the row.
    pub fn bits(&self) -> u8 {
        bits_for(self.count) + row_bits(&self.rows)
    }
}

fn row_bits(rows: &[Row]) -> u8 {
    if rows.len() > 1 {
        bits_for(rows.len())
    } else {
        0
    }
}

/// A multiplexer of rows of words.
pub(in super::super) fn select(
    logic: &mut Logic,
    (name, width): (&str, u8),
    address: Operand,
    rows: &[Vec<Operand>],
) -> Operand {
    let mut words: Vec<Operand> = Vec::new();
    for (n, row) in rows.iter().enumerate() {
        words.extend(row);
        if n + 1 < rows.len() {
            words.resize((n + 1) << bits_for(row.len()), row[row.len() - 1]);
        }
    }
    logic.choose(name, width, address, &words)
}

/// What a machine gives to and takes from selections.
pub(super) struct SelectionWords {
    /// Per body its arguments but the constants: reads, then selected words; none where it selects nothing.
    pub arguments: Vec<Option<Vec<Operand>>>,
    /// Per port its address.
    pub addresses: Vec<Operand>,
}

impl Engine {
    /// The selections of a body, whose functions come into the program.
    pub(super) fn selections(
        &mut self,
        program: &mut Program,
        (prefix, uses): (&str, &[(usize, usize)]),
        modes: &[&Sequence],
        schedule: &dyn Fn(usize) -> Option<usize>,
    ) -> Vec<Selected> {
        let (first_mode, first_step) = uses[0];
        let sequence = modes[first_mode];
        let first = &sequence.steps[first_step];
        let addresses = sequence.bodies[first.body].addresses.clone();
        let mut list = Vec::new();
        for (k, (one, address)) in first.selections.iter().zip(&addresses).enumerate() {
            let rows: Vec<Row> =
                uses.iter().map(|&(mode, step)| self.row(modes[mode], step, k, schedule(mode))).collect();
            let (rows, told) = self.told_apart(&format!("{prefix}_row{k}"), uses, rows);
            let function = sequence.program.functions.iter().find(|f| f.name == address.function);
            let name = function.map_or(String::new(), |f| import(program, &sequence.program, f, &f.name));
            let (count, width) = (one.count as usize, sequence.arrays[one.array as usize].width);
            let port = matches!(rows[0], Row::Keys(..)).then(|| self.selection_port(&rows, count, width, k));
            list.push(Selected {
                rows,
                told,
                count,
                width,
                address: name,
                parameters: address.parameters.clone(),
                port,
            });
        }
        list
    }

    fn row(&mut self, sequence: &Sequence, step: usize, k: usize, schedule: Option<usize>) -> Row {
        let one = sequence.steps[step].selections[k];
        match (sequence.arrays[one.array as usize].role, schedule) {
            (Role::Parameter(p), Some(schedule)) if p != sequence.last_parameter() => Row::Keys(schedule, p, one.first),
            (Role::Parameter(_), _) => Row::Outside(one.first as usize),
            _ => {
                let cells = one.first..one.first + one.count;
                Row::Cells(cells.map(|n| self.cell(sequence, &Place::Element(one.array, n))).collect())
            }
        }
    }

    /// The port to some words, the k-th that a body needs.
    fn selection_port(&mut self, rows: &[Row], count: usize, width: u8, rank: usize) -> usize {
        let same =
            |port: &SelectionPort| (&port.rows[..], port.count, port.width, port.rank) == (rows, count, width, rank);
        self.selection_ports.iter().position(same).unwrap_or_else(|| {
            self.selection_ports.push(SelectionPort { rows: rows.to_vec(), count, width, rank });
            self.selection_ports.len() - 1
        })
    }

    /// Whether data choose among words that are kept here.
    pub fn selects(&self) -> bool {
        !self.selection_ports.is_empty() || self.bodies.iter().any(|body| !body.selected_words.is_empty())
    }

    /// Selects the words of all bodies: those that need no other selection first.
    pub(super) fn select(
        &self,
        program: &Program,
        logic: &mut Logic,
        (controls, registers, outside): (&[Operand], &[Operand], &[Operand]),
        through: &[Operand],
    ) -> SelectionWords {
        let mut arguments: Vec<Option<Vec<Operand>>> = Vec::new();
        for body in &self.bodies {
            let reads = (!body.selected_words.is_empty())
                .then(|| self.reads(program, logic, body, controls, registers, outside))
                .flatten();
            arguments.push(reads);
        }
        let mut wanted: Vec<Vec<(Operand, Operand)>> = vec![Vec::new(); self.selection_ports.len()];
        let most = self.bodies.iter().map(|body| body.selected_words.len()).max().unwrap_or(0);
        for k in 0..most {
            for (body, arguments) in self.bodies.iter().zip(&mut arguments) {
                let (Some(one), Some(arguments)) = (body.selected_words.get(k), arguments) else { continue };
                let address = address(program, logic, body, (one, controls), arguments);
                let word = match one.port {
                    Some(port) => {
                        wanted[port].push((controls[body.selected], address));
                        through[port]
                    }
                    None => {
                        let rows: Vec<Vec<Operand>> =
                            one.rows.iter().map(|row| words_of(row, one.count, registers, outside)).collect();
                        select(logic, ("", one.width), address, &rows)
                    }
                };
                arguments.push(word);
            }
        }
        let mut addresses = Vec::new();
        for (port, wanted) in self.selection_ports.iter().zip(&wanted) {
            addresses.push(logic.one_of(port.bits(), wanted));
        }
        SelectionWords { arguments, addresses }
    }
}

fn words_of(row: &Row, count: usize, registers: &[Operand], outside: &[Operand]) -> Vec<Operand> {
    match row {
        Row::Cells(cells) => cells.iter().map(|&cell| registers[cell]).collect(),
        Row::Outside(first) => outside[*first..first + count].to_vec(),
        Row::Keys(..) => Vec::new(),
    }
}

/// The address of a selection: of the word in its row, then of the row.
fn address(
    program: &Program,
    logic: &mut Logic,
    body: &Body,
    (one, controls): (&Selected, &[Operand]),
    arguments: &[Operand],
) -> Operand {
    let constants = body.inputs.len() + body.selected_words.len();
    let argument = |&n: &usize| if n < constants { arguments[n] } else { controls[body.constants[n - constants]] };
    let taken = one.parameters.iter().map(argument).collect();
    let function = program.functions.iter().find(|f| f.name == one.address);
    let word = function.map_or(Operand::Const(0), |f| logic.call(f, taken)[0]);
    match one.told {
        Some(control) => logic.concat("", &[(word, bits_for(one.count)), (controls[control], row_bits(&one.rows))]),
        None => word,
    }
}
