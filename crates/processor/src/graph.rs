//! What a scheduler sees: operations, the latencies between them, and how many may issue together.

/// Operations with their dependences. Straight-line code has only edges of distance 0, which form no cycle;
/// the body of a loop has edges of distance 1 and more, too.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Graph {
    /// Of each operation its class, an index into [`Resources::classes`].
    pub classes: Vec<u16>,
    /// Dependences, in any order.
    pub edges: Vec<Edge>,
}

/// `cycle(to) + distance * II >= cycle(from) + latency`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Edge {
    /// The operation that comes first.
    pub from: u32,
    /// The operation that waits.
    pub to: u32,
    /// Cycles between their issues; 0 if both may issue in one cycle, negative if `to` may even be earlier.
    pub latency: i32,
    /// Iterations of the loop between them.
    pub distance: u32,
}

/// How many operations may issue in one cycle: in every cycle, every cap must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Resources {
    /// Names of the classes.
    pub classes: Vec<String>,
    /// The caps. They are Hall's condition on the ports: a set of operations fits the ports if and only if all hold.
    pub caps: Vec<Cap>,
}

/// At most `limit` slots per cycle for the operations of some classes together.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Cap {
    /// What it counts: `M0 M1` (ports), `issue`.
    pub name: String,
    /// Of each class the slots that one operation takes of this cap; 0: none.
    pub takes: Vec<u8>,
    /// Slots per cycle.
    pub limit: u32,
    /// Of each class the cycles, from its issue on, for which an operation holds its slots; empty: one cycle each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holds: Vec<u32>,
    /// Of each class the slots that it holds in the cycles behind that of its issue; empty: those that it takes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keeps: Vec<u8>,
}

impl Cap {
    /// Cycles for which an operation of a class holds its slots.
    #[must_use]
    pub fn held(&self, class: usize) -> u32 {
        self.holds.get(class).copied().unwrap_or(1)
    }

    /// Slots that an operation of a class takes so many cycles after its issue.
    #[must_use]
    pub fn slots(&self, class: usize, after: u32) -> u32 {
        let kept = if after == 0 || self.keeps.is_empty() { &self.takes } else { &self.keeps };
        if after < self.held(class) {
            kept[class].into()
        } else {
            0
        }
    }

    /// The most cycles for which an operation holds slots.
    #[must_use]
    pub fn longest(&self) -> u32 {
        self.holds.iter().copied().max().unwrap_or(1)
    }
}

impl Resources {
    /// The most cycles for which an operation of a class holds slots.
    #[must_use]
    pub fn held(&self, class: usize) -> u32 {
        self.caps.iter().map(|cap| cap.held(class)).max().unwrap_or(1)
    }

    /// The most cycles for which any operation holds slots.
    #[must_use]
    pub fn longest(&self) -> u32 {
        self.caps.iter().map(Cap::longest).max().unwrap_or(1)
    }
}

/// When every operation of a graph issues.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Schedule {
    /// Of each operation its cycle, from 0; of a loop, the cycle in its own iteration.
    pub cycles: Vec<u32>,
    /// Initiation interval of a software-pipelined loop: cycles between the starts of two iterations.
    pub interval: Option<u32>,
}

impl Schedule {
    /// Cycles from the first issue to the last, both counted: of the code, or of one iteration of the loop.
    #[must_use]
    pub fn length(&self) -> u32 {
        self.cycles.iter().max().map_or(0, |last| last + 1)
    }
}
