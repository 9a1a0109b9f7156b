//! One event as it lies in a batch.

use super::record::{Effect, EventRecord, LocalState, Outcome, RelayedAccess, SharedAccess, Timing};
use crate::choices::Choices;
use crate::id::EventId;

/// An event as it lies in a batch; the fields are those of [`EventRecord`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "documented at EventRecord")]
pub struct EventRow<'a> {
    pub id: EventId,
    pub rule: i32,
    pub routes: &'a [u32],
    pub flow: &'a [EventId],
    pub shared: &'a [SharedAccess],
    pub relayed: &'a [RelayedAccess],
    pub flow_successors: u64,
    pub outcome: Outcome,
    pub effects: &'a [Effect],
    pub first_line: Option<u64>,
    pub error: Option<&'a str>,
    pub timing: Option<Timing>,
    pub local: Option<&'a LocalState>,
    pub choices: Option<&'a Choices>,
}

impl EventRow<'_> {
    /// A record of its own.
    pub fn to_record(&self) -> EventRecord {
        EventRecord {
            id: self.id,
            rule: self.rule,
            routes: self.routes.to_vec(),
            flow: self.flow.to_vec(),
            shared: self.shared.to_vec(),
            relayed: self.relayed.to_vec(),
            flow_successors: self.flow_successors,
            outcome: self.outcome,
            effects: self.effects.to_vec(),
            first_line: self.first_line,
            error: self.error.map(str::to_owned),
            timing: self.timing,
            local: self.local.map(|local| Box::new(local.clone())),
            choices: self.choices.map(|choices| Box::new(choices.clone())),
        }
    }

    /// Makes `record` a copy of it; keeps the memory of the record's lists.
    pub fn copy_to(&self, record: &mut EventRecord) {
        record.reset(self.id);
        record.rule = self.rule;
        record.routes.extend_from_slice(self.routes);
        record.flow.extend_from_slice(self.flow);
        record.shared.extend_from_slice(self.shared);
        record.relayed.extend_from_slice(self.relayed);
        record.flow_successors = self.flow_successors;
        record.outcome = self.outcome;
        record.effects.extend_from_slice(self.effects);
        record.first_line = self.first_line;
        record.error = self.error.map(str::to_owned);
        record.timing = self.timing;
        record.local = self.local.map(|local| Box::new(local.clone()));
    }
}
