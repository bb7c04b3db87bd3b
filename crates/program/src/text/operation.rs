//! Reads one operation.

use super::cursor::ParseResult;
use super::function::Reader;
use super::lex::Token;
use super::words;
use crate::ir::{Address, Affine, BoxId, MatrixId, OpKind, TableId, ValueId};

impl Reader<'_> {
    /// Takes an operation after its `=`.
    pub(super) fn operation(&mut self) -> ParseResult<OpKind> {
        let word = self.operation_word()?;
        if let Some(which) = words::find(&words::BINARY, &word) {
            let (a, b) = self.pair()?;
            return Ok(OpKind::Binary(which, a, b));
        }
        if let Some(which) = words::find(&words::SHIFT, &word) {
            let (a, b) = self.pair()?;
            return Ok(OpKind::Shift(which, a, b));
        }
        if let Some(which) = words::find(&words::COMPARE, &word) {
            let (a, b) = self.pair()?;
            return Ok(OpKind::Compare(which, a, b));
        }
        if let Some(tag) = words::find(&words::LOOP, &word) {
            return Ok(OpKind::Loop(Box::new(self.loop_(tag)?)));
        }
        match word.as_str() {
            "lookup" | "load" | "store" | "linear" | "bitsliced" | "call" => self.named_operation(&word),
            _ => self.plain_operation(&word),
        }
    }

    fn plain_operation(&mut self, word: &str) -> ParseResult<OpKind> {
        Ok(match word {
            "const" => OpKind::Const(self.cursor.int("a number")?),
            "not" => OpKind::Not(self.operand()?),
            "extract" => {
                let a = self.operand()?;
                self.cursor.sign(",")?;
                OpKind::Extract(a, self.cursor.int_to(255, "a bit position")? as u8)
            }
            "concat" => OpKind::Concat(self.values()?),
            "zext" => OpKind::Zext(self.value()?),
            "select" => {
                let condition = self.operand()?;
                self.cursor.sign(",")?;
                let (a, b) = self.pair()?;
                OpKind::Select(condition, a, b)
            }
            "array" => OpKind::Array(self.operands()?),
            "index_div" | "index_mod" => {
                let affine = self.affine()?;
                self.cursor.sign(",")?;
                let divisor = self.cursor.magnitude(false, "a divisor")?;
                if word == "index_div" {
                    OpKind::IndexDiv(affine, divisor)
                } else {
                    OpKind::IndexMod(affine, divisor)
                }
            }
            _ => OpKind::Word(self.affine()?),
        })
    }

    fn named_operation(&mut self, word: &str) -> ParseResult<OpKind> {
        Ok(match word {
            "lookup" => {
                let names = self.program.tables.iter().map(|t| &t.name);
                let table = TableId(self.constant("table", names)?);
                OpKind::Lookup(table, self.address()?)
            }
            "load" => OpKind::Load(self.value()?, self.addresses()?),
            "store" => {
                let (array, addresses) = (self.value()?, self.addresses()?);
                self.cursor.sign(",")?;
                OpKind::Store(array, addresses, self.operands()?)
            }
            "linear" => {
                let names = self.program.matrices.iter().map(|m| &m.name);
                OpKind::Linear(MatrixId(self.constant("matrix", names)?), self.operands()?)
            }
            "bitsliced" => {
                let names = self.program.boxes.iter().map(|b| &b.name);
                OpKind::Bitsliced(BoxId(self.constant("box", names)?), self.operands()?)
            }
            _ => {
                let name = self.cursor.global("`@` and a function's name")?;
                self.cursor.sign("(")?;
                let operands = self.operands()?;
                self.cursor.sign(")")?;
                OpKind::Call(name, operands)
            }
        })
    }

    /// Takes `@NAME` and finds it.
    fn constant<'n>(&mut self, what: &str, mut names: impl Iterator<Item = &'n String>) -> ParseResult<u32> {
        let Token::Global(name) = self.cursor.peek().clone() else {
            return Err(self.cursor.expected(&format!("`@` and a {what}'s name")));
        };
        let Some(n) = names.position(|known| *known == name) else {
            return Err(self.cursor.error("P002", format!("{what} `@{name}` is not defined")));
        };
        self.cursor.advance();
        Ok(n as u32)
    }

    fn pair(&mut self) -> ParseResult<(crate::ir::Operand, crate::ir::Operand)> {
        let a = self.operand()?;
        self.cursor.sign(",")?;
        Ok((a, self.operand()?))
    }

    fn values(&mut self) -> ParseResult<Vec<ValueId>> {
        let mut values = vec![self.value()?];
        while self.cursor.take_sign(",") {
            values.push(self.value()?);
        }
        Ok(values)
    }

    fn addresses(&mut self) -> ParseResult<Vec<Address>> {
        let mut addresses = vec![self.address()?];
        while self.cursor.is_sign("[") {
            addresses.push(self.address()?);
        }
        Ok(addresses)
    }

    fn address(&mut self) -> ParseResult<Address> {
        self.cursor.sign("[")?;
        let ring = self.cursor.take_word("ring");
        let affine = self.affine()?;
        self.cursor.sign("]")?;
        Ok(Address { affine, ring })
    }

    fn affine(&mut self) -> ParseResult<Affine> {
        let mut affine = Affine::default();
        let mut negative = self.cursor.take_sign("-");
        loop {
            self.term(negative, &mut affine)?;
            negative = self.cursor.is_sign("-");
            if !negative && !self.cursor.is_sign("+") {
                return Ok(affine);
            }
            self.cursor.advance();
        }
    }

    fn term(&mut self, negative: bool, affine: &mut Affine) -> ParseResult<()> {
        if matches!(self.cursor.peek(), Token::Value(_)) {
            affine.terms.push((if negative { -1 } else { 1 }, self.value()?));
            return Ok(());
        }
        let error = self.cursor.error("P001", "the constant of an address does not fit 64 bits");
        let n = self.cursor.magnitude(negative, "an index or a number")?;
        if self.cursor.take_sign("*") {
            affine.terms.push((n, self.value()?));
            return Ok(());
        }
        affine.constant = affine.constant.checked_add(n).ok_or(error)?;
        Ok(())
    }
}
