//! Values that leave their registers for a while: constants are made again, others are stored and loaded again.

mod access;
mod carried;
mod places;
mod rewrite;
mod uses;
mod victims;

pub use places::shared;

use std::collections::HashSet;

use program::Diagnostic;

use super::live::{Live, Webs};
use super::loops;
use super::plan::Plan;
use super::scan::{limit, peak, peaks, registers};
use crate::code::{Access, Code, Op, Region, ValueId};
use crate::graph::Schedule;
use crate::model::Processor;

/// Name of the object for spilled values.
const NAME: &str = "spilled";
/// What ends the name of a value that is made or loaded again.
const AGAIN: &str = ".again";
/// Uses so close to each other share one load.
const NEAR: usize = 6;

/// A class, a tick at which it is short of registers, and of how many.
type Place = (usize, (u32, usize));

/// Which values leave their registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpillPolicy {
    /// Registers of every larger class that are to stay free.
    pub free: u32,
    /// What a loop makes or carries leaves its register as other values do; otherwise only where nothing else can.
    pub loops: bool,
}

/// Code in which fewer values are alive where more are than there are registers, or than are to stay in registers with
/// some of every larger class left free: what is needed latest there leaves its register. What a loop only reads is made
/// again or loaded in every iteration, or, where it is a loop behind that reads it, once before that; what a loop carries is
/// loaded and stored in every iteration. The code must be scheduled anew; `None` where all values fit.
///
/// # Errors
/// Those of [`super::allocate`] where nothing can leave.
pub fn spill(
    code: &Code,
    schedules: &[Schedule],
    processor: &Processor,
    leaving: SpillPolicy,
) -> Result<Option<Code>, Diagnostic> {
    let plan = super::prepared(code, schedules, processor)?;
    let live = Live::of(&plan);
    plan.check_ties(&live)?;
    let webs = loops::webs(&plan, &live).0;
    let error = match registers(&plan, &live, &webs) {
        Ok(_) => None,
        Err(error) if error.code == "M401" => Some(error),
        Err(error) => return Err(error),
    };
    if error.is_none() && leaving.free == 0 {
        return Ok(None);
    }
    let places = places(&plan, &webs, leaving.free, error.is_some());
    let times = victims::Times::new(code, &plan, &live);
    let loops: &[bool] = if leaving.loops { &[true] } else { &[false, true] };
    let tried = if error.is_some() { loops } else { &loops[..1] };
    let found = tried.iter().find_map(|&loops| left(code, &plan, &times, &places, loops));
    match error {
        Some(error) => found.or_else(|| apart(code)).map(Some).ok_or(error),
        None => Ok(found),
    }
}

/// Where registers are short, at least one place if they do not suffice.
fn places(plan: &Plan, webs: &Webs, free: u32, short: bool) -> Vec<Place> {
    let classes = 0..plan.processor.isa.registers.len();
    let free = |class: usize| if limit(plan, class) > 2 * free as usize { free as usize } else { 0 };
    let peaks = |class: usize| peaks(plan, webs, class, limit(plan, class) - free(class));
    let mut places: Vec<Place> =
        classes.clone().flat_map(|class| peaks(class).into_iter().map(move |p| (class, p))).collect();
    if places.is_empty() && short {
        // Linear scan fails before every register is taken.
        let over = |class: usize| peak(plan, webs, class).1 as i64 - limit(plan, class) as i64;
        let class = classes.max_by_key(|&class| over(class)).unwrap_or(0);
        places.push((class, (peak(plan, webs, class).0, 1)));
    }
    places
}

/// The code in which values have left their registers at some places; `None` where none can.
fn left(code: &Code, plan: &Plan, times: &victims::Times, places: &[Place], loops: bool) -> Option<Code> {
    let mut rewriter = rewrite::Rewriter::new(code.clone(), plan.isa());
    let mut removed: HashSet<ValueId> = HashSet::new();
    // In the order of time: what has left its register before is there for its uses only.
    for &(class, (tick, over)) in places {
        let mut found = victims::candidates(times, plan, class, tick);
        found.retain(|v| loops || !v.in_loop);
        found.sort_by_key(|v| (std::cmp::Reverse(v.next), v.value));
        let mut freed = found.iter().filter(|v| removed.contains(&v.value)).count();
        for victim in &found {
            if freed < over && !removed.contains(&victim.value) && rewriter.remove(victim) {
                freed += 1;
                removed.insert(victim.value);
                removed.extend(&victim.names);
            }
        }
    }
    (!removed.is_empty()).then_some(rewriter.code)
}

/// The code with an empty straight-line region between loops, and before one at its start, where what loops need can be stored and
/// loaded; `None` if it has them all.
fn apart(code: &Code) -> Option<Code> {
    let mut regions: Vec<Region> = Vec::new();
    for region in &code.regions {
        let straight = |r: &Region| matches!(r, Region::Straight(_));
        if !straight(region) && !regions.last().is_some_and(straight) {
            regions.push(Region::Straight(Vec::new()));
        }
        regions.push(region.clone());
    }
    (regions.len() > code.regions.len()).then(|| Code { regions, ..code.clone() })
}

/// Object and offset, if the operation stores a spilled value.
fn spilled(code: &Code, op: &Op) -> Option<(usize, Option<(i64, i64)>)> {
    op.access.filter(|a| a.store && code.objects[a.object].name == NAME).map(|a| (a.object, a.offset))
}

/// The operation stores a spilled value, which stays in its place.
fn saves(code: &Code, op: &Op) -> bool {
    spilled(code, op).is_some() && op.access.is_some_and(|access| once(code, access))
}

/// A single operation stores where an access is.
fn once(code: &Code, access: Access) -> bool {
    let same = |a: &Access| a.store && a.object == access.object && a.offset == access.offset;
    code.regions.iter().flat_map(Region::ops).filter_map(|op| op.access).filter(same).count() == 1
}
