//! Unit tasks with releases and tails on identical slots: earliest deadline first.

/// What decides a relaxed problem under one cap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tight {
    /// The smallest possible value of (slot + tail), over all tasks.
    pub bound: i32,
    /// No task of the tight set is released before this cycle.
    pub release: i32,
    /// Slots that the tight set takes.
    pub count: u32,
    /// Every task of the tight set has at least this tail.
    pub tail: i32,
}

/// Room for one problem after the other.
#[derive(Default)]
pub(crate) struct Slots {
    next: Vec<u32>,
    used: Vec<u32>,
}

impl Slots {
    /// Solves one problem: tasks are (release, tail, slots), given by falling tail. Gives the largest sum of a task's slot
    /// and its tail; none without a task.
    pub fn tightest(&mut self, tasks: impl Iterator<Item = (i32, i32, u32)>, limit: u32) -> Option<i32> {
        self.next.clear();
        self.used.clear();
        let mut best = None;
        for (release, tail, count) in tasks {
            let mut slot = 0;
            for _ in 0..count {
                slot = self.place(release.max(0) as usize, limit) as i32;
            }
            best = best.max(Some(slot + tail));
        }
        best
    }

    /// The tight set of a problem, for people: the tasks that fill the cycles up to one that decides; the largest such set.
    pub fn explain(&mut self, tasks: &[(i32, i32, u32)], limit: u32) -> Option<Tight> {
        let bound = self.tightest(tasks.iter().copied(), limit)?;
        let mut tails: Vec<i32> = tasks.iter().map(|t| t.1).collect();
        tails.dedup();
        tails.into_iter().filter_map(|tail| self.tight(tasks, limit, bound, tail)).max_by_key(|t| t.count)
    }

    /// The tight set of the tasks with at least a tail, if they alone give the bound.
    fn tight(&mut self, tasks: &[(i32, i32, u32)], limit: u32, bound: i32, tail: i32) -> Option<Tight> {
        self.tightest(tasks.iter().copied().filter(|t| t.1 >= tail), limit)?;
        let last = self.used.iter().rposition(|used| *used > 0)? as i32;
        if last + tail < bound {
            return None;
        }
        let first = (0..last).rev().find(|&cycle| self.used[cycle as usize] < limit).map_or(0, |gap| gap + 1);
        let inside = |t: &&(i32, i32, u32)| t.1 >= tail && t.0 >= first;
        let count = tasks.iter().filter(inside).map(|t| t.2).sum();
        Some(Tight { bound, release: first, count, tail })
    }

    fn place(&mut self, release: usize, limit: u32) -> usize {
        let slot = self.free(release);
        self.used[slot] += 1;
        if self.used[slot] == limit {
            self.next[slot] = slot as u32 + 1;
        }
        slot
    }

    /// The first cycle from `release` on with a free slot; full cycles point ahead, with paths halved.
    fn free(&mut self, release: usize) -> usize {
        let mut at = release;
        loop {
            while at >= self.next.len() {
                self.next.push(self.next.len() as u32);
                self.used.push(0);
            }
            let ahead = self.next[at] as usize;
            if ahead == at {
                return at;
            }
            if ahead < self.next.len() {
                self.next[at] = self.next[ahead];
            }
            at = ahead;
        }
    }
}
