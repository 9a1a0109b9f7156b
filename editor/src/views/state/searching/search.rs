//! A search, and what it has found.

use std::sync::Arc;

use crate::views::record::arrays::Record;
use crate::views::search::EventQuery;
use crate::views::task::Task;

/// A search, and what it has found.
#[derive(Default)]
pub(in super::super) struct Search {
    pub(super) text: String,
    pub(super) query: Option<EventQuery>,
    /// The record that was searched, and the number of its events with values.
    pub(super) made_of: Option<(Arc<Record>, usize)>,
    pub(super) running: Option<Task<Option<Vec<u32>>>>,
    /// True where the first match is to be shown once it is known.
    pub(super) reveals: bool,
}

impl Search {
    /// Parts that stay when another record is opened.
    pub(in super::super) fn kept(&mut self) -> Self {
        let Self { text, query, .. } = std::mem::take(self);
        Self { text, query, ..Self::default() }
    }

    /// Returns whether the values of events are needed.
    pub(in super::super) fn asks_for_values(&self) -> bool {
        self.query.as_ref().is_some_and(EventQuery::asks_for_values)
    }

    pub(in super::super) fn is_busy(&self) -> bool {
        self.running.is_some()
    }
}
