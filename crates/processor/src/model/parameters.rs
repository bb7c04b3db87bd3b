//! Settings of a model: which there are, their values, and numbers given by them.

use std::ops::Range;

use program::Diagnostic;

use super::file::{FittedEntry, Number, ParameterEntry, ProcessorFile};
use super::places::{fact, nearest, Source};
use super::{FittingData, Parameter};

/// A value as text: strings without quotes.
fn plain(value: &toml::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Adds the parameters of a file; a field that is given replaces the one inherited.
pub fn declare(parameters: &mut Vec<Parameter>, source: &Source<'_>, file: &ProcessorFile) -> Result<(), Diagnostic> {
    let mut entries: Vec<_> = file.parameters.iter().collect();
    entries.sort_by_key(|(_, entry)| entry.span().start);
    for (name, entry) in entries {
        let span = entry.span();
        let known = parameters.iter().position(|p| &p.name == name);
        let n = known.unwrap_or_else(|| {
            parameters.push(Parameter { name: name.clone(), ..Parameter::default() });
            parameters.len() - 1
        });
        merge(&mut parameters[n], entry.get_ref(), file);
        let parameter = &parameters[n];
        if parameter.values.is_empty() || parameter.meaning.is_empty() {
            let message = format!("the parameter `{name}` needs `meaning`, `default` and `values`");
            return Err(source.error("M005", message, &span));
        }
        if !parameter.values.contains(&parameter.default) {
            let message = format!("the default `{}` of `{name}` is not among its values", parameter.default);
            return Err(source.error("M028", message, &span).note(format!("values: {}", parameter.values.join(", "))));
        }
    }
    Ok(())
}

fn merge(parameter: &mut Parameter, entry: &ParameterEntry, file: &ProcessorFile) {
    if let Some(meaning) = &entry.meaning {
        parameter.meaning.clone_from(meaning);
    }
    if let Some(default) = &entry.default {
        parameter.default = plain(default);
    }
    if let Some(values) = &entry.values {
        parameter.values = values.iter().map(plain).collect();
    }
    if let Some(entries) = &entry.fitted {
        parameter.fitted = entries.iter().map(fitted).collect();
    }
    parameter.value.clone_from(&parameter.default);
    parameter.fact = fact(entry.source.as_ref(), entry.confidence, (file.source.as_ref(), file.confidence));
}

fn fitted(entry: &FittedEntry) -> FittingData {
    let FittedEntry { paper, target, ciphers, operations } = entry.clone();
    FittingData { paper, target, ciphers, operations }
}

/// Sets the values that the caller asks for.
pub fn set(parameters: &mut [Parameter], given: &[(String, String)], processor: &str) -> Result<(), Diagnostic> {
    for (name, value) in given {
        let name = name.replace('-', "_");
        let known: Vec<String> = parameters.iter().map(|p| p.name.clone()).collect();
        let Some(parameter) = parameters.iter_mut().find(|p| p.name == name) else {
            let message = format!("the processor `{processor}` has no parameter `{name}`");
            return Err(Diagnostic::new("M006", message).help(nearest(&name, known.iter().map(String::as_str))));
        };
        if !parameter.values.contains(value) {
            let message = format!("the parameter `{name}` of `{processor}` cannot be `{value}`");
            return Err(Diagnostic::new("M007", message).help(format!("values: {}", parameter.values.join(", "))));
        }
        parameter.value.clone_from(value);
    }
    Ok(())
}

/// Text with every `$parameter` replaced by its value.
pub fn expand(
    parameters: &[Parameter],
    source: &Source<'_>,
    text: &str,
    span: &Range<usize>,
) -> Result<String, Diagnostic> {
    let Some((before, rest)) = text.split_once('$') else { return Ok(text.to_owned()) };
    let length = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').len();
    let name = &rest[..length];
    match parameters.iter().find(|p| p.name == name) {
        Some(p) => Ok(format!("{before}{}{}", p.value, expand(parameters, source, &rest[length..], span)?)),
        None => {
            let known = parameters.iter().map(|p| p.name.as_str());
            let message = format!("there is no parameter `{name}`");
            Err(source.error("M008", message, span).help(nearest(name, known)))
        }
    }
}

/// A number of the file, or that of the parameter it names.
pub fn number(parameters: &[Parameter], source: &Source<'_>, number: &Number) -> Result<u32, Diagnostic> {
    let span = number.span();
    let text = match number.get_ref() {
        toml::Value::Integer(n) => n.to_string(),
        other => expand(parameters, source, &plain(other), &span)?,
    };
    text.trim().parse().map_err(|_| {
        source.error("M009", format!("`{text}` is not a number"), &span).help("write 2 or \"$parameter\"".to_owned())
    })
}
