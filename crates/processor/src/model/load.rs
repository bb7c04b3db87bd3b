//! Puts a processor together from its files.

use std::ops::Range;

use program::Diagnostic;
use toml::Spanned;

use super::file::{BypassEntry, ClassEntry, InstructionEntry, IsaFile, Number, ProcessorFile};
use super::instructions::instruction;
use super::parameters::{declare, expand, number, set};
use super::places::{fact, nearest, Source};
use super::recipes::recipe;
use super::registers::register_classes;
use super::{caps, Bypass, Class, OutOfOrder, Parameter, Processor};
use crate::isa::{Fact, Isa};

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

fn find<'a>(files: &'a [(String, String)], name: &str) -> Option<&'a (String, String)> {
    files.iter().rev().find(|(known, _)| known == name)
}

/// A file and what stands in it.
pub type Layer<'a> = (Source<'a>, ProcessorFile);

/// The files that a processor is made of, the one that inherits nothing first.
pub fn chain<'a>(processors: &'a [(String, String)], name: &str) -> Result<Vec<Layer<'a>>> {
    let mut chain: Vec<Layer<'a>> = Vec::new();
    let mut wanted = name.to_owned();
    loop {
        let Some((known, text)) = find(processors, &wanted) else {
            let names = processors.iter().map(|(name, _)| name.as_str());
            let help = nearest(&wanted, names);
            let mut error = Diagnostic::new("M002", format!("there is no processor `{wanted}`")).help(help);
            if let Some((source, file)) = chain.last() {
                error.places.extend(file.inherits.as_ref().map(|i| source.place(i.span().start)));
            }
            return Err(error);
        };
        let source = Source { file: format!("processors/{known}.toml"), text };
        let file: ProcessorFile = source.read()?;
        let base = file.inherits.clone();
        chain.push((source, file));
        let Some(base) = base else { break };
        let taken = chain.iter().map(|(source, _)| source.file.clone());
        if taken.into_iter().any(|f| f == format!("processors/{}.toml", base.get_ref())) {
            let source = &chain[chain.len() - 1].0;
            return Err(source.error("M003", format!("`{wanted}` inherits itself"), &base.span()));
        }
        wanted = base.into_inner();
    }
    chain.reverse();
    Ok(chain)
}

/// Groups of ports and their bits.
#[derive(Default)]
struct Ports {
    groups: Vec<(String, Vec<usize>)>,
}

/// The ports of a class as they are written, with the number of the file.
type Written = Option<(usize, Spanned<toml::Value>)>;

#[derive(Default)]
struct Loader {
    processor: Processor,
    ports: Ports,
    /// Of each class its ports and second ports: read when all files are, as a later file may change the ports.
    written: Vec<(Written, Written)>,
    /// Names of all instructions of the files, also of those that this processor does not have.
    all: Vec<String>,
}

type Result<T> = std::result::Result<T, Diagnostic>;

impl Loader {
    fn parameters(&self) -> &[Parameter] {
        &self.processor.parameters
    }

    fn number(&self, source: &Source<'_>, entry: &Number) -> Result<u32> {
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
            arguments: file.arguments.clone(),
            registers,
            instructions: Vec::new(),
            recipes: Vec::new(),
        };
        let features = features(chain, self.parameters())?;
        self.instructions(&source, &file.instruction, own, &features)?;
        for (source, file) in chain {
            self.instructions(source, &file.instruction, (file.source.as_ref(), file.confidence), &features)?;
        }
        Ok(())
    }

    fn instructions(
        &mut self,
        source: &Source<'_>,
        entries: &[Spanned<InstructionEntry>],
        own: super::instructions::FileFact<'_>,
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
                return Err(source.error("M015", message, &entry.span()));
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

    /// Reads the ports of all classes, then doubles them where a file says so.
    fn ports(&mut self, chain: &[Layer<'_>]) -> Result<()> {
        for (n, (ports, second)) in std::mem::take(&mut self.written).into_iter().enumerate() {
            if let Some((layer, entry)) = ports {
                self.processor.classes[n].ports = self.mask(&chain[layer].0, &entry)?;
            }
            if let Some((layer, entry)) = second {
                self.processor.classes[n].second_ports = self.mask(&chain[layer].0, &entry)?;
            }
        }
        for (source, file) in chain {
            if let Some(multiply) = &file.multiply {
                let (ports, issue) = (multiply.get_ref().ports, multiply.get_ref().issue);
                let own = (file.source.as_ref(), file.confidence);
                let own = fact(multiply.get_ref().source.as_ref(), multiply.get_ref().confidence, own);
                self.multiply(source, &multiply.span(), ports, issue, &own)?;
            }
        }
        Ok(())
    }

    fn declare_ports(&mut self, source: &Source<'_>, entry: &Spanned<super::file::PortsEntry>) -> Result<()> {
        self.ports.groups.clear();
        self.processor.ports.clear();
        let mut groups: Vec<_> = entry.get_ref().groups.iter().collect();
        groups.sort_by_key(|(_, count)| count.span().start);
        for (name, count) in groups {
            let count = self.number(source, count)? as usize;
            let first = self.processor.ports.len();
            self.processor.ports.extend((0..count).map(|n| format!("{name}{n}")));
            self.ports.groups.push((name.clone(), (first..first + count).collect()));
        }
        self.check_port_count(source, &entry.span())
    }

    fn check_port_count(&self, source: &Source<'_>, span: &Range<usize>) -> Result<()> {
        let count = self.processor.ports.len();
        if count > 64 {
            return Err(source.error("M016", format!("there are {count} ports, at most 64 are possible"), span));
        }
        Ok(())
    }

    fn class(
        &mut self,
        layer: usize,
        source: &Source<'_>,
        name: &str,
        entry: &Spanned<ClassEntry>,
        own: super::instructions::FileFact<'_>,
    ) -> Result<()> {
        let (span, entry) = (entry.span(), entry.get_ref());
        let old = self.processor.classes.iter().position(|c| c.name == name);
        let mut class = old.map_or_else(
            || Class { name: name.to_owned(), slots: 1, ..Class::default() },
            |n| self.processor.classes[n].clone(),
        );
        for (field, given) in [("ports", entry.ports.is_some()), ("latency", entry.latency.is_some())] {
            if old.is_none() && !given {
                return Err(source.error("M017", format!("the class `{name}` has no `{field}`"), &span));
            }
        }
        if let Some(latency) = &entry.latency {
            class.latency = self.number(source, latency)?;
        }
        class.slots = entry.slots.unwrap_or(class.slots);
        class.meaning = entry.meaning.clone().unwrap_or(class.meaning);
        class.fact = fact(entry.source.as_ref(), entry.confidence, own);
        let n = old.unwrap_or(self.processor.classes.len());
        match old {
            Some(n) => self.processor.classes[n] = class,
            None => {
                self.processor.classes.push(class);
                self.written.push((None, None));
            }
        }
        let (ports, second) = &mut self.written[n];
        *ports = entry.ports.clone().map(|p| (layer, p)).or(ports.take());
        *second = entry.second.clone().map(|p| (layer, p)).or(second.take());
        Ok(())
    }

    /// The ports of a list: `M0` a port, `M` a group, `slot:2` the first two of a group.
    fn mask(&self, source: &Source<'_>, entry: &Spanned<toml::Value>) -> Result<u64> {
        let span = entry.span();
        let words: Vec<String> = match entry.get_ref() {
            toml::Value::String(text) => vec![text.clone()],
            toml::Value::Array(list) if list.iter().all(toml::Value::is_str) => {
                list.iter().filter_map(|v| v.as_str().map(str::to_owned)).collect()
            }
            _ => return Err(source.error("M018", "`ports` is not a list of ports", &span)),
        };
        let mut mask = 0;
        for text in words {
            for word in expand(self.parameters(), source, &text, &span)?.split_whitespace() {
                mask |= self.port(source, word, &span)?;
            }
        }
        Ok(mask)
    }

    fn port(&self, source: &Source<'_>, word: &str, span: &Range<usize>) -> Result<u64> {
        if let Some(n) = self.processor.ports.iter().position(|p| p == word) {
            return Ok(1 << n);
        }
        let (group, count) = word.split_once(':').map_or((word, None), |(group, count)| (group, Some(count)));
        let members = self.ports.groups.iter().find(|(name, _)| name == group).map(|(_, members)| members);
        let count = count.map(|c| c.parse::<usize>()).transpose().ok();
        match (members, count) {
            (Some(members), Some(count)) if count.unwrap_or(0) <= members.len() => {
                let count = count.unwrap_or(members.len());
                Ok(members[..count].iter().fold(0, |mask, n| mask | 1 << n))
            }
            (Some(members), Some(Some(count))) => {
                let message = format!("`{word}` asks for {count} of the {} ports of `{group}`", members.len());
                Err(source.error("M018", message, span))
            }
            _ => {
                let groups = self.ports.groups.iter().map(|(name, _)| name.as_str());
                let known = groups.chain(self.processor.ports.iter().map(String::as_str));
                Err(source.error("M018", format!("there is no port `{word}`"), span).help(nearest(word, known)))
            }
        }
    }

    fn bypass(
        &self,
        source: &Source<'_>,
        entry: &Spanned<BypassEntry>,
        own: super::instructions::FileFact<'_>,
    ) -> Result<Bypass> {
        let entry = entry.get_ref();
        Ok(Bypass {
            from: self.matching(source, &entry.from)?,
            output: entry.output.clone(),
            to: self.matching(source, &entry.to)?,
            operand: entry.operand.clone(),
            latency: self.number(source, &entry.latency)?,
            fact: fact(entry.source.as_ref(), entry.confidence, own),
        })
    }

    /// Classes by patterns: `MM*`, `!MM*` takes away; only such ones: away from all.
    fn matching(&self, source: &Source<'_>, patterns: &[Spanned<String>]) -> Result<Vec<usize>> {
        let classes = &self.processor.classes;
        let negative = patterns.iter().all(|p| p.get_ref().starts_with('!'));
        let mut chosen = vec![negative && !patterns.is_empty(); classes.len()];
        for pattern in patterns {
            let (word, keep) =
                pattern.get_ref().strip_prefix('!').map_or((pattern.get_ref().as_str(), true), |w| (w, false));
            let fits = |name: &str| word.strip_suffix('*').map_or(name == word, |start| name.starts_with(start));
            if !classes.iter().any(|c| fits(&c.name)) {
                let message = format!("the bypass names `{word}`, which is no class");
                let help = nearest(word, classes.iter().map(|c| c.name.as_str()));
                return Err(source.error("M019", message, &pattern.span()).help(help));
            }
            for (n, chosen) in chosen.iter_mut().enumerate() {
                *chosen = if fits(&classes[n].name) { keep } else { *chosen };
            }
        }
        Ok((0..classes.len()).filter(|n| chosen[*n]).collect())
    }

    fn rest(
        &mut self,
        source: &Source<'_>,
        file: &ProcessorFile,
        own: super::instructions::FileFact<'_>,
    ) -> Result<()> {
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
        Ok(())
    }

    /// Every port so many times: the twins of `M0` are `M0b`, `M0c`.
    fn multiply(&mut self, source: &Source<'_>, span: &Range<usize>, ports: u32, issue: u32, own: &Fact) -> Result<()> {
        let before = self.processor.ports.clone();
        let count = before.len();
        for twin in 1..ports as usize {
            let letter = char::from(b'a' + (twin % 26) as u8);
            self.processor.ports.extend(before.iter().map(|name| format!("{name}{letter}")));
            for (_, members) in &mut self.ports.groups {
                let more: Vec<usize> = members.iter().filter(|n| **n < count).map(|n| n + twin * count).collect();
                members.extend(more);
            }
        }
        self.check_port_count(source, span)?;
        let spread = |mask: u64| (0..ports as usize).fold(0, |all, twin| all | mask << (twin * count));
        for class in &mut self.processor.classes {
            (class.ports, class.second_ports) = (spread(class.ports), spread(class.second_ports));
        }
        self.processor.issue *= issue;
        self.processor.issue_fact = own.clone();
        Ok(())
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
            for class in &mut processor.classes {
                (class.ports, class.second_ports) = (0, 0);
            }
        }
        processor.resources = caps::resources(&processor.classes, &processor.ports, processor.issue);
        Ok(())
    }
}

/// The instruction set that the files of a processor name.
pub fn isa_file<'a>(isas: &'a [(String, String)], chain: &[Layer<'_>]) -> Result<(Source<'a>, IsaFile)> {
    let (first, file) = &chain[0];
    let Some(name) = &file.isa else {
        return Err(first.error("M004", "the processor has neither `isa` nor `inherits`", &(0..0)));
    };
    for (source, file) in &chain[1..] {
        if let Some(other) = file.isa.as_ref().filter(|other| other.get_ref() != name.get_ref()) {
            let message = format!("`isa` is `{}`, but what it inherits is of `{}`", other.get_ref(), name.get_ref());
            return Err(source.error("M004", message, &other.span()));
        }
    }
    let Some((known, text)) = find(isas, name.get_ref()) else {
        let message = format!("there is no instruction set `{}`", name.get_ref());
        let help = nearest(name.get_ref(), isas.iter().map(|(n, _)| n.as_str()));
        return Err(first.error("M004", message, &name.span()).help(help));
    };
    let source = Source { file: format!("isas/{known}.toml"), text };
    let read = source.read()?;
    Ok((source, read))
}

/// Which parts of an instruction set a processor has.
struct Features {
    known: Vec<String>,
    on: Vec<String>,
}

impl Features {
    /// An instruction without `feature` is always there.
    fn has(&self, source: &Source<'_>, entry: &InstructionEntry) -> Result<bool> {
        let Some(feature) = &entry.feature else { return Ok(true) };
        if self.known.is_empty() || self.known.contains(feature.get_ref()) {
            return Ok(self.on.contains(feature.get_ref()));
        }
        let message = format!("no parameter of the processor switches the feature `{}`", feature.get_ref());
        let help = nearest(feature.get_ref(), self.known.iter().map(String::as_str));
        Err(source.error("M021", message, &feature.span()).help(help))
    }
}

fn features(chain: &[Layer<'_>], parameters: &[Parameter]) -> Result<Features> {
    let mut features = Features { known: Vec::new(), on: Vec::new() };
    for (source, file) in chain {
        for (name, entry) in &file.features {
            let Some(parameter) = parameters.iter().find(|p| &p.name == name) else {
                let help = nearest(name, parameters.iter().map(|p| p.name.as_str()));
                let message = format!("there is no parameter `{name}` to switch features");
                return Err(source.error("M008", message, &entry.span()).help(help));
            };
            for (value, list) in entry.get_ref() {
                if !parameter.values.contains(value) {
                    let message = format!("`{value}` is not a value of the parameter `{name}`");
                    let help = format!("values: {}", parameter.values.join(", "));
                    return Err(source.error("M007", message, &entry.span()).help(help));
                }
                features.known.extend(list.iter().cloned());
                if *value == parameter.value {
                    features.on.extend(list.iter().cloned());
                }
            }
        }
    }
    Ok(features)
}
