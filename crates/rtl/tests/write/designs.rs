//! Designs made by hand: their texts to the letter, and every clock in the simulators.

use std::path::PathBuf;

use crate::write::bench::clocked::PinTrace;
use crate::write::bench::devices::{counter, toy};
use crate::write::bench::folder;
use program::generate::Random;
use program::ir::{Function, Op, OpKind, Program, Type, ValueData, ValueId};
use rtl::design::{Cell, Design};
use rtl::write::{verilog, verilog_functions, vhdl};

fn designs() -> [Design; 3] {
    [counter(Cell::FlipFlop), counter(Cell::Latch), toy()]
}

/// The texts of the designs stand in `golden`; with `ASSAY_BLESS` set they are written anew.
#[test]
fn texts_to_the_letter() {
    for design in designs() {
        let files = [verilog(&design).expect("Verilog is written"), vhdl(&design).expect("VHDL is written")].concat();
        let text: String = files.iter().map(|(name, text)| format!("==== {name}\n{text}")).collect();
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/write/golden/{}.txt", design.name));
        if std::env::var_os("ASSAY_BLESS").is_some() {
            std::fs::write(&path, &text).expect("the golden text is written");
        }
        let golden = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(golden == text, "{} differs; ASSAY_BLESS=1 writes it anew", path.display());
    }
}

#[test]
fn every_clock_in_the_simulators() {
    let mut random = Random::new(9);
    for design in designs() {
        program::verify(&design.program).expect("the functions are right");
        PinTrace::new(&design, 500, 40, &mut random).check(&folder(&format!("design_{}", design.name)));
    }
}

#[test]
fn what_hardware_has_not_is_refused() {
    let array = Type::Array(program::ir::ArrayType { width: 8, dims: vec![2] });
    let mut function = Function { name: "f".to_owned(), ..Function::default() };
    function.values.push(ValueData { name: "a".to_owned(), ty: array });
    function.body.ops.push(Op { kind: OpKind::Array(Vec::new()), results: vec![ValueId(0)], places: Vec::new() });
    let program = Program { functions: vec![function], ..Program::default() };
    let error = verilog_functions(&program, "p", &["f"]).expect_err("an array is no hardware").to_string();
    assert_eq!(
        error,
        "error[H402]: `array` cannot be written as hardware\n   = in function `f`\n   \
         = help: a function becomes hardware once it is cut into steps: words only, no loops, no arrays"
    );
    let error = verilog_functions(&program, "p", &["g"]).expect_err("there is no g").to_string();
    assert_eq!(error, "error[H401]: the program has no function `g`\n   = help: known: f");
    let mut program = program;
    program.functions[0].params.push(ValueId(0));
    program.functions[0].body.ops.clear();
    let error = verilog_functions(&program, "p", &["f"]).expect_err("an array is no port").to_string();
    assert_eq!(
        error,
        "error[H403]: the function `f` takes or gives more than words\n   = found u8[2]\n   \
         = help: only the function of a machine has stores: let it load the word and pass that"
    );
}
