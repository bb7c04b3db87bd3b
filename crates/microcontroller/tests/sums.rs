//! Look-ups of sums: what is loaded for the sum alone is loaded into the register of addresses.

use std::sync::Arc;

use crate::common::{avr, h8, lines, text};
use microcontroller::code::{Instruction, Item, Memory, Source, Value};
use microcontroller::isa::Isa;
use microcontroller::select::{sums_in_addresses, Selector};

fn of(isa: &Isa, texts: &[&str], ins: &[Value], outs: &[Value]) -> Instruction {
    let ins = ins.iter().map(|v| Source::Value(*v)).collect();
    Instruction { lines: lines(isa, texts), ins, outs: outs.to_vec(), ..Instruction::default() }
}

fn load(isa: &Isa, d: Value, object: &str, at: u32) -> Instruction {
    let memory = Some(Memory { stores: false, object: object.into(), place: None, odd: false });
    Instruction { memory, ..of(isa, &[&format!("lds {{0}}, {object} + {at}")], &[], &[d]) }
}

fn store(isa: &Isa, object: &str, at: u32, value: Value) -> Instruction {
    let memory = Some(Memory { stores: true, object: object.into(), place: None, odd: false });
    Instruction { memory, ..of(isa, &[&format!("sts {object} + {at}, {{0}}")], &[value], &[]) }
}

fn xor(isa: &Isa, line: &str, d: Value, a: Value, b: Value) -> Instruction {
    let tied = vec![(d, Source::Value(a))];
    Instruction { tied, commutative: true, ..of(isa, &[line], &[b], &[]) }
}

fn in_addresses(isa: &Isa, code: Vec<Instruction>) -> Vec<Arc<Instruction>> {
    let items = code.into_iter().map(|i| Item::Instruction(Arc::new(i))).collect();
    let found = sums_in_addresses(&mut Selector::new(isa, "flash"), items).expect("templates are right");
    let instruction = |item| match item {
        Item::Instruction(i) => i,
        Item::Loop(_) => panic!("there is no loop"),
    };
    found.into_iter().map(instruction).collect()
}

const LOOK_UP: [&str; 3] = ["mov r30, {1}", "ldi r31, hi8(table_t)", "lpm {0}, Z"];

#[test]
fn a_round_key_is_loaded_into_the_address() {
    let isa = avr();
    let before = [load(&isa, 0, "x_block", 0), load(&isa, 1, "x_keys", 3), xor(&isa, "eor {0}, {1}", 2, 0, 1)];
    let made = in_addresses(&isa, [&before[..], &[of(&isa, &LOOK_UP, &[2], &[3])]].concat());
    assert_eq!(made.len(), 2);
    assert_eq!(*made[0], before[0]);
    let wanted = ["lds r30, x_keys + 3", "eor r30, {1}", "ldi r31, hi8(table_t)", "lpm {0}, Z"];
    assert_eq!(text(&isa, &made[1].lines), text(&isa, &lines(&isa, &wanted)));
    assert_eq!((&made[1].ins[..], &made[1].outs[..]), (&[Source::Value(0)][..], &[3][..]));
    assert!(made[1].accesses(false, "x_keys"));
}

#[test]
fn a_byte_that_others_need_is_not() {
    let isa = avr();
    let sum = [load(&isa, 1, "x_keys", 3), xor(&isa, "eor {0}, {1}", 2, 0, 1)];
    let look_up = of(&isa, &LOOK_UP, &[2], &[3]);
    let again = |v| [&sum[..], &[look_up.clone(), xor(&isa, "eor {0}, {1}", 4, 3, v)]].concat();
    let stored = [&sum[..], &[store(&isa, "x_keys", 3, 0), look_up.clone()]].concat();
    for code in [again(2), again(1), stored] {
        let made: Vec<Instruction> = in_addresses(&isa, code.clone()).iter().map(|i| Instruction::clone(i)).collect();
        assert_eq!(made, code);
    }
}

#[test]
fn a_sum_is_made_in_the_address_where_nothing_has_to_be_loaded_for_it() {
    let isa = h8();
    let look_up = of(&isa, &["mov.b {1},r6l", "mov.b #page_table_t,r6h", "mov.b @r6,{0}"], &[2], &[3]);
    let made = in_addresses(&isa, vec![xor(&isa, "xor.b {1},{0}", 2, 0, 1), look_up]);
    assert_eq!(made.len(), 1);
    let wanted = ["mov.b {1},r6l", "xor.b {2},r6l", "mov.b #page_table_t,r6h", "mov.b @r6,{0}"];
    assert_eq!(text(&isa, &made[0].lines), text(&isa, &lines(&isa, &wanted)));
    assert_eq!(made[0].ins, [Source::Value(0), Source::Value(1)]);
}
