//! Work stealing: each worker has a deque, thieves take the oldest (crossbeam-deque; Chase and Lev
//! 2005), and the item made ready last is served first while its data are warm.

use crossbeam_deque::{Injector, Steal, Stealer, Worker};

use super::Schedule;

/// Events of one instance in a row.
const BATCH_SIZE: usize = 64;
/// How often in a row the newest item is preferred before the oldest gets its turn.
const MAX_NEWEST_IN_A_ROW: u32 = 16;

pub(crate) struct Free<T> {
    injector: Injector<T>,
    stealers: Vec<Stealer<T>>,
}

pub(crate) struct Local<T> {
    worker_idx: usize,
    deque: Worker<T>,
    /// The item made ready last; invisible to thieves.
    newest: Option<T>,
    n_newest_in_a_row: u32,
}

impl<T: Send> Free<T> {
    pub(super) fn new(n_workers: usize) -> (Self, Vec<Local<T>>) {
        let locals: Vec<_> = (0..n_workers)
            .map(|worker_idx| Local {
                worker_idx,
                deque: Worker::new_fifo(),
                newest: None,
                n_newest_in_a_row: 0,
            })
            .collect();
        let stealers = locals.iter().map(|local| local.deque.stealer()).collect();
        (Self { injector: Injector::new(), stealers }, locals)
    }

    fn steal(&self, local: &Local<T>) -> Option<T> {
        let n_workers = self.stealers.len();
        loop {
            let mut must_retry = false;
            let mut keep = |steal: Steal<T>| match steal {
                Steal::Success(item) => Some(item),
                Steal::Empty => None,
                Steal::Retry => {
                    must_retry = true;
                    None
                }
            };
            let found = keep(self.injector.steal()).or_else(|| {
                (1..n_workers)
                    .map(|distance| (local.worker_idx + distance) % n_workers)
                    .find_map(|victim_idx| keep(self.stealers[victim_idx].steal()))
            });
            if found.is_some() || !must_retry {
                return found;
            }
        }
    }
}

impl<T: Send> Schedule<T> for Free<T> {
    type Local = Local<T>;

    const HAS_CLOCK: bool = true;

    fn inject(&self, item: T) {
        self.injector.push(item);
    }

    fn push(&self, local: &mut Local<T>, item: T) {
        if let Some(older) = local.newest.replace(item) {
            local.deque.push(older);
        }
    }

    fn requeue(&self, local: &mut Local<T>, item: T) {
        local.deque.push(item);
    }

    fn pop(&self, local: &mut Local<T>) -> Option<T> {
        if local.n_newest_in_a_row < MAX_NEWEST_IN_A_ROW
            && let Some(item) = local.newest.take()
        {
            local.n_newest_in_a_row += 1;
            return Some(item);
        }
        local.n_newest_in_a_row = 0;
        local.deque.pop().or_else(|| local.newest.take()).or_else(|| self.steal(local))
    }

    fn may_go_on(&self, local: &mut Local<T>) -> bool {
        if local.n_newest_in_a_row < MAX_NEWEST_IN_A_ROW {
            local.n_newest_in_a_row += 1;
            return true;
        }
        // To give it up would be to offer the one thing that there is to thieves.
        !self.has_other(local) && self.injector.is_empty()
    }

    fn has_work(&self) -> bool {
        !self.injector.is_empty() || self.stealers.iter().any(|stealer| !stealer.is_empty())
    }

    fn has_surplus(&self, local: &Local<T>) -> bool {
        !local.deque.is_empty()
    }

    fn has_other(&self, local: &Local<T>) -> bool {
        local.newest.is_some() || !local.deque.is_empty()
    }

    fn share(&self, local: &mut Local<T>) {
        if let Some(item) = local.newest.take() {
            local.deque.push(item);
        }
    }

    fn choose(&self, _: &mut Local<T>, _: usize) -> usize {
        0
    }

    fn batch_size(&self, _: &mut Local<T>) -> usize {
        BATCH_SIZE
    }
}
