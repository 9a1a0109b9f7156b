//! What the window shows of the panel.

use std::sync::Arc;

use hasse_runtime::control::{ActionState, ActionSummary, CycleStep};

use super::super::breakpoint::Breakpoint;
use super::super::console::Console;
use super::super::ended::Ended;
use super::super::facts::Facts;
use super::super::host::{Subject, Told};
use super::super::inspector::Inspector;
use super::super::log::Log;
use super::super::options::{Mode, Options};
use super::super::snapshot::{MOST_DOTS, RunState, Snapshot};
use super::super::table::InstanceTable;
use super::super::toolbar::Button;
use crate::marks::Marks;
use crate::run::inspector;
use crate::run::marks::{Scene, marks};
use crate::run::toolbar::{Situation, is_enabled};

use super::RunPanel;

impl RunPanel {
    /// Changes whenever anything that is shown does.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The state of the session and its run.
    pub fn state(&self) -> RunState {
        self.state
    }

    /// The mode of the run under way, or of the last one.
    pub fn run_mode(&self) -> Mode {
        self.run_mode
    }

    /// Whether a button can be pressed.
    pub fn is_enabled(&self, button: Button) -> bool {
        is_enabled(
            button,
            Situation {
                state: self.state,
                mode: self.run_mode,
                has_subject: self.subject.is_some(),
                action: self.selected.as_ref().map(|_| self.inspector.is_stopped()),
                has_statement: self.inspector.has_statement(),
            },
        )
    }

    /// The options of the next run.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// What is known of the program: nodes, arcs, parameters. Of the subject if it was described, else of the session's
    /// program, which may be an earlier text.
    pub fn facts(&self) -> Option<&Arc<Facts>> {
        let described = self.described.as_ref().filter(|facts| self.is_subject(facts));
        described.or(self.facts.as_ref())
    }

    /// Whether these are facts of the present subject.
    pub(super) fn is_subject(&self, facts: &Facts) -> bool {
        match &self.subject {
            // A session on a record of this very text is as good.
            Some(Subject::Program { text, .. }) => facts.text == *text,
            Some(Subject::Trace(_)) => facts.is_trace,
            None => false,
        }
    }

    /// Returns true if the session is on the present subject, so that numbers of lines mean the same.
    pub fn is_current(&self) -> bool {
        self.facts.as_ref().is_some_and(|facts| self.is_subject(facts))
    }

    /// Returns true if rows of arcs of the session's text are those of the present subject: the text is the same, or the same in
    /// another form, as after it was saved.
    pub fn is_of_program(&self) -> bool {
        let is_of = |facts: &Facts| match &self.subject {
            Some(Subject::Program { text, .. }) => self.same_program.holds(&facts.text, text),
            _ => self.is_subject(facts),
        };
        self.facts.as_ref().is_some_and(|facts| is_of(facts))
    }

    /// Breakpoints, by number.
    pub fn breakpoints(&self) -> &[Breakpoint] {
        &self.breakpoints
    }

    /// How the last run ended, once it is over.
    pub fn ended(&self) -> Option<&Ended> {
        let is_over = matches!(self.state, RunState::Over { .. });
        self.snapshot.as_ref().filter(|_| is_over).and_then(|snapshot| snapshot.ended.as_ref())
    }

    /// The state in a word; of a run that is over, how it ended.
    pub fn state_name(&self) -> &'static str {
        match self.moment() {
            Some(moment) if !moment.is_end() => "at a moment",
            _ => self.ended().map_or(self.state.name(), Ended::name),
        }
    }

    /// Actions that are stopped, the first of them, and how many there are.
    pub fn stopped(&self) -> (&[ActionSummary], usize) {
        self.snapshot.as_ref().map_or((&[], 0), |snapshot| (&snapshot.stopped, snapshot.n_stopped))
    }

    /// Everything that was read at the last rest, `None` while the run goes on.
    pub fn snapshot(&self) -> Option<&Arc<Snapshot>> {
        self.snapshot.as_ref()
    }

    /// Events counted so far, while a run goes on.
    pub fn n_events(&self) -> u64 {
        match (&self.snapshot, &self.counters) {
            (Some(snapshot), _) => snapshot.templates.iter().map(|count| count.n_events).sum(),
            (None, Some(counters)) => counters.n_events.iter().sum(),
            (None, None) => 0,
        }
    }

    /// The wait-for cycle of the last rest; empty where there is none.
    pub fn cycle(&self) -> &[CycleStep] {
        self.snapshot.as_ref().map_or(&[], |snapshot| &snapshot.cycle)
    }

    /// The wait-for cycle, a line for each step; empty where the action under debug is not part of it.
    pub fn cycle_lines(&self) -> Vec<String> {
        let cycle = self.cycle();
        let concerns = |path: &String| cycle.iter().any(|step| step.action == *path);
        if self.selected.as_ref().is_none_or(concerns) { inspector::cycle_lines(cycle) } else { Vec::new() }
    }

    /// The action under debug.
    pub fn selected(&self) -> Option<&str> {
        self.selected.as_deref()
    }

    /// Rows of the action under debug.
    pub fn inspector(&self) -> &Inspector {
        &self.inspector
    }

    /// Why the action under debug is not firing, once that was asked for.
    pub fn why(&self) -> &[String] {
        &self.why
    }

    /// The table that is open.
    pub fn table(&self) -> &InstanceTable {
        &self.table
    }

    /// The console.
    pub fn console(&self) -> &Console {
        &self.console
    }

    /// The console, to go through its history.
    pub fn console_mut(&mut self) -> &mut Console {
        &mut self.console
    }

    /// The log.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// The log, to be cleared.
    pub fn log_mut(&mut self) -> &mut Log {
        self.version += 1;
        &mut self.log
    }

    /// What could not be done last; empty where all could.
    pub fn problem(&self) -> &str {
        &self.problem
    }

    /// What the views are told: [`Told::Begun`], [`Told::Batch`], [`Told::BatchesLeftOut`], [`Told::Recorded`], in order.
    /// To be taken after each tick.
    pub fn take_for_views(&mut self) -> Vec<Told> {
        std::mem::take(&mut self.views)
    }

    /// What is to be seen on the picture of a graph.
    pub fn marks(&self, graph: &str) -> Marks {
        let Some(facts) = &self.facts else { return Marks::default() };
        let scene = Scene {
            facts,
            snapshot: self.snapshot.as_deref(),
            counters: self.counters.as_ref(),
            breakpoints: &self.breakpoints,
            selected: self.selected.as_deref(),
            scope: self.scope.as_ref(),
            display_set: &self.options.display_set,
        };
        let mut marks = marks(&scene, graph);
        for (_, call, _) in facts.calls.iter().filter(|(owner, ..)| owner == graph) {
            if let Some(node) = marks.nodes.get_mut(call) {
                let mut dots = self.call_instances(graph, call);
                node.n_more = dots.len().saturating_sub(MOST_DOTS);
                dots.truncate(MOST_DOTS);
                node.dots = dots;
            }
        }
        if !self.is_of_program() {
            marks.links.clear();
        }
        marks
    }

    /// What an action is doing, of those that were told at the last rest.
    pub fn action_state(&self, path: &str) -> Option<&ActionState> {
        self.summary_of(path).map(|action| &action.state)
    }

    /// Number of values that wait at an action, as far as it is listed.
    pub(super) fn n_queued_at(&self, path: &str) -> u64 {
        self.summary_of(path).map_or(0, |action| action.n_queued)
    }

    fn summary_of(&self, path: &str) -> Option<&ActionSummary> {
        let snapshot = self.snapshot.as_ref()?;
        let mut listed = snapshot.templates.iter().flat_map(|count| &count.first).chain(&snapshot.stopped);
        listed.find(|action| action.path == path)
    }
}
