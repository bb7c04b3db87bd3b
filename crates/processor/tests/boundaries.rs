//! Waits between the parts of a kernel, and between the iterations of its loops: planned as simulated, for code written by hand.

use crate::hand::{processor, simulated, words, Maker};
use processor::assembly::emit;
use processor::code::{evaluate, Access, CarriedValue, CountedLoop, Region, Use, ValueId};
use processor::model::Processor;

/// Runs the text; returns its cycles: no more than planned.
fn cycles(maker: &Maker) -> u64 {
    let assembly = emit(&maker.code, &maker.schedules(), maker.processor).unwrap();
    let count = maker.code.objects[0].bytes as usize / 4;
    let words = words(count, 1);
    let expected = evaluate(&maker.code, &maker.processor.isa, std::slice::from_ref(&words)).unwrap();
    let (found, cycles) = simulated(maker, &assembly.text, &words);
    assert_eq!(found, expected[0], "{}", assembly.text);
    // What issues in the order of the text may issue together with the last operations of the part before.
    assert!((assembly.cycles - 1..=assembly.cycles).contains(&cycles), "{cycles}, {}", assembly.text);
    cycles
}

/// Adds a load or a store of a word of `in` (0) or `out` (1), `at` bytes from a pointer that a loop moves on by `step`.
fn access(maker: &mut Maker, object: usize, pointer: ValueId, at: i64, step: i64, stored: Option<ValueId>) -> ValueId {
    let (base, number) = (Use::Value(pointer), Use::Immediate(at));
    let loaded = match stored {
        Some(word) => {
            maker.op("str.w", &[], &[Use::Value(word), base, number]);
            word
        }
        None => maker.define("ldr.w", &[base, number]),
    };
    let access = Access { object, offset: Some((at, step)), bytes: 4, store: stored.is_some() };
    maker.ops.last_mut().unwrap().access = Some(access);
    loaded
}

/// Stores a word, so many operations before a loop that loads it, or another one with `apart`; each iteration stores what the
/// next one loads, `step` bytes further on.
fn stored(processor: &Processor, between: usize, apart: i64, step: i64, iterations: u32) -> Maker<'_> {
    let mut maker = Maker::new(processor, 64);
    let word = access(&mut maker, 0, 0, 0, 0, None);
    access(&mut maker, 1, 1, 0, 0, Some(word));
    let mut sum = word;
    for _ in 0..between {
        sum = maker.define("add.i.w", &[Use::Value(sum), Use::Immediate(1)]);
    }
    maker.straight();
    let pointer = if step == 0 { 1 } else { maker.value("pointer") };
    let old = access(&mut maker, 1, pointer, apart, step, None);
    let new = maker.define("add.w", &[Use::Value(old), Use::Value(sum)]);
    access(&mut maker, 1, pointer, apart + step, step, Some(new));
    let mut carried = Vec::new();
    if step != 0 {
        let next = maker.define("add.i", &[Use::Value(pointer), Use::Immediate(step)]);
        carried.push(CarriedValue { value: pointer, init: 1, next });
    }
    let ops = std::mem::take(&mut maker.ops);
    maker.code.regions.push(Region::Loop(CountedLoop { iterations, carried, ops }));
    maker.straight();
    maker
}

#[test]
fn a_load_waits_for_a_store_before_its_loop() {
    let processor = processor("cortex-a53");
    for step in [0, 4] {
        // A store is seen two cycles later; the first iteration of the loop begins in the next one.
        let loaded = |between, apart, iterations| cycles(&stored(&processor, between, apart, step, iterations));
        assert_eq!(loaded(0, 0, 1), loaded(0, 32, 1) + 1);
        assert_eq!(loaded(6, 0, 1), loaded(6, 32, 1));
    }
}

#[test]
fn a_load_waits_for_the_store_of_the_iteration_before() {
    let processor = processor("cortex-a53");
    // Load, two cycles to the sum, one to the store, two to the load of the next iteration: one more than its operations take.
    // A pointer that moves along is there three cycles after it is copied, which is later.
    for (step, apart) in [(0, 5), (4, 6)] {
        let of = |iterations| cycles(&stored(&processor, 6, 16, step, iterations));
        assert_eq!(of(7) - of(6), apart);
    }
}

#[test]
fn fillers_before_a_loop_take_no_cycle() {
    let processor = processor("alpha-21164a");
    for before in 1..9 {
        let mut maker = Maker::new(&processor, 16);
        let sums: Vec<ValueId> = (0..before).map(|n| maker.define("lda", &[Use::Immediate(n)])).collect();
        maker.straight();
        let sum = maker.value("sum");
        let next = maker.define("addq", &[Use::Value(sum), Use::Value(sums[0])]);
        let ops = std::mem::take(&mut maker.ops);
        let carried = vec![CarriedValue { value: sum, init: sums[sums.len() - 1], next }];
        maker.code.regions.push(Region::Loop(CountedLoop { iterations: 3, carried, ops }));
        maker.straight();
        // Two numbers a cycle, the counter with them; an iteration counts, and then adds and branches.
        let numbers = before as u64 + 1;
        assert!(cycles(&maker) >= numbers.div_ceil(2) + 3, "{before}");
    }
}
