//! The layer that is searched: bytes through S-boxes, then through a matrix.

use program::Diagnostic;

/// Bytes of a word, at most.
pub const MOST_LANES: usize = 8;
/// Words that the layer's results fill, at most.
pub const MOST_WORDS: usize = 8;

/// Input bytes times words of the result, at most: so many sums are told apart by 64 bits.
pub const MOST_PARTS: usize = 32;

/// Result byte `i` is the sum over `j` of `rows[i][j]` times `S_j(x_j)`, in a field of characteristic two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// The matrix. Its entries are only compared, added by exclusive or, and tested for zero, so that no field is needed.
    pub rows: Vec<Vec<u8>>,
    /// The S-box of each column; equal numbers, equal boxes.
    pub boxes: Vec<usize>,
    /// The S-box of a second layer, if one follows in the same round, whose tables are part of the size.
    pub second: Option<usize>,
}

impl Layer {
    /// Checks shapes.
    ///
    /// # Errors
    /// `L101` for a matrix without rows or with rows of different lengths, `L102`, `L107` and `L108` for a word that the layer does not fit.
    pub fn check(&self, word_bits: usize) -> Result<(), Diagnostic> {
        let columns = self.boxes.len();
        if self.rows.is_empty() || columns == 0 || self.rows.iter().any(|row| row.len() != columns) {
            return Err(Diagnostic::new("L101", "the rows of a matrix have one length, and a matrix has rows"));
        }
        if !matches!(word_bits, 8 | 16 | 32 | 64) {
            return Err(Diagnostic::new("L102", format!("a word of {word_bits} bits cannot hold a layout"))
                .help("possible: 8, 16, 32, 64"));
        }
        let lanes = word_bits / 8;
        let rows = self.rows.len();
        if rows > lanes && rows % lanes != 0 || rows.div_ceil(lanes) > MOST_WORDS {
            return Err(Diagnostic::new("L107", format!("{rows} bytes do not fill words of {word_bits} bits"))
                .help(format!("a layer has fewer bytes than a word, or up to {MOST_WORDS} times as many")));
        }
        if columns * rows.div_ceil(lanes) > MOST_PARTS {
            return Err(Diagnostic::new(
                "L108",
                format!("{columns} bytes into {rows} are too many for words of {word_bits} bits"),
            )
            .help(format!("input bytes times words of the result are at most {MOST_PARTS}")));
        }
        Ok(())
    }
}
