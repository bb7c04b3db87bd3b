//! Loads that wait for stores to their places: those of earlier parts, and of earlier iterations of a loop.
//!
//! Only places that are known before the kernel runs are followed: whether a load from an address that depends on data meets
//! a store differs from run to run.

use super::plan::{Part, ScheduledOp};
use crate::dependences::store_to_load;
use crate::model::Processor;

/// Bytes of an object, and the cycle from which a load gets what was stored there.
struct Stored {
    object: usize,
    first: i64,
    end: i64,
    ready: i64,
}

/// Stores that a load may still have to wait for.
pub(super) struct Stores<'a> {
    processor: &'a Processor,
    recent: Vec<Stored>,
}

impl<'a> Stores<'a> {
    pub fn new(processor: &'a Processor) -> Stores<'a> {
        Stores { processor, recent: Vec::new() }
    }

    /// By how many cycles loads of an iteration come too early that begins in a cycle.
    pub fn late(&self, part: &Part, iteration: i64, begin: i64) -> i64 {
        if self.recent.is_empty() {
            return 0;
        }
        let loads = part.ops.iter().filter_map(|p| Some((p, place(p, iteration, false)?)));
        let late = loads.flat_map(|(p, (object, first, end))| {
            let meets = move |s: &&Stored| s.object == object && first < s.end && s.first < end;
            self.recent.iter().filter(meets).map(move |s| s.ready - begin - i64::from(p.cycle))
        });
        late.max().unwrap_or(0).max(0)
    }

    /// By how many cycles loads of a loop whose iterations overlap come too early for stores of earlier parts.
    pub fn late_in_any(&self, part: &Part, iterations: i64, begin: i64, interval: i64) -> i64 {
        let last = self.recent.iter().map(|s| s.ready).max().unwrap_or(begin);
        let near = (0..iterations).map(|n| (n, begin + n * interval)).take_while(|&(_, at)| at < last);
        near.map(|(n, at)| self.late(part, n, at)).max().unwrap_or(0)
    }

    /// Enters the stores of a part; returns how many cycles its iterations behind the first wait for them. Where iterations
    /// overlap, their schedule has seen to that.
    pub fn run(&mut self, part: &Part, iterations: i64, begin: i64, interval: i64, overlap: bool) -> i64 {
        let mut waited = 0;
        for n in 0..iterations {
            if n > 0 && !overlap {
                waited += self.late(part, n, begin + n * interval + waited);
            }
            self.enter(part, n, begin + n * interval + waited);
        }
        waited
    }

    fn enter(&mut self, part: &Part, iteration: i64, begin: i64) {
        self.recent.retain(|s| s.ready > begin);
        for planned in &part.ops {
            if let Some((object, first, end)) = place(planned, iteration, true) {
                let cycle = begin + i64::from(planned.cycle);
                let ready = cycle + i64::from(store_to_load(&planned.op, self.processor));
                self.recent.push(Stored { object, first, end, ready });
            }
        }
    }
}

/// The object and the bytes that an operation stores, or loads, in an iteration, where these do not depend on data.
fn place(planned: &ScheduledOp, iteration: i64, store: bool) -> Option<(usize, i64, i64)> {
    let access = planned.op.access.filter(|access| access.store == store)?;
    let (start, step) = access.offset?;
    let first = start + step * iteration;
    Some((access.object, first, first + i64::from(access.bytes)))
}
