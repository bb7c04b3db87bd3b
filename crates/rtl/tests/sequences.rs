//! Random programs cut into steps: run step by step they compute what the program computes, or are refused with the line.

use program::evaluate::{Evaluator, Value};
use program::generate::{arguments, generate, Random};
use program::ir::{Place, Program};
use program::verify;
use program::walk::for_each_block_mut;
use rtl::sequence::{sequence, Cuts, Ends, Place as Stand, Role, Sequence, FEW};

const SEEDS: u64 = 300;

fn cuts(random: &mut Random) -> Cuts {
    Cuts {
        iterations: 1 + random.below(4),
        merge_before: random.chance(50),
        merge_after: random.chance(50),
        parts: 1 + random.below(3),
        block_leaves: random.chance(50),
        wires: random.chance(50),
        few: [0, 2, FEW, usize::MAX][random.below(4)],
        ends: [Ends::AsWritten, Ends::LoadFirst, Ends::OneKey][random.below(3)],
    }
}

fn words(values: &[Value]) -> Vec<Vec<u64>> {
    let flat = |value: &Value| match value {
        Value::Word(word) => vec![*word],
        Value::Array(list) => list.clone(),
    };
    values.iter().map(flat).collect()
}

/// The program with a place for every operation.
fn placed(mut program: Program) -> Program {
    for function in &mut program.functions {
        for_each_block_mut(&mut function.body, &mut |block| {
            for op in block.ops.iter_mut().filter(|op| op.places.is_empty()) {
                op.places.push(Place { file: 0, line: 1, column: 1 });
            }
        });
    }
    program
}

/// A sequence keeps what its documentation says.
fn sound(cut: &Sequence, context: &str) {
    let whole = cut.whole();
    verify(&whole).unwrap_or_else(|e| panic!("{context}: {e}\n{whole}"));
    for step in &cut.steps {
        let mut writes = step.writes.clone();
        writes.sort_unstable();
        writes.dedup();
        assert_eq!(writes.len(), step.writes.len(), "{context}: a place is written twice in a step");
    }
}

/// Whether the first step alone reads the last parameter as it came, and no result stands there.
fn reads_block_at_once(cut: &Sequence) -> bool {
    let last = Role::Parameter(cut.last_parameter());
    let of_block = |place: &Stand| matches!(*place, Stand::Element(n, _) if cut.arrays[n as usize].role == last);
    let (mut written, mut later) = (Vec::new(), Vec::new());
    for (n, step) in cut.steps.iter().enumerate() {
        later.extend(step.reads.iter().filter(|place| n > 0 && !written.contains(*place)));
        written.extend(&step.writes);
    }
    later.extend(cut.results.iter().flatten().filter(|place| !written.contains(*place)));
    !later.into_iter().any(of_block)
}

/// Whether a function could be cut; what is cut is compared with the program on random arguments.
fn agrees(program: &Program, number: usize, cuts: &Cuts, random: &mut Random) -> bool {
    let name = &program.functions[number].name;
    let context = format!("{} {name} {cuts:?}", program.name);
    let cut = match sequence(program, name, cuts) {
        Ok(cut) => cut,
        Err(error) => {
            assert!(["H101", "H105"].contains(&error.code), "{context}: {error}");
            assert!(!error.places.is_empty(), "{context}: no place: {error}");
            return false;
        }
    };
    sound(&cut, &context);
    assert!(
        !cuts.block_leaves || cut.steps.is_empty() || reads_block_at_once(&cut),
        "{context}: a later step reads the block\n{}",
        cut.program
    );
    let mut evaluator = Evaluator::new(program).expect("the program is verified");
    for _ in 0..2 {
        let values = arguments(program, number, random);
        let expected = evaluator.evaluate(name, &values).expect("a generated program runs");
        let found = cut.run(&words(&values)).unwrap_or_else(|e| panic!("{context}: {e}\n{program}"));
        assert_eq!(found, words(&expected), "{context}\n{program}\n{}", cut.program);
    }
    true
}

#[test]
fn random_programs_in_steps() {
    let (mut cut, mut all) = (0, 0);
    for seed in 0..SEEDS {
        let mut random = Random::new(seed ^ 0x5eed);
        let size = 1 + random.below(90);
        let program = placed(generate(seed, size));
        for number in 0..program.functions.len() {
            let cuts = cuts(&mut random);
            all += 1;
            cut += usize::from(agrees(&program, number, &cuts, &mut random));
        }
    }
    assert!(5 * cut > all, "{cut} of {all} functions could be cut");
}
