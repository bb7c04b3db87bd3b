//! The nodes of a graph in the order in which they are made: unused ones left out, sums of sums as one, fields as bytes
//! that registers have and shifts.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::graph::{Graph, Id, Kind, Node, Places, Shape, User};

/// Nodes with their users, in an order.
pub(super) struct OrderedGraph {
    pub nodes: Vec<Node>,
    pub order: Vec<Id>,
    /// What uses each node: nodes in order, then stores.
    pub users: Vec<Vec<User>>,
    /// Nodes that are stored, or say where.
    pub stored: BTreeSet<Id>,
    /// Of terms of sums that were sums of their own where these stand: by sum and term.
    joined: HashMap<(Id, Id), Places>,
}

impl OrderedGraph {
    /// The nodes of a graph that something stored depends on.
    pub fn new(graph: &Graph) -> OrderedGraph {
        let stored = graph.stores.iter().flat_map(|one| [Some(one.value), one.address]).flatten().collect();
        let mut made = OrderedGraph {
            nodes: graph.nodes.clone(),
            order: Vec::new(),
            users: Vec::new(),
            stored,
            joined: HashMap::new(),
        };
        made.order = made.live();
        made.link();
        made.flatten();
        made.split_fields();
        made.arrange();
        for (number, one) in graph.stores.iter().enumerate() {
            made.users[one.value].push(User::Store(number));
            if let Some(address) = one.address {
                made.users[address].push(User::Store(number));
            }
        }
        made
    }

    fn live(&self) -> Vec<Id> {
        let mut needed = vec![false; self.nodes.len()];
        let mut todo: Vec<Id> = self.stored.iter().copied().collect();
        while let Some(id) = todo.pop() {
            if !std::mem::replace(&mut needed[id], true) {
                todo.extend(&self.nodes[id].args);
            }
        }
        (0..needed.len()).filter(|&id| needed[id]).collect()
    }

    fn link(&mut self) {
        self.users = vec![Vec::new(); self.nodes.len()];
        for &id in &self.order {
            for &arg in &self.nodes[id].args {
                self.users[arg].push(User::Node(id));
            }
        }
    }

    /// Where what a node does with one of its operands stands.
    pub fn places(&self, id: Id, arg: Option<Id>) -> Places {
        let of_term = arg.and_then(|arg| self.joined.get(&(id, arg)));
        of_term.unwrap_or(&self.nodes[id].places).clone()
    }

    /// The nodes that use a node.
    pub fn node_users(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        self.users[id].iter().filter_map(|user| match user {
            User::Node(id) => Some(*id),
            User::Store(_) => None,
        })
    }

    /// Joins sums of sums that nothing else uses.
    fn flatten(&mut self) {
        let mut gone = HashSet::new();
        for &id in self.order.iter().rev() {
            let kind = self.nodes[id].shape.kind;
            if !kind.is_sum() || gone.contains(&id) {
                continue;
            }
            let mut args = Vec::new();
            let mut todo: Vec<(Id, Id)> = self.nodes[id].args.iter().rev().map(|&arg| (id, arg)).collect();
            while let Some((of, arg)) = todo.pop() {
                let inner = &self.nodes[arg];
                if inner.shape.kind == kind && self.users[arg].len() == 1 && !self.stored.contains(&arg) {
                    gone.insert(arg);
                    todo.extend(inner.args.iter().rev().map(|&one| (arg, one)));
                } else {
                    args.push(arg);
                    self.joined.insert((id, arg), self.nodes[of].places.clone());
                }
            }
            self.nodes[id].args = args;
        }
        self.order.retain(|id| !gone.contains(id));
        self.link();
    }

    /// Adds a node that another needs, which stands where that does.
    fn add(&mut self, user: Id, shape: Shape, args: Vec<Id>, order: &mut Vec<Id>) -> Id {
        let places = self.nodes[user].places.clone();
        self.nodes.push(Node { shape, args, places });
        order.push(self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    /// Replaces fields by bytes that registers have and shifts; of a word's upper bytes both by one shift.
    fn split_fields(&mut self) {
        let is_field = |node: &Node| node.shape.kind == Kind::Field;
        let third = |node: &Node| is_field(node) && (node.shape.bits, node.shape.number) == (8, 16);
        let halved: HashSet<Id> =
            self.order.iter().map(|&id| &self.nodes[id]).filter(|node| third(node)).map(|node| node.args[0]).collect();
        let mut out = Vec::new();
        let mut uppers: HashMap<Id, Id> = HashMap::new();
        for id in self.order.clone() {
            if !is_field(&self.nodes[id]) {
                out.push(id);
                continue;
            }
            let x = self.nodes[id].args[0];
            let (low, bits) = (self.nodes[id].shape.number, self.nodes[id].shape.bits);
            let byte = |number| Shape { bits: 8, ..Shape::numbered(Kind::Field, number) };
            let right = |by| Shape::numbered(Kind::Shr, by);
            let (shape, args) = match (bits, low) {
                (8, 0 | 8) => (byte(low), vec![x]),
                (8, 16 | 24) if low == 16 || halved.contains(&x) => {
                    let upper = match uppers.get(&x) {
                        Some(&upper) => upper,
                        None => self.add(id, right(16), vec![x], &mut out),
                    };
                    uppers.insert(x, upper);
                    (byte(low - 16), vec![upper])
                }
                _ if low + i64::from(bits) == 32 => (right(low), vec![x]),
                (8, 1..) => (byte(0), vec![self.add(id, right(low), vec![x], &mut out)]),
                _ => {
                    let part = if low == 0 { x } else { self.add(id, right(low), vec![x], &mut out) };
                    let mask = self.add(id, Shape::numbered(Kind::Number, (1 << bits) - 1), Vec::new(), &mut out);
                    (Shape::word(Kind::And), vec![part, mask])
                }
            };
            let places = self.nodes[id].places.clone();
            self.nodes[id] = Node { shape, args, places };
            out.push(id);
        }
        self.order = out;
        self.link();
    }

    /// Puts the bytes of a word behind it: the lower ones, the shift, the upper ones.
    fn arrange(&mut self) {
        let mut place = vec![0; self.nodes.len()];
        for (at, &id) in self.order.iter().enumerate() {
            place[id] = at;
        }
        let mut done = vec![false; self.nodes.len()];
        let mut out = Vec::with_capacity(self.order.len());
        for &id in &self.order {
            self.arrange_one(id, &place, &mut done, &mut out);
        }
        self.order = out;
    }

    fn arrange_one(&self, id: Id, place: &[usize], done: &mut [bool], out: &mut Vec<Id>) {
        if std::mem::replace(&mut done[id], true) {
            return;
        }
        out.push(id);
        let is_field = |id: &Id| self.nodes[*id].shape.kind == Kind::Field;
        let mut fields: Vec<Id> = self.node_users(id).filter(is_field).collect();
        fields.sort_unstable_by_key(|&field| (self.nodes[field].shape.number, place[field]));
        for field in fields {
            self.arrange_one(field, place, done, out);
        }
        for user in self.node_users(id) {
            let Node { shape, args, .. } = &self.nodes[user];
            let halves = shape.kind == Kind::Shr && args.len() == 1 && shape.number == 16;
            if halves && self.node_users(user).any(|one| is_field(&one)) {
                self.arrange_one(user, place, done, out);
            }
        }
    }
}
