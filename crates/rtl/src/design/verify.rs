//! Whether a design means something. What the simulator, the writers and the timing rely on is checked here.
//!
//! The number of an invariant is that of its error: invariant 1 is H211.
//!
//! 1. Machines have different names, and so have the pins, and the ports of a machine; `clock` and `reset` are pins of every design
//!    and no names of others. Registers and stores may share names: the writers number them.
//! 2. Every input of a machine and every output pin is the end of exactly one wire.
//! 3. A wire begins at an input pin or an output of a machine, and ends at an output pin or an input of a machine.
//! 4. The words at both ends of a wire have the same widths.
//! 5. A machine's function takes the words of its inputs, its registers and its stores.
//! 6. A machine's function gives the words of its outputs, and what its registers and stores need.
//! 7. Words have 1 to 64 bits, a reset value fits its register, a store has 1 to 65,536 words and is written.
//! 8. No output depends on itself within a clock.
//! 9. Planned clock counts are not 0, and each key size and direction has one entry.

mod dependence;
mod signature;

use std::collections::{BTreeMap, BTreeSet};

use program::diagnostic::Diagnostic;

use super::{Design, Direction, End, Machine, Port, Wire};

/// Checks every invariant, and those of the program.
///
/// # Errors
/// The first one that does not hold: P101 to P120 of the program, then H211 to H219 as numbered above.
pub fn verify(design: &Design) -> Result<(), Diagnostic> {
    program::verify(&design.program)?;
    names(design)?;
    for machine in &design.machines {
        words(machine)?;
    }
    for wire in &design.wires {
        ends(design, wire)?;
    }
    driven(design)?;
    for machine in &design.machines {
        signature::check(design, machine)?;
    }
    dependence::check(design)?;
    timing(design)
}

/// Name of an end for people: `key_schedule.round_key0`, `pin data_out`.
fn shown(design: &Design, end: &End) -> String {
    match end.machine {
        None => format!("pin `{}`", end.port),
        Some(n) => {
            let machine = design.machines.get(n).map_or("?", |m| m.name.as_str());
            format!("`{machine}.{}`", end.port)
        }
    }
}

fn different<'a>(what: &str, names: impl Iterator<Item = &'a String>, seen: &[&str]) -> Result<(), Diagnostic> {
    let mut seen: BTreeSet<&str> = seen.iter().copied().collect();
    for name in names {
        if !seen.insert(name) {
            return Err(Diagnostic::new("H211", format!("two {what} have the name `{name}`")));
        }
    }
    Ok(())
}

fn names(design: &Design) -> Result<(), Diagnostic> {
    const OWN: [&str; 2] = ["clock", "reset"];
    different("machines", design.machines.iter().map(|m| &m.name), &[])?;
    different("pins", design.ports.iter().map(|p| &p.name), &OWN)?;
    for machine in &design.machines {
        let ports = machine.ports.iter().map(|p| &p.name);
        different("ports", ports, &OWN).map_err(|e| in_machine(e, machine))?;
    }
    Ok(())
}

fn in_machine(error: Diagnostic, machine: &Machine) -> Diagnostic {
    error.note(format!("in machine `{}`", machine.name))
}

fn words(machine: &Machine) -> Result<(), Diagnostic> {
    let wrong = |text: String| Err(in_machine(Diagnostic::new("H217", text), machine));
    let fits = |width: u8| (1..=64).contains(&width);
    for port in &machine.ports {
        if port.words.is_empty() || !port.words.iter().all(|&w| fits(w)) {
            return wrong(format!("the port `{}` has no words, or one that has not 1 to 64 bits", port.name));
        }
    }
    for register in &machine.registers {
        if !fits(register.width) {
            return wrong(format!("the register `{}` has {} bits, not 1 to 64", register.name, register.width));
        }
        if register.reset.is_some_and(|value| value & !program::semantics::mask(register.width) != 0) {
            return wrong(format!("the reset value of `{}` does not fit {} bits", register.name, register.width));
        }
    }
    for store in &machine.stores {
        if !fits(store.width) || !(1..=65_536).contains(&store.length) || store.writes == 0 {
            return wrong(format!("the store `{}` has no words, too many, or is never written", store.name));
        }
    }
    Ok(())
}

/// The port at an end of a wire, if it is one of the given kind: what begins a wire is an input pin or an output of a machine.
fn port<'a>(design: &'a Design, end: &End, begins: bool) -> Option<&'a Port> {
    let (ports, wanted) = match end.machine {
        None => (&design.ports, begins),
        Some(n) => (&design.machines.get(n)?.ports, !begins),
    };
    let direction = if wanted { Direction::Input } else { Direction::Output };
    ports.iter().find(|p| p.name == end.port && p.direction == direction)
}

fn ends(design: &Design, wire: &Wire) -> Result<(), Diagnostic> {
    let missing = |end: &End, verb: &str| {
        let (pin, of_machine) = if verb == "begins" { ("input", "output") } else { ("output", "input") };
        Diagnostic::new("H213", format!("a wire {verb} at {}, which does not exist", shown(design, end)))
            .note(format!("a wire {verb} at an {pin} pin or at an {of_machine} of a machine"))
    };
    let from = port(design, &wire.from, true).ok_or_else(|| missing(&wire.from, "begins"))?;
    let to = port(design, &wire.to, false).ok_or_else(|| missing(&wire.to, "ends"))?;
    if from.words == to.words {
        return Ok(());
    }
    let (a, b) = (shown(design, &wire.from), shown(design, &wire.to));
    Err(Diagnostic::new("H214", format!("a wire joins {a} and {b}, whose words differ"))
        .note(format!("from: words of {}", bits(&from.words)))
        .note(format!("to: words of {}", bits(&to.words))))
}

/// Widths for people: `8 x16, 1`.
fn bits(words: &[u8]) -> String {
    let mut runs: Vec<(u8, usize)> = Vec::new();
    for &word in words {
        match runs.last_mut() {
            Some((width, count)) if *width == word => *count += 1,
            _ => runs.push((word, 1)),
        }
    }
    let text = |&(width, count): &(u8, usize)| if count == 1 { width.to_string() } else { format!("{width} x{count}") };
    format!("{} bits", runs.iter().map(text).collect::<Vec<_>>().join(", "))
}

fn driven(design: &Design) -> Result<(), Diagnostic> {
    let mut counts: BTreeMap<&End, usize> = BTreeMap::new();
    for wire in &design.wires {
        *counts.entry(&wire.to).or_default() += 1;
    }
    for end in targets(design) {
        let count = counts.get(&end).copied().unwrap_or(0);
        if count != 1 {
            let text = if count == 0 { "no wire".to_owned() } else { format!("{count} wires") };
            return Err(Diagnostic::new("H212", format!("{text} to {}, one must lead there", shown(design, &end))));
        }
    }
    Ok(())
}

/// All inputs of machines and output pins.
fn targets(design: &Design) -> Vec<End> {
    let pins = design.ports.iter().filter(|p| p.direction == Direction::Output);
    let mut list: Vec<End> = pins.map(|p| End { machine: None, port: p.name.clone() }).collect();
    for (n, machine) in design.machines.iter().enumerate() {
        let inputs = machine.ports.iter().filter(|p| p.direction == Direction::Input);
        list.extend(inputs.map(|p| End { machine: Some(n), port: p.name.clone() }));
    }
    list
}

fn timing(design: &Design) -> Result<(), Diagnostic> {
    let mut seen = BTreeSet::new();
    for clocks in &design.timing.clocks {
        let mode = format!("{} bits, {}", clocks.key_bits, if clocks.decrypt { "decryption" } else { "encryption" });
        if clocks.latency == 0 || clocks.per_block == 0 {
            return Err(Diagnostic::new("H219", format!("a block takes no clock ({mode})")));
        }
        if !seen.insert((clocks.key_bits, clocks.decrypt)) {
            return Err(Diagnostic::new("H219", format!("clock counts are planned twice ({mode})")));
        }
    }
    Ok(())
}
