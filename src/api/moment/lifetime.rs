//! The life of an action in a record: since when it exists, its executions, and what has become of it at the end.

use hasse_model::event::Outcome;
use hasse_model::id::{ActionId, EventId};
use hasse_model::snapshot::{ActionState, Snapshot};

use super::state::{QueueAt, queue_at};
use super::timeline::Timeline;
use crate::api::event::EventError;

/// The life of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct Lifetime {
    /// Its path.
    pub action: String,
    /// Position of the first moment at which it exists.
    pub since: u64,
    /// Its first and its last event; `None` where it has not executed.
    pub executions: Option<(EventId, EventId)>,
    /// How its last event has ended, with the message of an error.
    pub ended: Option<(Outcome, Option<String>)>,
    /// True if it has stopped because of an error.
    pub has_failed: bool,
    /// Values that wait on its ports at the end.
    pub queues: Vec<QueueAt>,
}

impl Timeline<'_> {
    /// The life of an action, found by its path; `None` where the record has no such action.
    ///
    /// Cost: the states of the end and of as many moments as the number of events has binary digits.
    ///
    /// # Errors
    /// As for [`state`](Self::state).
    pub fn lifetime(&self, path: &str) -> Result<Option<Lifetime>, EventError> {
        let n_events = self.moments().n_events();
        let end = self.state(n_events)?;
        let names = self.names_at(&end);
        let is_asked = |state: &&ActionState| names.action(state.record.action).to_string() == path;
        let Some(state) = end.actions.iter().find(is_asked) else { return Ok(None) };
        let action = state.record.action;
        // Whoever has executed is created by a value that its first event took: no later than that.
        let first = EventId { action, count: 1 };
        let (mut low, mut high) = (0, self.moments().after(first).map_or(n_events, |after| after - 1));
        while low < high {
            let middle = low + (high - low) / 2;
            match exists_in(self.state(middle)?.as_ref(), path, self, action) {
                true => high = middle,
                false => low = middle + 1,
            }
        }
        let count = self.moments().n_of(action);
        let last = EventId { action, count };
        let ended = match count {
            0 => None,
            _ => {
                let row = self.event_with_values(last)?;
                Some((row.outcome, row.error))
            }
        };
        Ok(Some(Lifetime {
            action: path.to_owned(),
            since: high,
            executions: (count > 0).then_some((first, last)),
            ended,
            has_failed: state.has_failed,
            queues: state.queues.iter().map(|queue| queue_at(queue, &names)).collect(),
        }))
    }
}

/// Returns true if an action exists in a state. One that has not executed in the record may have another id in each state.
fn exists_in(state: &Snapshot, path: &str, timeline: &Timeline<'_>, action: ActionId) -> bool {
    if timeline.moments().n_of(action) > 0 {
        return state.actions.iter().any(|state| state.record.action == action);
    }
    let names = timeline.names_at(state);
    state.actions.iter().any(|state| names.action(state.record.action).to_string() == path)
}
