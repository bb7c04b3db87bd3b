//! Words of arrays read through ports that others have: multiplexers that exclude each other in time are one.

use std::collections::{BTreeMap, BTreeSet};

use super::{Control, Engine, Source};
use crate::logic::bits_for;

/// Fewest different words at which a parameter's own multiplexer is worth replacing.
const FEWEST: usize = 4;

/// A port that reads one of some words while the engine does not run.
pub(in super::super) struct ReadPort {
    /// Per address, the cell that it gives, if it is one.
    pub cells: Vec<Option<usize>>,
    /// The number of its word among those from outside.
    pub outside: usize,
}

impl Engine {
    /// Reads words of many through ports, where every word is behind one that is free in the step; gives per port the control that
    /// addresses it, in steps that read through it.
    pub fn read_through(&mut self, ports: &[ReadPort]) -> Vec<Option<Control>> {
        let mut read: Vec<BTreeMap<(usize, usize), usize>> = vec![BTreeMap::new(); ports.len()];
        for body in 0..self.bodies.len() {
            for parameter in 0..self.bodies[body].inputs.len() {
                let Some(plan) = self.through(body, parameter, ports, &read) else { continue };
                for (&at, &(port, address)) in &plan {
                    read[port].insert(at, address);
                }
                let mine = |at: &(usize, usize)| plan.get(at).map(|&(port, _)| Source::Outside(ports[port].outside));
                self.resourced_one(body, parameter, &mine);
            }
        }
        self.drop_unused();
        ports.iter().zip(&read).enumerate().map(|(n, (port, read))| self.addresses(n, port, read)).collect()
    }

    /// The port and address of every step in which a parameter reads one of many registers.
    fn through(
        &self,
        body: usize,
        parameter: usize,
        ports: &[ReadPort],
        taken: &[BTreeMap<(usize, usize), usize>],
    ) -> Option<BTreeMap<(usize, usize), (usize, usize)>> {
        let uses = self.uses_of(body);
        let cell = |at: &(usize, usize)| match self.source(body, parameter, *at) {
            Source::Register(cell) => Some(*cell),
            Source::Outside(_) => None,
        };
        let cells: BTreeSet<usize> = uses.iter().filter_map(cell).collect();
        if cells.len() < FEWEST {
            return None;
        }
        let mut order: Vec<usize> = (0..ports.len()).collect();
        order.sort_by_key(|&n| usize::MAX - ports[n].cells.iter().flatten().filter(|c| cells.contains(c)).count());
        let mut plan = BTreeMap::new();
        for at in &uses {
            let Some(cell) = cell(at) else { continue };
            let found = order.iter().find_map(|&n| {
                let address = ports[n].cells.iter().position(|c| *c == Some(cell))?;
                taken[n].get(at).map_or(true, |known| *known == address).then_some((n, address))
            });
            plan.insert(*at, found?);
        }
        Some(plan)
    }

    /// Whether the words that a control addresses at a port can all be read a clock before the step that needs them: a word in a
    /// register is there in the step after it is written, a word in a latch two steps after.
    pub fn stands_a_clock_before(&self, port: &ReadPort, control: &Control) -> bool {
        self.written().into_iter().all(|(cell, (mode, step))| {
            let after = if self.file_of(cell).is_some() { 2 } else { 1 };
            let read = |at: usize| {
                let address = control.values[mode].get(at).copied().flatten();
                address.and_then(|address| port.cells[address as usize]) == Some(cell)
            };
            (1..=after).all(|later| !read(step + later))
        })
    }

    fn addresses(&self, n: usize, port: &ReadPort, read: &BTreeMap<(usize, usize), usize>) -> Option<Control> {
        let of = |mode: usize, step: usize| read.get(&(mode, step)).map(|&address| address as u64);
        let values = self.steps.iter().enumerate();
        let values = values.map(|(mode, &count)| (0..count).map(|step| of(mode, step)).collect()).collect();
        let name = format!("round_key{n}_read");
        (!read.is_empty()).then(|| Control { name, width: bits_for(port.cells.len()), values })
    }
}
