//! Code written by hand and random straight-line code for the processors of the package, and a schedule of it.

use std::fs;
use std::path::PathBuf;

use processor::code::Image;
use processor::code::{Code, Input, Object, Op, Packing, Region, Role, Use, Value, ValueId};
use processor::dependences;
use processor::graph::Schedule;
use processor::isa::OperandKind;
use processor::model::{load, Processor};
use processor::schedule::lifetimes::values;
use processor::schedule::{modulo, Modulo};
use processor::simulate::{Machine, Options};

/// File names without `.toml`, and texts.
fn files(folder: &str) -> Vec<(String, String)> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../python/cipherassay").join(folder);
    let paths = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<(String, String)> = paths
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), fs::read_to_string(&path).unwrap()))
        .collect();
    files.sort();
    files
}

/// A processor of the package.
pub fn processor(name: &str) -> Processor {
    load(&files("isas"), &files("processors"), name, &[]).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// A processor of the package with parameters.
pub fn processor_with(name: &str, parameters: &[(&str, &str)]) -> Processor {
    let given: Vec<(String, String)> = parameters.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect();
    load(&files("isas"), &files("processors"), name, &given).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// A code under construction.
pub struct Maker<'a> {
    pub processor: &'a Processor,
    pub code: Code,
    pub ops: Vec<Op>,
}

impl<'a> Maker<'a> {
    /// With two objects of so many bytes: `in`, `out`, one pointer to each.
    pub fn new(processor: &'a Processor, bytes: u32) -> Maker<'a> {
        let mut maker = Maker { processor, code: Code { name: "sample".into(), ..Code::default() }, ops: Vec::new() };
        for (object, (name, role)) in [("in", Role::Parameter(0)), ("out", Role::Result(0))].into_iter().enumerate() {
            let object_data = Object {
                name: name.into(),
                bytes,
                alignment: 16,
                element: 4,
                stride: 4,
                packing: Packing::None,
                role,
                base: None,
            };
            maker.code.objects.push(object_data);
            let value = maker.value(name);
            maker.code.inputs.push(Input { value, object, offset: 0 });
        }
        maker
    }

    pub fn value(&mut self, name: &str) -> ValueId {
        self.code.values.push(Value { name: name.into(), class: 0 });
        u32::try_from(self.code.values.len() - 1).unwrap()
    }

    pub fn op(&mut self, name: &str, defines: &[ValueId], uses: &[Use]) {
        let instruction = self.processor.isa.instruction(name).unwrap_or_else(|| panic!("{name}"));
        self.ops.push(Op {
            instruction,
            defines: defines.to_vec(),
            uses: uses.to_vec(),
            guard: None,
            access: None,
            places: vec![],
        });
    }

    pub fn define(&mut self, name: &str, uses: &[Use]) -> ValueId {
        let value = self.value(name);
        let found = self.processor.isa.instruction(name).unwrap();
        if let OperandKind::Register(class) = self.processor.isa.instructions[found as usize].defines[0].kind {
            self.code.values[value as usize].class = class;
        }
        self.op(name, &[value], uses);
        value
    }

    fn is_ia64(&self) -> bool {
        self.processor.isa.name == "ia64"
    }

    /// Reads a word and moves the pointer on.
    pub fn load(&mut self, pointer: &mut ValueId) -> ValueId {
        let (word, next) = (self.value("word"), self.value("pointer"));
        let (old, four) = (Use::Value(*pointer), Use::Immediate(4));
        match self.is_ia64() {
            true => self.op("ld4.post", &[word, next], &[old, four]),
            false => self.op("ldw,ma", &[word, next], &[four, old]),
        }
        *pointer = next;
        word
    }

    /// Writes a word and moves the pointer on.
    pub fn store(&mut self, pointer: &mut ValueId, word: ValueId) {
        let next = self.value("pointer");
        let (old, four, word) = (Use::Value(*pointer), Use::Immediate(4), Use::Value(word));
        match self.is_ia64() {
            true => self.op("st4.post", &[next], &[old, word, four]),
            false => self.op("stw,ma", &[next], &[word, four, old]),
        }
        *pointer = next;
    }

    pub fn add(&mut self, a: ValueId, b: ValueId) -> ValueId {
        let name = if self.is_ia64() { "add" } else { "add,l" };
        self.define(name, &[Use::Value(a), Use::Value(b)])
    }

    pub fn xor(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.define("xor", &[Use::Value(a), Use::Value(b)])
    }

    pub fn number(&mut self, n: i64) -> ValueId {
        let name = if self.is_ia64() { "addl" } else { "ldi" };
        self.define(name, &[Use::Immediate(n)])
    }

    /// Some bits from the right, at a distance from the right end.
    pub fn field(&mut self, a: ValueId, position: i64, length: i64) -> ValueId {
        let (name, position) = if self.is_ia64() { ("extr.u", position) } else { ("extrw,u", 31 - position) };
        self.define(name, &[Use::Value(a), Use::Immediate(position), Use::Immediate(length)])
    }

    pub fn straight(&mut self) {
        let ops = std::mem::take(&mut self.ops);
        self.code.regions.push(Region::Straight(ops));
    }

    /// Every region as early as its operands and the caps allow, in order.
    pub fn schedules(&self) -> Vec<Schedule> {
        let ops = |r: &Region| match r {
            Region::Straight(ops) => ops.clone(),
            Region::Loop(l) => l.ops.clone(),
        };
        self.code.regions.iter().map(|r| schedule(self.processor, &ops(r))).collect()
    }

    /// The same with every loop software-pipelined.
    pub fn pipelines(&self) -> Vec<Schedule> {
        let mut schedules = self.schedules();
        for (k, region) in self.code.regions.iter().enumerate() {
            if let Region::Loop(l) = region {
                let graph = dependences::graph(&self.code, k, self.processor);
                let branch = Some(u32::try_from(l.ops.len()).unwrap());
                let options = Modulo { branch, ..Modulo::default() };
                schedules[k] = modulo(&graph, &self.processor.resources, &values(&graph), &options).schedule;
            }
        }
        schedules
    }
}

/// List scheduling in program order.
pub fn schedule(processor: &Processor, ops: &[Op]) -> Schedule {
    let mut cycles: Vec<u32> = Vec::new();
    for (k, op) in ops.iter().enumerate() {
        let mut earliest = 0;
        for (before, &cycle) in ops[..k].iter().zip(&cycles) {
            for (output, value) in before.defines.iter().enumerate() {
                for (operand, used) in op.uses.iter().enumerate() {
                    if *used == Use::Value(*value) {
                        earliest = earliest
                            .max(cycle + processor.latency(before.instruction, output, op.instruction, Some(operand)));
                    }
                }
            }
        }
        let fits = |c: u32| {
            let mut classes = vec![processor.class_of(op.instruction)];
            classes.extend((0..k).filter(|&j| cycles[j] == c).map(|j| processor.class_of(ops[j].instruction)));
            processor
                .resources
                .caps
                .iter()
                .all(|cap| classes.iter().map(|&x| u32::from(cap.takes[x])).sum::<u32>() <= cap.limit)
        };
        cycles.push((earliest..).find(|&c| fits(c)).unwrap());
    }
    Schedule { cycles, interval: None }
}

/// Random straight-line code: reads `words` words, computes with one of the last `reach` values, writes as many words.
pub fn random(processor: &Processor, words: u32, operations: usize, reach: usize, seed: u64) -> Maker<'_> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 33).unwrap() % n
    };
    let mut maker = Maker::new(processor, 4 * words);
    let (mut source, mut target) = (0, 1);
    let mut values: Vec<ValueId> = (0..words).map(|_| maker.load(&mut source)).collect();
    for _ in 0..operations {
        let recent = |n: usize| values[values.len() - 1 - n];
        let (a, b) = (recent(next(values.len().min(reach))), recent(next(values.len().min(reach))));
        let made = match next(3) {
            0 => maker.add(a, b),
            1 => maker.xor(a, b),
            _ => maker.field(a, i64::try_from(next(24)).unwrap(), i64::try_from(1 + next(8)).unwrap()),
        };
        values.push(made);
    }
    for k in 0..words as usize {
        let value = values[values.len() - 1 - k];
        maker.store(&mut target, value);
    }
    maker.straight();
    maker
}

/// Runs the text of some code in the simulator; returns the words of `out`, and the cycles.
pub fn simulated(maker: &Maker, text: &str, words: &[u64]) -> (Vec<u64>, u64) {
    let processor = maker.processor;
    let mut image = Image::new(&maker.code, processor.isa.big_endian);
    image.fill(&maker.code, 0, words);
    let arguments: Vec<u64> =
        maker.code.inputs.iter().map(|i| image.addresses[i.object].wrapping_add_signed(i.offset)).collect();
    let machine = Machine::load(text, "kernel", processor).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let options = Options { cycles: processor.out_of_order.is_none(), ..Options::default() };
    let run = machine.run(&arguments, image.start, image.bytes.clone(), options);
    let (run, memory) = run.unwrap_or_else(|e| panic!("{e}\n{text}"));
    image.bytes = memory;
    (image.elements(&maker.code, 1), run.cycles)
}

/// Random words.
pub fn words(count: usize, seed: u64) -> Vec<u64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 32
    };
    (0..count).map(|_| next()).collect()
}
