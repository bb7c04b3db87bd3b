//! The walk cut into units of work that can be done in any order, on any number of threads.

use std::sync::atomic::AtomicBool;

use super::orbits::{normal, Layer, Symmetries, INPUTS};
use super::walk::{Forms, Job, Tally, Walker};
use circuit::fault::Fault;
use circuit::sbox::SBox;

/// A piece of work of some seconds to a minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    /// Cones to be completed.
    Jobs { from: usize, to: usize },
    /// Sets of a layer from which cones grow by one gate or two.
    Sets { layer: usize, from: usize, to: usize },
}

/// Whether boxes have a circuit of so many gates: everything that is needed to look at all of them.
pub struct Exhaustion {
    free: usize,
    boxes: usize,
    forms: Forms,
    layers: Vec<Layer>,
    jobs: Vec<Job>,
    units: Vec<Unit>,
}

impl Exhaustion {
    /// Plans the search for circuits of `gates` two-input gates, the outputs' gates among them.
    ///
    /// # Errors
    /// `C318` for a box that has not four inputs and two to four different outputs that need a gate; `C319` for a
    /// number of gates that leaves fewer than two or more than eight beside the outputs.
    pub fn new(boxes: &[SBox], gates: usize, threads: usize) -> Result<Self, Fault> {
        let outputs = boxes.first().map_or(0, |b| b.outputs);
        if !boxes.iter().all(|b| serves(b) && b.outputs == outputs) {
            return Err(Fault::new("C318", "exhaustion serves boxes of 4 input bits and 2 to 4 output bits only")
                .note("all of one number of outputs, which differ and are no inputs, complemented or not"));
        }
        let free = gates.checked_sub(usize::from(outputs)).filter(|free| (2..=8).contains(free)).ok_or_else(|| {
            Fault::new("C319", format!("exhaustion cannot look at all circuits of {gates} gates")).help(format!(
                "for {outputs} outputs it serves {} to {} gates",
                outputs + 2,
                outputs + 8
            ))
        })?;
        let symmetries = Symmetries::new();
        let mut layers = vec![Layer::empty()];
        for n in 0..free - 2 {
            layers.push(layers[n].next(&symmetries, threads));
        }
        let tables: Vec<Vec<u16>> = boxes.iter().map(|b| b.tables().iter().map(|t| t.low16()).collect()).collect();
        let forms = Forms::new(&symmetries, &tables);
        let jobs = jobs(&symmetries, &layers, &forms, free, boxes.len(), threads);
        let mut plan = Exhaustion { free, boxes: boxes.len(), forms, layers, jobs, units: Vec::new() };
        plan.cut();
        Ok(plan)
    }

    fn cut(&mut self) {
        let mut from = 0;
        while from < self.jobs.len() {
            let cone = self.jobs[from].gates;
            let end = self.jobs.partition_point(|job| job.gates <= cone);
            // A job takes about thirty times as long for every gate more that is left to be found.
            let step = 32usize.pow(6u32.saturating_sub((self.free - cone) as u32));
            self.units.extend((from..end).step_by(step).map(|from| Unit::Jobs { from, to: (from + step).min(end) }));
            from = end;
        }
        for layer in self.free.saturating_sub(3)..=self.free - 2 {
            let len = self.layers[layer].sets.len();
            let cut = |from| Unit::Sets { layer, from, to: (from + 8192).min(len) };
            self.units.extend((0..len).step_by(8192).map(cut));
        }
    }

    /// How many units there are.
    #[must_use]
    pub fn units(&self) -> usize {
        self.units.len()
    }

    /// For each number of gates: the orbits of sets, the sets in them, and the cones to be completed from there.
    #[must_use]
    pub fn counts(&self) -> Vec<(usize, u64, usize)> {
        let jobs = |gates| self.jobs.iter().filter(|job| job.gates == gates).count();
        self.layers.iter().map(|layer| (layer.sets.len(), layer.total, jobs(layer.gates))).collect()
    }

    /// Does one unit. A box that the unit finds a circuit for is not looked at further in it.
    #[must_use]
    pub fn run(&self, unit: usize) -> Tally {
        self.run_until(unit, &|| false).unwrap_or_default()
    }

    /// Does one unit unless it is to stop before its end.
    #[must_use]
    pub fn run_until(&self, unit: usize, stopped: &dyn Fn() -> bool) -> Option<Tally> {
        let solved: Vec<AtomicBool> = (0..self.boxes).map(|_| AtomicBool::new(false)).collect();
        let mut walker = Walker::new(&self.forms, self.free, &solved);
        let (from, to) = match self.units[unit] {
            Unit::Jobs { from, to } | Unit::Sets { from, to, .. } => (from, to),
        };
        for n in from..to {
            match self.units[unit] {
                Unit::Jobs { .. } => walker.run(&self.jobs[n]),
                Unit::Sets { layer, .. } => walker.visit(&self.layers[layer], n),
            }
            if n % 16 == 0 && stopped() {
                return None;
            }
        }
        Some(walker.tally())
    }
}

/// Whether each output of a box of four inputs takes a gate of its own, so that its circuits can be exhausted.
#[must_use]
pub fn serves(sbox: &SBox) -> bool {
    let mut functions: Vec<u16> = sbox.tables().iter().map(|t| normal(t.low16())).chain(INPUTS).chain([0]).collect();
    let count = functions.len();
    functions.sort_unstable();
    functions.dedup();
    sbox.inputs == 4 && (2..=4).contains(&sbox.outputs) && functions.len() == count
}

/// The cones that leave three gates or more to be found, one of each orbit, the smallest first.
fn jobs(
    symmetries: &Symmetries,
    layers: &[Layer],
    forms: &Forms,
    free: usize,
    boxes: usize,
    threads: usize,
) -> Vec<Job> {
    let solved: Vec<AtomicBool> = (0..boxes).map(|_| AtomicBool::new(false)).collect();
    let mut walker = Walker::new(forms, free, &solved);
    for layer in layers.iter().filter(|layer| layer.gates + 3 < free) {
        (0..layer.sets.len()).for_each(|n| walker.visit(layer, n));
    }
    let part = walker.jobs.len().div_ceil(threads.max(1)).max(1);
    let mut jobs: Vec<Job> = std::thread::scope(|scope| {
        let canonical = |jobs: &[Job]| jobs.iter().map(|job| job.canonical(symmetries)).collect::<Vec<_>>();
        let workers: Vec<_> = walker.jobs.chunks(part).map(|jobs| scope.spawn(move || canonical(jobs))).collect();
        workers.into_iter().flat_map(|w| w.join().unwrap_or_default()).collect()
    });
    jobs.sort_unstable();
    jobs.dedup();
    jobs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minimum(data: &[u8], least: usize) -> Option<usize> {
        let sbox = SBox::new(4, data.to_vec()).ok()?;
        (least..).find(|&gates| {
            let plan = Exhaustion::new(std::slice::from_ref(&sbox), gates, 1);
            plan.is_ok_and(|plan| (0..plan.units()).any(|n| !plan.run(n).found.is_empty()))
        })
    }

    #[test]
    fn skinny_takes_eight_gates_and_gift_ten() {
        let skinny = [12, 6, 9, 0, 1, 10, 2, 11, 3, 8, 5, 13, 4, 14, 7, 15];
        assert_eq!(minimum(&skinny, 6), Some(8));
        let gift = [1, 10, 4, 12, 6, 15, 3, 9, 2, 13, 11, 7, 5, 0, 8, 14];
        assert_eq!(minimum(&gift, 9), Some(10));
    }

    #[test]
    fn what_it_cannot_look_at_is_refused() {
        let sbox = SBox::new(4, vec![12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2]).unwrap();
        let error = |boxes: &[SBox], gates| Exhaustion::new(boxes, gates, 1).err().map(|e| e.to_string());
        let text = "error[C319]: exhaustion cannot look at all circuits of 13 gates\n   = help: for 4 outputs it serves 6 to 12 gates";
        assert_eq!(error(&[sbox], 13).as_deref(), Some(text));
        let five = SBox::new(4, vec![0; 32]).unwrap();
        let text = "error[C318]: exhaustion serves boxes of 4 input bits and 2 to 4 output bits only\n   = all of one number of outputs, which differ and are no inputs, complemented or not";
        let identity = SBox::new(4, (0..16).collect()).unwrap();
        assert_eq!(error(&[identity], 10).as_deref(), Some(text));
        assert_eq!(error(&[five], 10).as_deref(), Some(text));
    }
}
