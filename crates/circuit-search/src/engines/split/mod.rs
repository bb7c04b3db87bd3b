//! Splitting by inputs: a circuit of two-input gates for any box, however large its circuits are.
//!
//! An output is looked for among the functions at hand and among what one or two gates make of them; what is not
//! there is split by an input into two functions on half of the input values each, the rest of the values being
//! open, and these are made in the same way. Functions made for one output serve the others. The order of the
//! outputs and the inputs to split by are drawn anew in each unit.

mod maker;

use crate::engines::beam::complements::{circuits, Rules, Source};
use crate::engines::beam::serves;
use crate::engines::beam::structure::Structure;
use crate::engines::beam::word::{Wide, Word};
use crate::normal::normal;
use circuit::problem::Problem;
use circuit::table::Table;

use super::{Control, Engine, Step};
use maker::Maker;

/// The engine.
pub struct Split;

/// Attempts of one unit.
const ATTEMPTS: u64 = 4;

impl Engine for Split {
    fn name(&self) -> &'static str {
        "split"
    }

    fn description(&self) -> &'static str {
        "two-input gates for five inputs and more: outputs split by inputs, functions shared"
    }

    fn units(&self, problem: &Problem) -> u64 {
        let large = problem.sbox.inputs > 4;
        if large && serves(&problem.target) {
            u64::MAX
        } else {
            0
        }
    }

    fn run(&self, problem: &Problem, unit: u64, control: &Control<'_>) -> Step {
        let Some(rules) = Rules::of(&problem.target) else { return Step::default() };
        let effort = format!("split, seed {}, unit {unit}", problem.seed);
        let mut step = Step { effort, finished: true, ..Step::default() };
        for attempt in 0..ATTEMPTS {
            let seed = problem.seed ^ ((unit * ATTEMPTS + attempt) << 20);
            let found = match problem.sbox.inputs {
                0..=4 => attempted::<u16>(problem, &rules, seed, control),
                5 | 6 => attempted::<u64>(problem, &rules, seed, control),
                _ => attempted::<Wide>(problem, &rules, seed, control),
            };
            step.circuits.extend(found.filter(|circuit| circuit.check(&problem.sbox).is_ok()));
            (control.progress)(&format!("attempt {} of {ATTEMPTS}", attempt + 1));
            if (control.stopped)() {
                step.finished = false;
                break;
            }
        }
        step
    }
}

fn attempted<W: Word>(
    problem: &Problem,
    rules: &Rules,
    seed: u64,
    control: &Control<'_>,
) -> Option<circuit::circuit::Circuit> {
    let inputs = problem.sbox.inputs;
    let words: Vec<W> = (0..usize::from(inputs)).map(|k| W::from_table(&Table::input(inputs, k))).collect();
    let full = W::from_table(&Table::constant(inputs, true));
    let mut maker = Maker::new(words, full, rules.xor, seed, control.stopped);
    let tables = problem.sbox.tables();
    let mut places = vec![Source::Constant(false); tables.len()];
    for k in maker.shuffled(tables.len()) {
        let complemented = tables[k].bit(0);
        let word = W::from_table(&normal(tables[k]));
        places[k] = if word == W::default() {
            Source::Constant(complemented)
        } else {
            Source::Function(maker.output(word)?, complemented)
        };
    }
    let order = (usize::from(inputs)..usize::from(inputs) + maker.made.len()).collect();
    let structure = Structure { made: maker.made, order };
    circuits(rules, &structure, usize::from(inputs), &places, structure.made.len(), 1)
        .pop()
        .map(|circuit| circuit.pruned())
}

#[cfg(test)]
mod tests;
