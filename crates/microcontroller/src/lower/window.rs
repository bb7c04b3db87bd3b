//! Stores to an array of which only some rows are kept.

use std::sync::Arc;

use program::ir::{Address, OpKind, ValueId};

use super::Lowering;
use crate::assembly;
use crate::code::{Instruction, Line, Memory, Source};
use crate::select::{Bytes, SelectResult, Selector};

impl Lowering<'_> {
    /// Whether an operation stores to rows of which only some are kept.
    pub(super) fn in_window(&self, kind: &OpKind) -> bool {
        match (kind, &self.request.window) {
            (OpKind::Store(array, _, _), Some(window)) => *self.places[array] == *window.object,
            _ => false,
        }
    }

    /// Stores values of a row if it is among those kept.
    pub(super) fn window_stored(
        &mut self,
        array: ValueId,
        addresses: &[Address],
        values: &[Source],
    ) -> SelectResult<()> {
        let Some(window) = &self.request.window else { return Ok(()) };
        let number = |this: &mut Self, address: &Address| match address.affine.terms[..] {
            [] => Ok(Err(address.affine.constant)),
            _ => this.counted(&address.affine).map(Ok),
        };
        let row = number(self, &addresses[0])?;
        let column = addresses.get(1).map_or(Ok(Err(0)), |address| number(self, address))?;
        let size = self.extents(array)[1..].iter().product::<u32>();
        let ins: Bytes = row.ok().into_iter().chain(column.ok()).collect();
        let compact = |object: &str| assembly::compact(self.selector.isa, object);
        let number = row.err().map_or(0, |row| window.order[row as usize]);
        let names = [
            ("object", compact(&window.object)),
            ("first", compact(&window.first)),
            ("rows", window.rows.to_string()),
            ("number", number.to_string()),
            ("size", size.to_string()),
        ];
        let mut text = Text { selector: &mut self.selector, names, at: column.err().unwrap_or(0), lines: Vec::new() };
        let taken = [row.is_ok(), column.is_ok()];
        text.write(window.rows, size, taken, ins.len(), values.len())?;
        let lines = text.lines;
        let memory = Some(Memory { stores: true, object: Arc::from(window.object.as_str()), place: None, odd: false });
        let ins = [&ins, values].concat();
        self.selector.emit(Instruction { lines, ins, memory, ..Instruction::default() });
        Ok(())
    }
}

/// The lines of a store while they are collected.
struct Text<'s, 'a> {
    selector: &'s mut Selector<'a>,
    /// What templates name.
    names: [(&'static str, String); 5],
    /// The column, if it is known.
    at: i64,
    lines: Vec<Line>,
}

impl Text<'_, '_> {
    /// Writes a store of values behind `ins` places, of which the first are row and column if they are `taken` from there.
    fn write(&mut self, rows: u32, size: u32, taken: [bool; 2], ins: usize, values: usize) -> SelectResult<()> {
        let templates = &self.selector.templates().window;
        self.add(&templates.begin, 0, 0)?;
        self.add(std::slice::from_ref(if taken[0] { &templates.value } else { &templates.number }), 0, 0)?;
        self.add(&templates.test, 0, 0)?;
        match &templates.only {
            Some(only) if rows == 1 && !taken[1] => {
                for n in 0..values {
                    self.add(std::slice::from_ref(only), ins + n, n)?;
                }
            }
            _ => {
                self.add(&templates.row, 0, 0)?;
                for _ in 0..if rows > 1 { size.ilog2() } else { 0 } {
                    self.add(&templates.double, 0, 0)?;
                }
                if taken[1] {
                    self.add(&templates.column, ins - 1, 0)?;
                }
                self.add(&templates.base, 0, 0)?;
                for n in 0..values {
                    self.add(if n == 0 { &templates.first } else { &templates.next }, ins + n, n)?;
                }
            }
        }
        self.add(std::slice::from_ref(&templates.end), 0, 0)
    }

    /// Lines with a place for `$value`, so many bytes behind the column.
    fn add(&mut self, templates: &[String], place: usize, distance: usize) -> SelectResult<()> {
        let (value, at) = (format!("{{{place}}}"), (self.at + distance as i64).to_string());
        let distance = distance.to_string();
        let names = self.names.iter().map(|(name, text)| (*name, text.as_str()));
        let with: Vec<_> = names.chain([("value", &*value), ("at", &*at), ("distance", &*distance)]).collect();
        self.lines.extend(self.selector.filled(templates, &with)?);
        Ok(())
    }
}
