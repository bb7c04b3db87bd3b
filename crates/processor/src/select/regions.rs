//! The regions of a function, one after the other: straight operations and counted loops.

use std::collections::HashSet;

use program::ir::{Block, Function, Loop, Op, OpKind, Operand, Program, Type, ValueId as ProgramValue};
use program::walk::uses;
use program::Diagnostic;

use super::chains::{self, Movers};
use super::context::{Context, Induction, LiveIn};
use super::cover::{Aims, Cover, Prices};
use super::emit::{self, Emitter, SharedState};
use super::lower::{LoweredRegion, Store};
use super::matching::{Match, Matcher};
use super::objects::Objects;
use super::patterns::{self, Tile};
use super::terms::{ClassId, Term};
use super::timing::Timing;
use super::words::Word;
use super::{impossible, Options};
use crate::allocate::find_copy;
use crate::code::Op as MachineOp;
use crate::code::{CarriedValue, Code, CountedLoop, Packing, Region, Use, ValueId};
use crate::model::Processor;

/// The name under which options leave out masking a field where it stands.
const MASK_IN_PLACE: &str = "mask in place";
/// The name under which options leave out joining an index to the address of an aligned table by exclusive or.
const JOIN_BY_XOR: &str = "join by xor";

/// Selection of one function.
pub struct Regions<'a> {
    context: Context<'a>,
    processor: &'a Processor,
    options: &'a Options,
    tiles: &'a [Tile],
    prices: Prices,
    movers: Movers,
    inputs: SharedState,
    regions: Vec<Region>,
}

/// A region after its cover was chosen and written out.
struct EmittedRegion {
    ops: Vec<MachineOp>,
    before: Vec<MachineOp>,
    carried: Vec<CarriedValue>,
    wanted: Vec<(Word, ValueId, bool)>,
    inductions: Vec<(Induction, Option<ValueId>)>,
}

impl<'a> Regions<'a> {
    /// Before the first region.
    pub fn new(
        program: &'a Program,
        function: &'a Function,
        processor: &'a Processor,
        options: &'a Options,
        tiles: &'a [Tile],
    ) -> Self {
        let isa = &processor.isa;
        let by_memory = tiles.iter().any(|t| t.steps.iter().any(emit::is_scratch));
        let scratch = if by_memory { emit::SLOTS * emit::SLOT_BYTES } else { 0 };
        let native = if isa.big_endian { Packing::Big } else { Packing::Little };
        let objects = Objects::new(program, function, scratch, options.bytes.then_some(native));
        let mut context = Context::new(program, function, isa.word_bits, isa.general(), objects);
        context.signed_loads = patterns::signed_loads(tiles, isa.word_bits);
        context.amounts = patterns::amounts(tiles);
        context.load_pairs(options.wide, isa.big_endian);
        options.layout.lay(function, &mut context.objects, processor.banks);
        context.layout = options.layout;
        context.join_by_xor = !options.avoid.iter().any(|name| name == JOIN_BY_XOR);
        context.mask_in_place = !options.avoid.iter().any(|name| name == MASK_IN_PLACE);
        Regions {
            context,
            processor,
            options,
            tiles,
            prices: Prices::new(processor, tiles),
            movers: Movers::new(isa),
            inputs: SharedState::default(),
            regions: Vec::new(),
        }
    }

    /// The code of the whole function.
    ///
    /// # Errors
    /// As [`super::select`].
    pub fn all(mut self) -> Result<Code, Diagnostic> {
        let function = self.context.function;
        let ops = &function.body.ops;
        let mut start = 0;
        for (k, op) in ops.iter().enumerate() {
            if let OpKind::Loop(l) = &op.kind {
                self.straight(&ops[start..k], &ops[k..], &function.body.outputs, false)?;
                self.counted(op, l).map_err(|e| {
                    if e.places.is_empty() {
                        e.at(self.context.program, &op.places)
                    } else {
                        e
                    }
                })?;
                start = k + 1;
            }
        }
        self.straight(&ops[start..], &[], &function.body.outputs, true)?;
        self.context.arrays_hold(&function.body.outputs)?;
        self.context.arrays_are_own(&function.body.outputs)?;
        self.regions.retain(|r| !matches!(r, Region::Straight(ops) if ops.is_empty()));
        let Regions { context, inputs, regions, .. } = self;
        Ok(Code {
            name: String::new(),
            objects: context.objects.objects,
            values: context.values,
            inputs: inputs.inputs,
            regions,
        })
    }

    /// Operations without loops; what later ones use is handed on.
    fn straight(&mut self, ops: &[Op], later: &[Op], outputs: &[Operand], last: bool) -> Result<(), Diagnostic> {
        let used = used_by(later, outputs);
        let defined: Vec<ProgramValue> =
            ops.iter().flat_map(|op| &op.results).filter(|v| used.contains(v) && !last).copied().collect();
        let function = self.context.function;
        let wanted: Vec<(Operand, u8, ProgramValue)> = (defined.into_iter())
            .filter_map(|v| match function.values[v.0 as usize].ty {
                Type::Word(width) => Some((Operand::Value(v), width, v)),
                _ => None,
            })
            .collect();
        let list: Vec<(Operand, u8)> = wanted.iter().map(|w| (w.0, w.1)).collect();
        let mut lowered = self.context.straight(ops, &list, if last { outputs } else { &[] })?;
        let number: Vec<Option<u64>> = lowered.wanted.iter().map(|&w| lowered.words.number(w)).collect();
        let mut numbers = number.iter();
        lowered.wanted.retain(|_| numbers.next().is_some_and(Option::is_none));
        let written = self.write(&lowered, &[], &[])?;
        let mut values = written.wanted.into_iter();
        for (number, (.., v)) in number.into_iter().zip(&wanted) {
            let held = match (number, values.as_slice().first()) {
                (Some(number), _) => LiveIn::Number(number),
                (None, Some(&(_, value, dirty))) => {
                    values.next();
                    LiveIn::Value(value, dirty)
                }
                (None, None) => continue,
            };
            self.context.held.insert(*v, held);
        }
        self.append(written.ops);
        Ok(())
    }

    /// Adds straight operations, to the last region if that is straight.
    fn append(&mut self, ops: Vec<MachineOp>) {
        match self.regions.last_mut() {
            Some(Region::Straight(before)) => before.extend(ops),
            _ => self.regions.push(Region::Straight(ops)),
        }
    }

    fn counted(&mut self, op: &Op, l: &Loop) -> Result<(), Diagnostic> {
        let [body] = l.bodies.as_slice() else {
            return Err(Diagnostic::new("M205", "the iterations of a loop run different bodies")
                .help("the pass `unroll:factor=period` makes them one"));
        };
        let words: Vec<usize> = (0..l.init.len()).filter(|&k| self.is_word(body.params[k + 1])).collect();
        let mut dirty = vec![false; words.len()];
        let (lowered, values) = loop {
            let (lowered, values) = self.body(body, &words, &dirty)?;
            let next: Vec<bool> =
                lowered.wanted.iter().zip(&dirty).map(|(w, &d)| d || lowered.words.handed(*w).1).collect();
            if next == dirty {
                break (lowered, values);
            }
            dirty = next;
        };
        let inits = self.inits(l, body, &words, &dirty)?;
        let changing: Vec<ValueId> = values.iter().copied().chain(lowered.inductions.iter().map(|i| i.value)).collect();
        let written = self.write(&lowered, &changing, &dirty)?;
        let (mut carried, mut ops) = (written.carried, written.ops);
        for (k, &word) in words.iter().enumerate() {
            let next = written.wanted[k].1;
            carried.push(CarriedValue { value: values[k], init: inits[k], next });
            self.context.held.insert(op.results[word], LiveIn::Value(next, dirty[k]));
        }
        self.apart(&mut carried, &mut ops);
        let mut before = written.before;
        for (induction, next) in written.inductions {
            if let Some(next) = next {
                let init = self.start(&induction, &mut before)?;
                carried.push(CarriedValue { value: induction.value, init, next });
            }
        }
        self.append(before);
        let iterations = l.pattern.len() as u32;
        self.regions.push(Region::Loop(CountedLoop { iterations, carried, ops }));
        self.context.arrays_hold(&body.outputs)?;
        self.context.arrays_after(&op.results);
        Ok(())
    }

    /// Copies what a carried word becomes where another one that starts from something else becomes the same: in one register,
    /// they could not differ in the first iteration. Of two the one that is used later is copied.
    fn apart(&mut self, carried: &mut [CarriedValue], ops: &mut Vec<MachineOp>) {
        let used = |value: ValueId, ops: &[MachineOp]| {
            ops.iter().position(|op| op.uses.contains(&Use::Value(value))).unwrap_or(ops.len())
        };
        for n in 1..carried.len() {
            let next = carried[n].next;
            let Some(m) = (0..n).find(|&m| carried[m].next == next && carried[m].init != carried[n].init) else {
                continue;
            };
            let later = if used(carried[m].value, ops) > used(carried[n].value, ops) { m } else { n };
            let value = self.context.values[next as usize].clone();
            let Some(instruction) = find_copy(&self.processor.isa, value.class) else { continue };
            let copied = self.context.value(&value.name);
            let (defines, uses) = (vec![copied], vec![Use::Value(next)]);
            ops.push(MachineOp { instruction, defines, uses, guard: None, access: None, places: Vec::new() });
            carried[later].next = copied;
        }
    }

    fn is_word(&self, v: ProgramValue) -> bool {
        matches!(self.context.function.values[v.0 as usize].ty, Type::Word(_))
    }

    /// The body with its carried words in given states.
    fn body(
        &mut self,
        body: &Block,
        words: &[usize],
        dirty: &[bool],
    ) -> Result<(LoweredRegion, Vec<ValueId>), Diagnostic> {
        let function = self.context.function;
        let carried: Vec<(ProgramValue, ValueId, bool)> = (words.iter().zip(dirty))
            .map(|(&k, &dirty)| {
                let param = body.params[k + 1];
                (param, self.context.value(&function.values[param.0 as usize].name), dirty)
            })
            .collect();
        let lowered = self.context.body(body, &carried)?;
        Ok((lowered, carried.into_iter().map(|c| c.1).collect()))
    }

    /// The values that a loop's carried words start from, in the states that the loop wants.
    fn inits(&mut self, l: &Loop, body: &Block, words: &[usize], dirty: &[bool]) -> Result<Vec<ValueId>, Diagnostic> {
        let width = |v: ProgramValue| match self.context.function.values[v.0 as usize].ty {
            Type::Word(width) => width,
            _ => 0,
        };
        let wanted: Vec<(Operand, u8)> = words.iter().map(|&k| (l.init[k], width(body.params[k + 1]))).collect();
        let mut lowered = self.context.straight(&[], &wanted, &[])?;
        for (word, dirty) in lowered.wanted.iter_mut().zip(dirty) {
            if !dirty {
                word.dirty = word.clean;
            }
        }
        let states: Vec<bool> = dirty.to_vec();
        let written = self.write(&lowered, &[], &states)?;
        self.append(written.ops);
        Ok(written.wanted.into_iter().map(|w| w.1).collect())
    }

    /// What a value that counts iterations is in the first one.
    fn start(&mut self, induction: &Induction, before: &mut Vec<MachineOp>) -> Result<ValueId, Diagnostic> {
        let mut lowered = self.context.straight(&[], &[], &[])?;
        let dag = &mut lowered.words.dag;
        let start = dag.number(induction.start as u64);
        let class = match induction.object {
            None => start,
            Some(object) => dag.exact(Term::Pointer(object)),
        };
        lowered.wanted.push(Word { width: dag.bits, dirty: class, clean: class });
        let written = self.write(&lowered, &[], &[true])?;
        before.extend(written.ops);
        Ok(written.wanted[0].1)
    }

    /// Chooses tiles for a region and writes it out. `changing` are the values that a loop carries; `dirty` says in which states
    /// wanted words are taken, otherwise in the cheapest.
    fn write(
        &mut self,
        lowered: &LoweredRegion,
        changing: &[ValueId],
        dirty: &[bool],
    ) -> Result<EmittedRegion, Diagnostic> {
        let states: Vec<(ClassId, bool)> = (lowered.wanted.iter().enumerate())
            .map(|(k, &word)| match dirty.get(k) {
                Some(true) => (word.dirty, true),
                Some(false) => (word.clean, false),
                None => lowered.words.handed(word),
            })
            .collect();
        let constant: Vec<bool> =
            (0..self.context.objects.objects.len()).map(|k| !lowered.stores.iter().any(|s| s.object == k)).collect();
        let isa = &self.processor.isa;
        let matcher = Matcher {
            dag: &lowered.words.dag,
            isa,
            tiles: self.tiles,
            chains: self.movers.any(),
            constant_objects: &constant,
            general: isa.general(),
            predicate: patterns::predicate(isa),
        };
        let count = lowered.words.dag.classes.len() as ClassId;
        let matches: Vec<Vec<Match>> = (0..count).map(|c| found(&matcher, c)).collect();
        let stores = self.stores(lowered, &matcher)?;
        let mut roots: Vec<ClassId> = stores.iter().flat_map(|(m, _)| m.leaves.clone()).collect();
        roots.extend(states.iter().map(|s| s.0));
        let timing = Timing { processor: self.processor, tiles: self.tiles };
        let aims = Aims { spread: self.options.spread, depth: self.options.depth, even: self.options.even, timing };
        let mut cover = Cover::new(&lowered.words.dag, matches, self.prices.clone(), &roots, aims);
        cover.together(&lowered.words.groups(), &roots, aims);
        let moving = self.moving(lowered, &mut cover);
        if let Some(class) = cover.impossible() {
            return Err(impossible(self.context.program, lowered, &cover, class, self.processor));
        }
        let mut shared = std::mem::take(&mut self.inputs);
        shared.values = std::mem::take(&mut self.context.values);
        let mut emitter = Emitter::new(isa, self.tiles, &self.context.objects, lowered, &cover, shared);
        if !changing.is_empty() || !lowered.inductions.is_empty() {
            emitter.changing = Some(changing.iter().copied().collect());
        }
        emitter.all(&stores);
        let wanted: Vec<(Word, ValueId, bool)> =
            lowered.wanted.iter().zip(&states).map(|(&w, &(class, dirty))| (w, emitter.class(class), dirty)).collect();
        let inductions = (lowered.inductions.iter().zip(moving))
            .map(|(&i, moves)| (i, moves.then(|| emitter.class(i.next))))
            .collect();
        let carried = chains::link(&mut emitter, &self.movers, self.options.pointers);
        emitter.forget_changing();
        let Emitter { ops, before, shared, .. } = emitter;
        self.inputs = shared;
        self.context.values = std::mem::take(&mut self.inputs.values);
        Ok(EmittedRegion { ops, before, carried, wanted, inductions })
    }

    /// Of each value that counts iterations whether the region uses it; those that it does are counted on.
    fn moving(&self, lowered: &LoweredRegion, cover: &mut Cover) -> Vec<bool> {
        let dag = &lowered.words.dag;
        let given = |value: ValueId| {
            let holds = |t: &Term| *t == Term::Given(value);
            dag.classes.iter().position(|c| c.terms.iter().any(holds))
        };
        let used: Vec<bool> =
            lowered.inductions.iter().map(|i| given(i.value).is_some_and(|c| cover.uses[c] > 0)).collect();
        for (induction, &used) in lowered.inductions.iter().zip(&used) {
            if used {
                cover.take(induction.next);
            }
        }
        used
    }

    fn stores<'l>(
        &self,
        lowered: &'l LoweredRegion,
        matcher: &Matcher<'_>,
    ) -> Result<Vec<(Match, &'l Store)>, Diagnostic> {
        let mut stores = Vec::new();
        for store in &lowered.stores {
            let found = matcher.at_store(store.bits, store.address, store.value);
            // Of addresses, one whose pointer is there is better than one that must be computed.
            let there = |c: &ClassId| {
                let terms = &lowered.words.dag.classes[*c as usize].terms;
                terms.iter().any(|t| matches!(t, Term::Pointer(_) | Term::Given(_)))
            };
            let made = |m: &Match| m.leaves.iter().filter(|c| **c != store.value && !there(c)).count();
            let cost = |m: &Match| (self.prices.of(m), made(m), m.leaves.len());
            let Some(best) = found.into_iter().min_by_key(cost) else {
                let places = &lowered.words.dag.origins[store.sequence as usize].1;
                let name = &self.processor.name;
                let message = format!("the processor `{name}` has no instruction that stores {} bits", store.bits);
                return Err(Diagnostic::new("M204", message)
                    .at(self.context.program, places)
                    .help(format!("add an [[instruction]] with semantics \"store{}(a, b)\"", store.bits)));
            };
            stores.push((best, store));
        }
        Ok(stores)
    }
}

/// The matches of a class; what is there before needs none.
fn found(matcher: &Matcher<'_>, class: ClassId) -> Vec<Match> {
    let terms = &matcher.dag.classes[class as usize].terms;
    if terms.iter().any(|t| matches!(t, Term::Pointer(_) | Term::Given(_))) {
        return vec![Match { tile: None, bound: vec![], leaves: vec![], load: None }];
    }
    matcher.at(class)
}

/// The values that operations and outputs use, inside of loops, too.
fn used_by(ops: &[Op], outputs: &[Operand]) -> HashSet<ProgramValue> {
    let mut used: HashSet<ProgramValue> = HashSet::new();
    let value = |o: &Operand| if let Operand::Value(v) = o { Some(*v) } else { None };
    used.extend(outputs.iter().filter_map(value));
    for op in ops {
        uses(&op.kind, &mut |v| {
            used.insert(v);
        });
        if let OpKind::Loop(l) = &op.kind {
            for body in &l.bodies {
                used.extend(used_by(&body.ops, &body.outputs));
            }
        }
    }
    used
}
