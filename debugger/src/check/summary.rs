//! What events hand on to those after them: a summary that goes along every edge of `<C`.
//!
//! It arrives merged from all that is immediately before an event, and leaves as the event makes it. Relay lists
//! (Hyder 1994, table 3-1) are such summaries, and so are longest chains. A summary is kept while later events
//! can meet it: that of an action's last event, of the last accesses to an object, and of an event whose values
//! are under way.

use rustc_hash::FxHashMap;

use hasse_model::event::EventRecord;
use hasse_model::id::EventId;
use hasse_model::plan::Access;
use hasse_model::table::IdTable;
use hasse_model::trace::RecordingMode;

/// A summary of a past.
pub(super) trait Summary: Clone + Default {
    /// Adds what another one says. Associative, commutative and idempotent; the default adds nothing.
    fn merge(&mut self, other: &Self);

    /// Whether it says nothing.
    fn is_empty(&self) -> bool;
}

/// The summaries that later events can meet.
#[derive(Debug, Default)]
pub(super) struct Carried<S> {
    actions: IdTable<S>,
    /// Of events, and how many of their values are under way; never 0.
    senders: FxHashMap<EventId, (S, u64)>,
    /// Of an object's last writer, and of all that read it since.
    objects: IdTable<(S, S)>,
    /// Whether only values and actions carry it, and objects do not.
    skips_objects: bool,
    /// Whether any event can be named again.
    is_restricted: bool,
}

impl<S: Summary> Carried<S> {
    /// Summaries that do not go by way of shared objects.
    pub(super) fn by_values() -> Self {
        let (actions, senders, objects) = (IdTable::new(), FxHashMap::default(), IdTable::new());
        Self { actions, senders, objects, skips_objects: true, is_restricted: false }
    }

    /// What is handed on to an event; each is followed by [`leave`](Self::leave).
    pub(super) fn arrive(&mut self, event: &EventRecord) -> S {
        let mut summary = self.actions.get(event.id.action.0).cloned().unwrap_or_default();
        for sender in &event.flow {
            self.take_value(*sender, &mut summary);
        }
        if self.skips_objects {
            return summary;
        }
        for access in &event.shared {
            if let Some((writer, readers)) = self.objects.get(access.object.0) {
                summary.merge(writer);
                if access.access == Access::Write {
                    summary.merge(readers);
                }
            }
        }
        for relayed in &event.relayed {
            if let Some((sent, _)) = self.senders.get(&relayed.event) {
                summary.merge(sent);
            }
        }
        summary
    }

    /// Takes in what an event hands on.
    pub(super) fn leave(&mut self, event: &EventRecord, summary: S) {
        let shared = if self.skips_objects { &[] } else { event.shared.as_slice() };
        for access in shared {
            let (writer, readers) = self.objects.slot(access.object.0);
            match access.access {
                Access::Read => readers.merge(&summary),
                Access::Write => (*writer, *readers) = (summary.clone(), S::default()),
            }
        }
        if summary.is_empty() {
            return;
        }
        if event.flow_successors > 0 || self.is_restricted {
            self.senders.insert(event.id, (summary.clone(), event.flow_successors));
        }
        *self.actions.slot(event.id.action.0) = summary;
    }

    /// Learns how events are recorded. In restricted records the numbers of successors do not say when an event has been
    /// named for the last time, and what it handed on is kept.
    pub(super) fn expect_mode(&mut self, mode: RecordingMode) {
        self.is_restricted = mode == RecordingMode::Restricted;
    }

    /// The summaries of values that are under way; of restricted records it is not known, and there are none.
    pub(super) fn under_way(&self) -> impl Iterator<Item = &S> {
        self.senders.values().filter(|_| !self.is_restricted).map(|(summary, _)| summary)
    }

    fn take_value(&mut self, sender: EventId, summary: &mut S) {
        let Some((sent, n_under_way)) = self.senders.get_mut(&sender) else { return };
        summary.merge(sent);
        if self.is_restricted {
            return;
        }
        *n_under_way -= 1;
        if *n_under_way == 0 {
            self.senders.remove(&sender);
        }
    }
}
