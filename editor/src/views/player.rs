//! Playback of a sorted record (Hyder 1994, section 6.4.2, figure 6-6): event after event, without the program.
//!
//! The state at any position follows from sorted lists by binary search: how often each instance had executed, and how
//! many values were under way along each arc. So a jump costs what a step costs. Time is passed in.

use std::sync::Arc;

use hasse_model::event::Outcome;

use super::record::arrays::Record;
use super::record::{Flows, Grouped, Via};
use super::task::{Task, Wake};

/// What playback shows on the program's picture.
mod marks;

/// Least and greatest speed, in events a second.
pub const SPEEDS: (f64, f64) = (0.1, 1_000_000.0);
/// Events a second at the speed 1.
pub const USUAL_SPEED: f64 = 2.0;

/// What playback looks up, made once for a record.
#[derive(Debug)]
struct Prepared {
    flows: Flows,
    /// Where a set of concurrent events ends: positions at which an event comes that is after one behind the last
    /// such position.
    levels: Vec<u32>,
    /// Template and graph instance of each group of instances.
    groups: Vec<u32>,
    /// Events by group.
    events: Grouped,
    /// Failed events by group.
    failures: Grouped,
}

impl Prepared {
    fn of(record: &Record) -> Self {
        let mut levels = Vec::new();
        let mut start = 0;
        for event in 0..record.n_events() {
            if record.before(event).any(|before| before.event >= start) {
                levels.push(event);
                start = event;
            }
        }
        let mut numbers = std::collections::BTreeMap::new();
        let mut groups = Vec::new();
        let mut group_of = Vec::new();
        for (at, instance) in (0..).zip(record.instances()) {
            let key = (instance.template, record.names().graph_of(instance.id));
            let group = *numbers.entry(key).or_insert_with(|| {
                groups.push(at);
                groups.len() as u32 - 1
            });
            group_of.push(group);
        }
        let group = |event: u32| group_of.get(record.instance_of(event) as usize).copied().unwrap_or(0);
        let events = Grouped::of(groups.len(), || (0..record.n_events()).map(|event| (group(event), event)));
        let failures = Grouped::of(groups.len(), || {
            let failed = (0..record.n_events()).filter(|&event| record.outcome(event) == Outcome::Failed);
            failed.map(|event| (group(event), event))
        });
        Self { flows: Flows::of(record), levels, groups, events, failures }
    }
}

/// A value that the next event takes, on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pulse {
    /// The arc, by position in the program.
    pub arc: u32,
    /// 0 at the source, 1 at the target.
    pub place: f32,
}

/// Playback of a record.
pub struct Player {
    record: Arc<Record>,
    prepared: Option<Arc<Prepared>>,
    coming: Option<Task<Prepared>>,
    wake: Wake,
    /// Events shown, and the part of the next one's way that is done.
    position: f64,
    /// Events a second.
    speed: f64,
    is_playing: bool,
    loops: bool,
    follows: bool,
    /// Whether the next record is shown at its end, too.
    stays_at_end: bool,
    version: u64,
}

impl Player {
    /// Playback at the end of a record: all of its events are shown.
    pub fn new(record: Arc<Record>, wake: Wake) -> Self {
        let position = f64::from(record.n_events());
        let mut player = Self {
            record,
            prepared: None,
            coming: None,
            wake,
            position,
            speed: USUAL_SPEED,
            is_playing: false,
            loops: false,
            follows: false,
            stays_at_end: false,
            version: 1,
        };
        player.prepare();
        player
    }

    fn prepare(&mut self) {
        let record = Arc::clone(&self.record);
        self.coming = Some(Task::start(Arc::clone(&self.wake), move |_| Prepared::of(&record)));
        self.version += 1;
    }

    /// Takes up a record that has grown; where it follows, playback goes to its end.
    pub fn set_record(&mut self, record: Arc<Record>) {
        self.record = record;
        self.position = if self.follows || std::mem::take(&mut self.stays_at_end) {
            f64::from(self.record.n_events())
        } else {
            self.position.min(f64::from(self.record.n_events()))
        };
        self.prepare();
    }

    /// Goes with a record that grows no more; what is shown at its end is so of the next record, too.
    pub(super) fn stop_following(&mut self) {
        self.stays_at_end = self.is_at_end() && !self.is_playing;
        self.follows = false;
        self.version += 1;
    }

    /// Whether something is being prepared beside.
    pub fn is_busy(&self) -> bool {
        self.coming.as_ref().is_some_and(|coming| !coming.is_lost())
    }

    /// Takes up what was prepared beside; whether there is something new.
    pub fn poll(&mut self) -> bool {
        let Some(prepared) = self.coming.as_ref().and_then(Task::poll) else { return false };
        self.prepared = Some(Arc::new(prepared));
        self.coming = None;
        self.version += 1;
        true
    }

    /// Waits until everything is prepared.
    pub fn wait(&mut self) {
        if let Some(prepared) = self.coming.take().and_then(|coming| coming.wait()) {
            self.prepared = Some(Arc::new(prepared));
            self.version += 1;
        }
    }

    /// Changes with everything that is shown.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Number of events shown.
    pub fn position(&self) -> u32 {
        (self.position as u32).min(self.record.n_events())
    }

    /// How much of the next event's way is shown, from 0 to 1.
    pub fn fraction(&self) -> f64 {
        self.position.fract()
    }

    /// Number of events of the record.
    pub fn n_events(&self) -> u32 {
        self.record.n_events()
    }

    /// Whether time moves it.
    pub fn is_playing(&self) -> bool {
        self.is_playing
    }

    /// Whether it is at its end.
    pub fn is_at_end(&self) -> bool {
        self.position() == self.n_events()
    }

    /// Events a second.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// Whether it begins again at the end.
    pub fn loops(&self) -> bool {
        self.loops
    }

    /// Whether it stays at the end of a record that grows.
    pub fn follows(&self) -> bool {
        self.follows
    }

    /// Begins to play, from the beginning where it is at the end.
    pub fn play(&mut self) {
        if self.is_at_end() {
            self.position = 0.0;
        }
        self.is_playing = !self.record.is_empty();
        self.follows = false;
        self.version += 1;
    }

    /// Stops playing; what is under way stays under way.
    pub fn pause(&mut self) {
        self.is_playing = false;
        self.version += 1;
    }

    /// Plays or pauses.
    pub fn toggle(&mut self) {
        if self.is_playing { self.pause() } else { self.play() }
    }

    /// Sets the speed in events a second, within [`SPEEDS`].
    pub fn set_speed(&mut self, speed: f64) {
        if speed.is_finite() {
            self.speed = speed.clamp(SPEEDS.0, SPEEDS.1);
            self.version += 1;
        }
    }

    /// Sets whether it begins again at the end.
    pub fn set_loops(&mut self, loops: bool) {
        self.loops = loops;
        self.version += 1;
    }

    /// Sets whether it stays at the end of a record that grows.
    pub fn set_follows(&mut self, follows: bool) {
        self.follows = follows;
        if follows {
            self.is_playing = false;
            self.position = f64::from(self.n_events());
        }
        self.version += 1;
    }

    /// Lets so many seconds pass; whether something changed.
    pub fn advance(&mut self, seconds: f64) -> bool {
        if !self.is_playing || !seconds.is_finite() || seconds <= 0.0 {
            return false;
        }
        let end = f64::from(self.n_events());
        self.position += seconds * self.speed;
        if self.position >= end {
            if self.loops && end > 0.0 {
                self.position %= end;
            } else {
                self.position = end;
                self.is_playing = false;
            }
        }
        self.version += 1;
        true
    }

    /// Goes to where so many events are shown.
    pub fn seek(&mut self, position: u32) {
        self.position = f64::from(position.min(self.n_events()));
        self.follows = false;
        self.version += 1;
    }

    /// Goes to a share of the record, from 0 to 1.
    pub fn scrub(&mut self, share: f64) {
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        self.seek((share * f64::from(self.n_events())).round() as u32);
    }

    /// Goes so many events forward, or backward. What is under way counts as not shown.
    pub fn step(&mut self, n_events: i64) {
        self.pause();
        let position = i64::from(self.position()).saturating_add(n_events);
        let back_to_start = n_events < 0 && self.fraction() > 0.0;
        let position = if back_to_start { position + 1 } else { position };
        self.seek(position.clamp(0, i64::from(self.n_events())) as u32);
    }

    /// Goes forward to where the next set of concurrent events has been shown, or backward to where the last one had not.
    pub fn step_level(&mut self, is_forward: bool) {
        self.pause();
        let Some(prepared) = self.prepared.clone() else { return self.step(if is_forward { 1 } else { -1 }) };
        let position = self.position();
        let levels = &prepared.levels;
        let target = if is_forward {
            levels.get(levels.partition_point(|&at| at <= position)).copied().unwrap_or(self.n_events())
        } else {
            let before = levels.partition_point(|&at| at < position);
            before.checked_sub(1).map_or(0, |at| levels[at])
        };
        self.seek(target);
    }

    /// The event shown last.
    pub fn last(&self) -> Option<u32> {
        self.position().checked_sub(1)
    }

    /// The last events shown, the last one first, as far as to `most`.
    pub fn last_events(&self, most: u32) -> impl Iterator<Item = u32> + use<> {
        let position = self.position();
        (position.saturating_sub(most)..position).rev()
    }

    /// How often an instance has executed. Cost: a binary search.
    pub fn n_events_of(&self, instance: u32) -> u32 {
        let position = self.position();
        self.record.events_of(instance).partition_point(|&event| event < position) as u32
    }

    /// Number of values under way along a way; 0 until it is known.
    pub fn n_under_way(&self, way: u32) -> u64 {
        let prepared = self.prepared.as_ref();
        prepared.map_or(0, |prepared| prepared.flows.n_under_way(way, self.position()))
    }

    /// Number of values that were taken along a way; 0 until it is known.
    pub fn n_taken(&self, way: u32) -> u64 {
        let prepared = self.prepared.as_ref();
        prepared.map_or(0, |prepared| prepared.flows.n_taken(way, self.position()))
    }

    /// The values that the next event takes, on their way while it plays.
    pub fn pulses(&self) -> Vec<Pulse> {
        let next = self.position();
        let share = self.fraction();
        if next >= self.n_events() || share <= 0.0 {
            return Vec::new();
        }
        let mut pulses: Vec<Pulse> = Vec::new();
        for before in self.record.before(next) {
            let Via::Value(Some(way)) = before.via else { continue };
            let arcs = self.record.way(way);
            // Through several arcs in turn.
            let along = share * arcs.len() as f64;
            if let Some(&arc) = arcs.get(along as usize)
                && pulses.iter().all(|pulse| pulse.arc != arc)
            {
                pulses.push(Pulse { arc, place: along.fract() as f32 });
            }
        }
        pulses
    }
}
