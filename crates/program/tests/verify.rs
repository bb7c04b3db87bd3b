//! The verifier: every invariant is broken once at least, and the error read to the letter.

use program::ir::{BoxId, MatrixId, OpKind, Operand, Place, Program, TableId, Type, ValueId};
use program::{parse, verify};

const EVERY: &str = include_str!("data/every.program");

#[test]
fn the_program_with_every_operation_is_sound() {
    verify(&parse(EVERY).unwrap()).unwrap();
}

const CONSTANTS: &str = "table @T: u8[4] = [1, 2, 3, 4]
matrix @M: gf(0x11b) = [[1, 2], [3, 4], [5, 6]]
box @B: 1 -> 2 = [0, 3]
func @one(%x: u32) -> (u32) { return %x }
";

/// A program with one operation or several; `%x %y: u32`, `%b: u8`, `%k: u32[4]`, `%r: u8[3][2]`.
fn wrap(ops: &str) -> String {
    format!(
        "program \"p\" {{ file 0 \"a.py\" }}\n{CONSTANTS}\
         func @f(%x: u32, %y: u32, %b: u8, %k: u32[4], %r: u8[3][2]) -> (u32) {{\n{ops}\nreturn %x }}"
    )
}

fn error(text: &str) -> String {
    verify(&parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"))).expect_err(text).to_string()
}

/// Code, message and the given number of notes of the error for operations inside `@f`.
fn first_lines(ops: &str) -> String {
    let error = error(&wrap(ops));
    error.lines().take_while(|line| !line.contains("in function")).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_full_error_names_the_authors_place_the_callers_and_the_operation() {
    let text = wrap("%t.1: u32 = rotl %x, 32 @19:18<40:7");
    let expected = "error[P111]: `rotl` of u32 by 32
  --> a.py:19:18
  via a.py:40:7
   = expected an amount of 0 to 31
   = in function `f`: %t.1: u32 = rotl %x, 32";
    assert_eq!(error(&text), expected);
}

#[test]
fn a_word_used_outside_its_loop_is_named() {
    let ops = "%v: u32 = rounds 2 \"i\" from 0 step 1 (%x) { body 0..1 (%i: index, %w: u32) {
        %t.3: u32 = add %w, 1 @7:5
        yield %t.3 } }
        %z: u32 = add %v, %t.3 @9:9";
    let expected = "error[P103]: `t` is used outside the loop body that defines it
  --> a.py:9:9
   = `t` is defined at a.py:7:5 inside a loop
   = in function `f`: %z: u32 = add %v, %t.3
   = help: what a loop computes leaves it only through a variable that has a value before the loop";
    assert_eq!(error(&wrap(ops)), expected);
}

fn loop_of(iterations: &str, body: &str) -> String {
    format!("%v: u32 = rounds {iterations} (%x) {{ {body} }}")
}

#[test]
fn every_operation_can_be_wrong() {
    let cases = [
        // 3: scope
        ("%z: u32 = rounds 1 \"\" from 0 step 1 (%x) { body 0 (%i: index, %w: u32) { yield %z } }", "error[P103]: `z` is used before it is defined"),
        // 8: numbers of operands and results
        ("%p: u32, %q: u32 = add %x, %y", "error[P108]: `add` has 2 results, not 1"),
        ("add %x, %y", "error[P108]: `add` has 0 results, not 1"),
        ("%p: u8, %q: u8 = linear @M %b, %b", "error[P108]: `linear` has 2 results, not 3"),
        ("%p: u8, %q: u8, %s: u8 = linear @M %b", "error[P108]: `linear` has 1 operands, not 2"),
        ("%p: u8 = bitsliced @B %b", "error[P108]: `bitsliced` has 1 results, not 2"),
        ("%p: u8, %q: u8 = bitsliced @B %b, %b", "error[P108]: `bitsliced` has 2 operands, not 1"),
        ("%p: u8 = load %r[1]", "error[P108]: `load` has 1 results, not 2"),
        ("%p: u8[3][2] = store %r[1], 3", "error[P108]: `store` has 1 operands, not 2"),
        ("%p: u8[3] = array 1, 2", "error[P108]: `array` has 2 operands, not 3"),
        ("rounds 1 \"\" from 0 step 1 () { body 0 (%i: index) { yield } }", "error[P108]: the loop has no result, so it does nothing"),
        // 9: types
        ("%z: u32 = add %x, %b", "error[P109]: operand `b` of `add` has the wrong type\n   = expected u32\n   = found u8"),
        ("%z: u32[4] = add %k, %k", "error[P109]: the result of `add` has the wrong type\n   = expected a word\n   = found u32[4]"),
        ("%z: u32 = not %k", "error[P109]: operand `k` of `not` has the wrong type\n   = expected u32\n   = found u32[4]"),
        ("%z: u32 = rotl %x, %k", "error[P109]: operand `k` of `rotl` has the wrong type\n   = expected a word\n   = found u32[4]"),
        ("%z: u2 = eq %x, %y", "error[P109]: the result of `eq` has the wrong type\n   = expected u1\n   = found u2"),
        ("%z: u1 = eq %x, %b", "error[P109]: operand `b` of `eq` has the wrong type\n   = expected u32\n   = found u8"),
        ("%z: u32 = select %b, %x, %y", "error[P109]: operand `b` of `select` has the wrong type\n   = expected u1\n   = found u8"),
        ("%z: u32 = concat %b, %x", "error[P109]: `concat` joins 40 bits into a word of 32 bits"),
        ("%z: u32 = zext %x", "error[P109]: `zext` from u32 to u32 is not wider"),
        ("%z: u32 = lookup @T[%b]", "error[P109]: the result of `lookup` has the wrong type\n   = expected u8\n   = found u32"),
        ("%p: u8, %q: u8, %s: u9 = linear @M %b, %b", "error[P109]: the result of `linear` has the wrong type\n   = expected u8\n   = found u9"),
        ("%p: u32, %q: u8 = bitsliced @B %x", "error[P109]: the result of `bitsliced` has the wrong type\n   = expected u32\n   = found u8"),
        ("%p: u32 = load %x[0]", "error[P109]: `x` has the wrong type\n   = expected an array\n   = found u32"),
        ("%p: u8 = load %k[0]", "error[P109]: the result of `load` has the wrong type\n   = expected u32\n   = found u8"),
        ("%p: u32[5] = store %k[0], %x", "error[P109]: the result of `store` has the wrong type\n   = expected u32[4]\n   = found u32[5]"),
        ("%p: u32 = array", "error[P109]: `p` has the wrong type\n   = expected an array\n   = found u32"),
        ("%p: u32 = index_div 4, 2", "error[P109]: the result of `index_div` has the wrong type\n   = expected index\n   = found u32"),
        ("%7: u32[4] = sub 1, %x", "error[P109]: the result of `sub` has the wrong type\n   = expected a word\n   = found u32[4]"),
        // 10: numbers
        ("%z: u8 = add %b, 256", "error[P110]: the number 256 does not fit u8\n   = expected 0 to 255"),
        ("%z: u8 = const 0x100", "error[P110]: the number 256 does not fit u8\n   = expected 0 to 255"),
        ("%z: u1 = ltu %b, 300", "error[P110]: the number 300 does not fit u8\n   = expected 0 to 255"),
        ("%z: u32[4] = store %k[0], 0x100000000", "error[P110]: the number 4294967296 does not fit u32\n   = expected 0 to 4294967295"),
        // 11: shifts and extracts
        ("%z: u8 = shl %b, 8", "error[P111]: `shl` of u8 by 8\n   = expected an amount of 0 to 7"),
        ("%z: u8 = extract %x, 25", "error[P111]: `extract` of 8 bits from bit 25 up leaves a word of 32 bits"),
        // 12 and 13: addresses
        ("%z: u32 = load %k[2*%b]", "error[P112]: the address `2*b` of `k` has a wrong form\n   = expected indices and at most one word, of fewer than 64 bits, with coefficient 1"),
        ("%z: u32 = load %k[%b + %x]", "error[P112]: the address `b + x` of `k` has a wrong form\n   = expected indices and at most one word, of fewer than 64 bits, with coefficient 1"),
        ("%z: u32 = load %k[%r]", "error[P112]: `r` is an array and cannot stand in `r`"),
        ("%z: u32 = word %x", "error[P112]: `x` stands in `word` but is no index\n   = found u32"),
        ("%z: u32 = load %k[4]", "error[P113]: an address of `k` lies outside\n   = expected 0 to 3\n   = found 4"),
        ("%z: u32 = load %k[-1]", "error[P113]: an address of `k` lies outside\n   = expected 0 to 3\n   = found -1"),
        ("%z: u32 = load %k[%b]", "error[P113]: an address of `k` lies outside\n   = expected 0 to 3\n   = found `b`, 0 to 255"),
        ("%z: u8 = lookup @T[%b]", "error[P113]: an address of table `T` lies outside\n   = expected 0 to 3\n   = found `b`, 0 to 255"),
        ("%z: u8 = load %r[0][2]", "error[P113]: an address of `r` lies outside\n   = expected 0 to 1\n   = found 2"),
        ("%z: u32 = load %k[0][0]", "error[P113]: 2 addresses for the 1 dimensions of `k`"),
        // 14 and 15
        ("%z: u8 = word 256", "error[P114]: `256` does not fit u8\n   = found 256 to 256"),
        ("%z: u8 = word -1", "error[P114]: `-1` does not fit u8\n   = found -1 to -1"),
        ("%z: index = index_mod 5, 0", "error[P115]: `index_mod` by 0: the divisor must be positive"),
        // 16: calls
        ("%z: u32 = call @g(%x)", "error[P116]: the call of `g` finds no function before this one"),
        ("%z: u32 = call @f(%x)", "error[P116]: the call of `f` finds no function before this one"),
        ("%z: u32 = call @one()", "error[P116]: `one` takes 1 arguments, not 0"),
        ("%z: u32 = call @one(%b)", "error[P116]: argument 0 of `one` is u8, not u32"),
        ("%z: u32 = call @one(0x100000000)", "error[P116]: argument 0 of `one` is the number 4294967296, not u32"),
        ("%z: u8 = call @one(%x)", "error[P116]: result 0 of `one` is u32, not u8"),
        ("call @one(%x)", "error[P116]: `one` gives 1 results, not 0"),
    ];
    for (ops, expected) in cases {
        assert_eq!(first_lines(ops), expected, "{ops}");
    }
}

#[test]
fn loops_can_be_wrong() {
    let good = "body 0..1 (%i: index, %w: u32) { yield %w }";
    let cases = [
        // 17
        (loop_of("0 \"i\" from 0 step 1", ""), "error[P117]: the loop has 0 iterations; 1 to 1048576 are possible"),
        (loop_of("2 \"i\" from 0 step 0", good), "error[P117]: the counter from 0 step 0 is none"),
        (loop_of("2 \"i\" from 9223372036854775807 step 1", good), "error[P117]: the counter from 9223372036854775807 step 1 is none"),
        (loop_of("2 \"i\" from 0 step 1", &format!("{good} body (%j: index, %u: u32) {{ yield %u }}")), "error[P117]: no iteration runs body 1 of the loop"),
        // 18
        ("%v: u32 = rounds 2 \"i\" from 0 step 1 (%x, %x) { body 0..1 (%i: index, %w: u32) { yield %w } }".into(), "error[P118]: the loop has 2 initial values, not 1 as it has results"),
        ("%v: u8 = rounds 2 \"i\" from 0 step 1 (%x) { body 0..1 (%i: index, %w: u8) { yield %w } }".into(), "error[P118]: initial value 0, for `v`, is u32, not u8"),
        ("%v: index = rounds 2 \"i\" from 0 step 1 (%x) { body 0..1 (%i: index, %w: index) { yield %w } }".into(), "error[P118]: `v` is carried through the loop but is an index"),
        (loop_of("2 \"i\" from 0 step 1", "body 0..1 (%i: index) { yield 0 }"), "error[P118]: body 0 has 1 parameters and 1 yields; 2 and 1 are needed"),
        (loop_of("2 \"i\" from 0 step 1", "body 0..1 (%i: u32, %w: u32) { yield %w }"), "error[P118]: the first parameter of body 0 is no index"),
        (loop_of("2 \"i\" from 0 step 1", "body 0..1 (%i: index, %w: u8) { yield %w }"), "error[P118]: parameter `w` of body 0 is u8, not u32"),
        (loop_of("2 \"i\" from 0 step 1", "body 0..1 (%i: index, %w: u32) { yield %b }"), "error[P118]: body 0 yields u8 for `v`, not u32"),
        // what stands in a body
        (loop_of("2 \"i\" from 0 step 1", "body 0..1 (%i: index, %w: u32) { %z: u32 = add %i, 1 yield %z }"), "error[P109]: operand `i` of `add` has the wrong type\n   = expected u32\n   = found index"),
        (loop_of("5 \"i\" from 1 step 1", "body 0..4 (%i.2: index, %w: u32) { %z: u32 = load %k[%i.2] yield %z }"), "error[P113]: an address of `k` lies outside\n   = expected 0 to 3\n   = found `i`, 0 to 4\n   = `i` counts the iterations of its loop from 0"),
        (loop_of("3 \"i\" from 1 step 1", "body 0..2 (%i: index, %w: u32) { %z: u32 = load %k[9223372036854775807*%i] yield %z }"), "error[P114]: `9223372036854775807*i` does not fit 64 bits"),
        (loop_of("3 \"i\" from 1 step 1", "body 0..2 (%i: index, %w: u32) { %z: u32 = load %k[%i + %i] yield %z }"), "error[P112]: `i` stands twice in `i + i`"),
        (loop_of("3 \"i\" from 1 step 1", "body 0..2 (%i: index, %w: u32) { %z: u32 = load %k[0*%i] yield %z }"), "error[P112]: `i` has coefficient 0 in `0*i`"),
    ];
    for (ops, expected) in cases {
        assert_eq!(first_lines(&ops), expected, "{ops}");
    }
}

#[test]
fn an_address_is_checked_by_the_iterations_of_its_own_body() {
    let sound = [
        // Iteration 4 would leave the array, but another body runs it.
        loop_of("5 \"i\" from 0 step 1", "body 0..3 (%i: index, %w: u32) { %z: u32 = load %k[%i] yield %z } body 4 (%j: index, %u: u32) { %y.1: u32 = load %k[%j - 4] yield %y.1 }"),
        // 0, 2, 4 exactly: an interval would not do.
        loop_of("5 \"i\" from 0 step 1", "body 0..4 by 2 (%i: index, %w: u32) { %h: index = index_mod %i, 2 %z: u32 = load %k[99*%h + 3] yield %z } body 1, 3 (%j: index, %u: u32) { yield %u }"),
        // The remainder by hand: 10 - 4*(10/4) is below 4 on every iteration.
        loop_of("99 \"i\" from 0 step 1", "body 0..98 (%i: index, %w: u32) { %q: index = index_div %i, 4 %z: u32 = load %k[%i - 4*%q] yield %z }"),
        // A ring takes any address.
        loop_of("99 \"i\" from 0 step 1", "body 0..98 (%i: index, %w: u32) { %z: u32 = load %k[ring %i - 50] yield %z }"),
        "%e: u2 = extract %x, 0  %z: u32 = load %k[%e]".into(),
        "%z: u32 = load %k[ring %x]".into(),
        "%z: u1 = eq 3, 4  %w: u8 = extract 0xff00, 8".into(),
    ];
    for ops in sound {
        verify(&parse(&wrap(&ops)).unwrap()).unwrap_or_else(|e| panic!("{e}\n{ops}"));
    }
}

#[test]
fn functions_can_be_wrong() {
    let cases = [
        ("func @f(%i: index) -> () { return }", "error[P119]: parameter `i` is an index\n   = in function `f`"),
        ("func @f() -> (index) { return 0 }", "error[P119]: a function cannot return an index\n   = in function `f`"),
        ("func @f() -> (u8) { return }", "error[P119]: 0 values are returned, not 1\n   = in function `f`"),
        ("func @f(%x: u9) -> (u8) { return %x }", "error[P119]: result 0 is u9, not u8\n   = in function `f`"),
        ("func @f() -> (u8) { return 256 }", "error[P119]: result 0 is the number 256, not u8\n   = in function `f`"),
        ("func @f(%x: u9[0]) -> () { return }", "error[P104]: the type u9[0] does not exist\n   = expected words of 1 to 64 bits, one or two extents, 1 to 1048576 elements\n   = in function `f`"),
        ("table @T: u8[0] = [] ", "error[P105]: table `T` has 0 entries"),
        ("table @T: u8[2] = [1, 256] ", "error[P105]: entry 1 of table `T` does not fit u8\n   = found 0x100"),
        ("matrix @M: gf(1) = [[0]] ", "error[P106]: the polynomial 0x1 of matrix `M` has no degree"),
        ("matrix @M: gf(0x11b) = [] ", "error[P106]: matrix `M` is empty"),
        ("matrix @M: gf(0x11b) = [[1, 2], [3]] ", "error[P106]: row 1 of matrix `M` has 1 entries, row 0 has 2"),
        ("matrix @M: gf(0x11b) = [[1, 0x100]] ", "error[P106]: entry 0x100 of matrix `M` does not lie in its field of 2^8"),
        ("box @B: 9 -> 1 = [0] ", "error[P107]: box `B` goes from 9 to 1 bits; 1 to 8 are possible"),
        ("box @B: 2 -> 1 = [0, 1] ", "error[P107]: box `B` has 2 entries, 2 input bits need 4"),
        ("box @B: 1 -> 1 = [0, 2] ", "error[P107]: entry 2 of box `B` does not fit 1 output bits"),
        ("func @f(%x: u8) -> (u8) { %y: u8 = not %x @1:3:4 return %y }", "error[P120]: `not` has a place that does not exist\n   = expected one of 1 files, a line and a column from 1\n   = found file 1, line 3, column 4\n   = in function `f`"),
        ("func @f(%x: u8) -> (u8) { %y: u8 = not %x @0:4 return %y }", "error[P120]: `not` has a place that does not exist\n   = expected one of 1 files, a line and a column from 1\n   = found file 0, line 0, column 4\n   = in function `f`"),
    ];
    for (text, expected) in cases {
        assert_eq!(error(&format!("program \"p\" {{ file 0 \"a.py\" }} {text}")), expected, "{text}");
    }
}

/// The error after a change that no text can express.
fn changed(change: impl FnOnce(&mut Program)) -> String {
    let mut program = parse(EVERY).unwrap();
    change(&mut program);
    verify(&program).unwrap_err().to_string()
}

#[test]
fn what_no_text_can_say_is_rejected_too() {
    let f = |p: &mut Program, kind: OpKind| p.functions[1].body.ops[0].kind = kind;
    let gone = ValueId(9999);
    assert!(changed(|p| p.functions[0].name = "every".into())
        .starts_with("error[P101]: two functions have the name `every`"));
    assert!(changed(|p| p.functions[0].name = "a b".into())
        .starts_with("error[P101]: function name \"a b\" cannot be written"));
    assert!(changed(|p| p.tables[0].name = "T".into()).starts_with("error[P101]: two tables have the name `T`"));
    assert!(changed(|p| p.tables[0].width = 0).starts_with("error[P104]: table `S` has entries of 0 bits"));
    assert!(changed(|p| p.functions[1].values[3].name = "a".into())
        .starts_with("error[P101]: two values have the name `a`"));
    assert!(changed(|p| p.functions[0].values[1].ty = Type::Word(65))
        .starts_with("error[P104]: the type u65 does not exist"));
    assert!(changed(|p| p.functions[0].body.ops[0].results[0] = ValueId(0))
        .starts_with("error[P102]: value `%x` is defined twice"));
    assert!(changed(|p| p.functions[0].params[0] = gone).starts_with("error[P102]: value number 9999 does not exist"));
    assert!(changed(|p| f(p, OpKind::Not(Operand::Value(gone))))
        .starts_with("error[P102]: `not` refers to a value that does not exist"));
    assert!(changed(|p| f(p, OpKind::Lookup(TableId(9), Default::default())))
        .starts_with("error[P102]: `lookup` refers to a table"));
    assert!(
        changed(|p| f(p, OpKind::Linear(MatrixId(9), vec![]))).starts_with("error[P102]: `linear` refers to a matrix")
    );
    assert!(
        changed(|p| f(p, OpKind::Bitsliced(BoxId(9), vec![]))).starts_with("error[P102]: `bitsliced` refers to a box")
    );
    assert!(changed(|p| p.functions[0].body.outputs = vec![Operand::Value(gone)])
        .starts_with("error[P102]: an output refers to"));
    assert!(changed(|p| p.functions[0].body.ops[0].places = vec![Place { file: 7, line: 1, column: 1 }])
        .starts_with("error[P120]"));
    let wrong_body = changed(|p| {
        let op = p.functions[1].body.ops.last_mut().unwrap();
        if let OpKind::Loop(l) = &mut op.kind {
            l.pattern[1] = 3;
        }
    });
    assert!(wrong_body.starts_with("error[P117]: iteration 1 runs body 3, the loop has 3"), "{wrong_body}");
}
