//! The option `function` of a pass: keep to functions whose names are joined by `+`.

use super::Settings;
use crate::diagnostic::Diagnostic;
use crate::ir::{Function, Program};
use crate::roles;

/// Which functions a pass works on.
pub struct FunctionFilter<'a> {
    names: Option<Vec<&'a str>>,
}

impl<'a> FunctionFilter<'a> {
    /// Reads the option; an operation that a program lacks is left out, since not every cipher decrypts, and a permutation makes
    /// no keys.
    ///
    /// # Errors
    /// `S015` if no function of the program is named and one of the names is no operation of any cipher.
    pub fn of(settings: &'a Settings<'_>, program: &Program) -> Result<Self, Diagnostic> {
        let names: Option<Vec<&str>> = settings.options.get("function").map(|f| f.split('+').collect());
        let only = FunctionFilter { names };
        let lacking = only.names.iter().flatten().all(|name| roles::is_role(name));
        if program.functions.iter().any(|f| only.includes(&f.name)) || program.functions.is_empty() || lacking {
            return Ok(only);
        }
        let known: Vec<&str> = program.functions.iter().map(|f| f.name.as_str()).collect();
        let asked = only.names.unwrap_or_default().join("+");
        Err(Diagnostic::new("S015", format!("the option `function` of a pass names no function: `{asked}`"))
            .help(format!("known: {}", known.join(", "))))
    }

    /// Whether the pass works on the function of this name.
    #[must_use]
    pub fn includes(&self, name: &str) -> bool {
        self.names.as_ref().map_or(true, |names| names.iter().any(|role| roles::means(role, name)))
    }

    /// The functions to work on.
    pub fn functions<'p>(&'p self, program: &'p mut Program) -> impl Iterator<Item = &'p mut Function> {
        program.functions.iter_mut().filter(|f| self.includes(&f.name))
    }
}
