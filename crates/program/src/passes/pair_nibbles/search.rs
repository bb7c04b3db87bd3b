//! The search for the pairs of all functions: the best few choices of the functions before are kept for each further one.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::cost::cost;
use super::rebuild::{runs, Columns, Rebuild, Wanted};
use super::BITS;
use crate::ir::{Function, OpKind, Program, ValueId};
use crate::passes::only::FunctionFilter;
use crate::roles;
use crate::walk::for_each_op;

/// Words of a run beyond which pairs of neighbours alone are tried.
const MOST_SEARCHED: usize = 64;
/// Digits of a word's number that decide upon its half.
const MOST_DIGITS: u32 = 2;

/// Which words of a run share a byte: word `i` and `i ^ partner`, the upper one where `i & upper` has an odd number of ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pairing {
    partner: usize,
    upper: usize,
}

impl Pairing {
    /// The pairs of a run of so many words, the lower half first. A run that the pairing does not fit has neighbours together.
    pub fn pairs(self, count: usize) -> Vec<[usize; 2]> {
        let fits = count % (2 * self.partner) == 0;
        let Pairing { partner, upper } = if fits { self } else { Pairing { partner: 1, upper: 1 } };
        let is_upper = |i: usize| (i & upper).count_ones() % 2 == 1;
        let lower = (0..count).filter(|&i| !is_upper(i) && i ^ partner < count);
        lower.map(|i| [i, i ^ partner]).collect()
    }

    /// All that are tried for runs of so many words.
    fn all(count: usize) -> Vec<Pairing> {
        if !count.is_power_of_two() || count > MOST_SEARCHED {
            return vec![Pairing { partner: 1, upper: 1 }];
        }
        let digits = count.trailing_zeros();
        let few = |partner: usize, m: usize| m & partner != 0 && m.count_ones() <= MOST_DIGITS;
        let of =
            |partner: usize| (0..count).filter(move |&m| few(partner, m)).map(move |upper| Pairing { partner, upper });
        (0..digits).flat_map(|digit| of(1 << digit)).collect()
    }
}

/// For each class of arrays and each column the number that stands in all rows, if there is one.
pub(super) type Numbers = HashMap<usize, Vec<Option<u64>>>;

/// Choices of the functions before that are kept.
const KEPT: usize = 3;
/// How much more a function on blocks counts than one that makes keys.
const BLOCKS: u64 = 4;

/// What the search knows.
pub(super) struct Search<'a> {
    pub program: &'a Program,
    pub numbers: &'a Numbers,
    /// For each function the classes of its arrays whose columns may be paired.
    pub classes: &'a [BTreeMap<ValueId, usize>],
}

/// Functions that are decided.
#[derive(Clone)]
struct State {
    cost: u64,
    made: Vec<Option<Function>>,
    columns: HashMap<usize, Columns>,
    /// Classes that a function reads with single columns.
    single: HashSet<usize>,
}

/// One way to write a function, and the columns that it leaves to the others.
struct Choice {
    cost: u64,
    made: Function,
    columns: HashMap<usize, Columns>,
}

impl Search<'_> {
    /// Each function as it becomes, where it changes.
    pub fn made(&self, only: &FunctionFilter<'_>) -> Vec<Option<Function>> {
        let functions = &self.program.functions;
        let mut order: Vec<usize> = (0..functions.len()).filter(|&n| only.includes(&functions[n].name)).collect();
        order.retain(|&n| functions[n].values.iter().any(|v| v.ty.width() == BITS));
        order.sort_by_key(|&n| rank(&functions[n].name));
        let begin =
            State { cost: 0, made: vec![None; functions.len()], columns: HashMap::new(), single: HashSet::new() };
        let mut states = vec![begin];
        for n in order {
            let mut next: Vec<State> = states.iter().flat_map(|state| self.continued(state, n)).collect();
            next.sort_by_key(|state| state.cost);
            next.truncate(KEPT);
            states = next;
        }
        states.swap_remove(0).made
    }

    fn continued(&self, state: &State, n: usize) -> Vec<State> {
        let function = &self.program.functions[n];
        let open = self.classes[n].iter().filter(|(_, class)| !state.single.contains(class));
        let classes: BTreeMap<ValueId, usize> = open.map(|(&v, &class)| (v, class)).collect();
        let weight = if roles::on_blocks(&function.name) { BLOCKS } else { 1 };
        let mut next = Vec::new();
        for choice in self.choices(function, &classes, &state.columns) {
            let mut state = state.clone();
            state.cost = state.cost.saturating_add(choice.cost.saturating_mul(weight));
            state.single.extend(classes.values().filter(|class| !choice.columns.contains_key(class)));
            state.columns = choice.columns;
            state.made[n] = (choice.made != *function).then_some(choice.made);
            next.push(state);
        }
        next
    }

    /// The cheapest way for each choice of columns, the cheapest first.
    fn choices(
        &self,
        function: &Function,
        classes: &BTreeMap<ValueId, usize>,
        columns: &HashMap<usize, Columns>,
    ) -> Vec<Choice> {
        let decided = classes.values().any(|class| columns.contains_key(class));
        let run = longest_run(function);
        let pairings = if run == 0 { Vec::new() } else { Pairing::all(run) };
        let mut found: Vec<Choice> = Vec::new();
        for pairing in std::iter::once(None).chain(pairings.into_iter().map(Some)) {
            let mut own = columns.clone();
            if pairing.is_some() || decided {
                let wanted = Rebuild::new(function, pairing, classes, &own).rebuilt().1;
                for class in classes.values() {
                    own.entry(*class).or_insert_with(|| Columns::new(&self.numbers[class], &wanted, *class));
                }
            }
            let (made, _) = Rebuild::new(function, pairing, classes, &own).rebuilt();
            let cost = cost(self.program, &made);
            match found.iter_mut().find(|choice| choice.columns == own) {
                Some(choice) if choice.cost <= cost => {}
                Some(choice) => *choice = Choice { cost, made, columns: own },
                None => found.push(Choice { cost, made, columns: own }),
            }
        }
        found.sort_by_key(|choice| choice.cost);
        found.truncate(KEPT);
        found
    }
}

/// What reads arrays decides before what makes them.
fn rank(name: &str) -> usize {
    let forward = roles::FORWARD.contains(&name);
    if roles::SCHEDULES.contains(&name) {
        3
    } else if forward {
        0
    } else {
        1 + usize::from(!roles::BACKWARD.contains(&name))
    }
}

/// Words in the longest run that a loop carries.
fn longest_run(function: &Function) -> usize {
    let mut longest = 0;
    for_each_op(&function.body, &mut |op| {
        if let OpKind::Loop(_) = &op.kind {
            let runs = runs(function, &op.results);
            longest = runs.into_iter().map(|(_, count)| count).max().unwrap_or(0).max(longest);
        }
    });
    longest
}

impl Columns {
    fn new(numbers: &[Option<u64>], wanted: &Wanted, class: usize) -> Columns {
        let count = numbers.len();
        let mut columns = Columns { places: vec![None; count], numbers: numbers.to_vec(), bytes: 0 };
        for &(of, low, high) in wanted {
            let open = |n: usize, columns: &Columns| columns.places[n].is_none() && numbers[n].is_none();
            if of == class && open(low, &columns) && open(high, &columns) && low != high {
                columns.add(low, Some(high));
            }
        }
        let is_open = |&n: &usize| columns.places[n].is_none() && numbers[n].is_none();
        let rest: Vec<usize> = (0..count).filter(is_open).collect();
        for pair in rest.chunks(2) {
            columns.add(pair[0], pair.get(1).copied());
        }
        columns
    }

    fn add(&mut self, low: usize, high: Option<usize>) {
        self.places[low] = Some((self.bytes, 0));
        if let Some(high) = high {
            self.places[high] = Some((self.bytes, BITS));
        }
        self.bytes += 1;
    }
}
