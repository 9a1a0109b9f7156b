//! Work stealing: each worker has a deque, thieves take the older half (crossbeam-deque; Chase and Lev
//! 2005), and the item made ready last is served first while its data are warm.
//!
//! An item that has had its turn goes back into the deque of the worker that served it, and one that is made ready into that of
//! the worker that has its values in its cache. It leaves that worker for a thief alone, who has nothing else to do. Half at a
//! time: of n items a thief looks at the deque log n times, not n times, and each look costs both workers a cache line.

use crossbeam_deque::{Injector, Steal, Stealer, Worker};

use crate::policy::Schedule;

/// Events of one instance in a row.
const BATCH_SIZE: usize = 256;
/// How often in a row the newest item is preferred before the oldest gets its turn.
const MAX_NEWEST_IN_A_ROW: u32 = 16;
/// Number of pops after which a worker checks the injector, although its own deque has items: these must not starve those there.
const POPS_PER_INJECTOR_CHECK: u32 = 32;

pub struct Free<T> {
    injector: Injector<T>,
    stealers: Vec<Stealer<T>>,
}

pub struct Local<T> {
    worker_idx: usize,
    deque: Worker<T>,
    /// The item made ready last; invisible to thieves.
    newest: Option<T>,
    n_newest_in_a_row: u32,
    n_pops: u32,
}

impl<T: Send> Free<T> {
    pub(crate) fn new(n_workers: usize) -> (Self, Vec<Local<T>>) {
        let locals: Vec<_> = (0..n_workers)
            .map(|worker_idx| Local {
                worker_idx,
                deque: Worker::new_fifo(),
                newest: None,
                n_newest_in_a_row: 0,
                n_pops: 0,
            })
            .collect();
        let stealers = locals.iter().map(|local| local.deque.stealer()).collect();
        (Self { injector: Injector::new(), stealers }, locals)
    }

    /// Takes the older half of what another worker has, at most 32 items, of which the first is to be served now.
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
            let found = keep(self.injector.steal_batch_and_pop(&local.deque)).or_else(|| {
                (1..n_workers)
                    .map(|distance| (local.worker_idx + distance) % n_workers)
                    .find_map(|victim_idx| keep(self.stealers[victim_idx].steal_batch_and_pop(&local.deque)))
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
        local.n_pops = local.n_pops.wrapping_add(1);
        if local.n_pops.is_multiple_of(POPS_PER_INJECTOR_CHECK)
            && let Steal::Success(item) = self.injector.steal_batch_and_pop(&local.deque)
        {
            return Some(item);
        }
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

#[cfg(test)]
mod tests {
    use super::super::Schedule;
    use super::Free;

    #[test]
    fn thief_takes_older_half() {
        let (free, mut locals) = Free::new(2);
        let (mut owner, mut thief) = (locals.remove(0), locals.remove(0));
        for item in 0..16 {
            free.requeue(&mut owner, item);
        }
        let stolen = free.pop(&mut thief);
        assert_eq!((stolen, thief.deque.len(), owner.deque.len()), (Some(0), 7, 8));
        let served: Vec<_> = std::iter::from_fn(|| thief.deque.pop()).collect();
        assert_eq!(served, (1..8).collect::<Vec<_>>());
        assert_eq!(free.pop(&mut owner), Some(8));
    }

    #[test]
    fn newest_stays_with_its_worker() {
        let (free, mut locals) = Free::new(2);
        let (mut owner, mut thief) = (locals.remove(0), locals.remove(0));
        free.push(&mut owner, 1);
        assert_eq!(free.pop(&mut thief), None);
        free.push(&mut owner, 2);
        assert_eq!((free.pop(&mut thief), free.pop(&mut owner)), (Some(1), Some(2)));
    }

    #[test]
    fn injected_items_are_shared_out() {
        let (free, mut locals) = Free::new(2);
        let (mut one, mut other) = (locals.remove(0), locals.remove(0));
        (0..8).for_each(|item| free.inject(item));
        let mut found: Vec<_> =
            [&mut one, &mut other].into_iter().filter_map(|local| free.pop(local)).collect();
        assert_eq!(found.len(), 2);
        found.extend(std::iter::from_fn(|| free.pop(&mut other)));
        found.extend(std::iter::from_fn(|| free.pop(&mut one)));
        found.sort_unstable();
        assert_eq!(found, (0..8).collect::<Vec<_>>());
    }
}
