//! Text of one operation per line, in the order of issue, between what the file of the instruction set says of an assembler's text.
//!
//! Where a processor takes its instructions in aligned blocks of which it finishes one before the next, the operations of a
//! cycle do not stand in two blocks: fillers go before them, such as issue in the cycle before.

use std::fmt::Write;

use super::template::fill;
use super::Assembly;
use crate::allocate::{Allocation, Block, Line, Shape};
use crate::isa::{Control, InstructionId, Text};
use crate::model::Processor;

/// Writes a routine with the name `kernel`; registers that it uses are not saved.
pub(super) fn write(name: &str, allocation: &Allocation, processor: &Processor, text: &Text) -> Assembly {
    let mut writer = Writer { assembly: Assembly::default(), processor, text, at: 0, last: Vec::new() };
    let _ = writeln!(writer.assembly.text, "{} {name} for {}", text.comment, processor.name);
    writer.frame(&text.head);
    let begin = writer.assembly.text.len();
    for (k, block) in allocation.blocks.iter().enumerate() {
        let label = format!(".Lloop{k}");
        if block.shape != Shape::Straight {
            writer.align();
            let _ = writeln!(writer.assembly.text, "{label}:");
        }
        writer.block(block, &label);
    }
    let body = without_return(&writer.assembly.text[begin..], allocation, processor);
    writer.assembly.body = body;
    writer.frame(&text.foot);
    writer.assembly
}

/// The lines without the last one, if that is the return and the only one.
fn without_return(lines: &str, allocation: &Allocation, processor: &Processor) -> Option<String> {
    let returns = |l: &&Line| processor.isa.instructions[l.instruction as usize].control == Control::Return;
    let all = || allocation.blocks.iter().flat_map(|b| &b.lines);
    let last = all().last().filter(returns).is_some() && all().filter(returns).count() == 1;
    let end = lines.trim_end_matches('\n').rfind('\n').map_or(0, |k| k + 1);
    last.then(|| lines[..end].to_owned())
}

struct Writer<'a> {
    assembly: Assembly,
    processor: &'a Processor,
    text: &'a Text,
    /// Instructions so far.
    at: u32,
    /// Classes of those of the last cycle.
    last: Vec<usize>,
}

impl Writer<'_> {
    fn frame(&mut self, lines: &[String]) {
        for line in lines {
            let margin = if line.ends_with(':') { "" } else { "\t" };
            let _ = writeln!(self.assembly.text, "{margin}{line}");
        }
    }

    fn block(&mut self, block: &Block, label: &str) {
        for group in block.groups() {
            let blocks = self.processor.block;
            if blocks > 0 && self.at % blocks + group.len() as u32 > blocks {
                self.align();
            }
            self.last.clear();
            for line in group {
                self.line(line, label);
            }
            self.assembly.groups += 1;
            if group.iter().any(|l| self.processor.isa.instructions[l.instruction as usize].control != Control::None) {
                self.align();
            }
        }
    }

    fn line(&mut self, line: &Line, label: &str) {
        let comment = &self.text.comment;
        let filled = fill(&self.processor.isa, line, label);
        let _ = writeln!(self.assembly.text, "\t{filled}\t{comment} {}", line.cycle);
        self.assembly.wrote(line);
        self.at += 1;
        self.last.push(self.processor.class_of(line.instruction));
    }

    /// Fills the block.
    fn align(&mut self) {
        let (Some(&first), 1..) = (self.text.fillers.first(), self.processor.block) else { return };
        while self.at % self.processor.block != 0 {
            let filler = self.text.fillers.iter().copied().find(|&filler| self.issues(filler)).unwrap_or(first);
            let _ = writeln!(self.assembly.text, "\t{}", self.processor.isa.instructions[filler as usize].assembly);
            self.assembly.nops += 1;
            self.at += 1;
            self.last.push(self.processor.class_of(filler));
        }
    }

    /// Whether one more instruction can issue in the last cycle.
    fn issues(&self, instruction: InstructionId) -> bool {
        let all = || self.last.iter().copied().chain([self.processor.class_of(instruction)]);
        self.processor.resources.caps.iter().all(|cap| all().map(|class| cap.slots(class, 0)).sum::<u32>() <= cap.limit)
    }
}
