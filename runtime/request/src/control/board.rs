//! What workers and the debugger share: commands, breakpoints, requests, news.
//!
//! Workers look at two atomic numbers at each stop point; everything else lies under one lock that is taken when
//! something happens.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hasse_breakpoint::breakpoint::Breakpoint;
use hasse_code::graph::GraphInstance;
use hasse_model::id::{Index, TemplateId};
use hasse_model::plan::Plan;
use hasse_model::record_options::SelectorError;
use parking_lot::{Condvar, Mutex};
use rustc_hash::FxHashMap;

use crate::control::armed::{Armed, Watched};
use crate::control::command::{ActionCommand, GlobalCommand};
use crate::control::inspector::Inspector;
use crate::control::news::{GlobalState, News, Said};
use crate::report::RunReport;

/// Something to be done by the thread that can see all actions.
pub(crate) type Request = Box<dyn FnOnce(&mut dyn Inspector) + Send>;

/// Longest list of news that is kept for a debugger that does not take them.
const MAX_NEWS: usize = 1_000_000;

/// The commands, breakpoints, requests and news of a session, which workers and the debugger share.
#[derive(Default)]
pub struct Board {
    command: AtomicU8,
    /// Changes with breakpoints and commands to single actions: what an action knows of them is then out of date.
    version: AtomicU64,
    /// True if values may carry directives for their receivers: `next` was given, or queues were changed by hand.
    has_directives: AtomicBool,
    /// Actions that are stopped.
    n_stopped: AtomicUsize,
    desk: Mutex<Desk>,
    changed: Condvar,
    printer: Mutex<Option<Printer>>,
}

/// Prints what a breakpoint says, in causal order with the output of the program.
pub type Printer = Arc<dyn Fn(&News) + Send + Sync>;

/// Longest time that a person who has interrupted a run waits for bodies to end.
const PATIENCE_OF_INTERRUPT: Duration = Duration::from_secs(1);

#[derive(Default)]
struct Desk {
    state: GlobalState,
    /// Between `begin` and `end`.
    is_active: bool,
    /// Whether requests are served.
    is_open: bool,
    /// Whether a run that is over is to be let go of.
    is_released: bool,
    n_busy_workers: usize,
    requests: VecDeque<Request>,
    breakpoints: BTreeMap<u64, Arc<Armed>>,
    commands: FxHashMap<String, ActionCommand>,
    news: Vec<News>,
    n_news_lost: u64,
    /// Whether a person waits for the actions to stop, and does not want to wait for long bodies.
    is_interrupted: bool,
    /// Number of stops and ends so far.
    n_changes: u64,
    report: Option<RunReport>,
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Board")
    }
}

impl Board {
    pub(crate) fn add(&self, plan: &Plan, number: u64, breakpoint: Breakpoint) -> Result<(), SelectorError> {
        let armed = Armed::new(plan, number, breakpoint)?;
        self.desk.lock().breakpoints.insert(number, Arc::new(armed));
        self.version.fetch_add(1, Ordering::Release);
        Ok(())
    }

    /// Deletes a breakpoint; returns whether there was one.
    pub fn delete(&self, number: u64) -> bool {
        let was_there = self.desk.lock().breakpoints.remove(&number).is_some();
        self.version.fetch_add(1, Ordering::Release);
        was_there
    }

    pub(crate) fn listed(&self) -> Vec<ListedBreakpoint> {
        let desk = self.desk.lock();
        let listed = desk.breakpoints.values().map(|armed| ListedBreakpoint {
            number: armed.number,
            breakpoint: armed.breakpoint.clone(),
            n_hits: armed.n_hits.load(Ordering::Relaxed),
        });
        listed.collect()
    }

    /// What an action has to look at, and the version that this is of.
    pub fn watched(
        &self,
        path: impl FnOnce() -> String,
        graph: &Arc<GraphInstance>,
        template: TemplateId,
        index: &Index,
    ) -> (u64, Option<Box<Watched>>) {
        let desk = self.desk.lock();
        let version = self.version.load(Ordering::Acquire);
        let command = if desk.commands.is_empty() { None } else { desk.commands.get(&path()).copied() };
        let is_for = |armed: &&Arc<Armed>| armed.concerns(graph, template, index);
        let armed: Vec<_> = desk.breakpoints.values().filter(is_for).cloned().collect();
        let has_any = command.is_some() || !armed.is_empty();
        (version, has_any.then(|| Box::new(Watched { command, armed, last: BTreeMap::new() })))
    }

    /// The version, which changes with breakpoints and commands to single actions.
    #[inline]
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// The command to all actions.
    #[inline]
    pub fn global(&self) -> GlobalCommand {
        match self.command.load(Ordering::Acquire) {
            0 => GlobalCommand::Go,
            1 => GlobalCommand::Stop,
            _ => GlobalCommand::Next,
        }
    }

    /// Returns true if values may carry directives for their receivers. It stays so until the run ends.
    #[inline]
    pub fn has_directives(&self) -> bool {
        self.has_directives.load(Ordering::Acquire)
    }

    /// Notes that values may carry directives from now on.
    pub fn note_directives(&self) {
        self.has_directives.store(true, Ordering::Release);
    }

    fn set_global(&self, command: GlobalCommand) {
        if command == GlobalCommand::Next {
            self.note_directives();
        }
        self.command.store(command as u8, Ordering::Release);
    }

    /// Tells an action something, or no longer.
    pub fn command(&self, path: &str, command: Option<ActionCommand>) {
        if command == Some(ActionCommand::Next) {
            self.note_directives();
        }
        let mut desk = self.desk.lock();
        match command {
            Some(command) => desk.commands.insert(path.to_owned(), command),
            None => desk.commands.remove(path),
        };
        self.version.fetch_add(1, Ordering::Release);
    }

    /// Adds news for the debugger.
    pub fn tell(&self, news: News) {
        let mut desk = self.desk.lock();
        if matches!(news.said, Said::Stopped(_)) {
            self.note_change(&mut desk);
        }
        if desk.news.len() < MAX_NEWS {
            desk.news.push(news);
        } else {
            desk.n_news_lost += 1;
        }
    }

    /// Lets go on who waits for a change.
    fn note_change(&self, desk: &mut Desk) {
        desk.n_changes += 1;
        self.changed.notify_all();
    }

    pub(crate) fn set_printer(&self, printer: Option<Printer>) {
        *self.printer.lock() = printer;
    }

    /// The printer of news, if there is one.
    pub fn printer(&self) -> Option<Printer> {
        self.printer.lock().clone()
    }

    pub(crate) fn nudge(&self) {
        self.note_change(&mut self.desk.lock());
    }

    pub(crate) fn wait_for_change(&self, n_seen: u64) -> u64 {
        let mut desk = self.desk.lock();
        while desk.n_changes == n_seen {
            self.changed.wait(&mut desk);
        }
        desk.n_changes
    }

    pub(crate) fn wait_for_stop(&self, patience: Duration) -> GlobalState {
        let mut desk = self.desk.lock();
        let mut limit = None;
        while desk.is_active && desk.state.is_busy() {
            let has_news = desk.news.iter().any(|news| matches!(news.said, Said::Stopped(_)));
            // Where all are asked to stop, all are waited for, unless a person waits.
            let is_limited = if desk.state == GlobalState::Stopping { desk.is_interrupted } else { has_news };
            if !is_limited {
                self.changed.wait(&mut desk);
                continue;
            }
            let patience = if desk.is_interrupted { patience.min(PATIENCE_OF_INTERRUPT) } else { patience };
            let limit = *limit.get_or_insert_with(|| Instant::now() + patience);
            if self.changed.wait_until(&mut desk, limit).timed_out() {
                break;
            }
        }
        desk.state
    }

    pub(crate) fn take_news(&self) -> Vec<News> {
        let mut news = std::mem::take(&mut self.desk.lock().news);
        news.sort_by(|left, right| {
            (natural(&left.event), left.point).cmp(&(natural(&right.event), right.point))
        });
        news
    }

    pub(crate) fn begin(&self) {
        let mut desk = self.desk.lock();
        desk.state = GlobalState::Running;
        desk.is_active = true;
        desk.is_open = false;
        desk.is_released = false;
        desk.is_interrupted = false;
        desk.requests.clear();
        desk.commands.clear();
        desk.news.clear();
        desk.report = None;
        desk.breakpoints.values().for_each(|armed| armed.n_hits.store(0, Ordering::Relaxed));
        self.n_stopped.store(0, Ordering::Relaxed);
        self.has_directives.store(false, Ordering::Relaxed);
        self.set_global(GlobalCommand::Go);
        self.version.fetch_add(1, Ordering::Release);
    }

    pub(crate) fn end(&self) {
        let mut desk = self.desk.lock();
        desk.is_active = false;
        desk.is_open = false;
        desk.requests.clear();
        if desk.state.is_busy() {
            desk.state = GlobalState::Finished;
        }
        self.note_change(&mut desk);
    }

    pub(crate) fn stop(&self) {
        let mut desk = self.desk.lock();
        self.set_global(GlobalCommand::Stop);
        desk.state = match desk.state {
            GlobalState::Running | GlobalState::Nexting => GlobalState::Stopping,
            // A run that is over has nobody left to be stopped.
            GlobalState::Waiting if desk.is_open && desk.report.is_none() => GlobalState::Stopped,
            other => other,
        };
    }

    pub(crate) fn interrupt(&self) {
        self.stop();
        self.desk.lock().is_interrupted = true;
        self.changed.notify_all();
    }

    /// The state of the run.
    pub fn state(&self) -> GlobalState {
        self.desk.lock().state
    }

    pub(crate) fn wait_for_rest(&self) -> GlobalState {
        let mut desk = self.desk.lock();
        while desk.is_active && desk.state.is_busy() {
            self.changed.wait(&mut desk);
        }
        desk.state
    }

    /// The report of the run, once it is over.
    pub fn report(&self) -> Option<RunReport> {
        self.desk.lock().report.clone()
    }

    pub(crate) fn release(&self) {
        self.desk.lock().is_released = true;
        self.changed.notify_all();
    }

    pub(crate) fn request(&self, request: Request) -> Result<(), NoRun> {
        let mut desk = self.desk.lock();
        // A run that was begun and is not open yet will be, or will end.
        if !desk.is_active {
            return Err(NoRun);
        }
        desk.requests.push_back(request);
        self.changed.notify_all();
        Ok(())
    }

    /// The run is there, with so many workers.
    pub fn open(&self, n_workers: usize) {
        let mut desk = self.desk.lock();
        desk.is_active = true;
        desk.is_open = true;
        desk.n_busy_workers = n_workers;
        if !desk.state.is_busy() {
            desk.state = GlobalState::Running;
        }
    }

    /// A worker has ended.
    pub fn worker_left(&self) {
        self.desk.lock().n_busy_workers -= 1;
        self.changed.notify_all();
    }

    /// The next request; `None` when all workers have ended.
    pub fn next_while_running(&self) -> Option<Request> {
        let mut desk = self.desk.lock();
        loop {
            if let Some(request) = desk.requests.pop_front() {
                return Some(request);
            }
            if desk.n_busy_workers == 0 {
                return None;
            }
            self.changed.wait(&mut desk);
        }
    }

    /// The run is over.
    pub fn conclude(&self, report: &RunReport) {
        let mut desk = self.desk.lock();
        desk.report = Some(report.clone());
        desk.state = match report.outcome {
            crate::report::RunOutcome::Quiescent => GlobalState::Waiting,
            _ => GlobalState::Finished,
        };
        self.note_change(&mut desk);
    }

    /// The next request to a run that is over; `None` when it is let go of.
    pub fn next_while_over(&self) -> Option<Request> {
        let mut desk = self.desk.lock();
        loop {
            if let Some(request) = desk.requests.pop_front() {
                return Some(request);
            }
            if desk.is_released {
                return None;
            }
            self.changed.wait(&mut desk);
        }
    }

    /// Returns true if an action is stopped.
    #[inline]
    pub fn has_stopped(&self) -> bool {
        self.n_stopped.load(Ordering::SeqCst) > 0
    }

    /// An action is stopped.
    pub fn note_stopped(&self) {
        self.n_stopped.fetch_add(1, Ordering::SeqCst);
    }

    /// After a global stop, counts all actions that wait for the world outside as one stopped action. `is_held` is set when they have been
    /// counted; resuming all actions clears it.
    pub fn hold_waiting(&self, is_held: &AtomicBool) {
        if self.global() != GlobalCommand::Stop || is_held.load(Ordering::SeqCst) {
            return;
        }
        let _desk = self.desk.lock();
        if self.global() == GlobalCommand::Stop && !is_held.swap(true, Ordering::SeqCst) {
            self.note_stopped();
        }
    }

    /// Lets actions go on. `go` makes them ready and tells how many they are; it is called with the desk in hand, so
    /// that no worker takes the run for being at rest in between.
    pub fn resume(&self, command: Option<GlobalCommand>, go: impl FnOnce() -> usize) -> usize {
        let mut desk = self.desk.lock();
        if let Some(command) = command {
            self.set_global(command);
        }
        desk.is_interrupted = false;
        let n_resumed = go();
        self.n_stopped.fetch_sub(n_resumed, Ordering::SeqCst);
        if n_resumed > 0 {
            desk.state = match self.global() {
                GlobalCommand::Go => GlobalState::Running,
                GlobalCommand::Stop => GlobalState::Stopping,
                GlobalCommand::Next => GlobalState::Nexting,
            };
        } else if command.is_some() && desk.state == GlobalState::Stopped {
            desk.state = GlobalState::Waiting;
        }
        n_resumed
    }

    /// All workers are idle and nothing is ready; `is_so` tells whether that still holds. Tells whether it does, and
    /// something is stopped.
    pub fn rest(&self, is_so: impl Fn() -> bool) -> bool {
        let mut desk = self.desk.lock();
        if !self.has_stopped() || !is_so() {
            return false;
        }
        if desk.state.is_busy() {
            desk.state = match self.global() {
                GlobalCommand::Stop => GlobalState::Stopped,
                GlobalCommand::Go | GlobalCommand::Next => GlobalState::Waiting,
            };
            if self.global() == GlobalCommand::Next {
                self.set_global(GlobalCommand::Go);
            }
            desk.n_changes += 1;
        }
        self.changed.notify_all();
        true
    }
}

/// Orders names as people do: numbers in them by their value.
fn natural(name: &str) -> Vec<(u64, &str)> {
    let mut parts = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let text_end = rest.find(|letter: char| letter.is_ascii_digit()).unwrap_or(rest.len());
        let (text, behind) = rest.split_at(text_end);
        let number_end = behind.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(behind.len());
        let (number, behind) = behind.split_at(number_end);
        parts.push((0, text));
        parts.push((number.parse().unwrap_or(u64::MAX), ""));
        rest = behind;
    }
    parts
}

/// There is no run to be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no run is under way or open to questions")]
pub struct NoRun;

/// A breakpoint of the list.
#[derive(Clone, Debug)]
pub struct ListedBreakpoint {
    /// Its number.
    pub number: u64,
    /// What it says.
    pub breakpoint: Breakpoint,
    /// How often it was hit in the run under way or the last one, those that it passes over included.
    pub n_hits: u64,
}
