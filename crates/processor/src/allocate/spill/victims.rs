//! Which values could leave their registers where most are alive, and where they are needed again.

use super::uses::Uses;
use super::{AGAIN, NEAR};
use crate::allocate::live::{Live, Segment};
use crate::allocate::plan::Plan;
use crate::code::{Code, Region, ValueId};

/// A value that could leave its register at a tick.
pub(super) struct Victim {
    /// The value; of what a loop carries, that inside of the loop.
    pub value: ValueId,
    /// The region of the tick.
    pub here: usize,
    /// Tick of the next use.
    pub next: u32,
    /// Regions of its uses behind the tick, and their numbers in them: it is made again near each.
    pub uses: Vec<(usize, Vec<usize>)>,
    /// Loops before which it is made again, once for all iterations.
    pub entries: Vec<usize>,
    /// The loop that carries it: it is in memory from before the loop on, and every iteration loads and stores it.
    pub carrier: Option<usize>,
    /// A loop makes it, before the region of the tick, or carries it.
    pub in_loop: bool,
    /// The other values by which that loop carries it.
    pub names: Vec<ValueId>,
}

/// The values of a class that are alive at a tick and not needed soon. Pointers stay, because what is made again needs
/// them.
pub(super) fn candidates(times: &Times, plan: &Plan, class: usize, tick: u32) -> Vec<Victim> {
    let (code, live) = (times.code, times.live);
    let Some(part) = live.spans.iter().position(|s| tick <= s.1 + 1) else { return Vec::new() };
    let Some(here) = plan.parts[part].region else { return Vec::new() };
    let search = Search { code, times, here, tick };
    // Where a loop begins and ends, what it carries is handed over.
    let (first, last) = live.spans[part];
    let apart = u32::from((first..=last).contains(&tick));
    let alive = |v: &usize| {
        let there = |s: &Segment| s.start + apart <= tick && tick + apart <= s.end;
        code.values[*v].class == class && live.segments[*v].iter().any(there)
    };
    let mut found: Vec<Victim> =
        (0..code.values.len()).filter(alive).filter_map(|v| search.victim(v as ValueId)).collect();
    // What a loop carries is alive by up to three names.
    let mut carried: Vec<ValueId> = Vec::new();
    found.retain(|v| {
        v.carrier.is_none()
            || !carried.contains(&v.value) && {
                carried.push(v.value);
                true
            }
    });
    found
}

/// When operations run and where values are used: what every search for victims needs.
pub(super) struct Times<'a> {
    code: &'a Code,
    live: &'a Live,
    uses: Uses,
    /// Of each region and operation its tick.
    ticks: Vec<Vec<u32>>,
    /// Of each region its first tick and its last one.
    spans: Vec<(u32, u32)>,
}

impl<'a> Times<'a> {
    pub fn new(code: &'a Code, plan: &Plan, live: &'a Live) -> Self {
        let mut ticks: Vec<Vec<u32>> = code.regions.iter().map(|r| vec![0; r.ops().len()]).collect();
        let mut spans = vec![(0, 0); code.regions.len()];
        for (k, part_) in plan.parts.iter().enumerate() {
            part_.region.into_iter().for_each(|region| spans[region] = live.spans[k]);
            for (planned, &at) in part_.ops.iter().zip(&live.ticks[k]) {
                let Some((region, op)) = planned.origin else { continue };
                ticks[region][op] = at;
            }
        }
        Times { code, live, uses: Uses::new(code), ticks, spans }
    }
}

struct Search<'a> {
    code: &'a Code,
    times: &'a Times<'a>,
    /// The region of the tick.
    here: usize,
    tick: u32,
}

impl Search<'_> {
    fn victim(&self, value: ValueId) -> Option<Victim> {
        self.plain(value).or_else(|| self.carried(value))
    }

    fn new_victim(&self, value: ValueId) -> Victim {
        Victim {
            value,
            here: self.here,
            next: u32::MAX,
            uses: Vec::new(),
            entries: Vec::new(),
            carrier: None,
            in_loop: false,
            names: Vec::new(),
        }
    }

    /// What no loop carries from here on.
    fn plain(&self, value: ValueId) -> Option<Victim> {
        let made = self.times.uses.made(value)?;
        let handed = |(k, r): (usize, &Region)| match r {
            Region::Straight(_) => false,
            Region::Loop(l) => l.carried.iter().any(|c| c.value == value || (c.next == value && k >= self.here)),
        };
        // What a loop before gave is stored behind that.
        let stored = |k: usize| matches!(self.code.regions.get(k), Some(Region::Straight(_)));
        if (made != self.here && !stored(made) && !stored(made + 1)) || self.code.regions.iter().enumerate().any(handed)
        {
            return None;
        }
        let mut found = Victim { in_loop: made != self.here && !stored(made), ..self.new_victim(value) };
        self.uses_here(made, &mut found);
        for region in self.here + 1..self.code.regions.len() {
            self.uses_behind(region, &mut found)?;
        }
        // What was made again for a loop would be made again in the same place.
        let again = self.code.values[value as usize].name.ends_with(AGAIN);
        let needed = !found.uses.is_empty() || (!found.entries.is_empty() && !again);
        (needed && (self.distant(found.next) || self.moved_into_loops(&mut found))).then_some(found)
    }

    /// Uses nearer than that would share the load with those before.
    fn distant(&self, next: u32) -> bool {
        next > self.tick + NEAR as u32 + 2
    }

    /// What the loop here carries, or what the next loop that begins with the value does.
    fn carried(&self, value: ValueId) -> Option<Victim> {
        let carries = |k: usize| match &self.code.regions[k] {
            Region::Straight(_) => None,
            Region::Loop(l) if k == self.here => l.carried.iter().find(|c| c.value == value || c.next == value),
            Region::Loop(l) => l.carried.iter().find(|c| c.init == value),
        };
        let (region, carried) =
            (self.here..self.code.regions.len()).find_map(|k| carries(k).map(|carried| (k, *carried)))?;
        let straight = |k: usize| matches!(self.code.regions.get(k), Some(Region::Straight(_)) | None);
        if region == 0 || !straight(region - 1) || !straight(region + 1) {
            return None;
        }
        let behind = |id: ValueId, k: usize| match &self.code.regions[k] {
            Region::Straight(_) => !self.uses(k, id).is_empty(),
            Region::Loop(l) => l.carried.iter().any(|c| c.init == id || c.next == id) || !self.uses(k, id).is_empty(),
        };
        let later = || region + 1..self.code.regions.len();
        // Before a loop that needs it, it is loaded.
        let loaded = |k: usize| straight(k) || straight(k - 1) || !behind(carried.next, k);
        if later().any(|k| behind(carried.value, k)) || !later().all(loaded) {
            return None;
        }
        let names = vec![carried.init, carried.next];
        let mut found = Victim { carrier: Some(region), in_loop: true, names, ..self.new_victim(carried.value) };
        let (start, end) = self.times.spans[region];
        let first = |k: usize, id: ValueId, from: u32| {
            self.uses(k, id).iter().map(|&n| self.times.ticks[k][n]).filter(|&t| t >= from).min()
        };
        let again = first(region, carried.value, 0).unwrap_or(end);
        found.next = if region > self.here {
            first(self.here, value, self.tick).unwrap_or(again)
        } else {
            first(region, value, self.tick).unwrap_or(end + again - start)
        };
        self.distant(found.next).then_some(found)
    }

    fn uses_here(&self, made: usize, found: &mut Victim) {
        let all = self.uses(self.here, found.value);
        let ticks = &self.times.ticks[self.here];
        let behind: Vec<usize> = all.iter().copied().filter(|&n| ticks[n] >= self.tick).collect();
        let next = behind.iter().map(|&n| ticks[n]).min();
        let outside = made != self.here && matches!(self.code.regions[self.here], Region::Loop(_));
        let uses = if outside { all.to_vec() } else { behind };
        let Some(first) = uses.iter().map(|&n| ticks[n]).min() else { return };
        // What a loop only reads is needed again in the next iteration.
        let (start, end) = self.times.spans[self.here];
        found.next = next.unwrap_or(end + first - start);
        found.uses.push((self.here, uses));
    }

    /// None if a loop is in the way.
    fn uses_behind(&self, region: usize, found: &mut Victim) -> Option<()> {
        let uses = self.uses(region, found.value);
        let ticks = &self.times.ticks[region];
        match &self.code.regions[region] {
            Region::Straight(_) => {
                found.next = uses.iter().map(|&n| ticks[n]).fold(found.next, u32::min);
                if !uses.is_empty() {
                    found.uses.push((region, uses.to_vec()));
                }
            }
            Region::Loop(l) => {
                if !uses.is_empty() || l.carried.iter().any(|c| c.init == found.value) {
                    let Region::Straight(_) = self.code.regions[region - 1] else { return None };
                    found.next = found.next.min(self.times.spans[region - 1].1);
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
            found.uses.push((region, self.uses(region, found.value).to_vec()));
        }
        found.uses.sort_unstable();
        found.next = self.tick + NEAR as u32 + 3;
        true
    }

    fn uses(&self, region: usize, value: ValueId) -> &[usize] {
        self.times.uses.within(region, value)
    }
}
