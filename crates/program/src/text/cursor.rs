//! Reads tokens one after the other; says what was expected and what was found.

use super::lex::{lex, LocatedToken, Token};
use crate::diagnostic::Diagnostic;

pub(super) type ParseResult<T> = Result<T, Diagnostic>;

/// Position in the tokens of a text.
pub(super) struct Cursor {
    tokens: Vec<LocatedToken>,
    at: usize,
}

impl Cursor {
    pub(super) fn new(text: &str) -> ParseResult<Self> {
        Ok(Cursor { tokens: lex(text)?, at: 0 })
    }

    fn located(&self) -> &LocatedToken {
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    pub(super) fn peek(&self) -> &Token {
        &self.located().token
    }

    /// The token after the next.
    pub(super) fn peek_second(&self) -> &Token {
        self.tokens.get(self.at + 1).map_or(&Token::End, |l| &l.token)
    }

    pub(super) fn advance(&mut self) {
        self.at += 1;
    }

    /// Line and column of the next token.
    pub(super) fn here(&self) -> (u32, u32) {
        (self.located().line, self.located().column)
    }

    /// An error at the next token.
    pub(super) fn error(&self, code: &'static str, message: impl Into<String>) -> Diagnostic {
        let (line, column) = self.here();
        Diagnostic::new(code, message).at_text(line, column)
    }

    /// The error that another token was expected.
    pub(super) fn expected(&self, what: &str) -> Diagnostic {
        self.error("P001", "the text does not follow the grammar of programs")
            .note(format!("expected {what}"))
            .note(format!("found {}", self.peek().describe()))
    }

    pub(super) fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Token::Sign(s) if *s == sign)
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(w) if w == word)
    }

    /// Takes the sign if it is next.
    pub(super) fn take_sign(&mut self, sign: &str) -> bool {
        let is = self.is_sign(sign);
        self.at += usize::from(is);
        is
    }

    /// Takes the word if it is next.
    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let is = self.is_word(word);
        self.at += usize::from(is);
        is
    }

    pub(super) fn sign(&mut self, sign: &str) -> ParseResult<()> {
        if self.take_sign(sign) {
            return Ok(());
        }
        Err(self.expected(&format!("`{sign}`")))
    }

    pub(super) fn word(&mut self, word: &str) -> ParseResult<()> {
        if self.take_word(word) {
            return Ok(());
        }
        Err(self.expected(&format!("`{word}`")))
    }

    pub(super) fn int(&mut self, what: &str) -> ParseResult<u64> {
        match *self.peek() {
            Token::Int(n) => {
                self.advance();
                Ok(n)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// A number from 0 to `last`.
    pub(super) fn int_to(&mut self, last: u64, what: &str) -> ParseResult<u64> {
        match *self.peek() {
            Token::Int(n) if n > last => {
                Err(self.error("P001", format!("{n} is too large")).note(format!("expected {what} up to {last}")))
            }
            _ => self.int(what),
        }
    }

    /// A number with an optional minus sign.
    pub(super) fn signed(&mut self, what: &str) -> ParseResult<i64> {
        let negative = self.take_sign("-");
        self.magnitude(negative, what)
    }

    /// A number whose sign is known.
    pub(super) fn magnitude(&mut self, negative: bool, what: &str) -> ParseResult<i64> {
        let error = self.error("P001", "a signed number does not fit 64 bits").note(format!("expected {what}"));
        let n = i128::from(self.int(what)?);
        i64::try_from(if negative { -n } else { n }).map_err(|_| error)
    }

    pub(super) fn string(&mut self, what: &str) -> ParseResult<String> {
        match self.peek().clone() {
            Token::Str(s) => {
                self.advance();
                Ok(s)
            }
            _ => Err(self.expected(what)),
        }
    }

    pub(super) fn global(&mut self, what: &str) -> ParseResult<String> {
        match self.peek().clone() {
            Token::Global(name) => {
                self.advance();
                Ok(name)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// Items separated by commas, none if the closing sign is next; takes the closing sign.
    pub(super) fn list<T>(
        &mut self,
        close: &str,
        mut item: impl FnMut(&mut Self) -> ParseResult<T>,
    ) -> ParseResult<Vec<T>> {
        let mut items = Vec::new();
        if self.take_sign(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.take_sign(close) {
                return Ok(items);
            }
            if !self.take_sign(",") {
                return Err(self.expected(&format!("`,` or `{close}`")));
            }
        }
    }
}
