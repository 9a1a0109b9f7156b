//! Updates that may be lost: a write on the strength of what was read before somebody else wrote.
//!
//! One event reads an object and sends a value to a second one that writes it; others write the object in between, by
//! races with the second. Each access is locked, but not the time between them, so that the second event may overwrite
//! unseen what each of the others wrote: the unserializable interleaving read, write, write of Lu, Tucek, Qin and Zhou
//! (2006, "AVIO", table 1). Whether the value that was sent depends on what was read, a record does not say.
//!
//! The writes of an object are in a row. Those after a read are at the end of that row, and so are those that the second
//! event does not know by its values and its sequence: what it knows of one it knows of all before. A write that may be lost counts
//! once, so that the lost ones are taken off the end.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use hasse_model::event::{EventRecord, SharedAccess};
use hasse_model::id::{EventId, ObjectId, SharedId};
use hasse_model::plan::Access;

use super::access::RaceEnd;
use super::past::{Mark, Past};

/// A write that may have been overwritten unseen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostUpdate {
    /// The object.
    pub object: ObjectId,
    /// It reads the object, and sends a value to `writer`.
    pub reader: RaceEnd,
    /// It writes the object in between: what may be lost.
    pub between: RaceEnd,
    /// It writes the object last.
    pub writer: RaceEnd,
}

/// Updates of one kind that may be lost.
#[derive(Clone, Debug)]
pub struct LostGroup {
    /// What the objects were declared as; `None` where that is not known.
    pub shared: Option<SharedId>,
    /// The first one found.
    pub example: LostUpdate,
    /// Number of writes that may be lost.
    pub n_updates: u64,
}

/// An object that was read, and the number of writes before that.
type Read = (ObjectId, u64);

/// The reads whose values are under way, and the writes after them.
#[derive(Debug, Default)]
pub(super) struct Looks {
    /// What the senders of values under way read, and the number of these values, never 0.
    sent: FxHashMap<EventId, (Vec<Read>, u64)>,
    objects: FxHashMap<ObjectId, Writes>,
}

/// The writes of an object.
///
/// Memory: the writes since the oldest read whose values are under way.
#[derive(Debug, Default)]
struct Writes {
    n_writes: u64,
    /// Writes after the oldest read that none of the later ones may have made lost, in their order.
    kept: Vec<Write>,
    /// For each number of writes, the number of senders with values under way that read the object after so many.
    looks: BTreeMap<u64, u64>,
}

#[derive(Debug)]
struct Write {
    /// Number of this write, from 1.
    number: u64,
    end: RaceEnd,
    mark: Mark,
}

impl Looks {
    /// Gives each write that the event, which writes the object, may overwrite unseen: the last one first, with the
    /// sender that read the object before. `base` is what the event knows by its values and its sequence.
    pub(super) fn lost_to(
        &mut self,
        event: &EventRecord,
        object: ObjectId,
        base: &Past,
        mut give: impl FnMut(RaceEnd, EventId),
    ) {
        let Self { sent, objects } = self;
        let Some(writes) = objects.get_mut(&object) else { return };
        if writes.kept.is_empty() {
            return;
        }
        let read_by = |sender: &EventId| {
            let (reads, _) = sent.get(sender)?;
            let (_, n_writes) = reads.iter().find(|(read, _)| *read == object)?;
            Some((*n_writes, *sender))
        };
        let Some((n_writes, reader)) = event.flow.iter().filter_map(read_by).min() else { return };
        while let Some(last) = writes.kept.pop_if(|last| last.number > n_writes && !base.has(&last.mark)) {
            give(last.end, reader);
        }
    }

    /// Takes in an event for those that will take its values.
    pub(super) fn pass(&mut self, event: &EventRecord) {
        for sender in &event.flow {
            if let Some((_, n_under_way)) = self.sent.get_mut(sender) {
                *n_under_way -= 1;
                if *n_under_way == 0
                    && let Some((reads, _)) = self.sent.remove(sender)
                {
                    reads.into_iter().for_each(|read| self.end_look(read));
                }
            }
        }
        let is_read = |access: &&SharedAccess| access.access == Access::Read;
        if event.flow_successors > 0 && event.shared.iter().any(|access| is_read(&access)) {
            let mut reads = Vec::new();
            for access in event.shared.iter().filter(is_read) {
                let writes = self.objects.entry(access.object).or_default();
                *writes.looks.entry(writes.n_writes).or_default() += 1;
                reads.push((access.object, writes.n_writes));
            }
            self.sent.insert(event.id, (reads, event.flow_successors));
        }
    }

    /// Takes in a write, after [`pass`](Self::pass).
    pub(super) fn write(&mut self, object: ObjectId, end: RaceEnd, mark: Mark) {
        let writes = self.objects.entry(object).or_default();
        writes.n_writes += 1;
        if !writes.looks.is_empty() {
            writes.kept.push(Write { number: writes.n_writes, end, mark });
        }
    }

    /// The values of a sender have all been taken.
    fn end_look(&mut self, (object, n_writes): Read) {
        let Some(writes) = self.objects.get_mut(&object) else { return };
        let Some(n_looks) = writes.looks.get_mut(&n_writes) else { return };
        *n_looks -= 1;
        if *n_looks > 0 {
            return;
        }
        writes.looks.remove(&n_writes);
        match writes.looks.first_key_value() {
            None => writes.kept.clear(),
            Some((&oldest, _)) if oldest > n_writes => {
                let n_old = writes.kept.partition_point(|write| write.number <= oldest);
                // Moving the rest costs as much as it takes off, or less.
                if 2 * n_old >= writes.kept.len() {
                    drop(writes.kept.drain(..n_old));
                }
            }
            Some(_) => {}
        }
    }
}
