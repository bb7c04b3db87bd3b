//! Invariant 8: no output depends on itself within a clock.

use std::collections::{BTreeMap, HashMap};

use program::diagnostic::Diagnostic;
use program::ir::{Function, OpKind, Operand, ValueId};
use program::walk::uses;

use super::shown;
use crate::design::{Design, Direction, End, Machine};

/// A set of parameters of a function, as bits.
type Params = Vec<u64>;

/// Per function, the parameters that each result depends on.
type Summaries<'a> = HashMap<&'a str, Vec<Params>>;

pub(super) fn check(design: &Design) -> Result<(), Diagnostic> {
    let mut summaries = Summaries::new();
    for function in &design.program.functions {
        let summary = summary(function, &summaries);
        summaries.insert(&function.name, summary);
    }
    let mut leads: BTreeMap<End, Vec<End>> = BTreeMap::new();
    for wire in &design.wires {
        leads.entry(wire.from.clone()).or_default().push(wire.to.clone());
    }
    for (number, machine) in design.machines.iter().enumerate() {
        through(number, machine, &summaries[machine.function.as_str()], &mut leads);
    }
    match combinational_loop(&leads) {
        None => Ok(()),
        Some(ends) => {
            let path: Vec<String> = ends.iter().map(|end| shown(design, end)).collect();
            Err(Diagnostic::new("H218", format!("{} depends on itself within a clock", path[0]))
                .note(format!("by way of {}", path.join(", ")))
                .help("put a register between them"))
        }
    }
}

/// What each result of a function depends on.
fn summary(function: &Function, known: &Summaries<'_>) -> Vec<Params> {
    let size = function.params.len().div_ceil(64);
    let mut of: HashMap<ValueId, Params> = HashMap::new();
    for (n, &param) in function.params.iter().enumerate() {
        let mut bits = vec![0; size];
        bits[n / 64] |= 1 << (n % 64);
        of.insert(param, bits);
    }
    let join = |into: &mut Params, from: Option<&Params>| {
        for (a, b) in into.iter_mut().zip(from.into_iter().flatten()) {
            *a |= b;
        }
    };
    for op in &function.body.ops {
        if let OpKind::Call(callee, arguments) = &op.kind {
            for (&result, wanted) in op.results.iter().zip(&known[callee.as_str()]) {
                let mut bits = vec![0; size];
                for (n, argument) in arguments.iter().enumerate() {
                    if let (Operand::Value(v), true) = (argument, wanted[n / 64] >> (n % 64) & 1 == 1) {
                        join(&mut bits, of.get(v));
                    }
                }
                of.insert(result, bits);
            }
            continue;
        }
        let mut bits = vec![0; size];
        uses(&op.kind, &mut |v| join(&mut bits, of.get(&v)));
        for &result in &op.results {
            of.insert(result, bits.clone());
        }
    }
    let none = || vec![0; size];
    let result = |operand: &Operand| match operand {
        Operand::Value(v) => of.get(v).cloned().unwrap_or_else(none),
        Operand::Const(_) => none(),
    };
    function.body.outputs.iter().map(result).collect()
}

/// Adds how the outputs of a machine depend on its inputs.
fn through(number: usize, machine: &Machine, summary: &[Params], leads: &mut BTreeMap<End, Vec<End>>) {
    let end = |name: &str| End { machine: Some(number), port: name.to_owned() };
    let mut first = 0;
    for output in machine.ports.iter().filter(|p| p.direction == Direction::Output) {
        let words = &summary[first..first + output.words.len()];
        first += output.words.len();
        let mut param = 0;
        for input in machine.ports.iter().filter(|p| p.direction == Direction::Input) {
            let mut range = param..param + input.words.len();
            param = range.end;
            if range.any(|n| words.iter().any(|w| w[n / 64] >> (n % 64) & 1 == 1)) {
                leads.entry(end(&input.name)).or_default().push(end(&output.name));
            }
        }
    }
}

/// A combinational loop: a cycle in a graph, if there is one.
fn combinational_loop(leads: &BTreeMap<End, Vec<End>>) -> Option<Vec<End>> {
    let mut done: BTreeMap<&End, bool> = BTreeMap::new();
    for start in leads.keys() {
        let mut path: Vec<(&End, usize)> = vec![(start, 0)];
        if done.contains_key(start) {
            continue;
        }
        done.insert(start, false);
        while let Some((end, next)) = path.last_mut() {
            let Some(to) = leads.get(*end).and_then(|list| list.get(*next)) else {
                done.insert(*end, true);
                path.pop();
                continue;
            };
            *next += 1;
            match done.get(to) {
                Some(true) => {}
                Some(false) => {
                    let from = path.iter().position(|(e, _)| *e == to).unwrap_or(0);
                    return Some(path[from..].iter().map(|(e, _)| (*e).clone()).collect());
                }
                None => {
                    done.insert(to, false);
                    path.push((to, 0));
                }
            }
        }
    }
    None
}
