//! Invariants 5 and 6: a machine's function agrees with its ports, registers and stores.

use program::diagnostic::Diagnostic;
use program::ir::{ArrayType, Function, Type};

use super::in_machine;
use crate::design::{Design, Direction, Machine};

/// Bits of the address of a store.
const ADDRESS: u8 = 16;

/// What a parameter or result is for, and its type.
type DeviceRequest = (String, Type);

pub(super) fn check(design: &Design, machine: &Machine) -> Result<(), Diagnostic> {
    let function = design.program.functions.iter().find(|f| f.name == machine.function).ok_or_else(|| {
        let text = format!("the program has no function `{}`", machine.function);
        in_machine(Diagnostic::new("H215", text), machine)
    })?;
    let params: Vec<&Type> = function.params.iter().map(|p| &function.values[p.0 as usize].ty).collect();
    compare("H215", "takes", &params, &parameters(machine), machine, function)?;
    let given: Vec<&Type> = function.results.iter().collect();
    compare("H216", "gives", &given, &results(machine), machine, function)
}

fn compare(
    code: &'static str,
    verb: &str,
    found: &[&Type],
    wanted: &[DeviceRequest],
    machine: &Machine,
    function: &Function,
) -> Result<(), Diagnostic> {
    let name = &function.name;
    let error = |text: String| Err(in_machine(Diagnostic::new(code, text), machine));
    if found.len() != wanted.len() {
        return error(format!("`{name}` {verb} {} values, its machine has {}", found.len(), wanted.len()));
    }
    for (n, (found, (what, ty))) in found.iter().zip(wanted).enumerate() {
        if *found != ty {
            let (found, ty) = (text(found), text(ty));
            return error(format!("value {} that `{name}` {verb} is {found}, {what} is {ty}", n + 1));
        }
    }
    Ok(())
}

fn text(ty: &Type) -> String {
    match ty {
        Type::Word(width) => format!("u{width}"),
        Type::Index => "an index".to_owned(),
        Type::Array(array) => {
            let dims: String = array.dims.iter().map(|d| format!("[{d}]")).collect();
            format!("u{}{dims}", array.width)
        }
    }
}

fn parameters(machine: &Machine) -> Vec<DeviceRequest> {
    let mut list = bus(machine, Direction::Input);
    list.extend(machine.registers.iter().map(|r| (format!("register `{}`", r.name), Type::Word(r.width))));
    list.extend(machine.stores.iter().map(|s| {
        let ty = Type::Array(ArrayType { width: s.width, dims: vec![s.length] });
        (format!("store `{}`", s.name), ty)
    }));
    list
}

fn results(machine: &Machine) -> Vec<DeviceRequest> {
    let mut list = bus(machine, Direction::Output);
    for register in &machine.registers {
        if register.enabled {
            list.push((format!("the enable of register `{}`", register.name), Type::Word(1)));
        }
        list.push((format!("the next value of register `{}`", register.name), Type::Word(register.width)));
    }
    for store in &machine.stores {
        for _ in 0..store.writes {
            list.push((format!("a write enable of store `{}`", store.name), Type::Word(1)));
            list.push((format!("a write address of store `{}`", store.name), Type::Word(ADDRESS)));
            list.push((format!("what is written into store `{}`", store.name), Type::Word(store.width)));
        }
    }
    list
}

fn bus(machine: &Machine, direction: Direction) -> Vec<DeviceRequest> {
    let ports = machine.ports.iter().filter(|p| p.direction == direction);
    ports.flat_map(|p| p.words.iter().map(|&w| (format!("a word of port `{}`", p.name), Type::Word(w)))).collect()
}
