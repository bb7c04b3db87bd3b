//! The matrices that a program multiplies bytes by.

use program::ir::{OpKind, Program, Type};
use program::walk::for_each_block;
use serde::Serialize;

use crate::find::reached;

/// A matrix of bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Product {
    /// The first function that it stands in.
    pub function: String,
    /// Its name.
    pub matrix: String,
    /// Polynomial of the field, with its leading bit.
    pub polynomial: u64,
    /// Its rows.
    pub rows: Vec<Vec<u64>>,
}

/// The matrices of a function and of what it calls, each once, in the order of the program.
#[must_use]
pub fn products(program: &Program, function: &str) -> Vec<Product> {
    let mut found: Vec<Product> = Vec::new();
    let reached = reached(program, function);
    for one in program.functions.iter().filter(|f| reached.contains(&f.name)) {
        for_each_block(&one.body, &mut |block| {
            for op in &block.ops {
                let OpKind::Linear(matrix, _) = &op.kind else { continue };
                let is_byte = one.values[op.results[0].0 as usize].ty == Type::Word(8);
                let matrix = &program.matrices[matrix.0 as usize];
                let is_new = found.iter().all(|f| f.rows != matrix.rows || f.polynomial != matrix.polynomial);
                if is_byte && is_new {
                    found.push(Product {
                        function: one.name.clone(),
                        matrix: matrix.name.clone(),
                        polynomial: matrix.polynomial,
                        rows: matrix.rows.clone(),
                    });
                }
            }
        });
    }
    found
}
