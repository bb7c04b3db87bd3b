//! Code run by the semantics of its instructions, before it has registers: what it computes, whatever its schedule.

use program::Diagnostic;

use super::image::Image;
use super::{Code, CountedLoop, Op, Region, Role, Use, ValueId};
use crate::isa::{Isa, OperandKind};
use crate::semantics::{execute, ones};

/// Runs code on the arrays of the program's parameters, in their order; gives those of its results.
///
/// # Errors
/// `M220` for an access outside of the objects, `M221` for parameters of a wrong number or size.
pub fn evaluate(code: &Code, isa: &Isa, parameters: &[Vec<u64>]) -> Result<Vec<Vec<u64>>, Diagnostic> {
    let mut image = Image::new(code, isa.big_endian);
    for (k, object) in code.objects.iter().enumerate() {
        if let Role::Parameter(number) = object.role {
            let elements = parameters.get(number).ok_or_else(|| missing(code, number))?;
            if elements.len() != image.elements(code, k).len() {
                return Err(missing(code, number).note(format!("`{}` has another size", object.name)));
            }
            image.fill(code, k, elements);
        }
    }
    run(code, isa, &mut image)?;
    let mut results: Vec<(usize, Vec<u64>)> = (code.objects.iter().enumerate())
        .filter_map(|(k, o)| match o.role {
            Role::Result(number) => Some((number, image.elements(code, k))),
            _ => None,
        })
        .collect();
    results.sort();
    Ok(results.into_iter().map(|r| r.1).collect())
}

fn missing(code: &Code, number: usize) -> Diagnostic {
    Diagnostic::new("M221", format!("`{}` was not given its parameter {number}", code.name))
}

/// Runs code on a memory.
///
/// # Errors
/// `M220` for an access outside of the objects.
pub fn run(code: &Code, isa: &Isa, image: &mut Image) -> Result<(), Diagnostic> {
    let mut values = vec![0u64; code.values.len()];
    for input in &code.inputs {
        values[input.value as usize] = image.addresses[input.object].wrapping_add(input.offset as u64);
    }
    for region in &code.regions {
        match region {
            Region::Straight(ops) => {
                for op in ops {
                    operation(code, isa, op, &mut values, image)?;
                }
            }
            Region::Loop(l) => repeat(code, isa, l, &mut values, image)?,
        }
    }
    Ok(())
}

fn repeat(code: &Code, isa: &Isa, l: &CountedLoop, values: &mut [u64], image: &mut Image) -> Result<(), Diagnostic> {
    l.carried.iter().for_each(|c| values[c.value as usize] = values[c.init as usize]);
    for iteration in 0..l.iterations {
        if iteration > 0 {
            let next: Vec<u64> = l.carried.iter().map(|c| values[c.next as usize]).collect();
            l.carried.iter().zip(next).for_each(|(c, n)| values[c.value as usize] = n);
        }
        for op in &l.ops {
            operation(code, isa, op, values, image)?;
        }
    }
    Ok(())
}

fn operation(code: &Code, isa: &Isa, op: &Op, values: &mut [u64], image: &mut Image) -> Result<(), Diagnostic> {
    let instruction = &isa.instructions[op.instruction as usize];
    let word = |u: &Use| match u {
        Use::Value(v) => values[*v as usize],
        Use::Zero => 0,
        Use::Immediate(n) => *n as u64,
    };
    let given: Vec<u64> = op.uses.iter().map(word).collect();
    let operand = |name: &str| instruction.uses.iter().position(|u| u.name == name);
    let read = |name: &str| operand(name).map_or(0, |k| given[k]);
    let holds = op.guard.map_or(true, |g| values[g as usize] & 1 == 1);
    let assigned = if holds {
        execute(&instruction.semantics, &read, image).map_err(|fault| {
            let kind = if fault.store { "stores to" } else { "loads from" };
            Diagnostic::new(
                "M220",
                format!("`{}` {kind} {:#x}, outside of the objects", instruction.name, fault.address),
            )
            .note(format!("in `{}`", code.name))
        })?
    } else {
        Vec::new()
    };
    let define = |values: &mut [u64], value: ValueId, name: &str, class: usize| {
        let found = assigned.iter().find(|a| a.0 == name).map_or_else(|| read(name), |a| a.1);
        values[value as usize] = found & ones(isa.registers[class].bits.into());
    };
    for (value, operand) in op.defines.iter().zip(&instruction.defines) {
        if let OperandKind::Register(class) = operand.kind {
            define(values, *value, &operand.name, class);
        }
    }
    Ok(())
}
