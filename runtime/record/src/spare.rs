//! Ids of new actions, many at a time: to take one from a counter that all workers share waits for all that the processor has
//! begun to write.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use hasse_model::id::ActionId;

/// A worker takes so many ids at a time.
const MANY: u32 = 64;

/// Ids that a worker has taken and not used.
#[derive(Debug, Default)]
pub struct SpareIds(Range<u32>);

impl SpareIds {
    /// The next id; more are taken from a counter where there is none.
    #[inline(always)]
    pub(crate) fn next(&mut self, n_actions: &AtomicU32) -> ActionId {
        if self.0.start == self.0.end {
            let first = n_actions.fetch_add(MANY, Ordering::Relaxed);
            self.0 = first..first.wrapping_add(MANY);
        }
        let id = self.0.start;
        self.0.start = id.wrapping_add(1);
        ActionId(id)
    }

    /// Gives back what is left, unless others have taken ids since: a worker that is alone leaves no gaps.
    #[inline]
    pub(crate) fn give_back(&mut self, n_actions: &AtomicU32) {
        let Range { start, end } = self.0;
        if start != end
            && n_actions.compare_exchange(end, start, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        {
            self.0 = start..start;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_who_is_alone_leaves_no_gaps() {
        let (n_actions, mut spare) = (AtomicU32::new(7), SpareIds::default());
        let ids: Vec<u32> = (0..2 * MANY).map(|_| spare.next(&n_actions).0).collect();
        assert_eq!(ids, (7..7 + 2 * MANY).collect::<Vec<_>>());
        assert_eq!(spare.next(&n_actions).0, 7 + 2 * MANY);
        spare.give_back(&n_actions);
        assert_eq!(n_actions.load(Ordering::Relaxed), 8 + 2 * MANY);
        assert_eq!(spare.next(&n_actions).0, 8 + 2 * MANY);
    }

    #[test]
    fn what_others_have_taken_is_theirs() {
        let (n_actions, mut spare, mut other) = (AtomicU32::new(0), SpareIds::default(), SpareIds::default());
        spare.next(&n_actions);
        other.next(&n_actions);
        spare.give_back(&n_actions);
        let ids = [spare.next(&n_actions), other.next(&n_actions), spare.next(&n_actions)].map(|id| id.0);
        assert_eq!(ids, [1, MANY + 1, 2]);
    }
}
