//! `linear-circuits`: multiplication by a matrix becomes a call of a function of few exclusive ors.
//!
//! Over GF(2) a matrix over GF(2^n) is a matrix of bits, and what its rows have in common need be added up only once. The least
//! number of additions is searched for (`circuit::linear`): greedy runs, and a walk from each; with `depth=least` no output is
//! later than a balanced tree of its inputs. What is found is multiplied out on unit vectors before it is used; that is the proof.
//! Matrices of zeros and ones work on whole words, others on bits. A product by a number, or of more than 128 columns, stays.

use std::collections::BTreeMap;
use std::fmt::Write;

use circuit::linear::{least_level, minimize, Matrix as Bits, Options, XorProgram};

use super::rewrite::rewrite;
use super::{Pass, Settings};
use crate::diagnostic::Diagnostic;
use crate::ir::{Matrix, OpKind, Operand, Program, Type};
use crate::semantics::field_multiply;

/// See the module's text.
pub struct LinearCircuits;

impl Pass for LinearCircuits {
    fn name(&self) -> &'static str {
        "linear-circuits"
    }

    fn description(&self) -> &'static str {
        "call functions of few exclusive ors in place of matrices over GF(2^n)"
    }

    fn options(&self) -> &'static [&'static str] {
        &["depth", "starts", "patience"]
    }

    fn run(&self, program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
        let least = settings.choice("depth", &["any", "least"])? == "least";
        let (starts, patience) = (settings.number("starts", 4)?, settings.number("patience", 2000)?);
        let options = Options { starts, patience, ..Options::default() };
        let mut made: BTreeMap<(u32, u8), String> = BTreeMap::new();
        for function in &mut program.functions {
            let (matrices, made) = (&program.matrices, &mut made);
            rewrite(function, &mut |r, mut op| {
                if let (OpKind::Linear(id, inputs), Type::Word(width)) = (&op.kind, r.builder.ty(op.results[0])) {
                    let matrix = &matrices[id.0 as usize];
                    if inputs.iter().all(|o| matches!(o, Operand::Value(_)))
                        && unit(matrix, *width) * inputs.len() <= 128
                    {
                        let name = made.entry((id.0, *width)).or_insert_with(|| format!("{}_{width}", matrix.name));
                        op.kind = OpKind::Call(name.clone(), inputs.clone());
                    }
                }
                r.keep(op);
            });
        }
        let mut text = "program \"linear\" {\n}\n".to_owned();
        for (&(id, width), name) in &made {
            let matrix = &program.matrices[id as usize];
            let bits = bits(matrix, unit(matrix, width));
            text.push_str(&function(name, width, unit(matrix, width), &search(&bits, least, &options)?));
        }
        let mut new = crate::parse(&text)?;
        new.functions.append(&mut program.functions);
        program.functions = new.functions;
        Ok(())
    }
}

/// Into how many bits a word is cut: 1 where the matrix has only zeros and ones, which is a matrix of words.
fn unit(matrix: &Matrix, width: u8) -> usize {
    if matrix.rows.iter().flatten().all(|&c| c <= 1) {
        1
    } else {
        usize::from(width)
    }
}

/// The matrix over GF(2).
fn bits(matrix: &Matrix, unit: usize) -> Bits {
    let inputs = matrix.rows.first().map_or(0, Vec::len) * unit;
    let entry = |row: usize, column: usize| {
        let factor = matrix.rows[row / unit][column / unit];
        let image = if unit == 1 { factor } else { field_multiply(matrix.polynomial, factor, 1 << (column % unit)) };
        u128::from(image >> (row % unit) & 1) << column
    };
    let rows = (0..matrix.rows.len() * unit).map(|row| (0..inputs).fold(0, |bits, column| bits | entry(row, column)));
    Bits { inputs, rows: rows.collect() }
}

fn search(bits: &Bits, least: bool, options: &Options) -> Result<XorProgram, Diagnostic> {
    let limits = if least { bits.rows.iter().map(|&row| least_level(row, &[])).collect() } else { Vec::new() };
    let found = minimize(bits, &Options { limits, ..options.clone() }, &|| false);
    let found = found.expect("balanced trees keep the limits");
    checked(&found, bits)?;
    Ok(found)
}

fn checked(found: &XorProgram, bits: &Bits) -> Result<(), Diagnostic> {
    found.check(bits).map_err(|fault| {
        Diagnostic::new("S042", "the circuit of a matrix computes something else")
            .note(fault.message)
            .help("this is a bug of the search: please report it")
    })
}

/// The text of the function of a circuit; `unit` bits are cut from every word.
fn function(name: &str, width: u8, unit: usize, found: &XorProgram) -> String {
    let (words, results) = (found.inputs / unit, found.outputs.len() / unit);
    let list = |count: usize, item: &dyn Fn(usize) -> String| (0..count).map(item).collect::<Vec<_>>().join(", ");
    let params = list(words, &|n| format!("%x{n}: u{width}"));
    let mut text = format!("\nfunc @{name}({params}) -> ({}) {{\n", list(results, &|_| format!("u{width}")));
    let ty = if unit == 1 { width } else { 1 };
    for n in 0..if unit == 1 { 0 } else { found.inputs } {
        let _ = writeln!(text, "  %x{}_{}: u1 = extract %x{}, {}", n / unit, n % unit, n / unit, n % unit);
    }
    let wire = |n: usize| match n.checked_sub(found.inputs) {
        Some(step) => format!("%s{step}"),
        None if unit == 1 => format!("%x{n}"),
        None => format!("%x{}_{}", n / unit, n % unit),
    };
    for (n, &(a, b)) in found.steps.iter().enumerate() {
        let _ = writeln!(text, "  %s{n}: u{ty} = xor {}, {}", wire(a), wire(b));
    }
    if found.outputs.contains(&None) {
        let _ = writeln!(text, "  %zero: u{ty} = const 0");
    }
    let output = |n: usize| found.outputs[n].map_or("%zero".to_owned(), wire);
    for n in 0..if unit == 1 { 0 } else { results } {
        let _ = writeln!(text, "  %y{n}: u{width} = concat {}", list(unit, &|k| output(n * unit + k)));
    }
    let result = |n: usize| if unit == 1 { output(n) } else { format!("%y{n}") };
    let _ = writeln!(text, "  return {}\n}}", list(results, &result));
    text
}

#[cfg(test)]
mod tests {
    use crate::evaluate::{Evaluator, Value};
    use crate::passes::run_all;

    const TEXT: &str =
        "program \"t\" {\n}\n\nmatrix @MIX: gf(0x11b) = [[2, 3, 1, 1], [1, 2, 3, 1], [1, 1, 2, 3], [3, 1, 1, 2]]\n\
        matrix @P: gf(0x11b) = [[1, 1, 0], [1, 1, 1], [0, 0, 0]]\n\n\
        func @f(%a: u8, %b: u8, %c: u8, %d: u8) -> (u8, u8, u8, u8) {\n\
        \x20 %e: u8, %f: u8, %g: u8, %h: u8 = linear @MIX %a, %b, %c, %d\n  return %e, %f, %g, %h\n}\n\n\
        func @g(%a: u8, %b: u8, %c: u8) -> (u8, u8, u8) {\n\
        \x20 %e: u8, %f: u8, %g: u8 = linear @P %a, %b, %c\n  return %e, %f, %g\n}\n\n\
        func @h(%a: u8) -> (u8) {\n  %e: u8, %f: u8, %g: u8, %h: u8 = linear @MIX %a, 1, 2, 3\n  return %e\n}\n";

    #[test]
    fn matrices_become_functions_that_compute_the_same() {
        let before = crate::parse(TEXT).unwrap();
        for pass in ["linear-circuits:patience=200", "linear-circuits:depth=least,starts=1,patience=50"] {
            let mut program = before.clone();
            run_all(&mut program, &[pass], &[]).unwrap();
            crate::verify(&program).unwrap();
            let text = program.to_string();
            assert_eq!((text.matches("call @").count(), text.matches("linear @").count()), (2, 1), "{text}");
            let (mut old, mut new) = (Evaluator::new(&before).unwrap(), Evaluator::new(&program).unwrap());
            for n in 0..32 {
                let words: Vec<Value> =
                    (0..4).map(|k| Value::Word(if n / 8 == k { 1 << (n % 8) } else { 0 })).collect();
                assert_eq!(old.evaluate("f", &words).unwrap(), new.evaluate("f", &words).unwrap());
                let words: Vec<Value> = (0..3).map(|k| Value::Word(((n * 0x9e37) >> k) & 0xff)).collect();
                assert_eq!(old.evaluate("g", &words).unwrap(), new.evaluate("g", &words).unwrap());
            }
        }
    }

    #[test]
    fn sums_in_common_are_added_once() {
        let mut program = crate::parse(TEXT).unwrap();
        run_all(&mut program, &["linear-circuits:patience=200"], &[]).unwrap();
        let mix = program.functions.iter().find(|f| f.name == "MIX_8").unwrap();
        let sums = mix.body.ops.iter().filter(|op| op.kind.mnemonic() == "xor").count();
        assert!(sums <= 105, "{sums}");
    }

    #[test]
    fn a_circuit_of_another_matrix_is_refused() {
        let wrong = super::XorProgram { inputs: 2, steps: vec![], outputs: vec![Some(1)] };
        let error = super::checked(&wrong, &super::Bits { inputs: 2, rows: vec![1] }).unwrap_err();
        assert_eq!(
            error.to_string(),
            "error[S042]: the circuit of a matrix computes something else\n   \
             = output 0 has a wrong coefficient of input 0\n   \
             = help: this is a bug of the search: please report it"
        );
    }
}
