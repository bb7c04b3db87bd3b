//! Reads a program from text.

use super::cursor::{Cursor, ParseResult};
use super::lex::Token;
use crate::diagnostic::Diagnostic;
use crate::ir::{ArrayType, Matrix, Program, SBox, Table, Type};

/// Most places a shape or a loop may have; keeps a wrong number from filling the memory.
pub const LARGEST: u64 = 1 << 20;

/// Reads a program; whether it means anything is for [`crate::verify`] to say.
///
/// # Errors
/// P001 where the text leaves the grammar, P006 to P008 where it goes beyond a limit, P002 for an unknown name, P003 for a name defined twice,
/// P004 for iterations of a loop that are missing, doubled or too many.
pub fn parse(text: &str) -> Result<Program, Diagnostic> {
    let mut cursor = Cursor::new(text)?;
    let mut program = header(&mut cursor)?;
    loop {
        match cursor.peek() {
            Token::Word(w) if w == "table" => table(&mut cursor, &mut program)?,
            Token::Word(w) if w == "matrix" => matrix(&mut cursor, &mut program)?,
            Token::Word(w) if w == "box" => sbox(&mut cursor, &mut program)?,
            _ => break,
        }
    }
    while cursor.is_word("func") {
        let function = super::function::function(&mut cursor, &program)?;
        program.functions.push(function);
    }
    match cursor.peek() {
        Token::End => Ok(program),
        _ => Err(cursor.expected("`func` or the end of the text")),
    }
}

fn header(cursor: &mut Cursor) -> ParseResult<Program> {
    cursor.word("program")?;
    let mut program = Program { name: cursor.string("the program's name in quotes")?, ..Program::default() };
    cursor.sign("{")?;
    while cursor.take_word("meta") {
        let key = cursor.string("a key in quotes")?;
        cursor.sign("=")?;
        program.meta.push((key, cursor.string("a value in quotes")?));
    }
    while cursor.is_word("file") {
        cursor.advance();
        let number = program.files.len() as u64;
        if !matches!(cursor.peek(), Token::Int(n) if *n == number) {
            return Err(cursor.expected(&format!("`{number}`, the next file number")));
        }
        cursor.advance();
        program.files.push(cursor.string("a file name in quotes")?);
    }
    if !cursor.take_sign("}") {
        return Err(cursor.expected("`meta`, `file` or `}`"));
    }
    Ok(program)
}

/// Takes `what @NAME :`; the name must not stand in `known`.
fn constant_name<'a>(
    cursor: &mut Cursor,
    what: &str,
    mut known: impl Iterator<Item = &'a String>,
) -> ParseResult<String> {
    cursor.advance();
    let error = cursor.error("P003", "");
    let name = cursor.global(&format!("`@` and the {what}'s name"))?;
    if known.any(|k| *k == name) {
        return Err(Diagnostic { message: format!("{what} `@{name}` is defined twice"), ..error });
    }
    cursor.sign(":")?;
    Ok(name)
}

fn table(cursor: &mut Cursor, program: &mut Program) -> ParseResult<()> {
    let name = constant_name(cursor, "table", program.tables.iter().map(|t| &t.name))?;
    let width = word_width(cursor)?;
    cursor.sign("[")?;
    let length = cursor.int_to(LARGEST, "a table's length")?;
    cursor.sign("]")?;
    let data = numbers(cursor, u64::MAX)?;
    if data.len() as u64 != length {
        let message = format!("table `@{name}` has {} entries, not {length}", data.len());
        return Err(cursor.error("P007", message));
    }
    program.tables.push(Table { name, width, data });
    Ok(())
}

/// Takes `= [n, …]`.
fn numbers(cursor: &mut Cursor, last: u64) -> ParseResult<Vec<u64>> {
    cursor.sign("=")?;
    cursor.sign("[")?;
    cursor.list("]", |c| c.int_to(last, "a number"))
}

fn matrix(cursor: &mut Cursor, program: &mut Program) -> ParseResult<()> {
    let name = constant_name(cursor, "matrix", program.matrices.iter().map(|m| &m.name))?;
    cursor.word("gf")?;
    cursor.sign("(")?;
    let polynomial = cursor.int("the field's polynomial")?;
    cursor.sign(")")?;
    cursor.sign("=")?;
    cursor.sign("[")?;
    let rows = cursor.list("]", |c| {
        c.sign("[")?;
        c.list("]", |c| c.int("a matrix entry"))
    })?;
    program.matrices.push(Matrix { name, polynomial, rows });
    Ok(())
}

fn sbox(cursor: &mut Cursor, program: &mut Program) -> ParseResult<()> {
    let name = constant_name(cursor, "box", program.boxes.iter().map(|b| &b.name))?;
    let inputs = cursor.int_to(255, "a number of input bits")? as u8;
    cursor.sign("->")?;
    let outputs = cursor.int_to(255, "a number of output bits")? as u8;
    let data = numbers(cursor, 255)?.into_iter().map(|n| n as u8).collect();
    program.boxes.push(SBox { name, inputs, outputs, data });
    Ok(())
}

/// Takes `u32`.
fn word_width(cursor: &mut Cursor) -> ParseResult<u8> {
    let width = match cursor.peek() {
        Token::Word(w) => w.strip_prefix('u').and_then(|digits| digits.parse().ok()),
        _ => None,
    };
    match width {
        Some(width @ 1..=64) => {
            cursor.advance();
            Ok(width)
        }
        _ => Err(cursor.expected("a word type, `u1` to `u64`")),
    }
}

/// Takes a type: `u32`, `index`, `u8[60][4]`.
pub(super) fn ty(cursor: &mut Cursor) -> ParseResult<Type> {
    if cursor.take_word("index") {
        return Ok(Type::Index);
    }
    let width = word_width(cursor)?;
    let start = cursor.here();
    let mut dims = Vec::new();
    while dims.len() < 2 && cursor.take_sign("[") {
        dims.push(cursor.int_to(LARGEST, "an extent")? as u32);
        cursor.sign("]")?;
    }
    if dims.iter().map(|&d| u64::from(d)).product::<u64>() > LARGEST {
        let error = Diagnostic::new("P008", "an array type has too many elements").at_text(start.0, start.1);
        return Err(error.note(format!("expected at most {LARGEST}")));
    }
    Ok(if dims.is_empty() { Type::Word(width) } else { Type::Array(ArrayType { width, dims }) })
}
