//! The events of batches in causal order, with their names: what every facility consumes.
//!
//! Beside sorting, this holds an event back until the objects that it reached are announced: their
//! batch may come later than its own. What is delivered of a run that was cut off is therefore
//! causally closed and can be printed.

use rustc_hash::FxHashMap;

use hasse_model::event::{EventBatch, EventRecord, QueueEdit};
use hasse_model::id::{ActionId, EventId, ObjectId};
use hasse_model::order::Before;
use hasse_model::quantity::counted;
use hasse_model::trace::{BatchSource, Names, TraceError, TraceFooter, Truncation};

use crate::sort::{Leftover, SortError, Sorter};

/// Why events could not be brought into causal order.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The trace contradicts itself.
    #[error("{event}: {source}")]
    Sort {
        /// Path of the event that does not fit.
        event: String,
        /// Why.
        source: SortError,
    },
}

/// Brings the events of batches into causal order, as they come.
#[derive(Debug, Default)]
pub struct Feed {
    names: Names,
    sorter: Sorter,
    /// Events by an object that has not been announced yet.
    held: FxHashMap<ObjectId, Vec<EventRecord>>,
    n_held: u64,
    n_delivered: u64,
    edits: Vec<QueueEdit>,
}

impl Feed {
    /// A feed that knows what `names` does.
    pub fn new(names: Names) -> Self {
        Self { names, ..Self::default() }
    }

    /// The names announced so far.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Number of events delivered so far, and of those that wait for others to come first.
    pub fn progress(&self) -> (u64, u64) {
        (self.n_delivered, self.n_held + self.sorter.n_waiting() as u64)
    }

    /// Takes in a batch and delivers what is complete with it.
    ///
    /// # Errors
    /// Where an event contradicts those before it.
    pub fn push(
        &mut self,
        batch: &EventBatch,
        deliver: &mut impl FnMut(EventRecord, &Names),
    ) -> Result<(), ReadError> {
        self.lend(batch, &mut |event, names| {
            let id = event.id;
            deliver(std::mem::replace(event, EventRecord::new(id)), names);
        })
    }

    /// Ends delivery: what still waits will never be complete. The summary says nothing yet of where the
    /// events came from.
    pub fn finish(self) -> Summary {
        let Self { names, sorter, n_held, n_delivered, edits, .. } = self;
        let leftover = sorter.finish();
        let n_dropped = leftover.n_events + n_held;
        Summary { n_delivered, n_before: 0, n_dropped, leftover, edits, truncated: None, footer: None, names }
    }

    /// Like [`push`](Self::push), without giving records away: nothing is allocated for an event that is complete when it
    /// comes.
    ///
    /// # Errors
    /// Where an event contradicts those before it.
    pub fn lend(
        &mut self,
        batch: &EventBatch,
        deliver: &mut impl FnMut(&mut EventRecord, &Names),
    ) -> Result<(), ReadError> {
        if let Some(last) = &batch.cut {
            self.sorter.begin_after(last);
        }
        self.names.read(batch);
        self.edits.extend_from_slice(&batch.edits);
        for object in &batch.objects {
            for mut event in self.held.remove(&object.object).unwrap_or_default() {
                self.n_held -= 1;
                self.lend_event(&mut event, deliver)?;
            }
        }
        let mut event = EventRecord::new(EventId { action: ActionId(0), count: 0 });
        batch.rows().try_for_each(|row| {
            row.copy_to(&mut event);
            self.lend_event(&mut event, deliver)
        })
    }

    fn lend_event(
        &mut self,
        event: &mut EventRecord,
        deliver: &mut impl FnMut(&mut EventRecord, &Names),
    ) -> Result<(), ReadError> {
        let is_unknown = |object: &ObjectId| self.names.shared_of(*object).is_none();
        let shared = event.shared.iter().map(|access| access.object);
        let mut objects = shared.chain(event.relayed.iter().map(|relayed| relayed.object));
        if let Some(object) = objects.find(is_unknown) {
            let id = event.id;
            self.n_held += 1;
            self.held.entry(object).or_default().push(std::mem::replace(event, EventRecord::new(id)));
            return Ok(());
        }
        let (names, n_delivered) = (&self.names, &mut self.n_delivered);
        let mut deliver_named = |event: &mut EventRecord| {
            *n_delivered += 1;
            deliver(event, names);
        };
        self.sorter
            .lend(event, &mut deliver_named)
            .map_err(|source| ReadError::Sort { event: self.names.event(source.event()).to_string(), source })
    }
}

/// What was read.
#[derive(Debug)]
pub struct Summary {
    /// Number of events delivered.
    pub n_delivered: u64,
    /// Number of events of the run before the first one that is kept.
    pub n_before: u64,
    /// Number of events that are not causally complete and were left out: their predecessors are
    /// missing. 0 unless the run was cut off or the trace is damaged.
    pub n_dropped: u64,
    /// What some of them wait for.
    pub leftover: Leftover,
    /// Changes of queues that were made by hand.
    pub edits: Vec<QueueEdit>,
    /// Where and why the trace ends before its footer.
    pub truncated: Option<Truncation>,
    /// What the trace says after its last event.
    pub footer: Option<TraceFooter>,
    /// All names, those of actions that never executed included.
    pub names: Names,
}

impl Summary {
    /// What a user must be told about how complete this is; empty for a whole trace.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.n_before > 0 {
            notes.push(format!("{} before the first one were not kept", counted(self.n_before, "event")));
        }
        if let Some(truncation) = self.truncated {
            notes.push(format!("{}; events up to there: {}", truncation.reason, self.n_delivered));
        }
        if self.n_dropped > 0 {
            let mut note = format!(
                "{} left out, because something that came before is missing",
                counted(self.n_dropped, "more event")
            );
            if let Some(&(event, before)) = self.leftover.examples.first() {
                let missing = self.describe(before);
                note += &format!(": {} needs {missing}", self.names.event(event));
            }
            notes.push(note);
        }
        notes
    }

    fn describe(&self, before: Before) -> String {
        let names = &self.names;
        match before {
            Before::Sequence(event) | Before::Flow(event) => names.event(event).to_string(),
            Before::Version(object, Some(writer)) => {
                format!("{} as written by {}", names.object(object), names.event(writer))
            }
            Before::Version(object, None) => format!("{} before it was written", names.object(object)),
            Before::Readers(object, _, n_readers) => {
                format!("{} that read {}", counted(n_readers, "event"), names.object(object))
            }
        }
    }
}

/// Delivers the events of a trace in causal order, up to where it can be read. Time: linear in
/// events and edges; memory: the events that wait for others, and the names.
///
/// # Errors
/// Where the source fails or the trace contradicts itself.
pub fn for_each_in_order(
    source: impl BatchSource,
    mut deliver: impl FnMut(EventRecord, &Names),
) -> Result<Summary, ReadError> {
    lend_in_order(source, |event, names| {
        let id = event.id;
        deliver(std::mem::replace(event, EventRecord::new(id)), names);
    })
}

/// Like [`for_each_in_order`], without giving records away: what a facility uses that looks at each event
/// and keeps few.
///
/// # Errors
/// Where the source fails or the trace contradicts itself.
pub fn lend_in_order(
    source: impl BatchSource,
    mut deliver: impl FnMut(&mut EventRecord, &Names),
) -> Result<Summary, ReadError> {
    try_lend_in_order(source, |event, names| {
        deliver(event, names);
        Ok(())
    })
}

/// Like [`lend_in_order`], for a facility that can fail: it sees no event after that, and nothing is read behind the
/// batch in which it failed.
///
/// # Errors
/// Where the source or the facility fails or the trace contradicts itself.
pub fn try_lend_in_order<E: From<ReadError>>(
    mut source: impl BatchSource,
    mut deliver: impl FnMut(&mut EventRecord, &Names) -> Result<(), E>,
) -> Result<Summary, E> {
    let mut feed = Feed::new(Names::new(source.header()));
    let mut failure = None;
    while let Some(batch) = source.next_batch().map_err(ReadError::from)? {
        feed.lend(&batch, &mut |event, names| {
            if failure.is_none() {
                failure = deliver(event, names).err();
            }
        })?;
        if let Some(failure) = failure {
            return Err(failure);
        }
        source.give_back(batch);
    }
    let mut summary = feed.finish();
    summary.n_before = source.header().n_before;
    summary.footer = source.footer().cloned();
    if let Some(footer) = &summary.footer {
        footer.idle_graphs.iter().for_each(|graph| summary.names.add_graph(graph));
        footer.idle_actions.iter().for_each(|action| summary.names.add_action(action));
    }
    summary.truncated = source.truncated();
    Ok(summary)
}

#[cfg(test)]
mod tests;
