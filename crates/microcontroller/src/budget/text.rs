//! Functions, objects in RAM and tables before they are written.

use std::collections::BTreeSet;

use program::Diagnostic;

use super::record::PlacementRecord;
use super::BudgetRecord;
use crate::function::Function;
use crate::isa::Isa;

/// Functions, objects and tables; everything of one name is there once.
#[derive(Clone, Debug, Default)]
pub struct Text {
    /// Functions in order.
    pub functions: Vec<Function>,
    /// Objects in RAM, with their bytes.
    pub objects: Vec<(String, u32)>,
    /// Tables that are read.
    pub tables: Vec<(String, Vec<u8>)>,
    /// Objects that lie in the bytes of another one, and which.
    pub inside: Vec<(String, String)>,
}

/// Objects in the order in which they lie: those that are far as they came, or as those that have to be near.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// Those that short addresses reach.
    pub near: Vec<String>,
    /// The others.
    pub far: Vec<String>,
}

impl Text {
    /// Notes an object of at least a size.
    pub fn object(&mut self, name: &str, bytes: u32) {
        let whole = self.inside.iter().find(|(inner, _)| inner == name).map_or(name, |(_, whole)| whole.as_str());
        match self.objects.iter_mut().find(|(known, _)| known == whole) {
            Some((_, known)) => *known = bytes.max(*known),
            None => self.objects.push((whole.to_owned(), bytes)),
        }
    }

    /// An object and those in its bytes.
    #[must_use]
    pub fn labels(&self, name: &str) -> Vec<String> {
        let inside = self.inside.iter().filter(|(_, whole)| whole == name).map(|(inner, _)| inner.clone());
        std::iter::once(name.to_owned()).chain(inside).collect()
    }

    /// Adds a function, or puts it in the place of the one of its name.
    pub fn add(&mut self, function: Function) {
        match self.functions.iter_mut().find(|known| known.name == function.name) {
            Some(known) => *known = function,
            None => self.functions.push(function),
        }
    }

    /// Adds tables.
    pub fn add_tables(&mut self, tables: &[(String, Vec<u8>)]) {
        for (name, data) in tables {
            match self.tables.iter_mut().find(|(known, _)| known == name) {
                Some((_, known)) => known.clone_from(data),
                None => self.tables.push((name.clone(), data.clone())),
            }
        }
    }

    /// Both texts as one; what has the same name is the same.
    #[must_use]
    pub fn joined(&self, other: &Text) -> Text {
        let mut both = Text { inside: Vec::new(), ..self.clone() };
        other.functions.iter().for_each(|function| both.add(function.clone()));
        other.objects.iter().for_each(|(name, bytes)| both.object(name, *bytes));
        both.add_tables(&other.tables);
        both
    }

    /// Bytes of all objects.
    #[must_use]
    pub fn ram(&self) -> u32 {
        self.objects.iter().map(|(_, bytes)| bytes).sum()
    }

    /// Where the objects lie; nothing if they find no room.
    #[must_use]
    pub fn placement(&self, record: &BudgetRecord) -> Option<Placement> {
        let Some(rule) = &record.objects else {
            let near = self.objects.iter().map(|(name, _)| name.clone()).collect();
            return Some(Placement { near, far: Vec::new() });
        };
        let rank = |name: &str| rule.order.iter().position(|end| name.ends_with(end)).unwrap_or(rule.order.len());
        let mut sorted: Vec<_> = self.objects.iter().map(|(name, bytes)| (rank(name), *bytes, name)).collect();
        sorted.sort_by_key(|(rank, bytes, _)| (*rank, *bytes));
        let mut found = Placement::default();
        let mut left = rule.near;
        for (rank, bytes, name) in sorted {
            let bytes = bytes.next_multiple_of(record.object_multiple);
            let near = rule.always_near.map_or(bytes <= left, |count| rank < count);
            left = if near { left.checked_sub(bytes)? } else { left };
            if near { &mut found.near } else { &mut found.far }.push(name.clone());
        }
        if rule.always_near.is_none() {
            let far = self.objects.iter().map(|(name, _)| name).filter(|name| !found.near.contains(name));
            found.far = far.cloned().collect();
        }
        rule.all.map_or(true, |all| self.ram() <= all).then_some(found)
    }

    /// The functions with addresses that reach, their objects near or far.
    #[must_use]
    pub fn addressed(&self, rule: Option<&PlacementRecord>, placement: &Placement) -> Vec<Function> {
        if rule.map_or(true, |rule| rule.always_near.is_some()) {
            return self.functions.clone();
        }
        let near: BTreeSet<String> = placement.near.iter().flat_map(|name| self.labels(name)).collect();
        self.functions.iter().map(|function| function.addressed(&near)).collect()
    }

    /// Bytes of code and tables; nothing if the objects find no room.
    ///
    /// # Errors
    /// `E131`: a function has an instruction that is not known.
    pub fn bytes(&self, isa: &Isa, record: &BudgetRecord) -> Result<Option<u32>, Diagnostic> {
        let Some(placement) = self.placement(record) else { return Ok(None) };
        let mut code = 0;
        for function in self.addressed(record.objects.as_ref(), &placement) {
            code += function.reaching(isa)?.bytes(isa)? as u32;
        }
        let tables = self.tables.iter().map(|(_, data)| (data.len() as u32).next_multiple_of(record.table_multiple));
        Ok(Some(code + record.table_gap + tables.sum::<u32>()))
    }
}
