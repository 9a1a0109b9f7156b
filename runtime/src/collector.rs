//! The collector: takes full batches from the workers and gives them to the sink, on its own thread.
//!
//! Batches travel in a circle: full ones to the collector through a bounded channel, empty ones
//! back. When the sink is slow the channel fills and workers wait: that is the back-pressure, and
//! memory does not grow with the run.

use std::io;

use crossbeam_channel::{Receiver, Sender, bounded};
use hasse_model::event::EventBatch;

use crate::run::{EventSink, StopSignal};

/// A worker's end of the circle.
pub(crate) struct Handoff {
    full: Sender<Option<EventBatch>>,
    empty: Receiver<EventBatch>,
}

/// The collector's end of the circle.
pub(crate) struct Collector {
    full: Receiver<Option<EventBatch>>,
    empty: Sender<EventBatch>,
}

/// Ends a collector when everything has been handed over, while the [`Handoff`] is still there.
pub(crate) struct Closer(Sender<Option<EventBatch>>);

impl Closer {
    pub(crate) fn close(self) {
        // Where this fails the collector has ended already.
        let _ = self.0.send(None);
    }
}

/// A circle for so many workers.
pub(crate) fn circle(n_workers: usize) -> (Handoff, Collector, Closer) {
    let n_batches = 2 * n_workers + 2;
    let (full_sender, full_receiver) = bounded(n_batches);
    let (empty_sender, empty_receiver) = bounded(n_batches);
    let closer = Closer(full_sender.clone());
    let handoff = Handoff { full: full_sender, empty: empty_receiver };
    (handoff, Collector { full: full_receiver, empty: empty_sender }, closer)
}

impl Handoff {
    /// Hands over a full batch for an empty one; waits while the collector is behind.
    pub(crate) fn exchange(&self, batch: &mut EventBatch) {
        let empty = self.empty.try_recv().unwrap_or_default();
        // The collector outlives all workers, so that sending fails only when it has panicked; the
        // panic is then reported by whoever joins it.
        let _ = self.full.send(Some(std::mem::replace(batch, empty)));
    }
}

impl Collector {
    /// Gives every batch to the sink. After the sink has failed once, ends the run and lets the
    /// remaining batches go.
    pub(crate) fn collect(self, sink: &mut dyn EventSink, stop: &StopSignal) -> io::Result<()> {
        let mut outcome = Ok(());
        while let Ok(Some(mut batch)) = self.full.recv() {
            if outcome.is_ok() {
                if !sink.takes_folded() {
                    batch.unfold();
                }
                outcome = sink.take_batch(&batch);
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
