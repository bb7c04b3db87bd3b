//! Random well-typed programs: for tests of everything that reads programs.
//!
//! A generated program passes the verifier, terminates soon and reads no unwritten cell.

mod block;
mod function;
mod loops;
mod operations;
mod random;

use crate::evaluate::Value;
use crate::ir::{Matrix, Program, SBox, Table, Type};

pub use random::Random;

use function::FunctionGenerator;

/// Widths of words, the usual ones more often.
const WIDTHS: [u8; 24] = [1, 2, 3, 4, 5, 7, 8, 8, 8, 12, 16, 16, 17, 24, 31, 32, 32, 32, 32, 33, 48, 63, 64, 64];

/// A program that the seed determines; each of its functions has about `size` operations.
#[must_use]
pub fn generate(seed: u64, size: usize) -> Program {
    generate_of(seed, size, &WIDTHS)
}

/// The same, with words of given widths (at least one), those that come of fields and concatenations apart.
#[must_use]
pub fn generate_of(seed: u64, size: usize, widths: &[u8]) -> Program {
    let mut random = Random::new(seed);
    let mut program = Program {
        name: format!("generated {seed}"),
        meta: vec![("seed".into(), seed.to_string()), ("size".into(), size.to_string())],
        files: vec!["generated.py".into(), "helper.py".into()],
        tables: (0..1 + random.below(3)).map(|n| table(&mut random, n, widths)).collect(),
        matrices: (0..1 + random.below(3)).map(|n| matrix(&mut random, n)).collect(),
        boxes: (0..1 + random.below(2)).map(|n| sbox(&mut random, n)).collect(),
        functions: Vec::new(),
    };
    for n in 0..1 + random.below(3) {
        let function = FunctionGenerator::new(&mut random, &program, size, widths).function(format!("f{n}"));
        program.functions.push(function);
    }
    program
}

/// Random arguments for a function of a program.
#[must_use]
pub fn arguments(program: &Program, function: usize, random: &mut Random) -> Vec<Value> {
    let function = &program.functions[function];
    let one = |ty: &Type, random: &mut Random| match ty {
        Type::Word(width) => Value::Word(random.word(*width)),
        Type::Array(array) => Value::Array((0..array.len()).map(|_| random.word(array.width)).collect()),
        Type::Index => Value::Word(0),
    };
    function.params.iter().map(|p| one(&function.values[p.0 as usize].ty, random)).collect()
}

fn table(random: &mut Random, n: usize, widths: &[u8]) -> Table {
    let width = random.pick(widths);
    let length = random.pick(&[1, 2, 4, 6, 16, 37, 256]);
    Table { name: format!("T{n}"), width, data: (0..length).map(|_| random.word(width)).collect() }
}

fn matrix(random: &mut Random, n: usize) -> Matrix {
    let polynomial = random.pick(&[0x3, 0x7, 0x13, 0x11b, 0x169, 0x1002b, 0x1_0000_008d, (1 << 63) | 3]);
    let degree = 63 - u64::leading_zeros(polynomial) as u8;
    let (rows, columns) = (1 + random.below(4), 1 + random.below(4));
    let binary = random.chance(40);
    let mut entry = || if binary { random.bits() & 1 } else { random.word(degree) };
    let rows = (0..rows).map(|_| (0..columns).map(|_| entry()).collect()).collect();
    Matrix { name: format!("M{n}"), polynomial, rows }
}

fn sbox(random: &mut Random, n: usize) -> SBox {
    let (inputs, outputs) = (1 + random.below(5) as u8, 1 + random.below(5) as u8);
    let data = (0..1 << inputs).map(|_| (random.bits() & ((1 << outputs) - 1)) as u8).collect();
    SBox { name: format!("B{n}"), inputs, outputs, data }
}
