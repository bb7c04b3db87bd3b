//! Writes a program as text.

use std::fmt::{self, Display};

use super::parts::{affine_text, iterations_text, list, places_text, with_list, write_rows, Number, QuotedText};
use super::words::{self, mnemonic};
use crate::ir::{
    Address, Affine, Block, Function, Loop, Op, OpKind, Operand, Program, Table, Type, ValueData, ValueId,
};

/// The column at which places begin where the line leaves room.
const PLACE_COLUMN: usize = 64;
/// Table entries on a line.
const ROW: usize = 8;

impl Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "program {} {{", QuotedText(&self.name))?;
        for (key, value) in &self.meta {
            writeln!(f, "  meta {} = {}", QuotedText(key), QuotedText(value))?;
        }
        for (n, file) in self.files.iter().enumerate() {
            writeln!(f, "  file {n} {}", QuotedText(file))?;
        }
        writeln!(f, "}}")?;
        self.write_constants(f)?;
        for function in &self.functions {
            writeln!(f)?;
            Printer { names: Names { program: self, function }, out: f }.function()?;
        }
        Ok(())
    }
}

impl Program {
    fn write_constants(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !(self.tables.is_empty() && self.matrices.is_empty() && self.boxes.is_empty()) {
            writeln!(f)?;
        }
        for Table { name, width, data } in &self.tables {
            write!(f, "table @{name}: u{width}[{}] = ", data.len())?;
            write_rows(f, &data.iter().map(|&n| Number(n).to_string()).collect::<Vec<_>>(), ROW)?;
        }
        for matrix in &self.matrices {
            let rows: Vec<String> = matrix.rows.iter().map(|row| list(row, |n| format!("{n:#x}"))).collect();
            write!(f, "matrix @{}: gf({:#x}) = ", matrix.name, matrix.polynomial)?;
            write_rows(f, &rows, if rows.len() > 4 { 1 } else { 4 })?;
        }
        for b in &self.boxes {
            let data: Vec<String> = b.data.iter().map(u8::to_string).collect();
            write!(f, "box @{}: {} -> {} = ", b.name, b.inputs, b.outputs)?;
            write_rows(f, &data, 16)?;
        }
        Ok(())
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Word(width) => write!(f, "u{width}"),
            Type::Index => f.write_str("index"),
            Type::Array(array) => {
                write!(f, "u{}", array.width)?;
                array.dims.iter().try_for_each(|d| write!(f, "[{d}]"))
            }
        }
    }
}

/// One operation as text on one line, without places; of a loop only the beginning.
#[derive(Debug)]
pub struct OpText<'p>(pub &'p Program, pub &'p Function, pub &'p Op);

impl Display for OpText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OpText(program, function, op) = *self;
        let names = Names { program, function };
        match &op.kind {
            OpKind::Loop(l) => write!(f, "{}{} …", names.left_side(op), names.loop_header(l)),
            kind => write!(f, "{}{}", names.left_side(op), names.operation(kind)),
        }
    }
}

struct Printer<'p, 'f, 'o> {
    names: Names<'p>,
    out: &'f mut fmt::Formatter<'o>,
}

impl Printer<'_, '_, '_> {
    fn function(&mut self) -> fmt::Result {
        let function = self.names.function;
        let results: Vec<String> = function.results.iter().map(Type::to_string).collect();
        let params = self.names.definitions(&function.params);
        writeln!(self.out, "func @{}({params}) -> ({}) {{", function.name, results.join(", "))?;
        self.block(&function.body, "return", 2)?;
        writeln!(self.out, "}}")
    }

    fn block(&mut self, block: &Block, end: &str, indent: usize) -> fmt::Result {
        for op in &block.ops {
            self.op(op, indent)?;
        }
        writeln!(self.out, "{:indent$}{}", "", with_list(end, &self.names.operands(&block.outputs)))
    }

    fn op(&mut self, op: &Op, indent: usize) -> fmt::Result {
        let left = format!("{:indent$}{}", "", self.names.left_side(op));
        if let OpKind::Loop(l) = &op.kind {
            writeln!(self.out, "{left}{} {{", self.names.loop_header(l))?;
            self.bodies(l, indent)?;
            return writeln!(self.out, "{:indent$}}}{}", "", places_text(&op.places, 0));
        }
        let line = format!("{left}{}", self.names.operation(&op.kind));
        let length = line.chars().count();
        writeln!(self.out, "{line}{}", places_text(&op.places, PLACE_COLUMN.saturating_sub(length)))
    }

    fn bodies(&mut self, l: &Loop, indent: usize) -> fmt::Result {
        for (n, body) in l.bodies.iter().enumerate() {
            let iterations = with_list("body", &iterations_text(&l.iterations_of(n)));
            writeln!(self.out, "{:indent$}  {iterations} ({}) {{", "", self.names.definitions(&body.params))?;
            self.block(body, "yield", indent + 4)?;
            writeln!(self.out, "{:indent$}  }}", "")?;
        }
        Ok(())
    }
}

/// The names that the operations of a function use.
#[derive(Clone, Copy)]
struct Names<'p> {
    program: &'p Program,
    function: &'p Function,
}

impl Names<'_> {
    fn data(&self, v: ValueId) -> &ValueData {
        &self.function.values[v.0 as usize]
    }

    /// `%t: u32 = `
    fn left_side(&self, op: &Op) -> String {
        let equals = if op.results.is_empty() { "" } else { " = " };
        format!("{}{equals}", self.definitions(&op.results))
    }

    fn loop_header(&self, l: &Loop) -> String {
        let (count, counter, init) = (l.pattern.len(), QuotedText(&l.counter), self.operands(&l.init));
        let tag = words::LOOP.iter().find(|(_, tag)| *tag == l.tag).map_or("", |(word, _)| word);
        format!("{tag} {count} {counter} from {} step {} ({init})", l.from, l.step)
    }

    fn definitions(&self, values: &[ValueId]) -> String {
        let one = |&v: &ValueId| format!("%{}: {}", self.data(v).name, self.data(v).ty);
        values.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    fn value(&self, v: ValueId) -> String {
        format!("%{}", self.data(v).name)
    }

    fn operand(&self, operand: Operand) -> String {
        match operand {
            Operand::Value(v) => self.value(v),
            Operand::Const(n) => Number(n).to_string(),
        }
    }

    fn operands(&self, operands: &[Operand]) -> String {
        operands.iter().map(|&o| self.operand(o)).collect::<Vec<_>>().join(", ")
    }

    fn operation(&self, kind: &OpKind) -> String {
        let word = mnemonic(kind);
        match kind {
            OpKind::Const(n) => format!("{word} {}", Number(*n)),
            OpKind::Binary(_, a, b) | OpKind::Compare(_, a, b) => format!("{word} {}", self.operands(&[*a, *b])),
            OpKind::Not(a) => format!("{word} {}", self.operand(*a)),
            OpKind::Shift(_, a, Operand::Const(n)) => format!("{word} {}, {n}", self.operand(*a)),
            OpKind::Shift(_, a, b) => format!("{word} {}", self.operands(&[*a, *b])),
            OpKind::Extract(a, position) => format!("{word} {}, {position}", self.operand(*a)),
            OpKind::Concat(values) => {
                let values: Vec<String> = values.iter().map(|&v| self.value(v)).collect();
                with_list(word, &values.join(", "))
            }
            OpKind::Zext(v) => format!("{word} {}", self.value(*v)),
            OpKind::Select(c, a, b) => format!("{word} {}", self.operands(&[*c, *a, *b])),
            OpKind::Array(list) => with_list(word, &self.operands(list)),
            OpKind::Word(affine) => format!("{word} {}", self.affine(affine)),
            OpKind::IndexDiv(affine, n) | OpKind::IndexMod(affine, n) => format!("{word} {}, {n}", self.affine(affine)),
            _ => format!("{word} {}", self.named(kind)),
        }
    }

    /// What follows the word of an operation that names a table, an array, a matrix, a box or a function.
    fn named(&self, kind: &OpKind) -> String {
        match kind {
            OpKind::Lookup(table, address) => {
                format!(
                    "@{}{}",
                    self.program.tables[table.0 as usize].name,
                    self.addresses(std::slice::from_ref(address))
                )
            }
            OpKind::Load(array, addresses) => format!("{}{}", self.value(*array), self.addresses(addresses)),
            OpKind::Store(array, addresses, words) => {
                format!("{}{}, {}", self.value(*array), self.addresses(addresses), self.operands(words))
            }
            OpKind::Linear(matrix, list) => {
                with_list(&format!("@{}", self.program.matrices[matrix.0 as usize].name), &self.operands(list))
            }
            OpKind::Bitsliced(id, list) => {
                with_list(&format!("@{}", self.program.boxes[id.0 as usize].name), &self.operands(list))
            }
            OpKind::Call(name, list) => format!("@{name}({})", self.operands(list)),
            _ => String::new(),
        }
    }

    fn addresses(&self, addresses: &[Address]) -> String {
        let one = |a: &Address| format!("[{}{}]", if a.ring { "ring " } else { "" }, self.affine(&a.affine));
        addresses.iter().map(one).collect()
    }

    fn affine(&self, affine: &Affine) -> String {
        affine_text(affine, |v| self.value(v))
    }
}
