//! The ground of questions about events: a record, its program, and how to run it.

use hasse_debugger::event_path::EventPath;
use hasse_debugger::past::History;
use hasse_model::id::EventId;
use hasse_model::plan::Plan;
use hasse_model::trace::Names;
use hasse_runtime::run::RunOptions;

use super::error::EventError;
use crate::api::trace::Recorded;

/// What questions about one event are answered from.
#[derive(Clone, Copy, Debug)]
pub struct Ground<'g> {
    /// The program that was recorded.
    pub plan: &'g Plan,
    /// The record. Only [`why`](fn@super::why) takes a restricted one.
    pub recorded: &'g Recorded,
    /// Workers, memory, native code and stop signal of the replay; parameters and what is captured do not count.
    pub options: &'g RunOptions,
}

impl Ground<'_> {
    pub(super) fn names(&self) -> Names {
        let header = &self.recorded.header;
        let mut names = Names::new(header);
        self.recorded.record.batches.iter().for_each(|batch| names.read(batch));
        names
    }

    /// Whether the record holds choices, not events.
    pub(super) fn is_minimal(&self) -> bool {
        self.recorded.record.minimal.is_some()
    }
}

/// The event that a text names.
pub(super) fn find(text: &str, history: &History<'_>, names: &Names) -> Result<EventId, EventError> {
    Ok(path(text)?.find(names, history.actions())?)
}

pub(super) fn path(text: &str) -> Result<EventPath, EventError> {
    EventPath::parse(text).map_err(|source| EventError::Path { text: text.to_owned(), source })
}
