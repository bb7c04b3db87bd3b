//! The files that a processor is made of.

use program::Diagnostic;

use super::file::{IsaFile, ProcessorFile};
use super::places::{nearest, Source};

/// What reading a file gives.
pub type Result<T> = std::result::Result<T, Diagnostic>;

pub fn find<'a>(files: &'a [(String, String)], name: &str) -> Option<&'a (String, String)> {
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

/// The instruction set that the files of a processor name.
pub fn isa_file<'a>(isas: &'a [(String, String)], chain: &[Layer<'_>]) -> Result<(Source<'a>, IsaFile)> {
    let (first, file) = &chain[0];
    let Some(name) = &file.isa else {
        return Err(first.error("M026", "the processor has neither `isa` nor `inherits`", &(0..0)));
    };
    for (source, file) in &chain[1..] {
        if let Some(other) = file.isa.as_ref().filter(|other| other.get_ref() != name.get_ref()) {
            let message = format!("`isa` is `{}`, but what it inherits is of `{}`", other.get_ref(), name.get_ref());
            return Err(source.error("M027", message, &other.span()));
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
