//! Orders: loads wait, memory keeps its order, ranks say what goes first.

use std::sync::Arc;

use crate::common::{avr, code, instruction, value};
use microcontroller::code::{Instruction, Item, Memory};
use microcontroller::isa::Isa;
use microcontroller::order::{ordered, Rank};

fn made(isa: &Isa, line: &str, outs: &[u32], ins: &[u32]) -> Instruction {
    let ins = ins.iter().map(|n| value(*n)).collect();
    Instruction { outs: outs.to_vec(), ins, ..instruction(isa, &[line]) }
}

fn with_memory(mut i: Instruction, stores: bool, object: &str, at: Option<i64>) -> Instruction {
    let place = at.map(|at| (Arc::from(""), Arc::from(object), at));
    i.memory = Some(Memory { stores, object: object.into(), place, odd: false });
    i
}

fn changed(isa: &Isa, d: u32, a: u32, b: u32) -> Instruction {
    Instruction { tied: vec![(d, value(a))], ins: vec![value(b)], ..instruction(isa, &["eor {0}, {1}"]) }
}

/// Numbers of instructions as written, in the order that a rank gives them.
fn order(instructions: &[Instruction], rank: &Rank) -> Vec<usize> {
    let isa = avr();
    let code = code(&isa, instructions.to_vec());
    let out = ordered(&code.items, rank, "block");
    let place = |item: &Item| code.items.iter().position(|known| known == item).expect("one of them");
    out.iter().map(place).collect()
}

#[test]
fn loads_whose_address_is_loaded_wait_together() {
    let isa = avr();
    let instructions = [
        with_memory(made(&isa, "lds {0}, x + 0", &[0], &[]), false, "x", None),
        with_memory(
            Instruction {
                lines: crate::common::lines(&isa, &["mov r30, {1}", "ld {0}, Z"]),
                ..made(&isa, "clr r1", &[1], &[0])
            },
            false,
            "y",
            None,
        ),
        made(&isa, "ldi {0}, 1", &[2], &[]),
        changed(&isa, 3, 2, 1),
    ];
    for rank in [Rank::fewest_alive(), Rank::newest(), Rank::in_turn()] {
        assert_eq!(order(&instructions, &rank), [2, 0, 1, 3]);
    }
}

#[test]
fn the_block_is_loaded_first_and_stored_last() {
    let isa = avr();
    let instructions = [
        made(&isa, "ldi {0}, 1", &[0], &[]),
        with_memory(made(&isa, "sts block + 0, {0}", &[], &[0]), true, "block", Some(0)),
        made(&isa, "ldi {0}, 2", &[1], &[]),
        with_memory(made(&isa, "lds {0}, block + 1", &[2], &[]), false, "block", Some(1)),
        changed(&isa, 3, 1, 2),
    ];
    assert_eq!(order(&instructions, &Rank::in_turn()), [3, 0, 2, 4, 1]);
}

#[test]
fn memory_keeps_its_order_unless_places_are_known() {
    let isa = avr();
    let two = |places: [Option<i64>; 2]| {
        [
            made(&isa, "ldi {0}, 1", &[0], &[]),
            with_memory(made(&isa, "sts x + 0, {0}", &[], &[0]), true, "x", places[0]),
            with_memory(made(&isa, "lds {0}, x + 2", &[1], &[]), false, "x", places[1]),
            changed(&isa, 2, 1, 1),
        ]
    };
    // What continues with the latest results begins with the last instruction, if it may.
    let last_first = Rank { key: vec![[0, 0, -1]], ..Rank::in_turn() };
    assert_eq!(order(&two([Some(0), Some(2)]), &last_first), [2, 3, 0, 1]);
    assert_eq!(order(&two([Some(0), Some(1)]), &last_first), [0, 1, 2, 3]);
    assert_eq!(order(&two([Some(0), None]), &last_first), [0, 1, 2, 3]);
}

#[test]
fn ranks_take_what_leaves_the_fewest_alive_or_what_is_newest() {
    let isa = avr();
    let instructions = [
        made(&isa, "ldi {0}, 1", &[0], &[]),
        made(&isa, "ldi {0}, 2", &[1], &[]),
        made(&isa, "ldi {0}, 3", &[2], &[]),
        changed(&isa, 3, 0, 1),
        made(&isa, "mov {0}, {1}", &[4], &[2]),
        changed(&isa, 5, 3, 4),
    ];
    assert_eq!(order(&instructions, &Rank::fewest_alive()), [0, 1, 3, 2, 4, 5]);
    assert_eq!(order(&instructions, &Rank::newest()), [0, 1, 3, 2, 4, 5]);
    assert_eq!(order(&instructions, &Rank::in_turn()), [0, 1, 2, 3, 4, 5]);
    // Of equals the earlier one.
    let equal = Rank { key: vec![[0, 0, 0]], ..Rank::in_turn() };
    assert_eq!(order(&instructions, &equal), [0, 1, 2, 3, 4, 5]);
}

#[test]
fn tables_are_used_together() {
    let isa = avr();
    let look_up =
        |n: u32, table: &str| Instruction { setting: Some(table.into()), ..made(&isa, "lpm {0}, Z", &[n], &[]) };
    let instructions = [look_up(0, "t"), look_up(1, "u"), look_up(2, "t"), look_up(3, "u")];
    assert_eq!(order(&instructions, &Rank { together: true, ..Rank::in_turn() }), [0, 2, 1, 3]);
    assert_eq!(order(&instructions, &Rank::in_turn()), [0, 1, 2, 3]);
}
