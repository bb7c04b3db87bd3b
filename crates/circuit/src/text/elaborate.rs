//! Equations to gates.
//!
//! A complement on an operand or around an operator becomes part of the gate where the target has such a gate, and a
//! gate of its own where it has not. Nothing else is simplified: the gates are those that were written.

use std::collections::HashMap;

use super::ast::{Assignment, Expression, Operator};
use super::nearest::nearest;
use crate::circuit::{Circuit, Wire};
use crate::fault::Fault;
use crate::function::Function;
use crate::target::Target;

/// The circuit of equations while it is made.
pub struct Elaboration<'a> {
    /// Gates so far.
    pub circuit: Circuit,
    /// The name under which each gate was assigned; empty inside an expression.
    pub names: Vec<String>,
    /// What every name stands for now.
    pub wires: HashMap<String, Wire>,
    target: Option<&'a Target>,
    line: u32,
}

impl<'a> Elaboration<'a> {
    /// No equation yet; `inputs` are the names of the input bits, `aliases` further ones.
    pub fn new(inputs: &[String], aliases: &[String], target: Option<&'a Target>) -> Self {
        let named = |(k, name): (usize, &String)| (name.clone(), Wire::Input(k));
        let wires = inputs.iter().enumerate().map(named).chain(aliases.iter().enumerate().map(named)).collect();
        Elaboration { circuit: Circuit::new(inputs.len() as u8), names: Vec::new(), wires, target, line: 0 }
    }

    /// Adds one equation.
    ///
    /// # Errors
    /// `C003` for a name that has no value yet, `C006` for an operation that the target has not, `C007` for one with
    /// another number of operands.
    pub fn assign(&mut self, line: u32, equation: &Assignment) -> Result<(), Fault> {
        self.line = line;
        let before = self.circuit.gates.len();
        let wire = match equation.compound {
            None => self.expression(&equation.value)?,
            Some(operator) => {
                let whole = Expression::binary(operator, Expression::name(&equation.name), equation.value.clone());
                self.expression(&whole)?
            }
        };
        self.names.resize(self.circuit.gates.len(), String::new());
        if let Wire::Gate(n) = wire {
            if n >= before {
                self.names[n].clone_from(&equation.name);
            }
        }
        self.wires.insert(equation.name.clone(), wire);
        Ok(())
    }

    /// What a name stands for now.
    ///
    /// # Errors
    /// `C003`
    pub fn wire(&self, name: &str, line: u32) -> Result<Wire, Fault> {
        self.wires.get(name).copied().ok_or_else(|| {
            let known = nearest(name, self.wires.keys().map(String::as_str));
            Fault::new("C003", format!("the name `{name}` is used before it has a value")).at(line).help(known)
        })
    }

    fn expression(&mut self, expression: &Expression) -> Result<Wire, Fault> {
        let (complement, inner) = stripped(expression);
        match inner {
            Expression::Binary(operator, a, b) => self.binary(*operator, a, b, complement),
            Expression::Lookup(table, operands) => {
                let function = Function::new(operands.len() as u8, *table);
                let operands = self.operands(operands)?;
                let wire = self.gate(function, &operands);
                Ok(if complement { self.gate(Function::NOT, &[wire]) } else { wire })
            }
            Expression::Call(name, operands) => {
                let function = self.called(name, operands.len())?;
                let operands = self.operands(operands)?;
                let wire = self.gate(function, &operands);
                Ok(if complement { self.gate(Function::NOT, &[wire]) } else { wire })
            }
            simple => {
                let wire = self.simple(simple)?;
                Ok(if complement { self.gate(Function::NOT, &[wire]) } else { wire })
            }
        }
    }

    fn simple(&mut self, expression: &Expression) -> Result<Wire, Fault> {
        match expression {
            Expression::Constant(value) => Ok(Wire::Constant(*value)),
            Expression::Name(name) => self.wire(name, self.line),
            nested => self.expression(nested),
        }
    }

    fn operands(&mut self, operands: &[Expression]) -> Result<Vec<Wire>, Fault> {
        operands.iter().map(|operand| self.expression(operand)).collect()
    }

    fn binary(&mut self, operator: Operator, a: &Expression, b: &Expression, outer: bool) -> Result<Wire, Fault> {
        let ((left, a), (right, b)) = (stripped(a), stripped(b));
        let (mut a, mut b) = (self.simple(a)?, self.simple(b)?);
        let (function, apart) = self.fitting(operator, [left, right, outer]);
        if apart[0] {
            a = self.gate(Function::NOT, &[a]);
        }
        if apart[1] {
            b = self.gate(Function::NOT, &[b]);
        }
        let wire = self.joined(function, a, b);
        Ok(if apart[2] { self.gate(Function::NOT, &[wire]) } else { wire })
    }

    /// The function that takes in as many of the complements (of the first operand, the second, the result) as the
    /// target can, and those that it leaves.
    fn fitting(&self, operator: Operator, complements: [bool; 3]) -> (Function, [bool; 3]) {
        let mut choices: Vec<[bool; 3]> =
            [0, 1, 2, 4, 3, 5, 6, 7].map(|bits: u8| [bits & 1 == 1, bits & 2 == 2, bits & 4 == 4]).to_vec();
        choices.retain(|apart| apart.iter().zip(complements).all(|(&apart, wanted)| wanted || !apart));
        let taken = |apart: [bool; 3]| [0, 1, 2].map(|k| complements[k] && !apart[k]);
        let available = choices.iter().find(|&&apart| self.has(function_of(operator, taken(apart))));
        let apart = *available.unwrap_or(&complements);
        (function_of(operator, taken(apart)), apart)
    }

    fn has(&self, function: Function) -> bool {
        self.target.map_or(true, |target| target.has(function) || target.has(function.reordered(&[1, 0])))
    }

    /// Adds a gate of two operands, in the order that the target has or, without one, that has a usual name.
    fn joined(&mut self, function: Function, a: Wire, b: Wire) -> Wire {
        let other = function.reordered(&[1, 0]);
        let swap = match self.target {
            Some(target) => !target.has(function) && target.has(other),
            None => [Function::ANDNOT, Function::ORNOT].contains(&other),
        };
        if swap {
            self.gate(other, &[b, a])
        } else {
            self.gate(function, &[a, b])
        }
    }

    /// Adds a gate, unless constants among its operands make it none.
    fn gate(&mut self, function: Function, operands: &[Wire]) -> Wire {
        if !operands.iter().any(|w| matches!(w, Wire::Constant(_))) {
            return self.circuit.add(function, operands);
        }
        let open: Vec<usize> = (0..operands.len()).filter(|&n| !matches!(operands[n], Wire::Constant(_))).collect();
        let fixed = (0..operands.len()).filter(|&n| operands[n] == Wire::Constant(true)).fold(0, |sum, n| sum | 1 << n);
        let index =
            |bits: usize| open.iter().enumerate().fold(fixed, |sum, (n, &place)| sum | (bits >> n & 1) << place);
        let table =
            (0..1usize << open.len()).filter(|&bits| function.value(index(bits))).fold(0, |sum, b| sum | 1 << b);
        let entries = 1u32 << open.len();
        match (open.len(), table) {
            (_, 0) => Wire::Constant(false),
            (_, t) if u32::from(t) == (1u32 << entries) - 1 => Wire::Constant(true),
            (1, 0b10) => operands[open[0]],
            _ => {
                let operands: Vec<Wire> = open.iter().map(|&n| operands[n]).collect();
                self.circuit.add(Function::new(open.len() as u8, table), &operands)
            }
        }
    }

    /// The function of an operation called by name.
    fn called(&self, name: &str, operands: usize) -> Result<Function, Fault> {
        let fits = |arity: u8| {
            if usize::from(arity) == operands {
                return Ok(());
            }
            let plural = if arity == 1 { "" } else { "s" };
            let message = format!("`{name}` takes {arity} operand{plural}, not {operands}");
            Err(Fault::new("C007", message).at(self.line))
        };
        let of_target = self.target.and_then(|t| t.operations.iter().find(|o| o.name == name && o.table.is_some()));
        if let Some(operation) = of_target {
            fits(operation.arity)?;
            return Ok(Function::new(operation.arity, operation.table.unwrap_or(0)));
        }
        if let Some((_, function)) = NAMED.iter().find(|(n, _)| *n == name) {
            fits(function.arity)?;
            return Ok(*function);
        }
        let fault = Fault::new("C006", format!("there is no operation `{name}`")).at(self.line);
        let usual = NAMED.iter().map(|(n, _)| *n);
        Err(match self.target {
            Some(target) => {
                let known = nearest(name, usual.chain(target.operations.iter().map(|o| o.name.as_str())));
                fault.note(format!("target: {}", target.name)).help(known)
            }
            None => fault.help("cells are known only with their target; name it"),
        })
    }
}

/// Operations that can be called by name whatever the target.
pub const NAMED: [(&str, Function); 9] = [
    ("not", Function::NOT),
    ("and", Function::AND),
    ("or", Function::OR),
    ("xor", Function::XOR),
    ("andcm", Function::ANDNOT),
    ("orcm", Function::ORNOT),
    ("nand", Function::NAND),
    ("nor", Function::NOR),
    ("xnor", Function::XNOR),
];

fn stripped(expression: &Expression) -> (bool, &Expression) {
    match expression {
        Expression::Not(inner) => {
            let (complement, inner) = stripped(inner);
            (!complement, inner)
        }
        other => (false, other),
    }
}

/// The table of an operator whose first operand, second operand and result are complemented or not.
fn function_of(operator: Operator, complements: [bool; 3]) -> Function {
    let value =
        |n: usize| operator.value((n & 1 == 1) ^ complements[0], (n >> 1 == 1) ^ complements[1]) ^ complements[2];
    Function::new(2, (0..4).filter(|&n| value(n)).fold(0, |sum, n| sum | 1 << n))
}
