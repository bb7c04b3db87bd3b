//! Lists of bytes whose order is free: bytes that a loop carries, rows of keys, results of a matrix.
//!
//! Each place in a list is a slot. A byte that stands in a slot may stand in any other as long as everything that reads or fills the list
//! follows. Rows that one access reaches in different iterations are one list; others of the same array may have orders of their own.

use std::collections::{BTreeMap, HashMap};

use crate::indices::Indices;
use crate::ir::{Address, Function, Op, OpKind, Program, Type, ValueId};
use crate::passes::only::FunctionFilter;
use crate::passes::pack::facts::{byte_runs, Facts};
use crate::passes::pack::rows;
use crate::walk::for_each_op;

/// Consecutive slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List {
    /// Its first slot.
    pub first: usize,
    /// How many it has.
    pub len: usize,
    /// What it is, for people.
    pub what: String,
}

/// A byte that stands in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The slot.
    pub slot: usize,
    /// Which operation put it there: bytes of one list and one instance are bytes of the same words.
    pub instance: usize,
}

/// All lists of a program.
#[derive(Debug, Default)]
pub struct Lists {
    /// The lists.
    pub list: Vec<List>,
    /// For each function, where its bytes stand.
    pub places: Vec<HashMap<ValueId, Place>>,
    /// For each function, by a loop's first result: runs of carried bytes, by where they start, and their lists.
    pub carried: Vec<HashMap<ValueId, Vec<(usize, usize)>>>,
    /// For each function, by the first result of a product: its list.
    pub products: Vec<HashMap<ValueId, usize>>,
    /// For each function, the class and the bytes of a word of its arrays.
    arrays: Vec<HashMap<ValueId, (usize, usize)>>,
    indices: Vec<Indices>,
    rows: HashMap<(usize, usize), usize>,
    instances: usize,
}

/// Sets of numbers that are joined.
#[derive(Debug)]
pub struct Sets {
    parent: Vec<usize>,
}

impl Sets {
    /// Every number alone.
    pub fn new(count: usize) -> Self {
        Sets { parent: (0..count).collect() }
    }

    /// The least number of a set.
    pub fn find(&self, mut n: usize) -> usize {
        while self.parent[n] != n {
            n = self.parent[n];
        }
        n
    }

    /// Joins the sets of two numbers.
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b)] = a.min(b);
    }
}

impl Lists {
    /// Finds the lists; words have at most `most` bytes.
    pub fn of(program: &Program, most: usize, only: &FunctionFilter<'_>) -> Lists {
        let mut lists = Lists {
            arrays: rows::classes(program, most, only),
            indices: program.functions.iter().map(Indices::of).collect(),
            ..Lists::default()
        };
        lists.add_rows(program);
        for (n, function) in program.functions.iter().enumerate() {
            lists.places.push(HashMap::new());
            lists.carried.push(HashMap::new());
            lists.products.push(HashMap::new());
            if only.includes(&function.name) {
                lists.add_function(n, function);
            }
        }
        lists
    }

    fn add(&mut self, len: usize, what: String) -> usize {
        let first = self.list.last().map_or(0, |l| l.first + l.len);
        self.list.push(List { first, len, what });
        self.list.len() - 1
    }

    /// How many slots there are.
    pub fn slots(&self) -> usize {
        self.list.last().map_or(0, |l| l.first + l.len)
    }

    /// Rows of the arrays of a class, joined where one access reaches several.
    fn add_rows(&mut self, program: &Program) {
        let mut shapes: BTreeMap<usize, [usize; 2]> = BTreeMap::new();
        for (n, function) in program.functions.iter().enumerate() {
            for (k, value) in function.values.iter().enumerate() {
                if let (Some(&(class, _)), Type::Array(ty)) = (self.arrays[n].get(&ValueId(k as u32)), &value.ty) {
                    shapes.insert(class, [ty.dims[0] as usize, ty.dims[1] as usize]);
                }
            }
        }
        for (class, [count, length]) in shapes {
            let mut sets = Sets::new(count);
            for (n, function) in program.functions.iter().enumerate() {
                for_each_op(&function.body, &mut |op| {
                    if let Some((first, last)) = self.reached(n, op, class, count) {
                        (first..last).for_each(|row| sets.join(row, row + 1));
                    }
                });
            }
            for row in 0..count {
                let root = sets.find(row);
                let last = (row..count).rev().find(|&r| sets.find(r) == root).unwrap_or(row);
                let list = match root == row {
                    true if last == row => self.add(length, format!("row {row}")),
                    true => self.add(length, format!("rows {row} to {last}")),
                    false => self.rows[&(class, root)],
                };
                self.rows.insert((class, row), list);
            }
        }
    }

    /// First and last row that an access to an array of a class may reach.
    fn reached(&self, function: usize, op: &Op, wanted: usize, count: usize) -> Option<(usize, usize)> {
        let (OpKind::Load(array, addresses) | OpKind::Store(array, addresses, _)) = &op.kind else { return None };
        let &(class, _) = self.arrays[function].get(array)?;
        (class == wanted).then(|| self.rows_of(function, &addresses[0], count))
    }

    fn rows_of(&self, function: usize, address: &Address, count: usize) -> (usize, usize) {
        if address.ring {
            return (0, count - 1);
        }
        let range = self.indices[function].range(&address.affine);
        (range.min as usize, range.max as usize)
    }

    /// The list of the row that an access reaches.
    pub fn row(&self, function: usize, array: ValueId, address: &Address) -> Option<usize> {
        let &(class, _) = self.arrays[function].get(&array)?;
        let first = if address.ring { 0 } else { self.indices[function].range(&address.affine).min as usize };
        self.rows.get(&(class, first)).copied()
    }

    /// The list of a row of an array, by its number.
    pub fn row_number(&self, function: usize, array: ValueId, row: usize) -> Option<usize> {
        let &(class, _) = self.arrays[function].get(&array)?;
        self.rows.get(&(class, row)).copied()
    }

    fn add_function(&mut self, n: usize, function: &Function) {
        let none = HashMap::new();
        let facts = Facts::new(function, &none);
        for_each_op(&function.body, &mut |op| match &op.kind {
            OpKind::Loop(l) => {
                for (start, len) in byte_runs(&facts, op, l) {
                    let list = self.add(len, format!("carried by a loop of @{}", function.name));
                    self.carried[n].entry(op.results[0]).or_default().push((start, list));
                    self.stand(n, list, &op.results[start..start + len]);
                    l.bodies.iter().for_each(|b| self.stand(n, list, &b.params[start + 1..=start + len]));
                }
            }
            OpKind::Linear(..) if facts.is_byte(op.results[0]) => {
                let list = self.add(op.results.len(), format!("product in @{}", function.name));
                self.products[n].insert(op.results[0], list);
                self.stand(n, list, &op.results);
            }
            OpKind::Load(array, addresses) => {
                let Some(list) = self.row(n, *array, &addresses[0]) else { return };
                if let [_, column] = &addresses[..] {
                    let slot = self.list[list].first + column.affine.constant as usize;
                    self.instances += 1;
                    self.places[n].insert(op.results[0], Place { slot, instance: self.instances });
                } else {
                    self.stand(n, list, &op.results);
                }
            }
            _ => {}
        });
    }

    fn stand(&mut self, function: usize, list: usize, values: &[ValueId]) {
        self.instances += 1;
        let first = self.list[list].first;
        for (k, &v) in values.iter().enumerate() {
            self.places[function].insert(v, Place { slot: first + k, instance: self.instances });
        }
    }
}
