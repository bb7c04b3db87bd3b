//! The device: instances of its machines and the wires between them.

use std::collections::BTreeMap;

use super::expression::Expr;
use super::library::Library;
use super::machine;
use super::module::{Instance, Item, Module, ModulePort};
use super::names::Names;
use crate::design::{Design, Direction, End};

/// The names of the top-level module's scope.
struct Scope {
    /// Clock and reset, then the pins in their order.
    pins: Vec<String>,
    /// The wires that outputs of machines drive.
    signals: BTreeMap<End, String>,
    /// The instances of the machines.
    labels: Vec<String>,
}

impl Scope {
    fn of(design: &Design) -> Self {
        let mut names = Names::default();
        let pins = ["clock", "reset"].into_iter().chain(design.ports.iter().map(|p| p.name.as_str()));
        let pins = pins.map(|name| names.unique(name)).collect();
        let mut signals = BTreeMap::new();
        for (n, machine) in design.machines.iter().enumerate() {
            for port in machine.ports.iter().filter(|p| p.direction == Direction::Output) {
                let name = names.unique(&format!("{}_{}", machine.name, port.name));
                signals.insert(End { machine: Some(n), port: port.name.clone() }, name);
            }
        }
        let labels = design.machines.iter().map(|machine| names.unique(&machine.name)).collect();
        Scope { pins, signals, labels }
    }
}

/// Names of the instances of the machines.
pub(super) fn labels(design: &Design) -> Vec<String> {
    Scope::of(design).labels
}

/// The top-level module.
pub(super) fn module(design: &Design, library: &Library) -> Module {
    let Scope { pins, signals, labels } = Scope::of(design);
    let mut ports = Vec::new();
    for (name, doc) in pins.iter().zip(["rising edge", "synchronous, of the control registers"]) {
        ports.push(ModulePort { name: name.clone(), input: true, width: 1, doc: doc.to_owned() });
    }
    let mut ends: BTreeMap<End, String> = signals;
    for (port, name) in design.ports.iter().zip(&pins[2..]) {
        ends.insert(End { machine: None, port: port.name.clone() }, name.clone());
        let input = port.direction == Direction::Input;
        ports.push(ModulePort { name: name.clone(), input, width: port.width(), doc: port.doc.clone() });
    }
    let mut items = Vec::new();
    for (n, machine) in design.machines.iter().enumerate() {
        for port in machine.ports.iter().filter(|p| p.direction == Direction::Output) {
            let end = End { machine: Some(n), port: port.name.clone() };
            items.push(Item::Signal { name: ends[&end].clone(), width: port.width() });
        }
    }
    let sources: BTreeMap<&End, &End> = design.wires.iter().map(|w| (&w.to, &w.from)).collect();
    for ((n, machine), label) in design.machines.iter().enumerate().zip(labels) {
        items.push(Item::Instance(instance(n, machine, &library.machines[n], label, &ends, &sources)));
    }
    for port in design.ports.iter().filter(|p| p.direction == Direction::Output) {
        let end = End { machine: None, port: port.name.clone() };
        let target = Expr::name(&ends[&end], port.width());
        let value = Expr::name(&ends[sources[&end]], port.width());
        items.push(Item::Assign { target, declare: false, value });
    }
    let mut head = vec![format!("{}: the device", design.name)];
    head.extend(design.doc.iter().cloned());
    Module { name: names_of(design), head, ports, items, pins: true, ..Module::default() }
}

/// Name of the top-level module.
pub(super) fn names_of(design: &Design) -> String {
    Names::default().unique(&design.name)
}

fn instance(
    number: usize,
    machine: &crate::design::Machine,
    module: &str,
    label: String,
    ends: &BTreeMap<End, String>,
    sources: &BTreeMap<&End, &End>,
) -> Instance {
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    let all = machine::ports(machine);
    let own = all.len() - machine.ports.len();
    for port in &all[..own] {
        inputs.push((port.name.clone(), Expr::name(&port.name, 1)));
    }
    for (port, named) in machine.ports.iter().zip(&all[own..]) {
        let end = End { machine: Some(number), port: port.name.clone() };
        match port.direction {
            Direction::Input => {
                inputs.push((named.name.clone(), Expr::name(&ends[sources[&end]], named.width)));
            }
            Direction::Output => outputs.push((named.name.clone(), ends[&end].clone(), named.width, false)),
        }
    }
    Instance { module: module.to_owned(), label, inputs, outputs }
}
