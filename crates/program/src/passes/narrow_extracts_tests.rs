use crate::passes::run_all;

fn passed(body: &str) -> String {
    passed_by("narrow-extracts", body)
}

fn passed_by(pass: &str, body: &str) -> String {
    let text = format!("program \"t\" {{\n}}\n\n{body}");
    let mut program = crate::parse(&text).unwrap();
    crate::verify(&program).unwrap();
    run_all(&mut program, &[pass], &[]).unwrap();
    crate::verify(&program).unwrap();
    program.to_string().lines().filter(|l| l.starts_with("  ")).map(str::trim).collect::<Vec<_>>().join("\n")
}

fn one(params: &str, result: &str, ops: &str) -> String {
    passed(&format!("func @f({params}) -> ({result}) {{\n{ops}\n  return %r\n}}\n"))
}

#[test]
fn a_byte_of_a_rotated_word_is_another_byte_of_the_word() {
    let found = one("%x: u32", "u8", "%y: u32 = rotl %x, 8\n%r: u8 = extract %y, 0");
    assert_eq!(found, "%r: u8 = extract %x, 24\nreturn %r");
    let found = one("%x: u32", "u8", "%y: u32 = rotr %x, 24\n%r: u8 = extract %y, 16");
    assert_eq!(found, "%r: u8 = extract %x, 8\nreturn %r");
}

#[test]
fn the_low_bits_after_a_rotation_are_the_high_bits_before() {
    let found = one("%x: u32", "u9", "%y: u32 = rotl %x, 9\n%r: u9 = extract %y, 0");
    assert_eq!(found, "%r: u9 = extract %x, 23\nreturn %r");
}

#[test]
fn a_field_that_wraps_round_stays() {
    let found = one("%x: u32", "u8", "%y: u32 = rotl %x, 4\n%r: u8 = extract %y, 0");
    assert_eq!(found, "%y: u32 = rotl %x, 4\n%r: u8 = extract %y, 0\nreturn %r");
}

#[test]
fn a_byte_that_no_longer_begins_at_a_byte_moves_only_where_any_field_costs_the_same() {
    let ops = "%y: u32 = rotr %x, 1\n%r: u8 = extract %y, 8";
    assert_eq!(one("%x: u32", "u8", ops), "%y: u32 = rotr %x, 1\n%r: u8 = extract %y, 8\nreturn %r");
    let body = format!("func @f(%x: u32) -> (u8) {{\n{ops}\n  return %r\n}}\n");
    assert_eq!(passed_by("narrow-extracts:fields=any", &body), "%r: u8 = extract %x, 9\nreturn %r");
}

#[test]
fn shifted_in_bits_are_zero() {
    let found = one("%x: u32", "u8", "%y: u32 = shl %x, 8\n%r: u8 = extract %y, 0");
    assert_eq!(found, "return 0");
    let found = one("%x: u8", "u8", "%y: u32 = zext %x\n%r: u8 = extract %y, 16");
    assert_eq!(found, "return 0");
    let found = one("%x: u32", "u8", "%y: u32 = shr %x, 16\n%r: u8 = extract %y, 8");
    assert_eq!(found, "%r: u8 = extract %x, 24\nreturn %r");
}

#[test]
fn constants_beside_the_field_do_not_count() {
    let found = one("%x: u32", "u8", "%y: u32 = xor %x, 0xff00\n%r: u8 = extract %y, 0");
    assert_eq!(found, "%r: u8 = extract %x, 0\nreturn %r");
    let found = one("%x: u32", "u8", "%y: u32 = and %x, 0xff00\n%r: u8 = extract %y, 0");
    assert_eq!(found, "return 0");
    let found = one("%x: u32", "u8", "%y: u32 = or 0xff00, %x\n%r: u8 = extract %y, 8");
    assert_eq!(found, "return 0xff");
    let found = one("%x: u32", "u8", "%y: u32 = xor %x, 0xff\n%r: u8 = extract %y, 0");
    assert_eq!(found, "%y: u32 = xor %x, 0xff\n%r: u8 = extract %y, 0\nreturn %r");
}

#[test]
fn neighbouring_fields_are_the_word_or_a_rotation_of_it() {
    let bytes =
        "%b0: u8 = extract %x, 0\n%b1: u8 = extract %x, 8\n%b2: u8 = extract %x, 16\n%b3: u8 = extract %x, 24\n";
    let found = one("%x: u32", "u32", &format!("{bytes}%r: u32 = concat %b0, %b1, %b2, %b3"));
    assert_eq!(found, "return %x");
    let found = one("%x: u32", "u32", &format!("{bytes}%r: u32 = concat %b3, %b0, %b1, %b2"));
    assert_eq!(found, "%r: u32 = rotr %x, 24\nreturn %r");
    let found = one("%x: u32", "u16", &format!("{bytes}%r: u16 = concat %b1, %b2"));
    assert_eq!(found, "%r: u16 = extract %x, 8\nreturn %r");
    let found = one("%x: u32", "u32", &format!("{bytes}%r: u32 = concat %b3, %b2, %b1, %b0"));
    assert!(found.contains("concat"), "a byte swap stays: {found}");
    let found = one("%x: u32", "u64", "%r: u64 = concat %x, %x");
    assert!(found.contains("concat"), "{found}");
}

#[test]
fn a_byte_of_joined_bytes_is_that_byte() {
    let found = one("%a: u8, %b: u8", "u8", "%y: u16 = concat %a, %b\n%r: u8 = extract %y, 8");
    assert_eq!(found, "return %b");
}

#[test]
fn two_rotations_are_one() {
    let found = one("%x: u32", "u32", "%y: u32 = rotl %x, 5\n%r: u32 = rotl %y, 5");
    assert_eq!(found, "%r: u32 = rotl %x, 10\nreturn %r");
    let found = one("%x: u32", "u32", "%y: u32 = rotl %x, 5\n%r: u32 = rotr %y, 5");
    assert_eq!(found, "return %x");
    let found = one("%x: u32", "u32", "%y: u32 = shl %x, 30\n%r: u32 = shl %y, 5");
    assert_eq!(found, "return 0");
    let found = one("%x: u32", "u32", "%y: u32 = shr %x, 3\n%r: u32 = shr %y, 5");
    assert_eq!(found, "%r: u32 = shr %x, 8\nreturn %r");
}
