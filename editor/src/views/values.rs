//! Values of a record's events, and what follows from them: the values that each arc carried, and the state of any
//! moment of playback.
//!
//! A record holds no values; whoever holds [`Values`] had a replay make them again. The content of a queue at a moment
//! follows from who took which value of whom: a value waits from the event that sent it to the event that took it.

use hasse_model::id::EventId;

use super::record::arrays::Record;

/// Origins of a value.
mod lineage;
/// The state of a moment.
mod moment;
/// The values of the events of one record.
pub(super) mod store;

pub use lineage::{LineageStep, Origin};
pub use moment::{Held, HeldKind};
pub use store::{Passage, Values};

/// Most events all of whose values are made again at once. Of a longer record, those around a moment are.
pub const MOST_EVENTS: u32 = 20_000;
/// Events before a moment whose values are made again for it.
const EVENTS_BEFORE: u32 = 1_000;
/// Events after a moment whose values are made again for it.
const EVENTS_AFTER: u32 = 200;
/// Most instances whose last event before a moment is made again for it.
const MOST_INSTANCES: usize = 2_000;

/// The events whose values the state of a moment needs, of a record of more than [`MOST_EVENTS`]: those around it, and the
/// last one of each instance.
pub fn wanted_at(record: &Record, position: u32) -> Vec<EventId> {
    let around = position.saturating_sub(EVENTS_BEFORE)..position.saturating_add(EVENTS_AFTER);
    let mut wanted: Vec<u32> = around.take_while(|&event| event < record.n_events()).collect();
    let first = wanted.first().copied().unwrap_or(0);
    let last_of = |&instance: &u32| {
        let events = record.events_of(instance);
        let last = events.partition_point(|&event| event < position).checked_sub(1)?;
        events.get(last).copied().filter(|&event| event < first)
    };
    let instances = 0..record.instances().len().min(MOST_INSTANCES) as u32;
    wanted.extend(instances.filter_map(|instance| last_of(&instance)));
    wanted.iter().filter_map(|&event| record.event_id(event)).collect()
}
