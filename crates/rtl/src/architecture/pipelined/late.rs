//! Functions of round keys in a clock of their own: what they take of the recurrence is registered, and they run a clock later.

use std::collections::{BTreeMap, BTreeSet};

use program::ir::Operand;

use super::super::keys::network::{Mux, Network, Source};
use super::super::running::BlockMode;
use super::travelling::{chosen, StageRegisters, StageWords};
use crate::logic::Logic;

/// The copies whose results only round keys take.
pub(super) fn copies(network: &Network) -> BTreeSet<usize> {
    let arguments = network.copies.iter().flat_map(|copy| &copy.inputs);
    let taken: BTreeSet<usize> = arguments.chain(&network.window).chain(&network.kept).flat_map(made_by).collect();
    (0..network.copies.len()).filter(|copy| !taken.contains(copy)).collect()
}

/// Whether such a copy follows another in the same clock.
pub(super) fn follows(network: &Network) -> bool {
    copies(network).iter().any(|&n| network.copies[n].inputs.iter().any(|mux| !made_by(mux).is_empty()))
}

fn made_by(mux: &Mux) -> Vec<usize> {
    let copy = |source: Source| if let Source::Copy(copy, _) = source { Some(copy) } else { None };
    mux.distinct().into_iter().filter_map(copy).collect()
}

/// Words of a stage as registers have them a clock later.
pub(super) struct LateWords<'a> {
    pub network: &'a Network,
    pub stage: usize,
    pub here: &'a StageWords<'a>,
    /// Results of the stage's copies, as far as they are not late.
    pub made: &'a [Vec<Operand>],
    /// The window behind the stage.
    pub window: &'a [Option<Operand>],
    pub held: &'a mut StageRegisters,
    /// Words that registers of their own hold.
    pub known: BTreeMap<Operand, Operand>,
}

impl LateWords<'_> {
    /// What a word is, a clock later; `made` has the results of late copies.
    pub fn taken(&mut self, logic: &mut Logic, mux: &Mux, running: BlockMode, made: &[Vec<Operand>]) -> Operand {
        chosen(logic, mux, running, |logic, way, source| {
            let late = match source {
                Source::Copy(copy, output) => made.get(copy).and_then(|results| results.get(output)).copied(),
                _ => None,
            };
            late.unwrap_or_else(|| self.word(logic, way, source, mux.width))
        })
    }

    /// A word in the window if it goes there, else in a register of its own.
    fn word(&mut self, logic: &mut Logic, way: usize, source: Source, width: u8) -> Operand {
        let goes = |mux: &Mux| mux.from[way].first() == Some(&Some(source));
        let place = self.network.window.iter().position(goes).and_then(|n| self.window[n]);
        if let Some(word) = place {
            return word;
        }
        let now = self.here.word(logic, source, self.made);
        let name = format!("used{}_after_{}", self.known.len(), self.stage);
        *self.known.entry(now).or_insert_with(|| self.held.hold(logic, &name, width, now))
    }
}
