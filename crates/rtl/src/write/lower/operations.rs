//! Each operation as an expression or an instance.

use program::ir::{Address, Binary, BoxId, Compare, MatrixId, Op, OpKind, Operand, Shift, TableId, ValueId};
use program::semantics;

use super::gates::{compared, sum, widened};
use super::Lowering;
use crate::logic::bits_for;
use crate::write::expression::{concat, Amount, Expr, Operator};
use crate::write::library::Part;

impl Lowering<'_> {
    /// Lowers one operation.
    pub(super) fn operation(&mut self, op: &Op) {
        let result = op.results[0];
        let width = self.width(result);
        let inline = !matches!(op.kind, OpKind::Binary(Binary::Mul, ..) | OpKind::Load(..));
        let value = match &op.kind {
            OpKind::Const(n) => Expr::number(*n, width),
            OpKind::Binary(which, a, b) => self.binary(*which, *a, *b, width),
            OpKind::Not(a) => match self.operand(*a, width) {
                Expr::Const { value, .. } => Expr::number(!value, width),
                a => Expr::negated(a),
            },
            OpKind::Shift(which, a, Operand::Const(n)) => self.shift_by_number(*which, *a, *n as u32, width),
            OpKind::Shift(which @ (Shift::Shl | Shift::Shr), a, Operand::Value(n)) => {
                self.shift(*which == Shift::Shl, *a, *n, width)
            }
            OpKind::Shift(which, a, Operand::Value(n)) => return self.rotation(*which, *a, *n, result),
            OpKind::Extract(a, position) => self.part(*a, (*position).into(), width),
            OpKind::Concat(values) => concat(values.iter().rev().map(|&v| self.value(v)).collect()),
            OpKind::Zext(v) => {
                let value = self.value(*v);
                widened(value, width)
            }
            OpKind::Compare(which, a, b) => self.compare(*which, *a, *b),
            OpKind::Select(c, a, b) => self.select(*c, *a, *b, width),
            OpKind::Load(store, addresses) => self.load(*store, &addresses[0], width),
            OpKind::Lookup(id, address) if self.program.tables[id.0 as usize].data.len() == 1 => {
                let _ = address;
                Expr::number(self.program.tables[id.0 as usize].data[0], width)
            }
            OpKind::Lookup(id, address) => return self.lookup(*id, address, result),
            OpKind::Linear(id, list) => return self.linear(*id, list, &op.results),
            OpKind::Bitsliced(id, list) => return self.bitsliced(*id, list, &op.results),
            OpKind::Call(name, list) => return self.call(name, list, &op.results),
            other => unreachable!("`{}` is refused before", other.mnemonic()),
        };
        self.define(result, value, inline);
    }

    fn binary(&mut self, which: Binary, a: Operand, b: Operand, width: u32) -> Expr {
        let (a, b) = (self.operand(a, width), self.operand(b, width));
        if let (Expr::Const { value: a, .. }, Expr::Const { value: b, .. }) = (&a, &b) {
            return Expr::number(semantics::binary(which, *a, *b, width as u8), width);
        }
        let operator = match which {
            Binary::And => Operator::And,
            Binary::Or => Operator::Or,
            Binary::Xor => Operator::Xor,
            // Modulo 2, a sum is an exclusive or and a product is a conjunction.
            Binary::Add | Binary::Sub if width == 1 => Operator::Xor,
            Binary::Mul if width == 1 => Operator::And,
            Binary::Add => Operator::Add,
            Binary::Sub => Operator::Sub,
            Binary::Mul => Operator::Mul,
        };
        Expr::binary(operator, a, b)
    }

    fn shift_by_number(&mut self, which: Shift, a: Operand, n: u32, width: u32) -> Expr {
        if n == 0 {
            return self.operand(a, width);
        }
        match which {
            Shift::Rotl | Shift::Rotr => {
                let right = if which == Shift::Rotr { n } else { width - n };
                let high = self.part(a, 0, right);
                concat(vec![high, self.part(a, right, width - right)])
            }
            _ => match self.operand(a, width) {
                Expr::Const { value, .. } => Expr::number(semantics::shift(which, value, n.into(), width as u8), width),
                value => Expr::Shift { left: which == Shift::Shl, value: Box::new(value), amount: Amount::Const(n) },
            },
        }
    }

    /// A shift by a word; an amount too wide for a VHDL number is first cut to 7 bits, its upper part clears the result.
    fn shift(&mut self, left: bool, a: Operand, n: ValueId, width: u32) -> Expr {
        let bits = self.width(n);
        if width == 1 {
            let amount = self.value(n);
            let none = compared(Compare::Eq, amount, Expr::number(0, bits));
            return Expr::binary(Operator::And, self.operand(a, 1), none);
        }
        let value = self.operand(a, width);
        let shifted = |value: Expr, amount: Expr| Expr::Shift {
            left,
            value: Box::new(value),
            amount: Amount::Word(Box::new(amount)),
        };
        if bits <= 30 {
            let amount = widened(self.value(n), bits.max(2));
            return shifted(value, amount);
        }
        self.named(n);
        let (low, high) = (self.part(Operand::Value(n), 0, 7), self.part(Operand::Value(n), 7, bits - 7));
        let far = compared(Compare::Ne, high, Expr::number(0, bits - 7));
        let shifted = self.fresh("shifted", shifted(value, low));
        Expr::Select(Box::new(far), Box::new(Expr::number(0, width)), Box::new(shifted))
    }

    fn rotation(&mut self, which: Shift, a: Operand, n: ValueId, result: ValueId) {
        let width = self.width(result);
        if width == 1 {
            let value = self.operand(a, 1);
            return self.define(result, value, true);
        }
        let amount = self.remainder(n, u64::from(width));
        let module = self.library.name(&Part::Rotation(which == Shift::Rotl, width)).to_owned();
        let inputs = vec![("x".to_owned(), self.operand(a, width)), ("n".to_owned(), amount)];
        let (wire, width, new) = self.driven(result);
        let base = if which == Shift::Rotl { "rotl" } else { "rotr" };
        self.instance(&module, base, inputs, vec![("y".to_owned(), wire, width, new)]);
    }

    /// A word modulo a number, in as many bits as hold the remainders.
    fn remainder(&mut self, v: ValueId, modulus: u64) -> Expr {
        let (bits, have) = (u32::from(bits_for(modulus as usize)), self.width(v));
        if have < bits || have == bits && modulus.is_power_of_two() {
            return widened(self.value(v), bits);
        }
        if modulus.is_power_of_two() {
            return self.part(Operand::Value(v), 0, bits);
        }
        let value = self.value(v);
        self.reduced(value, modulus, bits)
    }

    fn reduced(&mut self, value: Expr, modulus: u64, bits: u32) -> Expr {
        let width = value.width();
        let remainder = if value.is_simple() && width < 32 && 1 << width <= 2 * modulus {
            // One subtraction is enough.
            let number = Expr::number(modulus, width);
            let below = Expr::Compare(Compare::Ltu, Box::new(value.clone()), Box::new(number.clone()));
            let less = Expr::binary(Operator::Sub, value.clone(), number);
            Expr::Select(Box::new(below), Box::new(value), Box::new(less))
        } else {
            Expr::Remainder(Box::new(value), modulus)
        };
        self.fresh("remainder", remainder).part(0, bits).expect("a name has parts")
    }

    fn compare(&mut self, which: Compare, a: Operand, b: Operand) -> Expr {
        let width = [a, b].iter().find_map(|o| match o {
            Operand::Value(v) => Some(self.width(*v)),
            Operand::Const(_) => None,
        });
        let width = width.unwrap_or(64);
        let (a, b) = (self.operand(a, width), self.operand(b, width));
        compared(which, a, b)
    }

    fn select(&mut self, c: Operand, a: Operand, b: Operand, width: u32) -> Expr {
        let condition = self.operand(c, 1);
        let a = self.operand(a, width);
        // The last operand may be a selection itself: a chain.
        let b = match b {
            Operand::Const(n) => Expr::number(n, width),
            Operand::Value(v) => self.held(v),
        };
        match condition {
            Expr::Const { value: 1, .. } => a,
            Expr::Const { .. } => match b {
                Expr::Select(..) => self.fresh("selected", b),
                b => b,
            },
            condition => Expr::Select(Box::new(condition), Box::new(a), Box::new(b)),
        }
    }

    /// An address as a word of `bits` bits.
    fn address(&mut self, address: &Address, length: u32) -> Expr {
        let bits = u32::from(bits_for(length as usize));
        let modulus = u64::from(length);
        let constant = address.affine.constant.rem_euclid(i64::from(length)) as u64;
        let Some(&(_, word)) = address.affine.terms.first() else { return Expr::number(constant, bits) };
        let have = self.width(word);
        if !address.ring || modulus.is_power_of_two() {
            let low =
                if have > bits { self.part(Operand::Value(word), 0, bits) } else { widened(self.value(word), bits) };
            return sum(low, constant);
        }
        if constant == 0 {
            return self.remainder(word, modulus);
        }
        // Wide enough for the sum, so that only the remainder cuts it.
        let value = widened(self.value(word), have.max(bits) + 1);
        self.reduced(sum(value, constant), modulus, bits)
    }

    fn load(&mut self, store: ValueId, address: &Address, width: u32) -> Expr {
        let (name, length) = self.stores[&store].clone();
        let address = self.address(address, length);
        Expr::Word { store: name, address: Box::new(address), width }
    }

    fn lookup(&mut self, id: TableId, address: &Address, result: ValueId) {
        let table = &self.program.tables[id.0 as usize];
        let address = self.address(address, table.data.len() as u32);
        let module = self.library.name(&Part::Table(id.0)).to_owned();
        let (wire, width, new) = self.driven(result);
        let inputs = vec![("address".to_owned(), address)];
        self.instance(&module, &table.name, inputs, vec![("value".to_owned(), wire, width, new)]);
    }

    fn linear(&mut self, id: MatrixId, list: &[Operand], results: &[ValueId]) {
        let matrix = &self.program.matrices[id.0 as usize];
        let degree = u32::from(matrix.degree());
        let input = concat(list.iter().map(|&o| self.operand(o, degree)).collect());
        let total = degree * results.len() as u32;
        let module = self.library.name(&Part::Matrix(id.0)).to_owned();
        let inputs = vec![("x".to_owned(), input)];
        if let [result] = results {
            let (wire, width, new) = self.driven(*result);
            return self.instance(&module, &matrix.name, inputs, vec![("y".to_owned(), wire, width, new)]);
        }
        let product = self.names.unique(&format!("{}_product", matrix.name));
        self.instance(&module, &matrix.name, inputs, vec![("y".to_owned(), product.clone(), total, true)]);
        for (n, &result) in results.iter().enumerate() {
            if self.is_used(result) {
                let low = total - degree * (n as u32 + 1);
                let part = Expr::name(&product, total).part(low, degree).expect("a name has parts");
                self.define(result, part, true);
            }
        }
    }

    fn is_used(&self, v: ValueId) -> bool {
        self.uses[v.0 as usize] > 0
    }

    fn bitsliced(&mut self, id: BoxId, list: &[Operand], results: &[ValueId]) {
        let width = self.width(results[0]);
        let name = self.program.boxes[id.0 as usize].name.clone();
        let module = self.library.name(&Part::Box(id.0, width)).to_owned();
        let inputs = list.iter().enumerate().map(|(n, &o)| (format!("x{n}"), self.operand(o, width))).collect();
        let outputs = results.iter().enumerate().map(|(n, &r)| {
            let (wire, width, new) = self.driven(r);
            (format!("y{n}"), wire, width, new)
        });
        let outputs = outputs.collect();
        self.instance(&module, &name, inputs, outputs);
    }

    fn call(&mut self, name: &str, list: &[Operand], results: &[ValueId]) {
        let program = self.program;
        let callee = program.functions.iter().find(|f| f.name == name).expect("a verified call finds its function");
        let ports = crate::write::function::ports(callee);
        let module = self.library.function(program, name).to_owned();
        let widths: Vec<u32> = ports.iter().map(|p| p.width).collect();
        let inputs =
            list.iter().zip(&ports).zip(&widths).map(|((&o, port), &w)| (port.name.clone(), self.operand(o, w)));
        let inputs = inputs.collect();
        let outputs = results.iter().zip(&ports[list.len()..]).map(|(&r, port)| {
            let (wire, width, new) = self.driven(r);
            (port.name.clone(), wire, width, new)
        });
        let outputs = outputs.collect();
        self.instance(&module, name, inputs, outputs);
    }
}
