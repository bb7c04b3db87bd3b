//! Properties of random programs: printing, verifying, evaluating, and what happens to damaged texts.

use crate::common::reference;
use crate::common::sampling::sample;
use program::evaluate::{trace, Evaluator, RecordedValue, Value};
use program::generate::{arguments, generate, Random};
use program::ir::Program;
use program::statistics::statistics;
use program::{parse, verify};
use proptest::prelude::*;

fn checked(seed: u64, size: usize) -> Program {
    let program = generate(seed, size);
    verify(&program).unwrap_or_else(|e| panic!("seed {seed} size {size}: {e}\n{program}"));
    program
}

/// The last function, with random arguments, by both evaluators.
fn compare(program: &Program, random: &mut Random) {
    let number = program.functions.len() - 1;
    let name = &program.functions[number].name;
    let mut evaluator = Evaluator::new(program).unwrap();
    // Twice with the same evaluator: nothing may be left over from the first run.
    for _ in 0..2 {
        let arguments = arguments(program, number, random);
        let expected = reference::evaluate(program, name, &arguments);
        let found = evaluator.evaluate(name, &arguments);
        match (expected, found) {
            (Some(expected), Ok(found)) => assert_eq!(expected, found, "{program}"),
            (None, Err(error)) => assert_eq!(error.code, "P201", "{error}\n{program}"),
            (expected, found) => panic!("{expected:?} against {found:?}\n{program}"),
        }
    }
}

proptest! {
    #![proptest_config(sample(300))]

    #[test]
    fn a_generated_program_is_sound_and_survives_its_text(seed: u64, size in 1usize..120) {
        let program = checked(seed, size);
        let text = program.to_string();
        let back = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        prop_assert_eq!(&back, &program);
        prop_assert_eq!(back.to_string(), text);
    }

    #[test]
    fn both_evaluators_agree(seed: u64, size in 1usize..120) {
        let program = checked(seed, size);
        compare(&program, &mut Random::new(seed ^ 1));
    }

    #[test]
    fn a_generated_program_reads_no_unwritten_cell(seed: u64, size in 1usize..120) {
        let program = checked(seed, size);
        let mut random = Random::new(seed ^ 2);
        let mut evaluator = Evaluator::new(&program).unwrap();
        for (n, function) in program.functions.iter().enumerate() {
            evaluator.evaluate(&function.name, &arguments(&program, n, &mut random)).unwrap();
        }
    }

    #[test]
    fn a_trace_ends_with_the_values_that_are_returned(seed: u64, size in 1usize..60) {
        let program = checked(seed, size);
        let number = program.functions.len() - 1;
        let function = &program.functions[number];
        let arguments = arguments(&program, number, &mut Random::new(seed));
        let events = trace(&program, &function.name, &arguments).unwrap();
        let results = Evaluator::new(&program).unwrap().evaluate(&function.name, &arguments).unwrap();
        for event in &events {
            prop_assert!(program.functions.iter().any(|f| f.name == event.function));
        }
        // A result that an operation of the function's own block defines is among its events.
        for (output, result) in function.body.outputs.iter().zip(results) {
            let program::ir::Operand::Value(v) = output else { continue };
            let author = program::builder::author_name(&function.values[v.0 as usize].name);
            let own = function.body.ops.iter().any(|op| op.results.contains(v));
            if own && !author.chars().all(|c| c.is_ascii_digit()) {
                let recorded = match &result {
                    Value::Word(word) => RecordedValue::Word(*word),
                    Value::Array(words) => RecordedValue::Array(words.iter().map(|&w| Some(w)).collect()),
                };
                prop_assert!(events.iter().any(|e| e.name == author && e.iterations.is_empty() && e.value == recorded));
            }
        }
    }

    #[test]
    fn a_damaged_text_is_rejected_or_still_a_program(seed: u64, size in 1usize..60, damage: u64) {
        let text = generate(seed, size).to_string();
        let damaged = damage_tokens(&text, &mut Random::new(damage));
        let Ok(program) = parse(&damaged) else { return Ok(()) };
        prop_assert_eq!(parse(&program.to_string()).unwrap(), program.clone());
        if verify(&program).is_ok() && runs_soon(&program) {
            compare(&program, &mut Random::new(damage));
        }
    }

    #[test]
    fn any_characters_are_rejected_without_a_panic(text in "[ -~\n]{0,200}") {
        prop_assert!(parse(&text).is_err());
    }
}

/// Whether every function executes few operations and needs little memory.
fn runs_soon(program: &Program) -> bool {
    let executed = |name: &str| statistics(program, name).map_or(0, |s| s.values().map(|c| c.executed).sum::<u64>());
    let cells = |f: &program::ir::Function| -> usize {
        f.values.iter().map(|v| if let program::ir::Type::Array(a) = &v.ty { a.len() } else { 1 }).sum()
    };
    program.functions.iter().all(|f| executed(&f.name) < 100_000 && cells(f) < 100_000)
}

/// Replaces, drops, doubles or swaps one to three tokens.
fn damage_tokens(text: &str, random: &mut Random) -> String {
    let mut tokens: Vec<String> = Vec::new();
    let mut class = ' ';
    for c in text.chars() {
        let own = if c.is_ascii_alphanumeric() || "%@_.".contains(c) { 'n' } else { c };
        if own != class || own != 'n' {
            tokens.push(String::new());
        }
        class = own;
        tokens.last_mut().unwrap().push(c);
    }
    for _ in 0..1 + random.below(3) {
        let (a, b) = (random.below(tokens.len()), random.below(tokens.len()));
        match random.below(5) {
            0 => tokens.swap(a, b),
            1 => drop(tokens.remove(a)),
            2 => tokens[a] = tokens[b].clone(),
            3 => tokens.insert(a, tokens[b].clone()),
            _ => {
                tokens[a] =
                    random.pick(&["0", "1", "64", "18446744073709551615", "u8", "u64", "index", "-", "ring"]).to_owned()
            }
        }
    }
    tokens.concat()
}

#[test]
fn the_same_seed_gives_the_same_text() {
    assert_eq!(generate(7, 50).to_string(), generate(7, 50).to_string());
    assert_ne!(generate(7, 50).to_string(), generate(8, 50).to_string());
}

#[test]
fn generated_programs_have_every_operation() {
    let mut seen = std::collections::BTreeSet::new();
    let (mut nested, mut bodies, mut rings) = (false, false, false);
    for seed in 0..60 {
        let program = generate(seed, 100);
        for function in &program.functions {
            program::walk::for_each_op(&function.body, &mut |op| {
                seen.insert(op.kind.mnemonic());
                if let Some(l) = op.kind.as_loop() {
                    bodies |= l.bodies.len() == 3;
                    nested |= l.bodies.iter().any(|b| b.ops.iter().any(|op| op.kind.as_loop().is_some()));
                }
            });
            rings |= program.to_string().contains("[ring ");
        }
    }
    assert_eq!(seen.len(), 31, "{seen:?}");
    assert!(nested && bodies && rings);
}
