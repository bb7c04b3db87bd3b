//! The text form: printing and parsing are inverse, errors to the letter.

use program::builder::{Builder, Replacements};
use program::ir::{Operand, ValueId};
use program::text::iterations_text;
use program::{parse, walk};

const EVERY: &str = include_str!("data/every.program");

#[test]
fn printing_what_was_parsed_gives_the_text() {
    assert_eq!(parse(EVERY).unwrap().to_string(), EVERY);
}

#[test]
fn parsing_what_was_printed_gives_the_program() {
    let program = parse(EVERY).unwrap();
    assert_eq!(parse(&program.to_string()).unwrap(), program);
}

#[test]
fn comments_and_white_space_only_separate() {
    let loose = EVERY.replace("\n  ", " # a comment\n\t").replace(", ", " ,");
    assert_eq!(parse(&loose).unwrap(), parse(EVERY).unwrap());
}

#[test]
fn iterations_are_written_as_runs() {
    let cases: [(&[u32], &str); 6] = [
        (&[0], "0"),
        (&[0, 1], "0..1"),
        (&[0, 2], "0, 2"),
        (&[1, 5, 9], "1..9 by 4"),
        (&[0, 4, 5, 6, 8, 10, 12], "0, 4..6, 8..12 by 2"),
        (&[], ""),
    ];
    for (iterations, text) in cases {
        assert_eq!(iterations_text(iterations), text);
    }
}

fn error(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

/// A program whose function `@f` has the given operations, beginning on line 2.
fn body(ops: &str) -> String {
    format!("program \"p\" {{ }} func @f(%x: u32, %k: u32[4]) -> (u32) {{\n{ops}\nreturn %x }}")
}

const GRAMMAR: &str = "error[P001]: the text does not follow the grammar of programs";

#[test]
fn errors_say_where_what_was_expected_and_what_was_found() {
    let cases = [
        (String::new(), format!("{GRAMMAR}\n  --> program text:1:1\n   = expected `program`\n   = found the end of the text")),
        (body("%y: u32 = ad %x, 1"), format!("{GRAMMAR}\n  --> program text:2:11\n   = expected an operation\n   = found `ad`")),
        (body("%y: u32 = add %x 1"), format!("{GRAMMAR}\n  --> program text:2:18\n   = expected `,`\n   = found `1`")),
        (body("%y: u65 = add %x, 1"), format!("{GRAMMAR}\n  --> program text:2:5\n   = expected a word type, `u1` to `u64`\n   = found `u65`")),
        (body("%y: u32 = load %k[\"a\"]"), format!("{GRAMMAR}\n  --> program text:2:19\n   = expected an index or a number\n   = found \"a\"")),
        (body("%y: u32 = add %x, %z"), "error[P002]: value `%z` is not defined before this use\n  --> program text:2:19".to_owned()),
        (body("%y: u32 = lookup @S[%x]"), "error[P002]: table `@S` is not defined\n  --> program text:2:18".to_owned()),
        (body("%x: u32 = not %k"), "error[P003]: value `%x` is defined twice\n  --> program text:2:1\n   = help: every value of a function needs its own name, also in different loop bodies".to_owned()),
        (body("%y: u32 = rounds 3 \"i\" from 0 step 1 (%x) { body 0, 2 (%i: index, %z: u32) { yield %z } }"), "error[P004]: iteration 1 of the loop runs no body\n  --> program text:2:18".to_owned()),
        (body("%y: u32 = rounds 3 \"i\" from 0 step 1 (%x) { body 0..3 (%i: index, %z: u32) { yield %z } }"), "error[P004]: iterations 0 to 3 do not lie in the loop's 0 to 2\n  --> program text:2:50".to_owned()),
        (body("%y: u32 = rounds 3 \"i\" from 0 step 1 (%x) { body 0, 0 (%i: index, %z: u32) { yield %z } }"), "error[P004]: iteration 0 runs body 0 and body 0 of the loop\n  --> program text:2:53".to_owned()),
        (body("%y: u32 = const 18446744073709551616"), "error[P001]: `18446744073709551616` is no number\n  --> program text:2:17\n   = expected a decimal or 0x hexadecimal number below 2^64".to_owned()),
        (body("?"), "error[P001]: unexpected character `?`\n  --> program text:2:1".to_owned()),
        ("program \"p".to_owned(), "error[P001]: a string has no end on its line\n  --> program text:1:9\n   = expected `\"`".to_owned()),
        ("program \"p\" { file 1 \"x\" }".to_owned(), format!("{GRAMMAR}\n  --> program text:1:20\n   = expected `0`, the next file number\n   = found `1`")),
        ("program \"p\" {} table @A: u8[3] = [1]".to_owned(), "error[P007]: table `@A` has 1 entries, not 3\n  --> program text:1:37".to_owned()),
        (format!("{} func @f() -> () {{ return }}", body("")), "error[P003]: function `@f` is defined twice\n  --> program text:3:18".to_owned()),
    ];
    for (text, expected) in cases {
        assert_eq!(error(&text), expected, "{text}");
    }
}

#[test]
fn deep_nesting_is_an_error() {
    let open: String =
        (0..70).map(|n| format!("%y{n}: u32 = rounds 1 \"\" from 0 step 1 () {{ body 0 (%i{n}: index) {{ ")).collect();
    assert!(error(&body(&open)).starts_with("error[P006]: loops are nested more than 64 deep"));
}

#[test]
fn copies_have_fresh_names_and_keep_their_meaning_apart() {
    let mut program = parse(EVERY).unwrap();
    let function = &mut program.functions[1];
    let mut builder = Builder::new(function);
    let mut copies = Vec::new();
    // %j is an operand of `zext`, which holds no number: a `const` must appear.
    let e = ValueId(builder.values.iter().position(|v| v.name == "e").unwrap() as u32);
    let mut map = Replacements::from([(e, Operand::Const(7))]);
    let ops: Vec<_> = function.body.ops.iter().filter(|op| !op.results.contains(&e)).cloned().collect();
    builder.copy_ops(&ops, None, &mut map, &[], &mut copies);
    function.body.ops.extend(copies);
    builder.finish(function);
    let text = program.to_string();
    assert_eq!(parse(&text).unwrap(), program);
    assert!(
        text.contains(
            "%e.1: u8 = const 7\n  %e.2: u8 = const 7\n  %j.1: u16 = concat %e.1, %e.2\n  %z.1: u32 = zext %j.1"
        ),
        "{text}"
    );
    assert_eq!(walk::use_counts(&program.functions[1]).len(), program.functions[1].values.len());
}
