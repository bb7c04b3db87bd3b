//! The functional simulator: what every operation of the text does to registers and memory.

use program::diagnostic::SourcePlace;
use program::Diagnostic;

use super::listing::{CompactOperation, Flow, Listing, RotatingRegisters, TextOp};
use super::slots::{Slot, ONE};
use super::state::State;

/// What one step was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExecutedStep {
    /// The operation.
    pub op: u32,
    /// Its guard held, and it was not nullified.
    pub active: bool,
    /// The text goes on elsewhere than with the next operation.
    pub taken: bool,
}

/// An operation that cannot run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExecutionFault(u32);

/// Where a run is. Operations of a group run one after the other: the reader of the text made sure that none reads what an
/// earlier one of its group writes, so this is the same as reading everything first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// The next operation.
    pub at: u32,
    /// The one after it; elsewhere than `at + 1` in the delay slot of a branch.
    pub then: u32,
    nullify: bool,
    rotations: u32,
    /// The loop counters before the branch that rotates.
    before: (u64, u64),
}

impl Cursor {
    /// The beginning of a text.
    #[must_use]
    pub fn start() -> Cursor {
        Cursor { at: 0, then: 1, nullify: false, rotations: 0, before: (0, 0) }
    }

    /// Runs one operation; `DELAY`: branches have delay slots.
    ///
    /// # Errors
    /// The operation that cannot run; [`diagnose`] says why.
    #[inline]
    pub fn step<const DELAY: bool>(
        &mut self,
        listing: &Listing,
        state: &mut State,
    ) -> Result<ExecutedStep, ExecutionFault> {
        let index = self.at;
        let op = listing.fast[index as usize];
        let active = state.get(op.guard) != 0 && !(DELAY && self.nullify);
        if DELAY {
            self.nullify = false;
        }
        self.at = self.then;
        self.then = self.at.wrapping_add(1);
        if !active {
            return Ok(ExecutedStep { op: index, active, taken: false });
        }
        if op.special {
            return self.special::<DELAY>(listing, state, index);
        }
        run_steps(listing, state, op, index)?;
        Ok(ExecutedStep { op: index, active, taken: false })
    }

    /// Runs an operation that is not only its steps.
    fn special<const DELAY: bool>(
        &mut self,
        listing: &Listing,
        state: &mut State,
        index: u32,
    ) -> Result<ExecutedStep, ExecutionFault> {
        let op = &listing.ops[index as usize];
        if excluded(op, state).is_some() {
            return Err(ExecutionFault(index));
        }
        if let Flow::Rotating(..) = op.flow {
            self.before = (state.get(listing.counters.iterations), state.get(listing.counters.epilogue));
        }
        run_steps(listing, state, listing.fast[index as usize], index)?;
        let target = self.go(listing, state, op.flow);
        if DELAY {
            self.nullify |= op.nullifies && nullifies_delay_slot(op.flow, index, target);
            self.then = target.unwrap_or(self.then);
        } else if let Some(target) = target {
            (self.at, self.then) = (target, target.wrapping_add(1));
        }
        Ok(ExecutedStep { op: index, active: true, taken: target.is_some() })
    }

    /// How far the registers have rotated.
    #[inline]
    #[must_use]
    pub fn rotations(&self) -> u32 {
        self.rotations
    }

    /// Whether the text is at its end.
    #[inline]
    #[must_use]
    pub fn done(&self, listing: &Listing) -> bool {
        self.at as usize >= listing.ops.len()
    }

    fn go(&mut self, listing: &Listing, state: &mut State, flow: Flow) -> Option<u32> {
        match flow {
            Flow::Next => None,
            Flow::Return => Some(u32::MAX),
            Flow::Jump(target) => Some(target),
            Flow::Conditional(target, slot) => (state.get(slot) != 0).then_some(target),
            Flow::Nullify(slot) => {
                self.nullify = state.get(slot) != 0;
                None
            }
            Flow::Counted(target) => {
                let iterations = state.get(listing.counters.iterations);
                state.set(listing.counters.iterations, iterations.saturating_sub(1));
                (iterations != 0).then_some(target)
            }
            Flow::Rotating(target, jump) => self.rotating_branch(listing, state, jump).then_some(target),
            Flow::Clear => {
                for file in &listing.rotating {
                    let back = self.rotations as usize % usize::from(file.count);
                    run_of(state, file).rotate_left(back);
                }
                self.rotations = 0;
                None
            }
        }
    }

    /// `br.ctop`: counts, rotates, and says whether it is taken.
    fn rotating_branch(&mut self, listing: &Listing, state: &mut State, jump: Option<Slot>) -> bool {
        let counters = listing.counters;
        let (iterations, epilogue) = self.before;
        let (stage, rotate) = (u64::from(iterations != 0), iterations != 0 || epilogue != 0);
        if jump.is_none() && iterations != 0 {
            state.set(counters.iterations, iterations - 1);
        } else if jump.is_none() && epilogue != 0 {
            state.set(counters.epilogue, epilogue - 1);
        }
        for file in &listing.rotating {
            if rotate {
                run_of(state, file).rotate_right(1);
            }
            if file.predicates {
                // The register that the first one is after the rotation; without one, the last.
                let slot = if rotate { file.first } else { file.first + file.count - 1 };
                state.set(slot, stage);
            }
        }
        self.rotations += u32::from(rotate);
        jump.map_or(iterations != 0 || epilogue > 1, |slot| state.get(slot) != 0)
    }
}

/// Whether a branch `,n` skips its delay slot: backwards when it is not taken, else when it is.
fn nullifies_delay_slot(flow: Flow, from: u32, target: Option<u32>) -> bool {
    match flow {
        Flow::Conditional(to, _) if to <= from => target.is_none(),
        _ => target.is_some(),
    }
}

fn run_of<'s>(state: &'s mut State, file: &RotatingRegisters) -> &'s mut [u64] {
    let first = usize::from(file.first);
    &mut state.file[first..first + usize::from(file.count)]
}

/// Runs a text to its end; counts the operations, those with a false guard too, and those that do something.
///
/// # Errors
/// M510, M511; M512: more than `limit` operations.
pub fn run<const DELAY: bool>(listing: &Listing, state: &mut State, limit: u64) -> Result<(u64, u64), Diagnostic> {
    let mut cursor = Cursor::start();
    let (mut count, mut useful) = (0u64, 0u64);
    while !cursor.done(listing) {
        let ran = cursor.step::<DELAY>(listing, state).map_err(|failed| diagnose(listing, state, failed))?;
        count += 1;
        useful += u64::from(ran.active && !listing.fast[ran.op as usize].nop);
        if count > limit {
            return Err(too_long(listing, ran.op, limit));
        }
    }
    Ok((count, useful))
}

/// The error of a text that does not end.
#[must_use]
pub fn too_long(listing: &Listing, op: u32, limit: u64) -> Diagnostic {
    error(listing, "M512", op_at(listing, op), format!("the text has not ended after {limit} operations"))
        .help("a loop's counter may be wrong, or the limit too low")
}

fn op_at(listing: &Listing, op: u32) -> &TextOp {
    &listing.ops[op as usize]
}

/// An error of a run, at the line of an operation.
#[must_use]
pub fn error(listing: &Listing, code: &'static str, op: &TextOp, message: String) -> Diagnostic {
    let mut error = Diagnostic::new(code, message);
    error.places.push(SourcePlace { file: listing.file.clone(), line: op.line, column: 1 });
    error
}

/// Why an operation cannot run.
#[cold]
#[must_use]
pub fn diagnose(listing: &Listing, state: &State, failed: ExecutionFault) -> Diagnostic {
    let op = op_at(listing, failed.0);
    match excluded(op, state) {
        Some(earlier) => both_run(listing, op, op_at(listing, earlier)),
        None => fault(listing, op, state),
    }
}

fn fault(listing: &Listing, op: &TextOp, state: &State) -> Diagnostic {
    // The run stopped at the faulty access: its address is the last one touched.
    let address = state.memory.touched;
    let (bytes, store) = op.memory.unwrap_or((0, false));
    let kind = if store { "writes" } else { "reads" };
    let (base, size) = (state.memory.base, state.memory.bytes.len() as u64);
    let message = format!("`{}` {kind} {bytes} bytes at {address:#x}", op.text);
    let inside = address >= base && address - base < size;
    let note = match inside && address % u64::from(bytes.max(1)) != 0 {
        true => format!("the address is no multiple of {bytes}"),
        false => format!("the memory is {base:#x} to {:#x}", base + size),
    };
    error(listing, "M510", op, message).note(note)
}

/// An operation of the same group that runs, too, and must not.
fn excluded(op: &TextOp, state: &State) -> Option<u32> {
    op.exclusive.iter().find(|(guard, _)| *guard != ONE && state.get(*guard) != 0).map(|(_, earlier)| *earlier)
}

fn both_run(listing: &Listing, op: &TextOp, other: &TextOp) -> Diagnostic {
    let message = format!("`{}` and an operation of its own group touch one register, and both run", op.text);
    error(listing, "M511", op, message)
        .note(format!("written in line {}: `{}`", other.line, other.text))
        .help("put a stop `;;` between them, or guard them by predicates that exclude each other")
}

#[inline]
fn run_steps(listing: &Listing, state: &mut State, op: CompactOperation, index: u32) -> Result<(), ExecutionFault> {
    for step in &listing.steps[op.steps.0 as usize..op.steps.1 as usize] {
        if step.run(&mut state.file, &mut state.memory).is_err() {
            return Err(ExecutionFault(index));
        }
    }
    Ok(())
}
