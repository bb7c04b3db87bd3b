//! Small designs made by hand: a store with two write ports, and a toy cipher.

use program::ir::{Address, Affine, Binary, Compare, Op, OpKind, Operand, Program, Type, ValueData, ValueId};
use rtl::design::{Cell, Design, Direction, End, Machine, Port, Register, Store, Wire};
use rtl::logic::Logic;

fn port(name: &str, direction: Direction, words: &[u8], doc: &str) -> Port {
    Port { name: name.to_owned(), direction, words: words.to_vec(), doc: doc.to_owned() }
}

fn register(name: &str, width: u8, reset: Option<u64>, enabled: bool) -> Register {
    Register { name: name.to_owned(), width, reset, enabled }
}

/// Wires every port of a machine to the pin of its name.
fn wires(machine: &Machine) -> Vec<Wire> {
    let one = |p: &Port| {
        let pin = End { machine: None, port: p.name.clone() };
        let end = End { machine: Some(0), port: p.name.clone() };
        match p.direction {
            Direction::Input => Wire { from: pin, to: end },
            Direction::Output => Wire { from: end, to: pin },
        }
    };
    machine.ports.iter().map(one).collect()
}

fn device(name: &str, program: Program, machine: Machine) -> Design {
    let (ports, wires) = (machine.ports.clone(), wires(&machine));
    let doc = vec!["A design of the tests.".to_owned()];
    Design { name: name.to_owned(), doc, program, machines: vec![machine], ports, wires, ..Design::default() }
}

/// A store of six words: a counter writes its number plus an input to one place after the other; a second port overwrites a word.
pub fn counter(cell: Cell) -> Design {
    let mut logic = Logic::new("counter");
    let (run, more, at) = (logic.param("run", 1), logic.param("more", 12), logic.param("at", 3));
    let (place, number) = (logic.param("place", 3), logic.param("number", 12));
    let next_place = logic.binary("", 3, Binary::Add, place, Operand::Const(1));
    let last = logic.is(place, 5);
    let next_place = logic.select("next_place", 3, last, Operand::Const(0), next_place);
    let next = logic.binary("next_number", 12, Binary::Add, number, more);
    let Operand::Value(at) = at else { unreachable!("a parameter is a value") };
    let address = logic.concat("", &[(place, 3), (Operand::Const(0), 13)]);
    let second = logic.op("", 1, OpKind::Compare(Compare::Ltu, next, Operand::Const(0xa00)));
    let mut function = logic.finish(&[
        (next_place, 3),
        (Operand::Const(0), 12),
        (run, 1),
        (next_place, 3),
        (next, 12),
        (run, 1),
        (address, 16),
        (next, 12),
        (second, 1),
        (Operand::Const(2), 16),
        (more, 12),
    ]);
    read_store(&mut function, at);
    let program = Program { name: "Counter".to_owned(), functions: vec![function], ..Program::default() };
    let machine = Machine {
        name: "counting".to_owned(),
        doc: vec!["Counts, and keeps what it counted.".to_owned()],
        function: "counter".to_owned(),
        ports: vec![
            port("run", Direction::Input, &[1], "count in this clock"),
            port("more", Direction::Input, &[12], "what is added"),
            port("at", Direction::Input, &[3], "which word is read, modulo 6"),
            port("place_next", Direction::Output, &[3], ""),
            port("word", Direction::Output, &[12], "the word read"),
        ],
        registers: vec![register("place", 3, Some(0), true), register("number", 12, Some(7), false)],
        stores: vec![Store { name: "kept".to_owned(), width: 12, length: 6, writes: 2, cell }],
    };
    let name = if cell == Cell::Latch { "counter_latch" } else { "counter" };
    device(name, program, machine)
}

/// Gives the function its store, and the word read as its second result.
fn read_store(function: &mut program::ir::Function, at: ValueId) {
    let value = |name: &str, ty: Type, function: &mut program::ir::Function| {
        function.values.push(ValueData { name: name.to_owned(), ty });
        ValueId(function.values.len() as u32 - 1)
    };
    let array = Type::Array(program::ir::ArrayType { width: 12, dims: vec![6] });
    let store = value("kept", array, function);
    let word = value("read", Type::Word(12), function);
    function.params.push(store);
    let affine = Affine { terms: vec![(1, at)], constant: 0 };
    let kind = OpKind::Load(store, vec![Address { affine, ring: true }]);
    function.body.ops.insert(0, Op { kind, results: vec![word], places: Vec::new() });
    function.body.outputs[1] = Operand::Value(word);
    program::walk::renumber(function);
}

/// A round with every operation that ciphers have, on four words of 16 bits.
pub fn toy_round() -> Program {
    let text = include_str!("toy.txt");
    program::parse(text).expect("the toy cipher is a program")
}

/// The toy cipher's round between registers: a clock a round, from `load` on.
pub fn toy() -> Design {
    let mut program = toy_round();
    let callee = program.functions.last().expect("there is a round").clone();
    let mut logic = Logic::new("rounds");
    let load = logic.param("load", 1);
    let block: Vec<Operand> = (0..4).map(|n| logic.param(&format!("block{n}"), 16)).collect();
    let state: Vec<Operand> = (0..4).map(|n| logic.param(&format!("state{n}"), 16)).collect();
    let count = logic.param("count", 4);
    let mut arguments = state.clone();
    arguments.push(count);
    let after = logic.call(&callee, arguments);
    let busy = logic.op("busy", 1, OpKind::Compare(Compare::Ne, count, Operand::Const(0)));
    let fewer = logic.binary("", 4, Binary::Sub, count, Operand::Const(1));
    let next_count = logic.select("next_count", 4, load, Operand::Const(10), fewer);
    let enable = logic.any("enable", &[load, busy]);
    let mut results: Vec<(Operand, u8)> = state.iter().map(|&s| (s, 16)).collect();
    let valid = logic.not(busy);
    results.push((valid, 1));
    for (before, after) in block.iter().zip(&after) {
        results.push((enable, 1));
        let next = logic.select("", 16, load, *before, *after);
        results.push((next, 16));
    }
    results.extend([(enable, 1), (next_count, 4)]);
    program.functions.push(logic.finish(&results));
    let mut registers: Vec<Register> = (0..4).map(|n| register(&format!("state{n}"), 16, None, true)).collect();
    registers.push(register("count", 4, Some(0), true));
    let machine = Machine {
        name: "algorithm".to_owned(),
        doc: vec!["A round of the toy cipher in every clock.".to_owned()],
        function: "rounds".to_owned(),
        ports: vec![
            port("load", Direction::Input, &[1], "takes a block"),
            port("data_in", Direction::Input, &[16; 4], ""),
            port("data_out", Direction::Output, &[16; 4], ""),
            port("valid", Direction::Output, &[1], "data_out holds a result"),
        ],
        registers,
        stores: Vec::new(),
    };
    device("toy", program, machine)
}
