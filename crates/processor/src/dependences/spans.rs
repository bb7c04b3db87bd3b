//! What the boundaries between regions cost: cycles that an in-order processor waits because results of one region, or
//! of the iteration before, are not there yet.

use std::collections::HashMap;

use crate::code::{Code, Op, Region, Use, ValueId};
use crate::graph::{Graph, Schedule};
use crate::isa::InstructionId;
use crate::model::Processor;

/// The cycles of one region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Span {
    /// Cycles that its first iteration waits for results of earlier regions.
    pub wait: u32,
    /// Cycles from the start of an iteration to the start of the next; of straight-line code its length.
    pub period: u32,
    /// Cycles of all iterations, the wait not counted.
    pub cycles: u64,
}

/// The cycles of each region when the regions of some code run one after the other.
///
/// A loop without a pipeline waits between two iterations where its carried values are not there in time.
///
/// # Panics
/// If there is not one schedule with a cycle per operation for each region.
#[must_use]
pub fn spans(code: &Code, graphs: &[Graph], schedules: &[Schedule], processor: &Processor) -> Vec<Span> {
    let mut written: HashMap<ValueId, LastWrite> = HashMap::new();
    let (mut begin, mut spans) = (0_i64, Vec::new());
    for (region, (graph, schedule)) in code.regions.iter().zip(graphs.iter().zip(schedules)) {
        let ops = region.ops();
        if let Region::Loop(counted) = region {
            for carry in &counted.carried {
                if let Some(first) = written.get(&carry.init).copied() {
                    written.insert(carry.value, first);
                }
            }
        }
        let reads = ops.iter().zip(&schedule.cycles).flat_map(|(op, &cycle)| reads(op).map(move |r| (op, cycle, r)));
        let late = |(op, cycle, (operand, value)): (&Op, u32, (Option<usize>, ValueId))| {
            let found = written.get(&value)?;
            let latency = i64::from(processor.latency(found.instruction, found.output, op.instruction, operand));
            Some(found.cycle + latency - (begin + i64::from(cycle)))
        };
        let wait = reads.filter_map(late).max().unwrap_or(0).max(0);
        let (iterations, period, cycles) = iterations(region, graph, schedule);
        begin += wait;
        let last = begin + i64::from(period) * (i64::from(iterations) - 1);
        for (op, &cycle) in ops.iter().zip(&schedule.cycles) {
            for (output, &value) in op.defines.iter().enumerate() {
                let cycle = last + i64::from(cycle);
                written.insert(value, LastWrite { instruction: op.instruction, output, cycle });
            }
        }
        if let Region::Loop(counted) = region {
            for carry in &counted.carried {
                match written.get(&carry.next).copied() {
                    Some(next) => written.insert(carry.value, next),
                    None => written.remove(&carry.value),
                };
            }
        }
        begin += cycles as i64;
        spans.push(Span { wait: wait as u32, period, cycles });
    }
    spans
}

/// Who wrote a value last, and in which cycle of the whole kernel.
#[derive(Clone, Copy)]
struct LastWrite {
    instruction: InstructionId,
    output: usize,
    cycle: i64,
}

fn reads(op: &Op) -> impl Iterator<Item = (Option<usize>, ValueId)> + '_ {
    let operands = op.uses.iter().enumerate().filter_map(|(k, used)| match used {
        Use::Value(value) => Some((Some(k), *value)),
        _ => None,
    });
    operands.chain(op.guard.map(|guard| (None, guard)))
}

/// Iterations, cycles from one to the next, and cycles of all.
fn iterations(region: &Region, graph: &Graph, schedule: &Schedule) -> (u32, u32, u64) {
    let length = schedule.length();
    let Region::Loop(counted) = region else { return (1, length, u64::from(length)) };
    let iterations = counted.iterations;
    if let Some(interval) = schedule.interval {
        let stages = length.div_ceil(interval.max(1)).max(1);
        return (iterations, interval, u64::from(interval) * u64::from(iterations + stages - 1));
    }
    let at = |op: u32| i64::from(schedule.cycles[op as usize]);
    let needed = |e: &crate::graph::Edge| {
        let apart = at(e.from) + i64::from(e.latency) - at(e.to);
        apart.max(0).div_euclid(i64::from(e.distance)) + i64::from(apart.max(0) % i64::from(e.distance) > 0)
    };
    let carried = graph.edges.iter().filter(|e| e.distance > 0).map(needed).max().unwrap_or(0);
    let period = i64::from(length).max(carried) as u32;
    (iterations, period, u64::from(period) * u64::from(iterations - 1) + u64::from(length))
}
