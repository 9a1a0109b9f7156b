//! Moments of the session's events: going to one, to hits of breakpoints, and runs from one on.

use std::io;

use hasse_editor::run::{NoMoment, Told};

use super::super::super::command::Target;
use super::super::super::session::Session;
use super::super::lines::Lines;
use super::Desk;
use crate::fault::Fault;
use crate::report;

impl Desk {
    /// Goes to the moment after a number of events, and tells what is there.
    pub(super) fn go_to_moment(&self, session: &mut Session<'_, '_>, position: u64) -> Result<(), Fault> {
        self.answer_moment(session, |session| {
            // A window that has counted otherwise wants the last one.
            let n_events = session.n_moments()?;
            let target = Target::Position { number: position.min(n_events), column: 1 };
            session.go_to(&target, &mut io::sink())
        });
        Ok(())
    }

    /// Goes to a hit of a breakpoint, and tells what is there.
    pub(super) fn go_to_hit(&self, session: &mut Session<'_, '_>, is_back: bool) -> Result<(), Fault> {
        self.answer_moment(session, |session| session.go_to_hit(is_back, 1, 1, &mut io::sink()));
        Ok(())
    }

    fn answer_moment(
        &self,
        session: &mut Session<'_, '_>,
        go: impl FnOnce(&mut Session<'_, '_>) -> Result<(), Fault>,
    ) {
        match session.n_moments() {
            Err(fault) => self.tell_no_moment(report::fault_text(&fault), true),
            Ok(_) => match go(session).and_then(|()| session.open_whole()) {
                Err(fault) => self.tell_no_moment(report::fault_text(&fault), false),
                Ok(()) => {
                    self.is_stale.set(true);
                    self.tell_changes(session);
                    self.mailbox.tell(Told::Moment(Ok(())));
                }
            },
        }
    }

    /// Runs from the moment on.
    pub(super) fn fork(&self, session: &mut Session<'_, '_>, out: &mut Lines) -> Result<(), Fault> {
        self.is_stale.set(true);
        let n_runs = session.n_runs();
        if let Err(fault) = session.fork(None, &[], 1, out) {
            match session.n_runs() == n_runs {
                true => self.tell_no_moment(report::fault_text(&fault), false),
                false => return Err(fault),
            }
        }
        Ok(())
    }

    /// Gives the window the reason why a moment cannot be shown.
    pub(super) fn tell_no_moment(&self, text: String, is_of_record: bool) {
        self.mailbox.tell(Told::Moment(Err(NoMoment { text, is_of_record })));
    }
}
