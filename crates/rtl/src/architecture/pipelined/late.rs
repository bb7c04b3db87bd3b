//! Functions of round keys in a clock of their own: what they take of the recurrence is registered, and they run a clock later.

use std::collections::{BTreeMap, BTreeSet};

use program::ir::Operand;

use super::super::keys::network::{Mux, Network, Source};
use super::super::running::Running;
use super::travelling::{Held, Here};
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
pub(super) struct Later<'a> {
    network: &'a Network,
    stage: usize,
    here: &'a Here<'a>,
    /// Results of the stage's copies, as far as they are not late.
    made: &'a [Vec<Operand>],
    /// The window behind the stage.
    window: &'a [Option<Operand>],
    held: &'a mut Held,
    known: BTreeMap<Operand, Operand>,
}

impl<'a> Later<'a> {
    pub fn new(
        network: &'a Network,
        stage: usize,
        here: &'a Here<'a>,
        made: &'a [Vec<Operand>],
        window: &'a [Option<Operand>],
        held: &'a mut Held,
    ) -> Self {
        Later { network, stage, here, made, window, held, known: BTreeMap::new() }
    }

    /// What a word is, a clock later; `made` has the results of late copies.
    pub fn taken(&mut self, logic: &mut Logic, mux: &Mux, running: Running, made: &[Vec<Operand>]) -> Operand {
        let mut of = |(way, clocks): (usize, &Vec<Option<Source>>)| {
            let source = clocks.first().copied().flatten()?;
            if let Source::Copy(copy, output) = source {
                if let Some(&word) = made.get(copy).and_then(|results| results.get(output)) {
                    return Some(word);
                }
            }
            Some(self.word(logic, way, source, mux.width))
        };
        let words: Vec<Option<Operand>> = mux.from.iter().enumerate().map(&mut of).collect();
        running.choose(logic, mux.width, &words).unwrap_or(Operand::Const(0))
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
