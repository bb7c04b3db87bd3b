//! A combinational function as a module, and the small modules that functions share.

use std::collections::{BTreeMap, BTreeSet};

use program::ir::{Function, Matrix, Operand, Program, ValueId};
use program::semantics::field_multiply;

use super::comments::cited;
use super::expression::{concat, Expr, Operator};
use super::library::{width_of, Library, Part};
use super::lower::Lowering;
use super::module::{Item, Module, ModulePort};
use super::names::{is_named, Names};
use crate::logic::bits_for;

/// Ports of the module of a function: its parameters, then its results.
pub(super) fn ports(function: &Function) -> Vec<ModulePort> {
    named_ports(function).0
}

/// Ports, the names of its scope and the values that drive ports.
fn named_ports(function: &Function) -> (Vec<ModulePort>, Names, BTreeMap<ValueId, String>) {
    let mut names = Names::default();
    let mut ports = Vec::new();
    let port = |name: String, input: bool, width: u32| ModulePort { name, input, width, doc: String::new() };
    for &param in &function.params {
        let name = names.unique(&function.values[param.0 as usize].name);
        ports.push(port(name, true, width_of(function, param)));
    }
    let mut targets = BTreeMap::new();
    for (n, (output, ty)) in function.body.outputs.iter().zip(&function.results).enumerate() {
        let width = crate::logic::width_of(ty).into();
        let wanted = match output {
            Operand::Value(v) if is_named(&function.values[v.0 as usize].name) => {
                let author = &function.values[v.0 as usize].name;
                match function.params.contains(v) || targets.contains_key(v) {
                    true => format!("{author}_out"),
                    false => author.clone(),
                }
            }
            _ => format!("y{n}"),
        };
        let name = names.unique(&wanted);
        if let Operand::Value(v) = output {
            if !function.params.contains(v) {
                targets.entry(*v).or_insert(name.clone());
            }
        }
        ports.push(port(name, false, width));
    }
    (ports, names, targets)
}

/// The module of a function.
pub(super) fn module(program: &Program, library: &Library, function: &Function, name: &str) -> Module {
    let (ports, names, targets) = named_ports(function);
    let mut lowering = Lowering::new(program, library, function, names);
    for (&param, port) in function.params.iter().zip(&ports) {
        lowering.values[param.0 as usize] = Some(Expr::name(&port.name, port.width));
    }
    lowering.targets = targets.clone();
    lowering.run();
    for (n, port) in ports[function.params.len()..].iter().enumerate() {
        let driven = match function.body.outputs[n] {
            Operand::Value(v) => targets.get(&v) == Some(&port.name),
            Operand::Const(_) => false,
        };
        if !driven {
            let value = lowering.output(n, port.width);
            let target = Expr::name(&port.name, port.width);
            lowering.push(Item::Assign { target, declare: false, value });
        }
    }
    let lines: BTreeSet<_> =
        function.body.ops.iter().filter_map(|op| op.places.last()).map(|p| (p.file, p.line)).collect();
    let mut head = vec![format!("{name}: combinational")];
    if !lines.is_empty() {
        head.push(format!("From {}.", cited(program, &lines)));
    }
    Module { name: name.to_owned(), head, ports, items: lowering.finish(), ..Module::default() }
}

/// The modules of rotations and matrices, which both languages say alike; none for another part.
pub(super) fn shared(program: &Program, part: &Part, name: &str) -> Option<Module> {
    match part {
        Part::Rotation(left, width) => Some(rotation(*left, *width, name)),
        Part::Matrix(n) => Some(product(&program.matrices[*n as usize], name)),
        _ => None,
    }
}

fn input(name: &str, width: u32) -> ModulePort {
    ModulePort { name: name.to_owned(), input: true, width, doc: String::new() }
}

fn output(name: &str, width: u32) -> ModulePort {
    ModulePort { name: name.to_owned(), input: false, width, doc: String::new() }
}

/// A barrel of multiplexers: bit k of the amount rotates by 2^k.
fn rotation(left: bool, width: u32, name: &str) -> Module {
    let bits = u32::from(bits_for(width as usize));
    let side = if left { "left" } else { "right" };
    let head =
        vec![format!("{name}: rotation of a word to the {side} by n bits, a level of multiplexers for each bit of n")];
    let amount = Expr::name("n", bits);
    let mut items = Vec::new();
    let mut from = "x".to_owned();
    for level in 0..bits {
        let last = level + 1 == bits;
        let to = if last { "y".to_owned() } else { format!("by{}", (2 << level) - 1) };
        let word = Expr::name(&from, width);
        let right = if left { width - (1 << level) } else { 1 << level };
        let part = |low: u32, width: u32| word.part(low, width).expect("a name has parts");
        let rotated = concat(vec![part(0, right), part(right, width - right)]);
        let select = amount.part(level, 1).expect("a name has parts");
        let value = Expr::Select(Box::new(select), Box::new(rotated), Box::new(word));
        items.push(Item::Assign { target: Expr::name(&to, width), declare: !last, value });
        from = to;
    }
    let ports = vec![input("x", width), input("n", bits), output("y", width)];
    Module { name: name.to_owned(), head, ports, items, ..Module::default() }
}

/// A sum of more bits than these is said as the parity of a masked word.
const FEW_TERMS: usize = 4;

/// Product with a matrix: every bit of the result is a sum of bits of the input; the first word is the most significant.
fn product(matrix: &Matrix, name: &str) -> Module {
    let degree = u32::from(matrix.degree());
    let (rows, columns) = (matrix.rows.len() as u32, matrix.rows[0].len() as u32);
    let x = Expr::name("x", columns * degree);
    let mut bits = Vec::new();
    for entries in &matrix.rows {
        for bit in (0..degree).rev() {
            let one = |&entry: &u64| {
                (0..degree).rev().map(move |m| field_multiply(matrix.polynomial, entry, 1 << m) >> bit & 1 == 1)
            };
            bits.push(sum(&x, entries.iter().flat_map(one).collect()));
        }
    }
    // One assignment of all bits: a simulator passes the word on once, not bit by bit.
    let value = if bits.len() == 1 { bits.swap_remove(0) } else { Expr::Concat(bits) };
    let items = vec![Item::Assign { target: Expr::name("y", rows * degree), declare: false, value }];
    let polynomial = matrix.polynomial;
    let head = vec![
        format!("{name}: product with a {rows} by {columns} matrix over GF(2^{degree}), polynomial {polynomial:#x}"),
        "The first word of a vector stands in the most significant bits; each bit is a sum modulo 2.".to_owned(),
    ];
    let ports = vec![input("x", columns * degree), output("y", rows * degree)];
    Module { name: name.to_owned(), head, ports, items, ..Module::default() }
}

/// Sum modulo 2 of bits of a word.
fn sum(x: &Expr, chosen: Vec<bool>) -> Expr {
    let places = (0..chosen.len()).filter(|&n| chosen[n]).map(|n| chosen.len() - 1 - n);
    let bits: Vec<Expr> = places.map(|low| x.part(low as u32, 1).expect("a name has parts")).collect();
    if bits.len() > FEW_TERMS {
        return Expr::Parity { name: "x".to_owned(), chosen };
    }
    let sum = bits.into_iter().reduce(|a, b| Expr::binary(Operator::Xor, a, b));
    sum.unwrap_or(Expr::number(0, 1))
}
