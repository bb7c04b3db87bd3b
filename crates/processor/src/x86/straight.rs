//! A function without loops as a graph: arrays are values, but for parameters, which lie in memory.

use std::collections::HashMap;

use program::ir::{Address, Affine, Function, Op, OpKind, Operand, Program, ValueId};
use program::Diagnostic;

use super::build::{as_array, bits_of, constant, name_of, stride, type_of, Builder, Result, WIDTHS};
use super::graph::{Graph, Id, Kind, Nodes, Object, Shape, StoredValue};

/// The graph of a function.
///
/// # Errors
/// X101 to X104: something that there is no way for.
pub(super) fn graph(program: &Program, function: &Function) -> Result<Graph> {
    let mut builder = Straight {
        program,
        function,
        nodes: Nodes::default(),
        values: HashMap::new(),
        arrays: HashMap::new(),
        parameters: HashMap::new(),
    };
    for (number, &param) in function.params.iter().enumerate() {
        let ty = type_of(function, param);
        if as_array(ty).is_some() {
            builder.parameters.insert(param, number);
        } else {
            let shape = Shape::of(Kind::Leaf, Object::Parameter(number), 0, ty.width());
            let leaf = builder.nodes.node(shape, &[]);
            builder.values.insert(param, leaf);
        }
    }
    for op in &function.body.ops {
        builder.operation(op)?;
    }
    let mut stores = Vec::new();
    for (number, &output) in function.body.outputs.iter().enumerate() {
        stores.extend(builder.stores(number, output)?);
    }
    Ok(Graph { nodes: builder.nodes.list, stores, order: Vec::new() })
}

struct Straight<'p> {
    program: &'p Program,
    function: &'p Function,
    nodes: Nodes,
    values: HashMap<ValueId, Id>,
    /// The words of arrays that the function makes.
    arrays: HashMap<ValueId, Vec<Option<Id>>>,
    /// The numbers of parameters that are arrays.
    parameters: HashMap<ValueId, usize>,
}

impl Builder for Straight<'_> {
    fn function(&self) -> &Function {
        self.function
    }

    fn nodes(&mut self) -> &mut Nodes {
        &mut self.nodes
    }

    fn value(&mut self, value: ValueId) -> Id {
        self.values[&value]
    }

    fn define(&mut self, value: ValueId, node: Id) {
        self.values.insert(value, node);
    }

    fn access(&mut self, op: &Op) -> Result<bool> {
        match &op.kind {
            OpKind::Lookup(table, address) => {
                let (number, size) = (table.0 as usize, self.program.tables[table.0 as usize].width);
                let name = format!("@{}", self.program.tables[number].name);
                let entry = self.entry(Object::Table(number), &name, 0, size, &address.affine)?;
                self.define(op.results[0], entry);
            }
            OpKind::Load(array, addresses) => self.load(op, *array, addresses)?,
            OpKind::Array(list) => {
                let cells = list.iter().map(|&one| Some(self.operand(one))).collect::<Vec<_>>();
                let ty = as_array(type_of(self.function, op.results[0])).map_or(0, program::ir::ArrayType::len);
                self.arrays.insert(op.results[0], if cells.is_empty() { vec![None; ty] } else { cells });
            }
            OpKind::Store(array, addresses, words) => {
                let (flat, sum) = self.place(*array, addresses)?;
                if sum.is_some() {
                    let name = name_of(self.function, *array);
                    return Err(Diagnostic::new("X103", format!("`{name}` is written by an index that is not known")));
                }
                let mut cells = self.arrays[array].clone();
                for (k, &word) in words.iter().enumerate() {
                    cells[flat as usize + k] = Some(self.operand(word));
                }
                self.arrays.insert(op.results[0], cells);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl Straight<'_> {
    /// The element of an array that an address names, and what is not known of it.
    fn place<'a>(&self, array: ValueId, addresses: &'a [Address]) -> Result<(i64, Option<&'a Affine>)> {
        let dims = as_array(type_of(self.function, array)).map_or(&[][..], |array| &array.dims);
        let (mut flat, mut unknown) = (0, None);
        for (k, address) in addresses.iter().enumerate() {
            if !address.affine.terms.is_empty() {
                if k + 1 < dims.len() {
                    return Err(Diagnostic::new("X103", "an array of rows is read by an index that is not known"));
                }
                unknown = Some(&address.affine);
            }
            flat += constant(address, dims[k]) * stride(dims, k);
        }
        Ok((flat, unknown))
    }

    fn load(&mut self, op: &Op, array: ValueId, addresses: &[Address]) -> Result<()> {
        let (flat, unknown) = self.place(array, addresses)?;
        if let Some(&number) = self.parameters.get(&array) {
            let (object, size) = (Object::Parameter(number), bits_of(self.function, array));
            let bytes = i64::from(size / 8);
            if let Some(sum) = unknown {
                let name = name_of(self.function, array).to_owned();
                // The constant part is in the place already.
                let index = Affine { terms: sum.terms.clone(), constant: 0 };
                let entry = self.entry(object, &name, flat * bytes, size, &index)?;
                self.define(op.results[0], entry);
                return Ok(());
            }
            for (at, &result) in (flat..).zip(&op.results) {
                let leaf = self.nodes.node(Shape::of(Kind::Leaf, object, at * bytes, size), &[]);
                self.define(result, leaf);
            }
            return Ok(());
        }
        if unknown.is_some() {
            let name = name_of(self.function, array);
            return Err(Diagnostic::new("X103", format!("`{name}` is made and read by an index that is not known")));
        }
        for (at, &result) in (flat as usize..).zip(&op.results) {
            let cell = self.arrays[&array][at].expect("a verified program reads no unwritten cell");
            self.define(result, cell);
        }
        Ok(())
    }

    /// An entry of a table or a parameter, whose index is one word and a number.
    fn entry(&mut self, object: Object, name: &str, offset: i64, size: u8, index: &Affine) -> Result<Id> {
        let (&[(1, word)], 8 | 32) = (&index.terms[..], size) else {
            let message =
                format!("a look-up in `{name}` has an index that is no single word, or entries of {size} bits");
            return Err(Diagnostic::new("X102", message));
        };
        let (word, number) = (self.values[&word], offset + index.constant * i64::from(size / 8));
        Ok(self.nodes.node(Shape::of(Kind::Lookup, object, number, size), &[word]))
    }

    fn stores(&mut self, number: usize, output: Operand) -> Result<Vec<StoredValue>> {
        let object = Object::Result(number);
        let size = self.function.results[number].width();
        let array = match output {
            Operand::Value(value) if as_array(&self.function.results[number]).is_some() => value,
            _ => {
                let value = self.operand(output);
                return Ok(vec![self.stored(object, 0, value, size)]);
            }
        };
        if self.parameters.contains_key(&array) {
            return Err(Diagnostic::new("X104", format!("`{}` returns what it is given", self.function.name)));
        }
        let cells: Option<Vec<Id>> = self.arrays[&array].iter().copied().collect();
        let cells = cells.expect("a verified program returns no unwritten cell");
        if size == 8 && cells.len() % 4 == 0 {
            let words = (0..).step_by(4).zip(cells.chunks(4));
            return Ok(words
                .map(|(offset, bytes)| {
                    self.nodes.places = self.nodes.list[bytes[0]].places.clone();
                    let word = self.nodes.joined(bytes);
                    self.stored(object, offset, word, 32)
                })
                .collect());
        }
        if !matches!(size, 8 | 32) {
            let message = format!("code for x86-32 has no way yet for results of {size} bits");
            return Err(Diagnostic::new("X101", message).help(WIDTHS));
        }
        let places = (0..).step_by(usize::from(size / 8));
        Ok(places.zip(cells).map(|(offset, cell)| self.stored(object, offset, cell, size)).collect())
    }

    /// A value of a result; the store stands where the value is made.
    fn stored(&self, object: Object, offset: i64, value: Id, bits: u8) -> StoredValue {
        let places = self.nodes.list[value].places.clone();
        StoredValue { object, offset, value, bits, scale: 0, address: None, places }
    }
}
