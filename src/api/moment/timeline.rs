//! A recorded run as a sequence of moments: the replays that lead to them, and the states that are kept.

use std::hash::{BuildHasher, RandomState};
use std::io::{Read, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hasse_debugger::event_path::EventPath;
use hasse_debugger::moments::Moments;
use hasse_model::id::EventId;
use hasse_model::plan::Plan;
use hasse_model::snapshot::{ErrorState, Snapshot};
use hasse_model::trace::Names;
use hasse_runtime::report::RunReport;
use hasse_runtime::run::{
    EventSink, LoadedRecord, RunOptions, RuntimeError, StopSignal, stay_at, stay_with_part,
};

use super::choices::events_of_choices;
use super::index::{IndexError, IndexReader, IndexWriter};
use super::kept::{Recent, States};
use super::own_ids::OwnIds;
use super::part::Wanted;
use super::stations::{Changes, Stations};
use crate::Recorded;
use crate::api::event::{EventError, Ground, diverged};

/// Maximum number of stations.
const N_STATIONS: u64 = 256;
/// Minimum number of events between two stations.
const LEAST_DISTANCE: u64 = 256;
/// Maximum memory of the states, in bytes.
pub const DEFAULT_STATE_BYTES: usize = 512 << 20;

/// A recorded run as a sequence of moments.
#[derive(Debug)]
pub struct Timeline<'p> {
    pub(super) plan: &'p Plan,
    options: RunOptions,
    stop: Mutex<StopSignal>,
    pub(super) record: LoadedRecord,
    /// The first moment that a replay can lead to, where it is not the beginning.
    base: Option<Arc<Snapshot>>,
    pub(super) moments: Moments,
    pub(super) names: Names,
    /// Seed of the random numbers of runs that go on from a moment.
    pub(super) random_seed: u64,
    /// True if a replay cannot follow a part of the record alone.
    pub(super) is_whole: bool,
    states: Mutex<States>,
    recent: Mutex<Recent>,
}

impl<'p> Timeline<'p> {
    /// Takes in a record, which stays in memory. Of a minimal record the run is replayed for its events.
    ///
    /// # Errors
    /// The record has not every event or choice, contradicts itself, or begins in the middle of the run; a person has changed
    /// queues in it; or the replay of a minimal record leaves it or is stopped.
    pub fn new(
        plan: &'p Plan,
        recorded: Recorded,
        options: &RunOptions,
        most_bytes: usize,
    ) -> Result<Self, EventError> {
        let header = &recorded.header;
        if header.n_before > 0 {
            return Err(EventError::BeginsLater);
        }
        if !Recorded::is_replayable(header.mode) {
            return Err(EventError::NotReplayable { mode: header.mode });
        }
        // An action that can never receive again is part of a state, as what it is there must not depend on when somebody looked.
        let options =
            RunOptions { params: header.params.clone(), reclaim_above: u64::MAX, ..options.clone() };
        let names = Names::new(header);
        let record = match recorded.record.minimal {
            None => recorded.record,
            Some(_) => events_of_choices(Ground { plan, recorded: &recorded, options: &options })?,
        };
        let contradiction =
            |error: hasse_debugger::read::ReadError| RuntimeError::Record { message: error.to_string() };
        let (moments, names) = Moments::of(names, &record.batches).map_err(contradiction)?;
        let base = record.base.clone();
        let record = LoadedRecord::load(record, plan)?;
        let distance = (moments.n_events() / N_STATIONS).max(LEAST_DISTANCE);
        let mut states =
            States { distance, most_bytes, ids: OwnIds::after(record.first_free()), ..States::default() };
        if let Some(base) = &base {
            let mut state = Snapshot::clone(base);
            states.ids.put_into(&mut state, &names);
            let (n_new_actions, n_new_objects) = (state.actions.len(), state.objects.len());
            states.add(base.n_events, Changes { state, n_new_actions, n_new_objects })?;
        }
        let recent = Mutex::new(Recent::within(most_bytes / 4));
        let stop = Mutex::new(options.stop.clone());
        let (is_whole, states) = (record.has_edits(), Mutex::new(states));
        // A fresh hasher state is the standard library's source of entropy.
        let random_seed = base.as_ref().map(|base| base.random_seed).or(options.seed);
        let random_seed = random_seed.unwrap_or_else(|| RandomState::new().hash_one(0_u8));
        Ok(Self { plan, options, stop, record, base, moments, names, random_seed, is_whole, states, recent })
    }

    /// Keeps states at this distance, in events, in place of one that depends on the length of the record.
    pub fn with_distance(self, n_events: u64) -> Self {
        self.stations().distance = n_events.max(1);
        self
    }

    /// The events in order.
    pub fn moments(&self) -> &Moments {
        &self.moments
    }

    /// Names of what the record tells of.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The same with what exists in a state and has not executed in the record.
    pub fn names_at(&self, state: &Snapshot) -> Names {
        let mut names = self.names.clone();
        for graph in state.graphs.iter().filter(|graph| self.names.graph(graph.graph).is_none()) {
            names.add_graph(graph);
        }
        for action in
            state.actions.iter().filter(|action| self.names.template_of(action.record.action).is_none())
        {
            names.add_action(&action.record);
        }
        for object in
            state.objects.iter().filter(|object| self.names.shared_of(object.record.object).is_none())
        {
            names.add_object(&object.record);
        }
        names
    }

    /// The event that a path such as `/Mult[3]:2` names.
    ///
    /// # Errors
    /// The text is no path, or the record has no such event.
    pub fn find(&self, text: &str) -> Result<EventId, EventError> {
        let path =
            EventPath::parse(text).map_err(|source| EventError::Path { text: text.to_owned(), source })?;
        Ok(path.find(&self.names, self.moments.actions())?)
    }

    /// The position that a text names: the number of events, a share of them such as `50%`, `end`, or an event, after which it is.
    ///
    /// # Errors
    /// The record has no such event, or fewer events.
    pub fn position(&self, text: &str) -> Result<u64, EventError> {
        let n_events = self.moments.n_events();
        if text == "end" {
            return Ok(n_events);
        }
        let no_moment = || EventError::NoMoment { text: text.to_owned(), n_events };
        if let Some(share) = text.strip_suffix('%') {
            let percent: u64 = share.parse().ok().filter(|percent| *percent <= 100).ok_or_else(no_moment)?;
            return Ok((u128::from(n_events) * u128::from(percent) / 100) as u64);
        }
        if text.starts_with(|letter: char| letter.is_ascii_digit()) {
            return text.parse().ok().filter(|position| *position <= n_events).ok_or_else(no_moment);
        }
        let event = self.find(text)?;
        Ok(self.moments.after(event).unwrap_or(n_events))
    }

    /// The state at a moment; of one behind the last, that of the last.
    ///
    /// Cost: that of [`part`](Self::part), and linear in the actions that exist.
    ///
    /// # Errors
    /// As for [`part`](Self::part).
    pub fn state(&self, position: u64) -> Result<Arc<Snapshot>, EventError> {
        let position = position.min(self.moments.n_events());
        self.check_base(position)?;
        if let Some(known) = self.recent().find(position) {
            return Ok(known);
        }
        let station = self.approach(position)?;
        let changes = self.changes_since(station, position, &Wanted::default())?;
        let mut state = self.stations().stations.whole(station.map(|(idx, _)| idx), changes)?;
        self.put_in_order(&mut state);
        let state = Arc::new(state);
        self.recent().keep(position, &state);
        Ok(state)
    }

    /// The state at a moment of some actions and shared objects alone, as far as they exist, perhaps with others: those that have executed
    /// shortly before.
    ///
    /// Cost: a replay from the nearest earlier station; the first time, also the states of stations between.
    ///
    /// # Errors
    /// The replay leaves the record, is stopped, or comes to a state that has no form in bytes.
    pub fn part(&self, position: u64, wanted: &Wanted) -> Result<Snapshot, EventError> {
        let position = position.min(self.moments.n_events());
        self.check_base(position)?;
        let station = self.approach(position)?;
        let mut state = self.changes_since(station, position, wanted)?.state;
        self.put_in_order(&mut state);
        Ok(state)
    }

    /// Makes the stations up to the end, as far as they are not there. `progress` is given the number of events after each.
    ///
    /// Cost: a replay of the record.
    ///
    /// # Errors
    /// As for [`part`](Self::part).
    pub fn make_stations(&self, progress: &mut dyn FnMut(u64)) -> Result<(), EventError> {
        let n_events = self.moments.n_events();
        loop {
            let (last, distance) = {
                let states = self.stations();
                (states.stations.last().unwrap_or(0), states.distance)
            };
            let next = (last / distance + 1) * distance;
            if next > n_events {
                return Ok(());
            }
            self.approach(next)?;
            progress(next);
        }
    }

    /// Returns true if all stations have been made.
    pub fn has_stations(&self) -> bool {
        let states = self.stations();
        states.stations.last().unwrap_or(0).saturating_add(states.distance) > self.moments.n_events()
    }

    /// Writes the stations, as an index of a record that has this key, such as a digest of its bytes.
    ///
    /// # Errors
    /// `out` does not take it.
    pub fn write_index(&self, out: impl Write, key: &[u8]) -> Result<(), IndexError> {
        let mut writer = IndexWriter::begin(out, key)?;
        let states = self.stations();
        writer.number(states.distance)?;
        states.ids.write(&mut writer)?;
        states.stations.write(&mut writer)?;
        writer.finish()
    }

    /// Takes the stations of an index in place of its own.
    ///
    /// # Errors
    /// It is not of the record with this key, or cannot be read; all stays as it was.
    pub fn read_index(&self, input: impl Read, key: &[u8]) -> Result<(), IndexError> {
        let mut reader = IndexReader::begin(input, key)?;
        let n_events = self.moments.n_events();
        let distance = reader.number()?.clamp(1, n_events.max(1));
        let ids = OwnIds::read(&mut reader)?;
        let stations = Stations::read(&mut reader)?;
        reader.finish()?;
        if stations.last().is_some_and(|last| last > n_events) {
            return Err(IndexError::Damaged);
        }
        let mut states = self.stations();
        (states.distance, states.ids, states.stations) = (distance, ids, stations);
        states.thin_out()?;
        Ok(())
    }

    fn check_base(&self, position: u64) -> Result<(), EventError> {
        match &self.base {
            Some(base) if position < base.n_events => Err(EventError::BeforeBase { n_before: base.n_events }),
            _ => Ok(()),
        }
    }

    /// Comes near to a moment: makes the stations up to there. Returns the last of them; `None` where the run begins near by.
    fn approach(&self, position: u64) -> Result<Option<(usize, u64)>, EventError> {
        loop {
            let (before, last, distance) = {
                let states = self.stations();
                (states.stations.before(position), states.stations.last().unwrap_or(0), states.distance)
            };
            let next = (last / distance + 1) * distance;
            if next > position {
                return Ok(before);
            }
            let station = self.stations().stations.before(last).filter(|_| last > 0);
            let mut changes = self.changes_since(station, next, &Wanted::default())?;
            self.put_in_order(&mut changes.state);
            // It is no part of the record.
            changes.state.random_seed = 0;
            self.stations().add(next, changes)?;
        }
    }

    /// Brings the run from a state to a moment, and stays there as long as the control in `options` does not let go; see
    /// [`stay_at`]. `options` are [those of the replays](Self::options), with a control. The state is that at the moment `from`, and has the
    /// actions that execute until then; see [`part`](Self::part).
    ///
    /// # Errors
    /// The run cannot be carried out.
    pub fn stay(
        &self,
        state: Option<&Snapshot>,
        (from, to): (u64, u64),
        options: &RunOptions,
        arrive: &mut dyn FnMut(Snapshot),
    ) -> Result<RunReport, EventError> {
        self.stay_with(state, (from, to), &self.events_between(from, to).last, options, None, arrive)
    }

    pub(super) fn stay_with(
        &self,
        state: Option<&Snapshot>,
        (from, to): (u64, u64),
        last: &[EventId],
        options: &RunOptions,
        sink: Option<Box<dyn EventSink + '_>>,
        arrive: &mut dyn FnMut(Snapshot),
    ) -> Result<RunReport, EventError> {
        debug_assert!(from <= to);
        if self.is_whole {
            let cut = self.moments.cut(to);
            return Ok(stay_at(self.plan, options, &self.record, state, &cut, sink, arrive)?);
        }
        Ok(stay_with_part(self.plan, options, &self.record, state, (last, to), sink, arrive)?)
    }

    /// Executes the events between two moments, and gives `sink` their record. `options` are [those of the replays](Self::options),
    /// with what is to be captured, or with a control whose breakpoints stop nothing.
    ///
    /// # Errors
    /// As for [`state`](Self::state).
    pub fn pass(
        &self,
        from: u64,
        to: u64,
        options: &RunOptions,
        sink: Option<Box<dyn EventSink + '_>>,
    ) -> Result<(), EventError> {
        let part = self.events_between(from, to);
        let is_beginning = from == 0 && self.base.is_none();
        let base = match is_beginning {
            true => None,
            false if self.is_whole => Some(self.state(from)?),
            false => Some(Arc::new(self.part(from, &part.wanted())?)),
        };
        let mut has_arrived = false;
        let mut arrive = |_| {
            has_arrived = true;
            if let Some(control) = &options.control {
                control.release();
            }
        };
        if let Some(control) = &options.control {
            control.begin();
        }
        let stayed = self.stay_with(base.as_deref(), (from, to), &part.last, options, sink, &mut arrive);
        if let Some(control) = &options.control {
            control.end();
        }
        self.checked(&stayed?, to)?;
        if has_arrived { Ok(()) } else { Err(self.stopped(to)) }
    }

    /// The last station before a moment, or the beginning.
    pub fn station_before(&self, position: u64) -> u64 {
        let distance = self.stations().distance;
        position.saturating_sub(1) / distance * distance
    }

    /// The first station after a moment, or the end.
    pub fn station_after(&self, position: u64) -> u64 {
        let distance = self.stations().distance;
        ((position / distance + 1) * distance).min(self.moments.n_events())
    }

    /// The program that was recorded.
    pub fn plan(&self) -> &'p Plan {
        self.plan
    }

    /// Options of the replays, with the parameters of the record.
    pub fn options(&self) -> RunOptions {
        let stop = self.stop.lock().unwrap_or_else(PoisonError::into_inner).clone();
        RunOptions { stop, ..self.options.clone() }
    }

    /// Returns a signal that ends the replays which are begun from here on, up to the next call.
    pub fn interruptible(&self) -> StopSignal {
        let stop = StopSignal::default();
        *self.stop.lock().unwrap_or_else(PoisonError::into_inner) = stop.clone();
        stop
    }

    /// Makes a state independent of the schedule that led to it. Values that wait on a port are in the order of their senders in
    /// the record, and errors in that of their events: a cut does not tell in which order they have come, and a replay takes them as
    /// recorded. An action that has not executed has no vars, as it gets them when a worker looks at it.
    pub fn put_in_order(&self, state: &mut Snapshot) {
        for action in state.actions.iter_mut().filter(|action| action.count == 0) {
            action.vars = None;
        }
        let position =
            |error: &ErrorState| self.find(&error.event).ok().and_then(|event| self.moments.after(event));
        state.errors.sort_by_cached_key(position);
        for queue in state.actions.iter_mut().flat_map(|action| &mut action.queues) {
            queue.values.sort_by_cached_key(|sent| sent.sender.and_then(|sender| self.moments.after(sender)));
        }
    }

    pub(super) fn stations(&self) -> MutexGuard<'_, States> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn recent(&self) -> MutexGuard<'_, Recent> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The error that a replay was stopped before it came to a moment.
    pub fn stopped(&self, position: u64) -> EventError {
        let event = self.moments.event_before(position);
        let event = event.map_or_else(|| "the run".to_owned(), |event| self.names.event(event).to_string());
        EventError::Stopped { event }
    }

    /// Checks that a replay has come to a moment as recorded.
    ///
    /// # Errors
    /// It has left the record.
    pub fn checked(&self, report: &RunReport, position: u64) -> Result<(), EventError> {
        diverged(report)?;
        if report.n_events == position { Ok(()) } else { Err(self.stopped(position)) }
    }
}
