//! Events that a session has, and the run that they are of.
//!
//! Each run takes the place of what was there before it, also where it kept nothing: no question is answered from an
//! older run without saying so.

use std::fmt;
use std::path::{Path, PathBuf};

use hasse_model::trace::RecordingMode;

use super::command::Mode;
use super::job::Records;
use super::subject::Subject;
use crate::fault::Fault;

/// Events that a session has.
#[derive(Clone)]
pub(super) struct Held<'p> {
    pub(super) origin: Origin,
    pub(super) events: Events,
    /// The program that the events are of; after an edit another one than the session's.
    pub(super) subject: &'p Subject,
}

/// The run or file that events come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// Nothing has been run.
    NoRun,
    /// A run of the session, by its number.
    Run { number: u64, mode: Mode },
    /// A saved session.
    Saved(PathBuf),
    /// A trace that the session was opened on or has looked at.
    Trace(PathBuf),
}

/// Where events are kept.
#[derive(Clone)]
pub(super) enum Events {
    /// Nowhere: none were kept.
    Nowhere,
    /// In memory.
    Records(Box<Records>),
    /// In a trace file.
    File(PathBuf),
    /// Nowhere: this trace file could not be written to its end.
    CutOff(PathBuf),
}

impl<'p> Held<'p> {
    /// The events of a session that has run nothing yet.
    pub(super) fn of_subject(subject: &'p Subject) -> Self {
        let (origin, events) = match &subject.trace {
            Some(path) => (Origin::Trace(path.clone()), Events::File(path.clone())),
            None => (Origin::NoRun, Events::Nowhere),
        };
        Self { origin, events, subject }
    }

    /// The events in memory.
    pub(super) fn records(&self) -> Option<&Records> {
        match &self.events {
            Events::Records(records) => Some(records),
            Events::Nowhere | Events::File(_) | Events::CutOff(_) => None,
        }
    }

    /// The file that holds the events, where they are not in memory.
    pub(super) fn file(&self) -> Option<&Path> {
        match &self.events {
            Events::File(path) => Some(path),
            Events::Nowhere | Events::Records(_) | Events::CutOff(_) => None,
        }
    }

    /// The error that there are no events.
    pub(super) fn nothing(&self) -> Fault {
        match (&self.origin, &self.events) {
            (Origin::Run { number, .. }, Events::CutOff(path)) => {
                Fault::TraceCutOff { run: *number, path: path.clone() }
            }
            (Origin::Run { number, mode }, _) => Fault::NothingKept { run: *number, mode: mode.name() },
            (Origin::NoRun | Origin::Saved(_) | Origin::Trace(_), _) => Fault::NoRecords,
        }
    }

    /// The line of `status`; `None` where nothing has been run.
    pub(super) fn status(&self) -> Option<String> {
        let of = &self.origin;
        match (&self.events, of) {
            (Events::Nowhere, Origin::NoRun) => None,
            (Events::Nowhere, _) => Some(format!("records: none, {of} kept no events")),
            (Events::CutOff(path), _) => Some(format!(
                "records: none, {of} kept no events in memory, and {} could not be written to its end",
                path.display()
            )),
            (Events::File(path), Origin::Trace(_)) => Some(format!("records: {}", path.display())),
            (Events::File(path), _) => Some(format!("records: {of}, in {}", path.display())),
            (Events::Records(records), _) => {
                let (one, many) = match records.header.mode {
                    RecordingMode::Minimal => ("choice", "choices"),
                    _ => ("event", "events"),
                };
                let n_events = records.n_events();
                let noun = if n_events == 1 { one } else { many };
                Some(format!("records: {n_events} {noun} of {of}"))
            }
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::NoRun => f.write_str("no run"),
            Origin::Run { number, mode } => write!(f, "run {number} ({})", mode.name()),
            Origin::Saved(path) => write!(f, "the session in {}", path.display()),
            Origin::Trace(path) => write!(f, "{}", path.display()),
        }
    }
}
