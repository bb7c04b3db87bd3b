//! Whether an 8-bit box is inversion in GF(2^8) between two affine maps.
//!
//! The search of Biryukov, De Cannière, Braeken and Preneel (2003): a guess of the inner map at two points fixes both
//! maps, because each one's values at sums follow from linearity and go through the box to the other.

use super::field::inverse;
use circuit::sbox::SBox;

/// `box(x) = after · inverse(before · x + inner) + outer`, matrices as images of the eight unit vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inversion {
    /// Images of unit vectors under the inner linear map.
    pub before: [u8; 8],
    /// Added before inversion.
    pub inner: u8,
    /// Images of unit vectors under the outer linear map.
    pub after: [u8; 8],
    /// Added last.
    pub outer: u8,
}

/// The value of a linear map given by the images of unit vectors.
#[must_use]
pub fn apply(map: &[u8; 8], x: u8) -> u8 {
    map.iter().enumerate().filter(|(k, _)| x >> k & 1 == 1).fold(0, |sum, (_, image)| sum ^ image)
}

impl Inversion {
    /// The value at an input.
    #[must_use]
    pub fn value(&self, x: u8) -> u8 {
        apply(&self.after, inverse(apply(&self.before, x) ^ self.inner)) ^ self.outer
    }

    /// Writes a box as inversion between affine maps, if it is that.
    #[must_use]
    pub fn of(sbox: &SBox) -> Option<Self> {
        if sbox.inputs != 8 || sbox.outputs != 8 {
            return None;
        }
        let inverses: Vec<u8> = (0..=255).map(inverse).collect();
        (0..=255u8).find_map(|zero| {
            let outer = sbox.data[usize::from(zero)];
            let moved: Vec<u8> = (0..=255u8).map(|x| sbox.data[usize::from(x ^ zero)] ^ outer).collect();
            // Multiplying the argument by a constant multiplies the inverse by a constant: unit vector 0 goes to 1.
            (1..=255u8).find_map(|second| {
                let (before, after) = linear(&moved, &inverses, second)?;
                let found = Inversion { before, inner: apply(&before, zero), after, outer };
                (0..=255u8).all(|x| found.value(x) == sbox.data[usize::from(x)]).then_some(found)
            })
        })
    }
}

/// A linear map known on a subspace.
struct Partial {
    image: [Option<u8>; 256],
    basis: Vec<(u8, u8)>,
    /// Points in the order in which they became known.
    known: Vec<u8>,
}

impl Partial {
    fn new() -> Self {
        let mut image = [None; 256];
        image[0] = Some(0);
        Partial { image, basis: Vec::new(), known: Vec::new() }
    }

    /// Sets the value at a point; false on contradiction.
    fn set(&mut self, x: u8, y: u8) -> bool {
        if let Some(old) = self.image[usize::from(x)] {
            return old == y;
        }
        let span: Vec<u8> = std::iter::once(0).chain(self.known.iter().copied()).collect();
        for z in span {
            let value = self.image[usize::from(z)].unwrap_or(0) ^ y;
            self.image[usize::from(z ^ x)] = Some(value);
            self.known.push(z ^ x);
        }
        self.basis.push((x, y));
        true
    }
}

/// Linear maps with `moved(x) = after(inverse(before(x)))` and `before(1) = 1`, `before(2) = second`.
fn linear(moved: &[u8], inverses: &[u8], second: u8) -> Option<([u8; 8], [u8; 8])> {
    let (mut before, mut after) = (Partial::new(), Partial::new());
    if !before.set(1, 1) || !before.set(2, second) {
        return None;
    }
    let mut back = [0u8; 256];
    moved.iter().enumerate().for_each(|(x, &y)| back[usize::from(y)] = x as u8);
    let (mut passed, mut returned) = (0, 0);
    while passed < before.known.len() || returned < after.known.len() {
        if passed < before.known.len() {
            let x = before.known[passed];
            passed += 1;
            let middle = inverses[usize::from(before.image[usize::from(x)]?)];
            if !after.set(middle, moved[usize::from(x)]) {
                return None;
            }
        } else {
            let middle = after.known[returned];
            returned += 1;
            let x = back[usize::from(after.image[usize::from(middle)]?)];
            if !before.set(x, inverses[usize::from(middle)]) {
                return None;
            }
        }
    }
    let images = |map: &Partial| -> Option<[u8; 8]> {
        let mut images = [0; 8];
        for (k, image) in images.iter_mut().enumerate() {
            *image = map.image[1 << k]?;
        }
        Some(images)
    };
    Some((images(&before)?, images(&after)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::tower::field::power;

    fn check(data: Vec<u8>) -> bool {
        let sbox = SBox::new(8, data).unwrap();
        Inversion::of(&sbox).is_some_and(|i| (0..=255u8).all(|x| i.value(x) == sbox.data[usize::from(x)]))
    }

    #[test]
    fn inversion_is_found_behind_affine_maps_and_in_other_powers() {
        let twist = |x: u8| apply(&[3, 6, 12, 24, 48, 96, 192, 128], x) ^ 0x63;
        assert!(check((0..=255).map(|x| twist(inverse(twist(x)))).collect()));
        // The power 127 is half of 254 in the exponent; 97 x + 225 mod 256 is not affine over GF(2).
        assert!(check((0..=255).map(|x| power(x, 127)).collect()));
        assert!(!check((0..=255).map(|x| power(x, 127).wrapping_mul(97).wrapping_add(225)).collect()));
        assert!(!check((0..=255).map(|x| power(x, 7)).collect()));
    }
}
