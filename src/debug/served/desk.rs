//! Requests and what becomes of them: between runs, and beside one.

/// Beside a run.
mod beside;
/// Settings that a session leaves for the next one on its program.
mod leftover;
/// Moments of the session's events.
mod moments;
/// What is told.
mod telling;

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io::{self, Write};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use hasse_editor::run::{
    Breakpoint, Completion, Counters, Facts, Options, Request, RunState, Subject as Asked, Told,
};
use hasse_editor::views::record::AskedRecord;
use hasse_model::id::EventId;
use hasse_runtime::control::InspectError;
use hasse_runtime::sandbox::Sandbox;

use super::super::command::Kind;
use super::super::job::Records;
use super::super::session::{Phase, Session, Waiter};
use super::super::subject::{Subject, Subjects};
use super::asking::{Asking, Replayed};
use super::lines::Lines;
use super::mailbox::Mailbox;
use super::opening::{self, Compiled};
use super::options;
use super::points::{Disabled, Statements};
use super::rest::{self, Rested};
use crate::debug::underway::Underway;
use crate::fault::Fault;
use crate::linked::Linked;
use crate::report;
use leftover::Left;

/// How long a run is left alone between two looks at whether it rests.
const PERIOD: Duration = Duration::from_millis(5);
/// Most console lines that wait for a run, one within the other.
const MOST_DEPTH: usize = 8;
/// What a request that needs a session is told where there is none.
const NO_SESSION: &str = "there is no session: the program has errors, or none is open";

/// What a session is told and tells.
pub(super) struct Desk {
    requests: Receiver<Request>,
    /// Requests that wait for the run under way to be over.
    deferred: RefCell<VecDeque<Request>>,
    mailbox: Arc<Mailbox>,
    folder: PathBuf,
    sandbox: Sandbox,
    linked: Linked,
    is_closed: Cell<bool>,
    /// What the session is on.
    current: RefCell<Option<Current>>,
    /// What sessions have left for the next ones on their programs, the last one at the end.
    kept: RefCell<Vec<Left>>,
    disabled: RefCell<Disabled>,
    /// Of the breakpoints at lines.
    statements: RefCell<Statements>,
    rested: RefCell<Rested>,
    /// The action under debug.
    look: RefCell<Option<String>>,
    /// The arc whose waiting values are looked at.
    arc: RefCell<Option<usize>>,
    /// Whether something may have changed that is read at a rest.
    is_stale: Cell<bool>,
    is_ending: Cell<bool>,
    /// Whether the session ends by a line of the console.
    has_quit: Cell<bool>,
    depth: Cell<usize>,
    last: RefCell<Last>,
    n_records: Cell<u64>,
    files: RefCell<VecDeque<PathBuf>>,
    /// What is asked about the events of records.
    asking: Asking,
}

struct Current {
    asked: Asked,
    /// The options as they were given last.
    options: Options,
    facts: Arc<Facts>,
}

/// What was told last.
#[derive(Default)]
struct Last {
    state: RunState,
    options: Option<Options>,
    breakpoints: Vec<Breakpoint>,
    prompt: String,
    records: Option<Records>,
    /// The run whose record was told.
    n_runs: u64,
}

/// What comes after a request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Go,
    /// The session is over.
    Leave,
}

impl Desk {
    pub(super) fn new(
        requests: Receiver<Request>,
        mailbox: &Arc<Mailbox>,
        folder: PathBuf,
        sandbox: Sandbox,
        linked: Linked,
    ) -> Self {
        Self {
            requests,
            deferred: RefCell::default(),
            mailbox: Arc::clone(mailbox),
            folder,
            sandbox,
            linked,
            is_closed: Cell::new(false),
            current: RefCell::default(),
            kept: RefCell::default(),
            disabled: RefCell::default(),
            statements: RefCell::default(),
            rested: RefCell::default(),
            look: RefCell::default(),
            arc: RefCell::default(),
            is_stale: Cell::new(false),
            is_ending: Cell::new(false),
            has_quit: Cell::new(false),
            depth: Cell::new(0),
            last: RefCell::default(),
            n_records: Cell::new(0),
            files: RefCell::default(),
            asking: Asking::default(),
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.is_closed.get()
    }

    /// Lets go of what a session that has failed left behind.
    pub(super) fn forget(&self) {
        self.deferred.take();
        self.current.take();
        self.rested.take();
        self.depth.set(0);
        self.is_ending.set(false);
        self.mailbox.set_console(false);
        *self.last.borrow_mut() = Last::default();
    }

    /// The next request; `None` when there will be none.
    fn next(&self) -> Option<Request> {
        let deferred = self.deferred.borrow_mut().pop_front();
        let next = deferred.or_else(|| self.requests.recv().ok());
        if next.is_none() {
            self.is_closed.set(true);
        }
        next
    }

    /// Serves requests, and the sessions that they open, until there are none.
    pub(super) fn serve(self: &Rc<Self>) {
        while let Some(request) = self.next() {
            match request {
                Request::Open(asked, options) => self.open(asked, *options),
                Request::Describe(asked) => self.describe(&asked),
                Request::Close => {
                    self.leave_unnamed();
                    self.mailbox.tell(Told::Left);
                }
                Request::Look(action) => *self.look.borrow_mut() = action,
                Request::Queue(arc) => *self.arc.borrow_mut() = arc,
                Request::SetBreakpoint(command) => {
                    let result = Err(NO_SESSION.to_owned());
                    self.mailbox.tell(Told::Placed { command, result });
                }
                Request::DeleteBreakpoint(number) => {
                    if let Some(left) = self.kept.borrow_mut().last_mut() {
                        left.kept.forget(number);
                    }
                }
                Request::Complete { line, at } => {
                    self.mailbox.tell(Told::Completed(Completion {
                        start: at,
                        end: at,
                        line,
                        candidates: Vec::new(),
                    }));
                }
                Request::Page(query) => self.mailbox.tell(Told::Page(rest::no_page(query))),
                Request::Counters => self.mailbox.tell(Told::Counters(Counters::default())),
                Request::Values { of: AskedRecord::File(trace), events } => {
                    self.ask_values(Replayed::File(trace), events);
                }
                Request::Alone { of: AskedRecord::File(trace), event, inputs } => {
                    self.ask_alone(Replayed::File(trace), event, inputs);
                }
                Request::Console(_) => {
                    self.mailbox.tell(Told::Answer(vec![NO_SESSION.to_owned()], false));
                }
                Request::Moment(_) | Request::Hit { .. } | Request::Fork => {
                    self.tell_no_moment(NO_SESSION.to_owned(), true);
                }
                // They follow an opening that has failed, which was told.
                Request::Run
                | Request::Stop(_)
                | Request::Cont(_)
                | Request::Next(_)
                | Request::Step(_)
                | Request::End
                | Request::EnableBreakpoint(..)
                | Request::Assign { .. }
                | Request::EditQueue { .. }
                | Request::Values { of: AskedRecord::SoFar { .. }, .. }
                | Request::Alone { of: AskedRecord::SoFar { .. }, .. }
                | Request::Why(_) => {}
            }
        }
    }

    fn ask_values(&self, of: Replayed, events: Option<Vec<EventId>>) {
        self.asking.values(&self.mailbox, &self.linked, of, events);
    }

    fn ask_alone(&self, of: Replayed, event: String, inputs: Vec<(String, String)>) {
        self.asking.alone(&self.mailbox, (&self.linked, &self.sandbox), of, event, inputs);
    }

    fn describe(&self, asked: &Asked) {
        self.mailbox.tell(Told::Described(opening::described(asked, &self.linked)));
    }

    /// Serves a session to its end.
    fn open(self: &Rc<Self>, asked: Asked, options: Options) {
        self.tell_state(RunState::Opening);
        let opened = Compiled::of(&asked, &self.linked).and_then(|compiled| {
            let facts = compiled.facts();
            let mut subject = compiled.subject(&options, self.sandbox.clone())?;
            subject.taps = Some(self.mailbox.taps());
            Ok((subject, facts))
        });
        if let (Asked::Program { text, .. }, Err(problem)) = (&asked, &opened)
            && !problem.found.is_empty()
        {
            self.mailbox.tell(Told::Found(Arc::clone(text), problem.found.clone()));
        }
        let (subject, facts) = match opened {
            Ok(opened) => opened,
            Err(problem) => {
                self.mailbox.tell(Told::NotOpened(problem.said));
                self.tell_state(RunState::Closed);
                return;
            }
        };
        *self.current.borrow_mut() =
            Some(Current { asked: asked.clone(), options: options.clone(), facts: Arc::clone(&facts) });
        self.statements.take();
        let text = Arc::clone(&facts.text);
        let subjects = Subjects::new(subject);
        let subject = subjects.first();
        thread::scope(|scope| {
            let _guard = EndsRun(subject);
            let mut session = Session::new(&subjects, scope);
            session.set_waiter(Rc::clone(self) as Rc<dyn Waiter>);
            let mut options = options;
            let (kept, disabled) = self.take_left(&asked, &facts.text);
            for (command, fault) in session.go_on(&kept) {
                let text = report::fault_text(&fault);
                self.mailbox.tell(Told::Refused(format!("given up: `{command}`\n{text}")));
                options.checks.retain(|check| command != format!("check {check}"));
                options
                    .record
                    .retain(|(selector, option)| command != format!("rcopt {selector} {}", option.name()));
            }
            disabled.into_iter().for_each(|number| self.enable(&mut session, number, false));
            self.mailbox.tell(Told::Opened(facts));
            if let Some(trace) = &subject.trace {
                self.mailbox.tell(Told::Recorded(trace.clone()));
            }
            self.set_options(&mut session, &options);
            self.tell_changes(&mut session);
            while let Some(request) = self.next() {
                if self.answer(&mut session, request) == Flow::Leave {
                    break;
                }
                self.tell_changes(&mut session);
            }
            let disabled = self.disabled.take();
            let numbers = disabled.keys().copied().collect();
            for (number, breakpoint) in disabled {
                session.put_breakpoint(number, breakpoint);
            }
            self.leave(Left { asked, text, kept: session.kept(), disabled: numbers, is_gone: false });
            self.is_ending.set(true);
            if let Err(fault) = session.close(&mut Lines::of_log(&self.mailbox)) {
                self.refuse(&fault);
            }
            self.is_ending.set(false);
            self.tell_record(&session);
        });
        self.current.take();
        self.rested.take();
        *self.last.borrow_mut() = Last::default();
        self.mailbox.tell(Told::State(RunState::Closed));
        if self.has_quit.take() {
            self.mailbox.tell(Told::Closed);
        }
    }

    /// Carries out a request; no run is under way, or it rests.
    fn answer(&self, session: &mut Session<'_, '_>, request: Request) -> Flow {
        let mut out = Lines::of_log(&self.mailbox);
        let ended = match request {
            Request::Open(asked, options) => {
                if !self.is_on(&asked, &options) {
                    self.deferred.borrow_mut().push_front(Request::Open(asked, options));
                    return Flow::Leave;
                }
                self.reopen(session, *options);
                Ok(())
            }
            Request::Close => {
                // Answered once the session is over.
                self.deferred.borrow_mut().push_front(Request::Close);
                return Flow::Leave;
            }
            Request::Run => {
                self.is_stale.set(true);
                session.kill(&mut out).and_then(|()| session.run(false, &mut out))
            }
            Request::End => {
                self.is_stale.set(true);
                self.is_ending.set(true);
                let ended = session.kill(&mut out);
                self.is_ending.set(false);
                ended
            }
            Request::Cont(action) => self.go(session, action, false, &mut out),
            Request::Next(action) => self.go(session, action, true, &mut out),
            Request::Step(action) => {
                self.is_stale.set(true);
                let asked = session.ask(move |inspector| inspector.step(&action));
                asked.and_then(|done| done.map_err(Fault::Inspect)).and_then(|()| session.rest(&mut out))
            }
            Request::Moment(position) => self.go_to_moment(session, position),
            Request::Hit { is_back } => self.go_to_hit(session, is_back),
            Request::Fork => self.fork(session, &mut out),
            request => return self.beside(session, request),
        };
        if let Err(fault) = ended.and_then(|()| out.flush().map_err(Fault::Stdout)) {
            self.refuse(&fault);
        }
        Flow::Go
    }

    fn go(
        &self,
        session: &mut Session<'_, '_>,
        action: Option<String>,
        next: bool,
        out: &mut Lines,
    ) -> Result<(), Fault> {
        self.is_stale.set(true);
        resume(session, action, next)?;
        session.rest(out)
    }

    fn is_on(&self, asked: &Asked, options: &Options) -> bool {
        let current = self.current.borrow();
        let is_trace = matches!(asked, Asked::Trace(_));
        current.as_ref().is_some_and(|current| {
            current.asked == *asked && (is_trace || current.options.params == options.params)
        })
    }

    /// The session goes on with other options.
    fn reopen(&self, session: &mut Session<'_, '_>, options: Options) {
        self.set_options(session, &options);
        if let Some(current) = &mut *self.current.borrow_mut() {
            current.options = options;
            self.mailbox.tell(Told::Opened(Arc::clone(&current.facts)));
        }
    }

    fn set_options(&self, session: &mut Session<'_, '_>, options: &Options) {
        for problem in options::set(session, options) {
            self.mailbox.tell(Told::Refused(problem));
        }
        // What was refused is told to be as it is.
        self.last.borrow_mut().options = None;
    }

    fn enable(&self, session: &mut Session<'_, '_>, number: u64, is_enabled: bool) {
        // One that a command has disabled stays in the session's list.
        if session.settings.disabled.contains(&number) {
            let enabled = session.enable(is_enabled, Some(Kind::Breakpoint), &[number], &mut io::sink());
            debug_assert!(enabled.is_ok(), "a breakpoint of the list fits the program");
            return;
        }
        let mut disabled = self.disabled.borrow_mut();
        if is_enabled {
            if let Some(breakpoint) = disabled.remove(&number) {
                session.put_breakpoint(number, breakpoint);
            }
        } else if let Some(breakpoint) = session.take_breakpoint(number) {
            disabled.insert(number, breakpoint);
        }
    }

    fn end(&self, session: &Session<'_, '_>) {
        self.is_stale.set(true);
        if matches!(session.phase(), Phase::UnderWay(_)) {
            self.is_ending.set(true);
            session.end();
        }
    }

    fn refuse(&self, fault: &Fault) {
        self.mailbox.tell(Told::Refused(report::fault_text(fault)));
    }
}

impl Waiter for Desk {
    fn wait(&self, session: &mut Session<'_, '_>) {
        self.depth.set(self.depth.get() + 1);
        while !session.is_resting() {
            let state = self.state(session);
            self.tell_state(state);
            match self.requests.recv_timeout(PERIOD) {
                Ok(request) if self.is_deferred(&request) => self.deferred.borrow_mut().push_back(request),
                Ok(request) => {
                    let flow = self.beside(session, request);
                    self.tell_settings(session);
                    if flow == Flow::Leave {
                        self.deferred.borrow_mut().push_front(Request::Console("quit".to_owned()));
                    }
                }
                Err(RecvTimeoutError::Timeout) => session.tell_news(),
                Err(RecvTimeoutError::Disconnected) => {
                    if !self.is_ending.get() {
                        self.end(session);
                    }
                    thread::sleep(PERIOD);
                }
            }
        }
        self.depth.set(self.depth.get() - 1);
    }
}

impl Desk {
    /// Whether a request has to wait for the run.
    fn is_deferred(&self, request: &Request) -> bool {
        match request {
            Request::Stop(_) | Request::End | Request::Counters | Request::Values { .. } => false,
            Request::Console(_) if self.depth.get() >= MOST_DEPTH => true,
            _ => !self.deferred.borrow().is_empty(),
        }
    }
}

/// Ends the run that a session leaves behind when it fails: its threads are waited for.
struct EndsRun<'s>(&'s Subject);

impl Drop for EndsRun<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.current.lock().iter().for_each(Underway::end);
            self.0.control.release();
        }
    }
}

fn resume(session: &Session<'_, '_>, action: Option<String>, next: bool) -> Result<(), Fault> {
    match action {
        None => session.ask(move |inspector| inspector.resume_all(next)).map(drop),
        Some(path) => session.ask(move |inspector| inspector.resume(&path, next))?.map_err(Fault::Inspect),
    }
}

/// An answer, or why there is none.
fn readable<T>(asked: Result<Result<T, InspectError>, Fault>) -> Result<T, String> {
    match asked {
        Ok(found) => found.map_err(|error| error.to_string()),
        Err(fault) => Err(fault.to_string()),
    }
}
