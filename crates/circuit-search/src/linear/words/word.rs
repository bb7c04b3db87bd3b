//! A word as the sums that its bytes are.

/// What a byte is of the inputs: over GF(2) bit `j` is input `j`; over GF(2^8) byte `j` is the factor of input `j`.
pub type Lane = u64;

/// A word of `L` bytes, the least significant first.
pub type Word<const L: usize> = [Lane; L];

/// The field of the factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field(pub u16);

const ONES: u64 = 0x0101_0101_0101_0101;

impl Field {
    /// Every factor times x.
    pub fn double(self, lane: Lane) -> Lane {
        let carry = lane >> 7 & ONES;
        (lane & !(ONES << 7)) << 1 ^ carry.wrapping_mul(u64::from(self.0 & 0xff))
    }

    /// Every factor by x.
    pub fn halve(self, lane: Lane) -> Lane {
        let carry = lane & ONES;
        (lane & !ONES) >> 1 ^ carry.wrapping_mul(u64::from(self.0 >> 1))
    }
}

/// The sum.
pub fn xor<const L: usize>(a: &Word<L>, b: &Word<L>) -> Word<L> {
    std::array::from_fn(|n| a[n] ^ b[n])
}

/// Rotated by bytes to the more significant end.
pub fn rotate<const L: usize>(a: &Word<L>, bytes: usize) -> Word<L> {
    std::array::from_fn(|n| a[(n + L - bytes) % L])
}

/// Shifted by bytes to the more significant end.
pub fn up<const L: usize>(a: &Word<L>, bytes: usize) -> Word<L> {
    std::array::from_fn(|n| if n < bytes { 0 } else { a[n - bytes] })
}

/// Shifted by bytes to the less significant end.
pub fn down<const L: usize>(a: &Word<L>, bytes: usize) -> Word<L> {
    std::array::from_fn(|n| if n + bytes < L { a[n + bytes] } else { 0 })
}

/// The bytes of a set, zero in place of the others.
pub fn mask<const L: usize>(a: &Word<L>, kept: u8) -> Word<L> {
    std::array::from_fn(|n| if kept >> n & 1 == 1 { a[n] } else { 0 })
}
