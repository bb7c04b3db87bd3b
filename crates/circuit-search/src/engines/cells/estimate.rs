//! What the outputs still cost, seen from a set of wires.

use super::library::{Cells, Result};

/// No estimate of one output exceeds this many exclusive ors.
const MOST_XORS: usize = 3;

/// The cheapest way to a table by one cell.
#[derive(Clone, Copy, Default)]
pub(super) struct Way {
    pub(super) size: u8,
    pub(super) cell: u8,
    pub(super) operands: [u8; 4],
}

/// Tables within one cell of a set of wires, and for each output what is left once a table is there.
pub(super) struct Estimate<'a> {
    cells: &'a Cells,
    /// By table: the number of the last look at which it was reached, and the way.
    stamps: Vec<u32>,
    ways: Vec<Way>,
    look: u32,
    /// Tables reached, in order of discovery.
    pub(super) reached: Vec<u16>,
    /// By output and table: units to the output when the table is there.
    left: Vec<Vec<u8>>,
    touched: Vec<Vec<u16>>,
    /// By output: units when nothing is added but what the estimate counts.
    base: Vec<u8>,
    most: u8,
}

impl<'a> Estimate<'a> {
    pub(super) fn new(cells: &'a Cells) -> Self {
        let most = (MOST_XORS * cells.xor + cells.xor / 2).min(250) as u8;
        Estimate {
            cells,
            stamps: vec![0; 1 << 16],
            ways: vec![Way::default(); 1 << 16],
            look: 0,
            reached: Vec::new(),
            left: vec![vec![most; 1 << 16]; cells.outputs.len()],
            touched: vec![Vec::new(); cells.outputs.len()],
            base: vec![0; cells.outputs.len()],
            most,
        }
    }

    pub(super) fn way(&self, table: u16) -> Way {
        self.ways[usize::from(table)]
    }

    /// Finds what one cell reaches from the wires, and the estimates; wires themselves are not among the reached.
    pub(super) fn look(&mut self, wires: &[u16]) {
        self.reach(wires);
        for n in 0..self.cells.outputs.len() {
            let output = self.cells.outputs[n];
            while let Some(table) = self.touched[n].pop() {
                self.left[n][usize::from(table)] = self.most;
            }
            self.base[n] = 0;
            if !wires.contains(&output) {
                self.leave(n, output, wires);
                let left = &self.left[n];
                let sums = self.reached.iter().map(|&w| left[usize::from(w)].saturating_add(self.way(w).size));
                self.base[n] = sums.min().unwrap_or(self.most).min(self.most);
            }
        }
    }

    fn reach(&mut self, wires: &[u16]) {
        self.look += 1;
        self.reached.clear();
        let (look, ones) = (self.look, self.cells.ones);
        let (stamps, ways, reached) = (&mut self.stamps, &mut self.ways, &mut self.reached);
        for &wire in wires.iter().chain(&[0, ones]) {
            stamps[usize::from(wire)] = look;
            ways[usize::from(wire)] = Way::default();
        }
        let cells = &self.cells.cells;
        self.cells.each(wires, |Result { value, cell, operands }| {
            let at = usize::from(value);
            let size = cells[usize::from(cell)].size as u8;
            if stamps[at] != look {
                stamps[at] = look;
                reached.push(value);
            } else if ways[at].size <= size {
                return;
            }
            ways[at] = Way { size, cell, operands };
        });
    }

    /// An output is reached from a table by exclusive or with wires, or with what one small cell makes of them.
    fn leave(&mut self, n: usize, output: u16, wires: &[u16]) {
        let (xor, ones) = (self.cells.xor, self.cells.ones);
        let (left, touched) = (&mut self.left[n], &mut self.touched[n]);
        let mut put = |table: u16, units: usize| {
            let at = &mut left[usize::from(table)];
            if usize::from(*at) > units {
                *at = units as u8;
                touched.push(table);
            }
        };
        put(output, 0);
        put(!output & ones, self.cells.inverter);
        for (k, &x) in wires.iter().enumerate() {
            put(output ^ x, xor);
            put(!(output ^ x) & ones, xor);
            for &y in &wires[..k] {
                put(output ^ x ^ y, 2 * xor);
                put(!(output ^ x ^ y) & ones, 2 * xor);
            }
        }
        for &w in &self.reached {
            let size = usize::from(self.ways[usize::from(w)].size);
            if size < xor {
                put(output ^ w, xor + size);
                put(!(output ^ w) & ones, xor + size);
            }
        }
    }

    /// Units for all outputs once a reached table is there as well.
    pub(super) fn after(&self, table: u16) -> u32 {
        let one = |n: usize| u32::from(self.base[n].min(self.left[n][usize::from(table)]));
        (0..self.base.len()).map(one).sum()
    }

    /// Outputs that are neither there nor the table.
    pub(super) fn missing(&self, wires: &[u16], table: u16) -> usize {
        self.cells.outputs.iter().filter(|o| **o != table && !wires.contains(o)).count()
    }
}
