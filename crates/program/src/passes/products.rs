//! `products`: a product becomes a call of a function that adds its partial products up by carry-save adders.
//!
//! Identity: x y is the sum of x_i y_j 2^(i + j). The bits of one weight are a column; three bits of a column are added by a full
//! adder to one there and one in the next, until no column has more than two, which one addition ends. Columns shrink by the least
//! number of stages (Dadda's heights 2, 3, 4, 6, 9, ..., each half as much again), with as few adders as these need.
//!
//! Where both factors are the same word times numbers plus numbers, as in x (2x + 1), the product is q x^2 + l x + k: x_i x_j and x_j x_i
//! are one bit of twice the weight, and x_i^2 is x_i. That is half of the bits, which no synthesis tool finds again.
//!
//! A product by a number whose ones stand so far apart that nothing carries, as n 0x01010101 of a byte, is moved bits alone.
//!
//! Check: each function is evaluated before it is used, on all words with at most two bits set (products and squares have no more to
//! go wrong in their partial products) and on words that follow from these by a generator of random numbers.

use std::collections::{BTreeMap, HashMap};

use super::rewrite::{rewrite, Rewriter};
use super::{Pass, Settings};
use crate::diagnostic::Diagnostic;
use crate::evaluate::{Evaluator, Value};
use crate::indices::Indices;
use crate::ir::{Binary, Op, OpKind, Operand, Program, Shift, Type, ValueId};
use crate::semantics::mask;

mod columns;
mod moved;

/// See the module's text.
pub struct Products;

/// What a function computes: a product, or `q x^2 + l x + k`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    Product,
    Square { square: u64, linear: u64, constant: u64 },
}

impl Form {
    fn name(&self, width: u8) -> String {
        match self {
            Form::Product => format!("product_{width}"),
            Form::Square { square, linear: 0, constant: 0 } => format!("square_{width}_{square}"),
            Form::Square { square, linear, constant: 0 } => format!("square_{width}_{square}_{linear}"),
            Form::Square { square, linear, constant } => format!("square_{width}_{square}_{linear}_{constant}"),
        }
    }
}

impl Pass for Products {
    fn name(&self) -> &'static str {
        "products"
    }

    fn description(&self) -> &'static str {
        "compute products, and squares like x (2x + 1), by carry-save columns"
    }

    fn options(&self) -> &'static [&'static str] {
        &["least"]
    }

    fn run(&self, program: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
        let least = settings.number("least", 8)?;
        let mut made = BTreeMap::new();
        for function in &mut program.functions {
            let indices = Indices::of(function);
            let mut words = Words { least, indices, bits: HashMap::new(), known: HashMap::new(), made: &mut made };
            rewrite(function, &mut |r, op| words.visit(r, op));
            super::dce::clean(function);
        }
        let texts: String = made.keys().map(|(width, form)| columns::function(*width, form)).collect();
        let mut new = crate::parse(&format!("program \"products\" {{\n}}\n{texts}"))?;
        let mut evaluator = Evaluator::new(&new)?;
        for ((width, form), name) in &made {
            check(&mut evaluator, *width, form, name)?;
        }
        new.functions.append(&mut program.functions);
        program.functions = new.functions;
        Ok(())
    }
}

/// `factor * root + term`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Multiple {
    root: ValueId,
    factor: u64,
    term: u64,
}

struct Words<'a> {
    least: u64,
    indices: Indices,
    /// Words below a power of two that their type does not tell.
    bits: HashMap<ValueId, u8>,
    known: HashMap<ValueId, Multiple>,
    made: &'a mut BTreeMap<(u8, Form), String>,
}

impl Words<'_> {
    fn visit(&mut self, r: &mut Rewriter<'_>, mut op: Op) {
        let Some(Type::Word(width)) = op.results.first().map(|&v| r.builder.ty(v).clone()) else { return r.keep(op) };
        if let OpKind::Binary(Binary::Mul, Operand::Value(a), Operand::Value(b)) = op.kind {
            if u64::from(width) >= self.least {
                op.kind = self.product(a, b, width);
                return r.keep(op);
            }
        }
        self.note(r, &op);
        if let OpKind::Binary(Binary::Mul, Operand::Value(v), Operand::Const(c))
        | OpKind::Binary(Binary::Mul, Operand::Const(c), Operand::Value(v)) = op.kind
        {
            if let Some(moved) = self.moved(r, v, c, width) {
                op.kind = moved;
                return r.keep(op);
            }
        }
        if let (Some(multiple), [result]) = (self.multiple(&op.kind, width), &op.results[..]) {
            self.known.insert(*result, multiple);
        }
        r.keep(op);
    }

    fn product(&mut self, a: ValueId, b: ValueId, width: u8) -> OpKind {
        let (x, y) = (self.of(a), self.of(b));
        let times = |m: u64, n: u64| m.wrapping_mul(n) & mask(width);
        let square = times(x.factor, y.factor);
        let linear = times(x.factor, y.term).wrapping_add(times(x.term, y.factor)) & mask(width);
        let few = |number: u64| number.count_ones() <= 1;
        if x.root == y.root && square != 0 && few(square) && few(linear) {
            let form = Form::Square { square, linear, constant: times(x.term, y.term) };
            return self.call(form, width, vec![Operand::Value(x.root)]);
        }
        self.call(Form::Product, width, vec![Operand::Value(a), Operand::Value(b)])
    }

    fn call(&mut self, form: Form, width: u8, arguments: Vec<Operand>) -> OpKind {
        let name = form.name(width);
        self.made.insert((width, form), name.clone());
        OpKind::Call(name, arguments)
    }

    fn of(&self, value: ValueId) -> Multiple {
        self.known.get(&value).copied().unwrap_or(Multiple { root: value, factor: 1, term: 0 })
    }

    /// What an operation computes, if it is a multiple of a word plus a number.
    fn multiple(&self, kind: &OpKind, width: u8) -> Option<Multiple> {
        let scaled = |value: ValueId, factor: u64, term: u64| {
            let of = self.of(value);
            let (factor, term) = (of.factor.wrapping_mul(factor), of.term.wrapping_mul(factor).wrapping_add(term));
            Multiple { root: of.root, factor: factor & mask(width), term: term & mask(width) }
        };
        let even = |value: ValueId| (self.of(value).factor | self.of(value).term) & 1 == 0;
        use Binary::{Add, Mul, Or, Sub, Xor};
        use Operand::{Const, Value};
        Some(match *kind {
            OpKind::Binary(Mul, Value(v), Const(c)) | OpKind::Binary(Mul, Const(c), Value(v)) => scaled(v, c, 0),
            OpKind::Shift(Shift::Shl, Value(v), Const(n)) => scaled(v, 1 << n, 0),
            OpKind::Binary(Add, Value(v), Const(c)) | OpKind::Binary(Add, Const(c), Value(v)) => scaled(v, 1, c),
            OpKind::Binary(Sub, Value(v), Const(c)) => scaled(v, 1, c.wrapping_neg()),
            OpKind::Binary(Or | Xor, Value(v), Const(1)) | OpKind::Binary(Or | Xor, Const(1), Value(v)) if even(v) => {
                scaled(v, 1, 1)
            }
            OpKind::Binary(Add, Value(v), Value(w)) if v == w => scaled(v, 2, 0),
            _ => return None,
        })
    }
}

/// Evaluates a function on the words of the module's text.
fn check(evaluator: &mut Evaluator, width: u8, form: &Form, name: &str) -> Result<(), Diagnostic> {
    let few: Vec<u64> = (0..width).flat_map(|i| (0..=i).map(move |j| (1 << i) | (1 << j))).chain([0]).collect();
    let mut state = 1_u64;
    let mut random = || {
        // Knuth's linear congruence; its upper bits are the random ones.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.rotate_left(32) & mask(width)
    };
    let pairs: Vec<(u64, u64)> = match form {
        Form::Square { .. } => few.iter().map(|&x| (x, 0)).collect(),
        Form::Product => (0..width).flat_map(|i| (0..width).map(move |j| (1 << i, 1 << j))).collect(),
    };
    let more: Vec<(u64, u64)> = (0..500).map(|_| (random(), random())).collect();
    for (x, y) in pairs.into_iter().chain(more).chain([(mask(width), mask(width))]) {
        let (arguments, wanted) = match *form {
            Form::Product => (vec![Value::Word(x), Value::Word(y)], x.wrapping_mul(y)),
            Form::Square { square, linear, constant } => {
                let sum = square.wrapping_mul(x).wrapping_add(linear).wrapping_mul(x).wrapping_add(constant);
                (vec![Value::Word(x)], sum)
            }
        };
        if evaluator.evaluate(name, &arguments)? != [Value::Word(wanted & mask(width))] {
            return Err(Diagnostic::new("S041", format!("the function `{name}` is not the product"))
                .note(format!("it differs for {arguments:?}")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::passes::run_all;

    fn passed(pass: &str, ops: &str) -> Result<String, crate::Diagnostic> {
        let text = format!("program \"t\" {{\n}}\n\nfunc @f(%x: u32, %y: u32) -> (u32) {{\n{ops}\n  return %r\n}}\n");
        let mut program = crate::parse(&text).unwrap();
        run_all(&mut program, &[pass], &[])?;
        crate::verify(&program).unwrap();
        let last =
            crate::ir::Program { functions: program.functions.split_off(program.functions.len() - 1), ..program };
        Ok(last.to_string().lines().filter(|l| l.starts_with("  ")).map(str::trim).collect::<Vec<_>>().join("\n"))
    }

    #[test]
    fn a_function_that_is_no_product_is_found_out() {
        let text = "program \"t\" {\n}\n\nfunc @p(%x: u8, %y: u8) -> (u8) {\n  %r: u8 = and %x, %y\n  return %r\n}\n";
        let program = crate::parse(text).unwrap();
        let mut evaluator = super::Evaluator::new(&program).unwrap();
        assert_eq!(
            super::check(&mut evaluator, 8, &super::Form::Product, "p").unwrap_err().to_string(),
            "error[S041]: the function `p` is not the product\n   = it differs for [Word(1), Word(2)]"
        );
    }

    #[test]
    fn a_product_of_multiples_of_one_word_is_a_square() {
        for (ops, name) in [
            ("%d: u32 = mul 2, %x\n%o: u32 = add %d, 1\n%r: u32 = mul %o, %x", "square_32_2_1"),
            ("%d: u32 = add %x, %x\n%o: u32 = or 1, %d\n%r: u32 = mul %x, %o", "square_32_2_1"),
            ("%r: u32 = mul %x, %x", "square_32_1"),
            ("%d: u32 = shl %x, 3\n%o: u32 = add %d, 1\n%p: u32 = sub %x, 4\n%r: u32 = mul %o, %p", "product_32"),
            ("%o: u32 = add %x, 5\n%p: u32 = sub %x, 4\n%r: u32 = mul %o, %p", "square_32_1_1_4294967276"),
        ] {
            let found = passed("products", ops).unwrap();
            assert!(found.contains(&format!("call @{name}(")), "{found}");
        }
    }

    #[test]
    fn other_products_are_products_and_numbers_stay() {
        assert_eq!(
            passed("products", "%r: u32 = mul %x, %y").unwrap(),
            "%r: u32 = call @product_32(%x, %y)\nreturn %r"
        );
        assert_eq!(passed("products", "%r: u32 = mul %x, 3").unwrap(), "%r: u32 = mul %x, 3\nreturn %r");
        assert_eq!(passed("products:least=33", "%r: u32 = mul %x, %y").unwrap(), "%r: u32 = mul %x, %y\nreturn %r");
    }

    #[test]
    fn copies_side_by_side_are_no_product() {
        let copies = "%b: u8 = extract %x, 3\n%w: u32 = zext %b\n%r: u32 = mul %w, 65793\nreturn %r";
        let moved = copies.replace(
            "%r: u32 = mul %w, 65793",
            "%1: u8 = extract %w, 0\n%2: u8 = const 0\n%r: u32 = concat %1, %1, %1, %2",
        );
        assert_eq!(passed("products", copies.rsplit_once('\n').unwrap().0).unwrap(), moved);
        let overlapping = "%b: u8 = extract %x, 3\n%w: u32 = zext %b\n%r: u32 = mul %w, 257";
        assert!(passed("products", &overlapping.replace("257", "129")).unwrap().contains("mul %w"));
    }

    #[test]
    fn functions_of_every_width_pass_their_check() {
        for width in [8, 13, 33] {
            let text = format!(
                "program \"t\" {{\n}}\n\nfunc @f(%x: u{width}, %y: u{width}) -> (u{width}) {{\n  %p: u{width} = mul %x, %y\n  \
                 %q: u{width} = mul %x, %x\n  %r: u{width} = xor %p, %q\n  return %r\n}}\n"
            );
            let mut program = crate::parse(&text).unwrap();
            run_all(&mut program, &["products"], &[]).unwrap();
            crate::verify(&program).unwrap();
            assert_eq!(program.functions.len(), 3);
        }
    }

    #[test]
    fn a_square_has_half_of_the_adders() {
        let adders = |ops: &str| {
            let text =
                format!("program \"t\" {{\n}}\n\nfunc @f(%x: u32, %y: u32) -> (u32) {{\n  {ops}\n  return %r\n}}\n");
            let mut program = crate::parse(&text).unwrap();
            run_all(&mut program, &["products"], &[]).unwrap();
            program.to_string().matches(" = or ").count()
        };
        let (square, product) = (adders("%r: u32 = mul %x, %x"), adders("%r: u32 = mul %x, %y"));
        assert!(square * 2 < product + 40, "{square} {product}");
    }
}
