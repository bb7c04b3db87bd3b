use crate::passes::run_all;

fn passed(options: &str, params: &str, result: &str, ops: &str) -> String {
    let text = format!("program \"t\" {{\n}}\n\nfunc @f({params}) -> ({result}) {{\n{ops}\n  return %r\n}}\n");
    let mut program = crate::parse(&text).unwrap();
    crate::verify(&program).unwrap();
    run_all(&mut program, &[&format!("reassociate:{options}")], &[]).unwrap();
    crate::verify(&program).unwrap();
    program
        .to_string()
        .lines()
        .filter(|l| l.starts_with("  ") && !l.contains("meta"))
        .map(str::trim)
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn what_arrives_late_is_combined_last() {
    let found = passed(
        "",
        "%a: u32, %b: u32, %k: u32",
        "u32",
        "%t: u32 = mul %a, %b\n%1: u32 = add %t, %a\n%r: u32 = add %1, %k",
    );
    assert_eq!(found, "%t: u32 = mul %a, %b\n%2: u32 = add %a, %k\n%r: u32 = add %2, %t\nreturn %r");
}

#[test]
fn a_tree_that_is_no_sooner_otherwise_stays() {
    let ops = "%1: u32 = xor %a, %b\n%r: u32 = xor %1, %c";
    let found = passed("", "%a: u32, %b: u32, %c: u32", "u32", ops);
    assert_eq!(found, format!("{ops}\nreturn %r"));
}

#[test]
fn a_long_chain_becomes_balanced() {
    let ops = "%1: u32 = xor %a, %b\n%2: u32 = xor %1, %c\n%r: u32 = xor %2, %d";
    let found = passed("", "%a: u32, %b: u32, %c: u32, %d: u32", "u32", ops);
    assert_eq!(found, "%3: u32 = xor %a, %b\n%4: u32 = xor %c, %d\n%r: u32 = xor %3, %4\nreturn %r");
}

#[test]
fn differences_keep_their_signs() {
    let ops = "%t: u32 = mul %a, %b\n%1: u32 = sub %t, %a\n%r: u32 = sub %1, %k";
    let found = passed("", "%a: u32, %b: u32, %k: u32", "u32", ops);
    assert_eq!(found, "%t: u32 = mul %a, %b\n%2: u32 = add %a, %k\n%r: u32 = sub %t, %2\nreturn %r");
}

#[test]
fn a_multiple_by_two_is_part_of_the_sum() {
    let ops =
        "%t: u32 = mul %a, %b\n%u: u32 = mul %t, %b\n%2: u32 = mul 2, %t\n%1: u32 = add %u, %2\n%r: u32 = add %1, %k";
    let found = passed("", "%a: u32, %b: u32, %k: u32", "u32", ops);
    let expected = "%t: u32 = mul %a, %b\n%u: u32 = mul %t, %b\n%3: u32 = shl %t, 1\n%4: u32 = add %k, %3\n%r: u32 = add %4, %u\nreturn %r";
    assert_eq!(found, expected);
}

#[test]
fn numbers_come_together_and_pairs_cancel() {
    let found = passed(
        "",
        "%a: u8, %b: u8",
        "u8",
        "%1: u8 = xor %a, 3\n%2: u8 = xor %1, %b\n%3: u8 = xor %2, 5\n%r: u8 = xor %3, %a",
    );
    assert_eq!(found, "%r: u8 = xor %b, 6\nreturn %r");
    let found = passed("", "%a: u8, %b: u8", "u8", "%1: u8 = add %a, 1\n%2: u8 = add %1, %b\n%r: u8 = sub %2, 3");
    assert_eq!(found, "%3: u8 = add %a, %b\n%r: u8 = sub %3, 2\nreturn %r");
}

#[test]
fn a_value_used_elsewhere_is_made_twice_only_if_asked() {
    let ops =
        "%t: u32 = mul %a, %b\n%s: u32 = xor %t, %a\n%1: u32 = xor %s, %k\n%u: u32 = mul %1, 3\n%r: u32 = mul %u, %s";
    let params = "%a: u32, %b: u32, %k: u32";
    assert_eq!(passed("", params, "u32", ops), format!("{ops}\nreturn %r"));
    let found = passed("duplicate=yes", params, "u32", ops);
    assert!(found.contains("%2: u32 = xor %k, %a\n%1: u32 = xor %2, %t"), "{found}");
}

#[test]
fn the_carried_value_that_is_ready_last_is_added_last() {
    let text = "program \"t\" {\n}\n\nfunc @f(%S: u32[44], %x: u32) -> (u32) {
  %r: u32, %b: u32 = rounds 44 \"i\" from 0 step 1 (%x, %x) {
    body 0..43 (%i: index, %A: u32, %B: u32) {
      %s: u32 = load %S[%i]
      %1: u32 = add %s, %A
      %2: u32 = add %1, %B
      %A.1: u32 = rotl %2, 3
      %3: u32 = add %A.1, %B
      %4: u32 = add %3, %s
      %B.1: u32 = rotl %4, 5
      yield %A.1, %B.1
    }
  }
  return %r\n}\n";
    let mut program = crate::parse(text).unwrap();
    run_all(&mut program, &["reassociate"], &[]).unwrap();
    let found = program.to_string();
    assert!(found.contains("add %s, %B\n"), "the new A comes last: {found}");
    assert!(found.contains("meta \"keep_order\" = \"f\""), "{found}");
}

#[test]
fn functions_are_named_whose_order_is_to_be_kept() {
    let text = "program \"t\" {\n}\n\nfunc @f(%a: u8, %b: u8) -> (u8) {\n  %r: u8 = add %a, %b\n  return %r\n}\n";
    for (keep, fact) in [("changed", None), ("all", Some("f")), ("none", None)] {
        let mut program = crate::parse(text).unwrap();
        run_all(&mut program, &[&format!("reassociate:keep={keep}")], &[]).unwrap();
        let found = program.meta.iter().find(|(key, _)| key == "keep_order").map(|(_, names)| names.as_str());
        assert_eq!(found, fact);
    }
}
