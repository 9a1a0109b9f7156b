//! Causal order: the one definition that every sorter, clock, cut, filter and checker uses.
//!
//! `<C` is the transitive closure of three kinds of edges (the unified model, Hyder 1994, sections
//! 3.2.1 and 3.4): flow edges from the event that sent a value to the event that removed it; shared
//! edges from a writer to its readers, from a writer to the next writer, and from each reader to
//! the next writer; and sequence edges from an action's event i to its event i + 1, because actions
//! keep state. A record lists the flow edges and the writer ends of the shared ones; the sequence
//! edge follows from the count and the reader-to-writer edges from the writer's reader count.

use crate::event::EventRecord;
use crate::id::{EventId, ObjectId};
use crate::plan::Access;

/// What must come before an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Before {
    /// The action's own event before it.
    Sequence(EventId),
    /// The event that sent a value which it removed.
    Flow(EventId),
    /// The event that wrote the version of the object which it found; `None`: the first version.
    Version(ObjectId, Option<EventId>),
    /// This many events that read this version, before it is overwritten.
    Readers(ObjectId, Option<EventId>, u64),
}

/// Everything that must come before an event for it to be causally complete: sequence edge first,
/// then flow edges in the order of removal, then shared edges in the order of locking.
pub fn before(event: &EventRecord) -> impl Iterator<Item = Before> + '_ {
    let sequence = (event.id.count > 1)
        .then(|| Before::Sequence(EventId { action: event.id.action, count: event.id.count - 1 }));
    let flow = event.flow.iter().map(|&sender| Before::Flow(sender));
    let shared = event.shared.iter().flat_map(|access| {
        let readers = (access.access == Access::Write && access.readers > 0).then_some(Before::Readers(
            access.object,
            access.writer,
            access.readers,
        ));
        std::iter::once(Before::Version(access.object, access.writer)).chain(readers)
    });
    let relayed = event.relayed.iter().map(|relayed| Before::Flow(relayed.event));
    sequence.into_iter().chain(flow).chain(shared).chain(relayed)
}
