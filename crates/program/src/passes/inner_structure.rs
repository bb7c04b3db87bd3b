//! `inner-structure`: look-ups of a table become calls of a function that computes its entries.
//!
//! A designer often makes a table from smaller parts: a permutation of bytes from tables of 4 bits, whose logic is a quarter of that of the table
//! of 256 bytes, and no synthesis tool finds them again. The function is evaluated on every address before it is used; that is the
//! proof. It stands in the program as any other function; `table=q0,function=q0_parts` names both. Without options every table gets
//! the first function that takes its address, does not look it up, and is proved; what has none stays a table.

use super::structure::{prove, replace};
use super::{Pass, Settings};
use crate::diagnostic::Diagnostic;
use crate::ir::{Function, OpKind, Program, TableId, Type};
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
        if settings.options.is_empty() {
            everywhere(program);
            return Ok(());
        }
        let option = |key: &str| settings.options.get(key).map(String::as_str).unwrap_or_default();
        let (table, function) = (option("table"), option("function"));
        let unknown = |what: &str, name: &str, known: Vec<&str>| {
            Diagnostic::new("S015", format!("the option `{what}` of a pass names no {what}: `{name}`"))
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

/// Gives every table the structure that some function is.
fn everywhere(program: &mut Program) {
    let mut structures = Vec::new();
    for id in (0..program.tables.len() as u32).map(TableId) {
        let fits = |f: &&Function| computes(program, f, id) && prove(program, id, &f.name).is_ok();
        if let Some(name) = program.functions.iter().find(fits).map(|f| f.name.clone()) {
            first(program, &name);
            replace(program, id, &name);
            structures.push(name);
        }
    }
    // A structure that nothing calls (its table is looked up at places known in advance) is no function of the cipher.
    let called: Vec<String> = program.functions.iter().flat_map(callees).collect();
    program.functions.retain(|f| called.contains(&f.name) || !structures.contains(&f.name));
}

/// Whether a function takes a table's address and gives a word like its entries, without looking it up.
fn computes(program: &Program, function: &Function, id: TableId) -> bool {
    let table = &program.tables[id.0 as usize];
    let [parameter] = function.params[..] else { return false };
    let address = match function.values[parameter.0 as usize].ty {
        Type::Word(width) if width < 32 => 1_usize << width,
        _ => return false,
    };
    address == table.data.len() && function.results == [Type::Word(table.width)] && !looks_up(program, function, id)
}

/// Whether a function or one that it calls looks a table up.
fn looks_up(program: &Program, function: &Function, id: TableId) -> bool {
    let mut found = false;
    for_each_op(&function.body, &mut |op| found |= matches!(&op.kind, OpKind::Lookup(table, _) if *table == id));
    let below = |name: String| program.functions.iter().find(|f| f.name == name);
    found || callees(function).into_iter().filter_map(below).any(|f| looks_up(program, f, id))
}

/// Names of the functions that a function calls.
fn callees(function: &Function) -> Vec<String> {
    let mut names = Vec::new();
    for_each_op(&function.body, &mut |op| {
        if let OpKind::Call(callee, _) = &op.kind {
            names.push(callee.clone());
        }
    });
    names
}

/// Moves a function and what it calls before all others: a function calls only functions before it.
fn first(program: &mut Program, function: &str) {
    let mut wanted = vec![function.to_owned()];
    for candidate in program.functions.iter().rev() {
        if wanted.contains(&candidate.name) {
            wanted.extend(callees(candidate));
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

    #[test]
    fn without_options_every_table_gets_the_structure_that_is_there() {
        let twice = "\ntable @U: u8[4] = [9, 9, 9, 8]\n\nfunc @g(%x: u2) -> (u8, u8) {\n  %r: u8 = lookup @T[%x]\n  \
            %s: u8 = lookup @U[%x]\n  return %r, %s\n}\n";
        let mut program = crate::parse(&TEXT.replace("]\n\nfunc @f", &format!("]\n{twice}\nfunc @f"))).unwrap();
        run_all(&mut program, &["inner-structure"], &[]).unwrap();
        crate::verify(&program).unwrap();
        let text = program.to_string();
        assert_eq!((text.matches("call @parts(%x)").count(), text.matches("lookup").count()), (2, 1), "{text}");
    }

    #[test]
    fn a_structure_that_nothing_calls_goes() {
        let unused = TEXT.replace("lookup @T[%x]", "zext %x");
        let mut program = crate::parse(&unused).unwrap();
        run_all(&mut program, &["inner-structure"], &[]).unwrap();
        let names: Vec<&str> = program.functions.iter().map(|f| f.name.as_str()).collect();
        assert_eq!(names, ["f", "other"]);
    }
}
