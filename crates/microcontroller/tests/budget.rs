//! Code within a budget of RAM: objects, where they lie, and what texts have in common.

use std::sync::Arc;

use crate::common::{avr, h8, lines, mcs51, records, FILES};
use microcontroller::budget::Text;
use microcontroller::function::{Call, Function};
use microcontroller::isa::Isa;

fn text(objects: &[(&str, u32)]) -> Text {
    let mut text = Text { inside: vec![("x_block".to_owned(), "x_key".to_owned())], ..Text::default() };
    objects.iter().for_each(|(name, bytes)| text.object(name, *bytes));
    text
}

fn function(isa: &Isa, name: &str, body: &[&str]) -> Function {
    Function::framed(isa, &Arc::from(name), lines(isa, body), &Call::default()).expect("a frame")
}

#[test]
fn an_object_in_the_bytes_of_another_makes_it_no_smaller() {
    let text = text(&[("x_key", 24), ("x_block", 16), ("x_block", 32), ("x_work", 3)]);
    assert_eq!(text.objects, [("x_key".to_owned(), 32), ("x_work".to_owned(), 3)]);
    assert_eq!(text.labels("x_key"), ["x_key", "x_block"]);
    assert_eq!(text.labels("x_work"), ["x_work"]);
    assert_eq!(text.ram(), 35);
}

#[test]
fn near_are_objects_as_long_as_there_is_room() {
    let (isa, objects) = (h8(), [("x_keys", 60), ("x_values", 40), ("x_key", 15), ("x_work", 73)]);
    let placement = text(&objects).placement(isa.budget_record().expect("a record")).expect("room");
    // 74 and 16 bytes leave 38.
    assert_eq!(placement.near, ["x_work", "x_key"]);
    assert_eq!(placement.far, ["x_keys", "x_values"]);
}

#[test]
fn what_has_to_be_near_has_room_or_the_text_has_none() {
    let (isa, fitting) = (mcs51(), [("x_key", 16), ("x_values", 124), ("x_work", 104)]);
    let record = isa.budget_record().expect("a record");
    let placement = text(&fitting).placement(record).expect("room");
    assert_eq!((placement.near.len(), placement.far.as_slice()), (2, ["x_values".to_owned()].as_slice()));
    assert_eq!(text(&[("x_key", 16), ("x_work", 105)]).placement(record), None);
    assert_eq!(text(&[("x_key", 16), ("x_keys", 229)]).placement(record), None);
}

#[test]
fn an_address_is_long_where_its_object_is_far() {
    let isa = h8();
    let record = isa.budget_record().expect("a record");
    let mut text = text(&[("x_work", 100), ("x_keys", 60)]);
    text.add(function(&isa, "x_f", &["mov.b @x_work+1:8,r0l", "mov.b @x_keys+1:8,r0l"]));
    let placement = text.placement(record).expect("room");
    let made = text.addressed(record.objects.as_ref(), &placement);
    let written = made[0].text(&isa);
    assert_eq!(written[4..6], ["\tmov.b @x_work+1:8,r0l", "\tmov.b @x_keys+1:16,r0l"]);
    assert_eq!(text.bytes(&isa, record), Ok(Some(2 + 4 + 2 + 255)));
}

#[test]
fn texts_share_what_has_the_same_name() {
    let isa = avr();
    let (mut one, mut other) = (text(&[("x_key", 16), ("x_values", 9)]), text(&[("x_values", 12), ("x_work", 1)]));
    one.add(function(&isa, "x_fill", &["mov r0, r18"]));
    other.add(function(&isa, "x_fill", &["mov r0, r18"]));
    other.add(function(&isa, "x_f", &["mov r0, r19"]));
    one.add_tables(&[("t".to_owned(), vec![1, 2])]);
    other.add_tables(&[("t".to_owned(), vec![1, 2]), ("u".to_owned(), vec![3; 257])]);
    let both = one.joined(&other);
    let names: Vec<&str> = both.functions.iter().map(|f| &*f.name).collect();
    assert_eq!(names, ["x_fill", "x_f"]);
    assert_eq!(both.objects, [("x_key".to_owned(), 16), ("x_values".to_owned(), 12), ("x_work".to_owned(), 1)]);
    // Tables begin at multiples of 256; each function has its instruction and `clr r1`, `ret`.
    assert_eq!(both.bytes(&isa, isa.budget_record().expect("a record")), Ok(Some(2 * 6 + 256 + 512)));
}

#[test]
fn an_instruction_set_need_not_have_budgets() {
    let known = records(FILES[0]);
    let without = known.split("[budget]").next().expect("what stands before");
    let isa = Isa::read(without, "avr").expect("it is right");
    assert_eq!(isa.budget_record().expect_err("no record").code, "E135");
}
