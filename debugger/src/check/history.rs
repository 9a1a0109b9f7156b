//! The part of a history that shows something: events with the immediate predecessors that matter.

use hasse_model::id::{EventId, ObjectId};

use super::evidence::{Evidence, World, template_name};
use super::log::{Entry, View};

/// An event of a part of a history.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Path and count of the event.
    pub event: String,
    /// Name of its template.
    pub template: String,
    /// How events of this part are immediately before it.
    pub before: Vec<Evidence>,
}

/// The steps of a shortest way from one event to a later one; nothing where it is not kept.
pub(super) fn way(first: EventId, last: EventId, log: &View<'_>, world: World<'_>) -> Vec<Step> {
    log.chain(first, last).map_or(Vec::new(), |chain| steps(&chain, world))
}

/// Two concurrent events, and the ways to them from the latest event that is before both.
pub(super) fn fork(one: EventId, other: EventId, log: &View<'_>, world: World<'_>) -> Vec<Step> {
    let Some(common) = log.common_past(one, other) else {
        let alone = |event| Step {
            event: world.names.event(event).to_string(),
            template: template_name(event, world.names),
            before: Vec::new(),
        };
        return vec![alone(one), alone(other)];
    };
    let mut all = way(common.id, one, log, world);
    all.extend(way(common.id, other, log, world).into_iter().skip(1));
    all
}

/// How the immediate predecessors of an event reached it; `None` where the event is not kept.
pub(super) fn evidence(event: EventId, log: &View<'_>, world: World<'_>) -> Option<Vec<Evidence>> {
    let entry = log.get(event)?;
    let mut seen: Vec<EventId> = Vec::new();
    let mut evidence = Vec::new();
    for before in entry.recorded() {
        if !seen.contains(&before) {
            seen.push(before);
            if let Some(first) = log.get(before) {
                evidence.extend(world.between(&first.record(), &entry.record(), &[]));
            }
        }
    }
    Some(evidence)
}

fn steps(chain: &[&Entry], world: World<'_>) -> Vec<Step> {
    let step = |(position, entry): (usize, &&Entry)| {
        let first = position.checked_sub(1).map(|before| chain[before]);
        let before = first.map_or(Vec::new(), |first| {
            let is_read = |(_, reader): &&(ObjectId, EventId)| *reader == first.id;
            let read: Vec<ObjectId> =
                entry.readers().iter().filter(is_read).map(|(object, _)| *object).collect();
            world.between(&first.record(), &entry.record(), &read)
        });
        Step {
            event: world.names.event(entry.id).to_string(),
            template: template_name(entry.id, world.names),
            before,
        }
    };
    chain.iter().enumerate().map(step).collect()
}
