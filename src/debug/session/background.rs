//! Runs that nobody waits for: what happens to them is announced.

use std::io::Write;

use super::super::command::Command;
use super::super::console::Console;
use super::super::job::Live;
use super::super::wording;
use super::control::n_stopped;
use super::{Session, written};
use crate::fault::Fault;

impl Session<'_, '_> {
    /// A run goes on: that it rests has not been said.
    pub(super) fn run_goes_on(&mut self) {
        self.is_rest_said = false;
        self.subject.console.iter().for_each(Console::run_goes_on);
    }

    /// The rest or end of the run was announced.
    pub(super) fn rest_is_said(&mut self) {
        self.is_rest_said = true;
        self.subject.console.iter().for_each(Console::rest_is_said);
    }

    /// Prints what has happened to the run, before the output of a command that does not wait for it. At a terminal and in
    /// a window that is announced when it happens.
    pub(super) fn announce_before(&mut self, command: &Command, out: &mut dyn Write) -> Result<(), Fault> {
        let waits = matches!(
            command,
            Command::Wait
                | Command::Stop
                | Command::Run { .. }
                | Command::Rerun { .. }
                | Command::Kill
                | Command::Quit
        );
        if waits || self.subject.console.is_some() || self.subject.taps.is_some() {
            return Ok(());
        }
        let Some(live) = &self.live else { return Ok(()) };
        let (is_over, control) = (live.is_over(), live.control());
        let state = control.map(|control| control.state());
        let is_resting = is_over || state.is_some_and(|state| !state.is_busy());
        self.write_news(out)?;
        if !is_resting || std::mem::replace(&mut self.is_rest_said, true) {
            return Ok(());
        }
        if is_over {
            return written(writeln!(out, "the run is over: `wait` shows what came of it"));
        }
        let Ok(n_stopped) = self.ask(|inspector| n_stopped(&inspector.actions())) else { return Ok(()) };
        let text = state.map(|state| wording::global(state, n_stopped)).unwrap_or_default();
        written(writeln!(out, "{text}"))
    }

    /// Prints the stops of the run that were not announced yet.
    pub(super) fn write_news(&self, out: &mut dyn Write) -> Result<(), Fault> {
        let control = self.live.as_ref().and_then(Live::control);
        let news = control.map_or_else(Vec::new, |control| control.take_news());
        written(news.iter().try_for_each(|news| writeln!(out, "{}", wording::news(news))))
    }
}
