//! What code must hold whoever made it.

use super::{Code, Op, Region, Use, ValueId};
use crate::isa::{Isa, OperandKind};

/// Checks code against its instruction set: operands of the right number, class and range, values defined once and before
/// their use, a tied operand's value used by nothing else.
///
/// # Errors
/// One sentence for the first thing that does not hold.
pub fn verify(code: &Code, isa: &Isa) -> Result<(), String> {
    let mut checker = Checker { code, isa, defined: vec![false; code.values.len()], uses: vec![0; code.values.len()] };
    for input in &code.inputs {
        checker.define(input.value)?;
    }
    code.regions.iter().for_each(|r| checker.count(r));
    for region in &code.regions {
        checker.region(region)?;
    }
    Ok(())
}

struct Checker<'a> {
    code: &'a Code,
    isa: &'a Isa,
    defined: Vec<bool>,
    uses: Vec<u32>,
}

impl Checker<'_> {
    fn count(&mut self, region: &Region) {
        let (ops, carried) = match region {
            Region::Straight(ops) => (ops, None),
            Region::Loop(l) => (&l.ops, Some(&l.carried)),
        };
        for op in ops {
            op.uses.iter().filter_map(value_of).chain(op.guard).for_each(|v| self.uses[v as usize] += 1);
        }
        for c in carried.into_iter().flatten() {
            self.uses[c.init as usize] += 1;
            self.uses[c.next as usize] += 1;
        }
    }

    fn region(&mut self, region: &Region) -> Result<(), String> {
        match region {
            Region::Straight(ops) => ops.iter().try_for_each(|op| self.op(op)),
            Region::Loop(l) => {
                if l.iterations == 0 {
                    return Err("a loop has no iteration".to_owned());
                }
                for c in &l.carried {
                    self.used(c.init)?;
                    self.define(c.value)?;
                }
                l.ops.iter().try_for_each(|op| self.op(op))?;
                l.carried.iter().try_for_each(|c| self.used(c.next))
            }
        }
    }

    fn define(&mut self, value: ValueId) -> Result<(), String> {
        match self.defined.get_mut(value as usize) {
            None => Err(format!("value {value} does not exist")),
            Some(true) => Err(format!("value {value} is defined twice")),
            Some(defined) => {
                *defined = true;
                Ok(())
            }
        }
    }

    fn used(&self, value: ValueId) -> Result<(), String> {
        match self.defined.get(value as usize) {
            Some(true) => Ok(()),
            _ => Err(format!("value {value} is used before it is defined")),
        }
    }

    fn op(&mut self, op: &Op) -> Result<(), String> {
        let instruction = self.isa.instructions.get(op.instruction as usize).ok_or("an unknown instruction")?;
        let name = &instruction.name;
        if op.uses.len() != instruction.uses.len() || op.defines.len() != instruction.defines.len() {
            return Err(format!("`{name}` has another number of operands"));
        }
        for (given, operand) in op.uses.iter().zip(&instruction.uses) {
            self.operand(name, given, &operand.kind)?;
            let tied = instruction.defines.iter().any(|d| d.name == operand.name);
            if let (true, Use::Value(v)) = (tied, given) {
                if self.uses[*v as usize] != 1 {
                    return Err(format!("`{name}` changes the register of value {v}, which is used elsewhere"));
                }
            }
        }
        if let Some(guard) = op.guard {
            self.used(guard)?;
            if self.isa.registers[self.code.values[guard as usize].class].bits != 1 {
                return Err(format!("`{name}` is guarded by a value that is no predicate"));
            }
        }
        for (value, operand) in op.defines.iter().zip(&instruction.defines) {
            self.define(*value)?;
            if operand.kind != OperandKind::Register(self.code.values[*value as usize].class) {
                return Err(format!("`{name}` defines a value of another register class"));
            }
        }
        self.access(op, name)
    }

    fn operand(&self, name: &str, given: &Use, kind: &OperandKind) -> Result<(), String> {
        match (given, kind) {
            (Use::Value(v), OperandKind::Register(class)) => {
                self.used(*v)?;
                if self.code.values[*v as usize].class != *class {
                    return Err(format!("`{name}` uses a value of another register class"));
                }
                Ok(())
            }
            (Use::Zero, OperandKind::Register(class)) if self.isa.registers[*class].zero.is_some() => Ok(()),
            (Use::Immediate(n), OperandKind::Immediate(low, high)) if low <= n && n <= high => Ok(()),
            (Use::Immediate(n), OperandKind::Immediate(low, high)) => {
                Err(format!("`{name}` is given {n}, which is not from {low} to {high}"))
            }
            _ => Err(format!("`{name}` is given an operand of the wrong kind")),
        }
    }

    fn access(&self, op: &Op, name: &str) -> Result<(), String> {
        let Some(access) = &op.access else { return Ok(()) };
        let object =
            self.code.objects.get(access.object).ok_or_else(|| format!("`{name}` touches an unknown object"))?;
        match access.offset {
            Some((at, 0)) if at < 0 || at + i64::from(access.bytes) > i64::from(object.bytes) => {
                Err(format!("`{name}` touches byte {at} of `{}`, which has {}", object.name, object.bytes))
            }
            _ => Ok(()),
        }
    }
}

fn value_of(given: &Use) -> Option<ValueId> {
    match given {
        Use::Value(v) => Some(*v),
        _ => None,
    }
}
