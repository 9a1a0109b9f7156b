//! Values that are known, and who looks at them.

use std::sync::Arc;

use hasse_model::id::EventId;

use crate::target::Target;
use crate::views::record::AskedRecord;
use crate::views::record::arrays::Record;
use crate::views::values::store::Values;

/// A question for the values of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueRequest {
    /// The record.
    pub of: AskedRecord,
    /// The events; `None` for all.
    pub events: Option<Vec<EventId>>,
}

/// Values of the record's events, as far as they are known, and who looks at them.
#[derive(Default)]
pub(in super::super) struct Valued {
    /// Whether a panel shows them.
    pub(super) is_watched: bool,
    /// True while the current run is at rest: a replay can compute the values of its events.
    pub(super) is_at_rest: bool,
    /// Number of rests so far.
    pub(super) n_rests: u64,
    /// The values, with the record that they are of and the position around which they were asked for (`None`: all).
    pub(super) known: Option<(Arc<Record>, Option<u32>, Arc<Values>)>,
    /// The question that is open.
    pub(super) asked: Option<(Arc<Record>, Option<u32>)>,
    /// Reason why there are none.
    pub(super) problem: Option<(Arc<Record>, String)>,
    /// The thing under the pointer.
    pub(super) hovered: Option<Target>,
    /// Pinned things, in the order in which they were pinned.
    pub(super) pinned: Vec<Target>,
}

impl Valued {
    /// Parts that stay when another record is opened.
    pub(in super::super) fn kept(&mut self) -> Self {
        let (pinned, is_watched, n_rests) = (std::mem::take(&mut self.pinned), self.is_watched, self.n_rests);
        Self { pinned, is_watched, n_rests, is_at_rest: self.is_at_rest, ..Self::default() }
    }
}
