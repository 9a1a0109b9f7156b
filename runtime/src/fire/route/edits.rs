//! Replays of runs in which values that waited were changed by hand: the change is made when the value is sent.
//!
//! Whoever takes the value takes it after the change, in the recorded run and in the replay, so that the moment of the change
//! does not matter.

use hasse_model::event::QueueChange;
use hasse_model::id::GraphInstanceId;

use crate::record::replay::edits::PlacedEdit;
use crate::store::outgoing::{Outgoing, Receiver};

/// Changes values that an event is about to send; `graph` is that of its action.
pub(crate) fn apply(outgoing: &mut [Outgoing], graph: GraphInstanceId, edits: &[PlacedEdit]) {
    for edit in edits {
        let (sent, replacement) = match &edit.edit.change {
            QueueChange::Dropped(sent) => (sent, None),
            QueueChange::Replaced(sent, value) => (sent, Some(value)),
            QueueChange::Added(_) | QueueChange::Left(_) => continue,
        };
        let mut waiting = outgoing.iter_mut().rev().filter(|value| value.is_waiting_at(edit, graph));
        let Some(value) = waiting.nth(sent.n_later as usize) else { continue };
        match replacement {
            Some(replacement) => value.value = replacement.clone(),
            None => value.is_dropped = true,
        }
    }
}

impl Outgoing {
    /// Returns true if it goes to the place of a change and has not been dropped.
    fn is_waiting_at(&self, placed: &PlacedEdit, sender: GraphInstanceId) -> bool {
        let edit = &placed.edit;
        let (graph, template, index) = match &self.target {
            Receiver::Elsewhere(graph, template, index) => (graph.id, *template, index),
            Receiver::Instance(template, index) | Receiver::Entry(template, index) => {
                (sender, *template, index)
            }
        };
        !self.is_dropped
            && (graph, template, index) == (edit.graph, edit.template, &edit.index)
            && (self.port, &self.elements) == (placed.port, &edit.elements)
    }
}
