//! Moments of the record that is shown: going to one, to hits of breakpoints, and running from one on.
//!
//! One question is open at a time. While its answer is awaited, the newest position replaces the one that was to be asked for
//! next, so that dragging a slider never queues more than one replay.

/// Questions that wait for answers.
pub(super) mod travel;

use std::path::Path;

use super::super::host::{Request, Subject};
use super::super::moment::{Moment, NoMoment};
use super::super::snapshot::Snapshot;
use travel::{Asked, Open};

use super::RunPanel;

impl RunPanel {
    /// Goes to the moment of a record after a number of events. Does nothing while a run is under way, and for a record of which
    /// a moment was refused for good; [`moment_problem`](Self::moment_problem) has the reason.
    pub fn go_to_moment(&mut self, record: &Path, position: u64) {
        if self.state.is_under_way() || self.travel.is_refused(record) {
            return;
        }
        let asked = Asked::Position(position);
        match &self.travel.open {
            Some(open) if open.is(record, asked) => self.travel.next = None,
            Some(_) => self.travel.next = Some(Open { record: record.to_owned(), asked }),
            None if self.shows_moment(record, position) && !self.is_within() => {}
            None => self.ask_record(record, asked),
        }
    }

    /// Goes to the next hit of a breakpoint after the moment, or to the last one before it.
    pub fn go_to_hit(&mut self, record: &Path, is_back: bool) {
        self.ask_of_record(record, Asked::Hit { is_back });
    }

    /// Runs from the moment on, with all choices free.
    pub fn fork(&mut self, record: &Path) {
        self.ask_of_record(record, Asked::Fork);
    }

    /// The moment that is shown.
    pub fn moment(&self) -> Option<&Moment> {
        self.snapshot.as_ref()?.moment.as_ref()
    }

    /// Returns true if the moment of a record after a number of events is shown, or one within the event after it.
    pub fn shows_moment(&self, record: &Path, position: u64) -> bool {
        let is_of = self.travel.record.as_deref() == Some(record);
        is_of && self.moment().is_some_and(|moment| moment.position == position)
    }

    /// Returns true while an answer about moments is awaited.
    pub fn is_traveling(&self) -> bool {
        self.travel.open.is_some()
    }

    /// The reason why the last moment that was asked for is not shown; empty if it is.
    pub fn moment_problem(&self) -> &str {
        &self.travel.problem
    }

    /// Takes the moment to which the session has gone by itself: to a hit, or by a line of the console.
    pub fn take_sought(&mut self) -> Option<u64> {
        self.travel.sought.take()
    }

    fn is_within(&self) -> bool {
        self.moment().is_some_and(|moment| moment.is_within)
    }

    fn ask_of_record(&mut self, record: &Path, asked: Asked) {
        if self.state.is_under_way() {
            return;
        }
        match self.travel.open {
            // The moment that is being gone to comes first.
            Some(_) => self.travel.later = Some(Open { record: record.to_owned(), asked }),
            None => self.ask_record(record, asked),
        }
    }

    /// Asks about a record. A session that has another one is replaced by one on its file.
    fn ask_record(&mut self, record: &Path, asked: Asked) {
        if self.travel.record.as_deref() != Some(record) {
            let options = self.options.of_mode(true);
            self.known = Some(options.clone());
            self.was_opened = true;
            self.travel.opened = Some(record.to_owned());
            self.travel.record = Some(record.to_owned());
            self.host.send(Request::Open(Subject::Trace(record.to_owned()), Box::new(options)));
        }
        self.host.send(match asked {
            Asked::Position(position) => Request::Moment(position),
            Asked::Hit { is_back } => Request::Hit { is_back },
            Asked::Fork => Request::Fork,
        });
        self.travel.open = Some(Open { record: record.to_owned(), asked });
        self.version += 1;
    }

    /// Takes an answer, and asks for what has been wanted since.
    pub(super) fn take_moment(&mut self, result: Result<(), NoMoment>) {
        let Some(open) = self.travel.open.take() else { return };
        match result {
            Ok(()) => self.travel.problem.clear(),
            Err(problem) => {
                if problem.is_of_record {
                    self.travel.refused = Some(open.record);
                    self.travel.next = None;
                }
                self.travel.problem = problem.text;
            }
        }
        if let Some(next) = self.travel.next.take().or_else(|| self.travel.later.take()) {
            self.ask_record(&next.record, next.asked);
        }
    }

    /// Notes where a rest is in the record.
    pub(super) fn note_moment(&mut self, snapshot: &Snapshot) {
        let is_asked = matches!(self.travel.open, Some(Open { asked: Asked::Position(_), .. }));
        if let Some(moment) = snapshot.moment.as_ref().filter(|_| !is_asked) {
            self.travel.sought = Some(moment.position);
        }
    }

    /// Returns true if the session was opened on a record to show its moments.
    pub(super) fn is_opened_for_moments(&self, record: &Path) -> bool {
        self.travel.opened.as_deref() == Some(record)
    }

    /// Notes that the session has the events of a record.
    pub(super) fn hold_record(&mut self, record: &Path) {
        self.travel.record = Some(record.to_owned());
    }
}
