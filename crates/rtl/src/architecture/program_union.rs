//! Functions of several programs in one: tables, matrices and boxes that are equal are one.

use program::ir::{BoxId, Function, MatrixId, OpKind, Program, TableId};
use program::walk::for_each_block_mut;

/// Adds a straight function of another program under a name; an equal function that is there already is used instead.
/// Gives the name under which it stands.
pub(super) fn import(into: &mut Program, from: &Program, function: &Function, name: &str) -> String {
    let mut copy = function.clone();
    for_each_block_mut(&mut copy.body, &mut |block| {
        for op in &mut block.ops {
            match &mut op.kind {
                OpKind::Lookup(table, _) => {
                    let wanted = &from.tables[table.0 as usize];
                    *table = TableId(position(&mut into.tables, wanted, |t| (t.width, t.data.clone())));
                }
                OpKind::Linear(matrix, _) => {
                    let wanted = &from.matrices[matrix.0 as usize];
                    *matrix = MatrixId(position(&mut into.matrices, wanted, |m| (m.polynomial, m.rows.clone())));
                }
                OpKind::Bitsliced(sbox, _) => {
                    let wanted = &from.boxes[sbox.0 as usize];
                    *sbox = BoxId(position(&mut into.boxes, wanted, |b| (b.inputs, b.outputs, b.data.clone())));
                }
                _ => {}
            }
        }
    });
    for known in &into.functions {
        copy.name.clone_from(&known.name);
        if *known == copy {
            return known.name.clone();
        }
    }
    let mut free = name.to_owned();
    let mut n = 1;
    while into.functions.iter().any(|f| f.name == free) {
        n += 1;
        free = format!("{name}_{n}");
    }
    copy.name.clone_from(&free);
    into.functions.push(copy);
    free
}

fn position<T: Clone, K: PartialEq>(list: &mut Vec<T>, wanted: &T, key: impl Fn(&T) -> K) -> u32 {
    let found = list.iter().position(|known| key(known) == key(wanted));
    found.unwrap_or_else(|| {
        list.push(wanted.clone());
        list.len() - 1
    }) as u32
}
