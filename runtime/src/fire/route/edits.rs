//! Replays of runs in which values that waited were changed by hand: the change is made when the value is sent.
//!
//! Whoever takes the value takes it after the change, in the recorded run and in the replay, so that the moment of the change
//! does not matter.

use hasse_model::event::QueueChange;
use hasse_model::id::GraphInstanceId;
use hasse_record::replay::edits::PlacedEdit;
use hasse_store::outgoing::{Outgoing, Receiver};

/// Changes values that an event is about to send; `graph` is that of its action.
pub(crate) fn apply(outgoing: &mut [Outgoing], graph: GraphInstanceId, edits: &[PlacedEdit]) {
    for edit in edits {
        let (sent, replacement) = match &edit.edit.change {
            QueueChange::Dropped(sent) => (sent, None),
            QueueChange::Replaced(sent, value) => (sent, Some(value)),
            QueueChange::Added(_) | QueueChange::Left(_) => continue,
        };
        let mut waiting = outgoing.iter_mut().rev().filter(|value| is_waiting_at(value, edit, graph));
        let Some(value) = waiting.nth(sent.n_later as usize) else { continue };
        match replacement {
            Some(replacement) => value.value = replacement.clone(),
            None => value.is_dropped = true,
        }
    }
}

/// Returns true if a value goes to the place of a change and has not been dropped.
fn is_waiting_at(outgoing: &Outgoing, placed: &PlacedEdit, sender: GraphInstanceId) -> bool {
    let edit = &placed.edit;
    let (graph, template, index) = match &outgoing.target {
        Receiver::Elsewhere(graph, template, index) => (graph.id, *template, index),
        Receiver::Instance(template, index) | Receiver::Entry(template, index) => (sender, *template, index),
    };
    !outgoing.is_dropped
        && (graph, template, index) == (edit.graph, edit.template, &edit.index)
        && (outgoing.port, &outgoing.elements) == (placed.port, &edit.elements)
}
