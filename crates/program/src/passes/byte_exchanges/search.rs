//! The exchanges for a permutation of bits: numbers of the bytes and amounts of the shifts, by trial of all.

use std::collections::BTreeMap;

/// Which bits the targets take, and whether bits may stand in any order in front of the exchanges or behind them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Problem {
    /// For each bit of each target the number of a source and the bit there.
    pub targets: Vec<Vec<(usize, u8)>>,
    pub sources_free: bool,
    pub targets_free: bool,
}

/// The exchanges of one stage: by the lower byte's number the mask of the higher byte; the lower byte's bits stand `shift` places above.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stage {
    pub shift: u32,
    pub masks: BTreeMap<usize, u8>,
}

/// Exchanges after which every bit is in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// The numbers of sources and targets as bytes of the exchanges.
    pub source_numbers: Vec<usize>,
    pub target_numbers: Vec<usize>,
    /// By the number of a byte, which bit of its source stands in each place at first.
    pub first: Vec<Vec<u8>>,
    pub stages: Vec<Stage>,
    /// By the number of a byte, which bit of it stands in each place of its target.
    pub last: Vec<Vec<u8>>,
}

/// Amounts of shifts, and what two of each cost; an exchange of halves is an instruction of some processors only.
const SHIFTS: [(u32, u32); 4] = [(0, 0), (1, 2), (4, 3), (2, 4)];

/// A bit on its way: from a place of a source to a place of a target.
#[derive(Clone, Copy, Debug)]
struct Moving {
    from: (usize, u8),
    to: (usize, u8),
}

/// The plan of the fewest shifts, if there is one.
pub(super) fn search(problem: &Problem) -> Option<Plan> {
    let count = problem.targets.len();
    let digits = count.trailing_zeros() as usize;
    let moving: Vec<Moving> = problem
        .targets
        .iter()
        .enumerate()
        .flat_map(|(t, bits)| bits.iter().enumerate().map(move |(at, &from)| Moving { from, to: (t, at as u8) }))
        .collect();
    let numberings = numberings(count);
    let mut choices = shifts(digits);
    choices.sort_by_key(|list| list.iter().map(|(_, cost)| cost).sum::<u32>());
    for shifts in choices {
        let shifts: Vec<u32> = shifts.into_iter().map(|(shift, _)| shift).collect();
        for sources in &numberings {
            for targets in &numberings {
                let trial = Trial { problem, sources, targets, shifts: &shifts };
                if let Some(plan) = trial.plan(&moving) {
                    return Some(plan);
                }
            }
        }
    }
    None
}

fn shifts(digits: usize) -> Vec<Vec<(u32, u32)>> {
    (0..digits).fold(vec![Vec::new()], |lists, _| {
        let longer = |list: Vec<(u32, u32)>| SHIFTS.iter().map(move |&s| [list.clone(), vec![s]].concat());
        lists.into_iter().flat_map(longer).collect()
    })
}

/// The numberings of bytes that permute and complement digits: all there are of up to four bytes.
fn numberings(count: usize) -> Vec<Vec<usize>> {
    let digits = count.trailing_zeros() as usize;
    let mut orders: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..digits {
        let longer = |list: Vec<usize>| {
            let free: Vec<usize> = (0..digits).filter(|d| !list.contains(d)).collect();
            free.into_iter().map(move |d| [list.clone(), vec![d]].concat())
        };
        orders = orders.into_iter().flat_map(longer).collect();
    }
    let number = |n: usize, order: &[usize]| order.iter().enumerate().fold(0, |all, (j, &d)| all | (n >> d & 1) << j);
    let mut all = Vec::new();
    for order in &orders {
        for complement in 0..count {
            all.push((0..count).map(|n| number(n, order) ^ complement).collect());
        }
    }
    all
}

struct Trial<'a> {
    problem: &'a Problem,
    sources: &'a [usize],
    targets: &'a [usize],
    shifts: &'a [u32],
}

impl Trial<'_> {
    fn plan(&self, moving: &[Moving]) -> Option<Plan> {
        let count = self.sources.len();
        // The place of each bit after each stage; what is free is where the exchanges want it.
        let mut ways: Vec<Vec<u8>> = Vec::with_capacity(moving.len());
        for bit in moving {
            ways.push(self.way(bit)?);
        }
        let mut stages = Vec::new();
        for (digit, &shift) in self.shifts.iter().enumerate() {
            let mut masks: BTreeMap<usize, u8> = BTreeMap::new();
            let mut taken = vec![0_u8; count];
            for (bit, way) in moving.iter().zip(&ways) {
                let (before, after) = (self.number(bit, digit), self.number(bit, digit + 1));
                taken[before] |= 1 << way[digit];
                if before < after {
                    *masks.entry(before).or_default() |= 1 << way[digit + 1];
                }
            }
            if taken.iter().any(|&all| all != 0xff) {
                return None;
            }
            stages.push(Stage { shift, masks });
        }
        let (mut first, mut last) = (vec![vec![0xff; 8]; count], vec![vec![0xff; 8]; count]);
        for (bit, way) in moving.iter().zip(&ways) {
            first[self.sources[bit.from.0]][usize::from(way[0])] = bit.from.1;
            last[self.targets[bit.to.0]][usize::from(bit.to.1)] = way[self.shifts.len()];
        }
        let whole = |list: &Vec<u8>| (0..8).all(|bit| list.contains(&bit));
        let found = first.iter().all(whole) && last.iter().all(whole);
        found.then(|| Plan {
            source_numbers: self.sources.to_vec(),
            target_numbers: self.targets.to_vec(),
            first,
            stages,
            last,
        })
    }

    /// The number of the byte that a bit is in before a stage.
    fn number(&self, bit: &Moving, stage: usize) -> usize {
        let low = (1 << stage) - 1;
        self.targets[bit.to.0] & low | self.sources[bit.from.0] & !low
    }

    /// The places of a bit before the first stage and after each; `None` if it leaves the byte.
    fn way(&self, bit: &Moving) -> Option<Vec<u8>> {
        let mut steps = vec![0_i32];
        for (digit, &shift) in self.shifts.iter().enumerate() {
            let (before, after) = (self.number(bit, digit), self.number(bit, digit + 1));
            let step = match before.cmp(&after) {
                std::cmp::Ordering::Less => -(shift as i32),
                std::cmp::Ordering::Equal => 0,
                std::cmp::Ordering::Greater => shift as i32,
            };
            steps.push(steps[digit] + step);
        }
        let end = steps[self.shifts.len()];
        let (from, to) = (i32::from(bit.from.1), i32::from(bit.to.1));
        let start = match (self.problem.sources_free, self.problem.targets_free) {
            (true, _) => to - end,
            (false, true) => from,
            (false, false) if from + end == to => from,
            _ => return None,
        };
        let places = steps.iter().map(|step| u8::try_from(start + step).ok().filter(|&place| place < 8));
        places.collect()
    }
}
