//! The verifier of designs: every invariant has a design that breaks it, and an error that says how.

use program::diagnostic::Diagnostic;
use rtl::design::verify::verify;
use rtl::design::{Cell, Clocks, Design, Direction, End, Machine, Port, Register, Store, Wire};

const TEXT: &str = "program \"small\" {
}

func @count(%go: u1, %value: u8) -> (u8, u1, u8) {
  %next: u8 = add %value, 1
  return %value, %go, %next
}

func @pass(%x: u8) -> (u8) {
  %y: u8 = not %x
  return %y
}
";

fn port(name: &str, direction: Direction, words: &[u8]) -> Port {
    Port { name: name.to_owned(), direction, words: words.to_vec(), doc: String::new() }
}

fn end(machine: Option<usize>, port: &str) -> End {
    End { machine, port: port.to_owned() }
}

fn wire(from: End, to: End) -> Wire {
    Wire { from, to }
}

/// A counter and an inverter behind it.
fn good() -> Design {
    let counter = Machine {
        name: "counter".to_owned(),
        function: "count".to_owned(),
        ports: vec![port("go", Direction::Input, &[1]), port("shown", Direction::Output, &[8])],
        registers: vec![Register { name: "value".to_owned(), width: 8, reset: Some(0), enabled: true }],
        ..Machine::default()
    };
    let inverter = Machine {
        name: "inverter".to_owned(),
        function: "pass".to_owned(),
        ports: vec![port("x", Direction::Input, &[8]), port("y", Direction::Output, &[8])],
        ..Machine::default()
    };
    Design {
        name: "small".to_owned(),
        program: program::parse(TEXT).expect("the text is a program"),
        machines: vec![counter, inverter],
        ports: vec![port("go", Direction::Input, &[1]), port("result", Direction::Output, &[8])],
        wires: vec![
            wire(end(None, "go"), end(Some(0), "go")),
            wire(end(Some(0), "shown"), end(Some(1), "x")),
            wire(end(Some(1), "y"), end(None, "result")),
        ],
        ..Design::default()
    }
}

fn refused(change: impl FnOnce(&mut Design)) -> (&'static str, String, Diagnostic) {
    let mut design = good();
    change(&mut design);
    let error = verify(&design).expect_err("the design is wrong");
    (error.code, error.message.clone(), error)
}

fn refuses(code: &str, message: &str, change: impl FnOnce(&mut Design)) -> Diagnostic {
    let (found, text, error) = refused(change);
    assert_eq!((found, text.as_str()), (code, message));
    error
}

#[test]
fn a_good_design_is_accepted() {
    verify(&good()).expect("it is right");
}

#[test]
fn equal_names_are_refused() {
    refuses("H211", "two machines have the name `counter`", |d| d.machines[1].name = "counter".to_owned());
    refuses("H211", "two pins have the name `clock`", |d| d.ports[0].name = "clock".to_owned());
    let error = refuses("H211", "two ports have the name `shown`", |d| {
        d.machines[0].ports[0].name = "shown".to_owned();
    });
    assert_eq!(error.notes, ["in machine `counter`"]);
}

#[test]
fn every_input_has_one_wire() {
    refuses("H212", "no wire to `inverter.x`, one must lead there", |d| {
        d.wires.remove(1);
    });
    refuses("H212", "2 wires to pin `result`, one must lead there", |d| d.wires.push(d.wires[2].clone()));
}

#[test]
fn wires_join_what_exists_and_fits() {
    let error = refuses("H213", "a wire begins at `counter.go`, which does not exist", |d| {
        d.wires[1].from = end(Some(0), "go");
    });
    assert_eq!(error.notes, ["a wire begins at an input pin or at an output of a machine"]);
    refuses("H213", "a wire ends at `?.x`, which does not exist", |d| d.wires[1].to = end(Some(7), "x"));
    let error = refuses("H214", "a wire joins `inverter.y` and pin `result`, whose words differ", |d| {
        d.ports[1].words = vec![4, 4, 1];
    });
    assert_eq!(error.notes, ["from: words of 8 bits", "to: words of 4 x2, 1 bits"]);
}

#[test]
fn functions_agree_with_their_machines() {
    refuses("H215", "the program has no function `counts`", |d| d.machines[0].function = "counts".to_owned());
    refuses("H215", "value 2 that `count` takes is u8, register `value` is u4", |d| {
        d.machines[0].registers[0].width = 4;
    });
    refuses("H215", "`count` takes 2 values, its machine has 3", |d| {
        let cell = Cell::FlipFlop;
        let store = Store { name: "file".to_owned(), width: 8, length: 4, writes: 1, cell };
        d.machines[0].stores.push(store);
    });
    refuses("H216", "`count` gives 3 values, its machine has 2", |d| d.machines[0].registers[0].enabled = false);
}

#[test]
fn words_have_a_size() {
    refuses("H217", "the register `value` has 65 bits, not 1 to 64", |d| d.machines[0].registers[0].width = 65);
    refuses("H217", "the reset value of `value` does not fit 8 bits", |d| {
        d.machines[0].registers[0].reset = Some(256);
    });
    refuses("H217", "the port `x` has no words, or one that has not 1 to 64 bits", |d| {
        d.machines[1].ports[0].words.clear();
    });
}

#[test]
fn combinational_loops_are_found() {
    let error = refuses("H218", "`inverter.x` depends on itself within a clock", |d| {
        d.wires[1].from = end(Some(1), "y");
    });
    assert_eq!(error.notes, ["by way of `inverter.x`, `inverter.y`"]);
    assert_eq!(error.help, "put a register between them");
}

#[test]
fn a_loop_through_a_register_is_not_combinational() {
    let mut design = good();
    design.program =
        program::parse(&TEXT.replace("%go: u1", "%go: u8").replace("return %value, %go", "return %value, 1"))
            .expect("the text is a program");
    design.machines[0].ports[0].words = vec![8];
    design.ports.remove(0);
    design.wires[0].from = end(Some(1), "y");
    verify(&design).expect("the register stands between");
}

#[test]
fn clock_counts_are_planned_once() {
    let clocks = |latency| Clocks { key_bits: 128, decrypt: true, key_setup: 0, latency, per_block: 1 };
    refuses("H219", "a block takes no clock (128 bits, decryption)", |d| d.timing.clocks = vec![clocks(0)]);
    refuses("H219", "clock counts are planned twice (128 bits, decryption)", |d| {
        d.timing.clocks = vec![clocks(3), clocks(3)];
    });
}
