//! Code for microcontrollers, as Python sees it.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use microcontroller::allocate::Objects;
use microcontroller::assembly::{self, Writer};
use microcontroller::code::{Access, Code, Instruction, Item, Line, Loop, Memory, Source, Value};
use microcontroller::function::{marked, Call, Function};
use microcontroller::isa::Isa;
use microcontroller::search::{self, Aim, Candidate};
use microcontroller::slots::packed;
use microcontroller::tidy::tidied;
use program::Diagnostic;
use pyo3::prelude::*;
use pyo3::types::PyInt;

use crate::errors::{raise, Class};

/// The instruction set of a microcontroller; never changes.
#[pyclass(frozen, module = "cipherassay._engine")]
pub struct Microcontroller {
    isa: Arc<Isa>,
}

#[pymethods]
impl Microcontroller {
    /// Reads the records of an instruction set.
    #[staticmethod]
    fn parse(py: Python<'_>, text: &str, file: &str) -> PyResult<Self> {
        let isa = checked(py, Isa::read(text, file))?;
        Ok(Microcontroller { isa: Arc::new(isa) })
    }

    /// Cycles and bytes of a line.
    fn cost(&self, py: Python<'_>, line: &str) -> PyResult<(u32, u32)> {
        let refused = || Diagnostic::new("E131", format!("no instruction is known for `{line}`"));
        match checked(py, assembly::read(&self.isa, line))? {
            Line::Machine(machine) => checked(py, self.isa.cost(&machine)),
            _ => Err(raise(py, Class::Description, &refused())),
        }
    }

    /// Code with registers: the best of several orders, or as it is written.
    #[pyo3(signature = (code, *, block="", shared="", most=None, short=None, room=(0, 0), search=true))]
    #[allow(clippy::too_many_arguments, reason = "they have names in Python")]
    fn allocate(
        &self,
        py: Python<'_>,
        code: &Bound<'_, PyAny>,
        block: &str,
        shared: &str,
        most: Option<u32>,
        short: Option<u32>,
        room: (u32, u32),
        search: bool,
    ) -> PyResult<Allocated> {
        let code = Reader::new(py, &self.isa).code(code)?;
        let name = &code.name;
        let near = short.or(self.isa.moves.short).unwrap_or(room.0);
        let objects = Objects {
            values: format!("{name}_spill").into(),
            far: format!("{name}_spill_far").into(),
            outside: format!("{name}_spilled").into(),
            block: block.into(),
            key: block.strip_suffix("_block").map_or_else(|| block.to_owned(), |p| format!("{p}_key")).into(),
            near_bytes: near,
            far_bytes: room.1,
        };
        let aim = Aim { block: block.into(), shared: if shared.is_empty() { block } else { shared }.into(), most };
        let isa = &self.isa;
        let found = py.detach(|| match search {
            true => search::best(isa, &code, &objects, &aim),
            false => search::as_written(isa, &code, &objects, &aim),
        });
        Ok(Allocated { isa: Arc::clone(isa), name: Arc::clone(&code.name), objects, best: checked(py, found)? })
    }

    /// The registers that a caller wants back unchanged, as they are saved.
    #[getter]
    fn saved(&self) -> Vec<String> {
        self.isa.registers.saved.clone()
    }

    /// A function of lines that calls others: it saves the registers that these change, or all.
    #[pyo3(signature = (name, lines, calls=None))]
    fn function(
        &self,
        py: Python<'_>,
        name: &str,
        lines: Vec<String>,
        calls: Option<Vec<PyRef<'_, MachineFunction>>>,
    ) -> PyResult<MachineFunction> {
        let read = lines.iter().map(|line| assembly::read(&self.isa, line)).collect();
        let besides = match calls {
            Some(calls) => calls.iter().flat_map(|one| one.inner.registers.iter().copied()).collect(),
            None => (0..self.isa.registers.names.len() as u16).collect(),
        };
        let call = Call { besides, ..Call::default() };
        let made = Function::framed(&self.isa, &name.into(), checked(py, read)?, &call);
        Ok(MachineFunction { isa: Arc::clone(&self.isa), inner: checked(py, made)? })
    }
}

/// Code that has registers; never changes.
#[pyclass(frozen, module = "cipherassay._engine")]
pub struct Allocated {
    isa: Arc<Isa>,
    name: Arc<str>,
    objects: Objects,
    best: Candidate,
}

#[pymethods]
impl Allocated {
    /// By how many bytes it passes the limit, or the memory that there is.
    #[getter]
    fn over(&self) -> u32 {
        self.best.over
    }

    /// About how many cycles it takes: branches count as not taken.
    #[getter]
    fn cycles(&self) -> u64 {
        self.best.cycles
    }

    /// Bytes of memory that values without registers take.
    #[getter]
    fn slots(&self) -> u32 {
        self.best.allocation.slots
    }

    /// Bytes of memory that are registers, besides those with names.
    #[getter]
    fn bytes(&self) -> u32 {
        search::bytes(&self.best.allocation)
    }

    /// The lines.
    fn lines(&self) -> Vec<String> {
        let mut writer = Writer::new(&self.isa, &self.name);
        self.best.allocation.lines.iter().map(|line| writer.line(line)).collect()
    }

    /// The function, and the bytes of memory that its values take. With an object `pack` values share bytes, those of this
    /// object among them.
    #[pyo3(signature = (pack=None, *, inner=false))]
    fn function(&self, py: Python<'_>, pack: Option<&str>, inner: bool) -> PyResult<(MachineFunction, u32)> {
        let found = py.detach(|| self.made(pack, inner));
        let (function, slots) = checked(py, found)?;
        Ok((MachineFunction { isa: Arc::clone(&self.isa), inner: function }, slots))
    }
}

impl Allocated {
    fn made(&self, pack: Option<&str>, inner: bool) -> Result<(Function, u32), Diagnostic> {
        let isa = &self.isa;
        let mut lines = self.best.allocation.lines.clone();
        let mut slots = self.best.allocation.slots;
        let call = Call { inner, marked: pack.is_some() && isa.frame.around_block, ..Call::default() };
        if let Some(block) = pack {
            if call.marked {
                lines = marked(isa, &self.name, &lines, block)?;
            }
            (lines, slots) = packed(isa, &lines, &self.objects.values, block);
        }
        let function = Function::framed(isa, &self.name, tidied(isa, &lines), &call)?;
        Ok((function, slots))
    }
}

/// A function in machine instructions; never changes.
#[pyclass(frozen, module = "cipherassay._engine")]
pub struct MachineFunction {
    isa: Arc<Isa>,
    inner: Function,
}

#[pymethods]
impl MachineFunction {
    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.inner.name
    }

    /// The function with other objects: of each the other one, and where in it it begins.
    fn renamed(&self, objects: HashMap<String, (String, i64)>) -> Self {
        let objects = objects.into_iter().map(|(old, (new, at))| (old, (Arc::from(new), at))).collect();
        MachineFunction { isa: Arc::clone(&self.isa), inner: self.inner.renamed(&objects) }
    }

    /// The function with long addresses of what is not among the objects near.
    fn addressed(&self, near: BTreeSet<String>) -> Self {
        MachineFunction { isa: Arc::clone(&self.isa), inner: self.inner.addressed(&near) }
    }

    /// Its text, with branches that reach.
    fn text(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(checked(py, self.inner.reaching(&self.isa))?.text(&self.isa))
    }

    /// Bytes of its code, with branches that reach.
    fn bytes(&self, py: Python<'_>) -> PyResult<i64> {
        let reaching = checked(py, self.inner.reaching(&self.isa))?;
        checked(py, reaching.bytes(&self.isa))
    }
}

fn checked<T>(py: Python<'_>, found: Result<T, Diagnostic>) -> PyResult<T> {
    found.map_err(|error| raise(py, Class::Description, &error))
}

/// Takes over code from Python's objects.
struct Reader<'a, 'py> {
    py: Python<'py>,
    isa: &'a Isa,
    values: HashMap<usize, Value>,
    lines: HashMap<String, Line>,
    texts: HashMap<String, Arc<str>>,
    loops: usize,
}

impl<'a, 'py> Reader<'a, 'py> {
    fn new(py: Python<'py>, isa: &'a Isa) -> Self {
        Reader { py, isa, values: HashMap::new(), lines: HashMap::new(), texts: HashMap::new(), loops: 0 }
    }

    fn code(&mut self, code: &Bound<'py, PyAny>) -> PyResult<Code> {
        let name: String = code.getattr("name")?.extract()?;
        let reserved: HashSet<u16> = code.getattr("reserved")?.extract()?;
        let items = self.items(&code.getattr("items")?)?;
        Ok(Code { name: name.into(), items, reserved, values: self.values.len() as Value })
    }

    fn items(&mut self, items: &Bound<'py, PyAny>) -> PyResult<Vec<Item>> {
        let mut found = Vec::new();
        for item in items.try_iter()? {
            let item = item?;
            found.push(if item.hasattr("trips")? {
                Item::Loop(Arc::new(self.repeated(&item)?))
            } else {
                Item::Instruction(Arc::new(self.instruction(&item)?))
            });
        }
        Ok(found)
    }

    fn repeated(&mut self, item: &Bound<'py, PyAny>) -> PyResult<Loop> {
        let id = self.loops;
        self.loops += 1;
        let mut carried = Vec::new();
        for one in item.getattr("carried")?.try_iter()? {
            let (value, init, out): (Bound<'_, PyAny>, Bound<'_, PyAny>, Bound<'_, PyAny>) = one?.extract()?;
            carried.push((self.value(&value), self.source(&init)?, self.source(&out)?));
        }
        Ok(Loop {
            id,
            trips: item.getattr("trips")?.extract()?,
            counter: self.value(&item.getattr("counter")?),
            carried,
            results: self.list(item, "results", Self::known)?,
            body: self.items(&item.getattr("body")?)?,
            pinned: self.list(item, "pinned", Self::line)?,
            stepped: self.list(item, "stepped", Self::line)?,
        })
    }

    fn instruction(&mut self, item: &Bound<'py, PyAny>) -> PyResult<Instruction> {
        let mut tied = Vec::new();
        for one in item.getattr("tied")?.try_iter()? {
            let (value, source): (Bound<'_, PyAny>, Bound<'_, PyAny>) = one?.extract()?;
            tied.push((self.value(&value), self.source(&source)?));
        }
        let access = if item.hasattr("space")? { Some(self.access(item)?) } else { None };
        let immediate: String = item.getattr("immediate")?.extract()?;
        let setting: String = item.getattr("setting")?.extract()?;
        let upper: HashSet<u32> = item.getattr("upper")?.extract()?;
        Ok(Instruction {
            lines: if access.is_some() { Vec::new() } else { self.list(item, "lines", Self::line)? },
            tied,
            outs: self.list(item, "outs", Self::known)?,
            ins: self.list(item, "ins", Self::source)?,
            temps: item.getattr("temps")?.extract()?,
            upper: upper.into_iter().fold(0, |bits, n| bits | 1 << n),
            early: item.getattr("early")?.extract()?,
            commutative: item.getattr("commutative")?.extract()?,
            immediate: if immediate.is_empty() { None } else { Some(self.read(immediate)?) },
            memory: self.memory(item)?,
            word: item.getattr("word")?.extract()?,
            setting: if setting.is_empty() { None } else { Some(self.text(setting)) },
            parts: self.list(item, "parts", Self::instruction)?,
            access,
        })
    }

    fn memory(&mut self, item: &Bound<'py, PyAny>) -> PyResult<Option<Memory>> {
        let memory: Option<(String, String)> = item.getattr("memory")?.extract()?;
        let place: Option<(String, String, i64)> = item.getattr("place")?.extract()?;
        Ok(memory.map(|(kind, object)| Memory {
            stores: kind == "store",
            object: self.text(object),
            place: place.map(|(register, object, at)| (self.text(register), self.text(object), at)),
        }))
    }

    fn access(&mut self, item: &Bound<'py, PyAny>) -> PyResult<Access> {
        let object: String = item.getattr("where")?.extract()?;
        let space: String = item.getattr("space")?.extract()?;
        Ok(Access {
            object: self.text(object.replace(' ', "")),
            at: item.getattr("at")?.extract()?,
            index: self.list(item, "index", Self::source)?,
            direct: space == "data",
            external: space == "xdata",
            paged: item.getattr("paged")?.extract()?,
        })
    }

    fn list<T>(
        &mut self,
        item: &Bound<'py, PyAny>,
        name: &str,
        mut one: impl FnMut(&mut Self, &Bound<'py, PyAny>) -> PyResult<T>,
    ) -> PyResult<Vec<T>> {
        item.getattr(name)?.try_iter()?.map(|entry| one(self, &entry?)).collect()
    }

    fn line(&mut self, text: &Bound<'py, PyAny>) -> PyResult<Line> {
        self.read(text.extract()?)
    }

    fn read(&mut self, text: String) -> PyResult<Line> {
        if let Some(known) = self.lines.get(&text) {
            return Ok(known.clone());
        }
        let line = checked(self.py, assembly::read(self.isa, &text))?;
        self.lines.insert(text, line.clone());
        Ok(line)
    }

    fn text(&mut self, text: String) -> Arc<str> {
        Arc::clone(self.texts.entry(text).or_insert_with_key(|text| Arc::from(text.as_str())))
    }

    fn known(&mut self, value: &Bound<'py, PyAny>) -> PyResult<Value> {
        Ok(self.value(value))
    }

    fn value(&mut self, value: &Bound<'py, PyAny>) -> Value {
        let next = self.values.len() as Value;
        *self.values.entry(value.as_ptr() as usize).or_insert(next)
    }

    fn source(&mut self, source: &Bound<'py, PyAny>) -> PyResult<Source> {
        if !source.is_instance_of::<PyInt>() {
            return Ok(Source::Value(self.value(source)));
        }
        source.extract::<u8>().map(|n| Source::Number(n.into())).map_err(|_| {
            let error = Diagnostic::new("E135", format!("a number that code reads is no byte: {source}"));
            raise(self.py, Class::Description, &error)
        })
    }
}

/// Adds the classes to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Microcontroller>()?;
    module.add_class::<Allocated>()?;
    module.add_class::<MachineFunction>()
}
