//! The cheapest composition of operations for a function that a target has not.
//!
//! Over the functions of up to three operands the composition of one- and two-operand operations is exact (as a tree;
//! larger operations are used on operands, their complements and constants). Four operands are split by
//! `f = f0 ^ (d & (f0 ^ f1))`.

use std::collections::HashMap;

use super::{placed, size};
use crate::circuit::{Circuit, Wire};
use crate::fault::Fault;
use crate::function::Function;
use crate::target::Target;

/// How a function is made.
#[derive(Clone, Debug)]
enum Recipe {
    Operand(usize),
    Constant(bool),
    /// A function of the target over the tables of its operands.
    Apply(Function, Vec<u16>),
}

#[derive(Clone, Debug)]
struct Entry {
    cost: f64,
    recipe: Recipe,
}

/// Makes gates of any function for one target.
pub struct Composer<'a> {
    target: &'a Target,
    /// By number of operands: the cheapest recipe of each table.
    closures: HashMap<u8, Vec<Option<Entry>>>,
}

impl<'a> Composer<'a> {
    /// For a target.
    #[must_use]
    pub fn new(target: &'a Target) -> Self {
        Composer { target, closures: HashMap::new() }
    }

    /// Adds gates that compute a function of wires, and returns the wire of the result.
    ///
    /// # Errors
    /// `C210` if the target cannot compute it.
    pub fn build(
        &mut self,
        circuit: &mut Circuit,
        function: Function,
        operands: &[Wire],
        complements: &mut HashMap<Wire, Wire>,
    ) -> Result<Wire, Fault> {
        if function == Function::NOT {
            if let Some(&known) = complements.get(&operands[0]) {
                return Ok(known);
            }
            if let Some((&twice, _)) = complements.iter().find(|(_, &made)| made == operands[0]) {
                return Ok(twice);
            }
        }
        if let Some((function, operands)) = placed(self.target, function, operands) {
            let wire = circuit.add(function, &operands);
            if function == Function::NOT {
                complements.insert(operands[0], wire);
            }
            return Ok(wire);
        }
        if let Some((function, operands)) = narrowed(function, operands) {
            if operands.is_empty() {
                return Ok(Wire::Constant(function.table & 1 == 1));
            }
            if function.arity == 1 && function.table == 0b10 {
                return Ok(operands[0]);
            }
            return self.build(circuit, function, &operands, complements);
        }
        if function.arity == 4 {
            return self.split(circuit, function, operands, complements);
        }
        self.close(function.arity);
        self.follow(circuit, function.arity, function.table, operands, complements)
            .ok_or_else(|| self.impossible(function))
    }

    fn impossible(&self, function: Function) -> Fault {
        let digits = (1usize << function.arity).div_ceil(4);
        let names: Vec<&str> = self.target.operations.iter().map(|o| o.name.as_str()).collect();
        let message = format!(
            "the target {} cannot compute the function 0x{:0digits$x} of {} operands",
            self.target.name, function.table, function.arity
        );
        Fault::new("C210", message).note(format!("operations: {}", names.join(", ")))
    }

    fn split(
        &mut self,
        circuit: &mut Circuit,
        function: Function,
        operands: &[Wire],
        complements: &mut HashMap<Wire, Wire>,
    ) -> Result<Wire, Fault> {
        let (low, high) = (function.table & 0xff, function.table >> 8);
        let of = |table: u16| Function::new(3, table);
        let f0 = self.build(circuit, of(low), &operands[..3], complements)?;
        let difference = self.build(circuit, of(low ^ high), &operands[..3], complements)?;
        let chosen = self.two(circuit, Function::AND, operands[3], difference, complements)?;
        self.two(circuit, Function::XOR, f0, chosen, complements)
    }

    /// A gate of two operands, either of which may be a constant.
    fn two(
        &mut self,
        circuit: &mut Circuit,
        function: Function,
        a: Wire,
        b: Wire,
        complements: &mut HashMap<Wire, Wire>,
    ) -> Result<Wire, Fault> {
        match (function, a, b) {
            (Function::AND, Wire::Constant(value), other) | (Function::AND, other, Wire::Constant(value)) => {
                Ok(if value { other } else { Wire::Constant(false) })
            }
            (_, Wire::Constant(x), Wire::Constant(y)) => Ok(Wire::Constant(x ^ y)),
            (_, Wire::Constant(false), other) | (_, other, Wire::Constant(false)) => Ok(other),
            (_, Wire::Constant(true), other) | (_, other, Wire::Constant(true)) => {
                self.build(circuit, Function::NOT, &[other], complements)
            }
            _ => self.build(circuit, function, &[a, b], complements),
        }
    }

    fn follow(
        &self,
        circuit: &mut Circuit,
        arity: u8,
        table: u16,
        operands: &[Wire],
        complements: &mut HashMap<Wire, Wire>,
    ) -> Option<Wire> {
        match &self.closures[&arity][usize::from(table)].as_ref()?.recipe {
            Recipe::Operand(n) => Some(operands[*n]),
            Recipe::Constant(value) => Some(Wire::Constant(*value)),
            Recipe::Apply(function, parts) => {
                let wires: Option<Vec<Wire>> =
                    parts.iter().map(|&p| self.follow(circuit, arity, p, operands, complements)).collect();
                let wires = wires?;
                if *function != Function::NOT {
                    return Some(circuit.add(*function, &wires));
                }
                Some(*complements.entry(wires[0]).or_insert_with(|| circuit.add(Function::NOT, &wires)))
            }
        }
    }

    /// Finds the cheapest recipes of all functions of up to three operands.
    fn close(&mut self, arity: u8) {
        if self.closures.contains_key(&arity) {
            return;
        }
        let entries = 1usize << (1 << arity);
        let mut found: Vec<Option<Entry>> = vec![None; entries];
        for n in 0..usize::from(arity) {
            found[usize::from(projection(arity, n))] = Some(Entry { cost: 0.0, recipe: Recipe::Operand(n) });
        }
        for (table, value) in [(0, false), (entries - 1, true)] {
            found[table] = Some(Entry { cost: 0.0, recipe: Recipe::Constant(value) });
        }
        let functions = self.functions();
        // Ends: each round lowers a cost, and costs are sums of a finite list.
        while self.round(arity, &functions, &mut found) {}
        self.closures.insert(arity, found);
    }

    /// The distinct functions that the target has, each with its cost.
    fn functions(&self) -> Vec<(Function, f64)> {
        let mut all: Vec<Function> = Vec::new();
        for operation in &self.target.operations {
            match operation.table {
                Some(table) => all.push(Function::new(operation.arity, table)),
                None if operation.arity <= 2 => {
                    all.extend((0..1u16 << (1 << operation.arity)).map(|t| Function::new(operation.arity, t)));
                }
                None => {}
            }
        }
        all.retain(|f| (0..f.arity).all(|n| f.depends_on(n.into())) && f.table != 0b10);
        all.sort_unstable();
        all.dedup();
        all.into_iter().map(|f| (f, size(self.target, f))).collect()
    }

    /// Applies every function once; says whether anything became cheaper.
    fn round(&self, arity: u8, functions: &[(Function, f64)], found: &mut [Option<Entry>]) -> bool {
        let mut better = false;
        for &(function, cost) in functions {
            // Larger operations only on what is nearly free, so that a round stays small.
            let limit = if function.arity > 2 { self.complement_cost() } else { f64::INFINITY };
            let known: Vec<(u16, f64)> = found
                .iter()
                .enumerate()
                .filter_map(|(t, e)| e.as_ref().map(|e| (t as u16, e.cost)))
                .filter(|(_, c)| *c <= limit)
                .collect();
            let mut chosen = [0usize; 4];
            let used = usize::from(function.arity);
            loop {
                let mut parts = [0u16; 4];
                let mut total = cost;
                for (part, &n) in parts.iter_mut().zip(&chosen[..used]) {
                    *part = known[n].0;
                    total += known[n].1;
                }
                let table = usize::from(applied(arity, function, &parts[..used]));
                if found[table].as_ref().map_or(true, |e| total < e.cost - 1e-9) {
                    found[table] = Some(Entry { cost: total, recipe: Recipe::Apply(function, parts[..used].to_vec()) });
                    better = true;
                }
                if !next(&mut chosen[..used], known.len()) {
                    break;
                }
            }
        }
        better
    }

    fn complement_cost(&self) -> f64 {
        self.target.operation(Function::NOT).map_or(0.0, |o| o.size)
    }
}

fn next(chosen: &mut [usize], count: usize) -> bool {
    for place in chosen.iter_mut() {
        *place += 1;
        if *place < count {
            return true;
        }
        *place = 0;
    }
    false
}

fn projection(arity: u8, n: usize) -> u16 {
    (0..1usize << arity).filter(|v| v >> n & 1 == 1).fold(0, |sum, v| sum | 1 << v)
}

/// The table of a function of tables, all their entries at once.
fn applied(arity: u8, function: Function, parts: &[u16]) -> u16 {
    let entries = 1u32 << arity;
    let all = u16::MAX >> (16 - entries);
    let mut sum = 0;
    for index in (0..1usize << parts.len()).filter(|&i| function.value(i)) {
        let mut term = all;
        for (n, part) in parts.iter().enumerate() {
            term &= if index >> n & 1 == 1 { *part } else { !part };
        }
        sum |= term;
    }
    sum
}

/// The function without operands on which it does not depend, or that occur twice; nothing if there are none.
fn narrowed(function: Function, operands: &[Wire]) -> Option<(Function, Vec<Wire>)> {
    let mut kept: Vec<Wire> = Vec::new();
    for (n, wire) in operands.iter().enumerate() {
        if function.depends_on(n) && !kept.contains(wire) {
            kept.push(*wire);
        }
    }
    if kept.len() == operands.len() {
        return None;
    }
    let index = |bits: usize| {
        let bit = |wire: &Wire| kept.iter().position(|k| k == wire).map_or(0, |place| bits >> place & 1);
        operands.iter().enumerate().fold(0, |sum, (n, wire)| sum | bit(wire) << n)
    };
    let table = (0..1usize << kept.len()).filter(|&bits| function.value(index(bits))).fold(0, |sum, b| sum | 1 << b);
    Some((Function { arity: kept.len() as u8, table }, kept))
}
