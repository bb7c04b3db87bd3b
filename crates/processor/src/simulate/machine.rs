//! A text on a processor, ready to run any number of times.

use program::Diagnostic;

use super::cache::Contents;
use super::events::Run;
use super::execute;
use super::in_order::InOrder;
use super::listing::{Listing, Style};
use super::out_of_order;
use super::reader;
use super::state::{Memory, State};
use super::superscalar::Superscalar;
use crate::model::{Cache, Processor};
use crate::semantics::ones;

/// A text on a processor.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The text as it was read.
    pub listing: Listing,
    model: Model,
    cache: Option<Cache>,
    big_endian: bool,
    word_bits: u8,
}

#[derive(Clone, Debug)]
enum Model {
    InOrder(InOrder),
    Superscalar(Superscalar),
    OutOfOrder(out_of_order::Machine),
}

/// How to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Count cycles.
    pub cycles: bool,
    /// Keep what happened to every operation; needs `cycles`.
    pub timeline: bool,
    /// Operations after which a text is taken for endless.
    pub limit: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { cycles: true, timeline: false, limit: 1 << 28 }
    }
}

/// What differs between the runs of a distribution: in each, some bytes of the memory.
#[derive(Clone, Copy, Debug)]
pub struct Variation<'a> {
    /// Where they begin, from the start of the memory.
    pub offset: usize,
    /// How many they are.
    pub bytes: usize,
    /// The bytes of all runs, one after the other.
    pub data: &'a [u8],
}

impl Machine {
    /// Reads a text; errors name it `file`.
    ///
    /// # Errors
    /// M500 to M507, see [`reader::read`] and [`super::issue::Units::new`].
    pub fn load(text: &str, file: &str, processor: &Processor) -> Result<Machine, Diagnostic> {
        let listing = reader::read(text, file, processor)?;
        let model = match &processor.out_of_order {
            Some(limits) => Model::OutOfOrder(out_of_order::Machine::new(&listing, processor, limits)),
            None if listing.style == Style::Lines => Model::Superscalar(Superscalar::new(&listing, processor)?),
            None => Model::InOrder(InOrder::new(&listing, processor)?),
        };
        let (big_endian, word_bits) = (processor.isa.big_endian, processor.isa.word_bits);
        Ok(Machine { listing, model, cache: processor.cache.clone(), big_endian, word_bits })
    }

    /// Runs the text: arguments in the argument registers, memory from `base` on. Returns what happened, and the memory.
    ///
    /// # Errors
    /// M510 to M512, see [`execute`]; M513: more arguments than registers for them.
    pub fn run(
        &self,
        arguments: &[u64],
        base: u64,
        image: Vec<u8>,
        options: Options,
    ) -> Result<(Run, Vec<u8>), Diagnostic> {
        let (found, room) = (arguments.len(), self.listing.arguments.len());
        if found > room {
            return Err(Diagnostic::new(
                "M513",
                format!("{found} arguments are given, there are registers for {room}"),
            ));
        }
        let mut state = self.start(arguments, base, image);
        let run = self.execute(&mut state, options)?;
        Ok((run, state.memory.bytes))
    }

    /// The state before a run; the memory has gone through the cache once.
    fn start(&self, arguments: &[u64], base: u64, image: Vec<u8>) -> State {
        let cache = self.cache.as_ref().map(|model| Contents::warm(model, base, image.len()));
        State { cache, ..State::new(&self.listing, arguments, self.memory(base, image)) }
    }

    fn memory(&self, base: u64, bytes: Vec<u8>) -> Memory {
        Memory { base, bytes, big_endian: self.big_endian, touched: 0, mask: ones(u64::from(self.word_bits)) }
    }

    /// Runs the text on a state.
    ///
    /// # Errors
    /// M510 to M512.
    pub fn execute(&self, state: &mut State, options: Options) -> Result<Run, Diagnostic> {
        if !options.cycles {
            let (operations, useful) = match self.listing.style {
                Style::DelaySlots => execute::run::<true>(&self.listing, state, options.limit)?,
                Style::Bundles | Style::Groups | Style::Lines => {
                    execute::run::<false>(&self.listing, state, options.limit)?
                }
            };
            return Ok(Run { operations, useful, ..Run::default() });
        }
        match &self.model {
            Model::Superscalar(model) => model.run(&self.listing, state, options.limit, options.timeline),
            Model::InOrder(model) => model.run(&self.listing, state, options.limit, options.timeline),
            Model::OutOfOrder(model) => model.run(&self.listing, state, options.limit, options.timeline),
        }
    }

    /// Cycles of several runs, each from the same registers and the same memory but for what varies; the queues are empty
    /// and the cache holds what the run before left at every start; where none is modelled, every access hits.
    ///
    /// # Errors
    /// As [`Machine::run`]; M514: the variation lies outside of the memory.
    pub fn distribution(
        &self,
        arguments: &[u64],
        base: u64,
        image: &[u8],
        variations: &[Variation<'_>],
        runs: std::ops::Range<usize>,
    ) -> Result<Vec<u64>, Diagnostic> {
        for v in variations {
            if v.offset + v.bytes > image.len() || runs.end * v.bytes > v.data.len() {
                let message = format!("bytes {} to {} lie outside of the memory", v.offset, v.offset + v.bytes);
                return Err(Diagnostic::new("M514", message).note(format!("the memory has {} bytes", image.len())));
            }
        }
        let mut state = self.start(arguments, base, image.to_vec());
        let mut out = Vec::with_capacity(runs.len());
        // A cache holds what the runs before left: the first one runs twice.
        let again = self.cache.as_ref().map(|_| runs.start).filter(|_| !runs.is_empty());
        for run in again.into_iter().chain(runs.clone()) {
            state.restart(&self.listing, arguments);
            state.memory.bytes.copy_from_slice(image);
            for v in variations {
                let data = &v.data[run * v.bytes..(run + 1) * v.bytes];
                state.memory.bytes[v.offset..v.offset + v.bytes].copy_from_slice(data);
            }
            out.push(self.execute(&mut state, Options::default())?.cycles);
        }
        out.drain(..usize::from(again.is_some()));
        Ok(out)
    }
}
