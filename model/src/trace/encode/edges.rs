//! The senders of an event, and its accesses to shared objects, where they are not as expected.

use super::super::predict::{Expected, Pair, Predictor};
use super::running::{Running, step};
use crate::encoding::varint::{put_delta, put_varint};
use crate::event::{Core, SharedAccess};
use crate::id::{ActionId, EventId};
use crate::plan::Access;
use crate::trace::column::{Column, N_COLUMNS, N_NEAR, access_tag};

/// Appends the senders of an event that are not as expected.
#[inline]
pub(super) fn put_flow(
    columns: &mut [Vec<u8>; N_COLUMNS],
    predictor: &mut Predictor,
    row: &Core<'_>,
    expected: &Expected<'_>,
    before: ActionId,
) {
    let receiver = row.id.action;
    predictor.note_senders(receiver, expected);
    let mut tells_counts = false;
    for (sender_idx, sender) in row.flow.iter().enumerate() {
        let ([first, second, third], count) = expected.sender(sender_idx, row.id, before);
        let told = |which: u64, near: ActionId| step(near.0, sender.action.0) * N_NEAR + which;
        let told = told(0, first).min(told(1, second)).min(told(2, third));
        put_varint(&mut columns[Column::FlowAction as usize], told);
        tells_counts |= predictor.sender_count(sender.action, receiver, expected, count) != sender.count;
    }
    put_varint(
        &mut columns[Column::FlowLen as usize],
        (row.flow.len() as u64) << 1 | u64::from(tells_counts),
    );
    if tells_counts {
        for (sender_idx, sender) in row.flow.iter().enumerate() {
            let (_, count) = expected.sender(sender_idx, row.id, before);
            let count = predictor.sender_count(sender.action, receiver, expected, count);
            put_delta(&mut columns[Column::FlowCount as usize], count, sender.count);
        }
    }
}

/// Appends accesses of an event that are not as expected.
pub(super) fn put_shared(
    columns: &mut [Vec<u8>; N_COLUMNS],
    predictor: &mut Predictor,
    row: &Core<'_>,
    state: &mut Running,
) {
    put_varint(&mut columns[Column::Objects as usize], row.shared.len() as u64);
    let mut before = None;
    for access in row.shared {
        put_delta(&mut columns[Column::Objects as usize], state.object, u64::from(access.object.0));
        state.object = u64::from(access.object.0);
        put_access(columns, predictor, row.id, before, access);
        before = access.writer;
        put_varint(&mut columns[Column::Readers as usize], access.readers);
    }
}

fn put_access(
    columns: &mut [Vec<u8>; N_COLUMNS],
    predictor: &mut Predictor,
    event: EventId,
    before: Option<EventId>,
    access: &SharedAccess,
) {
    let expected = predictor.writer(access.object);
    let writer_tag = match access.writer {
        writer if writer == expected => access_tag::EXPECTED,
        None => access_tag::NONE,
        writer if writer == before => access_tag::SAME,
        Some(_) => access_tag::TOLD,
    };
    columns[Column::Objects as usize].push(access_kind(access.access) | writer_tag);
    if let (access_tag::TOLD, Some(writer)) = (writer_tag, access.writer) {
        let column = &mut columns[Column::Writers as usize];
        put_delta(column, u64::from(event.action.0), u64::from(writer.action.0));
        let pair = Pair::access(writer.action, access.object);
        put_delta(column, predictor.next_count(pair).unwrap_or(event.count), writer.count);
        predictor.note_count(pair, writer.count);
    }
}

pub(super) fn access_kind(access: Access) -> u8 {
    match access {
        Access::Read => 0,
        Access::Write => access_tag::WRITE,
    }
}
