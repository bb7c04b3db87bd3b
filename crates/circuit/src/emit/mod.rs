//! Circuits as source text: C, vector intrinsics, instruction streams, hardware languages, programs.
//!
//! A language is one file. It names the operations that it can write ([`lower::Basis`]); gates of other functions are
//! lowered to them, so that every circuit can be written in every language. The same circuit and options give the
//! same text.

pub mod lower;
pub mod source;

mod c;
mod c_vector;
mod equations;
mod expression;
mod ia64;
mod machine;
mod pa_risc;
mod program;
mod verilog;
mod vhdl;
mod x86;

use std::collections::BTreeMap;

use crate::fault::Fault;
use crate::text::nearest;
pub use source::Source;

/// A choice that a language leaves to its user.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// Its name.
    pub name: &'static str,
    /// The values that it takes, the default first; none: any whole number from 1, and 0 stands for the default.
    pub values: &'static [&'static str],
    /// What it does, in one line.
    pub purpose: &'static str,
}

/// The values of a language's choices.
#[derive(Clone, Debug, Default)]
pub struct Options(BTreeMap<String, String>);

impl Options {
    /// The value of a choice of words.
    #[must_use]
    pub fn word(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// The value of a choice of numbers; `None` for the default.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<usize> {
        self.0.get(name).and_then(|value| value.parse().ok()).filter(|&n| n > 0)
    }
}

/// A language that circuits are written in.
pub trait Language: Sync {
    /// Its name: `c-avx512`.
    fn name(&self) -> &'static str;

    /// What the text is, in one line.
    fn title(&self) -> &'static str;

    /// The suffix of its files, without a dot.
    fn suffix(&self) -> &'static str;

    /// What its user may choose.
    fn choices(&self) -> &'static [Choice] {
        &[]
    }

    /// The text of a circuit.
    ///
    /// # Errors
    /// `C403` for a circuit that the language's machine has not the registers for.
    fn write(&self, source: &Source, options: &Options) -> Result<String, Fault>;
}

/// Every language, in the order in which they are shown.
#[must_use]
pub fn languages() -> Vec<Box<dyn Language>> {
    vec![
        Box::new(c::C),
        Box::new(c_vector::Avx2),
        Box::new(c_vector::Avx512),
        Box::new(x86::X86),
        Box::new(ia64::Ia64),
        Box::new(pa_risc::PaRisc),
        Box::new(verilog::Verilog),
        Box::new(vhdl::Vhdl),
        Box::new(program::ProgramText),
        Box::new(equations::Equations),
    ]
}

/// The text of a circuit in a language.
///
/// # Errors
/// `C401` for an unknown language, `C402` for an option that the language does not have or a value that it does not
/// take, `C403` for a circuit that needs more registers than there are.
pub fn emit(source: &Source, language: &str, options: &BTreeMap<String, String>) -> Result<String, Fault> {
    let all = languages();
    let Some(found) = all.iter().find(|l| l.name() == language) else {
        let names: Vec<&str> = all.iter().map(|l| l.name()).collect();
        return Err(
            Fault::new("C401", format!("circuits are not written in `{language}`")).help(nearest(language, names))
        );
    };
    let options = checked(found.as_ref(), options)?;
    found.write(source, &options)
}

fn checked(language: &dyn Language, given: &BTreeMap<String, String>) -> Result<Options, Fault> {
    let choices = language.choices();
    let mut chosen: BTreeMap<String, String> =
        choices.iter().filter_map(|c| Some((c.name.to_owned(), (*c.values.first()?).to_owned()))).collect();
    for (name, value) in given {
        let Some(choice) = choices.iter().find(|c| c.name == name) else {
            let names: Vec<&str> = choices.iter().map(|c| c.name).collect();
            let message = format!("`{name}` is no option of the language {}", language.name());
            return Err(Fault::new("C402", message).help(nearest(name, names)));
        };
        let numeric = choice.values.is_empty() && value.parse::<u16>().is_ok();
        if !numeric && !choice.values.contains(&value.as_str()) {
            let known = if choice.values.is_empty() { "a whole number".to_owned() } else { choice.values.join(", ") };
            return Err(Fault::new("C406", format!("`{value}` is no value of the option `{name}`"))
                .help(format!("{}: {known}", choice.purpose)));
        }
        chosen.insert(name.clone(), value.clone());
    }
    Ok(Options(chosen))
}
