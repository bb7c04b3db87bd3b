use super::*;
use crate::circuit::Wire;
use crate::text::parse;

const PROTOTYPE_S3: &str = "\
circuit S3: 4 -> 4
t1 = x1 & x0
t2 = x3 & x1
t3 = t2 ^ x2
t4 = t3 | t1
t5 = x3 | x0
t6 = t4 ^ x3
y2 = t6 ^ x0
t8 = t5 ^ t1
t9 = t3 ^ x1
t10 = t9 | t8
y1 = t10 ^ t6
t12 = y1 & ~y2
y0 = t12 ^ t8
t14 = t8 & y2
y3 = t14 ^ t9
";

fn target(issue_width: Option<u32>, more: &str) -> Target {
    let width = issue_width.map_or("null".to_owned(), |w| w.to_string());
    let operations = r#"{"name": "not", "arity": 1, "table": 1}, {"name": "and", "arity": 2, "table": 8},
        {"name": "or", "arity": 2, "table": 14}, {"name": "xor", "arity": 2, "table": 6}"#;
    let text = format!(
        r#"{{"name": "t", "title": "t", "issue_width": {width}, "objective": [], "operations": [{operations}{more}]}}"#
    );
    Target::from_json(&text).unwrap()
}

const ANDCM: &str = r#", {"name": "andcm", "arity": 2, "table": 2}"#;

fn circuit(text: &str) -> Circuit {
    parse(text, None, None).unwrap().remove(0).circuit
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }

    /// A circuit of gates of two inputs and complements; its last gates are the outputs.
    fn circuit(&mut self, gates: usize) -> Circuit {
        let functions = [Function::AND, Function::OR, Function::XOR, Function::ANDNOT, Function::NOT, Function::XOR];
        let mut made = Circuit::new(4);
        for n in 0..gates {
            let mut wire = |random: &mut Random| match random.below(n + 4) {
                k if k < 4 => Wire::Input(k),
                k => Wire::Gate(k - 4),
            };
            let function = functions[self.below(functions.len())];
            let first = wire(self);
            let mut second = wire(self);
            while second == first {
                second = wire(self);
            }
            let operands = [first, second];
            made.add(function, &operands[..function.arity.into()]);
        }
        made.outputs = (gates.saturating_sub(3)..gates).map(Wire::Gate).collect();
        made
    }
}

#[test]
fn the_example_of_the_definition_has_its_figures() {
    let s3 = circuit(PROTOTYPE_S3);
    let deep = measure(&s3, &target(None, ANDCM)).unwrap().values;
    assert_eq!((deep["ops"], deep["cycles_paper"], deep["width_paper"]), (15.0, 7.0, 3.0));
    let two = measure(&s3, &target(Some(2), ANDCM)).unwrap();
    assert_eq!((two.values["cycles_paper"], two.values["cycles"]), (8.0, 8.0));
    assert!(two.remarks.is_empty());
    let without = measure(&s3, &target(Some(2), "")).unwrap().values;
    assert_eq!(without["ops"], 16.0);
}

#[test]
fn metrics_are_compared_in_their_order() {
    let of = |cycles: f64, ops: f64| {
        let mut metrics = Metrics::default();
        metrics.set("cycles", cycles);
        metrics.set("ops", ops);
        metrics
    };
    let objective = [Metric::Cycles, Metric::Ops];
    assert_eq!(of(7.0, 20.0).compare(&of(8.0, 14.0), &objective), Ordering::Less);
    assert_eq!(of(7.0, 20.0).compare(&of(7.0, 14.0), &objective), Ordering::Greater);
    assert_eq!(of(7.0, 1.0).compare(&of(7.0, 1.0), &[Metric::Cycles, Metric::Area]), Ordering::Equal);
    assert_eq!(Metrics::default().compare(&of(7.0, 1.0), &objective), Ordering::Greater);
}
