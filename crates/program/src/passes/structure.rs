//! Tables replaced by functions that compute their entries.

use crate::diagnostic::Diagnostic;
use crate::evaluate::{Evaluator, Value};
use crate::ir::{OpKind, Operand, Program, TableId, Type};
use crate::walk::for_each_block_mut;

/// Evaluates a function on every address of a table.
///
/// # Errors
/// `S040` with the first entry that differs.
pub(super) fn prove(program: &Program, table: TableId, function: &str) -> Result<(), Diagnostic> {
    let table = &program.tables[table.0 as usize];
    let mut evaluator = Evaluator::new(program)?;
    for (address, &entry) in table.data.iter().enumerate() {
        let found = evaluator.evaluate(function, &[Value::Word(address as u64)])?;
        if found != [Value::Word(entry)] {
            let message = format!("the function `{function}` is not the table `{}`", table.name);
            return Err(Diagnostic::new("S040", message)
                .note(format!("entry {address} is {entry}, the function gives {found:?}")));
        }
    }
    Ok(())
}

/// Calls a function wherever a whole table is looked up by a word; gives how often.
pub(super) fn replace(program: &mut Program, table: TableId, function: &str) -> usize {
    let length = program.tables[table.0 as usize].data.len();
    let mut count = 0;
    for user in program.functions.iter_mut().filter(|f| f.name != function) {
        let values = &user.values;
        for_each_block_mut(&mut user.body, &mut |block| {
            for op in &mut block.ops {
                let OpKind::Lookup(id, address) = &op.kind else { continue };
                let [(1, value)] = address.affine.terms[..] else { continue };
                let bits = match values[value.0 as usize].ty {
                    Type::Word(width) => width,
                    _ => continue,
                };
                if *id == table && address.affine.constant == 0 && length == 1 << bits {
                    op.kind = OpKind::Call(function.to_owned(), vec![Operand::Value(value)]);
                    count += 1;
                }
            }
        });
    }
    count
}
