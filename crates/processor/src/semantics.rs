//! The language that says what an instruction computes, read by the selector, the simulators and the random tests alike.
//!
//! `d = (a << n) + b`; `d = load32(a); a = a + n`; `store32(a, b)`. Values are unsigned words of 64 bits on every
//! instruction set, and what is assigned is cut to the width of its register class. Immediates are as their sign says:
//! -1 has all bits set. Operators from the loosest: `c ? x : y`; `== != < <= > >=` (unsigned); `|`; `^`; `&`; `<< >>`;
//! `+ -`; `*`; `~`. A branch assigns `jump`: whether it is taken; one that does not is always taken.

mod compile;
mod display;
mod evaluate;
mod parse;
mod step;

pub use compile::{Binding, CompiledInstruction};
pub use display::text;
pub use evaluate::{binary, bytes, call, execute, field, ones, rotate_left, sign_extend, Fault, Memory, NoMemory};
pub use parse::{parse, parse_expression, SyntaxError};
pub use step::{Slot, Step};

/// The name that the semantics of a branch assigns: whether it is taken.
pub const JUMP: &str = "jump";

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expression {
    /// An operand of the instruction.
    Name(String),
    /// A constant.
    Number(u64),
    /// `~x`
    Not(Box<Expression>),
    /// `x op y`
    Binary(Operator, Box<Expression>, Box<Expression>),
    /// `c ? x : y`: `x` if `c` is not 0.
    Select(Box<Expression>, Box<Expression>, Box<Expression>),
    /// A function of the language.
    Call(Function, Vec<Expression>),
}

/// Operators between two expressions; shifts by 64 or more give 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Operator {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    Shl,
    /// Logical.
    Shr,
    Eq,
    Ne,
    /// Unsigned.
    Lt,
    /// Unsigned.
    Le,
}

/// Functions of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// `load8(a)` … `load64(a)`: an unsigned number of so many bits from memory, in the byte order of the instruction set.
    Load(u8),
    /// `field(x, position, length)`: bits of `x`, right aligned.
    Field,
    /// `ones(n)`: the n lowest bits set.
    Ones,
    /// `sext(x, n)`: the n lowest bits as a signed number.
    SignExtend,
    /// `rotl(x, n, w)`: the w lowest bits rotated left by n modulo w, the rest 0.
    RotateLeft,
    /// `rotr(x, n, w)`
    RotateRight,
    /// `lane(x, i)`: 16 bits, lane 0 is the lowest.
    Lane,
    /// `lanes(l0, l1, l2, l3)`: four times 16 bits, each cut to 16 bits.
    Lanes,
    /// `popcount(x)`: how many bits are set.
    Popcount,
    /// `bytes(n)`: the word whose byte k has all bits set where bit k of n is 1, else none.
    Bytes,
}

impl Operator {
    /// All of them, the ones of two characters first.
    pub const ALL: [Operator; 12] = [
        Operator::Shl,
        Operator::Shr,
        Operator::Eq,
        Operator::Ne,
        Operator::Le,
        Operator::Lt,
        Operator::Add,
        Operator::Sub,
        Operator::Mul,
        Operator::And,
        Operator::Or,
        Operator::Xor,
    ];

    /// As it is written.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Operator::Add => "+",
            Operator::Sub => "-",
            Operator::Mul => "*",
            Operator::And => "&",
            Operator::Or => "|",
            Operator::Xor => "^",
            Operator::Shl => "<<",
            Operator::Shr => ">>",
            Operator::Eq => "==",
            Operator::Ne => "!=",
            Operator::Lt => "<",
            Operator::Le => "<=",
        }
    }

    /// How tightly it binds, from 1.
    #[must_use]
    pub fn precedence(self) -> u8 {
        match self {
            Operator::Eq | Operator::Ne | Operator::Lt | Operator::Le => 1,
            Operator::Or => 2,
            Operator::Xor => 3,
            Operator::And => 4,
            Operator::Shl | Operator::Shr => 5,
            Operator::Add | Operator::Sub => 6,
            Operator::Mul => 7,
        }
    }
}

impl Function {
    /// Name, function and number of arguments.
    pub const ALL: [(&'static str, Function, usize); 13] = [
        ("load8", Function::Load(8), 1),
        ("load16", Function::Load(16), 1),
        ("load32", Function::Load(32), 1),
        ("load64", Function::Load(64), 1),
        ("field", Function::Field, 3),
        ("ones", Function::Ones, 1),
        ("sext", Function::SignExtend, 2),
        ("rotl", Function::RotateLeft, 3),
        ("rotr", Function::RotateRight, 3),
        ("lane", Function::Lane, 2),
        ("lanes", Function::Lanes, 4),
        ("popcount", Function::Popcount, 1),
        ("bytes", Function::Bytes, 1),
    ];

    /// As it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        Function::ALL.iter().find(|(_, f, _)| *f == self).map_or("", |(name, _, _)| *name)
    }
}

impl Expression {
    /// Calls `visit` with every name that stands in it, from left to right.
    pub fn names<'a>(&'a self, visit: &mut dyn FnMut(&'a str)) {
        match self {
            Expression::Name(name) => visit(name),
            Expression::Number(_) => {}
            Expression::Not(x) => x.names(visit),
            Expression::Binary(_, x, y) => {
                x.names(visit);
                y.names(visit);
            }
            Expression::Select(c, x, y) => {
                c.names(visit);
                x.names(visit);
                y.names(visit);
            }
            Expression::Call(_, arguments) => arguments.iter().for_each(|x| x.names(visit)),
        }
    }
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Statement {
    /// `d = expression`. All statements read the operands as they were before the instruction.
    Assign(String, Expression),
    /// `store32(address, value)`
    Store(u8, Expression, Expression),
}
