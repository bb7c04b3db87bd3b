//! Where the values of some code are made and used, found once for all.

use std::collections::HashMap;

use super::spilled;
use crate::code::{Code, Op, Region, Use, ValueId};

/// The region that makes each value, and the operations that use it, but for those that store it as a spilled value.
pub(super) struct Uses {
    made: Vec<Option<usize>>,
    /// Of each value the regions with uses, in their order, and the numbers of these.
    uses: Vec<Vec<(usize, Vec<usize>)>>,
}

impl Uses {
    pub fn new(code: &Code) -> Uses {
        let mut found = Uses { made: vec![None; code.values.len()], uses: vec![Vec::new(); code.values.len()] };
        let stores = stores(code);
        let saves = |op: &Op| spilled(code, op).is_some_and(|place| stores[&place] == 1);
        for (region, ops) in code.regions.iter().map(Region::ops).enumerate() {
            for (number, op) in ops.iter().enumerate() {
                for &value in &op.defines {
                    found.made[value as usize].get_or_insert(region);
                }
                if !saves(op) {
                    found.add(region, number, op);
                }
            }
        }
        found
    }

    fn add(&mut self, region: usize, number: usize, op: &Op) {
        let operands = op.uses.iter().filter_map(|used| match used {
            Use::Value(value) => Some(*value),
            _ => None,
        });
        for value in operands.chain(op.guard) {
            let regions = &mut self.uses[value as usize];
            match regions.last_mut() {
                Some((last, numbers)) if *last == region => {
                    if numbers.last() != Some(&number) {
                        numbers.push(number);
                    }
                }
                _ => regions.push((region, vec![number])),
            }
        }
    }

    /// The region that makes a value.
    pub fn made(&self, value: ValueId) -> Option<usize> {
        self.made[value as usize]
    }

    /// The numbers of the operations of a region that use a value.
    pub fn within(&self, region: usize, value: ValueId) -> &[usize] {
        let regions = &self.uses[value as usize];
        regions.binary_search_by_key(&region, |r| r.0).map_or(&[], |k| &regions[k].1)
    }
}

/// How many operations store at each place of a spilled value.
fn stores(code: &Code) -> HashMap<(usize, Option<(i64, i64)>), usize> {
    let mut found = HashMap::new();
    for place in code.regions.iter().flat_map(Region::ops).filter_map(|op| spilled(code, op)) {
        *found.entry(place).or_default() += 1;
    }
    found
}
