//! Tokens to equations.
//!
//! A newline ends an equation unless a parenthesis is open, or an operator stands before or after it.

use super::ast::{Assignment, Expression, Operator};
use super::lexer::Token;
use crate::fault::Fault;

/// Reads all equations, each with its line.
///
/// # Errors
/// `C002` for what is no equation, `C015` to `C017` for constants, operands and tables that are none.
pub fn equations(tokens: Vec<(u32, Token)>) -> Result<Vec<(u32, Assignment)>, Fault> {
    let mut parser = Parser { tokens: joined(tokens), at: 0, depth: 0 };
    let mut found = Vec::new();
    while parser.at < parser.tokens.len() {
        if parser.accept_end() {
            continue;
        }
        parser.statement(&mut found)?;
    }
    Ok(found)
}

/// Drops the newlines inside equations.
fn joined(tokens: Vec<(u32, Token)>) -> Vec<(u32, Token)> {
    let mut kept: Vec<(u32, Token)> = Vec::with_capacity(tokens.len());
    let mut depth = 0i32;
    for (n, (_, token)) in tokens.iter().enumerate() {
        match token {
            Token::Symbol('(') => depth += 1,
            Token::Symbol(')') => depth -= 1,
            Token::End('\n') if goes_on(depth, kept.last(), &tokens[n + 1..]) => continue,
            Token::End(_) => depth = 0,
            _ => {}
        }
        kept.push(tokens[n].clone());
    }
    kept
}

fn goes_on(depth: i32, last: Option<&(u32, Token)>, rest: &[(u32, Token)]) -> bool {
    let mut next = rest.iter().map(|(_, t)| t).skip_while(|t| **t == Token::End('\n'));
    let first = next.next();
    if matches!(first, Some(Token::Symbol('&' | '|' | '^'))) {
        return true;
    }
    let last = last.map(|(_, t)| t);
    if depth <= 0 && last == Some(&Token::Symbol(',')) {
        return true;
    }
    // A line that begins another equation ends this one, so that what is missing is told where it is missing.
    let begins =
        matches!(first, Some(Token::Word(_))) && matches!(next.next(), Some(Token::Assign(_) | Token::Word(_)));
    let open = depth > 0 || matches!(last, Some(Token::Symbol('&' | '|' | '^' | '~')));
    open && !begins && first.is_some()
}

/// More parentheses within each other, or more operators in a row, than any circuit has; reading recurses.
const DEEPEST: usize = 500;

struct Parser {
    tokens: Vec<(u32, Token)>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(_, t)| t)
    }

    fn line(&self) -> u32 {
        self.tokens.get(self.at).or_else(|| self.tokens.last()).map_or(0, |(line, _)| *line)
    }

    fn accept(&mut self, wanted: &Token) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn accept_end(&mut self) -> bool {
        let found = matches!(self.peek(), Some(Token::End(_)));
        self.at += usize::from(found);
        found
    }

    fn expected(&self, what: &str) -> Fault {
        let found = self.peek().map_or_else(|| "the end of the text".to_owned(), Token::shown);
        Fault::new("C002", format!("expected {what}, found {found}"))
            .at(self.line())
            .help("an equation is `name = expression`, for example `t1 = x0 & ~(x1 ^ x2)`")
    }

    /// `[type words] name = expression [, name = expression]`, or a declaration without a value.
    fn statement(&mut self, found: &mut Vec<(u32, Assignment)>) -> Result<(), Fault> {
        let mut words = 0;
        loop {
            let line = self.line();
            while words > 0 && self.accept(&Token::Symbol('*')) {}
            while matches!(self.peek(), Some(Token::Word(_)))
                && matches!(self.tokens.get(self.at + 1), Some((_, Token::Word(_) | Token::Symbol('*'))))
            {
                words += 1;
                self.at += 1;
                while self.accept(&Token::Symbol('*')) {}
            }
            let Some(Token::Word(name)) = self.peek().cloned() else { return Err(self.expected("a name")) };
            self.at += 1;
            if let Some(&Token::Assign(symbol)) = self.peek() {
                self.at += 1;
                let value = self.expression(0)?;
                found.push((line, Assignment { name, compound: symbol.and_then(operator), value }));
            } else if words == 0 || !matches!(self.peek(), Some(Token::End(';') | Token::Symbol(','))) {
                return Err(self.expected(&format!("`=` after `{name}`")));
            }
            if !self.accept(&Token::Symbol(',')) {
                break;
            }
        }
        if self.accept_end() || self.peek().is_none() {
            return Ok(());
        }
        Err(self.expected("an operator or the end of the equation"))
    }

    fn expression(&mut self, least: u8) -> Result<Expression, Fault> {
        let mut left = self.operand()?;
        let mut length = 0;
        while let Some(&Token::Symbol(symbol)) = self.peek() {
            let Some(joining) = operator(symbol).filter(|o| o.strength() > least) else { break };
            length += 1;
            self.not_deeper_than(length)?;
            self.at += 1;
            let right = self.expression(joining.strength())?;
            left = Expression::binary(joining, left, right);
        }
        Ok(left)
    }

    fn not_deeper_than(&self, depth: usize) -> Result<(), Fault> {
        if depth <= DEEPEST {
            return Ok(());
        }
        Err(Fault::new("C013", format!("an expression goes deeper than {DEEPEST} operators"))
            .at(self.line())
            .help("give its parts names of their own"))
    }

    fn operand(&mut self) -> Result<Expression, Fault> {
        self.depth += 1;
        self.not_deeper_than(self.depth)?;
        let found = self.primary();
        self.depth -= 1;
        found
    }

    fn primary(&mut self) -> Result<Expression, Fault> {
        match self.peek().cloned() {
            Some(Token::Symbol('~')) => {
                self.at += 1;
                Ok(self.operand()?.complemented())
            }
            Some(Token::Symbol('(')) => {
                self.at += 1;
                let inner = self.expression(0)?;
                if self.accept(&Token::Symbol(')')) {
                    return Ok(inner);
                }
                Err(self.expected("`)`"))
            }
            Some(Token::Number(text)) => {
                let value = constant(&text).ok_or_else(|| {
                    Fault::new("C015", format!("`{text}` is neither all zeros nor all ones"))
                        .at(self.line())
                        .help("the constants are 0 and 1 (or ones of a whole word, 0xffffffff)")
                })?;
                self.at += 1;
                Ok(Expression::Constant(value))
            }
            Some(Token::Word(name)) => {
                self.at += 1;
                if self.accept(&Token::Symbol('(')) {
                    return self.call(name);
                }
                Ok(Expression::Name(name))
            }
            _ => Err(self.expected("a name, `~` or `(`")),
        }
    }

    fn call(&mut self, name: String) -> Result<Expression, Fault> {
        let line = self.line();
        let mut table = None;
        if name == "lut" {
            let Some(Token::Number(text)) = self.peek().cloned() else { return Err(self.expected("a table")) };
            table = Some((number(&text).filter(|&n| n <= 0xffff), text));
            self.at += 1;
            if !self.accept(&Token::Symbol(',')) {
                return Err(self.expected("`,`"));
            }
        }
        let mut operands = vec![self.expression(0)?];
        while self.accept(&Token::Symbol(',')) {
            operands.push(self.expression(0)?);
        }
        if !self.accept(&Token::Symbol(')')) {
            return Err(self.expected("`,` or `)`"));
        }
        if operands.len() > 4 {
            let message = format!("`{name}` has {} operands; a gate has at most 4", operands.len());
            return Err(Fault::new("C016", message).at(line));
        }
        let Some((table, text)) = table else { return Ok(Expression::Call(name, operands)) };
        let entries = 1u32 << operands.len();
        let fitting = table.filter(|&t| u64::from(t) < 1u64 << entries);
        fitting.map(|t| Expression::Lookup(t as u16, operands)).ok_or_else(|| {
            let message = format!("the table {text} has more than {entries} entries");
            Fault::new("C017", message).at(line).help("a table of n operands has 2^n bits, bit a + 2 b + 4 c + 8 d")
        })
    }
}

fn operator(symbol: char) -> Option<Operator> {
    [Operator::And, Operator::Xor, Operator::Or].into_iter().find(|o| o.symbol() == symbol)
}

fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// 0, 1, or a hexadecimal number all of whose digits are f (with a suffix of C, perhaps).
fn constant(text: &str) -> Option<bool> {
    let text = text.trim_end_matches(['u', 'U', 'l', 'L']).to_ascii_lowercase();
    match text.strip_prefix("0x") {
        Some(digits) if !digits.is_empty() && digits.bytes().all(|b| b == b'f') => Some(true),
        Some(digits) if !digits.is_empty() && digits.bytes().all(|b| b == b'0') => Some(false),
        _ => match text.as_str() {
            "0" => Some(false),
            "1" => Some(true),
            _ => None,
        },
    }
}
