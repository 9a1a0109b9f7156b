//! What a session tells of a run as a whole: counters while it goes on, everything in bounded size when it rests.

use hasse_runtime::control::{ActionState, ActionSummary, CycleStep, ObjectView};

use crate::marks::ActionMark;

use super::ended::Ended;
use super::inspector::stop_words;
use super::moment::Moment;

/// Most instances of a template that are told one by one in a snapshot; the tables page through all.
pub const MOST_DOTS: usize = 256;
/// Most stopped actions and shared objects that are listed in a snapshot.
pub const MOST_LISTED: usize = 1000;

/// The state of a session and its run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RunState {
    /// There is no session.
    #[default]
    Closed,
    /// A subject is being compiled or read.
    Opening,
    /// There is a session without a run.
    Ready,
    /// Actions execute or are ready to.
    Running,
    /// Actions are asked to stop before their next computation.
    Stopping,
    /// The receivers of what is sent are asked to stop.
    Nexting,
    /// Nothing executes, and actions are stopped: by breakpoints.
    Waiting,
    /// Nothing executes, as was asked for.
    Stopped,
    /// The run has been asked to end.
    Ending,
    /// The run is over. With `is_open` its actions can still be asked.
    Over {
        /// Whether actions, objects and cycles can be asked for.
        is_open: bool,
    },
}

impl RunState {
    /// The word of the panel.
    pub fn name(self) -> &'static str {
        match self {
            Self::Closed => "not run",
            Self::Opening => "opening",
            Self::Ready => "ready",
            Self::Running => "running",
            Self::Stopping => "stopping",
            Self::Nexting => "nexting",
            Self::Waiting | Self::Stopped => "stopped",
            Self::Ending => "ending",
            Self::Over { .. } => "over",
        }
    }

    /// Whether a run is under way, at rest or not.
    pub fn is_under_way(self) -> bool {
        self.is_busy() || self.is_at_rest()
    }

    /// Whether something may be executing.
    pub fn is_busy(self) -> bool {
        matches!(self, Self::Running | Self::Stopping | Self::Nexting | Self::Ending)
    }

    /// Whether a run is under way and nothing executes.
    pub fn is_at_rest(self) -> bool {
        matches!(self, Self::Waiting | Self::Stopped)
    }

    /// Whether actions can be asked.
    pub fn can_be_asked(self) -> bool {
        self.is_at_rest() || matches!(self, Self::Over { is_open: true })
    }
}

/// What is counted while a run goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Its state.
    pub state: RunState,
    /// Events recorded so far by template.
    pub n_events: Vec<u64>,
    /// Hits of breakpoints, by number.
    pub n_hits: Vec<(u64, u64)>,
}

/// The instances of a template.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateCount {
    /// Position of the template.
    pub template: usize,
    /// How many there are.
    pub n_instances: usize,
    /// How many of them are in each state, by urgency; only those that occur.
    pub states: Vec<(ActionMark, usize)>,
    /// Events begun by all of them.
    pub n_events: u64,
    /// The first ones in the order of their paths.
    pub first: Vec<ActionSummary>,
}

/// Values that wait at the end of an arc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkQueue {
    /// Position of the arc.
    pub arc: usize,
    /// How many.
    pub n_values: u64,
    /// Fill of the port in percent of its bound; `None` where it has none.
    pub fill: Option<u8>,
}

/// Everything at a rest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// The state of the run.
    pub state: RunState,
    /// How the run ended; `None` at a rest, and where nothing was executed.
    pub ended: Option<Ended>,
    /// Templates that have instances, by position.
    pub templates: Vec<TemplateCount>,
    /// Stopped actions, the first of them, in the order of their paths.
    pub stopped: Vec<ActionSummary>,
    /// How many are stopped in all.
    pub n_stopped: usize,
    /// Paths of actions whose execution the end of the run has interrupted, the first of them, in order. Their state is
    /// [`ActionState::Idle`].
    pub cut_off: Vec<String>,
    /// Breakpoints that actions are stopped at.
    pub hit: Vec<u64>,
    /// Values that wait, by arc. A value whose arc is not known counts at the first arc of its sender to the port, or
    /// else at the first arc to the port.
    pub queues: Vec<LinkQueue>,
    /// Shared objects with their holders and waiters, the first of them.
    pub objects: Vec<ObjectView>,
    /// How many there are in all.
    pub n_objects: usize,
    /// A shortest cycle of actions that wait for each other; empty where there is none.
    pub cycle: Vec<CycleStep>,
    /// The moment of a record that it is of; `None` for a run at a rest or at its end.
    pub moment: Option<Moment>,
}

impl Snapshot {
    /// Returns true if the end of the run has interrupted the execution of an action.
    pub fn is_cut_off(&self, path: &str) -> bool {
        self.cut_off.binary_search_by(|known| known.as_str().cmp(path)).is_ok()
    }
}

/// The mark of an action.
pub(super) fn mark_of(action: &ActionSummary) -> ActionMark {
    match mark_in(&action.state, action.n_queued) {
        ActionMark::Idle if action.state == ActionState::Idle && action.count > 0 => ActionMark::Done,
        mark => mark,
    }
}

/// The mark of a state; an action that is idle with values on its ports waits for others.
fn mark_in(state: &ActionState, n_queued: u64) -> ActionMark {
    match state {
        ActionState::Failed => ActionMark::Failed,
        ActionState::Stopped(_) => ActionMark::Stopped,
        ActionState::WaitsFor(_) | ActionState::WaitsForRoom(_) | ActionState::WaitsForWorld => {
            ActionMark::Waiting
        }
        ActionState::Ready | ActionState::Running => ActionMark::Running,
        ActionState::Idle if n_queued > 0 => ActionMark::Waiting,
        ActionState::Idle | ActionState::NotCreated => ActionMark::Idle,
    }
}

/// The state of an action in a few words: the word of its mark, with what the mark does not know.
pub fn state_words(action: &ActionSummary) -> String {
    words_in(&action.state, action.n_queued)
}

/// As [`state_words`], of an action in a state with values on its ports.
pub(super) fn words_in(state: &ActionState, n_queued: u64) -> String {
    let word = mark_in(state, n_queued).word();
    match state {
        ActionState::Stopped(point) => format!("{word} {}", stop_words(*point)),
        ActionState::WaitsFor(object) => format!("{word} for {object}"),
        ActionState::WaitsForRoom(port) => format!("{word} for room on {port}"),
        ActionState::WaitsForWorld => format!("{word} for the world outside"),
        ActionState::Ready => "waiting for a worker".to_owned(),
        ActionState::NotCreated => "not created".to_owned(),
        ActionState::Failed | ActionState::Running | ActionState::Idle => word.to_owned(),
    }
}

impl TemplateCount {
    /// Counts the instances of a template, which are `actions` in the order of their paths.
    pub fn of<'a>(template: usize, actions: impl IntoIterator<Item = &'a ActionSummary>) -> Self {
        let mut count = Self { template, n_instances: 0, states: Vec::new(), n_events: 0, first: Vec::new() };
        for action in actions {
            let mark = mark_of(action);
            count.n_instances += 1;
            count.n_events += action.count;
            match count.states.iter_mut().find(|(known, _)| *known == mark) {
                Some((_, n_actions)) => *n_actions += 1,
                None => count.states.push((mark, 1)),
            }
            if count.first.len() < MOST_DOTS {
                count.first.push(action.clone());
            } else if mark < ActionMark::Running
                && let Some(usual) =
                    count.first.iter().rposition(|known| mark_of(known) >= ActionMark::Running)
            {
                // Actions that have failed, are stopped or wait have dots before others.
                count.first.remove(usual);
                count.first.push(action.clone());
            }
        }
        count.states.sort_unstable();
        count
    }
}
