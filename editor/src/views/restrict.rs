//! Showing chosen instances alone: their events, with the orderings that go through what is left out (Hyder 1994, section
//! 6.1).
//!
//! The record is read again through the debugger's restriction, so that what is shown is what recording these instances
//! alone would have given; its events are then found in the record that is shown.

use std::collections::BTreeSet;
use std::sync::Arc;

use hasse_debugger::restrict::Restrictor;
use hasse_model::record_options::RecordOption;
use hasse_model::trace::RecordingMode;
use rustc_hash::FxHashMap;

use super::record::arrays::Record;
use super::record::{Before, Builder, LoadError, Next, Opened, RecordSource};
use super::task::{Task, Wake};

/// The orderings among the events of chosen instances.
#[derive(Debug)]
pub struct Restriction {
    kept: Arc<Vec<bool>>,
    /// Only of the chosen ones.
    record: Record,
    /// For each event of `record` its position in the whole one, ascending.
    whole_of: Vec<u32>,
}

impl Restriction {
    /// For each instance of the whole record whether it is chosen.
    pub fn kept(&self) -> &Arc<Vec<bool>> {
        &self.kept
    }

    /// Number of events left.
    pub fn n_events(&self) -> u32 {
        self.record.n_events()
    }

    /// Positions in the whole record of the events left, ascending.
    pub fn events(&self) -> &[u32] {
        &self.whole_of
    }

    /// The immediate predecessors of an event among those left, by positions in the whole record; none for an event that
    /// is left out.
    pub fn before(&self, event: u32) -> Vec<Before> {
        let Ok(own) = self.whole_of.binary_search(&event) else { return Vec::new() };
        let whole = |before: Before| {
            let event = *self.whole_of.get(before.event as usize)?;
            Some(Before { event, ..before })
        };
        self.record.before(own as u32).filter_map(whole).collect()
    }
}

/// Restricts a record to instances, by position, in the background.
pub fn restrict(
    source: RecordSource,
    record: Arc<Record>,
    chosen: BTreeSet<u32>,
    wake: Wake,
) -> Task<Result<Restriction, LoadError>> {
    Task::start(wake, move |control| {
        let kept: Vec<bool> = (0..record.instances().len() as u32).map(|at| chosen.contains(&at)).collect();
        let ids: BTreeSet<_> =
            chosen.iter().filter_map(|&at| Some(record.instances().get(at as usize)?.id)).collect();
        let opened = Opened::new(&source)?;
        let mut restrictor = Restrictor::new(record.mode(), |action, _| {
            if ids.contains(&action) { RecordOption::Full } else { RecordOption::Off }
        });
        let mut header = (**record.header()).clone();
        header.mode = RecordingMode::Restricted;
        let mut builder = Builder::new(Arc::new(header), Arc::clone(record.program()));
        let mut whole_of = Vec::new();
        let place: FxHashMap<_, u32> =
            (0..).zip(record.instances()).map(|(at, instance)| (instance.id, at)).collect();
        let mut n_read = 0;
        let outcome = opened.each(Some(control), &mut |event, names| {
            if n_read == record.n_events() {
                return Ok(Next::Enough);
            }
            n_read += 1;
            let restricted = restrictor.event(event, names).map_err(|source| LoadError::Inconsistent {
                event: names.event(event.id).to_string(),
                source,
            })?;
            let Some(restricted) = restricted else { return Ok(Next::More) };
            let id = restricted.id;
            let whole = place.get(&id.action).and_then(|&at| record.event_at(at, id.count));
            if let Some(whole) = whole {
                builder.event(restricted, names)?;
                whole_of.push(whole);
            }
            Ok(Next::More)
        })?;
        let record = builder.finish(outcome.names, outcome.notes, Vec::new());
        Ok(Restriction { kept: Arc::new(kept), record, whole_of })
    })
}
