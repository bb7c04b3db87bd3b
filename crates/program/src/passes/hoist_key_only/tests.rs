use crate::evaluate::{Evaluator, Value};
use crate::ir::Program;
use crate::passes::run_all;

const HEAD: &str = "program \"t\" {\n}\n\nfunc @key_schedule(%key: u8[4]) -> (u32[4]) {
  %k0: u8 = load %key[0]
  %k1: u8 = load %key[1]
  %w: u32 = concat %k0, %k1, %k1, %k0
  %x: u32 = mul %w, 5
  %K: u32[4] = array %w, 7, %x, 9
  return %K
}

";

fn block_function(name: &str, ops: &str) -> String {
    format!(
        "func @{name}(%K: u32[4], %block: u8[4]) -> (u8[4]) {{
  %b0: u8 = load %block[0]
  %x: u32 = zext %b0
{ops}
  %r0: u8 = extract %r, 0
  %r1: u8 = extract %r, 8
  %r2: u8 = extract %r, 16
  %r3: u8 = extract %r, 24
  %out: u8[4] = array %r0, %r1, %r2, %r3
  return %out
}}
"
    )
}

fn passed(text: &str, pass: &str) -> (Program, Program) {
    let program = crate::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    crate::verify(&program).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut after = program.clone();
    run_all(&mut after, &[pass], &[]).unwrap();
    crate::verify(&after).unwrap_or_else(|e| panic!("{e}\n{after}"));
    for function in ["encrypt", "decrypt"] {
        assert_eq!(results(&program, function), results(&after, function), "{function}\n{after}");
    }
    (program, after)
}

/// What a direction makes of some blocks, with the keys that its key schedule returns.
fn results(program: &Program, function: &str) -> Vec<Vec<Value>> {
    let mut evaluator = Evaluator::new(program).unwrap();
    let own = program.functions.iter().any(|f| f.name == "key_schedule_decrypt") && function == "decrypt";
    let schedule = if own { "key_schedule_decrypt" } else { "key_schedule" };
    if !program.functions.iter().any(|f| f.name == function) {
        return Vec::new();
    }
    let blocks = (0..20u64).map(|n| vec![n * 11 % 256, n, 3, 4]);
    let mut run = |block: Vec<u64>| {
        let key = vec![Value::Array(vec![block[0] ^ 0x5a, 200, block[1] * 3, 255])];
        let mut arguments = evaluator.evaluate(schedule, &key).unwrap();
        arguments.push(Value::Array(block));
        evaluator.evaluate(function, &arguments).unwrap()
    };
    blocks.map(&mut run).collect()
}

fn body_of(program: &Program, function: &str) -> String {
    let text = program.to_string();
    let start = text.find(&format!("func @{function}(")).unwrap();
    text[start..].split("\n}").next().unwrap().to_owned()
}

#[test]
fn twice_a_sum_with_a_key_takes_its_odd_key_from_the_schedule() {
    let ops = "  %k: u32 = load %K[2]\n  %s: u32 = add %x, %k\n  %d: u32 = mul 2, %s\n  %o: u32 = add %d, 1\n  %r: u32 = mul %s, %o";
    let (_, after) = passed(&format!("{HEAD}{}", block_function("encrypt", ops)), "hoist-key-only");
    let schedule = body_of(&after, "key_schedule");
    assert!(schedule.contains("-> (u32[4], u32[1])"), "{schedule}");
    let encrypt = body_of(&after, "encrypt");
    assert!(encrypt.contains("mul 2, %x") && encrypt.contains("load %prepared_encrypt[0]"), "{encrypt}");
    let fact = after.meta.iter().find(|(key, _)| key == "hoisted_encrypt").unwrap();
    assert_eq!(fact.1, "u32[1] from the key schedule; operations without loads: 10 instead of 10");
}

#[test]
fn an_inverse_of_a_key_is_computed_once() {
    let ops = "  %k: u32 = load %K[1]\n  %y: u32 = mul %k, %k\n  %z: u32 = mul %y, %k\n  %r: u32 = mul %z, %x";
    let text = format!("{HEAD}{}{}", block_function("encrypt", ops), block_function("decrypt", ops));
    let (_, after) = passed(&text, "hoist-key-only");
    assert!(body_of(&after, "key_schedule").contains("-> (u32[4], u32[1], u32[1])"));
    for function in ["encrypt", "decrypt"] {
        let body = body_of(&after, function);
        assert_eq!(body.matches("mul").count(), 1, "{body}");
        assert!(body.contains("%prepared_encrypt: u32[1], %prepared_decrypt: u32[1], %block"), "{body}");
    }
}

#[test]
fn a_loop_stores_one_element_for_every_iteration() {
    let ops = "  %r: u32 = rounds 4 \"i\" from 0 step 1 (%x) {
    body 0..2 (%i: index, %a: u32) {
      %k: u32 = load %K[%i]
      %k2: u32 = mul %k, %k
      %k3: u32 = not %k
      %b: u32 = xor %a, %k2
      %c: u32 = sub %b, %k3
      yield %c
    }
    body 3 (%j: index, %d: u32) {
      %l: u32 = load %K[%j]
      %l2: u32 = mul %l, 3
      %e: u32 = add %d, %l2
      yield %e
    }
  }";
    let (_, after) = passed(&format!("{HEAD}{}", block_function("encrypt", ops)), "hoist-key-only");
    let encrypt = body_of(&after, "encrypt");
    assert!(encrypt.contains("load %prepared_encrypt[2*%i]"), "{encrypt}");
    assert!(encrypt.contains("load %prepared_encrypt[2*%i + 1]"), "{encrypt}");
    assert!(encrypt.contains("load %prepared_encrypt[2*%j]"), "{encrypt}");
}

#[test]
fn loads_and_fields_of_keys_stay() {
    let ops = "  %k: u32 = load %K[1]\n  %f: u8 = extract %k, 8\n  %g: u32 = zext %f\n  %r: u32 = xor %g, %x";
    let (before, after) = passed(&format!("{HEAD}{}", block_function("encrypt", ops)), "hoist-key-only");
    assert_eq!(before, after);
}

#[test]
fn a_second_key_schedule_serves_its_direction_alone() {
    let ops = "  %k: u32 = load %K[1]\n  %y: u32 = mul %k, %k\n  %r: u32 = mul %y, %x";
    let second = HEAD.split("\n\n").nth(1).unwrap().replace("@key_schedule", "@key_schedule_decrypt");
    let text = format!("{HEAD}{second}\n\n{}{}", block_function("encrypt", ops), block_function("decrypt", ops));
    let (_, after) = passed(&text, "hoist-key-only:function=decrypt");
    assert!(body_of(&after, "key_schedule_decrypt").contains("-> (u32[4], u32[1])"));
    assert!(body_of(&after, "key_schedule").contains("-> (u32[4])"));
    assert!(body_of(&after, "encrypt").contains("(%K: u32[4], %block: u8[4])"));
}

#[test]
fn signs_are_kept() {
    for (first, second) in [
        ("sub %x, %k", "sub %s, %l"),
        ("sub %k, %x", "sub %l, %s"),
        ("sub %k, %x", "sub %s, %l"),
        ("sub %x, %k", "sub %l, %s"),
    ] {
        let ops = format!("  %k: u32 = load %K[2]\n  %l: u32 = load %K[0]\n  %s: u32 = {first}\n  %t: u32 = {second}\n  %r: u32 = mul %x, %t");
        let (_, after) = passed(&format!("{HEAD}{}", block_function("encrypt", &ops)), "hoist-key-only");
        assert!(body_of(&after, "encrypt").contains("load %prepared_encrypt[0]"), "{after}");
    }
    let ops = "  %k: u32 = load %K[2]\n  %l: u32 = load %K[0]\n  %s: u32 = xor %x, %k\n  %t: u32 = xor %s, %l\n  %r: u32 = mul %x, %t";
    let (_, after) = passed(&format!("{HEAD}{}", block_function("encrypt", ops)), "hoist-key-only");
    assert!(
        body_of(&after, "encrypt").contains("xor %x, %prepared")
            || body_of(&after, "encrypt").contains("load %prepared_encrypt[0]")
    );
}
