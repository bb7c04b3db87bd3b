//! Code as text, for people and tests.

use std::fmt::Write;

use super::{Code, Op, Region, Use, ValueId};
use crate::isa::Isa;

/// One line per operation: `%3.t = extr.u %1.x, 8, 8`, with the memory that it touches.
#[must_use]
pub fn text(code: &Code, isa: &Isa) -> String {
    let mut out = format!("code {:?}\n", code.name);
    for object in &code.objects {
        let base = object.base.map_or_else(String::new, |(b, d)| format!(" at {} + {d}", code.objects[b].name));
        let role = format!("{:?}", object.role);
        let role = role.split('(').next().unwrap_or("").to_lowercase();
        let _ = writeln!(out, "  object {}: {} bytes, {role}{base}", object.name, object.bytes);
    }
    for input in &code.inputs {
        let object = &code.objects[input.object].name;
        let _ = writeln!(out, "  input {} = &{object} + {}", name(code, input.value), input.offset);
    }
    for region in &code.regions {
        match region {
            Region::Straight(ops) => ops.iter().for_each(|op| line(code, isa, op, "  ", &mut out)),
            Region::Loop(l) => {
                let _ = writeln!(out, "  loop {} iterations", l.iterations);
                for c in &l.carried {
                    let (v, i, n) = (name(code, c.value), name(code, c.init), name(code, c.next));
                    let _ = writeln!(out, "    carried {v} = {i}, then {n}");
                }
                l.ops.iter().for_each(|op| line(code, isa, op, "    ", &mut out));
            }
        }
    }
    out
}

fn line(code: &Code, isa: &Isa, op: &Op, indent: &str, out: &mut String) {
    let guard = op.guard.map_or_else(String::new, |g| format!("({}) ", name(code, g)));
    let defines: Vec<String> = op.defines.iter().map(|&v| name(code, v)).collect();
    let equals = if defines.is_empty() { "" } else { " = " };
    let uses: Vec<String> = (op.uses.iter())
        .map(|u| match u {
            Use::Value(v) => name(code, *v),
            Use::Zero => "zero".to_owned(),
            Use::Immediate(n) => n.to_string(),
        })
        .collect();
    let mnemonic = &isa.instructions[op.instruction as usize].name;
    let access = op.access.map_or_else(String::new, |a| {
        let at = a.offset.map_or_else(
            || "?".to_owned(),
            |(at, step)| if step == 0 { at.to_string() } else { format!("{at} + {step} per iteration") },
        );
        format!("  # {}[{at}]", code.objects[a.object].name)
    });
    let _ = writeln!(out, "{indent}{guard}{}{equals}{mnemonic} {}{access}", defines.join(", "), uses.join(", "));
}

fn name(code: &Code, value: ValueId) -> String {
    match code.values[value as usize].name.as_str() {
        "" => format!("%{value}"),
        name => format!("%{value}.{name}"),
    }
}
