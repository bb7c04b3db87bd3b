//! Functions of several programs in one: tables, matrices and boxes that are equal are one.

use program::ir::{BoxId, Function, MatrixId, OpKind, Program, TableId};
use program::walk::for_each_block_mut;

use super::callees;

/// One program with what the functions of several call, and their tables; and the programs, their calls renamed where functions of
/// one name differ.
pub(super) fn united(programs: &[(u32, &Program)]) -> (Program, Vec<Program>) {
    let mut base = callees(programs[0].1);
    let mut list = vec![programs[0].1.clone()];
    for (bits, program) in &programs[1..] {
        let mut copy = (*program).clone();
        for function in callees(program).functions {
            let Some(now) = copy.functions.iter().find(|f| f.name == function.name).cloned() else { continue };
            let wanted = if base.functions.iter().any(|f| f.name == now.name) {
                format!("{}_{bits}", now.name)
            } else {
                now.name.clone()
            };
            let name = import(&mut base, &copy, &now, &wanted);
            renamed(&mut copy, &now.name, &name);
        }
        list.push(copy);
    }
    (base, list)
}

/// Gives a function another name, wherever it is called.
fn renamed(program: &mut Program, from: &str, to: &str) {
    for function in &mut program.functions {
        if function.name == from {
            to.clone_into(&mut function.name);
        }
        for_each_block_mut(&mut function.body, &mut |block| {
            for op in &mut block.ops {
                if let OpKind::Call(callee, _) = &mut op.kind {
                    if callee == from {
                        to.clone_into(callee);
                    }
                }
            }
        });
    }
}

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
