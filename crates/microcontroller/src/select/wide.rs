//! Operations on wide words, in the functions of bytes of the pass `split-words` (`add_32`, `rotl_32_11`).

use program::ir::{Binary, Compare, Shift};
use program::Diagnostic;

use super::template::place;
use super::{number_of, sources, Bytes, SelectResult, Selector};
use crate::code::{Instruction, Item, Line, Source};

use Source::Number;

/// A function of `split-words`: its operation, the bits of words, the number that it shifts by.
struct WideOperation {
    kind: Kind,
    bits: u32,
    by: Option<u32>,
}

enum Kind {
    Binary(Binary),
    Compare(Compare),
    Shift(Shift),
}

impl WideOperation {
    fn read(name: &str) -> Option<Self> {
        let mut parts = name.split('_');
        let kind = match parts.next()? {
            "add" => Kind::Binary(Binary::Add),
            "sub" => Kind::Binary(Binary::Sub),
            "mul" => Kind::Binary(Binary::Mul),
            "eq" => Kind::Compare(Compare::Eq),
            "ne" => Kind::Compare(Compare::Ne),
            "ltu" => Kind::Compare(Compare::Ltu),
            "shl" => Kind::Shift(Shift::Shl),
            "shr" => Kind::Shift(Shift::Shr),
            "rotl" => Kind::Shift(Shift::Rotl),
            "rotr" => Kind::Shift(Shift::Rotr),
            _ => return None,
        };
        let bits = parts.next()?.parse().ok()?;
        let by = match (parts.next(), parts.next()) {
            (None, None) | (Some("by"), Some(_)) => None,
            (Some(by), None) => Some(by.parse().ok()?),
            _ => return None,
        };
        Some(WideOperation { kind, bits, by })
    }
}

impl Selector<'_> {
    /// The bytes of the result of a call of one of the functions.
    ///
    /// # Errors
    /// `E101` to `E103`: the function is not known, is on parts of bytes, rotates words whose width is no power of two by what
    /// is not known.
    pub fn wide(&mut self, name: &str, operands: &[Source]) -> SelectResult<Bytes> {
        let Some(WideOperation { kind, bits, by }) = WideOperation::read(name) else {
            return Err(Diagnostic::new("E101", format!("no instructions are known for a call of `{name}`")));
        };
        if bits % 8 != 0 {
            let message = format!("`{name}` is on words that are no whole number of bytes");
            return Err(Diagnostic::new("E102", message).help("words of 8, 16, 24, 32 … bits are"));
        }
        let (a, b) = operands.split_at(operands.len().min(bits as usize / 8));
        match (kind, by) {
            (Kind::Binary(Binary::Mul), _) => self.wide_product(a, b),
            (Kind::Binary(kind), _) => self.wide_sum(kind, a.to_vec(), b.to_vec()),
            (Kind::Compare(kind), _) => Ok(vec![self.compared(kind, a, b)?]),
            (Kind::Shift(kind), Some(by)) => self.wide_moved(kind, a.to_vec(), by),
            (Kind::Shift(kind @ (Shift::Rotl | Shift::Rotr)), None) if a.len() == 4 => {
                self.four_rotated_by(kind, a.to_vec(), b[0])
            }
            (Kind::Shift(kind), None) => {
                let moved = |this: &mut Self, a, by| this.wide_moved(kind, a, by);
                let made = self.shifted_by(kind, a.to_vec(), b, bits, moved)?;
                made.ok_or_else(|| {
                    let known = "rotations by an amount that is not known are of 16, 32 or 64 bits";
                    Diagnostic::new("E103", format!("`{name}`: {known}"))
                })
            }
        }
    }

    fn wide_moved(&mut self, kind: Shift, a: Bytes, by: u32) -> SelectResult<Bytes> {
        match kind {
            Shift::Rotl => self.wide_rotated(a, by),
            Shift::Rotr => {
                let width = 8 * a.len() as u32;
                self.wide_rotated(a, (width - by % width) % width)
            }
            Shift::Shl | Shift::Shr => self.wide_shifted(kind == Shift::Shl, a, by),
        }
    }

    /// Rotates a byte, or a word of several, to the left by a number.
    ///
    /// # Errors
    /// `E131`
    pub fn rotated(&mut self, a: Bytes, left: u32) -> SelectResult<Bytes> {
        match a[..] {
            [byte] => Ok(vec![self.shifted(Shift::Rotl, byte, left, 8)?]),
            _ => self.wide_rotated(a, left),
        }
    }

    /// What a rotation of so many bytes to the left takes, with copies of bytes that it changes in place, without numbers for registers.
    ///
    /// # Errors
    /// `E131`
    pub fn cycles_of_rotation(&mut self, bytes: usize, left: u32) -> SelectResult<u64> {
        if let Some(&known) = self.rotations.get(&(bytes, left)) {
            return Ok(known);
        }
        let (begin, values) = (self.out.len(), self.count());
        let word = sources(&self.several(bytes));
        self.rotated(word, left)?;
        let made = self.out.split_off(begin);
        self.forget(values);
        let instructions = made.iter().filter_map(|item| match item {
            Item::Instruction(instruction) => Some(instruction),
            Item::Loop(_) => None,
        });
        let copy = if self.isa.accumulator.is_none() { self.isa.cost(&self.isa.moves.copy)?.0 } else { 0 };
        let mut cycles = 0;
        for instruction in instructions {
            let parts = instruction.parts.iter().chain([&**instruction]);
            cycles += parts.map(|part| part.tied.len() as u64).sum::<u64>() * u64::from(copy);
            for line in &instruction.lines {
                if let Line::Machine(machine) = line {
                    cycles += u64::from(self.isa.cost(machine)?.0);
                }
            }
        }
        self.rotations.insert((bytes, left), cycles);
        Ok(cycles)
    }

    /// Whole bytes are renamed; some bits go through carry, one at a time, to the left or to the right; more are exchanged
    /// under a mask or by products.
    fn wide_rotated(&mut self, a: Bytes, left: u32) -> SelectResult<Bytes> {
        let turns = &self.templates().turns;
        let (n, left) = (a.len(), left % (8 * a.len() as u32));
        let spread = turns.spread.is_some() && n == 4;
        let back = if spread { 6 } else { turns.back };
        let (mut whole, mut bits) = (left as usize / 8, left as i32 % 8);
        if bits >= back as i32 {
            (whole, bits) = (whole + 1, bits - 8);
        }
        let mut a: Bytes = (0..n).map(|k| a[(k + n - whole % n) % n]).collect();
        if spread && bits >= 3 {
            return self.spread(&a, Number(1 << bits));
        }
        if bits >= turns.masked as i32 {
            let bits = bits as u32;
            a = a.into_iter().map(|x| self.shifted(Shift::Rotl, x, bits, 8)).collect::<SelectResult<_>>()?;
            return (0..n).map(|k| self.mixed(a[k], a[(k + n - 1) % n], (1 << bits) - 1)).collect();
        }
        self.through_carry(a, bits.unsigned_abs(), bits > 0, true)
    }

    /// A byte with the bits of a mask from another.
    fn mixed(&mut self, kept: Source, other: Source, mask: i32) -> SelectResult<Source> {
        if other == Number(0) {
            return self.binary(Binary::And, kept, Number(255 ^ mask));
        }
        let difference = self.binary(Binary::Xor, kept, other)?;
        let wanted = self.binary(Binary::And, difference, Number(mask))?;
        self.binary(Binary::Xor, wanted, kept)
    }

    /// Whole bytes are renamed; many bits are a byte less some bits the other way.
    fn wide_shifted(&mut self, left: bool, a: Bytes, by: u32) -> SelectResult<Bytes> {
        let (n, whole, bits) = (a.len(), (by as usize / 8).min(a.len()), by % 8);
        let zeros = |count: usize| vec![Number(0); count];
        let back = bits >= self.templates().turns.back_shift;
        let mut made = match (left, back) {
            (true, true) => {
                let moved = self.bits_moved([&zeros(1), &a[..n - whole]].concat(), 8 - bits, false)?;
                [zeros(whole), moved].concat()
            }
            (true, false) => [zeros(whole), self.bits_moved(a[..n - whole].to_vec(), bits, true)?].concat(),
            (false, true) => self.bits_moved([&a[whole..], &zeros(1)].concat(), 8 - bits, true)?.split_off(1),
            (false, false) => self.bits_moved(a[whole..].to_vec(), bits, false)?,
        };
        made.resize(n, Number(0));
        Ok(made)
    }

    fn bits_moved(&mut self, a: Bytes, bits: u32, left: bool) -> SelectResult<Bytes> {
        if bits < self.templates().turns.masked {
            return self.through_carry(a, bits, left, false);
        }
        let kind = if left { Shift::Rotl } else { Shift::Rotr };
        let turned: Bytes = a.into_iter().map(|x| self.shifted(kind, x, bits, 8)).collect::<SelectResult<_>>()?;
        let zero = [Number(0)];
        let beside = if left { [&zero, &turned[..]] } else { [&turned[1..], &zero[..]] }.concat();
        let mask = if left { (1 << bits) - 1 } else { 255 ^ 255 >> bits };
        turned.into_iter().zip(beside).map(|(x, y)| self.mixed(x, y, mask)).collect()
    }

    /// Rotates four bytes by the bits of a power of two: products hold the bits that stay and those that go on.
    fn spread(&mut self, a: &[Source], power: Source) -> SelectResult<Bytes> {
        let Some(group) = &self.templates().turns.spread else { return Ok(a.to_vec()) };
        Ok(sources(&self.group(group, &[a, &[power]].concat(), &[])?))
    }

    /// Rotates four bytes by a byte.
    fn four_rotated_by(&mut self, kind: Shift, a: Bytes, amount: Source) -> SelectResult<Bytes> {
        if let Number(by) = amount {
            return self.wide_moved(kind, a, by as u32 % 32);
        }
        let turns = &self.templates().turns;
        let amount = if kind == Shift::Rotr { self.negative(amount)? } else { amount };
        if turns.powers {
            self.table("powers", || (0..8).map(|k| 1 << k).collect());
            let low = self.binary(Binary::And, amount, Number(7))?;
            let power = self.looked_up("powers", &[low], 8)?;
            return Ok(sources(&self.group(&turns.by, &[&a[..], &[amount, power]].concat(), &[])?));
        }
        let exchanged = sources(&self.group(&turns.by, &[&a[..], &[amount]].concat(), &[])?);
        let Some(power) = &turns.power else { return Ok(exchanged) };
        let power = self.group(power, &[amount], &[])?[0];
        self.spread(&exchanged, Source::Value(power))
    }

    /// The low bytes of a product: schoolbook, a carry runs to the end.
    fn wide_product(&mut self, a: &[Source], b: &[Source]) -> SelectResult<Bytes> {
        let mut total: Vec<Option<Source>> = vec![None; a.len()];
        let columns = self.templates().columns.is_some();
        for (x, y, k) in byte_products(a, b) {
            match (x, y) {
                (_, Number(1)) => self.added(&mut total, &[x], k)?,
                (Number(x), Number(y)) if !columns => {
                    let bytes = super::bytes_of((x * y) as u64, 2.min(a.len() - k));
                    self.added(&mut total, &bytes, k)?;
                }
                _ if columns => self.column_added(&mut total, [x, y], k)?,
                _ => {
                    let product = self.product(x, y)?;
                    self.added(&mut total, &product[..2.min(a.len() - k)], k)?;
                }
            }
        }
        Ok(total.into_iter().map(|t| t.unwrap_or(Number(0))).collect())
    }

    /// Adds one or two bytes to a sum from byte `k` on.
    fn added(&mut self, total: &mut [Option<Source>], terms: &[Source], k: usize) -> SelectResult<()> {
        let here = k..k + terms.len();
        if total[here.clone()].iter().all(Option::is_none) {
            total[here].iter_mut().zip(terms).for_each(|(t, term)| *t = Some(*term));
            return Ok(());
        }
        let end = end_of_carry(total, terms.len(), k);
        let sum: Bytes = total[k..end].iter().map(|t| t.unwrap_or(Number(0))).collect();
        let mut more = terms.to_vec();
        more.resize(end - k, Number(0));
        let made = self.total(sum, more)?;
        total[k..end].iter_mut().zip(made).for_each(|(t, d)| *t = Some(d));
        Ok(())
    }

    /// Adds a product of two bytes, which is in registers of its own.
    fn column_added(&mut self, total: &mut [Option<Source>], factors: [Source; 2], k: usize) -> SelectResult<()> {
        let Some(columns) = &self.templates().columns else { return Ok(()) };
        let count = columns.registers.len().min(total.len() - k);
        let terms: Vec<&str> = columns.registers[..count].iter().map(String::as_str).collect();
        let here = k..k + count;
        let first = total[here.clone()].iter().all(Option::is_none);
        let end = if first { here.end } else { end_of_carry(total, count, k) };
        let results = self.several(end - k);
        let n = results.len();
        let multiply = [("from", &*place(n)), ("by", &*place(n + 1))];
        let mut lines = self.filled(std::slice::from_ref(&columns.multiply), &multiply)?;
        let mut ins = factors.to_vec();
        for c in 0..n {
            let to = place(c);
            if first {
                let copy = [("to", &*to), ("from", terms[c])];
                lines.extend(self.filled(std::slice::from_ref(&columns.copy), &copy)?);
                continue;
            }
            let zero = place(n + ins.len());
            let from = terms.get(c).copied().unwrap_or(&zero);
            if c >= count {
                ins.push(Number(0));
            }
            let sums = &self.templates().sums;
            let template = if c == 0 { &sums.add } else { &sums.add_carry };
            lines.extend(self.filled(template, &[("to", &to), ("from", from)])?);
        }
        let tied = total[k..end].iter().map(|t| t.unwrap_or(Number(0)));
        let tied: Vec<_> = if first { Vec::new() } else { results.iter().copied().zip(tied).collect() };
        let outs = if first { results.clone() } else { Vec::new() };
        self.emit(Instruction { lines, tied, outs, ins, ..Instruction::default() });
        total[k..end].iter_mut().zip(results).for_each(|(t, d)| *t = Some(Source::Value(d)));
        Ok(())
    }
}

/// Behind the last byte that a carry reaches when bytes are added from byte `k` on.
fn end_of_carry(total: &[Option<Source>], terms: usize, k: usize) -> usize {
    let known = total.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    total.len().min((known + 1).max(k + terms))
}

/// The products of bytes that the low half of a product needs, and from which byte on each counts: a number is the second of
/// the two, and products of even weight come first, as they fill pairs of bytes that nothing was added to yet.
#[must_use]
pub fn byte_products(a: &[Source], b: &[Source]) -> Vec<(Source, Source, usize)> {
    let n = a.len();
    let needed = |(i, j): &(usize, usize)| a[*i] != Number(0) && b[*j] != Number(0);
    let mut pairs: Vec<_> = (0..n).flat_map(|i| (0..n - i).map(move |j| (i, j))).filter(needed).collect();
    pairs.sort_by_key(|(i, j)| ((i + j) % 2, i + j, i.abs_diff(*j)));
    let ordered = |(i, j): (usize, usize)| match a[i] {
        Number(_) => (b[j], a[i], i + j),
        Source::Value(_) => (a[i], b[j], i + j),
    };
    pairs.into_iter().map(ordered).collect()
}

/// Minus a number, in bytes.
pub(super) fn negated(b: &[Source]) -> Option<Bytes> {
    number_of(b).map(|number| super::bytes_of(number.wrapping_neg(), b.len()))
}
