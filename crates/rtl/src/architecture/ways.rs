//! The ways of running a cipher: key sizes and directions, its functions in steps for each.

use program::diagnostic::Diagnostic;
use program::ir::Program;
use program::roles::{self, meant, BACKWARD, FORWARD, SCHEDULES};

use super::align::align;
use super::keys::plan::{plan, OnTheFly, Way};
use super::parts::{KeySizeUsers, Pins};
use super::program_union::{import, united};
use super::{DeviceRequest, Mode, Options};
use crate::design::{Clocks, Timing};
use crate::logic::bits_for;
use crate::padding::pads_hold;
use crate::sequence::{sequence, sequence_of, Cuts, Role, Sequence};

/// The functions of a cipher in steps.
pub(super) struct Cut {
    /// What the functions of all key sizes call, and their tables.
    pub source: Program,
    pub modes: Vec<Mode>,
    /// Encryption or decryption, one sequence per way of running.
    pub data: Vec<Sequence>,
    /// Key schedules, one per key size; none where there is no key.
    pub keys: Vec<Sequence>,
    /// What distinguishes the ways of running.
    pub ways: Ways,
    /// Per key size below the longest, the bytes behind its keys; none where key schedules differ.
    pads: Vec<Vec<u8>>,
    /// What the function is called that goes backward.
    backward: String,
    /// Bytes of the tweak that comes with a block; 0 where there is none.
    tweak_bytes: usize,
}

/// What distinguishes the ways of running a cipher: the number of a way counts directions first, then key sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ways {
    /// A block brings its direction along.
    pub directions: bool,
    /// Key sizes differ in their steps; else a way stands for all of them.
    pub sizes: bool,
    /// How many key sizes there are.
    pub key_sizes: usize,
}

impl Ways {
    /// How many directions there are.
    pub fn directions(self) -> usize {
        if self.directions {
            2
        } else {
            1
        }
    }

    /// Bits of the number of a key size.
    pub fn size_bits(self) -> u8 {
        bits_for(self.key_sizes)
    }

    /// The way of a key size and a direction.
    pub fn number(self, size: usize, direction: usize) -> usize {
        if self.sizes {
            size * self.directions() + direction
        } else {
            direction
        }
    }

    /// The way of a mode; modes count in the same order.
    pub fn of(self, mode: usize) -> usize {
        if self.sizes {
            mode
        } else {
            mode % self.directions()
        }
    }
}

impl DeviceRequest<'_> {
    /// Cuts the functions; `device` names what is built in the error.
    ///
    /// # Errors
    /// H101 to H107 for a function that cannot be cut, H301 for key sizes that do not ascend, H311 for wrong padding.
    pub(super) fn cut(&self, device: &str, options: &Options) -> Result<Cut, Diagnostic> {
        let sizes: Vec<u32> = self.programs.iter().map(|p| p.0).collect();
        if sizes.is_empty() || sizes.windows(2).any(|pair| pair[0] >= pair[1]) {
            let message = format!("{device} is built for one key size, or for several in ascending order");
            return Err(Diagnostic::new("H301", message));
        }
        let (source, programs) = united(&self.programs);
        let modes = self.modes();
        let (directions, key_sizes) = (self.encrypt && self.decrypt, sizes.len());
        let ways = Ways { directions, sizes: key_sizes > 1, key_sizes };
        let name = |mode: &Mode| if mode.decrypt { BACKWARD[0] } else { FORWARD[0] };
        let program = |mode: &Mode| &programs[sizes.iter().position(|s| *s == mode.key_bits).unwrap_or(0)];
        let cuts = Cuts { ends: options.ends(), ..options.data.clone() };
        let data = modes.iter().map(|mode| {
            let steps = data_steps(program(mode), name(mode), &cuts)?;
            // Round keys of decryption stand behind those of encryption, where it has its own.
            let own = mode.decrypt && self.encrypt && own_schedule(program(mode)).is_some();
            Ok(steps.with_parameters_from(if own { results_of(program(mode), SCHEDULES[0]) } else { 0 }))
        });
        let data = data.collect::<Result<_, _>>()?;
        let pads = self.checked_pads(&programs)?;
        // With padding one key schedule serves all keys.
        let schedules = if pads.is_empty() { &programs[..] } else { &programs[programs.len() - 1..] };
        let keyed = schedules.iter().filter(|source| roles::keyed(source));
        let keys = keyed.map(|source| sequence_of(source, &self.schedules(source), &options.key));
        let keys = keys.collect::<Result<_, _>>()?;
        let backward = meant(BACKWARD[0], &programs[0]).to_owned();
        let tweak_bytes = roles::tweak_bytes(self.programs[0].1);
        let mut cut = Cut { source, modes, data, keys, ways, pads, backward, tweak_bytes };
        if cut.keys.len() == 1 {
            cut.unite_sizes();
        }
        Ok(cut)
    }

    /// The key schedules that the directions need.
    fn schedules(&self, source: &Program) -> Vec<&'static str> {
        match own_schedule(source) {
            Some(own) if self.encrypt && self.decrypt => vec![SCHEDULES[0], own],
            Some(own) if self.decrypt => vec![own],
            _ => vec![SCHEDULES[0]],
        }
    }

    /// The padding of every key size below the longest, or none.
    fn checked_pads(&self, programs: &[Program]) -> Result<Vec<Vec<u8>>, Diagnostic> {
        let Some((longest, shorter)) = programs.split_last().filter(|(_, shorter)| !shorter.is_empty()) else {
            return Ok(Vec::new());
        };
        let of = |bits: u32| self.pads.iter().find(|p| p.0 == bits).map(|p| p.1.clone());
        let Some(pads) = self.programs[..shorter.len()].iter().map(|p| of(p.0)).collect::<Option<Vec<_>>>() else {
            return Ok(Vec::new());
        };
        for ((short, pad), (bits, _)) in shorter.iter().zip(&pads).zip(&self.programs) {
            if !pads_hold(short, longest, pad) {
                let message = format!("the key schedule of keys of {bits} bits is not that of the padded keys");
                return Err(Diagnostic::new("H311", message));
            }
        }
        Ok(pads)
    }
}

/// Bytes of the block that the cipher's steps take.
pub(super) fn input_bytes(data: &[Sequence]) -> usize {
    let last = Role::Parameter(data[0].last_parameter());
    let block = data[0].arrays.iter().find(|array| array.role == last);
    block.map_or(0, |array| array.dims.iter().product::<u32>() as usize)
}

impl Cut {
    /// Bytes of the key's pins.
    pub fn key_bytes(&self) -> u32 {
        self.modes.iter().map(|m| m.key_bits).max().unwrap_or(0) / 8
    }

    /// Bytes of a block.
    pub fn input_bytes(&self) -> usize {
        input_bytes(&self.data)
    }

    /// Bytes of a result.
    pub fn output_bytes(&self) -> usize {
        self.data[0].results[0].len()
    }

    /// Whether there is a key.
    pub fn keyed(&self) -> bool {
        !self.keys.is_empty()
    }

    /// Whether a key brings its size along.
    fn several_sizes(&self) -> bool {
        self.modes.iter().any(|m| m.key_bits != self.modes[0].key_bits)
    }

    /// The pins of key and block.
    pub fn key_pins(&self) -> Pins {
        let size = match (self.several_sizes(), self.keys.len() > 1 || self.ways.sizes) {
            (false, _) => KeySizeUsers::Nobody,
            (true, false) => KeySizeUsers::Interface,
            (true, true) => KeySizeUsers::Others,
        };
        let (key_bytes, tweak_bytes) = (self.key_bytes(), self.tweak_bytes);
        let block_bytes = self.input_bytes() - tweak_bytes;
        let backward = self.ways.directions.then(|| self.backward.clone());
        let (key_sizes, pads) = (self.ways.key_sizes, self.pads.clone());
        Pins { key_bytes, block_bytes, tweak_bytes, size, key_sizes, backward, pads }
    }

    /// The number of the key schedule that a way runs after.
    pub fn keys_of(&self, way: usize) -> usize {
        (way / self.ways.directions()).min(self.keys.len() - 1)
    }

    /// The number of the key schedule of a mode.
    pub fn keys_of_mode(&self, mode: usize) -> usize {
        (mode / self.ways.directions()).min(self.keys.len() - 1)
    }

    /// Makes one way of those that differ in the key size only, where all key sizes take the same steps.
    pub fn unite_sizes(&mut self) {
        let count = self.ways.directions();
        let (first, others) = self.data.split_at(count);
        if others.chunks(count).all(|size| size.iter().zip(first).all(|(a, b)| same(a, b))) {
            self.data.truncate(count);
            self.ways.sizes = false;
        }
    }

    /// Gives all key sizes of a direction the steps of the longest, and both directions as many.
    pub fn align(&mut self) {
        let count = self.ways.directions();
        for direction in 0..count {
            let mut list: Vec<&mut Sequence> = self.data.iter_mut().skip(direction).step_by(count).collect();
            align(&mut list);
        }
        if self.data.iter().any(|sequence| sequence.steps.len() != self.data[0].steps.len()) {
            align(&mut self.data.iter_mut().collect::<Vec<_>>());
        }
    }

    /// Round keys on the fly; what they call comes into the program.
    ///
    /// # Errors
    /// H309 and H310 where the key schedule is not of that kind.
    pub fn planned_keys(&self, program: &mut Program, way: Way) -> Result<OnTheFly, Diagnostic> {
        if self.keys.iter().chain(&self.data).any(Sequence::selects) {
            return Err(Diagnostic::new("H309", "data choose among round keys").help("use stored keys"));
        }
        let backwards: Vec<bool> = self.modes.iter().map(|m| m.decrypt).take(self.data.len()).collect();
        plan(program, &self.keys, &self.data, &backwards, way)
    }

    /// Planned clock counts: of key setup, latency and from block to block, per mode.
    pub fn timing(&self, architecture: &str, counts: impl Fn(usize) -> (u32, u32, u32)) -> Timing {
        let clocks = self.modes.iter().enumerate().map(|(n, mode)| {
            let (key_setup, latency, per_block) = counts(n);
            Clocks { key_bits: mode.key_bits, decrypt: mode.decrypt, key_setup, latency, per_block }
        });
        Timing { architecture: architecture.to_owned(), copies: 1, clocks: clocks.collect() }
    }
}

/// Encryption or decryption in steps.
fn data_steps(program: &Program, function: &str, cuts: &Cuts) -> Result<Sequence, Diagnostic> {
    let function = meant(function, program);
    let found = program.functions.iter().find(|f| f.name == function);
    found.map_or(Ok(()), |f| cuts.fit(f))?;
    sequence(program, function, cuts)
}

/// The key schedule that serves decryption alone, where a cipher has one.
fn own_schedule(program: &Program) -> Option<&'static str> {
    program.functions.iter().any(|f| f.name == SCHEDULES[1]).then_some(SCHEDULES[1])
}

/// How many results a function has.
fn results_of(program: &Program, function: &str) -> u32 {
    program.functions.iter().find(|f| f.name == function).map_or(0, |f| f.results.len() as u32)
}

/// Whether two sequences are the same steps.
fn same(a: &Sequence, b: &Sequence) -> bool {
    let mut program = Program::default();
    let mut names = |s: &Sequence| -> Vec<String> {
        s.program.functions.iter().map(|f| import(&mut program, &s.program, f, &f.name)).collect()
    };
    names(a) == names(b) && (&a.steps, &a.words, &a.arrays, &a.results) == (&b.steps, &b.words, &b.arrays, &b.results)
}
