//! Short keys as long ones: the constant bytes that follow a short key where the key schedule of the longest then does the same.
//!
//! Some ciphers define their key schedule for the longest key and pad shorter ones. Compiled for a short key, the padding shows as
//! numbers where the longest has bytes of the key. Two functions are compared operation by operation, and the numbers collected.

use std::collections::{BTreeMap, HashMap};

use program::evaluate::{Evaluator, Value};
use program::ir::{Block, Function, OpKind, Operand, Program, Type, ValueId};
use program::roles::SCHEDULES;
use program::walk::{slots_mut, Slot};

/// Keys on which key schedules are compared.
const KEYS: usize = 16;

/// The bytes that follow a short key, where the key schedule of the longest key is then that of the short one.
#[must_use]
pub fn padding(short: &Program, long: &Program) -> Option<Vec<u8>> {
    let of = |program: &Program| program.functions.iter().find(|f| f.name == "key_schedule").cloned();
    let (a, b) = (of(long)?, of(short)?);
    let (bytes, from) = (key_bytes(&a)?, key_bytes(&b)?);
    let mut same = PairWalk { long, short, a: &a, b: &b, from, known: HashMap::new(), pads: BTreeMap::new() };
    same.known.insert(a.params[0], ShortValue::Value(b.params[0]));
    same.blocks(&a.body, &b.body)?;
    let pads: Vec<u8> = (from..bytes).map(|n| same.pads.get(&n).copied().unwrap_or(0)).collect();
    pads_hold(short, long, &pads).then_some(pads)
}

/// Whether the key schedules of the longest key give for padded short keys what those of the short ones give.
#[must_use]
pub fn pads_hold(short: &Program, long: &Program, pads: &[u8]) -> bool {
    let (Ok(mut of_short), Ok(mut of_long)) = (Evaluator::new(short), Evaluator::new(long)) else { return false };
    let schedules: Vec<&Function> = short.functions.iter().filter(|f| SCHEDULES.contains(&f.name.as_str())).collect();
    let Some(bytes) = schedules.first().and_then(|f| key_bytes(f)) else { return false };
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    (0..KEYS).all(|_| {
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 56
        };
        let key: Vec<u64> = (0..bytes).map(|_| random()).collect();
        let padded: Vec<u64> = key.iter().copied().chain(pads.iter().map(|&p| u64::from(p))).collect();
        schedules.iter().all(|schedule| {
            let short = of_short.evaluate(&schedule.name, &[Value::Array(key.clone())]);
            let long = of_long.evaluate(&schedule.name, &[Value::Array(padded.clone())]);
            matches!((short, long), (Ok(a), Ok(b)) if a == b)
        })
    })
}

/// Bytes of the key of a key schedule.
fn key_bytes(function: &Function) -> Option<u32> {
    match (&function.params[..], function.params.first().map(|p| &function.values[p.0 as usize].ty)) {
        ([_], Some(Type::Array(array))) if array.width == 8 => Some(array.dims.iter().product()),
        _ => None,
    }
}

/// What a value of the long function is in the short one.
#[derive(Clone)]
enum ShortValue {
    /// That value.
    Value(ValueId),
    /// A number that is made of these bytes behind the short key, the first least significant.
    Pads(Vec<u32>),
}

/// A walk through two functions at once.
struct PairWalk<'a> {
    long: &'a Program,
    short: &'a Program,
    a: &'a Function,
    b: &'a Function,
    /// First byte behind the short key.
    from: u32,
    known: HashMap<ValueId, ShortValue>,
    pads: BTreeMap<u32, u8>,
}

/// What stands in a slot.
enum SlotValue {
    Operand(Operand),
    Terms(Vec<(i64, ValueId)>),
}

impl PairWalk<'_> {
    fn blocks(&mut self, a: &Block, b: &Block) -> Option<()> {
        if a.params.len() != b.params.len() || a.outputs.len() != b.outputs.len() {
            return None;
        }
        self.known.extend(a.params.iter().zip(&b.params).map(|(x, y)| (*x, ShortValue::Value(*y))));
        let mut others = b.ops.iter();
        for op in &a.ops {
            if let Some(pads) = self.of_pads(&op.kind) {
                self.known.insert(op.results[0], ShortValue::Pads(pads));
                continue;
            }
            let other = others.next()?;
            self.kinds(&op.kind, &other.kind)?;
            if op.results.len() != other.results.len() {
                return None;
            }
            for (x, y) in op.results.iter().zip(&other.results) {
                let widths = (&self.a.values[x.0 as usize].ty, &self.b.values[y.0 as usize].ty);
                (widths.0 == widths.1).then_some(())?;
                self.known.insert(*x, ShortValue::Value(*y));
            }
        }
        others.next().is_none().then_some(())?;
        a.outputs.iter().zip(&b.outputs).try_for_each(|(x, y)| self.operands(*x, *y))
    }

    /// The bytes behind the short key of which an operation only puts a number together.
    fn of_pads(&self, kind: &OpKind) -> Option<Vec<u32>> {
        match kind {
            OpKind::Load(array, addresses) if *array == self.a.params[0] => match &addresses[..] {
                [address] if address.affine.terms.is_empty() => {
                    let n = u32::try_from(address.affine.constant).ok()?;
                    (n >= self.from).then(|| vec![n])
                }
                _ => None,
            },
            OpKind::Concat(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    let Some(ShortValue::Pads(bytes)) = self.known.get(part) else { return None };
                    all.extend(bytes);
                }
                Some(all)
            }
            _ => None,
        }
    }

    fn kinds(&mut self, a: &OpKind, b: &OpKind) -> Option<()> {
        if let (OpKind::Loop(x), OpKind::Loop(y)) = (a, b) {
            let head = |l: &program::ir::Loop| (l.tag, l.from, l.step, l.pattern.clone(), l.init.len(), l.bodies.len());
            (head(x) == head(y)).then_some(())?;
            x.init.iter().zip(&y.init).try_for_each(|(p, q)| self.operands(*p, *q))?;
            return x.bodies.iter().zip(&y.bodies).try_for_each(|(p, q)| self.blocks(p, q));
        }
        let ((a, in_a), (b, in_b)) = (blanked(a), blanked(b));
        let equal = match (&a, &b) {
            (OpKind::Lookup(x, p), OpKind::Lookup(y, q)) => {
                let table = |program: &Program, n: u32| {
                    (program.tables[n as usize].width, program.tables[n as usize].data.clone())
                };
                p == q && table(self.long, x.0) == table(self.short, y.0)
            }
            (OpKind::Linear(x, p), OpKind::Linear(y, q)) => {
                let (x, y) = (&self.long.matrices[x.0 as usize], &self.short.matrices[y.0 as usize]);
                p == q && (x.polynomial, &x.rows) == (y.polynomial, &y.rows)
            }
            (OpKind::Bitsliced(x, p), OpKind::Bitsliced(y, q)) => {
                p == q && self.long.boxes[x.0 as usize].data == self.short.boxes[y.0 as usize].data
            }
            (a, b) => a == b,
        };
        (equal && in_a.len() == in_b.len()).then_some(())?;
        in_a.into_iter().zip(in_b).try_for_each(|pair| match pair {
            (SlotValue::Operand(x), SlotValue::Operand(y)) => self.operands(x, y),
            (SlotValue::Terms(x), SlotValue::Terms(y)) if x.len() == y.len() => {
                x.iter().zip(&y).try_for_each(|(p, q)| {
                    (p.0 == q.0).then_some(())?;
                    self.operands(Operand::Value(p.1), Operand::Value(q.1))
                })
            }
            _ => None,
        })
    }

    fn operands(&mut self, a: Operand, b: Operand) -> Option<()> {
        let Operand::Value(value) = a else { return (a == b).then_some(()) };
        match (self.known.get(&value)?.clone(), b) {
            (ShortValue::Value(x), Operand::Value(y)) => (x == y).then_some(()),
            (ShortValue::Pads(bytes), Operand::Const(number)) => bytes.iter().enumerate().try_for_each(|(k, &n)| {
                let byte = (number >> (8 * k)) as u8;
                (*self.pads.entry(n).or_insert(byte) == byte).then_some(())
            }),
            _ => None,
        }
    }
}

/// An operation without what it uses, and that.
fn blanked(kind: &OpKind) -> (OpKind, Vec<SlotValue>) {
    let mut kind = kind.clone();
    let mut held = Vec::new();
    slots_mut(&mut kind, &mut |slot| match slot {
        Slot::Operand(operand) => held.push(SlotValue::Operand(std::mem::replace(operand, Operand::Const(0)))),
        Slot::Value(value) => held.push(SlotValue::Operand(Operand::Value(std::mem::replace(value, ValueId(0))))),
        Slot::Affine(affine) => held.push(SlotValue::Terms(std::mem::take(&mut affine.terms))),
    });
    (kind, held)
}
