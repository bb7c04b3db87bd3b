//! Bits of bytes: shifts and rotations, by numbers and by data.

use program::ir::{Binary, Compare, Shift};

use super::{number_of, Bytes, SelectResult, Selector};
use crate::code::Source;

use Source::Number;

impl Selector<'_> {
    /// Shifts or rotates a word of at most 8 bits by a number.
    ///
    /// # Errors
    /// `E131`
    pub fn shifted(&mut self, kind: Shift, a: Source, by: u32, width: u32) -> SelectResult<Source> {
        match kind {
            Shift::Rotl => self.turned(a, by % width, width),
            Shift::Rotr => self.turned(a, (width - by % width) % width, width),
            Shift::Shl | Shift::Shr => match a {
                Number(a) if kind == Shift::Shl => Ok(Number(a << by & ((1 << width) - 1))),
                Number(a) => Ok(Number(a >> by)),
                a if by == 0 => Ok(a),
                _ if by >= width => Ok(Number(0)),
                a if kind == Shift::Shl => self.left(a, by, width),
                a => self.right(a, by),
            },
        }
    }

    fn turned(&mut self, a: Source, by: u32, width: u32) -> SelectResult<Source> {
        if by == 0 {
            return Ok(a);
        }
        if width == 8 && a.value().is_some() {
            return self.rotated_byte(a, by);
        }
        let low = self.shifted(Shift::Shl, a, by, width)?;
        let high = self.shifted(Shift::Shr, a, width - by, width)?;
        self.binary(Binary::Or, low, high)
    }

    fn rotated_byte(&mut self, a: Source, by: u32) -> SelectResult<Source> {
        let template = &self.templates().rotate[by as usize - 1];
        let lines = self.filled(template, &[])?;
        let zero = template.iter().any(|line| line.contains("{1}"));
        Ok(self.unary(lines, a, if zero { vec![Number(0)] } else { Vec::new() }))
    }

    /// To the left by less than the width.
    fn left(&mut self, a: Source, by: u32, width: u32) -> SelectResult<Source> {
        if by > self.templates().shift.bits {
            return self.rotated_under(a, by, (1 << width) - (1 << by));
        }
        let made = self.by_bits(a, by, &self.templates().shift.left, 0xf0)?;
        self.masked(made, width)
    }

    /// To the right by 1 to 7 bits.
    fn right(&mut self, a: Source, by: u32) -> SelectResult<Source> {
        if by > self.templates().shift.bits {
            return self.rotated_under(a, 8 - by, 255 >> by);
        }
        self.by_bits(a, by, &self.templates().shift.right, 0x0f)
    }

    /// By single bits, where there is an exchange of nibbles by four at once.
    fn by_bits(&mut self, mut a: Source, mut by: u32, line: &str, half: i32) -> SelectResult<Source> {
        if let Some(nibbles) = self.templates().shift.nibbles.as_ref().filter(|_| by >= 4) {
            let exchange = self.line(nibbles.clone())?;
            let exchanged = self.unary(vec![exchange], a, Vec::new());
            (a, by) = (self.binary(Binary::And, exchanged, Number(half))?, by - 4);
        }
        if by == 0 {
            return Ok(a);
        }
        let line = self.line(line.to_owned())?;
        Ok(self.unary(vec![line; by as usize], a, Vec::new()))
    }

    /// A rotation to the left of which only the bits of a mask are kept.
    fn rotated_under(&mut self, a: Source, by: u32, mask: i32) -> SelectResult<Source> {
        let Some(line) = &self.templates().shift.mask else {
            let turned = self.rotated_byte(a, by)?;
            return self.binary(Binary::And, turned, Number(mask));
        };
        let mut lines = self.filled(&self.templates().rotate[by as usize - 1], &[])?;
        lines.extend(self.filled(std::slice::from_ref(line), &[("number", &mask.to_string())])?);
        Ok(self.unary(lines, a, Vec::new()))
    }

    /// Clears the bits above a width.
    ///
    /// # Errors
    /// `E131`
    pub fn masked(&mut self, a: Source, width: u32) -> SelectResult<Source> {
        if width == 8 {
            return Ok(a);
        }
        self.binary(Binary::And, a, Number((1 << width) - 1))
    }

    /// Some bits of a word of `of` bits.
    ///
    /// # Errors
    /// `E131`
    pub fn field(&mut self, a: Source, position: u32, width: u32, of: u32) -> SelectResult<Source> {
        let d = self.shifted(Shift::Shr, a, position, 8)?;
        if position + width >= of {
            return Ok(d);
        }
        self.masked(d, width)
    }

    /// A byte with a bit of another one put in; the bit was 0.
    ///
    /// # Errors
    /// `E131`
    pub fn bit(&mut self, a: Source, to: u32, from: Source, bit: u32) -> SelectResult<Source> {
        let (Some(group), Source::Value(_)) = (&self.templates().bit, from) else {
            let field = self.field(from, bit, 1, 8)?;
            let moved = self.shifted(Shift::Shl, field, to, 8)?;
            return self.binary(Binary::Or, a, moved);
        };
        let (bit, to) = (bit.to_string(), to.to_string());
        Ok(Source::Value(self.group(group, &[a, from], &[("from", &bit), ("to", &to)])?[0]))
    }

    /// A word of `width` bits shifted or rotated by bytes that are not known: by 1, 2, 4, … bits, each of them or not. `moved`
    /// does it by a number. None for rotations whose width is no power of two.
    ///
    /// # Errors
    /// `E131`
    pub fn shifted_by(
        &mut self,
        kind: Shift,
        a: Bytes,
        amount: &[Source],
        width: u32,
        moved: impl Fn(&mut Self, Bytes, u32) -> SelectResult<Bytes>,
    ) -> SelectResult<Option<Bytes>> {
        let rotates = matches!(kind, Shift::Rotl | Shift::Rotr);
        if rotates && !width.is_power_of_two() {
            return Ok(None);
        }
        let width = u64::from(width);
        if let Some(number) = number_of(amount) {
            let by = if rotates { number % width } else { number };
            let zero = vec![Number(0); a.len()];
            return Ok(Some(if by < width { moved(self, a, by as u32)? } else { zero }));
        }
        let steps = u64::BITS - (width - 1).leading_zeros();
        let mut a = a;
        for k in 0..steps {
            let bit = self.field(amount[0], k, 1, 8)?;
            let further = moved(self, a.clone(), 1 << k)?;
            a = self.each_chosen(bit, &further, &a)?;
        }
        if !rotates {
            let mut high = vec![self.shifted(Shift::Shr, amount[0], steps, 8)?];
            high.extend(&amount[1..]);
            let over = self.compared(Compare::Ne, &high, &vec![Number(0); high.len()])?;
            a = a.into_iter().map(|x| self.chosen(over, Number(0), x)).collect::<SelectResult<_>>()?;
        }
        Ok(Some(a))
    }

    fn each_chosen(&mut self, bit: Source, a: &[Source], b: &[Source]) -> SelectResult<Bytes> {
        let one = |(x, y): (&Source, &Source)| if x == y { Ok(*x) } else { self.chosen(bit, *x, *y) };
        a.iter().zip(b).map(one).collect()
    }
}
