//! What the lowering of one region leaves for the next: words in values, arrays in objects.

use std::collections::HashMap;

use program::ir::{Block, Function, Op, OpKind, Operand, Program, Type, ValueId as ProgramValue};
use program::Diagnostic;

use super::layout::Layout;
use super::lower::{LoweredRegion, Lowering};
use super::objects::Objects;
use super::pairs::PairLoads;
use super::terms::ClassId;
use crate::code::{Role, Value, ValueId};

/// A value that changes by the same number every iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Induction {
    /// What holds it.
    pub value: ValueId,
    /// The object whose address it starts from; `None`: from 0.
    pub object: Option<usize>,
    /// What is added to that.
    pub start: i64,
    /// What is added every iteration.
    pub step: i64,
    /// The class of what it is in the next iteration.
    pub next: ClassId,
}

/// What a program's word is in a later region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiveIn {
    /// It lies in a value, under any upper bits or under zeros.
    Value(ValueId, bool),
    /// It is a number.
    Number(u64),
}

/// What is known from region to region.
#[derive(Debug)]
pub struct Context<'a> {
    /// The program.
    pub program: &'a Program,
    /// The function.
    pub function: &'a Function,
    /// Its memory.
    pub objects: Objects,
    /// Bits of a general register.
    pub bits: u8,
    /// The class of general registers.
    pub general: usize,
    /// A field that is scaled may be masked where it stands.
    pub mask_in_place: bool,
    /// When two words are loaded as one; never where a register holds one, or its upper half lies first.
    pub wide: PairLoads,
    /// How its tables lie.
    pub layout: Layout,
    /// An index may be joined to the address of an aligned table by exclusive or.
    pub join_by_xor: bool,
    /// Bits of the numbers that are loaded under any upper bits: see [`super::patterns::signed_loads`].
    pub signed_loads: Vec<u8>,
    /// Low bits of an amount that shifts by a register take: see [`super::patterns::amounts`].
    pub amounts: Vec<u8>,
    /// The values of the code.
    pub values: Vec<Value>,
    /// The program's words of earlier regions.
    pub held: HashMap<ProgramValue, LiveIn>,
    /// Stores to each object so far.
    pub versions: Vec<u32>,
    /// The array that each object holds now.
    pub current: HashMap<usize, ProgramValue>,
}

impl<'a> Context<'a> {
    /// Before the first region.
    #[must_use]
    pub fn new(program: &'a Program, function: &'a Function, bits: u8, general: usize, objects: Objects) -> Self {
        let versions = vec![0; objects.objects.len()];
        let current = function.params.iter().filter_map(|v| objects.of_value.get(v).map(|&o| (o, *v))).collect();
        let (values, held) = (Vec::new(), HashMap::new());
        Context {
            program,
            function,
            objects,
            bits,
            general,
            mask_in_place: true,
            wide: PairLoads::Never,
            layout: Layout::default(),
            join_by_xor: true,
            signed_loads: Vec::new(),
            amounts: Vec::new(),
            values,
            held,
            versions,
            current,
        }
    }

    /// Loads two words of the parameters as one from now on, where that is told.
    pub fn load_pairs(&mut self, wide: PairLoads, big_endian: bool) {
        if wide != PairLoads::Never && !big_endian && self.bits == 64 {
            self.wide = wide;
            self.objects.align_pairs();
        }
    }

    /// Whether a word at a known place may be loaded with its neighbour.
    #[must_use]
    pub fn in_pair(&self, object: usize, (at, step): (i64, i64)) -> bool {
        let data = &self.objects.objects[object];
        let pair = 2 * i64::from(data.element);
        self.wide != PairLoads::Never
            && data.holds_pairs()
            && step == 0
            && at - at % pair + pair <= i64::from(data.bytes)
    }

    /// A new value of the code in a general register.
    pub fn value(&mut self, name: &str) -> ValueId {
        self.values.push(Value { name: name.to_owned(), class: self.general });
        self.values.len() as ValueId - 1
    }

    /// Lowers straight operations; the words named are wanted after them, and those that the
    /// function returns are stored.
    ///
    /// # Errors
    /// `M201` for operations that passes must have replaced, `M202` for words wider than a register, `M203` for an array
    /// that is needed as it was before a store.
    pub fn straight(
        &mut self,
        ops: &[Op],
        wanted: &[(Operand, u8)],
        returned: &[Operand],
    ) -> Result<LoweredRegion, Diagnostic> {
        let mut lowering = Lowering::new(self);
        lowering.operations(ops)?;
        lowering.finish(wanted, returned)
    }

    /// Lowers the body of a loop that carries words as given: the parameter, the value that holds it, and whether its upper
    /// bits may be anything.
    ///
    /// # Errors
    /// As [`Context::straight`].
    pub fn body(
        &mut self,
        body: &Block,
        carried: &[(ProgramValue, ValueId, bool)],
    ) -> Result<LoweredRegion, Diagnostic> {
        let stored: Vec<usize> = self.stored(body);
        stored.iter().for_each(|&o| self.versions[o] += 1);
        for &param in &body.params {
            if let Some(&object) = self.objects.of_value.get(&param) {
                self.current.insert(object, param);
            }
        }
        let mut lowering = Lowering::new(self);
        lowering.iteration = body.params.first().copied();
        for &(param, value, dirty) in carried {
            lowering.give(param, value, dirty);
        }
        lowering.operations(&body.ops)?;
        let wanted: Vec<(Operand, u8)> = (carried.iter())
            .map(|(param, ..)| {
                let k = body.params.iter().position(|p| p == param).unwrap_or(1);
                (body.outputs[k - 1], lowering.width(*param).unwrap_or(0))
            })
            .collect();
        let lowered = lowering.finish(&wanted, &[])?;
        stored.iter().for_each(|&o| self.versions[o] += 1);
        Ok(lowered)
    }

    /// The objects that a body stores to.
    fn stored(&self, body: &Block) -> Vec<usize> {
        let stored = body.ops.iter().filter_map(|op| match &op.kind {
            OpKind::Store(array, ..) => self.objects.of_value.get(array).copied(),
            OpKind::Array(_) => self.objects.of_value.get(&op.results[0]).copied(),
            _ => None,
        });
        stored.collect()
    }

    /// The arrays that a loop carried are those that it gives.
    pub fn arrays_after(&mut self, results: &[ProgramValue]) {
        for &result in results {
            if let Some(&object) = self.objects.of_value.get(&result) {
                self.current.insert(object, result);
            }
        }
    }

    /// Whether the arrays that a block yields are those that their objects hold.
    ///
    /// # Errors
    /// `M203` if one is not.
    pub fn arrays_hold(&self, outputs: &[Operand]) -> Result<(), Diagnostic> {
        for output in outputs {
            if let Operand::Value(v) = output {
                if let Some(&object) = self.objects.of_value.get(v) {
                    self.must_be_current(object, *v)?;
                }
            }
        }
        Ok(())
    }

    /// Whether every array that the function returns lies in an object of its own.
    ///
    /// # Errors
    /// `M207` if one is a parameter, or returned twice.
    pub fn arrays_are_own(&self, outputs: &[Operand]) -> Result<(), Diagnostic> {
        for (k, output) in outputs.iter().enumerate() {
            let Operand::Value(v) = output else { continue };
            let Some(object) = self.objects.of_value.get(v).map(|&o| &self.objects.objects[o]) else { continue };
            let twice = match object.role {
                Role::Parameter(_) => matches!(self.function.values[v.0 as usize].ty, Type::Array(_)),
                Role::Result(own) => own != k && !self.objects.of_result.contains_key(&k),
                _ => false,
            };
            if twice {
                let name = &self.function.values[v.0 as usize].name;
                let message = format!("the array `{name}` is a parameter that is returned, or returned twice");
                return Err(Diagnostic::new("M207", message));
            }
        }
        Ok(())
    }

    /// Whether an array is the one that its object holds.
    ///
    /// # Errors
    /// `M203` if it is not.
    pub fn must_be_current(&self, object: usize, array: ProgramValue) -> Result<(), Diagnostic> {
        if self.current.get(&object) == Some(&array) {
            return Ok(());
        }
        let name = &self.function.values[array.0 as usize].name;
        Err(Diagnostic::new("M203", format!("the array `{name}` is needed as it was before a store"))
            .note("a kernel changes its arrays in place")
            .help("load from the array that the store gave"))
    }
}
