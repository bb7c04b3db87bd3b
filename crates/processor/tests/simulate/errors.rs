//! Errors to the letter.

use crate::simulate::common::{error, BASE};

fn bundle(ops: [&str; 3]) -> String {
    format!("{{ .mii\n{}\n{}\n{} ;;\n}}", ops[0], ops[1], ops[2])
}

fn check(text: &str, expected: &str) {
    assert_eq!(error("mckinley", text, &[BASE], 16), expected);
}

#[test]
fn unknown_mnemonics() {
    check(
        &bundle(["nop.m 0", "shladdd r8 = r9, 3, r4", "nop.i 0"]),
        "error[M500]: `shladdd` is no instruction of ia64\n  --> text:3:1\n   = help: did you mean `shladd`?",
    );
    check(
        &bundle(["nop.m 0", "frobnicate r8", "nop.i 0"]),
        "error[M500]: `frobnicate` is no instruction of ia64\n  --> text:3:1\n   = help: an instruction is one record of the \
         instruction set's file",
    );
}

#[test]
fn operands_that_do_not_fit() {
    check(
        &bundle(["nop.m 0", "extr.u r8 = r9, 64, 4", "nop.i 0"]),
        "error[M501]: the operands of `extr.u r8 = r9, 64, 4` do not fit\n  --> text:3:1\n   = expected `extr.u {d} = {a}, \
         {n}, {l}`: `n` is 64, outside of 0 to 63",
    );
    check(
        &bundle(["nop.m 0", "or r8 = r9, r128", "nop.i 0"]),
        "error[M501]: the operands of `or r8 = r9, r128` do not fit\n  --> text:3:1\n   = expected `or {d} = {a}, {b}`: \
         `r128` is no register of class gr\n   = expected `or {d} = {n}, {a}`: `r9` is no number",
    );
    check(
        &bundle(["nop.m 0", "zxt1 r8 = r9, r10", "nop.i 0"]),
        "error[M501]: the operands of `zxt1 r8 = r9, r10` do not fit\n  --> text:3:1\n   = expected `zxt1 {d} = {a}`: other \
         separators or another number of operands",
    );
    check(
        &bundle(["(r6) nop.m 0", "nop.i 0", "nop.i 0"]),
        "error[M517]: `r6` is no predicate register\n  --> text:2:1",
    );
}

#[test]
fn bundles() {
    check(
        "{ .mii\nnop.m 0\nnop.i 0\n}",
        "error[M520]: a bundle has 3 slots, 2 are filled\n  --> text:1:1\n   = help: fill the others with nop",
    );
    check(
        "{ .mii\nnop.m 0\nnop.i 0\nnop.i 0\nnop.i 0\n}",
        "error[M523]: the bundle `.mii` has no room for `nop.i 0`\n  --> text:5:1",
    );
    check("{\nnop.m 0\n}", "error[M522]: the bundle names no template, such as `.mii`\n  --> text:2:1");
    check("{ .mii\nnop.m 0", "error[M502]: the bundle has no `}`\n  --> text:1:1");
    check("{ .mii\n{ .mii\n", "error[M518]: a bundle begins inside of another\n  --> text:2:1");
    check("nop.m 0 }", "error[M519]: `}` without a bundle\n  --> text:1:1");
    check("nop.m 0\n{ .mii }", "error[M521]: the operation stands outside of a bundle\n  --> text:1:1");
    check(
        "{ .mii\nmovl r8 = 5\nnop.i 0\n}",
        "error[M524]: `movl r8 = 5` cannot stand in slot 0 of `.mii`\n  --> text:2:1\n   = an operation of two slots stands \
         in slots 1 and 2 of `.mlx`, and nothing else does",
    );
    check(
        &bundle(["extr.u r8 = r9, 3, 4", "nop.i 0", "nop.i 0"]),
        "error[M507]: no port of mckinley takes `extr.u r8 = r9, 3, 4` in a slot M\n  --> text:2:1",
    );
}

#[test]
fn labels() {
    let branch = |label: &str| format!("again:\n{{ .mib\nnop.m 0\nnop.i 0\nbr.cloop.sptk.few {label} ;;\n}}");
    check(&branch("agian"), "error[M525]: there is no label `agian`\n  --> text:5:1\n   = help: did you mean `again`?");
    check(
        &format!("again:\n{}", branch("again")),
        "error[M503]: label `again` stands here a second time\n  --> text:2:1\n   = first in line 1",
    );
}

#[test]
fn groups() {
    check(
        &bundle(["add r8 = r9, r10", "add r11 = r8, r10", "nop.i 0"]),
        "error[M504]: `add r11 = r8, r10` reads `r8`, which its own group writes\n  --> text:3:1\n   = written in line 2: \
         `add r8 = r9, r10`\n   = help: put a stop `;;` between them",
    );
    check(
        &bundle(["add r8 = r9, r10", "add r8 = r9, r10", "nop.i 0"]),
        "error[M505]: `add r8 = r9, r10` writes `r8`, which its own group writes\n  --> text:3:1\n   = written in line 2: \
         `add r8 = r9, r10`\n   = help: put a stop `;;` between them",
    );
    check(
        &bundle(["cmp.eq p6, p7 = r0, r0", "(p6) add r8 = r9, r10", "nop.i 0"]),
        "error[M504]: `add r8 = r9, r10` reads `p6`, which its own group writes\n  --> text:3:1\n   = written in line 2: \
         `cmp.eq p6, p7 = r0, r0`\n   = help: put a stop `;;` between them",
    );
    let both = "{ .mmi\ncmp.eq p6, p7 = r0, r0\ncmp.eq p8, p9 = r0, r0\nnop.i 0 ;;\n}\n";
    check(
        &format!("{both}{}", bundle(["(p6) adds r8 = 1, r0", "(p8) adds r8 = 2, r0", "nop.i 0"])),
        "error[M511]: `adds r8 = 2, r0` and an operation of its own group touch one register, and both run\n  --> text:8:1\n   \
         = written in line 7: `adds r8 = 1, r0`\n   = help: put a stop `;;` between them, or guard them by predicates that \
         exclude each other",
    );
}

#[test]
fn runs() {
    check(
        &bundle(["ld4 r8 = [r0]", "nop.i 0", "nop.i 0"]),
        "error[M510]: `ld4 r8 = [r0]` reads 4 bytes at 0x0\n  --> text:2:1\n   = the memory is 0x1000 to 0x1010",
    );
    check(
        "{ .mmi\nadds r8 = 2, r32 ;;\nst4 [r8] = r0\nnop.i 0 ;;\n}",
        "error[M510]: `st4 [r8] = r0` writes 4 bytes at 0x1002\n  --> text:3:1\n   = the address is no multiple of 4",
    );
    let machine =
        crate::simulate::common::machine("mckinley", "again:\n{ .mib\nnop.m 0\nnop.i 0\nbr.cond.sptk.few again ;;\n}");
    let options = processor::simulate::Options { limit: 100, ..Default::default() };
    let error = machine.run(&[], BASE, vec![], options).expect_err("it does not end").to_string();
    let expected =
        "error[M512]: the text has not ended after 100 operations\n  --> text:5:1\n   = help: a loop's counter may \
                    be wrong, or the limit too low";
    assert_eq!(error, expected);
    let many = machine.run(&[0; 9], BASE, vec![], options).expect_err("there are eight").to_string();
    assert_eq!(many, "error[M513]: 9 arguments are given, there are registers for 8");
}

#[test]
fn an_instruction_that_never_retires() {
    let mut processor = crate::simulate::common::processor("pa8500");
    processor.out_of_order.as_mut().expect("it has queues").retire = (0, 0);
    let machine = processor::simulate::Machine::load("\taddi 1,%r26,%r3\n", "text", &processor).expect("it is sound");
    let error = machine.run(&[BASE], BASE, vec![], Default::default()).expect_err("it does not end").to_string();
    assert_eq!(
        error,
        "error[M516]: the instruction has not ended after 100000 cycles\n  --> text:1:1\n   = help: the model may lack a \
         port, a slot of a queue or a way to retire for it"
    );
}
