//! Which functions a gate may compute, as the encoding needs it.

use circuit::fault::Fault;
use circuit::target::Target;

/// The gates of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateSet {
    /// Most operands, 1 to 3.
    pub arity: usize,
    /// Whether every function of up to `arity` operands is a gate.
    pub complete: bool,
    /// Tables that depend on all operands, by number of operands (index 0 unused).
    tables: Vec<Vec<u16>>,
}

impl GateSet {
    /// The gates of a target.
    ///
    /// # Errors
    /// `C310` if an operation has more than three operands.
    pub fn of(target: &Target) -> Result<Self, Fault> {
        let arity = target.operations.iter().map(|o| usize::from(o.arity)).max().unwrap_or(0);
        if !(1..=3).contains(&arity) {
            return Err(Fault::new("C310", format!("target `{}` has gates of {arity} operands", target.name))
                .help("synthesis by a SAT solver serves gates of one to three operands"));
        }
        let mut tables = vec![Vec::new(); arity + 1];
        for (size, tables) in tables.iter_mut().enumerate().skip(1) {
            *tables = (0..=full(size)).filter(|&t| essential(size, t) && offered(target, size, t)).collect();
        }
        let complete = arity > 1 && tables.iter().enumerate().skip(1).all(|(size, t)| t.len() == count(size));
        Ok(GateSet { arity, complete, tables })
    }

    /// Numbers of operands that a gate may have. Where every function is a gate and complements are absorbed, none has
    /// one operand.
    #[must_use]
    pub fn sizes(&self) -> Vec<usize> {
        let least = if self.complete { 2 } else { 1 };
        (least..=self.arity).filter(|&size| !self.tables[size].is_empty()).collect()
    }

    /// Partial assignments of table entries that no gate of `size` operands has: together they leave exactly the
    /// tables of the set (in normal form, those that are 0 at entry 0).
    #[must_use]
    pub fn forbidden(&self, size: usize, normal: bool) -> Vec<Vec<(usize, bool)>> {
        let tables = (0..=full(size)).filter(|t| !(normal && t & 1 == 1 || self.tables[size].contains(t)));
        let all = |t: u16| (0..1usize << size).map(|e| (e, t >> e & 1 == 1)).collect();
        tables.map(all).collect()
    }
}

fn full(size: usize) -> u16 {
    ((1u32 << (1 << size)) - 1) as u16
}

fn essential(size: usize, table: u16) -> bool {
    (0..size).all(|n| depends(size, table, n))
}

fn depends(size: usize, table: u16, n: usize) -> bool {
    (0..1usize << size).any(|e| table >> e & 1 != table >> (e ^ 1 << n) & 1)
}

/// Tables of a number of operands that depend on all of them, the identity left out.
fn count(size: usize) -> usize {
    let tables = (0..=full(size)).filter(|&t| essential(size, t));
    tables.count() - usize::from(size == 1)
}

/// Whether an operation computes the table with its operands in some order, equal ones among them; a copy is no gate.
fn offered(target: &Target, size: usize, table: u16) -> bool {
    let copy = size == 1 && table == 0b10;
    !copy
        && target.operations.iter().any(|o| match o.table {
            None => usize::from(o.arity) >= size,
            Some(offered) => wirings(usize::from(o.arity), size).any(|w| wired(size, offered, &w) == table),
        })
}

/// Every way to connect the operands of an operation to `size` wires, each of them used or not.
fn wirings(arity: usize, size: usize) -> impl Iterator<Item = Vec<usize>> {
    (0..size.pow(arity as u32)).map(move |n| (0..arity).map(|k| n / size.pow(k as u32) % size).collect())
}

fn wired(size: usize, table: u16, wiring: &[usize]) -> u16 {
    let entry = |wires: usize| wiring.iter().enumerate().fold(0, |sum, (n, &wire)| sum | (wires >> wire & 1) << n);
    (0..1usize << size).filter(|&wires| table >> entry(wires) & 1 == 1).fold(0, |t, wires| t | 1 << wires)
}
