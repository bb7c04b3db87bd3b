//! Ways of running with fewer steps, spread over the steps of the longest: what they pass by are steps that do nothing.

use program::ir::{Function, Program};

use super::program_union::import;
use crate::sequence::{Body, Sequence, Step};

/// Gives all sequences the steps of the longest: equal bodies come to the same step where the order allows it, and those of a
/// sequence that has none there are passed by, as late as can be.
pub(super) fn align(sequences: &mut [&mut Sequence]) {
    let mut program = Program::default();
    let mut names = |s: &Sequence| -> Vec<String> {
        let own = s.program.functions.iter().map(|f| import(&mut program, &s.program, f, &f.name));
        let own: Vec<String> = own.collect();
        s.steps.iter().map(|step| own[step.body].clone()).collect()
    };
    let bodies: Vec<Vec<String>> = sequences.iter().map(|s| names(s)).collect();
    let Some(longest) = bodies.iter().max_by_key(|b| b.len()).cloned() else { return };
    for (sequence, bodies) in sequences.iter_mut().zip(&bodies) {
        if bodies.len() < longest.len() {
            spread(sequence, &places(bodies, &longest), longest.len());
        }
    }
}

/// For every body its place in a longer list, ascending, with as many equal ones as can be.
fn places(bodies: &[String], longest: &[String]) -> Vec<usize> {
    // Most equal bodies of those from i on, placed from j on.
    let (rows, columns) = (bodies.len(), longest.len());
    let mut most = vec![vec![None::<usize>; columns + 1]; rows + 1];
    most[rows] = vec![Some(0); columns + 1];
    for i in (0..rows).rev() {
        for j in (0..columns).rev() {
            let here = most[i + 1][j + 1].map(|n| n + usize::from(bodies[i] == longest[j]));
            most[i][j] = here.max(most[i][j + 1]);
        }
    }
    let (mut list, mut j) = (Vec::new(), 0);
    for i in 0..rows {
        while most[i][j] != most[i + 1][j + 1].map(|n| n + usize::from(bodies[i] == longest[j])) {
            j += 1;
        }
        list.push(j);
        j += 1;
    }
    list
}

fn spread(sequence: &mut Sequence, places: &[usize], count: usize) {
    let body = sequence.bodies.len();
    sequence.bodies.push(Body { function: "bypass".to_owned(), wiring: true, addresses: Vec::new() });
    sequence.program.functions.push(Function { name: "bypass".to_owned(), ..Function::default() });
    let bypass = Step {
        body,
        reads: Vec::new(),
        selections: Vec::new(),
        constants: Vec::new(),
        writes: Vec::new(),
        iteration: String::new(),
    };
    let mut steps = vec![bypass; count];
    for (step, &at) in std::mem::take(&mut sequence.steps).into_iter().zip(places) {
        steps[at] = step;
    }
    sequence.steps = steps;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Vec<String> {
        text.chars().map(String::from).collect()
    }

    #[test]
    fn equal_bodies_come_together() {
        assert_eq!(places(&list("IRRF"), &list("IRRRRF")), [0, 1, 2, 5]);
        assert_eq!(places(&list("ABC"), &list("ABC")), [0, 1, 2]);
        assert_eq!(places(&list("RF"), &list("IRRR")), [1, 2]);
    }
}
