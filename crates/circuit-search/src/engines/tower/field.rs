//! The field of 256 elements with its subfields of 16 and 4.

/// GF(2)\[x\] modulo `x^8 + x^4 + x^3 + x + 1`; every field of 256 elements is isomorphic to it.
const MODULUS: u16 = 0x11b;

/// The product of two elements.
#[must_use]
pub const fn multiply(a: u8, b: u8) -> u8 {
    let (mut product, mut a, mut b) = (0u16, a as u16, b);
    while b != 0 {
        if b & 1 == 1 {
            product ^= a;
        }
        a <<= 1;
        if a & 0x100 != 0 {
            a ^= MODULUS;
        }
        b >>= 1;
    }
    product as u8
}

/// A power of an element.
#[must_use]
pub const fn power(a: u8, mut exponent: u32) -> u8 {
    let (mut result, mut square) = (1, a);
    while exponent != 0 {
        if exponent & 1 == 1 {
            result = multiply(result, square);
        }
        square = multiply(square, square);
        exponent >>= 1;
    }
    result
}

/// The inverse, and 0 for 0.
#[must_use]
pub const fn inverse(a: u8) -> u8 {
    power(a, 254)
}

/// The elements other than 0 of the subfield of 16 elements, as powers of one of them.
#[must_use]
pub fn sixteen() -> [u8; 15] {
    // 3 generates the multiplicative group; 255 / 15 = 17.
    let generator = power(3, 17);
    let mut elements = [1; 15];
    for n in 1..15 {
        elements[n] = multiply(elements[n - 1], generator);
    }
    elements
}

/// The trace of an element of the subfield of 16 elements.
#[must_use]
pub fn trace_of_sixteen(z: u8) -> bool {
    (z ^ power(z, 2) ^ power(z, 4) ^ power(z, 8)) == 1
}

/// Representatives of the 17 lines: one-dimensional subspaces of the field over its subfield of 16 elements.
#[must_use]
pub fn lines() -> [u8; 17] {
    let mut elements = [1; 17];
    for n in 1..17 {
        elements[n] = multiply(elements[n - 1], 3);
    }
    elements
}

/// `(a, b)` with `x = a v + b w`, for `v` and `w` of different lines.
#[must_use]
pub fn coordinates(x: u8, v: u8, w: u8) -> (u8, u8) {
    let conjugate = |z: u8| power(z, 16);
    let against = |x: u8, w: u8| multiply(x, conjugate(w)) ^ multiply(conjugate(x), w);
    let a = multiply(against(x, w), inverse(against(v, w)));
    let b = multiply(against(x, v), inverse(against(w, v)));
    (a, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_give_the_element_back() {
        let lines = lines();
        let sixteen = sixteen();
        for (i, &v) in lines.iter().enumerate() {
            for &w in &lines[i + 1..] {
                for x in 0..=255 {
                    let (a, b) = coordinates(x, v, w);
                    assert!([a, b].iter().all(|z| *z == 0 || sixteen.contains(z)));
                    assert_eq!(multiply(a, v) ^ multiply(b, w), x);
                }
            }
        }
    }

    #[test]
    fn inverses_and_traces() {
        assert!((1..=255).all(|a| multiply(a, inverse(a)) == 1));
        assert_eq!(sixteen().iter().filter(|&&z| trace_of_sixteen(z)).count(), 8);
    }
}
