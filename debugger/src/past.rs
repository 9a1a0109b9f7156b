//! The causal past of an event: which recorded events are before it in causal order, found by walking the
//! record backward (Hyder 1994, sections 3.4 and 5.4).
//!
//! [`History`](crate::past::History) holds every event of a record by its id, and for each version of a shared object who read it, as a
//! record lists the writer of what was found but not the readers of what was overwritten. The past is closed: with
//! an event it holds all that is before it, so that a replay can follow it without the rest.

use rustc_hash::{FxHashMap, FxHashSet};

use hasse_model::event::{EventBatch, EventRow};
use hasse_model::id::{ActionId, EventId, ObjectId};
use hasse_model::order::{Before, before};
use hasse_model::plan::Access;

/// The events of a record, to be looked up. About 300 bytes an event.
#[derive(Debug)]
pub struct History<'b> {
    rows: Vec<EventRow<'b>>,
    place_of: FxHashMap<EventId, u32>,
    readers_of: FxHashMap<(ObjectId, Option<EventId>), Vec<EventId>>,
    /// By action: number of events; invariant: in the order in which the record first tells of them.
    counts: Vec<(ActionId, u64)>,
}

impl<'b> History<'b> {
    /// Takes in batches. Cost: linear in events and accesses.
    pub fn new(batches: &'b [EventBatch]) -> Self {
        let rows: Vec<EventRow<'b>> = batches.iter().flat_map(EventBatch::rows).collect();
        let mut place_of = FxHashMap::default();
        let mut readers_of: FxHashMap<_, Vec<EventId>> = FxHashMap::default();
        let mut counts: Vec<(ActionId, u64)> = Vec::new();
        let mut count_idx = FxHashMap::default();
        for (place, row) in (0..).zip(&rows) {
            place_of.insert(row.id, place);
            for access in row.shared.iter().filter(|access| access.access == Access::Read) {
                readers_of.entry((access.object, access.writer)).or_default().push(row.id);
            }
            let at = *count_idx.entry(row.id.action).or_insert_with(|| {
                counts.push((row.id.action, 0));
                counts.len() - 1
            });
            counts[at].1 = counts[at].1.max(row.id.count);
        }
        Self { rows, place_of, readers_of, counts }
    }

    /// Number of events.
    pub fn n_events(&self) -> usize {
        self.rows.len()
    }

    /// The actions that executed, each with the count of its last event.
    pub fn actions(&self) -> &[(ActionId, u64)] {
        &self.counts
    }

    /// The record of an event.
    pub fn get(&self, event: EventId) -> Option<&EventRow<'b>> {
        self.place_of.get(&event).map(|place| &self.rows[*place as usize])
    }

    /// Who read a version of an object, in the order of the record.
    pub fn readers(&self, object: ObjectId, writer: Option<EventId>) -> &[EventId] {
        self.readers_of.get(&(object, writer)).map_or(&[], Vec::as_slice)
    }

    /// The events that are immediately before one: sequence edge first, then flow edges, then shared ones.
    pub fn before(&self, event: &EventRow<'_>) -> Vec<EventId> {
        let mut found = Vec::new();
        for edge in before(&event.to_record()) {
            match edge {
                Before::Sequence(earlier) | Before::Flow(earlier) => found.push(earlier),
                Before::Version(_, writer) => found.extend(writer),
                Before::Readers(object, writer, _) => found.extend_from_slice(self.readers(object, writer)),
            }
        }
        found
    }

    /// An event and all that is before it; events that the record does not hold are passed over. Cost: linear in
    /// what is found.
    pub fn past(&self, event: EventId) -> FxHashSet<EventId> {
        self.past_of([event])
    }

    /// Several events and all that is before any of them. Cost: linear in what is found.
    pub fn past_of(&self, events: impl IntoIterator<Item = EventId>) -> FxHashSet<EventId> {
        let mut past = FxHashSet::default();
        let mut open: Vec<EventId> = events.into_iter().collect();
        while let Some(next) = open.pop() {
            let Some(row) = self.get(next) else { continue };
            if past.insert(next) {
                open.extend(self.before(row).into_iter().filter(|earlier| !past.contains(earlier)));
            }
        }
        past
    }

    /// The events that took values of one, in the order of the record.
    pub fn takers(&self, event: EventId) -> Vec<EventId> {
        self.rows.iter().filter(|row| row.flow.contains(&event)).map(|row| row.id).collect()
    }
}

/// The part of a record that consists of these events; all names stay, so that ids mean what they did.
pub fn restricted_to(batches: &[EventBatch], events: &FxHashSet<EventId>) -> Vec<EventBatch> {
    let part = |batch: &EventBatch| {
        let mut part = EventBatch::default();
        part.graphs.clone_from(&batch.graphs);
        part.actions.clone_from(&batch.actions);
        part.objects.clone_from(&batch.objects);
        part.edits.clone_from(&batch.edits);
        for row in batch.rows().filter(|row| events.contains(&row.id)) {
            part.push(&mut row.to_record());
        }
        part
    };
    batches.iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use hasse_model::event::{EventRecord, SharedAccess};

    use super::*;

    fn id(action: u32, count: u64) -> EventId {
        EventId { action: ActionId(action), count }
    }

    fn event(own: EventId, flow: &[EventId], shared: Option<(Access, Option<EventId>, u64)>) -> EventRecord {
        let mut event = EventRecord::new(own);
        event.flow = flow.to_vec();
        let access =
            |(access, writer, readers)| SharedAccess { object: ObjectId(0), access, writer, readers };
        event.shared.extend(shared.map(access));
        event
    }

    #[test]
    fn the_past_has_flow_sequence_writers_and_readers_and_nothing_else() {
        let (start, writer, reader, other, next) = (id(0, 1), id(1, 1), id(2, 1), id(3, 1), id(4, 1));
        let late_reader = id(5, 1);
        let mut batch = EventBatch::default();
        for mut event in [
            event(start, &[], None),
            event(writer, &[start], Some((Access::Write, None, 0))),
            event(reader, &[start], Some((Access::Read, Some(writer), 0))),
            event(other, &[start], None),
            event(next, &[], Some((Access::Write, Some(writer), 1))),
            event(late_reader, &[], Some((Access::Read, Some(next), 0))),
            event(id(4, 2), &[other], None),
        ] {
            batch.push(&mut event);
        }
        let batches = [batch];
        let history = History::new(&batches);
        let past = |event| {
            let mut past: Vec<_> = history.past(event).into_iter().collect();
            past.sort();
            past
        };
        assert_eq!(past(next), [start, writer, reader, next], "the reader is before the next writer");
        assert_eq!(past(id(4, 2)), [start, writer, reader, other, next, id(4, 2)]);
        assert_eq!(past(late_reader), [start, writer, reader, next, late_reader]);
        assert_eq!(history.takers(start), [writer, reader, other]);
        let part = restricted_to(&batches, &history.past(writer));
        assert_eq!(part[0].rows().map(|row| row.id).collect::<Vec<_>>(), [start, writer]);
    }
}
