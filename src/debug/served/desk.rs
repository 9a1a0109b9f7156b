//! Requests and what becomes of them: between runs, and beside one.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use hasse_editor::run::{
    Breakpoint, Completion, Counters, Facts, Options, Request, RunState, Subject as Asked, Told,
};
use hasse_runtime::control::expression::Expression;
use hasse_runtime::control::{GlobalState, InspectError};
use hasse_runtime::sandbox::Sandbox;

use super::super::command::Mode;
use super::super::complete;
use super::super::job::Records;
use super::super::saved::Kept;
use super::super::session::{Next, Phase, Session, Subject, Underway, Waiter};
use super::super::told;
use super::lines::Lines;
use super::mailbox::Mailbox;
use super::opening::Compiled;
use super::options;
use super::points::{self, Disabled};
use super::rest::{self, Rested};
use crate::fault::Fault;
use crate::report;

/// How long a run is left alone between two looks at whether it rests.
const PERIOD: Duration = Duration::from_millis(5);
/// Most console lines that wait for a run, one within the other.
const MOST_DEPTH: usize = 8;
/// Records of so many runs are kept.
const MOST_RECORDS: usize = 4;

/// What a session is told and tells.
pub(super) struct Desk {
    requests: Receiver<Request>,
    /// Requests that wait for the run under way to be over.
    deferred: RefCell<VecDeque<Request>>,
    mailbox: Arc<Mailbox>,
    folder: PathBuf,
    sandbox: Sandbox,
    is_closed: Cell<bool>,
    /// What the session is on.
    current: RefCell<Option<Current>>,
    /// What the next session goes on with, and which of its breakpoints do not count.
    kept: RefCell<(Kept, Vec<u64>)>,
    disabled: RefCell<Disabled>,
    rested: RefCell<Rested>,
    /// The action under debug.
    look: RefCell<Option<String>>,
    /// Whether something may have changed that is read at a rest.
    is_stale: Cell<bool>,
    is_ending: Cell<bool>,
    depth: Cell<usize>,
    last: RefCell<Last>,
    n_records: Cell<u64>,
    files: RefCell<VecDeque<PathBuf>>,
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
    ) -> Self {
        Self {
            requests,
            deferred: RefCell::default(),
            mailbox: Arc::clone(mailbox),
            folder,
            sandbox,
            is_closed: Cell::new(false),
            current: RefCell::default(),
            kept: RefCell::default(),
            disabled: RefCell::default(),
            rested: RefCell::default(),
            look: RefCell::default(),
            is_stale: Cell::new(false),
            is_ending: Cell::new(false),
            depth: Cell::new(0),
            last: RefCell::default(),
            n_records: Cell::new(0),
            files: RefCell::default(),
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
                Request::Look(action) => *self.look.borrow_mut() = action,
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
                Request::Console(_) => {
                    let lines =
                        vec!["there is no session: the program has errors, or none is open".to_owned()];
                    self.mailbox.tell(Told::Answer(lines, false));
                }
                // They follow an opening that has failed, which was told.
                Request::Run
                | Request::Stop(_)
                | Request::Cont(_)
                | Request::Next(_)
                | Request::Step(_)
                | Request::End
                | Request::SetBreakpoint(_)
                | Request::DeleteBreakpoint(_)
                | Request::EnableBreakpoint(..)
                | Request::Assign { .. }
                | Request::Why(_) => {}
            }
        }
    }

    fn describe(&self, asked: &Asked) {
        let facts = Compiled::of(asked).ok().map(|compiled| compiled.facts());
        self.mailbox.tell(Told::Described(facts));
    }

    /// Serves a session to its end.
    fn open(self: &Rc<Self>, asked: Asked, options: Options) {
        self.tell_state(RunState::Opening);
        let opened = Compiled::of(&asked).and_then(|compiled| {
            let facts = compiled.facts();
            let mut subject = compiled.subject(&options, self.sandbox.clone())?;
            subject.taps = Some(self.mailbox.taps());
            Ok((subject, facts))
        });
        let (subject, facts) = match opened {
            Ok(opened) => opened,
            Err(problem) => {
                self.mailbox.tell(Told::NotOpened(problem));
                self.tell_state(RunState::Closed);
                return;
            }
        };
        *self.current.borrow_mut() =
            Some(Current { asked, options: options.clone(), facts: Arc::clone(&facts) });
        thread::scope(|scope| {
            let _guard = EndsRun(&subject);
            let mut session = Session::new(&subject, scope);
            session.set_waiter(Rc::clone(self) as Rc<dyn Waiter>);
            let mut options = options;
            let (kept, disabled) = self.kept.take();
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
                let flow = self.answer(&mut session, request);
                self.tell_changes(&mut session);
                if flow == Flow::Leave {
                    break;
                }
            }
            let disabled = self.disabled.take();
            let numbers = disabled.keys().copied().collect();
            for (number, breakpoint) in disabled {
                session.put_breakpoint(number, breakpoint);
            }
            *self.kept.borrow_mut() = (session.kept(), numbers);
            self.is_ending.set(true);
            if let Err(fault) = session.close(&mut Lines::of_log(&self.mailbox)) {
                self.refuse(&fault);
            }
            self.is_ending.set(false);
        });
        self.current.take();
        self.rested.take();
        *self.last.borrow_mut() = Last::default();
        self.mailbox.tell(Told::State(RunState::Closed));
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

    /// Carries out a request that does not wait for the run, whether one goes on or not.
    fn beside(&self, session: &mut Session<'_, '_>, request: Request) -> Flow {
        let ended = match request {
            Request::Open(asked, options) if self.is_on(&asked, &options) => {
                self.reopen(session, *options);
                Ok(())
            }
            request @ (Request::Open(..) | Request::Run) => {
                self.end(session);
                self.deferred.borrow_mut().push_back(request);
                Ok(())
            }
            Request::Describe(asked) => {
                self.describe(&asked);
                Ok(())
            }
            Request::Stop(action) => {
                self.is_stale.set(true);
                match action {
                    None => session.subject.control.stop(),
                    Some(path) => session.subject.control.stop_action(&path),
                }
                Ok(())
            }
            Request::Cont(action) => resume(session, action, false),
            Request::Next(action) => resume(session, action, true),
            Request::Step(action) => {
                let asked = session.ask(move |inspector| inspector.step(&action));
                asked.and_then(|done| done.map_err(Fault::Inspect))
            }
            Request::End => {
                self.end(session);
                Ok(())
            }
            Request::SetBreakpoint(command) => {
                session.line(&command, &mut Lines::of_log(&self.mailbox)).map(drop)
            }
            Request::DeleteBreakpoint(number) => {
                if self.disabled.borrow_mut().remove(&number).is_none() {
                    session.delete_breakpoint(number);
                }
                Ok(())
            }
            Request::EnableBreakpoint(number, is_enabled) => {
                self.enable(session, number, is_enabled);
                Ok(())
            }
            Request::Assign { action, name, value } => {
                self.is_stale.set(true);
                let result = assign(session, &action, &name, &value);
                self.mailbox.tell(Told::Assigned { action, name, result });
                Ok(())
            }
            Request::Console(line) => return self.console(session, &line),
            Request::Complete { line, at } => {
                self.complete(session, line, at);
                Ok(())
            }
            Request::Look(action) => {
                *self.look.borrow_mut() = action;
                if session.is_resting() {
                    self.tell_action(session);
                }
                Ok(())
            }
            Request::Why(action) => {
                let asked = action.clone();
                let found = session.ask(move |inspector| inspector.explain(&asked));
                self.mailbox.tell(Told::Why(action, readable(found).map(Box::new)));
                Ok(())
            }
            Request::Page(query) => {
                let page = self.rested.borrow_mut().page(query);
                self.mailbox.tell(Told::Page(page));
                Ok(())
            }
            Request::Counters => {
                let listed = session.subject.control.breakpoints();
                self.mailbox.tell(Told::Counters(Counters {
                    state: self.state(session),
                    n_events: self.mailbox.n_events(),
                    n_hits: listed.iter().map(|known| (known.number, known.n_hits)).collect(),
                }));
                Ok(())
            }
        };
        if let Err(fault) = ended {
            self.refuse(&fault);
        }
        Flow::Go
    }

    /// Carries out a line of the console.
    fn console(&self, session: &mut Session<'_, '_>, line: &str) -> Flow {
        self.is_stale.set(true);
        let was_console = self.mailbox.is_console();
        self.mailbox.set_console(true);
        let mut out = Lines::of_console(&self.mailbox);
        let ended = session.line(line, &mut out);
        let _ = out.flush();
        self.mailbox.set_console(was_console);
        match ended {
            Ok(Next::Go) => Flow::Go,
            Ok(Next::Quit) => {
                if self.depth.get() == 0 {
                    self.mailbox.tell(Told::Closed);
                }
                self.end(session);
                Flow::Leave
            }
            Err(fault) => {
                let text = report::fault_text(&fault);
                self.mailbox.tell(Told::Answer(text.lines().map(str::to_owned).collect(), false));
                Flow::Go
            }
        }
    }

    fn complete(&self, session: &Session<'_, '_>, line: String, at: usize) {
        let end = (0..=at.min(line.len())).rev().find(|&end| line.is_char_boundary(end)).unwrap_or(0);
        let (start, candidates) = complete::complete(&line, end, &session.known());
        self.mailbox.tell(Told::Completed(Completion { line, start, end, candidates }));
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

    /// The state as the window names it.
    fn state(&self, session: &Session<'_, '_>) -> RunState {
        match session.phase() {
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

    fn tell_state(&self, state: RunState) {
        let mut last = self.last.borrow_mut();
        if last.state != state {
            last.state = state;
            self.mailbox.tell(Told::State(state));
        }
    }

    /// Tells what is set, where it has changed.
    fn tell_settings(&self, session: &Session<'_, '_>) {
        let current = self.current.borrow();
        let Some(current) = &*current else { return };
        let mut last = self.last.borrow_mut();
        let options = options::options_of(session, &current.options);
        if last.options.as_ref() != Some(&options) {
            self.mailbox.tell(Told::Options(Box::new(options.clone())));
            last.options = Some(options);
        }
        let breakpoints = points::listed(session, &self.disabled.borrow(), &current.facts);
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
    fn tell_changes(&self, session: &mut Session<'_, '_>) {
        if session.is_resting() {
            self.is_ending.set(false);
        }
        self.tell_settings(session);
        let state = self.state(session);
        self.tell_state(state);
        if self.is_stale.get() && session.is_resting() {
            self.is_stale.set(false);
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
            }
            None if matches!(state, RunState::Ready) => {}
            None => {
                self.rested.take();
                self.mailbox.tell(Told::Rest(rest::silent(state)));
            }
        }
    }

    fn tell_action(&self, session: &Session<'_, '_>) {
        let Some(path) = self.look.borrow().clone() else { return };
        let asked = path.clone();
        let found = session.ask(move |inspector| inspector.action(&asked));
        self.mailbox.tell(Told::Action(path, readable(found).map(Box::new)));
    }

    /// Writes the record of a run that is over, and says where.
    fn tell_record(&self, session: &Session<'_, '_>) {
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
        while files.len() > MOST_RECORDS {
            // One that somebody still reads stays until he is through.
            files.pop_front().iter().for_each(|old| drop(fs::remove_file(old)));
        }
        Ok(path)
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
                Err(RecvTimeoutError::Timeout) => {}
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
            Request::Stop(_) | Request::End | Request::Counters => false,
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

fn assign(session: &Session<'_, '_>, action: &str, name: &str, value: &str) -> Result<String, String> {
    let expression = Expression::parse(value).map_err(|error| error.message)?;
    let (action, name) = (action.to_owned(), name.to_owned());
    let asked = session.ask(move |inspector| inspector.assign(&action, &name, &expression));
    readable(asked).map(|value| told::shown(&value))
}

/// An answer, or why there is none.
fn readable<T>(asked: Result<Result<T, InspectError>, Fault>) -> Result<T, String> {
    match asked {
        Ok(found) => found.map_err(|error| error.to_string()),
        Err(fault) => Err(fault.to_string()),
    }
}
