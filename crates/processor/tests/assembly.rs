//! Registers and text of code written by hand and of random code.

use crate::hand::{processor, random, simulated, words, Maker};
use processor::allocate::{spill, SpillPolicy};
use processor::assembly::emit;
use processor::code::{evaluate, CarriedValue, Code, CountedLoop, Region};
use processor::graph::Schedule;
use processor::model::Processor;

/// The text computes what the code computes.
fn agrees(maker: &Maker, text: &str, count: usize) {
    for seed in 0..3 {
        let words = words(count, seed);
        let expected = evaluate(&maker.code, &maker.processor.isa, std::slice::from_ref(&words)).unwrap();
        let (found, _) = simulated(maker, text, &words);
        assert_eq!(found, expected[0], "{text}");
    }
}

#[test]
fn straight_code_has_text() {
    for name in ["mckinley", "pa8500", "four-banger", "mckinley-infinite"] {
        let processor = processor(name);
        for seed in 0..20 {
            let maker = random(&processor, 4, 40, 9, seed);
            let assembly = emit(&maker.code, &maker.schedules(), &processor).unwrap();
            assert_eq!(assembly.operations, 40 + 8 + 1, "{}", assembly.text);
            agrees(&maker, &assembly.text, 4);
        }
    }
}

/// Adds a word of the input to a sum at every iteration and stores it.
fn sums(processor: &Processor, iterations: u32) -> Maker<'_> {
    let mut maker = Maker::new(processor, 4 * iterations);
    let zero = maker.number(0);
    maker.straight();
    let (source, target, sum) = (maker.value("source"), maker.value("target"), maker.value("sum"));
    let (mut from, mut to) = (source, target);
    let word = maker.load(&mut from);
    let next = maker.add(sum, word);
    maker.store(&mut to, next);
    let ops = std::mem::take(&mut maker.ops);
    let carried = vec![
        CarriedValue { value: source, init: 0, next: from },
        CarriedValue { value: target, init: 1, next: to },
        CarriedValue { value: sum, init: zero, next },
    ];
    maker.code.regions.push(Region::Loop(CountedLoop { iterations, carried, ops }));
    maker
}

#[test]
fn a_loop_without_copies() {
    let expected = [
        (
            "mckinley",
            "kernel:\n{ .mmi\n\taddl r14 = 0, r0\t// 0\n\tnop.m 0\n\tmov ar.lc = 9 ;;\t// 0\n}\n.L1:\n{ .mmi\n\t\
             ld4 r15 = [r32], 4 ;;\t// 0\n\tadd r14 = r14, r15\t// 1\n\tnop.i 0 ;;\n}\n{ .mib\n\tst4 [r33] = r14, 4\t// 2\n\t\
             nop.i 0\n\tbr.cloop.sptk.few .L1 ;;\t// 2\n}\n{ .mib\n\tnop.m 0\n\tnop.i 0\n\tbr.ret.sptk.many b0 ;;\t// 0\n}\n\
             \t.endp kernel\n",
        ),
        (
            "pa8500",
            "kernel:\n\t.proc\n\t.callinfo frame=0,no_calls\n\t.entry\n\tldi 0,%r1\t; 0\n\tldi 10,%r31\t; 0\n\
             kernel_loop1:\n\tldw,ma 4(%r26),%r28\t; 0\n\tadd,l %r1,%r28,%r1\t; 2\n\taddib,<> -1,%r31,kernel_loop1\t; 3\n\t\
             stw,ma %r1,4(%r25)\t; 3\n\tbve (%r2)\t; 0\n\tnop\n\t.exit\n\t.procend\n",
        ),
    ];
    for (name, text) in expected {
        let processor = processor(name);
        let maker = sums(&processor, 10);
        let assembly = emit(&maker.code, &maker.schedules(), &processor).unwrap();
        assert_eq!(assembly.copies, 0);
        assert!(assembly.text.ends_with(text), "{}", assembly.text);
        agrees(&maker, &assembly.text, 10);
    }
}

/// `a, b = b, a + b` at every iteration: the sums of Fibonacci; what is handed on must be copied.
fn fibonacci(processor: &Processor) -> Maker<'_> {
    let mut maker = Maker::new(processor, 8);
    let (mut source, mut target) = (0, 1);
    let (x, y) = (maker.load(&mut source), maker.load(&mut source));
    maker.straight();
    let (a, b) = (maker.value("a"), maker.value("b"));
    let sum = maker.add(a, b);
    let ops = std::mem::take(&mut maker.ops);
    let carried = vec![CarriedValue { value: a, init: x, next: b }, CarriedValue { value: b, init: y, next: sum }];
    maker.code.regions.push(Region::Loop(CountedLoop { iterations: 7, carried, ops }));
    maker.store(&mut target, b);
    maker.store(&mut target, sum);
    maker.straight();
    maker
}

#[test]
fn a_loop_that_hands_a_value_to_another_copies_it() {
    for name in ["mckinley", "pa8500"] {
        let processor = processor(name);
        let maker = fibonacci(&processor);
        let assembly = emit(&maker.code, &maker.schedules(), &processor).unwrap();
        assert!(assembly.copies <= 3, "{}", assembly.text);
        agrees(&maker, &assembly.text, 2);
    }
}

/// `a, b, c, d = b, c, d, a + (b ^ c)` with a word of the input added, and a sum of what was two iterations ago stored.
fn turning(processor: &Processor, iterations: u32) -> Maker<'_> {
    let mut maker = Maker::new(processor, 4 * (iterations + 4));
    let (mut source, mut target) = (0, 1);
    let starts: Vec<u32> = (0..4).map(|_| maker.load(&mut source)).collect();
    maker.straight();
    let carried: Vec<u32> = ["a", "b", "c", "d"].map(|n| maker.value(n)).to_vec();
    let (from, to) = (maker.value("source"), maker.value("target"));
    let (mut next_from, mut next_to) = (from, to);
    let word = maker.load(&mut next_from);
    let mixed = maker.xor(carried[1], carried[2]);
    let mixed = maker.add(mixed, carried[0]);
    let mixed = maker.add(mixed, word);
    let out = maker.field(mixed, 3, 20);
    let out = maker.xor(out, carried[3]);
    maker.store(&mut next_to, out);
    let ops = std::mem::take(&mut maker.ops);
    let mut all: Vec<CarriedValue> = (0..4)
        .map(|k| CarriedValue { value: carried[k], init: starts[k], next: if k < 3 { carried[k + 1] } else { mixed } })
        .collect();
    all.push(CarriedValue { value: from, init: source, next: next_from });
    all.push(CarriedValue { value: to, init: target, next: next_to });
    maker.code.regions.push(Region::Loop(CountedLoop { iterations, carried: all, ops }));
    target = next_to;
    for value in [carried[1], carried[2], carried[3], mixed] {
        maker.store(&mut target, value);
    }
    maker.straight();
    maker
}

#[test]
fn loops_are_pipelined() {
    for name in ["mckinley", "mckinley-paper", "merced", "ia64pp", "four-banger", "mckinley-infinite"] {
        let processor = processor(name);
        for iterations in [1, 2, 5, 30, 200] {
            let maker = turning(&processor, iterations);
            let assembly = emit(&maker.code, &maker.pipelines(), &processor).unwrap();
            agrees(&maker, &assembly.text, iterations as usize + 4);
            let general = &assembly.registers[0];
            assert!(general.rotating >= 8 && assembly.text.contains("br.ctop"), "{}", assembly.text);
        }
    }
}

#[test]
fn registers_run_out() {
    let processor = processor("pa8500");
    let maker = random(&processor, 20, 200, 60, 1);
    let error = emit(&maker.code, &maker.schedules(), &processor).unwrap_err();
    assert_eq!(
        error.to_string(),
        "error[M401]: `sample` needs 39 registers of class `gr`, `pa-risc` has 28\n   \
         = 11 too many in cycle 63 of region 0\n   \
         = alive there: `out`, `xor`, `add,l`, `extrw,u`, `add,l`, `xor`, `add,l`, `xor`, `xor`, `add,l`, `extrw,u`, `add,l`, …\n   \
         = help: allow values to be spilled, or schedule with a limit of registers"
    );
}

/// One operation a cycle, in the order of the code.
fn in_order(code: &Code) -> Vec<Schedule> {
    let ops = |r: &Region| match r {
        Region::Straight(ops) => ops.len(),
        Region::Loop(l) => l.ops.len() + 1,
    };
    let cycles = |r: &Region| (0..u32::try_from(ops(r)).unwrap()).collect();
    code.regions.iter().map(|r| Schedule { cycles: cycles(r), interval: None }).collect()
}

#[test]
fn values_leave_their_registers() {
    let processor = processor("pa8500");
    for (words, operations, reach, seed) in [(20, 150, 60, 1), (26, 150, 80, 2), (30, 150, 100, 3)] {
        let mut maker = random(&processor, words, operations, reach, seed);
        let mut rounds = 0;
        while let Some(code) = spill(&maker.code, &in_order(&maker.code), &processor, SpillPolicy::default()).unwrap() {
            maker.code = code;
            rounds += 1;
            assert!(rounds < 60);
        }
        assert!(rounds > 0);
        let assembly = emit(&maker.code, &in_order(&maker.code), &processor).unwrap();
        assert!(assembly.registers[0].statics <= 28);
        agrees(&maker, &assembly.text, words as usize);
    }
}

/// Words of which a loop reads the first half, and what stands behind it the others; with a sum that iterations hand on.
fn held(processor: &Processor, words: usize, iterations: u32) -> Maker<'_> {
    let mut maker = Maker::new(processor, 4 * (words as u32 + iterations + 1));
    let (mut source, mut target) = (0, 1);
    let loaded: Vec<_> = (0..words).map(|_| maker.load(&mut source)).collect();
    let zero = maker.number(0);
    maker.straight();
    let (sum, to) = (maker.value("sum"), maker.value("to"));
    let mut next = sum;
    for (k, &word) in loaded[..words / 2].iter().enumerate() {
        let mixed = maker.xor(next, word);
        next = if k % 3 == 0 { maker.field(mixed, 3, 20) } else { maker.add(mixed, loaded[0]) };
    }
    let mut next_to = to;
    maker.store(&mut next_to, next);
    let ops = std::mem::take(&mut maker.ops);
    let carried =
        vec![CarriedValue { value: sum, init: zero, next }, CarriedValue { value: to, init: target, next: next_to }];
    maker.code.regions.push(Region::Loop(CountedLoop { iterations, carried, ops }));
    target = next_to;
    maker.store(&mut target, next);
    for &word in &loaded {
        maker.store(&mut target, word);
    }
    maker.straight();
    maker
}

#[test]
fn values_leave_their_registers_around_loops() {
    let processor = processor("pa8500");
    for (words, iterations) in [(27, 3), (40, 5), (56, 2)] {
        let mut maker = held(&processor, words, iterations);
        assert!(emit(&maker.code, &in_order(&maker.code), &processor).is_err());
        let mut rounds = 0;
        while let Some(code) = spill(&maker.code, &in_order(&maker.code), &processor, SpillPolicy::default()).unwrap() {
            maker.code = code;
            rounds += 1;
            assert!(rounds < 100);
        }
        let assembly = emit(&maker.code, &in_order(&maker.code), &processor).unwrap();
        assert!(assembly.registers[0].statics <= 28);
        agrees(&maker, &assembly.text, words + iterations as usize + 1);
    }
}

/// Two loops one behind the other that carry more words than there are registers: some computed, some handed round.
fn carrying(processor: &Processor, words: usize, iterations: u32, seed: u64) -> Maker<'_> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut random = move |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 33).unwrap() % n
    };
    let mut maker = Maker::new(processor, 4 * words as u32);
    let (mut source, mut target) = (0, 1);
    let mut starts: Vec<_> = (0..words).map(|_| maker.load(&mut source)).collect();
    maker.straight();
    for _ in 0..2 {
        let values: Vec<_> = (0..words).map(|k| maker.value(&format!("carried{k}"))).collect();
        let turn = random(words);
        let nexts: Vec<_> = (0..words)
            .map(|k| match random(3) {
                0 => values[(k + turn) % words],
                1 => maker.add(values[random(words)], values[random(words)]),
                _ => maker.xor(values[k], values[random(words)]),
            })
            .collect();
        let ops = std::mem::take(&mut maker.ops);
        let handed = values.iter().zip(&starts).zip(&nexts);
        let carried = handed.map(|((&value, &init), &next)| CarriedValue { value, init, next }).collect();
        maker.code.regions.push(Region::Loop(CountedLoop { iterations, carried, ops }));
        starts = (0..words).map(|k| if random(4) == 0 { starts[k] } else { nexts[k] }).collect();
    }
    starts.iter().for_each(|&word| maker.store(&mut target, word));
    maker.straight();
    maker
}

#[test]
fn what_loops_carry_leaves_its_register() {
    let processor = processor("pa8500");
    for seed in 0..30 {
        let (words, loops) = (30 + 3 * (seed as usize % 5), seed % 2 == 0);
        let mut maker = carrying(&processor, words, 2 + seed as u32 % 4, seed + 1);
        assert!(emit(&maker.code, &in_order(&maker.code), &processor).is_err());
        let given = [crate::hand::words(words, seed)];
        let expected = evaluate(&maker.code, &processor.isa, &given).unwrap();
        let leaving = SpillPolicy { free: 0, loops };
        let mut rounds = 0;
        while let Some(code) = spill(&maker.code, &in_order(&maker.code), &processor, leaving).unwrap() {
            maker.code = code;
            rounds += 1;
            assert!(rounds < 200);
        }
        assert_eq!(evaluate(&maker.code, &processor.isa, &given).unwrap(), expected, "seed {seed}");
        let assembly = emit(&maker.code, &in_order(&maker.code), &processor).unwrap();
        agrees(&maker, &assembly.text, words);
    }
}

#[test]
fn values_leave_their_registers_through_computed_addresses() {
    let processor = processor("mckinley");
    let mut maker = random(&processor, 100, 600, 300, 1);
    let mut rounds = 0;
    while let Some(code) = spill(&maker.code, &in_order(&maker.code), &processor, SpillPolicy::default()).unwrap() {
        maker.code = code;
        rounds += 1;
        assert!(rounds < 60);
    }
    assert!(rounds > 0);
    assert!(maker.code.objects.iter().any(|o| o.name == "spilled"));
    let assembly = emit(&maker.code, &in_order(&maker.code), &processor).unwrap();
    agrees(&maker, &assembly.text, 100);
}
