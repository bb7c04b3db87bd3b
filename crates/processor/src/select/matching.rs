//! Laying tiles over classes: every way in which a tile can compute a class.

use super::patterns::{Pattern, Right, Shape, Source, Tile};
use super::recipes::is_copy;
use super::terms::{ClassId, Dag, Load, Term};
use crate::isa::{Isa, OperandKind};
use crate::semantics::{Expression, Function, NoMemory, Operator};

/// What an operand of a tile is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The value of a class.
    Class(ClassId),
    /// The zero register.
    Zero,
    /// A number.
    Number(i64),
    /// An address at a known distance from an object, reached by a pointer that moves along; distance and step per iteration.
    Chain(usize, i64, i64),
}

/// A tile laid over a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// Index of the tile; `None`: the value is that of the only leaf.
    pub tile: Option<usize>,
    /// Its operands.
    pub bound: Vec<Bound>,
    /// Classes that must be computed before.
    pub leaves: Vec<ClassId>,
    /// The load that the tile holds.
    pub load: Option<Load>,
}

/// Binding of a tile's operands so far.
#[derive(Clone, Debug, Default)]
struct State {
    bound: Vec<Option<Bound>>,
    load: Option<Load>,
}

/// Finds matches.
pub struct Matcher<'a> {
    /// The classes.
    pub dag: &'a Dag,
    /// The instruction set.
    pub isa: &'a Isa,
    /// The tiles.
    pub tiles: &'a [Tile],
    /// Known addresses may be reached by pointers that move along.
    pub chains: bool,
    /// Objects that nothing is stored to.
    pub constant_objects: &'a [bool],
    /// Register classes for words and for truth values.
    pub general: usize,
    /// See `general`.
    pub predicate: Option<usize>,
}

impl Matcher<'_> {
    /// All matches at a class.
    #[must_use]
    pub fn at(&self, class: ClassId) -> Vec<Match> {
        let mut found: Vec<Match> = Vec::new();
        for term in &self.dag.classes[class as usize].terms {
            if let Term::Same(other) = term {
                found.push(Match { tile: None, bound: vec![], leaves: vec![*other], load: None });
            }
        }
        let wanted = if self.dag.classes[class as usize].truth { self.predicate } else { Some(self.general) };
        for (number, tile) in self.tiles.iter().enumerate() {
            let Shape::Value(pattern) = &tile.shape else { continue };
            if Some(tile.class) != wanted || is_copy(tile) {
                continue;
            }
            for subject in self.subjects(tile, class) {
                let start = State { bound: vec![None; tile.operands.len()], load: None };
                for state in self.lay(tile, pattern, subject, start, true) {
                    found.extend(self.finished(number, tile, state).filter(|m| !found.contains(m)));
                }
            }
        }
        found
    }

    /// The classes whose terms a tile may be laid over to compute a class.
    fn subjects(&self, tile: &Tile, class: ClassId) -> Vec<ClassId> {
        let data = &self.dag.classes[class as usize];
        match tile.right {
            Right::All => vec![class],
            Right::Low(bits) if data.dirty && data.width <= bits => vec![class],
            Right::Low(_) => vec![],
            Right::Cut(bits) if data.dirty && data.width <= bits => vec![class],
            Right::Cut(bits) if !data.dirty && data.width == bits => {
                let mut subjects = vec![class];
                self.each_term(class, &mut |term| {
                    if let Term::Call(Function::Field, list) = term {
                        let whole = self.dag.constant(list[1]) == Some(0);
                        if whole && self.dag.constant(list[2]) == Some(bits.into()) {
                            subjects.push(list[0]);
                        }
                    }
                });
                subjects
            }
            Right::Cut(_) => vec![],
        }
    }

    /// All matches at a store.
    #[must_use]
    pub fn at_store(&self, bits: u8, address: ClassId, value: ClassId) -> Vec<Match> {
        let mut found: Vec<Match> = Vec::new();
        for (number, tile) in self.tiles.iter().enumerate() {
            let Shape::Store(width, to, what) = &tile.shape else { continue };
            if *width != bits {
                continue;
            }
            let start = State { bound: vec![None; tile.operands.len()], load: None };
            for state in self.lay_address(tile, to, address, start) {
                for state in self.lay(tile, what, value, state, false) {
                    found.extend(self.finished(number, tile, state));
                }
            }
        }
        found
    }

    fn finished(&self, number: usize, tile: &Tile, state: State) -> Option<Match> {
        let bound: Vec<Bound> = state.bound.into_iter().map(|b| b.unwrap_or(Bound::Number(0))).collect();
        let mut leaves = Vec::new();
        for b in &bound {
            if let Bound::Class(c) = b {
                if !leaves.contains(c) {
                    leaves.push(*c);
                }
            }
        }
        let made = Match { tile: Some(number), bound, leaves, load: state.load };
        self.numbers_fit(tile, &made).then_some(made)
    }

    /// Whether every number that the steps compute fits its operand.
    fn numbers_fit(&self, tile: &Tile, found: &Match) -> bool {
        let fits = |source: &Source, kind: &OperandKind| match (source, kind) {
            (Source::Number(_), OperandKind::Immediate(low, high)) => {
                step_number(tile, &found.bound, source).is_some_and(|n| *low <= n && n <= *high)
            }
            _ => true,
        };
        tile.steps.iter().all(|step| {
            let instruction = &self.isa.instructions[step.instruction as usize];
            let all = step.uses.iter().zip(&instruction.uses).all(|(source, operand)| fits(source, &operand.kind));
            let holds = |condition: &Expression| {
                let read = |name: &str| {
                    let operand = instruction.uses.iter().position(|o| o.name == name);
                    let number = operand.and_then(|k| step_number(tile, &found.bound, &step.uses[k]));
                    number.unwrap_or(0) as u64
                };
                condition.evaluate(&read, &mut NoMemory).is_ok_and(|holds| holds != 0)
            };
            all && instruction.condition.as_ref().map_or(true, holds)
        })
    }

    fn lay_address(&self, tile: &Tile, pattern: &Pattern, class: ClassId, state: State) -> Vec<State> {
        let mut found = Vec::new();
        let known = self.dag.classes[class as usize].known_address.filter(|_| self.chains);
        if let (Pattern::Register(k), Some((object, at, step))) = (pattern, known) {
            found.extend(bind(&state, *k, Bound::Chain(object, at, step)));
            return found;
        }
        if let Pattern::Binary(Operator::Add, x, y) = pattern {
            for (register, number) in [(x, y), (y, x)] {
                if let (Pattern::Register(k), true) = (register.as_ref(), number.is_number()) {
                    let start = solve(tile, number, 0, &state);
                    found.extend(start.and_then(|s| self.bind_register(tile, *k, class, &s)));
                }
            }
        }
        found.extend(self.lay(tile, pattern, class, state, false));
        found
    }

    fn lay(&self, tile: &Tile, pattern: &Pattern, class: ClassId, state: State, root: bool) -> Vec<State> {
        if pattern.is_number() {
            return self.lay_number(tile, pattern, class, &state);
        }
        if let Pattern::Register(k) = pattern {
            return self.bind_register(tile, *k, class, &state).into_iter().collect();
        }
        let mut found = Vec::new();
        self.each_term(class, &mut |term| {
            let more = self.lay_term(tile, pattern, term, &state, root);
            found.extend(more);
        });
        if let (Pattern::Binary(Operator::Add, x, y), Some(_)) = (pattern, self.dag.constant(class)) {
            for (register, number) in [(x, y), (y, x)] {
                if let Pattern::Register(k) = **register {
                    if self.zero(tile, k) {
                        if let Some(state) = bind(&state, k, Bound::Zero) {
                            found.extend(self.lay_number(tile, number, class, &state));
                        }
                    }
                }
            }
        }
        found
    }

    fn each_term(&self, class: ClassId, visit: &mut dyn FnMut(&Term)) {
        for term in &self.dag.classes[class as usize].terms {
            match term {
                Term::Same(other) => self.each_term(*other, visit),
                _ => visit(term),
            }
        }
    }

    fn lay_term(&self, tile: &Tile, pattern: &Pattern, term: &Term, state: &State, root: bool) -> Vec<State> {
        match (pattern, term) {
            (Pattern::Not(p), Term::Not(x)) => self.lay(tile, p, *x, state.clone(), false),
            (Pattern::Binary(o, p, q), Term::Binary(operator, x, y)) if o == operator => {
                let mut found = self.lay_two(tile, (p, *x), (q, *y), state);
                if commutes(*o) && x != y {
                    found.extend(self.lay_two(tile, (p, *y), (q, *x), state));
                }
                found
            }
            (Pattern::Binary(Operator::Shr, product, n), Term::High(x, y)) => match product.as_ref() {
                Pattern::Binary(Operator::Mul, p, q) if **n == Pattern::Number(self.dag.bits.into()) => {
                    self.lay_two(tile, (p, *x), (q, *y), state)
                }
                _ => Vec::new(),
            },
            (Pattern::Select(c, p, q), Term::Select(d, x, y)) => {
                let first = self.lay(tile, c, *d, state.clone(), false);
                first.iter().flat_map(|s| self.lay_two(tile, (p, *x), (q, *y), s)).collect()
            }
            (Pattern::Call(Function::Load(bits), list), Term::Load(load)) if *bits == load.bits => {
                if !root && !self.constant_objects[load.object] {
                    return Vec::new();
                }
                let state = State { load: Some(load.clone()), ..state.clone() };
                self.lay_address(tile, &list[0], load.address, state)
            }
            (Pattern::Call(f, list), Term::Call(function, classes)) if f == function => {
                let mut states = vec![state.clone()];
                for (p, c) in list.iter().zip(classes) {
                    states = states.into_iter().flat_map(|s| self.lay(tile, p, *c, s, false)).collect();
                }
                states
            }
            _ => Vec::new(),
        }
    }

    fn lay_two(&self, tile: &Tile, a: (&Pattern, ClassId), b: (&Pattern, ClassId), state: &State) -> Vec<State> {
        let first = self.lay(tile, a.0, a.1, state.clone(), false);
        first.into_iter().flat_map(|s| self.lay(tile, b.0, b.1, s, false)).collect()
    }

    /// Whether an operand may be the zero register: not one that an instruction changes.
    fn zero(&self, tile: &Tile, operand: usize) -> bool {
        match tile.operands[operand].kind {
            OperandKind::Register(class) => {
                self.isa.registers.get(class).is_some_and(|r| r.zero.is_some()) && !self.changed(tile, operand)
            }
            OperandKind::Immediate(..) => false,
        }
    }

    fn changed(&self, tile: &Tile, operand: usize) -> bool {
        tile.steps.iter().any(|step| {
            let instruction = &self.isa.instructions[step.instruction as usize];
            let mut uses = instruction.uses.iter().zip(&step.uses);
            let written = |name: &str| instruction.defines.iter().any(|d| d.name == name);
            uses.any(|(u, source)| *source == Source::Operand(operand) && written(&u.name))
        })
    }

    fn bind_register(&self, tile: &Tile, k: usize, class: ClassId, state: &State) -> Option<State> {
        let OperandKind::Register(kind) = tile.operands[k].kind else { return None };
        let data = &self.dag.classes[class as usize];
        let wanted = if data.truth { self.predicate } else { Some(self.general) };
        if wanted != Some(kind) {
            return None;
        }
        if self.dag.constant(class) == Some(0) && self.zero(tile, k) {
            return bind(state, k, Bound::Zero);
        }
        let class = match tile.operands[k].clean {
            None => class,
            Some(bits) => data.clean.filter(|&c| self.dag.classes[c as usize].width <= bits)?,
        };
        bind(state, k, Bound::Class(class))
    }

    /// A pattern of numbers against a constant.
    fn lay_number(&self, tile: &Tile, pattern: &Pattern, class: ClassId, state: &State) -> Vec<State> {
        let mut found = Vec::new();
        for term in &self.dag.classes[class as usize].terms {
            if let Term::Const(value) = term {
                let signed = if self.isa.word_bits == 32 { i64::from(*value as u32 as i32) } else { *value as i64 };
                found.extend(solve(tile, pattern, signed, state));
                if signed != *value as i64 {
                    found.extend(solve(tile, pattern, *value as i64, state));
                }
            }
        }
        found
    }
}

fn commutes(operator: Operator) -> bool {
    use Operator::{Add, And, Eq, Mul, Ne, Or, Xor};
    matches!(operator, Add | And | Eq | Mul | Ne | Or | Xor)
}

fn bind(state: &State, k: usize, bound: Bound) -> Option<State> {
    match &state.bound[k] {
        None => {
            let mut state = state.clone();
            state.bound[k] = Some(bound);
            Some(state)
        }
        Some(before) => (*before == bound).then(|| state.clone()),
    }
}

/// Binds the immediate operand that makes a pattern of numbers the wanted number.
fn solve(tile: &Tile, pattern: &Pattern, wanted: i64, state: &State) -> Option<State> {
    match pattern {
        Pattern::Number(n) => (*n as i64 == wanted).then(|| state.clone()),
        Pattern::Immediate(k) => {
            let OperandKind::Immediate(low, high) = tile.operands[*k].kind else { return None };
            (low <= wanted && wanted <= high).then(|| bind(state, *k, Bound::Number(wanted)))?
        }
        Pattern::Binary(operator, x, y) => {
            let known = |p: &Pattern| known_number(p, state);
            match (operator, known(x), known(y)) {
                (_, Some(a), Some(b)) => {
                    let value = crate::semantics::binary(*operator, a as u64, b as u64) as i64;
                    (value == wanted).then(|| state.clone())
                }
                (Operator::Add, Some(a), None) => solve(tile, y, wanted.wrapping_sub(a), state),
                (Operator::Add, None, Some(b)) => solve(tile, x, wanted.wrapping_sub(b), state),
                (Operator::Sub, Some(a), None) => solve(tile, y, a.wrapping_sub(wanted), state),
                (Operator::Sub, None, Some(b)) => solve(tile, x, wanted.wrapping_add(b), state),
                (Operator::Shl, None, Some(b)) if wanted & ((1 << b) - 1) == 0 => solve(tile, x, wanted >> b, state),
                (Operator::Shl, None, None) => solve_shift(tile, x, y, wanted, state),
                _ => None,
            }
        }
        Pattern::Not(x) => solve(tile, x, !wanted, state),
        Pattern::Call(Function::Bytes, list) => {
            let chosen = (0..8).fold(0, |chosen, k| chosen | i64::from(wanted >> (8 * k) & 0xff != 0) << k);
            let exact = crate::semantics::bytes(chosen as u64) == wanted as u64;
            exact.then(|| solve(tile, &list[0], chosen, state)).flatten()
        }
        _ => None,
    }
}

/// The same for a number that is shifted to the left by another immediate operand: the first amount that gives it.
fn solve_shift(tile: &Tile, number: &Pattern, amount: &Pattern, wanted: i64, state: &State) -> Option<State> {
    let Pattern::Immediate(k) = amount else { return None };
    let OperandKind::Immediate(low, high) = tile.operands[*k].kind else { return None };
    let places = low.max(0)..=high.min(63);
    places.filter(|n| wanted != 0 && wanted & ((1 << n) - 1) == 0).find_map(|n| {
        let placed = bind(state, *k, Bound::Number(n))?;
        solve(tile, number, wanted >> n, &placed)
    })
}

fn known_number(pattern: &Pattern, state: &State) -> Option<i64> {
    match pattern {
        Pattern::Number(n) => Some(*n as i64),
        Pattern::Immediate(k) => match state.bound[*k] {
            Some(Bound::Number(n)) => Some(n),
            _ => None,
        },
        Pattern::Binary(operator, x, y) => {
            let (x, y) = (known_number(x, state)?, known_number(y, state)?);
            Some(crate::semantics::binary(*operator, x as u64, y as u64) as i64)
        }
        _ => None,
    }
}

/// The number that a step's source gives.
#[must_use]
pub fn step_number(tile: &Tile, bound: &[Bound], source: &Source) -> Option<i64> {
    let Source::Number(expression) = source else { return None };
    let read = |name: &str| {
        let k = tile.operands.iter().position(|o| o.name == name);
        match k.map(|k| &bound[k]) {
            Some(Bound::Number(n)) => *n as u64,
            _ => 0,
        }
    };
    expression.evaluate(&read, &mut NoMemory).ok().map(|n| n as i64)
}
