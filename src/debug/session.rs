//! A session: modes, options, checks, aliases and a scope that outlive its runs, and what commands do with them.
//!
//! A line goes through [`line`](super::line) into pieces, each through the [aliases](super::alias), the
//! [table](super::table) and the check of its context to [`Session::carry_out`]. What a command says goes to the writer
//! that it is given, which may be a file.

/// Runs that nobody waits for.
mod background;
/// Stopping, continuing, and asking actions.
mod control;
/// The program after an edit.
mod edited;
/// One event.
mod events;
/// Findings, and what does not count.
mod findings;
/// Runs that go on from a moment.
mod forking;
/// Hits of breakpoints in the record.
mod hits;
/// Lives of actions.
mod lifetimes;
/// Scope, instances, events and names.
mod looking;
/// Moments of the session's events.
mod moments;
/// Conditions over time.
mod occurrences;
/// Origins of values.
mod origins;
/// Variables over time.
mod over_time;
/// Values that wait.
mod queue;
/// All events.
mod records;
/// State between two commands.
mod remembered;
/// Places that outlive a session.
mod resuming;
/// Starting runs, and what comes of them.
mod running;
/// Modes, options, checks, sets and aliases.
mod settings;
/// What goes on inside.
mod statistics;
/// Doors for who asks without commands.
mod structured;
/// The moment that the session is at.
mod travel;
/// Service while the session waits for a run.
mod waiter;
/// Ways through bodies.
mod walks;

pub(super) use waiter::{Phase, Waiter};

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::thread::Scope as Threads;

use hasse_debugger::check::CheckId;
use hasse_debugger::check::command::Command as Check;
use hasse_debugger::facility::View;
use hasse_model::record_options::{RecordOption, RecordOptions};
use hasse_runtime::control::breakpoint::Breakpoint;
use hasse_runtime::run::RunOptions;

use super::alias::{self, Aliases};
use super::command::{Command, FileName, Mode, OnFinding};
use super::held::Held;
use super::job::{Done, Live, Open};
use super::line::{self, LineError, Piece, Redirection};
use super::scope::Scope;
use super::subject::{Subject, Subjects};
use super::{help, redirect, table};
use crate::debug::table::row::Context;
use crate::fault::Fault;
use crate::index_file::IndexMemory;
use crate::{message, suggest};
use remembered::{Regenerated, Scroll, WayBack};
use travel::Travel;

/// Most files that source each other.
const MAX_DEPTH: usize = 16;

/// A check of the session.
pub(super) struct Listed {
    pub(super) number: u64,
    pub(super) check: Check,
    /// The file of models that it comes from.
    pub(super) model_file: Option<String>,
    /// Its id in the run that is under way.
    live: Option<CheckId>,
}

/// A part of the display set.
pub(super) struct Displayed {
    pub(super) number: u64,
    pub(super) selectors: Vec<String>,
}

/// What outlives runs, and is saved.
pub(super) struct Settings {
    pub(super) mode: Mode,
    pub(super) record_options: RecordOptions,
    /// The selectors of the options, as given.
    pub(super) record_settings: Vec<(String, RecordOption)>,
    pub(super) checks: Vec<Listed>,
    pub(super) display_set: Vec<Displayed>,
    /// By number; the control has them, too.
    pub(super) breakpoints: BTreeMap<u64, Breakpoint>,
    /// Reactions to findings, by number.
    pub(super) on_findings: BTreeMap<u64, OnFinding>,
    /// Numbers of breakpoints, findings and checks that do not count.
    pub(super) disabled: BTreeSet<u64>,
    /// The last number given to anything that can be deleted.
    pub(super) last_number: u64,
    pub(super) check_set: Vec<String>,
    pub(super) races: bool,
    pub(super) display: Option<View>,
    pub(super) file: Option<(FileName, View)>,
    pub(super) save: Option<View>,
    /// Whether graphs are kept that nothing displays.
    pub(super) keeps_graphs: bool,
    pub(super) aliases: Aliases,
    pub(super) scope: Scope,
    /// The scope before.
    pub(super) last_scope: Scope,
    /// How much is told of the session's inside; 0: nothing.
    pub(super) debug_level: u64,
}

impl Settings {
    /// What a session begins with: a program is recorded in full, a trace is looked at.
    pub(super) fn new(subject: &Subject) -> Self {
        let mode = if subject.trace.is_some() { Mode::PostMortem(None) } else { Mode::Full };
        Self {
            mode,
            record_options: subject.plan.record.options(),
            record_settings: Vec::new(),
            checks: Vec::new(),
            display_set: Vec::new(),
            breakpoints: BTreeMap::new(),
            on_findings: BTreeMap::new(),
            disabled: BTreeSet::new(),
            last_number: 0,
            check_set: Vec::new(),
            races: false,
            display: None,
            file: None,
            save: Some(View::Record),
            keeps_graphs: false,
            aliases: Aliases::default(),
            scope: Scope::default(),
            last_scope: Scope::default(),
            debug_level: 0,
        }
    }

    /// A number for something that can be deleted.
    pub(super) fn next_number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }
}

/// The state of a session.
pub(super) struct Session<'scope, 'p> {
    pub(super) subject: &'p Subject,
    subjects: &'p Subjects,
    threads: &'scope Threads<'scope, 'p>,
    /// The subject's, or those of a restored session.
    pub(super) options: RunOptions,
    pub(super) settings: Settings,
    pub(super) held: Held<'p>,
    live: Option<Live<'scope, 'p>>,
    /// The run that is over and open to questions.
    open: Option<Open<'scope>>,
    last: Option<Done>,
    /// The moment of the events that the session is at.
    travel: Option<Travel<'scope, 'p>>,
    /// For the states of its moments.
    index_memory: IndexMemory,
    /// The event whose values were made again last.
    regenerated: Option<Regenerated>,
    /// Where `wherefrom` goes on.
    way_back: Option<WayBack<'p>>,
    /// Where the history goes on.
    scroll: Scroll,
    /// The file that a run filed its events in last.
    filed: Option<PathBuf>,
    /// Whether what is written goes to a file.
    is_filed: bool,
    n_runs: u64,
    /// Changes of queues by hand in the run under way or the last one.
    n_edits: usize,
    /// Whether it has been said that the run rests or is over.
    is_rest_said: bool,
    depth: usize,
    /// Whether lines of files are shown behind the prompt.
    echoes: bool,
    /// What is done while a run is waited for.
    waiter: Option<Rc<dyn Waiter>>,
    /// Commands that the aliases of a line may still make.
    n_expanded_left: usize,
    /// Whether a check or a run failed.
    pub(super) has_failed: bool,
}

/// What comes after a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Go,
    Quit,
}

/// What could not be written, as a fault.
pub(super) fn written(result: io::Result<()>) -> Result<(), Fault> {
    result.map_err(Fault::Stdout)
}

impl<'scope, 'p> Session<'scope, 'p> {
    /// A session that has done nothing yet.
    pub(super) fn new(subjects: &'p Subjects, threads: &'scope Threads<'scope, 'p>) -> Self {
        let subject = subjects.first();
        Self {
            subject,
            subjects,
            threads,
            options: subject.options.clone(),
            settings: Settings::new(subject),
            held: Held::of_subject(subject),
            live: None,
            open: None,
            last: None,
            travel: None,
            index_memory: IndexMemory::default(),
            regenerated: None,
            way_back: None,
            scroll: Scroll::default(),
            filed: None,
            is_filed: false,
            n_runs: 0,
            n_edits: 0,
            is_rest_said: false,
            depth: 0,
            echoes: false,
            waiter: None,
            n_expanded_left: alias::MOST_COMMANDS,
            has_failed: false,
        }
    }

    /// The same session, which shows the lines of files that it reads.
    pub(super) fn echoing(self, echoes: bool) -> Self {
        Self { echoes, ..self }
    }

    /// The same with other memory for the states of moments.
    pub(super) fn with_index_memory(self, index_memory: IndexMemory) -> Self {
        Self { index_memory, ..self }
    }

    /// What a person is asked with.
    pub(super) fn prompt(&self) -> String {
        match self.position() {
            Some(position) => format!("hasse {} @{position}> ", self.settings.scope),
            None => format!("hasse {}> ", self.settings.scope),
        }
    }

    /// What Ctrl-C does while a line is edited; tells whether a run is under way.
    pub(super) fn interrupt(&self) -> bool {
        let current = self.subject.current.lock();
        if let Some(underway) = current.as_ref() {
            underway.interrupt(|text| message::print(&format!("{text}\n")));
        }
        current.is_some()
    }

    /// Waits until an announced interrupt has taken effect. A command that follows the announcement must not see the state from
    /// before it.
    fn await_interrupt(&self) {
        drop(self.subject.current.lock());
    }

    /// Carries out a line, up to the first of its commands that fails.
    pub(super) fn line(&mut self, line: &str, out: &mut dyn Write) -> Result<Next, Fault> {
        let ended = self.expanded(line, &mut Vec::new(), out);
        if self.depth == 0 {
            self.n_expanded_left = alias::MOST_COMMANDS;
        }
        ended
    }

    /// Carries out a line, or what the innermost of the aliases `within` stands for.
    fn expanded(&mut self, line: &str, within: &mut Vec<String>, out: &mut dyn Write) -> Result<Next, Fault> {
        let alias = within.last().cloned();
        let fault = |error| fault_in(error, line, alias.as_deref());
        for piece in line::commands(line).map_err(fault)? {
            let next = match self.settings.aliases.expand(piece, within).map_err(fault)? {
                Some(expansion) => {
                    self.n_expanded_left = self.n_expanded_left.checked_sub(1).ok_or_else(|| {
                        let message =
                            format!("aliases make more than {} commands of this", alias::MOST_COMMANDS);
                        fault(LineError::new(piece.column, message, "`alias` shows what they stand for"))
                    })?;
                    within.push(expansion.name);
                    let next = self.expanded(&expansion.text, within, out);
                    within.pop();
                    next?
                }
                None => self.command(line, piece, alias.as_deref(), out)?,
            };
            if next == Next::Quit {
                return Ok(Next::Quit);
            }
        }
        Ok(Next::Go)
    }

    /// Reads one command and carries it out, where it is legal.
    fn command(
        &mut self,
        line: &str,
        piece: Piece<'_>,
        alias: Option<&str>,
        out: &mut dyn Write,
    ) -> Result<Next, Fault> {
        let fault = |error| fault_in(error, line, alias);
        let names: Vec<&str> = self.settings.aliases.iter().map(|(name, _)| name).collect();
        let parsed = table::parse(piece, &names).map_err(fault)?;
        parsed.check_context(self.settings.scope.context()).map_err(fault)?;
        self.await_interrupt();
        self.announce_before(&parsed.command, out)?;
        let ended = match parsed.redirection {
            Some(redirection) => self.redirected(parsed.command, &redirection).map(|()| Next::Go),
            None => self.carry_out(parsed.command, out),
        };
        ended.map_err(|unplaced| placed(unplaced, line, piece, alias))
    }

    /// Carries out a command whose output goes to a file, which is left alone if the command fails.
    fn redirected(&mut self, command: Command, to: &Redirection) -> Result<(), Fault> {
        let path = Path::new(&to.path);
        self.refuse_own_files(path)?;
        self.is_filed = true;
        let mut command = Some(command);
        let carry_out = &mut |out: &mut dyn Write| match command.take() {
            Some(command) => self.carry_out(command, out).map(drop),
            None => Ok(()),
        };
        let ended =
            if to.appends { redirect::append(path, carry_out) } else { redirect::replace(path, carry_out) };
        self.is_filed = false;
        ended
    }

    /// Refuses to write over what the session reads.
    pub(super) fn refuse_own_files(&self, path: &Path) -> Result<(), Fault> {
        crate::overwrite::refuse_same_file(path, &self.subject.program.path, "the program")?;
        match &self.subject.trace {
            Some(trace) => crate::overwrite::refuse_same_file(path, trace, "the trace of the session"),
            None => Ok(()),
        }
    }

    /// Ends what is under way.
    pub(super) fn close(&mut self, out: &mut dyn Write) -> Result<(), Fault> {
        let killed = self.kill(out);
        let shut = self.shut();
        killed.and(shut)?;
        written(out.flush())
    }

    /// Carries out a command; what it says goes to `out`.
    pub(super) fn carry_out(&mut self, command: Command, out: &mut dyn Write) -> Result<Next, Fault> {
        if command.asks_a_run() && self.settings.scope.context() != Context::Event {
            self.open_end_of_trace()?;
        }
        self.open_for(&command)?;
        match command {
            Command::Mode(mode) => self.mode(mode, out)?,
            Command::RecordOptions => self.write_options(out)?,
            Command::RecordOption { selector, option } => self.set_option(selector, option)?,
            Command::Check(check) => self.add_check(check, None, out)?,
            Command::Model { path } => self.add_models(&path, out)?,
            Command::CheckSet(set) => self.set_check_set(set)?,
            Command::Display(set) => self.display(set, out)?,
            Command::Races(races) => self.settings.races = races,
            Command::Output(output) => self.output(output),
            Command::Delete { kind, number } => self.delete(kind, number, out)?,
            Command::Run { in_background } => self.run(in_background, out)?,
            Command::Rerun { in_background } => self.rerun(in_background, out)?,
            Command::Wait => self.rest(out)?,
            Command::Stop => self.stop(out)?,
            Command::OnFinding(asked) => self.on_finding(asked, out)?,
            Command::Enable { is_enabled, kind, numbers } => {
                self.enable(is_enabled, kind, &numbers, out)?;
            }
            Command::Breakpoint { keyword, text, column } => {
                self.set_breakpoint(keyword, &text, column, out)?
            }
            Command::Cont { in_background: false, n_times } if self.is_at_moment() => {
                self.go_to_hit(false, n_times, 1, out)?;
            }
            Command::Cont { in_background, n_times } => self.go_times(false, in_background, n_times, out)?,
            Command::GoNext { in_background: false, n_times } if self.is_at_moment() => {
                self.next_at_moment(n_times, out)?;
            }
            Command::GoNext { in_background, n_times } => self.go_times(true, in_background, n_times, out)?,
            Command::Walk(walk) => self.walk(walk, out)?,
            Command::Kill => self.kill(out)?,
            Command::Fork { n_times, settings, column } => self.fork(n_times, &settings, column, out)?,
            Command::Goto(target) => self.go_to(&target, out)?,
            Command::Move { way, column } => self.go_by(way, column, out)?,
            Command::Moment => self.write_moment(out)?,
            Command::ContBack { n_times, column } => self.go_to_hit(true, n_times, column, out)?,
            Command::OverTime(question) => self.answer_over_time(&question, out)?,
            Command::Print { text, column } => self.print(&text, column, out)?,
            Command::Dump => self.dump(out)?,
            Command::Assign { name, text, column } => self.assign(&name, &text, column, out)?,
            Command::Queue(command) => self.queue(&command, out)?,
            Command::Why(asked) => self.why(&asked, out)?,
            Command::Values(asked) => self.values(&asked, out)?,
            Command::Isolate { event, changes, save } => {
                self.isolate(&event, &changes, save.as_deref(), out)?
            }
            Command::Deadlock => self.deadlock(out)?,
            Command::Stopped => self.write_stopped(out)?,
            Command::Verdicts => self.write_verdicts(out)?,
            Command::Graphs { kind, selectors } => self.write_graphs(kind, &selectors, out)?,
            Command::History(asked) => self.history(&asked, out)?,
            Command::Perf(asked) => self.perf(&asked, out)?,
            Command::Export(asked) => self.export(&asked)?,
            Command::Status => self.write_status(out)?,
            Command::Select { target, column } => self.select(&target, column)?,
            Command::Where => written(writeln!(out, "{}", self.settings.scope))?,
            Command::List { what, selectors, range } => self.list(what, &selectors, range, out)?,
            Command::Whatis(symbol) => self.whatis(&symbol, out)?,
            Command::Which(symbol) => self.which(&symbol, out)?,
            Command::Psym(Some(symbol)) => self.psym(&symbol, out)?,
            Command::Psym(None) => self.write_names(out)?,
            Command::ShowAlias(name) => self.write_aliases(name.as_deref(), out)?,
            Command::Alias { name, alias } => self.settings.aliases.set(name, alias),
            Command::Unalias { name, column } => self.unalias(&name, column)?,
            Command::Source(path) => return self.source(&path, out),
            Command::Save(path) => self.save(&path)?,
            Command::Restore(path) => self.restore(Path::new(&path))?,
            Command::Debug(level) => self.debug(level, out)?,
            Command::Help(None) => written(help::list(out))?,
            Command::Help(Some((name, column))) => {
                let told_all =
                    help::describe(&name, column, &self.settings.aliases, out).map_err(unplaced)?;
                written(told_all)?;
            }
            Command::Quit => return Ok(Next::Quit),
        }
        Ok(Next::Go)
    }

    fn source(&mut self, path: &str, out: &mut dyn Write) -> Result<Next, Fault> {
        if self.depth == MAX_DEPTH {
            return Err(Fault::SourceDepth { path: PathBuf::from(path), most: MAX_DEPTH });
        }
        let path = self.find(path);
        let text = fs::read_to_string(&path).map_err(|source| Fault::Read { path: path.clone(), source })?;
        self.depth += 1;
        let ended = self.lines(&path, &text, out);
        self.depth -= 1;
        ended
    }

    /// Carries out the lines of a file, up to the first that fails.
    pub(super) fn lines(&mut self, path: &Path, text: &str, out: &mut dyn Write) -> Result<Next, Fault> {
        for (line_idx, line) in text.lines().enumerate() {
            if self.echoes && !line.trim_start().is_empty() && !line.trim_start().starts_with('#') {
                written(writeln!(out, "{}{line}", self.prompt()))?;
            }
            let ended = self.line(line, out).map_err(|fault| match fault {
                // The innermost file is where to look.
                fault @ Fault::InScript { .. } => fault,
                fault => {
                    Fault::InScript { path: path.to_owned(), line: line_idx + 1, source: Box::new(fault) }
                }
            })?;
            // A later command may wait for long.
            written(out.flush())?;
            if ended == Next::Quit {
                return Ok(Next::Quit);
            }
        }
        Ok(Next::Go)
    }

    /// A file: beside the program first, as for bodies, else in the current folder.
    pub(super) fn find(&self, path: &str) -> PathBuf {
        let beside = self.subject.program.folder().join(path);
        if beside.is_file() { beside } else { PathBuf::from(path) }
    }
}

/// A fault of a command whose line is not known where it arises; [`placed`] puts it there.
pub(super) fn unplaced(error: LineError) -> Fault {
    fault_in(error, "", None)
}

fn fault_in(error: LineError, line: &str, alias: Option<&str>) -> Fault {
    let LineError { column, message, hint } = error;
    Fault::Command { line: line.to_owned(), within: alias.map(str::to_owned), column, message, hint }
}

/// Says where in a line a fault lies that arose when the command was carried out, as far as that is known.
fn placed(fault: Fault, line: &str, piece: Piece<'_>, alias: Option<&str>) -> Fault {
    let error = match fault {
        Fault::Command { line: unknown, within: None, column, message, hint } if unknown.is_empty() => {
            LineError { column, message, hint }
        }
        Fault::Selector(error) => {
            let text = error.to_string();
            let (place, message) = text.split_once(": ").unwrap_or(("", &text));
            let selector = place.strip_prefix('`').and_then(|place| place.rsplit_once("`, column "));
            let found = selector.and_then(|(selector, _)| piece.text.find(selector));
            let Some(at) = found else { return Fault::Selector(error) };
            let column = piece.slice(at, at).column + error.column() - 1;
            LineError::new(column, message, suggest::selector_help(&error).unwrap_or_default())
        }
        Fault::CheckNames { source } => {
            let text = source.to_string();
            let place = text.strip_prefix("column ").and_then(|text| text.split_once(": "));
            let place = place.and_then(|(column, message)| Some((column.parse::<usize>().ok()?, message)));
            match place.filter(|_| piece.text.starts_with("check") && !piece.text.contains("model")) {
                Some((column, message)) => LineError::new(piece.column + column - 1, message, ""),
                None => return Fault::CheckNames { source },
            }
        }
        fault => return fault,
    };
    let column = error.column.min(line.chars().count() + 1);
    fault_in(LineError { column, ..error }, line, alias)
}
