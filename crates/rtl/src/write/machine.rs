//! A machine as a module: registers, stores and its function between them.

use std::collections::BTreeMap;

use program::diagnostic::Diagnostic;
use program::ir::{Compare, Function, Program, ValueId};

use super::expression::{concat, Expr, Operator};
use super::library::{Library, Part};
use super::lower::Lowering;
use super::module::{Item, Latch, Memory, Module, ModulePort, Register, Write};
use super::names::Names;
use crate::design::{Cell, Direction, Machine, Store};
use crate::logic::bits_for;

/// Names of a machine's scope: whether it has a reset, its ports, registers and stores.
struct Scope {
    names: Names,
    clocked: bool,
    reset: bool,
    ports: Vec<String>,
    registers: Vec<String>,
    stores: Vec<String>,
}

impl Scope {
    fn of(machine: &Machine) -> Self {
        let mut names = Names::default();
        for name in ["clock", "reset"] {
            names.unique(name);
        }
        Scope {
            clocked: !machine.registers.is_empty() || !machine.stores.is_empty(),
            reset: machine.registers.iter().any(|r| r.reset.is_some()),
            ports: machine.ports.iter().map(|p| names.unique(&p.name)).collect(),
            registers: machine.registers.iter().map(|r| names.unique(&r.name)).collect(),
            stores: machine.stores.iter().map(|s| names.unique(&s.name)).collect(),
            names,
        }
    }
}

/// Ports of the module: clock and reset where it has any use for them, then its own, in their order.
pub(super) fn ports(machine: &Machine) -> Vec<ModulePort> {
    let scope = Scope::of(machine);
    let control = |name: &str| ModulePort { name: name.to_owned(), input: true, width: 1, doc: String::new() };
    let mut ports = Vec::new();
    if scope.clocked {
        ports.push(control("clock"));
    }
    if scope.reset {
        ports.push(control("reset"));
    }
    ports.extend(machine.ports.iter().zip(&scope.ports).map(|(port, name)| ModulePort {
        name: name.clone(),
        input: port.direction == Direction::Input,
        width: port.width(),
        doc: port.doc.clone(),
    }));
    ports
}

/// Names of the registers in the module, in their order.
pub(super) fn register_names(machine: &Machine) -> Vec<String> {
    Scope::of(machine).registers
}

/// The module of a machine.
///
/// # Errors
/// H401 for a function that the program lacks or that holds what hardware has not.
pub(super) fn module(
    program: &Program,
    library: &Library,
    machine: &Machine,
    name: &str,
) -> Result<Module, Diagnostic> {
    let function = super::function_of(program, &machine.function)?;
    let scope = Scope::of(machine);
    let mut lowering = Lowering::new(program, library, function, scope.names.clone());
    parameters(&mut lowering, machine, &scope, function);
    lowering.run();
    let mut results = Results { next: 0, function };
    for (port, name) in machine.ports.iter().zip(&scope.ports).filter(|(p, _)| p.direction == Direction::Output) {
        let words = port.words.iter().map(|_| results.take(&mut lowering)).collect();
        let target = Expr::name(name, port.width());
        lowering.push(Item::Assign { target, declare: false, value: concat(words) });
    }
    let mut registers = Vec::new();
    for (register, name) in machine.registers.iter().zip(&scope.registers) {
        let enable = if register.enabled { enabling(results.take(&mut lowering)) } else { None };
        let next = results.take(&mut lowering);
        let width = register.width.into();
        registers.push(Register { name: name.clone(), width, reset: register.reset, enable, next, falling: false });
    }
    let mut stores = Vec::new();
    for (store, name) in machine.stores.iter().zip(&scope.stores) {
        let writes = (0..store.writes).map(|_| results.write(&mut lowering, store)).collect();
        stores.push(memory(library, store, name, writes, &mut lowering.names, &mut registers));
    }
    let mut head = vec![format!("{name}: {}", machine.kind().replace('_', " "))];
    head.extend(machine.doc.iter().cloned());
    Ok(Module {
        name: name.to_owned(),
        head,
        ports: ports(machine),
        registers,
        stores,
        items: lowering.finish(),
        pins: false,
    })
}

/// An enable that is always 1 is none.
fn enabling(enable: Expr) -> Option<Expr> {
    (enable != Expr::number(1, 1)).then_some(enable)
}

/// Says what the parameters of the function are: words of ports, registers, stores.
fn parameters(lowering: &mut Lowering<'_>, machine: &Machine, scope: &Scope, function: &Function) {
    let mut params = function.params.iter().copied();
    let mut set = |lowering: &mut Lowering<'_>, value: Expr| {
        if let Some(param) = params.next() {
            lowering.values[param.0 as usize] = Some(value);
        }
    };
    for (port, name) in machine.ports.iter().zip(&scope.ports).filter(|(p, _)| p.direction == Direction::Input) {
        let whole = Expr::name(name, port.width());
        let mut low = port.width();
        for &width in &port.words {
            low -= u32::from(width);
            set(lowering, whole.part(low, width.into()).expect("a name has parts"));
        }
    }
    for (register, name) in machine.registers.iter().zip(&scope.registers) {
        set(lowering, Expr::name(name, register.width.into()));
    }
    let stores: BTreeMap<ValueId, (String, u32)> = params
        .zip(machine.stores.iter().zip(&scope.stores))
        .map(|(v, (s, name))| (v, (name.clone(), s.length)))
        .collect();
    lowering.stores = stores;
}

/// The results of a machine's function, taken in order.
struct Results<'a> {
    next: usize,
    function: &'a Function,
}

impl Results<'_> {
    fn take(&mut self, lowering: &mut Lowering<'_>) -> Expr {
        let width = crate::logic::width_of(&self.function.results[self.next]).into();
        self.next += 1;
        lowering.output(self.next - 1, width)
    }

    /// One write port. Its address is cut to the bits that the store has; an address beyond them writes nothing.
    fn write(&mut self, lowering: &mut Lowering<'_>, store: &Store) -> Write {
        let enable = self.take(lowering);
        let address = self.take(lowering);
        let (bits, have) = (u32::from(bits_for(store.length as usize)), address.width());
        let address = match address.part(0, bits) {
            Some(_) => address,
            None => lowering.fresh("address", address),
        };
        let part = |low: u32, width: u32| address.part(low, width).unwrap_or_else(|| Expr::number(0, width));
        let beyond = if have > bits { part(bits, have - bits) } else { Expr::number(0, 1) };
        let enable = match beyond {
            Expr::Const { value: 0, .. } => enable,
            beyond => {
                let none = Expr::number(0, have - bits);
                let within = Expr::Compare(Compare::Eq, Box::new(beyond), Box::new(none));
                Expr::binary(Operator::And, enable, within)
            }
        };
        Write { enable, address: part(0, bits), data: self.take(lowering) }
    }
}

/// A store. Before latches stand registers for the write: so nothing that is read in the clock of the write sees it yet.
fn memory(
    library: &Library,
    store: &Store,
    name: &str,
    mut writes: Vec<Write>,
    names: &mut Names,
    registers: &mut Vec<Register>,
) -> Memory {
    let (width, address_bits) = (u32::from(store.width), u32::from(bits_for(store.length as usize)));
    let latch = (store.cell == Cell::Latch).then(|| {
        for (n, write) in writes.iter_mut().enumerate() {
            let mut held = |what: &str, value: &Expr, falling: bool| {
                let number = if store.writes > 1 { n.to_string() } else { String::new() };
                let name = names.unique(&format!("{name}_{what}{number}"));
                let width = value.width();
                let next = value.clone();
                registers.push(Register { name: name.clone(), width, reset: None, enable: None, next, falling });
                Expr::name(&name, width)
            };
            // What address and data hold while nothing is written does not matter.
            *write = Write {
                address: held("address", &write.address, true),
                data: held("data", &write.data, false),
                enable: held("write", &write.enable, true),
            };
        }
        Latch {
            module: library.name(&Part::Latch(width)).to_owned(),
            open: names.unique(&format!("{name}_open")),
            number: names.unique("n"),
            cell: names.unique(&format!("{name}_cell")),
            taken: names.unique(&format!("{name}_taken")),
            label: names.unique(&format!("{name}_words")),
        }
    });
    let type_name = names.unique(&format!("{name}_type"));
    Memory { name: name.to_owned(), width, length: store.length, address_bits, type_name, writes, latch }
}
