use super::*;
use crate::text::parse;

fn target(operations: &[(&str, u8, Option<u16>)]) -> Target {
    let one = |(name, arity, table): &(&str, u8, Option<u16>)| {
        let table = table.map_or("null".to_owned(), |t| t.to_string());
        format!(r#"{{"name": "{name}", "arity": {arity}, "table": {table}}}"#)
    };
    let all: Vec<String> = operations.iter().map(one).collect();
    Target::from_json(&format!(r#"{{"name": "t", "title": "t", "objective": [], "operations": [{}]}}"#, all.join(", ")))
        .unwrap()
}

fn and_complement() -> Target {
    target(&[("and", 2, Some(8)), ("or", 2, Some(14)), ("xor", 2, Some(6)), ("andcm", 2, Some(2)), ("not", 1, Some(1))])
}

fn circuit(text: &str) -> Circuit {
    parse(text, None, None).unwrap().remove(0).circuit
}

/// A circuit of gates of any function of one to four operands.
fn random(state: &mut u64, gates: usize, widest: usize) -> Circuit {
    let mut below = |n: usize| {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((*state >> 33) as usize) % n
    };
    let mut made = Circuit::new(4);
    for n in 0..gates {
        let arity = 1 + below(widest);
        let function = Function::new(arity as u8, below(1 << 16) as u16);
        let operands: Vec<Wire> = (0..arity)
            .map(|_| {
                Some(below(n + 4)).map_or(Wire::Input(0), |k| if k < 4 { Wire::Input(k) } else { Wire::Gate(k - 4) })
            })
            .collect();
        made.add(function, &operands);
    }
    made.outputs = (gates.saturating_sub(3)..gates).map(Wire::Gate).collect();
    made
}

#[test]
fn whatever_is_fitted_computes_the_same_by_operations_of_the_target() {
    let targets = [
        and_complement(),
        target(&[("nand", 2, Some(7))]),
        target(&[("and", 2, Some(8)), ("not", 1, Some(1)), ("xor", 2, Some(6))]),
        target(&[("gate", 2, None), ("gate", 1, None)]),
        target(&[("ternary", 3, None), ("ternary", 2, None), ("ternary", 1, None)]),
        target(&[("INV", 1, Some(1)), ("NOR2", 2, Some(1)), ("AOI21", 3, Some(7)), ("OAI21", 3, Some(0x1f))]),
    ];
    let mut state = 9;
    for round in 0..12 {
        let circuit = random(&mut state, 1 + round % 12, 1 + round % 4);
        for target in &targets {
            let made = fitted(&circuit, target).unwrap();
            assert_eq!(made.sbox(), circuit.sbox());
            assert!(made.gates.iter().all(|g| target.has(g.function)), "{made:?}");
            let tree = rebuilt(&made, target);
            assert_eq!(tree.sbox(), circuit.sbox());
            assert_eq!(tree.gates.len(), made.gates.len());
            assert!(crate::metrics::depth(&tree) <= crate::metrics::depth(&made));
        }
    }
}

#[test]
fn a_complement_that_only_ands_read_is_no_gate() {
    let text = |circuit: &Circuit| crate::text::Document::new("n", vec![], circuit, None).unwrap().to_string();
    let made = fitted(&circuit("t1 = ~x0\nt2 = x1 & t1\ny0 = t2 ^ (t1 & x2)"), &and_complement()).unwrap();
    assert_eq!(text(&made), "circuit n: 3 -> 1\nt1 = x1 & ~x0\nt2 = x2 & ~x0\nt3 = t1 ^ t2\ny0 = t3\n");
    // The exclusive or needs the complement; the AND does not wait for it.
    let made = fitted(&circuit("t1 = ~x0\nt2 = x1 & t1\ny0 = t2 ^ t1"), &and_complement()).unwrap();
    assert_eq!(text(&made), "circuit n: 2 -> 1\nt1 = ~x0\nt2 = x1 & ~x0\nt3 = t2 ^ t1\ny0 = t3\n");
}

#[test]
fn complements_vanish_where_every_gate_exists() {
    let any = target(&[("gate", 2, None), ("gate", 1, None)]);
    let made = fitted(&circuit("t1 = x0 & x1\nt2 = ~t1\nt3 = t1 ^ x2\ny0 = t2\ny1 = t3 | t2"), &any).unwrap();
    assert_eq!(made.gates.len(), 3);
    assert!(made.gates.iter().all(|g| g.function != Function::NOT));
    // An output and its complement are two gates.
    let made = fitted(&circuit("y0 = x0 & x1\ny1 = ~y0"), &any).unwrap();
    assert_eq!(made.gates.len(), 2);
}

#[test]
fn compositions_are_the_cheapest() {
    let nand = target(&[("nand", 2, Some(7))]);
    let count = |text: &str| fitted(&circuit(text), &nand).unwrap().gates.len();
    assert_eq!([count("y0 = ~x0"), count("y0 = x0 & x1"), count("y0 = x0 | x1")], [1, 2, 3]);
    let without_or = target(&[("and", 2, Some(8)), ("xor", 2, Some(6)), ("not", 1, Some(1))]);
    let made = fitted(&circuit("y0 = lut(0xe8, x0, x1, x2)"), &without_or).unwrap();
    // Majority as a tree: x0 ^ ((x0 ^ x1) & (x0 ^ x2)).
    assert_eq!(made.gates.len(), 4);
}

#[test]
fn what_a_target_cannot_compute_is_told() {
    let linear = target(&[("xor", 2, Some(6)), ("not", 1, Some(1))]);
    let error = fitted(&circuit("y0 = x0 & x1"), &linear).unwrap_err();
    assert_eq!(
        error.to_string(),
        "error[C210]: the target t cannot compute the function 0x8 of 2 operands\n   = operations: xor, not"
    );
    let error = fitted(&circuit("y0 = lut(0x8000, x0, x1, x2, x3)"), &linear).unwrap_err();
    assert_eq!(error.message, "the target t cannot compute the function 0x80 of 3 operands");
}

#[test]
fn chains_become_trees() {
    let made = circuit("t1 = x0 ^ x1\nt2 = t1 ^ x2\nt3 = t2 ^ x3\nt4 = t3 & x0\ny0 = t4\ny1 = t3");
    let tree = rebuilt(&made, &and_complement());
    assert_eq!((crate::metrics::depth(&made), crate::metrics::depth(&tree)), (4, 3));
    // A value with two readers ends a chain.
    let made = circuit("t1 = x0 ^ x1\nt2 = t1 ^ x2\nt3 = t2 ^ x3\ny0 = t3\ny1 = t2");
    assert_eq!(crate::metrics::depth(&rebuilt(&made, &and_complement())), 3);
}
