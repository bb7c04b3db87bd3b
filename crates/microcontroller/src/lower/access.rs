//! Loads and stores of bytes: at addresses that are known, by loops' indices, by data.

use std::sync::Arc;

use program::ir::{Address, Affine, ValueId};

use super::objects::{address, ring};
use super::pointers::Pointer;
use super::Lowering;
use crate::code::{Access, Instruction, Line, Memory, Source};
use crate::select::{bytes_of, Bytes, SelectResult};
use program::ir::Shift;

/// Where a byte is: the lines that make an address and what they read, then the register that holds it.
#[derive(Default)]
struct Place {
    lines: Vec<Line>,
    ins: Bytes,
    register: Option<String>,
    distance: i64,
    /// The register moves by odd numbers of bytes.
    odd: bool,
}

impl Lowering<'_> {
    /// Loads or stores byte `n` of what an operation loads or stores.
    pub(super) fn element(
        &mut self,
        stores: bool,
        array: ValueId,
        addresses: &[Address],
        n: i64,
        value: Source,
    ) -> SelectResult<()> {
        let object = self.object(array);
        if let Some(around) = ring(self.extents(array), addresses) {
            let p = self.ring_pointer(&object, &around)?;
            return self.around(stores, &p, &object, around.distance + n, value);
        }
        let (terms, constant) = address(self.extents(array), addresses)?;
        self.access(stores, &object, &terms, constant + n, value)
    }

    /// Loads or stores a byte at coefficients of values plus a constant.
    pub(super) fn access(
        &mut self,
        stores: bool,
        object: &Arc<str>,
        terms: &[(i64, ValueId)],
        at: i64,
        value: Source,
    ) -> SelectResult<()> {
        let data = terms.iter().any(|(_, v)| self.word_bits(*v) > 0);
        if self.addresses().registers.is_none() {
            let index = if data { self.index(terms, object)? } else { self.counted_index(terms, object) };
            self.accessed(stores, object, at, index, value);
            return Ok(());
        }
        let place = if data {
            self.computed(stores, object, terms, at)?
        } else if terms.is_empty() {
            Place::default()
        } else {
            self.pointed(stores, object, terms, at)?
        };
        self.at(stores, object, at, place, value)
    }

    /// Loads or stores a byte at a distance from a pointer that wraps around.
    fn around(&mut self, stores: bool, p: &Pointer, object: &Arc<str>, at: i64, value: Source) -> SelectResult<()> {
        if self.addresses().registers.is_none() {
            let index = self.halves(p, object);
            self.accessed(stores, object, at, index, value);
            return Ok(());
        }
        let mut place = self.in_register(stores, &[Source::Value(p.low), Source::Value(p.high)])?;
        place.distance = at;
        self.displaced(stores, object, at, place, value)
    }

    /// The address of data: multiplied by the bytes of an element, with the object where displacements do not hold it.
    fn computed(&mut self, stores: bool, object: &str, terms: &[(i64, ValueId)], at: i64) -> SelectResult<Place> {
        let Some(registers) = &self.addresses().registers else { return Ok(Place::default()) };
        let mut place = match *terms {
            [(stride, word)] if is_power_of_two(stride) => {
                let bytes = self.bytes(word);
                let mut place = self.in_register(stores, &bytes[..bytes.len().min(2)])?;
                for _ in 0..stride.ilog2() {
                    place.lines.extend(self.selector.filled(&registers.double, &[])?);
                }
                place
            }
            _ => {
                let sum = self.summed(terms)?;
                self.in_register(stores, &sum)?
            }
        };
        let with = [("object", object), ("at", &*at.to_string())];
        place.lines.extend(self.selector.filled(&registers.object, &with)?);
        Ok(place)
    }

    /// The two bytes of a sum of words and indices, each times its coefficient.
    fn summed(&mut self, terms: &[(i64, ValueId)]) -> SelectResult<Bytes> {
        let (words, indices) = self.words_apart(terms.to_vec());
        let mut parts = Vec::new();
        if !indices.is_empty() {
            parts.push(self.counted_wide(&Affine { terms: indices, constant: 0 })?);
        }
        for (stride, word) in words {
            let mut bytes = self.bytes(word);
            bytes.resize(2, Source::Number(0));
            parts.push(match stride {
                1 => bytes,
                _ if is_power_of_two(stride) => self.selector.wide(&format!("shl_16_{}", stride.ilog2()), &bytes)?,
                _ => self.selector.wide("mul_16", &[bytes, bytes_of(stride as u64, 2)].concat())?,
            });
        }
        let mut sum = parts.pop().unwrap_or_else(|| bytes_of(0, 2));
        for part in parts {
            sum = self.selector.wide("add_16", &[sum, part].concat())?;
        }
        Ok(sum)
    }

    /// An address of a low byte, or of two bytes, in the register of addresses.
    fn in_register(&mut self, stores: bool, bytes: &[Source]) -> SelectResult<Place> {
        let Some(registers) = &self.addresses().registers else { return Ok(Place::default()) };
        let first = usize::from(!stores);
        let mut lines = Vec::new();
        let templates = [&registers.low, if bytes.len() > 1 { &registers.high } else { &registers.clear }];
        for (n, template) in templates.into_iter().enumerate() {
            let from = format!("{{{}}}", first + n);
            lines.extend(self.selector.filled(std::slice::from_ref(template), &[("from", &from)])?);
        }
        let register = Some(registers.register.clone());
        Ok(Place { lines, ins: bytes.to_vec(), register, ..Place::default() })
    }

    /// The address of a loop's pointer.
    fn pointed(&mut self, stores: bool, object: &str, terms: &[(i64, ValueId)], at: i64) -> SelectResult<Place> {
        let mut terms = terms.to_vec();
        terms.sort_unstable();
        let p = if self.addresses().objects { self.pointer(object, &terms, at) } else { self.pointer("", &terms, 0) };
        let mut place = if p.pin.is_none() {
            self.in_register(stores, &[Source::Value(p.low), Source::Value(p.high)])?
        } else {
            let (lines, register) = self.pin_named(&p)?;
            let registers = self.addresses().registers.as_ref();
            let register = register.or_else(|| registers.map(|registers| registers.register.clone()));
            Place { lines, register, ..Place::default() }
        };
        place.distance = at - p.base;
        place.odd = terms.iter().any(|(stride, _)| stride % 2 != 0);
        Ok(place)
    }

    /// Appends a load or a store.
    fn at(&mut self, stores: bool, object: &Arc<str>, at: i64, place: Place, value: Source) -> SelectResult<()> {
        let Some(registers) = &self.addresses().registers else { return Ok(()) };
        let templates = if stores { &registers.store } else { &registers.load };
        let pointed = templates.pointed.as_ref().filter(|_| place.distance == 0 && !self.is_pinned(&place));
        match (&place.register, pointed) {
            (None, _) => self.appended(stores, object, at, &templates.direct, place, value),
            (Some(_), Some(pointed)) => self.appended(stores, object, at, pointed, place, value),
            (Some(_), None) => self.displaced(stores, object, at, place, value),
        }
    }

    /// Whether the address is in a register of its own for a whole loop.
    fn is_pinned(&self, place: &Place) -> bool {
        let registers = self.addresses().registers.as_ref();
        registers.is_some_and(|registers| place.register.as_ref() != Some(&registers.register))
    }

    fn displaced(&mut self, stores: bool, object: &Arc<str>, at: i64, place: Place, value: Source) -> SelectResult<()> {
        let Some(registers) = &self.addresses().registers else { return Ok(()) };
        let templates = if stores { &registers.store } else { &registers.load };
        self.appended(stores, object, at, &templates.displaced, place, value)
    }

    fn appended(
        &mut self,
        stores: bool,
        object: &Arc<str>,
        at: i64,
        template: &String,
        place: Place,
        value: Source,
    ) -> SelectResult<()> {
        let Place { mut lines, mut ins, register, distance, odd } = place;
        let near = register.is_none() && self.request.near.iter().any(|end| object.ends_with(end));
        let known = if lines.is_empty() {
            Some((register.as_deref().unwrap_or("").into(), Arc::clone(object), at))
        } else {
            None
        };
        let with = [
            ("object", &**object),
            ("at", &*at.to_string()),
            ("bits", if near { "8" } else { "16" }),
            ("register", register.as_deref().unwrap_or("")),
            ("distance", &*distance.to_string()),
            ("value", &*format!("{{{}}}", if stores { ins.len() } else { 0 })),
        ];
        lines.extend(self.selector.filled(std::slice::from_ref(template), &with)?);
        let outs = if stores { Vec::new() } else { value.value().into_iter().collect() };
        if stores {
            ins.push(value);
        }
        let known = known.filter(|_| !self.addresses().objects);
        let memory = Some(Memory { stores, object: Arc::clone(object), place: known, odd });
        self.selector.emit(Instruction { lines, outs, ins, memory, ..Instruction::default() });
        Ok(())
    }

    // Where the allocator makes addresses.

    /// The bytes of a pointer that an index needs.
    fn halves(&self, p: &Pointer, object: &Arc<str>) -> Bytes {
        let paged = self.paged.get(object).copied().unwrap_or(false);
        let low = Source::Value(p.low);
        if paged {
            vec![low]
        } else {
            vec![low, Source::Value(p.high)]
        }
    }

    fn counted_index(&self, terms: &[(i64, ValueId)], object: &Arc<str>) -> Bytes {
        if terms.is_empty() {
            return Vec::new();
        }
        let mut terms = terms.to_vec();
        terms.sort_unstable();
        self.halves(&self.pointer("", &terms, 0), object)
    }

    /// An index that depends on data; its low byte alone where the object lies in one page.
    fn index(&mut self, terms: &[(i64, ValueId)], object: &Arc<str>) -> SelectResult<Bytes> {
        let paged = self.paged.get(object).copied().unwrap_or(false);
        if let ([(stride, word)], true) = (terms, paged) {
            if is_power_of_two(*stride) {
                let low = self.bytes(*word)[0];
                return Ok(vec![self.selector.shifted(Shift::Shl, low, stride.ilog2(), 8)?]);
            }
        }
        let mut sum = self.summed(terms)?;
        sum.truncate(if paged { 1 } else { 2 });
        Ok(sum)
    }

    fn accessed(&mut self, stores: bool, object: &Arc<str>, at: i64, index: Bytes, value: Source) {
        let near = self.request.near.iter().any(|end| object.ends_with(end));
        let inside = self.request.internal.iter().any(|part| object.contains(part));
        let place = if index.is_empty() { Some(("".into(), Arc::clone(object), at)) } else { None };
        let mut ins = index.clone();
        let outs = if stores { Vec::new() } else { value.value().into_iter().collect() };
        if stores {
            ins.push(value);
        }
        let access = Access {
            object: object.replace(' ', "").into(),
            at,
            index,
            direct: near,
            external: !near && !inside,
            paged: self.paged.get(object).copied().unwrap_or(false),
        };
        let memory = Some(Memory { stores, object: Arc::clone(object), place, odd: false });
        self.selector.emit(Instruction { outs, ins, memory, access: Some(access), ..Instruction::default() });
    }
}

fn is_power_of_two(stride: i64) -> bool {
    stride > 0 && stride & (stride - 1) == 0
}
