//! Whether a schedule is one: by replaying it cycle by cycle. Shares no code with the schedulers.

use super::schedule::Schedule;
use crate::circuit::{Circuit, Wire};
use crate::fault::Fault;
use crate::target::Target;

/// Checks that no cycle begins more gates than `width`, that every operand is there, and that the length is right.
///
/// # Errors
/// `C211` with what is wrong.
pub fn check(circuit: &Circuit, target: &Target, width: Option<u32>, schedule: &Schedule) -> Result<(), Fault> {
    let wrong = |what: String| Err(Fault::new("C211", format!("the schedule is wrong: {what}")));
    if schedule.begins.len() != circuit.gates.len() {
        return wrong(format!("{} gates of {}", schedule.begins.len(), circuit.gates.len()));
    }
    let mut there = vec![u32::MAX; circuit.gates.len()];
    let mut done = 0;
    for cycle in 0..schedule.length {
        let now: Vec<usize> = (0..circuit.gates.len()).filter(|&n| schedule.begins[n] == cycle).collect();
        if width.is_some_and(|limit| now.len() > limit as usize) {
            return wrong(format!("{} gates begin in cycle {cycle}", now.len()));
        }
        for &n in &now {
            let missing = circuit.gates[n].operands.iter().any(|w| matches!(w, Wire::Gate(m) if there[*m] > cycle));
            if missing {
                return wrong(format!("gate {n} begins in cycle {cycle} before its operands are there"));
            }
        }
        for &n in &now {
            there[n] = cycle + target.operation(circuit.gates[n].function).map_or(1, |o| o.latency);
        }
        done += now.len();
    }
    let end = there.iter().copied().max().unwrap_or(0);
    if done != circuit.gates.len() || end != schedule.length {
        return wrong(format!(
            "{done} gates begin, the last result is there after {end} cycles of {}",
            schedule.length
        ));
    }
    Ok(())
}
