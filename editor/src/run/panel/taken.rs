//! What the session has told.

use std::sync::Arc;

use super::super::host::Told;
use super::super::log::{LogLine, Source};
use super::super::options::Mode;
use super::super::snapshot::RunState;
use crate::run::inspector::lines_of;

use super::RunPanel;

impl RunPanel {
    pub(super) fn take(&mut self, told: Told) {
        self.version += 1;
        match told {
            Told::Left => {
                self.n_leaving = self.n_leaving.saturating_sub(1);
                return;
            }
            // A session that fails answers nothing more.
            Told::Closed => self.n_leaving = 0,
            Told::Described(_) => {}
            // It is of the program that was open before.
            _ if self.n_leaving > 0 => return,
            _ => {}
        }
        match told {
            Told::Left => {}
            Told::Described(facts) => {
                if facts.is_some() {
                    self.described = facts;
                }
            }
            Told::Opened(facts) => {
                self.facts = Some(facts);
                self.place_waiting();
            }
            Told::NotOpened(problem) => {
                self.state = RunState::Closed;
                // What compiles fails at what it was given.
                let has_errors = self.described.as_ref().is_none_or(|facts| !self.is_subject(facts));
                let first = problem.lines().next().filter(|_| !has_errors);
                self.problem = first.unwrap_or("the program has errors").to_owned();
                if std::mem::take(&mut self.is_run_asked) {
                    self.not_run.clone_from(&self.problem);
                }
                problem.lines().for_each(|line| self.put_log(Source::Findings, line));
            }
            Told::State(state) => self.set_state(state),
            Told::Options(options) => self.take_options(*options),
            Told::Placed { command, result } => self.take_placed(&command, result),
            Told::Breakpoints(breakpoints) => self.breakpoints = breakpoints,
            Told::Log(lines) => lines.into_iter().for_each(|line| self.log.put(line)),
            Told::Answer(lines, _) => lines.into_iter().for_each(|line| self.console.put(line)),
            Told::Prompt(prompt) => self.console.set_prompt(prompt),
            Told::Completed(completion) => self.console.set_completion(completion),
            Told::Rest(snapshot) => {
                self.set_state(snapshot.state);
                self.end_run(&snapshot);
                // An explanation is of the rest at which it was asked for.
                if self.snapshot.as_ref().is_some_and(|known| *known != snapshot) {
                    self.why.clear();
                }
                self.note_moment(&snapshot);
                self.snapshot = Some(Arc::clone(&snapshot));
                self.counters = None;
                self.follow_rest(&snapshot);
                self.table.refresh();
                self.ask_page();
            }
            Told::Moment(result) => self.take_moment(result),
            Told::Counters(counters) => {
                self.is_counting = false;
                for (number, n_hits) in &counters.n_hits {
                    if let Some(known) = self.breakpoints.iter_mut().find(|known| known.number == *number) {
                        known.n_hits = *n_hits;
                    }
                }
                if self.state.is_busy() {
                    self.counters = Some(counters);
                }
            }
            Told::Page(page) => {
                self.table.take(page);
            }
            Told::Action(path, found) => {
                if self.selected.as_deref() == Some(path.as_str()) {
                    let is_at_rest = matches!(self.state, RunState::Waiting | RunState::Stopped);
                    let is_cut_off = self.is_cut_off(&path);
                    self.inspector.set(found, is_at_rest && self.run_mode != Mode::Replay, is_cut_off);
                }
            }
            Told::Queue(arc, found) => {
                if self.arc == Some(arc) {
                    self.queue = Some(found);
                }
            }
            Told::Why(path, found) => {
                if self.selected.as_deref() == Some(path.as_str()) {
                    self.why = match found {
                        Ok(explanation) => {
                            lines_of(&explanation, self.is_cut_off(&path), &|path| self.n_queued_at(path))
                        }
                        Err(problem) => vec![problem],
                    };
                }
            }
            Told::Assigned { action, name, result } => {
                if self.selected.as_deref() == Some(action.as_str()) {
                    match result {
                        Ok(value) => self.put_log(Source::Debugger, &format!("{action}: {name} = {value}")),
                        Err(problem) => self.inspector.set_problem(problem),
                    }
                }
            }
            Told::QueueEdited { action, result } => {
                if self.selected.as_deref() == Some(action.as_str()) {
                    match result {
                        Ok(text) => self.put_log(Source::Debugger, &text),
                        Err(problem) => self.inspector.set_problem(problem),
                    }
                }
            }
            Told::Refused(problem) => {
                if self.is_run_asked {
                    self.not_run = problem.lines().next().unwrap_or_default().to_owned();
                }
                self.refuse(problem);
            }
            told @ (Told::Found(..)
            | Told::Begun(_)
            | Told::Header(_)
            | Told::Batch(_)
            | Told::BatchesLeftOut
            | Told::Recorded(_)
            | Told::Values { .. }
            | Told::Alone { .. }) => {
                match &told {
                    Told::Begun(mode) => {
                        self.forget_run(*mode);
                        self.begin_run(*mode);
                        let run = self.runs.back().map(|run| format!("run {}: {}", run.number, run.given()));
                        self.put_log(Source::Run, &run.unwrap_or_default());
                    }
                    Told::Recorded(path) => {
                        self.hold_record(path);
                        if self.is_opened_for_moments(path) {
                            // The views have it.
                            return;
                        }
                        self.file_run(path);
                    }
                    _ => {}
                }
                self.views.push(told);
            }
            Told::Closed => {
                self.set_state(RunState::Closed);
                self.travel.leave_moment();
                self.inspector.clear();
            }
        }
    }

    fn set_state(&mut self, state: RunState) {
        self.state = state;
        self.note_state(state);
        if state.is_busy() || matches!(state, RunState::Opening | RunState::Closed) {
            self.snapshot = None;
            self.why.clear();
            self.queue = None;
        }
        if matches!(state, RunState::Opening | RunState::Closed) {
            self.travel.leave_session();
        }
        if !state.is_busy() {
            self.is_counting = false;
        }
    }

    /// Where no action is under debug, the first one that is stopped is; one that is no longer there is given up.
    pub(super) fn select_first_stopped(&mut self) {
        let Some(snapshot) = &self.snapshot else { return };
        let is_there = self.selected.as_ref().is_some_and(|path| self.may_exist(path));
        if is_there {
            return;
        }
        let first = snapshot.stopped.first().map(|action| action.path.clone());
        if first != self.selected {
            self.select(first.as_deref());
        }
    }

    /// Returns true if the end of the run has interrupted the execution of an action.
    pub fn is_cut_off(&self, path: &str) -> bool {
        self.snapshot.as_ref().is_some_and(|snapshot| snapshot.is_cut_off(path))
    }

    /// Whether an action may exist: of a template all of whose instances are told, it is among them.
    fn may_exist(&self, path: &str) -> bool {
        let Some(snapshot) = &self.snapshot else { return true };
        if snapshot.stopped.iter().any(|action| action.path == path) {
            return true;
        }
        snapshot.templates.iter().any(|count| {
            count.first.iter().any(|action| action.path == path)
                || (count.n_instances > count.first.len() && self.is_of(path, count.template))
        })
    }

    fn is_of(&self, path: &str, template: usize) -> bool {
        let last = path.rsplit('/').next().unwrap_or(path);
        let name = last.split('[').next().unwrap_or(last);
        let template = self.facts.as_ref().and_then(|facts| facts.templates.get(template));
        template.is_some_and(|template| template.node == name)
    }

    pub(super) fn ensure_session(&mut self) {
        let is_outdated = self.subject.is_some() && !self.is_current();
        if self.state == RunState::Closed || is_outdated && !self.state.is_under_way() {
            self.open();
        }
    }

    pub(super) fn refuse(&mut self, problem: String) {
        problem.lines().for_each(|line| self.put_log(Source::Debugger, line));
        self.problem = problem;
    }

    fn put_log(&mut self, source: Source, text: &str) {
        self.log.put(LogLine { source, text: text.to_owned(), event: None });
    }
}
