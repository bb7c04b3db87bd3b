//! The search: one more operation, or one more cycle, until there is a program or the next step would take too long.

use serde::Serialize;

use super::arrange::{arrangements, Arrangement};
use super::fewest::{self, Program};
use super::goal::{FreeMatrix, Goal};
use super::space::{Machine, Space, Step};
use super::word::{Lane, Word};
use super::{cycles, same::Order};
use crate::linear::branches::Branches;
use circuit::fault::Fault;

/// What is to be least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// Operations.
    Operations,
    /// Cycles on the machine.
    Cycles,
}

/// A matrix, words and a machine.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Factors in GF(2^8), or zeros and ones.
    pub rows: Vec<Vec<u8>>,
    /// Of the field, with its leading bit; 0 over GF(2).
    pub polynomial: u64,
    /// Bytes of a word: 1, 2, 4 or 8.
    pub bytes: usize,
    /// Whether the bytes may lie in the words in any order, or bytes come first that are less significant.
    pub is_free: bool,
    /// What is to be least.
    pub aim: Aim,
    /// No fewer operations or cycles than that are tried.
    pub least: usize,
    /// No more operations or cycles than that.
    pub most: usize,
    /// Where cycles are to be least: no more operations than that.
    pub most_operations: usize,
    /// The search ends before a count for which more sets than that are to be expected.
    pub most_nodes: u64,
    /// Threads; no result depends on them.
    pub threads: usize,
}

/// What one count took.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Effort {
    /// Operations or cycles.
    pub count: usize,
    /// Sets looked at; of all orders together.
    pub nodes: u64,
}

/// What was found, and what was shown not to be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// The program; empty without one.
    pub steps: Vec<Step>,
    /// The cycle in which each step starts, where cycles were to be least.
    pub starts: Vec<u32>,
    /// The value of each word of the result; empty: no program was found.
    pub outputs: Vec<usize>,
    /// The input that lies at each place.
    pub input_order: Vec<usize>,
    /// The row of the matrix that comes out at each place.
    pub output_order: Vec<usize>,
    /// Every count that was exhausted without a program, the last one the largest.
    pub exhausted: Vec<Effort>,
    /// Why the search ended: `found`, `impossible` (no order of bytes lets the machine compute the matrix), `orders`
    /// (too many orders), `most`, `nodes` (the next count would take too long), `stopped`.
    pub end: String,
    /// Orders of bytes that were told apart; 1 where one search covers all.
    pub orders: usize,
}

/// Searches; `tell` gets a line now and then and says whether to stop.
///
/// # Errors
/// `C129` for words of another number of bytes, `C123` for a matrix whose bytes do not fill words, or that is too large.
pub fn search(problem: &Problem, machine: &Machine, tell: &(dyn Fn(&str) -> bool + Sync)) -> Result<Outcome, Fault> {
    match problem.bytes {
        1 => Search::<1>::new(problem, machine)?.run(tell),
        2 => Search::<2>::new(problem, machine)?.run(tell),
        4 => Search::<4>::new(problem, machine)?.run(tell),
        8 => Search::<8>::new(problem, machine)?.run(tell),
        other => Err(Fault::new("C129", format!("words of {other} bytes are not served")).help("1, 2, 4 or 8")),
    }
}

struct Search<'a, const L: usize> {
    problem: &'a Problem,
    space: Space<'a, L>,
    rows: Vec<Lane>,
    columns: usize,
    is_binary: bool,
}

/// A goal from certain words.
struct Question<const L: usize> {
    inputs: Vec<Word<L>>,
    goal: Goal<L>,
    order: Arrangement,
}

impl<'a, const L: usize> Search<'a, L> {
    fn new(problem: &'a Problem, machine: &'a Machine) -> Result<Self, Fault> {
        let (count, columns) = (problem.rows.len(), problem.rows.first().map_or(0, Vec::len));
        let is_binary = problem.polynomial == 0;
        let most = if is_binary { 64 } else { 8 };
        if count == 0 || count % L != 0 || columns == 0 || columns % L != 0 || columns > most || count > 64 {
            return Err(Fault::new("C123", format!("a matrix of {count} rows and {columns} columns is not served"))
                .note(format!("words hold {L} bytes; at most {most} columns over this field, 64 rows")));
        }
        let place = |c: usize| if is_binary { c } else { 8 * c };
        let lane = |row: &Vec<u8>| row.iter().enumerate().fold(0, |l, (c, &f)| l | Lane::from(f) << place(c));
        let rows = problem.rows.iter().map(lane).collect();
        Ok(Search { problem, space: Space::new(machine, problem.polynomial), rows, columns, is_binary })
    }

    fn run(&self, tell: &(dyn Fn(&str) -> bool + Sync)) -> Result<Outcome, Fault> {
        let mut outcome = Outcome::default();
        let Some(questions) = self.questions() else {
            outcome.end = "orders".into();
            return Ok(outcome);
        };
        outcome.orders = questions.len();
        if questions.is_empty() {
            outcome.end = "impossible".into();
            return Ok(outcome);
        }
        for count in self.problem.least..=self.problem.most {
            if expected(&outcome.exhausted) > self.problem.most_nodes {
                outcome.end = "nodes".into();
                return Ok(outcome);
            }
            let mut nodes = 0;
            for question in &questions {
                if tell(&format!("{count}")) {
                    outcome.end = "stopped".into();
                    return Ok(outcome);
                }
                let found = self.ask(question, count, &|| tell(""));
                nodes += found.nodes;
                if let Some((program, starts)) = found.result {
                    return Ok(self.found(outcome, question, program, starts));
                }
                if found.is_stopped {
                    outcome.end = "stopped".into();
                    return Ok(outcome);
                }
            }
            outcome.exhausted.push(Effort { count, nodes });
        }
        outcome.end = "most".into();
        Ok(outcome)
    }

    /// The goals of which one has to be reached; `None`: there are too many.
    fn questions(&self) -> Option<Vec<Question<L>>> {
        let given = Arrangement { inputs: (0..self.columns).collect(), outputs: (0..self.rows.len()).collect() };
        if !self.problem.is_free {
            let goal = Goal::Exact(self.words(&given.outputs));
            return Some(vec![Question { inputs: self.inputs(&given.inputs), goal, order: given }]);
        }
        if self.space.machine.is_alike_in_all_bytes() {
            let (orders, is_whole) = arrangements(&self.rows, self.columns, self.is_binary, L);
            let question = |order: Arrangement| Question {
                inputs: self.inputs(&order.inputs),
                goal: Goal::Rotated(self.words(&order.outputs)),
                order,
            };
            return is_whole.then(|| orders.into_iter().map(question).collect());
        }
        let free = FreeMatrix::new(self.rows.clone(), self.columns, self.rows.len() / L, self.is_binary);
        Some(vec![Question { inputs: self.inputs(&given.inputs), goal: Goal::Free(free), order: given }])
    }

    fn words(&self, order: &[usize]) -> Vec<Word<L>> {
        order.chunks(L).map(|places| std::array::from_fn(|n| self.rows[places[n]])).collect()
    }

    fn inputs(&self, order: &[usize]) -> Vec<Word<L>> {
        let unit = |c: usize| if self.is_binary { 1 << c } else { 1 << (8 * c) };
        order.chunks(L).map(|places| std::array::from_fn(|n| unit(places[n]))).collect()
    }

    fn ask(
        &self,
        question: &Question<L>,
        count: usize,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Branches<(Program, Vec<u32>)> {
        let Question { inputs, goal, .. } = question;
        Branches::run(self.problem.threads, stopped, |branch| match self.problem.aim {
            Aim::Operations => {
                fewest::Walk::new(&self.space, goal, inputs, branch).find(count).map(|p| (p, Vec::new()))
            }
            Aim::Cycles => {
                let limits = (count as u32, self.problem.most_operations);
                cycles::Walk::new(&self.space, goal, inputs, limits, branch).find()
            }
        })
    }

    fn found(&self, mut outcome: Outcome, question: &Question<L>, program: Program, starts: Vec<u32>) -> Outcome {
        let (steps, reached) = program;
        outcome.end = "found".into();
        outcome.starts = starts;
        outcome.outputs = reached.outputs;
        outcome.input_order.clone_from(&question.order.inputs);
        outcome.output_order.clone_from(&question.order.outputs);
        if let Some(Order { rows, columns }) = reached.order {
            outcome.input_order = columns;
            outcome.output_order = rows;
        } else if matches!(question.goal, Goal::Rotated(_)) {
            outcome.output_order = self.rotated(question, &steps, &outcome.outputs);
        }
        outcome.steps = steps;
        outcome
    }

    /// The rows at each place of results that may be rotated.
    fn rotated(&self, question: &Question<L>, steps: &[Step], outputs: &[usize]) -> Vec<usize> {
        let mut known = question.inputs.clone();
        steps.iter().for_each(|step| known.push(self.space.result(&known, *step)));
        let place = |(word, &value): (usize, &usize)| {
            let rows = &question.order.outputs[word * L..(word + 1) * L];
            let by = (0..L).find(|by| (0..L).all(|n| known[value][(n + by) % L] == self.rows[rows[n]])).unwrap_or(0);
            (0..L).map(|n| rows[(n + L - by) % L]).collect::<Vec<usize>>()
        };
        outputs.iter().enumerate().flat_map(place).collect()
    }
}

/// Sets to be expected for the next count: as much more than for the last as that was more than the one before.
fn expected(exhausted: &[Effort]) -> u64 {
    let [.., before, last] = exhausted else { return 0 };
    if last.nodes < 10_000 {
        return 0;
    }
    (last.nodes as f64 * last.nodes as f64 / before.nodes.max(1) as f64) as u64
}
