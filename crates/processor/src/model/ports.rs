//! Ports: groups of them, the ones of a class, all of them several times.

use std::ops::Range;

use toml::Spanned;

use super::chain::{Layer, Result};
use super::load::Loader;
use super::parameters::expand;
use super::places::{fact, nearest, Source};
use crate::isa::Fact;

/// Groups of ports and their bits.
#[derive(Default)]
pub(super) struct Ports {
    pub(super) groups: Vec<(String, Vec<usize>)>,
}

/// The ports of a class as they are written, with the number of the file.
pub(super) type PortsSource = Option<(usize, Spanned<toml::Value>)>;

impl Loader {
    /// Reads the ports of all classes, then doubles them where a file says so.
    pub(super) fn ports(&mut self, chain: &[Layer<'_>]) -> Result<()> {
        for (n, (ports, second)) in std::mem::take(&mut self.written).into_iter().enumerate() {
            if let Some((layer, entry)) = ports {
                self.processor.classes[n].ports = self.mask(&chain[layer].0, &entry)?;
            }
            if let Some((layer, entry)) = second {
                self.processor.classes[n].second_ports = self.masks(&chain[layer].0, &entry)?;
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

    pub(super) fn declare_ports(
        &mut self,
        source: &Source<'_>,
        entry: &Spanned<super::file::PortsEntry>,
    ) -> Result<()> {
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

    pub(super) fn check_port_count(&self, source: &Source<'_>, span: &Range<usize>) -> Result<()> {
        let count = self.processor.ports.len();
        if count > 64 {
            return Err(source.error("M016", format!("there are {count} ports, at most 64 are possible"), span));
        }
        Ok(())
    }

    /// The ports of a list: `M0` a port, `M` a group, `slot:2` the first two of a group.
    pub(super) fn mask(&self, source: &Source<'_>, entry: &Spanned<toml::Value>) -> Result<u64> {
        let span = entry.span();
        let words: Vec<String> = match entry.get_ref() {
            toml::Value::String(text) => vec![text.clone()],
            toml::Value::Array(list) if list.iter().all(toml::Value::is_str) => {
                list.iter().filter_map(|v| v.as_str().map(str::to_owned)).collect()
            }
            _ => return Err(source.error("M048", "`ports` is not a list of ports", &span)),
        };
        let mut mask = 0;
        for text in words {
            for word in expand(self.parameters(), source, &text, &span)?.split_whitespace() {
                mask |= self.port(source, word, &span)?;
            }
        }
        Ok(mask)
    }

    /// One list of ports, or several of which an instruction takes a port each.
    fn masks(&self, source: &Source<'_>, entry: &Spanned<toml::Value>) -> Result<Vec<u64>> {
        let several = match entry.get_ref() {
            toml::Value::Array(list) if list.iter().all(toml::Value::is_array) => list.clone(),
            one => vec![one.clone()],
        };
        several.into_iter().map(|one| self.mask(source, &Spanned::new(entry.span(), one))).collect()
    }

    pub(super) fn port(&self, source: &Source<'_>, word: &str, span: &Range<usize>) -> Result<u64> {
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
                Err(source.error("M049", message, span))
            }
            _ => {
                let groups = self.ports.groups.iter().map(|(name, _)| name.as_str());
                let known = groups.chain(self.processor.ports.iter().map(String::as_str));
                Err(source.error("M018", format!("there is no port `{word}`"), span).help(nearest(word, known)))
            }
        }
    }

    /// Every port so many times: the twins of `M0` are `M0b`, `M0c`.
    pub(super) fn multiply(
        &mut self,
        source: &Source<'_>,
        span: &Range<usize>,
        ports: u32,
        issue: u32,
        own: &Fact,
    ) -> Result<()> {
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
            class.ports = spread(class.ports);
            class.second_ports.iter_mut().for_each(|mask| *mask = spread(*mask));
        }
        self.processor.issue *= issue;
        self.processor.issue_fact = own.clone();
        Ok(())
    }
}
