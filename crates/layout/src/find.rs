//! The layers of a program: matrices all of whose inputs come from tables of bytes.

use std::collections::BTreeMap;

use program::ir::{Binary, Block, Function, OpKind, Operand, Program, TableId, Type, ValueId};
use program::walk::for_each_block;
use serde::Serialize;

/// An S-box layer with the linear layer behind it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SboxLayer {
    /// The function it stands in.
    pub function: String,
    /// Name of the matrix.
    pub matrix: String,
    /// Polynomial of the field, with its leading bit.
    pub polynomial: u64,
    /// Rows of the matrix.
    pub rows: Vec<Vec<u64>>,
    /// The table that each input comes from.
    pub boxes: Vec<String>,
    /// The table of a second S-box layer: every result, keys added, goes through it in the same block.
    pub second: Option<String>,
    /// Equal products in the same block.
    pub count: usize,
    /// The bytes of the tables named.
    pub tables: BTreeMap<String, Vec<u64>>,
}

/// The layers of a function and of what it calls, each once, in the order of the program.
#[must_use]
pub fn find(program: &Program, function: &str) -> Vec<SboxLayer> {
    let mut found: Vec<SboxLayer> = Vec::new();
    let reached = reached(program, function);
    for one in program.functions.iter().filter(|f| reached.contains(&f.name)) {
        for layer in Finder::new(program, one).layers() {
            let same =
                |f: &&mut SboxLayer| f.matrix == layer.matrix && f.boxes == layer.boxes && f.second == layer.second;
            match found.iter_mut().find(same) {
                Some(known) => known.count = known.count.max(layer.count),
                None => found.push(layer),
            }
        }
    }
    found
}

/// A function and all that it calls.
pub(crate) fn reached(program: &Program, function: &str) -> Vec<String> {
    let mut names = vec![function.to_owned()];
    for one in program.functions.iter().rev() {
        if !names.contains(&one.name) {
            continue;
        }
        for_each_block(&one.body, &mut |block| {
            for op in &block.ops {
                if let OpKind::Call(name, _) = &op.kind {
                    names.push(name.clone());
                }
            }
        });
    }
    names
}

struct Finder<'a> {
    program: &'a Program,
    function: &'a Function,
    /// The table of bytes that a value is looked up in, and the place.
    lookups: BTreeMap<ValueId, (TableId, ValueId)>,
    /// Values that are another with something added.
    sums: Vec<(ValueId, [Operand; 2])>,
}

impl<'a> Finder<'a> {
    fn new(program: &'a Program, function: &'a Function) -> Self {
        let mut finder = Finder { program, function, lookups: BTreeMap::new(), sums: Vec::new() };
        for_each_block(&function.body, &mut |block| {
            for op in &block.ops {
                match &op.kind {
                    OpKind::Lookup(table, address) => {
                        let data = &program.tables[table.0 as usize];
                        let plain = !address.ring && address.affine.constant == 0 && data.width == 8;
                        if let ([(1, index)], true) = (&address.affine.terms[..], plain && data.data.len() == 256) {
                            finder.lookups.insert(op.results[0], (*table, *index));
                        }
                    }
                    OpKind::Binary(Binary::Xor, a, b) => finder.sums.push((op.results[0], [*a, *b])),
                    _ => {}
                }
            }
        });
        finder
    }

    fn layers(&self) -> Vec<SboxLayer> {
        let mut found: Vec<SboxLayer> = Vec::new();
        for_each_block(&self.function.body, &mut |block| {
            let mut here: Vec<SboxLayer> = Vec::new();
            for layer in block.ops.iter().filter_map(|op| self.layer(&op.kind, &op.results, block)) {
                match here.iter_mut().find(|f| f.matrix == layer.matrix && f.boxes == layer.boxes) {
                    Some(known) => known.count += 1,
                    None => here.push(layer),
                }
            }
            found.append(&mut here);
        });
        found
    }

    fn layer(&self, kind: &OpKind, results: &[ValueId], block: &Block) -> Option<SboxLayer> {
        let OpKind::Linear(matrix, inputs) = kind else { return None };
        let is_byte = self.function.values[results[0].0 as usize].ty == Type::Word(8);
        let boxes: Option<Vec<String>> = inputs.iter().map(|o| Some(self.name(self.lookup(*o)?))).collect();
        let matrix = &self.program.matrices[matrix.0 as usize];
        let (boxes, second) = (boxes.filter(|_| is_byte)?, self.second(results, block));
        let is_named = |name: &String| boxes.contains(name) || second.as_ref() == Some(name);
        let tables = self.program.tables.iter().filter(|t| is_named(&t.name));
        let tables = tables.map(|t| (t.name.clone(), t.data.clone())).collect();
        Some(SboxLayer {
            function: self.function.name.clone(),
            matrix: matrix.name.clone(),
            polynomial: matrix.polynomial,
            rows: matrix.rows.clone(),
            boxes,
            second,
            count: 1,
            tables,
        })
    }

    fn lookup(&self, operand: Operand) -> Option<TableId> {
        let Operand::Value(v) = operand else { return None };
        self.lookups.get(&v).map(|l| l.0)
    }

    fn name(&self, table: TableId) -> String {
        self.program.tables[table.0 as usize].name.clone()
    }

    /// The one table that all results go through, with keys added before.
    fn second(&self, results: &[ValueId], block: &Block) -> Option<String> {
        let mut tables = results.iter().map(|&v| {
            let with_keys = self.sums.iter().filter(|(_, terms)| terms.contains(&Operand::Value(v))).map(|(s, _)| *s);
            let places: Vec<ValueId> = with_keys.chain([v]).collect();
            let inside = block.ops.iter().filter(|op| matches!(op.kind, OpKind::Lookup(..)));
            let mut after = inside.filter_map(|op| self.lookups.get(&op.results[0])).filter(|l| places.contains(&l.1));
            after.next().map(|l| l.0)
        });
        let first = tables.next()??;
        tables.all(|t| t == Some(first)).then(|| self.name(first))
    }
}
