//! Which way of running a block takes, as signals: its direction and the size of its key.

use program::ir::Operand;

use super::ways::Ways;
use crate::logic::{bits_for, Logic};

/// Direction and key size of a block, where ways of running differ in them.
#[derive(Clone, Copy)]
pub(super) struct BlockMode {
    pub ways: Ways,
    pub direction: Option<Operand>,
    pub size: Option<Operand>,
}

impl BlockMode {
    /// The key size alone; `sizes` says whether anything depends on it.
    pub fn of_key(&self, sizes: bool) -> Self {
        BlockMode {
            ways: Ways { directions: false, sizes, ..self.ways },
            direction: None,
            size: self.size.filter(|_| sizes),
        }
    }

    /// A signal that is 1 for some ways.
    pub fn holds(&self, logic: &mut Logic, wanted: &dyn Fn(usize) -> bool) -> Operand {
        let mut of = |direction: usize| match self.size {
            Some(size) => {
                let sizes: Vec<bool> =
                    (0..self.ways.key_sizes).map(|s| wanted(self.ways.number(s, direction))).collect();
                of_size(logic, size, &sizes)
            }
            None => Operand::Const(u64::from(wanted(direction))),
        };
        let forward = of(0);
        let Some(backwards) = self.direction else { return forward };
        match (of(1), forward) {
            (a, b) if a == b => a,
            (Operand::Const(1), Operand::Const(_)) => backwards,
            (Operand::Const(_), Operand::Const(_)) => logic.not(backwards),
            (a, Operand::Const(0)) => logic.all("", &[backwards, a]),
            (a, b) => logic.select("", 1, backwards, a, b),
        }
    }

    /// The word of the way that runs; none where it does not matter.
    pub fn choose(&self, logic: &mut Logic, width: u8, words: &[Option<Operand>]) -> Option<Operand> {
        let count = words.len() / self.ways.directions();
        let of_size: Vec<Option<Operand>> = (0..count)
            .map(|size| {
                let of = |direction: usize| words[self.ways.number(size, direction)];
                match (of(0), self.direction.and_then(|_| of(1)), self.direction) {
                    (Some(a), Some(b), Some(backwards)) => Some(logic.select("", width, backwards, b, a)),
                    (a, b, _) => a.or(b),
                }
            })
            .collect();
        let any = of_size.iter().flatten().next().copied()?;
        let list: Vec<Operand> = of_size.iter().map(|word| word.unwrap_or(any)).collect();
        Some(match self.size {
            Some(size) => logic.choose("", width, size, &list),
            None => list[0],
        })
    }
}

/// A signal that is 1 for some key sizes; codes beyond the list do not occur.
fn of_size(logic: &mut Logic, size: Operand, wanted: &[bool]) -> Operand {
    let bits: Vec<Operand> = (0..bits_for(wanted.len())).map(|bit| logic.extract(1, size, bit)).collect();
    let is = |holds: &dyn Fn(usize) -> bool| wanted.iter().enumerate().all(|(code, &w)| w == holds(code));
    if is(&|_| true) || is(&|_| false) {
        return Operand::Const(u64::from(wanted[0]));
    }
    for (n, &bit) in bits.iter().enumerate().rev() {
        if is(&|code| code >> n & 1 == 1) {
            return bit;
        }
        if is(&|code| code >> n & 1 == 0) {
            return logic.not(bit);
        }
    }
    let (longer, first) = (is(&|code| code > 0), is(&|code| code == 0));
    if longer || first {
        let any = logic.any("", &bits);
        return if longer { any } else { logic.not(any) };
    }
    let codes = wanted.iter().enumerate().filter(|(_, w)| **w);
    let each: Vec<Operand> = codes.map(|(code, _)| logic.is(size, code as u64)).collect();
    logic.any("", &each)
}
