//! Changes of queues, in bytes and back.

use crate::encoding::place::{put_index, take_index};
use crate::encoding::value::{put_value, take_value};
use crate::encoding::varint::{Cursor, Malformed, put_bytes, put_delta, put_varint};
use crate::event::{DroppedValue, QueueChange, QueueEdit, SentValue};
use crate::id::{ActionId, EventId, GraphInstanceId, TemplateId};

/// Kinds of changes.
mod tag {
    pub(super) const DROPPED: u8 = 0;
    pub(super) const REPLACED: u8 = 1;
    pub(super) const ADDED: u8 = 2;
    pub(super) const LEFT: u8 = 3;
    pub(super) const NO_ROOM: u8 = 4;
}

/// Appends changes; `Err` where a value cannot be written.
pub(super) fn put_edits(out: &mut Vec<u8>, edits: &[QueueEdit]) -> Result<(), Malformed> {
    put_varint(out, edits.len() as u64);
    for edit in edits {
        put_varint(out, u64::from(edit.template.0));
        put_varint(out, u64::from(edit.graph.0));
        put_index(out, &edit.index);
        put_bytes(out, edit.port.as_bytes());
        put_index(out, &edit.elements);
        match &edit.change {
            QueueChange::Dropped(sent) => {
                out.push(tag::DROPPED);
                put_sent(out, sent);
            }
            QueueChange::Replaced(sent, value) => {
                out.push(tag::REPLACED);
                put_sent(out, sent);
                put_value(out, value)?;
            }
            QueueChange::Added(value) => {
                out.push(tag::ADDED);
                put_value(out, value)?;
            }
            QueueChange::Left(value) => {
                out.push(tag::LEFT);
                put_value(out, value)?;
            }
            QueueChange::NoRoom(dropped) => {
                out.push(tag::NO_ROOM);
                put_dropped(out, dropped);
            }
        }
    }
    Ok(())
}

/// Takes changes.
pub(super) fn take_edits(cursor: &mut Cursor<'_>) -> Result<Vec<QueueEdit>, Malformed> {
    let mut edits = Vec::new();
    for _ in 0..cursor.n_items()? {
        let (template, graph) = (TemplateId(cursor.id()?), GraphInstanceId(cursor.id()?));
        let index = take_index(cursor)?;
        let port = cursor.text()?.to_owned();
        let elements = take_index(cursor)?;
        let change = match cursor.byte()? {
            tag::DROPPED => QueueChange::Dropped(take_sent(cursor)?),
            tag::REPLACED => QueueChange::Replaced(take_sent(cursor)?, take_value(cursor)?),
            tag::ADDED => QueueChange::Added(take_value(cursor)?),
            tag::LEFT => QueueChange::Left(take_value(cursor)?),
            tag::NO_ROOM => QueueChange::NoRoom(take_dropped(cursor)?),
            _ => return Err(Malformed("a change of a queue is unknown")),
        };
        edits.push(QueueEdit { template, graph, index, port, elements, change });
    }
    Ok(edits)
}

/// Appends dropped values: each mostly comes from the next event of the same action, and makes room for one of it, too.
fn put_dropped(out: &mut Vec<u8>, dropped: &[DroppedValue]) {
    put_varint(out, dropped.len() as u64);
    let mut last = EventId { action: ActionId(0), count: 0 };
    for DroppedValue { sender, n_later, by } in dropped {
        put_event(out, last, *sender);
        put_event(out, *sender, *by);
        put_varint(out, u64::from(*n_later));
        last = *sender;
    }
}

fn take_dropped(cursor: &mut Cursor<'_>) -> Result<Vec<DroppedValue>, Malformed> {
    let mut dropped = Vec::new();
    let mut last = EventId { action: ActionId(0), count: 0 };
    for _ in 0..cursor.n_items()? {
        last = take_event(cursor, last)?;
        let by = take_event(cursor, last)?;
        dropped.push(DroppedValue { sender: last, n_later: cursor.id()?, by });
    }
    Ok(dropped)
}

fn put_event(out: &mut Vec<u8>, base: EventId, event: EventId) {
    put_delta(out, u64::from(base.action.0), u64::from(event.action.0));
    put_delta(out, base.count, event.count);
}

fn take_event(cursor: &mut Cursor<'_>, base: EventId) -> Result<EventId, Malformed> {
    Ok(EventId { action: ActionId(cursor.id_delta(base.action.0)?), count: cursor.delta(base.count)? })
}

fn put_sent(out: &mut Vec<u8>, sent: &SentValue) {
    match sent.sender {
        None => out.push(0),
        Some(sender) => {
            out.push(1);
            put_varint(out, u64::from(sender.action.0));
            put_varint(out, sender.count);
        }
    }
    put_varint(out, u64::from(sent.n_later));
}

fn take_sent(cursor: &mut Cursor<'_>) -> Result<SentValue, Malformed> {
    let sender = match cursor.byte()? {
        0 => None,
        1 => Some(EventId { action: ActionId(cursor.id()?), count: cursor.varint()? }),
        _ => return Err(Malformed("a sender is neither there nor missing")),
    };
    Ok(SentValue { sender, n_later: cursor.id()? })
}
