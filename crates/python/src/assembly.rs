//! Registers and assembly text, as Python sees them; structures cross the border as JSON.

use processor::assembly::{self, Registers};
use processor::code::{Object, Packing, Role};
use processor::graph::Schedule;
use program::Diagnostic;
use pyo3::prelude::*;
use serde_json::{json, Value};

use crate::code::Code;
use crate::errors::{raise, Class};

/// Gives registers to scheduled code and writes its text; one schedule as JSON per region. A JSON object: `text`, `expanded`, `registers`
/// (`class`, `statics`, `stacked`, `rotating`, `notation`), `operations`, `nops`, `groups`, `bundles`, `copies`, `cycles`.
#[pyfunction]
fn emit_assembly(py: Python<'_>, code: &Code, schedules: Vec<String>) -> PyResult<String> {
    let read = |text: &String| {
        serde_json::from_str::<Schedule>(text).map_err(|error| {
            let diagnostic = Diagnostic::new("M300", format!("the schedule cannot be read: {error}"));
            raise(py, Class::Description, &diagnostic)
        })
    };
    let schedules = schedules.iter().map(read).collect::<PyResult<Vec<Schedule>>>()?;
    let emitted = py.detach(|| assembly::emit(&code.inner, &schedules, &code.processor));
    let found = emitted.map_err(|error| raise(py, Class::Description, &error))?;
    let document = json!({
        "text": found.text,
        "expanded": found.expanded,
        "registers": found.registers.iter().map(registers).collect::<Vec<_>>(),
        "operations": found.operations,
        "nops": found.nops,
        "groups": found.groups,
        "bundles": found.bundles,
        "copies": found.copies,
        "cycles": found.cycles,
    });
    Ok(document.to_string())
}

fn registers(found: &Registers) -> Value {
    json!({
        "class": found.class,
        "statics": found.statics,
        "stacked": found.stacked,
        "rotating": found.rotating,
        "notation": found.notation(),
    })
}

/// How a kernel is called, as a JSON object: `objects`, `pointers` (`object`, `offset`), `registers`, `big_endian`.
#[pyfunction]
fn kernel_interface(code: &Code) -> String {
    let objects: Vec<Value> = code.inner.objects.iter().map(object).collect();
    let pointers: Vec<Value> =
        code.inner.inputs.iter().map(|i| json!({"object": i.object, "offset": i.offset})).collect();
    let isa = &code.processor.isa;
    let document = json!({
        "objects": objects,
        "pointers": pointers,
        "registers": isa.arguments,
        "big_endian": isa.big_endian,
    });
    document.to_string()
}

fn object(object: &Object) -> Value {
    let packing = match object.packing {
        Packing::None => "none",
        Packing::Little => "little",
        Packing::Big => "big",
    };
    let (role, number, elements) = match &object.role {
        Role::Parameter(number) => ("parameter", *number, &[][..]),
        Role::Result(number) => ("result", *number, &[][..]),
        Role::Table(elements) => ("table", 0, elements.as_slice()),
        Role::Scratch => ("scratch", 0, &[][..]),
    };
    json!({
        "name": object.name,
        "size": object.bytes,
        "alignment": object.alignment,
        "element": object.element,
        "stride": object.stride,
        "packing": packing,
        "role": role,
        "number": number,
        "elements": elements,
        "base": object.base,
    })
}

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(emit_assembly, module)?)?;
    module.add_function(wrap_pyfunction!(kernel_interface, module)?)
}
