//! A circuit for any box.

use std::collections::HashMap;

use circuit::{Circuit, Function, Wire};

use crate::ir::SBox;

/// A circuit for any box: Shannon expansion, equal functions shared.
///
/// Identity: `f = (x & (f1 ^ f0)) ^ f0`, where `f0` and `f1` are `f` with `x` set to 0 and 1.
#[must_use]
pub fn synthesize(sbox: &SBox) -> Circuit {
    let mut maker = Maker { circuit: Circuit::new(sbox.inputs), known: HashMap::new() };
    for k in 0..sbox.outputs {
        let bits: Vec<bool> = sbox.data.iter().map(|&y| y >> k & 1 == 1).collect();
        let wire = maker.function(&bits, usize::from(sbox.inputs));
        maker.circuit.outputs.push(wire);
    }
    maker.circuit
}

struct Maker {
    circuit: Circuit,
    known: HashMap<Vec<bool>, Wire>,
}

impl Maker {
    /// `bits` is the truth table over the lowest `inputs` inputs.
    fn function(&mut self, bits: &[bool], inputs: usize) -> Wire {
        if bits.iter().all(|&b| b == bits[0]) {
            return Wire::Constant(bits[0]);
        }
        let (low, high) = bits.split_at(bits.len() / 2);
        if low == high {
            return self.function(low, inputs - 1);
        }
        if let Some(&wire) = self.known.get(bits) {
            return wire;
        }
        let wire = self.choose(low, high, inputs - 1);
        self.known.insert(bits.to_vec(), wire);
        wire
    }

    fn choose(&mut self, low: &[bool], high: &[bool], x: usize) -> Wire {
        let input = Wire::Input(x);
        let f0 = self.function(low, x);
        if low.iter().zip(high).all(|(a, b)| a != b) {
            return match f0 {
                Wire::Constant(false) => input,
                Wire::Constant(true) => self.add(Function::NOT, &[input]),
                _ => self.add(Function::XOR, &[f0, input]),
            };
        }
        let difference: Vec<bool> = low.iter().zip(high).map(|(a, b)| a ^ b).collect();
        if f0 == Wire::Constant(false) {
            let f1 = self.function(high, x);
            return self.add(Function::AND, &[input, f1]);
        }
        if self.function(high, x) == Wire::Constant(true) {
            return self.add(Function::OR, &[input, f0]);
        }
        let d = self.function(&difference, x);
        let chosen = self.add(Function::AND, &[input, d]);
        match f0 {
            Wire::Constant(true) => self.add(Function::NOT, &[chosen]),
            _ => self.add(Function::XOR, &[chosen, f0]),
        }
    }

    fn add(&mut self, function: Function, operands: &[Wire]) -> Wire {
        self.circuit.add(function, operands)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn synthesized_circuits_equal_their_tables() {
        let mut state = 1u32;
        for inputs in 1..=8u8 {
            for outputs in [1, 4, 8] {
                let data = (0..1 << inputs)
                    .map(|_| {
                        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                        (state >> 24) as u8 & (((1u16 << outputs) - 1) as u8)
                    })
                    .collect();
                let sbox = SBox { name: "S".into(), inputs, outputs, data };
                let circuit = synthesize(&sbox);
                for x in 0..1usize << inputs {
                    assert_eq!(circuit.value(x), sbox.data[x]);
                }
            }
        }
    }
}
