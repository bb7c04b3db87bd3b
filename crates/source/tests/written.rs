//! Random programs, many: each is written in C and in Java; two other tests compile and run some of them.

use program::generate::generate;

#[test]
fn every_random_program_is_written() {
    let mut with_moves = 0;
    for seed in 0..200 {
        let program = generate(seed, 40);
        let c = source::c::emit_functions(&program, "p", false).unwrap().remove(0).1;
        let java = source::java::emit_functions(&program, "P").unwrap().remove(0).1;
        for function in &program.functions {
            for text in [&c, &java] {
                assert!(text.contains(&format!("{}(", function.name)), "seed {seed}: {}", function.name);
            }
        }
        with_moves += usize::from(c.contains("_next = "));
        assert!(program.functions.iter().all(|f| !f.body.ops.is_empty()));
    }
    assert!(with_moves > 10, "{with_moves} programs whose carried words change places");
}

#[test]
fn words_that_change_places_behind_a_select_are_written() {
    let text = "program \"p\" {\n  file 0 \"a.py\"\n}\n\n\
        func @f(%a: u8, %b: u8, %c: u8, %d: u8) -> (u8, u8, u8, u8) {\n  \
        %w: u8, %x: u8, %y: u8, %z: u8 = rounds 5 \"i\" from 0 step 1 (%a, %b, %c, %d) {\n    \
        body 0..4 (%i: index, %p: u8, %q: u8, %r: u8, %s: u8) {\n      \
        %less: u1 = ltu %p, %q\n      %n: u8 = select %less, %r, %s\n      yield %q, %r, %s, %n\n    }\n  }\n  \
        return %w, %x, %y, %z\n}\n";
    let program = program::parse(text).unwrap();
    let c = source::c::emit_functions(&program, "p", false).unwrap().remove(0).1;
    let java = source::java::emit_functions(&program, "P").unwrap().remove(0).1;
    assert_eq!(c.matches("_next = ").count(), 1, "{c}");
    assert_eq!(java.matches("_next = ").count(), 1, "{java}");
}

#[test]
fn a_store_before_a_read_of_the_old_array_copies_nothing() {
    let text = "program \"p\" {\n  file 0 \"a.py\"\n}\n\n\
        func @f(%a: u8) -> (u8[4]) {\n  \
        %first: u8[4] = array %a, 1, 2, 3\n  \
        %new: u8[4] = rounds 3 \"i\" from 0 step 1 (%first) {\n    \
        body 0..2 (%i: index, %t: u8[4]) {\n      \
        %t1: u8[4] = store %t[%i], 7\n      %x: u8 = load %t[3]\n      %y: u8 = add %x, 1\n      \
        %t2: u8[4] = store %t1[3], %y\n      yield %t2\n    }\n  }\n  \
        return %new\n}\n";
    let program = program::parse(text).unwrap();
    let c = source::c::emit_functions(&program, "p", false).unwrap().remove(0).1;
    let java = source::java::emit_functions(&program, "P").unwrap().remove(0).1;
    assert!(!c.contains("memcpy"), "{c}");
    assert!(!java.contains("arraycopy"), "{java}");
}
