//! Passes that rewrite by algebraic identities: random programs compute the same before and after.

use crate::common::sampling::sample;
use program::evaluate::{Evaluator, Value};
use program::generate::{arguments, generate, Random};
use program::ir::{Function, Operand, Program, ValueData, ValueId};
use program::passes::run_all;
use program::{parse, verify};
use proptest::prelude::*;

const PASSES: [&str; 5] =
    ["narrow-extracts", "square-forms", "square-forms:double=add", "reassociate", "reassociate:duplicate=yes,mul=1"];

/// A program of long sums, exclusive ors, ands and ors over few words, with multiples, rotations, fields and squares, half of it in a loop.
fn dense(seed: u64, size: usize) -> Program {
    let mut random = Random::new(seed);
    let width = random.pick(&[5, 8, 32, 32, 64]);
    let mut text =
        format!("program \"dense\" {{\n}}\n\nfunc @f(%a: u{width}, %b: u{width}, %c: u{width}) -> (u{width}) {{\n");
    let mut names: Vec<String> = ["a", "b", "c"].map(str::to_owned).to_vec();
    chain(&mut random, width, "x", size, &mut names, &mut text);
    let (first, last) = (names[names.len() - 1].clone(), names[names.len() / 2].clone());
    text += &format!("%l: u{width}, %m: u{width} = rounds 5 \"i\" from 0 step 1 (%{first}, %{last}) {{\n");
    text += &format!("body 0..4 (%i: index, %p: u{width}, %q: u{width}) {{\n");
    names.extend(["p", "q"].map(str::to_owned));
    chain(&mut random, width, "y", size, &mut names, &mut text);
    let (first, last) = (&names[names.len() - 1], &names[names.len() - 2]);
    text += &format!("yield %{first}, %{last}\n}}\n}}\n%r: u{width} = add %l, %m\nreturn %r\n}}\n");
    let program = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    verify(&program).unwrap_or_else(|e| panic!("{e}\n{text}"));
    program
}

fn chain(random: &mut Random, width: u8, prefix: &str, size: usize, names: &mut Vec<String>, text: &mut String) {
    let mut kind = "add";
    for n in 0..size {
        if random.chance(30) {
            kind = random.pick(&["add", "sub", "xor", "and", "or"]);
        }
        let last = format!("%{}", names[names.len() - 1]);
        let near = format!("%{}", names[names.len() - 1 - random.below(names.len().min(6))]);
        let other = if random.chance(20) { random.word(width).to_string() } else { near };
        let what = match random.below(16) {
            0 => format!("mul {}, {last}", random.pick(&[2, 4, 8, 3])),
            1 => format!("shl {last}, {}", 1 + random.below(3)),
            2 => format!("rotl {last}, {}", random.below(width.into())),
            3 => format!("mul {last}, {other}"),
            4 => format!("{kind} {other}, {last}"),
            _ => format!("{kind} {last}, {other}"),
        };
        *text += &format!("%{prefix}{n}: u{width} = {what}\n");
        names.push(format!("{prefix}{n}"));
    }
}

fn same_before_and_after(program: &Program, seed: u64, passes: &[&str]) {
    let mut after = program.clone();
    run_all(&mut after, passes, &[]).unwrap();
    verify(&after).unwrap_or_else(|e| panic!("{passes:?} seed {seed}: {e}\n{program}\n{after}"));
    let text = after.to_string();
    assert_eq!(parse(&text).unwrap(), after);
    let mut random = Random::new(seed ^ 3);
    let (mut old, mut new) = (Evaluator::new(program).unwrap(), Evaluator::new(&after).unwrap());
    for (n, function) in program.functions.iter().enumerate() {
        for _ in 0..4 {
            let arguments = arguments(program, n, &mut random);
            let expected = old.evaluate(&function.name, &arguments).unwrap();
            let found = new.evaluate(&function.name, &arguments).unwrap();
            assert_eq!(expected, found, "{passes:?} seed {seed} {}\n{program}\n{after}", function.name);
        }
    }
}

/// The last function as `encrypt`, whose parameters before the last are what `key_schedule` returns; the same for `decrypt`.
fn as_cipher(mut program: Program) -> Option<Program> {
    let mut encrypt = program.functions.pop()?;
    encrypt.params.split_last()?;
    let keys = &encrypt.params[..encrypt.params.len() - 1];
    let mut schedule = Function { name: "key_schedule".into(), ..Function::default() };
    for (n, key) in keys.iter().enumerate() {
        let ty = encrypt.values[key.0 as usize].ty.clone();
        schedule.results.push(ty.clone());
        schedule.values.push(ValueData { name: format!("k{n}"), ty });
        schedule.params.push(ValueId(n as u32));
        schedule.body.outputs.push(Operand::Value(ValueId(n as u32)));
    }
    encrypt.name = "encrypt".into();
    let decrypt = Function { name: "decrypt".into(), ..encrypt.clone() };
    program.functions.extend([schedule, encrypt, decrypt]);
    Some(program)
}

/// What a direction makes of its arguments, those before the block going through the key schedule.
fn with_key_schedule(program: &Program, direction: &str, arguments: &[Value]) -> Vec<Value> {
    let mut evaluator = Evaluator::new(program).unwrap();
    let (block, keys) = arguments.split_last().unwrap();
    let mut keys = evaluator.evaluate("key_schedule", keys).unwrap();
    keys.push(block.clone());
    evaluator.evaluate(direction, &keys).unwrap()
}

fn same_after_hoisting(seed: u64, size: usize, pass: &str) {
    let Some(program) = as_cipher(generate(seed, size)) else { return };
    verify(&program).unwrap_or_else(|e| panic!("{e}\n{program}"));
    let mut after = program.clone();
    run_all(&mut after, &[pass], &[]).unwrap();
    verify(&after).unwrap_or_else(|e| panic!("{pass} seed {seed} size {size}: {e}\n{program}\n{after}"));
    let mut random = Random::new(seed ^ 4);
    for (n, direction) in [(1, "encrypt"), (2, "decrypt")] {
        let function = program.functions.len() - 3 + n;
        let arguments = arguments(&program, function, &mut random);
        let expected = with_key_schedule(&program, direction, &arguments);
        let found = with_key_schedule(&after, direction, &arguments);
        assert_eq!(expected, found, "{pass} seed {seed} size {size} {direction}\n{program}\n{after}");
    }
}

proptest! {
    #![proptest_config(sample(80))]

    #[test]
    fn each_pass_keeps_what_random_programs_compute(seed: u64, size in 1usize..120) {
        let (program, dense) = (generate(seed, size), dense(seed, size));
        for pass in PASSES {
            same_before_and_after(&program, seed, &[pass]);
            same_before_and_after(&dense, seed, &[pass]);
        }
    }

    #[test]
    fn all_passes_in_a_row_keep_what_random_programs_compute(seed: u64, size in 1usize..120) {
        same_before_and_after(&generate(seed, size), seed, &PASSES);
        same_before_and_after(&dense(seed, size), seed, &PASSES);
    }

    #[test]
    fn what_the_key_schedule_takes_over_is_the_same(seed: u64, size in 1usize..120) {
        same_after_hoisting(seed, size, "hoist-key-only");
        same_after_hoisting(seed, size, "hoist-key-only:cost=5,split=no");
    }
}

#[test]
fn random_programs_give_every_pass_something_to_do() {
    let mut changed = [0; PASSES.len()];
    let mut hoisted = 0;
    for seed in 0..150 {
        let program = dense(seed, 60);
        for (count, pass) in changed.iter_mut().zip(PASSES) {
            let (mut after, mut cleaned) = (program.clone(), program.clone());
            run_all(&mut after, &[pass, "dce"], &[]).unwrap();
            run_all(&mut cleaned, &["dce"], &[]).unwrap();
            *count += usize::from(after.functions != cleaned.functions);
        }
        let Some(mut cipher) = as_cipher(generate(seed, 60)) else { continue };
        run_all(&mut cipher, &["hoist-key-only"], &[]).unwrap();
        hoisted += usize::from(cipher.meta.iter().any(|(key, _)| key == "hoisted_encrypt"));
    }
    assert!(hoisted > 50 && changed[3] > 100 && changed[4] > 100, "{changed:?} {hoisted}");
}
