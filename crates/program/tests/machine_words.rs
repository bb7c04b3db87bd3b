//! The pass `machine-words`: random programs of wide words compute the same on the parts of their words.

use crate::common::sampling::sample;
use program::evaluate::{Evaluator, Value};
use program::generate::{arguments, generate_of, Random};
use program::ir::{Op, OpKind, Program, Type};
use program::passes::run_all;
use program::walk::for_each_op;
use program::{parse, verify};
use proptest::prelude::*;

/// The parts of a word or of the elements of an array, as the pass leaves them.
fn parts(value: &Value, ty: &Type, machine: u8) -> Vec<Value> {
    let split = |x: u64, width: u8| {
        let part = |k: u8| x >> (k * machine) & u64::MAX >> (64 - machine);
        if width > machine {
            (0..width.div_ceil(machine)).map(part).collect()
        } else {
            vec![x]
        }
    };
    match (value, ty) {
        (Value::Array(list), Type::Array(a)) => {
            vec![Value::Array(list.iter().flat_map(|&x| split(x, a.width)).collect())]
        }
        (Value::Word(x), Type::Word(w)) => split(*x, *w).into_iter().map(Value::Word).collect(),
        _ => panic!("a value is a word or an array"),
    }
}

fn all_parts(values: &[Value], types: &[Type], machine: u8) -> Vec<Value> {
    values.iter().zip(types).flat_map(|(v, ty)| parts(v, ty, machine)).collect()
}

/// No word is wider than a register but those in addresses, put together just before, and products whose halves are taken.
fn fits(program: &Program, machine: u8) -> bool {
    let known = |op: &Op| matches!(op.kind, OpKind::Concat(_));
    let mut fits = true;
    for function in &program.functions {
        for_each_op(&function.body, &mut |op| {
            for v in &op.results {
                fits &= match &function.values[v.0 as usize].ty {
                    Type::Word(w) if *w == 2 * machine => true,
                    Type::Word(w) => *w <= machine || known(op),
                    Type::Array(a) => a.width <= machine,
                    Type::Index => true,
                };
            }
        });
    }
    fits
}

fn same(seed: u64, size: usize, widths: &[u8], machine: u8) {
    let mut before = generate_of(seed, size, widths);
    run_all(&mut before, &["inline-calls", "lower-linear"], &[]).unwrap();
    let mut after = before.clone();
    let pass = format!("machine-words:width={machine}");
    run_all(&mut after, &[&pass], &[]).unwrap_or_else(|e| panic!("{e}\n{before}"));
    verify(&after).unwrap_or_else(|e| panic!("{e}\n{before}\n{after}"));
    assert!(fits(&after, machine), "{after}");
    let mut random = Random::new(seed ^ 3);
    for (n, function) in before.functions.iter().enumerate() {
        let types: Vec<Type> = function.params.iter().map(|p| function.values[p.0 as usize].ty.clone()).collect();
        let given = arguments(&before, n, &mut random);
        let expected = Evaluator::new(&before).unwrap().evaluate(&function.name, &given).unwrap();
        let split = all_parts(&given, &types, machine);
        let found = Evaluator::new(&after).unwrap().evaluate(&function.name, &split).unwrap();
        assert_eq!(all_parts(&expected, &function.results, machine), found, "{before}\n{after}");
    }
}

proptest! {
    #![proptest_config(sample(150))]

    #[test]
    fn words_of_all_widths_on_registers_of_32_bits(seed: u64, size in 1usize..60) {
        same(seed, size, &[1, 8, 16, 24, 32, 48, 64], 32);
    }

    #[test]
    fn wide_words_on_registers_of_16_bits(seed: u64, size in 1usize..40) {
        same(seed, size, &[1, 8, 24, 32, 64], 16);
    }
}

/// One operation on two words, and what it must give.
fn operation(text: &str, width: u8, a: u64, b: u64) -> u64 {
    let source = format!(
        "program \"p\" {{\n}}\n\nfunc @f(%a: u{width}, %b: u{width}) -> (u{width}) {{\n  %r: u{width} = {text}\n  return %r\n}}\n"
    );
    let mut program = parse(&source).unwrap();
    run_all(&mut program, &["machine-words:width=32"], &[]).unwrap();
    let ty = [Type::Word(width), Type::Word(width)];
    let given = all_parts(&[Value::Word(a), Value::Word(b)], &ty, 32);
    let found = Evaluator::new(&program).unwrap().evaluate("f", &given).unwrap();
    let number = |v: &Value| if let Value::Word(x) = v { *x } else { panic!("a word") };
    found.iter().enumerate().map(|(k, v)| number(v) << (32 * k)).sum()
}

#[test]
fn carries_products_and_amounts_at_their_limits() {
    let edges = [0, 1, 31, 32, 33, 47, 48, 63, 64, 65, 0xffff_ffff, 1 << 32, (1 << 48) - 1, 1 << 63, u64::MAX];
    for width in [48u8, 64] {
        let mask = u64::MAX >> (64 - width);
        let w = u64::from(width);
        for a in edges.map(|x| x & mask) {
            for b in edges.map(|x| x & mask) {
                let run = |text: &str| operation(text, width, a, b);
                assert_eq!(run("add %a, %b"), a.wrapping_add(b) & mask);
                assert_eq!(run("sub %a, %b"), a.wrapping_sub(b) & mask);
                assert_eq!(run("mul %a, %b"), a.wrapping_mul(b) & mask);
                assert_eq!(run("shl %a, %b"), if b < w { a << b & mask } else { 0 }, "{a:x} << {b}");
                assert_eq!(run("shr %a, %b"), if b < w { a >> b } else { 0 }, "{a:x} >> {b}");
                let n = b % w;
                let rotated = if n == 0 { a } else { (a << n | a >> (w - n)) & mask };
                assert_eq!(run("rotl %a, %b"), rotated, "{a:x} rotl {b}");
            }
        }
    }
}

#[test]
fn what_fits_stays_as_it_is() {
    let source =
        "program \"p\" {\n}\n\nfunc @f(%a: u32, %b: u32) -> (u32) {\n  %r: u32 = rotl %a, %b\n  return %r\n}\n";
    let before = parse(source).unwrap();
    let mut after = before.clone();
    run_all(&mut after, &["machine-words:width=32"], &[]).unwrap();
    assert_eq!(before, after);
}

/// A load from a ring of `extent` words of 64 bits, at a place that a word of `width` bits gives.
fn load_in_ring(extent: u32, width: u8) -> Program {
    let source = format!(
        "program \"p\" {{\n}}\n\nfunc @f(%a: u64[2][{extent}], %w: u{width}) -> (u64) {{\n  \
         %r: u64 = load %a[1][ring %w - 9223372036854775800]\n  return %r\n}}\n"
    );
    parse(&source).unwrap()
}

#[test]
fn words_of_all_widths_address_a_ring() {
    for (extent, width) in [(1, 62), (4, 62), (4, 2), (8, 2), (7, 60), (7, 5)] {
        let before = load_in_ring(extent, width);
        verify(&before).unwrap();
        let mut after = before.clone();
        run_all(&mut after, &["machine-words:width=32"], &[]).unwrap();
        verify(&after).unwrap_or_else(|e| panic!("{e}\n{after}"));
        let elements = Value::Array((0..2 * u64::from(extent)).map(|n| n * 0x1_0000_0003).collect());
        for word in [0, 1, 3, 0x1234_5678_9abc_def0].map(|w: u64| w & u64::MAX >> (64 - width)) {
            let types = [Type::Array(program::ir::ArrayType { width: 64, dims: vec![2, extent] }), Type::Word(width)];
            let given = [elements.clone(), Value::Word(word)];
            let expected = Evaluator::new(&before).unwrap().evaluate("f", &given).unwrap();
            let found = Evaluator::new(&after).unwrap().evaluate("f", &all_parts(&given, &types, 32)).unwrap();
            assert_eq!(all_parts(&expected, &[Type::Word(64)], 32), found, "ring of {extent}, word {word}");
        }
    }
}

#[test]
fn a_word_too_wide_for_a_scaled_address_is_refused() {
    let mut program = load_in_ring(7, 62);
    let error = run_all(&mut program, &["machine-words:width=32"], &[]).unwrap_err().to_string();
    assert!(error.starts_with(
        "error[P301]: `split-words` cannot split a word of 62 bits in an address along 2 parts an element"
    ));
}
