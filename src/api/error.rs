//! What can go wrong: with what was registered, with a program, with a run, with files.

use std::path::PathBuf;
use std::{fmt, io};

use hasse_debugger::check::command::ParseError;
use hasse_debugger::check::{CheckError, ResolveError};
use hasse_debugger::race::RaceError;
use hasse_debugger::read::ReadError;
use hasse_debugger::restrict::RestrictError;
use hasse_model::diagnostic::{Diagnostic, Severity};
use hasse_model::record_options::SelectorError;
use hasse_model::trace::{RecordingMode, TraceError};
use hasse_runtime::natives::{Mismatch, NativesError};
use hasse_runtime::report::{RunOutcome, RunReport};
use hasse_runtime::run::RuntimeError;

use super::event::error::EventError;
use super::holes::error::CutError;
use super::run::Run;

/// Why something could not be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// What was registered cannot be used.
    #[error(transparent)]
    Natives(#[from] NativesError),
    /// The program has errors.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The run could not be carried out: parameters, threads, or a sink.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    /// The program failed, went quiescent, was stopped, or left the record that it was to follow.
    #[error(transparent)]
    Run(#[from] Box<RunFailure>),
    /// The run has no such result.
    #[error("the run has no result `{name}`; it has {}", listed(.known))]
    NoResult {
        /// The name asked for.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// A result is of another type than was asked for.
    #[error("result `{name}`: {source}")]
    ResultType {
        /// Its name.
        name: String,
        /// What was asked for and found.
        source: Mismatch,
    },
    /// A file cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The record of a run could not be written to its end. The run went on without it.
    #[error("cannot write {}: the record ends before its run", path.display())]
    RecordCutOff {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
        /// The run, with its results and its report.
        run: Box<Run>,
    },
    /// Bytes are no trace, or a damaged one.
    #[error("the trace cannot be used")]
    Trace(#[from] TraceError),
    /// The events of a trace contradict each other.
    #[error("the trace cannot be made sense of")]
    Record(#[from] ReadError),
    /// A selector of what is to be recorded cannot be used.
    #[error(transparent)]
    Selector(#[from] SelectorError),
    /// Something is selected, and another mode than restricted recording is asked for.
    #[error("something is selected, but {} recording takes no selection", mode.name())]
    SelectionInMode {
        /// The mode asked for.
        mode: RecordingMode,
    },
    /// A text is no check.
    #[error(transparent)]
    BadCheck(#[from] ParseError),
    /// A check names what the program does not have.
    #[error(transparent)]
    CheckNames(#[from] ResolveError),
    /// Checks cannot be judged on a trace.
    #[error(transparent)]
    Check(#[from] CheckError),
    /// Races cannot be looked for in a trace.
    #[error(transparent)]
    Races(#[from] RaceError),
    /// A trace cannot be restricted.
    #[error(transparent)]
    Restrict(#[from] RestrictError),
    /// A mode in which a replay cannot record.
    #[error("a replay makes no {} record", mode.name())]
    NoSuchRecorder {
        /// The mode asked for.
        mode: RecordingMode,
    },
    /// A record with holes is not made by a run.
    #[error("a run makes no record with holes: it is cut from a record of the whole run")]
    HolesAreCut,
    /// A record cannot be cut.
    #[error(transparent)]
    Cut(Box<CutError>),
    /// The program has no such node.
    #[error("the program has no node `{name}`; it has {}", listed(.known))]
    NoNode {
        /// The name.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// A trace that does not have every event cannot be replayed.
    #[error("a {} trace cannot be replayed: a replay needs every event", mode.name())]
    NotReplayable {
        /// How it was recorded.
        mode: RecordingMode,
    },
    /// A trace that is no full record cannot be gone on with.
    #[error("a run is resumed from a full record, and this is a {} one", mode.name())]
    NotResumable {
        /// How it was recorded.
        mode: RecordingMode,
    },
    /// A trace that begins in the middle of the run cannot be replayed.
    #[error("the trace begins in the middle of the run, and cannot be replayed: a replay needs every event")]
    BeginsLater,
    /// A question about one event has no answer.
    #[error(transparent)]
    Event(#[from] EventError),
    /// A minimal record holds choices: its events are made again by a replay.
    #[error("the trace is a minimal record: it holds choices, not events")]
    OnlyChoices,
    /// A trace is of a program that means something else.
    #[error("the program is not the one that was recorded: {}", changes.join("; "))]
    ProgramChanged {
        /// What differs.
        changes: Vec<String>,
    },
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// The errors of a program, and its text, to which they refer.
#[derive(Clone, Debug, PartialEq)]
pub struct CompileError {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl CompileError {
    /// All findings, warnings too, in the order of the text.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The text of the program.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl std::error::Error for CompileError {}

/// Writes each finding with its code, its line and its hint.
impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, found) in self.diagnostics.iter().enumerate() {
            let at = found.at();
            let kind = match found.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            if place > 0 {
                writeln!(f)?;
            }
            writeln!(f, "{kind}[{}]: {}", found.code, found.message)?;
            write!(f, "  at {}:{}:{}", self.name, at.line, at.column)?;
            if let Some(line) = self.text.lines().nth(at.line.saturating_sub(1) as usize) {
                write!(f, "\n  | {}", line.trim_end())?;
            }
            if let Some(help) = &found.help {
                write!(f, "\n  help: {help}")?;
            }
        }
        Ok(())
    }
}

/// A run that did not finish.
#[derive(Clone, Debug)]
pub struct RunFailure {
    pub(crate) program: String,
    pub(crate) report: RunReport,
}

impl RunFailure {
    /// What the run reports.
    pub fn report(&self) -> &RunReport {
        &self.report
    }
}

impl std::error::Error for RunFailure {}

/// Maximum number of waiting actions in the text of a failure.
const MAX_WAITING: usize = 20;

/// Writes each error with its code, event and line; who waits for what; where a replay left its record.
impl fmt::Display for RunFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.report.outcome {
            RunOutcome::Failed => write!(f, "the program failed")?,
            RunOutcome::Quiescent => write!(f, "the program came to a halt before its end")?,
            RunOutcome::Stopped => write!(f, "the run was stopped before its end")?,
            RunOutcome::Finished => write!(f, "the run finished")?,
        }
        if let Some(stopped) = &self.report.stopped_at {
            write!(f, "\n  at point {}, {}: {}", stopped.position, stopped.kind, stopped.reason)?;
        }
        for error in &self.report.errors {
            let (program, line) = (&self.program, error.at.line);
            write!(f, "\n  {} at {} ({program}:{line}): {}", error.code, error.event, error.message)?;
        }
        for waiting in self.report.quiescence.iter().take(MAX_WAITING) {
            write!(f, "\n  {} waits", waiting.action)?;
            let missing: Vec<&str> =
                waiting.rules.iter().flat_map(|rule| &rule.missing).map(String::as_str).collect();
            if !missing.is_empty() {
                write!(f, " for {}", missing.join(", "))?;
            }
        }
        if self.report.n_waiting > MAX_WAITING as u64 {
            write!(f, "\n  and {} more", self.report.n_waiting - MAX_WAITING as u64)?;
        }
        if let Some(divergence) = &self.report.divergence {
            let (event, expected, found) = (&divergence.event, &divergence.expected, &divergence.found);
            write!(f, "\n  the replay leaves the record at {event}: {found}, where it has {expected}")?;
        }
        Ok(())
    }
}

impl From<CutError> for Error {
    fn from(error: CutError) -> Self {
        Self::Cut(Box::new(error))
    }
}
