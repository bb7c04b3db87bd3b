//! The machine: its two-operand operations as polynomials over truth tables.

use super::word::Word;
use circuit::function::Function;
use circuit::problem::Problem;
use circuit::table::Table;

/// Most registers that a state can hold.
pub(super) const MOST_REGISTERS: usize = 8;

/// A copy, which is no operation here: it comes with the operation that it makes room for.
const MOVE: Function = Function { arity: 1, table: 0b10 };

/// An operation `f(a, b) = constant ^ first a ^ second b ^ product a b`, coefficients spread over whole words.
#[derive(Clone, Copy)]
pub(super) struct Rule<W> {
    pub(super) function: Function,
    pub(super) constant: W,
    pub(super) first: W,
    pub(super) second: W,
    pub(super) product: W,
    /// Whether the operands can change places.
    pub(super) symmetric: bool,
}

impl<W: Word> Rule<W> {
    fn new(function: Function, ones: W) -> Self {
        let spread = |value: bool| W::fill(value) & ones;
        let at = |index: usize| function.value(index);
        let symmetric = function.arity == 2 && at(1) == at(2);
        if function.arity == 1 {
            let (constant, first) = (spread(at(0)), spread(at(0) ^ at(1)));
            return Rule { function, constant, first, second: spread(false), product: spread(false), symmetric };
        }
        Rule {
            function,
            constant: spread(at(0)),
            first: spread(at(0) ^ at(1)),
            second: spread(at(0) ^ at(2)),
            product: spread(at(0) ^ at(1) ^ at(2) ^ at(3)),
            symmetric,
        }
    }

    pub(super) fn apply(&self, a: W, b: W) -> W {
        self.constant ^ (self.first & a) ^ (self.second & b) ^ (self.product & a & b)
    }

    /// With `b` fixed, `f(a, b) = offset ^ (a & pass)`.
    pub(super) fn with_second(&self, b: W) -> Step<W> {
        Step { offset: self.constant ^ (self.second & b), pass: self.first ^ (self.product & b) }
    }

    /// With `a` fixed, `f(a, b) = offset ^ (b & pass)`.
    pub(super) fn with_first(&self, a: W) -> Step<W> {
        Step { offset: self.constant ^ (self.first & a), pass: self.second ^ (self.product & a) }
    }
}

/// An operation with all operands but one fixed: `offset ^ (w & pass)`.
#[derive(Clone, Copy)]
pub(super) struct Step<W> {
    pub(super) offset: W,
    pub(super) pass: W,
}

/// A demand on a word `w`: `w & mask == value`.
#[derive(Clone, Copy)]
pub(super) struct Demand<W> {
    pub(super) mask: W,
    pub(super) value: W,
}

impl<W: Word> Demand<W> {
    /// What the demand on a step's result demands of its operand, if anything can meet it.
    pub(super) fn before(self, step: Step<W>) -> Option<Self> {
        let wanted = (self.value ^ step.offset) & self.mask;
        let mask = self.mask & step.pass;
        (wanted & !mask == W::default()).then_some(Demand { mask, value: wanted })
    }
}

/// Operations, inputs and outputs of a search, as words.
pub(super) struct Machine<W> {
    pub(super) registers: usize,
    pub(super) ones: W,
    pub(super) unary: Vec<Rule<W>>,
    pub(super) binary: Vec<Rule<W>>,
    pub(super) inputs: Vec<W>,
    /// Output tables, each once, inputs and constants among them.
    pub(super) outputs: Vec<W>,
    /// Pairs of input values that the outputs tell apart.
    pub(super) pairs: Vec<(u8, u8)>,
}

impl<W: Word> Machine<W> {
    pub(super) fn new(problem: &Problem) -> Self {
        let sbox = &problem.sbox;
        let ones = W::of(&Table::constant(sbox.inputs, true));
        let rules = |arity: u8| -> Vec<Rule<W>> {
            let known = problem.target.operations.iter().filter(|o| o.arity == arity);
            let functions = known.filter_map(|o| o.table).map(|table| Function::new(arity, table));
            let useful = functions.filter(|f| (0..usize::from(arity)).all(|n| f.depends_on(n)) && *f != MOVE);
            useful.map(|function| Rule::new(function, ones)).collect()
        };
        let mut outputs: Vec<W> = sbox.tables().iter().map(W::of).collect();
        outputs.sort_unstable();
        outputs.dedup();
        let values = sbox.data.len() as u8;
        let apart = |p: u8, q: u8| sbox.data[usize::from(p)] != sbox.data[usize::from(q)];
        let pairs = (0..values).flat_map(|q| (0..q).map(move |p| (p, q))).filter(|&(p, q)| apart(p, q)).collect();
        let inputs = (0..usize::from(sbox.inputs)).map(|k| W::of(&Table::input(sbox.inputs, k))).collect();
        let registers = problem.target.registers.map_or(0, |r| r as usize);
        Machine { registers, ones, unary: rules(1), binary: rules(2), inputs, outputs, pairs }
    }
}
