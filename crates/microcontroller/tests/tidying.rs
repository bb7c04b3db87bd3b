//! Copies that change nothing go, copies of pairs become one.

use crate::common::{avr, h8, lines, text};
use microcontroller::isa::Isa;
use microcontroller::tidy::tidied;

fn tidy(isa: &Isa, texts: &[&str]) -> Vec<String> {
    text(isa, &tidied(isa, &lines(isa, texts)))
}

#[test]
fn copies_of_pairs_are_one_and_z_is_loaded_once() {
    let given = ["ldi r31, hi8(t)", "mov r2, r4", "mov r3, r5", "ldi r31, hi8(t)", "mov r7, r9", "mov r8, r10"];
    assert_eq!(tidy(&avr(), &given), ["ldi r31, hi8(t)", "movw r2, r4", "mov r7, r9", "mov r8, r10"]);
}

#[test]
fn z_is_loaded_again_after_it_changed() {
    let isa = avr();
    for changes in ["add r31, r2", "movw r30, r26", "1:"] {
        let given = ["ldi r31, hi8(t)", changes, "ldi r31, hi8(t)"];
        assert_eq!(tidy(&isa, &given), given);
    }
    for changes in ["subi r26, 1", "ldi r30, 1", "adiw r30, 1"] {
        let given = ["movw r30, r26", changes, "movw r30, r26"];
        assert_eq!(tidy(&isa, &given), given);
    }
    let given = ["movw r30, r26", "ld r2, Z", "movw r30, r26"];
    assert_eq!(tidy(&isa, &given), given[..2]);
}

#[test]
fn what_may_be_skipped_stays() {
    let isa = avr();
    for skipped in ["movw r30, r26", "mov r2, r2"] {
        let given = ["movw r30, r26", "ld r2, Z", "sbrc r2, 0", skipped, "mov r3, r5"];
        assert_eq!(tidy(&isa, &given), given);
    }
    let given = ["sbrc r20, 0", "mov r2, r4", "mov r3, r5"];
    assert_eq!(tidy(&isa, &given), given);
    let given = ["mov r2, r4", "sbrs r20, 0", "mov r3, r5"];
    assert_eq!(tidy(&isa, &given), given);
    let given = ["sbrc r20, 0", "movw r30, r26", "movw r30, r26"];
    assert_eq!(tidy(&isa, &given), given);
}

#[test]
fn copies_into_the_address_register_are_made_once() {
    let given = [
        "mov.b r1l,r6l",
        "mov.b #page.t,r6h",
        "mov.b @r6,r2h",
        "mov.b r2h,r2h",
        "mov.b r1l,r6l",
        "mov.b #page.t,r6h",
        "mov.b @r6,r1l",
        "mov.b r1l,r6l",
    ];
    assert_eq!(tidy(&h8(), &given), [given[0], given[1], given[2], given[6], given[7]]);
}

#[test]
fn a_word_changes_both_halves() {
    let isa = h8();
    let given = ["mov.b r1l,r6l", "mov.w @x+0:16,r1", "mov.b r1l,r6l"];
    assert_eq!(tidy(&isa, &given), given);
    let given = ["mov.b r1l,r6l", "mov.w @x+0:16,r6", "mov.b r1l,r6l"];
    assert_eq!(tidy(&isa, &given), given);
    let given = ["mov.b r1l,r6l", "mov.w r1,@x+0:16", "mov.b r1l,r6l"];
    assert_eq!(tidy(&isa, &given), given[..2]);
}
