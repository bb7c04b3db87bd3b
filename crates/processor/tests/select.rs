//! Selection: whatever the processor, code computes what the program computes; what cannot be selected is said to the letter.

use crate::hand::processor;
use processor::code::{evaluate, verify, Code, Region};
use processor::isa::Recipe;
use processor::model::Processor;
use processor::select::{search, select, Layout, Options, PairLoads};
use program::evaluate::{Evaluator, Value};
use program::ir::{Function, Program, Type};

const PROCESSORS: [&str; 6] = ["mckinley", "mckinley-paper", "merced", "ia64pp", "pa8500", "epic"];

/// Rotations, products, sums with shifted words, complements and constants.
const WORDS: &str = r#"
program "words" {
}
func @mix(%k: u32[4], %text: u8[16]) -> (u8[16]) {
  %p0: u8 = load %text[0]
  %p1: u8 = load %text[1]
  %p2: u8 = load %text[2]
  %p3: u8 = load %text[3]
  %p4: u8 = load %text[4]
  %p5: u8 = load %text[5]
  %p6: u8 = load %text[6]
  %p7: u8 = load %text[7]
  %a: u32 = concat %p0, %p1, %p2, %p3
  %b: u32 = concat %p4, %p5, %p6, %p7
  %k0: u32 = load %k[0]
  %k1: u32 = load %k[1]
  %k2: u32 = load %k[2]
  %k3: u32 = load %k[3]
  %s: u32 = mul %a, %a
  %d: u32 = shl %s, 1
  %e: u32 = add %a, %d
  %t: u32 = rotl %e, 5
  %m: u32 = mul %b, %k1
  %x: u32 = xor %a, %m
  %l: u32 = rotl %x, %t
  %r: u32 = rotr %l, %k2
  %n: u32 = not %k3
  %o: u32 = and %r, %n
  %c: u32 = xor %o, 0x9e3779b9
  %f: u32 = sub %c, 7
  %g: u32 = shr %f, 11
  %h: u32 = rotl %g, 24
  %i: u32 = mul %h, 8
  %j: u32 = sub %k0, %i
  %y0: u8 = extract %f, 0
  %y1: u8 = extract %f, 8
  %y2: u8 = extract %f, 16
  %y3: u8 = extract %f, 24
  %z0: u8 = extract %j, 24
  %z1: u8 = extract %j, 16
  %z2: u8 = extract %j, 8
  %z3: u8 = extract %j, 0
  %v: u8 = xor %p0, %y3
  %w: u8 = add %p1, %z0
  %out: u8[16] = array %y0, %y1, %y2, %y3, %z0, %z1, %z2, %z3, %v, %w, %v, %p7, 1, 2, 3, 255
  return %out
}
"#;

/// Comparisons and choices.
const CHOICES: &str = r#"
program "choices" {
}
func @choose(%a: u32, %b: u32, %c: u8) -> (u32, u32, u32, u8) {
  %e: u1 = eq %a, %b
  %n: u1 = ne %a, 77
  %l: u1 = ltu %a, %b
  %x: u32 = select %e, %a, 5
  %y: u32 = select %n, %b, %a
  %z: u32 = select %l, 0xdeadbeef, %b
  %h: u1 = extract %c, 7
  %d: u8 = shl %c, 1
  %f: u8 = xor %d, 0x1d
  %g: u8 = select %h, %f, %d
  return %x, %y, %z, %g
}
"#;

/// Loops that carry words, count, look up and store; words wider than bytes from tables.
const LOOPS: &str = r#"
program "loops" {
}
table @S: u32[8] = [0x12345678, 2, 0x9abcdef0, 4, 0xffffffff, 6, 0x80000000, 8]
table @B: u8[256] = [BYTES]
func @run(%k: u32[12], %x: u32, %i: u8) -> (u32[12], u32) {
  %start: u32[12] = array
  %y: u32 = add %x, 3
  %o: u32[12], %u: u32, %v: u32 = rounds 6 "r" from 0 step 1 (%start, %x, %y) {
    body 0..5 (%t: index, %o.1: u32[12], %u.1: u32, %v.1: u32) {
      %q: u32 = load %k[2*%t]
      %q2: u32 = load %k[2*%t + 1]
      %w: u32 = word 4*%t + 1
      %e: u3 = extract %u.1, 5
      %f: u32 = lookup @S[%e]
      %g: u8 = extract %v.1, 24
      %h: u8 = lookup @B[%g]
      %h4: u32 = zext %h
      %m: u32 = add %u.1, %q
      %n: u32 = rotl %m, 9
      %p: u32 = xor %n, %f
      %s: u32 = add %p, %w
      %a: u32 = xor %v.1, %h4
      %b: u32 = add %a, %q2
      %o.2: u32[12] = store %o.1[2*%t], %s
      %o.3: u32[12] = store %o.2[2*%t + 1], %b
      yield %o.3, %b, %s
    }
  }
  %c: u8 = lookup @B[%i]
  %d: u32 = zext %c
  %z: u32 = xor %u, %v
  %z2: u32 = add %z, %d
  return %o, %z2
}
"#;

fn loops() -> String {
    let bytes: Vec<String> = (0..256u32).map(|x| (x * 73 % 251).to_string()).collect();
    LOOPS.replace("BYTES", &bytes.join(", "))
}

fn program_of(text: &str) -> Program {
    let program = program::parse(text).unwrap_or_else(|e| panic!("{e}"));
    program::verify(&program).unwrap_or_else(|e| panic!("{e}"));
    program
}

/// Random arguments: elements of each parameter.
fn arguments(function: &Function, seed: &mut u64) -> Vec<Vec<u64>> {
    let mut next = |width: u8| {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        *seed & program::semantics::mask(width)
    };
    let one = |v: &program::ir::ValueId| match &function.values[v.0 as usize].ty {
        Type::Word(width) => vec![next(*width)],
        Type::Array(a) => (0..a.len()).map(|_| next(a.width)).collect(),
        Type::Index => unreachable!("no parameter is an index"),
    };
    function.params.iter().map(one).collect()
}

fn agrees(program: &Program, function: &str, processor: &Processor, code: &Code) {
    verify(code, &processor.isa).unwrap_or_else(|e| panic!("{}: {e}", processor.name));
    let data = program.functions.iter().find(|f| f.name == function).unwrap();
    let mut evaluator = Evaluator::new(program).unwrap();
    let mut seed = 0x1234_5678_9abc_def1;
    for _ in 0..20 {
        let given = arguments(data, &mut seed);
        let is_array = |v: &program::ir::ValueId| matches!(data.values[v.0 as usize].ty, Type::Array(_));
        let values: Vec<Value> = (data.params.iter().zip(&given))
            .map(|(v, words)| if is_array(v) { Value::Array(words.clone()) } else { Value::Word(words[0]) })
            .collect();
        let expected: Vec<Vec<u64>> = (evaluator.evaluate(function, &values).unwrap().into_iter())
            .map(|v| match v {
                Value::Word(word) => vec![word],
                Value::Array(words) => words,
            })
            .collect();
        assert_eq!(evaluate(code, &processor.isa, &given).unwrap(), expected, "{}", processor.name);
    }
}

#[test]
fn code_computes_what_the_program_computes() {
    for name in PROCESSORS {
        let processor = processor(name);
        for (text, function) in [(WORDS.to_owned(), "mix"), (CHOICES.to_owned(), "choose"), (loops(), "run")] {
            let program = program_of(&text);
            let wide = [PairLoads::Cheaper, PairLoads::Never, PairLoads::Keys];
            for ((spread, depth, pointers), wide) in
                [(true, Some(0), 2), (false, None, 1), (true, Some(50), 3)].into_iter().zip(wide)
            {
                let even = wide == PairLoads::Keys;
                let options = Options { spread, depth, pointers, wide, even, ..Options::default() };
                let code = select(&program, function, &processor, &options).unwrap_or_else(|e| panic!("{name}: {e}"));
                agrees(&program, function, &processor, &code);
            }
        }
    }
}

/// Words of a block under words of the key, of each a byte.
const WHITENED: &str = r#"
program "whitened" {
}
func @mix(%k: u32[4], %x: u32[4]) -> (u32[4]) {
  %k0: u32 = load %k[0]
  %k1: u32 = load %k[1]
  %k2: u32 = load %k[2]
  %k3: u32 = load %k[3]
  %x0: u32 = load %x[0]
  %x1: u32 = load %x[1]
  %x2: u32 = load %x[2]
  %x3: u32 = load %x[3]
  %w0: u32 = xor %x0, %k0
  %w1: u32 = xor %x1, %k1
  %w2: u32 = xor %x2, %k2
  %w3: u32 = xor %x3, %k3
  %a: u8 = extract %w0, 8
  %b: u8 = extract %w1, 8
  %c: u8 = extract %w2, 24
  %d: u8 = extract %w3, 0
  %y0: u32 = zext %a
  %y1: u32 = zext %b
  %y2: u32 = zext %c
  %y3: u32 = zext %d
  %y: u32[4] = array %y0, %y1, %y2, %y3
  return %y
}
"#;

/// Loads, and operations in all.
fn whitened(wide: PairLoads) -> (usize, u64) {
    let (processor, program) = (processor("mckinley"), program_of(WHITENED));
    let options = Options { wide, pointers: 1, ..Options::default() };
    let code = select(&program, "mix", &processor, &options).unwrap_or_else(|e| panic!("{e}"));
    agrees(&program, "mix", &processor, &code);
    let loads = code.regions.iter().flat_map(Region::ops).filter(|op| op.access.is_some_and(|a| !a.store)).count();
    (loads, operations(&code))
}

#[test]
fn words_side_by_side_are_loaded_as_one_where_that_saves_operations() {
    assert_eq!(whitened(PairLoads::Never), (8, 20));
    let (loads, all) = whitened(PairLoads::Cheaper);
    assert!(loads < 8 && all < 20, "{loads} loads, {all} operations");
}

fn operations(code: &Code) -> u64 {
    let one = |r: &Region| match r {
        Region::Straight(ops) => ops.len() as u64,
        Region::Loop(l) => l.ops.len() as u64,
    };
    code.regions.iter().map(one).sum()
}

#[test]
fn a_search_never_makes_it_worse() {
    let (processor, program) = (processor("mckinley"), program_of(WORDS));
    let plain = select(&program, "mix", &processor, &Options::default()).unwrap();
    let (best, _) = search(&program, "mix", &processor, &Options::default(), &operations).unwrap();
    assert!(operations(&best) < operations(&plain), "fewer operations than on the shortest way are possible");
    agrees(&program, "mix", &processor, &best);
}

#[test]
fn a_loop_stays_a_loop_and_what_never_changes_goes_before_it() {
    let (processor, program) = (processor("pa8500"), program_of(&loops()));
    let code = select(&program, "run", &processor, &Options::default()).unwrap();
    let iterations: Vec<u32> = (code.regions.iter())
        .map(|r| match r {
            Region::Straight(_) => 1,
            Region::Loop(l) => l.iterations,
        })
        .collect();
    assert_eq!(iterations, [1, 6, 1]);
}

#[test]
fn recipes_that_compute_something_else_are_refused() {
    let mut processor = processor("mckinley");
    let wrong = Recipe {
        name: "rotate wrongly".into(),
        computes: "rotl(x, n, 32)".into(),
        steps: vec!["t = dep.z x, 32, 32".into(), "result = shrp x, t, 63 - n".into()],
        ..Recipe::default()
    };
    processor.isa.recipes.push(wrong);
    let error = select(&program_of(WORDS), "mix", &processor, &Options::default()).unwrap_err();
    let expected =
        "error[M211]: the recipe `rotate wrongly` does not compute what it says\n   = computes = \"rotl(x, n, 32)\"";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn what_a_processor_lacks_is_named() {
    let processor = processor("pa8500");
    let program = program_of(WORDS);
    let avoid = ["product by memory", "product with a word of memory", "square by memory"].map(String::from).to_vec();
    let error = select(&program, "mix", &processor, &Options { avoid, ..Options::default() }).unwrap_err();
    assert_eq!(
        error.to_string(),
        "error[M204]: the processor `pa8500` has no instruction for `x * y`\n   = help: add an [[instruction]] with \
         semantics \"d = x * y\", or a [[recipe]] with computes = \"x * y\""
    );
    let error = select(&program, "mixed", &processor, &Options::default()).unwrap_err();
    assert_eq!(error.to_string(), "error[M200]: the program has no function `mixed`\n   = help: known: mix");
}

/// Operations of one look-up by a byte of a word, the pointer and the store left out.
fn look_up_operations(addressing: &str, avoid: &[&str]) -> usize {
    let text = r#"
program "look-up" {
}
table @T: u32[256] = [DATA]
func @look(%k: u32[4]) -> (u32) {
  %x: u32 = load %k[0]
  %b: u8 = extract %x, 8
  %t: u32 = lookup @T[%b]
  return %t
}
"#;
    let data: Vec<String> = (0..256u32).map(|x| (x * x).to_string()).collect();
    let program = program_of(&text.replace("DATA", &data.join(", ")));
    let processor = crate::hand::processor_with("epic", &[("addressing", addressing)]);
    let avoid = avoid.iter().map(|&name| name.to_owned()).collect();
    let code = select(&program, "look", &processor, &Options { avoid, ..Options::default() })
        .unwrap_or_else(|e| panic!("{e}"));
    agrees(&program, "look", &processor, &code);
    operations(&code) as usize - 2
}

#[test]
fn better_addressing_takes_fewer_operations() {
    let modes = ["indexed", "scaled-indexed", "scaled-indexed-extract", "load-extract-scale"];
    assert_eq!(modes.map(|mode| look_up_operations(mode, &["mask in place"])), [4, 3, 2, 1]);
    assert_eq!(modes.map(|mode| look_up_operations(mode, &[])), [3, 3, 2, 1]);
}

/// Constants within a hundred of each other, each beside a word.
const NEAR: &str = r#"
program "near" {
}
func @f(%k: u32[4]) -> (u32[4]) {
  %a: u32 = load %k[0]
  %b: u32 = load %k[1]
  %c: u32 = load %k[2]
  %d: u32 = load %k[3]
  %w: u32 = xor %a, 0x9e3779b9
  %x: u32 = xor %b, 0x9e3779b8
  %y: u32 = xor %c, 0x9e3779a1
  %z: u32 = add %d, 0x9e377a00
  %out: u32[4] = array %w, %x, %y, %z
  return %out
}
"#;

#[test]
fn near_constants_are_derived_from_one() {
    let program = program_of(NEAR);
    let count = |name: &str, avoid: &[&str]| {
        let processor = processor(name);
        let avoid = avoid.iter().map(|&n| n.to_owned()).collect();
        let code = select(&program, "f", &processor, &Options { avoid, ..Options::default() }).unwrap();
        agrees(&program, "f", &processor, &code);
        let slots = |op: &processor::code::Op| processor.isa.instructions[op.instruction as usize].slots > 1;
        code.regions.iter().flat_map(Region::ops).filter(|op| slots(op)).count()
    };
    assert_eq!((count("mckinley", &[]), count("mckinley", &["near constants"])), (1, 4));
    assert_eq!((count("pa8500", &[]), count("pa8500", &["near constants"])), (0, 0));
}

/// Look-ups of fields of a sum that may be rotated, in tables and in an array, in a loop and outside.
const TABLES: &str = r#"
program "tables" {
}
table @A: u32[256] = [DATA]
table @B: u32[256] = [DATA]
table @C: u8[256] = [BYTES]
func @look(%s: u32[2][256], %x: u32, %y: u32) -> (u32) {
  %z: u32 = xor %x, %y
  %r: u32 = rotl %z, 9
  %b0: u8 = extract %z, 0
  %b1: u8 = extract %z, 8
  %b2: u8 = extract %r, 16
  %x3: u8 = extract %x, 24
  %y3: u8 = extract %y, 24
  %b3: u8 = xor %x3, %y3
  %t0: u32 = lookup @A[%b0]
  %t1: u32 = lookup @B[%b1]
  %t2: u8 = lookup @C[%b2]
  %t3: u32 = load %s[1][%b3]
  %w: u32 = zext %t2
  %p: u32 = xor %t0, %t1
  %q: u32 = xor %w, %t3
  %o: u32 = add %p, %q
  %e: u32 = rounds 3 "r" from 0 step 1 (%o) {
    body 0..2 (%t: index, %u: u32) {
      %v: u32 = xor %u, %x
      %f: u8 = extract %v, 0
      %g: u32 = lookup @A[%f]
      %h: u32 = load %s[0][%f]
      %i: u32 = add %g, %h
      yield %i
    }
  }
  return %e
}
"#;

fn tables() -> Program {
    let words: Vec<String> = (0..256u32).map(|x| (x * 0x9e37 + 5).to_string()).collect();
    let bytes: Vec<String> = (0..256u32).map(|x| (x * 73 % 251).to_string()).collect();
    program_of(&TABLES.replace("DATA", &words.join(", ")).replace("BYTES", &bytes.join(", ")))
}

#[test]
fn layouts_of_tables_keep_the_meaning() {
    let program = tables();
    for name in PROCESSORS {
        let processor = processor(name);
        for (_, layout) in Layout::NAMES {
            for avoid in [vec![], vec!["join by xor".to_owned()]] {
                let options = Options { layout, avoid, ..Options::default() };
                let code = select(&program, "look", &processor, &options).unwrap_or_else(|e| panic!("{name}: {e}"));
                agrees(&program, "look", &processor, &code);
            }
        }
    }
}

#[test]
fn an_interleaved_table_keeps_to_one_bank() {
    let (processor, program) = (processor("pa8500"), tables());
    let (bytes, banks) = processor.banks.unwrap();
    let options = Options { layout: Layout::Interleaved, ..Options::default() };
    let code = select(&program, "look", &processor, &options).unwrap();
    let table = |name: &str| code.objects.iter().find(|o| o.name == name).unwrap();
    let bank = |name: &str| table(name).base.map_or(0, |(_, at)| at as u32) / bytes % banks;
    assert_eq!(["@A", "@B"].map(|name| table(name).stride % (bytes * banks)), [0, 0]);
    assert_ne!(bank("@A"), bank("@B"));
}
