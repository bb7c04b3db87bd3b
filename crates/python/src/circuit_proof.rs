//! Proofs about circuits, as Python sees them: clauses to a file, the solver's answer with a proof file, its check.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Write};
use std::path::PathBuf;

use circuit::problem::Metric;
use circuit::Fault;
use circuit_search::json;
use circuit_search::synthesis::{Outcome, Question};
use proof::proof_file::Steps;
use proof::{Formula, ProofStatistics, Refusal};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use serde_json::{json, Value};

use crate::circuit::{raise, Listener};

fn question(py: Python<'_>, problem: &str, metric: &str) -> PyResult<Question> {
    let ask = || {
        let problem = json::problem_from_json(problem)?;
        Question::new(&problem.sbox, &problem.target, Metric::named(metric)?)
    };
    ask().map_err(|fault: Fault| raise(py, &fault, None))
}

/// Name and version of the solver.
#[pyfunction]
fn solver_version() -> String {
    circuit_search::solver::version()
}

/// The smallest count not impossible at sight and the gates that the clauses leave out, as JSON.
#[pyfunction]
fn circuit_question(py: Python<'_>, problem: &str, metric: &str) -> PyResult<String> {
    let question = question(py, problem, metric)?;
    Ok(json!({"least": question.least(), "inverters": question.inverters()}).to_string())
}

/// Writes the clauses for a count to a file; their numbers and what they say, as JSON.
#[pyfunction]
fn circuit_clauses(py: Python<'_>, problem: &str, metric: &str, count: usize, path: PathBuf) -> PyResult<String> {
    let clauses = question(py, problem, metric)?.clauses(count);
    clauses.write(&path)?;
    let cnf = clauses.cnf();
    let statement = clauses.statement();
    Ok(json!({"variables": cnf.variable_count(), "clauses": cnf.clause_count(), "statement": statement}).to_string())
}

/// Lets the solver answer the clauses of a file, with the proof of a refutation in another.
///
/// `callback` gets an empty line ten times a second and returns whether to stop. JSON: `answer` (`impossible`, `found`,
/// `undecided`), and `circuit` if one was found.
#[pyfunction]
fn circuit_refute(
    py: Python<'_>,
    problem: &str,
    metric: &str,
    count: usize,
    clauses: PathBuf,
    proof: PathBuf,
    callback: Py<PyAny>,
) -> PyResult<String> {
    let question = question(py, problem, metric)?;
    let listener = Listener::new(callback);
    let outcome = py.detach(|| question.clauses(count).solve_file(&clauses, &proof, &|| listener.stopped()));
    listener.finish()?;
    Ok(match outcome? {
        Outcome::Impossible => json!({"answer": "impossible"}),
        Outcome::Undecided => json!({"answer": "undecided"}),
        Outcome::Found(circuit) => json!({"answer": "found", "circuit": json::circuit_to_value(&circuit)}),
    }
    .to_string())
}

fn read_formula(path: &PathBuf) -> io::Result<Result<Formula, Refusal>> {
    Ok(Formula::read(&fs::read_to_string(path)?))
}

fn steps(path: &PathBuf) -> io::Result<Steps<BufReader<File>>> {
    Ok(Steps::new(BufReader::with_capacity(1 << 20, File::open(path)?)))
}

fn verdict(checked: Result<ProofStatistics, Refusal>) -> Value {
    match checked {
        Ok(done) => json!({"accepted": true, "added": done.added, "reasons": done.reasons, "alive": done.alive}),
        Err(refusal) => json!({"accepted": false, "reason": refusal.0}),
    }
}

/// Checks a proof file against a clause file. JSON: `accepted`, then `added`, `reasons`, `alive`, or `reason`.
#[pyfunction]
fn proof_check(py: Python<'_>, clauses: PathBuf, proof: PathBuf, callback: Py<PyAny>) -> PyResult<String> {
    let listener = Listener::new(callback);
    let checked = py.detach(|| -> io::Result<_> {
        let formula = match read_formula(&clauses)? {
            Ok(formula) => formula,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let steps = steps(&proof)?;
        Ok(proof::check(&formula, steps, &mut |_| !listener.stopped()))
    });
    listener.finish()?;
    Ok(verdict(checked?).to_string())
}

/// Runs a function that reads clauses and proof and writes a file.
fn convert(
    py: Python<'_>,
    paths: (PathBuf, PathBuf, PathBuf),
    write: impl FnOnce(&Formula, Steps<BufReader<File>>, &mut dyn Write) -> Result<io::Result<()>, Refusal> + Send,
) -> PyResult<()> {
    let (clauses, proof, to) = paths;
    py.detach(|| {
        let formula = read_formula(&clauses)?.map_err(|r| io::Error::other(r.0))?;
        let mut out = BufWriter::new(File::create(to)?);
        write(&formula, steps(&proof)?, &mut out).map_err(|r| io::Error::other(r.0))??;
        out.flush()
    })
    .map_err(|e: io::Error| PyOSError::new_err(e.to_string()))
}

/// Writes the steps of a proof that its end needs to another file.
#[pyfunction]
fn proof_trim(py: Python<'_>, clauses: PathBuf, proof: PathBuf, to: PathBuf) -> PyResult<()> {
    convert(py, (clauses, proof, to), |formula, steps, out| {
        let trimmed = proof::trim::trim(formula.clauses.len() as u64, steps)?;
        Ok(out.write_all(&trimmed))
    })
}

/// Writes a proof in the DRAT format, as text, to another file.
#[pyfunction]
fn proof_drat(py: Python<'_>, clauses: PathBuf, proof: PathBuf, to: PathBuf) -> PyResult<()> {
    convert(py, (clauses, proof, to), |formula, steps, out| proof::drat::write_drat(formula, steps, out))
}

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(solver_version, module)?)?;
    module.add_function(wrap_pyfunction!(circuit_question, module)?)?;
    module.add_function(wrap_pyfunction!(circuit_clauses, module)?)?;
    module.add_function(wrap_pyfunction!(circuit_refute, module)?)?;
    module.add_function(wrap_pyfunction!(proof_check, module)?)?;
    module.add_function(wrap_pyfunction!(proof_trim, module)?)?;
    module.add_function(wrap_pyfunction!(proof_drat, module)?)
}
