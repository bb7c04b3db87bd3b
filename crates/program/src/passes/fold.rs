//! `fold`: constants are computed, copies are dropped, what cancels is taken away.
//!
//! Identities used, for words of width w: `x + 0 = x - 0 = x ^ 0 = x | 0 = x`, `x & 0 = 0`, `x & ones = x`, `x ^ x = 0`, `x & x = x | x = x`,
//! `x * 1 = x`, `x * 0 = 0`, `(x o m) o n = x o (m o n)` for the associative operations, comparisons of a word with itself, shifts and rotations by 0, `zext` to the same width; a field of a field, of a zero-extension or of a
//! `concat` is a field of what it was made of; a `concat` of neighbouring fields of one word is that word or a field of it.
//! Ring addresses lose multiples of their extent. A quotient of an index whose steps are multiples of the divisor is a sum, too, and stands
//! so in the sums that it is in; its remainder is a number.

use std::collections::HashMap;

use super::rewrite::{reduced_amount, rewrite, Rewriter};
use super::{Pass, Settings};
use crate::builder::add_term;
use crate::diagnostic::Diagnostic;
use crate::ir::{Address, Affine, Binary, Compare, Matrix, Op, OpKind, Operand, Program, Shift, Table, Type, ValueId};
use crate::semantics::field_multiply;
use crate::walk::{slots_mut, Slot};

/// See the module's text.
pub struct Fold;

impl Pass for Fold {
    fn name(&self) -> &'static str {
        "fold"
    }

    fn description(&self) -> &'static str {
        "compute constants, drop copies and what cancels"
    }

    fn run(&self, program: &mut Program, _: &Settings<'_>) -> Result<(), Diagnostic> {
        fold(program, &[]);
        Ok(())
    }
}

/// Folds; products of constants with some matrices, too: `matrices` are those of the program or none.
pub(super) fn fold(program: &mut Program, matrices: &[Matrix]) {
    let tables = program.tables.clone();
    for function in &mut program.functions {
        let mut folder = Folder { tables: &tables, matrices, known: HashMap::new(), sums: HashMap::new() };
        rewrite(function, &mut |r, op| folder.visit(r, op));
    }
}

/// What a value is made by, as far as folding looks.
#[derive(Clone)]
enum Origin {
    Number(u64),
    Field(ValueId, u8),
    Side(Vec<ValueId>),
    Extended(ValueId),
    /// A value and a number, joined by an associative operation.
    Joined(Binary, ValueId, u64),
}

struct Folder<'a> {
    tables: &'a [Table],
    matrices: &'a [Matrix],
    known: HashMap<ValueId, Origin>,
    /// Indices that are sums of others.
    sums: HashMap<ValueId, Affine>,
}

fn ones(width: u8) -> u64 {
    if width == 64 {
        u64::MAX
    } else {
        (1 << width) - 1
    }
}

impl Folder<'_> {
    /// Puts sums in the place of indices that are sums.
    fn spread(&self, affine: &mut Affine) {
        for (coefficient, value) in std::mem::take(&mut affine.terms) {
            let Some(sum) = self.sums.get(&value) else {
                add_term(affine, coefficient, value);
                continue;
            };
            affine.constant = affine.constant.wrapping_add(coefficient.wrapping_mul(sum.constant));
            sum.terms.iter().for_each(|&(c, v)| add_term(affine, coefficient.wrapping_mul(c), v));
        }
    }

    fn visit(&mut self, r: &mut Rewriter<'_>, mut op: Op) {
        // numbers that had to become values for this operation
        for made in r.out.iter().rev().map_while(|o| matches!(o.kind, OpKind::Const(_)).then_some(o)) {
            self.remember(made.results[0], &made.kind);
        }
        slots_mut(&mut op.kind, &mut |slot| {
            if let Slot::Affine(affine) = slot {
                self.spread(affine);
            }
        });
        reduce_rings(r, &mut op.kind);
        let Some(&result) = op.results.first() else { return r.keep(op) };
        let Type::Word(width) = *r.builder.ty(result) else {
            return match constant_index(&op.kind) {
                Some(n) => r.stand(result, Operand::Const(n as u64)),
                None => {
                    self.sums.extend(quotient(&op.kind).map(|sum| (result, sum)));
                    r.keep(op)
                }
            };
        };
        if let Some(rows) = self.multiplied(&op.kind) {
            return op.results.iter().zip(rows).for_each(|(&row, n)| r.stand(row, Operand::Const(n)));
        }
        if op.results.len() > 1 {
            return r.keep(op);
        }
        let kind = reduced_amount(self.resolve(&op.kind), width);
        if let Some(operand) = self.value(r, &kind, width) {
            return r.stand(result, operand);
        }
        let kind = self.simpler(r, self.rejoined(kind, width), width);
        self.remember(result, &kind);
        r.keep(Op { kind, ..op });
    }

    fn remember(&mut self, result: ValueId, kind: &OpKind) {
        let made = match kind {
            OpKind::Const(n) => Origin::Number(*n),
            OpKind::Extract(Operand::Value(v), position) => Origin::Field(*v, *position),
            OpKind::Concat(parts) => Origin::Side(parts.clone()),
            OpKind::Zext(v) => Origin::Extended(*v),
            OpKind::Binary(binary, Operand::Value(v), Operand::Const(n))
            | OpKind::Binary(binary, Operand::Const(n), Operand::Value(v))
                if *binary != Binary::Sub =>
            {
                Origin::Joined(*binary, *v, *n)
            }
            _ => return,
        };
        self.known.insert(result, made);
    }

    /// Operands that `const` operations made become numbers.
    fn resolve(&self, kind: &OpKind) -> OpKind {
        let mut kind = kind.clone();
        crate::walk::slots_mut(&mut kind, &mut |slot| match slot {
            crate::walk::Slot::Operand(o) => *o = self.number_or(*o),
            crate::walk::Slot::Affine(affine) => {
                for (coefficient, v) in std::mem::take(&mut affine.terms) {
                    match self.known.get(&v) {
                        Some(Origin::Number(n)) => affine.constant += coefficient * *n as i64,
                        _ => affine.terms.push((coefficient, v)),
                    }
                }
            }
            crate::walk::Slot::Value(_) => {}
        });
        kind
    }

    fn number_or(&self, operand: Operand) -> Operand {
        match operand {
            Operand::Value(v) => self.number(v).map_or(operand, Operand::Const),
            Operand::Const(_) => operand,
        }
    }

    fn number(&self, v: ValueId) -> Option<u64> {
        match self.known.get(&v) {
            Some(Origin::Number(n)) => Some(*n),
            _ => None,
        }
    }

    /// The rows of a matrix times constants.
    fn multiplied(&self, kind: &OpKind) -> Option<Vec<u64>> {
        let OpKind::Linear(id, inputs) = kind else { return None };
        let matrix = self.matrices.get(id.0 as usize)?;
        let numbers = inputs.iter().map(|&o| match self.number_or(o) {
            Operand::Const(n) => Some(n),
            Operand::Value(_) => None,
        });
        let numbers: Vec<u64> = numbers.collect::<Option<_>>()?;
        let product = |(&c, &x): (&u64, &u64)| field_multiply(matrix.polynomial, x, c);
        Some(matrix.rows.iter().map(|row| row.iter().zip(&numbers).map(product).fold(0, |sum, p| sum ^ p)).collect())
    }

    /// What stands for the whole operation, if that is known.
    fn value(&self, r: &Rewriter<'_>, kind: &OpKind, width: u8) -> Option<Operand> {
        use Operand::Const;
        let word_width = |v: ValueId| match r.builder.ty(v) {
            Type::Word(w) => *w,
            _ => 0,
        };
        match *kind {
            OpKind::Const(n) => Some(Const(n)),
            OpKind::Binary(binary, a, b) => folded_binary(binary, a, b, width),
            OpKind::Not(Const(a)) => Some(Const(!a & ones(width))),
            OpKind::Shift(shift, a, Const(n)) => folded_shift(shift, a, n, width),
            OpKind::Shift(_, Const(0), _) => Some(Const(0)),
            OpKind::Extract(Const(a), position) => Some(Const(a >> position & ones(width))),
            OpKind::Extract(Operand::Value(v), 0) if word_width(v) == width => Some(Operand::Value(v)),
            OpKind::Zext(v) if word_width(v) == width => Some(Operand::Value(v)),
            OpKind::Zext(v) => self.number(v).map(Const),
            OpKind::Concat(ref parts) => self.whole(r, parts, width),
            OpKind::Compare(compare, Const(a), Const(b)) => Some(Const(u64::from(match compare {
                Compare::Eq => a == b,
                Compare::Ne => a != b,
                Compare::Ltu => a < b,
            }))),
            OpKind::Compare(compare, a, b) if a == b => Some(Const(u64::from(compare == Compare::Eq))),
            OpKind::Compare(Compare::Ltu, _, Const(0)) => Some(Const(0)),
            OpKind::Select(Const(c), a, b) => Some(if c == 1 { a } else { b }),
            OpKind::Select(_, a, b) if a == b => Some(a),
            OpKind::Lookup(table, ref address) if address.affine.terms.is_empty() => {
                let data = &self.tables[table.0 as usize].data;
                let n = address.affine.constant;
                data.get(if address.ring { n.rem_euclid(data.len() as i64) } else { n } as usize).map(|&e| Const(e))
            }
            OpKind::Word(ref affine) if affine.terms.is_empty() => Some(Const(affine.constant as u64)),
            _ => None,
        }
    }

    /// A `concat` whose parts are all numbers, or all the neighbouring fields of one word of the same width.
    fn whole(&self, r: &Rewriter<'_>, parts: &[ValueId], width: u8) -> Option<Operand> {
        let part_width = |v: ValueId| match r.builder.ty(v) {
            Type::Word(w) => *w,
            _ => 0,
        };
        let numbers: Option<Vec<u64>> = parts.iter().map(|&p| self.number(p)).collect();
        if let Some(numbers) = numbers {
            let mut position = 0;
            let mut sum = 0;
            for (n, &p) in numbers.iter().zip(parts) {
                sum |= n << position;
                position += part_width(p);
            }
            return Some(Operand::Const(sum));
        }
        let Some(Origin::Field(word, 0)) = self.known.get(&parts[0]) else { return None };
        let mut position = 0;
        for &p in parts {
            match self.known.get(&p) {
                Some(Origin::Field(w, at)) if w == word && *at == position => position += part_width(p),
                _ => return None,
            }
        }
        (part_width(*word) == width).then_some(Operand::Value(*word))
    }

    /// `(x o 3) o 5` as `x o (3 o 5)`, for the associative operations.
    fn rejoined(&self, kind: OpKind, width: u8) -> OpKind {
        let (OpKind::Binary(binary, Operand::Value(v), Operand::Const(n))
        | OpKind::Binary(binary, Operand::Const(n), Operand::Value(v))) = kind
        else {
            return kind;
        };
        match self.known.get(&v) {
            Some(Origin::Joined(inner, x, m)) if *inner == binary => {
                match folded_binary(binary, Operand::Const(*m), Operand::Const(n), width) {
                    Some(both) => OpKind::Binary(binary, Operand::Value(*x), both),
                    None => kind,
                }
            }
            _ => kind,
        }
    }

    /// A field of something whose making is known.
    fn simpler(&self, r: &Rewriter<'_>, kind: OpKind, width: u8) -> OpKind {
        let OpKind::Extract(Operand::Value(v), position) = kind else { return kind };
        let part_width = |v: ValueId| match r.builder.ty(v) {
            Type::Word(w) => *w,
            _ => 0,
        };
        match self.known.get(&v) {
            Some(Origin::Field(word, at)) => {
                self.simpler(r, OpKind::Extract(Operand::Value(*word), at + position), width)
            }
            Some(Origin::Extended(inner)) if position + width <= part_width(*inner) => {
                self.simpler(r, OpKind::Extract(Operand::Value(*inner), position), width)
            }
            Some(Origin::Side(parts)) => {
                let mut start = 0;
                for &part in parts {
                    let end = start + part_width(part);
                    if position >= start && position + width <= end {
                        return self.simpler(r, OpKind::Extract(Operand::Value(part), position - start), width);
                    }
                    start = end;
                }
                kind
            }
            _ => kind,
        }
    }
}

fn constant_index(kind: &OpKind) -> Option<i64> {
    match kind {
        OpKind::IndexDiv(affine, divisor) if affine.terms.is_empty() => Some(affine.constant.div_euclid(*divisor)),
        OpKind::IndexMod(affine, divisor) if multiples(affine, *divisor) => Some(affine.constant.rem_euclid(*divisor)),
        _ => None,
    }
}

/// Whether every step of a sum is a multiple of a number.
fn multiples(affine: &Affine, divisor: i64) -> bool {
    affine.terms.iter().all(|(coefficient, _)| coefficient % divisor == 0)
}

/// The quotient of an index as a sum.
fn quotient(kind: &OpKind) -> Option<Affine> {
    let OpKind::IndexDiv(affine, divisor) = kind else { return None };
    let terms = affine.terms.iter().map(|&(coefficient, v)| (coefficient / divisor, v)).collect();
    multiples(affine, *divisor).then(|| Affine { terms, constant: affine.constant.div_euclid(*divisor) })
}

fn folded_binary(binary: Binary, a: Operand, b: Operand, width: u8) -> Option<Operand> {
    use Operand::Const;
    if let (Const(x), Const(y)) = (a, b) {
        let value = match binary {
            Binary::Add => x.wrapping_add(y),
            Binary::Sub => x.wrapping_sub(y),
            Binary::Mul => x.wrapping_mul(y),
            Binary::And => x & y,
            Binary::Or => x | y,
            Binary::Xor => x ^ y,
        };
        return Some(Const(value & ones(width)));
    }
    match (binary, a, b) {
        (Binary::Add | Binary::Or | Binary::Xor, Const(0), x) => Some(x),
        (Binary::Add | Binary::Sub | Binary::Or | Binary::Xor, x, Const(0)) => Some(x),
        (Binary::Mul, Const(1), x) | (Binary::Mul, x, Const(1)) => Some(x),
        (Binary::Mul | Binary::And, Const(0), _) | (Binary::Mul | Binary::And, _, Const(0)) => Some(Const(0)),
        (Binary::And, Const(m), x) | (Binary::And, x, Const(m)) if m == ones(width) => Some(x),
        (Binary::Or, Const(m), _) | (Binary::Or, _, Const(m)) if m == ones(width) => Some(Const(m)),
        (Binary::Xor | Binary::Sub, x, y) if x == y => Some(Const(0)),
        (Binary::And | Binary::Or, x, y) if x == y => Some(x),
        _ => None,
    }
}

fn folded_shift(shift: Shift, a: Operand, n: u64, width: u8) -> Option<Operand> {
    let w = u64::from(width);
    let amount = if matches!(shift, Shift::Rotl | Shift::Rotr) { n % w } else { n };
    match a {
        _ if amount == 0 => Some(a),
        _ if amount >= w => Some(Operand::Const(0)),
        Operand::Const(x) => Some(Operand::Const(match shift {
            Shift::Shl => x << amount & ones(width),
            Shift::Shr => x >> amount,
            Shift::Rotl => (x << amount | x >> (w - amount)) & ones(width),
            Shift::Rotr => (x >> amount | x << (w - amount)) & ones(width),
        })),
        Operand::Value(_) => None,
    }
}

/// A ring address that no longer depends on an iteration becomes a plain number.
fn reduce_rings(r: &Rewriter<'_>, kind: &mut OpKind) {
    let (array, addresses): (ValueId, &mut Vec<Address>) = match kind {
        OpKind::Load(array, addresses) | OpKind::Store(array, addresses, _) => (*array, addresses),
        _ => return,
    };
    let Type::Array(ty) = r.builder.ty(array) else { return };
    for (address, &extent) in addresses.iter_mut().zip(&ty.dims) {
        let extent = i64::from(extent);
        let multiples = address.affine.terms.iter().all(|(c, v)| *r.builder.ty(*v) == Type::Index && c % extent == 0);
        if address.ring && multiples {
            address.affine.terms.clear();
            address.affine.constant = address.affine.constant.rem_euclid(extent);
            address.ring = false;
        }
    }
}
