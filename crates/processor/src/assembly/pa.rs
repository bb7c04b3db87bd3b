//! PA-RISC 2.0 text in the order of issue; the operation behind a branch stands in its delay slot.

use std::fmt::Write;

use super::template::fill;
use super::Assembly;
use crate::allocate::{Allocation, Block, Line, Shape};
use crate::isa::{Control, Isa};
use crate::model::Processor;

/// Writes a routine with the name `kernel`; registers that it uses are not saved.
pub(super) fn write(name: &str, allocation: &Allocation, processor: &Processor) -> Assembly {
    let mut assembly = Assembly { text: header(name, processor), ..Assembly::default() };
    for (k, block) in allocation.blocks.iter().enumerate() {
        let label = format!("kernel_loop{k}");
        if block.shape != Shape::Straight {
            let _ = writeln!(assembly.text, "{label}:");
        }
        lines(&mut assembly, block, &label, processor);
    }
    let _ = writeln!(assembly.text, "\t.exit\n\t.procend");
    assembly
}

fn header(name: &str, processor: &Processor) -> String {
    let mut text = format!("; {name} for {}\n\t.level 2.0\n\t.text\n\t.align 4\n", processor.name);
    text.push_str(
        "\t.globl kernel\n\t.type kernel, @function\nkernel:\n\t.proc\n\t.callinfo frame=0,no_calls\n\t.entry\n",
    );
    text
}

fn lines(assembly: &mut Assembly, block: &Block, label: &str, processor: &Processor) {
    let ordered = delay_slots(&processor.isa, &block.lines);
    assembly.groups += block.groups().count();
    for slot in ordered {
        let Some(line) = slot else {
            let _ = writeln!(assembly.text, "\tnop");
            assembly.nops += 1;
            continue;
        };
        let _ = writeln!(assembly.text, "\t{}\t; {}", fill(&processor.isa, line, label), line.cycle);
        assembly.wrote(line);
    }
}

/// Moves the operation before a closing branch behind it, where the branch does not need it; `None` is a `nop`.
fn delay_slots<'a>(isa: &Isa, lines: &'a [Line]) -> Vec<Option<&'a Line>> {
    let mut ordered: Vec<Option<&Line>> = lines.iter().map(Some).collect();
    let control = |line: &Line| isa.instructions[line.instruction as usize].control != Control::None;
    let Some(last) = lines.last().filter(|l| control(l)) else { return ordered };
    let before = lines.len().checked_sub(2).map(|k| &lines[k]);
    let free = |b: &&Line| {
        !control(b)
            && !b.defines.iter().any(|d| last.uses.contains(d) || last.defines.contains(d))
            && !b.uses.iter().any(|u| last.defines.contains(u))
    };
    if before.filter(free).is_some() {
        let n = ordered.len();
        ordered.swap(n - 2, n - 1);
    } else {
        ordered.push(None);
    }
    ordered
}
