//! Reads a function: its blocks, loops and places.

use std::collections::HashMap;

use super::cursor::{Cursor, ParseResult};
use super::lex::Token;
use super::parse::{ty, LARGEST};
use super::words;
use crate::diagnostic::Diagnostic;
use crate::ir::{Block, Function, Loop, LoopTag, Op, Operand, Place, Program, ValueData, ValueId};

/// Loops within loops; keeps a hostile text from exhausting the stack.
const DEEPEST: usize = 64;

/// A function being read.
pub(super) struct Reader<'a> {
    pub(super) cursor: &'a mut Cursor,
    pub(super) program: &'a Program,
    values: Vec<ValueData>,
    names: HashMap<String, ValueId>,
    depth: usize,
}

/// Takes a whole function.
pub(super) fn function(cursor: &mut Cursor, program: &Program) -> ParseResult<Function> {
    cursor.word("func")?;
    let error = cursor.error("P003", "");
    let name = cursor.global("`@` and the function's name")?;
    if program.functions.iter().any(|f| f.name == name) {
        return Err(Diagnostic { message: format!("function `@{name}` is defined twice"), ..error });
    }
    let mut reader = Reader { cursor, program, values: Vec::new(), names: HashMap::new(), depth: 0 };
    reader.cursor.sign("(")?;
    let params = reader.params()?;
    reader.cursor.sign("->")?;
    reader.cursor.sign("(")?;
    let results = reader.cursor.list(")", ty)?;
    reader.cursor.sign("{")?;
    let body = reader.block(Vec::new(), "return")?;
    Ok(Function { name, params, results, values: reader.values, body })
}

impl Reader<'_> {
    /// Takes definitions up to and with `)`.
    fn params(&mut self) -> ParseResult<Vec<ValueId>> {
        let mut params = Vec::new();
        if self.cursor.take_sign(")") {
            return Ok(params);
        }
        loop {
            params.push(self.definition()?);
            if self.cursor.take_sign(")") {
                return Ok(params);
            }
            if !self.cursor.take_sign(",") {
                return Err(self.cursor.expected("`,` or `)`"));
            }
        }
    }

    /// Takes `%name: type`.
    fn definition(&mut self) -> ParseResult<ValueId> {
        let Token::Value(name) = self.cursor.peek().clone() else {
            return Err(self.cursor.expected("`%` and a value's name"));
        };
        let id = ValueId(self.values.len() as u32);
        if self.names.insert(name.clone(), id).is_some() {
            return Err(self
                .cursor
                .error("P003", format!("value `%{name}` is defined twice"))
                .help("every value of a function needs its own name, also in different loop bodies"));
        }
        self.cursor.advance();
        self.cursor.sign(":")?;
        let ty = ty(self.cursor)?;
        self.values.push(ValueData { name, ty });
        Ok(id)
    }

    /// Takes operations, `end` with its operands, and `}`.
    fn block(&mut self, params: Vec<ValueId>, end: &str) -> ParseResult<Block> {
        let mut ops = Vec::new();
        while !self.cursor.take_word(end) {
            if !matches!(self.cursor.peek(), Token::Value(_) | Token::Word(_)) {
                return Err(self.cursor.expected(&format!("an operation or `{end}`")));
            }
            ops.push(self.op()?);
        }
        let outputs = self.operands()?;
        self.cursor.sign("}")?;
        Ok(Block { params, ops, outputs })
    }

    fn op(&mut self) -> ParseResult<Op> {
        let mut results = Vec::new();
        if matches!(self.cursor.peek(), Token::Value(_)) {
            results.push(self.definition()?);
            while self.cursor.take_sign(",") {
                results.push(self.definition()?);
            }
            self.cursor.sign("=")?;
        }
        let kind = self.operation()?;
        let places = self.places()?;
        Ok(Op { kind, results, places })
    }

    /// Takes `@[file:]line:column` and the callers, if there are any.
    fn places(&mut self) -> ParseResult<Vec<Place>> {
        let mut places = Vec::new();
        let Token::Global(first) = self.cursor.peek().clone() else { return Ok(places) };
        let Ok(first) = first.parse() else {
            return Err(self.cursor.expected("a place, `@line:column`"));
        };
        self.cursor.advance();
        places.push(self.place(first)?);
        while self.cursor.take_sign("<") {
            let first = self.cursor.int("a line")?;
            places.push(self.place(first)?);
        }
        Ok(places)
    }

    /// The rest of a place after its first number.
    fn place(&mut self, first: u64) -> ParseResult<Place> {
        let error = self.cursor.error("P001", "a place has a number that is too large");
        self.cursor.sign(":")?;
        let second = self.cursor.int("a column")?;
        let (file, line, column) =
            if self.cursor.take_sign(":") { (first, second, self.cursor.int("a column")?) } else { (0, first, second) };
        match (u16::try_from(file), u32::try_from(line), u32::try_from(column)) {
            (Ok(file), Ok(line), Ok(column)) => Ok(Place { file, line, column }),
            _ => Err(error),
        }
    }

    /// Takes a value in use.
    pub(super) fn value(&mut self) -> ParseResult<ValueId> {
        let Token::Value(name) = self.cursor.peek() else { return Err(self.cursor.expected("a value")) };
        match self.names.get(name) {
            Some(&id) => {
                self.cursor.advance();
                Ok(id)
            }
            None => Err(self.cursor.error("P002", format!("value `%{name}` is not defined before this use"))),
        }
    }

    /// Takes a value or a number.
    pub(super) fn operand(&mut self) -> ParseResult<Operand> {
        match *self.cursor.peek() {
            Token::Int(n) => {
                self.cursor.advance();
                Ok(Operand::Const(n))
            }
            Token::Value(_) => self.value().map(Operand::Value),
            _ => Err(self.cursor.expected("a value or a number")),
        }
    }

    /// Takes operands with commas between; none if the next token begins something else (a definition has a colon after its name).
    pub(super) fn operands(&mut self) -> ParseResult<Vec<Operand>> {
        let mut operands = Vec::new();
        let definition = *self.cursor.peek_second() == Token::Sign(":");
        if definition || !matches!(self.cursor.peek(), Token::Int(_) | Token::Value(_)) {
            return Ok(operands);
        }
        loop {
            operands.push(self.operand()?);
            if !self.cursor.take_sign(",") {
                return Ok(operands);
            }
        }
    }

    /// Takes a loop after its first word.
    pub(super) fn loop_(&mut self, tag: LoopTag) -> ParseResult<Loop> {
        if self.depth == DEEPEST {
            return Err(self.cursor.error("P006", format!("loops are nested more than {DEEPEST} deep")));
        }
        let start = self.cursor.here();
        let iterations = self.cursor.int_to(LARGEST, "an iteration count")? as usize;
        let counter = self.cursor.string("the counter's name in quotes")?;
        self.cursor.word("from")?;
        let from = self.cursor.signed("the counter's first value")?;
        self.cursor.word("step")?;
        let step = self.cursor.signed("the counter's step")?;
        self.cursor.sign("(")?;
        let init = self.initial_values()?;
        self.cursor.sign("{")?;
        self.depth += 1;
        let (pattern, bodies) = self.bodies(iterations)?;
        self.depth -= 1;
        if let Some(iteration) = pattern.iter().position(Option::is_none) {
            let error = Diagnostic::new("P004", format!("iteration {iteration} of the loop runs no body"));
            return Err(error.at_text(start.0, start.1));
        }
        Ok(Loop { tag, counter, from, step, init, pattern: pattern.into_iter().flatten().collect(), bodies })
    }

    fn initial_values(&mut self) -> ParseResult<Vec<Operand>> {
        let operands = self.operands()?;
        self.cursor.sign(")")?;
        Ok(operands)
    }

    fn bodies(&mut self, iterations: usize) -> ParseResult<(Vec<Option<u8>>, Vec<Block>)> {
        let mut pattern = vec![None; iterations];
        let mut bodies = Vec::new();
        while self.cursor.is_word("body") {
            let Ok(number) = u8::try_from(bodies.len()) else {
                return Err(self.cursor.error("P004", "a loop has more than 256 bodies"));
            };
            self.cursor.advance();
            self.iterations(number, &mut pattern)?;
            let params = self.params()?;
            self.cursor.sign("{")?;
            bodies.push(self.block(params, "yield")?);
        }
        if !self.cursor.take_sign("}") {
            return Err(self.cursor.expected("`body` or `}`"));
        }
        Ok((pattern, bodies))
    }

    /// Takes the iterations of a body and `(`.
    fn iterations(&mut self, body: u8, pattern: &mut [Option<u8>]) -> ParseResult<()> {
        if self.cursor.take_sign("(") {
            return Ok(());
        }
        loop {
            let error = self.cursor.error("P004", "");
            let first = self.cursor.int("an iteration number or `(`")?;
            let (mut last, mut step) = (first, 1);
            if self.cursor.take_sign("..") {
                last = self.cursor.int("the last iteration number")?;
                step = if self.cursor.take_word("by") { self.cursor.int("a step")?.max(1) } else { 1 };
            }
            if let Err(message) = fill(pattern, first, last, step, body) {
                return Err(Diagnostic { message, ..error });
            }
            if self.cursor.take_sign("(") {
                return Ok(());
            }
            if !self.cursor.take_sign(",") {
                return Err(self.cursor.expected("`,` or `(`"));
            }
        }
    }

    /// Takes the word of an operation.
    pub(super) fn operation_word(&mut self) -> ParseResult<String> {
        let word = match self.cursor.peek() {
            Token::Word(word) => word.clone(),
            _ => return Err(self.cursor.expected("an operation")),
        };
        let known = words::find(&words::BINARY, &word).is_some()
            || words::find(&words::SHIFT, &word).is_some()
            || words::find(&words::COMPARE, &word).is_some()
            || words::find(&words::LOOP, &word).is_some()
            || words::OTHER.contains(&word.as_str());
        if !known {
            return Err(self.cursor.expected("an operation"));
        }
        self.cursor.advance();
        Ok(word)
    }
}

/// Marks iterations `first`, `first + step`, … up to `last` as run by a body.
fn fill(pattern: &mut [Option<u8>], first: u64, last: u64, step: u64, body: u8) -> Result<(), String> {
    let count = pattern.len();
    if last >= count as u64 || first > last {
        return Err(format!("iterations {first} to {last} do not lie in the loop's 0 to {}", count as i64 - 1));
    }
    for iteration in (first..=last).step_by(step as usize) {
        if let Some(other) = pattern[iteration as usize].replace(body) {
            return Err(format!("iteration {iteration} runs body {other} and body {body} of the loop"));
        }
    }
    Ok(())
}
