//! The clauses of exact synthesis against counts by brute force, which share no code with them.
//!
//! For small boxes every circuit is built gate by gate as plain truth tables; the clauses must be satisfiable at the
//! least number of gates and contradictory below it.

#![cfg(feature = "sat")]

use std::collections::HashSet;

use circuit::problem::Metric;
use circuit::{SBox, Target};
use circuit_search::synthesis::{Outcome, Question};

/// Numbers that look random, the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// A gate set: tables over two or three operands, every one in each order of operands.
struct Gates {
    json: &'static str,
    arity: usize,
    /// Whether every function of up to `arity` operands is a gate, so that complements are free.
    all: bool,
    two: &'static [u8],
    one: bool,
}

const NAND: Gates =
    Gates { json: r#"{"name": "nand", "arity": 2, "table": 7}"#, arity: 2, all: false, two: &[7], one: false };
const CLASSIC: Gates = Gates {
    json: r#"{"name": "not", "arity": 1, "table": 1}, {"name": "and", "arity": 2, "table": 8},
             {"name": "or", "arity": 2, "table": 14}, {"name": "xor", "arity": 2, "table": 6},
             {"name": "andcm", "arity": 2, "table": 2}"#,
    arity: 2,
    all: false,
    two: &[8, 14, 6, 2, 4],
    one: true,
};
const TWO: Gates =
    Gates { json: r#"{"name": "g", "arity": 2}, {"name": "n", "arity": 1}"#, arity: 2, all: true, two: &[], one: true };
const THREE: Gates = Gates { json: r#"{"name": "g", "arity": 3}"#, arity: 3, all: true, two: &[], one: true };

impl Gates {
    fn target(&self) -> Target {
        let text = format!(r#"{{"name": "t", "title": "", "operations": [{}], "objective": []}}"#, self.json);
        Target::from_json(&text).unwrap()
    }

    /// Every function that one gate makes of wires given as truth tables of `rows` rows; with free complements, only
    /// those that are 0 at row 0.
    fn next(&self, wires: &[u16], rows: usize) -> HashSet<u16> {
        let mut found = HashSet::new();
        for (i, &a) in wires.iter().enumerate() {
            if self.one && !self.all {
                found.insert(!a & mask(rows));
            }
            // With every table, each set of operands is met once; else in every order, equal ones among them.
            let others = if self.all { &wires[i + 1..] } else { wires };
            for (j, &b) in others.iter().enumerate() {
                let third = if self.arity == 3 { &others[j + 1..] } else { &wires[..1] };
                third.iter().for_each(|&c| self.of_operands([a, b, c], rows, &mut found));
            }
        }
        found
    }

    fn of_operands(&self, operands: [u16; 3], rows: usize, found: &mut HashSet<u16>) {
        let tables: Vec<u16> = match (self.all, self.arity) {
            (true, 3) => (0..256).step_by(2).collect(),
            (true, _) => (0..16).step_by(2).collect(),
            _ => self.two.iter().map(|t| u16::from(*t)).collect(),
        };
        for table in tables {
            let value = |row: usize| {
                let index = (0..self.arity).fold(0, |sum, n| sum | (operands[n] >> row & 1) << n);
                table >> index & 1
            };
            found.insert((0..rows).fold(0, |sum, row| sum | value(row) << row));
        }
    }
}

fn mask(rows: usize) -> u16 {
    ((1u32 << rows) - 1) as u16
}

fn inputs(count: usize) -> Vec<u16> {
    (0..count).map(|k| (0..1usize << count).filter(|v| v >> k & 1 == 1).fold(0, |t, v| t | 1 << v)).collect()
}

/// Whether `gates` gates more make every goal one of the wires.
fn reachable(set: &Gates, wires: &mut Vec<u16>, rows: usize, goals: &[u16], gates: usize) -> bool {
    let missing = goals.iter().filter(|g| !wires.contains(g)).count();
    if missing == 0 || missing > gates {
        return missing == 0;
    }
    let mut candidates: Vec<u16> = set.next(wires, rows).into_iter().filter(|f| !wires.contains(f)).collect();
    candidates.sort_unstable();
    if missing == gates {
        candidates.retain(|f| goals.contains(f)); // Each gate left must be one of the goals.
    }
    candidates.into_iter().any(|f| {
        wires.push(f);
        let done = reachable(set, wires, rows, goals, gates - 1);
        wires.pop();
        done
    })
}

/// The outputs as functions that gates are counted for: with free complements those that are 0 at input 0.
fn goals(set: &Gates, sbox: &SBox) -> Vec<u16> {
    let rows = sbox.data.len();
    let table = |k: usize| (0..rows).fold(0u16, |t, v| t | u16::from(sbox.data[v] >> k & 1) << v);
    let normal = |t: u16| if set.all && t & 1 == 1 { !t & mask(rows) } else { t };
    (0..usize::from(sbox.outputs)).map(|k| normal(table(k))).collect()
}

fn compare(set: &Gates, count: usize, boxes: usize, seed: u64, most: usize) {
    let mut numbers = Numbers(seed);
    let (mut decided, mut refuted) = (0, 0);
    for _ in 0..boxes {
        let outputs = 1 + numbers.below(2) as u8;
        let sbox = SBox::new(outputs, (0..1 << count).map(|_| numbers.below(1 << outputs) as u8).collect()).unwrap();
        let rows = sbox.data.len();
        let goals = goals(set, &sbox);
        if set.all && goals.iter().any(|g| *g == 0 || inputs(count).contains(g))
            || goals[0] == goals[goals.len() - 1] && goals.len() > 1
        {
            continue; // Complemented inputs and shared outputs are the goal's matter, tested there.
        }
        let question = Question::new(&sbox, &set.target(), Metric::Gates).unwrap();
        let constant = |g: &u16| *g == 0 || *g == mask(rows);
        if goals.iter().any(constant) {
            continue;
        }
        for gates in question.least()..=most {
            let possible = reachable(set, &mut inputs(count), rows, &goals, gates);
            match question.solve(gates, 0, &|| false) {
                Outcome::Found(circuit) => {
                    assert!(possible, "{:?} in {gates} gates", sbox.data);
                    circuit.check(&sbox).unwrap();
                    assert_eq!(circuit.gates.len(), gates);
                }
                outcome => {
                    assert_eq!(outcome, Outcome::Impossible);
                    assert!(!possible, "{:?} has {gates} gates", sbox.data);
                    refuted += 1;
                }
            }
            decided += 1;
            if possible {
                break;
            }
        }
    }
    assert!(refuted > 5 && decided > refuted, "{decided} answers, {refuted} refutations: the sample shows nothing");
}

#[test]
fn clauses_for_two_input_gates_agree_with_brute_force() {
    compare(&TWO, 3, 40, 1, 4);
}

#[test]
fn clauses_for_three_input_gates_agree_with_brute_force() {
    compare(&THREE, 4, 24, 2, 2);
}

#[test]
fn clauses_for_few_kinds_of_gates_agree_with_brute_force() {
    compare(&CLASSIC, 3, 24, 3, 3);
    compare(&NAND, 2, 30, 4, 5);
}

/// Every span of functions, as the set of its elements, that some ANDs reach; exclusive ors are free.
fn spans(count: usize, ands: usize) -> Vec<HashSet<u16>> {
    let start: HashSet<u16> = span(&inputs(count));
    let mut level = vec![start];
    for _ in 0..ands {
        let mut next: Vec<Vec<u16>> = Vec::new();
        for known in &level {
            let elements: Vec<u16> = known.iter().copied().collect();
            for &a in &elements {
                for &b in &elements {
                    if !known.contains(&(a & b)) {
                        let mut grown: Vec<u16> = elements.iter().flat_map(|e| [*e, e ^ (a & b)]).collect();
                        grown.sort_unstable();
                        next.push(grown);
                    }
                }
            }
        }
        next.sort_unstable();
        next.dedup();
        level = next.into_iter().map(|s| s.into_iter().collect()).collect();
    }
    level
}

fn span(basis: &[u16]) -> HashSet<u16> {
    basis.iter().fold(HashSet::from([0]), |s, b| s.iter().flat_map(|e| [*e, e ^ b]).collect())
}

#[test]
fn clauses_for_ands_agree_with_brute_force() {
    let reached: Vec<Vec<HashSet<u16>>> = (0..=3).map(|ands| spans(3, ands)).collect();
    let mut numbers = Numbers(5);
    let mut refuted = 0;
    for _ in 0..60 {
        let outputs = 1 + numbers.below(3) as u8;
        let sbox = SBox::new(outputs, (0..8).map(|_| numbers.below(1 << outputs) as u8).collect()).unwrap();
        let goals: HashSet<u16> = goals(&TWO, &sbox).into_iter().collect();
        let question = Question::new(&sbox, &TWO.target(), Metric::AndCount).unwrap();
        for (ands, level) in reached.iter().enumerate().skip(question.least()) {
            // Fewer dimensions than ANDs: the span of a lower level holds the goals too.
            let possible = level.iter().any(|s| goals.iter().all(|g| s.contains(g)));
            match question.solve(ands, 0, &|| false) {
                Outcome::Found(circuit) => {
                    assert!(possible, "{:?} with {ands} ANDs", sbox.data);
                    circuit.check(&sbox).unwrap();
                    assert_eq!(circuit.gates.iter().filter(|g| !g.function.is_linear()).count(), ands);
                    break;
                }
                outcome => {
                    assert_eq!(outcome, Outcome::Impossible);
                    assert!(!possible, "{:?} has {ands} ANDs", sbox.data);
                    refuted += 1;
                }
            }
        }
    }
    assert!(refuted > 3, "{refuted} refutations: the sample shows nothing");
}

#[test]
fn a_box_of_inputs_and_complements_alone_needs_its_inverters() {
    // y0 = ~x1, y1 = x0, y2 = ~(x0 & x1) and y3 = x0 & x1 in two-input gates: NOT, AND, NOT.
    let value = |v: u8| (v >> 1 & 1 ^ 1) | (v & 1) << 1 | ((v & v >> 1 & 1) ^ 1) << 2 | (v & v >> 1 & 1) << 3;
    let sbox = SBox::new(4, (0..4).map(value).collect()).unwrap();
    let question = Question::new(&sbox, &TWO.target(), Metric::Gates).unwrap();
    assert_eq!((question.least(), question.inverters()), (3, 2));
    let Outcome::Found(circuit) = question.solve(3, 0, &|| false) else { panic!("there is one") };
    circuit.check(&sbox).unwrap();
    assert_eq!(circuit.gates.len(), 3);
}
