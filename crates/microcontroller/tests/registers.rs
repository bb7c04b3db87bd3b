//! Registers and memory for random code: executed, it computes what was written down.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::common::execute::Machines;
use crate::common::{avr, code, h8, instruction, mcs51, value};
use microcontroller::allocate::{allocate, Objects, Preferences};
use microcontroller::code::{Code, Instruction, Item, Line, Loop, Source};
use microcontroller::isa::Isa;
use microcontroller::pairs::{paired, Pairs};
use microcontroller::search::{as_written, best, bytes, Aim};
use microcontroller::slots::packed;
use microcontroller::tidy::tidied;

/// Numbers that look random: the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn byte(&mut self) -> u8 {
        self.below(256) as u8
    }
}

/// What an instruction set has for a few operations; `load` and `store` of a byte at `{k}`.
struct Language {
    isa: Isa,
    load: &'static str,
    number: &'static str,
    xor: &'static str,
    add: &'static str,
    store: &'static [&'static str],
    words: bool,
}

fn languages() -> [Language; 3] {
    [
        Language {
            isa: avr(),
            load: "lds {0}, x + {k}",
            number: "ldi {0}, {k}",
            xor: "eor {0}, {1}",
            add: "add {0}, {1}",
            store: &["sts y + {k}, {0}"],
            words: false,
        },
        Language {
            isa: h8(),
            load: "mov.b @x+{k}:16,{0}",
            number: "mov.b #{k},{0}",
            xor: "xor.b {1},{0}",
            add: "add.b {1},{0}",
            store: &["mov.b {0},@y+{k}:16"],
            words: true,
        },
        Language {
            isa: mcs51(),
            load: "mov a,x+{k}",
            number: "mov a,#{k}",
            xor: "xrl a,{1}",
            add: "add a,{1}",
            store: &["mov a,{0}", "mov y+{k},a"],
            words: false,
        },
    ]
}

/// Code that is written at random, with what its values are.
struct Writer<'a> {
    language: &'a Language,
    numbers: Numbers,
    values: Vec<u8>,
    /// Values that may be read here.
    known: Vec<u32>,
    x: Vec<u8>,
    y: BTreeMap<(String, i64), u8>,
    out: Vec<Item>,
    loops: usize,
}

impl<'a> Writer<'a> {
    fn new(language: &'a Language, seed: u64) -> Self {
        let mut numbers = Numbers(seed);
        let x = (0..64).map(|_| numbers.byte()).collect();
        Writer {
            language,
            numbers,
            values: Vec::new(),
            known: Vec::new(),
            x,
            y: BTreeMap::new(),
            out: Vec::new(),
            loops: 0,
        }
    }

    fn lines(&self, texts: &[&str], k: usize) -> Vec<Line> {
        let texts: Vec<String> = texts.iter().map(|text| text.replace("{k}", &k.to_string())).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        instruction(&self.language.isa, &texts).lines
    }

    fn push(&mut self, i: Instruction) {
        self.out.push(Item::Instruction(Arc::new(i)));
    }

    fn new_value(&mut self, is: u8) -> u32 {
        self.values.push(is);
        self.known.push(self.values.len() as u32 - 1);
        self.values.len() as u32 - 1
    }

    fn load(&mut self) {
        if self.language.words && self.numbers.below(2) == 0 {
            let k = 2 * self.numbers.below(32);
            let lines = self.lines(&["mov.w @x+{k}:16,{0.word}"], k);
            let outs = vec![self.new_value(self.x[k]), self.new_value(self.x[k + 1])];
            self.push(Instruction { lines, outs, word: true, ..Instruction::default() });
            return;
        }
        let k = self.numbers.below(64);
        let lines = self.lines(&[self.language.load], k);
        let outs = vec![self.new_value(self.x[k])];
        self.push(Instruction { lines, outs, ..Instruction::default() });
    }

    fn number(&mut self, n: u8) -> u32 {
        let lines = self.lines(&[self.language.number], n.into());
        let d = self.new_value(n);
        self.push(Instruction { lines, outs: vec![d], upper: 1, ..Instruction::default() });
        d
    }

    /// One of the values so far, mostly a late one.
    fn any(&mut self) -> u32 {
        let count = self.known.len();
        let reach = if self.numbers.below(4) == 0 { count } else { count.min(12) };
        self.known[count - 1 - self.numbers.below(reach)]
    }

    fn change(&mut self) {
        let a = self.any();
        let b = if self.numbers.below(5) == 0 { Source::Number(self.numbers.byte().into()) } else { value(self.any()) };
        let of_b = match b {
            Source::Number(n) => n as u8,
            Source::Value(v) => self.values[v as usize],
        };
        let of_a = self.values[a as usize];
        let (text, is) = match self.numbers.below(2) {
            0 => (self.language.xor, of_a ^ of_b),
            _ => (self.language.add, of_a.wrapping_add(of_b)),
        };
        let (lines, d) = (self.lines(&[text], 0), self.new_value(is));
        let commutative = b.value().is_some();
        self.push(Instruction {
            lines,
            tied: vec![(d, value(a))],
            ins: vec![b],
            commutative,
            ..Instruction::default()
        });
    }

    fn store(&mut self, k: usize, v: u32) {
        let lines = self.lines(self.language.store, k);
        self.push(Instruction { lines, ins: vec![value(v)], ..Instruction::default() });
        self.y.insert(("y".to_owned(), k as i64), self.values[v as usize]);
    }

    fn store_word(&mut self, k: usize, a: u32, b: u32) {
        let lines =
            self.lines(&["mov.b {0},@y+{k}:16"], k).into_iter().chain(self.lines(&["mov.b {1},@y+{k}:16"], k + 1));
        let ins = vec![value(a), value(b)];
        self.push(Instruction { lines: lines.collect(), ins, word: true, ..Instruction::default() });
        for (n, v) in [a, b].into_iter().enumerate() {
            self.y.insert(("y".to_owned(), (k + n) as i64), self.values[v as usize]);
        }
    }

    fn some(&mut self, count: usize) {
        for _ in 0..count {
            if self.values.len() < 4 || self.numbers.below(6) == 0 {
                self.load();
            } else {
                self.change();
            }
        }
    }

    /// A loop that changes a few values and reads others; afterwards only its results count.
    fn repeat(&mut self, iterations: u8, carried: usize, count: usize) {
        let before = self.known.clone();
        let inits: Vec<u32> = (0..carried).map(|_| self.any()).collect();
        let counter = self.number(iterations);
        self.known.clone_from(&before);
        let params: Vec<u32> = inits.iter().map(|v| self.new_value(self.values[*v as usize])).collect();
        let outside = std::mem::take(&mut self.out);
        self.some(count);
        let outs: Vec<u32> = params.iter().map(|_| self.any()).collect();
        let body = std::mem::replace(&mut self.out, outside);
        let results = self.executed(&body, iterations, &params, &outs);
        self.known = before;
        let results: Vec<u32> = results.into_iter().map(|is| self.new_value(is)).collect();
        let carried = params.iter().zip(&inits).zip(&outs).map(|((p, i), o)| (*p, value(*i), value(*o))).collect();
        let (id, pinned, stepped) = (self.loops, Vec::new(), Vec::new());
        self.loops += 1;
        let made = Loop {
            id,
            iterations: iterations.into(),
            counter,
            carried,
            results,
            body,
            pinned,
            stepped,
            ..Loop::default()
        };
        self.out.push(Item::Loop(Arc::new(made)));
    }

    /// The carried values after all iterations.
    fn executed(&mut self, body: &[Item], iterations: u8, params: &[u32], outs: &[u32]) -> Vec<u8> {
        for _ in 0..iterations {
            for item in body {
                let Item::Instruction(i) = item else { panic!("loops hold no loops here") };
                let [(d, Source::Value(a))] = i.tied[..] else { continue };
                let of_a = self.values[a as usize];
                let of_b = match i.ins[0] {
                    Source::Number(n) => n as u8,
                    Source::Value(v) => self.values[v as usize],
                };
                let adds = i.lines == self.lines(&[self.language.add], 0);
                self.values[d as usize] = if adds { of_a.wrapping_add(of_b) } else { of_a ^ of_b };
            }
            let next: Vec<u8> = outs.iter().map(|v| self.values[*v as usize]).collect();
            for (p, is) in params.iter().zip(next) {
                self.values[*p as usize] = is;
            }
        }
        params.iter().map(|p| self.values[*p as usize]).collect()
    }

    /// Stores the last values; of words two at once.
    fn end(&mut self, count: usize) {
        let last = self.known[self.known.len().saturating_sub(count)..].to_vec();
        for (n, pair) in last.chunks(2).enumerate() {
            match pair {
                [a, b] if self.language.words && n % 2 == 0 => self.store_word(2 * n, *a, *b),
                _ => pair.iter().enumerate().for_each(|(k, v)| self.store(2 * n + k, *v)),
            }
        }
    }

    fn code(&self) -> Code {
        let isa = &self.language.isa;
        let reserved = if isa.registers.names.len() == 32 { vec![30, 31] } else { vec![] };
        let (items, values) = (self.out.clone(), self.values.len() as u32);
        Code { name: "f".into(), items, reserved: reserved.into_iter().collect(), values }
    }

    /// Runs lines and compares memory.
    fn check(&self, lines: &[Line]) {
        let mut machines = Machines::default();
        machines.memory.extend(self.x.iter().enumerate().map(|(k, is)| (("x".to_owned(), k as i64), *is)));
        machines.run(&self.language.isa, lines);
        for (place, is) in &self.y {
            assert_eq!(machines.memory[place], *is, "{place:?}");
        }
    }
}

fn objects(near_bytes: u32, far_bytes: u32) -> Objects {
    let [values, far, outside, key] = ["s", "far", "outside", "key"].map(Arc::from);
    Objects { values, far, outside, block: "".into(), key, near_bytes, far_bytes }
}

#[test]
fn random_code_computes_what_it_says() {
    for language in languages() {
        let isa = &language.isa;
        for seed in 0..40 {
            let mut written = Writer::new(&language, seed);
            written.some(10 + 3 * seed as usize);
            written.end(10 + seed as usize % 20);
            let code = written.code();
            let objects = objects(70, 0);
            for most in [None, Some(3)] {
                let aim = Aim { most, ..Aim::default() };
                let done = best(isa, &code, &objects, &aim).expect("registers").allocation;
                written.check(&done.lines);
                written.check(&tidied(isa, &done.lines));
                if isa.accumulator.is_none() {
                    let (lines, count) = packed(isa, &done.lines, &objects.values, "");
                    assert!(count <= done.slots);
                    written.check(&lines);
                }
            }
            written.check(
                &allocate(isa, &code, &objects, Pairs::new(), Preferences { frugal: true, ..Preferences::default() })
                    .expect("registers")
                    .lines,
            );
        }
    }
}

#[test]
fn random_loops_compute_what_they_say() {
    for language in languages() {
        let isa = &language.isa;
        for seed in 0..40 {
            let mut written = Writer::new(&language, 100 + seed);
            written.some(20);
            written.repeat(1 + seed as u8 % 5, 2 + seed as usize % 34, 12 + seed as usize % 30);
            written.some(8);
            written.end(12);
            let code = written.code();
            let done = best(isa, &code, &objects(200, 0), &Aim::default()).expect("registers");
            written.check(&done.allocation.lines);
            written.check(&tidied(isa, &done.allocation.lines));
        }
    }
}

#[test]
fn values_leave_internal_memory() {
    let [_, _, language] = languages();
    let isa = &language.isa;
    for seed in 0..40 {
        let mut written = Writer::new(&language, 200 + seed);
        written.some(80);
        written.end(40);
        let code = written.code();
        for (near, far) in [(12, 20), (3, 4), (0, 2), (0, 12)] {
            let objects = objects(near, far);
            let aim = Aim::default();
            for done in [best(isa, &code, &objects, &aim), as_written(isa, &code, &objects, &aim)] {
                let done = done.expect("registers").allocation;
                assert!(bytes(&done) <= near + far);
                written.check(&done.lines);
            }
        }
    }
}

#[test]
fn cycles_of_straight_code_are_those_of_its_lines() {
    for language in languages() {
        let isa = &language.isa;
        let mut written = Writer::new(&language, 1);
        written.some(60);
        written.end(20);
        let done = best(isa, &written.code(), &objects(70, 0), &Aim::default()).expect("registers");
        let lines = tidied(isa, &done.allocation.lines);
        let cost = |line: &Line| match line {
            Line::Machine(machine) => u64::from(isa.cost(machine).expect("a record").0),
            _ => 0,
        };
        assert_eq!(done.cycles, lines.iter().map(cost).sum::<u64>());
    }
}

#[test]
fn iterations_count_in_cycles() {
    let [language, ..] = languages();
    let mut written = Writer::new(&language, 5);
    written.some(4);
    written.repeat(9, 2, 6);
    written.end(1);
    let code = written.code();
    let Some(Item::Loop(known)) = code.items.iter().find(|item| matches!(item, Item::Loop(_))) else {
        panic!("a loop")
    };
    let longer = Loop { iterations: 10, ..(**known).clone() };
    let items = code.items.iter().map(|item| match item {
        Item::Loop(_) => Item::Loop(Arc::new(longer.clone())),
        other => other.clone(),
    });
    let more = Code { items: items.collect(), ..code.clone() };
    let [nine, ten] = [&code, &more].map(|code| {
        let done = as_written(&language.isa, code, &objects(0, 0), &Aim::default()).expect("registers");
        (done.cycles, done.allocation.lines.len() as u64)
    });
    assert_eq!(nine.1, ten.1);
    assert!((6..nine.1 * 2).contains(&(ten.0 - nine.0)));
}

#[test]
fn copies_of_two_values_are_one_instruction() {
    let isa = avr();
    let load = |d: u32| Instruction { outs: vec![d], ..instruction(&isa, &["lds {0}, x + 0"]) };
    let changed = |d: u32, a: u32, b: u32| Instruction {
        tied: vec![(d, value(a))],
        ins: vec![value(b)],
        commutative: true,
        ..instruction(&isa, &["eor {0}, {1}"])
    };
    let store = |v: u32| Instruction { ins: vec![value(v)], ..instruction(&isa, &["sts y + 0, {0}"]) };
    // All four values are needed again, so that each exclusive or needs a copy.
    let mut every: Vec<Instruction> = (0..4).map(load).collect();
    every.extend([changed(4, 0, 1), changed(5, 2, 3)]);
    every.extend((0..6).map(store));
    let (code, pairs) = paired(&code(&isa, every), &isa.moves.copy, false);
    let done = allocate(&isa, &code, &objects(0, 0), pairs, Preferences::default()).expect("registers");
    let copies = |lines: &[Line]| {
        crate::common::text(&isa, lines).into_iter().filter(|l| l.starts_with("mov")).collect::<Vec<_>>()
    };
    assert_eq!(copies(&done.lines), ["mov r4, r0", "mov r5, r1"]);
    assert_eq!(copies(&tidied(&isa, &done.lines)), ["movw r4, r0"]);
}

#[test]
fn an_instruction_with_more_operands_than_registers_is_refused() {
    let isa = avr();
    let many = Instruction { outs: (0..33).collect(), ..instruction(&isa, &["mov {0}, {1}"]) };
    let refused = best(&isa, &code(&isa, vec![many]), &objects(0, 0), &Aim::default()).expect_err("too many");
    assert_eq!(
        refused.to_string(),
        "error[E114]: an instruction of `f` needs more registers at once than there are\n   \
         = help: operations on narrower words need fewer; `assay emit c` has no such limit"
    );
}
