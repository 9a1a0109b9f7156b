//! What is immediately before an event in causal order, by its place in the order.
//!
//! Forms that draw edges or join tables need a short name of each event and an edge for each pair that
//! [`before`](hasse_model::order::before) implies, those from readers to the next writer included, which a record
//! only counts. An event's number is its place in causal order, from 1. Memory: an entry for each event whose values
//! have not all been taken, 16 bytes an action, and 24 bytes for each reader of an object since it was last written; of
//! a restricted record, whose events may be named at any time, an entry for each event.

use hasse_model::event::EventRecord;
use hasse_model::id::{EventId, ObjectId};
use hasse_model::order::{Before, before};
use hasse_model::plan::Access;
use hasse_model::table::IdTable;
use hasse_model::trace::RecordingMode;

use crate::carry::{Carry, TakenTooOften};

/// How one event is immediately before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EdgeKind {
    /// The action's event before it.
    Sequence,
    /// A value that it removed was sent by the other one.
    Flow,
    /// It read what the other one wrote.
    Read,
    /// It wrote over what the other one wrote.
    Write,
    /// It wrote over what the other one had read.
    Overwrite,
    /// In a restricted record: by way of an object, whatever lies between.
    Relayed,
}

impl EdgeKind {
    /// The name in exports.
    pub fn name(self) -> &'static str {
        match self {
            EdgeKind::Sequence => "sequence",
            EdgeKind::Flow => "flow",
            EdgeKind::Read => "read",
            EdgeKind::Write => "write",
            EdgeKind::Overwrite => "overwrite",
            EdgeKind::Relayed => "relayed",
        }
    }
}

/// An edge that ends at the event at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// What it stands for.
    pub kind: EdgeKind,
    /// Where it begins.
    pub from: EventId,
    /// The number of the event where it begins.
    pub from_number: u64,
    /// The object, for all but sequence and flow edges.
    pub object: Option<ObjectId>,
}

/// Who wrote an object last, and who has read it since.
#[derive(Clone, Debug, Default)]
struct Version {
    writer: Option<(EventId, u64)>,
    readers: Vec<(EventId, u64)>,
}

/// Numbers events and finds their edges.
#[derive(Debug)]
pub struct Edges {
    events: Carry<u64>,
    objects: IdTable<Version>,
    n_events: u64,
    found: Vec<Edge>,
}

impl Edges {
    /// No events yet, of a record made in this mode.
    pub fn of_mode(mode: RecordingMode) -> Self {
        let keeps_all = mode == RecordingMode::Restricted;
        Self { events: Carry::new(keeps_all), objects: IdTable::new(), n_events: 0, found: Vec::new() }
    }

    /// The number of the next event in causal order, and its edges in the order of
    /// [`before`]: a flow edge for each value removed; of a writer, first
    /// the edge from the last writer, then those from its readers in causal order. Cost: linear in the edges.
    ///
    /// # Errors
    /// Where the event took a value that was not sent, or names an event that did not occur.
    pub fn event(&mut self, event: &EventRecord) -> Result<(u64, &[Edge]), TakenTooOften> {
        self.found.clear();
        // Those behind the values removed are relayed, in the order of the record.
        let mut n_flow = event.flow.len();
        let mut relayed = event.relayed.iter();
        for needed in before(event) {
            match needed {
                Before::Sequence(from) => {
                    let from_number = self.events.of_action(from.action);
                    // The event before it may be left out of the export.
                    if from_number > 0 {
                        self.found.push(Edge { kind: EdgeKind::Sequence, from, from_number, object: None });
                    }
                }
                Before::Flow(from) => {
                    let (kind, object) = match n_flow.checked_sub(1) {
                        Some(n_left) => {
                            n_flow = n_left;
                            (EdgeKind::Flow, None)
                        }
                        None => (EdgeKind::Relayed, relayed.next().map(|relayed| relayed.object)),
                    };
                    let number = match kind {
                        EdgeKind::Flow => self.events.take(from),
                        _ => self.events.peek(from),
                    };
                    let from_number = number.ok_or(TakenTooOften { event: event.id, sender: from })?;
                    self.found.push(Edge { kind, from, from_number, object });
                }
                Before::Version(object, _) => {
                    let writes = event
                        .shared
                        .iter()
                        .any(|access| access.object == object && access.access == Access::Write);
                    let kind = if writes { EdgeKind::Write } else { EdgeKind::Read };
                    let writer = self.objects.get(object.0).and_then(|version| version.writer);
                    let object = Some(object);
                    self.found.extend(writer.map(|(from, from_number)| Edge {
                        kind,
                        from,
                        from_number,
                        object,
                    }));
                }
                Before::Readers(object, ..) => {
                    let readers = self.objects.get(object.0).map_or(&[][..], |version| &version.readers);
                    let object = Some(object);
                    self.found.extend(readers.iter().map(|&(from, from_number)| Edge {
                        kind: EdgeKind::Overwrite,
                        from,
                        from_number,
                        object,
                    }));
                }
            }
        }
        self.n_events += 1;
        let number = self.n_events;
        for access in &event.shared {
            let version = self.objects.slot(access.object.0);
            match access.access {
                Access::Read => version.readers.push((event.id, number)),
                Access::Write => {
                    version.writer = Some((event.id, number));
                    version.readers.clear();
                }
            }
        }
        self.events.leave(event, number);
        Ok((number, &self.found))
    }
}
