//! Functions of up to four operands: what one gate computes.

/// A truth table over up to four operands: bit `a0 + 2 a1 + 4 a2 + 8 a3` is the value at operands `a0` … `a3`.
///
/// The immediate of `vpternlog` numbers its operands the other way round (bit `4 a0 + 2 a1 + a2`); see
/// [`Function::ternary_immediate`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Function {
    /// Number of operands, 1 to 4.
    pub arity: u8,
    /// The table; bits from `1 << arity` on are zero.
    pub table: u16,
}

impl Function {
    /// `~a`
    pub const NOT: Function = Function { arity: 1, table: 0b01 };
    /// `a & b`
    pub const AND: Function = Function { arity: 2, table: 0b1000 };
    /// `a | b`
    pub const OR: Function = Function { arity: 2, table: 0b1110 };
    /// `a ^ b`
    pub const XOR: Function = Function { arity: 2, table: 0b0110 };
    /// `a & ~b`: and-complement.
    pub const ANDNOT: Function = Function { arity: 2, table: 0b0010 };
    /// `a | ~b`
    pub const ORNOT: Function = Function { arity: 2, table: 0b1011 };
    /// `~(a & b)`
    pub const NAND: Function = Function { arity: 2, table: 0b0111 };
    /// `~(a | b)`
    pub const NOR: Function = Function { arity: 2, table: 0b0001 };
    /// `~(a ^ b)`
    pub const XNOR: Function = Function { arity: 2, table: 0b1001 };

    /// A function from its table; the bits beyond it are dropped.
    #[must_use]
    pub const fn new(arity: u8, table: u16) -> Self {
        Function { arity, table: table & mask(arity) }
    }

    /// The value at operand values packed as in the table's index.
    #[must_use]
    pub const fn value(self, operands: usize) -> bool {
        self.table >> operands & 1 == 1
    }

    /// The complement.
    #[must_use]
    pub const fn complement(self) -> Self {
        Function { arity: self.arity, table: !self.table & mask(self.arity) }
    }

    /// The same function with operand `n` read as operand `order[n]` of the result.
    #[must_use]
    pub fn reordered(self, order: &[usize]) -> Self {
        let table = (0..1usize << self.arity).filter(|&to| {
            let from = order.iter().enumerate().fold(0, |sum, (n, &place)| sum | (to >> place & 1) << n);
            self.value(from)
        });
        Function { arity: self.arity, table: table.fold(0, |sum, index| sum | 1 << index) }
    }

    /// Whether the value depends on operand `n`.
    #[must_use]
    pub fn depends_on(self, n: usize) -> bool {
        (0..1usize << self.arity).any(|index| self.value(index) != self.value(index ^ 1 << n))
    }

    /// Whether it is an exclusive or of operands, complemented or not: costs no AND.
    #[must_use]
    pub fn is_linear(self) -> bool {
        let constant = self.value(0);
        (0..1usize << self.arity).all(|index| {
            let sum = (0..self.arity)
                .filter(|n| index >> n & 1 == 1)
                .fold(constant, |s, n| s ^ constant ^ self.value(1 << n));
            self.value(index) == sum
        })
    }

    /// The eight-bit immediate with which `vpternlogd first, second, third` computes it.
    #[must_use]
    pub fn ternary_immediate(self) -> u8 {
        let index = |bit: usize| bit >> 2 & 1 | (bit >> 1 & 1) << 1 | (bit & 1) << 2;
        let used = (1usize << self.arity) - 1;
        (0..8).filter(|&bit| self.value(index(bit) & used)).fold(0, |sum, bit| sum | 1 << bit)
    }
}

const fn mask(arity: u8) -> u16 {
    if arity >= 4 {
        u16::MAX
    } else {
        (1 << (1 << arity)) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_as_their_names_say() {
        let eval = |f: Function, g: fn(bool, bool) -> bool| (0..4).all(|i| f.value(i) == g(i & 1 == 1, i >> 1 == 1));
        assert!(eval(Function::AND, |a, b| a & b) && eval(Function::OR, |a, b| a | b));
        assert!(eval(Function::XOR, |a, b| a ^ b) && eval(Function::ANDNOT, |a, b| a & !b));
        assert!(eval(Function::ORNOT, |a, b| a | !b) && eval(Function::NAND, |a, b| !(a & b)));
        assert!(eval(Function::NOR, |a, b| !(a | b)) && eval(Function::XNOR, |a, b| a == b));
    }

    #[test]
    fn the_immediate_of_a_ternary_function_reads_its_first_operand_as_the_highest() {
        let first = Function::new(3, 0b1010_1010);
        assert_eq!(first.ternary_immediate(), 0xf0);
        assert_eq!(Function::XOR.ternary_immediate(), 0x3c);
    }

    #[test]
    fn operands_change_places() {
        assert_eq!(Function::ANDNOT.reordered(&[1, 0]).table, 0b0100);
        assert_eq!(Function::new(3, 0b1010_1010).reordered(&[2, 0, 1]).table, 0b1111_0000);
        assert!(Function::XNOR.is_linear() && !Function::NOR.is_linear() && Function::NOT.is_linear());
    }
}
