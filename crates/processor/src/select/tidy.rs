//! Last touches to code: objects that nothing touches are dropped, registers that an operation changes are copied where their
//! old contents are still needed.

use std::collections::{HashMap, HashSet};

use crate::code::{Code, Op, Region, Role, Use, Value, ValueId};
use crate::isa::{InstructionId, Isa, OperandKind};
use crate::semantics::{Expression, Statement};

/// Does both.
pub fn finish(code: &mut Code, isa: &Isa) {
    copy_changed(code, isa);
    drop_unused(code);
}

fn ops_mut(region: &mut Region) -> &mut Vec<Op> {
    match region {
        Region::Straight(ops) => ops,
        Region::Loop(l) => &mut l.ops,
    }
}

/// Drops scratch memory that is not touched; parameters, results and tables are the caller's business.
fn drop_unused(code: &mut Code) {
    let mut touched = vec![false; code.objects.len()];
    for region in &mut code.regions {
        ops_mut(region).iter().filter_map(|op| op.access).for_each(|a| touched[a.object] = true);
    }
    for (k, object) in code.objects.iter().enumerate() {
        touched[k] |= !matches!(object.role, Role::Scratch);
    }
    let bases: Vec<usize> =
        code.objects.iter().zip(&touched).filter_map(|(o, &t)| o.base.filter(|_| t)).map(|b| b.0).collect();
    bases.into_iter().for_each(|b| touched[b] = true);
    let mut number = 0;
    let renamed: Vec<usize> = (touched.iter())
        .map(|&t| {
            number += usize::from(t);
            number.wrapping_sub(1)
        })
        .collect();
    for region in &mut code.regions {
        for op in ops_mut(region) {
            if let Some(access) = &mut op.access {
                access.object = renamed[access.object];
            }
        }
    }
    code.inputs.retain(|i| touched[i.object]);
    code.inputs.iter_mut().for_each(|i| i.object = renamed[i.object]);
    let mut k = 0;
    code.objects.retain(|_| {
        k += 1;
        touched[k - 1]
    });
    for object in &mut code.objects {
        object.base = object.base.map(|(base, distance)| (renamed[base], distance));
    }
}

/// The instruction that copies a register of a class.
pub fn copier(isa: &Isa, class: usize) -> Option<InstructionId> {
    let copies = |i: &crate::isa::Instruction| {
        let one = i.defines.len() == 1 && i.uses.len() == 1 && i.defines[0].name != i.uses[0].name;
        let same = one && i.defines[0].kind == OperandKind::Register(class) && i.uses[0].kind == i.defines[0].kind;
        let plain = match i.semantics.as_slice() {
            [Statement::Assign(_, Expression::Name(name))] => same && *name == i.uses[0].name,
            _ => false,
        };
        plain && i.selectable
    };
    isa.instructions.iter().position(copies).map(|k| k as InstructionId)
}

fn copy_changed(code: &mut Code, isa: &Isa) {
    let mut uses: HashMap<ValueId, u32> = HashMap::new();
    for region in &mut code.regions {
        for op in ops_mut(region).iter() {
            let used = op.uses.iter().filter_map(|u| if let Use::Value(v) = u { Some(*v) } else { None });
            used.chain(op.guard).for_each(|v| *uses.entry(v).or_default() += 1);
        }
        if let Region::Loop(l) = region {
            l.carried.iter().flat_map(|c| [c.init, c.next]).for_each(|v| *uses.entry(v).or_default() += 1);
        }
    }
    let mut values = std::mem::take(&mut code.values);
    for region in &mut code.regions {
        let looped = matches!(region, Region::Loop(_));
        let ops = std::mem::take(ops_mut(region));
        let inside: HashSet<ValueId> = ops.iter().flat_map(|op| op.defines.iter().copied()).collect();
        for mut op in ops {
            let instruction = &isa.instructions[op.instruction as usize];
            for (k, operand) in instruction.uses.iter().enumerate() {
                let tied = instruction.defines.iter().any(|d| d.name == operand.name);
                let (Use::Value(v), true) = (op.uses[k], tied) else { continue };
                let class = values[v as usize].class;
                // What a predicate may leave as it was must be a value of the iteration itself.
                let foreign = looped && op.guard.is_some() && !inside.contains(&v);
                let Some(copy) = copier(isa, class).filter(|_| uses[&v] > 1 || foreign) else { continue };
                let fresh = values.len() as ValueId;
                values.push(Value { name: values[v as usize].name.clone(), class });
                let places = op.places.clone();
                ops_mut(region).push(Op {
                    instruction: copy,
                    defines: vec![fresh],
                    uses: vec![Use::Value(v)],
                    guard: None,
                    access: None,
                    places,
                });
                op.uses[k] = Use::Value(fresh);
            }
            ops_mut(region).push(op);
        }
    }
    code.values = values;
}
