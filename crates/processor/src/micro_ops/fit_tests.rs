//! Tests of registers and places of values.

use super::super::search::improve;
use super::super::tests::{model, one, op};
use super::super::{Access, MicroOp};
use super::{Fitter, Operand, Place, PlacedInstruction, Problem, Step, Use, OPERAND};

fn step(operands: &[(u32, Use, u8)]) -> Step {
    let operands = operands.iter().map(|&(value, access, class)| Operand { value, access, class }).collect();
    let plain = one(vec![op(3, 1, &[], &[OPERAND])]);
    Step {
        operands,
        plain,
        first: None,
        folded: None,
        first_folded: None,
        again: false,
        cell: None,
        overwrites: Vec::new(),
    }
}

fn problem(steps: Vec<Step>, registers: u8) -> Problem {
    let before = (1..steps.len() as u32).map(|k| (k - 1, k)).collect();
    let any = one(vec![op(3, 1, &[], &[])]);
    Problem {
        steps,
        before,
        registers,
        load: any.clone(),
        store: any.clone(),
        copy: any,
        iterations: 0,
        tail: Vec::new(),
    }
}

fn fit(steps: Vec<Step>, registers: u8) -> Vec<PlacedInstruction> {
    let order: Vec<u32> = (0..steps.len() as u32).collect();
    Fitter::new(problem(steps, registers)).fit(&order)
}

#[test]
fn what_is_used_latest_is_spilled_and_comes_back() {
    let steps = vec![
        step(&[(0, Use::Write, 3)]),
        step(&[(1, Use::Write, 3)]),
        step(&[(2, Use::Write, 3), (1, Use::Read, 3)]),
        step(&[(3, Use::Write, 3), (1, Use::Read, 3)]),
        step(&[(2, Use::Read, 3)]),
        step(&[(0, Use::Read, 3)]),
    ];
    let placed = fit(steps, 3);
    assert!(placed.contains(&PlacedInstruction::Store(1, 0)) || placed.contains(&PlacedInstruction::Store(0, 0)));
    assert!(placed.iter().any(|p| matches!(p, PlacedInstruction::Load(_, Place::Slot(0)))));
}

#[test]
fn a_value_moves_to_a_register_of_its_class() {
    let steps = vec![step(&[(0, Use::Write, 2)]), step(&[(0, Use::Change, 1)]), step(&[(0, Use::Read, 3)])];
    let placed = fit(steps, 3);
    assert_eq!(placed[1], PlacedInstruction::Copy(0, 1));
}

#[test]
fn what_a_step_reads_in_memory_is_not_overwritten_before_it() {
    let mut last_use = step(&[(3, Use::Write, 3), (0, Use::Read, 3)]);
    last_use.folded = Some(one(vec![op(3, 1, &[], &[OPERAND])]));
    let steps = vec![
        step(&[(0, Use::Write, 3)]),
        step(&[(1, Use::Write, 3)]),
        step(&[(2, Use::Write, 3)]),
        step(&[(1, Use::Read, 3)]),
        step(&[(2, Use::Read, 3)]),
        last_use,
        step(&[(1, Use::Read, 3)]),
        step(&[(2, Use::Read, 3)]),
        step(&[(3, Use::Read, 3)]),
    ];
    let placed = fit(steps, 3);
    let reads = |p: &PlacedInstruction| matches!(p, PlacedInstruction::Step(5, _, Some(Place::Slot(0)), _));
    let at = placed.iter().position(reads).expect("value 0 is read in its slot");
    let stores =
        |slot| placed[..at].iter().filter(|p| matches!(p, PlacedInstruction::Store(_, s) if *s == slot)).count();
    assert_eq!((stores(0), stores(1)), (1, 1));
}

#[test]
fn what_is_overwritten_is_not_loaded_again() {
    let mut load = step(&[(0, Use::Write, 3)]);
    load.again = true;
    let mut store = step(&[(1, Use::Read, 3)]);
    store.overwrites = vec![0];
    let steps = |store: Step| {
        let busy = step(&[(2, Use::Write, 3), (1, Use::Read, 3)]);
        vec![
            load.clone(),
            step(&[(1, Use::Write, 3)]),
            busy,
            store,
            step(&[(2, Use::Read, 3)]),
            step(&[(0, Use::Read, 3)]),
        ]
    };
    let kept = |placed: &[PlacedInstruction]| placed.iter().any(|p| matches!(p, PlacedInstruction::Store(..)));
    let again =
        |placed: &[PlacedInstruction]| placed.iter().any(|p| matches!(p, PlacedInstruction::Load(_, Place::Of(0))));
    let stays = fit(steps(step(&[(1, Use::Read, 3)])), 3);
    assert!(again(&stays) && !kept(&stays));
    let changes = fit(steps(store), 3);
    assert!(!again(&changes) && kept(&changes));
}

#[test]
fn a_counted_shift_whose_operand_lies_in_the_counter() {
    // Value 1 is made where value 0 must be counted by.
    let steps = vec![
        step(&[(1, Use::Write, 2)]),
        step(&[(0, Use::Write, 7)]),
        step(&[(1, Use::Change, 5), (0, Use::Read, 2)]),
        step(&[(1, Use::Read, 7)]),
    ];
    let placed = fit(steps, 7);
    let registers = placed.iter().find_map(|p| match p {
        PlacedInstruction::Step(2, _, _, registers) => Some(registers.clone()),
        _ => None,
    });
    let registers = registers.unwrap();
    assert_ne!(registers[0], 1);
    assert_eq!(registers[1], 1);
}

#[test]
fn iterations_of_a_loop_wait_for_what_the_last_one_stored() {
    let steps = |cell| {
        let load = Operand { value: 0, access: Use::Write, class: 7 };
        let mut first = step(&[]);
        first.operands = vec![load];
        first.plain = one(vec![MicroOp { access: Some(Access::Load), ..op(4, 3, &[], &[OPERAND]) }]);
        let address = MicroOp { access: Some(Access::Address), ..op(8, 1, &[], &[]) };
        let data = MicroOp { access: Some(Access::Data), ..op(16, 1, &[OPERAND], &[]) };
        let mut last = step(&[(0, Use::Read, 7)]);
        last.plain = one(vec![address, data]);
        (first.cell, last.cell) = (cell, cell);
        vec![first, last]
    };
    let of = |cell, iterations| {
        let fitter = Fitter::new(Problem { iterations, ..problem(steps(cell), 7) });
        fitter.cycles(&fitter.fit(&[0, 1]), &model()).0
    };
    assert_eq!(of(Some(8), 30) - of(Some(8), 10), 20 * 4);
    assert_eq!(of(None, 30) - of(None, 10), 20 * 2, "the store waits for the first decoder");
}

#[test]
fn a_search_keeps_order_and_takes_no_more_cycles() {
    let mut steps: Vec<Step> = Vec::new();
    for value in 0..20 {
        let mut one_step = step(&[(value, Use::Write, 7)]);
        one_step.plain = one(vec![op(1, 4, &[], &[OPERAND])]);
        steps.push(one_step);
        steps.push(step(&[(value, Use::Read, 7)]));
    }
    let mut problem = problem(steps, 7);
    problem.before = (0..20).map(|k| (2 * k, 2 * k + 1)).collect();
    let fitter = Fitter::new(problem);
    let order: Vec<u32> = (0..40).collect();
    let start = fitter.cycles(&fitter.fit(&order), &model()).0;
    let (found, cycles, _) = improve(&fitter, &model(), &order, 500, 8, 1);
    assert!(cycles <= start);
    assert_eq!(fitter.cycles(&fitter.fit(&found), &model()).0, cycles);
    let place = |k: u32| found.iter().position(|&o| o == k).unwrap();
    assert!((0..20).all(|k| place(2 * k) < place(2 * k + 1)));
    let mut sorted = found.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, order);
}
