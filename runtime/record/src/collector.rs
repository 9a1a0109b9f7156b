//! The collector: takes full batches from the workers and gives them to the sink, on its own thread.
//!
//! Batches travel in a circle: full ones to the collector through a bounded channel, empty ones
//! back. When the sink is slow the channel fills and workers wait: that is the back-pressure, and
//! memory does not grow with the run.
//!
//! Batches that are not full are handed over by time: see [`shelf`](crate::collector::shelf).

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};
use hasse_body::interrupt::StopSignal;
use hasse_body::output::held::HeldLines;
use hasse_body::output::lines_of;
use hasse_body::sandbox::WriteAhead;
use hasse_model::event::EventBatch;
use hasse_request::options::EventSink;

use crate::collector::shelf::{HeldBody, Shelf};

/// Batches that can be taken while their workers execute bodies.
pub mod shelf;

/// Longest time that a batch waits for room in the channel while its worker cannot go on with it.
const PATIENCE: Duration = Duration::from_millis(20);

/// A message to the collector.
#[expect(
    clippy::large_enum_variant,
    reason = "nearly all messages are batches; a box would be an allocation for each"
)]
enum Message {
    Batch(EventBatch),
    /// The sink is to be synced. The answer tells whether it has been.
    Sync(Sender<bool>),
    /// Nothing follows.
    End,
}

/// The workers' end of the circle.
pub struct Handoff {
    full: Sender<Message>,
    empty: Receiver<EventBatch>,
    /// By position of the worker.
    shelves: Vec<Arc<Shelf>>,
    /// Number of the segment that the sink writes, where there are several.
    segment: Option<Arc<AtomicU32>>,
}

/// The collector's end of the circle.
pub struct Collector {
    full: Receiver<Message>,
    empty: Sender<EventBatch>,
    /// Lines that wait for the record of their events.
    lines: Option<Arc<HeldLines>>,
}

/// Ends a collector when everything has been handed over, while the [`Handoff`] is still there.
pub struct Closer(Sender<Message>);

impl Closer {
    /// Tells the collector that nothing more will be handed over.
    pub fn close(self) {
        // Where this fails the collector has ended already.
        let _ = self.0.send(Message::End);
    }
}

/// Further batches of a record with times, some 80 MB: workers that wait for the collector would be measured idle, so
/// that it may fall behind by as much as a short run makes.
const N_TIMED_BATCHES: usize = 64;

/// A circle for this number of workers.
pub fn circle(n_workers: usize) -> (Handoff, Collector, Closer) {
    circle_of(n_workers, 2 * n_workers + 2)
}

/// A circle for a record with times.
pub fn timed_circle(n_workers: usize) -> (Handoff, Collector, Closer) {
    circle_of(n_workers, 2 * n_workers + N_TIMED_BATCHES)
}

fn circle_of(n_workers: usize, n_batches: usize) -> (Handoff, Collector, Closer) {
    let (full_sender, full_receiver) = bounded(n_batches);
    let (empty_sender, empty_receiver) = bounded(n_batches);
    let closer = Closer(full_sender.clone());
    let shelves = (0..n_workers.max(1)).map(|_| Arc::default()).collect();
    let handoff = Handoff { full: full_sender, empty: empty_receiver, shelves, segment: None };
    (handoff, Collector { full: full_receiver, empty: empty_sender, lines: None }, closer)
}

impl Handoff {
    /// The same for a sink that writes segments, if there is one.
    pub fn in_segments(self, segment: Option<Arc<AtomicU32>>) -> Self {
        Self { segment, ..self }
    }

    /// Number of the segment that the sink writes, where there are several.
    pub(crate) fn segment(&self) -> Option<&Arc<AtomicU32>> {
        self.segment.as_ref()
    }

    /// Hands over a full batch for an empty one; waits while the collector is behind.
    pub(crate) fn exchange(&self, batch: &mut EventBatch) {
        let empty = self.empty.try_recv().unwrap_or_default();
        // The collector outlives all workers, so that sending fails only when it has panicked; the
        // panic is then reported by whoever joins it.
        let _ = self.full.send(Message::Batch(std::mem::replace(batch, empty)));
    }

    /// The same, unless the collector stays behind: the batch then stays. Where workers fill the channel all the time, it is
    /// this one's turn soon.
    fn try_exchange(&self, batch: &mut EventBatch) {
        let empty = self.empty.try_recv().unwrap_or_default();
        let full = std::mem::replace(batch, empty);
        if let Err(error) = self.full.send_timeout(Message::Batch(full), PATIENCE)
            && let Message::Batch(unsent) = error.into_inner()
        {
            *batch = unsent;
        }
    }

    /// Returns true if the run has one worker.
    pub(crate) fn has_one_worker(&self) -> bool {
        self.shelves.len() == 1
    }

    /// The shelf of a worker; one of its own for whoever is none.
    pub(crate) fn shelf(&self, worker_idx: usize) -> Arc<Shelf> {
        self.shelves.get(worker_idx).map(Arc::clone).unwrap_or_default()
    }

    /// Keeps a worker from ending its body, if it is executing one.
    pub(crate) fn hold_body(&self, worker_idx: usize) -> Option<HeldBody<'_>> {
        self.shelves.get(worker_idx)?.hold_body()
    }

    /// Brings all events that have ended onto the disk, from whatever thread. Workers lay their batches down between events: they
    /// have no lanes.
    pub fn write_ahead(&self) -> WriteAhead {
        let handoff = Self {
            segment: None,
            shelves: self.shelves.clone(),
            full: self.full.clone(),
            empty: self.empty.clone(),
        };
        WriteAhead(Arc::new(move || {
            // Waits while the collector is behind: nothing may stay.
            handoff.shelves.iter().for_each(|shelf| shelf.look(|batch| handoff.exchange(batch)));
            handoff.sync()
        }))
    }

    /// Has the sink synced, with all that has been handed over before; waits for that. Returns false where that fails.
    pub(crate) fn sync(&self) -> bool {
        let (answer, answered) = bounded(1);
        self.full.send(Message::Sync(answer)).is_ok() && answered.recv() == Ok(true)
    }

    /// Hands over what the workers have laid on their shelves, and asks the others for their batches. Events that have ended
    /// are with the sink after two calls.
    pub(crate) fn look(&self) {
        for shelf in &self.shelves {
            shelf.look(|batch| self.try_exchange(batch));
        }
    }
}

impl Collector {
    /// The same, also for lines that wait for the record.
    pub fn with_lines(self, lines: Arc<HeldLines>) -> Self {
        Self { lines: Some(lines), ..self }
    }

    /// Gives every batch to the sink. After the sink has failed once, ends the run and lets the
    /// remaining batches go.
    pub fn collect(self, sink: &mut dyn EventSink, stop: &StopSignal) -> io::Result<()> {
        let mut outcome = Ok(());
        while let Ok(message) = self.full.recv() {
            let mut batch = match message {
                Message::Batch(batch) => batch,
                Message::Sync(answer) => {
                    let is_synced = outcome.is_ok() && sink.sync().is_ok();
                    // Whoever asked may have given up.
                    let _ = answer.send(is_synced);
                    continue;
                }
                Message::End => break,
            };
            if outcome.is_ok() {
                if !sink.takes_folded() {
                    batch.unfold();
                }
                outcome = sink.take_batch(&batch).and_then(|()| match &self.lines {
                    Some(lines) => release(lines, &batch, sink),
                    None => Ok(()),
                });
                if outcome.is_err() {
                    stop.stop();
                }
            }
            batch.clear();
            // A circle that is full of empty batches needs no further one.
            let _ = self.empty.try_send(batch);
        }
        outcome
    }
}

/// Has the events of a batch synced that have printed, and their lines written.
fn release(lines: &HeldLines, batch: &EventBatch, sink: &mut dyn EventSink) -> io::Result<()> {
    let mut first_lines = Vec::new();
    for (event, _) in batch.folded_rows() {
        first_lines.extend(event.first_line);
        first_lines.extend(event.effects.iter().filter_map(lines_of).map(|(first_line, _)| first_line));
    }
    if first_lines.is_empty() {
        return Ok(());
    }
    sink.sync()?;
    lines.release(first_lines);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use hasse_model::id::{ActionId, EventId};

    use super::*;

    const N_WORKERS: usize = 2;
    /// Batches of the run: many times what the circle holds.
    const N_BATCHES: usize = 10 * N_TIMED_BATCHES;

    /// Counts the batches that workers have handed over and that have not come here.
    struct Slow<'c> {
        n_handed_over: &'c AtomicUsize,
        n_taken: usize,
        most_in_flight: usize,
    }

    impl EventSink for Slow<'_> {
        fn take_batch(&mut self, _: &EventBatch) -> io::Result<()> {
            // Slower than the workers: they have filled the circle, or are done.
            let n_to_come = N_BATCHES.min(self.n_taken + N_TIMED_BATCHES + 2 * N_WORKERS);
            while self.n_handed_over.load(Ordering::SeqCst) < n_to_come {
                thread::yield_now();
            }
            let n_in_flight = self.n_handed_over.load(Ordering::SeqCst) - self.n_taken;
            self.most_in_flight = self.most_in_flight.max(n_in_flight);
            self.n_taken += 1;
            Ok(())
        }

        fn finish(
            &mut self,
            _: &hasse_request::report::RunReport,
            _: &hasse_request::report::Idle,
        ) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn slow_sink_holds_timed_workers_back() {
        let (handoff, collector, closer) = timed_circle(N_WORKERS);
        let n_handed_over = AtomicUsize::new(0);
        let mut sink = Slow { n_handed_over: &n_handed_over, n_taken: 0, most_in_flight: 0 };
        thread::scope(|scope| {
            let workers: Vec<_> = (0..N_WORKERS as u32)
                .map(|worker| {
                    let (handoff, n_handed_over) = (&handoff, &n_handed_over);
                    scope.spawn(move || {
                        let mut batch = EventBatch::default();
                        for count in 1..=(N_BATCHES / N_WORKERS) as u64 {
                            assert!(batch.is_empty(), "what comes back is empty");
                            batch.push_done(EventId { action: ActionId(worker), count }, 0, &[], &[], &[], 0);
                            handoff.exchange(&mut batch);
                            n_handed_over.fetch_add(1, Ordering::SeqCst);
                        }
                    })
                })
                .collect();
            let collecting = scope.spawn(|| collector.collect(&mut sink, &StopSignal::default()));
            workers.into_iter().for_each(|worker| worker.join().unwrap_or_else(|_| panic!("a worker")));
            closer.close();
            assert!(collecting.join().is_ok_and(|collected| collected.is_ok()));
        });
        assert_eq!(sink.n_taken, N_BATCHES);
        // Those in the channel, and the one that the sink has.
        assert!(sink.most_in_flight <= N_TIMED_BATCHES + 2 * N_WORKERS + 1, "{}", sink.most_in_flight);
    }
}
