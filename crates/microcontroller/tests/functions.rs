//! Functions: frames, registers that are saved, branches that reach, other objects.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::common::{avr, h8, lines, mcs51};
use microcontroller::function::{marked, Call, Function};
use microcontroller::isa::Isa;

fn framed(isa: &Isa, texts: &[&str], call: &Call) -> Function {
    Function::framed(isa, &Arc::from("f"), lines(isa, texts), call).expect("a frame")
}

#[test]
fn registers_of_the_caller_are_saved() {
    let isa = avr();
    let made = framed(&isa, &["mov r17, r18", "ldd r2, Y+1"], &Call { marked: true, ..Call::default() });
    let kept = ["\tpush r2", "\tpush r17", "\tpush r28", "\tpush r29"];
    assert_eq!(made.text(&isa)[3..7], kept);
    assert_eq!(made.text(&isa)[9..13], ["\tpop r29", "\tpop r28", "\tpop r17", "\tpop r2"]);
    assert_eq!(made.text(&isa)[13..], ["\tclr r1", "\tret", "\t.size f, . - f"]);
    let inner = framed(&isa, &["mov r17, r18"], &Call { inner: true, marked: true, ..Call::default() });
    assert_eq!(inner.text(&isa)[3..], ["\tmov r17, r18", "\tret", "\t.size f, . - f"]);
    assert_eq!(inner.bytes(&isa), Ok(4));
}

#[test]
fn registers_of_called_functions_are_saved() {
    let isa = h8();
    let inner = framed(&isa, &["mov.b r4h,r0l", "mov.w r6,@x+0:16"], &Call { inner: true, ..Call::default() });
    let made = framed(&isa, &["jsr @g"], &Call { besides: inner.registers, ..Call::default() });
    let text = made.text(&isa);
    assert_eq!(text[2..8], ["\tpush r4", "\tpush r6", "\t.global f_begin", "f_begin:", "\tjsr @g", "\t.global f_end"]);
    assert_eq!(text[9..], ["\tpop r6", "\tpop r4", "\trts", "\t.global f_over", "f_over:"]);
}

/// The closing branch of a loop of so many instructions.
fn closing(isa: &Isa, body: &str, count: usize, branch: &str, lines: usize) -> Vec<String> {
    let mut texts = vec![".L0:"];
    texts.extend(vec![body; count]);
    texts.push(branch);
    let made = framed(isa, &texts, &Call { inner: true, marked: true, ..Call::default() });
    let text = made.reaching(isa).expect("known instructions").text(isa);
    let last = text.iter().rposition(|line| line == &format!("\t{body}")).expect("a body");
    text[last + 1..last + 1 + lines].iter().map(|line| line.trim().to_owned()).collect()
}

#[test]
fn branches_reach() {
    let isa = avr();
    assert_eq!(closing(&isa, "clr r2", 62, "brne .L0", 1), ["brne .Lf_0"]);
    assert_eq!(closing(&isa, "clr r2", 63, "brne .L0", 3), ["breq 8f", "rjmp .Lf_0", "8:"]);
    assert_eq!(closing(&isa, "clr r2", 2039, "brne .L0", 3), ["breq 8f", "rjmp .Lf_0", "8:"]);
    assert_eq!(closing(&isa, "clr r2", 2040, "brne .L0", 3), ["breq 8f", "jmp .Lf_0", "8:"]);
    let isa = h8();
    assert_eq!(closing(&isa, "inc.b r0l", 62, "bne .L0", 1), ["bne .Lf_0"]);
    assert_eq!(closing(&isa, "inc.b r0l", 63, "bne .L0", 3), ["beq 8f", "jmp @.Lf_0", "8:"]);
    let isa = mcs51();
    assert_eq!(closing(&isa, "inc a", 125, "djnz r2,.L0", 1), ["djnz r2,Lf_0"]);
    let far = ["djnz r2,f_8_1", "sjmp f_9_1", "f_8_1:", "ljmp Lf_0", "f_9_1:"];
    assert_eq!(closing(&isa, "inc a", 126, "djnz r2,.L0", 5), far);
}

#[test]
fn local_labels_get_names_where_they_have_to() {
    let isa = mcs51();
    let made = framed(&isa, &["jnc 1f", "inc a", "1:", "jnc 1f", "1:"], &Call::default());
    assert_eq!(made.text(&isa)[3..8], ["\tjnc f_1_1", "\tinc a", "f_1_1:", "\tjnc f_1_2", "f_1_2:"]);
}

#[test]
fn objects_are_renamed_in_every_address() {
    let isa = avr();
    let texts = ["lds r2, s + 3", "ldi r30, lo8(-(s + 1))", "sts s2 + 3, r2", "ldi r31, hi8(t)"];
    let made = framed(&isa, &texts, &Call { inner: true, marked: true, ..Call::default() });
    let objects = [("s", ("work", 8)), ("t", ("u", 0))];
    let objects = objects.map(|(old, (new, at))| (old.to_owned(), (Arc::from(new), at)));
    let text = made.renamed(&HashMap::from(objects)).text(&isa);
    let wanted = ["\tlds r2, work + 11", "\tldi r30, lo8(-(work + 9))", "\tsts s2 + 3, r2", "\tldi r31, hi8(u)"];
    assert_eq!(text[3..7], wanted);
}

#[test]
fn addresses_are_long_of_what_is_not_near() {
    let isa = h8();
    let texts = ["mov.b @x_keys + 4+3:8,r0l", "mov.b @x_block+1:8,r0h", "mov.w @x_block+0:16,r1"];
    let made = framed(&isa, &texts, &Call::default());
    let near = made.addressed(&BTreeSet::from(["x_block".to_owned()]));
    let wanted = ["\tmov.b @x_keys + 4+3:16,r0l", "\tmov.b @x_block+1:8,r0h", "\tmov.w @x_block+0:16,r1"];
    assert_eq!(near.text(&isa)[4..7], wanted);
    assert_eq!(near.bytes(&isa).expect("known") - made.bytes(&isa).expect("known"), 2);
}

#[test]
fn the_block_is_in_registers_between_the_marks() {
    let isa = avr();
    let mark =
        |texts: &[&str]| crate::common::text(&isa, &marked(&isa, "f", &lines(&isa, texts), "b").expect("labels"));
    let wanted = ["lds r2, b + 0", "fbegin:", "eor r2, r2", "fend:", "sts b + 0, r2"];
    assert_eq!(mark(&["lds r2, b + 0", "eor r2, r2", "sts b + 0, r2"]), wanted);
    assert_eq!(mark(&["eor r2, r2"]), ["fbegin:", "eor r2, r2", "fend:"]);
}
