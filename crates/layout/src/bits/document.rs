//! What is found, as others read it.

use serde::Serialize;

/// A bit of a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The value's name.
    pub value: String,
    /// The element, if it is an array.
    pub element: Option<usize>,
    /// The place in the word.
    pub bit: u8,
}

/// Columns that one operation gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Group {
    /// `box`, `state`, or the operation's word in the text form.
    pub kind: &'static str,
    /// The S-box's name, else empty.
    pub name: String,
    /// Where its bits are.
    pub bits: Vec<Place>,
    /// Truth table of an S-box.
    pub table: Vec<u64>,
    /// Output bits of an S-box.
    pub outputs: u8,
}

/// A bit that leaves the layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// Where it is.
    pub at: Place,
    /// Bits of one word have one number.
    pub sink: usize,
    /// The columns that it is the sum of.
    pub columns: Vec<usize>,
    /// The wire that it is in the program's own exclusive ors.
    pub wire: usize,
}

/// A linear layer of bits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BitLayer {
    /// The function it stands in, its calls replaced.
    pub function: String,
    /// The block, in the order of the walk.
    pub block: usize,
    /// What the columns are: `boxes`, `state`, `operations`, or `all` of these.
    pub kind: &'static str,
    /// Operations that are not linear, one behind another, up to the columns.
    pub depth: u32,
    /// The columns, operation by operation.
    pub groups: Vec<Group>,
    /// The rows.
    pub rows: Vec<Row>,
    /// Exclusive ors as the program has them: wires are columns, then steps.
    pub steps: Vec<(usize, usize)>,
    /// Equal layers beside it.
    pub count: usize,
}

impl BitLayer {
    /// Whether another adds the same columns of the same operations.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let group = |g: &Group| (g.kind, g.name.clone(), g.bits.len(), g.table.len());
        self.kind == other.kind
            && self.rows.len() == other.rows.len()
            && self.groups.len() == other.groups.len()
            && self.rows.iter().zip(&other.rows).all(|(a, b)| a.columns == b.columns)
            && self.groups.iter().zip(&other.groups).all(|(a, b)| group(a) == group(b))
    }
}

/// Operations that are not linear over GF(2), of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Nonlinear {
    /// `box`, or the operation's word in the text form.
    pub kind: String,
    /// The S-box's name, else empty.
    pub name: String,
    /// Bits that go into an S-box, or that one operation gives.
    pub bits: usize,
    /// How often it stands in the function, loops once.
    pub count: usize,
}

/// All that is found in a function.
#[derive(Clone, Debug, Serialize)]
pub struct Found {
    /// The layers, each once.
    pub layers: Vec<BitLayer>,
    /// What is not linear.
    pub nonlinear: Vec<Nonlinear>,
}
