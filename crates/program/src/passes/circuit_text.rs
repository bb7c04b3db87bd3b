//! Boolean circuits in their text form, and circuits made from any truth table.
//!
//! A file holds one or more circuits:
//! ```text
//! circuit S0: 4 -> 4
//! table 3 8 15 1 10 6 5 11 14 13 4 2 7 0 9 12
//! origin own search
//! t0 = x3 ^ x0
//! t1 = ~x1
//! y0 = t0 & ~t1
//! ```
//! Inputs are `x0` … (bit 0 first), outputs `y0` …; operators `^`, `&`, `|`, `& ~` and `~`; a plain name is another name.

use std::collections::HashMap;

use crate::diagnostic::Diagnostic;
use crate::ir::SBox;

/// An operand of a gate: `Input(k)`, `Gate(n)` or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// Input bit.
    Input(usize),
    /// Result of an earlier gate.
    Gate(usize),
    /// All zeros or all ones.
    Constant(bool),
}

/// One gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// `a ^ b`
    Xor(Wire, Wire),
    /// `a & b`
    And(Wire, Wire),
    /// `a | b`
    Or(Wire, Wire),
    /// `~a`
    Not(Wire),
}

/// Gates in order, and the wires that are the outputs.
#[derive(Clone, Debug, Default)]
pub struct Circuit {
    /// In order of computation.
    pub gates: Vec<Gate>,
    /// One per output bit.
    pub outputs: Vec<Wire>,
}

impl Circuit {
    /// The box's value for one input.
    #[must_use]
    pub fn value(&self, input: u32) -> u32 {
        let mut results: Vec<bool> = Vec::with_capacity(self.gates.len());
        let read = |wire: Wire, results: &[bool]| match wire {
            Wire::Input(k) => input >> k & 1 == 1,
            Wire::Gate(n) => results[n],
            Wire::Constant(c) => c,
        };
        for gate in &self.gates {
            let bit = match *gate {
                Gate::Xor(a, b) => read(a, &results) ^ read(b, &results),
                Gate::And(a, b) => read(a, &results) & read(b, &results),
                Gate::Or(a, b) => read(a, &results) | read(b, &results),
                Gate::Not(a) => !read(a, &results),
            };
            results.push(bit);
        }
        self.outputs.iter().enumerate().fold(0, |sum, (k, &w)| sum | u32::from(read(w, &results)) << k)
    }
}

/// A circuit of a file, with the truth table it is for.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Truth table.
    pub data: Vec<u8>,
    /// The gates.
    pub circuit: Circuit,
}

/// Reads a file of circuits and checks each against its truth table.
///
/// # Errors
/// `S020` for a line that cannot be read, `S021` for a circuit that does not compute its table.
pub fn parse(file: &str, text: &str) -> Result<Vec<Entry>, Diagnostic> {
    let mut entries = Vec::new();
    let mut current: Option<Reader> = None;
    for (n, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("").trim();
        let wrong = |what: &str| Diagnostic::new("S020", format!("{file}:{}: {what}: `{line}`", n + 1));
        if let Some(head) = line.strip_prefix("circuit ") {
            finish(file, current.take(), &mut entries)?;
            current = Some(Reader::new(head).ok_or_else(|| wrong("a circuit begins with `circuit NAME: 4 -> 4`"))?);
        } else if !line.is_empty() {
            let reader = current.as_mut().ok_or_else(|| wrong("this line stands before the first circuit"))?;
            reader.line(line).ok_or_else(|| wrong("this line of a circuit cannot be read"))?;
        }
    }
    finish(file, current, &mut entries)?;
    Ok(entries)
}

fn finish(file: &str, reader: Option<Reader>, entries: &mut Vec<Entry>) -> Result<(), Diagnostic> {
    let Some(reader) = reader else { return Ok(()) };
    let name = reader.name.clone();
    let failure = |what: String| Diagnostic::new("S021", format!("{file}: the circuit {name} {what}"));
    let (inputs, outputs) = (reader.inputs, reader.outputs);
    let entry = reader.entry().ok_or_else(|| failure(format!("lacks one of its outputs y0 to y{}", outputs - 1)))?;
    if entry.data.len() != 1 << inputs {
        return Err(failure(format!("has a table of {} entries, not {}", entry.data.len(), 1 << inputs)));
    }
    match (0..1u32 << inputs).find(|&x| entry.circuit.value(x) != u32::from(entry.data[x as usize])) {
        Some(x) => {
            Err(failure(format!("gives {} for {x}, its table {}", entry.circuit.value(x), entry.data[x as usize])))
        }
        None => {
            entries.push(entry);
            Ok(())
        }
    }
}

struct Reader {
    name: String,
    inputs: usize,
    outputs: usize,
    data: Vec<u8>,
    gates: Vec<Gate>,
    wires: HashMap<String, Wire>,
}

impl Reader {
    fn new(head: &str) -> Option<Self> {
        let (name, shape) = head.split_once(':')?;
        let (inputs, outputs) = shape.split_once("->")?;
        let (inputs, outputs) = (inputs.trim().parse().ok()?, outputs.trim().parse().ok()?);
        if !(1..=8).contains(&inputs) || !(1..=8).contains(&outputs) {
            return None;
        }
        let wires = (0..inputs).map(|k| (format!("x{k}"), Wire::Input(k))).collect();
        Some(Reader { name: name.trim().to_owned(), inputs, outputs, data: Vec::new(), gates: Vec::new(), wires })
    }

    fn line(&mut self, line: &str) -> Option<()> {
        if let Some(numbers) = line.strip_prefix("table ") {
            self.data = numbers.split_whitespace().map(|n| n.parse().ok()).collect::<Option<_>>()?;
            return Some(());
        }
        if line.starts_with("origin ") {
            return Some(());
        }
        let (name, right) = line.split_once('=')?;
        let tokens: Vec<&str> = right.split_whitespace().collect();
        let wire = self.equation(&tokens)?;
        self.wires.insert(name.trim().to_owned(), wire);
        Some(())
    }

    fn equation(&mut self, tokens: &[&str]) -> Option<Wire> {
        let gate = match *tokens {
            [a] => match a.strip_prefix('~') {
                Some(inner) => Gate::Not(self.wire(inner)?),
                None => return self.wire(a),
            },
            [a, "&", b] if b.starts_with('~') => {
                let (a, b) = (self.wire(a)?, self.wire(&b[1..])?);
                let complement = self.gate(Gate::Not(b));
                Gate::And(a, complement)
            }
            [a, "^", b] => Gate::Xor(self.wire(a)?, self.wire(b)?),
            [a, "&", b] => Gate::And(self.wire(a)?, self.wire(b)?),
            [a, "|", b] => Gate::Or(self.wire(a)?, self.wire(b)?),
            _ => return None,
        };
        Some(self.gate(gate))
    }

    fn gate(&mut self, gate: Gate) -> Wire {
        self.gates.push(gate);
        Wire::Gate(self.gates.len() - 1)
    }

    fn wire(&self, name: &str) -> Option<Wire> {
        self.wires.get(name).copied()
    }

    fn entry(self) -> Option<Entry> {
        let outputs =
            (0..self.outputs).map(|k| self.wires.get(&format!("y{k}")).copied()).collect::<Option<Vec<_>>>()?;
        Some(Entry { data: self.data, circuit: Circuit { gates: self.gates, outputs } })
    }
}

/// A circuit for any box: Shannon expansion, equal functions shared.
///
/// Identity: `f = (x & (f1 ^ f0)) ^ f0`, where `f0` and `f1` are `f` with `x` set to 0 and 1.
#[must_use]
pub fn synthesize(sbox: &SBox) -> Circuit {
    let mut maker = Maker { circuit: Circuit::default(), known: HashMap::new() };
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
                Wire::Constant(true) => self.add(Gate::Not(input)),
                _ => self.add(Gate::Xor(f0, input)),
            };
        }
        let difference: Vec<bool> = low.iter().zip(high).map(|(a, b)| a ^ b).collect();
        if f0 == Wire::Constant(false) {
            let f1 = self.function(high, x);
            return self.add(Gate::And(input, f1));
        }
        if self.function(high, x) == Wire::Constant(true) {
            return self.add(Gate::Or(input, f0));
        }
        let d = self.function(&difference, x);
        let chosen = self.add(Gate::And(input, d));
        match f0 {
            Wire::Constant(true) => self.add(Gate::Not(chosen)),
            _ => self.add(Gate::Xor(chosen, f0)),
        }
    }

    fn add(&mut self, gate: Gate) -> Wire {
        self.circuit.gates.push(gate);
        Wire::Gate(self.circuit.gates.len() - 1)
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
                for x in 0..1u32 << inputs {
                    assert_eq!(circuit.value(x), u32::from(sbox.data[x as usize]));
                }
            }
        }
    }

    #[test]
    fn a_wrong_circuit_is_refused() {
        let text = "circuit N: 1 -> 1\ntable 1 0\ny0 = x0\n";
        let error = parse("n.txt", text).err().map(|e| e.message);
        assert_eq!(error.as_deref(), Some("n.txt: the circuit N gives 0 for 0, its table 1"));
    }
}
