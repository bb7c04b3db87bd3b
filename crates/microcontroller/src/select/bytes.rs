//! Operations on bytes.

use program::ir::{Binary, Compare};

use super::template::place;
use super::{number_of, sources, Bytes, SelectResult, Selector};
use crate::code::{Instruction, Source, Value};
use crate::isa;
use crate::matrix;

use Source::Number;

impl Selector<'_> {
    /// A number that is a value of its own, a counter's start.
    ///
    /// # Errors
    /// `E131`: a template is no instruction, here and below.
    pub fn number(&mut self, number: i64) -> SelectResult<Value> {
        let number = (number & 255).to_string();
        Ok(self.group(&self.templates().number, &[], &[("number", &number)])?[0])
    }

    /// An operation on two bytes; what is known needs no instruction.
    ///
    /// # Errors
    /// `E131`
    pub fn binary(&mut self, kind: Binary, a: Source, b: Source) -> SelectResult<Source> {
        let (a, b) = match (a, b) {
            (Number(a), Number(b)) => return Ok(Number(folded(kind, a, b))),
            (Number(_), b) if kind != Binary::Sub => (b, a),
            operands => operands,
        };
        match (kind, b) {
            (Binary::Add | Binary::Sub | Binary::Xor | Binary::Or, Number(0)) | (Binary::And, Number(255)) => Ok(a),
            (Binary::And, Number(0)) | (Binary::Or, Number(255)) => Ok(b),
            (Binary::Xor | Binary::Sub, b) if a == b => Ok(Number(0)),
            (Binary::And | Binary::Or, b) if a == b => Ok(a),
            _ => self.operation(kind, a, b),
        }
    }

    fn operation(&mut self, kind: Binary, a: Source, b: Source) -> SelectResult<Source> {
        let templates = self.templates();
        let (kind, b) = match (kind, b, templates.subtracts_numbers) {
            (Binary::Add, Number(n), true) => (Binary::Sub, Number(-n & 255)),
            (Binary::Sub, Number(n), false) => (Binary::Add, Number(-n & 255)),
            _ => (kind, b),
        };
        if let (Binary::Xor, Number(255), Some(line)) = (kind, b, &templates.complement) {
            let line = self.line(line.clone())?;
            return Ok(self.unary(vec![line], a, Vec::new()));
        }
        let template = binary(templates, kind);
        let Number(number) = b else {
            let lines = self.filled(&template.lines, &[])?;
            return Ok(self.tied(lines, a, b, template.commutative, None));
        };
        let number = number.to_string();
        if let Some(lines) = &template.number {
            let lines = self.filled(lines, &[("number", &number)])?;
            return Ok(self.unary(lines, a, Vec::new()));
        }
        let lines = self.filled(&template.lines, &[])?;
        let immediate = self.filled(template.immediate.as_slice(), &[("number", &number)])?.pop();
        Ok(self.tied(lines, a, b, template.commutative, immediate))
    }

    fn tied(
        &mut self,
        lines: Vec<crate::code::Line>,
        a: Source,
        b: Source,
        commutative: bool,
        immediate: Option<crate::code::Line>,
    ) -> Source {
        let d = self.fresh();
        let commutative = commutative && self.exchangeable(&[b]);
        let instruction = Instruction { lines, tied: vec![(d, a)], ins: vec![b], ..Instruction::default() };
        self.emit(Instruction { commutative, immediate, ..instruction });
        Source::Value(d)
    }

    /// Minus a byte.
    ///
    /// # Errors
    /// `E131`
    pub fn negative(&mut self, a: Source) -> SelectResult<Source> {
        let lines = self.filled(&self.templates().negative, &[])?;
        Ok(self.unary(lines, a, Vec::new()))
    }

    /// Times x in GF(2^8).
    ///
    /// # Errors
    /// `E131`
    pub fn doubled(&mut self, a: Source, polynomial: u64) -> SelectResult<Source> {
        let template = self.templates().double.as_ref();
        self.times(template, a, polynomial, ("double", 2))
    }

    /// Divided by x in GF(2^8).
    ///
    /// # Errors
    /// `E131`
    pub fn halved(&mut self, a: Source, polynomial: u64) -> SelectResult<Source> {
        let template = self.templates().halve.as_ref();
        self.times(template, a, polynomial, ("half", matrix::half(polynomial)))
    }

    fn times(
        &mut self,
        template: Option<&isa::Group>,
        a: Source,
        polynomial: u64,
        (name, factor): (&str, u64),
    ) -> SelectResult<Source> {
        if let Some(group) = template {
            let number = if factor == 2 { polynomial & 255 } else { factor };
            return Ok(Source::Value(self.group(group, &[a], &[("number", &number.to_string())])?[0]));
        }
        let name = format!("{name}_{polynomial:x}");
        self.table(&name, || (0..256).map(|x| matrix::product(factor, x, polynomial) as u8).collect());
        self.looked_up(&name, &[a], 256)
    }

    /// The low byte of a product.
    ///
    /// # Errors
    /// `E131`
    pub fn multiplied(&mut self, a: Source, b: Source) -> SelectResult<Source> {
        match &self.templates().multiply {
            Some(group) => Ok(Source::Value(self.group(group, &[a, b], &[])?[0])),
            None => Ok(self.product(a, b)?[0]),
        }
    }

    /// The low and the high byte of a product.
    ///
    /// # Errors
    /// `E131`
    pub(super) fn product(&mut self, a: Source, b: Source) -> SelectResult<[Source; 2]> {
        let Some(group) = &self.templates().product else { return Ok([Number(0); 2]) };
        let made = sources(&self.group(group, &[a, b], &[])?);
        Ok(if group.word { [made[1], made[0]] } else { [made[0], made[1]] })
    }

    /// An entry of a table of bytes at an address of one byte or more.
    ///
    /// # Errors
    /// `E131`
    pub fn looked_up(&mut self, table: &str, address: &[Source], entries: usize) -> SelectResult<Source> {
        let look_up = &self.templates().look_up;
        let number = number_of(address).unwrap_or(0).to_string();
        let label = format!("table_{table}");
        let with = [("label", label.as_str()), ("number", &number), ("load", self.load)];
        let made = match &look_up.known {
            Some(known) if number_of(address).is_some() => self.group(known, &[], &with)?,
            _ if address.len() == 1 || entries <= 256 => self.group(&look_up.page, &address[..1], &with)?,
            _ => self.group(&look_up.long, &address[..2], &with)?,
        };
        Ok(Source::Value(made[0]))
    }

    /// 1 if the comparison of two words holds, else 0. Words that registers do not hold at once are compared in two parts.
    ///
    /// # Errors
    /// `E131`
    pub fn compared(&mut self, kind: Compare, a: &[Source], b: &[Source]) -> SelectResult<Source> {
        if self.isa.accumulator.is_some() || 2 * a.len() < self.registers_at_once() {
            return self.compared_at_once(kind, a, b);
        }
        let (low, high) = (a.len() / 2, a.len() / 2..a.len());
        let lower = self.compared(kind, &a[..low], &b[..low])?;
        let upper = self.compared(kind, &a[high.clone()], &b[high.clone()])?;
        match kind {
            Compare::Eq => self.binary(Binary::And, lower, upper),
            Compare::Ne => self.binary(Binary::Or, lower, upper),
            Compare::Ltu => {
                let equal = self.compared(Compare::Eq, &a[high.clone()], &b[high])?;
                let below = self.binary(Binary::And, equal, lower)?;
                self.binary(Binary::Or, upper, below)
            }
        }
    }

    fn compared_at_once(&mut self, kind: Compare, a: &[Source], b: &[Source]) -> SelectResult<Source> {
        let all = &self.templates().compare;
        let comparison = match kind {
            Compare::Eq => &all.eq,
            Compare::Ne => &all.ne,
            Compare::Ltu => &all.ltu,
        };
        let mut lines = self.filled(&comparison.begin, &[])?;
        for k in 0..a.len() {
            let (x, y) = (place(1 + k), place(1 + a.len() + k));
            let template = if k == 0 { &comparison.first } else { &comparison.next };
            lines.extend(self.filled(template, &[("a", &x), ("b", &y)])?);
        }
        lines.extend(self.filled(&comparison.end, &[])?);
        let d = self.fresh();
        let ins: Bytes = a.iter().chain(b).copied().collect();
        let instruction = Instruction { lines, outs: vec![d], ins, early: all.early, ..Instruction::default() };
        self.emit(Instruction { upper: super::bits(&all.upper), ..instruction });
        Ok(Source::Value(d))
    }

    /// `a` if the condition is 1, else `b`.
    ///
    /// # Errors
    /// `E131`
    pub fn chosen(&mut self, condition: Source, a: Source, b: Source) -> SelectResult<Source> {
        if let Number(n) = condition {
            return Ok(if n == 0 { b } else { a });
        }
        if let Some(group) = &self.templates().choose {
            return Ok(Source::Value(self.group(group, &[b, condition, a], &[])?[0]));
        }
        // The difference under a mask.
        let mask = self.negative(condition)?;
        let difference = self.binary(Binary::Xor, a, b)?;
        let kept = self.binary(Binary::And, difference, mask)?;
        self.binary(Binary::Xor, b, kept)
    }
}

fn binary(templates: &isa::Selection, kind: Binary) -> &isa::BinaryTemplate {
    match kind {
        Binary::And => &templates.and,
        Binary::Or => &templates.or,
        Binary::Xor => &templates.xor,
        Binary::Sub => &templates.sub,
        Binary::Add | Binary::Mul => &templates.add,
    }
}

/// An operation on numbers.
fn folded(kind: Binary, a: i32, b: i32) -> i32 {
    let made = match kind {
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul => a * b,
    };
    made & 255
}
