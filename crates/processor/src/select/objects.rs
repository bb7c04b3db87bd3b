//! Which memory the arrays of a function lie in: objects, how bytes are packed into words, which objects share a pointer.

use std::collections::HashMap;

use program::ir::{ArrayType, Function, Op, OpKind, Operand, Program, TableId, Type, ValueId};
use program::walk::for_each_op;

use crate::code::{Object, Packing, Role};

/// The objects of a function.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    /// All of them.
    pub objects: Vec<Object>,
    /// The object of each array of the program.
    pub of_value: HashMap<ValueId, usize>,
    /// The object of each table.
    pub of_table: HashMap<TableId, usize>,
    /// The object of each result that is a word.
    pub of_result: HashMap<usize, usize>,
    /// Room for recipes that go by memory.
    pub scratch: Option<usize>,
}

impl Objects {
    /// Finds the objects of a function whose loops and calls are as the kernel will have them; with so many bytes for recipes.
    /// Words that are made from bytes are packed in a given order, or in the one that suits the function.
    #[must_use]
    pub fn new(program: &Program, function: &Function, scratch_bytes: u32, order: Option<Packing>) -> Self {
        let sets = Sets::new(function);
        let mut objects = Objects::default();
        for (root, values) in sets.groups() {
            let mut object = described(function, &sets, root, &values);
            if let (Some(order), true) = (order, object.packing != Packing::None) {
                object.packing = order;
            }
            values.iter().for_each(|v| {
                objects.of_value.insert(*v, objects.objects.len());
            });
            objects.objects.push(object);
        }
        objects.add_words(function);
        for_each_op(&function.body, &mut |op| {
            if let OpKind::Lookup(table, _) = op.kind {
                objects.add_table(program, table);
            }
        });
        if scratch_bytes > 0 {
            objects.add_scratch(scratch_bytes);
        }
        objects.place();
        objects
    }

    /// Words that are parameters or results lie in objects of their own.
    fn add_words(&mut self, function: &Function) {
        for (k, &param) in function.params.iter().enumerate() {
            if let Type::Word(width) = function.values[param.0 as usize].ty {
                self.of_value.insert(param, self.objects.len());
                let name = function.values[param.0 as usize].name.clone();
                self.objects.push(one_word(name, width, Role::Parameter(k)));
            }
        }
        for (k, ty) in function.results.iter().enumerate() {
            if let Type::Word(width) = ty {
                self.of_result.insert(k, self.objects.len());
                self.objects.push(one_word(format!("result {k}"), *width, Role::Result(k)));
            }
        }
    }

    fn add_scratch(&mut self, bytes: u32) {
        self.scratch = Some(self.objects.len());
        self.objects.push(Object {
            name: "scratch".to_owned(),
            bytes,
            alignment: 16,
            element: 4,
            stride: 4,
            packing: Packing::None,
            base: None,
            role: Role::Scratch,
        });
    }

    fn add_table(&mut self, program: &Program, id: TableId) {
        if self.of_table.contains_key(&id) {
            return;
        }
        let table = &program.tables[id.0 as usize];
        let element = bytes_of(table.width);
        self.of_table.insert(id, self.objects.len());
        self.objects.push(Object {
            name: format!("@{}", table.name),
            bytes: table.data.len() as u32 * u32::from(element),
            alignment: u32::from(element),
            element,
            stride: element.into(),
            packing: Packing::None,
            base: None,
            role: Role::Table(table.data.clone()),
        });
    }

    /// Parameters of words start where a pair of them may.
    pub fn align_pairs(&mut self) {
        for object in self.objects.iter_mut().filter(|o| o.holds_pairs()) {
            object.alignment = object.alignment.max(2 * u32::from(object.element));
        }
        self.place();
    }

    /// Whether an object is the parameter that holds the block: the last one.
    #[must_use]
    pub fn is_block(&self, object: usize) -> bool {
        let number = |o: &Object| if let Role::Parameter(n) = o.role { Some(n) } else { None };
        number(&self.objects[object]) == self.objects.iter().filter_map(number).max()
    }

    /// Tables lie behind one another, and so do the parameters that are not blocks.
    pub fn place(&mut self) {
        let block = self.objects.iter().filter_map(|o| match o.role {
            Role::Parameter(n) => Some(n),
            _ => None,
        });
        let last = block.max();
        let tables = |o: &Object| matches!(o.role, Role::Table(_));
        let keys = |o: &Object| matches!(o.role, Role::Parameter(n) if Some(n) != last);
        let results = |o: &Object| matches!(o.role, Role::Result(_));
        let scratch = |o: &Object| matches!(o.role, Role::Scratch);
        let kinds: [&dyn Fn(&Object) -> bool; 4] = [&tables, &keys, &results, &scratch];
        for kind in kinds {
            self.place_together(kind);
        }
    }

    fn place_together(&mut self, member: &dyn Fn(&Object) -> bool) {
        let members: Vec<usize> = (0..self.objects.len()).filter(|&k| member(&self.objects[k])).collect();
        let Some((&first, rest)) = members.split_first() else { return };
        let mut end = i64::from(self.objects[first].bytes);
        for &k in rest {
            let alignment = i64::from(self.objects[k].alignment);
            let at = (end + alignment - 1) / alignment * alignment;
            self.objects[k].base = Some((first, at));
            end = at + i64::from(self.objects[k].bytes);
            let needed = self.objects[k].alignment;
            self.objects[first].alignment = self.objects[first].alignment.max(needed);
        }
    }

    /// The object whose pointer an object is reached by, and the distance from it.
    #[must_use]
    pub fn base(&self, object: usize) -> (usize, i64) {
        self.objects[object].base.unwrap_or((object, 0))
    }
}

fn one_word(name: String, width: u8, role: Role) -> Object {
    let element = bytes_of(width);
    let bytes = u32::from(element);
    Object { name, bytes, alignment: bytes, element, stride: bytes, packing: Packing::None, base: None, role }
}

/// Bytes of an element of so many bits.
#[must_use]
pub fn bytes_of(width: u8) -> u8 {
    width.div_ceil(8).next_power_of_two()
}

/// Arrays that are one array at different times: joined by stores and loops.
struct Sets {
    parent: HashMap<ValueId, ValueId>,
    order: Vec<ValueId>,
}

impl Sets {
    fn new(function: &Function) -> Self {
        let is_array = |v: &ValueId| matches!(function.values[v.0 as usize].ty, Type::Array(_));
        let order: Vec<ValueId> = (0..function.values.len() as u32).map(ValueId).filter(is_array).collect();
        let mut sets = Sets { parent: order.iter().map(|&v| (v, v)).collect(), order };
        for_each_op(&function.body, &mut |op| sets.join_op(op));
        sets
    }

    fn join_op(&mut self, op: &Op) {
        match &op.kind {
            OpKind::Store(array, ..) => self.join(*array, op.results[0]),
            OpKind::Loop(l) => {
                for (k, init) in l.init.iter().enumerate() {
                    let mut same = vec![Operand::Value(op.results[k]), *init];
                    for body in &l.bodies {
                        same.extend([Operand::Value(body.params[k + 1]), body.outputs[k]]);
                    }
                    let values: Vec<ValueId> = same.iter().filter_map(as_value).collect();
                    values.windows(2).for_each(|pair| self.join(pair[0], pair[1]));
                }
            }
            _ => {}
        }
    }

    fn root(&self, mut v: ValueId) -> ValueId {
        while self.parent[&v] != v {
            v = self.parent[&v];
        }
        v
    }

    fn join(&mut self, a: ValueId, b: ValueId) {
        if self.parent.contains_key(&a) && self.parent.contains_key(&b) {
            let (a, b) = (self.root(a), self.root(b));
            self.parent.insert(a.max(b), a.min(b));
        }
    }

    fn groups(&self) -> Vec<(ValueId, Vec<ValueId>)> {
        let mut groups: Vec<(ValueId, Vec<ValueId>)> = Vec::new();
        for &v in &self.order {
            let root = self.root(v);
            match groups.iter_mut().find(|g| g.0 == root) {
                Some(group) => group.1.push(v),
                None => groups.push((root, vec![v])),
            }
        }
        groups
    }
}

fn as_value(operand: &Operand) -> Option<ValueId> {
    match operand {
        Operand::Value(v) => Some(*v),
        Operand::Const(_) => None,
    }
}

fn described(function: &Function, sets: &Sets, root: ValueId, values: &[ValueId]) -> Object {
    let Type::Array(ty) = &function.values[root.0 as usize].ty else { unreachable!("sets hold arrays only") };
    let parameter = function.params.iter().position(|p| values.contains(p));
    let returned = |o: &Operand| as_value(o).is_some_and(|v| sets.parent.contains_key(&v) && sets.root(v) == root);
    let result = function.body.outputs.iter().position(returned);
    let role = match (parameter, result) {
        (Some(n), _) => Role::Parameter(n),
        (None, Some(n)) => Role::Result(n),
        (None, None) => Role::Scratch,
    };
    let packing = packing(function, ty, values);
    let element = if packing == Packing::None { bytes_of(ty.width) } else { 4 };
    Object {
        name: function.values[root.0 as usize].name.clone(),
        bytes: if packing == Packing::None { ty.len() as u32 * u32::from(element) } else { ty.len() as u32 },
        alignment: element.into(),
        element,
        stride: element.into(),
        packing,
        base: None,
        role,
    }
}

/// Arrays of bytes that are only touched one by one at known places are packed, in the order that suits more of what is done with them.
fn packing(function: &Function, ty: &ArrayType, values: &[ValueId]) -> Packing {
    if ty.width != 8 || ty.len() % 4 != 0 || ty.dims.len() != 1 {
        return Packing::None;
    }
    let mut votes = Votes { values, at: HashMap::new(), little: 0, big: 0, fits: true };
    for_each_op(&function.body, &mut |op| votes.see(op));
    match (votes.fits, votes.little >= votes.big) {
        (false, _) => Packing::None,
        (true, true) => Packing::Little,
        (true, false) => Packing::Big,
    }
}

/// Which order of bytes suits an array.
struct Votes<'a> {
    values: &'a [ValueId],
    /// Place in the word of a byte that was loaded, or position in its word of one that was extracted.
    at: HashMap<ValueId, i64>,
    little: u32,
    big: u32,
    fits: bool,
}

impl Votes<'_> {
    fn see(&mut self, op: &Op) {
        match &op.kind {
            OpKind::Load(array, addresses) if self.values.contains(array) => {
                let affine = &addresses.first().map(|a| a.affine.clone()).unwrap_or_default();
                self.fits &= affine.terms.is_empty() && addresses.len() == 1;
                self.at.insert(op.results[0], affine.constant % 4);
            }
            OpKind::Extract(_, position) => {
                self.at.insert(op.results[0], i64::from(*position / 8));
            }
            OpKind::Store(array, ..) if self.values.contains(array) => self.fits = false,
            OpKind::Array(list) if self.values.contains(&op.results[0]) && list.is_empty() => self.fits = false,
            OpKind::Array(list) if self.values.contains(&op.results[0]) => {
                list.chunks(4).for_each(|word| self.vote(word));
            }
            OpKind::Concat(parts) if parts.len() == 4 => {
                self.vote(&parts.iter().map(|&v| Operand::Value(v)).collect::<Vec<_>>());
            }
            OpKind::Loop(l) => {
                let touched = l.init.iter().filter_map(as_value).any(|v| self.values.contains(&v));
                self.fits &= !touched;
            }
            _ => {}
        }
    }

    fn vote(&mut self, word: &[Operand]) {
        let places: Vec<Option<i64>> =
            word.iter().map(|o| as_value(o).and_then(|v| self.at.get(&v).copied())).collect();
        self.little += u32::from(places == [Some(0), Some(1), Some(2), Some(3)]);
        self.big += u32::from(places == [Some(3), Some(2), Some(1), Some(0)]);
    }
}
