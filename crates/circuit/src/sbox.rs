//! S-boxes as tables of values.

use crate::fault::Fault;
use crate::table::Table;

/// An S-box of 1 to 8 input and 1 to 8 output bits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SBox {
    /// Input bits.
    pub inputs: u8,
    /// Output bits.
    pub outputs: u8,
    /// The value at each input value, `1 << inputs` of them.
    pub data: Vec<u8>,
}

impl SBox {
    /// An S-box from its values.
    ///
    /// # Errors
    /// `C106` for a number of values that is no power of two from 2 to 256, `C102` for a value that needs more than
    /// `outputs` bits.
    pub fn new(outputs: u8, data: Vec<u8>) -> Result<Self, Fault> {
        if !data.len().is_power_of_two() || !(2..=256).contains(&data.len()) {
            return Err(Fault::new("C106", format!("a truth table of {} values is no S-box", data.len()))
                .help("a box of n input bits has 2^n values, n from 1 to 8"));
        }
        if let Some((v, y)) = data.iter().enumerate().find(|(_, &y)| u32::from(y) >> outputs != 0) {
            return Err(Fault::new(
                "C102",
                format!("the value {y} at input {v} does not fit in {outputs} output bits"),
            ));
        }
        Ok(SBox { inputs: data.len().trailing_zeros() as u8, outputs, data })
    }

    /// The truth table of output bit `k`.
    #[must_use]
    pub fn output(&self, k: usize) -> Table {
        Table::from_fn(self.inputs, |v| self.data[v] >> k & 1 == 1)
    }

    /// The truth tables of all output bits, least significant first.
    #[must_use]
    pub fn tables(&self) -> Vec<Table> {
        (0..usize::from(self.outputs)).map(|k| self.output(k)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_function_of_the_width_is_refused() {
        assert_eq!(SBox::new(4, vec![0; 15]).unwrap_err().message, "a truth table of 15 values is no S-box");
        let error = SBox::new(2, vec![0, 1, 4, 3]).unwrap_err();
        assert_eq!(error.message, "the value 4 at input 2 does not fit in 2 output bits");
    }
}
