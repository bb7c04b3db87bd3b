//! Functions of three and four operands as few gates of two.
//!
//! Complements are free inside a chain of two-operand gates of any function, so the search looks at normal functions
//! only (value 0 where all operands are 0), whose gates are the five of [`NORMAL`]; the last gate is complemented where
//! needed. Chains of up to four gates are found exactly; what needs more is split by one operand.

use crate::function::Function;

/// A gate of a chain; operands are numbered from 0, gates follow them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// A function of two operands.
    pub function: Function,
    /// Earlier values.
    pub operands: [usize; 2],
}

/// AND, OR, XOR, `a & ~b` and `b & ~a`.
const NORMAL: [u16; 5] = [0b1000, 0b1110, 0b0110, 0b0010, 0b0100];
const EXACT: usize = 4;
const OPERANDS: [u16; 4] = [0xaaaa, 0xcccc, 0xf0f0, 0xff00];

/// The gates that compute a function of three or four operands, all of which it depends on; the last is the result.
#[must_use]
pub fn chain(function: Function) -> Vec<Step> {
    debug_assert!(function.arity >= 3 && (0..usize::from(function.arity)).all(|n| function.depends_on(n)));
    let bits = 1usize << function.arity;
    let normal = if function.value(0) { function.complement() } else { function };
    let mask = if bits == 16 { u16::MAX } else { (1 << bits) - 1 };
    let mut search = Search {
        goal: normal.table,
        values: OPERANDS[..usize::from(function.arity)].iter().map(|value| value & mask).collect(),
        steps: Vec::new(),
    };
    let found = (usize::from(function.arity) - 1..=EXACT).any(|gates| search.extend(gates, 0));
    let mut steps = if found { search.steps } else { by_operand(normal) };
    if function.value(0) {
        if let Some(last) = steps.last_mut() {
            last.function = last.function.complement();
        }
    }
    steps
}

struct Search {
    goal: u16,
    values: Vec<u16>,
    steps: Vec<Step>,
}

impl Search {
    /// Whether the goal is reached with exactly so many further gates; the steps then stand. `read` are the values
    /// that some gate reads, one bit each.
    fn extend(&mut self, gates: usize, read: u32) -> bool {
        let count = self.values.len();
        // The newest value is unread, so that the last gate reads it.
        let start = if gates == 1 { count - 1 } else { 1 };
        for second in start..count {
            for first in 0..second {
                let now = read | 1 << first | 1 << second;
                let unread = count - now.count_ones() as usize;
                if unread >= gates || !self.follows(first, second) {
                    continue;
                }
                for table in NORMAL {
                    let value = combined(table, self.values[first], self.values[second]);
                    let useless =
                        if gates == 1 { value != self.goal } else { value == 0 || self.values.contains(&value) };
                    if useless {
                        continue;
                    }
                    self.values.push(value);
                    self.steps.push(Step { function: Function::new(2, table), operands: [first, second] });
                    if gates == 1 || self.extend(gates - 1, now) {
                        return true;
                    }
                    self.values.pop();
                    self.steps.pop();
                }
            }
        }
        false
    }

    /// Neighbouring gates that do not read each other come in one order only.
    fn follows(&self, first: usize, second: usize) -> bool {
        let Some(last) = self.steps.last() else { return true };
        let newest = self.values.len() - 1;
        second == newest || (second, first) >= (last.operands[1], last.operands[0])
    }
}

fn combined(table: u16, a: u16, b: u16) -> u16 {
    match table {
        0b1000 => a & b,
        0b1110 => a | b,
        0b0110 => a ^ b,
        0b0010 => a & !b,
        _ => b & !a,
    }
}

/// A function of four operands from two of three: `f = (a & g) ^ h` with `h` the function at `a` = 0.
fn by_operand(function: Function) -> Vec<Step> {
    let candidates = (0..4).map(|n| {
        let half = |value: usize| {
            let table = (0..8usize).fold(0, |table, index| {
                let low = index & ((1 << n) - 1);
                let full = low | (index & !((1 << n) - 1)) << 1 | value << n;
                table | u16::from(function.value(full)) << index
            });
            Function::new(3, table)
        };
        let (zero, one) = (half(0), half(1));
        let difference = Function::new(3, zero.table ^ one.table);
        let mut steps = Vec::new();
        let others: Vec<usize> = (0..4).filter(|k| *k != n).collect();
        let g = part(difference, &others, &mut steps);
        let h = part(zero, &others, &mut steps);
        join(n, g, h, &mut steps);
        steps
    });
    candidates.min_by_key(Vec::len).unwrap_or_default()
}

/// A value of a part: a constant, or an earlier value and whether it is complemented.
type Part = Result<(usize, bool), bool>;

/// Adds the gates of a function of three operands, some of which may not count.
fn part(function: Function, operands: &[usize], steps: &mut Vec<Step>) -> Part {
    let used: Vec<usize> = (0..3).filter(|&n| function.depends_on(n)).collect();
    let index = |packed: usize| used.iter().enumerate().fold(0, |sum, (k, n)| sum | (packed >> k & 1) << n);
    let table = (0..1usize << used.len()).fold(0, |t, i| t | u16::from(function.value(index(i))) << i);
    let wires: Vec<usize> = used.iter().map(|&n| operands[n]).collect();
    match wires.len() {
        0 => Err(table & 1 == 1),
        1 => Ok((wires[0], table & 1 == 1)),
        2 => {
            steps.push(Step { function: Function::new(2, table), operands: [wires[0], wires[1]] });
            Ok((3 + steps.len(), false))
        }
        _ => {
            let base = steps.len();
            let place = |k: usize| if k < 3 { wires[k] } else { 4 + base + k - 3 };
            let inner = chain(Function::new(3, table));
            steps.extend(inner.iter().map(|s| Step { function: s.function, operands: s.operands.map(place) }));
            Ok((3 + steps.len(), false))
        }
    }
}

/// Adds `(a & g) ^ h`; `g` is no constant or the function would be a smaller one.
fn join(a: usize, g: Part, h: Part, steps: &mut Vec<Step>) {
    let (masked, inverted) = match g {
        Ok((wire, complemented)) => {
            let function = if complemented { Function::ANDNOT } else { Function::AND };
            steps.push(Step { function, operands: [a, wire] });
            (3 + steps.len(), false)
        }
        Err(value) => (a, !value),
    };
    match h {
        Ok((wire, complemented)) => {
            let function = if complemented != inverted { Function::XNOR } else { Function::XOR };
            steps.push(Step { function, operands: [masked, wire] });
        }
        Err(value) => {
            if let Some(last) = steps.last_mut().filter(|_| value) {
                last.function = last.function.complement();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(steps: &[Step], arity: usize, operands: usize) -> bool {
        let mut values: Vec<bool> = (0..arity).map(|n| operands >> n & 1 == 1).collect();
        for step in steps {
            let index = usize::from(values[step.operands[0]]) | usize::from(values[step.operands[1]]) << 1;
            values.push(step.function.value(index));
        }
        values[values.len() - 1]
    }

    fn check(function: Function) -> usize {
        let steps = chain(function);
        for operands in 0..1 << function.arity {
            assert_eq!(value(&steps, usize::from(function.arity), operands), function.value(operands), "{function:?}");
        }
        steps.len()
    }

    fn full(function: &Function) -> bool {
        (0..usize::from(function.arity)).all(|n| function.depends_on(n))
    }

    #[test]
    fn every_function_of_three_operands_needs_two_to_four_gates() {
        let mut counts = [0; 6];
        for function in (0..256).map(|table| Function::new(3, table)).filter(full) {
            counts[check(function)] += 1;
        }
        assert_eq!(counts.iter().sum::<i32>(), 218);
        assert_eq!(counts[..2], [0, 0]);
        assert_eq!(counts[5], 0);
    }

    #[test]
    fn functions_of_four_operands_are_right_and_cells_are_small() {
        for table in (1..65536u32).step_by(6007) {
            let function = Function::new(4, table as u16);
            if full(&function) {
                assert!(check(function) <= 10);
            }
        }
        let and_or_invert = Function::new(4, 0x0777);
        assert_eq!(check(and_or_invert), 3, "~(a & b | c & d)");
    }
}
