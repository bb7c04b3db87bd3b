//! Recipes from their records.

use program::Diagnostic;
use toml::Spanned;

use super::file::RecipeEntry;
use super::instructions::{syntax, FileFact};
use super::places::{fact, nearest, Source};
use crate::isa::Recipe;
use crate::semantics;

/// A recipe; `None` if a step needs an instruction that is known, but that this processor does not have.
pub fn recipe(
    source: &Source<'_>,
    entry: &Spanned<RecipeEntry>,
    here: &[String],
    known: &[String],
    file: FileFact<'_>,
) -> Result<Option<Recipe>, Diagnostic> {
    let entry = entry.get_ref();
    semantics::parse_expression(entry.computes.get_ref()).map_err(|error| {
        let what = format!("what the recipe `{}` computes", entry.name);
        syntax(source, &what, &entry.computes.span(), &error)
    })?;
    let mut complete = true;
    for step in &entry.steps {
        let name = mnemonic(step.get_ref());
        if !known.iter().any(|k| k == name) {
            let message = format!("the recipe `{}` uses `{name}`, which is no instruction", entry.name);
            let help = nearest(name, known.iter().map(String::as_str));
            return Err(source.error("M013", message, &step.span()).help(help));
        }
        complete &= here.iter().any(|k| k == name);
    }
    let recipe = Recipe {
        name: entry.name.clone(),
        computes: entry.computes.get_ref().clone(),
        steps: entry.steps.iter().map(|s| s.get_ref().clone()).collect(),
        fact: fact(entry.source.as_ref(), entry.confidence, file),
    };
    Ok(complete.then_some(recipe))
}

/// The name of the instruction in `t = dep.z x, 32, 32`.
fn mnemonic(step: &str) -> &str {
    let after = step.split_once('=').map_or(step, |(_, right)| right);
    after.split_whitespace().next().unwrap_or("")
}
