//! Updates that may be lost: a write on the strength of what was read before somebody else wrote.
//!
//! One event reads an object and sends a value to a second one that writes it; a third one writes the object in
//! between, by a race with the second. Each access is locked, but not what lies between them, so that the third one's
//! write may be overwritten unseen: the unserializable interleaving read, write, write of Lu, Tucek, Qin and Zhou
//! (2006, "AVIO", table 1). Whether the value that was sent depends on what was read, a record does not tell.

use rustc_hash::FxHashMap;

use hasse_model::event::EventRecord;
use hasse_model::id::{EventId, ObjectId, SharedId};
use hasse_model::plan::Access;

use super::RaceEnd;

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
    /// How many.
    pub n_updates: u64,
}

/// An object that was read, and who had written it last then.
type Read = (ObjectId, Option<EventId>);

/// What the senders of values that are under way read.
#[derive(Debug, Default)]
pub(super) struct Looks {
    /// Also the number of values, never 0.
    sent: FxHashMap<EventId, (Vec<Read>, u64)>,
}

impl Looks {
    /// A sender of a value that the event took that had read the object before the event `between` wrote it,
    /// which was the last to do so.
    pub(super) fn reader_before(
        &self,
        event: &EventRecord,
        object: ObjectId,
        between: EventId,
    ) -> Option<EventId> {
        event.flow.iter().copied().find(|sender| {
            let is_it = |&(read, writer): &Read| read == object && writer != Some(between);
            self.sent.get(sender).is_some_and(|(reads, _)| reads.iter().any(is_it))
        })
    }

    /// Takes in an event for those that will take its values.
    pub(super) fn pass(&mut self, event: &EventRecord) {
        for sender in &event.flow {
            if let Some((_, n_under_way)) = self.sent.get_mut(sender) {
                *n_under_way -= 1;
                if *n_under_way == 0 {
                    self.sent.remove(sender);
                }
            }
        }
        let reads = event.shared.iter().filter(|access| access.access == Access::Read);
        let reads: Vec<_> = reads.map(|access| (access.object, access.writer)).collect();
        if event.flow_successors > 0 && !reads.is_empty() {
            self.sent.insert(event.id, (reads, event.flow_successors));
        }
    }
}
