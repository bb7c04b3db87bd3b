//! Where arrays lie: which values are one object, and at which bytes of it their elements are.

use std::collections::HashMap;
use std::sync::Arc;

use program::ir::{Address, Function, OpKind, Operand, Type, ValueId};
use program::walk::for_each_op;
use program::Diagnostic;

use super::in_loops;
use crate::select::SelectResult;

/// Coefficients of values, in a fixed order.
pub type Terms = Vec<(i64, ValueId)>;

/// An address that wraps around: terms, where the element at index zero begins, the distance of a part in its element, the bytes
/// after which it does.
pub struct Ring {
    pub terms: Terms,
    pub start: i64,
    pub distance: i64,
    pub size: i64,
}

/// The values that are one object, each with the one that stands for it.
#[derive(Default)]
struct Classes {
    /// In the order in which they were met.
    order: Vec<ValueId>,
    parent: HashMap<ValueId, ValueId>,
}

impl Classes {
    fn find(&mut self, value: ValueId) -> ValueId {
        let mut at = value;
        loop {
            let parent = *self.parent.entry(at).or_insert_with(|| {
                self.order.push(at);
                at
            });
            if parent == at {
                return at;
            }
            at = parent;
        }
    }

    fn join(&mut self, a: ValueId, into: ValueId) {
        let into = self.find(into);
        let a = self.find(a);
        self.parent.insert(a, into);
    }
}

type Objects = (HashMap<ValueId, Arc<str>>, Vec<(String, u32)>);

/// The object of every array, and the sizes of those that need scratch memory.
pub fn objects(function: &Function, places: &HashMap<String, String>) -> SelectResult<Objects> {
    let bytes = |v: ValueId| match &function.values[v.0 as usize].ty {
        Type::Array(array) => Some(array.len() as u32),
        _ => None,
    };
    let mut classes = Classes::default();
    for_each_op(&function.body, &mut |op| {
        let arrays = op.results.iter().filter(|v| bytes(**v).is_some());
        arrays.for_each(|v| {
            classes.find(*v);
        });
        match &op.kind {
            OpKind::Store(array, _, _) => classes.join(op.results[0], *array),
            OpKind::Loop(l) => {
                for body in &l.bodies {
                    let all = op.results.iter().zip(&l.init).zip(body.params[1..].iter().zip(&body.outputs));
                    for ((r, init), (p, out)) in all.filter(|((r, _), _)| bytes(**r).is_some()) {
                        for other in [value(*init), Some(*p), value(*out)].into_iter().flatten() {
                            classes.join(other, *r);
                        }
                    }
                }
            }
            _ => {}
        }
    });
    let mut named: HashMap<ValueId, Arc<str>> = HashMap::new();
    for param in function.params.iter().filter(|v| bytes(**v).is_some()) {
        let name = &function.values[param.0 as usize].name;
        named.insert(classes.find(*param), places[&format!("%{name}")].as_str().into());
    }
    for (n, output) in function.body.outputs.iter().enumerate() {
        let array = value(*output).filter(|v| bytes(*v).is_some());
        let Some(root) = array.map(|v| classes.find(v)) else { continue };
        let place = places[&format!("#{n}")].as_str();
        if named.get(&root).is_some_and(|known| **known != *place) {
            let message = format!("`{}` returns an array that it was given", function.name);
            let help = "return an array of its own, with the elements copied";
            return Err(Diagnostic::new("E104", message).help(help));
        }
        named.insert(root, place.into());
    }
    let mut scratch = Vec::new();
    for v in classes.order.clone() {
        let root = classes.find(v);
        if let (false, Some(bytes)) = (named.contains_key(&root), bytes(v)) {
            let name = format!("scratch_{}", scratch.len());
            named.insert(root, name.as_str().into());
            scratch.push((name, bytes));
        }
    }
    let every = classes.order.clone().into_iter().filter_map(|v| Some((v, Arc::clone(named.get(&classes.find(v))?))));
    Ok((every.collect(), scratch))
}

fn value(operand: Operand) -> Option<ValueId> {
    match operand {
        Operand::Value(v) => Some(v),
        Operand::Const(_) => None,
    }
}

/// Which objects lie within one page of 256 bytes: objects begin at the start of one, parts of them (`x + 16`) further on.
pub fn paged(function: &Function, places: &HashMap<ValueId, Arc<str>>, all: bool) -> HashMap<Arc<str>, bool> {
    let one = |(v, object): (&ValueId, &Arc<str>)| {
        let Type::Array(array) = &function.values[v.0 as usize].ty else { return None };
        let begins = object.split_once(" + ").and_then(|(_, at)| at.parse().ok()).unwrap_or(0);
        Some((Arc::clone(object), all || begins % 256 + array.len() <= 256))
    };
    places.iter().filter_map(one).collect()
}

/// Coefficients by value and the constant of an element's or row's address in bytes.
pub fn address(extents: &[u32], addresses: &[Address]) -> SelectResult<(Terms, i64)> {
    let (mut terms, mut constant) = (Terms::new(), 0);
    for (n, address) in addresses.iter().enumerate() {
        let stride: i64 = extents[n + 1..].iter().map(|extent| i64::from(*extent)).product();
        let sum = &address.affine;
        if address.ring && !sum.terms.is_empty() {
            let what = "an address that wraps around in a row depends on a loop's index";
            return Err(in_loops("E110", what, "code without loops, whose addresses are numbers"));
        }
        let at = if address.ring { sum.constant.rem_euclid(extents[n].into()) } else { sum.constant };
        constant += at * stride;
        for (c, v) in &sum.terms {
            match terms.iter_mut().find(|(_, known)| known == v) {
                Some((known, _)) => *known += c * stride,
                None => terms.push((c * stride, *v)),
            }
        }
    }
    Ok((terms, constant))
}

/// The address, if it wraps around.
pub fn ring(extents: &[u32], addresses: &[Address]) -> Option<Ring> {
    let (first, others) = addresses.split_first()?;
    if !first.ring || first.affine.terms.is_empty() || others.iter().any(|a| !a.affine.terms.is_empty()) {
        return None;
    }
    let stride: i64 = extents[1..].iter().map(|extent| i64::from(*extent)).product();
    let rows = i64::from(extents[0]);
    let mut terms: Terms = first.affine.terms.iter().map(|(c, v)| (c * stride, *v)).collect();
    terms.sort_unstable();
    let start = first.affine.constant.rem_euclid(rows) * stride;
    let distance = others.first().map_or(0, |address| address.affine.constant);
    Some(Ring { terms, start, distance, size: rows * stride })
}
