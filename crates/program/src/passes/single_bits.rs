//! `single-bits`: a bit that a rotation puts beside others of an index is computed early, from what its word is a sum of.
//!
//! The index `extract(rotr(x, 1), 24)` takes 7 bits from the top of `x` and one from its bottom. The seven are a field of `x`; the lowest
//! bit of a sum is the exclusive or of the lowest bits of its terms, so that it need not wait for the carries: where `x` is a sum
//! (or an exclusive or with one), the bit is taken from an exclusive or of all terms, which `reassociate` arranges by arrival. The
//! index becomes a `concat` of both. Only fields that are nothing but an address are changed. More operations, a shorter way
//! (computational height reduction: Worley et al. 2000).

use std::collections::{HashMap, HashSet};

use super::only::FunctionFilter;
use super::rewrite::{rewrite, Rewriter};
use super::{Pass, Settings};
use crate::diagnostic::Diagnostic;
use crate::ir::{Binary, Function, Op, OpKind, Operand, Program, Shift, Type, ValueId};
use crate::walk::{for_each_op, use_counts};

/// See the module's text.
pub struct SingleBits;

impl Pass for SingleBits {
    fn name(&self) -> &'static str {
        "single-bits"
    }

    fn description(&self) -> &'static str {
        "compute early the single bit that a rotation puts beside others of an index"
    }

    fn options(&self) -> &'static [&'static str] {
        &["function"]
    }

    fn run(&self, program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
        for function in FunctionFilter::of(settings, program)?.functions(program) {
            let mut bits =
                Bits { addresses: only_addresses(function), uses: use_counts(function), made: HashMap::new() };
            rewrite(function, &mut |r, op| bits.visit(r, op));
            super::dce::clean(function);
        }
        Ok(())
    }
}

/// Values that are used, and only as words in addresses of reads.
fn only_addresses(function: &Function) -> HashSet<ValueId> {
    let mut counts = use_counts(function);
    let mut read = HashSet::new();
    for_each_op(&function.body, &mut |op| {
        let address = match &op.kind {
            OpKind::Lookup(_, address) => Some(address),
            OpKind::Load(_, addresses) => addresses.last(),
            _ => None,
        };
        for &(_, v) in address.iter().flat_map(|a| &a.affine.terms) {
            counts[v.0 as usize] -= 1;
            read.insert(v);
        }
    });
    read.retain(|v| counts[v.0 as usize] == 0);
    read
}

struct Bits {
    addresses: HashSet<ValueId>,
    uses: Vec<u32>,
    made: HashMap<ValueId, OpKind>,
}

impl Bits {
    fn visit(&mut self, r: &mut Rewriter<'_>, mut op: Op) {
        if let Some(kind) = self.split(r, &op) {
            op.kind = kind;
        }
        if op.results.len() == 1 {
            self.made.insert(op.results[0], op.kind.clone());
        }
        r.keep(op);
    }

    /// The index as the joint of a field and one early bit.
    fn split(&self, r: &mut Rewriter<'_>, op: &Op) -> Option<OpKind> {
        let (OpKind::Extract(Operand::Value(rotated), position), [index]) = (&op.kind, op.results.as_slice()) else {
            return None;
        };
        let OpKind::Shift(shift @ (Shift::Rotl | Shift::Rotr), Operand::Value(x), Operand::Const(n)) =
            *self.made.get(rotated)?
        else {
            return None;
        };
        let (Type::Word(width), Type::Word(whole)) = (r.builder.ty(*index).clone(), r.builder.ty(x).clone()) else {
            return None;
        };
        let right = if shift == Shift::Rotr { n } else { u64::from(whole) - n };
        let first = ((u64::from(*position) + right) % u64::from(whole)) as u8;
        if !self.addresses.contains(index) || first + width != whole + 1 {
            return None;
        }
        let bit = self.lowest_bit(r, x, whole)?;
        let field = r.op("", Type::Word(width - 1), OpKind::Extract(Operand::Value(x), first));
        Some(OpKind::Concat(vec![field, bit]))
    }

    /// The lowest bit of a sum, from the exclusive or of its terms; `None` if the word is no sum.
    fn lowest_bit(&self, r: &mut Rewriter<'_>, x: ValueId, whole: u8) -> Option<ValueId> {
        let mut terms = Vec::new();
        let sums = self.terms(Operand::Value(x), true, &mut terms);
        if sums == 0 {
            return None;
        }
        let sum = r.xor_all(&terms, whole);
        Some(r.op("", Type::Word(1), OpKind::Extract(sum, 0)))
    }

    /// Collects words whose lowest bits have the lowest bit of `operand` as exclusive or; returns how many sums were taken apart.
    fn terms(&self, operand: Operand, root: bool, out: &mut Vec<Operand>) -> u32 {
        let Operand::Value(v) = operand else {
            out.push(operand);
            return 0;
        };
        match self.made.get(&v) {
            Some(&OpKind::Binary(Binary::Add | Binary::Sub, a, b)) => {
                1 + self.terms(a, false, out) + self.terms(b, false, out)
            }
            Some(&OpKind::Binary(Binary::Xor, a, b)) if root || self.uses[v.0 as usize] == 1 => {
                self.terms(a, false, out) + self.terms(b, false, out)
            }
            Some(&OpKind::Shift(Shift::Shl, _, Operand::Const(1..))) => 0,
            Some(
                &OpKind::Binary(Binary::Mul, _, Operand::Const(c)) | &OpKind::Binary(Binary::Mul, Operand::Const(c), _),
            ) if c % 2 == 0 => 0,
            _ => {
                out.push(operand);
                0
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::passes::run_all;

    fn passed(ops: &str) -> String {
        let params = "%x: u32, %y: u32, %k: u32, %T: u32[256]";
        let text = format!("program \"t\" {{\n}}\n\nfunc @f({params}) -> (u32) {{\n{ops}\n  return %r\n}}\n");
        let mut program = crate::parse(&text).unwrap();
        crate::verify(&program).unwrap();
        run_all(&mut program, &["single-bits"], &[]).unwrap();
        crate::verify(&program).unwrap();
        program.to_string().lines().filter(|l| l.starts_with("  ")).map(str::trim).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_bit_is_taken_from_the_terms_of_the_sum() {
        let found = passed(
            "%a: u32 = add %x, %k\n%s: u32 = xor %a, %y\n%t: u32 = rotr %s, 1\n%b: u8 = extract %t, 24\n%r: u32 = load %T[%b]",
        );
        let wanted = "%a: u32 = add %x, %k\n%s: u32 = xor %a, %y\n%1: u32 = xor %x, %k\n%2: u32 = xor %1, %y\n\
            %3: u1 = extract %2, 0\n%4: u7 = extract %s, 25\n%b: u8 = concat %4, %3\n%r: u32 = load %T[%b]\nreturn %r";
        assert_eq!(found, wanted);
    }

    #[test]
    fn a_word_that_is_no_sum_stays() {
        let found = passed("%t: u32 = rotr %x, 1\n%b: u8 = extract %t, 24\n%r: u32 = load %T[%b]");
        assert_eq!(found, "%t: u32 = rotr %x, 1\n%b: u8 = extract %t, 24\n%r: u32 = load %T[%b]\nreturn %r");
    }

    #[test]
    fn an_index_that_is_used_elsewhere_stays() {
        let ops = "%s: u32 = add %x, %k\n%t: u32 = rotr %s, 1\n%b: u8 = extract %t, 24\n%l: u32 = load %T[%b]\n%z: u32 = zext %b\n%r: u32 = xor %l, %z";
        assert!(!passed(ops).contains("concat"));
    }
}
