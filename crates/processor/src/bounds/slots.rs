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
    /// Of each cycle itself, or a later one if it is full; behind the last one entered, every cycle is free.
    next: Vec<u32>,
    used: Vec<u32>,
    /// The numbers from 0, to begin with.
    own: Vec<u32>,
}

impl Slots {
    /// Solves one problem: tasks are (release, tail, slots), given by falling tail. Gives the largest sum of a task's slot
    /// and its tail; none without a task.
    pub fn tightest(&mut self, tasks: impl Iterator<Item = (i32, i32, u32)>, limit: u32) -> Option<i32> {
        self.clear();
        let mut best = None;
        for (release, tail, count) in tasks {
            best = best.max(Some(self.task(release, count, limit) + tail));
        }
        best
    }

    /// The tight set of a problem, for people: the tasks that fill the cycles up to one that decides; the largest such set.
    pub fn explain(&mut self, tasks: &[(i32, i32, u32)], limit: u32) -> Option<Tight> {
        let bound = self.tightest(tasks.iter().copied(), limit)?;
        self.clear();
        let (mut last, mut best): (i32, Option<Tight>) = (0, None);
        for (k, &(release, tail, count)) in tasks.iter().enumerate() {
            last = last.max(self.task(release, count, limit));
            let ends = tasks.get(k + 1).map_or(true, |next| next.1 != tail);
            if ends && last + tail >= bound {
                let found = self.tight(&tasks[..=k], last, limit);
                if best.map_or(true, |best| found.1 >= best.count) {
                    best = Some(Tight { bound, release: found.0, count: found.1, tail });
                }
            }
        }
        best
    }

    /// Of tasks that were placed, up to a last cycle, where the full cycles before it begin, and the slots of those released
    /// there or later.
    fn tight(&self, tasks: &[(i32, i32, u32)], last: i32, limit: u32) -> (i32, u32) {
        let first = (0..last).rev().find(|&cycle| self.used[cycle as usize] < limit).map_or(0, |gap| gap + 1);
        (first, tasks.iter().filter(|t| t.0 >= first).map(|t| t.2).sum())
    }

    fn clear(&mut self) {
        self.next.clear();
        self.used.clear();
    }

    /// Places a task; gives the last cycle that it takes.
    #[inline]
    fn task(&mut self, release: i32, count: u32, limit: u32) -> i32 {
        let mut slot = 0;
        for _ in 0..count {
            slot = self.place(release.max(0) as usize, limit) as i32;
        }
        slot
    }

    #[inline]
    fn place(&mut self, release: usize, limit: u32) -> usize {
        let slot = self.free(release);
        self.used[slot] += 1;
        if self.used[slot] == limit {
            self.next[slot] = slot as u32 + 1;
        }
        slot
    }

    /// The first cycle from `release` on with a free slot; full cycles point ahead, with paths halved.
    #[inline]
    fn free(&mut self, release: usize) -> usize {
        let mut at = release;
        loop {
            if at >= self.next.len() {
                self.enter(at);
                return at;
            }
            let ahead = self.next[at] as usize;
            if ahead == at {
                return at;
            }
            if let Some(&further) = self.next.get(ahead) {
                self.next[at] = further;
            }
            at = ahead;
        }
    }

    /// Enters the cycles up to one, and some behind it.
    fn enter(&mut self, cycle: usize) {
        const MORE: usize = 256;
        let (from, to) = (self.next.len(), cycle + MORE);
        let known = self.own.len();
        self.own.extend(known as u32..to.max(known) as u32);
        self.next.extend_from_slice(&self.own[from..to]);
        self.used.resize(to, 0);
    }
}
