//! Times of the events that a worker executes. The clock is read once for a batch of events, not for each: reading it takes
//! longer than a short event. The time between two readings is spread evenly over the events that ended in between.
//!
//! One reading serves a batch where the worker is alone, two where values come from others, too.
//! A reading is due around anything that may last or that others see: before a body that is long or that the interpreter
//! runs, when the worker has taken over what others sent, before it hands over what it sent itself, every few dozen events, and
//! before a batch is handed over. So the times of a
//! worker's events never overlap, an event ends before its receivers begin, and a long body has a time of its own.

use std::time::Instant;

use hasse_model::event::{EventBatch, Timing};

/// The clock of one worker.
#[derive(Debug)]
pub(crate) struct Timer {
    /// When the run began.
    began: Instant,
    worker: u32,
    /// True where no other worker sends values: one reading serves a batch, as the end of one is the start of the next.
    is_alone: bool,
    /// The last reading, in nanoseconds.
    last: u64,
    /// Number of events at the end of the batch that have no times yet.
    n_untimed: usize,
}

impl Timer {
    pub(crate) fn new(began: Instant, worker: u32, is_alone: bool) -> Self {
        Self { began, worker, is_alone, last: 0, n_untimed: 0 }
    }

    #[inline]
    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX).max(self.last)
    }

    /// Counts events that were added to the batch and get their times later.
    #[inline(always)]
    pub(crate) fn add(&mut self, n_events: usize) {
        self.n_untimed += n_events;
    }

    /// Gives the events that wait for them their times, if there are any.
    #[inline]
    pub(crate) fn settle(&mut self, batch: &mut EventBatch) {
        if self.n_untimed > 0 {
            self.spread(batch, 0);
        }
    }

    /// Starts a batch of events: they begin after whatever sent them has ended. A worker that is alone has read the clock
    /// after that.
    #[inline]
    pub(crate) fn begin(&mut self, batch: &mut EventBatch) {
        if !self.is_alone || self.last == 0 {
            self.read(batch);
        }
    }

    /// Reads the clock. Events that wait for their times end by then.
    #[inline]
    pub(crate) fn read(&mut self, batch: &mut EventBatch) -> u64 {
        if self.n_untimed > 0 {
            self.spread(batch, 0);
        } else {
            self.last = self.now();
        }
        self.last
    }

    /// When an event under way began that came after those that wait for their times: all of them have taken the same time.
    #[inline]
    pub(crate) fn start_of_open(&mut self, batch: &mut EventBatch) -> u64 {
        if self.n_untimed > 0 {
            self.spread(batch, 1);
        }
        self.last
    }

    /// Spreads the time since the last reading over the events that have none, and `n_open` that are under way.
    fn spread(&mut self, batch: &mut EventBatch, n_open: u64) {
        let (start, n_untimed) = (self.last, std::mem::take(&mut self.n_untimed));
        let n_events = n_untimed as u64 + n_open;
        let nanos = self.now() - start;
        let (each, rest) = (nanos / n_events, nanos % n_events);
        let border = |nth: usize| start + each * nth as u64 + rest.min(nth as u64);
        let worker = self.worker;
        let timing = |nth| Timing::new(worker, border(nth), border(nth + 1));
        batch.add_timings((0..n_untimed).map(timing));
        self.last = border(n_untimed);
    }
}

#[cfg(test)]
mod tests {
    use hasse_model::id::{ActionId, EventId};

    use super::*;

    #[test]
    fn time_is_spread_evenly_and_never_overlaps() {
        let (mut timer, mut batch) = (Timer::new(Instant::now(), 3, false), EventBatch::default());
        let mut count = 0;
        timer.read(&mut batch);
        for n_events in [1, 7, 64] {
            for _ in 0..n_events {
                count += 1;
                batch.push_done(EventId { action: ActionId(1), count }, 0, &[], &[], &[], 0);
            }
            timer.add(n_events);
            timer.settle(&mut batch);
        }
        let start = timer.start_of_open(&mut batch);
        let timings: Vec<_> = batch.rows().map(|row| row.timing.expect("each has its time")).collect();
        assert_eq!(timings.len(), 72);
        assert!(timings.iter().all(|timing| timing.worker == 3 && timing.start <= timing.end));
        assert!(timings.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert_eq!(timings[71].end, start);
        let lengths = timings[8..].iter().map(|timing| timing.end - timing.start);
        assert!(lengths.clone().max().unwrap_or(0) - lengths.min().unwrap_or(0) <= 1);
        assert!(timer.read(&mut batch) >= start);
    }

    #[test]
    fn event_under_way_has_its_share() {
        let (mut timer, mut batch) = (Timer::new(Instant::now(), 0, false), EventBatch::default());
        let before = timer.read(&mut batch);
        batch.push_done(EventId { action: ActionId(1), count: 1 }, 0, &[], &[], &[], 0);
        timer.add(1);
        let start = timer.start_of_open(&mut batch);
        let end = timer.read(&mut batch);
        assert!(before <= start && start <= end);
        assert_eq!(batch.rows().next().and_then(|row| row.timing).map(|timing| timing.end), Some(start));
    }

    #[test]
    fn worker_that_is_alone_begins_where_it_ended() {
        for is_alone in [true, false] {
            let (mut timer, mut batch) = (Timer::new(Instant::now(), 0, is_alone), EventBatch::default());
            timer.begin(&mut batch);
            let ended = timer.last;
            assert!(ended > 0, "the first batch begins with a reading");
            // The clock has a resolution.
            while timer.now() == ended {}
            timer.begin(&mut batch);
            assert_eq!(timer.last == ended, is_alone);
        }
    }
}
