//! `square-forms`: products of a word with a multiple of itself plus 1 are written by way of its square.
//!
//! Identity: `x * (2^s * x + 1) = x + 2^s * (x * x)` modulo 2^w. The product then starts as soon as x is there, without waiting for
//! the sum, and the last step is one address computation for s up to 3: one cycle less on the way from x, and one operation
//! less. Where x is itself a sum with a key it may be better to keep the product and prepare `2^s * key + 1`; so the option `function`
//! chooses the direction. With `double=add` or `double=shift` doublings `2 * x` are written as `x + x` or `x << 1`.

use std::collections::HashMap;

use super::only::FunctionFilter;
use super::rewrite::{rewrite, Rewriter};
use super::{Pass, Settings};
use crate::diagnostic::Diagnostic;
use crate::ir::{Binary, Op, OpKind, Operand, Program, Shift, Type, ValueId};

/// See the module's text.
pub struct SquareForms;

impl Pass for SquareForms {
    fn name(&self) -> &'static str {
        "square-forms"
    }

    fn description(&self) -> &'static str {
        "write x (2x + 1) as x + 2 x^2"
    }

    fn options(&self) -> &'static [&'static str] {
        &["function", "double"]
    }

    fn run(&self, program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
        let double = settings.choice("double", &["keep", "add", "shift"])?;
        for function in FunctionFilter::of(settings, program)?.functions(program) {
            let mut forms = Forms { double, made: HashMap::new() };
            rewrite(function, &mut |r, op| forms.visit(r, op));
            super::dce::clean(function);
        }
        Ok(())
    }
}

struct Forms<'a> {
    double: &'a str,
    made: HashMap<ValueId, OpKind>,
}

impl Forms<'_> {
    fn visit(&mut self, r: &mut Rewriter<'_>, mut op: Op) {
        let Some(Type::Word(width)) = op.results.first().map(|&v| r.builder.ty(v).clone()) else { return r.keep(op) };
        if let OpKind::Binary(Binary::Mul, a, b) = op.kind {
            let found = self.scale_beside(a, b).map(|s| (a, s)).or_else(|| self.scale_beside(b, a).map(|s| (b, s)));
            op.kind = match found {
                Some((x, scale)) => by_square(r, x, scale, width),
                None => self.doubled(op.kind),
            };
        }
        if op.results.len() == 1 {
            self.made.insert(op.results[0], op.kind.clone());
        }
        r.keep(op);
    }

    /// s, if the second operand is `2^s * x + 1` of the first.
    fn scale_beside(&self, x: Operand, factor: Operand) -> Option<u64> {
        let (Operand::Value(_), Operand::Value(factor)) = (x, factor) else { return None };
        let multiple = match *self.made.get(&factor)? {
            OpKind::Binary(Binary::Add | Binary::Or | Binary::Xor, Operand::Value(v), Operand::Const(1))
            | OpKind::Binary(Binary::Add | Binary::Or | Binary::Xor, Operand::Const(1), Operand::Value(v)) => v,
            _ => return None,
        };
        match *self.made.get(&multiple)? {
            OpKind::Binary(Binary::Mul, y, Operand::Const(c)) | OpKind::Binary(Binary::Mul, Operand::Const(c), y) => {
                (y == x && c.is_power_of_two() && c > 1).then(|| u64::from(c.trailing_zeros()))
            }
            OpKind::Shift(Shift::Shl, y, Operand::Const(s)) => (y == x && s > 0).then_some(s),
            OpKind::Binary(Binary::Add, y, z) => (y == x && z == x).then_some(1),
            _ => None,
        }
    }

    fn doubled(&self, kind: OpKind) -> OpKind {
        match kind {
            OpKind::Binary(Binary::Mul, x, Operand::Const(2)) | OpKind::Binary(Binary::Mul, Operand::Const(2), x) => {
                match self.double {
                    "add" => OpKind::Binary(Binary::Add, x, x),
                    "shift" => OpKind::Shift(Shift::Shl, x, Operand::Const(1)),
                    _ => kind,
                }
            }
            _ => kind,
        }
    }
}

fn by_square(r: &mut Rewriter<'_>, x: Operand, scale: u64, width: u8) -> OpKind {
    let square = r.word(width, OpKind::Binary(Binary::Mul, x, x));
    let multiple = r.shift(Shift::Shl, square, scale, width);
    OpKind::Binary(Binary::Add, x, multiple)
}

#[cfg(test)]
mod tests {
    use crate::passes::run_all;

    fn passed(pass: &str, ops: &str) -> String {
        let text = format!("program \"t\" {{\n}}\n\nfunc @f(%x: u32, %y: u32) -> (u32) {{\n{ops}\n  return %r\n}}\n");
        let mut program = crate::parse(&text).unwrap();
        run_all(&mut program, &[pass], &[]).unwrap();
        crate::verify(&program).unwrap();
        program.to_string().lines().filter(|l| l.starts_with("  ")).map(str::trim).collect::<Vec<_>>().join("\n")
    }

    const SQUARED: &str = "%1: u32 = mul %x, %x\n%2: u32 = shl %1, 1\n%r: u32 = add %x, %2\nreturn %r";

    #[test]
    fn a_product_with_an_odd_multiple_becomes_a_square() {
        for (double, odd) in [("mul 2, %x", "add %d, 1"), ("shl %x, 1", "or 1, %d"), ("add %x, %x", "xor %d, 1")] {
            let found = passed("square-forms", &format!("%d: u32 = {double}\n%o: u32 = {odd}\n%r: u32 = mul %o, %x"));
            assert_eq!(found, SQUARED);
        }
    }

    #[test]
    fn another_product_stays() {
        for ops in [
            "%d: u32 = mul 2, %y\n%o: u32 = add %d, 1\n%r: u32 = mul %o, %x",
            "%d: u32 = mul 3, %x\n%o: u32 = add %d, 1\n%r: u32 = mul %o, %x",
            "%d: u32 = mul 2, %x\n%o: u32 = add %d, 3\n%r: u32 = mul %o, %x",
        ] {
            assert_eq!(passed("square-forms", ops), format!("{ops}\nreturn %r"));
        }
    }

    #[test]
    fn doublings_are_written_as_asked() {
        assert_eq!(passed("square-forms:double=add", "%r: u32 = mul 2, %x"), "%r: u32 = add %x, %x\nreturn %r");
        assert_eq!(passed("square-forms:double=shift", "%r: u32 = mul %x, 2"), "%r: u32 = shl %x, 1\nreturn %r");
    }
}
