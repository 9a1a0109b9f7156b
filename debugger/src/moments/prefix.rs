//! The beginning of a record, as a record of its own.

use hasse_model::event::{DroppedValue, EventBatch, QueueChange, QueueEdit};
use hasse_model::id::{ActionId, EventId};
use hasse_model::trace::{Names, TraceError};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::read::{Feed, ReadError};
use crate::restrict::Batches;

/// Makes batches of the first events of a record, in its order, without their times. They announce all that they name. `names` are
/// those of the header.
///
/// Cost: linear in the events of the record.
///
/// # Errors
/// The record contradicts itself.
pub fn prefix(names: Names, batches: &[EventBatch], n_events: u64) -> Result<Vec<EventBatch>, ReadError> {
    let mut before = Before::of(batches);
    let (mut feed, mut made, mut packed) = (Feed::new(names), Vec::new(), Batches::new());
    let mut written = Ok(());
    let mut write = |batch: &EventBatch| {
        made.push(batch.clone());
        Ok(())
    };
    for batch in batches {
        feed.lend(batch, &mut |event, names| {
            if packed.n_events() < n_events && written.is_ok() {
                before.add(event.id, &event.flow);
                event.timing = None;
                written = packed.push(event, names, &mut write);
            }
        })?;
    }
    let summary = feed.finish();
    for edit in &summary.edits {
        packed.push_edit(&before.of_edit(edit), &summary.names);
    }
    written.and_then(|()| packed.finish(&mut write)).map_err(TraceError::from)?;
    Ok(made)
}

/// The events before a moment, as far as dropped values depend on them.
struct Before<'b> {
    batches: &'b [EventBatch],
    /// Events whose values were dropped.
    droppers: FxHashSet<EventId>,
    counts: FxHashMap<ActionId, u64>,
    /// Who took a value of one of the `droppers`, and of which.
    taken: FxHashSet<(ActionId, EventId)>,
}

impl<'b> Before<'b> {
    fn of(batches: &'b [EventBatch]) -> Self {
        let edits = batches.iter().flat_map(|batch| &batch.edits);
        let dropped = edits.flat_map(|edit| dropped_of(&edit.change)).map(|dropped| dropped.sender);
        Self {
            batches,
            droppers: dropped.collect(),
            counts: FxHashMap::default(),
            taken: FxHashSet::default(),
        }
    }

    fn add(&mut self, event: EventId, flow: &[EventId]) {
        self.counts.insert(event.action, event.count);
        if !self.droppers.is_empty() {
            let taken = flow.iter().filter(|sender| self.droppers.contains(sender));
            self.taken.extend(taken.map(|sender| (event.action, *sender)));
        }
    }

    fn has(&self, event: EventId) -> bool {
        self.counts.get(&event.action).is_some_and(|count| event.count <= *count)
    }

    /// A change without the values that were dropped later. The receiver may have taken a value behind one that was dropped
    /// later: that one counts as dropped, as it is not there any more.
    fn of_edit(&self, edit: &QueueEdit) -> QueueEdit {
        let mut edit = edit.clone();
        let receiver = self.batches.iter().flat_map(|batch| &batch.actions).find(|known| {
            (known.template, known.graph, &known.index) == (edit.template, edit.graph, &edit.index)
        });
        if let QueueChange::NoRoom(dropped) = &mut edit.change {
            dropped.retain(|value| {
                let is_taken =
                    receiver.is_some_and(|receiver| self.taken.contains(&(receiver.action, value.sender)));
                self.has(value.sender) && (self.has(value.by) || is_taken)
            });
        }
        edit
    }
}

fn dropped_of(change: &QueueChange) -> &[DroppedValue] {
    match change {
        QueueChange::NoRoom(dropped) => dropped,
        _ => &[],
    }
}
