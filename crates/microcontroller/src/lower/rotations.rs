//! Rotations of a word by several numbers: some of them go on from others, where that takes fewer cycles.

use std::collections::HashMap;

use program::ir::{Op, OpKind, Operand, Shift, ValueId};

/// A rotation that is made of the results of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Onward {
    /// The other rotation: its place among the operations.
    pub from: usize,
    /// How many bits further to the left.
    pub by: u32,
}

/// A rotation by a number: the word in bytes, the least significant first, and how far to the left.
struct Rotation {
    bytes: Vec<ValueId>,
    left: u32,
}

impl Rotation {
    /// Of bytes and of words in bytes (`rotl_32_2`); None for other operations.
    fn read(op: &Op, bits_of: impl Fn(ValueId) -> u32) -> Option<Self> {
        let (bytes, kind, by) = match &op.kind {
            OpKind::Shift(kind, Operand::Value(a), Operand::Const(by)) if bits_of(*a) == 8 => {
                (vec![*a], *kind, u32::try_from(*by).ok()?)
            }
            OpKind::Call(name, operands) => {
                let (kind, by) = rotation_of_words(name, operands.len())?;
                let bytes = operands.iter().map(|o| match o {
                    Operand::Value(v) => Some(*v),
                    Operand::Const(_) => None,
                });
                (bytes.collect::<Option<Vec<_>>>()?, kind, by)
            }
            _ => return None,
        };
        let width = 8 * bytes.len() as u32;
        let left = match kind {
            Shift::Rotl => by % width,
            Shift::Rotr => (width - by % width) % width,
            Shift::Shl | Shift::Shr => return None,
        };
        Some(Rotation { bytes, left }.of_the_first())
    }

    /// The same result of the word that begins with the value that was made first: words whose bytes have other places are one word.
    fn of_the_first(mut self) -> Self {
        let first = self.bytes.iter().enumerate().min_by_key(|(_, v)| v.0).map_or(0, |(k, _)| k);
        self.bytes.rotate_left(first);
        self.left = (self.left + 8 * first as u32) % (8 * self.bytes.len() as u32);
        self
    }
}

/// The kind and the number of a function of the pass `split-words` that rotates a word of so many bytes.
fn rotation_of_words(name: &str, count: usize) -> Option<(Shift, u32)> {
    let mut parts = name.split('_');
    let kind = match parts.next()? {
        "rotl" => Shift::Rotl,
        "rotr" => Shift::Rotr,
        _ => return None,
    };
    let bits: usize = parts.next()?.parse().ok()?;
    let by = parts.next()?.parse().ok()?;
    (bits == 8 * count && parts.next().is_none()).then_some((kind, by))
}

/// A rotation's place among the operations, and how far to the left.
type Turn = (usize, u32);

/// The rotations among operations that go on from others: of each word a spanning tree of the fewest cycles. `cycles` says what a
/// rotation of so many bytes by so many bits to the left takes.
///
/// # Errors
/// Those of `cycles`.
pub fn onward<E>(
    ops: &[Op],
    bits_of: impl Fn(ValueId) -> u32,
    mut cycles: impl FnMut(usize, u32) -> Result<u64, E>,
) -> Result<HashMap<usize, Onward>, E> {
    let mut words: Vec<(Vec<ValueId>, Vec<Turn>)> = Vec::new();
    for (k, op) in ops.iter().enumerate() {
        let Some(Rotation { bytes, left }) = Rotation::read(op, &bits_of) else { continue };
        match words.iter_mut().find(|(word, _)| *word == bytes) {
            Some((_, rotations)) => rotations.push((k, left)),
            None => words.push((bytes, vec![(k, left)])),
        }
    }
    let mut found = HashMap::new();
    for (word, rotations) in words.into_iter().filter(|(_, rotations)| rotations.len() > 1) {
        add_tree(&rotations, 8 * word.len() as u32, |left| cycles(word.len(), left), &mut found)?;
    }
    Ok(found)
}

/// Prim's tree, which begins at the word itself. A value that others go on from lives longer: what saves less than a third stays with
/// the word.
fn add_tree<E>(
    rotations: &[Turn],
    width: u32,
    mut cycles: impl FnMut(u32) -> Result<u64, E>,
    found: &mut HashMap<usize, Onward>,
) -> Result<(), E> {
    let mut waiting = Vec::new();
    for &(k, left) in rotations {
        let alone = cycles(left)?;
        waiting.push((alone, k, left, None, alone));
    }
    while let Some(nearest) = (0..waiting.len()).min_by_key(|&n| (waiting[n].0, waiting[n].1)) {
        let (_, from, left, reached, _) = waiting.remove(nearest);
        found.extend(reached.map(|onward| (from, onward)));
        for one in &mut waiting {
            let by = (one.2 + width - left) % width;
            let further = cycles(by)?;
            if further < one.0 && 3 * further < 2 * one.4 {
                (one.0, one.3) = (further, Some(Onward { from, by }));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(rotations: &[(usize, u32)], width: u32) -> HashMap<usize, Onward> {
        let mut found = HashMap::new();
        // A cycle for each bit to the nearest whole byte.
        let cycles = |left: u32| Ok::<u64, ()>(u64::from((left % 8).min(8 - left % 8)));
        add_tree(rotations, width, cycles, &mut found).unwrap();
        found
    }

    #[test]
    fn two_bits_go_on_from_one() {
        assert_eq!(tree(&[(0, 1), (4, 2)], 32), HashMap::from([(4, Onward { from: 0, by: 1 })]));
        assert_eq!(tree(&[(0, 2), (4, 1)], 32), HashMap::from([(0, Onward { from: 4, by: 1 })]));
    }

    #[test]
    fn what_saves_little_stays_with_the_word() {
        assert_eq!(tree(&[(0, 1), (1, 31)], 32), HashMap::new());
        assert_eq!(tree(&[(0, 1), (1, 4)], 32), HashMap::new());
        assert_eq!(tree(&[(0, 8), (1, 16)], 32), HashMap::new());
    }

    #[test]
    fn whole_bytes_further_cost_nothing() {
        let onward = |from, by| Onward { from, by };
        assert_eq!(tree(&[(0, 31), (1, 7)], 32), HashMap::from([(1, onward(0, 8))]));
        assert_eq!(tree(&[(0, 2), (1, 10), (2, 18)], 32), HashMap::from([(1, onward(0, 8)), (2, onward(0, 16))]));
    }
}
