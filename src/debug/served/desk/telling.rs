//! What a session tells of itself when something has changed.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;

use hasse_editor::run::{RunState, Told};
use hasse_runtime::control::GlobalState;

use super::super::super::command::Mode;
use super::super::super::job::Records;
use super::super::super::session::{Phase, Session};
use super::super::rest::{self, Rested};
use super::super::{options, points, queue};
use super::{Desk, readable};
use crate::fault::Fault;

/// Maximum number of records that are kept.
const MOST_RECORDS: usize = 100;
/// Maximum number of bytes of all records that are kept. The last one stays, however large it is.
const MOST_RECORD_BYTES: u64 = 512 << 20;

impl Desk {
    /// The state as the window names it.
    pub(super) fn state(&self, session: &Session<'_, '_>) -> RunState {
        match session.phase() {
            // The actions of the replay there can be asked.
            Phase::Ready if session.moment().is_some() => RunState::Over { is_open: true },
            Phase::Open => RunState::Over { is_open: true },
            Phase::Ready if session.n_runs() > 0 => RunState::Over { is_open: false },
            Phase::Ready => RunState::Ready,
            Phase::UnderWay(_) if self.is_ending.get() => RunState::Ending,
            Phase::UnderWay(Some(GlobalState::Stopping)) => RunState::Stopping,
            Phase::UnderWay(Some(GlobalState::Nexting)) => RunState::Nexting,
            Phase::UnderWay(Some(GlobalState::Waiting)) => RunState::Waiting,
            Phase::UnderWay(Some(GlobalState::Stopped)) => RunState::Stopped,
            Phase::UnderWay(Some(GlobalState::Running | GlobalState::Finished) | None) => RunState::Running,
        }
    }

    pub(super) fn tell_state(&self, state: RunState) {
        let mut last = self.last.borrow_mut();
        if last.state != state {
            last.state = state;
            self.mailbox.tell(Told::State(state));
        }
    }

    /// Tells what is set, where it has changed.
    pub(super) fn tell_settings(&self, session: &Session<'_, '_>) {
        let current = self.current.borrow();
        let Some(current) = &*current else { return };
        let mut last = self.last.borrow_mut();
        let options = options::options_of(session, &current.options);
        if last.options.as_ref() != Some(&options) {
            self.mailbox.tell(Told::Options(Box::new(options.clone())));
            last.options = Some(options);
        }
        let breakpoints = points::listed(
            session,
            &self.disabled.borrow(),
            &current.facts,
            &mut self.statements.borrow_mut(),
        );
        if last.breakpoints != breakpoints {
            self.mailbox.tell(Told::Breakpoints(breakpoints.clone()));
            last.breakpoints = breakpoints;
        }
        let prompt = session.prompt();
        if last.prompt != prompt {
            self.mailbox.tell(Told::Prompt(prompt.clone()));
            last.prompt = prompt;
        }
    }

    /// Tells everything that has changed.
    pub(super) fn tell_changes(&self, session: &mut Session<'_, '_>) {
        if session.is_resting() {
            self.is_ending.set(false);
        }
        self.tell_settings(session);
        let state = self.state(session);
        self.tell_state(state);
        if self.is_stale.get() && session.is_resting() {
            self.is_stale.set(false);
            // Where no replay comes to the moment, nothing is shown there; who asked for it is told why.
            let _ = session.open_whole();
            self.tell_rest(session, state);
        }
        self.tell_record(session);
    }

    fn tell_rest(&self, session: &Session<'_, '_>, state: RunState) {
        let read = match state.can_be_asked() {
            true => Rested::read(session, state, &self.mailbox).ok(),
            false => None,
        };
        match read {
            Some((rested, snapshot)) => {
                *self.rested.borrow_mut() = rested;
                self.mailbox.tell(Told::Rest(Arc::new(snapshot)));
                self.tell_action(session);
                self.tell_queue(session);
            }
            None if matches!(state, RunState::Ready) => {}
            None => {
                self.rested.take();
                self.mailbox.tell(Told::Rest(rest::silent(state, rest::ended(session, state))));
            }
        }
    }

    pub(super) fn tell_action(&self, session: &Session<'_, '_>) {
        let Some(path) = self.look.borrow().clone() else { return };
        let asked = path.clone();
        let found = session.ask(move |inspector| inspector.action(&asked));
        self.mailbox.tell(Told::Action(path, readable(found).map(Box::new)));
    }

    /// Tells what waits at the end of the arc that is looked at.
    pub(super) fn tell_queue(&self, session: &Session<'_, '_>) {
        let Some(arc) = *self.arc.borrow() else { return };
        let found = queue::read(session, arc);
        self.mailbox.tell(Told::Queue(arc, found.map_err(|fault| fault.to_string())));
    }

    /// Writes the record of a run that is over, and says where.
    pub(super) fn tell_record(&self, session: &Session<'_, '_>) {
        let is_over = !matches!(session.phase(), Phase::UnderWay(_));
        let mut last = self.last.borrow_mut();
        if !is_over || last.n_runs == session.n_runs() {
            return;
        }
        last.n_runs = session.n_runs();
        let records = session
            .records()
            .filter(|records| last.records.as_ref().is_none_or(|known| !records.is_same(known)));
        if let Some(records) = records.cloned() {
            match self.write_record(&records) {
                Ok(path) => self.mailbox.tell(Told::Recorded(path)),
                Err(fault) => self.refuse(&fault),
            }
            last.records = Some(records);
        } else if let Some(path) = session.filed().filter(|_| session.settings.file.is_some()) {
            self.mailbox.tell(Told::Recorded(path.to_owned()));
        } else if matches!(session.settings.mode, Mode::Replay | Mode::PostMortem(_)) {
            // The events were those of a record that is there.
            let of_session = self.files.borrow().back().cloned().filter(|_| last.records.is_some());
            if let Some(path) = of_session.or_else(|| session.subject.trace.clone()) {
                self.mailbox.tell(Told::Recorded(path));
            }
        }
    }

    fn write_record(&self, records: &Records) -> Result<PathBuf, Fault> {
        self.n_records.set(self.n_records.get() + 1);
        let path = self.folder.join(format!("run-{}.trace", self.n_records.get()));
        let cannot_write = |source| Fault::Write { path: path.clone(), source };
        let mut file = BufWriter::new(File::create(&path).map_err(cannot_write)?);
        records.write(&mut file).and_then(|()| file.flush()).map_err(cannot_write)?;
        let mut files = self.files.borrow_mut();
        files.push_back(path.clone());
        let sizes: Vec<u64> =
            files.iter().map(|path| fs::metadata(path).map_or(0, |found| found.len())).collect();
        // One that is still being read stays until its reader closes it.
        files.drain(..n_surplus(&sizes)).for_each(|old| drop(fs::remove_file(old)));
        Ok(path)
    }
}

/// Number of the oldest records that are let go of, by the sizes of all of them in bytes. The last one stays, however large.
fn n_surplus(sizes: &[u64]) -> usize {
    let mut n_bytes = 0_u64;
    let n_kept = sizes.iter().rev().take(MOST_RECORDS).take_while(|size| {
        n_bytes = n_bytes.saturating_add(**size);
        n_bytes <= MOST_RECORD_BYTES
    });
    sizes.len() - n_kept.count().max(1).min(sizes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_kept_by_number_and_size() {
        assert_eq!(n_surplus(&[]), 0);
        assert_eq!(n_surplus(&[1; MOST_RECORDS]), 0);
        assert_eq!(n_surplus(&[1; MOST_RECORDS + 3]), 3);
        let half = MOST_RECORD_BYTES / 2;
        assert_eq!(n_surplus(&[half, half]), 0);
        assert_eq!(n_surplus(&[1, half, half]), 1);
        assert_eq!(n_surplus(&[1, half, half + 1]), 2);
        // The last one stays.
        assert_eq!(n_surplus(&[1, u64::MAX]), 1);
    }
}
