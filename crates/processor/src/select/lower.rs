//! From the operations of a straight function to classes of terms and the stores among them.

use std::collections::HashMap;

use program::ir::{Address, Affine, Binary, Op, OpKind, Operand, Type, ValueId as ProgramValue};
use program::Diagnostic;

use super::context::{Context, Induction, LiveIn};
use super::pairs::PairLoads;
use super::terms::{ClassId, Dag, Load, Term};
use super::words::{Word, Words};
use crate::code::{Packing, Role, ValueId};
use crate::semantics::{Function, Operator};

/// A store.
#[derive(Clone, Debug)]
pub struct Store {
    /// Bits written.
    pub bits: u8,
    /// The address.
    pub address: ClassId,
    /// What is written, under any upper bits.
    pub value: ClassId,
    /// The object.
    pub object: usize,
    /// See [`Load::offset`].
    pub offset: Option<(i64, i64)>,
    /// Number of the program's operation.
    pub sequence: u32,
}

/// A region as classes and stores.
#[derive(Debug)]
pub struct LoweredRegion {
    /// The classes.
    pub words: Words,
    /// In order.
    pub stores: Vec<Store>,
    /// Of a loop: values that count its iterations.
    pub inductions: Vec<Induction>,
    /// The program's words that were asked for.
    pub wanted: Vec<Word>,
}

/// A sum of indices: its number in the first iteration, what is added every iteration, and the word in it with its factor.
type Parts = (i64, i64, Option<(i64, ProgramValue)>);

/// A word of twice a register's width.
#[derive(Clone, Copy, Debug)]
enum DoubleWord {
    Word(Word),
    Product(Word, Word),
}

/// The lowering of one region.
pub struct Lowering<'c, 'a> {
    /// What is known from before.
    pub context: &'c mut Context<'a>,
    lowered: LoweredRegion,
    values: HashMap<ProgramValue, Word>,
    /// Words of twice a register's width, of which only the halves are computed: a word under zeros, or a product of two.
    doubled: HashMap<ProgramValue, DoubleWord>,
    /// The iteration number of the loop.
    pub iteration: Option<ProgramValue>,
}

impl<'c, 'a> Lowering<'c, 'a> {
    /// Without operations.
    pub fn new(context: &'c mut Context<'a>) -> Self {
        let words = Words::new(context.bits, context.amounts.clone());
        let lowered = LoweredRegion { words, stores: Vec::new(), inductions: Vec::new(), wanted: Vec::new() };
        let mut lowering =
            Lowering { context, lowered, values: HashMap::new(), doubled: HashMap::new(), iteration: None };
        lowering.origin("", &[]);
        lowering
    }

    /// What was lowered, with the words that are wanted; those that the function returns are stored.
    ///
    /// # Errors
    /// As for operations.
    pub fn finish(mut self, wanted: &[(Operand, u8)], returned: &[Operand]) -> Result<LoweredRegion, Diagnostic> {
        self.origin("", &[]);
        for (k, &operand) in returned.iter().enumerate() {
            if let Some(&object) = self.context.objects.of_result.get(&k) {
                let value = self.operand(operand, self.context.objects.objects[object].element * 8);
                let address = self.known_address(object, 0, 0);
                self.push_store(object, address, Some((0, 0)), value);
            }
        }
        for &(operand, width) in wanted {
            let word = self.operand(operand, width);
            self.lowered.wanted.push(word);
        }
        Ok(self.lowered)
    }

    fn words(&mut self) -> &mut Words {
        &mut self.lowered.words
    }

    /// A word that the region finds in a value.
    pub fn give(&mut self, v: ProgramValue, value: ValueId, dirty: bool) {
        let width = self.width(v).unwrap_or(0);
        let word = self.words().given(width, value, dirty);
        self.values.insert(v, word);
    }

    /// Bits of a word or of the elements of an array.
    pub fn width(&self, v: ProgramValue) -> Option<u8> {
        match &self.context.function.values[v.0 as usize].ty {
            Type::Word(w) => Some(*w),
            Type::Array(a) => Some(a.width),
            Type::Index => None,
        }
    }

    fn origin(&mut self, name: &str, places: &[program::ir::Place]) {
        let dag = &mut self.lowered.words.dag;
        dag.sequence = dag.origins.len() as u32;
        dag.origins.push((name.to_owned(), places.to_vec()));
    }

    /// Lowers operations.
    ///
    /// # Errors
    /// `M201` for operations that passes must have replaced, `M202` for words wider than a register, `M203` for an array
    /// that is needed as it was before a store.
    pub fn operations(&mut self, ops: &[Op]) -> Result<(), Diagnostic> {
        let (program, function) = (self.context.program, self.context.function);
        for op in ops {
            let name = op.results.first().map_or("", |v| &function.values[v.0 as usize].name);
            self.origin(name, &op.places);
            self.operation(op).map_err(|error| error.at(program, &op.places))?;
        }
        Ok(())
    }

    fn operand(&mut self, operand: Operand, width: u8) -> Word {
        match operand {
            Operand::Value(v) => self.known(v),
            Operand::Const(number) => self.words().constant(width, number),
        }
    }

    /// A word of this region or an earlier one, or a word that is a parameter.
    fn known(&mut self, v: ProgramValue) -> Word {
        if let Some(&word) = self.values.get(&v) {
            return word;
        }
        let width = self.width(v).unwrap_or(0);
        let word = match self.context.held.get(&v).copied() {
            Some(LiveIn::Value(value, dirty)) => self.words().given(width, value, dirty),
            Some(LiveIn::Number(number)) => self.words().constant(width, number),
            None => self.parameter(v, width),
        };
        self.values.insert(v, word);
        word
    }

    fn parameter(&mut self, v: ProgramValue, width: u8) -> Word {
        let object = self.context.objects.of_value[&v];
        Word { width, ..self.load_at(object, 0) }
    }

    /// The number that a sum of indices is in the first iteration, and what is added every iteration; the word in it, if there is one.
    ///
    /// The loop's own index is the only one: loops inside of loops and quotients of indices have no instructions.
    fn parts(&self, affine: &Affine) -> Parts {
        let (mut step, mut word) = (0, None);
        for &(scale, v) in &affine.terms {
            if Some(v) == self.iteration {
                step += scale;
            } else {
                word = Some((scale, v));
            }
        }
        (affine.constant, step, word)
    }

    /// The value that holds an object's address (or 0) plus a number, moved every iteration.
    fn induction(&mut self, object: Option<usize>, start: i64, step: i64, width: u8) -> ClassId {
        let same = |i: &&Induction| i.object == object && i.start == start && i.step == step;
        let value = match self.lowered.inductions.iter().find(same) {
            Some(known) => known.value,
            None => {
                let name = object.map_or_else(String::new, |o| self.context.objects.objects[o].name.clone());
                self.context.value(&name)
            }
        };
        let dag = &mut self.lowered.words.dag;
        let class = dag.class(vec![Term::Given(value)], width, false);
        let by = dag.number(step as u64);
        let next = dag.binary(Operator::Add, class, by);
        if !self.lowered.inductions.iter().any(|i| i.value == value) {
            self.lowered.inductions.push(Induction { value, object, start, step, next });
        }
        class
    }

    /// What becomes of a product of two registers and of its halves; `false`: the operation is none of that.
    fn doubled(&mut self, op: &Op) -> bool {
        let bits = self.lowered.words.dag.bits;
        let (result, width) = (op.results[0], self.width(op.results[0]).unwrap_or(0));
        let made = match op.kind {
            OpKind::Zext(a) if width == 2 * bits && self.width(a).is_some_and(|w| w <= bits) => {
                let a = self.known(a);
                DoubleWord::Word(self.words().widened(a, bits))
            }
            OpKind::Binary(Binary::Mul, a, b) if width == 2 * bits => {
                let (Some(a), Some(b)) = (self.undoubled(a), self.undoubled(b)) else { return false };
                DoubleWord::Product(a, b)
            }
            OpKind::Extract(Operand::Value(v), position) => {
                let Some(DoubleWord::Product(a, b)) = self.doubled.get(&v).copied() else { return false };
                if position != bits || width > bits {
                    return false;
                }
                let high = self.words().high_product(a, b);
                let word = self.words().extract(high, 0, width, width);
                self.values.insert(result, word);
                return true;
            }
            _ => return false,
        };
        self.doubled.insert(result, made);
        true
    }

    /// The register whose number a word of twice its width is.
    fn undoubled(&mut self, operand: Operand) -> Option<Word> {
        let bits = self.lowered.words.dag.bits;
        match operand {
            Operand::Const(n) => (n <= program::semantics::mask(bits)).then(|| self.words().constant(bits, n)),
            Operand::Value(v) => match self.doubled.get(&v)? {
                DoubleWord::Word(word) => Some(*word),
                DoubleWord::Product(..) => None,
            },
        }
    }

    fn operation(&mut self, op: &Op) -> Result<(), Diagnostic> {
        if self.doubled(op) {
            return Ok(());
        }
        let bits = self.lowered.words.dag.bits;
        for &result in &op.results {
            match &self.context.function.values[result.0 as usize].ty {
                Type::Word(w) if *w > bits => {
                    return Err(Diagnostic::new(
                        "M202",
                        format!("a word of {w} bits does not fit a register of {bits}"),
                    )
                    .help(format!("the pass `machine-words:width={bits}` makes it from words that do")));
                }
                _ => {}
            }
        }
        match &op.kind {
            OpKind::Lookup(..) | OpKind::Load(..) | OpKind::Store(..) | OpKind::Array(_) => self.memory(op),
            OpKind::Linear(..) | OpKind::Bitsliced(..) | OpKind::Call(..) | OpKind::Loop(_) => Err(unfit(op)),
            OpKind::Word(affine) => {
                let width = self.width(op.results[0]).unwrap_or(0);
                let (start, step, _) = self.parts(affine);
                let word = if step == 0 {
                    self.words().constant(width, start as u64)
                } else {
                    let class = self.induction(None, start, step, width);
                    self.words().exact(width, class)
                };
                self.values.insert(op.results[0], word);
                Ok(())
            }
            OpKind::IndexDiv(..) | OpKind::IndexMod(..) => Err(unfit(op)),
            _ => {
                let word = self.word_operation(op);
                self.values.insert(op.results[0], word);
                Ok(())
            }
        }
    }

    fn word_operation(&mut self, op: &Op) -> Word {
        let width = self.width(op.results[0]).unwrap_or(0);
        match &op.kind {
            OpKind::Const(n) => self.words().constant(width, *n),
            OpKind::Binary(which, a, b) => {
                let (a, b) = (self.operand(*a, width), self.operand(*b, width));
                self.words().binary(*which, a, b)
            }
            OpKind::Not(a) => {
                let a = self.operand(*a, width);
                self.words().not(a)
            }
            OpKind::Shift(which, a, amount) => {
                let a = self.operand(*a, width);
                let amount = self.operand(*amount, 32);
                self.words().shift_by(*which, a, amount)
            }
            OpKind::Extract(a, position) => {
                let a = self.operand(*a, 64);
                self.words().extract(a, *position, width, width)
            }
            OpKind::Concat(parts) => {
                let parts: Vec<Word> = parts.iter().map(|&v| self.known(v)).collect();
                self.words().concat(&parts)
            }
            OpKind::Zext(a) => {
                let a = self.known(*a);
                self.words().widened(a, width)
            }
            OpKind::Compare(which, a, b) => {
                let of = |o: &Operand| if let Operand::Value(v) = o { self.width(*v) } else { None };
                let width = of(a).or_else(|| of(b)).unwrap_or(64);
                let (a, b) = (self.operand(*a, width), self.operand(*b, width));
                self.words().compare(*which, a, b)
            }
            OpKind::Select(c, a, b) => {
                let (c, a, b) = (self.operand(*c, 1), self.operand(*a, width), self.operand(*b, width));
                self.words().select(c, a, b)
            }
            other => unreachable!("{} is no operation on words", other.mnemonic()),
        }
    }

    fn memory(&mut self, op: &Op) -> Result<(), Diagnostic> {
        match &op.kind {
            OpKind::Lookup(table, address) => {
                let object = self.context.objects.of_table[table];
                let extent = self.context.program.tables[table.0 as usize].data.len() as u32;
                let word = self.load(object, std::slice::from_ref(address), &[extent], 0)?;
                let width = self.context.program.tables[table.0 as usize].width;
                self.values.insert(op.results[0], Word { width, ..word });
            }
            OpKind::Load(array, addresses) => self.load_array(op, *array, addresses)?,
            OpKind::Store(array, addresses, list) => self.store_array(op, *array, addresses, list)?,
            OpKind::Array(list) => self.new_array(op.results[0], list),
            _ => unreachable!("only operations on memory come here"),
        }
        Ok(())
    }

    fn extents(&self, array: ProgramValue) -> Vec<u32> {
        match &self.context.function.values[array.0 as usize].ty {
            Type::Array(a) => a.dims.clone(),
            _ => vec![1],
        }
    }

    fn load_array(&mut self, op: &Op, array: ProgramValue, addresses: &[Address]) -> Result<(), Diagnostic> {
        let object = self.context.objects.of_value[&array];
        self.context.must_be_current(object, array)?;
        let extents = self.extents(array);
        let width = self.width(array).unwrap_or(0);
        for (k, &result) in op.results.iter().enumerate() {
            let word = if self.context.objects.objects[object].packing == Packing::None {
                self.load(object, addresses, &extents, k as i64)?
            } else {
                self.load_packed(object, addresses[0].affine.constant)
            };
            self.values.insert(result, Word { width, ..word });
        }
        Ok(())
    }

    fn load_packed(&mut self, object: usize, byte: i64) -> Word {
        let little = self.context.objects.objects[object].packing == Packing::Little;
        let place = byte % 4;
        let whole = self.load_at(object, byte - place);
        let position = 8 * if little { place } else { 3 - place };
        self.words().extract(whole, position as u8, 8, 8)
    }

    /// The word at a number of bytes from the start of an object.
    fn load_at(&mut self, object: usize, offset: i64) -> Word {
        let address = self.known_address(object, offset, 0);
        self.load_from(object, address, Some((offset, 0)))
    }

    fn load_from(&mut self, object: usize, address: ClassId, offset: Option<(i64, i64)>) -> Word {
        let bits = self.context.objects.objects[object].element * 8;
        let version = self.context.versions[object];
        let load = Term::Load(Load { bits, address, object, offset, version });
        if let Some((at, _)) = offset.filter(|o| self.context.in_pair(object, *o)) {
            return self.load_half(object, at, load);
        }
        if self.context.signed_loads.contains(&bits) {
            return self.words().word(bits, vec![load.clone()], vec![load]);
        }
        let class = self.words().dag.exact(load);
        self.words().exact(bits, class)
    }

    /// A word at a known place, which may be taken from what is loaded there with its neighbour.
    fn load_half(&mut self, object: usize, at: i64, load: Term) -> Word {
        let data = &self.context.objects.objects[object];
        let (bits, size) = (data.element * 8, 2 * i64::from(data.element));
        let start = at - at % size;
        let wanted = self.context.wide == PairLoads::Keys && !self.context.objects.is_block(object);
        let address = self.known_address(object, start, 0);
        let version = self.context.versions[object];
        let whole = Load { bits: 2 * bits, address, object, offset: Some((start, 0)), version };
        let whole = self.words().dag.exact(Term::Load(whole));
        self.words().loaded_half(bits, load, whole, 8 * (at - start) as u8, wanted)
    }

    fn load(&mut self, object: usize, addresses: &[Address], extents: &[u32], part: i64) -> Result<Word, Diagnostic> {
        let (address, offset) = self.address(object, addresses, extents, part)?;
        Ok(self.load_from(object, address, offset))
    }

    /// The address of an element and its distance from the object's start, where that is known.
    fn address(
        &mut self,
        object: usize,
        addresses: &[Address],
        extents: &[u32],
        part: i64,
    ) -> Result<(ClassId, Option<(i64, i64)>), Diagnostic> {
        let flat = flattened(addresses, extents, part)?;
        let (start, step, word) = self.parts(&flat);
        let stride = i64::from(self.context.objects.objects[object].stride);
        let (at, by) = (start * stride, step * stride);
        let start = self.known_address(object, at, by);
        let Some((scale, word)) = word else { return Ok((start, Some((at, by)))) };
        let index = self.known(word).clean;
        let scaled = self.scaled(index, scale * stride);
        let mut terms = vec![Term::Binary(Operator::Add, scaled, start)];
        if by == 0 && scale == 1 {
            terms.extend(self.joined(object, at, word, start));
        }
        let bits = self.context.bits;
        Ok((self.words().dag.class(terms, bits, false), None))
    }

    /// Further ways to the address of an element of an aligned table: by exclusive or, which a part of the index that is
    /// there before the rest may go through alone.
    fn joined(&mut self, object: usize, at: i64, index: ProgramValue, start: ClassId) -> Vec<Term> {
        let word = self.known(index);
        let reach = 1u64.checked_shl(word.width.into()).unwrap_or(0);
        if !self.context.join_by_xor || !self.context.layout.joins(&self.context.objects, object, at, reach) {
            return vec![];
        }
        let stride = i64::from(self.context.objects.objects[object].stride);
        let scaled = self.scaled(word.clean, stride);
        let mut terms = vec![Term::Binary(Operator::Xor, scaled, start)];
        for parts in self.words().xored_fields(word) {
            let [x, y] = parts.map(|part| self.scaled(part, stride));
            for (early, late) in [(x, y), (y, x)] {
                let sums = vec![Term::Binary(Operator::Add, early, start), Term::Binary(Operator::Xor, early, start)];
                let bits = self.context.bits;
                let base = self.words().dag.class(sums, bits, false);
                terms.push(Term::Binary(Operator::Xor, late, base));
            }
        }
        terms
    }

    fn scaled(&mut self, index: ClassId, by: i64) -> ClassId {
        let dag = &mut self.lowered.words.dag;
        if (by as u64).is_power_of_two() {
            let by = by.trailing_zeros() as u8;
            return if self.context.mask_in_place { scaled_field(dag, index, by) } else { dag.shifted(index, by) };
        }
        let by = dag.number(by as u64);
        dag.binary(Operator::Mul, index, by)
    }

    /// The address at a number of bytes from an object's start, which moves by another number every iteration.
    fn known_address(&mut self, object: usize, offset: i64, step: i64) -> ClassId {
        let (base, distance) = self.context.objects.base(object);
        let pointer = match step {
            0 => self.lowered.words.dag.exact(Term::Pointer(base)),
            _ => self.induction(Some(base), 0, step, self.context.bits),
        };
        let dag = &mut self.lowered.words.dag;
        let at = distance + offset;
        let class = if at == 0 {
            pointer
        } else {
            let number = dag.number(at as u64);
            dag.binary(Operator::Add, pointer, number)
        };
        dag.classes[class as usize].known_address = Some((base, at, step));
        class
    }

    fn store_array(
        &mut self,
        op: &Op,
        array: ProgramValue,
        addresses: &[Address],
        list: &[Operand],
    ) -> Result<(), Diagnostic> {
        let object = self.context.objects.of_value[&array];
        self.context.must_be_current(object, array)?;
        if matches!(self.context.objects.objects[object].role, Role::Parameter(_)) {
            let name = &self.context.function.values[array.0 as usize].name;
            return Err(Diagnostic::new("M206", format!("the parameter `{name}` is changed"))
                .help("a kernel does not write what it is given: store into an array of its own"));
        }
        let extents = self.extents(array);
        let width = self.width(array).unwrap_or(0);
        for (k, &value) in list.iter().enumerate() {
            let value = self.operand(value, width);
            let (address, offset) = self.address(object, addresses, &extents, k as i64)?;
            self.push_store(object, address, offset, value);
        }
        self.context.current.insert(object, op.results[0]);
        Ok(())
    }

    fn push_store(&mut self, object: usize, address: ClassId, offset: Option<(i64, i64)>, value: Word) {
        let bits = self.context.objects.objects[object].element * 8;
        let value = if value.width < bits { value.clean } else { value.dirty };
        let sequence = self.lowered.words.dag.sequence;
        self.lowered.stores.push(Store { bits, address, value, object, offset, sequence });
        self.context.versions[object] += 1;
    }

    fn new_array(&mut self, array: ProgramValue, list: &[Operand]) {
        let object = self.context.objects.of_value[&array];
        let width = self.width(array).unwrap_or(0);
        let packing = self.context.objects.objects[object].packing;
        let elements: Vec<Word> = list.iter().map(|&o| self.operand(o, width)).collect();
        let step = if packing == Packing::None { 1 } else { 4 };
        let stride = i64::from(self.context.objects.objects[object].stride);
        for (k, part) in elements.chunks(step).enumerate() {
            let mut part = part.to_vec();
            if packing == Packing::Big {
                part.reverse();
            }
            let value = if part.len() == 1 { part[0] } else { self.words().concat(&part) };
            let offset = k as i64 * stride;
            let address = self.known_address(object, offset, 0);
            self.push_store(object, address, Some((offset, 0)), value);
        }
        self.context.current.insert(object, array);
    }
}

/// A class shifted to the left; a field may be masked where it stands, after a shift by less.
fn scaled_field(dag: &mut Dag, index: ClassId, by: u8) -> ClassId {
    let plain = dag.shifted(index, by);
    let field = dag.classes[index as usize].terms.iter().find_map(|t| match t {
        Term::Call(Function::Field, list) => {
            Some((list[0], dag.constant(list[1])? as u8, dag.constant(list[2])? as u8))
        }
        _ => None,
    });
    let Some((x, position, length)) = field.filter(|_| by > 0) else { return plain };
    let moved = if position >= by {
        let n = dag.number((position - by).into());
        if position == by {
            x
        } else {
            dag.exact(Term::Binary(Operator::Shr, x, n))
        }
    } else {
        dag.shifted(x, by - position)
    };
    let mask = dag.number(program::semantics::mask(length) << by);
    let terms = vec![Term::Same(plain), Term::Binary(Operator::And, moved, mask)];
    dag.class(terms, length + by, false)
}

/// One sum over the whole array, in elements.
fn flattened(addresses: &[Address], extents: &[u32], part: i64) -> Result<Affine, Diagnostic> {
    let mut flat = Affine::default();
    for (k, &extent) in extents.iter().enumerate() {
        let extent = i64::from(extent);
        flat.constant *= extent;
        flat.terms.iter_mut().for_each(|t| t.0 *= extent);
        match addresses.get(k) {
            None => flat.constant += part,
            Some(a) if a.ring && a.affine.terms.is_empty() => flat.constant += a.affine.constant.rem_euclid(extent),
            Some(a) if a.ring => {
                return Err(Diagnostic::new("M208", "an address that wraps around remains".to_owned())
                    .help("the pass `unroll:factor=ring` makes such addresses known"));
            }
            Some(a) => {
                flat.constant += a.affine.constant;
                flat.terms.extend(&a.affine.terms);
            }
        }
    }
    Ok(flat)
}

fn unfit(op: &Op) -> Diagnostic {
    let pass = match op.kind {
        OpKind::Linear(..) => "lower-linear",
        OpKind::Bitsliced(..) => "circuits",
        OpKind::Call(..) => "inline-calls",
        _ => "unroll",
    };
    Diagnostic::new("M201", format!("no instructions are selected for `{}`", op.kind.mnemonic()))
        .help(format!("the pass `{pass}` replaces it"))
}
