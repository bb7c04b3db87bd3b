//! Assembly text of scheduled code.

mod bundle;
mod expand;
mod generic;
mod ia64;
mod lines;
mod pa;
mod template;

use program::ir::Place;
use program::Diagnostic;

use crate::allocate::{allocate, Allocation, Block, Line, Shape};
use crate::code::Code;
use crate::graph::Schedule;
use crate::isa::Text;
use crate::model::Processor;

/// A kernel as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assembly {
    /// What the assembler reads, or, where no assembler knows the instruction set, the project's own form.
    pub text: String,
    /// The operations alone, without what stands around them and without the return, for sets whose texts are one operation per line:
    /// what a function that C can call is made of. Labels begin with `.Lloop`.
    pub body: Option<String>,
    /// The same with every hypothetical instruction written as real ones, each operation in a group of its own, for
    /// emulators; `None` where every instruction is real.
    pub expanded: Option<String>,
    /// All registers that the operations use, class by class.
    pub used: Vec<String>,
    /// Registers by class, in the order of the instruction set; classes of which none is used are left out.
    pub registers: Vec<Registers>,
    /// Operations in the text, without those that do nothing (`nop`), each counted once however often it runs.
    pub operations: usize,
    /// Operations that do nothing.
    pub nops: usize,
    /// Groups of operations that issue together.
    pub groups: usize,
    /// Bundles, for instruction sets that have them.
    pub bundles: Option<usize>,
    /// Copies that register allocation added.
    pub copies: usize,
    /// Cycles from the first issue to the last, every iteration of a loop counted, as planned.
    pub cycles: u64,
    /// Blocks of the text, as they run.
    pub blocks: Vec<BlockTimes>,
    /// The operations in the order of the text.
    pub origins: Vec<Origin>,
    /// Bytes of the text whose lines are counted, and how many lines these are.
    counted: (usize, u32),
}

/// How often a block runs and how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockTimes {
    /// Iterations; 1 for straight-line code.
    pub iterations: u32,
    /// Cycles between the starts of two iterations; of straight-line code all.
    pub interval: u64,
    /// Cycles of all iterations, with what it waits at its start.
    pub cycles: u64,
}

/// Where an operation stands in the text, and what of the cipher's file it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Number of its line, from 1.
    pub line: u32,
    /// Number of its block, from 0.
    pub block: u32,
    /// Cycle of issue, from the block's start.
    pub cycle: u32,
    /// Region and operation of the code that it is; `None`: the allocation of registers added it.
    pub operation: Option<(usize, usize)>,
    /// Places in the cipher's file, innermost first.
    pub places: Vec<Place>,
}

impl BlockTimes {
    fn of(block: &Block) -> BlockTimes {
        let cycles = block.cycles();
        let (iterations, interval) = match block.shape {
            Shape::Straight => (1, cycles),
            Shape::Loop { iterations } => (iterations, (cycles - u64::from(block.wait)) / u64::from(iterations)),
            Shape::Pipelined { iterations, interval, .. } => (iterations, interval.into()),
        };
        BlockTimes { iterations, interval, cycles }
    }
}

impl Assembly {
    /// Notes that the last line of the text is an operation.
    fn wrote(&mut self, line: &Line) {
        let (bytes, lines) = self.counted;
        let more = self.text.as_bytes()[bytes..].iter().filter(|b| **b == b'\n').count() as u32;
        self.counted = (self.text.len(), lines + more);
        self.operations += 1;
        let (block, cycle) = (line.block, line.cycle);
        self.origins.push(Origin { line: lines + more, block, cycle, operation: line.origin, places: Vec::new() });
    }
}

/// Registers of one class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Registers {
    /// Name of the class.
    pub class: String,
    /// Registers outside of the register stack.
    pub statics: usize,
    /// Registers of the stack frame that do not rotate.
    pub stacked: usize,
    /// Registers that rotate.
    pub rotating: usize,
}

impl Registers {
    /// As in Worley et al.: `24`, `20/12`, `18//8`, `4/27/8`: statics/stacked/rotating.
    #[must_use]
    pub fn notation(&self) -> String {
        match (self.stacked, self.rotating) {
            (0, 0) => self.statics.to_string(),
            (stacked, 0) => format!("{}/{stacked}", self.statics),
            (0, rotating) => format!("{}//{rotating}", self.statics),
            (stacked, rotating) => format!("{}/{stacked}/{rotating}", self.statics),
        }
    }
}

/// Gives registers to scheduled code and writes its text, in the form that its instruction set asks for.
///
/// # Errors
/// Those of [`allocate`], and `M410`: operations of one cycle do not fit the bundles of the processor.
pub fn emit(code: &Code, schedules: &[Schedule], processor: &Processor) -> Result<Assembly, Diagnostic> {
    let allocation = allocate(code, schedules, processor)?;
    let mut assembly = match form(processor) {
        Form::Bundles => ia64::write(&code.name, &allocation, processor)?,
        Form::Sequence => pa::write(&code.name, &allocation, processor),
        Form::Lines(text) => lines::write(&code.name, &allocation, processor, text),
        Form::Groups => generic::write(&code.name, &allocation, processor),
    };
    for origin in &mut assembly.origins {
        // The branch of a loop is none of the code's operations.
        let op = origin.operation.and_then(|(region, op)| code.regions[region].ops().get(op));
        origin.places = op.map_or(Vec::new(), |op| op.places.clone());
    }
    assembly.blocks = allocation.blocks.iter().map(BlockTimes::of).collect();
    assembly.expanded = expand::write(&code.name, &allocation, processor);
    assembly.used = allocation.used.concat();
    assembly.registers = registers(&allocation, processor);
    assembly.copies = allocation.copies;
    assembly.cycles = allocation.blocks.iter().map(|b| b.cycles()).sum();
    Ok(assembly)
}

enum Form<'a> {
    Bundles,
    Lines(&'a Text),
    Sequence,
    Groups,
}

fn form(processor: &Processor) -> Form<'_> {
    if let Some(text) = &processor.isa.text {
        return Form::Lines(text);
    }
    match processor.isa.name.as_str() {
        // Without limits there are no ports, and so no slots to stand in.
        "ia64" if !processor.infinite => Form::Bundles,
        "pa-risc" => Form::Sequence,
        _ => Form::Groups,
    }
}

fn registers(allocation: &Allocation, processor: &Processor) -> Vec<Registers> {
    let classes = processor.isa.registers.iter().enumerate();
    let counted = classes.map(|(k, class)| {
        let turning = &class.rotating[..allocation.rotating[k].min(class.rotating.len())];
        let stacked = |r: &&String| class.rotating.contains(r) && !turning.contains(r);
        let stacked = allocation.used[k].iter().filter(stacked).count();
        let statics = allocation.used[k].iter().filter(|r| !class.rotating.contains(r)).count();
        Registers { class: class.name.clone(), statics, stacked, rotating: turning.len() }
    });
    counted.filter(|r| r.statics + r.stacked + r.rotating > 0).collect()
}
