//! Models of processors, as Python sees them.

use std::sync::{Arc, OnceLock};

use processor::isa::{execute, Instruction};
use processor::model::{self, Processor};
use processor::semantics::{Fault, Memory, Statement, JUMP};
use program::Diagnostic;
use pyo3::prelude::*;
use serde_json::json;

use crate::errors::{raise, Class};

/// Name without `.toml`, text, and the path that errors name.
type File = (String, String, String);

/// A processor, read from its files; never changes.
#[pyclass(name = "Processor", module = "cipherassay._engine", frozen)]
pub struct PyProcessor {
    /// The model, for the other bindings.
    pub inner: Arc<Processor>,
    json: OnceLock<String>,
}

#[pymethods]
impl PyProcessor {
    /// Reads a processor from its files.
    #[staticmethod]
    fn load(
        py: Python<'_>,
        isas: Vec<File>,
        processors: Vec<File>,
        name: &str,
        parameters: Vec<(String, String)>,
    ) -> PyResult<Self> {
        let loaded = model::load(&pairs(&isas), &pairs(&processors), name, &parameters).map_err(|error| {
            let class = match error.code {
                "M002" if error.places.is_empty() => Class::Usage,
                "M006" | "M007" if error.places.is_empty() => Class::Usage,
                _ => Class::Description,
            };
            raise(py, class, &placed(error, &isas, &processors))
        });
        Ok(PyProcessor { inner: Arc::new(loaded?), json: OnceLock::new() })
    }

    #[getter]
    fn name(&self) -> &str {
        &self.inner.name
    }

    /// Cycles come from the simulator alone; a processor without limits follows its schedule.
    #[getter]
    fn issues_out_of_order(&self) -> bool {
        self.inner.out_of_order.is_some() && !self.inner.infinite
    }

    /// Bits of a general register.
    #[getter]
    fn word_bits(&self) -> u8 {
        self.inner.isa.word_bits
    }

    /// Bytes of the data cache; 0 where every access hits.
    #[getter]
    fn cache_bytes(&self) -> u32 {
        self.inner.cache.as_ref().map_or(0, |cache| cache.bytes)
    }

    /// Ports and issue width as caps, as JSON: `classes` and `caps`, as the schedulers read them.
    fn resources(&self) -> String {
        json!(self.inner.resources).to_string()
    }

    /// Runs one instruction on numbers by its semantics.
    ///
    /// `memory` lies at `base`. Returns what it writes in the order of its form, whether it jumps, and the memory.
    #[pyo3(signature = (instruction, uses, memory = Vec::new(), base = 0))]
    fn execute(
        &self,
        py: Python<'_>,
        instruction: &str,
        uses: Vec<u64>,
        memory: Vec<u8>,
        base: u64,
    ) -> PyResult<(Vec<u64>, Option<bool>, Vec<u8>)> {
        let isa = &self.inner.isa;
        let wrong = |code, message| raise(py, Class::Usage, &Diagnostic::new(code, message));
        let id = isa.instruction(instruction);
        let id = id.ok_or_else(|| wrong("M022", format!("`{}` has no instruction `{instruction}`", isa.name)))?;
        let i = &isa.instructions[id as usize];
        if uses.len() != i.uses.len() {
            let message = format!("`{instruction}` reads {} operands, here are {}", i.uses.len(), uses.len());
            return Err(wrong("M024", message));
        }
        let mut bytes = Bytes { bytes: memory, base, big_endian: isa.big_endian };
        let fault =
            |f: Fault| wrong("M025", format!("`{instruction}` reaches {:#x}, outside of the memory", f.address));
        // A branch is decided before it stores or updates anything.
        let jump = jump(i, &uses, &mut bytes).map_err(fault)?;
        let results = execute(isa, i, &uses, &mut bytes).map_err(fault)?;
        Ok((results, jump, bytes.bytes))
    }

    /// Everything that is known of it, as JSON.
    fn json(&self) -> &str {
        self.json.get_or_init(|| model::document(&self.inner).to_string())
    }
}

/// What the semantics of an instruction assigns to `jump`.
fn jump(i: &Instruction, uses: &[u64], memory: &mut Bytes) -> Result<Option<bool>, Fault> {
    let read = |name: &str| i.uses.iter().position(|o| o.name == name).map_or(0, |k| uses[k]);
    for statement in &i.semantics {
        if let Statement::Assign(name, expression) = statement {
            if name == JUMP {
                return Ok(Some(expression.evaluate(&read, memory)? != 0));
            }
        }
    }
    Ok(None)
}

/// A piece of memory.
struct Bytes {
    bytes: Vec<u8>,
    base: u64,
    big_endian: bool,
}

impl Bytes {
    /// Where each byte of an access lies, the least significant first.
    fn places(&self, address: u64, bytes: u8, store: bool) -> Result<Vec<usize>, Fault> {
        let first = address.wrapping_sub(self.base);
        let count = u64::from(bytes);
        if first.checked_add(count).map_or(true, |end| end > self.bytes.len() as u64) {
            return Err(Fault { address, bytes, store });
        }
        let place = |k: u64| (first + if self.big_endian { count - 1 - k } else { k }) as usize;
        Ok((0..count).map(place).collect())
    }
}

impl Memory for Bytes {
    fn load(&mut self, address: u64, bytes: u8) -> Result<u64, Fault> {
        let places = self.places(address, bytes, false)?;
        Ok(places.iter().rev().fold(0, |value, n| value << 8 | u64::from(self.bytes[*n])))
    }

    fn store(&mut self, address: u64, bytes: u8, value: u64) -> Result<(), Fault> {
        for (k, n) in self.places(address, bytes, true)?.into_iter().enumerate() {
            self.bytes[n] = (value >> (8 * k)) as u8;
        }
        Ok(())
    }
}

/// Contradictions in the files of a processor: a JSON list of `code`, `message`, `places`, `notes`, `help`.
#[pyfunction]
fn processor_check(isas: Vec<File>, processors: Vec<File>, name: &str) -> String {
    let found = model::check(&pairs(&isas), &pairs(&processors), name);
    let list: Vec<_> = found
        .into_iter()
        .map(|error| placed(error, &isas, &processors))
        .map(|e| {
            let places: Vec<_> = e.places.iter().map(|p| json!([p.file, p.line, p.column])).collect();
            json!({ "code": e.code, "message": e.message, "places": places, "notes": e.notes, "help": e.help })
        })
        .collect();
    json!(list).to_string()
}

fn pairs(files: &[File]) -> Vec<(String, String)> {
    files.iter().map(|(name, text, _)| (name.clone(), text.clone())).collect()
}

/// The error with the paths of the caller's files.
fn placed(mut error: Diagnostic, isas: &[File], processors: &[File]) -> Diagnostic {
    for place in &mut error.places {
        for (folder, files) in [("isas", isas), ("processors", processors)] {
            let named = |f: &&File| format!("{folder}/{}.toml", f.0) == place.file;
            if let Some((_, _, path)) = files.iter().rev().find(named) {
                place.file.clone_from(path);
                break;
            }
        }
    }
    error
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyProcessor>()?;
    module.add_function(wrap_pyfunction!(processor_check, module)?)
}
