//! Expressions that both languages can say; every one has a width, and its value is exact modulo 2^width.

use program::ir::Compare;
use program::semantics::mask;

/// Operators of two words of one width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    And,
    Or,
    Xor,
    Add,
    Sub,
    Mul,
}

/// An expression. Words of one bit are scalars, and arithmetic on them is said by gates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Expr {
    /// A port, wire or register.
    Name {
        name: String,
        width: u32,
    },
    /// A number.
    Const {
        value: u64,
        width: u32,
    },
    /// Bits of a port, wire or register, from `low` up; fewer than it has.
    Part {
        name: String,
        low: u32,
        width: u32,
        of: u32,
    },
    /// A word of a store.
    Word {
        store: String,
        address: Box<Expr>,
        width: u32,
    },
    Binary(Operator, Box<Expr>, Box<Expr>),
    Not(Box<Expr>),
    /// Shift that fills with zeros, also for amounts beyond the width.
    Shift {
        left: bool,
        value: Box<Expr>,
        amount: Amount,
    },
    /// The first is the most significant.
    Concat(Vec<Expr>),
    Compare(Compare, Box<Expr>, Box<Expr>),
    /// Stands only where a whole assignment or the last operand of another `Select` stands.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    /// One of many words by their number, a power of two of them; stands only as the value of a wire.
    Choice {
        address: Box<Expr>,
        words: Vec<Expr>,
    },
    /// Remainder by a number.
    Remainder(Box<Expr>, u64),
    /// Sum modulo 2 of chosen bits of a name, its most significant bit first: one event for simulators, whatever bits change.
    Parity {
        name: String,
        chosen: Vec<bool>,
    },
}

/// How far a shift goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Amount {
    Const(u32),
    /// A word of 2 to 30 bits.
    Word(Box<Expr>),
}

impl Expr {
    pub fn name(name: &str, width: u32) -> Expr {
        Expr::Name { name: name.to_owned(), width }
    }

    pub fn number(value: u64, width: u32) -> Expr {
        Expr::Const { value: value & mask(width.min(64) as u8), width }
    }

    pub fn binary(operator: Operator, a: Expr, b: Expr) -> Expr {
        Expr::Binary(operator, Box::new(a), Box::new(b))
    }

    pub fn negated(a: Expr) -> Expr {
        match a {
            Expr::Not(inner) => *inner,
            _ => Expr::Not(Box::new(a)),
        }
    }

    /// Width in bits.
    pub fn width(&self) -> u32 {
        match self {
            Expr::Name { width, .. }
            | Expr::Const { width, .. }
            | Expr::Part { width, .. }
            | Expr::Word { width, .. } => *width,
            Expr::Binary(_, a, _) | Expr::Not(a) | Expr::Select(_, a, _) | Expr::Remainder(a, _) => a.width(),
            Expr::Shift { value, .. } => value.width(),
            Expr::Choice { words, .. } => words[0].width(),
            Expr::Concat(parts) => parts.iter().map(Expr::width).sum(),
            Expr::Compare(..) | Expr::Parity { .. } => 1,
        }
    }

    /// How many names and numbers it is made of.
    pub fn leaves(&self) -> usize {
        match self {
            Expr::Name { .. } | Expr::Const { .. } | Expr::Part { .. } | Expr::Parity { .. } => 1,
            Expr::Word { address, .. } => 1 + address.leaves(),
            Expr::Not(a) | Expr::Remainder(a, _) => a.leaves(),
            Expr::Shift { value, amount: Amount::Const(_), .. } => value.leaves(),
            Expr::Shift { value, amount: Amount::Word(n), .. } => value.leaves() + n.leaves(),
            Expr::Binary(_, a, b) | Expr::Compare(_, a, b) => a.leaves() + b.leaves(),
            Expr::Select(c, a, b) => c.leaves() + a.leaves() + b.leaves(),
            Expr::Concat(parts) => parts.iter().map(Expr::leaves).sum(),
            Expr::Choice { address, words } => address.leaves() + words.iter().map(Expr::leaves).sum::<usize>(),
        }
    }

    /// Whether it is a name, bits of one or a number: no gate.
    pub fn is_simple(&self) -> bool {
        matches!(self, Expr::Name { .. } | Expr::Part { .. } | Expr::Const { .. })
    }

    /// Bits from `low` up, if they can be said without a name for the whole.
    pub fn part(&self, low: u32, width: u32) -> Option<Expr> {
        if low == 0 && width == self.width() {
            return Some(self.clone());
        }
        match self {
            Expr::Name { name, width: of } => Some(Expr::Part { name: name.clone(), low, width, of: *of }),
            Expr::Part { name, low: base, of, .. } => {
                Some(Expr::Part { name: name.clone(), low: base + low, width, of: *of })
            }
            Expr::Const { value, .. } => Some(Expr::number(value >> low, width)),
            Expr::Concat(parts) => part_of_concat(parts, low, width),
            _ => None,
        }
    }

    /// Visits every name with the lowest bit used of it and how many.
    pub fn for_each_name(&self, f: &mut dyn FnMut(&str, u32, u32)) {
        match self {
            Expr::Name { name, width } => f(name, 0, *width),
            Expr::Part { name, low, width, .. } => f(name, *low, *width),
            Expr::Const { .. } => {}
            Expr::Parity { name, chosen } => f(name, 0, chosen.len() as u32),
            Expr::Word { address, .. } => address.for_each_name(f),
            Expr::Not(a) | Expr::Remainder(a, _) => a.for_each_name(f),
            Expr::Shift { value, amount, .. } => {
                value.for_each_name(f);
                if let Amount::Word(n) = amount {
                    n.for_each_name(f);
                }
            }
            Expr::Binary(_, a, b) | Expr::Compare(_, a, b) => [a, b].iter().for_each(|e| e.for_each_name(f)),
            Expr::Select(c, a, b) => [c, a, b].iter().for_each(|e| e.for_each_name(f)),
            Expr::Concat(parts) => parts.iter().for_each(|e| e.for_each_name(f)),
            Expr::Choice { address, words } => {
                address.for_each_name(f);
                words.iter().for_each(|e| e.for_each_name(f));
            }
        }
    }
}

fn part_of_concat(parts: &[Expr], low: u32, width: u32) -> Option<Expr> {
    let mut found = Vec::new();
    let mut position = 0;
    for part in parts.iter().rev() {
        let (first, end) = (low.max(position), (low + width).min(position + part.width()));
        if first < end {
            found.push(part.part(first - position, end - first)?);
        }
        position += part.width();
    }
    found.reverse();
    Some(concat(found))
}

/// Expressions side by side, the first most significant; what belongs together is joined again.
pub(super) fn concat(parts: Vec<Expr>) -> Expr {
    let mut list: Vec<Expr> = Vec::new();
    for part in parts {
        let inner = match part {
            Expr::Concat(inner) => inner,
            other => vec![other],
        };
        for part in inner {
            match list.last().and_then(|last| joined(last, &part)) {
                Some(both) => *list.last_mut().expect("there is a last one") = both,
                None => list.push(part),
            }
        }
    }
    if list.len() == 1 {
        return list.swap_remove(0);
    }
    Expr::Concat(list)
}

/// Two neighbours as one: bits of one name that follow each other, or zeros.
fn joined(high: &Expr, low: &Expr) -> Option<Expr> {
    match (high, low) {
        (Expr::Part { name: a, low: from, width: n, of }, Expr::Part { name: b, low: to, width: m, .. })
            if a == b && *from == to + m =>
        {
            let whole = n + m == *of;
            Some(if whole {
                Expr::name(a, *of)
            } else {
                Expr::Part { name: a.clone(), low: *to, width: n + m, of: *of }
            })
        }
        (Expr::Const { value: 0, width: n }, Expr::Const { value: 0, width: m }) => Some(Expr::number(0, n + m)),
        _ => None,
    }
}

/// Hexadecimal digits of a row of bits, the first the most significant.
pub(super) fn digits(bits: &[bool]) -> String {
    let four = |four: &[bool]| four.iter().fold(0, |digit, &bit| digit << 1 | u32::from(bit));
    bits.rchunks(4).rev().map(|bits| format!("{:x}", four(bits))).collect()
}

/// Whether bits side by side are rows of a matrix, which are written one a line.
pub(super) fn is_rows(bits: &[Expr]) -> bool {
    bits.len() > 2 && bits.iter().any(|bit| matches!(bit, Expr::Parity { .. }))
}
