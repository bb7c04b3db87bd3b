//! The independent checker of schedules: it starts from the graph and the ports, and shares nothing with bounds or
//! schedulers.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use program::Diagnostic;

use crate::graph::{Graph, Resources, Schedule};
use crate::model::Processor;

/// Checks the edges of a schedule, and the caps of every cycle (of every row, if it is software-pipelined).
///
/// # Errors
/// M310: not one cycle for each operation, or an interval of 0. M311: an edge is violated. M312: a cap is exceeded.
pub fn check(graph: &Graph, resources: &Resources, schedule: &Schedule) -> Result<(), Diagnostic> {
    edges(graph, &resources.classes, schedule)?;
    let cycles = cycles(schedule);
    for (&cycle, ops) in &cycles {
        for cap in &resources.caps {
            let slots = |op: &usize, after: u32| cap.slots(usize::from(graph.classes[*op]), after);
            let taken: u32 = holding(&cycles, cycle, resources.longest(), schedule.interval)
                .map(|(after, op)| slots(&op, after))
                .sum();
            if taken > cap.limit {
                let busy: Vec<usize> = ops.iter().copied().filter(|op| slots(op, 0) > 0).collect();
                let message =
                    format!("cycle {cycle} takes {taken} slots of the cap `{}`, which has {}", cap.name, cap.limit);
                return Err(Diagnostic::new("M312", message).note(named(graph, &resources.classes, &busy)));
            }
        }
    }
    Ok(())
}

/// As [`check`], but every cycle's legality is found by giving each operation a port of its own.
///
/// # Errors
/// M310 and M311 as there. M313: the operations of a cycle find no ports. M314: a cycle issues too many.
pub fn check_ports(graph: &Graph, processor: &Processor, schedule: &Schedule) -> Result<(), Diagnostic> {
    let names: Vec<String> = processor.classes.iter().map(|c| c.name.clone()).collect();
    edges(graph, &names, schedule)?;
    let class = |op: usize| &processor.classes[usize::from(graph.classes[op])];
    let cycles = cycles(schedule);
    for (&cycle, ops) in &cycles {
        let slots: u32 = ops.iter().map(|&op| u32::from(class(op).slots)).sum();
        if processor.issue > 0 && slots > processor.issue {
            let message = format!("cycle {cycle} issues {slots} slots, and the processor {}", processor.issue);
            return Err(Diagnostic::new("M314", message).note(named(graph, &names, ops)));
        }
        // An operation with second ports takes several ports at once, and may hold the second ones longer.
        let longest = processor.classes.iter().map(|c| c.held).max().unwrap_or(1);
        let held = holding(&cycles, cycle, longest, schedule.interval)
            .filter(|&(after, op)| after > 0 && after < class(op).held)
            .flat_map(|(_, op)| class(op).second_ports.iter().map(move |&mask| (op, mask)));
        let seats = ops.iter().flat_map(|&op| class(op).masks().map(move |mask| (op, mask)));
        let seats: Vec<(usize, u64)> = held.chain(seats).filter(|s| s.1 != 0).collect();
        let masks: Vec<u64> = seats.iter().map(|s| s.1).collect();
        if let Err(left) = ports(&masks) {
            let (op, mask) = seats[left];
            let usable = (0..processor.ports.len()).filter(|p| mask >> p & 1 == 1);
            let usable: Vec<&str> = usable.map(|p| processor.ports[p].as_str()).collect();
            let message = format!("operation {op} ({}) finds no port in cycle {cycle}", class(op).name);
            return Err(Diagnostic::new("M313", message)
                .note(format!("its ports are {}", usable.join(" ")))
                .note(named(graph, &names, ops)));
        }
    }
    Ok(())
}

fn edges(graph: &Graph, names: &[String], schedule: &Schedule) -> Result<(), Diagnostic> {
    let (given, wanted) = (schedule.cycles.len(), graph.classes.len());
    if given != wanted {
        return Err(Diagnostic::new("M310", format!("the schedule has {given} cycles for {wanted} operations")));
    }
    if schedule.interval == Some(0) {
        return Err(Diagnostic::new("M310", "the initiation interval is 0"));
    }
    let name = |op: u32| format!("operation {op} ({})", names[usize::from(graph.classes[op as usize])]);
    for edge in &graph.edges {
        // Without an interval, an iteration starts when the one before has ended and its results are there.
        if edge.distance > 0 && schedule.interval.is_none() {
            continue;
        }
        let interval = schedule.interval.unwrap_or(0);
        let at = |op: u32| i64::from(schedule.cycles[op as usize]);
        let from = at(edge.from) - i64::from(edge.distance) * i64::from(interval);
        let first = from + i64::from(edge.latency);
        if at(edge.to) < first {
            let message = format!("{} issues in cycle {}, before cycle {first}", name(edge.to), at(edge.to));
            let iterations = match edge.distance {
                0 => String::new(),
                1 => " of the iteration before".into(),
                n => format!(" of {n} iterations before"),
            };
            let note = format!("{}{iterations} issues in cycle {from}; latency {}", name(edge.from), edge.latency);
            return Err(Diagnostic::new("M311", message).note(note));
        }
    }
    Ok(())
}

/// The operations of each cycle, or of each row of a software pipeline.
fn cycles(schedule: &Schedule) -> BTreeMap<u32, Vec<usize>> {
    let mut at: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (op, &cycle) in schedule.cycles.iter().enumerate() {
        at.entry(schedule.interval.map_or(cycle, |interval| cycle % interval)).or_default().push(op);
    }
    at
}

/// The operations that issue in a cycle or so many before it, and how many cycles before; in a software pipeline, those of
/// earlier iterations too.
fn holding(
    cycles: &BTreeMap<u32, Vec<usize>>,
    cycle: u32,
    longest: u32,
    interval: Option<u32>,
) -> impl Iterator<Item = (u32, usize)> + '_ {
    let from = move |after: u32| match interval {
        Some(interval) => Some((i64::from(cycle) - i64::from(after)).rem_euclid(i64::from(interval)) as u32),
        None => cycle.checked_sub(after),
    };
    let at = move |after: u32| from(after).and_then(|from| cycles.get(&from)).map(move |ops| (after, ops));
    (0..longest).filter_map(at).flat_map(|(after, ops)| ops.iter().map(move |&op| (after, op)))
}

fn named(graph: &Graph, names: &[String], ops: &[usize]) -> String {
    let name = |op: &usize| format!("{op} ({})", names[usize::from(graph.classes[*op])]);
    format!("operations {}", ops.iter().map(name).collect::<Vec<_>>().join(", "))
}

/// Gives each operation a port of its own by augmenting paths; the index of one that finds none, if so.
fn ports(masks: &[u64]) -> Result<(), usize> {
    let mut owner: [Option<usize>; 64] = [None; 64];
    for op in 0..masks.len() {
        if !augment(op, masks, &mut owner, &mut 0) {
            return Err(op);
        }
    }
    Ok(())
}

fn augment(op: usize, masks: &[u64], owner: &mut [Option<usize>; 64], seen: &mut u64) -> bool {
    for port in 0..64 {
        let bit = 1_u64 << port;
        if masks[op] & bit == 0 || *seen & bit != 0 {
            continue;
        }
        *seen |= bit;
        if owner[port].map_or(true, |other| augment(other, masks, owner, seen)) {
            owner[port] = Some(op);
            return true;
        }
    }
    false
}
