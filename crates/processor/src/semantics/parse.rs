//! Reads the semantics language.

use std::fmt;

use super::{Expression, Function, Operator, Statement};

/// What does not follow the grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// One sentence, lower case, no full stop.
    pub message: String,
    /// Byte in the text, from 0.
    pub at: usize,
    /// How to mend it; may be empty.
    pub help: String,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at character {})", self.message, self.at + 1)
    }
}

type Result<T> = std::result::Result<T, SyntaxError>;

/// Statements, separated by `;`.
///
/// # Errors
/// With the byte at which the text stops to be in the language.
pub fn parse(text: &str) -> Result<Vec<Statement>> {
    let mut parser = Parser { text, at: 0 };
    let mut statements = Vec::new();
    loop {
        parser.space();
        if parser.at == text.len() {
            return Ok(statements);
        }
        statements.push(parser.statement()?);
        if !parser.eat(";") && parser.at < text.len() {
            return parser.fail(format!("`;` or the end is expected here, found {}", parser.found()), "");
        }
    }
}

/// One expression.
///
/// # Errors
/// As [`parse`].
pub fn parse_expression(text: &str) -> Result<Expression> {
    let mut parser = Parser { text, at: 0 };
    let expression = parser.select()?;
    parser.space();
    if parser.at < text.len() {
        return parser.fail(format!("an operator or the end is expected here, found {}", parser.found()), "");
    }
    Ok(expression)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn fail<T>(&self, message: String, help: &str) -> Result<T> {
        Err(SyntaxError { message, at: self.at, help: help.to_owned() })
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn found(&self) -> String {
        let rest = self.rest();
        let word = rest.len() - rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').len();
        match rest.chars().next() {
            None => "the end".to_owned(),
            Some(c) => format!("`{}`", &rest[..word.max(c.len_utf8())]),
        }
    }

    /// Takes the symbol if it comes next.
    fn eat(&mut self, symbol: &str) -> bool {
        self.space();
        let next = self.rest().starts_with(symbol);
        self.at += if next { symbol.len() } else { 0 };
        next
    }

    fn expect(&mut self, symbol: &str) -> Result<()> {
        if self.eat(symbol) {
            return Ok(());
        }
        self.fail(format!("`{symbol}` is expected here, found {}", self.found()), "")
    }

    fn word(&mut self) -> Option<String> {
        self.space();
        let rest = self.rest();
        let length = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').len();
        if length == 0 || rest.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let word = rest[..length].to_owned();
        self.at += length;
        Some(word)
    }

    fn statement(&mut self) -> Result<Statement> {
        let start = self.at;
        let Some(name) = self.word() else {
            return self.fail(format!("a statement is expected here, found {}", self.found()), STATEMENT);
        };
        if let Some(bits) = name.strip_prefix("store").and_then(|bits| bits.parse::<u8>().ok()) {
            if ![8, 16, 32, 64].contains(&bits) {
                self.at = start;
                return self.fail(format!("there is no `{name}`"), "known: store8, store16, store32, store64");
            }
            self.expect("(")?;
            let address = self.select()?;
            self.expect(",")?;
            let value = self.select()?;
            self.expect(")")?;
            return Ok(Statement::Store(bits, address, value));
        }
        self.space();
        if self.rest().starts_with("==") || !self.eat("=") {
            return self.fail(format!("`=` is expected after `{name}`, found {}", self.found()), STATEMENT);
        }
        Ok(Statement::Assign(name, self.select()?))
    }

    fn select(&mut self) -> Result<Expression> {
        let condition = self.binary(1)?;
        if !self.eat("?") {
            return Ok(condition);
        }
        let yes = self.select()?;
        self.expect(":")?;
        let no = self.select()?;
        Ok(Expression::Select(Box::new(condition), Box::new(yes), Box::new(no)))
    }

    fn binary(&mut self, least: u8) -> Result<Expression> {
        let mut left = self.unary()?;
        let mut bare = false;
        loop {
            self.space();
            let Some((operator, length, swapped)) = self.operator().filter(|o| o.0.precedence() >= least) else {
                return Ok(left);
            };
            if operator.precedence() == 1 && matches!(&left, Expression::Binary(o, ..) if o.precedence() == 1) && bare {
                return self.fail("comparisons in a row need parentheses".to_owned(), COMPARISONS);
            }
            self.at += length;
            bare = operator.precedence() == 1;
            let right = self.binary(operator.precedence() + 1)?;
            let (x, y) = if swapped { (right, left) } else { (left, right) };
            left = Expression::Binary(operator, Box::new(x), Box::new(y));
        }
    }

    /// The operator that comes next, its length, and whether its operands are to be swapped.
    fn operator(&self) -> Option<(Operator, usize, bool)> {
        let rest = self.rest();
        let known = Operator::ALL.iter().find(|o| rest.starts_with(o.symbol()));
        let swapped = [(">=", Operator::Le), (">", Operator::Lt)];
        match known {
            Some(operator) => Some((*operator, operator.symbol().len(), false)),
            None => swapped.iter().find(|(s, _)| rest.starts_with(s)).map(|(s, o)| (*o, s.len(), true)),
        }
    }

    fn unary(&mut self) -> Result<Expression> {
        if self.eat("~") {
            return Ok(Expression::Not(Box::new(self.unary()?)));
        }
        if self.eat("(") {
            let inner = self.select()?;
            self.expect(")")?;
            return Ok(inner);
        }
        let negative = self.eat("-");
        self.space();
        if self.rest().starts_with(|c: char| c.is_ascii_digit()) {
            let number = self.number()?;
            return Ok(Expression::Number(if negative { number.wrapping_neg() } else { number }));
        }
        let start = self.at;
        match self.word() {
            Some(name) if !negative && self.eat("(") => self.call(&name, start),
            Some(name) if !negative => Ok(Expression::Name(name)),
            _ => self.fail(format!("a name, a number or `(` is expected here, found {}", self.found()), ""),
        }
    }

    fn number(&mut self) -> Result<u64> {
        let rest = self.rest();
        let length = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').len();
        let digits = rest[..length].replace('_', "");
        let value = match digits.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16),
            None => digits.parse(),
        };
        match value {
            Ok(value) => {
                self.at += length;
                Ok(value)
            }
            Err(_) => self.fail(format!("`{digits}` is not a number of 64 bits"), "write 255 or 0xff"),
        }
    }

    fn call(&mut self, name: &str, start: usize) -> Result<Expression> {
        let Some((_, function, count)) = Function::ALL.iter().find(|(known, _, _)| *known == name) else {
            self.at = start;
            let known: Vec<_> = Function::ALL.iter().map(|(name, _, _)| *name).collect();
            return self.fail(format!("there is no function `{name}`"), &format!("known: {}", known.join(", ")));
        };
        let mut arguments = vec![self.select()?];
        while self.eat(",") {
            arguments.push(self.select()?);
        }
        self.expect(")")?;
        if arguments.len() != *count {
            self.at = start;
            let s = if *count == 1 { "" } else { "s" };
            return self.fail(format!("`{name}` takes {count} argument{s}, here are {}", arguments.len()), "");
        }
        Ok(Expression::Call(*function, arguments))
    }
}

const STATEMENT: &str = "write `d = a + b` or `store32(address, value)`, several separated by `;`";
const COMPARISONS: &str = "`|`, `^` and `&` bind tighter than comparisons: write `(a != 0) | (b != 0)`";
