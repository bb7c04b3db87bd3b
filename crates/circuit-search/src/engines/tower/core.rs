//! The middle: from four bits of the norm to the nine forms of its inverse that the last products use.
//!
//! Found by exchange search over sets of functions of four bits, from the algebraic normal form. The nine forms are
//! those of three classes; which three does not matter up to multiplication and squaring, so the search is made for the
//! classes 0, 1, 2 and the bits of the norm are renamed.

use super::field::{inverse, multiply, sixteen, trace_of_sixteen};
use crate::exchange::truth::Truth;
use crate::exchange::Exchange;
use circuit::linear::vectors::NEVER;
use circuit::random::Random;
use circuit::table::Table;

/// Which bits of the norm there are, as exponents of forms, and when.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Question {
    /// Exponents of four independent forms of the norm.
    pub basis: [u8; 4],
    /// The classes of the nine forms wanted, as bits.
    pub classes: u8,
    /// Level at which each of the four is there.
    pub arrival: [u32; 4],
    /// Latest level of the nine; `NEVER - 1` if unbounded.
    pub limit: u32,
}

impl Question {
    /// Element of GF(2^4) whose forms `basis` have the bits of `value`.
    fn element(&self, value: usize) -> u8 {
        let z = sixteen();
        let fits = |y: u8| {
            (0..4).all(|k| trace_of_sixteen(multiply(z[usize::from(self.basis[k])], y)) == (value >> k & 1 == 1))
        };
        std::iter::once(0).chain(z).find(|&y| fits(y)).unwrap_or(0)
    }

    /// Tables of the nine forms, over the four bits.
    #[must_use]
    pub fn targets(&self) -> Vec<u16> {
        let z = sixteen();
        let inverses: Vec<u8> = (0..16).map(|value| inverse(self.element(value))).collect();
        let exponents = (0..15).filter(|e| self.classes >> (e % 5) & 1 == 1);
        let bit = |e: usize, v: usize| u16::from(trace_of_sixteen(multiply(z[e], inverses[v])));
        exponents.map(|e| (0..16).fold(0, |table, v| table | bit(e, v) << v)).collect()
    }

    /// Whether the four forms are independent.
    #[must_use]
    pub fn is_basis(&self) -> bool {
        let z = sixteen();
        (1..16).all(|m| (0..4).filter(|k| m >> k & 1 == 1).fold(0, |s, k| s ^ z[usize::from(self.basis[k])]) != 0)
    }

    /// Functions of four bits whose gates give the nine forms, few and in time; `None` if none were found in time.
    #[must_use]
    pub fn search(&self, patience: u64, random: &mut Random, stopped: &dyn Fn() -> bool) -> Option<Vec<u16>> {
        let inputs: Vec<(u16, u32)> = (0..4).map(|k| (Table::input(4, k).low16(), self.arrival[k])).collect();
        let targets: Vec<(u16, u32)> = self.targets().into_iter().map(|t| (t, self.limit)).collect();
        let gates = if self.limit < NEVER - 1 { shallow(&targets, random) } else { normal_form(&targets) };
        let mut walk = Exchange::new(&inputs, &gates, &targets);
        walk.in_time().then(|| walk.run(patience, 1, random, stopped))
    }
}

/// All products of inputs, and sums of them.
fn normal_form(targets: &[(u16, u32)]) -> Vec<u16> {
    let mut product = [0u16; 16];
    for m in 1..16usize {
        let input = Table::input(4, m.trailing_zeros() as usize).low16();
        product[m] = if m.count_ones() == 1 { input } else { input & product[m & (m - 1)] };
    }
    let mut gates = product[1..].to_vec();
    for (target, _) in targets {
        let mut sum = 0;
        for m in (1..16).filter(|&m| coefficient(*target, m)) {
            sum ^= product[m];
            gates.push(sum);
        }
    }
    gates
}

fn coefficient(table: u16, m: usize) -> bool {
    (0..16).filter(|v| v & !m == 0).fold(false, |s, v| s ^ (table >> v & 1 == 1))
}

/// Trees of least depth for the targets, chosen at random among the ones that there are.
fn shallow(targets: &[(u16, u32)], random: &mut Random) -> Vec<u16> {
    let mut level = vec![u8::MAX; 1 << 16];
    let mut known: Vec<u16> = (0..4).map(|k| Table::input(4, k).low16()).collect();
    known.iter().for_each(|&f| level[usize::from(f)] = 0);
    for depth in 1..=3 {
        let before = known.clone();
        for (i, &a) in before.iter().enumerate() {
            for gate in before[i + 1..].iter().flat_map(|&b| a.gates(b)) {
                if gate != 0 && level[usize::from(gate)] == u8::MAX {
                    level[usize::from(gate)] = depth;
                    known.push(gate);
                }
            }
        }
    }
    let mut gates: Vec<u16> = Vec::new();
    let mut open: Vec<u16> = targets.iter().map(|t| t.0).collect();
    while let Some(f) = open.pop() {
        if level[usize::from(f)] == 0 || gates.contains(&f) {
            continue;
        }
        gates.push(f);
        open.extend(halves(f, &known, &level, random));
    }
    gates
}

/// Two functions of less depth that give `f` by one gate, at random.
fn halves(f: u16, known: &[u16], level: &[u8], random: &mut Random) -> [u16; 2] {
    let depth = level[usize::from(f)];
    let lower = |g: u16| g != 0 && g != f && level[usize::from(g)] < depth;
    let start = random.below(known.len());
    let mut around = known.iter().cycle().skip(start).take(known.len()).copied().filter(|&g| lower(g));
    if let Some(a) = around.clone().find(|&a| lower(a ^ f)) {
        return [a, a ^ f];
    }
    let found =
        around.find_map(|a| known.iter().copied().find(|&b| lower(b) && a.gates(b).contains(&f)).map(|b| [a, b]));
    found.expect("every function has a derivation from the level below it")
}
