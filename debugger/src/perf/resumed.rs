//! When events that had waited for locks were carried on.
//!
//! A record says when an event took its values and when it ended, not when it had its locks, nor when a worker was free
//! to carry it on. But a worker executes one event at a time, and its batches are in the order of ends: an event
//! cannot have been carried on before what ended before it on the same worker.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use hasse_model::event::EventBatch;
use hasse_model::id::EventId;
use hasse_model::trace::{BatchSource, TraceError, TraceFooter, TraceHeader, Truncation};

/// For events that accessed objects, how early they can have been carried on, where that is after their start.
/// Entries are made when a batch is read and taken away when its events are delivered.
#[derive(Debug, Default)]
pub(super) struct Resumed {
    earliest: FxHashMap<EventId, u64>,
    last_end: FxHashMap<u32, u64>,
}

impl Resumed {
    fn note(&mut self, batch: &EventBatch) {
        for row in batch.rows() {
            let Some(timing) = row.timing else { continue };
            let last = self.last_end.entry(timing.worker).or_default();
            let has_locks = !row.shared.is_empty() || !row.relayed.is_empty();
            if has_locks && *last > timing.start && *last <= timing.end {
                self.earliest.insert(row.id, *last);
            }
            *last = (*last).max(timing.end);
        }
    }

    /// How early an event can have been carried on; 0 where it did not wait.
    pub(super) fn take(&mut self, event: EventId) -> u64 {
        if self.earliest.is_empty() { 0 } else { self.earliest.remove(&event).unwrap_or(0) }
    }
}

/// A source whose batches are noted when they are read.
pub(super) struct Noting<'r, S> {
    pub(super) source: S,
    pub(super) resumed: &'r RefCell<Resumed>,
}

impl<S: BatchSource> BatchSource for Noting<'_, S> {
    fn header(&self) -> &TraceHeader {
        self.source.header()
    }

    fn next_batch(&mut self) -> Result<Option<EventBatch>, TraceError> {
        let batch = self.source.next_batch()?;
        batch.iter().for_each(|batch| self.resumed.borrow_mut().note(batch));
        Ok(batch)
    }

    fn footer(&self) -> Option<&TraceFooter> {
        self.source.footer()
    }

    fn truncated(&self) -> Option<Truncation> {
        self.source.truncated()
    }
}
