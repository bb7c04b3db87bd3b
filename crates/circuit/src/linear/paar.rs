//! Greedy sharing of the most frequent pair (Paar 1997), without cancellation, bounded in depth if asked.

use std::collections::BTreeMap;

use crate::linear::matrix::Matrix;
use crate::random::Random;

/// One row while pairs are shared: the wires whose sum it still is.
type Row = Vec<usize>;

/// The sums that the most frequent pair of wires makes, again and again, until every row is one wire.
///
/// Ties are broken at random. With `limits` (one per row) a pair is shared in a row only if the row can still be added
/// up in time: levels `l` of its wires fit into level `d` if and only if the sum of all `2^l` is at most `2^d`. A row
/// that cannot be in time even alone is added up as early as can be.
#[must_use]
pub fn paar(matrix: &Matrix, arrival: &[u32], limits: &[u32], random: &mut Random) -> Vec<u128> {
    let mut rows: Vec<Row> = matrix.rows.iter().map(|r| (0..128).filter(|k| r >> k & 1 == 1).collect()).collect();
    let mut sums: Vec<u128> = (0..matrix.inputs).map(|k| 1 << k).collect();
    let mut levels: Vec<u32> = (0..matrix.inputs).map(|k| arrival.get(k).copied().unwrap_or(0)).collect();
    // Ends: each iteration shortens a row.
    loop {
        let mut counts: BTreeMap<(usize, usize), u32> = BTreeMap::new();
        for (n, row) in rows.iter().enumerate() {
            for (i, &a) in row.iter().enumerate() {
                for &b in &row[i + 1..] {
                    if fits(row, &levels, (a, b), limits.get(n).copied()) {
                        *counts.entry((a.min(b), a.max(b))).or_default() += 1;
                    }
                }
            }
        }
        let Some(&most) = counts.values().max() else { break };
        let best: Vec<(usize, usize)> = counts.iter().filter(|(_, &c)| c == most).map(|(&p, _)| p).collect();
        let pair = if most > 1 { random.pick(&best) } else { earliest(&best, &levels) };
        let wire = sums.len();
        sums.push(sums[pair.0] ^ sums[pair.1]);
        levels.push(levels[pair.0].max(levels[pair.1]) + 1);
        for (n, row) in rows.iter_mut().enumerate() {
            let both = row.contains(&pair.0) && row.contains(&pair.1);
            if both && fits(row, &levels, pair, limits.get(n).copied()) {
                row.retain(|&w| w != pair.0 && w != pair.1);
                row.push(wire);
            }
        }
    }
    sums.split_off(matrix.inputs)
}

/// Without anything to share, the pair that is there first keeps rows shallow.
fn earliest(pairs: &[(usize, usize)], levels: &[u32]) -> (usize, usize) {
    let key = |p: &(usize, usize)| (levels[p.0].max(levels[p.1]), levels[p.0].min(levels[p.1]), *p);
    *pairs.iter().min_by_key(|p| key(p)).expect("there is a pair")
}

fn fits(row: &Row, levels: &[u32], pair: (usize, usize), limit: Option<u32>) -> bool {
    let Some(limit) = limit.filter(|&l| l < 60) else { return true };
    let weight = |level: u32| 1u128 << level.min(100);
    let total: u128 = row.iter().map(|&w| weight(levels[w])).sum();
    let joined = weight(levels[pair.0].max(levels[pair.1]) + 1);
    let after = total - weight(levels[pair.0]) - weight(levels[pair.1]) + joined;
    if after <= weight(limit) {
        return true;
    }
    // Late in any case: join the two wires that are there first.
    let mut first: Vec<u32> = row.iter().map(|&w| levels[w]).collect();
    first.sort_unstable();
    let mut two = [levels[pair.0], levels[pair.1]];
    two.sort_unstable();
    total > weight(limit) && first[..2] == two
}
