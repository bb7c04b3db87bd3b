//! The evaluator: arrays as values, unwritten cells, calls, traces, blocks; error texts to the letter.

use program::evaluate::{trace, Chain, Evaluator, RecordedValue, Value};
use program::statistics::{statistics, Count};
use program::{parse, verify};

fn program(functions: &str) -> program::ir::Program {
    let program = parse(&format!("program \"p\" {{ file 0 \"a.py\" }} {functions}")).unwrap();
    verify(&program).unwrap();
    program
}

fn run(functions: &str, name: &str, arguments: &[Value]) -> Result<Vec<Value>, String> {
    Evaluator::new(&program(functions)).unwrap().evaluate(name, arguments).map_err(|d| d.to_string())
}

fn word(n: u64) -> Value {
    Value::Word(n)
}

fn array(words: &[u64]) -> Value {
    Value::Array(words.to_vec())
}

#[test]
fn the_old_array_of_a_store_keeps_its_contents() {
    let text = "func @f(%a: u8[3]) -> (u8[3], u8[3], u8[3], u8) {
        %b: u8[3] = store %a[1], 7
        %c: u8[3] = store %b[2], 8
        %x: u8 = load %b[2]
        return %a, %b, %c, %x }";
    let expected = vec![array(&[1, 2, 3]), array(&[1, 7, 3]), array(&[1, 7, 8]), word(3)];
    assert_eq!(run(text, "f", &[array(&[1, 2, 3])]).unwrap(), expected);
}

#[test]
fn an_array_of_the_block_outside_is_new_on_every_iteration() {
    let text = "func @f() -> (u8[2], u8) {
        %a: u8[2] = array 1, 2
        %s: u8 = rounds 3 \"i\" from 0 step 1 (0) { body 0..2 (%i: index, %t: u8) {
            %x: u8 = load %a[0]
            %b: u8[2] = store %a[0], 9
            %y: u8 = load %b[0]
            %u: u8 = add %t, %x
            yield %u } }
        return %a, %s }";
    assert_eq!(run(text, "f", &[]).unwrap(), vec![array(&[1, 2]), word(3)]);
}

#[test]
fn one_array_may_begin_two_carried_values() {
    let text = "func @f() -> (u8[2], u8[2]) {
        %a: u8[2] = array 1, 2
        %b: u8[2], %c: u8[2] = rounds 2 \"i\" from 0 step 1 (%a, %a) {
            body 0..1 (%i: index, %d: u8[2], %e: u8[2]) { %g: u8[2] = store %d[0], 9 yield %g, %e } }
        return %b, %c }";
    assert_eq!(run(text, "f", &[]).unwrap(), vec![array(&[9, 2]), array(&[1, 2])]);
}

#[test]
fn carried_values_change_places_at_the_same_time() {
    let text = "func @f(%p: u8, %q: u8, %a: u8[2], %b: u8[2]) -> (u8, u8, u8[2], u8[2]) {
        %r: u8, %s: u8, %c: u8[2], %d: u8[2] = rounds 3 \"i\" from 0 step 1 (%p, %q, %a, %b) {
            body 0..2 (%i: index, %t: u8, %u: u8, %e: u8[2], %f: u8[2]) { yield %u, %t, %f, %e } }
        return %r, %s, %c, %d }";
    let arguments = [word(1), word(2), array(&[3, 4]), array(&[5, 6])];
    assert_eq!(run(text, "f", &arguments).unwrap(), vec![word(2), word(1), array(&[5, 6]), array(&[3, 4])]);
}

#[test]
fn a_called_function_leaves_its_arguments_alone() {
    let text = "func @set(%a: u8[2], %x: u8) -> (u8[2]) { %b: u8[2] = store %a[0], %x return %b }
        func @f(%a: u8[2]) -> (u8[2], u8[2], u8[2]) {
        %b: u8[2] = call @set(%a, 7)
        %c: u8[2] = call @set(%b, 8)
        return %a, %b, %c }";
    assert_eq!(run(text, "f", &[array(&[1, 2])]).unwrap(), vec![array(&[1, 2]), array(&[7, 2]), array(&[8, 2])]);
}

const UNWRITTEN: &str = "func @get(%a: u8[2][2]) -> (u8) { %x: u8 = load %a[1][0] @3:4 return %x }
    func @f(%n: u8) -> (u8) {
    %T.1: u8[2][2] = array
    %T.2: u8[2][2] = store %T.1[0], 1, 2
    %s: u8 = rounds 2 \"i\" from 0 step 1 (0) { body 0..1 (%i: index, %t: u8) {
        %x: u8 = load %T.2[%i][1] @9:9<12:1
        yield %x } }
    return %s }
    func @g() -> (u8) { %T: u8[2][2] = array %x: u8 = call @get(%T) @20:2 return %x }
    func @h() -> (u8[3]) { %k: u8[3] = array %k.1: u8[3] = store %k[0], 1 return %k.1 }";

#[test]
fn reading_an_unwritten_cell_is_an_error() {
    let expected = "error[P201]: `T[1][1]` is read before it is written
  --> a.py:9:9
  via a.py:12:1
   = on iteration 1 of the loops around it (from 0, outermost first)
   = in function `f`";
    assert_eq!(run(UNWRITTEN, "f", &[word(0)]).unwrap_err(), expected);
    let expected = "error[P201]: `a[1][0]` is read before it is written
  --> a.py:3:4
  via a.py:20:2
   = in function `get`";
    assert_eq!(run(UNWRITTEN, "g", &[]).unwrap_err(), expected);
    let expected = "error[P201]: `k` is returned with cells that were never written
   = the first one is k[1]
   = in function `h`";
    assert_eq!(run(UNWRITTEN, "h", &[]).unwrap_err(), expected);
}

#[test]
fn arguments_that_do_not_fit_are_errors() {
    let cases = [
        ("g", vec![word(1)], "error[P209]: `g` takes 0 arguments, not 1"),
        (
            "f",
            vec![word(256)],
            "error[P204]: argument `n` of `f` has a wrong value\n   = expected u8\n   = found 0x100",
        ),
        (
            "f",
            vec![array(&[1])],
            "error[P204]: argument `n` of `f` has a wrong value\n   = expected u8\n   = found 1 numbers",
        ),
        (
            "get",
            vec![array(&[1, 2, 3])],
            "error[P204]: argument `a` of `get` has a wrong value\n   = expected u8[2][2]\n   = found 3 numbers",
        ),
        (
            "get",
            vec![word(1)],
            "error[P204]: argument `a` of `get` has a wrong value\n   = expected u8[2][2]\n   = found one number",
        ),
        ("F", vec![], "error[P203]: the program has no function `F`\n   = help: known: get, f, g, h"),
    ];
    for (name, arguments, expected) in cases {
        assert_eq!(run(UNWRITTEN, name, &arguments).unwrap_err(), expected);
    }
}

#[test]
fn a_program_that_fills_the_memory_is_refused() {
    let line = |n| format!("%a{n}: u8[1048576] = array\n");
    let text = format!("func @f() -> () {{ {} return }}", (0..70).map(line).collect::<String>());
    let expected =
        "error[P202]: function `f` needs too much memory to be evaluated\n   = expected at most 67108864 words";
    assert_eq!(Evaluator::new(&program(&text)).unwrap_err().to_string(), expected);
}

#[test]
fn blocks_run_one_after_the_other() {
    let text = "func @f(%k: u8, %x: u8[2]) -> (u8[2]) {
        %a: u8 = load %x[0] %b: u8 = load %x[1] %c: u8 = add %a, %k %d: u8 = xor %b, %c
        %y: u8[2] = array %d, %c return %y }
        func @g(%x: u8[2]) -> (u8) { return 0 }";
    let mut evaluator = Evaluator::new(&program(text)).unwrap();
    assert_eq!(evaluator.run_blocks("f", &[word(10)], &[1, 2, 3, 4]).unwrap(), [2 ^ 11, 11, 4 ^ 13, 13]);
    assert!(evaluator.run_blocks("f", &[word(10)], &[]).unwrap().is_empty());
    let error = evaluator.run_blocks("f", &[word(10)], &[1]).unwrap_err().to_string();
    assert_eq!(error, "error[P208]: 1 bytes are no whole number of blocks of 2 bytes");
    let error = evaluator.run_blocks("f", &[], &[1, 2]).unwrap_err().to_string();
    assert_eq!(error, "error[P209]: `f` takes 1 arguments before the block, not 0");
    let error = evaluator.run_blocks("g", &[], &[1, 2]).unwrap_err().to_string();
    assert_eq!(error, "error[P207]: `g` does not turn a block of bytes into another\n   = expected a last parameter and one result of the same type u8[n]");
}

#[test]
fn chains_follow_their_definition() {
    let text = "func @f(%k: u8, %x: u8[2]) -> (u8[2]) {
        %a: u8 = load %x[0] %b: u8 = load %x[1] %c: u8 = mul %a, %k %d: u8 = add %b, %c
        %y: u8[2] = array %d, %a return %y }";
    let f = |x: [u8; 2]| [x[1].wrapping_add(x[0].wrapping_mul(7)), x[0]];
    let xor = |a: [u8; 2], b: [u8; 2]| [a[0] ^ b[0], a[1] ^ b[1]];
    let mut evaluator = Evaluator::new(&program(text)).unwrap();
    for count in 0..9 {
        for chain in [Chain::Plain, Chain::CbcEncrypt, Chain::CbcDecrypt] {
            // NIST's own formulation: arrays of inputs, vectors and outputs.
            let (mut input, mut vector, mut outputs) = ([3, 5], [7, 11], vec![[3, 5], [3, 5]]);
            for _ in 0..count {
                let output = match chain {
                    Chain::Plain => f(input),
                    Chain::CbcEncrypt => f(xor(input, vector)),
                    Chain::CbcDecrypt => xor(f(input), vector),
                };
                (input, vector) = match chain {
                    Chain::Plain => (output, vector),
                    Chain::CbcEncrypt => (vector, output),
                    Chain::CbcDecrypt => (output, input),
                };
                outputs.push(output);
            }
            let (last, before) = evaluator.run_chain("f", &[word(7)], chain, &[7, 11], &[3, 5], count).unwrap();
            assert_eq!((last, before), (outputs.pop().unwrap().to_vec(), outputs.pop().unwrap().to_vec()));
        }
    }
    let error = evaluator.run_chain("f", &[word(7)], Chain::Plain, &[], &[3], 1).unwrap_err().to_string();
    assert_eq!(error, "error[P206]: the block has 1 bytes, a block has 2");
    let error = evaluator.run_chain("f", &[word(7)], Chain::CbcEncrypt, &[], &[3, 4], 1).unwrap_err().to_string();
    assert_eq!(error, "error[P206]: the vector has 0 bytes, a block has 2");
}

#[test]
fn a_trace_names_values_iterations_and_places() {
    let text = "func @twice(%x: u8) -> (u8) { %d.4: u8 = add %x, %x @5:6 return %d.4 }
        func @f(%n: u8) -> (u8) {
        %s: u8 = rounds 2 \"i\" from 1 step 1 (%n) { body 0..1 (%i: index, %t: u8) {
            %7: u8 = add %t, 1 @8:1
            %u.1: u8 = call @twice(%7) @9:1
            yield %u.1 } } @7:1
        %T: u8[2] = array
        %T.1: u8[2] = store %T[1], %s
        return %s }";
    let program = program(text);
    let events = trace(&program, "f", &[word(3)]).unwrap();
    let told: Vec<_> = events
        .iter()
        .map(|e| {
            let places: Vec<String> = e.places.iter().map(ToString::to_string).collect();
            format!("{}.{} {:?} {:?} {}", e.function, e.name, e.iterations, e.value, places.join(" "))
        })
        .collect();
    let expected = [
        "twice.d [0] Word(8) a.py:5:6 a.py:9:1",
        "f.u [0] Word(8) a.py:9:1",
        "twice.d [1] Word(18) a.py:5:6 a.py:9:1",
        "f.u [1] Word(18) a.py:9:1",
        "f.s [] Word(18) a.py:7:1",
        "f.T [] Array([None, None]) ",
        "f.T [] Array([None, Some(18)]) ",
    ];
    assert_eq!(told, expected);
    assert_eq!(events[4].value, RecordedValue::Word(18));
    let counts = statistics(&program, "f").unwrap();
    assert_eq!(counts["add"], Count { fixed: 1, executed: 4 });
    assert_eq!(counts["call"], Count { fixed: 1, executed: 2 });
    assert_eq!(counts["rounds"], Count { fixed: 1, executed: 1 });
    assert!(statistics(&program, "g").is_none());
}
