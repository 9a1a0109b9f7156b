//! Breakpoints; stopping and continuing; and asking the actions of a run that is under way, or over and still open.

use std::io::Write;
use std::str::FromStr;
use std::time::Duration;

use hasse_debugger::show::{Limits, Shown};
use hasse_model::plan::Plan;
use hasse_model::record_options::Selector;
use hasse_runtime::control::expression::{Expression, ExpressionError};
use hasse_runtime::control::grammar::{self, Keyword};
use hasse_runtime::control::{ActionState, ActionSummary, Control, GlobalState, InspectError, Inspector};
use hasse_runtime::run::StopSignal;

use super::super::command::AskedEvent;
use super::super::line::LineError;
use super::super::scope::Scope;
use super::super::wording;
use super::{Session, unplaced, written};
use crate::debug::table::row::Context;
use crate::debug::underway::Underway;
use crate::fault::Fault;

/// Most actions that are explained at once.
const MOST_EXPLAINED: usize = 20;
/// Time that the other actions are given to come to rest after one has stopped.
const PATIENCE: Duration = Duration::from_secs(2);

impl Session<'_, '_> {
    /// Reads a breakpoint and sets it; gives it a number.
    pub(in super::super) fn set_breakpoint(
        &mut self,
        keyword: Keyword,
        text: &str,
        column: usize,
        out: &mut dyn Write,
    ) -> Result<(), Fault> {
        let plan = &self.subject.plan;
        let scope = &self.settings.scope;
        let selected = match scope.context() {
            Context::Action => scope.selector().map(|path| Selector::from_str(&path)).transpose(),
            Context::Program | Context::Call | Context::Event => Ok(None),
        };
        let selected = selected.map_err(Fault::Selector)?;
        let breakpoint = grammar::parse(keyword, text, column, plan, selected.as_ref())
            .map_err(|error| unplaced(LineError::new(error.column, error.message, error.hint)))?;
        let number = self.settings.next_number();
        self.subject.control.set_breakpoint(plan, number, breakpoint.clone()).map_err(Fault::Selector)?;
        written(writeln!(out, "breakpoint {number}: {}", grammar::shown(&breakpoint, plan)))?;
        self.settings.breakpoints.insert(number, breakpoint);
        Ok(())
    }

    /// Gives the control the breakpoints that are set, and no others.
    pub(in super::super) fn arm_breakpoints(&self) {
        let control = &self.subject.control;
        for listed in control.breakpoints() {
            control.delete_breakpoint(listed.number);
        }
        for (&number, breakpoint) in &self.settings.breakpoints {
            if self.settings.disabled.contains(&number) {
                continue;
            }
            // Whatever is in the settings was set before, in this program.
            let _ = control.set_breakpoint(&self.subject.plan, number, breakpoint.clone());
        }
    }

    /// Deletes a breakpoint; tells whether there was one.
    pub(in super::super) fn delete_breakpoint(&mut self, number: u64) -> bool {
        self.subject.control.delete_breakpoint(number);
        self.settings.disabled.remove(&number);
        self.settings.breakpoints.remove(&number).is_some()
    }

    /// Returns true if there is a run whose actions can be asked, if its mode has control.
    pub(super) fn is_open(&self) -> bool {
        self.live.is_some() || self.open.is_some() || self.is_at_moment()
    }

    /// The run under way, where it can be controlled.
    pub(super) fn control(&self) -> Result<&Control, Fault> {
        let live = self.live.as_ref().ok_or(Fault::NotUnderWay)?;
        live.control().ok_or(Fault::NoControl { mode: self.settings.mode.name() })
    }

    /// Asks the run under way, or the one that is open.
    pub(in super::super) fn ask<R: Send + 'static>(
        &self,
        question: impl FnOnce(&mut dyn Inspector) -> R + Send + 'static,
    ) -> Result<R, Fault> {
        self.control_in_question().ask(question).map_err(|_| Fault::NoRun)
    }

    /// The control of the replay at a moment, or else of the session's runs.
    pub(super) fn control_in_question(&self) -> &Control {
        self.moment_control().unwrap_or(&self.subject.control)
    }

    /// The path of the selected action; `None` in the program.
    pub(super) fn selected(&self) -> Result<Option<String>, Fault> {
        path_of(&self.settings.scope)
    }

    /// Waits until the run is at rest, and tells what has happened; of a run that is over, what came of it.
    pub(in super::super) fn rest(&mut self, out: &mut dyn Write) -> Result<(), Fault> {
        self.serve_until_rest();
        let Some(live) = &self.live else { return Ok(()) };
        let Some(control) = live.control() else { return self.conclude(out) };
        let state = {
            let _line = live.line().wait();
            control.wait_for_stop(PATIENCE)
        };
        match &self.subject.taps {
            Some(_) => self.tell_news(),
            None => self.write_news(out)?,
        }
        let left: Vec<u64> = control.breakpoints().iter().map(|listed| listed.number).collect();
        // A run that could not begin is over before its thread is.
        let is_over = state == GlobalState::Finished || live.is_over();
        let disabled = &self.settings.disabled;
        self.settings.breakpoints.retain(|number, _| left.contains(number) || disabled.contains(number));
        if is_over {
            return self.conclude(out);
        }
        // One that has ended meanwhile can no longer be asked.
        let Ok(n_stopped) = self.ask(|inspector| n_stopped(&inspector.actions())) else {
            return self.conclude(out);
        };
        if !state.is_busy() {
            self.rest_is_said();
            return written(writeln!(out, "{}", wording::global(state, n_stopped)));
        }
        let state = wording::global(state, n_stopped);
        written(writeln!(out, "{state}; the others go on: `wait` waits for them, `stop` stops them"))
    }

    /// Tells a window what has happened at stop points.
    pub(in super::super) fn tell_news(&self) {
        let Some(taps) = &self.subject.taps else { return };
        for news in self.subject.control.take_news() {
            (taps.news)(&news, &wording::news(&news));
        }
    }

    /// Prints what has happened to a run that goes on in the background, at a terminal.
    pub(in super::super) fn announce(&self, out: &mut dyn Write) -> Result<(), Fault> {
        let (Some(console), Some(_)) = (&self.subject.console, &self.live) else { return Ok(()) };
        let lines = console.announcements(&self.subject.control);
        written(lines.iter().try_for_each(|line| writeln!(out, "{line}")))
    }

    /// Asks everything, or the selected action, to stop.
    pub(super) fn stop(&mut self, out: &mut dyn Write) -> Result<(), Fault> {
        let selected = self.selected()?;
        let control = self.control()?;
        match selected {
            None => {
                control.stop();
                self.rest(out)
            }
            Some(path) => {
                control.stop_action(&path);
                written(writeln!(out, "{path} will stop before its next computation"))
            }
        }
    }

    /// Lets everything, or the selected action, go on.
    pub(super) fn go(&mut self, next: bool, in_background: bool, out: &mut dyn Write) -> Result<(), Fault> {
        let selected = self.selected()?;
        self.control()?;
        // What the program prints comes from another thread.
        written(out.flush())?;
        self.run_goes_on();
        match selected {
            None => {
                self.ask(move |inspector| inspector.resume_all(next))?;
            }
            Some(path) => {
                self.ask(move |inspector| inspector.resume(&path, next))?.map_err(Fault::Inspect)?;
            }
        }
        if in_background { Ok(()) } else { self.rest(out) }
    }

    /// As [`go`](Self::go), again after each rest, until the run is over.
    pub(super) fn go_times(
        &mut self,
        next: bool,
        in_background: bool,
        n_times: u64,
        out: &mut dyn Write,
    ) -> Result<(), Fault> {
        self.go(next, in_background, out)?;
        for _ in 1..n_times {
            if self.live.is_none() {
                break;
            }
            self.go(next, in_background, out)?;
        }
        Ok(())
    }

    /// Ends the run under way, and tells what came of it.
    pub(in super::super) fn kill(&mut self, out: &mut dyn Write) -> Result<(), Fault> {
        if self.live.is_none() {
            return Ok(());
        }
        self.subject.current.lock().iter().for_each(Underway::end);
        self.conclude(out)
    }

    pub(super) fn rerun(&mut self, in_background: bool, out: &mut dyn Write) -> Result<(), Fault> {
        self.kill(out)?;
        self.run(in_background, out)
    }

    pub(super) fn print(&mut self, text: &str, column: usize, out: &mut dyn Write) -> Result<(), Fault> {
        let expression = parse(text, column, &self.subject.plan)?;
        if self.settings.scope.context() == Context::Event && !self.is_under_way() {
            return self.print_in_event(text, column, &expression, out);
        }
        let Some(path) = self.selected()? else { return Err(Fault::NoRun) };
        let value = self.ask(move |inspector| inspector.evaluate(&path, &expression))?;
        let value = value.map_err(|error| placed(error, column))?;
        written(writeln!(out, "{} = {}", text.trim(), Shown::new(&value, &Limits::default())))
    }

    pub(super) fn dump(&mut self, out: &mut dyn Write) -> Result<(), Fault> {
        let scope = &self.settings.scope;
        if scope.context() == Context::Event && !self.is_under_way() {
            return self.values(&AskedEvent { target: None, column: 1 }, out);
        }
        if matches!(scope.context(), Context::Program | Context::Call) {
            return self.dump_graph(out);
        }
        let Some(path) = self.selected()? else { return Err(Fault::NoRun) };
        let mut view = self.ask(move |inspector| inspector.action(&path))?.map_err(Fault::Inspect)?;
        if self.moment_control().is_some() {
            // It is stopped as the moment is there.
            view.reasons.clear();
        }
        written(write!(out, "{}", wording::view(&view)))
    }

    /// The creation parameters of the program and the shared objects below the selected graph.
    fn dump_graph(&self, out: &mut dyn Write) -> Result<(), Fault> {
        if self.settings.scope.context() == Context::Program {
            for (name, value) in &self.subject.params {
                written(writeln!(out, "parameter {name} = {}", wording::shown(value)))?;
            }
        }
        let below = format!("{}/", self.settings.scope.selector().unwrap_or_default());
        for object in self.ask(|inspector| inspector.objects())? {
            if !object.path.starts_with(&below) {
                continue;
            }
            let list = |what: &str, paths: &[String]| match paths {
                [] => String::new(),
                paths => format!(", {what} {}", paths.join(", ")),
            };
            written(writeln!(
                out,
                "shared {} = {}{}{}",
                object.path,
                wording::shown(&object.value),
                list("held by", &object.holders),
                list("awaited by", &object.waiting)
            ))?;
        }
        Ok(())
    }

    pub(super) fn assign(
        &self,
        name: &str,
        text: &str,
        column: usize,
        out: &mut dyn Write,
    ) -> Result<(), Fault> {
        let expression = parse(text, column, &self.subject.plan)?;
        let Some(path) = self.selected()? else { return Err(Fault::NoRun) };
        let asked = name.to_owned();
        let value = self.ask(move |inspector| inspector.assign(&path, &asked, &expression))?;
        written(writeln!(
            out,
            "{name} is now {}",
            wording::shown(&value.map_err(|error| placed(error, column))?)
        ))
    }

    /// Why actions do not fire, or what caused an event.
    pub(super) fn why(&self, asked: &AskedEvent, out: &mut dyn Write) -> Result<(), Fault> {
        let scope = self.asked_scope(asked)?;
        if scope.context() == Context::Event || !self.is_open() {
            return self.why_events(&scope, asked.column, out).map_err(|fault| match fault {
                Fault::NoRecords | Fault::NothingKept { .. } | Fault::TraceCutOff { .. } => {
                    Fault::NothingToExplain
                }
                fault => fault,
            });
        }
        let file = self.subject.program.name();
        let mut names = self.actions_of(&scope)?;
        if names.is_empty() {
            // Nothing has been sent there: that is an answer, too.
            names.extend(scope.selector());
        }
        for path in names.iter().take(MOST_EXPLAINED) {
            let asked = path.clone();
            let explanation = self.ask(move |inspector| inspector.explain(&asked))?;
            let explanation = explanation.map_err(Fault::Inspect)?;
            written(write!(out, "{}", wording::explanation(&explanation, &file)))?;
        }
        if names.len() > MOST_EXPLAINED {
            let n_more = names.len() - MOST_EXPLAINED;
            written(writeln!(out, "{n_more} more: name one of them"))?;
        }
        Ok(())
    }

    /// The paths of the actions that a scope stands for.
    pub(super) fn actions_of(&self, scope: &Scope) -> Result<Vec<String>, Fault> {
        if scope.is_one() && scope.context() == Context::Action {
            return Ok(scope.selector().into_iter().collect());
        }
        let below = scope.selector().unwrap_or_default();
        let is_in = |path: &str| {
            path.strip_prefix(&below).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '[']))
        };
        let actions = self.ask(|inspector| inspector.actions())?;
        Ok(actions.into_iter().map(|action| action.path).filter(|path| is_in(path)).collect())
    }

    pub(super) fn deadlock(&self, out: &mut dyn Write) -> Result<(), Fault> {
        let stop = StopSignal::default();
        // Ctrl-C ends the search, and not the run.
        let before = self.subject.current.lock().replace(Underway::of_question(stop.clone()));
        let found = self.ask(move |inspector| inspector.deadlock(&|| stop.is_set()));
        *self.subject.current.lock() = before;
        let text = match found? {
            Some(found) => wording::deadlock(&found, |arc| self.place_of(arc)),
            None => "the search was interrupted\n".to_owned(),
        };
        written(write!(out, "{text}"))
    }

    /// Where an arc stands in the program file.
    fn place_of(&self, arc: &str) -> Option<String> {
        let found = self.subject.plan.arcs.iter().find(|known| known.text == arc)?;
        Some(format!("{}:{}", self.subject.program.name(), found.at.line))
    }

    pub(super) fn write_stopped(&self, out: &mut dyn Write) -> Result<(), Fault> {
        let actions = self.ask(|inspector| inspector.actions())?;
        for action in &actions {
            if matches!(action.state, ActionState::Stopped(_) | ActionState::WaitsFor(_)) {
                let state = wording::state(&action.state);
                written(writeln!(out, "{}:{} {state}", action.path, action.count))?;
            }
        }
        written(writeln!(out, "{}", wording::global(self.control_in_question().state(), n_stopped(&actions))))
    }
}

pub(super) fn n_stopped(actions: &[ActionSummary]) -> usize {
    actions.iter().filter(|action| matches!(action.state, ActionState::Stopped(_))).count()
}

/// The path of an action; `None` for the program.
fn path_of(scope: &Scope) -> Result<Option<String>, Fault> {
    let Some(path) = scope.selector() else { return Ok(None) };
    if scope.is_one() { Ok(Some(path)) } else { Err(Fault::Several { scope: path }) }
}

/// Puts what is wrong with the value of an expression, which begins at `column`, to its place in the line.
pub(super) fn placed(error: InspectError, column: usize) -> Fault {
    let InspectError::Value { message } = &error else { return Fault::Inspect(error) };
    let place = message.strip_prefix("column ").and_then(|text| text.split_once(": "));
    match place.and_then(|(at, message)| Some((at.parse::<usize>().ok()?, message))) {
        Some((at, message)) => unplaced(LineError::new(column + at - 1, message, "")),
        None => Fault::Inspect(error),
    }
}

pub(super) fn parse(text: &str, column: usize, plan: &Plan) -> Result<Expression, Fault> {
    let expression =
        Expression::parse_in(text, plan).map_err(|ExpressionError { column: at, message }| {
            unplaced(LineError::new(
                column + at - 1,
                message,
                "expressions are Rhai over the names of the action",
            ))
        })?;
    for (selector, _) in expression.selectors() {
        selector.templates(plan).map_err(Fault::Selector)?;
    }
    Ok(expression)
}
