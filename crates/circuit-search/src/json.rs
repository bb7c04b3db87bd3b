//! Circuits, problems and search steps as JSON, for callers in other languages.
//!
//! A wire is `x0` … (input), `g0` … (result of a gate, counted from 0), `0` or `1`.

use serde::Deserialize;
use serde_json::{json, Value};

use crate::engines::Step;
use circuit::circuit::{Circuit, Gate, Wire};
use circuit::fault::Fault;
use circuit::function::Function;
use circuit::problem::{Metric, Problem};
use circuit::sbox::SBox;
use circuit::target::Target;
use circuit::text::Document;

fn wire_text(wire: Wire) -> String {
    match wire {
        Wire::Input(k) => format!("x{k}"),
        Wire::Gate(n) => format!("g{n}"),
        Wire::Constant(value) => u8::from(value).to_string(),
    }
}

fn wire(text: &str, gates: usize, inputs: u8) -> Result<Wire, Fault> {
    let number = |prefix: char| text.strip_prefix(prefix).and_then(|digits| digits.parse::<usize>().ok());
    match (text, number('x'), number('g')) {
        ("0", ..) => Ok(Wire::Constant(false)),
        ("1", ..) => Ok(Wire::Constant(true)),
        (_, Some(k), _) if k < usize::from(inputs) => Ok(Wire::Input(k)),
        (_, _, Some(n)) if n < gates => Ok(Wire::Gate(n)),
        _ => Err(wrong(&format!("`{text}` is no wire here"))),
    }
}

fn wrong(what: &str) -> Fault {
    Fault::new("C304", format!("the circuit cannot be read: {what}"))
}

/// A circuit as `{"inputs": 4, "gates": [{"arity", "table", "operands"}], "outputs": […]}`.
#[must_use]
pub fn circuit_to_value(circuit: &Circuit) -> Value {
    let texts = |wires: &[Wire]| wires.iter().map(|&w| wire_text(w)).collect::<Vec<_>>();
    let gate = |g: &Gate| json!({"arity": g.function.arity, "table": g.function.table, "operands": texts(&g.operands)});
    json!({
        "inputs": circuit.inputs,
        "gates": circuit.gates.iter().map(gate).collect::<Vec<_>>(),
        "outputs": texts(&circuit.outputs),
    })
}

#[derive(Deserialize)]
struct GateForm {
    arity: u8,
    table: u16,
    operands: Vec<String>,
}

#[derive(Deserialize)]
struct CircuitForm {
    inputs: u8,
    gates: Vec<GateForm>,
    outputs: Vec<String>,
}

/// A circuit from what [`circuit_to_value`] gives.
///
/// # Errors
/// `C304` for what is no circuit.
pub fn circuit_from_value(value: &Value) -> Result<Circuit, Fault> {
    let form = CircuitForm::deserialize(value).map_err(|e| wrong(&e.to_string()))?;
    if !(1..=8).contains(&form.inputs) {
        return Err(wrong(&format!("{} inputs; a circuit has 1 to 8", form.inputs)));
    }
    let mut circuit = Circuit::new(form.inputs);
    for (n, gate) in form.gates.iter().enumerate() {
        if !(1..=4).contains(&gate.arity) || usize::from(gate.arity) != gate.operands.len() {
            return Err(wrong(&format!("gate {n} has arity {} and {} operands", gate.arity, gate.operands.len())));
        }
        let operands = gate.operands.iter().map(|w| wire(w, n, form.inputs)).collect::<Result<Vec<_>, _>>()?;
        circuit.add(Function::new(gate.arity, gate.table), &operands);
    }
    let gates = circuit.gates.len();
    circuit.outputs = form.outputs.iter().map(|w| wire(w, gates, form.inputs)).collect::<Result<_, _>>()?;
    Ok(circuit)
}

/// A document: `name`, `fields` (pairs), `equations` (texts), `names` (of the gates), `circuit`.
#[must_use]
pub fn document_to_value(document: &Document) -> Value {
    json!({
        "name": document.name,
        "fields": document.fields,
        "equations": document.equations.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "names": document.names,
        "circuit": circuit_to_value(&document.circuit),
    })
}

#[derive(Deserialize)]
struct DocumentForm {
    name: String,
    #[serde(default)]
    fields: Vec<(String, String)>,
    #[serde(default)]
    equations: Vec<String>,
    circuit: Value,
}

/// A document from JSON: its equations if it has any, else ones written for its circuit.
///
/// # Errors
/// `C304` for what is no document, and the errors of equations.
pub fn document_from_json(text: &str, target: Option<&Target>) -> Result<Document, Fault> {
    let form: DocumentForm = serde_json::from_str(text).map_err(|e| wrong(&e.to_string()))?;
    let circuit = circuit_from_value(&form.circuit)?;
    if form.equations.is_empty() {
        return Document::new(&form.name, form.fields, &circuit, target);
    }
    let shape = (circuit.inputs, circuit.outputs.len());
    Document::from_equations(&form.name, form.fields, shape, &form.equations, target)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProblemForm {
    table: Vec<u8>,
    outputs: u8,
    target: Target,
    objective: Vec<String>,
    #[serde(default)]
    seed: u64,
}

/// A problem from `{"table": […], "outputs": n, "target": {…}, "objective": […], "seed": n}`.
///
/// # Errors
/// `C301` for what is no problem, `C101` and `C102` for no box, `C202` for no metric.
pub fn problem_from_json(text: &str) -> Result<Problem, Fault> {
    let form: ProblemForm = serde_json::from_str(text)
        .map_err(|e| Fault::new("C301", format!("the question to the search cannot be read: {e}")))?;
    Ok(Problem {
        sbox: SBox::new(form.outputs, form.table)?,
        target: form.target,
        objective: form.objective.iter().map(|name| Metric::named(name)).collect::<Result<_, _>>()?,
        seed: form.seed,
    })
}

/// What a unit found: `circuits`, `bounds` (metric, value, kind), `effort`, `finished`.
#[must_use]
pub fn step_to_value(step: &Step) -> Value {
    let bounds: Vec<Value> =
        step.bounds.iter().map(|b| json!({"metric": b.metric.name(), "value": b.value, "kind": b.kind})).collect();
    json!({
        "circuits": step.circuits.iter().map(circuit_to_value).collect::<Vec<_>>(),
        "bounds": bounds,
        "effort": step.effort,
        "finished": step.finished,
    })
}
