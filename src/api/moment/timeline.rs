//! A recorded run as a sequence of moments: the replays that lead to them, and the states that are kept.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hasse_debugger::event_path::EventPath;
use hasse_debugger::moments::Moments;
use hasse_model::id::EventId;
use hasse_model::plan::Plan;
use hasse_model::snapshot::{ErrorState, Snapshot};
use hasse_model::trace::Names;
use hasse_runtime::report::RunReport;
use hasse_runtime::run::{EventSink, LoadedRecord, RunOptions, RuntimeError, StopSignal, stay_at};

use super::choices::events_of_choices;
use crate::Recorded;
use crate::api::event::{EventError, Ground, diverged, heap_bytes};

/// Maximum number of stations.
const N_STATIONS: u64 = 64;
/// Minimum number of events between two stations.
const LEAST_DISTANCE: u64 = 256;
/// Maximum memory of the states, in bytes.
pub const DEFAULT_STATE_BYTES: usize = 512 << 20;

/// A recorded run as a sequence of moments.
#[derive(Debug)]
pub struct Timeline<'p> {
    plan: &'p Plan,
    options: RunOptions,
    stop: Mutex<StopSignal>,
    record: LoadedRecord,
    /// The first moment that a replay can lead to, where it is not the beginning.
    base: Option<Arc<Snapshot>>,
    moments: Moments,
    names: Names,
    states: Mutex<States>,
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
        // Keeping a state takes about as long for each action as a replay does for an event.
        let n_actions = moments.actions().len() as u64;
        let distance = (moments.n_events() / N_STATIONS).max(LEAST_DISTANCE).max(n_actions);
        let states = Mutex::new(States { distance, most_bytes, ..States::default() });
        let stop = Mutex::new(options.stop.clone());
        Ok(Self { plan, options, stop, record, base, moments, names, states })
    }

    /// Keeps states at this distance, in events, in place of one that depends on the length of the record.
    pub fn with_distance(self, n_events: u64) -> Self {
        self.states().distance = n_events.max(1);
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
    /// Cost: a replay from the nearest earlier moment whose state is kept; the first time, also the states of moments between.
    ///
    /// # Errors
    /// The replay leaves the record, is stopped, or comes to a state that has no form in bytes.
    pub fn state(&self, position: u64) -> Result<Arc<Snapshot>, EventError> {
        let position = position.min(self.moments.n_events());
        if let Some(base) = &self.base {
            match position.cmp(&base.n_events) {
                Ordering::Less => return Err(EventError::BeforeBase { n_before: base.n_events }),
                Ordering::Equal => return Ok(Arc::clone(base)),
                Ordering::Greater => {}
            }
        }
        if let Some(known) = self.states().at(position) {
            return Ok(known);
        }
        let base = self.approach(position)?;
        let mut arrived = None;
        let report =
            self.stay(position, base.as_deref(), &self.options(), &mut |state| arrived = Some(state))?;
        self.checked(&report, position)?;
        let state = arrived.ok_or_else(|| self.stopped(position))?;
        Ok(self.keep(position, state))
    }

    /// Comes near to a moment: returns the state of an earlier one, from which there are few events to it; `None` where the run begins
    /// near by. States of the stations on the way are kept.
    ///
    /// # Errors
    /// As for [`state`](Self::state).
    pub fn approach(&self, position: u64) -> Result<Option<Arc<Snapshot>>, EventError> {
        loop {
            let (base, known, distance) = {
                let states = self.states();
                let (base, known) = states.before(position);
                (base, known, states.distance)
            };
            let (base, known) = match (known, &self.base) {
                (None, Some(first)) => (first.n_events, Some(Arc::clone(first))),
                (known, _) => (base, known),
            };
            let station = (base / distance + 1) * distance;
            if station >= position {
                return Ok(known);
            }
            let mut arrived = None;
            let report =
                self.stay(station, known.as_deref(), &self.options(), &mut |state| arrived = Some(state))?;
            self.checked(&report, station)?;
            self.keep(station, arrived.ok_or_else(|| self.stopped(station))?);
        }
    }

    /// Brings the run from a state to a moment, and stays there as long as the control in `options` does not let go; see
    /// [`stay_at`]. `options` are [those of the replays](Self::options), with a control.
    ///
    /// # Errors
    /// The run cannot be carried out.
    pub fn stay(
        &self,
        position: u64,
        from: Option<&Snapshot>,
        options: &RunOptions,
        arrive: &mut dyn FnMut(Snapshot),
    ) -> Result<RunReport, EventError> {
        Ok(stay_at(self.plan, options, &self.record, from, &self.moments.cut(position), None, arrive)?)
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
        let is_beginning = from == 0 && self.base.is_none();
        let base = if is_beginning { None } else { Some(self.state(from)?) };
        let mut arrived = None;
        let mut keep = |state| {
            arrived = Some(state);
            if let Some(control) = &options.control {
                control.release();
            }
        };
        if let Some(control) = &options.control {
            control.begin();
        }
        let cut = self.moments.cut(to);
        let stayed = stay_at(self.plan, options, &self.record, base.as_deref(), &cut, sink, &mut keep);
        if let Some(control) = &options.control {
            control.end();
        }
        self.checked(&stayed?, to)?;
        self.keep(to, arrived.ok_or_else(|| self.stopped(to))?);
        Ok(())
    }

    /// The last station before a moment, or the beginning.
    pub fn station_before(&self, position: u64) -> u64 {
        let distance = self.states().distance;
        position.saturating_sub(1) / distance * distance
    }

    /// The first station after a moment, or the end.
    pub fn station_after(&self, position: u64) -> u64 {
        let distance = self.states().distance;
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

    /// Keeps the state of a moment, as it was come to, and returns it.
    pub fn keep(&self, position: u64, mut state: Snapshot) -> Arc<Snapshot> {
        self.put_in_order(&mut state);
        self.states().keep(position, state)
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

    fn states(&self) -> MutexGuard<'_, States> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
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

/// States that are kept, by the positions of their moments.
#[derive(Debug, Default)]
struct States {
    kept: BTreeMap<u64, (usize, Arc<Snapshot>)>,
    n_bytes: usize,
    most_bytes: usize,
    /// Between stations.
    distance: u64,
}

impl States {
    fn at(&self, position: u64) -> Option<Arc<Snapshot>> {
        self.kept.get(&position).map(|(_, state)| Arc::clone(state))
    }

    /// The last known moment before or at a position; the beginning has no state.
    fn before(&self, position: u64) -> (u64, Option<Arc<Snapshot>>) {
        let last = self.kept.range(..=position).next_back();
        last.map_or((0, None), |(&at, (_, state))| (at, Some(Arc::clone(state))))
    }

    /// Keeps a state. Where there are too many bytes, the distance of stations is doubled, and only these are kept, and the new one.
    fn keep(&mut self, position: u64, state: Snapshot) -> Arc<Snapshot> {
        let state = Arc::new(state);
        let n_bytes = bytes_of(&state);
        if let Some((n_before, _)) = self.kept.insert(position, (n_bytes, Arc::clone(&state))) {
            self.n_bytes -= n_before;
        }
        self.n_bytes += n_bytes;
        while self.n_bytes > self.most_bytes && self.kept.len() > 1 {
            self.distance = self.distance.saturating_mul(2);
            let distance = self.distance;
            self.kept.retain(|&at, _| at == position || at % distance == 0);
            self.n_bytes = self.kept.values().map(|(n_bytes, _)| n_bytes).sum();
            if distance == u64::MAX {
                break;
            }
        }
        state
    }
}

/// About how many bytes a state takes. Values that are shared count each time.
fn bytes_of(state: &Snapshot) -> usize {
    let actions = state.actions.iter().map(|action| {
        let vars = action.vars.iter().flatten().map(|(name, value)| 48 + name.len() + heap_bytes(value));
        let queues = action.queues.iter().map(|queue| {
            let values = queue.values.iter().map(|sent| 64 + heap_bytes(&sent.value));
            96 + values.sum::<usize>()
        });
        256 + vars.sum::<usize>() + queues.sum::<usize>()
    });
    let objects = state.objects.iter().map(|object| 128 + heap_bytes(&object.value));
    actions.sum::<usize>() + objects.sum::<usize>() + 64 * state.graphs.len() + 16 * state.reclaimed.len()
}
