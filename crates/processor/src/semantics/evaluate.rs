//! Direct evaluation of the semantics; slow and simple, the reference for the compiled form.

use super::{Expression, Function, Operator, Statement};

/// Memory as instructions see it; it knows the byte order.
pub trait Memory {
    /// Reads 1, 2, 4 or 8 bytes as an unsigned number.
    ///
    /// # Errors
    /// If there is no memory at that address.
    fn load(&mut self, address: u64, bytes: u8) -> Result<u64, Fault>;

    /// Writes the lowest 1, 2, 4 or 8 bytes of a number.
    ///
    /// # Errors
    /// If there is no memory at that address.
    fn store(&mut self, address: u64, bytes: u8, value: u64) -> Result<(), Fault>;
}

/// An access to memory that is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// First byte.
    pub address: u64,
    /// Bytes.
    pub bytes: u8,
    /// It was a store.
    pub store: bool,
}

/// No memory at all: every access is a fault.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoMemory;

impl Memory for NoMemory {
    fn load(&mut self, address: u64, bytes: u8) -> Result<u64, Fault> {
        Err(Fault { address, bytes, store: false })
    }

    fn store(&mut self, address: u64, bytes: u8, _: u64) -> Result<(), Fault> {
        Err(Fault { address, bytes, store: true })
    }
}

/// Runs statements: each reads the names as `read` gives them, not what an earlier one assigned. Returns what is assigned,
/// in order, not yet cut to the width of a register. Loads come before stores.
///
/// # Errors
/// [`Fault`] of the memory.
///
/// # Panics
/// If `read` does: it decides about unknown names.
pub fn execute(
    statements: &[Statement],
    read: &dyn Fn(&str) -> u64,
    memory: &mut dyn Memory,
) -> Result<Vec<(String, u64)>, Fault> {
    let mut assigned = Vec::new();
    let mut stores = Vec::new();
    for statement in statements {
        match statement {
            Statement::Assign(name, expression) => {
                assigned.push((name.clone(), expression.evaluate(read, memory)?));
            }
            Statement::Store(bits, address, value) => {
                stores.push((bits / 8, address.evaluate(read, memory)?, value.evaluate(read, memory)?));
            }
        }
    }
    for (bytes, address, value) in stores {
        memory.store(address, bytes, value)?;
    }
    Ok(assigned)
}

impl Expression {
    /// Its value, a word of 64 bits.
    ///
    /// # Errors
    /// [`Fault`] of the memory.
    pub fn evaluate(&self, read: &dyn Fn(&str) -> u64, memory: &mut dyn Memory) -> Result<u64, Fault> {
        Ok(match self {
            Expression::Name(name) => read(name),
            Expression::Number(number) => *number,
            Expression::Not(x) => !x.evaluate(read, memory)?,
            Expression::Binary(operator, x, y) => {
                binary(*operator, x.evaluate(read, memory)?, y.evaluate(read, memory)?)
            }
            Expression::Select(c, x, y) => {
                if c.evaluate(read, memory)? != 0 {
                    x.evaluate(read, memory)?
                } else {
                    y.evaluate(read, memory)?
                }
            }
            Expression::Call(Function::Load(bits), arguments) => {
                let address = arguments[0].evaluate(read, memory)?;
                memory.load(address, bits / 8)?
            }
            Expression::Call(function, arguments) => {
                let values: Vec<u64> = arguments.iter().map(|x| x.evaluate(read, memory)).collect::<Result<_, _>>()?;
                call(*function, &values)
            }
        })
    }
}

/// The value of an operator.
#[must_use]
#[inline]
pub fn binary(operator: Operator, x: u64, y: u64) -> u64 {
    match operator {
        Operator::Add => x.wrapping_add(y),
        Operator::Sub => x.wrapping_sub(y),
        Operator::Mul => x.wrapping_mul(y),
        Operator::And => x & y,
        Operator::Or => x | y,
        Operator::Xor => x ^ y,
        Operator::Shl => shift_left(x, y),
        Operator::Shr => shift_right(x, y),
        Operator::Eq => u64::from(x == y),
        Operator::Ne => u64::from(x != y),
        Operator::Lt => u64::from(x < y),
        Operator::Le => u64::from(x <= y),
    }
}

/// The value of a function that does not read memory; [`Function::Load`] gives 0.
///
/// # Panics
/// If there are fewer arguments than the function takes.
#[must_use]
pub fn call(function: Function, x: &[u64]) -> u64 {
    match function {
        Function::Load(_) => 0,
        Function::Field => field(x[0], x[1], x[2]),
        Function::Ones => ones(x[0]),
        Function::SignExtend => sign_extend(x[0], x[1]),
        Function::RotateLeft => rotate_left(x[0], x[1], x[2]),
        Function::RotateRight => rotate_left(x[0], x[2].wrapping_sub(x[1] % x[2].max(1)), x[2]),
        Function::Lane => lane(x[0], x[1]),
        Function::Lanes => (0..4).fold(0, |word, i| word | (x[i] & 0xffff) << (16 * i)),
        Function::Popcount => u64::from(x[0].count_ones()),
        Function::Bytes => bytes(x[0]),
    }
}

#[inline]
pub(super) fn shift_left(x: u64, n: u64) -> u64 {
    if n < 64 {
        x << n
    } else {
        0
    }
}

#[inline]
pub(super) fn shift_right(x: u64, n: u64) -> u64 {
    if n < 64 {
        x >> n
    } else {
        0
    }
}

/// The n lowest bits set; all of them from 64 on.
#[must_use]
#[inline]
pub fn ones(n: u64) -> u64 {
    if n < 64 {
        (1 << n) - 1
    } else {
        u64::MAX
    }
}

/// The word whose byte k has all bits set where bit k of n is 1, else none.
#[must_use]
#[inline]
pub fn bytes(n: u64) -> u64 {
    (0..8).fold(0, |word, k| word | ((n >> k & 1) * (0xff << (8 * k))))
}

/// Bits of x from a position on, right aligned.
#[must_use]
#[inline]
pub fn field(x: u64, position: u64, length: u64) -> u64 {
    shift_right(x, position) & ones(length)
}

/// The n lowest bits as a signed number; 0 for n = 0.
#[must_use]
#[inline]
pub fn sign_extend(x: u64, n: u64) -> u64 {
    match n {
        0 => 0,
        1..=63 => ((x << (64 - n)) as i64 >> (64 - n)) as u64,
        _ => x,
    }
}

/// The w lowest bits rotated left by n modulo w, the rest 0; w is from 1 to 64, else the result is 0.
#[must_use]
#[inline]
pub fn rotate_left(x: u64, n: u64, w: u64) -> u64 {
    if w == 0 || w > 64 {
        return 0;
    }
    let (x, n) = (x & ones(w), n % w);
    (shift_left(x, n) | shift_right(x, w - n)) & ones(w)
}

#[inline]
pub(super) fn lane(x: u64, i: u64) -> u64 {
    x >> (16 * (i % 4)) & 0xffff
}
