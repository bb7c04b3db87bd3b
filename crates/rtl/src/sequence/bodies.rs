//! What steps have in common: dead writes go, equal bodies become one function.

use std::collections::{BTreeMap, BTreeSet};

use program::builder::Builder;
use program::ir::{Binary, Block, Function, Op, OpKind, Operand, Program, Type, ValueData, ValueId};
use program::semantics::mask;
use program::walk::{for_each_op, renumber, slots_mut, use_counts, uses, Slot};

use super::ends::arrange;
use super::execute::RawSequence;
use super::held::hold;
use super::raw::{is_wiring, RawStep};
use super::split::split;
use crate::logic::bits_for;

use super::{AddressFunction, Array, Body, Cuts, Ends, Place, Sequence, Step, Word};

/// The sequence of raw steps, its bodies shared.
pub(super) fn shared(program: &Program, function: &str, mut raw: RawSequence, cuts: &Cuts) -> Sequence {
    drop_dead(&mut raw);
    if cuts.ends != Ends::AsWritten {
        arrange(&mut raw, cuts.ends);
        drop_dead(&mut raw);
    }
    if cuts.parts > 1 {
        split(program, &mut raw, cuts.parts);
    }
    if cuts.block_leaves {
        hold(&mut raw);
    }
    raw.steps.iter_mut().for_each(free_extracted);
    let shapes: Vec<(String, Vec<u64>)> = raw.steps.iter().map(skeleton).collect();
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (n, (shape, _)) in shapes.iter().enumerate() {
        groups.entry(shape).or_default().push(n);
    }
    let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
    groups.sort();
    let mut sequence = Sequence {
        program: Program { functions: Vec::new(), ..program.clone() },
        words: raw.words,
        arrays: raw.arrays,
        results: raw.results,
        ..Sequence::default()
    };
    let widths = Widths { words: &sequence.words.clone(), arrays: &sequence.arrays.clone() };
    let mut steps: Vec<Option<Step>> = vec![None; raw.steps.len()];
    let mut of_addresses = Vec::new();
    for (number, group) in groups.iter().enumerate() {
        let constants: Vec<&[u64]> = group.iter().map(|&n| shapes[n].1.as_slice()).collect();
        let differing = columns(&constants);
        let name = format!("{function}_{}", number + 1);
        let first = &raw.steps[group[0]];
        let (body, addresses) = body_functions(first, &name, &differing, &widths);
        sequence.program.functions.push(body);
        let wiring = first.selections.is_empty() && first.ops.iter().all(|op| is_wiring(&op.kind));
        let named = |(f, parameters): &(Function, Vec<usize>)| AddressFunction {
            function: f.name.clone(),
            parameters: parameters.clone(),
        };
        sequence.bodies.push(Body { function: name, wiring, addresses: addresses.iter().map(named).collect() });
        of_addresses.extend(addresses.into_iter().map(|(function, _)| function));
        for (&n, constants) in group.iter().zip(&constants) {
            let step = &raw.steps[n];
            steps[n] = Some(Step {
                body: number,
                reads: step.reads.iter().map(|(place, _)| *place).collect(),
                selections: step.selections.iter().map(|one| one.selection).collect(),
                constants: differing.slots.iter().map(|&slot| constants[slot]).collect(),
                writes: step.writes.iter().map(|(place, _)| *place).collect(),
                iteration: step.iteration.clone(),
            });
        }
    }
    sequence.program.functions.extend(of_addresses);
    sequence.steps = steps.into_iter().flatten().collect();
    sequence.called = called(program, &sequence.program.functions);
    sequence
}

/// What functions call, in the order of the program: a function calls only those that stand before it.
fn called(program: &Program, bodies: &[Function]) -> Vec<Function> {
    let mut found: BTreeSet<String> = bodies.iter().flat_map(callees).collect();
    let mut called: Vec<Function> = Vec::new();
    for function in program.functions.iter().rev() {
        if found.contains(&function.name) {
            found.extend(callees(function));
            called.push(function.clone());
        }
    }
    called.reverse();
    called
}

fn callees(function: &Function) -> Vec<String> {
    let mut names = Vec::new();
    for_each_op(&function.body, &mut |op| {
        if let OpKind::Call(name, _) = &op.kind {
            names.push(name.clone());
        }
    });
    names
}

/// Removes writes of words and arrays that no step reads, then the operations and reads that only they needed, until none is left.
///
/// A write stays where some iteration reads what another wrote, even if nobody reads this one: bodies of a loop stay equal so.
fn drop_dead(raw: &mut RawSequence) {
    // Ends: each iteration but the last removes a read or a write.
    loop {
        let places = raw.steps.iter().flat_map(|step| step.reads.iter().map(|(place, _)| place));
        let mut live: BTreeSet<(bool, u32)> = places.chain(raw.results.iter().flatten()).map(kind_of).collect();
        live.extend(raw.steps.iter().flat_map(|step| &step.selections).map(|one| (true, one.selection.array)));
        let size = |step: &RawStep| step.reads.len() + step.selections.len() + step.writes.len();
        let before: usize = raw.steps.iter().map(size).sum();
        for step in &mut raw.steps {
            step.writes.retain(|(place, _)| live.contains(&kind_of(place)));
            step.writes.sort_by_key(|(place, _)| order(place));
            drop_unused(step);
        }
        if raw.steps.iter().map(size).sum::<usize>() == before {
            break;
        }
    }
    raw.steps.retain(|step| !step.writes.is_empty());
}

fn drop_unused(step: &mut RawStep) {
    let mut used: BTreeSet<ValueId> = step.writes.iter().filter_map(|(_, operand)| value_of(operand)).collect();
    for n in (0..step.ops.len()).rev() {
        use_addresses(step, &mut used);
        if step.ops[n].results.iter().any(|r| used.contains(r)) {
            uses(&step.ops[n].kind, &mut |v| {
                used.insert(v);
            });
        } else {
            step.ops.remove(n);
        }
    }
    use_addresses(step, &mut used);
    step.selections.retain(|one| used.contains(&one.data));
    step.reads.retain(|(_, value)| used.contains(value));
    step.reads.sort_by_key(|(place, _)| order(place));
}

/// The address of a word that is used is used.
fn use_addresses(step: &RawStep, used: &mut BTreeSet<ValueId>) {
    for one in step.selections.iter().rev() {
        if used.contains(&one.data) {
            used.extend(value_of(&one.address));
        }
    }
}

/// Words by their number, then elements, which keep their order.
fn order(place: &Place) -> (bool, u32) {
    match place {
        Place::Word(n) => (false, *n),
        Place::Element(..) => (true, 0),
    }
}

fn value_of(operand: &Operand) -> Option<ValueId> {
    match operand {
        Operand::Value(v) => Some(*v),
        Operand::Const(_) => None,
    }
}

/// Makes bits of a number a number that may differ between equal bodies: an operand of the result's width.
fn free_extracted(step: &mut RawStep) {
    for op in &mut step.ops {
        if let (OpKind::Extract(Operand::Const(number), low), Some(result)) = (&op.kind, op.results.first()) {
            let Type::Word(width) = step.values[result.0 as usize].ty else { continue };
            let bits = Operand::Const(number >> low & mask(width));
            op.kind = OpKind::Binary(Binary::Or, bits, Operand::Const(0));
        }
    }
}

/// Visits the numbers of a step that may differ between equal bodies: operands, but not amounts of shifts.
fn numbers(ops: &mut [Op], outputs: &mut [Operand], f: &mut dyn FnMut(&mut Operand, Number)) {
    for op in ops.iter_mut() {
        let number = match (&op.kind, op.results.first()) {
            (OpKind::Compare(..) | OpKind::Select(..) | OpKind::Linear(..) | OpKind::Call(..), _) | (_, None) => None,
            (_, Some(result)) => Some(*result),
        };
        match &mut op.kind {
            OpKind::Shift(_, a, _) => visit(a, number, f),
            OpKind::Const(_) | OpKind::Extract(..) | OpKind::Compare(..) | OpKind::Select(..) => {}
            OpKind::Linear(..) | OpKind::Call(..) => {}
            kind => slots_mut(kind, &mut |slot| {
                if let Slot::Operand(operand) = slot {
                    visit(operand, number, f);
                }
            }),
        }
    }
    for (n, output) in outputs.iter_mut().enumerate() {
        if let Operand::Const(_) = output {
            f(output, Number::Output(n));
        }
    }
}

fn visit(operand: &mut Operand, result: Option<ValueId>, f: &mut dyn FnMut(&mut Operand, Number)) {
    if let (Operand::Const(_), Some(result)) = (&operand, result) {
        f(operand, Number::LikeResult(result));
    }
}

/// Whose width a number has.
#[derive(Clone, Copy)]
enum Number {
    LikeResult(ValueId),
    Output(usize),
}

/// The step as text without its numbers and names, and the numbers.
fn skeleton(step: &RawStep) -> (String, Vec<u64>) {
    use std::fmt::Write;
    let mut step = canonical(step);
    let mut found = Vec::new();
    let mut outputs = outputs(&step);
    numbers(&mut step.ops, &mut outputs, &mut |operand, _| {
        if let Operand::Const(number) = *operand {
            found.push(number);
            *operand = Operand::Const(0);
        }
    });
    let mut text = String::new();
    let width = |v: &ValueId| step.values[v.0 as usize].ty.clone();
    for (place, value) in &step.reads {
        let _ = write!(text, "{:?}{:?} ", kind_of(place), width(value));
    }
    for one in &step.selections {
        let _ = write!(text, "{}:{} ", one.selection.array, one.selection.count);
    }
    for op in &step.ops {
        let _ = write!(text, "{:?}={:?};", op.results.iter().map(width).collect::<Vec<_>>(), op.kind);
    }
    for ((place, _), operand) in step.writes.iter().zip(&outputs) {
        let _ = write!(text, "{:?}<-{operand:?} ", kind_of(place));
    }
    for address in &outputs[step.writes.len()..] {
        let _ = write!(text, "@{address:?} ");
    }
    (text, found)
}

/// A word by its number, an element by its array only: which element it is changes from iteration to iteration.
fn kind_of(place: &Place) -> (bool, u32) {
    match place {
        Place::Word(n) => (false, *n),
        Place::Element(array, _) => (true, *array),
    }
}

/// The step with its values numbered by their order.
fn canonical(step: &RawStep) -> RawStep {
    let mut function = as_function(step, "");
    renumber(&mut function);
    let mut result = step.clone();
    result.values = function.values;
    result.ops = function.body.ops;
    for (read, param) in result.reads.iter_mut().zip(&function.params) {
        read.1 = *param;
    }
    for (one, param) in result.selections.iter_mut().zip(&function.params[step.reads.len()..]) {
        one.data = *param;
    }
    let (writes, addresses) = function.body.outputs.split_at(step.writes.len());
    for (write, output) in result.writes.iter_mut().zip(writes) {
        write.1 = *output;
    }
    for (one, address) in result.selections.iter_mut().zip(addresses) {
        one.address = *address;
    }
    result
}

/// What a step writes, then the addresses of its selections.
fn outputs(step: &RawStep) -> Vec<Operand> {
    let writes = step.writes.iter().map(|(_, operand)| *operand);
    writes.chain(step.selections.iter().map(|one| one.address)).collect()
}

fn as_function(step: &RawStep, name: &str) -> Function {
    let reads = step.reads.iter().map(|(_, value)| *value);
    Function {
        name: name.to_owned(),
        params: reads.chain(step.selections.iter().map(|one| one.data)).collect(),
        results: Vec::new(),
        values: step.values.clone(),
        body: Block { params: Vec::new(), ops: step.ops.clone(), outputs: outputs(step) },
    }
}

/// Which numbers of a group differ.
struct Differences {
    /// Per number of the body: which slot holds it, if it differs.
    slot_of: Vec<Option<usize>>,
    /// Per slot, the first number that has its values.
    slots: Vec<usize>,
}

fn columns(constants: &[&[u64]]) -> Differences {
    let column = |n: usize| constants.iter().map(|row| row[n]).collect::<Vec<u64>>();
    let mut slots: Vec<(Vec<u64>, usize)> = Vec::new();
    let mut slot_of = Vec::new();
    for n in 0..constants[0].len() {
        let values = column(n);
        if values.iter().all(|v| *v == values[0]) {
            slot_of.push(None);
            continue;
        }
        let known = slots.iter().position(|(other, _)| *other == values);
        slot_of.push(Some(known.unwrap_or_else(|| {
            slots.push((values, n));
            slots.len() - 1
        })));
    }
    Differences { slot_of, slots: slots.into_iter().map(|(_, n)| n).collect() }
}

/// A function that gives an address, and the numbers of the body's parameters that it takes.
type Addressing = (Function, Vec<usize>);

/// The function of a body: parameters are its reads, its selections, then its constants; results what it writes. Then those of its
/// addresses.
fn body_functions(
    step: &RawStep,
    name: &str,
    differing: &Differences,
    widths: &Widths<'_>,
) -> (Function, Vec<Addressing>) {
    let whole = whole_function(step, name, differing, widths);
    if step.selections.is_empty() {
        return (whole, Vec::new());
    }
    let body = giving(&whole, name, 0..step.writes.len());
    let address = |k: usize| {
        let at = step.writes.len() + k;
        let mut one = giving(&whole, &format!("{name}_address{k}"), at..at + 1);
        let used = use_counts(&one);
        let parameters: Vec<usize> = (0..one.params.len()).filter(|&n| used[one.params[n].0 as usize] > 0).collect();
        one.params = parameters.iter().map(|&n| one.params[n]).collect();
        name_apart(&mut one);
        (one, parameters)
    };
    (body, (0..step.selections.len()).map(address).collect())
}

/// A function with some of its results, and what they need.
fn giving(whole: &Function, name: &str, results: std::ops::Range<usize>) -> Function {
    let mut function = whole.clone();
    name.clone_into(&mut function.name);
    function.results = whole.results[results.clone()].to_vec();
    function.body.outputs = whole.body.outputs[results].to_vec();
    let mut used: BTreeSet<ValueId> = function.body.outputs.iter().filter_map(value_of).collect();
    let mut ops = Vec::new();
    for op in function.body.ops.drain(..).rev() {
        if op.results.iter().any(|r| used.contains(r)) {
            uses(&op.kind, &mut |v| {
                used.insert(v);
            });
            ops.push(op);
        }
    }
    ops.reverse();
    function.body.ops = ops;
    name_apart(&mut function);
    function
}

/// The function of a body with the addresses as results behind what it writes.
fn whole_function(step: &RawStep, name: &str, differing: &Differences, widths: &Widths<'_>) -> Function {
    let step = canonical(step);
    let mut function = as_function(&step, name);
    let mut result_types: Vec<Type> = step.writes.iter().map(|(place, _)| Type::Word(widths.of(place))).collect();
    result_types.extend(step.selections.iter().map(|one| Type::Word(bits_for(one.selection.count as usize))));
    let mut params: Vec<Option<ValueId>> = vec![None; differing.slots.len()];
    let mut values = std::mem::take(&mut function.values);
    let mut number = 0;
    let mut outputs = std::mem::take(&mut function.body.outputs);
    numbers(&mut function.body.ops, &mut outputs, &mut |operand, whose| {
        if let Some(slot) = differing.slot_of[number] {
            let ty = match whose {
                Number::LikeResult(v) => values[v.0 as usize].ty.clone(),
                Number::Output(n) => result_types[n].clone(),
            };
            let param = *params[slot].get_or_insert_with(|| {
                values.push(ValueData { name: format!("constant{slot}"), ty });
                ValueId(values.len() as u32 - 1)
            });
            *operand = Operand::Value(param);
        }
        number += 1;
    });
    function.params.extend(params.into_iter().flatten());
    function.values = values;
    function.body.outputs = outputs;
    function.results = result_types;
    name_apart(&mut function);
    function
}

/// Widths of places.
struct Widths<'a> {
    words: &'a [Word],
    arrays: &'a [Array],
}

impl Widths<'_> {
    fn of(&self, place: &Place) -> u8 {
        match *place {
            Place::Word(n) => self.words[n as usize].width,
            Place::Element(array, _) => self.arrays[array as usize].width,
        }
    }
}

/// Gives every value a name of its own: the author's, or it with the first free number.
fn name_apart(function: &mut Function) {
    renumber(function);
    let named = std::mem::take(&mut function.values);
    let mut names = Builder::new(function);
    for data in named {
        names.value(&data.name, data.ty);
    }
    function.values = names.values;
}
