//! Characters to tokens.

use crate::fault::Fault;

/// A token of an equation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// A name, or a word of C before it.
    Word(String),
    /// A number, as written.
    Number(String),
    /// `=`, or `&`, `^`, `|` with `=` after it.
    Assign(Option<char>),
    /// `~ & ^ | ( ) ,`
    Symbol(char),
    /// `;`, a brace, or the end of a line.
    End(char),
}

impl Token {
    /// As an error message shows it.
    pub fn shown(&self) -> String {
        match self {
            Token::Word(text) | Token::Number(text) => format!("`{text}`"),
            Token::Assign(None) => "`=`".to_owned(),
            Token::Assign(Some(symbol)) => format!("`{symbol}=`"),
            Token::Symbol(symbol) => format!("`{symbol}`"),
            Token::End('\n') => "the end of the line".to_owned(),
            Token::End(symbol) => format!("`{symbol}`"),
        }
    }
}

/// The tokens of one line (without its comments), with the line's number.
///
/// # Errors
/// `C001` for a character that no equation has.
pub fn tokens(line: u32, text: &str) -> Result<Vec<(u32, Token)>, Fault> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (token, length) = match first {
            // A backslash joins the lines of a macro.
            ' ' | '\t' | '\r' | '\\' => (None, 1),
            '&' | '^' | '|' if rest[1..].starts_with('=') => (Some(Token::Assign(Some(first))), 2),
            '~' | '&' | '^' | '|' | '(' | ')' | ',' | '*' => (Some(Token::Symbol(first)), 1),
            '=' if !rest[1..].starts_with('=') => (Some(Token::Assign(None)), 1),
            ';' | '{' | '}' => (Some(Token::End(first)), 1),
            c if c.is_ascii_digit() => {
                let length = word_length(rest);
                (Some(Token::Number(rest[..length].to_owned())), length)
            }
            c if c.is_ascii_alphabetic() || c == '_' => {
                let length = name_length(rest);
                (Some(Token::Word(rest[..length].to_owned())), length)
            }
            other => return Err(unknown(line, other)),
        };
        found.extend(token.map(|t| (line, t)));
        rest = &rest[length..];
    }
    found.push((line, Token::End('\n')));
    Ok(found)
}

fn unknown(line: u32, found: char) -> Fault {
    let help = match found {
        '!' => "the complement is `~`",
        '+' => "exclusive or is `^`, or is `|`",
        _ => "equations are made of names, `~`, `&`, `|`, `^`, parentheses and `lut(table, a, b, c)`",
    };
    Fault::new("C001", format!("no equation has the character `{found}`")).at(line).help(help)
}

fn word_length(text: &str) -> usize {
    text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len())
}

/// A name may be an element: `x[3]`.
fn name_length(text: &str) -> usize {
    let length = word_length(text);
    let Some(inside) = text[length..].strip_prefix('[') else { return length };
    match inside.find(']') {
        Some(end) if end > 0 && inside[..end].bytes().all(|b| b.is_ascii_digit()) => length + end + 2,
        _ => length,
    }
}
