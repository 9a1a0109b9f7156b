//! What was measured, as plain data. Times are nanoseconds, moments are counted from the start of the run.

use hasse_model::quantity::counted;
use hasse_model::trace::RecordingMode;

use super::group::By;
use super::window::Window;

/// A performance report.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Path of the program file as it was given.
    pub program: String,
    /// How the run was recorded.
    pub mode: RecordingMode,
    /// What events are counted under.
    pub by: By,
    /// How many rows a table of the text has at most.
    pub n_top: usize,
    /// The stretch that was looked at.
    pub window: Option<Window>,
    /// Number of events, in the window if there is one.
    pub n_events: u64,
    /// How many of them have no times in a record where others have.
    pub n_untimed: u64,
    /// What the clock says; `None` for a record without times.
    pub times: Option<Times>,
    /// The longest chain by `<C`: by computing, in a record without times by number of events.
    pub path: Path,
    /// For each length of the longest chain that ends in an event, from 1: the number of such events. As many as there
    /// are could execute at once if each took the same time and there were workers enough.
    pub levels: Vec<u64>,
    /// Names of the groups, in the order of the program; other parts name groups by their position here.
    pub groups: Vec<String>,
    /// What each group did.
    pub loads: Vec<Load>,
    /// Values that waited for each group; empty in a record without times.
    pub queues: Vec<QueueLoad>,
    /// What groups had of each other, by taker's position within sender's position.
    pub cells: Vec<Cell>,
    /// Number of values that were sent and not taken, as far as the record tells.
    pub n_untaken: u64,
    /// The events that computed longest, longest first; empty in a record without times.
    pub slowest: Vec<Slow>,
}

/// What the clock says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Times {
    /// The start of the first event of the run; the window's beginning if that is later.
    pub first: u64,
    /// The end of the last event of the run; the window's end if that is earlier.
    pub last: u64,
    /// Computing of all events together.
    pub work: u64,
    /// Waiting for locks of all events together.
    pub locked: u64,
    /// For all events together, how long they were ready and no worker executed them: from the end of the last
    /// predecessor to the start, without waiting for the world outside, and from having the locks to being carried on.
    pub queued: u64,
    /// The largest one of them.
    pub most_queued: u64,
    /// How long workers had nothing to do while events were ready, added over the workers.
    pub starved: u64,
    /// Workers by position; those that did nothing are among them.
    pub workers: Vec<WorkerLoad>,
    /// How long exactly so many events computed at once: by their number, from 0.
    pub profile: Vec<u64>,
    /// Busy time of all workers in each of equal parts of the wall time.
    pub bins: Vec<u64>,
}

/// What a worker did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerLoad {
    /// Its position.
    pub worker: u32,
    /// Number of events that ended there.
    pub n_events: u64,
    /// How long it computed.
    pub busy: u64,
    /// The longest computing of one of its events.
    pub longest: u64,
    /// Busy time in each of equal parts of the wall time.
    pub bins: Vec<u64>,
    /// What it executed for a pixel of a picture or longer, by start.
    pub lane: Vec<Bar>,
    /// The other events: their computing by the pixel in which they start and by group.
    pub columns: Vec<Column>,
}

/// Short events that start in the same pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// The pixel, from the left.
    pub column: u32,
    /// Position of their group.
    pub group: u32,
    /// Their computing.
    pub nanos: u64,
}

/// An event on a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bar {
    /// When it began to compute.
    pub from: u64,
    /// When it ended.
    pub to: u64,
    /// Position of its group.
    pub group: u32,
}

/// What a group did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Number of actions that executed.
    pub n_actions: u64,
    /// Number of events.
    pub n_events: u64,
    /// Number of events of the action with the most.
    pub most_events: u64,
    /// Computing.
    pub computing: u64,
    /// The longest computing of an event.
    pub longest: u64,
    /// The computing of the action that computed longest.
    pub most_of_action: u64,
    /// How long they were ready and no worker executed them.
    pub queued: u64,
    /// The largest one.
    pub most_queued: u64,
    /// Waiting for locks.
    pub locked: u64,
}

impl Load {
    /// How much more the action with the most did than they all do on average: 0 where all did the same.
    pub fn imbalance(&self, is_timed: bool) -> f64 {
        let (most, total) =
            if is_timed { (self.most_of_action, self.computing) } else { (self.most_events, self.n_events) };
        imbalance(most, total, self.n_actions)
    }
}

/// max / mean - 1; 0 where nothing was done.
pub fn imbalance(most: u64, total: u64, n: u64) -> f64 {
    if total == 0 { 0.0 } else { most as f64 * n as f64 / total as f64 - 1.0 }
}

/// Values that waited for a group: from the end of the event that sent them to the start of the one that took them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueLoad {
    /// Number of values taken.
    pub values: u64,
    /// The time that all of them waited.
    pub waited: u64,
    /// The longest one.
    pub longest: u64,
    /// The largest number of values that waited at once.
    pub most: u64,
    /// For each of equal parts of the wall time: the sum of the times that values waited in it.
    pub over_time: Vec<u64>,
}

/// What one group had of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Position of the group that sent or wrote.
    pub from: usize,
    /// Position of the group that took or found.
    pub to: usize,
    /// Values taken; in a restricted record orderings by values.
    pub values: u64,
    /// Shared objects found as events of another action had written them.
    pub transfers: u64,
}

/// An event that took long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slow {
    /// Its path.
    pub event: String,
    /// Its worker.
    pub worker: u32,
    /// When it began to compute.
    pub computes: u64,
    /// How long it computed.
    pub computing: u64,
}

/// The critical path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path {
    /// Its length: time of computing, in a record without times number of events.
    pub span: u64,
    /// Number of its events.
    pub n_steps: u64,
    /// What all of them waited for.
    pub waiting: Waiting,
    /// Its events, the first one first; of more than [`MOST_STEPS`] those that add and wait most.
    pub steps: Vec<Step>,
    /// What it consists of by group, longest first.
    pub groups: Vec<GroupShare>,
    /// What it goes along, most waiting first.
    pub links: Vec<LinkShare>,
    /// Where it is when, in the order of time; of a long one without the short gaps.
    pub course: Vec<Mark>,
}

/// Steps of a critical path that a report has, unless more rows are asked for.
pub const MOST_STEPS: usize = 10_000;

/// A stretch of the critical path on a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Position of the worker.
    pub worker: u32,
    /// Where it begins.
    pub from: u64,
    /// Where it ends.
    pub to: u64,
}

impl Path {
    /// The positions among `steps` of so many events that add and wait most, in the order of the path.
    pub fn heaviest(&self, n_most: usize) -> Vec<usize> {
        let weight = |at: usize| self.steps[at].adds.saturating_add(self.steps[at].waiting.total());
        let mut places: Vec<usize> = (0..self.steps.len()).collect();
        if n_most < places.len() {
            places.select_nth_unstable_by_key(n_most, |&at| (std::cmp::Reverse(weight(at)), at));
            places.truncate(n_most);
            places.sort_unstable();
        }
        places
    }
}

/// An event on the critical path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Number of events before it on the path.
    pub place: u64,
    /// Its path.
    pub event: String,
    /// Position of its group.
    pub group: usize,
    /// By what the one before it is before it: an arc, an object, or that both are of one action. Empty for the first one.
    pub link: String,
    /// Its worker.
    pub worker: u32,
    /// When it took its values.
    pub start: u64,
    /// When it had its locks and a worker.
    pub computes: u64,
    /// When it ended.
    pub end: u64,
    /// What it adds to the path: its computing, up to when the next event on the path began to compute.
    pub adds: u64,
    /// What passed since the part that the event before it adds.
    pub waiting: Waiting,
}

/// Time between two events on the critical path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Something else that the event needs was not there: a value, or an answer of the world outside.
    pub depends: u64,
    /// All was there, and no worker executed it.
    pub queued: u64,
    /// It had started, and waited for locks.
    pub locked: u64,
}

impl Waiting {
    /// All of it.
    pub fn total(self) -> u64 {
        self.depends + self.queued + self.locked
    }

    /// Both together.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            depends: self.depends + other.depends,
            queued: self.queued + other.queued,
            locked: self.locked + other.locked,
        }
    }
}

/// What a group adds to the critical path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupShare {
    /// Position of the group.
    pub group: usize,
    /// Number of its events on the path.
    pub n_events: u64,
    /// What they add.
    pub adds: u64,
    /// What they waited.
    pub waiting: u64,
}

/// What is along one kind of link of the critical path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkShare {
    /// The arc, the object, or that both events are of one action.
    pub link: String,
    /// How often the path goes along it.
    pub n_links: u64,
    /// What the events behind it waited.
    pub waiting: Waiting,
}

impl Report {
    /// Wall time; in a record without times the number of events.
    pub fn wall(&self) -> u64 {
        self.times.as_ref().map_or(self.n_events, |times| times.last - times.first)
    }

    /// Work in the unit of the critical path.
    pub fn work(&self) -> u64 {
        self.times.as_ref().map_or(self.n_events, |times| times.work)
    }

    /// Work / critical path: no number of workers makes the run faster than that.
    pub fn most_speed_up(&self) -> f64 {
        if self.path.span == 0 { 0.0 } else { self.work() as f64 / self.path.span as f64 }
    }

    /// What a user must be told about what the figures leave out.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.times.is_none() {
            notes.push("the record has no times: each event counts as one unit; record with `--record perf` for times".to_owned());
        }
        if self.mode == RecordingMode::Restricted {
            notes.push(
                "the record is restricted: what was not recorded counts as waiting, and values that came by \
                 way of it count once an event"
                    .to_owned(),
            );
        }
        if self.n_untimed > 0 {
            notes.push(format!(
                "no times, counted as if they took none: {}",
                counted(self.n_untimed, "event")
            ));
        }
        notes
    }
}
