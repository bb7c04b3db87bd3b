//! One function of the program as one function of the language.

use std::collections::{BTreeMap, HashMap};

use program::builder::author_name;
use program::ir::{Function, Operand, Place, Program, Shift, Type, ValueId};
use program::walk::count_ops;

use super::arrays::{Home, Plan};
use super::expr::Expr;
use super::facts::{Facts, Use};
use super::index::Indices;
use super::language::{Language, Place as Location, Shape, ROTATED};
use super::names::{identifier, Names};
use super::unit::Unit;
use super::words::array_of;

/// Longest expression that is written inside another.
const INLINE_LIMIT: usize = 64;
/// Numbers from here on stand for variables that loops change, beside storages, in [`Expr::reads`].
pub const VARIABLES: usize = 1 << 32;

/// Writes one function.
pub struct Writer<'a, 'u> {
    /// The program it belongs to.
    pub program: &'a Program,
    /// The function.
    pub function: &'a Function,
    /// The file it goes into.
    pub unit: &'u mut Unit,
    /// What it is written in.
    pub language: &'static dyn Language,
    /// Which array holds which value.
    pub plan: Plan,
    /// Uses and definitions.
    pub facts: Facts<'a>,
    /// Counters in scope.
    pub indices: Indices,
    names: Names,
    expressions: HashMap<ValueId, Expr>,
    pending: BTreeMap<ValueId, Expr>,
    /// Where the storages begin, then the places of results.
    locations: Vec<Location>,
    /// Blocks are parts of longer arrays.
    offsets: bool,
    lines: Vec<String>,
    depth: usize,
    place: Option<(u16, u32)>,
    comment: Option<(u16, u32)>,
    variables: usize,
    /// How many operations the function has.
    operations: usize,
    /// Rotations of 32 bits by numbers so far.
    rotations: usize,
    /// Whether one is spelled out.
    spelled: bool,
}

/// The emitted text of a function: its head (without `;` or body) and its body in braces.
pub struct FunctionText {
    /// `static void encrypt(…)`, without a brace.
    pub head: String,
    /// The lines in braces.
    pub body: String,
}

impl<'a, 'u> Writer<'a, 'u> {
    /// Writes `function` as the function `name` of the file; with `offsets`, its last parameter and its
    /// results are parts of longer arrays if they are bytes.
    pub fn write(
        program: &'a Program,
        function: &'a Function,
        name: &str,
        offsets: bool,
        unit: &'u mut Unit,
    ) -> FunctionText {
        let mut names = unit.names.clone();
        unit.helpers.names().for_each(|n| names.reserve(n));
        let mut writer = Writer {
            program,
            function,
            language: unit.language,
            offsets,
            unit,
            plan: Plan::new(function),
            facts: Facts::new(function),
            indices: Indices::default(),
            names,
            expressions: HashMap::new(),
            pending: BTreeMap::new(),
            locations: Vec::new(),
            lines: Vec::new(),
            depth: 1,
            place: None,
            comment: None,
            variables: VARIABLES,
            operations: count_ops(&function.body),
            rotations: 0,
            spelled: false,
        };
        let head = writer.head(name);
        writer.name_storages();
        writer.unused_parameters();
        writer.operations(&function.body);
        writer.results();
        if writer.spelled {
            writer.lines.insert(0, format!("    {}\n", writer.language.variable(ROTATED, 32, "0")));
        }
        FunctionText { head, body: format!("{{\n{}}}\n", writer.lines.concat()) }
    }

    fn head(&mut self, name: &str) -> String {
        let mut parameters = Vec::new();
        for &p in &self.function.params {
            let data = &self.function.values[p.0 as usize];
            let name = self.names.fresh(&data.name);
            self.expressions.insert(p, Expr::primary(name.clone()));
            parameters.push(match array_of(&data.ty) {
                Some(a) => {
                    let shape = Shape { width: a.width, length: a.len() };
                    let is_block = self.function.params.last() == Some(&p);
                    let location = if is_block { self.location(name, shape.width) } else { Location::whole(name) };
                    self.locations.push(location.clone());
                    self.language.array_parameter(&location, shape, false)
                }
                None => self.language.word_parameter(&name, data.ty.width()),
            });
        }
        let returned = returned_word(self.function);
        if returned.is_none() {
            parameters.extend(self.result_parameters());
        }
        self.language.head(self.unit.linkage, name, &parameters, returned)
    }

    /// Where a block begins: in functions whose blocks are parts of longer arrays, at an offset.
    fn location(&mut self, name: String, width: u8) -> Location {
        let offset =
            if self.offsets && width == 8 { self.names.fresh(&format!("{name}Offset")) } else { String::new() };
        Location { name, offset }
    }

    fn unused_parameters(&mut self) {
        for &p in self.function.params.iter().filter(|&&p| !self.facts.is_used(p)).collect::<Vec<_>>() {
            if let Some(text) = self.language.unused(&self.expressions[&p].text) {
                self.line(&text);
            }
        }
    }

    fn result_parameters(&mut self) -> Vec<String> {
        let mut parameters = Vec::new();
        for (n, ty) in self.function.results.iter().enumerate() {
            let name = self.result_name(n);
            let location = match array_of(ty) {
                Some(a) => self.location(name, a.width),
                None => Location::whole(name),
            };
            parameters.push(match array_of(ty) {
                Some(a) => {
                    let shape = Shape { width: a.width, length: a.len() };
                    self.language.array_parameter(&location, shape, true)
                }
                None => self.language.word_result(&location.name, ty.width()),
            });
            self.locations.push(location);
        }
        parameters
    }

    fn result_name(&mut self, n: usize) -> String {
        let named = match self.function.body.outputs[n] {
            Operand::Value(v) if array_of(&self.function.results[n]).is_some() => {
                author_name(&self.function.values[v.0 as usize].name).to_owned()
            }
            _ => String::new(),
        };
        let plain = named.is_empty() || named.chars().all(|c| c.is_ascii_digit());
        self.names.fresh(if plain { "out" } else { &named })
    }

    fn name_storages(&mut self) {
        let mut locations = std::mem::take(&mut self.locations);
        let arrays = self.plan.storages.iter().filter(|s| s.home == Home::Parameter).count();
        let results = locations.split_off(arrays);
        let mut parameters = locations.into_iter();
        let mut chosen = Vec::new();
        for storage in &self.plan.storages {
            let fresh = |names: &mut Names| names.fresh(&self.function.values[storage.named_after.0 as usize].name);
            let found = match storage.home {
                Home::Parameter => parameters.next(),
                Home::Result(n) => Some(results[n].clone()),
                Home::Local => None,
            };
            chosen.push(found.unwrap_or_else(|| Location::whole(fresh(&mut self.names))));
        }
        self.locations = chosen;
        self.locations.extend(results);
    }

    /// Where the n-th result goes.
    fn result_location(&self, n: usize) -> &Location {
        &self.locations[self.plan.storages.len() + n]
    }

    /// Where a storage begins.
    #[must_use]
    pub fn storage(&self, storage: usize) -> &Location {
        &self.locations[storage]
    }

    /// The shape of a storage.
    #[must_use]
    pub fn shape(&self, storage: usize) -> Shape {
        let ty = &self.plan.storages[storage].ty;
        Shape { width: ty.width, length: ty.len() }
    }

    fn results(&mut self) {
        let outputs = self.function.body.outputs.clone();
        if let Some(width) = returned_word(self.function) {
            let value = self.take_text(outputs[0], width);
            self.line(&format!("return {value};"));
            return;
        }
        for (n, output) in outputs.into_iter().enumerate() {
            match array_of(&self.function.results[n]) {
                None => {
                    let value = self.take_text(output, self.function.results[n].width());
                    let text = self.language.give(&self.result_location(n).name, &value);
                    self.line(&text);
                }
                Some(_) => self.array_result(n, output),
            }
        }
    }

    fn array_result(&mut self, n: usize, output: Operand) {
        let Operand::Value(v) = output else { return };
        let storage = self.plan.of(v);
        if self.plan.storages[storage].home != Home::Result(n) {
            let (to, from) = (self.result_location(n).clone(), self.storage(storage).clone());
            self.copy_array(&to, &from, storage);
        }
    }

    /// Copies a whole array of the shape of `storage`.
    pub fn copy_array(&mut self, to: &Location, from: &Location, storage: usize) {
        self.unit.uses_memcpy = true;
        let text = self.language.copy(to, from, self.shape(storage));
        self.line(&text);
    }

    // ---- lines ----

    /// Adds a line, with the place in the author's text when it changed.
    pub fn line(&mut self, text: &str) {
        let indent = "    ".repeat(self.depth);
        let comment = match self.place {
            Some(place) if self.comment != Some(place) => {
                self.comment = self.place;
                let file = self.program.files.get(usize::from(place.0)).map_or("", String::as_str);
                format!("  {}", self.language.comment(&format!("{file}:{}", place.1)))
            }
            _ => String::new(),
        };
        self.lines.push(format!("{}{comment}\n", folded(&format!("{indent}{text}"), &indent)));
    }

    /// Opens braces: `for (…) {`.
    pub fn open(&mut self, text: &str) {
        self.place = None;
        self.line(text);
        self.depth += 1;
    }

    /// Closes braces; `text` is `}` or `} else {`, …
    pub fn close(&mut self, text: &str) {
        self.depth -= 1;
        self.place = None;
        self.line(text);
        self.comment = None;
    }

    /// One level more of indentation, after `} else {`.
    pub fn deepen(&mut self) {
        self.depth += 1;
    }

    /// Makes following lines belong to a place in the author's text.
    pub fn at(&mut self, places: &[Place]) {
        self.place = places.first().map(|p| (p.file, p.line));
    }

    // ---- values ----

    /// A fresh identifier for a value.
    pub fn fresh(&mut self, value: ValueId) -> String {
        let name = self.function.values[value.0 as usize].name.clone();
        self.names.fresh(&name)
    }

    /// A fresh identifier.
    pub fn fresh_name(&mut self, name: &str) -> String {
        self.names.fresh(name)
    }

    /// A new number for a variable that a loop changes.
    pub fn new_variable(&mut self) -> usize {
        self.variables += 1;
        self.variables
    }

    /// Says what stands for a value.
    pub fn set(&mut self, value: ValueId, expression: Expr) {
        self.expressions.insert(value, expression);
    }

    /// Width of a word value.
    #[must_use]
    pub fn width(&self, value: ValueId) -> u8 {
        self.function.values[value.0 as usize].ty.width()
    }

    /// The expression of an operand; one that waited to be written where it is used is taken out.
    pub fn take(&mut self, operand: Operand) -> Expr {
        match operand {
            Operand::Const(number) => self.language.number(number),
            Operand::Value(v) => self.take_value(v),
        }
    }

    /// The text of an operand as the value of a variable, argument or result of its width.
    pub fn take_text(&mut self, operand: Operand, width: u8) -> String {
        let value = self.take(operand);
        self.language.value(&value, width)
    }

    /// See [`Writer::take`].
    pub fn take_value(&mut self, v: ValueId) -> Expr {
        self.pending.remove(&v).unwrap_or_else(|| self.expressions[&v].clone())
    }

    /// What `take_value` will give.
    pub fn seen_value(&self, v: ValueId) -> &Expr {
        self.pending.get(&v).unwrap_or_else(|| &self.expressions[&v])
    }

    /// Defines a value: written where it is used if it is used once and nearby, else as a constant of its name.
    pub fn define(&mut self, value: ValueId, expression: Expr) {
        if !self.facts.is_used(value) {
            return;
        }
        if expression.constant.is_some() {
            self.expressions.insert(value, expression);
            return;
        }
        let inline = match self.facts.single_use(value) {
            Some(Use::Element) => true,
            Some(Use::Operation) => !self.keeps_name(value),
            None => false,
        };
        if inline && expression.text.len() <= INLINE_LIMIT {
            self.pending.insert(value, expression);
        } else {
            self.declare(value, &expression);
        }
    }

    /// Whether the author's name of a value says something: it has one, and what is made of it has another.
    fn keeps_name(&self, value: ValueId) -> bool {
        let author = |v: ValueId| author_name(&self.function.values[v.0 as usize].name);
        let name = author(value);
        let is_number = name.chars().all(|c| c.is_ascii_digit());
        !is_number && self.facts.user(value).map(author) != Some(name)
    }

    fn declare(&mut self, value: ValueId, expression: &Expr) {
        let (name, width) = (self.fresh(value), self.width(value));
        let text = self.language.constant(&name, width, &self.language.value(expression, width));
        self.line(&text);
        self.expressions.insert(value, Expr::primary(name));
    }

    /// Writes out every waiting expression that reads something that `changes` names.
    pub fn flush(&mut self, changes: &dyn Fn(&Plan, usize) -> bool) {
        let plan = &self.plan;
        let chosen: Vec<ValueId> =
            self.pending.iter().filter(|(_, e)| e.reads.iter().any(|&r| changes(plan, r))).map(|(&v, _)| v).collect();
        for value in chosen {
            if let Some(expression) = self.pending.remove(&value) {
                self.declare(value, &expression);
            }
        }
    }

    /// Writes out what a write to a storage would change.
    pub fn flush_before_write(&mut self, storage: usize) {
        self.flush(&|plan, read| read < VARIABLES && plan.may_alias(storage, read));
    }

    /// A rotation by a number, spelled out where the language wants it.
    pub fn rotation(&mut self, value: &Expr, shift: Shift, amount: u64, width: u8) -> Expr {
        if width == 32 && amount > 0 {
            self.rotations += 1;
            let place = (self.rotations, self.operations);
            if let Some(spelled) = self.language.spelled_rotation(value, shift, amount, place) {
                self.spelled = true;
                return spelled;
            }
        }
        self.language.shift(value, shift, amount, width, &mut self.unit.helpers)
    }

    /// Gives an expression a name of its own.
    pub fn hoist(&mut self, expression: &Expr, wanted: &str, width: u8) -> Expr {
        let name = self.names.fresh(&identifier(wanted));
        let text = self.language.constant(&name, width, &self.language.value(expression, width));
        self.line(&text);
        Expr::primary(name)
    }
}

/// The width of the word that the function can return: the function's only result, if that is a word.
#[must_use]
pub fn returned_word(function: &Function) -> Option<u8> {
    match function.results.as_slice() {
        [Type::Word(w)] => Some(*w),
        _ => None,
    }
}

/// Breaks a line longer than 110 columns after commas and operators.
fn folded(line: &str, indent: &str) -> String {
    const LIMIT: usize = 110;
    if line.len() <= LIMIT {
        return line.to_owned();
    }
    let mut result = String::new();
    let mut rest = line.to_owned();
    while rest.len() > LIMIT {
        let Some(cut) = rest[..LIMIT].rfind(' ').filter(|&c| c > indent.len() + 8) else { break };
        result += rest[..cut].trim_end();
        result.push('\n');
        rest = format!("{indent}    {}", &rest[cut + 1..]);
    }
    result + &rest
}
