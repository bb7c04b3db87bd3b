//! What the operations on words compute, as functions of numbers; the evaluator and every pass that folds constants use these.

use crate::ir::{Binary, Compare, Shift};

/// The largest number of a width of 1 to 64 bits.
#[inline]
#[must_use]
pub fn mask(width: u8) -> u64 {
    u64::MAX >> (64 - u32::from(width))
}

/// `add`, `sub`, `mul`, `and`, `or`, `xor` of two words of one width.
#[inline]
#[must_use]
pub fn binary(which: Binary, a: u64, b: u64, width: u8) -> u64 {
    match which {
        Binary::Add => a.wrapping_add(b) & mask(width),
        Binary::Sub => a.wrapping_sub(b) & mask(width),
        Binary::Mul => a.wrapping_mul(b) & mask(width),
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
    }
}

/// Shift or rotation of a word by any amount.
#[inline]
#[must_use]
pub fn shift(which: Shift, a: u64, amount: u64, width: u8) -> u64 {
    let bits = u64::from(width);
    match which {
        Shift::Shl if amount >= bits => 0,
        Shift::Shl => (a << amount) & mask(width),
        Shift::Shr if amount >= bits => 0,
        Shift::Shr => a >> amount,
        Shift::Rotl => rotate_left(a, amount, width),
        Shift::Rotr => match width {
            // Negation keeps the remainder by a power of two.
            8 | 16 | 32 | 64 => rotate_left(a, amount.wrapping_neg(), width),
            _ => rotate_left(a, bits - amount % bits, width),
        },
    }
}

/// Rotation by any amount; the usual widths without a division.
#[inline]
fn rotate_left(a: u64, amount: u64, width: u8) -> u64 {
    let low = amount as u32;
    match width {
        32 => (a as u32).rotate_left(low).into(),
        64 => a.rotate_left(low),
        8 => (a as u8).rotate_left(low).into(),
        16 => (a as u16).rotate_left(low).into(),
        _ => match amount % u64::from(width) {
            0 => a,
            n => ((a << n) | (a >> (u64::from(width) - n))) & mask(width),
        },
    }
}

/// 1 if the comparison holds, else 0.
#[inline]
#[must_use]
pub fn compare(which: Compare, a: u64, b: u64) -> u64 {
    u64::from(match which {
        Compare::Eq => a == b,
        Compare::Ne => a != b,
        Compare::Ltu => a < b,
    })
}

/// Product in GF(2^n), n being the degree of the polynomial (1 to 63).
#[must_use]
pub fn field_multiply(polynomial: u64, a: u64, b: u64) -> u64 {
    let top = 1u64 << (63 - polynomial.leading_zeros());
    let (mut product, mut power) = (0, a);
    for bit in 0..64 {
        if b >> bit == 0 {
            break;
        }
        if b >> bit & 1 == 1 {
            product ^= power;
        }
        power <<= 1;
        if power & top != 0 {
            power ^= polynomial;
        }
    }
    product
}

/// A box at every bit position: `inputs[k]` holds bit k of the inputs; gives bit k of the outputs in `outputs[k]`.
pub fn bitsliced(data: &[u8], inputs: &[u64], outputs: &mut [u64], width: u8) {
    // Most boxes are small, and clearing room for the largest takes longer than using it.
    match inputs.len() {
        0..=4 => bitsliced_in::<16>(data, inputs, outputs, width),
        _ => bitsliced_in::<256>(data, inputs, outputs, width),
    }
}

fn bitsliced_in<const ENTRIES: usize>(data: &[u8], inputs: &[u64], outputs: &mut [u64], width: u8) {
    // minterms[x] has a one where the inputs spell x.
    let mut minterms = [0; ENTRIES];
    minterms[0] = mask(width);
    for (k, input) in inputs.iter().enumerate() {
        for x in 0..1 << k {
            minterms[x | 1 << k] = minterms[x] & input;
            minterms[x] &= !input;
        }
    }
    outputs.fill(0);
    for (entry, minterm) in data.iter().zip(minterms) {
        for (k, output) in outputs.iter_mut().enumerate() {
            *output |= minterm & u64::from(entry >> k & 1).wrapping_neg();
        }
    }
}
