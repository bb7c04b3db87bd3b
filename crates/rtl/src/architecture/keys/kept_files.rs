//! Files of latches for the words that key setup keeps, where it writes them a word at a time.

use std::collections::BTreeMap;

use super::super::engine::files::pays;
use super::network::{Mux, Network, Source};
use super::plan::OnTheFly;

/// Bits of a word of a store.
const WIDEST: usize = 64;

/// Kept words behind one write port.
pub(in super::super) struct KeptFile {
    /// Per address, the kept words that are written together, the same number and widths everywhere.
    pub rows: Vec<Vec<usize>>,
    /// Per set-up and clock, the address that is written.
    pub written: Vec<Vec<Option<u64>>>,
    /// Bits of an address's words together.
    pub width: u8,
}

/// Files of the kept words of a network, where they need fewer transistors than registers.
///
/// What is written is read two clocks later at the earliest: so files hold nothing that key setup itself reads.
pub(in super::super) fn kept_files(plan: &OnTheFly, network: &Network) -> Vec<KeptFile> {
    let mut rows: BTreeMap<Vec<(usize, usize)>, Vec<usize>> = BTreeMap::new();
    for (n, mux) in network.kept.iter().enumerate() {
        let written = clocks(mux);
        if !written.is_empty() && mux.distinct().len() == 1 && !is_read(plan, network, n) {
            rows.entry(written).or_default().push(n);
        }
    }
    let mut of_lanes: BTreeMap<Vec<(u8, Source)>, KeptFile> = BTreeMap::new();
    for (at, row) in rows {
        let lanes: Vec<(u8, Source)> = row
            .iter()
            .flat_map(|&n| network.kept[n].distinct().into_iter().map(move |s| (network.kept[n].width, s)))
            .collect();
        let width: usize = lanes.iter().map(|lane| usize::from(lane.0)).sum();
        let free = |file: &KeptFile| at.iter().all(|&(mode, clock)| file.written[mode][clock].is_none());
        if width > WIDEST || of_lanes.get(&lanes).is_some_and(|file| !free(file)) {
            continue;
        }
        let none = || network.kept[row[0]].from.iter().map(|mode| vec![None; mode.len()]).collect();
        let file =
            of_lanes.entry(lanes).or_insert_with(|| KeptFile { rows: Vec::new(), written: none(), width: width as u8 });
        at.iter().for_each(|&(mode, clock)| file.written[mode][clock] = Some(file.rows.len() as u64));
        file.rows.push(row);
    }
    of_lanes.into_values().filter(|file| pays(file.rows.len(), file.width)).collect()
}

/// Whether a kept word stands in a file.
pub(in super::super) fn is_filed(files: &[KeptFile], word: usize) -> bool {
    files.iter().any(|file| file.rows.iter().flatten().any(|&n| n == word))
}

/// The ways of running and clocks in which a word is written.
fn clocks(mux: &Mux) -> Vec<(usize, usize)> {
    let of = |(mode, clocks): (usize, &Vec<Option<Source>>)| {
        let written = clocks.iter().enumerate().filter(|(_, source)| source.is_some());
        written.map(|(clock, _)| (mode, clock)).collect::<Vec<_>>()
    };
    mux.from.iter().enumerate().flat_map(of).collect()
}

/// Whether key setup reads a kept word.
fn is_read(plan: &OnTheFly, network: &Network, kept: usize) -> bool {
    let inputs = network.copies.iter().flat_map(|copy| &copy.inputs);
    let mut every = inputs.chain(&network.window).chain(&network.kept).chain(&network.slots);
    every.any(|mux| {
        let setups = mux.from.iter().enumerate().filter(|(mode, _)| plan.is_setup(*mode));
        setups.flat_map(|(_, clocks)| clocks).any(|source| *source == Some(Source::Kept(kept)))
    })
}
