//! The key schedule as a graph: every step a call, every word that a step writes a value of its own.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use program::ir::{Binary, Function, OpKind, Operand, Program, Type, ValueId};
use program::walk::{renumber, uses};

use super::super::program_union::import;
use crate::sequence::{Place, Role, Sequence};

/// A function applied to values.
#[derive(Clone, Debug)]
pub(in super::super) struct Call {
    /// Its function in the design's program.
    pub function: String,
    pub inputs: Vec<usize>,
    pub constants: Vec<u64>,
    pub outputs: Vec<usize>,
    /// The author's iteration, for messages.
    pub iteration: String,
}

/// A word of the key schedule.
#[derive(Clone, Debug)]
pub(in super::super) struct Value {
    pub name: String,
    pub width: u8,
    /// The call that makes it; none for a byte of the key.
    pub maker: Option<usize>,
    /// The number of the byte of the key that it is.
    pub byte: Option<usize>,
    /// It is made of key bytes and constants by wires alone.
    pub root: bool,
    /// The place that the step writes it to; none for a byte of the key.
    pub home: Option<Place>,
}

/// The key schedules of all key sizes without time.
pub(in super::super) struct Graph {
    pub values: Vec<Value>,
    pub calls: Vec<Call>,
    /// Per call, the key schedule that it belongs to.
    pub schedule: Vec<usize>,
    /// Per key schedule and result of it, the value of each element.
    pub results: Vec<Vec<Vec<usize>>>,
    /// Functions that, through others or at once, work on what they made themselves.
    pub recurrent: BTreeSet<String>,
    /// Calls that need no recurrent call.
    pub independent: Vec<bool>,
    /// Rough weights of the functions.
    pub weights: BTreeMap<String, u32>,
}

/// What is a call of its own.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct Granularity {
    /// A word that a step only moves or wires anew is a word of its own, as those that gates make.
    pub moving: bool,
    /// Words of a step that share no gate are made by calls of their own.
    pub apart: bool,
}

/// A body taken apart: what is wiring and what needs gates.
struct Part {
    function: String,
    wiring: bool,
    inputs: Vec<usize>,
    constants: Vec<usize>,
    outputs: Vec<usize>,
    /// Per output, the input that it is.
    moved: Vec<Option<usize>>,
}

impl Graph {
    /// Takes key schedules in steps; their functions come into the program.
    pub fn new(program: &mut Program, sequences: &[Sequence], calls: Granularity) -> Self {
        let mut graph = Graph {
            values: Vec::new(),
            calls: Vec::new(),
            schedule: Vec::new(),
            results: Vec::new(),
            recurrent: BTreeSet::new(),
            independent: Vec::new(),
            weights: BTreeMap::new(),
        };
        for sequence in sequences {
            graph.take(program, sequence, calls);
        }
        graph.classify();
        graph.weights = weights(program);
        graph
    }

    /// Takes a key schedule in; words that are made of the key by wires alone are one with those of other key schedules.
    fn take(&mut self, program: &mut Program, sequence: &Sequence, Granularity { moving, apart }: Granularity) {
        let parts: Vec<Vec<Part>> = sequence
            .bodies
            .iter()
            .map(|body| {
                let function = sequence.program.functions.iter().find(|f| f.name == body.function);
                let first = sequence.steps.iter().find(|s| sequence.bodies[s.body] == *body);
                match (function, first) {
                    (Some(f), Some(step)) => taken_apart(program, &sequence.program, f, step.reads.len(), apart),
                    _ => Vec::new(),
                }
            })
            .collect();
        let mut now: HashMap<Place, usize> = HashMap::new();
        for (number, array) in sequence.arrays.iter().enumerate() {
            if matches!(array.role, Role::Parameter(_)) {
                for element in 0..array.dims.iter().product() {
                    let name = format!("{}{element}", array.name);
                    now.insert(
                        Place::Element(number as u32, element),
                        self.key_byte(element as usize, name, array.width),
                    );
                }
            }
        }
        for step in &sequence.steps {
            let mut written = Vec::new();
            for part in &parts[step.body] {
                let inputs: Vec<usize> = part.inputs.iter().map(|&n| now[&step.reads[n]]).collect();
                let root = !moving && part.wiring && inputs.iter().all(|&v| self.values[v].root);
                let constants: Vec<u64> = part.constants.iter().map(|&n| step.constants[n]).collect();
                let same = |c: &&Call| (&c.function, &c.inputs, &c.constants) == (&part.function, &inputs, &constants);
                if let Some(known) = self.calls.iter().find(same).filter(|_| root) {
                    let outputs = part.outputs.iter().zip(&known.outputs).zip(&part.moved);
                    written.extend(outputs.map(|((&n, &v), moved)| (step.writes[n], moved.map_or(v, |m| inputs[m]))));
                    continue;
                }
                let call = self.calls.len();
                let mut outputs = Vec::new();
                for (k, &n) in part.outputs.iter().enumerate() {
                    let (name, width) = described(sequence, &step.writes[n]);
                    outputs.push(self.value(name, width, Some(call), root));
                    self.values[outputs[k]].home = Some(step.writes[n]);
                    // A word that is only moved stays the value that it is.
                    let value = part.moved[k].filter(|_| !moving).map_or(outputs[k], |n| inputs[n]);
                    written.push((step.writes[n], value));
                }
                if !moving && part.moved.iter().all(Option::is_some) {
                    continue;
                }
                let function = part.function.clone();
                self.schedule.push(self.results.len());
                self.calls.push(Call { function, inputs, constants, outputs, iteration: step.iteration.clone() });
            }
            now.extend(written);
        }
        let places = sequence.results.iter();
        self.results.push(places.map(|list| list.iter().map(|place| now[place]).collect()).collect());
    }

    /// A byte of the key; it is the same for all key sizes.
    fn key_byte(&mut self, number: usize, name: String, width: u8) -> usize {
        self.values.iter().position(|v| v.byte == Some(number)).unwrap_or_else(|| {
            let value = self.value(name, width, None, true);
            self.values[value].byte = Some(number);
            value
        })
    }

    fn value(&mut self, name: String, width: u8, maker: Option<usize>, root: bool) -> usize {
        self.values.push(Value { name, width, maker, byte: None, root, home: None });
        self.values.len() - 1
    }

    fn classify(&mut self) {
        let mut reads: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for call in &self.calls {
            let makers = call.inputs.iter().filter(|&&v| !self.values[v].root).filter_map(|&v| self.values[v].maker);
            let makers: Vec<String> = makers.map(|c| self.calls[c].function.clone()).collect();
            reads.entry(call.function.clone()).or_default().extend(makers);
        }
        let mut grows = true;
        while grows {
            let more = |list: &BTreeSet<String>| list.iter().flat_map(|f| reads[f].iter().cloned()).collect::<Vec<_>>();
            let next: BTreeMap<String, BTreeSet<String>> =
                reads.iter().map(|(f, list)| (f.clone(), list.iter().cloned().chain(more(list)).collect())).collect();
            grows = next != reads;
            reads = next;
        }
        self.recurrent = reads.iter().filter(|(f, list)| list.contains(*f)).map(|(f, _)| f.clone()).collect();
        let recurrent = &self.recurrent;
        let free = |call: &Call| {
            !recurrent.contains(&call.function) && !reads[&call.function].iter().any(|f| recurrent.contains(f))
        };
        self.independent = self.calls.iter().map(free).collect();
    }

    /// How many words the calls of recurrences give, each number once.
    pub fn groups(&self) -> Vec<usize> {
        let recurrent = self.calls.iter().filter(|call| self.recurrent.contains(&call.function));
        recurrent.map(|call| call.outputs.len()).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Whether the value is made by the recurrence.
    pub fn is_recurrent(&self, value: usize) -> bool {
        self.values[value].maker.is_some_and(|c| self.recurrent.contains(&self.calls[c].function))
    }

    /// Whether the value is made from the key without the recurrence.
    pub fn is_independent(&self, value: usize) -> bool {
        self.values[value].maker.is_some_and(|c| self.independent[c])
    }
}

fn described(sequence: &Sequence, place: &Place) -> (String, u8) {
    match *place {
        Place::Word(n) => {
            let word = &sequence.words[n as usize];
            (word.name.clone(), word.width)
        }
        Place::Element(array, n) => {
            let array = &sequence.arrays[array as usize];
            (format!("{}{n}", array.name), array.width)
        }
    }
}

fn taken_apart(program: &mut Program, from: &Program, function: &Function, reads: usize, apart: bool) -> Vec<Part> {
    let mut wires = Vec::new();
    let mut gates: Vec<(BTreeSet<usize>, Vec<usize>)> = Vec::new();
    for (n, output) in function.body.outputs.iter().enumerate() {
        let mut own = cone(function, &[*output]);
        own.retain(|&op| !is_wiring(&function.body.ops[op].kind));
        if own.is_empty() {
            wires.push(n);
            continue;
        }
        let mut outputs = vec![n];
        gates.retain(|(others, of_others)| {
            let together = !apart || !others.is_disjoint(&own);
            if together {
                own.extend(others);
                outputs.extend(of_others);
            }
            !together
        });
        outputs.sort_unstable();
        gates.push((own, outputs));
    }
    let groups = [(true, wires)].into_iter().chain(gates.into_iter().map(|(_, outputs)| (false, outputs)));
    let mut parts = Vec::new();
    for (wiring, outputs) in groups {
        if outputs.is_empty() {
            continue;
        }
        let (part, params) = restricted(function, &outputs);
        let same = |o: &Operand| part.params.iter().position(|p| *o == Operand::Value(*p));
        let is_input = |n: &usize| params[*n] < reads;
        let moved = part.body.outputs.iter().map(|o| same(o).filter(is_input)).collect();
        let name = if wiring { format!("{}_wiring", function.name) } else { function.name.clone() };
        let name = import(program, from, &part, &name);
        let inputs = params.iter().copied().filter(|&p| p < reads).collect();
        let constants = params.iter().filter(|&&p| p >= reads).map(|p| p - reads).collect();
        parts.push(Part { function: name, wiring, inputs, constants, outputs, moved });
    }
    parts
}

fn is_wiring(kind: &OpKind) -> bool {
    matches!(kind, OpKind::Const(_) | OpKind::Concat(_) | OpKind::Zext(_) | OpKind::Extract(..))
        || matches!(kind, OpKind::Shift(_, _, Operand::Const(_)))
}

/// The operations that outputs need, ascending.
fn cone(function: &Function, outputs: &[Operand]) -> BTreeSet<usize> {
    let mut wanted: BTreeSet<ValueId> = BTreeSet::new();
    wanted.extend(outputs.iter().filter_map(|o| match o {
        Operand::Value(v) => Some(*v),
        Operand::Const(_) => None,
    }));
    let mut found = BTreeSet::new();
    for (n, op) in function.body.ops.iter().enumerate().rev() {
        if op.results.iter().any(|r| wanted.contains(r)) {
            found.insert(n);
            uses(&op.kind, &mut |v| {
                wanted.insert(v);
            });
        }
    }
    found
}

/// The function with some of its outputs only, and which of its parameters are left.
fn restricted(function: &Function, outputs: &[usize]) -> (Function, Vec<usize>) {
    let mut part = function.clone();
    part.body.outputs = outputs.iter().map(|&n| function.body.outputs[n]).collect();
    part.results = outputs.iter().map(|&n| function.results[n].clone()).collect();
    let kept = cone(function, &part.body.outputs);
    part.body.ops = kept.iter().map(|&n| function.body.ops[n].clone()).collect();
    let mut used: BTreeSet<ValueId> = BTreeSet::new();
    for op in &part.body.ops {
        uses(&op.kind, &mut |v| {
            used.insert(v);
        });
    }
    used.extend(part.body.outputs.iter().filter_map(|o| match o {
        Operand::Value(v) => Some(*v),
        Operand::Const(_) => None,
    }));
    let params: Vec<usize> = (0..function.params.len()).filter(|&n| used.contains(&function.params[n])).collect();
    part.params = params.iter().map(|&n| function.params[n]).collect();
    renumber(&mut part);
    (part, params)
}

/// A rough count of the gates of each function, to tell heavy ones from light ones.
pub(in super::super) fn weights(program: &Program) -> BTreeMap<String, u32> {
    let mut list = BTreeMap::new();
    for function in &program.functions {
        let width = |v: ValueId| match function.values[v.0 as usize].ty {
            Type::Word(w) => u32::from(w),
            _ => 0,
        };
        let mut sum = 0;
        for op in &function.body.ops {
            let bits: u32 = op.results.iter().map(|r| width(*r)).sum();
            sum += match &op.kind {
                kind if is_wiring(kind) => 0,
                OpKind::Lookup(table, _) => program.tables[table.0 as usize].data.len() as u32,
                OpKind::Bitsliced(..) => 4 * bits,
                OpKind::Linear(..) => 8 * bits,
                OpKind::Binary(Binary::Mul, ..) => 32 * bits,
                OpKind::Binary(Binary::Add | Binary::Sub, ..) => 6 * bits,
                OpKind::Call(name, _) => list.get(name).copied().unwrap_or(0),
                _ => bits,
            };
        }
        list.insert(function.name.clone(), sum);
    }
    list
}
