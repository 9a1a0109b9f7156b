//! Replays of runs in which values that waited were changed by hand, or dropped by full ports: the change is made when the value
//! is sent.
//!
//! Whoever takes the value takes it after the change, in the recorded run and in the replay, so that the moment of the change
//! does not matter.

use hasse_model::event::QueueChange;
use hasse_model::id::{GraphInstanceId, Index, TemplateId};
use hasse_record::replay::edits::SentEdit;
use hasse_store::outgoing::{Fate, Outgoing, Receiver};

/// Place of a value: node, graph instance and index of the receiver, port and element.
type Place<'e> = (TemplateId, GraphInstanceId, &'e Index, usize, &'e Index);

/// Changes values that an event is about to send; `graph` is that of its action. Returns node and port of each value that a full
/// port dropped.
pub(crate) fn apply(
    outgoing: &mut [Outgoing],
    graph: GraphInstanceId,
    edits: &[SentEdit<'_>],
) -> Vec<(TemplateId, usize)> {
    let mut dropped = Vec::new();
    for edit in edits {
        match *edit {
            SentEdit::NoRoom { template, graph: of, index, port, elements, n_later, .. } => {
                // Those that had no room either are counted.
                let place = (template, of, index, port, elements);
                let is_it = |value: &&mut Outgoing| value.fate != Fate::DroppedByHand;
                if let Some(value) = at(outgoing, place, graph).filter(is_it).nth(n_later as usize) {
                    value.fate = Fate::NoRoom;
                    dropped.push((template, port));
                }
            }
            SentEdit::ByHand(placed) => {
                let edit = &placed.edit;
                let (sent, replacement) = match &edit.change {
                    QueueChange::Dropped(sent) => (sent, None),
                    QueueChange::Replaced(sent, value) => (sent, Some(value)),
                    QueueChange::Added(_) | QueueChange::Left(_) | QueueChange::NoRoom(_) => continue,
                };
                let place = (edit.template, edit.graph, &edit.index, placed.port, &edit.elements);
                let mut waiting = at(outgoing, place, graph).filter(|value| value.fate == Fate::Delivered);
                let Some(value) = waiting.nth(sent.n_later as usize) else { continue };
                match replacement {
                    Some(replacement) => value.value = replacement.clone(),
                    None => value.fate = Fate::DroppedByHand,
                }
            }
        }
    }
    dropped
}

/// The values for a place, the last one first.
fn at<'o>(
    outgoing: &'o mut [Outgoing],
    place: Place<'o>,
    sender: GraphInstanceId,
) -> impl Iterator<Item = &'o mut Outgoing> {
    outgoing.iter_mut().rev().filter(move |value| {
        let (graph, template, index) = match &value.target {
            Receiver::Elsewhere(graph, template, index) => (graph.id, *template, index),
            Receiver::Instance(template, index) | Receiver::Entry(template, index) => {
                (sender, *template, index)
            }
        };
        (template, graph, index, value.port, &value.elements) == place
    })
}
