//! Parts of an instruction set that parameters switch on.

use std::collections::BTreeSet;

use super::chain::{Layer, Result};
use super::file::InstructionEntry;
use super::places::{nearest, Source};
use super::Parameter;

/// Which parts of an instruction set a processor has.
pub struct Features {
    known: Vec<String>,
    on: Vec<String>,
}

impl Features {
    /// An instruction without `feature` is always there.
    pub fn has(&self, source: &Source<'_>, entry: &InstructionEntry) -> Result<bool> {
        let Some(feature) = &entry.feature else { return Ok(true) };
        if self.known.is_empty() || self.known.contains(feature.get_ref()) {
            return Ok(self.on.contains(feature.get_ref()));
        }
        let message = format!("no parameter of the processor switches the feature `{}`", feature.get_ref());
        let known: BTreeSet<&str> = self.known.iter().map(String::as_str).collect();
        let help = nearest(feature.get_ref(), known);
        Err(source.error("M021", message, &feature.span()).help(help))
    }
}

/// The features of a processor with these settings.
pub fn features(chain: &[Layer<'_>], parameters: &[Parameter]) -> Result<Features> {
    let mut features = Features { known: Vec::new(), on: Vec::new() };
    for (source, file) in chain {
        for (name, entry) in &file.features {
            let Some(parameter) = parameters.iter().find(|p| &p.name == name) else {
                let help = nearest(name, parameters.iter().map(|p| p.name.as_str()));
                let message = format!("there is no parameter `{name}` to switch features");
                return Err(source.error("M030", message, &entry.span()).help(help));
            };
            for (value, list) in entry.get_ref() {
                if !parameter.values.contains(value) {
                    let message = format!("`{value}` is not a value of the parameter `{name}`");
                    let help = format!("values: {}", parameter.values.join(", "));
                    return Err(source.error("M029", message, &entry.span()).help(help));
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
