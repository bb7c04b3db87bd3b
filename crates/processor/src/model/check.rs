//! Contradictions in a model that can be loaded all the same.

use program::Diagnostic;

use super::load::load;

/// What is wrong with a processor's files, in the order of the files; an error of [`load`] ends the search.
///
/// # Errors
/// None: what is wrong is what is returned.
#[must_use]
pub fn check(isas: &[(String, String)], processors: &[(String, String)], name: &str) -> Vec<Diagnostic> {
    match load(isas, processors, name, &[]) {
        Err(error) => vec![error],
        Ok(_) => Vec::new(),
    }
}
