//! The pass `widen-words`: random programs compute the same numbers in wider words.

use crate::common::sampling::sample;
use program::evaluate::Evaluator;
use program::generate::{arguments, generate_of, Random};
use program::ir::{Address, OpKind, Program, Type, ValueId};
use program::passes::run_all;
use program::walk::for_each_op;
use program::{parse, verify};
use proptest::prelude::*;

/// Only bytes and registers are left, and other widths just before addresses; bytes have nothing but logic.
fn fits(program: &Program, width: u8) -> bool {
    let mut fits = true;
    for function in &program.functions {
        for_each_op(&function.body, &mut |op| {
            fits &= op.results.iter().all(|v| match &function.values[v.0 as usize].ty {
                Type::Word(w) => *w == 8 || *w == width || matches!(op.kind, OpKind::Extract(_, 0)),
                Type::Array(a) => a.width == 8 || a.width == width,
                Type::Index => true,
            });
            let byte = op.results.first().is_some_and(|v| function.values[v.0 as usize].ty == Type::Word(8));
            fits &= match &op.kind {
                OpKind::Binary(which, ..) if byte => {
                    use program::ir::Binary::{And, Or, Xor};
                    matches!(which, And | Or | Xor)
                }
                OpKind::Shift(..) => !byte,
                OpKind::Compare(..) | OpKind::Select(..) => false,
                _ => true,
            };
        });
    }
    fits
}

/// Whether a place in memory is said by a word wider than a register.
fn has_wide_address(program: &Program, width: u8) -> bool {
    let mut found = false;
    for function in &program.functions {
        let mut wide = |address: &Address| {
            let of = |value: ValueId| &function.values[value.0 as usize].ty;
            found |= address.affine.terms.iter().any(|&(_, v)| matches!(of(v), Type::Word(w) if *w > width));
        };
        for_each_op(&function.body, &mut |op| match &op.kind {
            OpKind::Lookup(_, address) => wide(address),
            OpKind::Load(_, list) | OpKind::Store(_, list, _) => list.iter().for_each(&mut wide),
            _ => {}
        });
    }
    found
}

/// Checks that a program is well-formed, and that each function computes what it did before.
fn agree(before: &Program, after: &Program, seed: u64) {
    verify(after).unwrap_or_else(|e| panic!("{e}\n{before}\n{after}"));
    let mut random = Random::new(seed ^ 5);
    for (n, function) in before.functions.iter().enumerate() {
        let given = arguments(before, n, &mut random);
        let expected = Evaluator::new(before).unwrap().evaluate(&function.name, &given).unwrap();
        let found = Evaluator::new(after).unwrap().evaluate(&function.name, &given).unwrap();
        assert_eq!(expected, found, "{before}\n{after}");
    }
}

fn same(seed: u64, size: usize, widths: &[u8], width: u8) {
    let mut before = generate_of(seed, size, widths);
    // Rotations by words of odd widths become shifts there.
    let split = format!("machine-words:width={width}");
    run_all(&mut before, &["inline-calls", "lower-linear", &split], &[]).unwrap();
    let mut after = before.clone();
    let pass = format!("widen-words:width={width}");
    match run_all(&mut after, &[&pass], &[]) {
        Err(error) if error.code == "S052" && has_wide_address(&before, width) => return,
        result => result.unwrap_or_else(|e| panic!("{e}\n{before}")),
    }
    assert!(fits(&after, width), "{after}");
    agree(&before, &after, seed);
}

proptest! {
    #![proptest_config(sample(150))]

    #[test]
    fn words_of_odd_widths_in_registers_of_32_bits(seed: u64, size in 1usize..60) {
        same(seed, size, &[1, 4, 8, 16, 24, 28, 32], 32);
    }

    #[test]
    fn words_that_were_split_in_registers_of_32_bits(seed: u64, size in 1usize..40) {
        same(seed, size, &[8, 32, 40, 48, 64], 32);
    }

    #[test]
    fn words_of_odd_widths_in_registers_of_64_bits(seed: u64, size in 1usize..60) {
        same(seed, size, &[1, 8, 17, 32, 48, 63, 64], 64);
    }
}

/// No word is left that is more than a byte but no whole bytes, other than fields in addresses.
fn whole(program: &Program) -> bool {
    let is_whole = |width: u8| width <= 8 || width % 8 == 0;
    let mut fits = program.tables.iter().all(|table| is_whole(table.width));
    for function in &program.functions {
        fits &= function.results.iter().all(|ty| is_whole(ty.width()));
        for_each_op(&function.body, &mut |op| {
            let widths = op.results.iter().map(|v| function.values[v.0 as usize].ty.width());
            fits &= widths.into_iter().all(is_whole) || matches!(op.kind, OpKind::Extract(..) | OpKind::Concat(_));
        });
    }
    fits
}

fn same_in_bytes(seed: u64, size: usize, widths: &[u8]) {
    let before = generate_of(seed, size, widths);
    let mut after = before.clone();
    run_all(&mut after, &["widen-words:width=bytes"], &[]).unwrap_or_else(|e| panic!("{e}\n{before}"));
    assert!(whole(&after), "{after}");
    agree(&before, &after, seed);
}

proptest! {
    #![proptest_config(sample(150))]

    #[test]
    fn words_of_odd_widths_in_whole_bytes(seed: u64, size in 1usize..60) {
        same_in_bytes(seed, size, &[1, 4, 8, 13, 24, 28, 32, 47, 63]);
    }
}

#[test]
fn a_word_wider_than_a_register_is_refused() {
    let text = "program \"p\" {\n}\n\nfunc @f(%x: u64) -> (u64) {\n  %y: u64 = add %x, 1\n  return %y\n}\n";
    let mut program = parse(text).unwrap();
    let error = run_all(&mut program, &["widen-words:width=32"], &[]).unwrap_err();
    assert!(error.to_string().contains("`f` has 64 bits, a register 32"), "{error}");
    let error = run_all(&mut program, &["widen-words:width=20"], &[]).unwrap_err();
    assert_eq!(error.code, "S051");
    assert!(
        error.to_string().contains("words are kept in registers of 16, 32 or 64 bits, or in whole bytes, not 20"),
        "{error}"
    );
}
