//! Batches that were saved in memory, as a source that can be opened any number of times.

use hasse_model::event::EventBatch;
use hasse_model::trace::{BatchSource, TraceError, TraceFooter, TraceHeader, Truncation};

/// The records of a run that a session has saved. A copy of each batch is handed out when it is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Saved<'a> {
    header: &'a TraceHeader,
    batches: &'a [EventBatch],
    footer: Option<&'a TraceFooter>,
}

impl<'a> Saved<'a> {
    /// The batches of a run with this header, and its footer where it has come to an end. Batches may come in any order.
    pub fn new(header: &'a TraceHeader, batches: &'a [EventBatch], footer: Option<&'a TraceFooter>) -> Self {
        Self { header, batches, footer }
    }
}

impl BatchSource for Saved<'_> {
    fn header(&self) -> &TraceHeader {
        self.header
    }

    fn next_batch(&mut self) -> Result<Option<EventBatch>, TraceError> {
        let Some((batch, rest)) = self.batches.split_first() else { return Ok(None) };
        self.batches = rest;
        Ok(Some(batch.clone()))
    }

    fn footer(&self) -> Option<&TraceFooter> {
        self.footer
    }

    fn truncated(&self) -> Option<Truncation> {
        None
    }
}
