use super::*;
use crate::code::{Access, CountedLoop};
use crate::graph::Schedule;
use crate::isa::{Instruction, Isa, Operand, OperandKind};
use crate::model::{Bypass, Class};

const ADD: u32 = 0;
const LOAD: u32 = 1;
const STORE: u32 = 2;
const COMPARE: u32 = 3;
const MOVE: u32 = 4;
const BRANCH: u32 = 5;

fn instruction(name: &str, class: &str, defines: &[&str], uses: &[&str]) -> Instruction {
    let operand = |name: &&str| Operand { name: (*name).into(), kind: OperandKind::Register(0) };
    Instruction {
        name: name.into(),
        class: class.into(),
        defines: defines.iter().map(operand).collect(),
        uses: uses.iter().map(operand).collect(),
        ..Instruction::default()
    }
}

fn processor() -> Processor {
    let class = |name: &str, latency| Class { name: name.into(), ports: 1, slots: 1, latency, ..Class::default() };
    let mut branch = instruction("br.cloop", "B", &[], &[]);
    branch.control = Control::Counted;
    let instructions = vec![
        instruction("add", "A", &["d"], &["a", "b"]),
        instruction("ld4", "LD", &["d", "a"], &["a"]),
        instruction("st4", "ST", &[], &["a", "v"]),
        instruction("cmp", "A", &["p", "q"], &["a", "b"]),
        instruction("mov", "A", &["d"], &["d", "s"]),
        branch,
    ];
    let bypass = |output: Option<&str>, to: usize, operand: Option<&str>, latency| Bypass {
        from: vec![1],
        output: output.map(String::from),
        to: vec![to],
        operand: operand.map(String::from),
        latency,
        ..Bypass::default()
    };
    Processor {
        isa: Isa { instructions, ..Isa::default() },
        classes: vec![class("A", 1), class("LD", 2), class("ST", 1), class("B", 1)],
        bypasses: vec![bypass(None, 2, Some("a"), 3), bypass(Some("a"), 1, None, 1)],
        ..Processor::default()
    }
}

fn op(instruction: u32, defines: &[u32], uses: &[u32]) -> Op {
    let uses = uses.iter().map(|v| Use::Value(*v)).collect();
    Op { instruction, defines: defines.to_vec(), uses, guard: None, access: None, places: vec![] }
}

fn access(mut op: Op, object: usize, offset: Option<(i64, i64)>, store: bool) -> Op {
    op.access = Some(Access { object, offset, bytes: 4, store });
    op
}

fn guarded(mut op: Op, guard: u32) -> Op {
    op.guard = Some(guard);
    op
}

/// Edges as `from>to latency`, with the distance where it is not 0.
fn edges(region: Region) -> Vec<String> {
    let code = Code { regions: vec![region], ..Code::default() };
    let edge = |e: &Edge| {
        let distance = if e.distance == 0 { String::new() } else { format!(" iterations {}", e.distance) };
        format!("{}>{} {}{distance}", e.from, e.to, e.latency)
    };
    graph(&code, 0, &processor()).edges.iter().map(edge).collect()
}

#[test]
fn latencies_are_those_of_operand_and_output() {
    // 1, 10 = load(0); 11 = load(10); store(address 1, value 11)
    let ops = vec![op(LOAD, &[1, 10], &[0]), op(LOAD, &[2, 11], &[10]), op(STORE, &[], &[1, 2])];
    assert_eq!(edges(Region::Straight(ops)), ["0>1 1", "0>2 3", "1>2 2"]);
}

#[test]
fn memory_is_ordered_where_it_may_overlap() {
    let store = |offset| access(op(STORE, &[], &[0, 1]), 0, offset, true);
    let load = |offset, d| access(op(LOAD, &[d, d + 50], &[d + 100]), 0, offset, false);
    let at = |n| Some((n, 0));
    let ops = vec![store(at(0)), load(at(0), 2), load(at(4), 3), store(None), store(at(2)), load(at(3), 4)];
    let expected = ["0>1 1", "0>3 1", "0>4 1", "0>5 1", "1>3 0", "1>4 0", "2>3 0", "2>4 0", "3>4 1", "3>5 1", "4>5 1"];
    assert_eq!(edges(Region::Straight(ops)), expected);
}

#[test]
fn other_objects_and_two_loads_are_free() {
    let ops = vec![
        access(op(STORE, &[], &[0, 1]), 0, None, true),
        access(op(LOAD, &[2, 3], &[4]), 1, None, false),
        access(op(LOAD, &[5, 6], &[7]), 1, None, false),
    ];
    assert!(edges(Region::Straight(ops)).is_empty());
}

#[test]
fn readers_come_before_a_tied_operation() {
    // The load changes its address register, which the addition reads before, another one after it.
    let ops = vec![op(ADD, &[1], &[0, 0]), op(LOAD, &[2, 3], &[0]), op(ADD, &[4], &[0, 2])];
    assert_eq!(edges(Region::Straight(ops)), ["0>1 0", "1>2 2"]);
}

#[test]
fn moves_under_complementary_guards_share_a_cycle() {
    let ops = vec![
        op(COMPARE, &[10, 11], &[0, 1]),
        op(ADD, &[2], &[0, 1]),
        guarded(op(MOVE, &[3], &[2, 0]), 10),
        guarded(op(MOVE, &[4], &[3, 1]), 11),
        op(ADD, &[5], &[4, 4]),
    ];
    let expected = ["0>2 1", "0>3 1", "1>2 1", "2>3 0", "2>4 1", "3>4 1"];
    assert_eq!(edges(Region::Straight(ops)), expected);
}

#[test]
fn loops_hand_values_on() {
    // 20 is what 21 was an iteration before, 21 what the addition gave an iteration before that.
    let carried = vec![CarriedValue { value: 20, init: 0, next: 21 }, CarriedValue { value: 21, init: 0, next: 1 }];
    let ops = vec![op(ADD, &[1], &[20, 21])];
    let region = Region::Loop(CountedLoop { iterations: 8, carried, ops });
    assert_eq!(edges(region), ["0>0 1 iterations 1", "0>0 1 iterations 2", "0>1 0"]);
}

#[test]
fn memory_of_loops_moves() {
    let counted = |first: (i64, i64), second: (i64, i64), iterations| {
        let ops = vec![
            access(op(STORE, &[], &[0, 1]), 0, Some(first), true),
            access(op(LOAD, &[2, 3], &[4]), 0, Some(second), false),
        ];
        let mut found = edges(Region::Loop(CountedLoop { iterations, carried: vec![], ops }));
        found.retain(|e| !e.contains(">2"));
        found
    };
    assert_eq!(counted((0, 4), (-12, 4), 8), ["0>1 1 iterations 3"]);
    assert!(counted((0, 4), (-12, 4), 3).is_empty());
    assert_eq!(counted((0, 4), (8, 4), 8), ["1>0 0 iterations 2"]);
    assert_eq!(counted((0, 0), (0, 0), 8), ["0>0 1 iterations 1", "0>1 1", "0>1 1 iterations 1", "1>0 0 iterations 1"]);
    assert_eq!(counted((0, 4), (28, 0), 8), ["0>1 1", "1>0 0 iterations 1"]);
    assert!(counted((0, 4), (32, 0), 8).is_empty());
}

#[test]
fn the_branch_is_the_last_operation_of_a_loop() {
    let region = Region::Loop(CountedLoop { iterations: 2, carried: vec![], ops: vec![op(ADD, &[1], &[0, 0])] });
    let code = Code { regions: vec![region], ..Code::default() };
    let graph = graph(&code, 0, &processor());
    assert_eq!(graph.classes, [0, 3]);
    assert_eq!(branch(&processor()), Some(BRANCH));
}

#[test]
fn boundaries_between_regions_wait_for_results() {
    // A load whose result (2 cycles) the loop adds up; the sum is used again right behind the loop.
    let sum = CarriedValue { value: 20, init: 1, next: 3 };
    let counted = CountedLoop {
        iterations: 4,
        carried: vec![sum],
        ops: vec![op(LOAD, &[2, 12], &[50]), op(ADD, &[3], &[20, 2])],
    };
    let regions = vec![
        Region::Straight(vec![op(LOAD, &[1, 10], &[0])]),
        Region::Loop(counted),
        Region::Straight(vec![op(ADD, &[4], &[20, 20])]),
    ];
    let code = Code { regions, ..Code::default() };
    let graphs: Vec<Graph> = (0..3).map(|k| graph(&code, k, &processor())).collect();
    let schedule = |cycles: &[u32], interval| Schedule { cycles: cycles.to_vec(), interval };
    let pipelined = [schedule(&[0], None), schedule(&[0, 2, 2], Some(1)), schedule(&[0], None)];
    let found = spans(&code, &graphs, &pipelined, &processor());
    let span = |wait, period, cycles| Span { wait, period, cycles };
    assert_eq!(found, [span(0, 1, 1), span(0, 1, 6), span(0, 1, 1)]);
    let early = [schedule(&[0], None), schedule(&[0, 0, 0], Some(1)), schedule(&[0], None)];
    assert_eq!(spans(&code, &graphs, &early, &processor())[1].wait, 1);
    let plain = [schedule(&[0], None), schedule(&[0, 2, 2], None), schedule(&[0], None)];
    assert_eq!(spans(&code, &graphs, &plain, &processor())[1], span(0, 3, 12));
}

#[test]
fn lifetimes_follow_carried_values() {
    let code = Code {
        values: (0..60).map(|k| crate::code::Value { name: format!("v{k}"), class: 0 }).collect(),
        regions: vec![
            Region::Straight(vec![op(ADD, &[1], &[0, 0]), op(ADD, &[9], &[1, 1])]),
            Region::Loop(CountedLoop {
                iterations: 4,
                carried: vec![CarriedValue { value: 20, init: 1, next: 3 }],
                ops: vec![op(ADD, &[3], &[20, 9])],
            }),
            Region::Straight(vec![op(ADD, &[4], &[20, 20])]),
        ],
        ..Code::default()
    };
    let of = |from, to: &[(u32, u32)], outlives| crate::schedule::Lifetime { kind: 0, from, to: to.to_vec(), outlives };
    // Value 0 from outside; 1 and 9 live on into the loop.
    let expected = [of(None, &[(0, 0), (0, 0)], false), of(Some(0), &[(1, 0), (1, 0)], true), of(Some(1), &[], true)];
    assert_eq!(lifetimes(&code, 0, &processor()), expected);
    // The sum is used one iteration later and behind the loop; 9 stays for every iteration.
    let found = lifetimes(&code, 1, &processor());
    assert!(found.contains(&of(Some(0), &[(0, 1)], true)), "{found:?}");
    assert!(found.contains(&of(None, &[(0, 0)], true)), "{found:?}");
}
