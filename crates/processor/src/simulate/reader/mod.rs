//! The reader of assembly text: lines are matched against the assembly templates of an instruction set.

pub mod builtin;
pub mod groups;
pub mod names;
pub mod operation;
pub mod source;
pub mod template;

use std::collections::BTreeMap;
use std::rc::Rc;

use program::diagnostic::SourcePlace;
use program::Diagnostic;

use super::listing::{self, Counters, Flow, Listing, RotatingRegisters, Style, TextOp};
use super::slots::{Pool, SINK};
use crate::isa::Isa;
use crate::model::Processor;
use names::Names;
use source::Item;
use template::Templates;

/// What is known while a text is read.
pub struct Reader<'a> {
    /// The instruction set.
    pub isa: &'a Isa,
    file: String,
    style: Style,
    /// Its templates.
    pub templates: Rc<Templates>,
    /// Registers so far.
    pub names: Names,
    /// Slots so far.
    pub pool: Pool,
    /// Slots of the loop counters.
    pub counters: Counters,
    /// General registers that rotate, as `alloc` says.
    pub frame: Option<u32>,
    ops: Vec<TextOp>,
    labels: BTreeMap<String, (u32, u32)>,
    pending: Vec<(usize, String)>,
    bundle: Option<OpenBundle>,
    bundles: u32,
}

struct OpenBundle {
    line: u32,
    template: String,
    filled: u8,
}

/// How texts for a processor are written.
#[must_use]
pub fn style_of(processor: &Processor, text: &str) -> Style {
    if processor.isa.text.is_some() {
        Style::Lines
    } else if processor.isa.delay_slots > 0 {
        Style::DelaySlots
    } else if text.contains('{') {
        Style::Bundles
    } else {
        Style::Groups
    }
}

/// Reads a text.
///
/// # Errors
/// M500, M501 (see [`operation::read`]); M502, M518 to M524: bundles; M503, M525: labels; M504,
/// M505: groups.
pub fn read(text: &str, file: &str, processor: &Processor) -> Result<Listing, Diagnostic> {
    let style = style_of(processor, text);
    let mut reader = Reader::new(&processor.isa, file, style);
    let comment = processor.isa.text.as_ref().map_or("#", |text| text.comment.as_str());
    for (line, item) in source::items(text, style, comment) {
        reader.item(line, item)?;
    }
    if let Some(bundle) = &reader.bundle {
        return Err(reader.error("M502", bundle.line, "the bundle has no `}`"));
    }
    reader.finish()
}

impl<'a> Reader<'a> {
    fn new(isa: &'a Isa, file: &str, style: Style) -> Reader<'a> {
        let mut pool = Pool::default();
        let names = Names::new(isa, &mut pool);
        let mut names = names;
        let mut counter = |name: &str| {
            let known = names.class_of(name).and_then(|class| names.read(class, name, &mut pool));
            known.unwrap_or_else(|| pool.fresh())
        };
        let counters = Counters { iterations: counter("ar.lc"), epilogue: counter("ar.ec"), rotations: counter("") };
        Reader {
            isa,
            file: file.to_owned(),
            style,
            templates: Rc::new(Templates::new(isa)),
            names,
            pool,
            counters,
            frame: None,
            ops: Vec::new(),
            labels: BTreeMap::new(),
            pending: Vec::new(),
            bundle: None,
            bundles: 0,
        }
    }

    /// An error at a line.
    #[must_use]
    pub fn error(&self, code: &'static str, line: u32, message: impl Into<String>) -> Diagnostic {
        let mut error = Diagnostic::new(code, message);
        error.places.push(SourcePlace { file: self.file.clone(), line, column: 1 });
        error
    }

    /// Why a word is no register of a class.
    #[must_use]
    pub fn no_register(&self, class: usize, word: &str) -> String {
        format!("`{word}` is no register of class {}", self.isa.registers[class].name)
    }

    fn item(&mut self, line: u32, item: Item) -> Result<(), Diagnostic> {
        match item {
            Item::Label(name) => {
                let here = self.ops.len() as u32;
                if let Some((_, earlier)) = self.labels.insert(name.clone(), (here, line)) {
                    let error = self.error("M503", line, format!("label `{name}` stands here a second time"));
                    return Err(error.note(format!("first in line {earlier}")));
                }
            }
            Item::Directive(name) => {
                if let Some(bundle) = &mut self.bundle {
                    bundle.template = name.trim_start_matches('.').to_owned();
                }
            }
            Item::Open => {
                if self.bundle.is_some() {
                    return Err(self.error("M518", line, "a bundle begins inside of another"));
                }
                self.bundle = Some(OpenBundle { line, template: String::new(), filled: 0 });
            }
            Item::Close => return self.close(line),
            Item::Stop => {
                if let Some(last) = self.ops.last_mut() {
                    last.stop = true;
                }
            }
            Item::Operation(text) => return self.operation(line, &text),
        }
        Ok(())
    }

    fn close(&mut self, line: u32) -> Result<(), Diagnostic> {
        let Some(bundle) = self.bundle.take() else {
            return Err(self.error("M519", line, "`}` without a bundle"));
        };
        self.bundles += 1;
        if bundle.filled != 3 {
            let found = bundle.filled;
            let error = self.error("M520", bundle.line, format!("a bundle has 3 slots, {found} are filled"));
            return Err(error.help("fill the others with nop"));
        }
        Ok(())
    }

    fn operation(&mut self, line: u32, text: &str) -> Result<(), Diagnostic> {
        let (mut op, target) = operation::read(self, line, text)?;
        if self.style == Style::Bundles {
            self.place_in_bundle(line, &mut op)?;
        }
        if let Some(label) = target {
            self.pending.push((self.ops.len(), label));
        }
        self.ops.push(op);
        Ok(())
    }

    fn place_in_bundle(&mut self, line: u32, op: &mut TextOp) -> Result<(), Diagnostic> {
        let long = op.instruction.is_some_and(|i| self.isa.instructions[i as usize].slots == 2);
        let number = self.bundles;
        let Some(bundle) = &mut self.bundle else {
            return Err(self.error("M521", line, "the operation stands outside of a bundle"));
        };
        let slot = bundle.filled;
        bundle.filled += if long { 2 } else { 1 };
        let letter = bundle.template.chars().nth(usize::from(slot));
        if bundle.filled > 3 || letter.is_none() {
            let template = bundle.template.clone();
            return Err(match template.is_empty() {
                true => self.error("M522", line, "the bundle names no template, such as `.mii`"),
                false => self.error("M523", line, format!("the bundle `.{template}` has no room for `{}`", op.text)),
            });
        }
        if long != (letter == Some('l')) {
            let template = bundle.template.clone();
            let error = self.error("M524", line, format!("`{}` cannot stand in slot {slot} of `.{template}`", op.text));
            return Err(
                error.note("an operation of two slots stands in slots 1 and 2 of `.mlx`, and nothing else does")
            );
        }
        op.unit = letter.map(|c| c.to_ascii_uppercase());
        op.bundle = (number, slot);
        Ok(())
    }

    fn finish(mut self) -> Result<Listing, Diagnostic> {
        for (op, label) in std::mem::take(&mut self.pending) {
            let Some(&(target, _)) = self.labels.get(&label) else {
                let line = self.ops[op].line;
                let error = self.error("M525", line, format!("there is no label `{label}`"));
                let names: Vec<&str> = self.labels.keys().map(String::as_str).collect();
                let near = names.iter().min_by_key(|n| template::distance(n, &label));
                return Err(match near {
                    Some(near) => error.help(format!("did you mean `{near}`?")),
                    None => error.help("a label is a name and a colon before an operation"),
                });
            };
            let flow = &mut self.ops[op].flow;
            *flow = match *flow {
                Flow::Jump(_) | Flow::Next => Flow::Jump(target),
                Flow::Counted(_) => Flow::Counted(target),
                Flow::Rotating(_, jump) => Flow::Rotating(target, jump),
                Flow::Conditional(_, slot) => Flow::Conditional(target, slot),
                other => other,
            };
        }
        if matches!(self.style, Style::Bundles | Style::Groups) {
            groups::check(&mut self)?;
        }
        let arguments = self.isa.arguments.iter().map(|name| self.argument(name)).collect();
        let rotating = self.rotating();
        let (fast, steps) = listing::compact(&self.ops);
        Ok(Listing {
            style: self.style,
            file: self.file,
            ops: self.ops,
            fast,
            steps,
            slots: self.pool.size(),
            arguments,
            names: self.names,
            counters: self.counters,
            rotating,
        })
    }

    fn argument(&mut self, name: &str) -> u16 {
        let class = self.names.class_of(name).unwrap_or(0);
        self.names.write(class, name, &mut self.pool).unwrap_or(SINK)
    }

    /// Runs of registers that rotate: those of a class that the text uses, of general registers as many as `alloc` says.
    fn rotating(&self) -> Vec<RotatingRegisters> {
        let uses = |slot: &u16| {
            self.ops.iter().any(|op| op.guard == *slot || op.defines.iter().chain(&op.uses).any(|(s, _)| s == slot))
        };
        let mut out = Vec::new();
        for (class, slots) in self.names.rotating.iter().enumerate() {
            let predicates = self.names.bits[class] == 1;
            let general = self.names.bits[class] == self.isa.word_bits && class == 0;
            let count = if general { self.frame.unwrap_or(0) as usize } else { slots.len() }.min(slots.len());
            if count > 0 && (predicates || slots[..count].iter().any(uses)) {
                out.push(RotatingRegisters { first: slots[0], count: count as u16, predicates });
            }
        }
        out
    }

    /// The operations read so far, for the checks of groups.
    pub fn ops_mut(&mut self) -> &mut Vec<TextOp> {
        &mut self.ops
    }
}
