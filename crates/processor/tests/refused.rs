//! Code, schedules and processors that no text can be made of: each error to the letter.

use crate::hand::{processor, Maker};
use processor::assembly::emit;
use processor::code::{evaluate, CarriedValue, CountedLoop, Input, Region, Use};
use processor::graph::Schedule;
use processor::isa::{Control, Isa};
use processor::model::Processor;
use processor::semantics::{Expression, Statement};

/// Reads a word and writes it.
fn copies(processor: &Processor) -> Maker<'_> {
    let mut maker = Maker::new(processor, 4);
    let (mut source, mut target) = (0, 1);
    let word = maker.load(&mut source);
    maker.store(&mut target, word);
    maker.straight();
    maker
}

/// The error of the text of some code, in a schedule.
fn refused(maker: &Maker, processor: &Processor, schedules: &[Schedule]) -> String {
    emit(&maker.code, schedules, processor).err().map(|e| e.to_string()).expect("an error")
}

#[test]
fn parameters_that_are_not_given() {
    let processor = processor("mckinley");
    let mut maker = copies(&processor);
    let evaluated = |maker: &Maker, given: &[Vec<u64>]| {
        evaluate(&maker.code, &processor.isa, given).err().map(|e| e.to_string()).expect("an error")
    };
    assert_eq!(evaluated(&maker, &[]), "error[M221]: `sample` was not given its parameter 0");
    assert_eq!(
        evaluated(&maker, &[vec![1, 2]]),
        "error[M221]: `sample` was not given its parameter 0\n   = `in` has another size"
    );
    maker.code.inputs[0].offset = 1 << 40;
    let error = evaluated(&maker, &[vec![1]]);
    assert!(error.starts_with("error[M220]: `ld4.post` loads from 0x100"), "{error}");
    assert!(error.ends_with(", outside of the objects\n   = in `sample`"), "{error}");
}

#[test]
fn a_value_that_is_needed_after_it_was_overwritten() {
    let processor = processor("mckinley");
    let mut maker = Maker::new(&processor, 8);
    let (mut source, mut target, mut again) = (0, 1, 0);
    let first = maker.load(&mut source);
    let second = maker.load(&mut again);
    let sum = maker.add(first, second);
    maker.store(&mut target, sum);
    maker.straight();
    assert_eq!(
        refused(&maker, &processor, &[Schedule { cycles: vec![0, 1, 3, 4], interval: None }]),
        "error[M402]: `ld4.post` overwrites `in`, which is needed afterwards\n   = in cycle 0 of `sample`\n   \
         = help: copy the value before the operation"
    );
}

#[test]
fn schedules_of_other_code() {
    let processor = processor("mckinley");
    let maker = copies(&processor);
    assert_eq!(refused(&maker, &processor, &[]), "error[M403]: 0 schedules for 1 regions of `sample`");
    assert_eq!(
        refused(&maker, &processor, &[Schedule { cycles: vec![0], interval: None }]),
        "error[M411]: region 0 of `sample` has 2 operations, its schedule 1"
    );
}

#[test]
fn more_arguments_than_registers_for_them() {
    let processor = processor("mckinley");
    let mut maker = copies(&processor);
    for k in 0..7 {
        let value = maker.value(&format!("more{k}"));
        maker.code.inputs.push(Input { value, object: 0, offset: k });
    }
    assert_eq!(
        refused(&maker, &processor, &maker.schedules()),
        "error[M405]: `sample` has 9 arguments, `ia64` passes 8\n   = help: reach several objects from one pointer"
    );
}

#[test]
fn a_processor_without_a_return() {
    let mut changed = processor("mckinley");
    for instruction in changed.isa.instructions.iter_mut().filter(|i| i.control == Control::Return) {
        instruction.control = Control::None;
    }
    let maker = copies(&changed);
    assert_eq!(
        refused(&maker, &changed, &maker.schedules()),
        "error[M406]: `ia64` has no instruction with `control = \"return\"`"
    );
}

/// A loop that exchanges two words in every iteration.
fn exchanges(processor: &Processor, iterations: u32) -> Maker<'_> {
    let mut maker = Maker::new(processor, 8);
    let (mut source, mut target) = (0, 1);
    let (a, b) = (maker.load(&mut source), maker.load(&mut source));
    maker.straight();
    let (x, y) = (maker.value("x"), maker.value("y"));
    let sum = maker.add(x, y);
    let ops = std::mem::take(&mut maker.ops);
    let carried = vec![CarriedValue { value: x, init: a, next: y }, CarriedValue { value: y, init: b, next: sum }];
    maker.code.regions.push(Region::Loop(CountedLoop { iterations, carried, ops }));
    maker.store(&mut target, x);
    maker.store(&mut target, y);
    maker.straight();
    maker
}

/// Whether an instruction copies its only operand.
fn copying(statements: &[Statement]) -> bool {
    matches!(statements, [Statement::Assign(_, Expression::Name(_))])
}

#[test]
fn a_processor_without_a_copy() {
    let mut changed = processor("mckinley");
    let Isa { instructions, .. } = &mut changed.isa;
    instructions.iter_mut().filter(|i| copying(&i.semantics)).for_each(|i| i.semantics.clear());
    let maker = exchanges(&changed, 4);
    assert_eq!(
        refused(&maker, &changed, &maker.schedules()),
        "error[M407]: `ia64` has no instruction that copies a register of class `gr`\n   \
         = help: add one whose semantics are `d = a`"
    );
}

#[test]
fn a_number_that_no_instruction_sets() {
    let processor = processor("pa8500");
    let maker = exchanges(&processor, 1 << 30);
    assert_eq!(
        refused(&maker, &processor, &maker.schedules()),
        "error[M409]: `pa-risc` has no instruction that sets a register of class `gr` to 1073741824"
    );
}

#[test]
fn operations_that_fit_no_bundles() {
    let processor = processor("mckinley");
    let mut maker = Maker::new(&processor, 4);
    let (mut source, mut target) = (0, 1);
    let word = maker.load(&mut source);
    let sums: Vec<_> = (0..8).map(|k| maker.define("adds", &[Use::Immediate(k), Use::Value(word)])).collect();
    maker.store(&mut target, sums[7]);
    maker.straight();
    let cycles = [vec![0], vec![2; 8], vec![3]].concat();
    assert_eq!(
        refused(&maker, &processor, &[Schedule { cycles, interval: None }]),
        "error[M410]: the operations of cycle 2 do not fit the bundles of `mckinley`\n   \
         = adds, adds, adds, adds, adds, adds, adds, adds"
    );
}
