//! `tower-fields`: tables that are inversion in GF(2^8) between affine maps are computed in GF((2^4)^2).
//!
//! Inversion of eight bits becomes three products and one inversion of four bits, a few hundred gates fewer than the table; slower, so it
//! is a choice. Whether a table is of this kind is found out: it may be inversion behind or before a map affine over GF(2), or x -> a y + k
//! modulo 256 behind it (x^127 is inversion behind a linear map). What is found is proved on all 256 entries.
//!
//! With `maps=inline` the affine maps are operations of the functions that looked a table up, and only inversion is a call: so two
//! directions of a cipher, whose tables differ in their maps alone, can share the inversions.

use super::inline_calls::InlineCalls;
use super::structure::{prove, replace};
use super::{Pass, Settings};
use crate::diagnostic::Diagnostic;
use crate::ir::{OpKind, Program, TableId};
use crate::walk::for_each_op;

mod detect;
mod tower;

/// See the module's text.
pub struct TowerFields;

impl Pass for TowerFields {
    fn name(&self) -> &'static str {
        "tower-fields"
    }

    fn description(&self) -> &'static str {
        "compute tables that are inversion in GF(2^8) between affine maps in GF((2^4)^2)"
    }

    fn options(&self) -> &'static [&'static str] {
        &["maps"]
    }

    fn run(&self, program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
        let inline = settings.choice("maps", &["call", "inline"])? == "inline";
        let mut made: Vec<(TableId, String, detect::Form)> = Vec::new();
        for (n, table) in program.tables.iter().enumerate() {
            if table.width == 8 && table.data.len() == 256 && used(program, TableId(n as u32)) {
                if let Some(form) = detect::form(&table.data) {
                    made.push((TableId(n as u32), format!("{}_in_tower", table.name), form));
                }
            }
        }
        if made.is_empty() {
            return Ok(());
        }
        add(program, &made)?;
        for (table, name, _) in &made {
            prove(program, *table, name)?;
            replace(program, *table, name);
        }
        if inline {
            let names: Vec<&str> = made.iter().map(|(_, name, _)| name.as_str()).collect();
            let options = [("function".to_owned(), names.join("+"))].into();
            InlineCalls.run(program, &Settings { options, circuits: &[] })?;
        }
        Ok(())
    }
}

/// Whether some function looks a table up.
fn used(program: &Program, table: TableId) -> bool {
    let mut found = false;
    for function in &program.functions {
        for_each_op(&function.body, &mut |op| found |= matches!(&op.kind, OpKind::Lookup(id, _) if *id == table));
    }
    found
}

/// Puts the functions in front, their matrices and box behind the others.
fn add(program: &mut Program, made: &[(TableId, String, detect::Form)]) -> Result<(), Diagnostic> {
    let text = tower::program(made.iter().map(|(_, name, form)| (name.as_str(), form)));
    let mut new = crate::parse(&text)?;
    let (matrices, boxes) = (program.matrices.len() as u32, program.boxes.len() as u32);
    for op in new.functions.iter_mut().flat_map(|f| &mut f.body.ops) {
        match &mut op.kind {
            OpKind::Linear(matrix, _) => matrix.0 += matrices,
            OpKind::Bitsliced(sbox, _) => sbox.0 += boxes,
            _ => {}
        }
    }
    program.matrices.extend(new.matrices);
    program.boxes.extend(new.boxes);
    new.functions.append(&mut program.functions);
    program.functions = new.functions;
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::evaluate::{Evaluator, Value};
    use crate::passes::run_all;
    use crate::semantics::field_multiply;

    fn power(polynomial: u64, x: u64, n: u32) -> u64 {
        (0..n).fold(1, |product, _| field_multiply(polynomial, product, x))
    }

    /// The inverse, then an affine map: bits 0, 4, 5, 6 and 7 places up, and 0x63.
    fn inverse_and_affine(x: u64) -> u64 {
        let y = power(0x11b, x, 254);
        [1, 2, 3, 4].iter().fold(y ^ 0x63, |sum, n| sum ^ ((y << n | y >> (8 - n)) & 255))
    }

    fn tables() -> Vec<(&'static str, Vec<u64>)> {
        let s: Vec<u64> = (0..256).map(inverse_and_affine).collect();
        let inverse = (0..256).map(|y| s.iter().position(|x| *x == y).unwrap() as u64).collect();
        let power_127 = (0..256).map(|x| (97 * power(0x11b, x, 127) + 225) % 256).collect();
        let other = (0..256).map(|x| power(0x11d, x ^ 5, 254) ^ 9).collect();
        let cube = (0..256).map(|x| power(0x11b, x, 7)).collect();
        vec![("S", s), ("Si", inverse), ("s", power_127), ("other", other), ("none", cube)]
    }

    #[test]
    fn inversions_are_found_and_computed() {
        let mut text = "program \"t\" {\n}\n\n".to_owned();
        for (name, data) in tables() {
            text.push_str(&format!("table @{name}: u8[256] = {data:?}\n"));
        }
        for (name, _) in tables() {
            text.push_str(&format!(
                "\nfunc @f_{name}(%x: u8) -> (u8) {{\n  %r: u8 = lookup @{name}[%x]\n  return %r\n}}\n"
            ));
        }
        let mut program = crate::parse(&text).unwrap();
        run_all(&mut program, &["tower-fields"], &[]).unwrap();
        crate::verify(&program).unwrap();
        let mut evaluator = Evaluator::new(&program).unwrap();
        for (name, data) in tables() {
            let function = program.functions.iter().find(|f| f.name == format!("f_{name}")).unwrap();
            let mnemonic = function.body.ops[0].kind.mnemonic();
            assert_eq!(mnemonic, if name == "none" { "lookup" } else { "call" }, "{name}");
            for (x, &y) in data.iter().enumerate() {
                let found = evaluator.evaluate(&function.name, &[Value::Word(x as u64)]).unwrap();
                assert_eq!(found, [Value::Word(y)], "{name} {x}");
            }
        }
    }

    #[test]
    fn inlined_maps_leave_calls_of_inversion_alone() {
        let data = &tables()[0].1;
        let text = format!(
            "program \"t\" {{\n}}\n\ntable @S: u8[256] = {data:?}\n\n\
             func @f(%x: u8) -> (u8) {{\n  %r: u8 = lookup @S[%x]\n  return %r\n}}\n"
        );
        let mut program = crate::parse(&text).unwrap();
        run_all(&mut program, &["tower-fields:maps=inline"], &[]).unwrap();
        crate::verify(&program).unwrap();
        let names: Vec<&str> = program.functions.iter().map(|f| f.name.as_str()).collect();
        assert_eq!(names, ["inverse_in_256", "f"]);
        let mut evaluator = Evaluator::new(&program).unwrap();
        for (x, &y) in data.iter().enumerate() {
            assert_eq!(evaluator.evaluate("f", &[Value::Word(x as u64)]).unwrap(), [Value::Word(y)]);
        }
    }
}
