//! `inner-structure`: look-ups of a table become calls of a function that computes its entries.
//!
//! A designer often makes a table from smaller parts: Twofish's q from tables of 4 bits, whose logic is a quarter of that of the table
//! of 256 bytes, and no synthesis tool finds them again. The function is evaluated on every address before it is used; that is the
//! proof. It stands in the program as any other function; `table=q0,function=q0_parts` names both.

use super::structure::{prove, replace};
use super::{Pass, Settings};
use crate::diagnostic::Diagnostic;
use crate::ir::{OpKind, Program, TableId};
use crate::walk::for_each_op;

/// See the module's text.
pub struct InnerStructure;

impl Pass for InnerStructure {
    fn name(&self) -> &'static str {
        "inner-structure"
    }

    fn description(&self) -> &'static str {
        "call a function, proved equal on all entries, in place of looking up a table"
    }

    fn options(&self) -> &'static [&'static str] {
        &["table", "function"]
    }

    fn run(&self, program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
        let option = |key: &str| settings.options.get(key).map(String::as_str).unwrap_or_default();
        let (table, function) = (option("table"), option("function"));
        let unknown = |what: &str, name: &str, known: Vec<&str>| {
            Diagnostic::new("S011", format!("the option `{what}` of a pass names no {what}: `{name}`"))
                .help(format!("known: {}", known.join(", ")))
        };
        let id = program
            .tables
            .iter()
            .position(|t| t.name == table)
            .ok_or_else(|| unknown("table", table, program.tables.iter().map(|t| t.name.as_str()).collect()))?;
        if !program.functions.iter().any(|f| f.name == function) {
            let known = program.functions.iter().map(|f| f.name.as_str()).collect();
            return Err(unknown("function", function, known));
        }
        let id = TableId(id as u32);
        prove(program, id, function)?;
        first(program, function);
        replace(program, id, function);
        Ok(())
    }
}

/// Moves a function and what it calls before all others: a function calls only functions before it.
fn first(program: &mut Program, function: &str) {
    let mut wanted = vec![function.to_owned()];
    for candidate in program.functions.iter().rev() {
        if wanted.contains(&candidate.name) {
            for_each_op(&candidate.body, &mut |op| {
                if let OpKind::Call(callee, _) = &op.kind {
                    wanted.push(callee.clone());
                }
            });
        }
    }
    program.functions.sort_by_key(|f| !wanted.contains(&f.name));
}

#[cfg(test)]
mod tests {
    use crate::passes::run_all;

    const TEXT: &str = "program \"t\" {\n}\n\ntable @T: u8[4] = [3, 2, 1, 0]\n\n\
        func @f(%x: u2) -> (u8) {\n  %r: u8 = lookup @T[%x]\n  return %r\n}\n\n\
        func @parts(%x: u2) -> (u8) {\n  %a: u2 = not %x\n  %r: u8 = zext %a\n  return %r\n}\n\n\
        func @other(%x: u2) -> (u8) {\n  %r: u8 = zext %x\n  return %r\n}\n";

    #[test]
    fn a_look_up_becomes_a_call_of_the_proved_function() {
        let mut program = crate::parse(TEXT).unwrap();
        run_all(&mut program, &["inner-structure:table=T,function=parts"], &[]).unwrap();
        crate::verify(&program).unwrap();
        assert!(program.to_string().contains("call @parts(%x)"), "{program}");
    }

    #[test]
    fn a_function_that_differs_is_refused() {
        let mut program = crate::parse(TEXT).unwrap();
        let error = run_all(&mut program, &["inner-structure:table=T,function=other"], &[]).unwrap_err();
        assert_eq!((error.code, error.message.as_ref()), ("S040", "the function `other` is not the table `T`"));
    }
}
