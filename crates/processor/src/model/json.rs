//! A processor as a JSON document, for tables.

use serde_json::{json, Map, Value};

use super::{Class, Processor};
use crate::isa::{range_text, Fact, Instruction, Isa, Operand};
use crate::semantics::text;

/// Everything that is known of a processor.
#[must_use]
pub fn document(p: &Processor) -> Value {
    let names = |classes: &[usize]| classes.iter().map(|c| p.classes[*c].name.clone()).collect::<Vec<_>>();
    json!({
        "name": p.name,
        "title": p.title,
        "inherits": p.inherits,
        "source": p.fact.source,
        "confidence": p.fact.confidence.to_string(),
        "infinite": p.infinite,
        "parameters": p.parameters.iter().map(|x| with(&x.fact, json!({
            "name": x.name, "meaning": x.meaning, "value": x.value, "default": x.default, "values": x.values,
            "fitted": x.fitted.iter().map(|f| json!({
                "paper": f.paper, "target": f.target, "ciphers": f.ciphers, "operations": f.operations,
            })).collect::<Vec<_>>(),
        }))).collect::<Vec<_>>(),
        "ports": p.ports,
        "ports_source": with(&p.ports_fact, json!({})),
        "issue": with(&p.issue_fact, json!({ "width": p.issue, "block": p.block })),
        "classes": p.classes.iter().map(|c| class(p, c)).collect::<Vec<_>>(),
        "bypasses": p.bypasses.iter().map(|b| with(&b.fact, json!({
            "from": names(&b.from), "output": b.output, "to": names(&b.to), "operand": b.operand, "latency": b.latency,
        }))).collect::<Vec<_>>(),
        "caps": p.resources.caps.iter().map(|cap| json!({
            "name": cap.name,
            "takes": p.classes.iter().zip(&cap.takes).filter(|(_, t)| **t > 0)
                .map(|(c, t)| (c.name.clone(), json!(t))).collect::<Map<_, _>>(),
            "limit": cap.limit,
        })).collect::<Vec<_>>(),
        "out_of_order": p.out_of_order.as_ref().map(|o| with(&o.fact, json!({
            "insert": o.insert, "entries": [o.entries.0, o.entries.1], "launch": [o.launch.0, o.launch.1],
            "retire": [o.retire.0, o.retire.1], "stores": o.stores, "store_to_load": o.store_to_load,
        }))),
        "banks": p.banks.map(|(bytes, count)| with(&p.banks_fact, json!({ "bytes": bytes, "count": count }))),
        "cache": p.cache.as_ref().map(|c| with(&c.fact, json!({
            "bytes": c.bytes, "line": c.line, "ways": c.ways, "miss": c.miss, "allocates": c.allocates,
        }))),
        "clock": p.clock.as_ref().map(|(mhz, fact)| with(fact, json!({ "mhz": mhz }))),
        "isa": isa(&p.isa),
    })
}

fn with(fact: &Fact, mut value: Value) -> Value {
    value["source"] = json!(fact.source);
    value["confidence"] = json!(fact.confidence.to_string());
    value
}

fn class(p: &Processor, c: &Class) -> Value {
    let ports = |mask: u64| -> Vec<&String> {
        p.ports.iter().enumerate().filter(|(n, _)| mask >> n & 1 == 1).map(|(_, name)| name).collect()
    };
    let instructions = p.isa.instructions.iter().filter(|i| i.class == c.name).map(|i| i.name.clone());
    with(
        &c.fact,
        json!({
            "name": c.name, "meaning": c.meaning, "ports": ports(c.ports),
            "second": c.second_ports.iter().map(|mask| ports(*mask)).collect::<Vec<_>>(), "held": c.held,
            "slots": c.slots, "latency": c.latency, "instructions": instructions.collect::<Vec<_>>(),
        }),
    )
}

fn isa(isa: &Isa) -> Value {
    json!({
        "name": isa.name,
        "title": isa.title,
        "word_bits": isa.word_bits,
        "byte_order": if isa.big_endian { "big" } else { "little" },
        "predicated": isa.predicated,
        "instruction_bytes": isa.instruction_bytes,
        "delay_slots": isa.delay_slots,
        "return_address": isa.return_address,
        "binutils": isa.binutils,
        "emulator": isa.emulator,
        "abi": isa.abi,
        "arguments": isa.arguments,
        "registers": isa.registers.iter().map(|r| with(&r.fact, json!({
            "name": r.name, "bits": r.bits, "usable": r.usable, "rotating": r.rotating, "saved": r.saved, "zero": r.zero,
        }))).collect::<Vec<_>>(),
        "instructions": isa.instructions.iter().map(|i| instruction(isa, i)).collect::<Vec<_>>(),
        "recipes": isa.recipes.iter().map(|r| with(&r.fact, json!({
            "name": r.name, "computes": r.computes, "steps": r.steps,
        }))).collect::<Vec<_>>(),
    })
}

fn instruction(isa: &Isa, i: &Instruction) -> Value {
    let side = |operands: &[Operand]| {
        let one = |o: &Operand| format!("{}:{}", o.name, range_text(&o.kind, &isa.registers));
        operands.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    let (defines, uses) = (side(&i.defines), side(&i.uses));
    let form = if i.defines.is_empty() && i.uses.is_empty() { String::new() } else { format!("{defines} = {uses}") };
    let mut record = json!({
        "name": i.name, "class": i.class, "form": form.trim(), "assembly": i.assembly, "semantics": text(&i.semantics),
        "control": i.control.name(), "size": i.slots, "select": i.selectable, "expansion": i.expansion,
    });
    if let Some(condition) = &i.condition {
        record["where"] = condition.to_string().into();
    }
    with(&i.fact, record)
}
