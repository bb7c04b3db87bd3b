//! A function as code: parts of straight-line code, each with steps of its own, and what counts the iterations of loops.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use program::ir::{Function, OpKind, Program, ValueId};
use program::Diagnostic;

use super::build::{as_array, type_of, Result};
use super::code::{Item, PlacedItem};
use super::counters::{counters, Counter};
use super::graph::{Graph, Kind, Object, Places};
use super::instruction::{Instruction, Memory, Opcode, Operand, COUNTER};
use super::region::{self, Layout, Place};
use super::regions::{array_type, as_value, has_loops, regions, straights, Region, Regions};
use super::select::{select, Surroundings};
use super::steps::{tail, Body, Steps, ANY};
use super::straight;

/// Registers that hold words from iteration to iteration, those without bytes first: `%esi`, `%edi`, `%ebx`; three are
/// left to the rest.
pub const KEEPERS: [u8; 3] = [6, 7, 3];
/// Arrays between regions begin at multiples of so many bytes.
const ALIGNMENT: i64 = 32;

/// Straight-line code.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its steps.
    pub steps: Steps,
    /// How often it runs.
    pub runs: i64,
    /// The counter of the loop around, if that is in a register: the part is the whole body then.
    pub counter: Option<Counter>,
    /// Registers that hold words between regions, most wanted first: cell, register.
    pub fixed: Vec<(i64, u8)>,
}

impl Part {
    /// What the part is the body of.
    #[must_use]
    pub fn body(&self) -> Option<Body> {
        let taken = self.fixed.iter().fold(1 << COUNTER, |taken, (_, register)| taken | 1 << register);
        self.counter.map(|counter| Body { registers: ANY & !taken, step: counter.step })
    }
}

/// A piece of a function, in the order of the text.
#[derive(Clone, Debug)]
enum Piece {
    /// A part, by its number.
    Part(usize),
    /// A loop: instructions before it, its counter, where that is, its number, its body, instructions behind it, where it
    /// comes from.
    Loop {
        before: Vec<Instruction>,
        counter: Counter,
        place: Operand,
        number: usize,
        body: Vec<Piece>,
        after: Vec<Instruction>,
        places: Places,
    },
}

/// Where the caller's objects lie, by their numbers.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    /// Parameters.
    pub parameters: Vec<Place>,
    /// Results.
    pub results: Vec<Place>,
    /// Tables of the program.
    pub tables: Vec<Place>,
    /// An object for arrays and words between regions.
    pub work: Arc<str>,
}

impl Objects {
    fn places(&self) -> HashMap<Object, Place> {
        let number = |places: &[Place], object: fn(usize) -> Object| -> Vec<(Object, Place)> {
            places.iter().enumerate().map(|(k, place)| (object(k), place.clone())).collect()
        };
        let parameters = number(&self.parameters, Object::Parameter);
        let results = number(&self.results, Object::Result);
        parameters.into_iter().chain(results).chain(number(&self.tables, Object::Table)).collect()
    }
}

/// A function before its steps have an order.
#[derive(Clone, Debug)]
pub struct SelectedFunction {
    /// Straight-line code in the order of the text.
    pub parts: Vec<Part>,
    /// Bytes of arrays and words between regions.
    pub work: i64,
    /// The numbers of the tables that are looked up.
    pub tables: Vec<usize>,
    pieces: Vec<Piece>,
}

impl SelectedFunction {
    /// Whether it is one part without loops.
    #[must_use]
    pub fn is_straight(&self) -> bool {
        matches!(self.pieces[..], [Piece::Part(_)])
    }

    /// The code, of the code of each part; labels are `label` and the loops' numbers.
    #[must_use]
    pub fn code(&self, parts: &[Vec<PlacedItem>], label: &str) -> Vec<PlacedItem> {
        let mut items = Vec::new();
        write(&self.pieces, parts, label, &mut items);
        items
    }
}

fn write(pieces: &[Piece], parts: &[Vec<PlacedItem>], label: &str, out: &mut Vec<PlacedItem>) {
    for piece in pieces {
        match piece {
            Piece::Part(number) => out.extend(parts[*number].iter().cloned()),
            Piece::Loop { before, counter, place, number, body, after, places } => {
                let of_loop = |item| PlacedItem { item, places: places.clone() };
                let line = |one| of_loop(Item::Instruction(one));
                let label_of = format!("{label}_{number}");
                out.extend(before.iter().cloned().map(line));
                let start = [place.clone(), Operand::Immediate(counter.start())];
                out.push(line(Instruction::new(Opcode::Mov, start)));
                out.push(of_loop(Item::Label(label_of.as_str().into())));
                write(body, parts, label, out);
                out.extend(tail(place, counter.step, &label_of).map(line));
                out.extend(after.iter().cloned().map(line));
            }
        }
    }
}

/// Selects a function; so many `words` of an innermost loop stay in registers from iteration to iteration.
///
/// # Errors
/// X101 to X107: something of the program that there is no way for yet.
pub fn selected(program: &Program, function: &Function, objects: &Objects, words: usize) -> Result<SelectedFunction> {
    if has_loops(function) {
        return looped(program, function, objects, words);
    }
    match straight_line(program, function, objects) {
        // Arrays that are values have no place for an index that is not known; those in memory have.
        Err(error) if error.code == "X103" => looped(program, function, objects, words).map_err(|_| error),
        done => done,
    }
}

/// A function without loops as one part: arrays are values, but for those of the caller.
fn straight_line(program: &Program, function: &Function, objects: &Objects) -> Result<SelectedFunction> {
    let places = objects.places();
    let mut same = HashMap::new();
    for result in 0..function.results.len() {
        for parameter in 0..function.params.len() {
            if objects.parameters[parameter].0 == objects.results[result].0 {
                same.insert(Object::Result(result), Object::Parameter(parameter));
            }
        }
    }
    let surroundings = Surroundings { places: &places, same, fixed: BTreeMap::new() };
    let mut accessed = BTreeSet::new();
    let steps = select(&straight::graph(program, function)?, &surroundings, &mut accessed)?;
    let part = Part { steps, runs: 1, counter: None, fixed: Vec::new() };
    Ok(SelectedFunction { parts: vec![part], work: 0, tables: tables(&accessed), pieces: vec![Piece::Part(0)] })
}

fn tables(accessed: &BTreeSet<Object>) -> Vec<usize> {
    let number = |object: &Object| match object {
        Object::Table(number) => Some(*number),
        _ => None,
    };
    accessed.iter().filter_map(number).collect()
}

fn looped(program: &Program, function: &Function, objects: &Objects, words: usize) -> Result<SelectedFunction> {
    let mut found = regions(function)?;
    let (by_root, sizes) = arrays(function, &found)?;
    let mut places = objects.places();
    let mut at = 0;
    for (number, size) in sizes.iter().enumerate() {
        places.insert(Object::Array(number), (objects.work.clone(), at));
        at += (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    places.insert(Object::Cells, (objects.work.clone(), at));
    refuse_overwritten_parameters(function, &found, &by_root, &places)?;
    let counters = counters(function, &mut found);
    let work = at + found.bytes;
    let last = straights(&found.regions, false).last().map_or(0, |last| last.0);
    let top = std::mem::take(&mut found.regions);
    let layout = Layout { found, objects: by_root, places, counters, most: HashMap::new() };
    let mut selector =
        Selector { program, function, layout, words, last, parts: Vec::new(), accessed: BTreeSet::new() };
    let pieces = selector.pieces(&top, 1, None)?;
    Ok(SelectedFunction { work, tables: tables(&selector.accessed), parts: selector.parts, pieces })
}

struct Selector<'p> {
    program: &'p Program,
    function: &'p Function,
    layout: Layout<'p>,
    words: usize,
    /// The last straight-line region: it leaves the function's words.
    last: usize,
    parts: Vec<Part>,
    accessed: BTreeSet<Object>,
}

impl Selector<'_> {
    fn pieces(&mut self, regions: &[Region], runs: i64, counter: Option<Counter>) -> Result<Vec<Piece>> {
        let mut found = Vec::new();
        for one in regions {
            let counted = match one {
                Region::Straight(number) => {
                    let part = self.part(*number, runs, counter)?;
                    if !part.steps.list.is_empty() {
                        self.parts.push(part);
                        found.push(Piece::Part(self.parts.len() - 1));
                    }
                    continue;
                }
                Region::Loop(counted) => counted,
            };
            let counter = self.layout.counters[&counted.index];
            let place = if counter.register { Operand::register(COUNTER) } else { self.cell(counter.cell) };
            let own = Some(counter).filter(|counter| counter.register);
            let body = self.pieces(&counted.body, runs * counted.iterations, own)?;
            let (mut before, mut after) = (Vec::new(), Vec::new());
            for piece in &body {
                let Piece::Part(part) = piece else { continue };
                for &(cell, register) in &self.parts[*part].fixed {
                    let (cell, register) = (self.cell(cell), Operand::register(register));
                    before.push(Instruction::new(Opcode::Mov, [register.clone(), cell.clone()]));
                    after.push(Instruction::new(Opcode::Mov, [cell, register]));
                }
            }
            let (number, places) = (counted.number, counted.places.clone());
            found.push(Piece::Loop { before, counter, place, number, body, after, places });
        }
        Ok(found)
    }

    fn cell(&self, cell: i64) -> Operand {
        let (symbol, start) = &self.layout.places[&Object::Cells];
        Operand::Memory(Memory { symbol: Some(symbol.clone()), offset: start + cell, ..Memory::default() })
    }

    fn part(&mut self, region: usize, runs: i64, counter: Option<Counter>) -> Result<Part> {
        let mut fixed: Vec<(i64, u8)> = Vec::new();
        if self.words > 0 && counter.is_some() {
            let wanted = carried(&self.graph(region, &[])?);
            fixed = wanted.into_iter().take(self.words).zip(KEEPERS).collect();
        }
        let cells: Vec<i64> = fixed.iter().map(|(cell, _)| *cell).collect();
        let graph = self.graph(region, &cells)?;
        let fixed_cells = fixed.iter().copied().collect();
        let surroundings = Surroundings { places: &self.layout.places, same: HashMap::new(), fixed: fixed_cells };
        let steps = select(&graph, &surroundings, &mut self.accessed)?;
        Ok(Part { steps, runs, counter, fixed })
    }

    fn graph(&mut self, region: usize, fixed: &[i64]) -> Result<Graph> {
        let is_last = region == self.last;
        let results = self.function.body.outputs.iter().zip(&self.function.results).enumerate();
        let results = results.filter(|(_, (_, ty))| is_last && as_array(ty).is_none());
        let results: Vec<_> = results.map(|(number, (&output, ty))| (number, output, ty.width())).collect();
        region::graph(self.program, self.function, &mut self.layout, region, &results, fixed)
    }
}

/// The words between regions that a loop reads: those it changes first, the most used first.
fn carried(graph: &Graph) -> Vec<i64> {
    let in_cells = graph.stores.iter().filter(|one| one.object == Object::Cells);
    let changed: HashSet<i64> = in_cells.map(|one| one.offset).collect();
    let mut uses: BTreeMap<i64, i64> = BTreeMap::new();
    for (id, node) in graph.nodes.iter().enumerate() {
        for &one in [id].iter().chain(&node.args) {
            let shape = &graph.nodes[one].shape;
            if shape.kind == Kind::Leaf && shape.object == Some(Object::Cells) && shape.scale == 0 {
                *uses.entry(shape.number / 4 * 4).or_default() += 1;
            }
        }
    }
    let mut cells: Vec<i64> = uses.keys().copied().collect();
    cells.sort_by_key(|cell| (!changed.contains(cell), -uses[cell], *cell));
    cells
}

/// Objects by arrays' roots, and the bytes of those that are neither parameters nor results.
fn arrays(function: &Function, found: &Regions<'_>) -> Result<(HashMap<ValueId, Object>, Vec<i64>)> {
    let mut objects = HashMap::new();
    for (number, param) in function.params.iter().enumerate() {
        if let Some(root) = found.roots.get(param) {
            objects.insert(*root, Object::Parameter(number));
        }
    }
    for (number, &output) in function.body.outputs.iter().enumerate() {
        if let Some(root) = as_value(output).and_then(|value| found.roots.get(&value)) {
            if objects.insert(*root, Object::Result(number)).is_some() {
                let message = format!("`{}` returns what it is given, or an array twice", function.name);
                return Err(Diagnostic::new("X104", message));
            }
        }
    }
    let name = |value: &ValueId| function.values[value.0 as usize].name.as_str();
    let mut roots: Vec<ValueId> = found.roots.values().copied().collect();
    roots.sort_by_key(name);
    roots.dedup();
    let mut sizes = Vec::new();
    for root in roots {
        objects.entry(root).or_insert_with(|| {
            let ty = array_type(function, root);
            sizes.push(ty.len() as i64 * i64::from(ty.width) / 8);
            Object::Array(sizes.len() - 1)
        });
    }
    Ok((objects, sizes))
}

/// Refuses a result that is written where a parameter lies which is read later, or in the same loop.
fn refuse_overwritten_parameters(
    function: &Function,
    found: &Regions<'_>,
    objects: &HashMap<ValueId, Object>,
    places: &HashMap<Object, Place>,
) -> Result<()> {
    let arrays = function.params.iter().enumerate().filter(|(_, &param)| as_array(type_of(function, param)).is_some());
    let lies: HashMap<ValueId, &Arc<str>> =
        arrays.map(|(number, &param)| (param, &places[&Object::Parameter(number)].0)).collect();
    let mut written: HashSet<&Arc<str>> = HashSet::new();
    for one in &found.regions {
        let ops = straights(std::slice::from_ref(one), false);
        let ops: Vec<_> = ops.into_iter().flat_map(|(region, _)| &found.straight[region].ops).collect();
        let stores = ops.iter().filter(|op| match &op.kind {
            OpKind::Store(..) => true,
            OpKind::Array(list) => !list.is_empty(),
            _ => false,
        });
        let now: Vec<&Arc<str>> = stores.map(|op| &places[&objects[&found.roots[&op.results[0]]]].0).collect();
        let mut before = written.clone();
        if matches!(one, Region::Loop(_)) {
            before.extend(&now);
        }
        for op in ops {
            let OpKind::Load(array, _) = &op.kind else { continue };
            if lies.get(array).is_some_and(|object| before.contains(object)) {
                let array = &function.values[array.0 as usize].name;
                let message =
                    format!("`{}` writes a result where `{array}` lies and reads it afterwards", function.name);
                return Err(Diagnostic::new("X106", message));
            }
        }
        written.extend(now);
    }
    Ok(())
}
