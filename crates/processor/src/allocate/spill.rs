//! Values that leave their registers for a while: constants are made again, others are stored and loaded again.

mod access;
mod rewrite;
mod victims;

use std::collections::HashSet;

use program::Diagnostic;

use super::live::Live;
use super::plan::Plan;
use super::scan::{limit, peak, peaks};
use super::{control, loops, rotating};
use crate::code::{Code, Op, ValueId};
use crate::graph::Schedule;
use crate::model::Processor;

/// Name of the object for spilled values.
const NAME: &str = "spilled";
/// Uses so close to each other share one load.
const NEAR: usize = 6;

/// A class, a tick at which it is short of registers, and of how many.
type Place = (usize, (u32, usize));

/// Code in which fewer values are alive where more are than there are registers, or than are to stay in registers with
/// some of every larger class left free: what is needed latest there leaves its register. What a loop only reads is made
/// again or loaded in every iteration, or, where it is a loop behind that reads it, once before that. The code must be scheduled
/// anew; `None` where all values fit.
///
/// # Errors
/// Those of [`super::allocate`] where nothing can leave.
pub fn spill(
    code: &Code,
    schedules: &[Schedule],
    processor: &Processor,
    free: u32,
) -> Result<Option<Code>, Diagnostic> {
    let error = match super::allocate(code, schedules, processor) {
        Ok(_) => None,
        Err(error) if error.code == "M401" => Some(error),
        Err(error) => return Err(error),
    };
    if error.is_none() && free == 0 {
        return Ok(None);
    }
    let mut plan = Plan::new(code, schedules, processor)?;
    loops::hand_over(&mut plan)?;
    rotating::prepare(&mut plan)?;
    control::close(&mut plan)?;
    let live = Live::of(&plan);
    let webs = loops::webs(&plan, &live).0;
    let classes = processor.isa.registers.len();
    let free = |class: usize| if limit(&plan, class) > 2 * free as usize { free as usize } else { 0 };
    let short = |class: usize| peaks(&plan, &webs, class, limit(&plan, class) - free(class));
    let mut places: Vec<Place> =
        (0..classes).flat_map(|class| short(class).into_iter().map(move |p| (class, p))).collect();
    if places.is_empty() {
        if error.is_none() {
            return Ok(None);
        }
        // Linear scan fails before every register is taken.
        let over = |class: usize| peak(&plan, &webs, class).1 as i64 - limit(&plan, class) as i64;
        let class = (0..classes).max_by_key(|&class| over(class)).unwrap_or(0);
        places.push((class, (peak(&plan, &webs, class).0, 1)));
    }
    let mut rewriter = rewrite::Rewriter::new(code.clone(), &processor.isa);
    let mut removed: HashSet<ValueId> = HashSet::new();
    // In the order of time: what has left its register before is there for its uses only.
    for (class, (tick, over)) in places {
        let mut found = victims::candidates(code, &plan, &live, class, tick);
        found.sort_by_key(|v| (std::cmp::Reverse(v.next), v.value));
        let mut freed = found.iter().filter(|v| removed.contains(&v.value)).count();
        for victim in &found {
            if freed < over && !removed.contains(&victim.value) && rewriter.remove(victim) {
                freed += 1;
                removed.insert(victim.value);
            }
        }
    }
    match error {
        Some(error) if removed.is_empty() => Err(error),
        _ => Ok((!removed.is_empty()).then_some(rewriter.code)),
    }
}

/// The operation stores a spilled value.
fn saves(code: &Code, op: &Op) -> bool {
    op.access.is_some_and(|a| a.store && code.objects[a.object].name == NAME)
}
