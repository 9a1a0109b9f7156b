//! Batches in memory as a source: the records of a session, and records made by hand.

use hasse_model::event::EventBatch;
use hasse_model::trace::{BatchSource, TraceError, TraceFooter, TraceHeader, Truncation};

/// Batches that somebody keeps. Cost: a copy of each batch that is asked for.
#[derive(Clone, Debug)]
pub struct Stored<'a> {
    header: &'a TraceHeader,
    batches: std::slice::Iter<'a, EventBatch>,
}

impl<'a> Stored<'a> {
    /// The batches of a run in the order in which they came, behind the header that a trace of it would have.
    pub fn new(header: &'a TraceHeader, batches: &'a [EventBatch]) -> Self {
        Self { header, batches: batches.iter() }
    }
}

impl BatchSource for Stored<'_> {
    fn header(&self) -> &TraceHeader {
        self.header
    }

    fn next_batch(&mut self) -> Result<Option<EventBatch>, TraceError> {
        Ok(self.batches.next().cloned())
    }

    fn footer(&self) -> Option<&TraceFooter> {
        None
    }

    fn truncated(&self) -> Option<Truncation> {
        None
    }
}
