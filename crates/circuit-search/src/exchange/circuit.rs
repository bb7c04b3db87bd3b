//! Circuits from sets of functions, and back.

use crate::exchange::truth::{normal, Truth, Wide};
use crate::exchange::{Derivation, Exchange};
use circuit::circuit::{Circuit, Wire};
use circuit::function::Function;
use circuit::linear::vectors::NEVER;
use circuit::random::Random;
use circuit::table::Table;

/// A circuit of two-input gates of any kind, improved by exchanges; never worse than the one given.
///
/// `depth` is the latest level of the outputs, if bounded. Gates of one operand are taken as complements.
#[must_use]
pub fn improve(
    circuit: &Circuit,
    depth: Option<u32>,
    effort: (u64, usize),
    random: &mut Random,
    stopped: &dyn Fn() -> bool,
) -> Circuit {
    let tables = circuit.tables();
    let inputs: Vec<(Wide, u32)> =
        (0..usize::from(circuit.inputs)).map(|k| (Table::input(circuit.inputs, k).words, 0)).collect();
    let gates: Vec<Wide> = tables.iter().map(|t| normal(t).0).collect();
    let outputs: Vec<Table> = circuit.outputs.iter().map(|&w| circuit.table_of(w, &tables)).collect();
    let limit = depth.unwrap_or(NEVER - 1);
    let targets: Vec<(Wide, u32)> = outputs.iter().map(|t| (normal(t).0, limit)).collect();
    let mut exchange = Exchange::new(&inputs, &gates, &targets);
    let best = exchange.run(effort.0, effort.1, random, stopped);
    assemble(circuit.inputs, &best, &outputs).filter(|c| c.gates.len() < circuit.gates.len()).unwrap_or(circuit.clone())
}

/// The shallowest circuit of two-input gates that a set of functions allows; `None` if an output is not derived.
#[must_use]
pub fn assemble(inputs: u8, gates: &[Wide], outputs: &[Table]) -> Option<Circuit> {
    let given: Vec<(Wide, u32)> = (0..usize::from(inputs)).map(|k| (Table::input(inputs, k).words, 0)).collect();
    let members = Exchange::new(&given, gates, &[]);
    let chosen = choose(&members);
    let mut order: Vec<(u32, Derivation)> = chosen.into_iter().flatten().collect();
    order.sort_by_key(|(level, d)| (*level, d.to));
    let mut circuit = Circuit::new(inputs);
    let mut wires: Vec<Option<Wire>> =
        (0..members.values.len()).map(|n| (n < given.len()).then_some(Wire::Input(n))).collect();
    // A gate whose complement is an output computes the complement; gates that read it complement the operand.
    let wanted: Vec<(Wide, bool)> = outputs.iter().map(normal).collect();
    let flipped: Vec<bool> = members.values.iter().map(|v| wanted.iter().any(|(w, c)| w == v && *c)).collect();
    for (_, d) in order {
        let [a, b, to] = [d.a, d.b, d.to].map(usize::from);
        let function = gate(members.values[a], members.values[b], members.values[to])?;
        let flip = |n: usize| flipped[n] && n >= given.len();
        let table = (0..4usize).fold(0, |sum, index| {
            let plain = index ^ usize::from(flip(a)) ^ usize::from(flip(b)) << 1;
            sum | u16::from(function.value(plain) != flip(to)) << index
        });
        wires[to] = Some(circuit.add(Function::new(2, table), &[wires[a]?, wires[b]?]));
    }
    for (value, complement) in wanted {
        let wire = match members.find(value) {
            None if value == Wide::zero() => Wire::Constant(complement),
            found => {
                let n = found?;
                let is_flipped = flipped[n] && n >= given.len();
                let wire = wires[n]?;
                if is_flipped == complement {
                    wire
                } else {
                    circuit.add(Function::NOT, &[wire])
                }
            }
        };
        circuit.outputs.push(wire);
    }
    Some(circuit.pruned())
}

/// For each member its least level and the derivation that gives it.
fn choose(members: &Exchange<Wide>) -> Vec<Option<(u32, Derivation)>> {
    let mut chosen: Vec<Option<(u32, Derivation)>> = vec![None; members.values.len()];
    let mut levels = vec![NEVER; members.values.len()];
    levels[..members.inputs].fill(0);
    // Ends: levels only fall.
    let mut changed = true;
    while changed {
        changed = false;
        for d in &members.derivations {
            let level = levels[usize::from(d.a)].max(levels[usize::from(d.b)]).saturating_add(1);
            if level < levels[usize::from(d.to)] {
                levels[usize::from(d.to)] = level;
                chosen[usize::from(d.to)] = Some((level, *d));
                changed = true;
            }
        }
    }
    chosen
}

/// The gate that gives `to` from `a` and `b`, in the order of [`Truth::gates`].
fn gate(a: Wide, b: Wide, to: Wide) -> Option<Function> {
    // The third and fourth are `a & ~b` and `b & ~a`.
    let functions = [Function::XOR, Function::AND, Function::ANDNOT, Function::new(2, 0b0100), Function::OR];
    a.gates(b).iter().position(|&g| g == to).map(|n| functions[n])
}
