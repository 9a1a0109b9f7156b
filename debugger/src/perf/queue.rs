//! Values that wait for the nodes that take them: how many there are at each moment.
//!
//! A value waits from the end of the event that sends it to the start of the event that takes it. Values that nobody takes are not
//! in the records of events, and so not here.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

use super::report::QueueLoad;
use super::scratch::{OpenScratch, Sorter, Span};
use super::sweep::{N_BINS, edge, sum};

/// Takes in waiting values in any order.
#[derive(Debug)]
pub(super) struct Queues {
    spans: Sorter,
}

/// The values of one group while time passes.
struct Queue {
    load: QueueLoad,
    n_now: u64,
    /// Moment up to which the values that wait have been added up.
    since: u64,
    /// The first part of the wall time that is not over.
    bin: usize,
}

impl Queues {
    pub(super) fn new(open: OpenScratch) -> Self {
        Self { spans: Sorter::new(open) }
    }

    /// Takes in a value that a group takes.
    ///
    /// # Errors
    /// The scratch file cannot be written.
    pub(super) fn push(&mut self, group: u32, sent: u64, taken: u64) -> io::Result<()> {
        self.spans.push(Span { from: sent.min(taken), to: taken, worker: 0, group })
    }

    /// Sums up the values of each group between two moments. Memory: the values that wait at one moment.
    ///
    /// # Errors
    /// The scratch file cannot be read.
    pub(super) fn loads(
        self,
        (first, last): (u64, u64),
        n_groups: usize,
        position_of: &[usize],
    ) -> io::Result<Vec<QueueLoad>> {
        let queue = |_| Queue {
            load: QueueLoad { over_time: vec![0; N_BINS], ..QueueLoad::default() },
            n_now: 0,
            since: first,
            bin: 0,
        };
        let mut queues: Vec<Queue> = (0..n_groups).map(queue).collect();
        let mut ends: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
        let mut spans = self.spans.sorted()?;
        while let Some(span) = spans.next()? {
            take_ends(&mut ends, &mut queues, span.from, (first, last));
            let position = position_of[span.group as usize];
            let queue = &mut queues[position];
            queue.pass_to(span.from, (first, last));
            let wait = span.to - span.from;
            queue.n_now += 1;
            queue.load.values += 1;
            queue.load.waited = queue.load.waited.saturating_add(wait);
            queue.load.longest = queue.load.longest.max(wait);
            queue.load.most = queue.load.most.max(queue.n_now);
            ends.push(Reverse((span.to, position)));
        }
        take_ends(&mut ends, &mut queues, u64::MAX, (first, last));
        Ok(queues.into_iter().map(|queue| queue.load).collect())
    }
}

/// Takes off the values that have been taken by a moment.
fn take_ends(
    ends: &mut BinaryHeap<Reverse<(u64, usize)>>,
    queues: &mut [Queue],
    now: u64,
    range: (u64, u64),
) {
    while let Some(Reverse((end, position))) = ends.peek().copied().filter(|Reverse((end, _))| *end <= now) {
        ends.pop();
        queues[position].pass_to(end, range);
        queues[position].n_now -= 1;
    }
}

impl Queue {
    /// Adds up the values that have waited until a moment.
    fn pass_to(&mut self, then: u64, (first, last): (u64, u64)) {
        let (from, to) = (self.since.clamp(first, last), then.clamp(first, last));
        self.since = self.since.max(then);
        if from >= to || self.n_now == 0 {
            return;
        }
        while self.bin < N_BINS - 1 && edge(self.bin + 1, first, last) <= from {
            self.bin += 1;
        }
        for bin in self.bin..N_BINS {
            let (begins, ends) = (edge(bin, first, last), edge(bin + 1, first, last));
            let nanos = to.min(ends).saturating_sub(from.max(begins));
            let held = &mut self.load.over_time[bin];
            *held = held.saturating_add(nanos.saturating_mul(self.n_now));
            if to <= ends {
                break;
            }
        }
    }
}

impl QueueLoad {
    /// The mean number of values that waited, over a wall time.
    pub fn mean(&self, wall: u64) -> f64 {
        if wall == 0 { 0.0 } else { sum(self.over_time.iter().copied()) as f64 / wall as f64 }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::scratch::in_memory;
    use super::Queues;

    proptest! {
        #[test]
        fn lengths_are_those_of_a_plain_count(
            values in prop::collection::vec((0..3_u32, 0..600_u64, 0..100_u64), 0..60),
        ) {
            let mut queues = Queues::new(in_memory);
            for (group, sent, wait) in &values {
                queues.push(*group, *sent, sent + wait).expect("memory takes it");
            }
            let loads = queues.loads((0, 600), 3, &[0, 1, 2]).expect("memory gives it");
            for (group, load) in (0..).zip(&loads) {
                let own: Vec<_> = values.iter().filter(|value| value.0 == group).collect();
                let waits_at = |now: u64| own.iter().filter(|(_, sent, wait)| (*sent..sent + wait).contains(&now)).count() as u64;
                prop_assert_eq!(load.values, own.len() as u64);
                prop_assert_eq!(load.waited, own.iter().map(|value| value.2).sum::<u64>());
                for (bin, nanos) in load.over_time.iter().enumerate() {
                    prop_assert_eq!(*nanos, (bin as u64 * 10..bin as u64 * 10 + 10).map(waits_at).sum::<u64>());
                }
                prop_assert!((0..700).map(waits_at).max().unwrap_or(0) <= load.most);
            }
        }
    }
}
