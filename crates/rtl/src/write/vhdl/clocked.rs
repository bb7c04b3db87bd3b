//! Registers and stores in VHDL.

use super::expression::{condition_text, index, number, text};
use super::type_text;
use crate::write::module::{groups, Latch, Memory, Module, Register, Write};

/// Declarations of registers and stores; a store has a word for every address.
pub(super) fn declarations(module: &Module) -> Vec<String> {
    let mut lines = Vec::new();
    for register in &module.registers {
        lines.push(format!("  signal {} : {};", register.name, type_text(register.width)));
    }
    for store in &module.stores {
        let (last, word) = ((1u64 << store.address_bits) - 1, type_text(store.width));
        lines.push(format!("  type {} is array (0 to {last}) of {word};", store.type_name));
        lines.push(format!("  signal {} : {};", store.name, store.type_name));
    }
    lines
}

/// What the clock writes; then latches.
pub(super) fn clock(module: &Module) -> Vec<String> {
    let mut lines = Vec::new();
    let flip_flops: Vec<&Memory> = module.stores.iter().filter(|s| s.latch.is_none()).collect();
    let (falling, rising): (Vec<Register>, Vec<Register>) = module.registers.iter().cloned().partition(|r| r.falling);
    if !rising.is_empty() || !flip_flops.is_empty() {
        lines.extend(["  process (clock)", "  begin", "    if rising_edge(clock) then"].map(str::to_owned));
        lines.extend(next(&rising));
        for store in flip_flops {
            lines.extend(store.writes.iter().flat_map(|w| {
                let line = format!("{}({}) <= {};", store.name, index(&w.address), text(&w.data));
                guarded("      ", &condition_text(&w.enable), vec![line])
            }));
        }
        let reset = |r: &Register| r.reset.map(|v| format!("{} <= {};", r.name, number(v, r.width)));
        let resets: Vec<String> = rising.iter().filter_map(reset).collect();
        if !resets.is_empty() {
            lines.extend(guarded("      ", "reset = '1'", resets));
        }
        lines.extend(["    end if;", "  end process;"].map(str::to_owned));
    }
    if !falling.is_empty() {
        lines
            .push("  -- What opens a word is there before the clock rises and changes after it has fallen.".to_owned());
        lines.extend(["  process (clock)", "  begin", "    if falling_edge(clock) then"].map(str::to_owned));
        lines.extend(next(&falling));
        lines.extend(["    end if;", "  end process;"].map(str::to_owned));
    }
    for store in &module.stores {
        if let Some(latch) = &store.latch {
            lines.push(String::new());
            lines.extend(latches(store, latch));
        }
    }
    lines
}

/// The next values of registers.
fn next(registers: &[Register]) -> Vec<String> {
    let mut lines = Vec::new();
    for (enable, registers) in groups(registers) {
        let next = registers.iter().map(|r| format!("{} <= {};", r.name, text(&r.next))).collect();
        match enable {
            Some(enable) => lines.extend(guarded("      ", &condition_text(enable), next)),
            None => lines.extend(next.into_iter().map(|line| format!("      {line}"))),
        }
    }
    lines
}

fn guarded(indent: &str, condition: &str, inner: Vec<String>) -> Vec<String> {
    let mut lines = vec![format!("{indent}if {condition} then")];
    lines.extend(inner.into_iter().map(|line| format!("{indent}  {line}")));
    lines.push(format!("{indent}end if;"));
    lines
}

/// The words of a store of latches: the registered write opens them while the clock is high.
fn latches(store: &Memory, latch: &Latch) -> Vec<String> {
    let mut lines = vec![
        "  -- The registered write opens a word in the first half of the clock.".to_owned(),
        format!("  {} : for {} in 0 to {} generate", latch.label, latch.number, store.length - 1),
        "    process (all)".to_owned(),
        "    begin".to_owned(),
    ];
    let write = |w: &Write| {
        let here = format!("{} = {}", index(&w.address), latch.number);
        let condition = format!("clock = '1' and {} and {here}", condition_text(&w.enable));
        guarded("      ", &condition, vec![format!("{}({}) <= {};", store.name, latch.number, text(&w.data))])
    };
    lines.extend(store.writes.iter().flat_map(write));
    lines.push("    end process;".to_owned());
    lines.push("  end generate;".to_owned());
    lines
}
