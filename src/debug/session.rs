//! A session: modes, options, checks and sets that outlive its runs, and what they do.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::Scope;

use hasse_debugger::check::command::Command as Check;
use hasse_debugger::check::{self, CheckId};
use hasse_debugger::facility::View;
use hasse_model::plan::Plan;
use hasse_model::record_options::{RecordOption, RecordOptions};
use hasse_model::value::Value;
use hasse_runtime::run::{RunOptions, StopSignal};
use parking_lot::Mutex;

use super::command::{self, COMMANDS, Command, Mode, Output};
use super::job::{Done, Job, Live, Records};
use crate::facilities::{self, Requested};
use crate::fault::Fault;
use crate::program::Program;

/// Most files that source each other.
const MAX_DEPTH: usize = 16;

/// What a session is about; outlives the session's threads.
pub(super) struct Subject {
    pub(super) program: Program,
    pub(super) plan: Plan,
    /// The parameters that runs are given.
    pub(super) params: Vec<(String, Value)>,
    /// The trace that the session was opened with, if it was one.
    pub(super) trace: Option<PathBuf>,
    pub(super) options: RunOptions,
    /// Ends the run that is under way; what Ctrl-C sets.
    pub(super) current: Arc<Mutex<StopSignal>>,
}

/// A check of the session.
struct Listed {
    number: u64,
    check: Check,
    /// Its id in the run that is under way.
    live: Option<CheckId>,
}

/// The state of a session.
pub(super) struct Session<'scope, 'p> {
    subject: &'p Subject,
    scope: &'scope Scope<'scope, 'p>,
    mode: Mode,
    record_options: RecordOptions,
    /// The selectors of the options, as given.
    settings: Vec<(String, RecordOption)>,
    checks: Vec<Listed>,
    n_checks: u64,
    display_set: Vec<String>,
    check_set: Vec<String>,
    races: bool,
    display: Option<View>,
    file: Option<(String, View)>,
    save: Option<View>,
    records: Option<Records>,
    live: Option<Live<'scope, 'p>>,
    last: Option<Done>,
    depth: usize,
    /// Whether a check or a run failed.
    pub(super) has_failed: bool,
}

/// What comes after a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Go,
    Quit,
}

impl<'scope, 'p> Session<'scope, 'p> {
    /// A session that has done nothing yet: a program is recorded in full, a trace is looked at.
    pub(super) fn new(subject: &'p Subject, scope: &'scope Scope<'scope, 'p>) -> Self {
        let mode = if subject.trace.is_some() { Mode::PostMortem } else { Mode::Full };
        Self {
            subject,
            scope,
            mode,
            record_options: subject.plan.record.options(),
            settings: Vec::new(),
            checks: Vec::new(),
            n_checks: 0,
            display_set: Vec::new(),
            check_set: Vec::new(),
            races: false,
            display: None,
            file: None,
            save: Some(View::Record),
            records: None,
            live: None,
            last: None,
            depth: 0,
            has_failed: false,
        }
    }

    /// Carries out one line.
    pub(super) fn line(&mut self, line: &str) -> Result<Next, Fault> {
        let command = command::parse(line)
            .map_err(|source| Fault::Command { line: line.to_owned(), text: source.to_string() })?;
        match command {
            None => {}
            Some(Command::Quit) => return Ok(Next::Quit),
            Some(Command::Source(path)) => return self.source(&path),
            Some(command) => self.carry_out(command)?,
        }
        Ok(Next::Go)
    }

    /// Ends what is under way.
    pub(super) fn close(&mut self) -> Result<(), Fault> {
        if self.live.is_some() {
            self.stop();
            self.wait()?;
        }
        Ok(())
    }

    fn carry_out(&mut self, command: Command) -> Result<(), Fault> {
        match command {
            Command::Mode(None) => println!("mode {}", self.mode.name()),
            Command::Mode(Some(mode)) => self.mode = mode,
            Command::Rcopt(None) => self.print_options(),
            Command::Rcopt(Some((selector, option))) => self.set_option(&selector, option)?,
            Command::Check(check) => self.add_check(check)?,
            Command::Model(path) => {
                let models = facilities::read_models(&self.find(&path))?;
                models.into_iter().try_for_each(|check| self.add_check(check))?;
            }
            Command::CheckSet(set) => {
                self.look_up(&set)?;
                self.check_set = set;
            }
            Command::Display(set) => {
                self.look_up(&set)?;
                self.display_set = set;
                self.display.get_or_insert(View::Display);
            }
            Command::Races(races) => self.races = races,
            Command::Output(Output::Display(view)) => self.display = view,
            Command::Output(Output::File(file)) => self.file = file,
            Command::Output(Output::Save(view)) => self.save = view,
            Command::Delete(number) => self.delete(number)?,
            Command::Run { in_background } => self.run(in_background)?,
            Command::Wait => self.wait()?,
            Command::Stop => self.stop(),
            Command::Verdicts => self.print_verdicts(),
            Command::Graphs => self.print_graphs(),
            Command::Status => self.print_status(),
            Command::Help => print_help(),
            Command::Source(_) | Command::Quit => {}
        }
        Ok(())
    }

    fn source(&mut self, path: &str) -> Result<Next, Fault> {
        if self.depth == MAX_DEPTH {
            return Err(Fault::SourceDepth { path: PathBuf::from(path), most: MAX_DEPTH });
        }
        let path = self.find(path);
        let text = fs::read_to_string(&path).map_err(|source| Fault::Read { path: path.clone(), source })?;
        self.depth += 1;
        let ended = self.lines(&path, &text);
        self.depth -= 1;
        ended
    }

    /// Carries out the lines of a file, up to the first that fails.
    pub(super) fn lines(&mut self, path: &Path, text: &str) -> Result<Next, Fault> {
        for (line_idx, line) in text.lines().enumerate() {
            let ended = self.line(line).map_err(|fault| match fault {
                // The innermost file is where to look.
                fault @ Fault::InScript { .. } => fault,
                fault => {
                    Fault::InScript { path: path.to_owned(), line: line_idx + 1, source: Box::new(fault) }
                }
            })?;
            if ended == Next::Quit {
                return Ok(Next::Quit);
            }
        }
        Ok(Next::Go)
    }

    /// A file: beside the program first, as for bodies, else in the current folder.
    fn find(&self, path: &str) -> PathBuf {
        let beside = self.subject.program.folder().join(path);
        if beside.is_file() { beside } else { PathBuf::from(path) }
    }

    fn set_option(&mut self, selector: &str, option: RecordOption) -> Result<(), Fault> {
        let options = self.record_options.clone().set(selector, option);
        let options = options.map_err(Fault::Selector)?;
        options.resolve(&self.subject.plan).map_err(Fault::Selector)?;
        self.record_options = options;
        self.settings.push((selector.to_owned(), option));
        Ok(())
    }

    /// Refuses selectors that name nothing.
    fn look_up(&self, set: &[String]) -> Result<(), Fault> {
        let options = facilities::set_of(set)?;
        let resolved = options.map(|options| options.resolve(&self.subject.plan)).transpose();
        resolved.map(drop).map_err(Fault::Selector)
    }

    fn add_check(&mut self, check: Check) -> Result<(), Fault> {
        let live = match &self.live {
            Some(live) => live.add_check(&check)?,
            None => {
                // Refuses what the program does not have before a run is under way.
                check::Checker::new(std::slice::from_ref(&check), &self.subject.plan, &self.subject.params)
                    .map_err(|source| Fault::CheckNames { source })?;
                None
            }
        };
        self.n_checks += 1;
        println!("check {}: {}", self.n_checks, check.text());
        self.checks.push(Listed { number: self.n_checks, check, live });
        Ok(())
    }

    fn delete(&mut self, number: u64) -> Result<(), Fault> {
        let position = self.checks.iter().position(|listed| listed.number == number);
        let position = position.ok_or(Fault::NoSuchCheck { number })?;
        let removed = self.checks.remove(position);
        if let (Some(live), Some(id)) = (&self.live, removed.live) {
            // Alternatives share an id, and go together.
            self.checks.retain(|listed| listed.live != Some(id));
            if let Some(verdict) = live.delete_check(id) {
                print!("{}", check::render(&verdict, &self.subject.program.name()));
            }
        }
        Ok(())
    }

    fn run(&mut self, in_background: bool) -> Result<(), Fault> {
        if self.live.is_some() {
            return Err(Fault::UnderWay);
        }
        let requested = Requested {
            display: self.display,
            display_set: facilities::set_of(&self.display_set)?,
            check_set: facilities::set_of(&self.check_set)?,
            commands: self.checks.iter().map(|listed| listed.check.clone()).collect(),
            races: self.races,
            file: self.file.as_ref().map_or(View::Record, |&(_, view)| view),
        };
        let job = Job {
            subject: self.subject,
            mode: self.mode,
            record_options: self.record_options.clone(),
            trace: self.file.as_ref().map(|(path, _)| PathBuf::from(path)),
            save: self.save,
            records: self.records.clone(),
            capture: requested.capture(&self.subject.plan)?,
        };
        let (live, ids) = job.start(self.scope, &requested)?;
        for (listed, id) in self.checks.iter_mut().zip(ids) {
            listed.live = Some(id);
        }
        self.live = Some(live);
        if in_background { Ok(()) } else { self.wait() }
    }

    fn wait(&mut self) -> Result<(), Fault> {
        let Some(live) = self.live.take() else { return Ok(()) };
        self.checks.iter_mut().for_each(|listed| listed.live = None);
        let done = live.wait(self.subject)?;
        self.has_failed |= done.print(self.subject)?;
        if let Some(records) = &done.records {
            self.records = Some(records.clone());
        }
        self.last = Some(done);
        Ok(())
    }

    fn stop(&self) {
        if let Some(live) = &self.live {
            live.stop();
        }
    }

    fn print_verdicts(&self) {
        let name = self.subject.program.name();
        let verdicts = match (&self.live, &self.last) {
            (Some(live), _) => live.verdicts(),
            (None, Some(done)) => done.findings.verdicts.clone(),
            (None, None) => Vec::new(),
        };
        verdicts.iter().for_each(|verdict| print!("{}", check::render(verdict, &name)));
    }

    fn print_graphs(&self) {
        if let Some(done) = &self.last {
            print!("{}", done.findings.graphs.to_text(&done.findings.summary.names));
        }
    }

    fn print_options(&self) {
        for (selector, option) in &self.settings {
            println!("rcopt {selector} {}", option.name());
        }
    }

    fn print_status(&self) {
        println!("mode {}", self.mode.name());
        self.print_options();
        for listed in &self.checks {
            println!("check {}: {}", listed.number, listed.check.text());
        }
        let set = |selectors: &[String]| match selectors {
            [] => "everything".to_owned(),
            selectors => selectors.join(" "),
        };
        println!("check set: {}", set(&self.check_set));
        println!("display set: {}", set(&self.display_set));
        println!("races: {}", if self.races { "on" } else { "off" });
        println!("display: {}", shown(self.display));
        println!("save: {}", shown(self.save));
        match &self.file {
            Some((path, view)) => println!("file: {path}, {}", shown(Some(*view))),
            None => println!("file: off"),
        }
        if let Some(records) = &self.records {
            println!("records: {} event(s), {}", records.n_events(), records.header.mode.name());
        }
        if self.live.is_some() {
            println!("a run is under way");
        }
    }
}

fn shown(view: Option<View>) -> &'static str {
    match view {
        Some(View::Record) => "record",
        Some(View::Display) => "disp",
        Some(View::Check) => "check",
        None => "off",
    }
}

fn print_help() {
    for (name, usage, meaning) in COMMANDS {
        println!("{}", format!("{name} {usage}").trim_end());
        println!("    {meaning}");
    }
}
