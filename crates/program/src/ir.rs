//! The data structure of a program: functions of SSA values with structured counted loops.
//!
//! A program is a tree, not a graph of blocks: a [`Block`] owns its operations, a [`Loop`] owns its bodies.
//! Every value is defined once, in the arena of its function; its name is unique there, so that the
//! text form and the structure hold exactly the same.

use crate::Diagnostic;

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// An unsigned bit vector of 1 to 64 bits.
    Word(u8),
    /// A number known before the program runs, one per iteration of a loop: a counter, or made from one.
    Index,
    /// A fixed-size array of words, of one or two dimensions (rows of words).
    Array(ArrayType),
}

impl Type {
    /// The width of a word or of an array's elements in bits; 0 of an index.
    #[must_use]
    pub fn width(&self) -> u8 {
        match self {
            Type::Word(width) => *width,
            Type::Array(array) => array.width,
            Type::Index => 0,
        }
    }

    /// The extents of an array, outermost first; none of a word or an index.
    #[must_use]
    pub fn extents(&self) -> &[u32] {
        match self {
            Type::Array(array) => &array.dims,
            Type::Word(_) | Type::Index => &[],
        }
    }

    /// Elements of an array; 1 of a word or an index.
    #[must_use]
    pub fn elements(&self) -> u32 {
        self.extents().iter().product()
    }
}

/// Shape of an array: `u32[44]`, `u8[60][4]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ArrayType {
    /// Width of an element in bits, 1 to 64.
    pub width: u8,
    /// One or two extents, outermost first.
    pub dims: Vec<u32>,
}

impl ArrayType {
    /// Number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.dims.iter().map(|&d| d as usize).product()
    }

    /// Whether the array has no element at all (never so in a verified program).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A value of one function: an index into [`Function::values`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId(pub u32);

/// An operand: a value, or a number that takes the width its operation asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operand {
    /// The result of an operation, a parameter, or a carried value.
    Value(ValueId),
    /// A constant.
    Const(u64),
}

/// Name and type of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueData {
    /// Unique in its function, without the leading `%`: `t`, `t.1`, `7`. What stands before the dot is the author's name.
    pub name: String,
    /// Type.
    pub ty: Type,
}

/// `sum of coefficient * value + constant`; a value is an index, or one word with coefficient 1 (an address that depends on data).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Affine {
    /// Coefficient (not 0) and value, in the order written; no value twice.
    pub terms: Vec<(i64, ValueId)>,
    /// The constant part.
    pub constant: i64,
}

/// The address along one dimension.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Address {
    /// The index before any wrapping.
    pub affine: Affine,
    /// The index is taken modulo the extent of the dimension (a ring buffer).
    pub ring: bool,
}

/// Two-operand word operations; operands and result have one width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Binary {
    /// Modulo 2^w.
    Add,
    /// Modulo 2^w.
    Sub,
    /// Modulo 2^w.
    Mul,
    And,
    Or,
    Xor,
}

/// Shifts and rotations; the amount is a constant below the width, or a word of any width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Shift {
    /// A word amount at or above the width gives 0.
    Shl,
    /// A word amount at or above the width gives 0.
    Shr,
    /// A word amount is taken modulo the width.
    Rotl,
    /// A word amount is taken modulo the width.
    Rotr,
}

/// Comparisons of two words of one width; the result is a `u1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Compare {
    Eq,
    Ne,
    /// Unsigned less-than.
    Ltu,
}

/// What an operation does. The comment gives the text form; results have their types written at their definition.
#[derive(Clone, Debug, PartialEq)]
pub enum OpKind {
    /// `const 5`
    Const(u64),
    /// `add %a, %b`
    Binary(Binary, Operand, Operand),
    /// `not %a`
    Not(Operand),
    /// `rotl %a, 5`
    Shift(Shift, Operand, Operand),
    /// `extract %x, 8`: bits from the given position up, as many as the result is wide.
    Extract(Operand, u8),
    /// `concat %b0, %b1, %b2, %b3`: the first operand is the least significant. Values only, since a number has no width.
    Concat(Vec<ValueId>),
    /// `zext %x`: the same number in a wider word. A value only.
    Zext(ValueId),
    /// `eq %a, %b`
    Compare(Compare, Operand, Operand),
    /// `select %c, %a, %b`: `%a` if `%c` (a `u1`) is 1, else `%b`.
    Select(Operand, Operand, Operand),
    /// `lookup @S[%x]`: an entry of a constant table.
    Lookup(TableId, Address),
    /// `load %S[2*%t + 2]`, `load %W[%t - 1][0]`; with fewer addresses than dimensions, a row (one result per element).
    Load(ValueId, Vec<Address>),
    /// `store %S[%t], %v`: the array with one element (or one row: as many words) replaced.
    Store(ValueId, Vec<Address>, Vec<Operand>),
    /// `array` (every cell unwritten), or `array %a, %b, 0` (every element, row by row).
    Array(Vec<Operand>),
    /// `linear @MIX %a, %b, %c, %d`: matrix times column vector over GF(2^n), one result per row.
    Linear(MatrixId, Vec<Operand>),
    /// `bitsliced @S0 %a, %b, %c, %d`: the box applied at every bit position; operand k holds bit k of the inputs, result k bit k of the outputs.
    Bitsliced(BoxId, Vec<Operand>),
    /// `call @fix(%a, 3)`
    Call(String, Vec<Operand>),
    /// `word 4*%t + 1`: an index as a word; it must fit.
    Word(Affine),
    /// `index_div %t, 8`: quotient rounded down, of an index by a positive constant.
    IndexDiv(Affine, i64),
    /// `index_mod %t, 8`: remainder, 0 to divisor - 1.
    IndexMod(Affine, i64),
    /// `rounds 20 "i" from 1 step 1 (%A, %B) { body … }`
    Loop(Box<Loop>),
}

/// What the iterations of a loop are; hardware may make one clock of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LoopTag {
    /// Rounds of the cipher or of its key schedule.
    Rounds,
    /// Any other loop (filling a table, transposing).
    Steps,
}

/// A counted loop with one or more bodies; a pattern says which iteration runs which body.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// `rounds` or `steps`.
    pub tag: LoopTag,
    /// The author's counter name (may be empty).
    pub counter: String,
    /// The author's counter is `from + step * iteration`.
    pub from: i64,
    /// See `from`; not 0.
    pub step: i64,
    /// Initial values, one per carried value.
    pub init: Vec<Operand>,
    /// For each iteration, which body runs; its length is the iteration count, at least 1.
    pub pattern: Vec<u8>,
    /// Each body's parameters are the iteration number (an index, from 0) and the carried values; its outputs are the next carried values.
    pub bodies: Vec<Block>,
}

impl Loop {
    /// The iterations that a body runs, ascending.
    #[must_use]
    pub fn iterations_of(&self, body: usize) -> Vec<u32> {
        let runs = |&(_, &b): &(usize, &u8)| usize::from(b) == body;
        self.pattern.iter().enumerate().filter(runs).map(|(iteration, _)| iteration as u32).collect()
    }
}

/// A sequence of operations with parameters and outputs.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Block {
    /// Parameters (empty for the block of a function: its parameters stand in the function).
    pub params: Vec<ValueId>,
    /// Operations, in order of definition.
    pub ops: Vec<Op>,
    /// What the block yields (loop body) or returns (function).
    pub outputs: Vec<Operand>,
}

/// A place in the author's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Index into [`Program::files`].
    pub file: u16,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

/// One operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Op {
    /// What it does.
    pub kind: OpKind,
    /// The values it defines.
    pub results: Vec<ValueId>,
    /// Where it comes from, innermost first; the rest is the chain of callers. May be empty.
    pub places: Vec<Place>,
}

/// Index into [`Program::tables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TableId(pub u32);
/// Index into [`Program::matrices`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MatrixId(pub u32);
/// Index into [`Program::boxes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BoxId(pub u32);

/// A constant table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Unique name.
    pub name: String,
    /// Width of an entry in bits.
    pub width: u8,
    /// Entries, any number of them from 1.
    pub data: Vec<u64>,
}

/// A matrix over GF(2^n), n the degree of the polynomial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// Unique name.
    pub name: String,
    /// The field's polynomial with its leading bit: 0x11b.
    pub polynomial: u64,
    /// Rows, each as long as the input vector.
    pub rows: Vec<Vec<u64>>,
}

/// A small S-box for bit-sliced words: `data[x]` for x in 0 .. 2^inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SBox {
    /// Unique name.
    pub name: String,
    /// Input bits (words), 1 to 8.
    pub inputs: u8,
    /// Output bits (words), 1 to 8.
    pub outputs: u8,
    /// Truth table.
    pub data: Vec<u8>,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Function {
    /// Unique name.
    pub name: String,
    /// Parameters: words and arrays; an array parameter is a value, the caller's copy never changes.
    pub params: Vec<ValueId>,
    /// Types of what it returns.
    pub results: Vec<Type>,
    /// Arena of all values.
    pub values: Vec<ValueData>,
    /// Its operations.
    pub body: Block,
}

/// A compiled cipher (for one key size), or any set of functions.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Program {
    /// Name, free text.
    pub name: String,
    /// Ordered facts about it: `block_bits`, `key_bits`, …
    pub meta: Vec<(String, String)>,
    /// Source files that places refer to.
    pub files: Vec<String>,
    /// Constant tables.
    pub tables: Vec<Table>,
    /// Matrices of linear operations.
    pub matrices: Vec<Matrix>,
    /// Boxes of bit-sliced operations.
    pub boxes: Vec<SBox>,
    /// Functions; a function calls only functions that stand before it.
    pub functions: Vec<Function>,
}

impl Program {
    /// The function of a name.
    ///
    /// # Errors
    /// `P203`: there is none.
    pub fn function(&self, name: &str) -> Result<&Function, Diagnostic> {
        let found = self.functions.iter().find(|function| function.name == name);
        found.ok_or_else(|| Diagnostic::new("P203", format!("the program has no function `{name}`")))
    }
}
