//! Cuts the text form into tokens.

use std::iter::Peekable;
use std::str::Chars;

use crate::diagnostic::Diagnostic;

/// A piece of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// `func`, `add`, `u32`
    Word(String),
    /// `%A.1`, without the sign
    Value(String),
    /// `@encrypt`, or the first number of a place, without the sign
    Global(String),
    /// `20`, `0x1f`
    Int(u64),
    /// `"i"`, unescaped
    Str(String),
    /// `->`, `..`, or one character
    Sign(&'static str),
    /// After the last token.
    End,
}

impl Token {
    /// As an error message names it.
    pub fn describe(&self) -> String {
        match self {
            Token::Word(w) => format!("`{w}`"),
            Token::Value(n) => format!("`%{n}`"),
            Token::Global(n) => format!("`@{n}`"),
            Token::Int(n) => format!("`{n}`"),
            Token::Str(s) => format!("{}", super::parts::QuotedText(s)),
            Token::Sign(s) => format!("`{s}`"),
            Token::End => "the end of the text".to_owned(),
        }
    }
}

/// A token and where it begins.
#[derive(Clone, Debug)]
pub struct LocatedToken {
    /// The token.
    pub token: Token,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

const SIGNS: [&str; 15] = ["->", "..", "{", "}", "[", "]", "(", ")", ":", ",", "=", "<", "+", "-", "*"];

/// Cuts a text into tokens, the last one being [`Token::End`].
///
/// # Errors
/// P001 for a character, number or string that the grammar does not know.
pub fn lex(text: &str) -> Result<Vec<LocatedToken>, Diagnostic> {
    let mut lexer = Lexer { chars: text.chars().peekable(), line: 1, column: 1 };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_space();
        let (line, column) = (lexer.line, lexer.column);
        let token = lexer.token().map_err(|d| d.at_text(line, column))?;
        let end = token == Token::End;
        tokens.push(LocatedToken { token, line, column });
        if end {
            return Ok(tokens);
        }
    }
}

struct Lexer<'a> {
    chars: Peekable<Chars<'a>>,
    line: u32,
    column: u32,
}

/// Whether a character may stand in a name.
pub fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '.'
}

impl Lexer<'_> {
    fn next(&mut self) -> Option<char> {
        let c = self.chars.next()?;
        (self.line, self.column) = if c == '\n' { (self.line + 1, 1) } else { (self.line, self.column + 1) };
        Some(c)
    }

    fn skip_space(&mut self) {
        while let Some(&c) = self.chars.peek() {
            if c == '#' {
                while self.chars.peek().is_some_and(|&c| c != '\n') {
                    self.next();
                }
            } else if c.is_whitespace() {
                self.next();
            } else {
                return;
            }
        }
    }

    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> String {
        let mut taken = String::new();
        while let Some(&c) = self.chars.peek().filter(|&&c| keep(c)) {
            taken.push(c);
            self.next();
        }
        taken
    }

    fn token(&mut self) -> Result<Token, Diagnostic> {
        let Some(&c) = self.chars.peek() else { return Ok(Token::End) };
        match c {
            '%' | '@' => self.name(c),
            '"' => self.string(),
            '0'..='9' => self.int(),
            c if c.is_ascii_alphabetic() || c == '_' => {
                Ok(Token::Word(self.take_while(|c| c.is_ascii_alphanumeric() || c == '_')))
            }
            _ => self.sign(c),
        }
    }

    fn name(&mut self, sign: char) -> Result<Token, Diagnostic> {
        self.next();
        let name = self.take_while(is_name_char);
        if name.is_empty() {
            return Err(Diagnostic::new("P001", format!("`{sign}` without a name"))
                .note("expected a name of letters, digits, `_` and `.`"));
        }
        Ok(if sign == '%' { Token::Value(name) } else { Token::Global(name) })
    }

    fn int(&mut self) -> Result<Token, Diagnostic> {
        let digits = self.take_while(|c| c.is_ascii_alphanumeric());
        let value = match digits.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16),
            None => digits.parse(),
        };
        value.map(Token::Int).map_err(|_| {
            Diagnostic::new("P001", format!("`{digits}` is no number"))
                .note("expected a decimal or 0x hexadecimal number below 2^64")
        })
    }

    fn string(&mut self) -> Result<Token, Diagnostic> {
        self.next();
        let mut text = String::new();
        loop {
            match self.next() {
                Some('"') => return Ok(Token::Str(text)),
                Some('\\') => text.push(self.escaped()?),
                Some('\n') | None => {
                    return Err(Diagnostic::new("P001", "a string has no end on its line").note("expected `\"`"))
                }
                Some(c) => text.push(c),
            }
        }
    }

    fn escaped(&mut self) -> Result<char, Diagnostic> {
        match self.next() {
            Some('n') => Ok('\n'),
            Some(c @ ('"' | '\\')) => Ok(c),
            _ => Err(Diagnostic::new("P001", "unknown escape in a string").note("expected `\\\"`, `\\\\` or `\\n`")),
        }
    }

    fn sign(&mut self, first: char) -> Result<Token, Diagnostic> {
        self.next();
        let second = self.chars.peek().copied();
        let pair = second.and_then(|c| SIGNS.iter().find(|s| s.chars().eq([first, c])));
        if let Some(sign) = pair {
            self.next();
            return Ok(Token::Sign(sign));
        }
        let single = SIGNS.iter().find(|s| s.chars().eq([first]));
        single
            .map(|s| Token::Sign(s))
            .ok_or_else(|| Diagnostic::new("P001", format!("unexpected character `{}`", first.escape_default())))
    }
}
