//! Orders of the results: which byte of which word each row of the matrix is.

use std::collections::BTreeSet;

use crate::layer::Layer;
use crate::pattern::{placed, Pattern};

/// The rows by place: word after word, the least significant byte first; `None` is an empty byte.
pub type Order = Vec<Option<usize>>;

/// A unit of look-up: columns that one index is made of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unit {
    /// The S-boxes of its columns.
    pub boxes: Vec<usize>,
    /// What each word needs of it.
    pub patterns: Vec<Pattern>,
}

/// Units that need the same, and what they are numbered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    /// What they need.
    pub unit: Unit,
    /// Their columns.
    pub members: Vec<Vec<usize>>,
}

/// A layer in one order.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The order.
    pub order: Order,
    /// Its units.
    pub kinds: Vec<Kind>,
}

/// How much of the orders is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// All orders; only the words are interchangeable.
    All,
    /// The first row is in the first place, too: enough where bytes may as well be counted from another place around.
    Turned,
    /// The order inside the first word is fixed, too: enough where words are only added.
    Added,
}

/// Number of orders up to which all are tried.
pub const MOST_ORDERS: usize = 1 << 20;

/// All orders that can differ, in a fixed order; `None` if there are too many.
#[must_use]
pub fn orders(layer: &Layer, lanes: usize, reach: Reach) -> Option<Vec<Order>> {
    let rows = layer.rows.len();
    let places = rows.div_ceil(lanes) * lanes;
    let count =
        (places - rows + 1..=places).try_fold(1usize, |n, k| n.checked_mul(k).filter(|&n| n <= MOST_ORDERS << 4));
    count?;
    let mut found = Vec::new();
    extend(&mut vec![None; places], 0, rows, lanes, reach, &mut found);
    (found.len() <= MOST_ORDERS).then_some(found)
}

/// Places row after row.
fn extend(order: &mut Order, row: usize, rows: usize, lanes: usize, reach: Reach, found: &mut Vec<Order>) {
    if row == rows {
        found.push(order.clone());
        return;
    }
    for place in 0..order.len() {
        if order[place].is_some() {
            continue;
        }
        let word = place / lanes;
        // Words are interchangeable: each new one is the next. So are places of the first, if words are only added.
        let is_next_word = (0..word).all(|w| order[w * lanes..(w + 1) * lanes].iter().any(Option::is_some));
        let is_first_free = word > 0 || order[..place].iter().all(Option::is_some);
        let fits = match reach {
            Reach::All => true,
            Reach::Turned => row > 0 || place == 0,
            Reach::Added => is_first_free,
        };
        if is_next_word && fits {
            order[place] = Some(row);
            extend(order, row + 1, rows, lanes, reach, found);
            order[place] = None;
        }
    }
}

/// A layer's units of one column each.
#[must_use]
pub fn single_columns(layer: &Layer) -> Vec<Vec<usize>> {
    (0..layer.boxes.len()).map(|c| vec![c]).collect()
}

/// All ways to pair the columns; none for an odd number, or for more than eight columns.
#[must_use]
pub fn pairings(layer: &Layer) -> Vec<Vec<Vec<usize>>> {
    fn pair(free: &[usize]) -> Vec<Vec<Vec<usize>>> {
        let Some((&first, rest)) = free.split_first() else { return vec![Vec::new()] };
        let mut found = Vec::new();
        for (n, &other) in rest.iter().enumerate() {
            let left: Vec<usize> = rest.iter().enumerate().filter(|(k, _)| *k != n).map(|(_, &c)| c).collect();
            for mut tail in pair(&left) {
                tail.insert(0, vec![first, other]);
                found.push(tail);
            }
        }
        found
    }
    let columns = layer.boxes.len();
    if columns % 2 == 1 || columns > 8 {
        return Vec::new();
    }
    pair(&(0..columns).collect::<Vec<_>>())
}

/// The problem of one order.
#[must_use]
pub fn problem(layer: &Layer, units: &[Vec<usize>], order: &Order, lanes: usize) -> Problem {
    let mut kinds: Vec<Kind> = Vec::new();
    for columns in units {
        let factor = |row: usize| {
            columns.iter().enumerate().fold(0u16, |f, (n, &c)| f | u16::from(layer.rows[row][c]) << (8 * n))
        };
        let pattern = |word: &[Option<usize>]| {
            word.iter().enumerate().filter_map(|(l, row)| Some(placed(factor((*row)?), l))).sum::<Pattern>()
        };
        let boxes = columns.iter().map(|&c| layer.boxes[c]).collect();
        let unit = Unit { boxes, patterns: order.chunks(lanes).map(pattern).collect() };
        match kinds.iter_mut().find(|k| k.unit == unit) {
            Some(kind) => kind.members.push(columns.clone()),
            None => kinds.push(Kind { unit, members: vec![columns.clone()] }),
        }
    }
    kinds.sort_by(|a, b| a.unit.cmp(&b.unit));
    Problem { order: order.clone(), kinds }
}

/// The problems of several orders, each once: the order of the columns does not enter the cost.
#[must_use]
pub fn problems(layer: &Layer, units: &[Vec<Vec<usize>>], orders: &[Order], lanes: usize) -> Vec<Problem> {
    let mut seen: BTreeSet<Vec<(Unit, usize)>> = BTreeSet::new();
    let mut found = Vec::new();
    for columns in units {
        for order in orders {
            let one = problem(layer, columns, order, lanes);
            if seen.insert(one.kinds.iter().map(|k| (k.unit.clone(), k.members.len())).collect()) {
                found.push(one);
            }
        }
    }
    found
}
