//! Names of arrays: registers are found by them, so that two arrays whose words are needed at once have different ones.

use super::{Place, Sequence, Step};

/// From the step that first writes an array to the last that reads it; a result is read after the last step.
type Life = (usize, usize);

/// Renames each array that is needed while an earlier one of the same name and width is: `k`, `k_2`.
pub(super) fn tell_apart(sequence: &mut Sequence) {
    let lives: Vec<Option<Life>> = (0..sequence.arrays.len() as u32).map(|array| life(sequence, array)).collect();
    for array in 1..sequence.arrays.len() {
        let Some(own) = lives[array] else { continue };
        let name = sequence.arrays[array].name.clone();
        for number in 2.. {
            if !taken(sequence, &lives, array, own) {
                break;
            }
            sequence.arrays[array].name = format!("{name}_{number}");
        }
    }
}

/// Whether an earlier array has the name and width of one, and is needed while that is.
fn taken(sequence: &Sequence, lives: &[Option<Life>], array: usize, (from, to): Life) -> bool {
    let own = &sequence.arrays[array];
    let earlier = sequence.arrays[..array].iter().zip(lives);
    let mut same = earlier.filter(|(other, _)| (&other.name, other.width) == (&own.name, own.width));
    same.any(|(_, life)| life.is_some_and(|(begin, end)| begin < to && from < end))
}

/// The life of an array in steps; none if it is never in a register.
fn life(sequence: &Sequence, array: u32) -> Option<Life> {
    let of = |place: &Place| matches!(place, Place::Element(root, _) if *root == array);
    let end = sequence.steps.len();
    let written = sequence.steps.iter().position(|step| step.writes.iter().any(of));
    let selected = |step: &Step| step.selections.iter().any(|selection| selection.array == array);
    let read = sequence.steps.iter().rposition(|step| step.reads.iter().any(of) || selected(step));
    let result = sequence.results.iter().flatten().any(of);
    let last = if result { Some(end) } else { read };
    match (written, last) {
        (Some(first), last) => Some((first, last.unwrap_or(first).max(first))),
        (None, Some(last)) => Some((0, last)),
        (None, None) => None,
    }
}
