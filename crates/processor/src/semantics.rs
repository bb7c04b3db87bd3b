//! The language that says what an instruction computes, read by the selector, the simulators and the random tests alike.
//!
//! `d = (a << n) + b`; `d = load32(a); a = a + n`; `store32(a, b)`. Values are unsigned words as wide as a general
//! register; what is assigned is cut to the width of its register class.

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

/// Operators between two expressions; shifts by the register's width or more give 0.
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
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Statement {
    /// `d = expression`. All statements read the operands as they were before the instruction.
    Assign(String, Expression),
    /// `store32(address, value)`
    Store(u8, Expression, Expression),
}
