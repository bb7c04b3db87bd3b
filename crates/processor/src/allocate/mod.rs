//! Registers for scheduled code.
//!
//! The schedule stays as it is; what is added are copies that a loop or a tied operand needs, in free slots where there
//! are some. Values get registers by linear scan over the order of issue; the values of a software-pipelined loop get
//! rotating registers.

mod boundaries;
mod control;
mod frame;
mod handing;
mod live;
mod loops;
mod plan;
mod registers;
mod rotating;
mod scan;
mod spill;
mod stores;

pub(crate) use plan::find_copy;
pub use plan::{Block, Line, Shape};
pub use spill::{shared, spill, SpillPolicy};

use program::Diagnostic;

use crate::code::Code;
use crate::graph::Schedule;
use crate::model::Processor;

/// Code with registers: operations in their order, every operand as it stands in the text.
#[derive(Clone, Debug, Default)]
pub struct Allocation {
    /// What runs, one block after the other.
    pub blocks: Vec<Block>,
    /// Of each register class, the registers used, in the order of the instruction set's lists.
    pub used: Vec<Vec<String>>,
    /// Of each register class, how many of its rotating registers rotate in this kernel.
    pub rotating: Vec<usize>,
    /// Of each register class, the most values that are alive at one time outside of rotating registers.
    pub pressure: Vec<usize>,
    /// Copies that were added.
    pub copies: usize,
}

/// Gives registers to the values of scheduled code.
///
/// # Errors
/// `M401`: more values are alive at one time than there are registers; says how many, where, and which values.
/// `M402`: a tied operand's old value is needed after the operation, and the instruction set has no copy.
/// `M403`: the schedules do not fit the code.
/// `M404`: a software-pipelined loop asks for something that rotating registers cannot give.
pub fn allocate(code: &Code, schedules: &[Schedule], processor: &Processor) -> Result<Allocation, Diagnostic> {
    let mut plan = prepared(code, schedules, processor)?;
    boundaries::waits(&mut plan);
    let live = live::Live::of(&plan);
    plan.check_ties(&live)?;
    scan::assign(&plan, &live)
}

/// Scheduled code with everything that is added to it before values get registers.
fn prepared<'a>(code: &Code, schedules: &[Schedule], processor: &'a Processor) -> Result<plan::Plan<'a>, Diagnostic> {
    let mut plan = plan::Plan::new(code, schedules, processor)?;
    rotating::single_stage(&mut plan);
    loops::hand_over(&mut plan)?;
    rotating::prepare(&mut plan)?;
    control::close(&mut plan)?;
    Ok(plan)
}
