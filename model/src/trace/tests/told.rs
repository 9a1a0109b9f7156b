use super::super::{decode, encode};
use crate::event::{EventBatch, EventRecord, SharedAccess};
use crate::id::{ActionId, EventId, ObjectId};
use crate::plan::Access;

const N_EVENTS: u64 = 1000;
/// What a batch has beside its rows.
const N_BYTES_AROUND: usize = 100;

/// The number of bytes, uncompressed, of a batch that is read as it was written.
fn n_bytes(events: impl Iterator<Item = EventRecord>) -> usize {
    let mut batch = EventBatch::default();
    events.for_each(|mut event| batch.push(&mut event));
    let mut content = Vec::new();
    encode::Encoder::default().encode(&batch, &mut content).expect("flat");
    assert_eq!(decode::Decoder::default().decode(&content), Ok(batch));
    content.len()
}

/// Executions of one action; `tell` is told whose turn of three others it is, never the same one's as before.
fn executions(mut tell: impl FnMut(usize, &mut EventRecord)) -> impl Iterator<Item = EventRecord> {
    let mut turn = 0;
    (1..=N_EVENTS).map(move |count| {
        // One or two further, irregularly.
        turn = (turn + 1 + (count * count % 7 % 2) as usize) % 3;
        let mut event = EventRecord::new(EventId { action: ActionId(9), count });
        tell(turn, &mut event);
        event
    })
}

/// Who merges values has them in the order in which each sender sent them.
#[test]
fn counts_of_senders_that_take_turns_are_expected() {
    let mut counts = [100_000, 200_000, 300_000];
    let merged = executions(|sender, event| {
        counts[sender] += 1;
        event.flow = vec![EventId { action: ActionId(sender as u32), count: counts[sender] }];
    });
    // Action, flags, sender, number of senders.
    assert!(n_bytes(merged) <= 4 * N_EVENTS as usize + N_BYTES_AROUND);
}

/// Who comes to two objects behind the same writer, one of another batch, is told of it once, and where it was last.
#[test]
fn writers_of_other_batches_are_told_once_and_by_their_last_count() {
    let mut counts = [100_000, 200_000, 300_000];
    let behind = executions(|writer, event| {
        counts[writer] += 1 + event.id.count % 5;
        let writer = Some(EventId { action: ActionId(writer as u32), count: counts[writer] });
        let access =
            |object| SharedAccess { object: ObjectId(object), access: Access::Write, writer, readers: 0 };
        event.shared = [access(3), access(4)].into_iter().collect();
    });
    // Action, flags, number of accesses; for each its object, how it is told, and readers; the writer and its count.
    assert!(n_bytes(behind) <= (3 + 2 * 3 + 2) * N_EVENTS as usize + N_BYTES_AROUND);
}
