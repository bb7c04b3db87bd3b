//! Writing a program with other orders of bytes.

use super::lists::Lists;
use super::orders::Orders;
use crate::ir::{Block, Function, Matrix, MatrixId, OpKind, Program, Type};
use crate::walk::for_each_block_mut;

/// Puts the bytes of every list into its order.
pub fn apply(program: &mut Program, lists: &Lists, orders: &Orders) {
    let mut matrices = std::mem::take(&mut program.matrices);
    for (n, function) in program.functions.iter_mut().enumerate() {
        let writer = Writer { lists, orders, function: n, row_lengths: row_lengths(function) };
        for_each_block_mut(&mut function.body, &mut |block| writer.block(block, &mut matrices));
        crate::walk::renumber(function);
    }
    program.matrices = matrices;
}

/// Elements of a row, for every array of two dimensions.
fn row_lengths(function: &Function) -> Vec<usize> {
    let length = |ty: &Type| match ty {
        Type::Array(array) => array.dims.get(1).map_or(0, |&d| d as usize),
        _ => 0,
    };
    function.values.iter().map(|v| length(&v.ty)).collect()
}

struct Writer<'a> {
    lists: &'a Lists,
    orders: &'a Orders,
    function: usize,
    row_lengths: Vec<usize>,
}

impl Writer<'_> {
    fn block(&self, block: &mut Block, matrices: &mut Vec<Matrix>) {
        for op in &mut block.ops {
            let first = op.results[0];
            match &mut op.kind {
                OpKind::Loop(l) => {
                    for &(start, list) in self.lists.carried[self.function].get(&first).into_iter().flatten() {
                        self.reorder(list, &mut l.init[start..]);
                        self.reorder(list, &mut op.results[start..]);
                        for body in &mut l.bodies {
                            self.reorder(list, &mut body.params[start + 1..]);
                            self.reorder(list, &mut body.outputs[start..]);
                        }
                    }
                }
                OpKind::Linear(matrix, _) => {
                    let Some(&list) = self.lists.products[self.function].get(&first) else { continue };
                    if !self.orders.is_natural(list) {
                        *matrix = self.turned(*matrix, list, matrices);
                        self.reorder(list, &mut op.results);
                    }
                }
                OpKind::Load(array, addresses) => {
                    let Some(list) = self.lists.row(self.function, *array, &addresses[0]) else { continue };
                    match &mut addresses[..] {
                        [_, column] => {
                            let old = column.affine.constant as usize;
                            column.affine.constant = self.orders.place_in(list, old) as i64;
                        }
                        _ => self.reorder(list, &mut op.results),
                    }
                }
                OpKind::Store(array, addresses, words) => {
                    if let Some(list) = self.lists.row(self.function, *array, &addresses[0]) {
                        self.reorder(list, words);
                    }
                }
                OpKind::Array(words) if self.row_lengths[first.0 as usize] > 0 => {
                    let length = self.row_lengths[first.0 as usize];
                    for (row, words) in words.chunks_mut(length).enumerate() {
                        if let Some(list) = self.lists.row_number(self.function, first, row) {
                            self.reorder(list, words);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Puts what stands for the slots of a list, from the first on, into its order.
    fn reorder<T: Copy>(&self, list: usize, values: &mut [T]) {
        let old: Vec<T> = values[..self.lists.list[list].len].to_vec();
        for (value, &from) in values.iter_mut().zip(&self.orders.order[list]) {
            *value = old[from];
        }
    }

    /// The matrix with its rows in the order of a list.
    fn turned(&self, matrix: MatrixId, list: usize, matrices: &mut Vec<Matrix>) -> MatrixId {
        let old = &matrices[matrix.0 as usize];
        let rows: Vec<Vec<u64>> = self.orders.order[list].iter().map(|&from| old.rows[from].clone()).collect();
        let polynomial = old.polynomial;
        if let Some(known) = matrices.iter().position(|m| m.polynomial == polynomial && m.rows == rows) {
            return MatrixId(known as u32);
        }
        let name = (1..).map(|n| format!("{}_{n}", old.name)).find(|n| matrices.iter().all(|m| m.name != *n));
        matrices.push(Matrix { name: name.unwrap_or_default(), polynomial, rows });
        MatrixId(matrices.len() as u32 - 1)
    }
}
