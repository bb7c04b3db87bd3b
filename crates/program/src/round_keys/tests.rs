use std::collections::BTreeMap;

use super::events::Flow;
use super::repetition::{stretches, Stretch};
use super::{backwards, copies, Cut, RoundKeys, Steps};
use crate::evaluate::{Evaluator, Value};
use crate::ir::{Function, OpKind, Program, Type};
use crate::walk::for_each_op;

/// A recurrence of two words, used from its beginning and from its end.
const RECURRENCE: &str = r#"program "t" {
}

func @key_schedule(%key: u32[2]) -> (u32[12]) {
  %a: u32 = load %key[0]
  %b: u32 = load %key[1]
  %W: u32[12] = array
  %W.1: u32[12] = store %W[0], %a
  %W.2: u32[12] = store %W.1[1], %b
  %W.5: u32[12] = rounds 10 "i" from 0 step 1 (%W.2) {
    body 0..9 (%i: index, %W.3: u32[12]) {
      %x: u32 = load %W.3[%i]
      %y: u32 = load %W.3[%i + 1]
      %n: u32 = word %i
      %1: u32 = sub %n, %x
      %2: u32 = rotl %1, 7
      %3: u32 = mul %y, %y
      %4: u32 = add %2, %3
      %5: u32 = not %4
      %W.4: u32[12] = store %W.3[%i + 2], %5
      yield %W.4
    }
  }
  return %W.5
}

func @encrypt(%K: u32[12], %B: u32[2]) -> (u32[2]) {
  %a: u32 = load %B[0]
  %b: u32 = load %B[1]
  %c: u32, %d: u32 = rounds 12 "i" from 0 step 1 (%a, %b) {
    body 0..11 (%i: index, %x: u32, %y: u32) {
      %k: u32 = load %K[%i]
      %1: u32 = add %x, %k
      %2: u32 = rotl %1, 5
      yield %y, %2
    }
  }
  %C: u32[2] = array %c, %d
  return %C
}

func @decrypt(%K: u32[12], %B: u32[2]) -> (u32[2]) {
  %a: u32 = load %B[0]
  %b: u32 = load %B[1]
  %c: u32, %d: u32 = rounds 12 "i" from 0 step 1 (%a, %b) {
    body 0..11 (%i: index, %x: u32, %y: u32) {
      %k: u32 = load %K[11 - %i]
      %1: u32 = rotr %y, 5
      %2: u32 = sub %1, %k
      yield %2, %x
    }
  }
  %C: u32[2] = array %c, %d
  return %C
}
"#;

const KEY: [u64; 2] = [0x0123_4567, 0x89ab_cdef];
const BLOCK: [u64; 2] = [0xdead_beef, 0x0bad_f00d];

fn parsed(text: &str) -> Program {
    let program = crate::parse(text).unwrap();
    crate::verify(&program).unwrap();
    program
}

fn run(program: &Program, name: &str, arguments: &[Vec<u64>]) -> Vec<Vec<u64>> {
    crate::verify(program).unwrap();
    let arguments: Vec<Value> = arguments.iter().cloned().map(Value::Array).collect();
    let results = Evaluator::new(program).unwrap().evaluate(name, &arguments).unwrap();
    let array = |value| if let Value::Array(words) = value { words } else { unreachable!("all results are arrays") };
    results.into_iter().map(array).collect()
}

fn wanted(program: &Program, operation: &str) -> Vec<u64> {
    let keys = run(program, "key_schedule", &[KEY.to_vec()]).remove(0);
    run(program, operation, &[keys, BLOCK.to_vec()]).remove(0)
}

/// Runs steps: what is kept between them lies in memory by name.
fn run_steps(keys: &RoundKeys, made: &Steps, fill: Option<&Function>) -> Vec<u64> {
    let program = keys.with_functions(made.functions.iter().chain(fill).cloned().collect());
    let mut memory = BTreeMap::from([("key".to_owned(), KEY.to_vec()), ("block".to_owned(), BLOCK.to_vec())]);
    let mut window = None;
    for call in &made.calls {
        if let (Some(first), true) = (call.first, call.first != window) {
            window = call.first;
            let all = run(&program, "fill", &[KEY.to_vec()]).remove(0);
            memory.insert("window".to_owned(), all[first as usize..].to_vec());
        }
        memory.extend(call.numbers.iter().map(|(name, number)| (name.clone(), vec![*number as u64])));
        let n = made.functions.iter().position(|function| function.name == call.function).unwrap();
        let function = &made.functions[n];
        let [given, stored] = &made.places[n];
        let sized = |place: &super::Memory, ty: &Type| {
            let mut words = memory.get(&place.name).cloned().unwrap_or_default();
            words.resize(ty.elements() as usize, 0);
            words
        };
        let types = function.params.iter().map(|p| &function.values[p.0 as usize].ty);
        let arguments: Vec<Vec<u64>> = given.iter().zip(types).map(|(place, ty)| sized(place, ty)).collect();
        let results = run(&program, &call.function, &arguments);
        memory.extend(stored.iter().zip(results).map(|(place, words)| (place.name.clone(), words)));
    }
    memory["block"].clone()
}

fn rows(function: &Function) -> Vec<u32> {
    let mut found = Vec::new();
    for value in &function.values {
        if let Type::Array(array) = &value.ty {
            found.push(array.dims[0]);
        }
    }
    found
}

#[test]
fn round_keys_on_the_fly_compute_the_same() {
    let program = parsed(RECURRENCE);
    let keys = RoundKeys::of(&program).unwrap();
    for operation in ["encrypt", "decrypt"] {
        let order = keys.on_the_fly(operation).unwrap().unwrap();
        let function = order.function().unwrap();
        assert_eq!(rows(&function).into_iter().max(), Some(2), "two rows of the recurrence are alive");
        let mut loops = 0;
        for_each_op(&function.body, &mut |op| loops += usize::from(op.kind.as_loop().is_some()));
        assert!(loops > 0);
        let made = keys.with_functions(vec![function]);
        let result = run(&made, operation, &[KEY.to_vec(), BLOCK.to_vec()]);
        assert_eq!(result, [wanted(&program, operation)]);
    }
}

#[test]
fn steps_compute_the_same_whatever_their_cut() {
    let program = parsed(RECURRENCE);
    let keys = RoundKeys::of(&program).unwrap();
    for operation in ["encrypt", "decrypt"] {
        let order = keys.on_the_fly(operation).unwrap().unwrap();
        for cut in [Cut::Coarse, Cut::Fine, Cut::Single] {
            let made = order.steps(cut).unwrap();
            assert!(made.functions.len() < made.calls.len(), "steps that are equal are one function");
            assert_eq!(run_steps(&keys, &made, None), wanted(&program, operation), "{operation} {cut:?}");
        }
    }
}

#[test]
fn round_keys_that_are_gone_are_made_again() {
    let program = parsed(RECURRENCE);
    let keys = RoundKeys::of(&program).unwrap();
    assert_eq!(keys.portions("decrypt").unwrap(), (1..12).collect::<Vec<u32>>());
    // With two rows each of the key's own words takes a run: the other one's row is written over.
    for (rows, runs) in [(2, 7), (3, 4), (4, 3), (6, 2)] {
        let order = keys.again("decrypt", rows).unwrap().unwrap();
        assert_eq!(order.runs, runs);
        for cut in [Cut::Fine, Cut::Single] {
            let made = order.steps(cut).unwrap();
            assert_eq!(run_steps(&keys, &made, None), wanted(&program, "decrypt"), "{rows} rows, {cut:?}");
        }
    }
    assert!(keys.again("decrypt", 1).unwrap().is_none(), "one row is too few for the recurrence");
}

#[test]
fn a_recurrence_is_run_backwards() {
    let program = parsed(RECURRENCE);
    let back = backwards::with_return(&program.functions[0]).unwrap();
    let words = |function: &Function, n: usize| {
        let loops: Vec<_> = function.body.ops.iter().filter_map(|op| op.kind.as_loop()).collect();
        loops[n].bodies[0].ops.iter().map(|op| op.kind.mnemonic()).collect::<Vec<_>>()
    };
    assert_eq!(
        words(&back, 1),
        ["load", "load", "word", "mul", "not", "sub", "rotr", "sub", "store"],
        "the product is of a word that is known, the sums are solved"
    );
    let twice = Program { functions: vec![back], ..program.clone() };
    let key = [KEY.to_vec()];
    assert_eq!(run(&twice, "key_schedule", &key), run(&program, "key_schedule", &key));
}

#[test]
fn a_product_cannot_be_run_backwards() {
    let program = parsed(&RECURRENCE.replace("sub %n, %x", "mul %n, %x"));
    assert_eq!(backwards::with_return(&program.functions[0]), None);
    let keys = RoundKeys::of(&program).unwrap();
    assert!(keys.on_the_fly("encrypt").unwrap().is_some());
    assert!(keys.on_the_fly("decrypt").unwrap().is_none());
}

#[test]
fn repeated_events_are_found() {
    let flow = Flow::of(parsed(RECURRENCE).functions.remove(0));
    let order: Vec<usize> = (0..flow.events.len()).collect();
    assert_eq!(stretches(&flow, &order), [Stretch { start: 5, period: 1, count: 10 }]);
}

#[test]
fn a_schedule_that_reads_its_round_keys_fills_no_window() {
    let keys = RoundKeys::of(&parsed(RECURRENCE)).unwrap();
    assert_eq!(keys.fill().unwrap(), None);
    assert_eq!(keys.window_calls("encrypt", 3), None);
    assert!(keys.windowed("encrypt", 3).is_err());
}

/// Each round key from the key alone.
fn direct() -> Program {
    let start = RECURRENCE.find("  %x: u32 = load").unwrap();
    let end = RECURRENCE.find("      %n: u32 = word").unwrap();
    let text =
        RECURRENCE[..start].to_owned() + "      %x: u32 = xor %a, %b\n      %y: u32 = xor %a, 1\n" + &RECURRENCE[end..];
    parsed(&text)
}

#[test]
fn windows_of_round_keys_are_filled_when_they_are_read() {
    let program = direct();
    let keys = RoundKeys::of(&program).unwrap();
    let fill = keys.fill().unwrap().unwrap();
    assert_eq!(fill.numbers, (0..12).collect::<Vec<u32>>());
    for (rows, calls) in [(1, 12), (5, 3), (6, 2), (11, 2)] {
        for operation in ["encrypt", "decrypt"] {
            assert_eq!(keys.window_calls(operation, rows), Some(calls));
            let made = keys.windowed(operation, rows).unwrap();
            assert_eq!(run_steps(&keys, &made, Some(&fill.function)), wanted(&program, operation));
        }
    }
}

/// A key schedule whose round keys are the cells of an array, copied to places.
fn copying(places: [usize; 4]) -> Function {
    let mut text =
        "program \"t\" {\n}\n\nfunc @key_schedule(%key: u8[4]) -> (u8[4]) {\n  %W: u8[4] = array\n".to_owned();
    text += "  %W.1: u8[4] = rounds 4 \"i\" from 0 step 1 (%W) {\n    body 0..3 (%i: index, %W.2: u8[4]) {\n";
    text += "      %x: u8 = load %key[%i]\n      %y: u8 = xor %x, 99\n      %W.3: u8[4] = store %W.2[%i], %y\n";
    text += "      yield %W.3\n    }\n  }\n  %K.0: u8[4] = array\n";
    for (n, place) in places.iter().enumerate() {
        text += &format!("  %w{n}: u8 = load %W.1[{n}]\n  %K.{}: u8[4] = store %K.{n}[{place}], %w{n}\n", n + 1);
    }
    parsed(&(text + "  return %K.4\n}\n")).functions.remove(0)
}

#[test]
fn copies_of_round_keys_go() {
    let schedule = copying([3, 2, 1, 0]);
    let made = copies::without(&schedule).unwrap();
    let arrays =
        |function: &Function| function.body.ops.iter().filter(|op| matches!(op.kind, OpKind::Array(_))).count();
    assert_eq!((arrays(&schedule), arrays(&made)), (2, 1));
    let [before, after] = [schedule, made].map(|function| {
        let program = Program { functions: vec![function], ..Program::default() };
        run(&program, "key_schedule", &[vec![1, 2, 3, 4]])
    });
    assert_eq!(before, after);
}

#[test]
fn uneven_copies_are_refused() {
    let error = copies::without(&copying([0, 1, 3, 2])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "error[E156]: code within a budget of RAM has no way yet for round keys that are uneven copies\n   \
         = help: `assay emit asm` without --ram takes it"
    );
}
