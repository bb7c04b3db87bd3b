//! Whether two matrices differ in the order of rows and columns only.

use super::word::Lane;

/// Which row of the wanted matrix each row of the found one is, and which column each column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    pub rows: Vec<usize>,
    pub columns: Vec<usize>,
}

/// An order that makes `found` of `wanted`, if there is one.
pub fn order_of(found: &[Lane], wanted: &[Lane], columns: usize, is_binary: bool) -> Option<Order> {
    let mut first = None;
    for_each_order(found, wanted, columns, is_binary, &mut |order| {
        first = Some(order.clone());
        true
    });
    first
}

/// Calls `give` with every order that makes `found` of `wanted` until it returns true.
pub fn for_each_order(
    found: &[Lane],
    wanted: &[Lane],
    columns: usize,
    is_binary: bool,
    give: &mut dyn FnMut(&Order) -> bool,
) {
    if found.len() != wanted.len() || profile(found, columns, is_binary) != profile(wanted, columns, is_binary) {
        return;
    }
    let mut state = Matcher { found, wanted, columns, is_binary, rows: Vec::new(), give };
    state.extend();
}

/// The factor of a column in a row.
fn factor(row: Lane, column: usize, is_binary: bool) -> u8 {
    if is_binary {
        (row >> column & 1) as u8
    } else {
        (row >> (8 * column)) as u8
    }
}

/// What all columns hold, irrespective of orders.
fn profile(rows: &[Lane], columns: usize, is_binary: bool) -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = (0..columns)
        .map(|c| {
            let mut column: Vec<u8> = rows.iter().map(|&r| factor(r, c, is_binary)).collect();
            column.sort_unstable();
            column
        })
        .collect();
    all.sort();
    all
}

struct Matcher<'a> {
    found: &'a [Lane],
    wanted: &'a [Lane],
    columns: usize,
    is_binary: bool,
    /// The wanted row of each found row so far.
    rows: Vec<usize>,
    give: &'a mut dyn FnMut(&Order) -> bool,
}

impl Matcher<'_> {
    /// What each column holds in the rows that are matched.
    fn held(&self, rows: &dyn Fn(usize) -> Lane, depth: usize) -> Vec<Vec<u8>> {
        let column = |c| (0..depth).map(|n| factor(rows(n), c, self.is_binary)).collect();
        (0..self.columns).map(column).collect()
    }

    fn extend(&mut self) -> bool {
        let depth = self.rows.len();
        let here = self.held(&|n| self.found[n], depth);
        let there = self.held(&|n| self.wanted[self.rows[n]], depth);
        let sorted = |columns: &[Vec<u8>]| {
            let mut all = columns.to_vec();
            all.sort();
            all
        };
        if sorted(&here) != sorted(&there) {
            return false;
        }
        if depth == self.found.len() {
            return self.pair(&here, &there, Vec::new());
        }
        for row in 0..self.wanted.len() {
            if !self.rows.contains(&row) {
                self.rows.push(row);
                if self.extend() {
                    return true;
                }
                self.rows.pop();
            }
        }
        false
    }

    /// Pairs equal columns in every way.
    fn pair(&mut self, here: &[Vec<u8>], there: &[Vec<u8>], columns: Vec<usize>) -> bool {
        if columns.len() == self.columns {
            return (self.give)(&Order { rows: self.rows.clone(), columns });
        }
        for c in 0..self.columns {
            if !columns.contains(&c) && there[c] == here[columns.len()] {
                let mut more = columns.clone();
                more.push(c);
                if self.pair(here, there, more) {
                    return true;
                }
            }
        }
        false
    }
}
