//! Which instructions can launch together: the matching of instructions to ports, tabulated.

use std::collections::BTreeMap;

use super::issue::Matching;
use super::listing::Listing;
use crate::model::Processor;

/// Ports that instructions of one cycle have taken: a state of [`Choices`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ports(u16);

/// For every set of launched instructions and every further one, whether there are ports for all.
#[derive(Clone, Debug)]
pub struct Choices {
    /// Of each operation its need, an index into `needs`.
    kinds: Vec<u16>,
    needs: Vec<Vec<u64>>,
    /// Of each state and need the next state.
    next: Vec<Vec<Option<u16>>>,
    limited: bool,
}

impl Choices {
    /// Tabulates the ports for the operations of a text.
    #[must_use]
    pub fn new(listing: &Listing, processor: &Processor) -> Choices {
        let all = 1u64.checked_shl(processor.ports.len() as u32).map_or(u64::MAX, |bit| bit - 1);
        let mut needs: Vec<Vec<u64>> = Vec::new();
        let mut kinds = Vec::new();
        for op in &listing.ops {
            let class = op.instruction.map(|i| &processor.classes[processor.class_of(i)]);
            let need = class.map_or_else(|| vec![all], |c| c.masks().collect());
            let kind = needs.iter().position(|n| *n == need).unwrap_or(needs.len());
            if kind == needs.len() {
                needs.push(need);
            }
            kinds.push(kind as u16);
        }
        let limited = !processor.infinite;
        let next = if limited { table(&needs) } else { Vec::new() };
        Choices { kinds, needs, next, limited }
    }

    /// Takes ports for an operation; false if there are none.
    #[inline]
    #[must_use]
    pub fn take(&self, op: u32, taken: &mut Ports) -> bool {
        if !self.limited {
            return true;
        }
        let next = self.next[usize::from(taken.0)][usize::from(self.kinds[op as usize])];
        taken.0 = next.unwrap_or(taken.0);
        next.is_some()
    }

    /// The ports that an operation can take.
    #[must_use]
    pub fn ports(&self, op: u32) -> u64 {
        self.needs[usize::from(self.kinds[op as usize])][0]
    }
}

/// States are multisets of needs that have a matching, found from the empty one on.
fn table(needs: &[Vec<u64>]) -> Vec<Vec<Option<u16>>> {
    let mut states: Vec<Vec<usize>> = vec![Vec::new()];
    let mut numbers: BTreeMap<Vec<usize>, u16> = BTreeMap::from([(Vec::new(), 0)]);
    let mut next: Vec<Vec<Option<u16>>> = Vec::new();
    while next.len() < states.len() {
        let mut row = Vec::new();
        for kind in 0..needs.len() {
            let mut state = states[next.len()].clone();
            state.push(kind);
            state.sort_unstable();
            row.push(fits(&state, needs).then(|| {
                *numbers.entry(state.clone()).or_insert_with(|| {
                    states.push(state);
                    states.len() as u16 - 1
                })
            }));
        }
        next.push(row);
    }
    next
}

fn fits(state: &[usize], needs: &[Vec<u64>]) -> bool {
    let mut matching = Matching::default();
    state.iter().all(|&kind| needs[kind].iter().all(|&mask| matching.add(mask)))
}
