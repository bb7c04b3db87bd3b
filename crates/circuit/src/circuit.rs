//! Circuits: gates in order, and the wires that are the outputs.

use crate::fault::Fault;
use crate::function::Function;
use crate::sbox::SBox;
use crate::table::Table;

/// An operand of a gate, or an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wire {
    /// Input bit.
    Input(usize),
    /// Result of an earlier gate.
    Gate(usize),
    /// All zeros or all ones.
    Constant(bool),
}

/// One gate.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Gate {
    /// What it computes of its operands.
    pub function: Function,
    /// As many as the function's arity.
    pub operands: Vec<Wire>,
}

impl Gate {
    /// A gate.
    #[must_use]
    pub fn new(function: Function, operands: &[Wire]) -> Self {
        debug_assert_eq!(usize::from(function.arity), operands.len());
        Gate { function, operands: operands.to_vec() }
    }
}

/// Gates in order of computation, and the wires that are the outputs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Circuit {
    /// Number of inputs, 1 to 8.
    pub inputs: u8,
    /// In order of computation.
    pub gates: Vec<Gate>,
    /// One per output bit, least significant first.
    pub outputs: Vec<Wire>,
}

impl Circuit {
    /// A circuit of no gates.
    #[must_use]
    pub fn new(inputs: u8) -> Self {
        Circuit { inputs, gates: Vec::new(), outputs: Vec::new() }
    }

    /// Adds a gate and returns its wire.
    pub fn add(&mut self, function: Function, operands: &[Wire]) -> Wire {
        self.gates.push(Gate::new(function, operands));
        Wire::Gate(self.gates.len() - 1)
    }

    /// The truth table of every gate, in order.
    #[must_use]
    pub fn tables(&self) -> Vec<Table> {
        let mut known: Vec<Table> = Vec::with_capacity(self.gates.len());
        for gate in &self.gates {
            let operands: Vec<Table> = gate.operands.iter().map(|&w| self.table_of(w, &known)).collect();
            known.push(Table::apply(gate.function, &operands));
        }
        known
    }

    /// The truth table of a wire, given those of the gates.
    #[must_use]
    pub fn table_of(&self, wire: Wire, gates: &[Table]) -> Table {
        match wire {
            Wire::Input(k) => Table::input(self.inputs, k),
            Wire::Gate(n) => gates[n],
            Wire::Constant(value) => Table::constant(self.inputs, value),
        }
    }

    /// The outputs' value at one input value, gate by gate: shares no code with [`Circuit::tables`].
    #[must_use]
    pub fn value(&self, input: usize) -> u8 {
        let mut results: Vec<bool> = Vec::with_capacity(self.gates.len());
        let read = |wire: Wire, results: &[bool]| match wire {
            Wire::Input(k) => input >> k & 1 == 1,
            Wire::Gate(n) => results[n],
            Wire::Constant(value) => value,
        };
        for gate in &self.gates {
            let index =
                gate.operands.iter().enumerate().fold(0, |sum, (n, &w)| sum | usize::from(read(w, &results)) << n);
            results.push(gate.function.value(index));
        }
        self.outputs.iter().enumerate().fold(0, |sum, (k, &w)| sum | u8::from(read(w, &results)) << k)
    }

    /// Checks the circuit against a box on every input.
    ///
    /// # Errors
    /// `C103` for another number of inputs or outputs, `C104` for a wrong value (the first differing input is named).
    pub fn check(&self, sbox: &SBox) -> Result<(), Fault> {
        if self.inputs != sbox.inputs || self.outputs.len() != usize::from(sbox.outputs) {
            let shape = |i: u8, o: usize| format!("{i} input and {o} output bits");
            return Err(Fault::new("C103", "the circuit has not the box's shape")
                .note(format!("circuit: {}", shape(self.inputs, self.outputs.len())))
                .note(format!("box: {}", shape(sbox.inputs, usize::from(sbox.outputs)))));
        }
        match (0..sbox.data.len()).find(|&v| self.value(v) != sbox.data[v]) {
            None => Ok(()),
            Some(v) => Err(Fault::new("C104", "the circuit does not compute the box").note(format!(
                "first differing input: {v}; circuit: {}; box: {}",
                self.value(v),
                sbox.data[v]
            ))),
        }
    }

    /// The box that the circuit computes.
    #[must_use]
    pub fn sbox(&self) -> SBox {
        let data = (0..1usize << self.inputs).map(|v| self.value(v)).collect();
        SBox { inputs: self.inputs, outputs: self.outputs.len() as u8, data }
    }

    /// The circuit without gates that no output needs, order kept.
    #[must_use]
    pub fn pruned(&self) -> Self {
        let mut needed = vec![false; self.gates.len()];
        let mark = |wire: &Wire, needed: &mut Vec<bool>| {
            if let Wire::Gate(n) = *wire {
                needed[n] = true;
            }
        };
        self.outputs.iter().for_each(|w| mark(w, &mut needed));
        // Operands come before the gates that read them, so one pass from the end marks everything.
        for n in (0..self.gates.len()).rev() {
            if needed[n] {
                self.gates[n].operands.iter().for_each(|w| mark(w, &mut needed));
            }
        }
        self.keep(&needed)
    }

    fn keep(&self, needed: &[bool]) -> Self {
        let mut place = vec![0; self.gates.len()];
        let mut kept = Circuit::new(self.inputs);
        let moved = |wire: &Wire, place: &[usize]| match *wire {
            Wire::Gate(n) => Wire::Gate(place[n]),
            other => other,
        };
        for (n, gate) in self.gates.iter().enumerate().filter(|(n, _)| needed[*n]) {
            place[n] = kept.gates.len();
            let operands = gate.operands.iter().map(|w| moved(w, &place)).collect();
            kept.gates.push(Gate { function: gate.function, operands });
        }
        kept.outputs = self.outputs.iter().map(|w| moved(w, &place)).collect();
        kept
    }
}
