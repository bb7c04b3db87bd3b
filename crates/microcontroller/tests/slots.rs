//! Values share bytes of memory unless both are needed.

use std::sync::Arc;

use crate::common::{avr, h8, lines, text};
use microcontroller::isa::Isa;
use microcontroller::slots::packed;

fn pack(isa: &Isa, texts: &[&str]) -> (Vec<String>, u32) {
    let (out, count) = packed(isa, &lines(isa, texts), &Arc::from("s"), "b");
    (text(isa, &out), count)
}

fn stays(isa: &Isa, texts: &[&str], count: u32) {
    assert_eq!(pack(isa, texts), (texts.iter().map(ToString::to_string).collect(), count));
}

#[test]
fn values_share_bytes_unless_both_are_needed() {
    let isa = avr();
    let (out, count) = pack(&isa, &["sts s + 0, r2", "lds r3, s + 0", "sts s + 1, r2", "lds r4, s + 1"]);
    assert_eq!(out, ["sts s + 0, r2", "lds r3, s + 0", "sts s + 0, r2", "lds r4, s + 0"]);
    assert_eq!(count, 1);
    stays(&isa, &["sts s + 0, r2", "sts s + 1, r2", "lds r3, s + 0", "lds r4, s + 1"], 2);
}

#[test]
fn values_around_a_loop_keep_their_bytes() {
    stays(&avr(), &["sts s + 0, r2", ".L1:", "lds r3, s + 0", "sts s + 1, r3", "lds r4, s + 1", "brne .L1"], 2);
}

#[test]
fn values_use_the_block_between_its_load_and_its_store() {
    let isa = avr();
    let (out, count) = pack(&isa, &["lds r2, b + 0", "sts s + 0, r3", "lds r4, s + 0", "sts b + 0, r2"]);
    assert_eq!(out, ["lds r2, b + 0", "sts b + 0, r3", "lds r4, b + 0", "sts b + 0, r2"]);
    assert_eq!(count, 0);
    stays(&isa, &["sts s + 0, r3", "lds r2, b + 0", "lds r4, s + 0", "sts b + 0, r2"], 1);
}

#[test]
fn a_copy_from_byte_to_byte_goes() {
    let (out, count) = pack(&avr(), &["sts s + 0, r2", "lds r3, s + 0", "sts s + 1, r3", "lds r4, s + 1"]);
    assert_eq!(out, ["sts s + 0, r2", "lds r3, s + 0", "lds r4, s + 0"]);
    assert_eq!(count, 1);
}

#[test]
fn words_of_the_block_hold_values() {
    let isa = h8();
    let inside = ["mov.w @b+0:16,r0", "mov.b r1l,@s+0:8", "mov.b @s+0:8,r1h", "mov.w r0,@b+0:16"];
    let (out, count) = pack(&isa, &inside);
    assert_eq!(out, inside.map(|line| line.replace("s+0", "b+0")));
    assert_eq!(count, 0);
    // By pointers any byte of the block may be read.
    stays(&isa, &[inside[0], inside[1], inside[2], inside[3], "mov.b @(b+0:16,r5),r1h"], 1);
}
