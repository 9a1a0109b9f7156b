//! Values that came out of the holes: those that kept events took from senders outside, and what they found in shared objects that outside
//! events had written. A replay of the whole makes it again.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use hasse_model::event::{EventBatch, EventRow};
use hasse_model::id::{ActionId, EventId, Index};
use hasse_model::plan::Plan;
use hasse_model::value::Value;
use hasse_runtime::capture::{Capture, Captured};
use hasse_runtime::report::RunReport;
use hasse_runtime::run::{EventSink, Idle};
use std::collections::{HashMap, HashSet};

use super::part::Part;
use crate::api::event::split_element;

/// A value that a kept action took from a sender outside.
#[derive(Debug)]
pub(super) struct Crossing {
    /// Which execution of the action took it.
    pub(super) count: u64,
    pub(super) port: String,
    pub(super) elements: Index,
    pub(super) sender: EventId,
    pub(super) value: Value,
}

/// Values that came out of the holes.
#[derive(Debug, Default)]
pub(super) struct Crossings {
    /// Values taken by each action. After [`finish`](Self::finish) in the order of removal.
    pub(super) values: HashMap<ActionId, Vec<Crossing>>,
    /// Contents of shared objects, by event and position among its accesses.
    pub(super) contents: HashMap<(EventId, usize), Value>,
    /// Kept events that set results, where the program needs their order.
    pub(super) setters: HashSet<EventId>,
    /// The first event with something that is no value.
    pub(super) unfit: Option<EventId>,
}

impl Crossings {
    /// Puts the values in order: several workers hand events over as they end.
    #[allow(clippy::iter_over_hash_type, reason = "each list is sorted by itself")]
    pub(super) fn finish(&mut self) {
        self.values.values_mut().for_each(|of_action| of_action.sort_by_key(|value| value.count));
    }

    fn add(&mut self, row: &EventRow<'_>, part: &Part) {
        let Some(local) = row.local.filter(|_| part.keeps(row.id.action)) else { return };
        // An event that failed before it took values has senders, and took nothing.
        if !local.took.is_empty() && local.took.len() != row.flow.len() {
            self.unfit.get_or_insert(row.id);
            return;
        }
        for ((name, value), sender) in local.took.iter().zip(row.flow) {
            if !part.keeps(sender.action) {
                let (port, elements) = split_element(name);
                let (count, port, value) = (row.id.count, port.to_owned(), value.clone());
                let of_action = self.values.entry(row.id.action).or_default();
                of_action.push(Crossing { count, port, elements, sender: *sender, value });
            }
        }
        let is_outside = |writer: Option<EventId>| writer.is_some_and(|writer| !part.keeps(writer.action));
        for (at, _) in row.shared.iter().enumerate().filter(|(_, access)| is_outside(access.writer)) {
            match local.shared_before.get(at).filter(|_| local.shared_before.len() == row.shared.len()) {
                Some((_, content)) => {
                    self.contents.insert((row.id, at), content.clone());
                }
                None => {
                    self.unfit.get_or_insert(row.id);
                }
            }
        }
        if !local.results.is_empty() {
            self.setters.insert(row.id);
        }
    }
}

/// Values of the kept nodes that are to be captured: no more than is needed, as everything around bodies costs much.
pub(super) fn capture_of(plan: &Plan, part: &Part) -> Capture {
    let mut capture = Capture::none();
    for template in &part.templates {
        let around = plan.orders_results || !plan.template(*template).shared.is_empty();
        capture.add(*template, Captured { took: true, around, ..Captured::NONE });
    }
    capture
}

/// Gathers what came out of the holes.
pub(super) struct Gatherer<'p> {
    part: &'p Part,
    found: Arc<Mutex<Crossings>>,
}

impl<'p> Gatherer<'p> {
    pub(super) fn new(part: &'p Part, found: &Arc<Mutex<Crossings>>) -> Self {
        Self { part, found: Arc::clone(found) }
    }
}

impl EventSink for Gatherer<'_> {
    fn take_batch(&mut self, batch: &EventBatch) -> io::Result<()> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        batch.rows().for_each(|row| found.add(&row, self.part));
        Ok(())
    }

    fn finish(&mut self, _: &RunReport, _: &Idle) -> io::Result<()> {
        Ok(())
    }
}
