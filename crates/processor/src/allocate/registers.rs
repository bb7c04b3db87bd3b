//! Registers with the stretches of time in which they hold a value.

use super::live::{overlap, Segment};

/// A register: its class, its name, and when it holds a value.
pub(super) struct Register {
    pub class: usize,
    pub name: String,
    /// In the order of their starts.
    pub segments: Vec<Segment>,
    /// The last tick of the segments up to each one of them.
    ends: Vec<u32>,
}

impl Register {
    /// A register that holds nothing.
    pub fn new(class: usize, name: String) -> Register {
        Register { class, name, segments: Vec::new(), ends: Vec::new() }
    }

    /// Whether segments overlap none of those in which the register holds a value.
    pub fn is_free(&self, wanted: &[Segment]) -> bool {
        wanted.iter().all(|b| {
            let first = self.ends.partition_point(|&end| end < b.start);
            self.segments[first..].iter().take_while(|a| a.start <= b.end).all(|a| !overlap(a, b))
        })
    }

    /// Lets the register hold a value in further segments.
    pub fn hold(&mut self, more: &[Segment]) {
        self.segments.extend(more);
        self.segments.sort_by_key(|s| s.start);
        let last = |end: &mut u32, s: &Segment| {
            *end = s.end.max(*end);
            Some(*end)
        };
        self.ends = self.segments.iter().scan(0, last).collect();
    }
}
