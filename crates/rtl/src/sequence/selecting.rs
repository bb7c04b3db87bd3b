//! Words of arrays at places that data say.
//!
//! A word of few is chosen by gates of the body. Of many it is selected outside of it: the body has the word as a parameter, and a
//! function of its own gives the address. A store is a choice for each word that it may replace.

use std::rc::Rc;

use program::diagnostic::Diagnostic;
use program::ir::{Address, Binary, Compare, Op, OpKind, Operand, Type, ValueId};

use super::execute::{Cells, Executor, Origin, Thing, Values};
use super::raw::RawSelection;
use super::{Place, Selection};
use crate::logic::bits_for;
use crate::merge::MUX;

/// Gate equivalents of the multiplexers that may stand in a clock.
const MOST: f64 = 1e6;

/// Some words of an array, and which of them is meant.
pub(super) struct DataPlace {
    first: usize,
    count: usize,
    /// The word that says which, and what is added to it.
    symbol: usize,
    constant: u64,
}

impl DataPlace {
    fn elements(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.count
    }
}

impl Executor<'_> {
    /// The words among which data choose.
    pub(super) fn data_place(
        &self,
        op: &Op,
        root: u32,
        at: &[Address],
        words: usize,
        values: &Values,
    ) -> Result<DataPlace, Diagnostic> {
        let array = &self.raw.arrays[root as usize];
        let found = (words == 1 && at.len() == array.dims.len()).then(|| self.chosen_by(&array.dims, at, values));
        found.flatten().ok_or_else(|| {
            Diagnostic::new("H101", format!("`{}` is accessed at a place that depends on data", array.name))
                .help("data may choose one word of a row, by a word to which only numbers are added")
                .at(self.program, &op.places)
        })
    }

    fn chosen_by(&self, dims: &[u32], at: &[Address], values: &Values) -> Option<DataPlace> {
        let (last, outer) = at.split_last()?;
        let mut row = 0;
        for (address, &extent) in outer.iter().zip(dims) {
            row = row * extent as usize + self.position(address, i64::from(extent), values)?;
        }
        let count = *dims.last()? as usize;
        let (mut constant, mut symbol) = (last.affine.constant, None);
        for &(coefficient, value) in &last.affine.terms {
            match (self.number(Operand::Value(value), values), &values[&value]) {
                (Some(number), _) => constant += coefficient * number as i64,
                (None, Thing::Word(word)) if coefficient == 1 && symbol.is_none() => symbol = Some(*word),
                _ => return None,
            }
        }
        (!last.ring || count.is_power_of_two()).then_some(())?;
        Some(DataPlace { first: row * count, count, symbol: symbol?, constant: constant as u64 })
    }

    /// Counts multiplexers.
    fn weigh(&mut self, op: &Op, root: u32, place: &DataPlace) -> Result<(), Diagnostic> {
        let array = &self.raw.arrays[root as usize];
        let each = (place.count - 1) as f64 * f64::from(array.width) * MUX;
        self.current.choosing += each;
        self.choosing += each;
        // All steps of a pipeline run in every clock.
        let now = if self.cuts.few == usize::MAX { self.choosing } else { self.current.choosing };
        if now <= MOST {
            return Ok(());
        }
        Err(Diagnostic::new("H318", format!("`{}` is accessed too often in a clock at places that depend on data", array.name))
            .note(format!("multiplexers of {now} gate equivalents and more, at most {MOST}: {} words of {} bits take {each} each time", place.count, array.width))
            .help("in an iterative device each iteration of `rounds` has a clock of its own")
            .at(self.program, &op.places))
    }

    /// The word that data choose.
    pub(super) fn load_by_data(
        &mut self,
        op: &Op,
        cells: &Cells,
        place: &DataPlace,
        values: &mut Values,
    ) -> Result<(), Diagnostic> {
        self.weigh(op, cells.root, place)?;
        let array = &self.raw.arrays[cells.root as usize];
        let (name, width) = (array.name.clone(), array.width);
        // A word that was never written is never chosen.
        let words: Vec<Option<usize>> = place.elements().map(|element| cells.cells[element]).collect();
        let symbol = if place.count > self.cuts.few && self.stand_in_order(cells.root, place, &words) {
            let address = self.address_of(op, place);
            let data = self.value(&name, Type::Word(width));
            let selection = Selection { array: cells.root, first: place.first as u32, count: place.count as u32 };
            self.current.selections.push(RawSelection { selection, data, address });
            self.made_here(&name, width, data)
        } else {
            let address = self.address_of(op, place);
            let words = words.into_iter().map(|word| word.map_or(Operand::Const(0), |w| self.operand(w))).collect();
            let chosen = self.chosen(op, (&name, width), address, words);
            match chosen {
                Operand::Value(value) => self.made_here(&name, width, value),
                Operand::Const(number) => self.constant(number, width, &name),
            }
        };
        values.insert(op.results[0], Thing::Word(symbol));
        Ok(())
    }

    /// The array with the word replaced that data choose.
    pub(super) fn store_by_data(
        &mut self,
        op: &Op,
        cells: &mut Cells,
        place: &DataPlace,
        word: usize,
    ) -> Result<(), Diagnostic> {
        self.weigh(op, cells.root, place)?;
        let array = &self.raw.arrays[cells.root as usize];
        let (name, width) = (array.name.clone(), array.width);
        let address = self.address_of(op, place);
        let word_now = self.operand(word);
        for (number, element) in place.elements().enumerate() {
            let new = match cells.cells[element] {
                Some(old) => {
                    let old = self.operand(old);
                    let here = OpKind::Compare(Compare::Eq, address, Operand::Const(number as u64));
                    let here = Operand::Value(self.emit(op, "here", 1, here));
                    let value = self.emit(op, &name, width, OpKind::Select(here, word_now, old));
                    self.made_here(&name, width, value)
                }
                // What stood there was never written: it may be anything.
                None => word,
            };
            Rc::make_mut(&mut cells.cells)[element] = Some(new);
            self.pending.push((Place::Element(cells.root, element as u32), new));
        }
        Ok(())
    }

    /// Whether each word stands at its place of the array before the current step, which ends for that if it wrote one of them: once
    /// between two cuts, so that what is no loop of rounds does not become one of clocks.
    fn stand_in_order(&mut self, root: u32, place: &DataPlace, words: &[Option<usize>]) -> bool {
        let stand = |this: &Self| {
            let at = |element: usize| this.holder.get(&Place::Element(root, element as u32));
            place.elements().zip(words).all(|(element, word)| word.is_none() || at(element) == word.as_ref())
        };
        if !stand(self) && !std::mem::replace(&mut self.cut_for_words, true) {
            self.cut(&[], &[]);
        }
        stand(self)
    }

    /// The address among the words, as an operand of the current step.
    fn address_of(&mut self, op: &Op, place: &DataPlace) -> Operand {
        let bits = bits_for(place.count);
        let width = self.symbols[place.symbol].width;
        let mut address = self.operand(place.symbol);
        if let Operand::Value(value) = address {
            let moved = match width.cmp(&bits) {
                std::cmp::Ordering::Less => Some(OpKind::Zext(value)),
                std::cmp::Ordering::Greater => Some(OpKind::Extract(address, 0)),
                std::cmp::Ordering::Equal => None,
            };
            address = moved.map_or(address, |kind| Operand::Value(self.emit(op, "address", bits, kind)));
        }
        match place.constant & program::semantics::mask(bits) {
            0 => address,
            number => {
                let sum = OpKind::Binary(Binary::Add, address, Operand::Const(number));
                Operand::Value(self.emit(op, "address", bits, sum))
            }
        }
    }

    /// A multiplexer of words, bit of the address by bit.
    fn chosen(&mut self, op: &Op, (name, width): (&str, u8), address: Operand, mut words: Vec<Operand>) -> Operand {
        let mut bit = 0;
        while words.len() > 1 {
            let select = Operand::Value(self.emit(op, "here", 1, OpKind::Extract(address, bit)));
            let pair = |pair: &[Operand]| match *pair {
                [low, high] => Operand::Value(self.emit(op, name, width, OpKind::Select(select, high, low))),
                _ => pair[0],
            };
            words = words.chunks(2).map(pair).collect();
            bit += 1;
        }
        words[0]
    }

    fn emit(&mut self, op: &Op, name: &str, width: u8, kind: OpKind) -> ValueId {
        let value = self.value(name, Type::Word(width));
        self.current.ops.push(Op { kind, results: vec![value], places: op.places.clone() });
        value
    }

    /// The word that is a value of the current step.
    fn made_here(&mut self, name: &str, width: u8, value: ValueId) -> usize {
        let symbol = self.symbol(name, width, Origin::Step(self.raw.steps.len()));
        self.current.local.insert(symbol, Operand::Value(value));
        symbol
    }
}
