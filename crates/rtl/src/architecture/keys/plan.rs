//! Round keys on the fly: what runs in which clock, what is kept from block to block.

use std::collections::{BTreeMap, BTreeSet};

use program::diagnostic::Diagnostic;
use program::ir::Program;

use super::families::{families, Families};
use super::graph::{weights, Call, Granularity, Graph};
use super::places::Lives;
use super::schedule::{Limits, Schedule, Scheduler, COPIES};
use super::Keys;
use crate::sequence::{Place, Role, Sequence};

/// Copies of a function in a short key setup.
const SETUP_COPIES: usize = 2;

/// Round keys in step with the cipher.
pub(in super::super) struct OnTheFly {
    pub graph: Graph,
    /// One per way of running the cipher, then key setup of every key schedule if there is one.
    pub schedules: Vec<Schedule>,
    /// Values that every block reads where they stand.
    fixed: BTreeSet<usize>,
    /// Values with which backward runs start.
    last: BTreeSet<usize>,
    /// Words that are kept from block to block.
    pub kept: Vec<KeptWord>,
    /// Clocks of key setup, per key schedule; none where nothing is set up.
    pub setup: Option<Vec<usize>>,
    /// Per way of running, whether it must wait for key setup.
    pub waits: Vec<bool>,
    /// Ways of running per key schedule.
    of_schedule: usize,
    /// Functions that are one.
    pub families: Families,
    pub weights: BTreeMap<String, u32>,
    pub roots: Roots,
}

/// A word that is kept from block to block: which value it is for each key schedule.
pub(in super::super) struct KeptWord {
    pub name: String,
    pub width: u8,
    pub values: Vec<Option<usize>>,
}

fn refused(message: impl Into<String>) -> Diagnostic {
    Diagnostic::new("H309", message).help("use stored keys")
}

/// What is wanted of the round keys.
#[derive(Clone, Copy)]
pub(in super::super) struct Way {
    pub keys: Keys,
    /// They travel through a pipeline: every stage has copies of its own.
    pub travels: bool,
    /// They are made a clock before they are used.
    pub ahead: bool,
    /// Functions that exclude each other share their operators.
    pub share: bool,
    /// Where words stand that are made of the key by wires alone.
    pub roots: Roots,
    /// Words of a step that share no gate are made by themselves, each in its clock.
    pub apart: bool,
    /// Most calls of a function in a clock; a key schedule that needs more is stored.
    pub most: usize,
}

impl Default for Way {
    fn default() -> Self {
        Way {
            keys: Keys::Auto,
            travels: false,
            ahead: false,
            share: true,
            roots: Roots::default(),
            apart: false,
            most: COPIES,
        }
    }
}

/// Where words stand that are made of the key by wires alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) enum Roots {
    /// In the window, from the first clock until they are used.
    #[default]
    Window,
    /// Nowhere: the key is kept as it is, and they are wired from it where they are used.
    Key,
    /// They are made in steps like words that need gates, each in place of the one before.
    Moving,
}

/// Plans round keys for the ways of running, as many for each key schedule; `backwards` says which of them decrypt.
///
/// # Errors
/// H309 where the key schedule is not of that kind, H310 where its recurrence cannot be run backwards.
pub(in super::super) fn plan(
    program: &mut Program,
    sequences: &[Sequence],
    data: &[Sequence],
    backwards: &[bool],
    way: Way,
) -> Result<OnTheFly, Diagnostic> {
    let graph = Graph::new(program, sequences, Granularity { moving: way.roots == Roots::Moving, apart: way.apart });
    let of_schedule = data.len() / sequences.len();
    let results = |n: usize| &graph.results[n / of_schedule];
    let needs: Vec<Vec<Vec<usize>>> = data.iter().enumerate().map(|(n, one)| asked(results(n), one)).collect();
    let wanted: BTreeSet<usize> = needs.iter().flatten().flatten().copied().collect();
    let recurrent = wanted.iter().any(|&v| !graph.values[v].root && !graph.is_independent(v));
    match way.keys {
        Keys::Window if !recurrent => {
            return Err(refused("no round key is made from earlier ones").help("use independent or stored keys"))
        }
        Keys::Independent if recurrent => {
            return Err(refused("round keys are made from earlier ones").help("use window or stored keys"));
        }
        _ => {}
    }
    let mut fixed = BTreeSet::new();
    let given = PlanInput { graph: &graph, needs: &needs, backwards, of_schedule, recurrent, way };
    if way.ahead {
        // What is crowded without it is made in key setup, and leaves its clocks to the others.
        settled(program, &PlanInput { way: Way { ahead: false, ..way }, ..given }, &mut fixed)?;
    }
    let schedules = settled(program, &given, &mut fixed)?;
    // Where round keys are made ahead for a short clock, key setup is short, too.
    let copies = if way.ahead { SETUP_COPIES } else { 1 };
    let mut plan = finished(graph, schedules, fixed, (of_schedule, copies))?;
    if way.share {
        plan.families = families(program, &plan.schedules);
    }
    plan.weights = weights(program);
    plan.roots = way.roots;
    Ok(plan)
}

/// Schedules under which nothing more comes to `fixed`.
fn settled(
    program: &mut Program,
    given: &PlanInput<'_>,
    fixed: &mut BTreeSet<usize>,
) -> Result<Vec<Schedule>, Diagnostic> {
    // Ends: values only come to `fixed`, and there are so many.
    loop {
        let before = fixed.clone();
        let schedules = all(program, given, fixed)?;
        if *fixed == before {
            return Ok(schedules);
        }
    }
}

/// The values that the steps of the cipher ask for.
fn asked(results: &[Vec<usize>], data: &Sequence) -> Vec<Vec<usize>> {
    let of = |place: &Place| {
        let Place::Element(array, n) = *place else { return None };
        match data.arrays[array as usize].role {
            Role::Parameter(p) if p != data.last_parameter() => Some(results[p as usize][n as usize]),
            _ => None,
        }
    };
    data.steps.iter().map(|step| step.reads.iter().filter_map(of).collect()).collect()
}

/// What is planned for.
#[derive(Clone, Copy)]
struct PlanInput<'a> {
    graph: &'a Graph,
    /// Per way of running and step, the values that are asked for.
    needs: &'a [Vec<Vec<usize>>],
    backwards: &'a [bool],
    of_schedule: usize,
    recurrent: bool,
    way: Way,
}

/// Schedules of all ways of running, and key setup for backward ones; what cannot be made in time comes to `fixed`.
fn all(program: &mut Program, given: &PlanInput<'_>, fixed: &mut BTreeSet<usize>) -> Result<Vec<Schedule>, Diagnostic> {
    let &PlanInput { graph, recurrent, way: how, .. } = given;
    let known = fixed.clone();
    let mut overflows = false;
    let limits = Limits { ahead: how.ahead, most: how.most, ..Limits::default() };
    let mut schedules = Vec::new();
    for (way, (needs, &decrypt)) in given.needs.iter().zip(given.backwards).enumerate() {
        let back = decrypt && recurrent;
        let scheduler = Scheduler::new(graph, &known);
        let scheduler = if back { scheduler.backwards(program, way / given.of_schedule)? } else { scheduler };
        let (mut schedule, mut overflow) = scheduler.schedule(needs, back, &limits);
        if how.travels && !overflow.is_empty() {
            (schedule, overflow) = scheduler.schedule(needs, back, &Limits { often: false, ..limits });
            if schedule.crowded(limits.most) {
                return Err(refused("the first round key needs too many steps of the key schedule"));
            }
        }
        if overflow.iter().all(|c| c.outputs.iter().all(|&v| graph.is_independent(v))) {
            overflows |= !overflow.is_empty();
            fixed.extend(overflow.iter().flat_map(|c| &c.outputs));
        } else if schedule.crowded(limits.most) {
            let iteration = overflow.first().map_or("", |c| c.iteration.as_str());
            return Err(refused("the first round key needs too many steps of the key schedule")
                .note(format!("the step of {iteration} has no clock to run in")));
        }
        schedules.push(schedule);
    }
    if !fixed.is_empty() && !overflows {
        // Set-up is there anyway: what is made once and read in several clocks is made there.
        for schedule in &schedules {
            let often = schedule.read_often();
            fixed.extend(often.iter().filter(|&&v| graph.values[v].root || graph.is_independent(v)));
        }
        let of_fixed: Vec<usize> = fixed.iter().filter_map(|&v| graph.values[v].maker).collect();
        for call in of_fixed {
            if !graph.calls[call].outputs.iter().all(|&v| graph.values[v].root) {
                // Key setup reads the key itself.
                fixed.extend(graph.calls[call].inputs.iter().filter(|&&v| !graph.values[v].root));
            }
        }
    }
    Ok(schedules)
}

fn finished(
    graph: Graph,
    mut schedules: Vec<Schedule>,
    mut fixed: BTreeSet<usize>,
    (of_schedule, copies): (usize, usize),
) -> Result<OnTheFly, Diagnostic> {
    fixed.retain(|v| !graph.values[*v].root || schedules.iter().any(|s| s.start.contains(v)));
    let last_of = |s: &Schedule| -> BTreeSet<usize> {
        let of_setup = |v: &usize| !graph.values[*v].root && !fixed.contains(v) && !s.loaded.contains(v);
        s.start.iter().copied().filter(of_setup).collect()
    };
    let last: BTreeSet<usize> = schedules.iter().flat_map(last_of).collect();
    if !last.is_empty() && !fixed.is_empty() {
        return Err(refused("the key schedule is partly a recurrence and partly not"));
    }
    let waits: Vec<bool> = schedules.iter().map(|s| !fixed.is_empty() || !last_of(s).is_empty()).collect();
    let mut setups = Vec::new();
    let mut of_each = Vec::new();
    for own in schedules.chunks(of_schedule) {
        let last: BTreeSet<usize> = own.iter().flat_map(last_of).collect();
        let fixed = needed(&graph, own, &fixed);
        if !last.is_empty() {
            setups.push(run_up(&graph, own, &last)?);
        } else if !fixed.is_empty() {
            setups.push(once(&graph, &fixed, copies));
        }
        of_each.push(fixed.union(&last).copied().collect::<Vec<_>>());
    }
    if !setups.is_empty() && setups.len() < of_each.len() {
        return Err(refused("some key sizes need key setup and others do not"));
    }
    let clocks = setups.iter().map(|s: &Schedule| s.at.iter().max().map_or(0, |n| n + 1)).collect();
    let setup = (!setups.is_empty()).then_some(clocks);
    schedules.extend(setups);
    let kept = shared_words(&graph, &of_each);
    let (families, weights, roots) = (Families::default(), BTreeMap::new(), Roots::default());
    Ok(OnTheFly { graph, schedules, fixed, last, kept, setup, waits, of_schedule, families, weights, roots })
}

/// The kept values that ways of running need, and what key setup makes on the way to them.
fn needed(graph: &Graph, schedules: &[Schedule], fixed: &BTreeSet<usize>) -> BTreeSet<usize> {
    let mut list: Vec<usize> = schedules.iter().flat_map(|s| &s.start).filter(|v| fixed.contains(v)).copied().collect();
    let mut found: BTreeSet<usize> = BTreeSet::new();
    while let Some(value) = list.pop() {
        if found.insert(value) {
            let inputs = graph.values[value].maker.map_or(&[][..], |c| &graph.calls[c].inputs);
            list.extend(inputs.iter().filter(|v| fixed.contains(v)));
        }
    }
    found
}

/// The words that hold the kept values of every key schedule: values of one name stand in one word, else they take one that is free.
fn shared_words(graph: &Graph, of_each: &[Vec<usize>]) -> Vec<KeptWord> {
    let mut words: Vec<KeptWord> = Vec::new();
    let mut order: Vec<usize> = (0..of_each.len()).collect();
    order.sort_by_key(|&n| std::cmp::Reverse(of_each[n].len()));
    for n in order {
        let mut left = Vec::new();
        for &v in &of_each[n] {
            let value = &graph.values[v];
            let same = |w: &&mut KeptWord| w.values[n].is_none() && (&w.name, w.width) == (&value.name, value.width);
            match words.iter_mut().find(same) {
                Some(word) => word.values[n] = Some(v),
                None => left.push(v),
            }
        }
        // From the last on: a window that runs backwards starts with the last values of each at the same registers.
        left.reverse();
        left.retain(|&v| {
            let free = |w: &&mut KeptWord| w.values[n].is_none() && w.width == graph.values[v].width;
            let found = words.iter_mut().rev().find(free);
            found.map(|word| word.values[n] = Some(v)).is_none()
        });
        for &v in left.iter().rev() {
            let mut values = vec![None; of_each.len()];
            values[n] = Some(v);
            words.push(KeptWord { name: graph.values[v].name.clone(), width: graph.values[v].width, values });
        }
    }
    words
}

/// Key setup of values that are made from the key, so many calls of a function a clock.
fn once(graph: &Graph, fixed: &BTreeSet<usize>, copies: usize) -> Schedule {
    let scheduler_kept = BTreeSet::new();
    let scheduler = Scheduler::new(graph, &scheduler_kept);
    scheduler.as_soon_as_can_be(fixed, copies)
}

/// Key setup of a window: the forward run without what only the cipher needs, to the words that a backward run starts with.
fn run_up(graph: &Graph, schedules: &[Schedule], last: &BTreeSet<usize>) -> Result<Schedule, Diagnostic> {
    let kept = BTreeSet::new();
    let scheduler = Scheduler::new(graph, &kept);
    let forward = schedules.iter().find(|s| !s.backwards).map(|s| s.needs.clone());
    let backward = schedules.iter().find(|s| s.backwards).map(|s| s.needs.iter().rev().cloned().collect::<Vec<_>>());
    let mut needs = forward.or(backward).unwrap_or_default();
    let base = |v: usize| -> Vec<usize> {
        let leaf = !graph.is_recurrent(v) && !graph.values[v].root;
        let maker = graph.values[v].maker.filter(|_| leaf);
        maker.map_or(vec![v], |c| graph.calls[c].inputs.clone())
    };
    for values in &mut needs {
        *values = values.iter().flat_map(|&v| base(v)).collect();
    }
    if let Some(end) = needs.last_mut() {
        end.extend(last);
    }
    for _ in 0..needs.len() {
        let (schedule, overflow) = scheduler.schedule(&needs, false, &Limits::default());
        if overflow.is_empty() {
            return Ok(schedule);
        }
        needs.insert(0, Vec::new());
    }
    Err(refused("the last round keys are not reached"))
}

impl OnTheFly {
    /// The live words that stand in the window, clock by clock, of some ways of running.
    pub fn lives(&self, modes: &[usize]) -> Vec<Lives> {
        let of = |mode: usize| Lives {
            clocks: (0..=self.schedules[mode].needs.len()).map(|t| self.standing(mode, t)).collect(),
            apart: (0..=self.schedules[mode].needs.len()).map(|t| self.apart(mode, t)).collect(),
            backwards: self.schedules[mode].backwards,
        };
        modes.iter().map(|&mode| of(mode)).collect()
    }

    /// The live words that need a register of the window.
    fn standing(&self, mode: usize, clock: usize) -> BTreeSet<usize> {
        let by_wires = self.roots == Roots::Key || (self.is_setup(mode) && self.last.is_empty());
        let of_key = |v: usize| by_wires && self.graph.values[v].root;
        let live = self.schedules[mode].live(clock).into_iter();
        live.filter(|&v| !self.fixed.contains(&v) && !of_key(v)).collect()
    }

    /// Round keys that stand in registers of their own when they are used, so that nothing chooses between these and the window.
    fn apart(&self, mode: usize, clock: usize) -> Vec<usize> {
        if self.schedules.iter().all(|s| s.loaded.is_empty()) {
            return Vec::new();
        }
        let standing = self.standing(mode, clock);
        let own = |v: &usize| standing.contains(v) && !self.graph.values[*v].root && !self.graph.is_recurrent(*v);
        self.schedules[mode].needs.get(clock).into_iter().flatten().copied().filter(own).collect()
    }

    /// How many ways of running there are, key setup not counted.
    pub fn ways(&self) -> usize {
        self.waits.len()
    }

    /// Whether a word is made of the key by wires alone.
    pub fn by_wires(&self, value: usize) -> bool {
        let known = &self.graph.values[value];
        let wired = |call: usize| {
            let Call { function, inputs, .. } = &self.graph.calls[call];
            self.weights.get(function) == Some(&0) && inputs.iter().all(|&v| self.by_wires(v))
        };
        known.root || known.maker.map_or(known.byte.is_some(), wired)
    }

    /// Whether key setup makes only words that blocks enter with: these take them along.
    pub fn sets_up_starts(&self) -> bool {
        self.fixed.is_empty()
    }

    /// Whether a way of running is key setup.
    pub fn is_setup(&self, mode: usize) -> bool {
        mode >= self.ways()
    }

    /// The key schedule of a way of running.
    pub fn schedule_of(&self, mode: usize) -> usize {
        mode.checked_sub(self.ways()).unwrap_or(mode / self.of_schedule)
    }

    /// The value of a result of the key schedule of a way of running.
    pub fn result(&self, mode: usize, (result, n): (u32, u32)) -> usize {
        self.graph.results[self.schedule_of(mode)][result as usize][n as usize]
    }

    /// The kept word that holds a value.
    pub fn kept_in(&self, mode: usize, value: usize) -> Option<usize> {
        let schedule = self.schedule_of(mode);
        self.kept.iter().position(|word| word.values[schedule] == Some(value))
    }
}
