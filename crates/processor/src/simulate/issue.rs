//! Which operations of a text can issue in one cycle: stops, the window of bundles, and a matching of operations to ports.

use program::Diagnostic;

use super::execute::error;
use super::listing::{Flow, Listing, Style, TextOp};
use crate::model::Processor;

/// Why a cycle takes no further operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// A stop, written or implied by the template.
    Stop,
    /// A branch that is always taken, or the end of the text.
    Flow,
    /// No port is left for the next operation; its ports.
    Port(u64),
    /// All issue slots are taken.
    Width,
    /// The next bundle is outside of the window.
    Window,
    /// The template of the next bundle cannot follow in the same cycle.
    Template,
}

/// The operations of one cycle, beginning at a given one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// One past the last operation.
    pub end: u32,
    /// Why it ends there.
    pub why: End,
}

/// Of each operation of a text the cycle that begins with it.
#[derive(Clone, Debug)]
pub struct Units {
    units: Vec<Unit>,
}

/// What an operation needs.
#[derive(Clone, Debug)]
struct Need {
    ports: u64,
    /// Sets of ports of each of which it takes one besides.
    second: Vec<u64>,
    slots: u32,
    /// It stands in an I slot: these are taken in the order of the text.
    integer: bool,
}

impl Units {
    /// Finds them.
    ///
    /// # Errors
    /// M507: an operation fits no port.
    pub fn new(listing: &Listing, processor: &Processor) -> Result<Units, Diagnostic> {
        let limits = Limits::new(listing, processor)?;
        let units = (0..listing.ops.len()).map(|start| limits.unit(listing, start)).collect();
        Ok(Units { units })
    }

    /// The cycle that begins with an operation.
    #[inline]
    #[must_use]
    pub fn at(&self, start: u32) -> Unit {
        self.units[start as usize]
    }
}

struct Limits {
    needs: Vec<Need>,
    limited: bool,
    /// The ports of I slots, first to last.
    integers: Vec<u64>,
    width: u32,
    window: u32,
    templates: Vec<String>,
}

impl Limits {
    fn new(listing: &Listing, processor: &Processor) -> Result<Limits, Diagnostic> {
        let limited = !processor.infinite;
        let width = if processor.issue == 0 { u32::MAX } else { processor.issue };
        let integers =
            (0..processor.ports.len()).filter(|&n| processor.ports[n].starts_with('I')).map(|n| 1 << n).collect();
        let mut limits =
            Limits { needs: Vec::new(), limited, integers, width, window: (width / 3).max(1), templates: Vec::new() };
        if !limited || listing.style != Style::Bundles {
            limits.window = u32::MAX;
        }
        for op in &listing.ops {
            let need = need(op, processor);
            if need.ports == 0 && limited {
                let slot = op.unit.map_or(String::new(), |unit| format!(" in a slot {unit}"));
                return Err(error(
                    listing,
                    "M507",
                    op,
                    format!("no port of {} takes `{}`{slot}", processor.name, op.text),
                ));
            }
            limits.needs.push(need);
            let bundle = op.bundle.0 as usize;
            if limits.templates.len() <= bundle {
                limits.templates.push(String::new());
            }
            limits.templates[bundle].extend(op.unit);
        }
        Ok(limits)
    }

    fn unit(&self, listing: &Listing, start: usize) -> Unit {
        let mut matching = Matching::default();
        let (mut slots, mut integers) = (0, 0);
        for (index, op) in listing.ops.iter().enumerate().skip(start) {
            let unit = |why| Unit { end: index as u32, why };
            let first = &listing.ops[start];
            if op.bundle.0 - first.bundle.0 >= self.window {
                return unit(End::Window);
            }
            if index > start && op.bundle.1 == 0 && listing.style == Style::Bundles && self.limited {
                // The rules are about whole bundles: what is left of one in which a group ended only takes its ports.
                let whole = first.bundle.0 + 1 < op.bundle.0 || first.bundle.1 == 0;
                if whole && !self.follows(op.bundle.0) {
                    return unit(End::Template);
                }
            }
            let need = &self.needs[index];
            slots += need.slots;
            if self.limited && slots > self.width {
                return unit(End::Width);
            }
            let ports = if need.integer { self.integer_port(need.ports, &mut integers) } else { need.ports };
            if self.limited && !(matching.add(ports) && need.second.iter().all(|&mask| matching.add(mask))) {
                return unit(End::Port(need.ports));
            }
            if let Some(why) = self.ends(listing, index) {
                return Unit { end: index as u32 + 1, why };
            }
        }
        Unit { end: listing.ops.len() as u32, why: End::Flow }
    }

    /// The port of an I slot: the first of a cycle goes to the first port, the second to the second.
    fn integer_port(&self, ports: u64, integers: &mut usize) -> u64 {
        *integers += 1;
        self.integers.get(*integers - 1).map_or(0, |port| port & ports)
    }

    fn ends(&self, listing: &Listing, index: usize) -> Option<End> {
        let op = &listing.ops[index];
        let last = listing.ops.get(index + 1).map_or(true, |next| next.bundle.0 != op.bundle.0);
        let stop = op.stop || listing.style == Style::Bundles && self.limited && last && self.implied_stop(op);
        if stop {
            return Some(End::Stop);
        }
        matches!(op.flow, Flow::Jump(_) | Flow::Return).then_some(End::Flow)
    }

    /// After MBB and BBB, and after a real branch in the last slot.
    fn implied_stop(&self, op: &TextOp) -> bool {
        let template = self.templates[op.bundle.0 as usize].as_str();
        matches!(template, "MBB" | "BBB") || op.unit == Some('B') && !op.nop
    }

    /// Whether a bundle can issue in the same cycle as the one before it.
    fn follows(&self, bundle: u32) -> bool {
        let (this, before) = (self.templates[bundle as usize].as_str(), self.templates[bundle as usize - 1].as_str());
        match (before, this) {
            // Three slots that take ports of integers, where there are two.
            ("MII", "ML") => self.integers.len() > 2,
            ("MBB" | "BBB", _) => false,
            (_, "BBB") => matches!(before, "MII" | "MMI" | "MFI" | "MMF" | "ML"),
            _ => true,
        }
    }
}

/// Ports that an operation may take: those of its class that its slot in the bundle can reach.
fn need(op: &TextOp, processor: &Processor) -> Need {
    let reach = |letter: char| {
        let begins = |name: &String| name.starts_with(letter);
        let ports = processor.ports.iter().enumerate().filter(|(_, name)| begins(name));
        ports.fold(0u64, |mask, (n, _)| mask | 1 << n)
    };
    let all = 1u64.checked_shl(processor.ports.len() as u32).map_or(u64::MAX, |bit| bit - 1);
    // A long immediate takes an I slot and the slot of its upper bits.
    let integer = matches!(op.unit, Some('I' | 'L'));
    match op.instruction {
        None => Need { ports: op.unit.map_or(all, reach), second: Vec::new(), slots: 1, integer },
        Some(instruction) => {
            let class = &processor.classes[processor.class_of(instruction)];
            let slots = u32::from(class.slots.max(1));
            let mask = match op.unit {
                Some('L') | None => u64::MAX,
                Some(letter) => reach(letter),
            };
            Need { ports: class.ports & mask, second: class.second_ports.clone(), slots, integer }
        }
    }
}

/// A matching of operations to ports, grown by one operation at a time.
#[derive(Clone, Debug)]
pub struct Matching {
    /// Of each port the operation that has it.
    owner: [u8; 64],
    ports: [u64; 64],
    count: u8,
}

const FREE: u8 = u8::MAX;

impl Default for Matching {
    fn default() -> Self {
        Matching { owner: [FREE; 64], ports: [0; 64], count: 0 }
    }
}

impl Matching {
    /// Adds an operation that can take any of the ports; false, and nothing changes, if there is no place for it.
    pub fn add(&mut self, ports: u64) -> bool {
        if self.count as usize == self.ports.len() {
            return false;
        }
        self.ports[usize::from(self.count)] = ports;
        let mut seen = 0;
        if self.place(self.count, &mut seen) {
            self.count += 1;
            return true;
        }
        false
    }

    /// An augmenting path from an operation.
    fn place(&mut self, op: u8, seen: &mut u64) -> bool {
        let mut open = self.ports[usize::from(op)];
        while open != 0 {
            let port = open.trailing_zeros() as usize;
            open &= open - 1;
            if *seen >> port & 1 == 1 {
                continue;
            }
            *seen |= 1 << port;
            if self.owner[port] == FREE || self.place(self.owner[port], seen) {
                self.owner[port] = op;
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::Matching;

    #[test]
    fn a_matching_moves_earlier_operations() {
        let mut matching = Matching::default();
        assert!(matching.add(0b11));
        assert!(matching.add(0b01));
        assert!(!matching.add(0b11));
        assert!(matching.add(0b100));
    }
}
