//! Circuits in source languages, as Python sees them.

use std::collections::BTreeMap;

use circuit::emit::{self, Source};
use circuit::{text, Fault, Target};
use pyo3::prelude::*;
use serde_json::{json, Value};

use crate::circuit::raise;

/// Header lines that say how the text is read, not what is known of the circuit.
const OF_THE_TEXT: [&str; 4] = ["registers", "inputs", "outputs", "variant"];

/// The languages as a JSON list: `name`, `title`, `suffix`, `choices` (`name`, `values`, `purpose`).
#[pyfunction]
fn circuit_languages() -> String {
    let choice = |c: &emit::Choice| json!({"name": c.name, "values": c.values, "purpose": c.purpose});
    let language = |l: Box<dyn emit::Language>| {
        let choices: Vec<Value> = l.choices().iter().map(choice).collect();
        json!({"name": l.name(), "title": l.title(), "suffix": l.suffix(), "choices": choices})
    };
    Value::from(emit::languages().into_iter().map(language).collect::<Vec<_>>()).to_string()
}

/// The text of a circuit in a language; `source` holds one circuit, `target` (JSON) knows the cells that it names.
#[pyfunction]
#[pyo3(signature = (source, language, options = BTreeMap::new(), target = None, name = None, file = "circuit text"))]
fn circuit_emit(
    py: Python<'_>,
    source: &str,
    language: &str,
    options: BTreeMap<String, String>,
    target: Option<&str>,
    name: Option<String>,
    file: &str,
) -> PyResult<String> {
    let written = || {
        let read = read(source, target, name, file)?;
        emit::emit(&read, language, &options)
    };
    written().map_err(|fault| raise(py, &fault, Some((file, source))))
}

/// The identifier under which a box's name is written in every language.
#[pyfunction]
fn circuit_identifier(name: &str) -> String {
    emit::source::identifier(name)
}

fn read(source: &str, target: Option<&str>, name: Option<String>, file: &str) -> Result<Source, Fault> {
    let target = target.map(Target::from_json).transpose()?;
    let mut documents = text::parse(source, target.as_ref(), None)?;
    if documents.len() > 1 {
        let names: Vec<&str> = documents.iter().map(|d| d.name.as_str()).collect();
        return Err(Fault::new("C404", format!("{file} holds {} circuits where one is expected", names.len()))
            .note(format!("it holds: {}", names.join(", "))));
    }
    let document = documents.remove(0);
    if let Some(sbox) = document.sbox()? {
        document.circuit.check(&sbox)?;
    }
    let facts = document.fields.into_iter().filter(|(key, _)| !OF_THE_TEXT.contains(&key.as_str())).collect();
    Ok(Source { name: name.unwrap_or(document.name), circuit: document.circuit, facts })
}

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(circuit_languages, module)?)?;
    module.add_function(wrap_pyfunction!(circuit_emit, module)?)?;
    module.add_function(wrap_pyfunction!(circuit_identifier, module)?)
}
