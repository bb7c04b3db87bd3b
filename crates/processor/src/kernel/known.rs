//! What was found of a region: several ways to fit a kernel to the registers ask for the same bounds and schedules.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, OnceLock};

use super::{Part, Settings};
use crate::bounds::Bounded;
use crate::schedule::{Lifetime, List, UnlimitedSchedule};

/// What was found of one region, on the one processor that its code was selected for.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub values: OnceLock<Vec<Lifetime>>,
    pub bounded: OnceLock<Bounded>,
    unlimited: Kept<List, UnlimitedSchedule>,
    /// Schedules by how they were made, and how many registers stayed free.
    parts: Kept<(Settings, u32), Part>,
}

impl Known {
    /// The schedule without limits; made if it is not known.
    pub fn unlimited(&self, options: List, make: impl FnOnce() -> UnlimitedSchedule) -> Arc<UnlimitedSchedule> {
        self.unlimited.get(options, make)
    }

    /// The schedule with some registers free; made if it is not known.
    pub fn part(&self, settings: Settings, free: u32, make: impl FnOnce() -> Part) -> Part {
        (*self.parts.get((settings, free), make)).clone()
    }
}

#[derive(Debug)]
struct Kept<K, V>(Mutex<HashMap<K, Arc<V>>>);

impl<K, V> Default for Kept<K, V> {
    fn default() -> Self {
        Kept(Mutex::default())
    }
}

impl<K: Hash + Eq, V> Kept<K, V> {
    /// What is kept of a key; nothing is locked while it is made.
    fn get(&self, key: K, make: impl FnOnce() -> V) -> Arc<V> {
        if let Some(found) = self.0.lock().expect("nobody panics with it").get(&key) {
            return Arc::clone(found);
        }
        let made = Arc::new(make());
        self.0.lock().expect("nobody panics with it").insert(key, Arc::clone(&made));
        made
    }
}
