//! IA-64 text: bundles with templates and stops.

use std::fmt::Write;

use program::Diagnostic;

use super::bundle::{pack, Bundle, Slot, Window, Wish};
use super::template::fill;
use super::Assembly;
use crate::allocate::{Allocation, Block, Line, Shape};
use crate::isa::{Control, Isa};
use crate::model::Processor;
use crate::semantics::{Expression, Function, Statement};

/// Writes a routine with the name `kernel`; registers that it uses are not saved.
pub(super) fn write(name: &str, allocation: &Allocation, processor: &Processor) -> Result<Assembly, Diagnostic> {
    let mut assembly = Assembly { text: header(name, processor), bundles: Some(0), ..Assembly::default() };
    let mut at = 0;
    while at < allocation.blocks.len() {
        let end = run(allocation, at);
        let label = format!(".L{at}");
        if allocation.blocks[at].shape != Shape::Straight {
            let _ = writeln!(assembly.text, "{label}:");
        }
        let groups: Vec<&[Line]> = allocation.blocks[at..end].iter().flat_map(|b| b.groups()).collect();
        bundles(&mut assembly, &groups, &label, processor)?;
        at = end;
    }
    assembly.text.push_str("\t.endp kernel\n");
    Ok(assembly)
}

fn header(name: &str, processor: &Processor) -> String {
    format!("// {name} for {}\n\t.text\n\t.align 32\n\t.global kernel\n\t.proc kernel\nkernel:\n", processor.name)
}

/// Straight blocks that follow each other are bundled together.
fn run(allocation: &Allocation, at: usize) -> usize {
    let straight = |k: usize| allocation.blocks[k].shape == Shape::Straight;
    let mut end = at + 1;
    while straight(at) && end < allocation.blocks.len() && straight(end) {
        end += 1;
    }
    end
}

fn bundles(assembly: &mut Assembly, groups: &[&[Line]], label: &str, processor: &Processor) -> Result<(), Diagnostic> {
    let wishes: Vec<Vec<Wish>> = groups.iter().map(|g| wishes(g, processor)).collect();
    let packed = pack(&wishes, &window(processor)).map_err(|k| misfit(groups[k], processor))?;
    for bundle in &packed {
        text(assembly, bundle, groups, label, processor);
    }
    assembly.groups += groups.len();
    *assembly.bundles.get_or_insert(0) += packed.len();
    Ok(())
}

fn text(assembly: &mut Assembly, bundle: &Bundle, groups: &[&[Line]], label: &str, processor: &Processor) {
    let _ = writeln!(assembly.text, "{{ .{}", bundle.template());
    for (k, (slot, op)) in bundle.slots.iter().enumerate() {
        let stop = if bundle.stops.contains(&k) { " ;;" } else { "" };
        if let Some((group, number)) = op {
            let line = &groups[*group][*number];
            let guard = line.guard.as_ref().map_or(String::new(), |g| format!("({g}) "));
            let _ = writeln!(assembly.text, "\t{guard}{}{stop}\t// {}", fill(&processor.isa, line, label), line.cycle);
            assembly.wrote(line);
        } else {
            let _ = writeln!(assembly.text, "\tnop.{slot} 0{stop}");
            assembly.nops += 1;
        }
    }
    assembly.text.push_str("}\n");
}

/// The operations of a block so that within each cycle what must stand before something else does.
pub(super) fn in_order<'a>(block: &'a Block, processor: &Processor) -> Vec<&'a Line> {
    let mut lines = Vec::new();
    for group in block.groups() {
        let mut left: Vec<usize> = (0..group.len()).collect();
        while !left.is_empty() {
            let ready = |&k: &usize| !left.iter().any(|&b| b != k && ordered(&processor.isa, group, b, k));
            let at = left.iter().position(ready).unwrap_or(0);
            lines.push(&group[left.remove(at)]);
        }
    }
    lines
}

/// What can issue together: as many bundles as the width of issue holds, slots as there are ports.
fn window(processor: &Processor) -> Window {
    let count = |letter: char| processor.ports.iter().filter(|p| p.starts_with(letter)).count();
    let slots = ['M', 'I', 'F', 'B'].map(count);
    let width = if processor.issue == 0 { slots.iter().sum() } else { processor.issue as usize };
    Window { bundles: width.div_ceil(3), slots }
}

fn wishes(group: &[Line], processor: &Processor) -> Vec<Wish> {
    group.iter().enumerate().map(|(k, line)| wish(group, k, line, processor)).collect()
}

fn wish(group: &[Line], k: usize, line: &Line, processor: &Processor) -> Wish {
    let instruction = &processor.isa.instructions[line.instruction as usize];
    let class = &processor.classes[processor.class_of(line.instruction)];
    let named = processor.ports.iter().enumerate().filter(|(n, _)| class.ports >> n & 1 == 1).map(|(_, p)| p);
    let (mut slots, mut integer) = (0, 0);
    for (count, port) in processor.ports.iter().filter(|p| p.starts_with('I')).enumerate() {
        integer |= u64::from(named.clone().any(|p| p == port)) << count;
    }
    for slot in Slot::ALL {
        let letter = slot.to_string().to_uppercase();
        if named.clone().any(|p| p.starts_with(&letter)) {
            slots |= slot.bit();
        }
    }
    if instruction.slots == 2 {
        slots = Slot::L.bit();
    }
    let behind = (0..group.len()).filter(|&b| b != k && ordered(&processor.isa, group, b, k)).collect();
    Wish { slots, integer, behind }
}

/// Whether operation `a` of a group must stand before `b`.
fn ordered(isa: &Isa, group: &[Line], a: usize, b: usize) -> bool {
    let control = |k: usize| isa.instructions[group[k].instruction as usize].control != Control::None;
    let last = |k: usize| control(k) || isa.instructions[group[k].instruction as usize].name == "clrrrb";
    let first = |k: usize| isa.instructions[group[k].instruction as usize].name == "alloc";
    if last(b) && !last(a) || first(a) && !first(b) {
        return true;
    }
    let memory = |k: usize| touches_memory(&isa.instructions[group[k].instruction as usize].semantics);
    let ((load, store), (other_load, other_store)) = (memory(a), memory(b));
    let in_memory = a < b && (store && (other_load || other_store) || load && other_store);
    let reads =
        |k: usize, register: &String| group[k].uses.contains(register) || group[k].guard.as_ref() == Some(register);
    in_memory || group[b].defines.iter().any(|d| reads(a, d) && !group[a].defines.contains(d))
}

/// Whether an instruction reads memory, and whether it writes.
fn touches_memory(semantics: &[Statement]) -> (bool, bool) {
    let loads = semantics.iter().any(|s| match s {
        Statement::Assign(_, e) => reads_memory(e),
        Statement::Store(_, a, v) => reads_memory(a) || reads_memory(v),
    });
    (loads, semantics.iter().any(|s| matches!(s, Statement::Store(..))))
}

fn reads_memory(e: &Expression) -> bool {
    match e {
        Expression::Name(_) | Expression::Number(_) => false,
        Expression::Not(a) => reads_memory(a),
        Expression::Binary(_, a, b) => reads_memory(a) || reads_memory(b),
        Expression::Select(a, b, c) => reads_memory(a) || reads_memory(b) || reads_memory(c),
        Expression::Call(f, args) => matches!(f, Function::Load(_)) || args.iter().any(reads_memory),
    }
}

fn misfit(group: &[Line], processor: &Processor) -> Diagnostic {
    let names: Vec<&str> =
        group.iter().map(|l| processor.isa.instructions[l.instruction as usize].name.as_str()).collect();
    Diagnostic::new(
        "M410",
        format!("the operations of cycle {} do not fit the bundles of `{}`", group[0].cycle, processor.name),
    )
    .note(names.join(", "))
}
