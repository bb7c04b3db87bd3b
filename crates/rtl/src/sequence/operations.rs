//! Symbolic execution of one operation: indices become numbers, array elements places, words operands of the current step.

use std::rc::Rc;

use program::diagnostic::Diagnostic;
use program::ir::{Address, Affine, Function, Op, OpKind, Operand, Place as Source, Shift, Type, ValueData, ValueId};
use program::walk::{for_each_op, slots_mut, Slot};

use super::execute::{Cells, Executor, Origin, Thing, Values};
use super::{Place, Role};

impl Executor<'_> {
    pub(super) fn operation(&mut self, function: &Function, op: &Op, values: &mut Values) -> Result<(), Diagnostic> {
        match &op.kind {
            OpKind::IndexDiv(affine, by) => {
                values.insert(op.results[0], Thing::Index(index(affine, values).div_euclid(*by)));
            }
            OpKind::IndexMod(affine, by) => {
                values.insert(op.results[0], Thing::Index(index(affine, values).rem_euclid(*by)));
            }
            OpKind::Array(list) => self.new_array(function, op, list, values),
            OpKind::Load(array, addresses) => self.load(op, *array, addresses, values)?,
            OpKind::Store(array, addresses, words) => self.store(function, op, *array, addresses, words, values)?,
            OpKind::Word(affine) => self.known(function, op.results[0], index(affine, values) as u64, values),
            OpKind::Const(number) => self.known(function, op.results[0], *number, values),
            OpKind::Lookup(table, address) if numbers_only(address, values) => {
                let data = &self.program.tables[table.0 as usize].data;
                if let Some(at) = self.position(address, data.len() as i64, values) {
                    self.known(function, op.results[0], data[at], values);
                }
            }
            OpKind::Call(name, arguments) => match self.program.functions.iter().find(|f| f.name == *name) {
                Some(callee) if !is_straight(callee) => self.inlined(callee, op, arguments, values)?,
                _ => self.gates(function, op, values),
            },
            _ => self.gates(function, op, values),
        }
        Ok(())
    }

    /// A call of a function with loops or arrays is executed; one of words alone stays a call, an instance in hardware.
    fn inlined(
        &mut self,
        callee: &Function,
        op: &Op,
        arguments: &[Operand],
        values: &mut Values,
    ) -> Result<(), Diagnostic> {
        let mut inner = Values::new();
        for (&param, &argument) in callee.params.iter().zip(arguments) {
            let thing = self.thing(argument, &callee.values[param.0 as usize], values);
            inner.insert(param, thing);
        }
        self.block(callee, &callee.body, &mut inner)?;
        for ((&result, &output), ty) in op.results.iter().zip(&callee.body.outputs).zip(&callee.results) {
            let data = ValueData { name: String::new(), ty: ty.clone() };
            let thing = self.thing(output, &data, &inner);
            values.insert(result, thing);
        }
        Ok(())
    }

    fn known(&mut self, function: &Function, result: ValueId, number: u64, values: &mut Values) {
        let data = &function.values[result.0 as usize];
        if let Type::Word(width) = data.ty {
            let symbol = self.constant(number, width, &data.name);
            values.insert(result, Thing::Word(symbol));
        }
    }

    fn new_array(&mut self, function: &Function, op: &Op, list: &[Operand], values: &mut Values) {
        let data = &function.values[op.results[0].0 as usize];
        let Type::Array(shape) = &data.ty else { return };
        let root = self.array(&data.name, shape.width, &shape.dims, Role::Inner);
        let element = ValueData { name: data.name.clone(), ty: Type::Word(shape.width) };
        let mut cells = vec![None; shape.len()];
        for (n, operand) in list.iter().enumerate() {
            if let Thing::Word(symbol) = self.thing(*operand, &element, values) {
                self.pending.push((Place::Element(root, n as u32), symbol));
                cells[n] = Some(symbol);
            }
        }
        values.insert(op.results[0], Thing::Array(Cells { root, cells: Rc::new(cells) }));
    }

    /// The elements that an access means, flat, if its place is known.
    fn elements(
        &self,
        root: u32,
        addresses: &[Address],
        count: usize,
        values: &Values,
    ) -> Option<std::ops::Range<usize>> {
        let array = &self.raw.arrays[root as usize];
        let mut flat = 0;
        for (address, &extent) in addresses.iter().zip(&array.dims) {
            flat = flat * extent as usize + self.position(address, i64::from(extent), values)?;
        }
        Some(flat * count..(flat + 1) * count)
    }

    /// The place that an address means, if it is a number.
    pub(super) fn position(&self, address: &Address, extent: i64, values: &Values) -> Option<usize> {
        let at = self.sum(&address.affine, values)?;
        Some((if address.ring { at.rem_euclid(extent) } else { at }) as usize)
    }

    fn load(&mut self, op: &Op, array: ValueId, at: &[Address], values: &mut Values) -> Result<(), Diagnostic> {
        let Thing::Array(cells) = values[&array].clone() else { return Ok(()) };
        let Some(range) = self.elements(cells.root, at, op.results.len(), values) else {
            let place = self.data_place(op, cells.root, at, op.results.len(), values)?;
            return self.load_by_data(op, &cells, &place, values);
        };
        for (result, element) in op.results.iter().zip(range) {
            let Some(symbol) = cells.cells[element] else {
                let name = &self.raw.arrays[cells.root as usize].name;
                return Err(Diagnostic::new("H104", format!("`{name}[{element}]` is read before it is written"))
                    .at(self.program, &op.places));
            };
            let place = Place::Element(cells.root, element as u32);
            if !self.current.local.contains_key(&symbol) && self.holder.get(&place) == Some(&symbol) {
                self.read(symbol, place);
            }
            values.insert(*result, Thing::Word(symbol));
        }
        Ok(())
    }

    fn store(
        &mut self,
        function: &Function,
        op: &Op,
        array: ValueId,
        at: &[Address],
        words: &[Operand],
        values: &mut Values,
    ) -> Result<(), Diagnostic> {
        let Thing::Array(mut cells) = values[&array].clone() else { return Ok(()) };
        let data = ValueData {
            name: function.values[array.0 as usize].name.clone(),
            ty: Type::Word(self.raw.arrays[cells.root as usize].width),
        };
        let Some(range) = self.elements(cells.root, at, words.len(), values) else {
            let place = self.data_place(op, cells.root, at, words.len(), values)?;
            if let Thing::Word(word) = self.thing(words[0], &data, values) {
                self.store_by_data(op, &mut cells, &place, word)?;
            }
            values.insert(op.results[0], Thing::Array(cells));
            return Ok(());
        };
        for (word, element) in words.iter().zip(range) {
            if let Thing::Word(symbol) = self.thing(*word, &data, values) {
                Rc::make_mut(&mut cells.cells)[element] = Some(symbol);
                if !self.stands(symbol) {
                    self.pending.push((Place::Element(cells.root, element as u32), symbol));
                }
            }
        }
        values.insert(op.results[0], Thing::Array(cells));
        Ok(())
    }

    /// Whether a word needs no further place: of several functions each word has one.
    fn stands(&self, symbol: usize) -> bool {
        self.made.is_some() && (!self.is_new(symbol) || self.pending.iter().any(|(_, other)| *other == symbol))
    }

    /// An operation on words: what was computed already is that word, all else comes into the current step.
    fn gates(&mut self, function: &Function, op: &Op, values: &mut Values) {
        if let Some(numbers) = self.numbers_of(function, op, values) {
            let results = op.results.iter().zip(numbers);
            return results.for_each(|(&result, number)| self.known(function, result, number, values));
        }
        let computed = self.computed(function, op, values);
        let described = self.made.is_some().then(|| self.described(function, op, values));
        if let (Some(made), Some(described)) = (&self.made, &described) {
            if let Some(words) = made.get(described) {
                values.extend(op.results.iter().zip(words).map(|(result, word)| (*result, Thing::Word(*word))));
                return;
            }
        }
        let words = self.copied(function, op, values);
        if let [word] = words[..] {
            self.symbols[word].known = self.symbols[word].known.or(computed);
        }
        if let (Some(made), Some(described)) = (&mut self.made, described) {
            made.insert(described, words);
        }
    }

    /// An operation copied into the current step; gives the words that it makes.
    fn copied(&mut self, function: &Function, op: &Op, values: &mut Values) -> Vec<usize> {
        let mut kind = op.kind.clone();
        slots_mut(&mut kind, &mut |slot| match slot {
            Slot::Operand(operand) => {
                if let Operand::Value(v) = *operand {
                    *operand = self.resolved(&values[&v]);
                }
            }
            Slot::Value(v) => *v = self.as_value(&values[v].clone(), &op.places),
            Slot::Affine(affine) => *affine = self.address(affine, values),
        });
        if let (OpKind::Shift(which, _, Operand::Const(amount)), Type::Word(width)) =
            (&mut kind, &function.values[op.results[0].0 as usize].ty)
        {
            // An amount from a word that turned out to be known may exceed the width.
            let width = u64::from(*width);
            match which {
                Shift::Rotl | Shift::Rotr => *amount %= width,
                _ if *amount >= width => {
                    self.known(function, op.results[0], 0, values);
                    return Vec::new();
                }
                _ => {}
            }
        }
        let origin = Origin::Step(self.raw.steps.len());
        let (mut results, mut words) = (Vec::new(), Vec::new());
        for result in &op.results {
            let data = &function.values[result.0 as usize];
            let Type::Word(width) = data.ty else { continue };
            let value = self.value(&data.name, data.ty.clone());
            let symbol = self.symbol(&data.name, width, origin);
            self.current.local.insert(symbol, Operand::Value(value));
            values.insert(*result, Thing::Word(symbol));
            results.push(value);
            words.push(symbol);
        }
        self.current.ops.push(Op { kind, results, places: op.places.clone() });
        words
    }

    fn resolved(&mut self, thing: &Thing) -> Operand {
        match thing {
            Thing::Word(symbol) => self.operand(*symbol),
            Thing::Index(number) => Operand::Const(*number as u64),
            Thing::Array(_) => Operand::Const(0),
        }
    }

    /// A value even where a number stands: by a `const` operation.
    fn as_value(&mut self, thing: &Thing, places: &[Source]) -> ValueId {
        let Thing::Word(symbol) = thing else { return ValueId(0) };
        match self.operand(*symbol) {
            Operand::Value(value) => value,
            Operand::Const(number) => {
                let width = self.symbols[*symbol].width;
                let value = self.value("", Type::Word(width));
                let op = Op { kind: OpKind::Const(number), results: vec![value], places: places.to_vec() };
                self.current.ops.push(op);
                value
            }
        }
    }

    /// An address with one word in it; indices become numbers.
    fn address(&mut self, affine: &Affine, values: &Values) -> Affine {
        let mut result = Affine { terms: Vec::new(), constant: affine.constant };
        for &(coefficient, value) in &affine.terms {
            match &values[&value] {
                Thing::Index(number) => result.constant += coefficient * number,
                Thing::Word(symbol) => match self.operand(*symbol) {
                    Operand::Value(v) => result.terms.push((coefficient, v)),
                    Operand::Const(number) => result.constant += coefficient * number as i64,
                },
                Thing::Array(_) => {}
            }
        }
        result
    }
}

/// Whether a function has words only and no loop.
pub(super) fn is_straight(function: &Function) -> bool {
    let mut straight = function.values.iter().all(|v| matches!(v.ty, Type::Word(_)));
    for_each_op(&function.body, &mut |op| straight &= op.kind.as_loop().is_none());
    straight
}

fn numbers_only(address: &Address, values: &Values) -> bool {
    address.affine.terms.iter().all(|(_, v)| matches!(values[v], Thing::Index(_)))
}

fn index(affine: &Affine, values: &Values) -> i64 {
    let term = |&(coefficient, value): &(i64, ValueId)| match values[&value] {
        Thing::Index(number) => coefficient * number,
        _ => 0,
    };
    affine.constant + affine.terms.iter().map(term).sum::<i64>()
}
