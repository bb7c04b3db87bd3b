//! Runs instructions.

use super::code::{Cell, Code, Instruction, List, Slot};
use super::field::Multiplier;
use crate::ir::{Binary, SBox, Shift};
use crate::semantics;

/// One memory for all functions: constants, tables, and a place for every value.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    pub words: Vec<u64>,
    /// For cells of arrays: whether a value was stored.
    pub written: Vec<bool>,
}

impl Memory {
    /// New places, one after the other.
    pub(super) fn allocate(&mut self, count: usize) -> Slot {
        let slot = self.words.len();
        self.words.resize(slot + count, 0);
        self.written.resize(slot + count, true);
        slot as Slot
    }
}

/// Sees named values and calls as they happen.
pub(super) trait Observer {
    /// A named value has been computed.
    fn note(&mut self, memory: &Memory, code: &Code, note: u32);
    /// A call begins.
    fn enter(&mut self, memory: &Memory, code: &Code, origin: u32);
    /// A call ends.
    fn leave(&mut self);
}

/// An observer that looks away.
pub(super) struct NoObserver;

impl Observer for NoObserver {
    fn note(&mut self, _: &Memory, _: &Code, _: u32) {}
    fn enter(&mut self, _: &Memory, _: &Code, _: u32) {}
    fn leave(&mut self) {}
}

/// An unwritten cell was read: the functions and instructions that led there, innermost first, and the cell's slot.
#[derive(Debug)]
pub(super) struct UnwrittenRead {
    pub calls: Vec<(usize, usize)>,
    pub slot: usize,
}

/// What instructions refer to beside the memory.
pub(super) struct Tools<'a> {
    pub functions: &'a [Code],
    pub multipliers: &'a [Multiplier],
    pub boxes: &'a [SBox],
}

impl Memory {
    #[inline]
    fn at(&self, slot: Slot) -> u64 {
        self.words[slot as usize]
    }

    #[inline]
    fn put(&mut self, slot: Slot, word: u64) {
        self.words[slot as usize] = word;
    }

    #[inline]
    fn cell(&self, cell: Cell) -> usize {
        let index = self.at(cell.index) as i64;
        i64::from(cell.base).wrapping_add(i64::from(cell.coefficient).wrapping_mul(index)) as usize
    }

    fn copy(&mut self, to: Slot, from: Slot, count: u32) {
        let (to, from) = (to as usize, from as usize..(from + count) as usize);
        self.words.copy_within(from.clone(), to);
        self.written.copy_within(from, to);
    }

    fn linear(&mut self, multiplier: &Multiplier, to: Slot, operands: &[u32]) {
        match multiplier {
            Multiplier::Packed { columns, rows } => {
                let products = columns.iter().zip(operands).map(|(column, &slot)| column[self.at(slot) as usize]);
                let packed = products.fold(0, |sum, product| sum ^ product);
                for row in 0..*rows {
                    self.put(to + row, packed >> (8 * row) & 0xff);
                }
            }
            Multiplier::Rows { rows, polynomial } => {
                for (row, factors) in rows.iter().enumerate() {
                    let product = |&(column, entry): &(usize, u64)| match entry {
                        1 => self.at(operands[column]),
                        _ => semantics::field_multiply(*polynomial, self.at(operands[column]), entry),
                    };
                    let sum = factors.iter().map(product).fold(0, |sum, product| sum ^ product);
                    self.put(to + row as u32, sum);
                }
            }
        }
    }

    fn bitsliced(&mut self, sbox: &SBox, to: Slot, operands: &[u32], width: u8) {
        let mut inputs = [0; 8];
        for (input, &slot) in inputs.iter_mut().zip(operands) {
            *input = self.at(slot);
        }
        let outputs = to as usize..to as usize + usize::from(sbox.outputs);
        semantics::bitsliced(&sbox.data, &inputs[..operands.len()], &mut self.words[outputs], width);
    }

    fn load(&mut self, to: Slot, cell: Cell, count: u32) -> Result<(), usize> {
        let first = self.cell(cell);
        for k in 0..count as usize {
            if !self.written[first + k] {
                return Err(first + k);
            }
            self.words[to as usize + k] = self.words[first + k];
        }
        Ok(())
    }

    fn store(&mut self, cell: Cell, slots: &[u32]) {
        let first = self.cell(cell);
        for (k, &slot) in slots.iter().enumerate() {
            self.words[first + k] = self.at(slot);
            self.written[first + k] = true;
        }
    }

    /// Runs a function whose parameters are in place.
    pub(super) fn run<O: Observer>(
        &mut self,
        tools: &Tools<'_>,
        function: usize,
        observer: &mut O,
    ) -> Result<(), UnwrittenRead> {
        let code = &tools.functions[function];
        let mut next = 0;
        loop {
            let current = next;
            next += 1;
            match code.instructions[current] {
                Instruction::Move { to, from } => self.put(to, self.at(from)),
                Instruction::Add { width, to, a, b } => {
                    self.put(to, semantics::binary(Binary::Add, self.at(a), self.at(b), width));
                }
                Instruction::Sub { width, to, a, b } => {
                    self.put(to, semantics::binary(Binary::Sub, self.at(a), self.at(b), width));
                }
                Instruction::Mul { width, to, a, b } => {
                    self.put(to, semantics::binary(Binary::Mul, self.at(a), self.at(b), width));
                }
                Instruction::And { to, a, b } => self.put(to, self.at(a) & self.at(b)),
                Instruction::Or { to, a, b } => self.put(to, self.at(a) | self.at(b)),
                Instruction::Xor { to, a, b } => self.put(to, self.at(a) ^ self.at(b)),
                Instruction::Rotate { left, width, to, a, amount } => {
                    let which = if left { Shift::Rotl } else { Shift::Rotr };
                    self.put(to, semantics::shift(which, self.at(a), self.at(amount), width));
                }
                Instruction::Load { to, cell } => {
                    let from = self.cell(cell);
                    if !self.written[from] {
                        return Err(UnwrittenRead { calls: vec![(function, current)], slot: from });
                    }
                    self.put(to, self.words[from]);
                }
                Instruction::LoadRow { to, cell, count } => {
                    let unwritten = |slot| UnwrittenRead { calls: vec![(function, current)], slot };
                    self.load(to, cell, count).map_err(unwritten)?;
                }
                Instruction::Call { function: callee } => {
                    observer.enter(self, code, code.origin_of[current]);
                    self.run(tools, callee as usize, observer).map_err(|mut found| {
                        found.calls.push((function, current));
                        found
                    })?;
                    observer.leave();
                }
                Instruction::Linear { matrix, to, list } => {
                    self.linear(&tools.multipliers[matrix as usize], to, &code.lists[list.range()]);
                }
                Instruction::Bitsliced { sbox, width, to, list } => {
                    self.bitsliced(&tools.boxes[sbox as usize], to, &code.lists[list.range()], width);
                }
                Instruction::Body { iteration, targets } => {
                    next = code.targets[targets as usize][self.at(iteration) as usize] as usize;
                }
                Instruction::Next { iteration, count, head, end } => {
                    let done = self.at(iteration) + 1;
                    self.put(iteration, done);
                    next = if done < u64::from(count) { head as usize } else { end as usize };
                }
                Instruction::Note { note } => observer.note(self, code, note),
                Instruction::Return => return Ok(()),
                other => self.simple(code, other),
            }
        }
    }

    /// Instructions that neither fail nor branch; part of the loop of [`Memory::run`], where a second dispatch would cost a fifth of the time.
    #[inline(always)]
    fn simple(&mut self, code: &Code, instruction: Instruction) {
        match instruction {
            Instruction::Shift { which, width, to, a, amount } => {
                self.put(to, semantics::shift(which, self.at(a), self.at(amount), width));
            }
            Instruction::Not { width, to, a } => self.put(to, !self.at(a) & semantics::mask(width)),
            Instruction::Extract { position, width, to, a } => {
                self.put(to, self.at(a) >> position & semantics::mask(width));
            }
            Instruction::Concat { to, list } => self.concat(code, to, list),
            Instruction::Compare { which, to, a, b } => {
                self.put(to, semantics::compare(which, self.at(a), self.at(b)));
            }
            Instruction::Select { to, condition, a, b } => {
                self.put(to, if self.at(condition) == 1 { self.at(a) } else { self.at(b) });
            }
            Instruction::Fetch { to, cell } => self.put(to, self.words[self.cell(cell)]),
            Instruction::Store { cell, from } => self.store(cell, &[from]),
            Instruction::StoreRow { cell, list } => self.store(cell, &code.lists[list.range()]),
            Instruction::Sum { to, sum } => self.sum(code, to, sum),
            Instruction::Ring { to, extent } => {
                self.put(to, (self.at(to) as i64).rem_euclid(extent.into()) as u64);
            }
            Instruction::Divide { to, divisor } => self.put(to, (self.at(to) as i64).div_euclid(divisor) as u64),
            Instruction::Remainder { to, divisor } => self.put(to, (self.at(to) as i64).rem_euclid(divisor) as u64),
            Instruction::Copy { to, from, count } => self.copy(to, from, count),
            Instruction::Forget { to, count } => self.written[to as usize..(to + count) as usize].fill(false),
            Instruction::Zero { to } => self.put(to, 0),
            _ => unreachable!("handled by `run`"),
        }
    }

    fn concat(&mut self, code: &Code, to: Slot, list: List) {
        let parts = code.lists[list.range()].chunks_exact(2);
        self.put(to, parts.fold(0, |word, part| word | self.at(part[0]) << part[1]));
    }

    fn sum(&mut self, code: &Code, to: Slot, sum: u32) {
        let sum = &code.sums[sum as usize];
        let add = |total: i64, &(c, slot): &(i64, Slot)| total.wrapping_add(c.wrapping_mul(self.at(slot) as i64));
        let total = sum.terms.iter().fold(sum.constant, add);
        self.put(to, total as u64);
    }
}
