//! Changes of queues: what a person did to values that waited on input ports while the run was stopped, and values that were
//! dropped as a port was full.
//!
//! A value is named by the event that sent it and by its position among those that this event sent to the same place, so
//! that a replay finds it whatever the schedule. A value that is added has no sender: the event that takes it notes that.

use super::record::{Effect, EffectKind, EventRecord};
use crate::id::{ActionId, EventId, GraphInstanceId, Index, TemplateId};
use crate::value::Value;

use std::sync::Arc;

/// A change of what waits on an input port of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueEdit {
    /// The node of the action.
    pub template: TemplateId,
    /// The graph instance of the action.
    pub graph: GraphInstanceId,
    /// The index of the action.
    pub index: Index,
    /// The name of the input port.
    pub port: String,
    /// The element of a family; empty for a plain port.
    pub elements: Index,
    /// The change.
    pub change: QueueChange,
}

/// A change of one value by hand, or values that were dropped as the port was full.
#[derive(Clone, Debug, PartialEq)]
pub enum QueueChange {
    /// It was dropped by hand: nobody takes it.
    Dropped(SentValue),
    /// It was given another value.
    Replaced(SentValue, Value),
    /// It was added after the others. The event that takes it holds it, too, with an effect.
    Added(Value),
    /// A value that was added by hand still waited when the run was over.
    Left(Value),
    /// Values that were dropped, as more came than the bound of the port admits (`full = "drop-oldest"`, `"drop-newest"`).
    NoRoom(Vec<DroppedValue>),
}

impl QueueChange {
    /// Returns true if a person made it.
    pub fn is_by_hand(&self) -> bool {
        !matches!(self, QueueChange::NoRoom(_))
    }
}

/// A value that was dropped as its port was full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DroppedValue {
    /// The event that sent it.
    pub sender: EventId,
    /// Number of values that the same event sent to the same element of the port after it, without those that earlier changes by
    /// hand dropped.
    pub n_later: u32,
    /// The event that sent the value for which it had to make room; the sender, where it found the port full itself.
    pub by: EventId,
}

/// A value that waits, by who sent it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentValue {
    /// The event that sent it; `None` for one that was added by hand.
    pub sender: Option<EventId>,
    /// Number of values that the same event sent to the same element of the port after it, without those that earlier
    /// changes dropped.
    pub n_later: u32,
}

impl Effect {
    /// The note of an event that a value that it took had been added by hand; `position` is that among the values removed.
    pub fn added(position: usize, value: Value) -> Self {
        let answer = vec![Value::Int(position as i64), value];
        Self { kind: EffectKind::Added, answer: Ok(Value::Array(Arc::new(answer))) }
    }

    /// A note of the number of values that an event took by a firing rule that takes as many as there are.
    pub fn taken(n_values: u32) -> Self {
        Self { kind: EffectKind::Taken, answer: Ok(Value::Int(i64::from(n_values))) }
    }

    /// The number of such a note.
    pub fn as_taken(&self) -> Option<u32> {
        match (&self.kind, &self.answer) {
            (EffectKind::Taken, Ok(Value::Int(number))) => u32::try_from(*number).ok(),
            _ => None,
        }
    }

    /// A note that an event failed because a port to which it sends was full.
    pub fn refused(message: &str) -> Self {
        Self { kind: EffectKind::Refused, answer: Err(message.to_owned()) }
    }

    /// The message of such a note.
    pub fn as_refused(&self) -> Option<&str> {
        match (&self.kind, &self.answer) {
            (EffectKind::Refused, Err(message)) => Some(message),
            _ => None,
        }
    }

    /// The note of an event that a value that it took was sent before the trace begins; `position` is that among the values
    /// removed.
    pub fn earlier(position: usize) -> Self {
        Self { kind: EffectKind::Earlier, answer: Ok(Value::Int(position as i64)) }
    }

    /// A note of what a shared object held that an event outside of a cut record had written last; `position` is that among the
    /// accesses, and `known` has the last result-setting events before the writer.
    pub fn found(position: usize, content: Value, known: &[EventId]) -> Self {
        let pair =
            |event: &EventId| vec![Value::Int(i64::from(event.action.0)), Value::Int(event.count as i64)];
        let known = known.iter().map(|event| Value::Array(Arc::new(pair(event))));
        let answer = vec![Value::Int(position as i64), content, Value::Array(Arc::new(known.collect()))];
        Self { kind: EffectKind::Found, answer: Ok(Value::Array(Arc::new(answer))) }
    }

    /// The position, the content and the events of a note of [`found`](Self::found).
    pub fn as_found(&self) -> Option<(usize, &Value, Vec<EventId>)> {
        let (EffectKind::Found, Ok(Value::Array(parts))) = (&self.kind, &self.answer) else { return None };
        let [Value::Int(position), content, Value::Array(known)] = parts.as_slice() else { return None };
        let event = |pair: &Value| match pair {
            Value::Array(pair) => match pair.as_slice() {
                [Value::Int(action), Value::Int(count)] => {
                    let action = ActionId(u32::try_from(*action).ok()?);
                    Some(EventId { action, count: u64::try_from(*count).ok()? })
                }
                _ => None,
            },
            _ => None,
        };
        let known = known.iter().map(event).collect::<Option<_>>()?;
        Some((usize::try_from(*position).ok()?, content, known))
    }

    /// Position among the values removed of one without a sender, where it is such a note: of a value that was
    /// [added](Self::added) or sent [earlier](Self::earlier).
    fn as_senderless(&self) -> Option<usize> {
        match (&self.kind, &self.answer) {
            (EffectKind::Earlier, Ok(Value::Int(position))) => usize::try_from(*position).ok(),
            _ => self.as_added().map(|(position, _)| position),
        }
    }

    /// The position and the value of a note of [`added`](Self::added).
    pub fn as_added(&self) -> Option<(usize, &Value)> {
        match (&self.kind, &self.answer) {
            (EffectKind::Added, Ok(Value::Array(parts))) => match parts.as_slice() {
                [Value::Int(position), value] => Some((usize::try_from(*position).ok()?, value)),
                _ => None,
            },
            _ => None,
        }
    }
}

impl EventRecord {
    /// Number of values that an event of a full record removed: those that its flow predecessors sent, and those without a
    /// sender in the record.
    pub fn n_taken(&self) -> usize {
        self.flow.len() + self.effects.iter().filter_map(Effect::as_senderless).count()
    }

    /// Position of the value of a flow predecessor among all values that an event of a full record removed.
    pub fn position_taken(&self, flow_idx: usize) -> usize {
        let mut position = flow_idx;
        // They are noted in ascending order.
        for senderless in self.effects.iter().filter_map(Effect::as_senderless) {
            position += usize::from(senderless <= position);
        }
        position
    }

    /// The event that sent each value that an event of a full record removed; `None` for a value without a sender in the record.
    pub fn senders(&self) -> Vec<Option<EventId>> {
        let mut senders = vec![None; self.n_taken()];
        for (flow_idx, sender) in self.flow.iter().enumerate() {
            if let Some(place) = senders.get_mut(self.position_taken(flow_idx)) {
                *place = Some(*sender);
            }
        }
        senders
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::ActionId;

    #[test]
    fn values_added_by_hand_have_no_sender() {
        let sender = |count| EventId { action: ActionId(1), count };
        let mut event = EventRecord::new(EventId { action: ActionId(0), count: 1 });
        event.flow = vec![sender(4), sender(5)];
        event.effects = vec![Effect::added(0, Value::Int(7)), Effect::added(2, Value::Unit)];
        assert_eq!(event.n_taken(), 4);
        assert_eq!(event.senders(), [None, Some(sender(4)), None, Some(sender(5))]);
        assert_eq!(event.effects[0].as_added(), Some((0, &Value::Int(7))));
    }
}
