//! Bytes of memory for values that found no register: values that are not needed at the same time share one.
//!
//! The allocator gives a place to every value; here the lines that it wrote are looked at from their end (what is read
//! later, around loops until nothing changes), and places become as few bytes as need be. The block's own bytes serve as
//! well between their last load and their first store.

mod bits;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use program::places::Places;

use crate::code::{Line, Machine};
use crate::isa::{Isa, Kind, Role};
use crate::operand::{Label, Operand};
use bits::Bits;

/// A line that loads or stores bytes of an object at a fixed place.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    /// The object.
    pub object: Arc<str>,
    /// Where in it.
    pub at: i64,
    /// Bytes.
    pub size: i64,
    /// It loads, or else stores.
    pub loads: bool,
    /// What it loads or stores.
    pub register: Operand,
}

/// What a line loads or stores at a fixed place.
#[must_use]
pub fn accessed(isa: &Isa, line: &Line) -> Option<Access> {
    let Line::Machine(machine) = line else { return None };
    let form = isa.form(machine)?;
    let is = |n: usize, wanted: fn(&Operand) -> bool| machine.operands.get(n).is_some_and(wanted);
    let memory = (0..2).find(|n| is(*n, |o| matches!(o, Operand::Memory(_))))?;
    let other = 1 - memory;
    if machine.operands.len() != 2 || !is(other, |o| matches!(o, Operand::Register(_) | Operand::Word(_))) {
        return None;
    }
    let Operand::Memory(address) = &machine.operands[memory] else { return None };
    let object = address.at.symbol.as_ref().filter(|symbol| !symbol.contains([' ', '+']))?;
    let at = address.at.distance?;
    let size = if form.operands[other].0 == Kind::Word { 2 } else { 1 };
    let loads = form.operands[other].1 == Role::Define;
    Some(Access { object: Arc::clone(object), at, size, loads, register: machine.operands[other].clone() })
}

/// A line that loads or stores at another place.
fn readdressed(line: &Line, object: &Arc<str>, at: i64) -> Line {
    let Line::Machine(machine) = line else { return line.clone() };
    let mut machine: Machine = machine.clone();
    for operand in &mut machine.operands {
        if let Operand::Memory(address) = operand {
            (address.at.symbol, address.at.distance) = (Some(Arc::clone(object)), Some(at));
        }
    }
    Line::Machine(machine)
}

/// Lines with fewer bytes of the object `spill`, and how many.
///
/// `block` is an object that is needed at both ends of the function; it is left alone if lines reach it by pointers.
/// Each byte of `spill` is loaded and stored alone.
#[must_use]
pub fn packed(isa: &Isa, lines: &[Line], spill: &Arc<str>, block: &str) -> (Vec<Line>, u32) {
    let cells = Cells::new(isa, lines, spill, block);
    let mut clash = cells.clashes(lines);
    let stands = cells.merged(&mut clash);
    let (chosen, count) = cells.coloured(&clash, &stands, spill);
    let mut out = Vec::with_capacity(lines.len());
    let mut before: Option<Access> = None;
    for (line, known) in lines.iter().zip(&cells.at) {
        let new = match known {
            Some((cell, _)) => readdressed(line, &chosen[cell[0]].0, chosen[cell[0]].1),
            None => line.clone(),
        };
        let access = known.as_ref().and_then(|_| accessed(isa, &new));
        let copied = matches!((&before, &access), (Some(a), Some(b)) if a.loads && !b.loads && stores_back(a, b));
        if !copied {
            out.push(new);
            before = access;
        }
    }
    (out, count)
}

/// Whether a store puts what was loaded where it was.
fn stores_back(a: &Access, b: &Access) -> bool {
    (&a.object, a.at, a.size, &a.register) == (&b.object, b.at, b.size, &b.register)
}

type Place = (Arc<str>, i64);

/// Bytes of memory by number, and which of them each line loads or stores.
struct Cells {
    places: Vec<Place>,
    at: Vec<Option<(Vec<usize>, Access)>>,
    /// Those of the block.
    fixed: Vec<usize>,
}

impl Cells {
    fn new(isa: &Isa, lines: &[Line], spill: &Arc<str>, block: &str) -> Self {
        let found: Vec<Option<Access>> = lines.iter().map(|line| accessed(isa, line)).collect();
        let others = lines.iter().zip(&found).filter(|(_, access)| access.is_none());
        let pointed = block.is_empty() || others.into_iter().any(|(line, _)| names(line, block));
        let shared = |object: &str| object == &**spill || (!pointed && object == block);
        let mut numbers: HashMap<Place, usize> = HashMap::new();
        let mut places = Vec::new();
        let mut number = |place: Place| {
            *numbers.entry(place.clone()).or_insert_with(|| {
                places.push(place);
                places.len() - 1
            })
        };
        let mut at = Vec::with_capacity(lines.len());
        for access in found {
            at.push(access.filter(|a| shared(&a.object)).map(|a| {
                let cells = (0..a.size).map(|k| number((Arc::clone(&a.object), a.at + k))).collect();
                (cells, a)
            }));
        }
        let fixed = (0..places.len()).filter(|n| &*places[*n].0 == block).collect();
        Cells { places, at, fixed }
    }

    /// With which cells each is needed at the same time.
    fn clashes(&self, lines: &[Line]) -> Vec<Bits> {
        let count = self.places.len();
        let mut outside = Bits::new(count);
        self.fixed.iter().for_each(|n| outside.insert(*n));
        let mut heads: BTreeMap<u32, Bits> = BTreeMap::new();
        loop {
            let before = heads.clone();
            let mut clash = vec![Bits::new(count); count];
            let mut live = outside.clone();
            for (line, known) in lines.iter().zip(&self.at).rev() {
                match (line, known) {
                    (Line::Label(Label::Head(n)), _) => {
                        heads.insert(*n, live.clone());
                    }
                    (Line::Machine(machine), None) => {
                        if let Some(head) = branch(machine).and_then(|n| heads.get(&n)) {
                            live.add(head);
                        }
                    }
                    (_, Some((cells, access))) => live_before(cells, access, &mut live, &mut clash),
                    _ => {}
                }
            }
            if heads == before {
                return closed(clash, &live, &outside);
            }
        }
    }

    /// Makes cells of which one is copied to the other one cell, if possible; returns what stands for each.
    fn merged(&self, clash: &mut [Bits]) -> Vec<usize> {
        let mut stands: Vec<usize> = (0..self.places.len()).collect();
        for pair in self.at.windows(2) {
            let (Some((a, load)), Some((b, store))) = (&pair[0], &pair[1]) else { continue };
            let copied = load.loads && !store.loads && load.register == store.register;
            if !copied || a.len() > 1 || b.len() > 1 {
                continue;
            }
            let (one, other) = (find(&stands, a[0]), find(&stands, b[0]));
            let both_fixed = self.fixed.contains(&one) && self.fixed.contains(&other);
            if one == other || clash[one].contains(other) || both_fixed {
                continue;
            }
            let (one, other) = if self.fixed.contains(&one) { (one, other) } else { (other, one) };
            stands[other] = one;
            let others = clash[other].clone();
            clash[one].add(&others);
            for k in others.iter() {
                clash[k].insert(one);
            }
        }
        (0..stands.len()).map(|n| find(&stands, n)).collect()
    }

    /// The place of each cell: the block's own bytes first, then as few of `spill` as are needed.
    fn coloured(&self, clash: &[Bits], stands: &[usize], spill: &Arc<str>) -> (Vec<Place>, u32) {
        let count = self.places.len();
        let (given, mut slots) = (self.fixed.len(), Places::default());
        let mut chosen: Vec<usize> = vec![usize::MAX; count];
        for (at, n) in self.fixed.iter().enumerate() {
            slots.put(*n, at as u32, 1);
            chosen[*n] = at;
        }
        let mut rest: Vec<usize> = (0..count).filter(|n| chosen[*n] == usize::MAX && stands[*n] == *n).collect();
        rest.sort_by_key(|n| (std::cmp::Reverse(clash[*n].count()), *n));
        for cell in rest {
            chosen[cell] = slots.lowest(cell, 1, |other| clash[cell].contains(other)) as usize;
        }
        let place = |n: usize| match chosen[stands[n]] {
            at if at < given => self.places[self.fixed[at]].clone(),
            at => (Arc::clone(spill), (at - given) as i64),
        };
        ((0..count).map(place).collect(), slots.end() - given as u32)
    }
}

/// What is live before an access.
fn live_before(cells: &[usize], access: &Access, live: &mut Bits, clash: &mut [Bits]) {
    for cell in cells {
        if access.loads {
            live.insert(*cell);
        } else {
            live.remove(*cell);
        }
    }
    for cell in cells.iter().filter(|_| !access.loads) {
        clash[*cell].add(live);
    }
}

/// Clashes in both directions; what is live at the ends clashes with all that is.
fn closed(mut clash: Vec<Bits>, live: &Bits, outside: &Bits) -> Vec<Bits> {
    for (cell, others) in clash.iter_mut().enumerate() {
        if live.contains(cell) || outside.contains(cell) {
            let own = others.contains(cell);
            others.add(live);
            if !own {
                others.remove(cell);
            }
        }
    }
    for a in 0..clash.len() {
        for b in clash[a].clone().iter() {
            clash[b].insert(a);
        }
    }
    clash
}

fn branch(machine: &Machine) -> Option<u32> {
    machine.operands.iter().find_map(|o| match o {
        Operand::Label(Label::Head(n)) => Some(*n),
        _ => None,
    })
}

/// Whether a line names an object.
fn names(line: &Line, object: &str) -> bool {
    matches!(line, Line::Machine(machine) if machine.operands.iter().filter_map(Operand::expression).any(|e| e.names(object)))
}

fn find(stands: &[usize], mut n: usize) -> usize {
    while stands[n] != n {
        n = stands[n];
    }
    n
}
