//! Comments that cite the lines of the cipher file, one for each group of items.

use std::collections::BTreeSet;

use program::ir::{Place, Program};

use super::module::Item;

/// Where an item comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Origin {
    /// File and line of the outermost caller: the line of the round function.
    pub outer: Option<(u16, u32)>,
    /// All lines that it was made of.
    pub lines: BTreeSet<(u16, u32)>,
}

impl Origin {
    /// The origin of an operation.
    pub fn of(places: &[Place]) -> Self {
        let lines: BTreeSet<_> = places.iter().map(|p| (p.file, p.line)).collect();
        Origin { outer: places.last().map(|p| (p.file, p.line)), lines }
    }
}

/// The items with a comment before each run of one outer line: `cipher.py:49, with lines 33-41`.
pub(super) fn commented(program: &Program, items: Vec<(Item, Origin)>) -> Vec<Item> {
    let mut result = Vec::new();
    let mut run: Vec<Item> = Vec::new();
    let mut at = Origin::default();
    for (item, origin) in items {
        if origin.outer != at.outer {
            close(program, &at, &mut run, &mut result);
            at = Origin { outer: origin.outer, lines: BTreeSet::new() };
        }
        at.lines.extend(origin.lines);
        run.push(item);
    }
    close(program, &at, &mut run, &mut result);
    result
}

fn close(program: &Program, at: &Origin, run: &mut Vec<Item>, result: &mut Vec<Item>) {
    if run.is_empty() {
        return;
    }
    if let Some(outer) = at.outer {
        let inner: BTreeSet<_> = at.lines.iter().filter(|line| **line != outer).copied().collect();
        let text = cited(program, &BTreeSet::from([outer]));
        let with = if inner.is_empty() { String::new() } else { format!(", with {}", cited(program, &inner)) };
        result.push(Item::Comment(text + &with));
    } else if !result.is_empty() {
        result.push(Item::Comment(String::new()));
    }
    result.append(run);
}

/// `cipher.py:29-32, 34; other.py:7`
pub(super) fn cited(program: &Program, lines: &BTreeSet<(u16, u32)>) -> String {
    let files: BTreeSet<u16> = lines.iter().map(|l| l.0).collect();
    let of_file = |file: u16| {
        let numbers: Vec<u32> = lines.iter().filter(|l| l.0 == file).map(|l| l.1).collect();
        let name = program.files.get(file as usize).map_or("", |name| name.as_str());
        format!("{}:{}", name.rsplit('/').next().unwrap_or(name), ranges(&numbers))
    };
    files.into_iter().map(of_file).collect::<Vec<_>>().join("; ")
}

/// `29-32, 34` of ascending numbers.
fn ranges(numbers: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &n in numbers {
        match runs.last_mut() {
            Some(run) if run.1 + 1 == n => run.1 = n,
            _ => runs.push((n, n)),
        }
    }
    let text = |&(a, b): &(u32, u32)| if a == b { a.to_string() } else { format!("{a}-{b}") };
    runs.iter().map(text).collect::<Vec<_>>().join(", ")
}
