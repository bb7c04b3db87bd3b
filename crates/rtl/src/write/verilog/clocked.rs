//! Registers and stores in Verilog.

use super::expression::{closed, number, text};
use super::{all_used, declared, range, UsedBits};
use crate::write::expression::Expr;
use crate::write::module::{groups, Latch, Memory, Module, Register};

/// Declarations of registers and stores.
pub(super) fn declarations(module: &Module, used: &UsedBits) -> Vec<String> {
    let mut lines = Vec::new();
    for register in &module.registers {
        let line = format!("reg {}{};", range(register.width), register.name);
        lines.extend(declared("    ", line, all_used(used, &register.name, register.width)));
    }
    for store in &module.stores {
        let kind = if store.latch.is_some() { "wire" } else { "reg" };
        lines.push(format!("    {kind} {}{} [0:{}];", range(store.width), store.name, store.length - 1));
    }
    lines
}

/// What the clock writes; then latches.
pub(super) fn clock(module: &Module) -> Vec<String> {
    let mut lines = Vec::new();
    let flip_flops = module.stores.iter().filter(|s| s.latch.is_none());
    let writes: Vec<String> = flip_flops.flat_map(writes).collect();
    let (falling, rising): (Vec<Register>, Vec<Register>) = module.registers.iter().cloned().partition(|r| r.falling);
    if !rising.is_empty() || !writes.is_empty() {
        lines.push("    always @(posedge clock) begin".to_owned());
        lines.extend(groups(&rising).into_iter().flat_map(next));
        lines.extend(writes);
        lines.extend(resets(&rising));
        lines.push("    end".to_owned());
    }
    if !falling.is_empty() {
        lines.push(
            "    // What opens a word is there before the clock rises and changes after it has fallen.".to_owned(),
        );
        lines.push("    always @(negedge clock) begin".to_owned());
        lines.extend(groups(&falling).into_iter().flat_map(next));
        lines.push("    end".to_owned());
    }
    for store in &module.stores {
        if let Some(latch) = &store.latch {
            lines.push(String::new());
            lines.extend(latches(store, latch));
        }
    }
    lines
}

/// The next values of registers that one condition enables.
fn next((enable, registers): (Option<&Expr>, &[Register])) -> Vec<String> {
    let mut lines: Vec<String> = registers.iter().map(|r| format!("{} <= {};", r.name, text(&r.next))).collect();
    match (enable, &lines[..]) {
        (None, _) => return lines.iter().map(|line| format!("        {line}")).collect(),
        (Some(enable), [line]) => return vec![format!("        if ({}) {line}", text(enable))],
        (Some(enable), _) => {
            lines = lines.iter().map(|line| format!("            {line}")).collect();
            lines.insert(0, format!("        if ({}) begin", text(enable)));
            lines.push("        end".to_owned());
        }
    }
    lines
}

/// A reset overrides what stands before it.
fn resets(registers: &[Register]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for register in registers {
        if let Some(value) = register.reset {
            lines.push(format!("            {} <= {};", register.name, number(value, register.width)));
        }
    }
    if !lines.is_empty() {
        lines.insert(0, "        if (reset) begin".to_owned());
        lines.push("        end".to_owned());
    }
    lines
}

fn writes(store: &Memory) -> Vec<String> {
    let write = |w: &crate::write::module::Write| {
        let address = match &w.address {
            Expr::Const { value, .. } => value.to_string(),
            other => text(other),
        };
        format!("        if ({}) {}[{address}] <= {};", text(&w.enable), store.name, text(&w.data))
    };
    store.writes.iter().map(write).collect()
}

/// The words of a store of latches: the registered write opens them while the clock is high.
fn latches(store: &Memory, latch: &Latch) -> Vec<String> {
    let number = match store.address_bits {
        1 => format!("{}[0]", latch.number),
        bits => format!("{}[{}:0]", latch.number, bits - 1),
    };
    let hits: Vec<String> =
        store.writes.iter().map(|w| format!("{} & ({} == {number})", closed(&w.enable), text(&w.address))).collect();
    let hit = |n: usize| match hits.len() {
        1 => latch.open.clone(),
        _ => format!("{}{n}", latch.open),
    };
    let mut lines = vec![
        "    // The registered write opens a word in the first half of the clock.".to_owned(),
        format!("    genvar {};", latch.number),
        "    generate".to_owned(),
        format!("        for ({0} = 0; {0} < {1}; {0} = {0} + 1) begin : {2}", latch.number, store.length, latch.label),
    ];
    for (n, text) in hits.iter().enumerate() {
        lines.push(format!("            wire {} = {text};", hit(n)));
    }
    let any: Vec<String> = (0..hits.len()).map(hit).collect();
    let any = any.join(" | ");
    // What the later port writes wins.
    let mut data = text(&store.writes[0].data);
    for (n, write) in store.writes.iter().enumerate().skip(1) {
        data = format!("{} ? {} : {data}", hit(n), text(&write.data));
    }
    if store.writes.len() > 1 {
        lines.push(format!("            wire {}{} = {data};", range(store.width), latch.taken));
        data = latch.taken.clone();
    }
    let pins = format!(".clock(clock), .open({any}), .d({data}), .q({}[{}])", store.name, latch.number);
    lines.push(format!("            {} {} ({pins});", latch.module, latch.cell));
    lines.push("        end".to_owned());
    lines.push("    endgenerate".to_owned());
    lines
}
