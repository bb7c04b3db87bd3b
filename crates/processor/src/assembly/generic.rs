//! Plain text for instruction sets that no assembler knows: one line per operation, `;;` closes the group of a cycle.

use std::fmt::Write;

use super::template::fill;
use super::Assembly;
use crate::allocate::{Allocation, Block, Shape};
use crate::model::Processor;

/// Writes the blocks in the order of issue.
pub(super) fn write(name: &str, allocation: &Allocation, processor: &Processor) -> Assembly {
    let mut assembly = Assembly { text: format!("// {name} for {}\n", processor.name), ..Assembly::default() };
    for (k, block) in allocation.blocks.iter().enumerate() {
        if block.shape != Shape::Straight {
            let _ = writeln!(assembly.text, ".loop{k}:");
        }
        lines(&mut assembly, block, &format!(".loop{k}"), processor);
    }
    assembly
}

fn lines(assembly: &mut Assembly, block: &Block, label: &str, processor: &Processor) {
    for group in block.groups() {
        let _ = writeln!(assembly.text, "// cycle {}", group[0].cycle);
        for (n, line) in group.iter().enumerate() {
            let guard = line.guard.as_ref().map_or(String::new(), |g| format!("({g}) "));
            let stop = if n + 1 == group.len() { " ;;" } else { "" };
            let _ = writeln!(assembly.text, "\t{guard}{}{stop}", fill(&processor.isa, line, label));
            assembly.wrote(line);
        }
        assembly.groups += 1;
    }
}
