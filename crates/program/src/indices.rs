//! What values an index can have: exact where the iterations that it depends on are few, else an interval.
//!
//! An index depends on the iteration numbers of loops around it only. As long as the combinations of those iterations number at
//! most [`MOST`], every index keeps the table of its values over all of them; so `i - 4*(i / 4)` is known to be 0 to 3.

use std::collections::HashMap;

use crate::ir::{Affine, Function, OpKind, Type, ValueId};
use crate::walk::{for_each_block, for_each_op};

/// Most combinations of iterations that are looked at one by one.
pub const MOST: usize = 1 << 12;

/// The values of a sum, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Smallest value.
    pub min: i128,
    /// Largest value.
    pub max: i128,
}

impl Range {
    /// Whether every value lies in `0 .. extent`.
    #[must_use]
    pub fn within(self, extent: u64) -> bool {
        self.min >= 0 && self.max < i128::from(extent)
    }

    /// Whether every value fits a signed 64-bit number.
    #[must_use]
    pub fn fits(self) -> bool {
        self.min >= i128::from(i64::MIN) && self.max <= i128::from(i64::MAX)
    }
}

#[derive(Clone, Debug)]
struct KnownSum {
    /// The iteration numbers that it depends on, with the table of values over them (the last one running fastest).
    table: Option<(Vec<ValueId>, Vec<i128>)>,
    range: Range,
}

/// The values of the indices of a function, and of the words that stand in addresses.
#[derive(Clone, Debug, Default)]
pub struct Indices {
    known: HashMap<ValueId, KnownSum>,
    iterations: HashMap<ValueId, usize>,
}

impl Indices {
    /// Looks at a whole function, which must be verified.
    #[must_use]
    pub fn of(function: &Function) -> Self {
        let mut indices = Indices::default();
        for_each_op(&function.body, &mut |op| match &op.kind {
            OpKind::Loop(l) => {
                for (n, body) in l.bodies.iter().enumerate() {
                    indices.add_counter(body.params[0], &l.iterations_of(n));
                }
            }
            kind => indices.add_index(kind, op.results[0]),
        });
        let mut words = |v: &ValueId| {
            if let Type::Word(width) = function.values[v.0 as usize].ty {
                indices.add_word(*v, width);
            }
        };
        function.params.iter().for_each(&mut words);
        for_each_block(&function.body, &mut |block| {
            block.params.iter().chain(block.ops.iter().flat_map(|op| &op.results)).for_each(&mut words);
        });
        indices
    }

    /// The iteration number of a body that runs the given iterations (at least one, ascending).
    pub fn add_counter(&mut self, param: ValueId, iterations: &[u32]) {
        let values: Vec<i128> = iterations.iter().map(|&t| i128::from(t)).collect();
        let range = span(&values);
        let table = (values.len() <= MOST).then(|| (vec![param], values));
        self.iterations.insert(param, iterations.len());
        self.known.insert(param, KnownSum { table, range });
    }

    /// The result of `index_div` or `index_mod` by a positive divisor; nothing for other operations.
    pub fn add_index(&mut self, kind: &OpKind, result: ValueId) {
        let (affine, map): (_, Box<dyn Fn(i128) -> i128>) = match kind {
            OpKind::IndexDiv(affine, n) => (affine, {
                let n = i128::from(*n);
                Box::new(move |x| x.div_euclid(n))
            }),
            OpKind::IndexMod(affine, n) => (affine, {
                let n = i128::from(*n);
                Box::new(move |x| x.rem_euclid(n))
            }),
            _ => return,
        };
        let known = match self.table(affine) {
            Some((bases, values)) => {
                let values: Vec<i128> = values.into_iter().map(map).collect();
                KnownSum { range: span(&values), table: Some((bases, values)) }
            }
            None => KnownSum { table: None, range: self.divided(kind, self.interval(affine)) },
        };
        self.known.insert(result, known);
    }

    fn divided(&self, kind: &OpKind, Range { min, max }: Range) -> Range {
        match kind {
            OpKind::IndexDiv(_, n) => {
                Range { min: min.div_euclid(i128::from(*n)), max: max.div_euclid(i128::from(*n)) }
            }
            OpKind::IndexMod(_, n) => Range { min: 0, max: i128::from(*n) - 1 },
            _ => Range { min, max },
        }
    }

    /// A word that may stand in an address.
    pub fn add_word(&mut self, word: ValueId, width: u8) {
        let range = Range { min: 0, max: (1i128 << width) - 1 };
        self.known.insert(word, KnownSum { table: None, range });
    }

    /// Whether the value is the iteration number of a loop body.
    #[must_use]
    pub fn is_counter(&self, value: ValueId) -> bool {
        self.iterations.contains_key(&value)
    }

    /// All values of a sum whose values were added before.
    #[must_use]
    pub fn range(&self, affine: &Affine) -> Range {
        match self.table(affine) {
            Some((_, values)) => span(&values),
            None => self.interval(affine),
        }
    }

    fn interval(&self, affine: &Affine) -> Range {
        let mut sum = Range { min: affine.constant.into(), max: affine.constant.into() };
        for (coefficient, value) in &affine.terms {
            let range = self.known[value].range;
            let ends = [range.min, range.max].map(|end| end.saturating_mul((*coefficient).into()));
            sum.min = sum.min.saturating_add(ends[0].min(ends[1]));
            sum.max = sum.max.saturating_add(ends[0].max(ends[1]));
        }
        sum
    }

    /// The values of a sum over all iterations that it depends on, if they are few.
    fn table(&self, affine: &Affine) -> Option<(Vec<ValueId>, Vec<i128>)> {
        let mut terms = Vec::new();
        let mut bases: Vec<ValueId> = Vec::new();
        for (coefficient, value) in &affine.terms {
            let (needed, values) = self.known[value].table.as_ref()?;
            bases.extend(needed.iter().filter(|b| !bases.contains(b)).copied().collect::<Vec<_>>());
            terms.push((i128::from(*coefficient), needed, values));
        }
        let sizes: Vec<usize> = bases.iter().map(|b| self.iterations[b]).collect();
        let total = sizes.iter().try_fold(1usize, |n, &size| n.checked_mul(size)).filter(|&n| n <= MOST)?;
        let mut positions = vec![0; bases.len()];
        let mut values = Vec::with_capacity(total);
        for _ in 0..total {
            let position = |base: &ValueId| positions[bases.iter().position(|b| b == base).unwrap_or(0)];
            let entry =
                |needed: &[ValueId]| needed.iter().fold(0, |n, base| n * self.iterations[base] + position(base));
            let sum = terms.iter().fold(i128::from(affine.constant), |sum, (coefficient, needed, values)| {
                sum.saturating_add(coefficient.saturating_mul(values[entry(needed)]))
            });
            values.push(sum);
            advance(&mut positions, &sizes);
        }
        Some((bases, values))
    }
}

/// The next combination, the last position running fastest.
fn advance(positions: &mut [usize], sizes: &[usize]) {
    for (position, &size) in positions.iter_mut().zip(sizes).rev() {
        *position += 1;
        if *position < size {
            return;
        }
        *position = 0;
    }
}

fn span(values: &[i128]) -> Range {
    Range { min: values.iter().copied().min().unwrap_or(0), max: values.iter().copied().max().unwrap_or(0) }
}
