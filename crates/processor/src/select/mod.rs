//! Selection of instructions: a function of a program becomes machine code on values.
//!
//! The function is lowered to classes of terms (`lower`, `words`, `terms`), on which the instructions and recipes of the set
//! (`patterns`, `recipes`) are laid (`matching`); the cheapest cover is chosen (`cover`) and written out (`emit`), accesses
//! at known places share pointers that move along (`chains`).

mod chains;
mod context;
mod cover;
mod emit;
mod layout;
mod lower;
mod matching;
mod near_constants;
mod objects;
mod pairs;
mod patterns;
mod recipes;
mod regions;
mod terms;
mod tidy;
mod timing;
mod together;
mod words;

use program::ir::{Function, Program};
use program::Diagnostic;

pub use layout::Layout;

use crate::code::{Code, Region};
use crate::model::Processor;
use cover::Cover;
use lower::LoweredRegion;
use near_constants::NEAR_CONSTANTS;
pub use pairs::PairLoads;
pub(crate) use patterns::Tile;
use regions::Regions;
use terms::{ClassId, Dag, Term};

/// What selection is told.
#[derive(Clone, Debug)]
pub struct Options {
    /// Instructions and recipes that are not to be used, by name; `mask in place`: an index is not scaled by masking its field
    /// where it stands; `near constants`: every constant is made by itself; `join by xor`: an index is not joined to the address
    /// of an aligned table by exclusive or.
    pub avoid: Vec<String>,
    /// Pointers that the accesses of one kind to one object are dealt to.
    pub pointers: usize,
    /// Operations with alternatives are spread over the ports; otherwise each takes what is cheapest by itself.
    pub spread: bool,
    /// The longest way through the code may be so many percent longer than the shortest possible; `None`: operations are
    /// chosen by their load on the ports alone.
    pub depth: Option<u32>,
    /// Operations choose among alternatives in an order that strides through the code.
    pub even: bool,
    /// When two words are loaded as one.
    pub wide: PairLoads,
    /// How tables lie in memory.
    pub layout: Layout,
    /// Bytes lie as C's arrays do: what is made from them in the other order than the processor's is turned by instructions.
    pub bytes: bool,
}

impl Default for Options {
    fn default() -> Self {
        let (wide, layout) = (PairLoads::default(), Layout::default());
        Options {
            avoid: Vec::new(),
            pointers: 2,
            spread: true,
            depth: Some(0),
            even: false,
            wide,
            layout,
            bytes: false,
        }
    }
}

/// Selects instructions for a function of a program: calls inlined, boxes and matrices replaced, loops of one body without
/// loops inside.
///
/// # Errors
/// `M200` for an unknown function, `M201` to `M203` for what cannot be lowered, `M204` for an operation that no instruction
/// computes, `M210` and `M211` for recipes that are wrong.
pub fn select(program: &Program, function: &str, processor: &Processor, options: &Options) -> Result<Code, Diagnostic> {
    let function = find(program, function)?;
    let tiles = tiles(processor, options)?;
    let regions = Regions::new(program, function, processor, options, &tiles).all()?;
    let mut code = Code { name: format!("{} {}", program.name, function.name).to_lowercase(), ..regions };
    if !options.avoid.iter().any(|name| name == NEAR_CONSTANTS) {
        near_constants::derive(&mut code, &processor.isa);
    }
    tidy::finish(&mut code, &processor.isa);
    Ok(code)
}

/// Selects instructions by trying: leaves out recipes and instructions that have alternatives, one after the other, as long as
/// that lowers what `cycles_of` gives (the cycles of a quick schedule, say), and spreads operations or not.
///
/// # Errors
/// As [`select`], for the first try.
pub fn search(
    program: &Program,
    function: &str,
    processor: &Processor,
    options: &Options,
    cycles_of: &dyn Fn(&Code) -> u64,
) -> Result<(Code, Options), Diagnostic> {
    let mut best_options = options.clone();
    let mut best = select(program, function, processor, options)?;
    let mut least = cycles_of(&best);
    let mut try_options = |candidate: Options, best: &mut Code, best_options: &mut Options| {
        let Ok(code) = select(program, function, processor, &candidate) else { return false };
        let cost = cycles_of(&code);
        if cost < least {
            (least, *best, *best_options) = (cost, code, candidate);
            return true;
        }
        false
    };
    for depth in [Some(0), Some(5), Some(20), None] {
        for (spread, even) in [(true, false), (true, true), (false, false)] {
            try_options(Options { spread, even, depth, ..best_options.clone() }, &mut best, &mut best_options);
        }
    }
    // Ends: each iteration but the last lowers what `cycles_of` says.
    loop {
        let mut better = false;
        for name in alternatives(processor, &best) {
            if best_options.avoid.contains(&name) {
                continue;
            }
            let mut candidate = best_options.clone();
            candidate.avoid.push(name);
            better |= try_options(candidate, &mut best, &mut best_options);
        }
        if !better {
            return Ok((best, best_options));
        }
    }
}

/// Names that code may do without: the recipes, and the instructions that it uses and that are neither loads nor stores.
fn alternatives(processor: &Processor, code: &Code) -> Vec<String> {
    let isa = &processor.isa;
    let mut names: Vec<String> = isa.recipes.iter().map(|r| r.name.clone()).collect();
    names.push(NEAR_CONSTANTS.to_owned());
    let mut used = vec![false; isa.instructions.len()];
    let ops = code.regions.iter().flat_map(Region::ops);
    ops.filter(|op| op.access.is_none()).for_each(|op| used[op.instruction as usize] = true);
    names.extend(isa.instructions.iter().zip(used).filter(|(_, used)| *used).map(|(i, _)| i.name.clone()));
    names
}

fn find<'a>(program: &'a Program, name: &str) -> Result<&'a Function, Diagnostic> {
    program.functions.iter().find(|f| f.name == name).ok_or_else(|| {
        let known: Vec<_> = program.functions.iter().map(|f| f.name.as_str()).collect();
        Diagnostic::new("M200", format!("the program has no function `{name}`"))
            .help(format!("known: {}", known.join(", ")))
    })
}

/// The tiles that the options allow.
fn tiles(processor: &Processor, options: &Options) -> Result<Vec<Tile>, Diagnostic> {
    let every = processor.isa.tiles.get(|| {
        let mut tiles = patterns::of_instructions(&processor.isa);
        tiles.extend(recipes::of_recipes(&processor.isa)?);
        Ok(tiles)
    })?;
    Ok(every.iter().filter(|t| !options.avoid.contains(&t.name)).cloned().collect())
}

/// The operation at the bottom of what cannot be computed.
fn impossible(
    program: &Program,
    lowered: &LoweredRegion,
    cover: &Cover,
    class: ClassId,
    processor: &Processor,
) -> Diagnostic {
    let dag = &lowered.words.dag;
    let mut at = class;
    // Without registers for truth values nothing is there for them, but there are other ways.
    let apart = |c: &ClassId| dag.classes[*c as usize].truth && patterns::predicate(&processor.isa).is_none();
    let missing = |c: &ClassId| cover.chosen[*c as usize].is_none() && !apart(c);
    while let Some(below) = operands(dag, at).into_iter().find(missing) {
        at = below;
    }
    let text = dag.classes[at as usize].terms.first().map_or_else(String::new, |t| text(dag, t));
    let places = &dag.origins[dag.classes[at as usize].sequence as usize].1;
    Diagnostic::new("M204", format!("the processor `{}` has no instruction for `{text}`", processor.name))
        .at(program, places)
        .help(format!(
            "add an [[instruction]] with semantics \"d = {text}\", or a [[recipe]] with computes = \"{text}\""
        ))
}

fn operands(dag: &Dag, class: ClassId) -> Vec<ClassId> {
    let mut list = Vec::new();
    for term in &dag.classes[class as usize].terms {
        match term {
            Term::Not(x) | Term::Same(x) => list.push(*x),
            Term::Binary(_, x, y) | Term::High(x, y) => list.extend([*x, *y]),
            Term::Select(c, x, y) => list.extend([*c, *x, *y]),
            Term::Call(_, x) => list.extend(x),
            Term::Load(load) => list.push(load.address),
            Term::Const(_) | Term::Given(_) | Term::Pointer(_) => {}
        }
    }
    list
}

/// A term in the language of semantics, its operands by letters.
fn text(dag: &Dag, term: &Term) -> String {
    let operand = |c: &ClassId, letter: &str| dag.constant(*c).map_or_else(|| letter.to_owned(), |n| n.to_string());
    match term {
        Term::Const(n) => n.to_string(),
        Term::Not(_) => "~x".to_owned(),
        Term::Binary(o, x, y) => format!("{} {} {}", operand(x, "x"), o.symbol(), operand(y, "y")),
        Term::High(x, y) => format!("({} * {}) >> {}", operand(x, "x"), operand(y, "y"), dag.bits),
        Term::Select(..) => "c ? x : y".to_owned(),
        Term::Call(f, list) => {
            let letters = ["x", "n", "w", "z"];
            let list: Vec<String> = list.iter().zip(letters).map(|(c, l)| operand(c, l)).collect();
            format!("{}({})", f.name(), list.join(", "))
        }
        Term::Load(load) => format!("load{}(a)", load.bits),
        Term::Given(_) | Term::Pointer(_) | Term::Same(_) => "x".to_owned(),
    }
}
