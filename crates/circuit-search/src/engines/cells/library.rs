//! The cells of a target, prepared for fast evaluation on 16-bit truth tables.

use circuit::function::Function;
use circuit::problem::Problem;
use circuit::table::Table;

/// A function of two operands as `c ^ first a ^ second b ^ product a b` over whole tables.
#[derive(Clone, Copy)]
struct Pair {
    constant: u16,
    first: u16,
    second: u16,
    product: u16,
}

impl Pair {
    fn new(function: impl Fn(usize) -> bool) -> Self {
        let spread = |value: bool| if value { u16::MAX } else { 0 };
        Pair {
            constant: spread(function(0)),
            first: spread(function(0) ^ function(1)),
            second: spread(function(0) ^ function(2)),
            product: spread(function(0) ^ function(1) ^ function(2) ^ function(3)),
        }
    }

    fn apply(self, a: u16, b: u16) -> u16 {
        self.constant ^ (self.first & a) ^ (self.second & b) ^ (self.product & a & b)
    }
}

/// A cell, and in which order of its operands it is tried.
pub(super) struct Cell {
    pub(super) function: Function,
    /// Area in units of the library.
    pub(super) size: usize,
    /// The function of the first two operands for each value of the rest.
    parts: Vec<Pair>,
    /// Places `(p, q)`, `p < q`, whose operands are tried in ascending order only.
    ordered: Vec<(usize, usize)>,
}

/// Cells and tables of a search.
pub(super) struct Cells {
    pub(super) cells: Vec<Cell>,
    pub(super) ones: u16,
    pub(super) inputs: Vec<u16>,
    /// Output tables, each once, without inputs and constants.
    pub(super) outputs: Vec<u16>,
    /// Area of a unit in square micrometres.
    pub(super) unit: f64,
    /// Units of an inverter and of an exclusive or (or its complement).
    pub(super) inverter: usize,
    pub(super) xor: usize,
}

/// What a cell of the given operands computes.
pub(super) struct Result {
    pub(super) value: u16,
    pub(super) cell: u8,
    pub(super) operands: [u8; 4],
}

/// Finest division of the smallest cell that areas are expressed in.
const FINEST: usize = 16;

/// Units of something that a library lacks, such as an exclusive or, taken as so many of its smallest cells.
const LACKING: usize = 5;

impl Cells {
    /// The smallest cell of each function; nothing if the target's operations are no cells.
    pub(super) fn new(problem: &Problem) -> Option<Self> {
        let mut chosen: Vec<(Function, f64)> = Vec::new();
        for operation in &problem.target.operations {
            let function = Function::new(operation.arity, operation.table?);
            let useful = (0..usize::from(function.arity)).all(|n| function.depends_on(n)) && function.arity <= 4;
            if !useful || function == (Function { arity: 1, table: 2 }) || operation.size <= 0.0 {
                continue;
            }
            match chosen.iter_mut().find(|(known, _)| *known == function) {
                Some((_, size)) => *size = size.min(operation.size),
                None => chosen.push((function, operation.size)),
            }
        }
        let unit = unit(&chosen)?;
        let units = |size: f64| (size / unit).round().max(1.0) as usize;
        let cells: Vec<Cell> = chosen.iter().map(|&(function, size)| Cell::new(function, units(size))).collect();
        let least = cells.iter().map(|c| c.size).min()?;
        let size_of = |functions: &[Function]| {
            let sizes = cells.iter().filter(|c| functions.contains(&c.function)).map(|c| c.size);
            sizes.min().unwrap_or(LACKING * least)
        };
        let sbox = &problem.sbox;
        let ones = Table::constant(sbox.inputs, true).low16();
        let inputs: Vec<u16> = (0..usize::from(sbox.inputs)).map(|k| Table::input(sbox.inputs, k).low16()).collect();
        let mut outputs: Vec<u16> = sbox.tables().iter().map(Table::low16).collect();
        outputs.sort_unstable();
        outputs.dedup();
        outputs.retain(|o| !inputs.contains(o) && *o != 0 && *o != ones);
        let (inverter, xor) = (size_of(&[Function::NOT]), size_of(&[Function::XOR, Function::XNOR]));
        Some(Cells { cells, ones, inputs, outputs, unit, inverter, xor })
    }

    /// Tells every result of a cell on the wires.
    pub(super) fn each(&self, wires: &[u16], mut told: impl FnMut(Result)) {
        for (c, cell) in self.cells.iter().enumerate() {
            cell.each(wires, self.ones, |value, operands| told(Result { value, cell: c as u8, operands }));
        }
    }
}

/// The largest area of which every cell's is a whole multiple, or nearly.
fn unit(cells: &[(Function, f64)]) -> Option<f64> {
    let least = cells.iter().map(|c| c.1).min_by(f64::total_cmp)?;
    let off = |unit: f64| {
        let parts = cells.iter().map(|c| c.1 / unit);
        parts.map(|part| (part - part.round()).abs()).fold(0.0, f64::max)
    };
    let whole = (1..=FINEST).map(|n| least / n as f64).find(|&unit| off(unit) < 1e-3);
    Some(whole.unwrap_or(least / 8.0))
}

impl Cell {
    fn new(function: Function, size: usize) -> Self {
        let arity = usize::from(function.arity);
        let rest = 1usize << arity.saturating_sub(2);
        let low = if arity == 1 { 1 } else { 3 };
        let parts = (0..rest).map(|high| Pair::new(|index| function.value(index & low | high << 2))).collect();
        let swapped = |p: usize, q: usize| {
            let mut order: Vec<usize> = (0..arity).collect();
            order.swap(p, q);
            function.reordered(&order) == function
        };
        let mut ordered: Vec<(usize, usize)> = Vec::new();
        for q in 1..arity {
            // Of places that can all change with each other only neighbours need to be compared.
            if let Some(p) = (0..q).rev().find(|&p| swapped(p, q)) {
                ordered.push((p, q));
            }
        }
        if arity == 4 && !swapped(0, 2) && function.reordered(&[2, 3, 0, 1]) == function {
            ordered.push((0, 2));
        }
        Cell { function, size, parts, ordered }
    }

    /// The first wire to try at a place, so that operands that can change places come in one order only.
    fn from(&self, place: usize, operands: &[u8; 4]) -> usize {
        let before = self.ordered.iter().filter(|&&(_, q)| q == place).map(|&(p, _)| usize::from(operands[p]) + 1);
        before.max().unwrap_or(0)
    }

    fn each(&self, wires: &[u16], ones: u16, mut told: impl FnMut(u16, [u8; 4])) {
        let arity = usize::from(self.function.arity);
        let mut operands = [0u8; 4];
        for i in 0..wires.len() {
            operands[0] = i as u8;
            if arity == 1 {
                told(self.parts[0].apply(wires[i], wires[i]) & ones, operands);
                continue;
            }
            for j in (self.from(1, &operands)..wires.len()).filter(|&j| j != i) {
                operands[1] = j as u8;
                let mut values = [0u16; 4];
                for (value, part) in values.iter_mut().zip(&self.parts) {
                    *value = part.apply(wires[i], wires[j]) & ones;
                }
                match arity {
                    2 => told(values[0], operands),
                    3 => self.third(wires, values, operands, &mut told),
                    _ => self.third_and_fourth(wires, values, operands, &mut told),
                }
            }
        }
    }

    fn third(&self, wires: &[u16], values: [u16; 4], mut operands: [u8; 4], told: &mut impl FnMut(u16, [u8; 4])) {
        let [i, j, ..] = operands.map(usize::from);
        for k in (self.from(2, &operands)..wires.len()).filter(|&k| k != i && k != j) {
            operands[2] = k as u8;
            told(values[0] ^ (wires[k] & (values[0] ^ values[1])), operands);
        }
    }

    fn third_and_fourth(
        &self,
        wires: &[u16],
        values: [u16; 4],
        mut operands: [u8; 4],
        told: &mut impl FnMut(u16, [u8; 4]),
    ) {
        let [i, j, ..] = operands.map(usize::from);
        for k in (self.from(2, &operands)..wires.len()).filter(|&k| k != i && k != j) {
            operands[2] = k as u8;
            let c = wires[k];
            let low = values[0] ^ (c & (values[0] ^ values[1]));
            let high = values[2] ^ (c & (values[2] ^ values[3]));
            let from = self.from(3, &operands);
            for (l, &d) in wires.iter().enumerate().skip(from).filter(|&(l, _)| l != i && l != j && l != k) {
                operands[3] = l as u8;
                told(low ^ (d & (low ^ high)), operands);
            }
        }
    }
}
