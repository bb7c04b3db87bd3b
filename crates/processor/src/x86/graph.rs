//! A region of a program as a graph of 32-bit values: loads, fields, look-ups, sums, and what is stored.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use program::ir::Place;

/// Places in the author's text, innermost first.
pub type Places = Arc<[Place]>;

/// A node, or a place in a list of nodes.
pub type Id = usize;

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Kind {
    /// From memory: `number` its byte in the object, `bits` 8 or 32.
    Leaf,
    Number,
    /// `bits` bits from `number` on.
    Field,
    /// An entry of an object, of `bits` bits; entries begin at byte `number`.
    Lookup,
    Xor,
    And,
    Or,
    Add,
    Sub,
    Mul,
    Not,
    /// Shifts and rotations by `number`, or by the second argument.
    Shl,
    Shr,
    Rol,
    Ror,
    Bswap,
    /// A loop's counter times `scale`, plus `number`.
    Index,
}

impl Kind {
    /// Whether terms come in any order.
    #[must_use]
    pub fn is_sum(self) -> bool {
        matches!(self, Kind::Xor | Kind::And | Kind::Or | Kind::Add)
    }
}

/// An object in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Object {
    /// A parameter of the function, by its number.
    Parameter(usize),
    /// A result, by its number.
    Result(usize),
    /// A table of the program.
    Table(usize),
    /// An array that is neither parameter nor result.
    Array(usize),
    /// Words between regions.
    Cells,
}

/// What a node is made of; equal ones are one node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// What it is.
    pub kind: Kind,
    /// Of a leaf or a look-up.
    pub object: Option<Object>,
    /// See [`Kind`].
    pub number: i64,
    /// Width.
    pub bits: u8,
    /// Of a leaf: so many times the loop's counter further on.
    pub scale: i64,
    /// How many stores come before a load from where the code stores.
    pub epoch: Option<usize>,
}

impl Shape {
    /// A word without any attribute.
    #[must_use]
    pub fn word(kind: Kind) -> Shape {
        Shape { kind, object: None, number: 0, bits: 32, scale: 0, epoch: None }
    }

    /// A word with a number: a constant, a shift.
    #[must_use]
    pub fn numbered(kind: Kind, number: i64) -> Shape {
        Shape { number, ..Shape::word(kind) }
    }

    /// A value of an object: of its byte `number`.
    #[must_use]
    pub fn of(kind: Kind, object: Object, number: i64, bits: u8) -> Shape {
        Shape { object: Some(object), number, bits, ..Shape::word(kind) }
    }
}

/// A value.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it is.
    pub shape: Shape,
    /// What it is made from.
    pub args: Vec<Id>,
    /// Where the operation stands that first asked for it.
    pub places: Places,
}

/// A value that is stored.
#[derive(Clone, Debug)]
pub struct StoredValue {
    /// Where.
    pub object: Object,
    /// Its byte there.
    pub offset: i64,
    /// What.
    pub value: Id,
    /// Width.
    pub bits: u8,
    /// Times of a loop's counter that come to the byte.
    pub scale: i64,
    /// Entry that comes to the byte.
    pub address: Option<Id>,
    /// Where the operation stands that stores it.
    pub places: Places,
}

/// A use of a value, or an access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum User {
    /// By a node.
    Node(Id),
    /// By a store, by its number.
    Store(usize),
}

/// Nodes in the order of the program and what is stored.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Each after those that it is made from.
    pub nodes: Vec<Node>,
    /// In order.
    pub stores: Vec<StoredValue>,
    /// Accesses of memory that keep their order.
    pub order: Vec<(User, User)>,
}

/// Makes nodes, the same for the same.
#[derive(Debug, Default)]
pub struct Nodes {
    /// All of them.
    pub list: Vec<Node>,
    /// Loads from where the code stores, in order.
    pub loads: Vec<Id>,
    /// Where the operation stands whose nodes are made.
    pub places: Places,
    known: HashMap<(Shape, Vec<Id>), Id>,
    /// Cells that lie in registers: bytes of them are no loads.
    fixed: HashSet<i64>,
}

impl Nodes {
    /// No node yet.
    #[must_use]
    pub fn new(fixed: impl IntoIterator<Item = i64>) -> Nodes {
        Nodes { fixed: fixed.into_iter().collect(), ..Nodes::default() }
    }

    /// The shape of a node.
    #[must_use]
    pub fn shape(&self, id: Id) -> &Shape {
        &self.list[id].shape
    }

    /// A node.
    pub fn node(&mut self, shape: Shape, args: &[Id]) -> Id {
        let mut key = args.to_vec();
        if shape.kind.is_sum() || shape.kind == Kind::Mul {
            key.sort_unstable();
        }
        let next = self.list.len();
        let id = *self.known.entry((shape.clone(), key)).or_insert(next);
        if id == next {
            if shape.epoch.is_some() {
                self.loads.push(id);
            }
            self.list.push(Node { shape, args: args.to_vec(), places: self.places.clone() });
        }
        id
    }

    /// A constant.
    pub fn number(&mut self, number: i64) -> Id {
        self.node(Shape::numbered(Kind::Number, number & 0xFFFF_FFFF), &[])
    }

    /// A shift or a rotation by a number.
    pub fn shifted(&mut self, kind: Kind, x: Id, by: i64) -> Id {
        let (kind, by) = if kind == Kind::Ror { (Kind::Rol, -by) } else { (kind, by) };
        let by = by.rem_euclid(32);
        match kind {
            _ if by == 0 => x,
            Kind::Rol if by >= 16 => self.node(Shape::numbered(Kind::Ror, 32 - by), &[x]),
            _ => self.node(Shape::numbered(kind, by), &[x]),
        }
    }

    /// A sum without what changes nothing.
    pub fn sum(&mut self, kind: Kind, args: &[Id]) -> Id {
        let neutral = if kind == Kind::And { 0xFFFF_FFFF } else { 0 };
        let counts = |&&arg: &&Id| *self.shape(arg) != Shape::numbered(Kind::Number, neutral);
        let args: Vec<Id> = args.iter().filter(counts).copied().collect();
        match args[..] {
            [a, b] if kind == Kind::Add && a == b => self.shifted(Kind::Shl, a, 1),
            [a] => a,
            _ => self.node(Shape::word(kind), &args),
        }
    }

    /// Bits of a value from a position on.
    pub fn field(&mut self, x: Id, position: i64, bits: u8) -> Id {
        let shape = self.shape(x).clone();
        let whole_byte = bits == 8 && position % 8 == 0;
        let in_register = shape.object == Some(Object::Cells) && self.fixed.contains(&shape.number);
        match shape.kind {
            Kind::Leaf if in_register => {}
            Kind::Leaf if shape.bits == 32 && whole_byte => {
                let number = shape.number + position / 8;
                return self.node(Shape { number, bits: 8, ..shape }, &[]);
            }
            Kind::Bswap if whole_byte => return self.field(self.list[x].args[0], 24 - position, 8),
            _ => {}
        }
        if bits == 32 && (position == 0 || in_register) {
            return x;
        }
        self.node(Shape { bits, ..Shape::numbered(Kind::Field, position) }, &[x])
    }

    /// The word of four bytes, the least first.
    pub fn joined(&mut self, parts: &[Id]) -> Id {
        if let Some(word) = self.loaded_word(parts) {
            return word;
        }
        let origin: Vec<Option<(Id, i64)>> = parts
            .iter()
            .map(|&part| {
                let Node { shape, args, .. } = &self.list[part];
                (shape.kind == Kind::Field && shape.bits == 8).then(|| (args[0], shape.number))
            })
            .collect();
        if let Some(Some((word, _))) = origin.first().copied() {
            let at = |positions: [i64; 4]| origin.iter().copied().eq(positions.map(|n| Some((word, n))));
            if at([0, 8, 16, 24]) {
                return word;
            }
            if at([24, 16, 8, 0]) {
                return self.node(Shape::word(Kind::Bswap), &[word]);
            }
        }
        self.mixed(parts, &origin)
    }

    /// The word if its bytes lie one behind the other in memory, either way round.
    fn loaded_word(&mut self, parts: &[Id]) -> Option<Id> {
        for turned in [false, true] {
            let mut order = parts.to_vec();
            if turned {
                order.reverse();
            }
            let first = self.shape(order[0]).clone();
            let byte = |k: usize| Shape { bits: 8, number: first.number + k as i64, ..first.clone() };
            let fits = first.kind == Kind::Leaf && first.number % 4 == 0;
            if fits && order.iter().enumerate().all(|(k, &part)| *self.shape(part) == byte(k)) {
                let word = self.node(Shape { bits: 32, ..first }, &[]);
                return Some(if turned { self.node(Shape::word(Kind::Bswap), &[word]) } else { word });
            }
        }
        None
    }

    /// The word of bytes of several words: of each and each distance one mask.
    fn mixed(&mut self, parts: &[Id], origin: &[Option<(Id, i64)>]) -> Id {
        let mut groups: Vec<(Id, i64, i64)> = Vec::new();
        let mut terms: Vec<Id> = Vec::new();
        for (k, &part) in parts.iter().enumerate() {
            let to = 8 * k as i64;
            let Some((word, position)) = origin[k] else {
                terms.push(self.shifted(Kind::Shl, part, to));
                continue;
            };
            let turn = (to - position).rem_euclid(32);
            match groups.iter_mut().find(|group| (group.0, group.1) == (word, turn)) {
                Some(group) => group.2 |= 255 << to,
                None => groups.push((word, turn, 255 << to)),
            }
        }
        for (word, turn, mask) in groups {
            terms.push(match mask {
                0xFF00_0000 => {
                    let low = if turn == 24 { word } else { self.shifted(Kind::Shr, word, 24 - turn) };
                    self.shifted(Kind::Shl, low, 24)
                }
                255 => self.field(word, (-turn).rem_euclid(32), 8),
                _ => {
                    let (turned, mask) = (self.shifted(Kind::Rol, word, turn), self.number(mask));
                    self.sum(Kind::And, &[turned, mask])
                }
            });
        }
        let first = terms[0];
        terms[1..].iter().fold(first, |total, &term| self.sum(Kind::Or, &[total, term]))
    }
}
