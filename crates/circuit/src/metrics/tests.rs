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
            let wire = |random: &mut Random| match random.below(n + 4) {
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

/// The shortest schedule by trying every cycle for every gate, in the order of the text.
fn shortest(circuit: &Circuit, latency: &[u32], width: usize, begins: &mut Vec<u32>, limit: u32) -> bool {
    let n = begins.len();
    if n == circuit.gates.len() {
        return true;
    }
    (0..limit).any(|cycle| {
        let early = circuit.gates[n].operands.iter().any(|w| match w {
            Wire::Gate(m) => begins[*m] + latency[*m] > cycle,
            _ => false,
        });
        if early || cycle + latency[n] > limit || begins.iter().filter(|&&b| b == cycle).count() == width {
            return false;
        }
        begins.push(cycle);
        let found = shortest(circuit, latency, width, begins, limit);
        begins.pop();
        found
    })
}

#[test]
fn exact_schedules_are_the_shortest_of_all() {
    let mut random = Random(1);
    let more = r#", {"name": "andcm", "arity": 2, "table": 2, "latency": 3}"#;
    for round in 0..120 {
        let circuit = random.circuit(1 + round % 7);
        for width in [1, 2, 3] {
            let target = target(Some(width), more);
            let schedule = schedule::exact(&circuit, &target, Some(width));
            schedule_check::check(&circuit, &target, Some(width), &schedule).unwrap();
            assert_eq!(schedule.bound, schedule.length);
            let latency: Vec<u32> =
                circuit.gates.iter().map(|g| if g.function == Function::ANDNOT { 3 } else { 1 }).collect();
            let possible = |limit| shortest(&circuit, &latency, width as usize, &mut Vec::new(), limit);
            assert!(possible(schedule.length), "{circuit:?}");
            assert!(!possible(schedule.length - 1), "{circuit:?}");
            let greedy = schedule::greedy(&circuit, &target, Some(width));
            schedule_check::check(&circuit, &target, Some(width), &greedy).unwrap();
            assert!(greedy.length >= schedule.length && greedy.bound <= schedule.length);
        }
    }
}

#[test]
fn greedy_schedules_can_be_beaten() {
    let mut random = Random(5);
    let target = target(Some(3), r#", {"name": "andcm", "arity": 2, "table": 2, "latency": 3}"#);
    let beaten = (0..400).any(|_| {
        let circuit = random.circuit(14);
        let exact = schedule::exact(&circuit, &target, Some(2));
        assert_eq!(exact.bound, exact.length);
        exact.length < schedule::greedy(&circuit, &target, Some(2)).length
    });
    assert!(beaten);
}

#[test]
fn a_wrong_schedule_is_found() {
    let s3 = circuit(PROTOTYPE_S3);
    let target = target(Some(2), ANDCM);
    let right = schedule::exact(&s3, &target, Some(2));
    let told = |change: &dyn Fn(&mut schedule::Schedule)| {
        let mut wrong = right.clone();
        change(&mut wrong);
        schedule_check::check(&s3, &target, Some(2), &wrong).unwrap_err().message
    };
    assert_eq!(told(&|s| s.begins.truncate(3)), "the schedule is wrong: 3 gates of 15");
    assert_eq!(told(&|s| s.begins[14] = 0), "the schedule is wrong: 3 gates begin in cycle 0");
    assert_eq!(
        told(&|s| s.length = 9),
        "the schedule is wrong: 15 gates begin, the last result is there after 8 cycles of 9"
    );
    let late = told(&|s| {
        let (first, last) = (s.begins[0], s.begins[13]);
        (s.begins[0], s.begins[13]) = (last, first);
    });
    assert!(late.ends_with("before its operands are there"), "{late}");
}

fn orders(circuit: &Circuit, done: &mut Vec<usize>, visit: &mut dyn FnMut(&[usize])) {
    if done.len() == circuit.gates.len() {
        return visit(done);
    }
    for n in 0..circuit.gates.len() {
        let ready = circuit.gates[n].operands.iter().all(|w| !matches!(w, Wire::Gate(m) if !done.contains(m)));
        if ready && !done.contains(&n) {
            done.push(n);
            orders(circuit, done, visit);
            done.pop();
        }
    }
}

/// The circuit with its gates in another order.
fn in_order(circuit: &Circuit, order: &[usize]) -> Circuit {
    let place = |wire: Wire| match wire {
        Wire::Gate(n) => Wire::Gate(order.iter().position(|&m| m == n).unwrap()),
        other => other,
    };
    let mut made = Circuit::new(circuit.inputs);
    for &n in order {
        let operands: Vec<Wire> = circuit.gates[n].operands.iter().map(|&w| place(w)).collect();
        made.add(circuit.gates[n].function, &operands);
    }
    made.outputs = circuit.outputs.iter().map(|&w| place(w)).collect();
    made
}

#[test]
fn the_best_order_keeps_the_fewest_values() {
    let mut random = Random(2);
    for round in 0..60 {
        let circuit = random.circuit(1 + round % 7).pruned();
        let best = live::best(&circuit).unwrap();
        let mut least = (usize::MAX, usize::MAX);
        orders(&circuit, &mut Vec::new(), &mut |order| {
            let alive = live::in_order(&in_order(&circuit, order));
            least = (least.0.min(alive.values), least.1.min(alive.registers));
        });
        assert_eq!((best.values, best.registers), least, "{circuit:?}");
    }
}

#[test]
fn values_live_until_their_last_reader() {
    let alive = live::in_order(&circuit("t1 = x0 & x1\nt2 = t1 ^ x2\nt3 = t1 | t2\ny0 = t3 & t2\ny1 = t2"));
    assert_eq!((alive.values, alive.registers), (2, 3));
}

#[test]
fn covers_are_the_smallest() {
    let mut random = Random(3);
    for round in 0..80 {
        let circuit = random.circuit(1 + round % 8).pruned();
        let mut metrics = Metrics::default();
        cover::measure(&circuit, &mut metrics);
        let count = circuit.gates.len();
        let covers = |chosen: usize| {
            let has = |wire: &Wire| !matches!(wire, Wire::Gate(n) if chosen >> n & 1 == 0);
            circuit.outputs.iter().all(has)
                && (0..count).filter(|n| chosen >> n & 1 == 1).all(|n| cut(&circuit, n, chosen))
        };
        let least = (0..1usize << count).filter(|&c| covers(c)).map(usize::count_ones).min().unwrap();
        assert_eq!(metrics.values["ternary_count"], f64::from(least), "{circuit:?}");
    }
}

/// Whether three wires, inputs or chosen gates, cut a gate off from the inputs.
fn cut(circuit: &Circuit, n: usize, chosen: usize) -> bool {
    let inputs = (0..circuit.inputs.into()).map(Wire::Input);
    let wires: Vec<Wire> = inputs.chain((0..n).filter(|m| chosen >> m & 1 == 1).map(Wire::Gate)).collect();
    fn reaches(circuit: &Circuit, wire: Wire, leaves: &[Wire]) -> bool {
        if leaves.contains(&wire) {
            return false;
        }
        match wire {
            Wire::Gate(m) => circuit.gates[m].operands.iter().any(|&w| reaches(circuit, w, leaves)),
            other => matches!(other, Wire::Input(_)),
        }
    }
    let closed = |leaves: &[Wire]| !circuit.gates[n].operands.iter().any(|&w| reaches(circuit, w, leaves));
    wires.iter().any(|&a| wires.iter().any(|&b| wires.iter().any(|&c| closed(&[a, b, c]))))
}

#[test]
fn multiplications_are_those_of_the_classes() {
    let of = |arity, table| multiplications(Function::new(arity, table));
    assert_eq!([of(1, 1), of(2, 6), of(2, 8), of(2, 14), of(2, 7)], [0, 0, 1, 1, 1]);
    // Parity, majority, selection, AND of three.
    assert_eq!([of(3, 0x96), of(3, 0xe8), of(3, 0xca), of(3, 0x80)], [0, 1, 1, 2]);
    // a & b ^ c & d, a & b & c & d, a & b & c ^ a & d.
    assert_eq!([of(4, 0x7888), of(4, 0x8000), of(4, 0x2a80)], [2, 3, 2]);
}

const X86_S0: &str = "\
circuit S0: 4 -> 4
registers r0 r1 r2 r3 r4
r3 ^= r0
r4 = r1
r4 &= r3
r4 ^= r0
r0 |= r3
r0 ^= r2
r1 ^= r0
r3 ^= r4
r2 ^= r3
r0 |= r4
r4 = ~r4
r0 ^= r1
r3 ^= r0
r0 &= r2
r0 ^= r4
r2 ^= r0
y0 = r2
y1 = r0
y2 = r3
y3 = r1
";

#[test]
fn a_sequence_of_instructions_is_counted_as_written() {
    let mut machine = target(Some(2), "");
    (machine.two_operand, machine.registers) = (true, Some(5));
    let document = parse(X86_S0, Some(&machine), None).unwrap().remove(0);
    assert_eq!(document.circuit.sbox().data, [3, 8, 15, 1, 10, 6, 5, 11, 14, 13, 4, 2, 7, 0, 9, 12]);
    let values = measure_document(&document, &machine).unwrap().values;
    assert_eq!((values["instructions"], values["moves"], values["ops"], values["registers"]), (16.0, 1.0, 15.0, 5.0));
    let remark = |text: &str| {
        let document = parse(text, Some(&machine), None).unwrap().remove(0);
        let metrics = measure_document(&document, &machine).unwrap();
        assert!(!metrics.values.contains_key("instructions"));
        metrics.remarks.last().unwrap().clone()
    };
    let wrong = X86_S0.replace("r4 ^= r0", "r4 = r4 ^ (r0 & r1)");
    assert_eq!(remark(&wrong), "instructions: `r4 = r4 ^ (r0 & r1)` is no instruction of the target");
    let wide = X86_S0.replace("r3 r4\n", "r3 r4 r5\n");
    assert_eq!(remark(&wide), "instructions: the sequence uses 6 registers, not 5");
}

/// Fewest moves for gates in their order, by trying every placement of moves; registers are what they hold.
fn fewest_moves(circuit: &Circuit, n: usize, held: &mut Vec<Wire>, limit: usize) -> Option<usize> {
    if n == circuit.gates.len() {
        return circuit.outputs.iter().all(|w| held.contains(w)).then_some(0);
    }
    let gate = &circuit.gates[n];
    let needed =
        |wire: &Wire| circuit.outputs.contains(wire) || circuit.gates[n..].iter().any(|g| g.operands.contains(wire));
    held.retain(|w| needed(w));
    let symmetric = gate.function != Function::ANDNOT;
    let mut best: Option<usize> = None;
    if !gate.operands.iter().all(|w| held.contains(w)) {
        return None;
    }
    for operand in gate.operands.iter().take(if symmetric { 2 } else { 1 }) {
        for copied in [false, true] {
            let mut next = held.clone();
            if copied {
                next.push(*operand);
            }
            if next.len() > limit {
                continue;
            }
            let at = next.iter().position(|w| w == operand).unwrap();
            next[at] = Wire::Gate(n);
            let rest = fewest_moves(circuit, n + 1, &mut next, limit);
            best = rest.map(|r| r + usize::from(copied)).into_iter().chain(best).min();
        }
    }
    best
}

#[test]
fn moves_of_an_order_are_the_fewest() {
    let mut random = Random(4);
    for round in 0..80 {
        let circuit = random.circuit(1 + round % 6).pruned();
        for registers in [3, 4, 5, 6] {
            let mut machine = target(Some(2), ANDCM);
            (machine.two_operand, machine.registers) = (true, Some(registers));
            let mut metrics = Metrics::default();
            instructions::of_order(&circuit, &machine, &mut metrics);
            let mut least: Option<usize> = None;
            orders(&circuit, &mut Vec::new(), &mut |order| {
                let mut of = Metrics::default();
                instructions::of_order(&in_order(&circuit, order), &machine, &mut of);
                least = of.values.get("instructions").map(|i| *i as usize).into_iter().chain(least).min();
            });
            assert_eq!(metrics.values.get("instructions_least").map(|i| *i as usize), least, "{circuit:?}");
            let mut inputs: Vec<Wire> = (0..4).map(Wire::Input).collect();
            inputs.retain(|w| circuit.outputs.contains(w) || circuit.gates.iter().any(|g| g.operands.contains(w)));
            let fewest = if inputs.len() > registers as usize {
                None
            } else {
                fewest_moves(&circuit, 0, &mut inputs, registers as usize)
            };
            let counted = metrics.values.get("instructions").map(|i| *i as usize - circuit.gates.len());
            assert_eq!(counted, fewest, "{registers} registers, {circuit:?}");
        }
    }
}

#[test]
fn cells_have_area_and_equivalents() {
    let cells = r#"{"name": "cells:toy", "title": "toy", "objective": [], "operations": [
        {"name": "INV", "arity": 1, "table": 1, "size": 2.0}, {"name": "NAND2", "arity": 2, "table": 7, "size": 4.0},
        {"name": "XOR2", "arity": 2, "table": 6, "size": 10.0}, {"name": "AOI21", "arity": 3, "table": 7, "size": 6.0}]}"#;
    let target = Target::from_json(cells).unwrap();
    // AND is NAND and a complement; OR is NAND of complements, one of which there is already.
    let values = measure(&circuit("t1 = x0 & x1\nt2 = ~x2\ny0 = t1 ^ t2\ny1 = x2 | x3"), &target).unwrap().values;
    assert_eq!((values["area_um2"], values["gate_equivalents"]), (4.0 + 2.0 + 10.0 + 2.0 + 2.0 + 4.0, 6.0));
    let values = measure(&circuit("y0 = lut(0x07, x0, x1, x2)"), &target).unwrap().values;
    assert_eq!(values["area_um2"], 6.0);
}
