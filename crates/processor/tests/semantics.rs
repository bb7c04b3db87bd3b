//! The language of semantics: text, values, errors, and the compiled form against direct evaluation.

use std::collections::HashMap;

use crate::files;
use processor::isa::{self, Instruction, Isa, OperandKind};
use processor::semantics::{self, parse, Binding, CompiledInstruction, Fault, Memory, NoMemory};

fn value(text: &str, names: &[(&str, u64)]) -> u64 {
    let read = |name: &str| names.iter().find(|(n, _)| *n == name).unwrap_or_else(|| panic!("{name}")).1;
    semantics::parse_expression(text).expect(text).evaluate(&read, &mut NoMemory).expect(text)
}

#[test]
fn values() {
    let x = 0x0123_4567_89ab_cdef;
    let names = [("x", x), ("y", 3)];
    for (text, expected) in [
        ("x + y", x + 3),
        ("y - x", 3u64.wrapping_sub(x)),
        ("x * x", x.wrapping_mul(x)),
        ("~y", !3),
        ("x & ~y | y ^ 1", (x & !3) | (3 ^ 1)),
        ("1 + 2 << 4 & 0xff", 48),
        ("x << 64", 0),
        ("x >> 100", 0),
        ("y < x", 1),
        ("x <= x", 1),
        ("x > y", 1),
        ("y >= x", 0),
        ("y == 3 ? 7 : 9", 7),
        ("-1", u64::MAX),
        ("field(x, 8, 8)", 0xcd),
        ("field(x, 60, 8)", 0),
        ("ones(64)", u64::MAX),
        ("ones(5)", 31),
        ("sext(x, 8)", 0xffff_ffff_ffff_ffef),
        ("sext(x, 64)", x),
        ("rotl(x, 4, 32)", 0x9abc_def8),
        ("rotl(x, 36, 32)", 0x9abc_def8),
        ("rotr(x, 4, 32)", 0xf89a_bcde),
        ("rotr(x, 0, 32)", 0x89ab_cdef),
        ("rotl(x, 8, 64)", x.rotate_left(8)),
        ("lane(x, 3)", 0x0123),
        ("lanes(1, 2, 3, 65540)", 0x0004_0003_0002_0001),
        ("popcount(x)", 32),
        ("bytes(0x81)", 0xff00_0000_0000_00ff),
        ("bytes(0)", 0),
    ] {
        assert_eq!(value(text, &names), expected, "{text}");
    }
}

#[test]
fn text_and_back() {
    for text in [
        "d = (a << n) + b",
        "d = a & ~b",
        "d = load32(a); a = a + n",
        "store32(a, b)",
        "d = a - (b - c)",
        "d = a - b - c",
        "d = c != 0 ? c - 1 : 0",
        "p = (a != 0) | (b != 0)",
        "d = a + (b + c)",
        "d = (a ^ b) & c",
        "d = ~(a + b)",
        "d = field(rotl(x, n, 32), 8, 8)",
    ] {
        let statements = parse(text).expect(text);
        assert_eq!(semantics::text(&statements), text);
    }
    assert_eq!(semantics::text(&parse(" d=a>b ;").expect("parses")), "d = b < a");
    assert_eq!(semantics::text(&parse("d = 0x1_0000_0000").expect("parses")), "d = 0x100000000");
}

#[test]
fn errors() {
    for (text, at, message, help) in [
        (
            "d a",
            2,
            "`=` is expected after `d`, found `a`",
            "write `d = a + b` or `store32(address, value)`, several separated by `;`",
        ),
        ("d = ", 4, "a name, a number or `(` is expected here, found the end", ""),
        ("d = a b", 6, "`;` or the end is expected here, found `b`", ""),
        ("d = (a", 6, "`)` is expected here, found the end", ""),
        (
            "d = rot(a)",
            4,
            "there is no function `rot`",
            "known: load8, load16, load32, load64, field, ones, sext, rotl, rotr, lane, lanes, popcount, \
             bytes",
        ),
        ("d = field(a, 1)", 4, "`field` takes 3 arguments, here are 2", ""),
        ("d = ones(a, 1)", 4, "`ones` takes 1 argument, here are 2", ""),
        ("store24(a, b)", 0, "there is no `store24`", "known: store8, store16, store32, store64"),
        ("d = 0xzz", 4, "`0xzz` is not a number of 64 bits", "write 255 or 0xff"),
        (
            "d = a != 0 | b != 0",
            15,
            "comparisons in a row need parentheses",
            "`|`, `^` and `&` bind tighter than comparisons: write `(a != 0) | (b != 0)`",
        ),
        (
            "; d = a",
            0,
            "a statement is expected here, found `;`",
            "write `d = a + b` or `store32(address, value)`, several separated by `;`",
        ),
        ("d = a ? b", 9, "`:` is expected here, found the end", ""),
    ] {
        let error = parse(text).expect_err(text);
        assert_eq!((error.at, error.message.as_str(), error.help.as_str()), (at, message, help), "{text}");
    }
}

/// Memory that answers every load by a number made of its address, and remembers stores.
#[derive(Default, PartialEq, Debug)]
struct TotalMemory {
    stored: HashMap<u64, (u8, u64)>,
}

impl Memory for TotalMemory {
    fn load(&mut self, address: u64, bytes: u8) -> Result<u64, Fault> {
        Ok(mixed(address) & semantics::ones(8 * u64::from(bytes)))
    }

    fn store(&mut self, address: u64, bytes: u8, value: u64) -> Result<(), Fault> {
        self.stored.insert(address, (bytes, value & semantics::ones(8 * u64::from(bytes))));
        Ok(())
    }
}

/// A number that looks random (splitmix64).
fn mixed(seed: u64) -> u64 {
    let x = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// Operands within what may stand there; small numbers and edges often.
fn operands(isa: &Isa, i: &Instruction, round: u64) -> Vec<u64> {
    let operand = |(k, operand): (usize, &isa::Operand)| {
        let random = mixed(round * 1000 + k as u64);
        match operand.kind {
            OperandKind::Register(class) => {
                let small = if random % 3 == 0 { random % 70 } else { mixed(random) };
                small & semantics::ones(u64::from(isa.registers[class].bits))
            }
            OperandKind::Immediate(least, greatest) => {
                let span = greatest.wrapping_sub(least) as u64;
                let offset = if span == u64::MAX { random } else { random % (span + 1) };
                (least as u64).wrapping_add(offset)
            }
        }
    };
    i.uses.iter().enumerate().map(operand).collect()
}

/// Runs the compiled form: operands in the first slots, immediates known or not, results after them.
fn compiled(isa: &Isa, i: &Instruction, uses: &[u64], known: bool, memory: &mut TotalMemory) -> Vec<u64> {
    let mut binding = Binding::default();
    for (k, operand) in i.uses.iter().enumerate() {
        match operand.kind {
            OperandKind::Immediate(..) if known => binding.numbers.push((&operand.name, uses[k])),
            _ => binding.reads.push((&operand.name, k as u16)),
        }
    }
    let first = uses.len() as u16;
    for (k, operand) in i.defines.iter().enumerate() {
        // A tied operand is one register.
        let tied = i.uses.iter().position(|u| u.name == operand.name).map(|n| n as u16);
        let OperandKind::Register(class) = operand.kind else { continue };
        binding.writes.push((&operand.name, tied.unwrap_or(first + k as u16), isa.registers[class].bits));
    }
    binding.room = first + i.defines.len() as u16;
    let code = CompiledInstruction::new(&i.semantics, &binding);
    let mut file = uses.to_vec();
    file.resize(usize::from(code.slots.max(binding.room)), 0);
    code.run(&mut file, memory).expect("memory is everywhere");
    binding.writes.iter().map(|w| file[usize::from(w.1)]).collect()
}

#[test]
fn compiled_form_computes_the_same_as_direct_evaluation() {
    let mut count = 0;
    for p in richest_processors() {
        for i in p.isa.instructions.iter().filter(|i| !i.semantics.is_empty()) {
            for round in 0..150 {
                let uses = operands(&p.isa, i, round);
                let mut memories = [TotalMemory::default(), TotalMemory::default(), TotalMemory::default()];
                let direct = isa::execute(&p.isa, i, &uses, &mut memories[0]).expect("memory is everywhere");
                for (n, known) in [(1, true), (2, false)] {
                    let run = compiled(&p.isa, i, &uses, known, &mut memories[n]);
                    assert_eq!(run, direct, "{} {} {uses:x?}, immediates known: {known}", p.name, i.name);
                    assert_eq!(memories[n], memories[0], "{} {} {uses:x?}", p.name, i.name);
                }
                count += 1;
            }
        }
    }
    assert!(count > 30_000, "{count}");
}

#[test]
fn one_step_for_what_is_common() {
    let steps = |text: &str| {
        let reads = vec![("a", 0), ("b", 1), ("x", 2)];
        let numbers = vec![("n", 8), ("l", 8)];
        let binding = Binding { reads, numbers, writes: vec![("d", 3, 64)], jump: None, room: 4 };
        CompiledInstruction::new(&parse(text).expect(text), &binding).steps.len()
    };
    for text in ["d = a + b", "d = a & ~b", "d = (a << n) + b", "d = field(a, n, l)", "d = rotr(a, n, 32)", "d = a - 3"]
    {
        assert_eq!(steps(text), 1, "{text}");
    }
    assert_eq!(steps("d = load32(b + (x << 2))"), 2);
}

fn richest_processors() -> Vec<processor::model::Processor> {
    let settings =
        [("addressing".to_owned(), "load-extract-scale".to_owned()), ("rotate".to_owned(), "present".to_owned())];
    let (isas, processors) = (files::read("isas"), files::read("processors"));
    let load = |name: &str, settings: &[(String, String)]| {
        processor::model::load(&isas, &processors, name, settings).unwrap_or_else(|e| panic!("{e}"))
    };
    vec![load("ia64pp", &[]), load("pa8500", &[]), load("epic", &settings)]
}
