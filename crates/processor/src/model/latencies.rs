//! Classes and the latencies between them.

use toml::Spanned;

use super::chain::Result;
use super::file::{BypassEntry, ClassEntry};
use super::instructions::FileFact;
use super::load::Loader;
use super::places::{fact, nearest, Source};
use super::{Bypass, Class};

impl Loader {
    pub(super) fn class(
        &mut self,
        layer: usize,
        source: &Source<'_>,
        name: &str,
        entry: &Spanned<ClassEntry>,
        own: FileFact<'_>,
    ) -> Result<()> {
        let (span, entry) = (entry.span(), entry.get_ref());
        let old = self.processor.classes.iter().position(|c| c.name == name);
        let mut class = old.map_or_else(
            || Class { name: name.to_owned(), slots: 1, held: 1, ..Class::default() },
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
        if let Some(held) = &entry.held {
            class.held = self.number(source, held)?.max(1);
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

    pub(super) fn bypass(
        &self,
        source: &Source<'_>,
        entry: &Spanned<BypassEntry>,
        own: FileFact<'_>,
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
    pub(super) fn matching(&self, source: &Source<'_>, patterns: &[Spanned<String>]) -> Result<Vec<usize>> {
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
}
