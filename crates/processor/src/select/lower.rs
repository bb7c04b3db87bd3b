//! From the operations of a straight function to classes of terms and the stores among them.

use std::collections::HashMap;

use program::ir::{Address, Affine, Block, Function, Op, OpKind, Operand, Program, Type, ValueId};
use program::Diagnostic;

use super::objects::Objects;
use super::terms::{ClassId, Load, Term};
use super::words::{Word, Words};
use crate::code::{Packing, Role};
use crate::semantics::Operator;

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

/// A function as classes and stores.
#[derive(Debug)]
pub struct Lowered {
    /// The classes.
    pub words: Words,
    /// In order.
    pub stores: Vec<Store>,
    /// Memory.
    pub objects: Objects,
}

/// Lowers a function.
///
/// # Errors
/// `M201` for operations that passes must have replaced, `M202` for words wider than a register, `M203` for an array that is
/// needed as it was before a store.
pub fn lower(program: &Program, function: &Function, bits: u8) -> Result<Lowered, Diagnostic> {
    let objects = Objects::new(program, function);
    let versions = vec![0; objects.objects.len()];
    let lowered = Lowered { words: Words::new(bits), stores: Vec::new(), objects };
    let mut lowering =
        Lowering { program, function, lowered, values: HashMap::new(), versions, current: HashMap::new() };
    lowering.parameters();
    lowering.block(&function.body)?;
    lowering.results(&function.body)?;
    Ok(lowering.lowered)
}

struct Lowering<'a> {
    program: &'a Program,
    function: &'a Function,
    lowered: Lowered,
    values: HashMap<ValueId, Word>,
    /// Stores to each object so far.
    versions: Vec<u32>,
    /// The array that each object holds now.
    current: HashMap<usize, ValueId>,
}

impl Lowering<'_> {
    fn words(&mut self) -> &mut Words {
        &mut self.lowered.words
    }

    fn width(&self, v: ValueId) -> Option<u8> {
        match &self.function.values[v.0 as usize].ty {
            Type::Word(w) => Some(*w),
            Type::Array(a) => Some(a.width),
            Type::Index => None,
        }
    }

    fn parameters(&mut self) {
        for &v in &self.function.params {
            if let Some(&object) = self.lowered.objects.of_value.get(&v) {
                self.current.insert(object, v);
            }
        }
        self.origin("", &[]);
    }

    fn origin(&mut self, name: &str, places: &[program::ir::Place]) {
        let dag = &mut self.lowered.words.dag;
        dag.sequence = dag.origins.len() as u32;
        dag.origins.push((name.to_owned(), places.to_vec()));
    }

    fn block(&mut self, block: &Block) -> Result<(), Diagnostic> {
        for op in &block.ops {
            let name = op.results.first().map_or("", |v| &self.function.values[v.0 as usize].name);
            self.origin(&name.to_owned(), &op.places);
            self.operation(op).map_err(|error| error.at(self.program, &op.places))?;
        }
        Ok(())
    }

    fn results(&mut self, block: &Block) -> Result<(), Diagnostic> {
        self.origin("", &[]);
        for output in &block.outputs {
            if let Operand::Value(v) = output {
                if let Some(&object) = self.lowered.objects.of_value.get(v) {
                    self.must_be_current(object, *v)?;
                }
            }
        }
        Ok(())
    }

    fn operand(&mut self, operand: Operand, width: u8) -> Word {
        match operand {
            Operand::Value(v) => self.values[&v],
            Operand::Const(number) => self.words().constant(width, number),
        }
    }

    fn operation(&mut self, op: &Op) -> Result<(), Diagnostic> {
        let bits = self.lowered.words.dag.bits;
        for &result in &op.results {
            match &self.function.values[result.0 as usize].ty {
                Type::Word(w) if *w > bits => {
                    return Err(Diagnostic::new(
                        "M202",
                        format!("a word of {w} bits does not fit a register of {bits}"),
                    )
                    .help("choose a strategy whose words are as wide as a register or less"));
                }
                _ => {}
            }
        }
        match &op.kind {
            OpKind::Lookup(..) | OpKind::Load(..) | OpKind::Store(..) | OpKind::Array(_) => self.memory(op),
            OpKind::Linear(..) | OpKind::Bitsliced(..) | OpKind::Call(..) | OpKind::Loop(_) => Err(unfit(op)),
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
                let parts: Vec<Word> = parts.iter().map(|v| self.values[v]).collect();
                self.words().concat(&parts)
            }
            OpKind::Zext(a) => {
                let a = self.values[a];
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
            OpKind::Word(affine) => self.words().constant(width, affine.constant as u64),
            other => unreachable!("{} is no operation on words", other.mnemonic()),
        }
    }

    fn memory(&mut self, op: &Op) -> Result<(), Diagnostic> {
        match &op.kind {
            OpKind::Lookup(table, address) => {
                let object = self.lowered.objects.of_table[table];
                let extent = self.program.tables[table.0 as usize].data.len() as u32;
                let word = self.load(object, &[address.clone()], &[extent], 0)?;
                let width = self.program.tables[table.0 as usize].width;
                self.values.insert(op.results[0], Word { width, ..word });
            }
            OpKind::Load(array, addresses) => self.load_array(op, *array, addresses)?,
            OpKind::Store(array, addresses, list) => self.store_array(op, *array, addresses, list)?,
            OpKind::Array(list) => self.new_array(op.results[0], list),
            _ => unreachable!("only operations on memory come here"),
        }
        Ok(())
    }

    fn extents(&self, array: ValueId) -> Vec<u32> {
        match &self.function.values[array.0 as usize].ty {
            Type::Array(a) => a.dims.clone(),
            _ => vec![1],
        }
    }

    fn must_be_current(&self, object: usize, array: ValueId) -> Result<(), Diagnostic> {
        if self.current.get(&object) == Some(&array) {
            return Ok(());
        }
        let name = &self.function.values[array.0 as usize].name;
        Err(Diagnostic::new("M203", format!("the array `{name}` is needed as it was before a store"))
            .note("a kernel changes its arrays in place"))
    }

    fn load_array(&mut self, op: &Op, array: ValueId, addresses: &[Address]) -> Result<(), Diagnostic> {
        let object = self.lowered.objects.of_value[&array];
        self.must_be_current(object, array)?;
        let extents = self.extents(array);
        let width = self.width(array).unwrap_or(0);
        for (k, &result) in op.results.iter().enumerate() {
            let word = if self.lowered.objects.objects[object].packing == Packing::None {
                self.load(object, addresses, &extents, k as i64)?
            } else {
                self.load_packed(object, addresses[0].affine.constant)
            };
            self.values.insert(result, Word { width, ..word });
        }
        Ok(())
    }

    fn load_packed(&mut self, object: usize, byte: i64) -> Word {
        let little = self.lowered.objects.objects[object].packing == Packing::Little;
        let place = byte % 4;
        let whole = self.load_at(object, byte - place);
        let position = 8 * if little { place } else { 3 - place };
        self.words().extract(whole, position as u8, 8, 8)
    }

    /// The word at a number of bytes from the start of an object.
    fn load_at(&mut self, object: usize, offset: i64) -> Word {
        let address = self.known_address(object, offset);
        self.load_from(object, address, Some((offset, 0)))
    }

    fn load_from(&mut self, object: usize, address: ClassId, offset: Option<(i64, i64)>) -> Word {
        let bits = self.lowered.objects.objects[object].element * 8;
        let version = self.versions[object];
        let load = Term::Load(Load { bits, address, object, offset, version });
        let class = self.words().dag.exact(load);
        self.words().exact(bits, class)
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
        let stride = i64::from(self.lowered.objects.objects[object].stride);
        let start = self.known_address(object, flat.constant * stride);
        match flat.terms.as_slice() {
            [] => Ok((start, Some((flat.constant * stride, 0)))),
            [(scale, word)] => {
                let index = self.values[word].clean;
                let scaled = self.scaled(index, scale * stride);
                Ok((self.words().dag.binary(Operator::Add, scaled, start), None))
            }
            _ => Err(Diagnostic::new("M201", "an address of several terms remains".to_owned())),
        }
    }

    fn scaled(&mut self, index: ClassId, by: i64) -> ClassId {
        let dag = &mut self.lowered.words.dag;
        if (by as u64).is_power_of_two() {
            return dag.shifted(index, by.trailing_zeros() as u8);
        }
        let by = dag.number(by as u64);
        dag.binary(Operator::Mul, index, by)
    }

    fn known_address(&mut self, object: usize, offset: i64) -> ClassId {
        let (base, distance) = self.lowered.objects.base(object);
        let dag = &mut self.lowered.words.dag;
        let pointer = dag.exact(Term::Pointer(base));
        let at = distance + offset;
        let class = if at == 0 {
            pointer
        } else {
            let number = dag.number(at as u64);
            dag.binary(Operator::Add, pointer, number)
        };
        dag.classes[class as usize].known_address = Some((base, at));
        class
    }

    fn store_array(
        &mut self,
        op: &Op,
        array: ValueId,
        addresses: &[Address],
        list: &[Operand],
    ) -> Result<(), Diagnostic> {
        let object = self.lowered.objects.of_value[&array];
        self.must_be_current(object, array)?;
        if matches!(self.lowered.objects.objects[object].role, Role::Parameter(_)) {
            let name = &self.function.values[array.0 as usize].name;
            return Err(Diagnostic::new("M203", format!("the parameter `{name}` is changed")));
        }
        let extents = self.extents(array);
        let width = self.width(array).unwrap_or(0);
        for (k, &value) in list.iter().enumerate() {
            let value = self.operand(value, width);
            let (address, offset) = self.address(object, addresses, &extents, k as i64)?;
            self.push_store(object, address, offset, value);
        }
        self.current.insert(object, op.results[0]);
        Ok(())
    }

    fn push_store(&mut self, object: usize, address: ClassId, offset: Option<(i64, i64)>, value: Word) {
        let bits = self.lowered.objects.objects[object].element * 8;
        let value = if value.width < bits { value.clean } else { value.dirty };
        let sequence = self.lowered.words.dag.sequence;
        self.lowered.stores.push(Store { bits, address, value, object, offset, sequence });
        self.versions[object] += 1;
    }

    fn new_array(&mut self, array: ValueId, list: &[Operand]) {
        let object = self.lowered.objects.of_value[&array];
        let width = self.width(array).unwrap_or(0);
        let packing = self.lowered.objects.objects[object].packing;
        let elements: Vec<Word> = list.iter().map(|&o| self.operand(o, width)).collect();
        let step = if packing == Packing::None { 1 } else { 4 };
        let stride = i64::from(self.lowered.objects.objects[object].stride);
        for (k, part) in elements.chunks(step).enumerate() {
            let mut part = part.to_vec();
            if packing == Packing::Big {
                part.reverse();
            }
            let value = if part.len() == 1 { part[0] } else { self.words().concat(&part) };
            let offset = k as i64 * stride;
            let address = self.known_address(object, offset);
            self.push_store(object, address, Some((offset, 0)), value);
        }
        self.current.insert(object, array);
    }
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
                return Err(Diagnostic::new("M201", "an address that wraps around remains".to_owned())
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
