//! Values that leave their registers for a while: constants are made again, others are stored and loaded again.

mod access;
mod rewrite;
mod victims;

use program::Diagnostic;

use super::live::Live;
use super::plan::Plan;
use super::scan::{limit, peak};
use super::{control, loops, rotating};
use crate::code::{Code, Op};
use crate::graph::Schedule;
use crate::model::Processor;

/// Name of the object for spilled values.
const NAME: &str = "spilled";
/// Uses so close to each other share one load.
const NEAR: usize = 6;

/// Code in which fewer values are alive where most are: what is needed latest there leaves its register. What a loop only
/// reads is made again or loaded in every trip, or, where it is a loop behind that reads it, once before that. The code
/// must be scheduled anew; `None` where all values fit.
///
/// # Errors
/// Those of [`super::allocate`] where nothing can leave.
pub fn spill(code: &Code, schedules: &[Schedule], processor: &Processor) -> Result<Option<Code>, Diagnostic> {
    let error = match super::allocate(code, schedules, processor) {
        Ok(_) => return Ok(None),
        Err(error) if error.code == "M401" => error,
        Err(error) => return Err(error),
    };
    let mut plan = Plan::new(code, schedules, processor)?;
    loops::hand_over(&mut plan)?;
    rotating::prepare(&mut plan)?;
    control::close(&mut plan)?;
    let live = Live::of(&plan);
    let webs = loops::webs(&plan, &live).0;
    let over = |class: usize| peak(&plan, &webs, class).1 as i64 - limit(&plan, class) as i64;
    let class = (0..processor.isa.registers.len()).max_by_key(|&class| over(class)).unwrap_or(0);
    let tick = peak(&plan, &webs, class).0;
    let mut found = victims::candidates(code, &plan, &live, class, tick);
    found.sort_by_key(|v| (std::cmp::Reverse(v.next), v.value));
    let mut rewriter = rewrite::Rewriter::new(code.clone(), &processor.isa);
    let mut freed = 0;
    for victim in &found {
        if freed < over(class).max(1) {
            freed += i64::from(rewriter.remove(victim));
        }
    }
    if freed == 0 {
        return Err(error);
    }
    Ok(Some(rewriter.code))
}

/// The operation stores a spilled value.
fn saves(code: &Code, op: &Op) -> bool {
    op.access.is_some_and(|a| a.store && code.objects[a.object].name == NAME)
}
