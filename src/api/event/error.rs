//! Why a question about an event has no answer.

use hasse_debugger::event_path::{BadEventPath, NoEvent};
use hasse_model::snapshot::SnapshotError;
use hasse_model::trace::RecordingMode;
use hasse_runtime::run::RuntimeError;

/// Why a question about an event has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EventError {
    /// A text is no path of an event.
    #[error("`{text}` is no event")]
    Path {
        /// The text.
        text: String,
        /// What is wrong with it.
        source: BadEventPath,
    },
    /// The record has no such event.
    #[error(transparent)]
    NoEvent(#[from] NoEvent),
    /// A text names no moment.
    #[error("`{text}` is no moment: the record has {n_events} events")]
    NoMoment {
        /// The text.
        text: String,
        /// Number of events of the record.
        n_events: u64,
    },
    /// The record does not have every event, or every choice.
    #[error("a {} record cannot be replayed: values are made again from every event", mode.name())]
    NotReplayable {
        /// How it was recorded.
        mode: RecordingMode,
    },
    /// The record begins in the middle of the run.
    #[error("the record begins in the middle of the run: values are made again from every event")]
    BeginsLater,
    /// The moment is before the one at which somebody changed values or the program.
    #[error(
        "the record goes on from changes made after {n_before} events: earlier states and values cannot be made again"
    )]
    BeforeBase {
        /// Number of events before the changes.
        n_before: u64,
    },
    /// A state cannot be kept.
    #[error("a state on the way cannot be kept: {0}")]
    Unkept(#[from] SnapshotError),
    /// The record has only a part of the run.
    #[error(
        "the record has holes: no run can go on from it, as the nodes outside of the kept part have no state"
    )]
    HasHoles,
    /// The event is before those that a rotated record keeps.
    #[error("{event} is not kept: the record begins later")]
    NotKept {
        /// The event.
        event: String,
    },
    /// The replay went another way than the record.
    #[error("the replay left the record at {event}: {found}, where it has {expected}")]
    Diverged {
        /// The first event that differs.
        event: String,
        /// What the record says.
        expected: String,
        /// What the replay did.
        found: String,
    },
    /// The replay was stopped before the event had ended.
    #[error("the replay was stopped before {event} had ended")]
    Stopped {
        /// The event.
        event: String,
    },
    /// The replay could not be carried out.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    /// The event was interrupted by the end of its run, or failed before it had its values.
    #[error("{event} {problem}")]
    NoValues {
        /// The event.
        event: String,
        /// Why it has none.
        problem: &'static str,
    },
    /// An input is to be set that the event does not have, or to a value of another type.
    #[error("{name} cannot be set: {problem}")]
    Set {
        /// As it was given.
        name: String,
        /// What is wrong.
        problem: String,
    },
    /// A var or a shared object is to be changed at a moment that it does not have, or to a value of another type.
    #[error("{name} cannot be changed: {problem}")]
    Change {
        /// As it was given.
        name: String,
        /// What is wrong.
        problem: String,
    },
    /// The event does not take place on these values.
    #[error("{event} does not take place: {problem}")]
    Refused {
        /// The event.
        event: String,
        /// Why.
        problem: String,
    },
    /// The node is not what it was when the event was isolated.
    #[error("{node} is not the node that was isolated: {problem}")]
    Interface {
        /// Its label.
        node: String,
        /// What differs.
        problem: String,
    },
    /// A text is no isolation file.
    #[error("this is no isolation file: {problem}")]
    File {
        /// Where and why.
        problem: String,
    },
}

impl EventError {
    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        match self {
            EventError::NotReplayable { .. } => {
                Some("record the run again with `--record full` or `--record minimal`".to_owned())
            }
            EventError::NoMoment { .. } => Some(
                "a moment is an event such as /Mult[3]:2, a number of events, a share such as 50%, or `end`"
                    .to_owned(),
            ),
            EventError::BeforeBase { .. } => {
                Some("the record that was forked has these states and values".to_owned())
            }
            EventError::Change { .. } => {
                Some("`hasse state T --at MOMENT` shows the vars and shared objects of a moment".to_owned())
            }
            EventError::HasHoles => Some("fork the record of the whole run".to_owned()),
            EventError::BeginsLater => Some("record the run again without `--keep`".to_owned()),
            EventError::NoEvent(_) | EventError::NotKept { .. } => {
                Some("`hasse trace events T` lists the events of a record".to_owned())
            }
            EventError::Interface { .. } => {
                Some("isolate the event again from a record of the changed program".to_owned())
            }
            EventError::File { .. } => {
                Some("isolation files are made by `hasse isolate T EVENT --save FILE`".to_owned())
            }
            EventError::Refused { .. } => {
                Some("set other values, or leave `--set` out to execute it as recorded".to_owned())
            }
            _ => None,
        }
    }
}
