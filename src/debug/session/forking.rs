//! Going on from the moment that the session is at, with all choices free.

use std::io::Write;

use hasse::continuation::{Fork, OutcomeOfRuns, Outcomes};
use hasse::event::Ground;
use hasse::moment::{Timeline, with_every_event};
use hasse_runtime::run::{RunOptions, StopSignal};

use super::super::command::Setting;
use super::super::job::Live;
use super::super::line::LineError;
use super::events::fault_at;
use super::{Session, unplaced, written};
use crate::debug::underway::Underway;
use crate::fault::Fault;
use crate::params;

impl<'p> Session<'_, 'p> {
    /// Runs from the moment, as the session's next run; many times, to see the outcomes alone.
    pub(in super::super) fn fork(
        &mut self,
        n_times: Option<u64>,
        settings: &[Setting],
        column: usize,
        out: &mut dyn Write,
    ) -> Result<(), Fault> {
        if self.live.as_ref().is_some_and(Live::is_over) {
            self.conclude(out)?;
        }
        let stop = StopSignal::default();
        let timeline = self.timeline()?;
        if self.is_within() {
            let message = "the moment is within an event, and a fork begins between two";
            let hint = "`goto EVENT before` or `goto EVENT after` first";
            return Err(unplaced(LineError::new(column, message, hint)));
        }
        self.reload(out)?;
        let before = self.subject.current.lock().replace(Underway::of_question(stop.clone()));
        let fork = self.fork_of(&timeline, &stop);
        *self.subject.current.lock() = before;
        let mut fork = fork.map_err(|fault| match fault {
            Fault::Event(error) => fault_at(error, column),
            fault => fault,
        })?;
        for Setting { name, text, column } in settings {
            self.set(&mut fork, (name, text), *column)?;
        }
        match n_times {
            None => self.start(false, Some(fork), out),
            Some(n_times) => self.fork_often(&fork, n_times, stop, out),
        }
    }

    /// The moment, with the program as it is now.
    fn fork_of(&self, timeline: &Timeline<'p>, stop: &StopSignal) -> Result<Fork<'p>, Fault> {
        let recorded = self.source_of_events()?.recorded()?;
        let options = RunOptions { stop: stop.clone(), ..timeline.options() };
        let ground = Ground { plan: timeline.plan(), recorded: &recorded, options: &options };
        let fork = Fork::new(timeline, &with_every_event(ground)?, self.here().position)?;
        let is_edited = self.subject_of_events().program.text != self.subject.program.text;
        Ok(if is_edited { fork.with_program(&self.subject.plan)? } else { fork })
    }

    /// Sets a var of the selected action, a var by its path, or a shared object.
    fn set(&self, fork: &mut Fork<'p>, (name, text): (&str, &str), column: usize) -> Result<(), Fault> {
        let scoped = self.settings.scope.selector().map(|scope| format!("{scope}.{name}"));
        let scoped = scoped.filter(|scoped| !name.contains('/') && fork.type_of(scoped).is_ok());
        let name = scoped.as_deref().unwrap_or(name);
        let refused = |message: String| {
            unplaced(LineError::new(
                column,
                message,
                "`dump` shows the vars and shared objects of the selected action",
            ))
        };
        let ty = fork.type_of(name).map_err(|error| refused(error.to_string()))?;
        let value = params::value_of(&ty, text, name).map_err(|error| refused(error.to_string()))?;
        fork.set(name, value).map_err(|error| refused(error.to_string()))
    }

    /// Runs from the moment many times, each time from another seed, and prints the outcomes.
    fn fork_often(
        &mut self,
        fork: &Fork<'p>,
        n_times: u64,
        stop: StopSignal,
        out: &mut dyn Write,
    ) -> Result<(), Fault> {
        let natives = self.subject.natives()?;
        let options = RunOptions { n_workers: 1, natives, stop: stop.clone(), ..self.options.clone() };
        let before = self.subject.current.lock().replace(Underway::of_question(stop.clone()));
        let mut outcomes = Outcomes::new(fork);
        let ran = (1..=n_times).take_while(|_| !stop.is_set()).try_for_each(|seed| {
            let options = RunOptions { seed: Some(seed), ..options.clone() };
            let report = fork.run(&options, None, Box::new(|_| {}))?;
            if !stop.is_set() {
                outcomes.add(OutcomeOfRuns::of(&report, Some(seed), None, Vec::new()));
            }
            Ok(())
        });
        *self.subject.current.lock() = before;
        ran.map_err(Fault::of_run)?;
        outcomes.sort();
        written(outcomes.write_text(&fork.headline(), out))
    }
}
