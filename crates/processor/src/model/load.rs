//! Puts a processor together from its files.

use program::Diagnostic;
use toml::Spanned;

use super::chain::{chain, find, isa_file, Layer, Result};
use super::features::{features, Features};
use super::file::{CacheEntry, InstructionEntry, Number, ProcessorFile};
use super::instructions::{instruction, FileFact};
use super::parameters::{declare, number, set};
use super::places::{fact, nearest, Source};
use super::ports::{Ports, PortsSource};
use super::recipes::recipe;
use super::registers::register_classes;
use super::{caps, Cache, OutOfOrder, Parameter, Processor};
use crate::isa::{Isa, Text};

/// What is added to the name of a processor for the same one without limits on ports and issue.
pub const INFINITE: &str = "-infinite";

/// The processors of the files, each also without limits.
#[must_use]
pub fn names(processors: &[(String, String)]) -> Vec<String> {
    let mut names: Vec<String> =
        processors.iter().flat_map(|(name, _)| [name.clone(), format!("{name}{INFINITE}")]).collect();
    names.sort();
    names
}

/// Reads a processor from texts: pairs of file name (without `.toml`) and text.
///
/// A text of `processors` that is named twice counts as the last one says (a user's file may replace the project's).
///
/// # Errors
/// `M001` to `M099` with file and line, `M101` in the semantics of an instruction.
pub fn load(
    isas: &[(String, String)],
    processors: &[(String, String)],
    name: &str,
    parameters: &[(String, String)],
) -> Result<Processor> {
    let infinite = name.ends_with(INFINITE) && find(processors, name).is_none();
    let base = if infinite { &name[..name.len() - INFINITE.len()] } else { name };
    let chain = chain(processors, base)?;
    let mut loader = Loader::default();
    for (source, file) in &chain {
        declare(&mut loader.processor.parameters, source, file)?;
    }
    set(&mut loader.processor.parameters, parameters, name)?;
    loader.isa(isas, &chain)?;
    for (n, (source, file)) in chain.iter().enumerate() {
        loader.layer(n, source, file)?;
    }
    loader.ports(&chain)?;
    loader.recipes(isas, &chain)?;
    loader.finish(name, infinite, &chain)?;
    Ok(loader.processor)
}

#[derive(Default)]
pub(super) struct Loader {
    pub(super) processor: Processor,
    pub(super) ports: Ports,
    /// Of each class its ports and second ports: read when all files are, as a later file may change the ports.
    pub(super) written: Vec<(PortsSource, PortsSource)>,
    /// Names of all instructions of the files, also of those that this processor does not have.
    pub(super) all: Vec<String>,
}

impl Loader {
    pub(super) fn parameters(&self) -> &[Parameter] {
        &self.processor.parameters
    }

    pub(super) fn number(&self, source: &Source<'_>, entry: &Number) -> Result<u32> {
        number(self.parameters(), source, entry)
    }

    /// The instruction set with what the processor's files add.
    fn isa(&mut self, isas: &[(String, String)], chain: &[Layer<'_>]) -> Result<()> {
        let (source, file) = isa_file(isas, chain)?;
        let own = (file.source.as_ref(), file.confidence);
        let registers = register_classes(&source, &file)?;
        let big_endian = match file.byte_order.get_ref().as_str() {
            "big" => true,
            "little" => false,
            other => {
                let message = format!("the byte order `{other}` is neither `little` nor `big`");
                return Err(source.error("M014", message, &file.byte_order.span()));
            }
        };
        self.processor.isa = Isa {
            name: source.file["isas/".len()..source.file.len() - ".toml".len()].to_owned(),
            title: file.title.clone(),
            word_bits: *file.word_bits.get_ref(),
            big_endian,
            predicated: file.predicated,
            instruction_bytes: file.instruction_bytes,
            delay_slots: file.delay_slots,
            return_address: file.return_address.clone(),
            text: None,
            binutils: file.binutils.clone(),
            emulator: file.emulator.clone(),
            abi: file.abi.as_ref().map(|abi| abi.get_ref().clone()),
            arguments: file.arguments.clone(),
            registers,
            instructions: Vec::new(),
            recipes: Vec::new(),
            tiles: Default::default(),
        };
        let features = features(chain, self.parameters())?;
        self.instructions(&source, &file.instruction, own, &features)?;
        for (source, file) in chain {
            self.instructions(source, &file.instruction, (file.source.as_ref(), file.confidence), &features)?;
        }
        self.processor.isa.text = file.text.map(|t| {
            let fillers = t.fillers.iter().filter_map(|name| self.processor.isa.instruction(name)).collect();
            Text { comment: t.comment, head: t.head, foot: t.foot, fillers }
        });
        Ok(())
    }

    fn instructions(
        &mut self,
        source: &Source<'_>,
        entries: &[Spanned<InstructionEntry>],
        own: FileFact<'_>,
        features: &Features,
    ) -> Result<()> {
        for entry in entries {
            let name = &entry.get_ref().name;
            if self.all.contains(name) {
                return Err(source.error("M015", format!("the instruction `{name}` is there twice"), &entry.span()));
            }
            let read = instruction(source, entry, &self.processor.isa.registers, own)?;
            self.all.push(name.clone());
            if features.has(source, entry.get_ref())? {
                self.processor.isa.instructions.push(read);
            }
        }
        Ok(())
    }

    fn recipes(&mut self, isas: &[(String, String)], chain: &[Layer<'_>]) -> Result<()> {
        let (isa_source, isa) = isa_file(isas, chain)?;
        let here: Vec<String> = self.processor.isa.instructions.iter().map(|i| i.name.clone()).collect();
        let own = (isa.source.as_ref(), isa.confidence);
        let first = isa.recipe.iter().map(|entry| (&isa_source, entry, own));
        let more = chain.iter().flat_map(|(source, file)| {
            file.recipe.iter().map(move |entry| (source, entry, (file.source.as_ref(), file.confidence)))
        });
        for (source, entry, own) in first.chain(more) {
            if self.processor.isa.recipes.iter().any(|r| r.name == entry.get_ref().name) {
                let message = format!("the recipe `{}` is there twice", entry.get_ref().name);
                return Err(source.error("M047", message, &entry.span()));
            }
            self.processor.isa.recipes.extend(recipe(source, entry, &here, &self.all, own)?);
        }
        Ok(())
    }

    /// What one file says about ports, classes and latencies.
    fn layer(&mut self, layer: usize, source: &Source<'_>, file: &ProcessorFile) -> Result<()> {
        let own = (file.source.as_ref(), file.confidence);
        if let Some(ports) = &file.ports {
            self.declare_ports(source, ports)?;
            self.processor.ports_fact = fact(ports.get_ref().source.as_ref(), ports.get_ref().confidence, own);
        }
        if let Some(issue) = &file.issue {
            self.processor.issue = self.number(source, &issue.get_ref().width)?;
            self.processor.block = issue.get_ref().block.as_ref().map_or(Ok(0), |n| self.number(source, n))?;
            self.processor.issue_fact = fact(issue.get_ref().source.as_ref(), issue.get_ref().confidence, own);
        }
        let mut classes: Vec<_> = file.class.iter().collect();
        classes.sort_by_key(|(_, entry)| entry.span().start);
        for (name, entry) in classes {
            self.class(layer, source, name, entry, own)?;
        }
        for entry in &file.bypass {
            let bypass = self.bypass(source, entry, own)?;
            self.processor.bypasses.push(bypass);
        }
        self.rest(source, file, own)?;
        self.processor.title = file.title.clone().unwrap_or_else(|| self.processor.title.clone());
        self.processor.fact = fact(file.source.as_ref(), file.confidence, (None, None));
        Ok(())
    }

    fn rest(&mut self, source: &Source<'_>, file: &ProcessorFile, own: FileFact<'_>) -> Result<()> {
        if let Some(entry) = &file.out_of_order {
            let e = entry.get_ref();
            let pair =
                |(a, b): &(Number, Number)| Ok::<_, Diagnostic>((self.number(source, a)?, self.number(source, b)?));
            self.processor.out_of_order = Some(OutOfOrder {
                insert: self.number(source, &e.insert)?,
                entries: pair(&e.entries)?,
                launch: pair(&e.launch)?,
                retire: pair(&e.retire)?,
                stores: self.number(source, &e.stores)?,
                store_to_load: self.number(source, &e.store_to_load)?,
                fact: fact(e.source.as_ref(), e.confidence, own),
            });
        }
        if let Some(entry) = &file.banks {
            let e = entry.get_ref();
            self.processor.banks = Some((self.number(source, &e.bytes)?, self.number(source, &e.count)?));
            self.processor.banks_fact = fact(e.source.as_ref(), e.confidence, own);
        }
        if let Some(entry) = &file.cache {
            self.processor.cache = Some(self.cache(source, entry, own)?);
        }
        if let Some(entry) = &file.clock {
            let e = entry.get_ref();
            let own = fact(e.source.as_ref(), e.confidence, own);
            self.processor.clock = Some((self.number(source, &e.mhz)?, own));
        }
        Ok(())
    }

    fn cache(&self, source: &Source<'_>, entry: &Spanned<CacheEntry>, own: FileFact<'_>) -> Result<Cache> {
        let e = entry.get_ref();
        let [bytes, line, ways] = [&e.bytes, &e.line, &e.ways].map(|n| self.number(source, n));
        let (bytes, line, ways) = (bytes?, line?, ways?);
        let lines = bytes.checked_div(line).unwrap_or(0);
        let powers = line.is_power_of_two() && ways > 0 && (lines / ways).is_power_of_two();
        if !powers || lines / ways * ways * line != bytes {
            let message = format!("{bytes} bytes are no power of two of sets of {ways} lines of {line} bytes");
            return Err(source.error("M056", message, &entry.span()));
        }
        Ok(Cache {
            bytes,
            line,
            ways,
            miss: self.number(source, &e.miss)?,
            allocates: e.allocates,
            fact: fact(e.source.as_ref(), e.confidence, own),
        })
    }

    fn finish(&mut self, name: &str, infinite: bool, chain: &[Layer<'_>]) -> Result<()> {
        let (source, file) = &chain[chain.len() - 1];
        let processor = &mut self.processor;
        for i in &processor.isa.instructions {
            if !processor.classes.iter().any(|c| c.name == i.class) {
                let message =
                    format!("the instruction `{}` is of class `{}`, which the processor lacks", i.name, i.class);
                let help = nearest(&i.class, processor.classes.iter().map(|c| c.name.as_str()));
                return Err(source.error("M020", message, &(0..0)).help(help));
            }
        }
        processor.name = name.to_owned();
        processor.inherits = file.inherits.as_ref().map(|i| i.get_ref().clone());
        if infinite {
            processor.infinite = true;
            processor.title = format!("{}, without limits on ports and issue", processor.title);
            processor.ports.clear();
            processor.issue = 0;
            processor.block = 0;
            processor.cache = None;
            for class in &mut processor.classes {
                (class.ports, class.second_ports, class.held) = (0, Vec::new(), 1);
            }
        }
        processor.resources = caps::resources(&processor.classes, &processor.ports, processor.issue);
        Ok(())
    }
}
