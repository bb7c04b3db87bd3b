//! Functions: the lines of one with what stands around them, branches that reach, and text.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use program::Diagnostic;

use crate::assembly::{self, Writer};
use crate::code::{Line, Machine};
use crate::isa::Isa;
use crate::operand::{Label, Operand, Register, View};
use crate::slots::accessed;

/// A function with all its lines.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Arc<str>,
    /// Its lines, from the first label on.
    pub lines: Vec<Line>,
    /// Registers that it changes, or points with.
    pub registers: BTreeSet<Register>,
    /// Iterations of the loop of each head.
    pub iterations: HashMap<u32, u64>,
}

/// How a function is called.
#[derive(Clone, Debug, Default)]
pub struct Call {
    /// By a function of this code, which saves registers for it.
    pub inner: bool,
    /// Registers that have to be saved besides those that its lines name.
    pub besides: BTreeSet<Register>,
    /// The lines have the labels of begin and end.
    pub marked: bool,
}

impl Function {
    /// Puts the frame of an instruction set around lines.
    ///
    /// # Errors
    /// `E131`: the frame has a line that is no instruction.
    pub fn framed(isa: &Isa, name: &Arc<str>, body: Vec<Line>, call: &Call) -> Result<Self, Diagnostic> {
        let frame = &isa.frame;
        let registers: BTreeSet<Register> = named(isa, &body).union(&call.besides).copied().collect();
        let saved: Vec<&String> =
            isa.registers.saved.iter().filter(|r| !call.inner && saves(isa, &registers, r)).collect();
        let of = |template: &str, register: &String| template.replace("{r}", register);
        let restored = saved.iter().rev().map(|r| of(&frame.restore, r));
        let marks = |texts: &Vec<String>| if call.marked { Vec::new() } else { texts.clone() };
        let last = if call.inner { Vec::new() } else { frame.last.clone() };
        let before = [frame.head.clone(), saved.iter().map(|r| of(&frame.save, r)).collect(), marks(&frame.begin)];
        let after = [marks(&frame.end), restored.collect(), last, frame.foot.clone()];
        let read = |texts: &[String]| -> Result<Vec<Line>, Diagnostic> {
            texts.iter().map(|text| assembly::read(isa, &text.replace("{name}", name))).collect()
        };
        let lines = [read(&before.concat())?, body, read(&after.concat())?].concat();
        Ok(Function { name: Arc::clone(name), lines, registers, iterations: HashMap::new() })
    }

    /// The function with other objects in its addresses: of each object the other one, and where in it it begins.
    #[must_use]
    pub fn renamed(&self, objects: &HashMap<String, (Arc<str>, i64)>) -> Self {
        let mut new = self.clone();
        for machine in machines(&mut new.lines) {
            for e in machine.operands.iter_mut().filter_map(Operand::expression_mut) {
                if let Some((object, shift)) = e.symbol.as_ref().and_then(|symbol| objects.get(&**symbol)) {
                    e.symbol = Some(Arc::clone(object));
                    e.distance = e.distance.map(|distance| distance + shift);
                }
            }
        }
        new
    }

    /// The function with long addresses of what is not among the objects near.
    #[must_use]
    pub fn addressed(&self, near: &BTreeSet<String>) -> Self {
        let mut new = self.clone();
        for machine in machines(&mut new.lines) {
            for operand in &mut machine.operands {
                if let Operand::Memory(address) = operand {
                    let symbol = address.at.symbol.as_deref().unwrap_or("");
                    let object = symbol.split([' ', '+']).next().unwrap_or("");
                    if address.bits == 8 && !near.contains(object) {
                        address.bits = 16;
                    }
                }
            }
        }
        new
    }

    /// The function with branches that reach.
    ///
    /// # Errors
    /// `E131`: it has an instruction that is not known.
    pub fn reaching(&self, isa: &Isa) -> Result<Self, Diagnostic> {
        let mut lines = Vec::with_capacity(self.lines.len());
        let mut heads: HashMap<u32, i64> = HashMap::new();
        let mut place = 0;
        for line in &self.lines {
            if let Line::Label(Label::Head(n)) = line {
                heads.insert(*n, place);
            }
            let new = far(isa, line, place, &heads).unwrap_or_else(|| vec![line.clone()]);
            place += bytes(isa, &new)?;
            lines.extend(new);
        }
        Ok(Function { lines, ..self.clone() })
    }

    /// Bytes of its code.
    ///
    /// # Errors
    /// `E131`: it has an instruction that is not known.
    pub fn bytes(&self, isa: &Isa) -> Result<i64, Diagnostic> {
        bytes(isa, &self.lines)
    }

    /// Of each line how often it runs and about how many cycles each time takes, branches counted as not taken.
    ///
    /// # Errors
    /// `E131`: it has an instruction that is not known.
    pub fn costs(&self, isa: &Isa) -> Result<Vec<(u64, u32)>, Diagnostic> {
        let cycles = |line: &Line| match line {
            Line::Machine(machine) => isa.cost(machine).map(|cost| cost.0),
            _ => Ok(0),
        };
        let runs = runs(&self.lines, &self.iterations);
        self.lines.iter().zip(runs).map(|(line, runs)| Ok((runs, cycles(line)?))).collect()
    }

    /// Its text: labels at the beginning of lines, everything else behind a tab.
    #[must_use]
    pub fn text(&self, isa: &Isa) -> Vec<String> {
        let mut writer = Writer::new(isa, &self.name);
        let texts = self.lines.iter().map(|line| (matches!(line, Line::Label(_)), writer.line(line)));
        texts.map(|(label, text)| if label { text } else { format!("\t{text}") }).collect()
    }
}

/// How often each line runs; a loop ends with a line that names its head.
#[must_use]
pub fn runs(lines: &[Line], iterations: &HashMap<u32, u64>) -> Vec<u64> {
    let mut around = vec![1];
    let one = |line: &Line| {
        let weight = *around.last().expect("it begins with one");
        match line {
            Line::Label(Label::Head(n)) => around.push(weight * iterations.get(n).copied().unwrap_or(1)),
            Line::Machine(machine) if machine.operands.iter().any(|o| matches!(o, Operand::Label(Label::Head(_)))) => {
                around.pop();
            }
            _ => {}
        }
        weight
    };
    lines.iter().map(one).collect()
}

fn machines(lines: &mut [Line]) -> impl Iterator<Item = &mut Machine> {
    lines.iter_mut().filter_map(|line| match line {
        Line::Machine(machine) => Some(machine),
        _ => None,
    })
}

/// The registers that lines name.
fn named(isa: &Isa, lines: &[Line]) -> BTreeSet<Register> {
    let machines = lines.iter().filter_map(|line| match line {
        Line::Machine(machine) => Some(machine),
        _ => None,
    });
    machines.flat_map(|machine| isa.named(machine)).collect()
}

/// Whether a register that is saved under this name, or half of it, is among those that are changed.
fn saves(isa: &Isa, changed: &BTreeSet<Register>, name: &str) -> bool {
    let word = |r: Register| isa.registers.words.iter().any(|(n, word)| *n == r & !1 && word == name);
    changed.iter().any(|r| isa.name(*r) == name || word(*r))
}

fn bytes(isa: &Isa, lines: &[Line]) -> Result<i64, Diagnostic> {
    let mut sum = 0;
    for line in lines {
        if let Line::Machine(machine) = line {
            sum += i64::from(isa.cost(machine)?.1);
        }
    }
    Ok(sum)
}

/// What stands for the closing branch of a loop that reaches too far.
fn far(isa: &Isa, line: &Line, place: i64, heads: &HashMap<u32, i64>) -> Option<Vec<Line>> {
    let Line::Machine(machine) = line else { return None };
    let is_head = |o: &&Operand| matches!(o, Operand::Label(Label::Head(_)));
    let label = machine.operands.iter().find(is_head)?;
    let Operand::Label(Label::Head(head)) = label else { return None };
    let distance = place - heads.get(head)?;
    let entry = isa.far.iter().rev().find(|entry| distance > entry.beyond)?;
    let counter = machine.operands.iter().find(|o| !is_head(o)).unwrap_or(label);
    let (named, origin) = ([label.clone(), counter.clone()], &machine.origin);
    let filled = |line: &Line| match line {
        Line::Machine(machine) => Line::Machine(Machine {
            opcode: machine.opcode,
            operands: machine.operands.iter().map(|o| in_place(o, &named)).collect(),
            origin: origin.clone(),
        }),
        other => other.clone(),
    };
    Some(entry.lines.iter().map(filled).collect())
}

fn in_place(operand: &Operand, named: &[Operand; 2]) -> Operand {
    match operand {
        Operand::Place(n, View::Byte) => named[usize::from(*n)].clone(),
        other => other.clone(),
    }
}

/// Lines with the labels between which the block is in registers.
///
/// # Errors
/// `E131`: the frame has a line that is no instruction.
pub fn marked(isa: &Isa, name: &str, lines: &[Line], block: &str) -> Result<Vec<Line>, Diagnostic> {
    let of_block = |loads: bool| {
        let is = move |line: &Line| accessed(isa, line).is_some_and(|a| a.loads == loads && &*a.object == block);
        lines.iter().enumerate().filter(move |(_, line)| is(line)).map(|(n, _)| n)
    };
    let begin = of_block(true).next_back().map_or(0, |n| n + 1);
    let end = of_block(false).next().unwrap_or(lines.len());
    let begin = if begin <= end { begin } else { 0 };
    let labels = |texts: &[String]| {
        texts.iter().map(|text| assembly::read(isa, &text.replace("{name}", name))).collect::<Result<Vec<_>, _>>()
    };
    let (first, last) = (labels(&isa.frame.begin)?, labels(&isa.frame.end)?);
    Ok([&lines[..begin], &first[..], &lines[begin..end], &last[..], &lines[end..]].concat())
}
