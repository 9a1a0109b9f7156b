//! Why a record cannot be cut.

use hasse_debugger::read::ReadError;
use hasse_model::record_options::SelectorError;

use crate::api::event::error::EventError;

/// Why a record cannot be cut.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CutError {
    /// A selector of what is kept cannot be used.
    #[error(transparent)]
    Selector(#[from] SelectorError),
    /// No event of the record is kept.
    #[error("nothing would be kept: the record has no event of {}", selectors.join(", "))]
    NothingKept {
        /// The selectors.
        selectors: Vec<String>,
    },
    /// The record goes on from a state in which something was changed.
    #[error("the record goes on from changes that a fork made, and cannot be cut")]
    Changed,
    /// The record has holes already.
    #[error("the record has holes already, and cannot be cut again")]
    HasHoles,
    /// Values that came to a kept action were dropped as its port was full.
    #[error("values were dropped as port {port} was full: its node cannot be kept")]
    Drops {
        /// The node and its port.
        port: String,
    },
    /// A value that an event took or found has no form in a record.
    #[error("what {event} took or found cannot be recorded: a function is no value")]
    NoValue {
        /// The event.
        event: String,
    },
    /// The events contradict each other.
    #[error("the record cannot be made sense of")]
    Read(#[from] ReadError),
    /// The run cannot be replayed for what came out of the holes.
    #[error(transparent)]
    Event(#[from] EventError),
}

impl CutError {
    /// A hint at a way out.
    pub fn help(&self) -> Option<String> {
        match self {
            CutError::Selector(error) => error.hint(),
            CutError::NothingKept { .. } => {
                Some("`hasse trace info T` counts the events of each node".to_owned())
            }
            CutError::Changed => Some("cut the record that was forked".to_owned()),
            CutError::HasHoles => Some("cut the record of the whole run".to_owned()),
            CutError::Drops { .. } => Some("keep a part without this node".to_owned()),
            CutError::Event(error) => error.help(),
            CutError::NoValue { .. } | CutError::Read(_) => None,
        }
    }
}
