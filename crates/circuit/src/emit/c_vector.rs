//! C with vector intrinsics: AVX2 with AND, OR, XOR, and-complement; AVX-512 with ternary logic.

use super::c::{comment, sliced, Body};
use super::lower::{fused, lower, Basis};
use super::source::{Line, Source};
use super::{Choice, Language, Options};
use crate::circuit::Circuit;
use crate::fault::Fault;
use crate::function::Function;

/// C for AVX2.
pub struct Avx2;

/// C for AVX-512.
pub struct Avx512;

impl Language for Avx2 {
    fn name(&self) -> &'static str {
        "c-avx2"
    }

    fn title(&self) -> &'static str {
        "C with AVX2 intrinsics, 256 boxes at once"
    }

    fn suffix(&self) -> &'static str {
        "c"
    }

    fn write(&self, source: &Source, _: &Options) -> Result<String, Fault> {
        let circuit = lower(&source.circuit, &Basis::AND_COMPLEMENT);
        let ones = "_mm256_set1_epi32(-1)";
        let complements = circuit.gates.iter().filter(|g| g.function == Function::NOT).count();
        let expression = |line: &Line| plain(line, "_mm256_", "si256", if complements > 0 { "ones" } else { ones });
        let mut head = source.head(&circuit, "C for AVX2");
        head.extend(sliced("__m256i", "256"));
        let what = Body { word: "__m256i", ones };
        let body = what.function(&format!("{}_avx2", source.identifier()), &circuit, expression);
        Ok(comment(&head) + "#include <immintrin.h>\n\n" + &with_ones(&body, complements > 0, "__m256i", ones))
    }
}

impl Language for Avx512 {
    fn name(&self) -> &'static str {
        "c-avx512"
    }

    fn title(&self) -> &'static str {
        "C with AVX-512 intrinsics and ternary logic, 512 boxes at once"
    }

    fn suffix(&self) -> &'static str {
        "c"
    }

    fn choices(&self) -> &'static [Choice] {
        &[Choice {
            name: "fuse",
            values: &["yes", "no"],
            purpose: "whether gates of two operands are joined into ternary ones where that saves some",
        }]
    }

    fn write(&self, source: &Source, options: &Options) -> Result<String, Fault> {
        let lowered = lower(&source.circuit, &Basis::TERNARY);
        let circuit = if options.word("fuse") == "yes" { fused(&lowered) } else { lowered };
        let mut head = source.head(&circuit, "C for AVX-512");
        let ternary = circuit.gates.iter().filter(|g| g.function.arity == 3).count();
        head.push(format!("{:<11}{}, of them {ternary} of three operands", "written as", operations(&circuit)));
        head.extend(sliced("__m512i", "512"));
        let what = Body { word: "__m512i", ones: "_mm512_set1_epi32(-1)" };
        let body = what.function(&format!("{}_avx512", source.identifier()), &circuit, ternary_logic);
        Ok(comment(&head) + "#include <immintrin.h>\n\n" + &body)
    }
}

fn operations(circuit: &Circuit) -> String {
    match circuit.gates.len() {
        1 => "1 operation".to_owned(),
        n => format!("{n} operations"),
    }
}

fn with_ones(body: &str, used: bool, word: &str, ones: &str) -> String {
    if used {
        body.replacen("\n\n", &format!("\n    const {word} ones = {ones};\n\n"), 1)
    } else {
        body.to_owned()
    }
}

fn plain(line: &Line, prefix: &str, kind: &str, ones: &str) -> String {
    let call = |operation: &str, a: &str, b: &str| format!("{prefix}{operation}_{kind}({a}, {b})");
    let a = &line.operands[0];
    let b = line.operands.get(1).map_or(ones, String::as_str);
    match line.function.table {
        0b01 => call("xor", a, b),
        0b1000 => call("and", a, b),
        0b1110 => call("or", a, b),
        0b0110 => call("xor", a, b),
        // The instruction complements its first operand.
        0b0010 => call("andnot", b, a),
        _ => call("andnot", a, b),
    }
}

/// Plain logic where there is an instruction of two operands, else ternary logic with its immediate.
fn ternary_logic(line: &Line) -> String {
    let plain_tables = [0b1000, 0b1110, 0b0110, 0b0010, 0b0100];
    if line.function.arity == 2 && plain_tables.contains(&line.function.table) {
        return plain(line, "_mm512_", "si512", "");
    }
    let last = line.operands.len() - 1;
    let operands: Vec<&str> = (0..3).map(|n| line.operands[n.min(last)].as_str()).collect();
    let immediate = line.function.ternary_immediate();
    format!("_mm512_ternarylogic_epi64({}, {immediate:#04x})", operands.join(", "))
}
