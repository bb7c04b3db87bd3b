//! The words between copies of functions and registers: what each takes from where, in every clock.

use std::collections::BTreeMap;
use std::ops::Range;

use super::binding::bind;
use super::families::Member;
use super::graph::Call;
use super::places::{at_home, ranked, shifted, staying, Order, Places};
use super::plan::{OnTheFly, Roots};

/// Where a word comes from within a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum Source {
    /// A register of the window.
    Window(usize),
    /// An output of a copy.
    Copy(usize, usize),
    /// A word that is kept from block to block.
    Kept(usize),
    /// A word that is made of the key by wires alone, in key setup.
    Root(usize),
}

/// Per way of running and clock, where a word comes from; none where it does not matter.
#[derive(Clone, Debug)]
pub(in super::super) struct Mux {
    pub width: u8,
    pub from: Vec<Vec<Option<Source>>>,
}

/// A copy of a function.
#[derive(Clone, Debug)]
pub(in super::super) struct Instance {
    pub function: String,
    pub inputs: Vec<Mux>,
    /// Per constant, its value per way of running and clock.
    pub constants: Vec<Vec<Vec<Option<u64>>>>,
}

/// The whole, for some ways of running and some clocks.
pub(in super::super) struct Network {
    pub copies: Vec<Instance>,
    pub places: Places,
    /// Per way of running and clock, whether the registers of the window take anything; empty where they always do.
    pub advances: Vec<Vec<bool>>,
    /// What the registers of the window take.
    pub window: Vec<Mux>,
    /// What the kept words take in key setup.
    pub kept: Vec<Mux>,
    /// What the cipher's slots take.
    pub slots: Vec<Mux>,
    /// The window loads words wired from the key in the first clock, in which nothing reads it.
    pub loads: bool,
}

/// A round key that the steps of the cipher ask for: per way of running and step, which value.
pub(in super::super) struct NetworkRequest {
    pub width: u8,
    pub wanted: Vec<Vec<Option<usize>>>,
}

impl Mux {
    /// Nothing matters yet.
    pub fn new(width: u8, clocks: &[usize]) -> Self {
        Mux { width, from: clocks.iter().map(|&n| vec![None; n]).collect() }
    }

    /// What it ever takes, each once.
    pub fn distinct(&self) -> Vec<Source> {
        let mut list = Vec::new();
        for source in self.from.iter().flatten().flatten() {
            if !list.contains(source) {
                list.push(*source);
            }
        }
        list
    }

    fn cost(&self) -> usize {
        self.distinct().len().saturating_sub(1) * usize::from(self.width)
    }
}

impl Network {
    /// All of a plan: words that move along or stay, whichever needs fewer multiplexers; with `waits` the registers of the window keep
    /// their words where all stay, else they take them anew.
    pub fn new(plan: &OnTheFly, asked: &[NetworkRequest], waits: bool) -> Self {
        let modes: Vec<usize> = (0..plan.schedules.len()).collect();
        let lives = plan.lives(&modes);
        let width = |v: usize| plan.graph.values[v].width;
        let ways = if plan.roots == Roots::Moving {
            vec![shifted(&lives, &width), at_home(&lives, &width, &|v| plan.graph.values[v].home)]
        } else {
            let orders = Order::all(&plan.graph.groups()).into_iter();
            orders.map(|order| ranked(&lives, &width, order)).chain([staying(&lives, &width)]).collect()
        };
        let networks = ways.into_iter().map(|places| {
            let mut network = Network::of(plan, &modes, 0..usize::MAX, places, asked);
            if waits {
                network.wait();
            } else {
                network.advances.clear();
                network.load(plan);
            }
            network
        });
        let cost = |n: &Network| if waits { n.cost() + n.cost_of_starts(plan) } else { n.gates(plan) };
        // The first of equal cost.
        let best = networks.map(|n| (cost(&n), n)).reduce(|a, b| if b.0 < a.0 { b } else { a });
        best.map_or_else(|| Network::of(plan, &modes, 0..0, shifted(&lives, &width), asked), |(_, network)| network)
    }

    /// Where the words of some ways of running stand in a pipeline, which has a network for every clock.
    pub fn places_in_stages(plan: &OnTheFly, modes: &[usize], stages: usize, asked: &[NetworkRequest]) -> Places {
        let lives = plan.lives(modes);
        let width = |v: usize| plan.graph.values[v].width;
        let cost = |places: &Places| -> usize {
            let of = |n: usize| Network::of(plan, modes, n..n + 1, places.clone(), asked).cost();
            (0..stages).map(of).sum()
        };
        let orders = Order::all(&plan.graph.groups()).into_iter();
        let ways = orders.map(|order| ranked(&lives, &width, order));
        // The first of equal cost.
        let best = ways.map(|p| (cost(&p), p)).reduce(|a, b| if b.0 < a.0 { b } else { a });
        best.map_or_else(|| shifted(&lives, &width), |(_, places)| places)
    }

    /// Clocks in which every word of the window stays need no multiplexer for that.
    fn wait(&mut self) {
        for (mode, clocks) in self.advances.iter_mut().enumerate() {
            for (clock, advances) in clocks.iter_mut().enumerate() {
                let mut taken = self.window.iter().enumerate().map(|(n, mux)| (n, mux.from[mode][clock]));
                let stays = taken.all(|(n, source)| source.map_or(true, |s| s == Source::Window(n)));
                let any = self.window.iter().any(|mux| mux.from[mode][clock].is_some());
                if stays && any {
                    *advances = false;
                    self.window.iter_mut().for_each(|mux| mux.from[mode][clock] = None);
                }
            }
        }
    }

    /// Where the first clock reads no round key and needs no gates, it loads what stands in the window behind it.
    fn load(&mut self, plan: &OnTheFly) {
        let reads = self.slots.iter().any(|mux| mux.from.iter().any(|way| way.first().is_some_and(Option::is_some)));
        let mut behind = self.places.at.iter().filter_map(|way| way.get(1)).flat_map(|map| map.keys());
        if reads || !behind.all(|&value| plan.by_wires(value)) {
            return;
        }
        self.loads = true;
        let inputs = self.copies.iter_mut().flat_map(|copy| &mut copy.inputs);
        for mux in inputs.chain(&mut self.window) {
            mux.from.iter_mut().filter_map(|way| way.first_mut()).for_each(|source| *source = None);
        }
        let constants = self.copies.iter_mut().flat_map(|copy| &mut copy.constants).flatten();
        constants.filter_map(|way| way.first_mut()).for_each(|constant| *constant = None);
    }

    /// Multiplexers before the registers of the window, for what they start with.
    fn cost_of_starts(&self, plan: &OnTheFly) -> usize {
        let of = |(n, &width): (usize, &u8)| {
            let mut sources: Vec<(bool, usize)> = Vec::new();
            for mode in 0..plan.schedules.len() {
                let value = self.start(mode).get(&n).copied();
                let source = value.map(|v| plan.kept_in(mode, v).map_or((false, v), |k| (true, k)));
                sources.extend(source.filter(|s| !sources.contains(s)));
            }
            sources.len() * usize::from(width)
        };
        self.places.widths.iter().enumerate().map(of).sum()
    }

    /// The network of some ways of running in some clocks.
    pub fn of(plan: &OnTheFly, modes: &[usize], range: Range<usize>, places: Places, asked: &[NetworkRequest]) -> Self {
        let mut lists = Vec::new();
        for &mode in modes {
            let schedule = &plan.schedules[mode];
            for clock in range.start..range.end.min(schedule.needs.len()) {
                lists.push(Cut { mode, clock, calls: schedule.in_clock(clock, &plan.weights), served: Vec::new() });
            }
        }
        let function = |cut: &Cut, &call: &usize| {
            let name = &plan.schedules[cut.mode].calls[call].function;
            plan.families.get(name).map_or(name, |member| &member.function).clone()
        };
        let names: Vec<Vec<String>> =
            lists.iter().map(|cut| cut.calls.iter().map(|call| function(cut, call)).collect()).collect();
        let binding = bind(&names, &plan.weights);
        for (cut, served) in lists.iter_mut().zip(binding.served) {
            cut.served = served;
        }
        let maker = Maker { plan, modes, first: range.start, copies: binding.copies.len(), places };
        maker.network(&lists, asked)
    }

    /// A rough count of gates of a core's registers and multiplexers.
    pub fn gates(&self, plan: &OnTheFly) -> usize {
        let registers = self.places.widths.iter().enumerate().filter(|(n, _)| self.holds(*n));
        let bits: usize = registers.map(|(_, &width)| usize::from(width)).sum();
        4 * bits + 2 * (self.cost() + self.cost_of_starts(plan))
    }

    /// Whether a register of the window holds a word in a clock behind the first.
    pub fn holds(&self, register: usize) -> bool {
        let behind = |way: &[BTreeMap<usize, usize>]| {
            way.iter().skip(1).take(way.len().saturating_sub(2)).any(|map| map.values().any(|&r| r == register))
        };
        self.places.at.iter().any(|way| behind(way))
    }

    /// All choices: of the inputs of copies, of the window, of kept words, of slots.
    pub fn muxes(&self) -> impl Iterator<Item = &Mux> {
        let inputs = self.copies.iter().flat_map(|c| &c.inputs);
        inputs.chain(&self.window).chain(&self.kept).chain(&self.slots)
    }

    fn cost(&self) -> usize {
        self.muxes().map(Mux::cost).sum()
    }

    /// The registers with which a way of running starts, with their values.
    pub fn start(&self, mode: usize) -> BTreeMap<usize, usize> {
        self.places.at[mode][usize::from(self.loads)].iter().map(|(&value, &register)| (register, value)).collect()
    }
}

/// A clock of a way of running: its calls, and the copies that serve them.
struct Cut {
    mode: usize,
    clock: usize,
    calls: Vec<usize>,
    served: Vec<usize>,
}

struct Maker<'a> {
    plan: &'a OnTheFly,
    modes: &'a [usize],
    first: usize,
    copies: usize,
    places: Places,
}

impl Maker<'_> {
    fn network(self, cuts: &[Cut], asked: &[NetworkRequest]) -> Network {
        let mut clocks = vec![0; self.modes.len()];
        cuts.iter().for_each(|cut| clocks[self.position(cut)] += 1);
        let none = |width: u8| Mux::new(width, &clocks);
        let mut copies: Vec<Option<Instance>> = vec![None; self.copies];
        let mut window: Vec<Mux> = self.places.widths.iter().map(|&w| none(w)).collect();
        let mut kept: Vec<Mux> = self.plan.kept.iter().map(|word| none(word.width)).collect();
        let mut slots: Vec<Mux> = asked.iter().map(|slot| none(slot.width)).collect();
        for cut in cuts {
            let schedule = &self.plan.schedules[cut.mode];
            let at = (self.position(cut), cut.clock - self.first);
            for (&call, &copy) in cut.calls.iter().zip(&cut.served) {
                let call = &schedule.calls[call];
                let member = self.plan.families.get(&call.function);
                let instance = copies[copy].get_or_insert_with(|| self.instance(call, member, &clocks));
                for (k, &input) in call.inputs.iter().enumerate() {
                    let k = member.map_or(k, |m| m.inputs[k]);
                    instance.inputs[k].from[at.0][at.1] = self.find(cut, input);
                }
                for (k, &constant) in call.constants.iter().enumerate() {
                    let k = member.map_or(k, |m| m.constants[k]);
                    instance.constants[k][at.0][at.1] = Some(constant);
                }
                for &(k, mode) in member.iter().flat_map(|m| &m.modes) {
                    instance.constants[k][at.0][at.1] = Some(mode);
                }
            }
            for (&value, &register) in &self.places.at[at.0][cut.clock + 1] {
                window[register].from[at.0][at.1] = self.find(cut, value);
            }
            if self.plan.is_setup(cut.mode) {
                for (mux, word) in kept.iter_mut().zip(&self.plan.kept) {
                    let value = word.values[self.plan.schedule_of(cut.mode)];
                    mux.from[at.0][at.1] = value.and_then(|v| self.made_in(cut, v));
                }
            }
            for (mux, slot) in slots.iter_mut().zip(asked) {
                let wanted = slot.wanted.get(cut.mode).and_then(|mode| mode[cut.clock]);
                mux.from[at.0][at.1] = wanted.and_then(|value| self.find(cut, value));
            }
        }
        let advances = clocks.iter().map(|&n| vec![true; n]).collect();
        let copies = copies.into_iter().flatten().collect();
        Network { copies, places: self.places, advances, window, kept, slots, loads: false }
    }

    /// A copy of the function of a call, or of the one that it is part of.
    fn instance(&self, call: &Call, member: Option<&Member>, clocks: &[usize]) -> Instance {
        let widths: Vec<u8> = call.inputs.iter().map(|&v| self.plan.graph.values[v].width).collect();
        let (widths, constants) = match member {
            Some(member) => self.plan.families.shape(&member.function),
            None => (widths, call.constants.len()),
        };
        let function = member.map_or(&call.function, |m| &m.function).clone();
        let inputs = widths.into_iter().map(|width| Mux::new(width, clocks)).collect();
        Instance { function, inputs, constants: vec![clocks.iter().map(|&n| vec![None; n]).collect(); constants] }
    }

    fn position(&self, cut: &Cut) -> usize {
        self.modes.iter().position(|&m| m == cut.mode).unwrap_or(0)
    }

    /// Where a value is in a clock.
    fn find(&self, cut: &Cut, value: usize) -> Option<Source> {
        if let Some(source) = self.made_in(cut, value) {
            return Some(source);
        }
        let here = self.places.at[self.position(cut)][cut.clock].get(&value);
        let kept = || self.plan.kept_in(cut.mode, value).map(Source::Kept);
        let root = || self.plan.graph.values[value].root.then_some(Source::Root(value));
        here.map(|&r| Source::Window(r)).or_else(kept).or_else(root)
    }

    fn made_in(&self, cut: &Cut, value: usize) -> Option<Source> {
        let schedule = &self.plan.schedules[cut.mode];
        let call = schedule.maker(value)?;
        let at = cut.calls.iter().position(|&c| c == call)?;
        let output = schedule.calls[call].outputs.iter().position(|&v| v == value)?;
        let member = self.plan.families.get(&schedule.calls[call].function);
        Some(Source::Copy(cut.served[at], member.map_or(output, |m| m.outputs[output])))
    }
}
