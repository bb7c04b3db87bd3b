//! Where the key schedule stores each value: one array per width, with one element for each value and iteration.

use std::collections::{BTreeMap, HashMap};

use super::analysis::Sites;
use crate::ir::{Address, Affine, Block, Function, Loop, OpKind, Type, ValueId};

/// The array for values of one width.
#[derive(Debug)]
pub struct Layout {
    width: u8,
    /// Number of elements.
    pub length: u32,
    /// Whether some element stands for no value, since the bodies of a loop differ in how many they have.
    pub has_gaps: bool,
    addresses: HashMap<ValueId, Address>,
}

impl Layout {
    /// The arrays for all widths.
    #[must_use]
    pub fn of_all(function: &Function, sites: &Sites) -> BTreeMap<u8, Layout> {
        sites.widths(function).into_keys().map(|width| (width, Layout::of(function, sites, width))).collect()
    }

    fn of(function: &Function, sites: &Sites, width: u8) -> Layout {
        let is_site = |v: ValueId| sites.contains(v) && function.values[v.0 as usize].ty == Type::Word(width);
        let mut layout = Layout { width, length: 0, has_gaps: false, addresses: HashMap::new() };
        layout.length = layout.block(&function.body, &Affine::default(), &is_site);
        layout
    }

    /// Type of the array.
    #[must_use]
    pub fn ty(&self) -> Type {
        super::array_type(self.width, self.length)
    }

    /// Where a value is stored, if it is.
    #[must_use]
    pub fn address(&self, value: ValueId) -> Option<Address> {
        self.addresses.get(&value).cloned()
    }

    /// Gives addresses to the values of a block, from a start; how many elements they take.
    fn block(&mut self, block: &Block, start: &Affine, is_site: &dyn Fn(ValueId) -> bool) -> u32 {
        let mut length = 0;
        for op in &block.ops {
            let mut affine = start.clone();
            affine.constant += i64::from(length);
            if let OpKind::Loop(l) = &op.kind {
                length += self.iterations(l, &affine, is_site);
            }
            for &v in op.results.iter().filter(|&&v| is_site(v)) {
                let mut affine = start.clone();
                affine.constant += i64::from(length);
                self.addresses.insert(v, Address { affine, ring: false });
                length += 1;
            }
        }
        length
    }

    fn iterations(&mut self, l: &Loop, start: &Affine, is_site: &dyn Fn(ValueId) -> bool) -> u32 {
        let mut count = |block: &Block| Layout::count(block, is_site);
        let lengths: Vec<u32> = l.bodies.iter().map(&mut count).collect();
        let stride = lengths.iter().copied().max().unwrap_or(0);
        self.has_gaps |= lengths.iter().any(|&n| n != stride);
        for body in &l.bodies {
            let mut affine = start.clone();
            if stride > 0 {
                affine.terms.push((i64::from(stride), body.params[0]));
            }
            self.block(body, &affine, is_site);
        }
        stride * l.pattern.len() as u32
    }

    fn count(block: &Block, is_site: &dyn Fn(ValueId) -> bool) -> u32 {
        let own = |op: &crate::ir::Op| op.results.iter().filter(|&&v| is_site(v)).count() as u32;
        let inside = |op: &crate::ir::Op| match &op.kind {
            OpKind::Loop(l) => {
                let stride = l.bodies.iter().map(|b| Layout::count(b, is_site)).max().unwrap_or(0);
                stride * l.pattern.len() as u32
            }
            _ => 0,
        };
        block.ops.iter().map(|op| own(op) + inside(op)).sum()
    }
}
