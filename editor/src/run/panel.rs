//! The panel: what a person has asked for, what the session has told, and what is to be seen of both.

use std::cell::OnceCell;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use crate::calls::CallScope;
use crate::target::{Part, Target};
use crate::views::program::SameProgram;

use super::breakpoint::{Breakpoint, BreakpointSpec, Place};
use super::console::Console;
use super::facts::Facts;
use super::form::Typed;
use super::host::{Host, Request, Subject, Told};
use super::inspector::Inspector;
use super::lines::LineMap;
use super::log::Log;
use super::options::{Mode, Options};
use super::past::PastRun;
use super::queue::{Queue, QueueChange};
use super::snapshot::{Counters, RunState, Snapshot};
use super::table::InstanceTable;
use super::toolbar::Button;

/// Tables, queues, breakpoints that are typed.
mod asking;
/// The options form.
mod form;
/// Leaving a program for another one.
mod leaving;
/// Breakpoints at lines.
mod lines;
/// Moments of the record that is shown.
mod moments;
/// Breakpoints of one node or arc.
mod points;
/// Runs that are over.
mod runs;
/// Instances of calls.
mod scope;
/// What is shown.
mod shown;
/// Stops of the run.
mod stops;
/// What is told.
mod taken;

use asking::typed::TypedBreakpoint;
use form::kept::Kept;
use moments::travel::Travel;
use stops::seen::Stops;

/// How long the panel waits between two questions while a run goes on.
const PERIOD: Duration = Duration::from_millis(50);
/// Most things told that one tick takes in, so that a frame of the window is never late for them.
const MOST_TAKEN: usize = 500;

/// The state of the run panel.
pub struct RunPanel {
    host: Box<dyn Host>,
    subject: Option<Subject>,
    options: Options,
    /// What the form holds beside them.
    typed: Typed,
    /// Options of other programs.
    kept: Vec<Kept>,
    /// What the session has, as far as is known: what differs has been changed in the form since.
    known: Option<Options>,
    /// True from the request to open a session to the one to close it.
    was_opened: bool,
    /// Sessions that were to be closed and have not answered: what they tell is of another program.
    n_leaving: usize,
    /// Of the session's program.
    facts: Option<Arc<Facts>>,
    /// Of the subject, where that was asked for.
    described: Option<Arc<Facts>>,
    state: RunState,
    /// The mode of the run under way or the last one.
    run_mode: Mode,
    breakpoints: Vec<Breakpoint>,
    typed_breakpoint: TypedBreakpoint,
    /// Lines of the subject's text at which breakpoints are to be set when a session has them.
    waiting_lines: Vec<u32>,
    /// From the session's text to the subject's, once it was asked for.
    lines: OnceCell<LineMap>,
    /// Last answer whether the session's text and the subject's are of one program.
    same_program: SameProgram,
    snapshot: Option<Arc<Snapshot>>,
    /// Runs since the window was opened, the last one at the end.
    runs: VecDeque<PastRun>,
    n_runs: u64,
    counters: Option<Counters>,
    is_counting: bool,
    asked_at: Option<Duration>,
    selected: Option<String>,
    stops: Stops,
    travel: Travel,
    /// Why the run that was asked for last has not begun; empty if it has.
    not_run: String,
    /// True from the request of a run to its beginning.
    is_run_asked: bool,
    /// The instance of a call that is looked at.
    scope: Option<CallScope>,
    inspector: Inspector,
    why: Vec<String>,
    table: InstanceTable,
    /// The arc that is looked at, and what waits at its end.
    arc: Option<usize>,
    queue: Option<Result<Queue, String>>,
    console: Console,
    log: Log,
    problem: String,
    /// Whether that is what is wrong with the options.
    is_blocked: bool,
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
            typed: Typed::default(),
            kept: Vec::new(),
            known: None,
            was_opened: false,
            n_leaving: 0,
            facts: None,
            described: None,
            state: RunState::Closed,
            run_mode: Mode::Full,
            breakpoints: Vec::new(),
            typed_breakpoint: TypedBreakpoint::default(),
            waiting_lines: Vec::new(),
            lines: OnceCell::new(),
            same_program: SameProgram::default(),
            snapshot: None,
            runs: VecDeque::new(),
            n_runs: 0,
            counters: None,
            is_counting: false,
            asked_at: None,
            selected: None,
            stops: Stops::default(),
            travel: Travel::default(),
            not_run: String::new(),
            is_run_asked: false,
            scope: None,
            inspector: Inspector::default(),
            why: Vec::new(),
            table: InstanceTable::default(),
            arc: None,
            queue: None,
            console: Console::default(),
            log: Log::default(),
            problem: String::new(),
            is_blocked: false,
            views: Vec::new(),
            version: 0,
        }
    }

    /// Says what the next run is of: the document as it is now, or a record. `describes`: also ask for its parameters for
    /// the form; costs a compilation at the session's side. A session that is open goes on until the next
    /// [`Button::Run`].
    pub fn set_subject(&mut self, subject: Subject, describes: bool) {
        if self.subject.as_ref() == Some(&subject) {
            return;
        }
        self.change_program(&subject);
        self.move_waiting(&subject);
        if matches!(subject, Subject::Trace(_)) && !matches!(self.subject, Some(Subject::Trace(_))) {
            // Who has chosen to replay means the record.
            if self.options.mode != Mode::Replay {
                self.options.mode = Mode::PostMortem;
            }
        } else if matches!(subject, Subject::Program { .. })
            && matches!(self.subject, Some(Subject::Trace(_)))
            && self.options.mode == Mode::PostMortem
        {
            self.options.mode = Mode::Full;
        }
        if describes {
            self.host.send(Request::Describe(subject.clone()));
        }
        let has_breakpoints = self.take_up(&subject);
        self.subject = Some(subject);
        self.version += 1;
        if has_breakpoints {
            // Its breakpoints are those of the session that was closed.
            self.open();
        }
    }

    /// Begins a session on the subject without a run, or goes on with the one that is open: for breakpoints and the
    /// console before the first run.
    pub fn open(&mut self) {
        if let Some(subject) = self.subject.clone() {
            let options = self.options.of_mode(self.is_on_trace());
            self.known = Some(options.clone());
            self.was_opened = true;
            self.host.send(Request::Open(subject, Box::new(options)));
        }
    }

    /// Presses a button; does nothing where it is not enabled. A run whose options have a fault is not begun:
    /// [`problem`](Self::problem) says what it is.
    pub fn press(&mut self, button: Button) {
        if !self.is_enabled(button) {
            return;
        }
        if button == Button::Run
            && let Some(problem) = self.options_problem()
        {
            self.problem = problem;
            self.is_blocked = true;
            self.version += 1;
            return;
        }
        self.note_press(button);
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
            self.unblock();
            self.version += 1;
        }
    }

    /// Sets a breakpoint.
    pub fn set_breakpoint(&mut self, spec: &BreakpointSpec) {
        self.ensure_session();
        self.set_breakpoint_now(spec);
    }

    fn set_breakpoint_now(&mut self, spec: &BreakpointSpec) {
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
            there.into_iter().for_each(|number| self.delete_breakpoint(number));
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
        if self.state == RunState::Closed {
            // Nobody tells the list anew before there is a session.
            self.breakpoints.retain(|known| known.number != number);
            self.version += 1;
        }
        self.host.send(Request::DeleteBreakpoint(number));
    }

    /// Lets a breakpoint count, or not for the time being.
    pub fn enable_breakpoint(&mut self, number: u64, is_enabled: bool) {
        self.ensure_session();
        self.host.send(Request::EnableBreakpoint(number, is_enabled));
    }

    /// Chooses the action under debug. It is kept until a stop of the run at which it is not stopped but another one, and until
    /// the next run.
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

    /// Gives the value that waits in a row of the inspector that of an expression, or adds one there; drops it without a text.
    pub fn edit_queue(&mut self, row_idx: usize, text: Option<&str>) {
        let Some(action) = self.selected.clone() else { return };
        let Some((port, position)) = self.inspector.queued(row_idx) else { return };
        let change = match (position, text) {
            (Some(position), None) => QueueChange::Drop(position),
            (Some(position), Some(text)) => QueueChange::Set(position, text.to_owned()),
            (None, Some(text)) => QueueChange::Add(text.to_owned()),
            (None, None) => return,
        };
        self.host.send(Request::EditQueue { action, port: port.to_owned(), change });
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
}
