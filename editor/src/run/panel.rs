//! The panel: what a person has asked for, what the session has told, and what is to be seen of both.

use std::sync::Arc;
use std::time::Duration;

use hasse_runtime::control::{ActionState, ActionSummary, CycleStep};

use crate::marks::Marks;
use crate::target::{Part, Target};

use super::marks::{Scene, marks};
use super::toolbar::{Situation, is_enabled};
use super::{
    Breakpoint, BreakpointSpec, Button, Console, Counters, Facts, Host, Inspector, InstanceTable, Log,
    LogLine, Mode, Options, Order, Place, Request, RunState, Snapshot, Source, Subject, Told, inspector,
    why_lines,
};

/// How long the panel waits between two questions while a run goes on.
const PERIOD: Duration = Duration::from_millis(50);
/// Most things told that one tick takes in, so that a frame of the window is never late for them.
const MOST_TAKEN: usize = 500;

/// The state of the run panel.
pub struct RunPanel {
    host: Box<dyn Host>,
    subject: Option<Subject>,
    options: Options,
    /// What the session has, as far as is known: what differs has been changed in the form since.
    known: Option<Options>,
    /// Of the session's program.
    facts: Option<Arc<Facts>>,
    /// Of the subject, where that was asked for.
    described: Option<Arc<Facts>>,
    state: RunState,
    /// The mode of the run under way or the last one.
    run_mode: Mode,
    breakpoints: Vec<Breakpoint>,
    snapshot: Option<Arc<Snapshot>>,
    counters: Option<Counters>,
    is_counting: bool,
    asked_at: Option<Duration>,
    selected: Option<String>,
    inspector: Inspector,
    why: Vec<String>,
    table: InstanceTable,
    console: Console,
    log: Log,
    problem: String,
    views: Vec<Told>,
    version: u64,
}

impl RunPanel {
    /// A panel without a subject.
    pub fn new(host: Box<dyn Host>) -> Self {
        Self {
            host,
            subject: None,
            options: Options::new(),
            known: None,
            facts: None,
            described: None,
            state: RunState::Closed,
            run_mode: Mode::Full,
            breakpoints: Vec::new(),
            snapshot: None,
            counters: None,
            is_counting: false,
            asked_at: None,
            selected: None,
            inspector: Inspector::default(),
            why: Vec::new(),
            table: InstanceTable::default(),
            console: Console::default(),
            log: Log::default(),
            problem: String::new(),
            views: Vec::new(),
            version: 0,
        }
    }

    // What the window does.

    /// Says what the next run is of: the document as it is now, or a record. `describes`: also ask for its parameters for
    /// the form; costs a compilation at the session's side. A session that is open goes on until the next
    /// [`Button::Run`].
    pub fn set_subject(&mut self, subject: Subject, describes: bool) {
        if self.subject.as_ref() == Some(&subject) {
            return;
        }
        if matches!(subject, Subject::Trace(_)) && !matches!(self.subject, Some(Subject::Trace(_))) {
            self.options.mode = Mode::PostMortem;
        } else if matches!(subject, Subject::Program { .. }) && self.options.mode == Mode::PostMortem {
            self.options.mode = Mode::Full;
        }
        if describes {
            self.host.send(Request::Describe(subject.clone()));
        }
        self.subject = Some(subject);
        self.version += 1;
    }

    /// Begins a session on the subject without a run, or goes on with the one that is open: for breakpoints and the
    /// console before the first run.
    pub fn open(&mut self) {
        if let Some(subject) = self.subject.clone() {
            self.known = Some(self.options.clone());
            self.host.send(Request::Open(subject, Box::new(self.options.clone())));
        }
    }

    /// Presses a button; does nothing where it is not enabled.
    pub fn press(&mut self, button: Button) {
        if !self.is_enabled(button) {
            return;
        }
        let action = self.selected.clone();
        match (button, action) {
            (Button::Run, _) => {
                self.open();
                self.host.send(Request::Run);
            }
            (Button::Stop, _) => self.host.send(Request::Stop(None)),
            (Button::Cont, _) => self.host.send(Request::Cont(None)),
            (Button::Next, _) => self.host.send(Request::Next(None)),
            (Button::End, _) => self.host.send(Request::End),
            (Button::StopAction, Some(path)) => self.host.send(Request::Stop(Some(path))),
            (Button::ContAction, Some(path)) => self.host.send(Request::Cont(Some(path))),
            (Button::NextAction, Some(path)) => self.host.send(Request::Next(Some(path))),
            (Button::StepAction, Some(path)) => self.host.send(Request::Step(path)),
            (Button::WhyAction, Some(path)) => self.host.send(Request::Why(path)),
            (
                Button::StopAction
                | Button::ContAction
                | Button::NextAction
                | Button::StepAction
                | Button::WhyAction,
                None,
            ) => {}
        }
        self.problem.clear();
        self.version += 1;
    }

    /// Sets the options of the next run.
    pub fn set_options(&mut self, options: Options) {
        if self.options != options {
            self.options = options;
            self.version += 1;
        }
    }

    /// Sets a breakpoint.
    pub fn set_breakpoint(&mut self, spec: &BreakpointSpec) {
        self.ensure_session();
        let command = match self.facts() {
            Some(facts) => spec.command(facts),
            // Only arcs are looked up, and of those a program that was never compiled has none.
            None if matches!(spec.place, Place::Arcs(_)) => {
                self.problem = "the program has not been compiled yet".to_owned();
                self.version += 1;
                return;
            }
            None => spec.command(&Facts::none()),
        };
        self.host.send(Request::SetBreakpoint(command));
    }

    /// Sets a breakpoint without a condition on a node (a unit: before its body; a shared object: when it is locked) or
    /// an arc, or deletes those that stand there.
    pub fn toggle_breakpoint(&mut self, target: &Target) {
        let there: Vec<u64> = self
            .breakpoints
            .iter()
            .filter(|known| known.targets.contains(target))
            .map(|known| known.number)
            .collect();
        if !there.is_empty() {
            there.into_iter().for_each(|number| self.host.send(Request::DeleteBreakpoint(number)));
            return;
        }
        let facts = self.facts();
        let spec = match &target.part {
            Part::Node(name) => {
                let is_object = facts.is_some_and(|facts| {
                    facts.shared.iter().any(|known| known.0 == target.graph && known.1 == *name)
                });
                let template =
                    facts.and_then(|facts| facts.templates.get(facts.template_of(&target.graph, name)?));
                let within = template.map_or(name.as_str(), |template| template.selector.as_str());
                if is_object {
                    BreakpointSpec::at("", Place::Object(name.clone()))
                } else {
                    BreakpointSpec::at(within, Place::BeforeBody)
                }
            }
            Part::Link(_, row) => {
                let arc = facts.and_then(|facts| facts.arc_of_row(&target.graph, *row));
                BreakpointSpec::at("", Place::Arcs(arc.into_iter().collect()))
            }
            Part::Program | Part::Type(_) | Part::Graph => return,
        };
        self.set_breakpoint(&spec);
    }

    /// Deletes a breakpoint.
    pub fn delete_breakpoint(&mut self, number: u64) {
        self.host.send(Request::DeleteBreakpoint(number));
    }

    /// Lets a breakpoint count, or not for the time being.
    pub fn enable_breakpoint(&mut self, number: u64, is_enabled: bool) {
        self.host.send(Request::EnableBreakpoint(number, is_enabled));
    }

    /// Chooses the action under debug. It is kept from rest to rest as long as it exists.
    pub fn select(&mut self, action: Option<&str>) {
        if self.selected.as_deref() == action {
            return;
        }
        self.selected = action.map(str::to_owned);
        self.inspector.clear();
        self.why.clear();
        self.host.send(Request::Look(self.selected.clone()));
        self.version += 1;
    }

    /// Gives the name of a row of the inspector the value of an expression.
    pub fn assign(&mut self, name: &str, value: &str) {
        if let Some(action) = self.selected.clone() {
            self.host.send(Request::Assign { action, name: name.to_owned(), value: value.to_owned() });
        }
    }

    /// Gives a line to the console. `clear` empties it.
    pub fn type_line(&mut self, line: &str) {
        if line.trim() == "clear" {
            self.console.clear();
        } else {
            self.ensure_session();
            self.console.submit(line, &mut *self.host);
        }
        self.version += 1;
    }

    /// Asks what may stand at a place of a line; [`Console::take_completion`] has the answer.
    pub fn complete(&mut self, line: &str, at: usize) {
        self.host.send(Request::Complete { line: line.to_owned(), at });
    }

    /// Opens the table of the instances of a node.
    pub fn open_table(&mut self, graph: &str, node: &str) {
        let session = self.facts.as_ref();
        let template = session.and_then(|facts| facts.template_of(graph, node));
        match template {
            Some(template) => self.table.open(template),
            None => self.table.close(),
        }
        self.ask_page();
    }

    /// Sorts the table by a column, or by the same one the other way round.
    pub fn sort_table(&mut self, order: Order) {
        self.table.sort(order);
        self.ask_page();
    }

    /// Says which rows of the table are seen.
    pub fn show_rows(&mut self, start: usize, n_rows: usize) {
        self.table.show(start, n_rows);
        self.ask_page();
    }

    /// Takes in what the session has told, and asks for what is due. `now` is the time since the window opened. To be
    /// called about 30 times a second while a run is under way, and after each wake-up. Tells whether anything changed.
    pub fn tick(&mut self, now: Duration) -> bool {
        let before = self.version;
        for _ in 0..MOST_TAKEN {
            let Some(told) = self.host.poll() else { break };
            self.take(told);
        }
        let is_due = self.asked_at.is_none_or(|at| now >= at + PERIOD);
        if self.state.is_busy() && !self.is_counting && is_due {
            self.is_counting = true;
            self.asked_at = Some(now);
            self.host.send(Request::Counters);
        }
        self.version != before
    }

    // What the window shows.

    /// Changes whenever anything that is shown does.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The state of the session and its run.
    pub fn state(&self) -> RunState {
        self.state
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
    fn is_subject(&self, facts: &Facts) -> bool {
        match &self.subject {
            Some(Subject::Program { text, .. }) => !facts.is_trace && facts.text == *text,
            Some(Subject::Trace(_)) => facts.is_trace,
            None => false,
        }
    }

    /// Whether the session is on the present subject: if not, rows of arcs are those of an earlier text, and are not
    /// marked.
    pub fn is_current(&self) -> bool {
        self.facts.as_ref().is_some_and(|facts| self.is_subject(facts))
    }

    /// Breakpoints, by number.
    pub fn breakpoints(&self) -> &[Breakpoint] {
        &self.breakpoints
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

    /// The wait-for cycle, a line for each step.
    pub fn cycle_lines(&self) -> Vec<String> {
        inspector::cycle_lines(self.cycle())
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
            display_set: &self.options.display_set,
        };
        let mut marks = marks(&scene, graph);
        if !self.is_current() {
            marks.links.clear();
        }
        marks
    }

    // What comes in.

    fn take(&mut self, told: Told) {
        self.version += 1;
        match told {
            Told::Described(facts) => {
                if facts.is_some() {
                    self.described = facts;
                }
            }
            Told::Opened(facts) => self.facts = Some(facts),
            Told::NotOpened(problem) => {
                self.state = RunState::Closed;
                self.problem = "the program has errors".to_owned();
                problem.lines().for_each(|line| self.put_log(Source::Findings, line));
            }
            Told::State(state) => self.set_state(state),
            Told::Options(options) => {
                // What was sent and is set is no reason to take back what has been typed into the form since.
                if self.known.as_ref() != Some(&options) {
                    self.options = (*options).clone();
                    self.known = Some(*options);
                }
            }
            Told::Breakpoints(breakpoints) => self.breakpoints = breakpoints,
            Told::Log(lines) => lines.into_iter().for_each(|line| self.log.put(line)),
            Told::Answer(lines, _) => lines.into_iter().for_each(|line| self.console.put(line)),
            Told::Prompt(prompt) => self.console.set_prompt(prompt),
            Told::Completed(completion) => self.console.set_completion(completion),
            Told::Rest(snapshot) => {
                self.set_state(snapshot.state);
                self.snapshot = Some(snapshot);
                self.counters = None;
                self.select_first_stopped();
                self.table.refresh();
                self.ask_page();
            }
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
                    self.inspector.set(found);
                }
            }
            Told::Why(path, found) => {
                if self.selected.as_deref() == Some(path.as_str()) {
                    self.why = match found {
                        Ok(explanation) => why_lines(&explanation),
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
            Told::Refused(problem) => {
                problem.lines().for_each(|line| self.put_log(Source::Debugger, line));
                self.problem = problem;
            }
            told @ (Told::Begun(_) | Told::Batch(_) | Told::BatchesLeftOut | Told::Recorded(_)) => {
                if let Told::Begun(mode) = &told {
                    self.run_mode = *mode;
                    self.counters = None;
                }
                self.views.push(told);
            }
            Told::Closed => {
                self.set_state(RunState::Closed);
                self.inspector.clear();
            }
        }
    }

    fn set_state(&mut self, state: RunState) {
        self.state = state;
        if state.is_busy() || matches!(state, RunState::Opening | RunState::Closed) {
            self.snapshot = None;
            self.why.clear();
        }
        if !state.is_busy() {
            self.is_counting = false;
        }
    }

    /// Where no action is under debug, the first one that is stopped is; one that is no longer there is given up.
    fn select_first_stopped(&mut self) {
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

    /// What an action is doing, of those that were told at the last rest.
    pub fn action_state(&self, path: &str) -> Option<&ActionState> {
        let snapshot = self.snapshot.as_ref()?;
        let told = snapshot.templates.iter().flat_map(|count| &count.first).chain(&snapshot.stopped);
        told.into_iter().find(|action| action.path == path).map(|action| &action.state)
    }

    fn ensure_session(&mut self) {
        let is_outdated = self.subject.is_some() && !self.is_current();
        if self.state == RunState::Closed || is_outdated && !self.state.is_under_way() {
            self.open();
        }
    }

    fn ask_page(&mut self) {
        self.table.ask(&mut *self.host);
        self.version += 1;
    }

    fn put_log(&mut self, source: Source, text: &str) {
        self.log.put(LogLine { source, text: text.to_owned(), event: None });
    }
}
