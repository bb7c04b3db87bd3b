//! A search tree shared by threads so that the result does not depend on them.
//!
//! Every thread walks the top of the tree; the nodes of one level are numbered there, and each thread goes on below those
//! of its own. Of several results the one below the least number counts.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// The level whose nodes are shared out.
const SHARED: usize = 2;
/// Nodes between two looks at whether to stop.
const LOOK: u64 = 1 << 12;

/// What a search on several threads gave.
pub struct Branches<R> {
    /// The result of the first branch that has one.
    pub result: Option<R>,
    /// Nodes entered, each once.
    pub nodes: u64,
    /// Whether it was stopped before its end.
    pub is_stopped: bool,
}

/// One thread's view: which nodes are its own.
pub struct Branch<'a> {
    me: u64,
    threads: u64,
    next: u64,
    nodes: u64,
    /// Number of the first branch that is known to have a result.
    first: &'a AtomicU64,
    stop: &'a AtomicBool,
    /// Seen to be over: nothing is entered any more.
    is_over: bool,
}

impl Branch<'_> {
    /// Whether this thread goes on below a node at `depth` (levels from 0, each entered in the same order by all).
    pub fn enter(&mut self, depth: usize) -> bool {
        if self.is_over {
            return false;
        }
        if depth == SHARED {
            self.next += 1;
            if self.next % self.threads != self.me || self.next > self.first.load(Ordering::Relaxed) {
                return false;
            }
        }
        if depth >= SHARED || self.me == 0 {
            self.nodes += 1;
        }
        self.is_over = self.nodes % LOOK == 0 && self.cannot_matter();
        !self.is_over
    }

    /// Whether what this thread does can no longer matter.
    fn cannot_matter(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.next > self.first.load(Ordering::Relaxed)
    }
}

impl<R: Send> Branches<R> {
    /// Runs `search` on so many threads; `stopped` is asked about twenty times a second.
    pub fn run(
        threads: usize,
        stopped: &(dyn Fn() -> bool + Sync),
        search: impl Fn(&mut Branch<'_>) -> Option<R> + Sync,
    ) -> Self {
        let (first, stop) = (AtomicU64::new(u64::MAX), AtomicBool::new(false));
        let work = |me: u64| {
            let threads = threads as u64;
            let mut branch = Branch { me, threads, next: 0, nodes: 0, first: &first, stop: &stop, is_over: false };
            let result = search(&mut branch);
            if result.is_some() {
                first.fetch_min(branch.next, Ordering::Relaxed);
            }
            (result, branch.nodes, branch.next)
        };
        let mut results: Vec<(Option<R>, u64, u64)> = std::thread::scope(|scope| {
            let work = &work;
            let handles: Vec<_> = (0..threads as u64).map(|me| scope.spawn(move || work(me))).collect();
            for pause in 1u64.. {
                if handles.iter().all(|h| h.is_finished()) {
                    break;
                }
                std::thread::sleep(Duration::from_millis(pause.min(50)));
                if stopped() {
                    stop.store(true, Ordering::Relaxed);
                }
            }
            handles.into_iter().map(|h| h.join().expect("a search does not panic")).collect()
        });
        let nodes = results.iter().map(|r| r.1).sum();
        results.sort_by_key(|r| if r.0.is_some() { r.2 } else { u64::MAX });
        let result = results.swap_remove(0).0;
        Branches { is_stopped: stop.into_inner() && result.is_none(), result, nodes }
    }
}
