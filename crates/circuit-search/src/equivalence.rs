//! Whether a box is another one between two affine maps.
//!
//! The search of Biryukov, De Cannière, Braeken and Preneel (2003): the boxes are moved so that 0 goes to 0, a value of the inner
//! map is guessed where none is known, and what follows from linearity goes through the boxes from one map to the other.

/// `second(x) = after · first(before · x + inner) + outer`, matrices as images of the unit vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Affine {
    /// Images of unit vectors under the inner linear map.
    pub before: Vec<u8>,
    /// Added before the first box.
    pub inner: u8,
    /// Images of unit vectors under the outer linear map.
    pub after: Vec<u8>,
    /// Added last.
    pub outer: u8,
}

/// Most input bits of boxes whose maps are searched by guesses alone.
pub const MOST_BITS: u32 = 6;

/// The affine maps between two permutations of the same 3 to 6 bits, if there are any.
#[must_use]
pub fn affine(first: &[u8], second: &[u8]) -> Option<Affine> {
    let size = first.len();
    if size != second.len()
        || !size.is_power_of_two()
        || size.trailing_zeros() > MOST_BITS
        || !are_permutations(first, second)
    {
        return None;
    }
    // The maps take 0 to any place of the first box; the second is moved to 0 by its own value there.
    let moved: Vec<u8> = second.iter().map(|y| y ^ second[0]).collect();
    (0..size).find_map(|place| {
        let from: Vec<u8> = (0..size).map(|x| first[x ^ place] ^ first[place]).collect();
        let (before, after) = linear(&from, &moved)?;
        let outer = second[0] ^ apply(&after, first[place]);
        let found = Affine { before, inner: place as u8, after, outer };
        (0..size).all(|x| found.value(first, x as u8) == second[x]).then_some(found)
    })
}

impl Affine {
    /// The value of the second box, from the first.
    #[must_use]
    pub fn value(&self, first: &[u8], x: u8) -> u8 {
        apply(&self.after, first[usize::from(apply(&self.before, x) ^ self.inner)]) ^ self.outer
    }
}

/// The value of a linear map given by the images of unit vectors.
fn apply(map: &[u8], x: u8) -> u8 {
    map.iter().enumerate().filter(|(k, _)| x >> k & 1 == 1).fold(0, |sum, (_, image)| sum ^ image)
}

fn are_permutations(first: &[u8], second: &[u8]) -> bool {
    [first, second].iter().all(|data| {
        let mut seen = vec![false; data.len()];
        data.iter().all(|&y| usize::from(y) < seen.len() && !std::mem::replace(&mut seen[usize::from(y)], true))
    })
}

/// A linear map known on a subspace, and which values are taken.
#[derive(Clone)]
struct Partial {
    image: Vec<Option<u8>>,
    taken: Vec<bool>,
    /// Points in the order in which they became known.
    known: Vec<u8>,
    /// How many of them went through the boxes.
    passed: usize,
}

impl Partial {
    fn new(size: usize) -> Self {
        let (mut image, mut taken) = (vec![None; size], vec![false; size]);
        image[0] = Some(0);
        taken[0] = true;
        Partial { image, taken, known: Vec::new(), passed: 0 }
    }

    /// Sets the value at a point; false on contradiction.
    fn set(&mut self, x: u8, y: u8) -> bool {
        if let Some(old) = self.image[usize::from(x)] {
            return old == y;
        }
        if self.taken[usize::from(y)] {
            return false;
        }
        let span: Vec<u8> = std::iter::once(0).chain(self.known.iter().copied()).collect();
        for z in span {
            let value = self.image[usize::from(z)].unwrap_or(0) ^ y;
            self.image[usize::from(z ^ x)] = Some(value);
            self.taken[usize::from(value)] = true;
            self.known.push(z ^ x);
        }
        true
    }

    fn images(&self) -> Vec<u8> {
        (0..self.image.len().trailing_zeros()).map(|k| self.image[1 << k].unwrap_or(0)).collect()
    }
}

/// Linear maps with `second(x) = after(first(before(x)))`, for boxes that take 0 to 0.
fn linear(first: &[u8], second: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let mut back = [vec![0u8; first.len()], vec![0u8; first.len()]];
    for (data, back) in [first, second].iter().zip(&mut back) {
        data.iter().enumerate().for_each(|(x, &y)| back[usize::from(y)] = x as u8);
    }
    guess(first, second, &back, Partial::new(first.len()), Partial::new(first.len()))
}

fn guess(
    first: &[u8],
    second: &[u8],
    back: &[Vec<u8>; 2],
    mut before: Partial,
    mut after: Partial,
) -> Option<(Vec<u8>, Vec<u8>)> {
    while before.passed < before.known.len() || after.passed < after.known.len() {
        if before.passed < before.known.len() {
            let x = before.known[before.passed];
            before.passed += 1;
            let middle = first[usize::from(before.image[usize::from(x)]?)];
            if !after.set(middle, second[usize::from(x)]) {
                return None;
            }
        } else {
            let middle = after.known[after.passed];
            after.passed += 1;
            let x = back[1][usize::from(after.image[usize::from(middle)]?)];
            if !before.set(x, back[0][usize::from(middle)]) {
                return None;
            }
        }
    }
    let Some(open) = (0..before.image.len()).find(|&x| before.image[x].is_none()) else {
        return Some((before.images(), after.images()));
    };
    (1..first.len()).filter(|&y| !before.taken[y]).find_map(|y| {
        let mut before = before.clone();
        before.set(open as u8, y as u8).then(|| guess(first, second, back, before, after.clone()))?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRESENT: [u8; 16] = [0xC, 5, 6, 0xB, 9, 0, 0xA, 0xD, 3, 0xE, 0xF, 8, 4, 7, 1, 2];

    #[test]
    fn a_box_behind_affine_maps_is_found_again() {
        let (before, after) = ([3, 6, 12, 9 ^ 2], [1, 3, 7, 15]);
        let twisted: Vec<u8> =
            (0..16).map(|x| apply(&after, PRESENT[usize::from(apply(&before, x) ^ 5)]) ^ 9).collect();
        let found = affine(&PRESENT, &twisted).expect("they are equivalent");
        assert!((0..16).all(|x| found.value(&PRESENT, x) == twisted[usize::from(x)]));
    }

    #[test]
    fn boxes_of_other_classes_and_shapes_are_refused() {
        let inverse_in_sixteen = [0, 1, 9, 14, 13, 11, 7, 6, 15, 2, 12, 5, 10, 4, 3, 8];
        assert_eq!(affine(&PRESENT, &inverse_in_sixteen), None);
        assert_eq!(affine(&PRESENT, &[0; 16]), None);
        assert_eq!(affine(&PRESENT, &PRESENT[..8]), None);
    }
}
