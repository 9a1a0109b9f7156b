//! Replays of a part of a record: the events between a station and a moment, with the actions and objects that they need.

use hasse_model::id::{ActionId, EventId, ObjectId};
use hasse_model::snapshot::{ActionState, Snapshot};
use rustc_hash::{FxHashMap, FxHashSet};

use super::stations::Changes;
use super::timeline::Timeline;
use crate::api::event::EventError;

/// Actions and shared objects that a state is to have.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Actions.
    pub actions: FxHashSet<ActionId>,
    /// Shared objects.
    pub objects: FxHashSet<ObjectId>,
    /// True for all shared objects.
    pub all_objects: bool,
}

impl Wanted {
    /// An action, with what it may access.
    pub fn action(action: ActionId) -> Self {
        Self { actions: std::iter::once(action).collect(), all_objects: true, ..Self::default() }
    }

    fn has_object(&self, object: ObjectId) -> bool {
        self.all_objects || self.objects.contains(&object)
    }
}

/// Events between two moments.
pub(super) struct Part {
    /// The last event of each action, ascending by action.
    pub(super) last: Vec<EventId>,
    /// Objects that they access.
    objects: FxHashSet<ObjectId>,
}

impl Part {
    fn has(&self, action: ActionId) -> bool {
        self.last.binary_search_by_key(&action, |event| event.action).is_ok()
    }

    pub(super) fn wanted(&self) -> Wanted {
        Wanted {
            actions: self.last.iter().map(|event| event.action).collect(),
            objects: self.objects.clone(),
            all_objects: false,
        }
    }
}

impl Timeline<'_> {
    /// Changes of the state since a station, or since the beginning; and the wanted actions and objects, changed or not.
    pub(super) fn changes_since(
        &self,
        station: Option<(usize, u64)>,
        position: u64,
        wanted: &Wanted,
    ) -> Result<Changes, EventError> {
        let from = station.map_or(0, |(_, from)| from);
        let part = self.events_between(from, position);
        let base = station.map(|(idx, _)| self.with_part(idx, &part, wanted)).transpose()?;
        let mut state = match base {
            Some(base) if from == position => base,
            base => {
                let mut arrived = None;
                let mut arrive = |state| arrived = Some(state);
                let options = self.options();
                let report =
                    self.stay_with(base.as_ref(), (from, position), &part.last, &options, None, &mut arrive)?;
                self.checked(&report, position)?;
                arrived.ok_or_else(|| self.stopped(position))?
            }
        };
        let mut states = self.stations();
        states.ids.put_into(&mut state, &self.names);
        state.random_seed = self.random_seed;
        let Some((idx, _)) = station else {
            let (n_new_actions, n_new_objects) = (state.actions.len(), state.objects.len());
            return Ok(Changes { state, n_new_actions, n_new_objects });
        };
        let stations = &states.stations;
        let (mut n_new_actions, mut n_new_objects) = (0, 0);
        let is_restored = |action: ActionId| {
            part.has(action) || wanted.actions.contains(&action) || stations.failed_at(idx).contains(&action)
        };
        for action in &mut state.actions {
            let known = stations.action(idx, action.record.action)?;
            n_new_actions += usize::from(known.is_none());
            if let Some(known) = known.filter(|_| !self.is_whole && !is_restored(action.record.action)) {
                let arrived = std::mem::replace(action, known);
                self.receive(action, arrived);
            }
        }
        let is_touched =
            |object: ObjectId| part.objects.contains(&object) || wanted.has_object(object) || self.is_whole;
        state.objects.retain(|object| {
            let is_known = stations.has_object(idx, object.record.object);
            n_new_objects += usize::from(!is_known);
            !is_known || is_touched(object.record.object)
        });
        state.n_actions = (stations.n_at(Some(idx)).0 + n_new_actions) as u64;
        Ok(Changes { state, n_new_actions, n_new_objects })
    }

    /// A state at a station that has what a part of the record needs, and what is wanted.
    fn with_part(&self, station: usize, part: &Part, wanted: &Wanted) -> Result<Snapshot, EventError> {
        let states = self.stations();
        let stations = &states.stations;
        let rest = stations.rest(station);
        if self.is_whole {
            let nothing = Changes { state: rest, n_new_actions: 0, n_new_objects: 0 };
            return Ok(stations.whole(Some(station), nothing)?);
        }
        // Values for one that has failed are not kept.
        let executing = part.last.iter().map(|last| last.action);
        let mut actions: Vec<ActionId> = executing
            .chain(wanted.actions.iter().copied())
            .chain(stations.failed_at(station).iter().copied())
            .collect();
        actions.sort_unstable();
        actions.dedup();
        let mut objects: Vec<ObjectId> = match wanted.all_objects {
            true => stations.objects_at(station),
            false => part.objects.iter().chain(&wanted.objects).copied().collect(),
        };
        objects.sort_unstable();
        objects.dedup();
        let actions = actions.into_iter().filter_map(|action| stations.action(station, action).transpose());
        let objects = objects.into_iter().filter_map(|object| stations.object(station, object).transpose());
        Ok(Snapshot {
            actions: actions.collect::<Result<_, _>>()?,
            objects: objects.collect::<Result<_, _>>()?,
            ..rest
        })
    }

    /// The events between two moments: the last of each action, and what they access.
    pub(super) fn events_between(&self, from: u64, to: u64) -> Part {
        let mut last = FxHashMap::default();
        let mut objects = FxHashSet::default();
        for (first, n_events) in self.moments.between(from, to) {
            last.insert(first.action, first.count + n_events - 1);
            if !self.plan.shared.is_empty() {
                let events = (0..n_events).map(|step| EventId { count: first.count + step, ..first });
                objects.extend(events.flat_map(|event| self.record.objects_of(event)));
            }
        }
        let mut last: Vec<EventId> =
            last.into_iter().map(|(action, count)| EventId { action, count }).collect();
        last.sort_unstable_by_key(|event| event.action);
        Part { last, objects }
    }

    /// Adds to the state of an action the values that it has received since.
    fn receive(&self, action: &mut ActionState, arrived: ActionState) {
        for queue in arrived.queues {
            let known = action
                .queues
                .iter_mut()
                .find(|known| known.port == queue.port && known.elements == queue.elements);
            match known {
                Some(known) => known.values.extend(queue.values),
                None => action.queues.push(queue),
            }
        }
        let inputs = &self.plan.template(action.record.template).inputs;
        action.queues.sort_by_cached_key(|queue| {
            (inputs.iter().position(|port| port.name == queue.port), queue.elements.clone())
        });
    }
}
