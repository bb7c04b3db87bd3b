//! Which loads and stores keep their order.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::code::Instruction;

/// Keeps loads and stores of an object in order, unless they are known to be of different words.
pub(super) fn add_memory(items: &[Arc<Instruction>], before: &mut [BTreeSet<usize>]) {
    let apart = apart(items);
    let mut loads: HashMap<(&Arc<str>, Option<i64>), Vec<usize>> = HashMap::new();
    let mut stored: HashMap<(&Arc<str>, Option<i64>), usize> = HashMap::new();
    for (n, i) in items.iter().enumerate() {
        let Some(memory) = &i.memory else { continue };
        let word = memory.place.as_ref().map(|(_, _, at)| at.div_euclid(2)).filter(|_| apart.contains(&memory.object));
        let key = (&memory.object, word);
        if memory.stores {
            before[n].extend(loads.remove(&key).into_iter().flatten());
            before[n].extend(stored.insert(key, n));
        } else {
            before[n].extend(stored.get(&key));
            loads.entry(key).or_default().push(n);
        }
    }
}

/// The objects of which every load and store says the same register, and a place of its own.
fn apart(items: &[Arc<Instruction>]) -> HashSet<Arc<str>> {
    let mut places: HashMap<&Arc<str>, Option<&Arc<str>>> = HashMap::new();
    for memory in items.iter().filter_map(|i| i.memory.as_ref()) {
        let register = memory.place.as_ref().map(|(register, _, _)| register);
        let known = places.entry(&memory.object).or_insert(register);
        if register.is_none() || *known != register {
            *known = None;
        }
    }
    places.into_iter().filter(|(_, register)| register.is_some()).map(|(object, _)| Arc::clone(object)).collect()
}
