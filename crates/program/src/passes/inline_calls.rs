//! `inline-calls`: a call becomes the operations of the function called.
//!
//! Soundness: functions have no effects, values are copied under fresh names, and a function calls only functions that
//! stand before it, so that one walk in order leaves no call. Functions that nothing calls any more and that are no part of a
//! cipher's interface are removed. The option `function` names the functions, joined by `+`, whose calls are replaced; all otherwise.

use super::only::FunctionFilter;
use super::rewrite::{reduce_amounts, rewrite};
use super::{Pass, Settings};
use crate::builder::{replaced, Replacements};
use crate::diagnostic::Diagnostic;
use crate::ir::{Function, OpKind, Program};

/// See the module's text.
pub struct InlineCalls;

impl Pass for InlineCalls {
    fn name(&self) -> &'static str {
        "inline-calls"
    }

    fn description(&self) -> &'static str {
        "put the operations of called functions in place of the calls"
    }

    fn options(&self) -> &'static [&'static str] {
        &["function"]
    }

    fn run(&self, program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
        let only = FunctionFilter::of(settings, program)?;
        let mut done: Vec<Function> = Vec::new();
        let mut called = Vec::new();
        for mut function in std::mem::take(&mut program.functions) {
            rewrite(&mut function, &mut |r, op| {
                let OpKind::Call(name, arguments) = &op.kind else { return r.keep(op) };
                let wanted = |f: &&Function| f.name == *name && only.includes(name);
                let Some(callee) = done.iter().find(wanted) else { return r.keep(op) };
                called.push(name.clone());
                let mut map: Replacements = callee.params.iter().copied().zip(arguments.iter().copied()).collect();
                r.builder.copy_ops(&callee.body.ops, Some(&callee.values), &mut map, &op.places, r.out);
                for (&result, output) in op.results.iter().zip(&callee.body.outputs) {
                    r.stand(result, replaced(*output, &map));
                }
            });
            reduce_amounts(&mut function);
            done.push(function);
        }
        done.retain(|f| !called.contains(&f.name));
        program.functions = done;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::passes::run_all;

    #[test]
    fn only_calls_of_the_named_function_are_replaced() {
        let function =
            |name: &str, op: &str| format!("\nfunc @{name}(%x: u8) -> (u8) {{\n  %y: u8 = {op}\n  return %y\n}}\n");
        let text = "program \"t\" {\n}\n".to_owned()
            + &function("a", "not %x")
            + &function("b", "call @a(%x)")
            + &function("c", "call @b(%x)");
        let mut program = crate::parse(&text).unwrap();
        run_all(&mut program, &["inline-calls:function=b"], &[]).unwrap();
        crate::verify(&program).unwrap();
        let left = "program \"t\" {\n}\n".to_owned() + &function("a", "not %x") + &function("c", "call @a(%x)");
        assert_eq!(program.to_string().replace("%y.1", "%y"), crate::parse(&left).unwrap().to_string());
    }
}
