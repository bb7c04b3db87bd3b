//! Instruction sets as files: every line comes out as it came in, costs what its record says; what is wrong is refused.

use crate::common::{avr, h8, isa, mcs51, records, FILES};
use microcontroller::assembly::{read, Writer};
use microcontroller::code::Line;
use microcontroller::isa::Isa;

const AVR: &str = "mov r2, r31;ldi r16, 255;ldi r30, lo8(t);ldi r31, hi8(t + 3);subi r30, lo8(-(x_keys + 16 + 3));\
    sbci r31, hi8(-(x + 0));subi r28, lo8(-5);lds r0, x_keys + 16 + 3;sts x + 3, r1;ld r0, Z;ldd r5, Y+3;std Z+63, r9;\
    st Z, r1;lpm r7, Z;movw r30, r26;adiw r28, 5;mul r2, r3;brcc .+2;breq 1f;1:;rjmp 2f;2:;brne 3b;call f;clr r1;ret;\
    .size f, . - f;bst r2, 0;bld r2, 7;sbrc r4, 1;cpi r30, 4;lds r31, x_values + 8";
const H8: &str =
    "mov.b r0l,r1h;mov.b #5,r1h;mov.b #page_t,r6h;mov.b @r6,r0h;mov.b @(x+3:16,r6),r0h;mov.b r0h,@(t:16,r6);\
    mov.b @x_keys + 16+3:8,r0l;mov.b r0l,@x+3:16;mov.w @x+2:16,r0;mov.w r0,@x+2:16;mov.w #12,r5;mov.b @r1+,r2h;\
    mov.b r2h,@-r1;mulxu.b r0h,r1;bld #7,r0l;rotxl.b r0l;adds #2,r5;addx #1,r0h;subx r0h,r0l;bcs 1f;1:;bne 1b;\
    jmp @.L1;jsr @x_f;push r4;pop r4;rts;.global x;btst #0,r1l";
const MCS51: &str =
    "mov a,r2;mov r2,a;mov a,@r0;mov @r1,a;mov a,x+3;mov x+3,a;mov x,y+1;mov r2,ar3;mov ar3,@r0;mov @r0,ar3;\
    mov r2,#5;mov x+1,#5;mov r0,#(x+3);mov r1,#<(x+3);mov p2,#>(x);mov dptr,#t;mov dptr,#(x+3);mov dpl,a;mov b,r2;\
    mov r2,b;add a,#>t;addc a,#255;xrl ar2,a;xrl x+3,#7;anl a,r2;orl a,b;xch a,r3;mul ab;inc dptr;inc r0;dec x;\
    movc a,@a+dptr;movx a,@dptr;movx @r0,a;clr c;clr a;rlc a;djnz r2,y;djnz x+1,y;cjne a,#3,y;jnb acc.4,y;lcall f;ret";

/// A line as it is read and written again.
fn again(isa: &Isa, line: &str) -> String {
    Writer::new(isa, "").line(&read(isa, line).expect("it is known"))
}

#[test]
fn lines_are_written_as_they_were_read() {
    for (isa, text) in [(avr(), AVR), (h8(), H8), (mcs51(), MCS51)] {
        for line in text.split(';') {
            // Local labels get names where they have to have some.
            assert_eq!(again(&isa, line), line);
        }
    }
}

fn cost(isa: &Isa, line: &str) -> (u32, u32) {
    let Ok(Line::Machine(machine)) = read(isa, line) else { panic!("`{line}` is no instruction") };
    isa.cost(&machine).expect("it is known")
}

#[test]
fn what_an_instruction_costs_depends_on_its_operands() {
    let (avr, h8, mcs51) = (avr(), h8(), mcs51());
    assert_eq!(["mov r2, r3", "lds r2, x + 1", "lpm r2, Z"].map(|l| cost(&avr, l)), [(1, 2), (2, 4), (3, 2)]);
    let moves = ["mov.b r0l,r0h", "mov.b @x+1:8,r0h", "mov.b @x+1:16,r0h", "mov.b @(x+1:16,r6),r0h"];
    assert_eq!(moves.map(|l| cost(&h8, l)), [(2, 2), (4, 2), (6, 4), (6, 4)]);
    let moves = ["mov a,r2", "mov a,x", "mov r2,x", "mov x,y", "mov x,#1"];
    assert_eq!(moves.map(|l| cost(&mcs51, l)), [(1, 1), (1, 2), (2, 2), (2, 3), (2, 3)]);
}

#[test]
fn what_no_record_fits_is_refused() {
    let refused = |isa: &Isa, line| read(isa, line).expect_err("it is none").to_string();
    assert_eq!(refused(&avr(), "lea r2, r3"), "error[E131]: no instruction is known for `lea r2, r3`");
    assert_eq!(refused(&mcs51(), "mov r2,r3"), "error[E131]: no instruction is known for `mov r2,r3`");
    assert_eq!(refused(&h8(), "mov.b r9h,r0l"), "error[E131]: no instruction is known for `mov.b r9h,r0l`");
}

#[test]
fn files_that_are_wrong_are_refused() {
    let changed = |file: &str, old: &str, new: &str| {
        let text = records(file);
        assert!(text.contains(old), "{file} has no `{old}`");
        Isa::read(&text.replacen(old, new, 1), "x.toml").expect_err("it is wrong").to_string()
    };
    let cases = [
        (FILES[0], "scratch = \"r30\"", "scratch = \"r32\"", "there is no register `r32`"),
        (FILES[0], "pair = \"movw\"", "pair = \"move\"", "there is no instruction `move`"),
        (FILES[0], "copy = \"mov {0}, {1}\"", "copy = \"mov {0}\"", "no instruction is known for `mov {0}`"),
        (FILES[0], "\nbytes = 2\n", "\n", "`add` says no bytes"),
        (FILES[2], "at_data_pointer = \"@dptr\"", "at_data_pointer = \"@r9\"", "no instruction has the operand `@r9`"),
        (FILES[2], "parts = [\"({})\",", "parts = [\"[{}]\",", "`[{}]` is none of the parts"),
    ];
    for (file, old, new, message) in cases {
        assert_eq!(changed(file, old, new), format!("error[E134]: `x.toml` is no instruction set: {message}"));
    }
    let unknown = changed(FILES[1], "[tidying]", "[tidiness]");
    assert!(unknown.starts_with("error[E134]: `x.toml` is no instruction set: TOML parse error"), "{unknown}");
    assert!(unknown.contains("unknown field `tidiness`"), "{unknown}");
}

#[test]
fn every_record_has_cycles_and_bytes() {
    for file in FILES {
        let isa = isa(file);
        for (name, forms) in isa.mnemonics.iter().zip(&isa.forms) {
            assert!(forms.iter().all(|form| form.cycles > 0 && form.bytes > 0), "{file}: `{name}`");
        }
    }
}
