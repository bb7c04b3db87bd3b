//! Instruction sequences of two-operand machines: a circuit's gates in their order, in registers, with the moves.
//!
//! An instruction replaces its first operand. For gates in a given order the fewest moves are known without a search:
//! a gate whose operand is needed by nobody afterwards overwrites it, any other gate needs one move into an unused
//! register. Which gates come when is the search's matter.

use crate::circuit::{Circuit, Gate, Wire};
use crate::fault::Fault;
use crate::function::Function;
use crate::sbox::SBox;
use crate::target::Target;

/// One instruction; registers are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instruction {
    /// A copy.
    Move {
        /// Register written.
        to: usize,
        /// Register read.
        from: usize,
    },
    /// `to = function(to)`
    Unary {
        /// What it computes.
        function: Function,
        /// Register read and written.
        to: usize,
    },
    /// `to = function(to, from)`
    Binary {
        /// What it computes of `to` and `from`.
        function: Function,
        /// Register read and written.
        to: usize,
        /// Register read.
        from: usize,
    },
}

/// Instructions in order; inputs lie in registers 0, 1, …, outputs where `outputs` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequence {
    /// Number of inputs.
    pub inputs: u8,
    /// Registers used, inputs among them.
    pub registers: usize,
    /// In order.
    pub instructions: Vec<Instruction>,
    /// Register of each output bit, least significant first.
    pub outputs: Vec<usize>,
}

struct Allocation<'a> {
    target: &'a Target,
    /// Gate after which a wire is not read any more; `usize::MAX` for outputs.
    input_ends: Vec<usize>,
    gate_ends: Vec<usize>,
    input_places: Vec<usize>,
    gate_places: Vec<usize>,
    free: Vec<bool>,
    instructions: Vec<Instruction>,
}

impl Sequence {
    /// The gates of a circuit in their order, with the fewest moves.
    ///
    /// # Errors
    /// `C218` for a gate that is no instruction of the target, `C219` and `C212` where registers do not suffice for the order,
    /// `C213` for a constant.
    pub fn of(circuit: &Circuit, target: &Target) -> Result<Self, Fault> {
        let mut allocation = Allocation::new(circuit, target)?;
        for (n, gate) in circuit.gates.iter().enumerate() {
            allocation.gate(n, gate)?;
        }
        let outputs = circuit.outputs.iter().map(|&w| allocation.place(w)).collect();
        Ok(Sequence {
            inputs: circuit.inputs,
            registers: allocation.free.len(),
            instructions: allocation.instructions,
            outputs,
        })
    }

    /// Number of moves among the instructions.
    #[must_use]
    pub fn moves(&self) -> usize {
        self.instructions.iter().filter(|i| matches!(i, Instruction::Move { .. })).count()
    }

    /// The outputs' value at one input value, instruction by instruction.
    #[must_use]
    pub fn value(&self, input: usize) -> u8 {
        let mut registers = vec![false; self.registers];
        (0..usize::from(self.inputs)).for_each(|k| registers[k] = input >> k & 1 == 1);
        for instruction in &self.instructions {
            match *instruction {
                Instruction::Move { to, from } => registers[to] = registers[from],
                Instruction::Unary { function, to } => registers[to] = function.value(usize::from(registers[to])),
                Instruction::Binary { function, to, from } => {
                    registers[to] = function.value(usize::from(registers[to]) + 2 * usize::from(registers[from]));
                }
            }
        }
        self.outputs.iter().enumerate().fold(0, |sum, (k, &r)| sum | u8::from(registers[r]) << k)
    }

    /// Checks the sequence against a box on every input.
    ///
    /// # Errors
    /// `C107` for a wrong value (the first differing input is named).
    pub fn check(&self, sbox: &SBox) -> Result<(), Fault> {
        match (0..sbox.data.len()).find(|&v| self.value(v) != sbox.data[v]) {
            None => Ok(()),
            Some(v) => Err(Fault::new("C107", "the instructions do not compute the box").note(format!(
                "first differing input: {v}; instructions: {}; box: {}",
                self.value(v),
                sbox.data[v]
            ))),
        }
    }

    /// The text form: one instruction a line, then where the outputs lie.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let mut lines =
            vec![format!("registers{}", (0..self.registers).fold(String::new(), |s, r| s + &format!(" r{r}")))];
        lines.extend(self.instructions.iter().map(line));
        lines.extend(self.outputs.iter().enumerate().map(|(k, r)| format!("y{k} = r{r}")));
        lines
    }
}

fn line(instruction: &Instruction) -> String {
    match *instruction {
        Instruction::Move { to, from } => format!("r{to} = r{from}"),
        Instruction::Unary { to, .. } => format!("r{to} = ~r{to}"),
        Instruction::Binary { function, to, from } => match function {
            Function::AND => format!("r{to} &= r{from}"),
            Function::OR => format!("r{to} |= r{from}"),
            Function::XOR => format!("r{to} ^= r{from}"),
            Function::ANDNOT => format!("r{to} = r{to} & ~r{from}"),
            Function::ORNOT => format!("r{to} = r{to} | ~r{from}"),
            Function { table: 0b0100, .. } => format!("r{to} = ~r{to} & r{from}"),
            Function { table: 0b1101, .. } => format!("r{to} = ~r{to} | r{from}"),
            Function::NAND => format!("r{to} = ~(r{to} & r{from})"),
            Function::NOR => format!("r{to} = ~(r{to} | r{from})"),
            Function::XNOR => format!("r{to} = ~(r{to} ^ r{from})"),
            Function { table, .. } => format!("r{to} = lut(0x{table:x}, r{to}, r{from})"),
        },
    }
}

impl<'a> Allocation<'a> {
    fn new(circuit: &Circuit, target: &'a Target) -> Result<Self, Fault> {
        let inputs = usize::from(circuit.inputs);
        let registers = target.registers.map_or(inputs + circuit.gates.len() + 1, |r| r as usize);
        if registers < inputs {
            return Err(Fault::new("C219", format!("{inputs} inputs do not fit in {registers} registers")));
        }
        let mut input_ends = vec![0; inputs];
        let mut gate_ends = vec![0; circuit.gates.len()];
        let read = circuit.gates.iter().enumerate().flat_map(|(n, g)| g.operands.iter().map(move |&w| (n, w)));
        for (n, wire) in read.chain(circuit.outputs.iter().map(|&w| (usize::MAX, w))) {
            match wire {
                Wire::Input(k) => input_ends[k] = n,
                Wire::Gate(g) => gate_ends[g] = n,
                Wire::Constant(_) => return Err(Fault::new("C213", "a constant is in no register")),
            }
        }
        let free = (0..registers).map(|r| r >= inputs).collect();
        let input_places = (0..inputs).collect();
        let gate_places = Vec::with_capacity(circuit.gates.len());
        Ok(Allocation { target, input_ends, gate_ends, input_places, gate_places, free, instructions: Vec::new() })
    }

    fn place(&self, wire: Wire) -> usize {
        match wire {
            Wire::Input(k) => self.input_places[k],
            Wire::Gate(n) => self.gate_places[n],
            Wire::Constant(_) => unreachable!("refused by `new`"),
        }
    }

    fn ends(&self, wire: Wire, n: usize) -> bool {
        match wire {
            Wire::Input(k) => self.input_ends[k] == n,
            Wire::Gate(g) => self.gate_ends[g] == n,
            Wire::Constant(_) => false,
        }
    }

    /// The gate in the ways in which the target can compute it: operand replaced, function of it and the other.
    fn ways(&self, gate: &Gate) -> Vec<(Wire, Option<Wire>, Function)> {
        let function = gate.function;
        let mut ways = Vec::new();
        if self.target.has(function) {
            ways.push((gate.operands[0], gate.operands.get(1).copied(), function));
        }
        if function.arity == 2 && self.target.has(function.reordered(&[1, 0])) {
            ways.push((gate.operands[1], Some(gate.operands[0]), function.reordered(&[1, 0])));
        }
        ways
    }

    fn gate(&mut self, n: usize, gate: &Gate) -> Result<(), Fault> {
        let ways = if gate.function.arity <= 2 { self.ways(gate) } else { Vec::new() };
        let dying = ways.iter().find(|&&(first, _, _)| self.ends(first, n)).copied();
        let Some((first, second, function)) = dying.or(ways.first().copied()) else {
            return Err(Fault::new("C218", format!("gate {} is no instruction of {}", n + 1, self.target.name)));
        };
        let mut to = self.place(first);
        let from = second.map(|w| self.place(w));
        if dying.is_none() {
            let register = self.free.iter().position(|&free| free).ok_or_else(|| self.too_few(n))?;
            self.free[register] = false;
            self.instructions.push(Instruction::Move { to: register, from: to });
            to = register;
        }
        self.instructions.push(match from {
            Some(from) => Instruction::Binary { function, to, from },
            None => Instruction::Unary { function, to },
        });
        if let (Some(wire), Some(from)) = (second, from) {
            self.free[from] |= self.ends(wire, n) && from != to;
        }
        self.gate_places.push(to);
        Ok(())
    }

    fn too_few(&self, n: usize) -> Fault {
        Fault::new("C212", format!("{} registers do not suffice for the order of the gates", self.free.len()))
            .note(format!("gate {} needs one more", n + 1))
            .help("another order of the gates may need fewer; so may a search for this target")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(registers: u32) -> Target {
        let json = format!(
            r#"{{"name": "x86-{registers}", "title": "", "two_operand": true, "registers": {registers},
            "objective": ["instructions"], "operations": [{{"name": "not", "arity": 1, "table": 1}},
            {{"name": "and", "arity": 2, "table": 8}}, {{"name": "or", "arity": 2, "table": 14}},
            {{"name": "xor", "arity": 2, "table": 6}}]}}"#
        );
        Target::from_json(&json).unwrap()
    }

    fn half_adder() -> Circuit {
        let mut circuit = Circuit::new(2);
        let carry = circuit.add(Function::AND, &[Wire::Input(0), Wire::Input(1)]);
        let sum = circuit.add(Function::XOR, &[Wire::Input(0), Wire::Input(1)]);
        circuit.outputs = vec![sum, carry];
        circuit
    }

    #[test]
    fn a_value_still_needed_is_moved_first() {
        let sequence = Sequence::of(&half_adder(), &target(3)).unwrap();
        assert_eq!(sequence.lines(), ["registers r0 r1 r2", "r2 = r0", "r2 &= r1", "r0 ^= r1", "y0 = r0", "y1 = r2"]);
        assert_eq!((sequence.moves(), sequence.instructions.len()), (1, 3));
        assert_eq!(sequence.check(&half_adder().sbox()), Ok(()));
    }

    #[test]
    fn too_few_registers_and_foreign_gates_are_refused() {
        let error = Sequence::of(&half_adder(), &target(2)).unwrap_err();
        assert_eq!(
            error.to_string().lines().next(),
            Some("error[C212]: 2 registers do not suffice for the order of the gates")
        );
        let mut circuit = Circuit::new(2);
        let gate = circuit.add(Function::NAND, &[Wire::Input(0), Wire::Input(1)]);
        circuit.outputs = vec![gate];
        let error = Sequence::of(&circuit, &target(3)).unwrap_err();
        assert_eq!(error.to_string(), "error[C218]: gate 1 is no instruction of x86-3");
    }

    #[test]
    fn more_inputs_than_registers_are_refused() {
        let error = Sequence::of(&half_adder(), &target(1)).unwrap_err();
        assert_eq!(error.to_string(), "error[C219]: 2 inputs do not fit in 1 registers");
    }

    #[test]
    fn constants_are_refused() {
        let mut circuit = half_adder();
        circuit.outputs[1] = Wire::Constant(true);
        let error = Sequence::of(&circuit, &target(3)).unwrap_err();
        assert_eq!(error.to_string(), "error[C213]: a constant is in no register");
    }

    #[test]
    fn a_wrong_sequence_is_found_out() {
        let mut sequence = Sequence::of(&half_adder(), &target(3)).unwrap();
        sequence.outputs.swap(0, 1);
        let error = sequence.check(&half_adder().sbox()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "error[C107]: the instructions do not compute the box\n   \
             = first differing input: 1; instructions: 2; box: 1"
        );
    }
}
