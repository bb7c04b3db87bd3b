//! Which values could leave their registers where most are alive, and where they are needed again.

use super::{saves, NEAR};
use crate::allocate::live::Live;
use crate::allocate::plan::Plan;
use crate::code::{Code, Op, Region, Use, ValueId};

/// A value that could leave its register at a tick.
pub(super) struct Victim {
    pub value: ValueId,
    /// Tick of the next use.
    pub next: u32,
    /// Regions of its uses behind the tick, and their numbers in them: it is made again near each.
    pub uses: Vec<(usize, Vec<usize>)>,
    /// Loops before which it is made again, once for all iterations.
    pub entries: Vec<usize>,
}

/// The values of a class that are alive at a tick and not needed soon. Pointers stay, because what is made again needs
/// them, and so does what one iteration of a loop hands to the next.
pub(super) fn candidates(code: &Code, plan: &Plan, live: &Live, class: usize, tick: u32) -> Vec<Victim> {
    let Some(part) = live.spans.iter().position(|s| tick <= s.1 + 1) else { return Vec::new() };
    let Some(search) = Search::new(code, plan, live, part, tick) else { return Vec::new() };
    let alive =
        |v: &usize| code.values[*v].class == class && live.segments[*v].iter().any(|s| s.start < tick && tick < s.end);
    (0..code.values.len()).filter(alive).filter_map(|v| search.victim(v as ValueId)).collect()
}

struct Search<'a> {
    code: &'a Code,
    /// Of each region and operation its tick.
    ticks: Vec<Vec<u32>>,
    /// Of each region its first tick and its last one.
    spans: Vec<(u32, u32)>,
    /// The region of the tick.
    here: usize,
    tick: u32,
}

impl<'a> Search<'a> {
    fn new(code: &'a Code, plan: &Plan, live: &Live, part: usize, tick: u32) -> Option<Self> {
        let mut ticks: Vec<Vec<u32>> = code.regions.iter().map(|r| vec![0; r.ops().len()]).collect();
        let mut spans = vec![(0, 0); code.regions.len()];
        let mut here = None;
        for (k, part_) in plan.parts.iter().enumerate() {
            for (planned, &at) in part_.ops.iter().zip(&live.ticks[k]) {
                let Some((region, op)) = planned.origin else { continue };
                ticks[region][op] = at;
                spans[region] = live.spans[k];
                here = if k == part { Some(region) } else { here };
            }
        }
        Some(Search { code, ticks, spans, here: here?, tick })
    }

    fn victim(&self, value: ValueId) -> Option<Victim> {
        let made = self.code.regions.iter().position(|r| r.ops().iter().any(|op| op.defines.contains(&value)))?;
        let handed = |r: &Region| match r {
            Region::Straight(_) => false,
            Region::Loop(l) => l.carried.iter().any(|c| c.value == value || c.next == value),
        };
        let inside = made != self.here && matches!(self.code.regions[made], Region::Loop(_));
        if inside || self.code.regions.iter().any(handed) {
            return None;
        }
        let mut found = Victim { value, next: u32::MAX, uses: Vec::new(), entries: Vec::new() };
        self.uses_here(made, &mut found);
        for region in self.here + 1..self.code.regions.len() {
            self.uses_behind(region, &mut found)?;
        }
        // Uses nearer than that would share the load with those before.
        let distant = found.next > self.tick + NEAR as u32 + 2;
        let needed = !found.uses.is_empty() || !found.entries.is_empty();
        (needed && (distant || self.moved_into_loops(&mut found))).then_some(found)
    }

    fn uses_here(&self, made: usize, found: &mut Victim) {
        let all = self.uses(self.here, found.value);
        let ticks = &self.ticks[self.here];
        let behind: Vec<usize> = all.iter().copied().filter(|&n| ticks[n] >= self.tick).collect();
        let next = behind.iter().map(|&n| ticks[n]).min();
        let outside = made != self.here && matches!(self.code.regions[self.here], Region::Loop(_));
        let uses = if outside { all } else { behind };
        let Some(first) = uses.iter().map(|&n| ticks[n]).min() else { return };
        // What a loop only reads is needed again in the next iteration.
        let (start, end) = self.spans[self.here];
        found.next = next.unwrap_or(end + first - start);
        found.uses.push((self.here, uses));
    }

    /// None if a loop is in the way.
    fn uses_behind(&self, region: usize, found: &mut Victim) -> Option<()> {
        let uses = self.uses(region, found.value);
        let ticks = &self.ticks[region];
        match &self.code.regions[region] {
            Region::Straight(_) => {
                found.next = uses.iter().map(|&n| ticks[n]).fold(found.next, u32::min);
                if !uses.is_empty() {
                    found.uses.push((region, uses));
                }
            }
            Region::Loop(l) => {
                if !uses.is_empty() || l.carried.iter().any(|c| c.init == found.value) {
                    let Region::Straight(_) = self.code.regions[region - 1] else { return None };
                    found.next = found.next.min(self.spans[region - 1].1);
                    found.entries.push(region);
                }
            }
        }
        Some(())
    }

    /// What is next needed by a loop soon to come is made again in its iterations instead; says whether that frees a register.
    fn moved_into_loops(&self, found: &mut Victim) -> bool {
        let starts = |region: &usize| match &self.code.regions[*region] {
            Region::Loop(l) => l.carried.iter().any(|c| c.init == found.value),
            Region::Straight(_) => false,
        };
        let soon = found.uses.iter().any(|(region, _)| *region == self.here);
        if soon || found.entries.first() != Some(&(self.here + 1)) || found.entries.iter().any(starts) {
            return false;
        }
        for region in std::mem::take(&mut found.entries) {
            found.uses.push((region, self.uses(region, found.value)));
        }
        found.uses.sort_unstable();
        found.next = self.tick + NEAR as u32 + 3;
        true
    }

    fn uses(&self, region: usize, value: ValueId) -> Vec<usize> {
        let reads = |op: &Op| op.uses.contains(&Use::Value(value)) || op.guard == Some(value);
        let ops = self.code.regions[region].ops().iter().enumerate();
        ops.filter(|(_, op)| reads(op) && !saves(self.code, op)).map(|(n, _)| n).collect()
    }
}
