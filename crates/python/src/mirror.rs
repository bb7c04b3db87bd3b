//! The program as objects of `cipherassay.ir`, which mirror its structure.

use std::collections::HashMap;

use program::ir::{Address, Affine, Block, Function, Loop, Op, OpKind, Operand, Place, Program, Type, ValueId};
use program::text::words::mnemonic;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

/// Whatever Python holds.
type Object<'py> = Bound<'py, PyAny>;

/// The mirror of a program.
pub fn mirror<'py>(py: Python<'py>, program: &Program) -> PyResult<Object<'py>> {
    let classes = Classes::find(py)?;
    let tables = program.tables.iter().map(|t| classes.table.call1((&t.name, t.width, PyTuple::new(py, &t.data)?)));
    let tables = PyTuple::new(py, tables.collect::<PyResult<Vec<_>>>()?)?;
    let matrices = program.matrices.iter().map(|m| {
        let rows = m.rows.iter().map(|row| PyTuple::new(py, row)).collect::<PyResult<Vec<_>>>()?;
        classes.matrix.call1((&m.name, m.polynomial, PyTuple::new(py, rows)?))
    });
    let matrices = PyTuple::new(py, matrices.collect::<PyResult<Vec<_>>>()?)?;
    let boxes = program.boxes.iter();
    let boxes = boxes.map(|b| classes.sbox.call1((&b.name, b.inputs, b.outputs, PyTuple::new(py, &b.data)?)));
    let boxes = PyTuple::new(py, boxes.collect::<PyResult<Vec<_>>>()?)?;
    let functions = program.functions.iter().map(|f| Mirror::new(py, &classes, program, f)?.function());
    let functions = PyTuple::new(py, functions.collect::<PyResult<Vec<_>>>()?)?;
    let (facts, files) = (PyTuple::new(py, &program.meta)?, PyTuple::new(py, &program.files)?);
    classes.program.call1((&program.name, facts, files, tables, matrices, boxes, functions))
}

/// The classes of `cipherassay.ir`.
struct Classes<'py> {
    type_: Object<'py>,
    value: Object<'py>,
    place: Object<'py>,
    affine: Object<'py>,
    operation: Object<'py>,
    body: Object<'py>,
    loop_: Object<'py>,
    function: Object<'py>,
    table: Object<'py>,
    matrix: Object<'py>,
    sbox: Object<'py>,
    program: Object<'py>,
}

impl<'py> Classes<'py> {
    fn find(py: Python<'py>) -> PyResult<Self> {
        let module = py.import("cipherassay.ir")?;
        Ok(Classes {
            type_: module.getattr("Type")?,
            value: module.getattr("Value")?,
            place: module.getattr("Place")?,
            affine: module.getattr("Affine")?,
            operation: module.getattr("Operation")?,
            body: module.getattr("Body")?,
            loop_: module.getattr("Loop")?,
            function: module.getattr("Function")?,
            table: module.getattr("Table")?,
            matrix: module.getattr("Matrix")?,
            sbox: module.getattr("Box")?,
            program: module.getattr("Program")?,
        })
    }

    fn type_of(&self, py: Python<'py>, ty: &Type) -> PyResult<Object<'py>> {
        match ty {
            Type::Word(width) => self.type_.call1((*width,)),
            Type::Index => self.type_.call1((0,)),
            Type::Array(array) => self.type_.call1((array.width, PyTuple::new(py, &array.dims)?)),
        }
    }
}

/// One function while it is mirrored: each value has one name and one definition that its users share.
struct Mirror<'py, 'p> {
    py: Python<'py>,
    classes: &'p Classes<'py>,
    program: &'p Program,
    source: &'p Function,
    names: Vec<Bound<'py, PyString>>,
    values: Vec<Object<'py>>,
}

impl<'py, 'p> Mirror<'py, 'p> {
    fn new(py: Python<'py>, classes: &'p Classes<'py>, program: &'p Program, source: &'p Function) -> PyResult<Self> {
        let mut types: HashMap<&Type, Object<'py>> = HashMap::new();
        let names: Vec<_> = source.values.iter().map(|v| PyString::new(py, &v.name)).collect();
        let mut values = Vec::with_capacity(names.len());
        for (value, name) in source.values.iter().zip(&names) {
            if !types.contains_key(&value.ty) {
                types.insert(&value.ty, classes.type_of(py, &value.ty)?);
            }
            values.push(classes.value.call1((name, &types[&value.ty]))?);
        }
        Ok(Mirror { py, classes, program, source, names, values })
    }

    fn function(&self) -> PyResult<Object<'py>> {
        let Function { name, params, results, body, .. } = self.source;
        let results = results.iter().map(|ty| self.classes.type_of(self.py, ty)).collect::<PyResult<Vec<_>>>()?;
        let results = PyTuple::new(self.py, results)?;
        let (ops, outputs) = (self.ops(body)?, self.operands(&body.outputs)?);
        self.classes.function.call1((name, self.definitions(params)?, results, ops, outputs))
    }

    fn definitions(&self, values: &[ValueId]) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(self.py, values.iter().map(|v| &self.values[v.0 as usize]))
    }

    fn name(&self, value: ValueId) -> &Bound<'py, PyString> {
        &self.names[value.0 as usize]
    }

    fn operand(&self, operand: Operand) -> PyResult<Object<'py>> {
        match operand {
            Operand::Value(v) => Ok(self.name(v).as_any().clone()),
            Operand::Const(n) => Ok(n.into_pyobject(self.py)?.into_any()),
        }
    }

    fn operands(&self, operands: &[Operand]) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(self.py, operands.iter().map(|&o| self.operand(o)).collect::<PyResult<Vec<_>>>()?)
    }

    fn ops(&self, block: &Block) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(self.py, block.ops.iter().map(|op| self.op(op)).collect::<PyResult<Vec<_>>>()?)
    }

    fn op(&self, op: &Op) -> PyResult<Object<'py>> {
        let (name, number) = self.attributes(&op.kind);
        let (operands, addresses) = self.read(&op.kind)?;
        let body = if let OpKind::Loop(l) = &op.kind { Some(self.loop_(l)?) } else { None };
        let place = |p: &Place| self.classes.place.call1((p.file, p.line, p.column));
        let places = op.places.iter().map(place).collect::<PyResult<Vec<_>>>()?;
        let (results, places) = (self.definitions(&op.results)?, PyTuple::new(self.py, places)?);
        let kind = PyString::intern(self.py, mnemonic(&op.kind));
        self.classes.operation.call1((results, kind, operands, name, addresses, number, body, places))
    }

    /// What an operation names, and its number.
    fn attributes<'a>(&'a self, kind: &'a OpKind) -> (&'a str, i64) {
        match kind {
            OpKind::Extract(_, position) => ("", i64::from(*position)),
            OpKind::IndexDiv(_, n) | OpKind::IndexMod(_, n) => ("", *n),
            OpKind::Lookup(table, _) => (&self.program.tables[table.0 as usize].name, 0),
            OpKind::Linear(matrix, _) => (&self.program.matrices[matrix.0 as usize].name, 0),
            OpKind::Bitsliced(sbox, _) => (&self.program.boxes[sbox.0 as usize].name, 0),
            OpKind::Call(name, _) => (name, 0),
            OpKind::Load(array, _) | OpKind::Store(array, _, _) => (&self.source.values[array.0 as usize].name, 0),
            _ => ("", 0),
        }
    }

    /// What an operation reads: operands, and addresses or sums.
    fn read(&self, kind: &OpKind) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyTuple>)> {
        let values = |list: &[ValueId]| PyTuple::new(self.py, list.iter().map(|&v| self.name(v)));
        let operands = match kind {
            OpKind::Const(n) => self.operands(&[Operand::Const(*n)])?,
            OpKind::Binary(_, a, b) | OpKind::Compare(_, a, b) | OpKind::Shift(_, a, b) => self.operands(&[*a, *b])?,
            OpKind::Not(a) | OpKind::Extract(a, _) => self.operands(&[*a])?,
            OpKind::Select(c, a, b) => self.operands(&[*c, *a, *b])?,
            OpKind::Concat(list) => values(list)?,
            OpKind::Zext(v) => values(&[*v])?,
            OpKind::Store(_, _, list)
            | OpKind::Array(list)
            | OpKind::Linear(_, list)
            | OpKind::Bitsliced(_, list)
            | OpKind::Call(_, list) => self.operands(list)?,
            OpKind::Loop(l) => self.operands(&l.init)?,
            OpKind::Lookup(..) | OpKind::Load(..) | OpKind::Word(_) | OpKind::IndexDiv(..) | OpKind::IndexMod(..) => {
                PyTuple::empty(self.py)
            }
        };
        let addresses = match kind {
            OpKind::Lookup(_, address) => self.addresses(std::slice::from_ref(address))?,
            OpKind::Load(_, addresses) | OpKind::Store(_, addresses, _) => self.addresses(addresses)?,
            OpKind::Word(sum) | OpKind::IndexDiv(sum, _) | OpKind::IndexMod(sum, _) => {
                PyTuple::new(self.py, [self.affine(sum, false)?])?
            }
            _ => PyTuple::empty(self.py),
        };
        Ok((operands, addresses))
    }

    fn addresses(&self, addresses: &[Address]) -> PyResult<Bound<'py, PyTuple>> {
        let found = addresses.iter().map(|a| self.affine(&a.affine, a.ring)).collect::<PyResult<Vec<_>>>()?;
        PyTuple::new(self.py, found)
    }

    fn affine(&self, affine: &Affine, ring: bool) -> PyResult<Object<'py>> {
        let terms = PyTuple::new(self.py, affine.terms.iter().map(|&(c, v)| (c, self.name(v))))?;
        self.classes.affine.call1((terms, affine.constant, ring))
    }

    fn loop_(&self, l: &Loop) -> PyResult<Object<'py>> {
        let body = |b: &Block| {
            self.classes.body.call1((self.definitions(&b.params)?, self.ops(b)?, self.operands(&b.outputs)?))
        };
        let bodies = l.bodies.iter().map(body).collect::<PyResult<Vec<_>>>()?;
        let pattern = PyTuple::new(self.py, &l.pattern)?;
        self.classes.loop_.call1((&l.counter, l.from, l.step, pattern, PyTuple::new(self.py, bodies)?))
    }
}
