//! Symbolic execution of a function, cut into steps.

use std::collections::HashMap;
use std::rc::Rc;

use program::diagnostic::Diagnostic;
use program::ir::{Block, Function, Loop, LoopTag, Op, OpKind, Operand, Program, Type, ValueData, ValueId};
use program::semantics::mask;

use super::raw::{is_wiring, RawStep};
use super::{Array, Cuts, Place, Role, Word};

/// The steps of a function, with its state and arrays.
pub(super) struct RawSequence {
    pub steps: Vec<RawStep>,
    pub words: Vec<Word>,
    pub arrays: Vec<Array>,
    pub results: Vec<Vec<Place>>,
}

/// A word whose value is not known: who made it.
pub(super) struct Symbol {
    pub width: u8,
    /// The number that it is, where nothing of the key or the data goes into it.
    pub known: Option<u64>,
    name: String,
    origin: Origin,
}

/// Where a word comes from.
#[derive(Clone, Copy)]
pub(super) enum Origin {
    /// A parameter of the function: it stands there before the first step.
    Parameter(Place),
    /// The step of that number makes it.
    Step(usize),
}

#[derive(Clone)]
pub(super) struct Cells {
    pub root: u32,
    pub cells: Rc<Vec<Option<usize>>>,
}

#[derive(Clone)]
pub(super) enum Thing {
    Index(i64),
    Word(usize),
    Array(Cells),
}

pub(super) struct Executor<'a> {
    pub(super) program: &'a Program,
    pub(super) cuts: &'a Cuts,
    pub(super) symbols: Vec<Symbol>,
    home: HashMap<usize, Place>,
    pub(super) holder: HashMap<Place, usize>,
    slots: Vec<u32>,
    pub(super) current: RawStep,
    /// Elements that the current step stores.
    pub(super) pending: Vec<(Place, usize)>,
    pub(super) raw: RawSequence,
    /// Where several functions are executed: the words that each operation made, so that none is computed again.
    pub(super) made: Option<HashMap<String, Vec<usize>>>,
    /// Since the last cut of a loop a step ended so that its words can be chosen.
    pub(super) cut_for_words: bool,
    /// A loop runs whose iterations are steps.
    pub(super) in_rounds: bool,
    /// The first word that is a number of a width.
    pub(super) numbers: HashMap<(u64, u8), usize>,
    /// Gate equivalents of what chooses among words by data, in all steps.
    pub(super) choosing: f64,
}

pub(super) type Values = HashMap<ValueId, Thing>;

/// Executes functions of the same parameters, one after the other; the results are those of the first, then of the next.
pub(super) fn execute(program: &Program, functions: &[&Function], cuts: &Cuts) -> Result<RawSequence, Diagnostic> {
    let raw = RawSequence { steps: Vec::new(), words: Vec::new(), arrays: Vec::new(), results: Vec::new() };
    let mut run = Executor {
        program,
        cuts,
        symbols: Vec::new(),
        home: HashMap::new(),
        holder: HashMap::new(),
        slots: Vec::new(),
        current: RawStep::default(),
        pending: Vec::new(),
        raw,
        made: (functions.len() > 1).then(HashMap::new),
        in_rounds: false,
        cut_for_words: false,
        numbers: HashMap::new(),
        choosing: 0.0,
    };
    let (mut given, mut wanted) = (Vec::new(), Vec::new());
    for function in functions {
        let mut values = Values::new();
        for (number, &param) in function.params.iter().enumerate() {
            if given.len() == number {
                given.push(run.parameter(number as u32, &function.values[param.0 as usize]));
            }
            values.insert(param, given[number].clone());
        }
        run.block(function, &function.body, &mut values)?;
        wanted.extend(run.outputs(function, &values));
    }
    run.finish(wanted)?;
    Ok(run.raw)
}

impl Executor<'_> {
    pub(super) fn symbol(&mut self, name: &str, width: u8, origin: Origin) -> usize {
        self.symbols.push(Symbol { width, known: None, name: name.to_owned(), origin });
        self.symbols.len() - 1
    }

    pub(super) fn array(&mut self, name: &str, width: u8, dims: &[u32], role: Role) -> u32 {
        let name = program::builder::author_name(name).to_owned();
        self.raw.arrays.push(Array { name, width, dims: dims.to_vec(), role });
        self.raw.arrays.len() as u32 - 1
    }

    fn word_register(&mut self, name: &str, width: u8) -> u32 {
        let name = program::builder::author_name(name).to_owned();
        self.raw.words.push(Word { name, width });
        self.raw.words.len() as u32 - 1
    }

    /// A parameter stands in its own places before the first step.
    fn parameter(&mut self, number: u32, data: &ValueData) -> Thing {
        match &data.ty {
            Type::Array(shape) => {
                let root = self.array(&data.name, shape.width, &shape.dims, Role::Parameter(number));
                let mut cells = Vec::new();
                for element in 0..shape.len() as u32 {
                    cells.push(Some(self.given(&data.name, shape.width, Place::Element(root, element))));
                }
                Thing::Array(Cells { root, cells: Rc::new(cells) })
            }
            Type::Word(width) => {
                let root = self.array(&data.name, *width, &[1], Role::Parameter(number));
                Thing::Word(self.given(&data.name, *width, Place::Element(root, 0)))
            }
            Type::Index => Thing::Index(0),
        }
    }

    /// A word of a parameter.
    fn given(&mut self, name: &str, width: u8, place: Place) -> usize {
        let symbol = self.symbol(name, width, Origin::Parameter(place));
        self.settle(symbol, place);
        symbol
    }

    fn settle(&mut self, symbol: usize, place: Place) {
        self.home.insert(symbol, place);
        self.holder.insert(place, symbol);
    }

    pub(super) fn block(&mut self, function: &Function, block: &Block, values: &mut Values) -> Result<(), Diagnostic> {
        for op in &block.ops {
            match &op.kind {
                OpKind::Loop(l) => self.run_loop(function, op, l, values)?,
                _ => self.operation(function, op, values)?,
            }
        }
        Ok(())
    }

    fn run_loop(&mut self, function: &Function, op: &Op, l: &Loop, values: &mut Values) -> Result<(), Diagnostic> {
        let clocked = l.tag == LoopTag::Rounds && !l.bodies.iter().any(holds_rounds);
        let types: Vec<&ValueData> = op.results.iter().map(|r| &function.values[r.0 as usize]).collect();
        let mut carried: Vec<Thing> = Vec::new();
        for (init, data) in l.init.iter().zip(&types) {
            carried.push(self.thing(*init, data, values));
        }
        if clocked && (!self.cuts.merge_before) {
            self.cut_of_loop(&carried, &types);
        }
        let outer = self.in_rounds;
        self.in_rounds |= clocked;
        for (iteration, &body) in l.pattern.iter().enumerate() {
            if clocked
                && iteration > 0
                && iteration % self.cuts.iterations == 0
                && (self.cuts.wires || self.has_gates())
            {
                self.cut_of_loop(&carried, &types);
            }
            if clocked {
                let count = l.from + l.step * iteration as i64;
                let text = if l.counter.is_empty() || l.counter == "_" {
                    String::new()
                } else {
                    format!("{} = {count}", l.counter)
                };
                if self.current.iteration.is_empty() {
                    self.current.iteration = text;
                }
            }
            let body = &l.bodies[body as usize];
            values.insert(body.params[0], Thing::Index(iteration as i64));
            for (param, thing) in body.params[1..].iter().zip(&carried) {
                values.insert(*param, thing.clone());
            }
            self.block(function, body, values)?;
            let mut next = Vec::new();
            for (output, data) in body.outputs.iter().zip(&types) {
                next.push(self.thing(*output, data, values));
            }
            carried = next;
        }
        self.in_rounds = outer;
        if clocked && !self.cuts.merge_after {
            self.cut_of_loop(&carried, &types);
        }
        for (result, thing) in op.results.iter().zip(carried) {
            values.insert(*result, thing);
        }
        Ok(())
    }

    /// Whether the current step makes a word.
    pub(super) fn is_new(&self, symbol: usize) -> bool {
        matches!(self.symbols[symbol].origin, Origin::Step(step) if step == self.raw.steps.len())
    }

    /// Whether the current step needs a gate.
    fn has_gates(&self) -> bool {
        !self.current.selections.is_empty() || self.current.ops.iter().any(|op| !is_wiring(&op.kind))
    }

    /// What an operand stands for; a number becomes a symbol of the current step.
    pub(super) fn thing(&mut self, operand: Operand, data: &ValueData, values: &Values) -> Thing {
        match (operand, &data.ty) {
            (Operand::Value(v), _) => values[&v].clone(),
            (Operand::Const(number), Type::Word(width)) => Thing::Word(self.constant(number, *width, &data.name)),
            (Operand::Const(number), _) => Thing::Index(number as i64),
        }
    }

    pub(super) fn constant(&mut self, number: u64, width: u8, name: &str) -> usize {
        let symbol = self.symbol(name, width, Origin::Step(self.raw.steps.len()));
        self.symbols[symbol].known = Some(number & mask(width));
        self.current.local.insert(symbol, Operand::Const(number & mask(width)));
        symbol
    }

    fn cut_of_loop(&mut self, carried: &[Thing], types: &[&ValueData]) {
        self.cut_for_words = false;
        self.cut(carried, types);
    }

    /// Ends the current step; the carried words go to the registers of the loop. Where an iteration computes nothing that is not there
    /// already, its words stay where they are.
    pub(super) fn cut(&mut self, carried: &[Thing], types: &[&ValueData]) {
        let mut slot = 0;
        let mut settled = Vec::new();
        let stays = self.made.is_some() && self.current.ops.is_empty() && self.current.selections.is_empty();
        for (thing, data) in carried.iter().zip(types) {
            let Thing::Word(symbol) = thing else { continue };
            let register = self.slot(slot, &data.name, self.symbols[*symbol].width);
            slot += 1;
            if !stays || self.is_new(*symbol) {
                settled.push((Place::Word(register), *symbol));
            }
        }
        for &(place, symbol) in &settled {
            let operand = self.operand(symbol);
            self.current.write(place, operand);
        }
        for (place, symbol) in std::mem::take(&mut self.pending) {
            let operand = self.operand(symbol);
            self.current.write(place, operand);
            self.settle(symbol, place);
        }
        settled.into_iter().for_each(|(place, symbol)| self.settle(symbol, place));
        self.current.drop_kept();
        if !(self.current.ops.is_empty() && self.current.writes.is_empty()) {
            let done = std::mem::take(&mut self.current);
            self.raw.steps.push(done);
        }
    }

    /// The register of the k-th carried word of a loop: loops share them where widths agree.
    fn slot(&mut self, k: usize, name: &str, width: u8) -> u32 {
        match self.slots.get(k) {
            Some(&register) if self.raw.words[register as usize].width == width => register,
            found => {
                let known = found.is_some();
                let register = self.word_register(name, width);
                if known {
                    self.slots[k] = register;
                } else {
                    self.slots.push(register);
                }
                register
            }
        }
    }

    /// The operand of a symbol in the current step; reads it from its register if an earlier step made it.
    pub(super) fn operand(&mut self, symbol: usize) -> Operand {
        if let Some(operand) = self.current.local.get(&symbol) {
            return *operand;
        }
        let place = match self.home.get(&symbol) {
            Some(place) if self.holder.get(place) == Some(&symbol) => *place,
            _ => self.keep(symbol),
        };
        self.read(symbol, place)
    }

    /// Gives a symbol of an earlier step a register of its own, which that step writes; a parameter's word is copied in the first.
    fn keep(&mut self, symbol: usize) -> Place {
        let (name, width) = (self.symbols[symbol].name.clone(), self.symbols[symbol].width);
        let place = Place::Word(self.word_register(&name, width));
        let (step, from) = match self.symbols[symbol].origin {
            Origin::Parameter(from) => (0, Some(from)),
            Origin::Step(step) => (step, None),
        };
        let step = self.raw.steps.get_mut(step).unwrap_or(&mut self.current);
        let operand = match from {
            Some(from) if !step.local.contains_key(&symbol) => step.read(symbol, from, &name, width),
            _ => step.local[&symbol],
        };
        step.write(place, operand);
        self.settle(symbol, place);
        place
    }

    pub(super) fn read(&mut self, symbol: usize, place: Place) -> Operand {
        let (name, width) = (self.symbols[symbol].name.clone(), self.symbols[symbol].width);
        self.current.read(symbol, place, &name, width)
    }

    pub(super) fn value(&mut self, name: &str, ty: Type) -> ValueId {
        self.current.value(name, ty)
    }

    /// What a function gives.
    fn outputs(&mut self, function: &Function, values: &Values) -> Vec<Thing> {
        let outputs = function.body.outputs.iter().zip(&function.results);
        let of = |(output, ty): (&Operand, &Type)| {
            let data = ValueData { name: "out".to_owned(), ty: ty.clone() };
            self.thing(*output, &data, values)
        };
        outputs.map(of).collect()
    }

    /// Ends the last step and finds where the results stand.
    fn finish(&mut self, wanted: Vec<Thing>) -> Result<(), Diagnostic> {
        self.cut(&[], &[]);
        for (number, thing) in wanted.into_iter().enumerate() {
            let places = match thing {
                Thing::Word(symbol) => vec![self.place_of(symbol)],
                Thing::Array(cells) => self.result_array(number as u32, &cells)?,
                Thing::Index(_) => Vec::new(),
            };
            self.raw.results.push(places);
        }
        // Constants that are results, where no step was left to write them.
        if !self.current.writes.is_empty() {
            self.raw.steps.push(std::mem::take(&mut self.current));
        }
        Ok(())
    }

    fn place_of(&mut self, symbol: usize) -> Place {
        match self.home.get(&symbol) {
            Some(place) if self.holder.get(place) == Some(&symbol) => *place,
            _ => self.keep(symbol),
        }
    }

    fn result_array(&mut self, number: u32, cells: &Cells) -> Result<Vec<Place>, Diagnostic> {
        let array = &mut self.raw.arrays[cells.root as usize];
        if array.role == Role::Inner {
            array.role = Role::Result(number);
        }
        let name = array.name.clone();
        let mut places = Vec::new();
        for (element, symbol) in cells.cells.iter().enumerate() {
            let place = Place::Element(cells.root, element as u32);
            let Some(symbol) = symbol else {
                return Err(Diagnostic::new("H104", format!("`{name}[{element}]` is returned but never written")));
            };
            places.push(if self.holder.get(&place) == Some(symbol) { place } else { self.place_of(*symbol) });
        }
        Ok(places)
    }
}

fn holds_rounds(block: &Block) -> bool {
    block.ops.iter().any(|op| match &op.kind {
        OpKind::Loop(l) => l.tag == LoopTag::Rounds || l.bodies.iter().any(holds_rounds),
        _ => false,
    })
}
