//! What is wrong with the world outside of the program: files, arguments, traces.
//!
//! Raised anywhere, printed only by `ending`, and by what goes on after one: sessions and `--watch`.

use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};

use hasse::event::EventError;
use hasse::holes::CutError;
use hasse::order::Unmeetable;
use hasse_body::library::FAMILIES;
use hasse_debugger::check::command::ParseError;
use hasse_debugger::check::model::ModelError;
use hasse_debugger::check::{CheckError, ResolveError};
use hasse_debugger::clock::TakenTooOften;
use hasse_debugger::facility::FacilityError;
use hasse_debugger::race::RaceError;
use hasse_debugger::read::ReadError;
use hasse_model::record_options::SelectorError;
use hasse_model::trace::{RecordingMode, TraceError};
use hasse_runtime::control::InspectError;
use hasse_runtime::natives::NativesError;
use hasse_runtime::run::RuntimeError;

use crate::params::ParamFault;
use crate::rust_library::RustFault;
use crate::suggest;

/// Why a command could not do its work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write {}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("{option} {} cannot be granted", path.display())]
    Grant { option: &'static str, path: PathBuf, source: io::Error },
    #[error("cannot read standard input")]
    Stdin(#[source] io::Error),
    #[error("cannot use a temporary file")]
    Scratch { source: io::Error },
    #[error("cannot write to standard output")]
    Stdout(#[source] io::Error),
    #[error("{} is not a text: byte {offset} is not UTF-8", path.display())]
    NotUtf8 { path: PathBuf, offset: usize },
    #[error("{} is a trace, not a program", path.display())]
    NotAProgram { path: PathBuf },
    #[error("{} is longer than 64 MiB", path.display())]
    ProgramTooLong { path: PathBuf },
    #[error("cannot open {} as a trace", path.display())]
    Trace { path: PathBuf, source: TraceError },
    #[error("cannot make sense of the trace {}", path.display())]
    TraceBroken { path: PathBuf, source: ReadError },
    #[error(transparent)]
    Param(#[from] ParamFault),
    #[error("--trace asks for a record, but --record {mode} makes none")]
    TraceWithoutRecord { mode: &'static str },
    #[error("{option} asks for restricted recording, but --record {mode} does not")]
    SelectionInMode { option: &'static str, mode: &'static str },
    #[error("{} cannot be read as parameters", path.display())]
    ParamFile { path: PathBuf, source: Box<toml_edit::TomlError> },
    #[error("--keep asks for a part of a record, but there is none")]
    KeepsNothing,
    #[error("a part of a minimal record would say nothing")]
    KeepsMinimal,
    #[error("{} begins in the middle of the run: it was recorded with --keep", path.display())]
    BeginsLater { path: PathBuf },
    #[error("{option} says what the replay is to record, but there is no --trace to record into")]
    RecordWithoutTrace { option: &'static str },
    #[error("restricted recording was asked for, but nothing is selected")]
    NothingSelected,
    #[error("`{text}` sets no recording option")]
    BadRecordOption { text: String },
    #[error("a selector does not fit: {0}")]
    Selector(SelectorError),
    #[error("cannot cut the trace {}", path.display())]
    Cut { path: PathBuf, source: Box<CutError> },
    #[error("the {mode} trace {} cannot be replayed", path.display())]
    NotReplayable { path: PathBuf, mode: &'static str },
    #[error("--checkpoint keeps the state of a run beside its full record, and there is none")]
    CheckpointsWithoutRecord,
    #[error("--durable writes the full record of a run ahead, and there is none")]
    DurableWithoutRecord,
    #[error("--index makes the index of a record of all events in one file, and there is none")]
    IndexWithoutRecord,
    #[error("the run in {} cannot be resumed: it is a {mode} record", path.display())]
    NotResumable { path: PathBuf, mode: &'static str },
    #[error("{} is a minimal record: it holds choices, not events", path.display())]
    OnlyChoices { path: PathBuf },
    #[error("{} is a restricted record: it lists selected events alone", path.display())]
    SelectedAlone { path: PathBuf },
    #[error("{} cannot be compared: it is not readable TOML", path.display())]
    NotComparable { path: PathBuf },
    #[error("{} would overwrite {what}", path.display())]
    Overwrites { path: PathBuf, what: &'static str },
    #[error("{option} says nothing to the form {format}")]
    NotInForm { option: &'static str, format: &'static str, takes: &'static str },
    #[error("the form {format} is for the expanded graph")]
    ExpandedOnly { format: &'static str },
    #[error("{format} cannot be written to {}", if *what == "FILE" { "a terminal" } else { "standard output" })]
    NeedsOutput { format: &'static str, what: &'static str },
    #[error("the program in {} is not the one that was recorded", path.display())]
    ProgramChanged { path: PathBuf, changes: Vec<String> },
    #[cfg(not(feature = "columns"))]
    #[error("this hasse was built without exports to {format}")]
    NoColumns { format: &'static str },
    #[cfg(not(feature = "editor"))]
    #[error("this hasse was built without the editor's window")]
    NoWindow,
    #[cfg(feature = "editor")]
    #[error(transparent)]
    Window(#[from] hasse_window::WindowError),
    #[error("the code in Rust cannot be used")]
    Natives(#[from] NativesError),
    #[error("no check was given")]
    NoCheck,
    #[error("--stop-on check needs a check")]
    NoCheckToStopOn,
    #[error("`{text}` is not a check")]
    BadCheck { text: String, source: ParseError },
    #[error("{} is not a file of models", path.display())]
    BadModel { path: PathBuf, source: ModelError },
    #[error("a check does not fit the program")]
    CheckNames { source: ResolveError },
    #[error("cannot check the trace {}", path.display())]
    Check { path: PathBuf, source: CheckError },
    #[error("{} has no times, so that there is no window of them", path.display())]
    NoTimes { path: PathBuf },
    #[error("{} has no event `{event}`", path.display())]
    NoSuchEvent { path: PathBuf, event: String, help: String },
    #[error("cannot look for races in {}", path.display())]
    Races { path: PathBuf, source: RaceError },
    #[error("this version of Hasse does not accept the program that was recorded in {}", path.display())]
    RecordedProgram { path: PathBuf },
    #[error("the run recorded in {} executed code in Rust that this executable does not have: {}", path.display(), missing.join("; "))]
    NativesOfRecord { path: PathBuf, missing: Vec<String> },
    #[error("the program has no node `{name}`")]
    UnknownTemplate { name: String, known: Vec<String> },
    #[error("there is no function with `{name}` in its name or description")]
    UnknownFunction { name: String },
    #[error("there is no program in {}", path.display())]
    NoProgram { path: PathBuf },
    #[error("{} exists already", path.display())]
    Exists { path: PathBuf },
    #[error("{} cannot be the name of a program", path.display())]
    NoName { path: PathBuf },
    #[error("there is no example `{name}`")]
    UnknownExample { name: String, help: String },
    #[error("the program has no graph `{name}`")]
    UnknownGraph { name: String, help: String },
    #[error("cannot watch {}", path.display())]
    Watch { path: PathBuf, source: notify::Error },
    #[error("there is no code `{code}`")]
    UnknownCode { code: String, help: String },
    #[error(transparent)]
    Rust(#[from] RustFault),
    #[error("{} does not hold the source of Hasse", path.display())]
    NoSource { path: PathBuf },
    #[error("{} is not empty", path.display())]
    ProjectExists { path: PathBuf, is_generated: bool },
    #[error("`{}` cannot be started", cargo.display())]
    NoCargo { cargo: PathBuf, source: io::Error },
    #[error("Cargo could not build the project in {}", folder.display())]
    CargoFailed { folder: PathBuf },
    #[error("the run could not be carried out")]
    Runtime(#[source] RuntimeError),
    #[error("the events could not be looked at")]
    Facility(#[source] io::Error),
    #[error("races cannot be looked for")]
    NoRaces { source: RaceError },
    #[error("with {mode} there is no {facility}")]
    NotAvailable { facility: &'static str, mode: &'static str },
    #[error("{}column {column}: {message}", within.as_ref().map(|alias| format!("in the alias `{alias}`, ")).unwrap_or_default())]
    Command { line: String, within: Option<String>, column: usize, message: String, hint: String },
    #[error("{}, line {line}", path.display())]
    InScript { path: PathBuf, line: usize, source: Box<Fault> },
    #[error("{} is the {most}th file that is read inside another", path.display())]
    SourceDepth { path: PathBuf, most: usize },
    #[error("{event} of the trace {}", path.display())]
    Inconsistent { path: PathBuf, event: String, source: TakenTooOften },
    #[error("the replay of {} left the record at {event}", path.display())]
    Diverged { path: PathBuf, event: String },
    #[error("the session in {} cannot be restored: {problem}", path.display())]
    Session { path: PathBuf, problem: String },
    #[error("there is no alias `{name}`")]
    NoAlias { name: String, help: String },
    #[error("there is no {what} {number}")]
    NoSuchNumber { what: &'static str, number: u64 },
    #[error(transparent)]
    Event(#[from] EventError),
    #[error("--gdb needs a file for the event")]
    NoFileForGdb,
    #[error("{node} has no body in Rust")]
    NotInRust { node: String },
    #[error("{} is a trace: which of its events?", path.display())]
    NoEventNamed { path: PathBuf },
    #[error("a run is under way: `cont` lets it go on, `kill` ends it, and `rerun` starts again")]
    UnderWay,
    #[error("no run is under way: `run` starts one")]
    NotUnderWay,
    #[error("no run is under way or open to questions: `run` first")]
    NoRun,
    #[error("the runs of mode {mode} are not stopped or asked: choose another `mode`")]
    NoControl { mode: &'static str },
    #[error("`{scope}` stands for several actions: select one, such as `{scope}[0]`")]
    Several { scope: String },
    #[error("{0}")]
    Inspect(InspectError),
    #[error("no run is open, and there are no records to explain events from: `run` first")]
    NothingToExplain,
    #[error("the session has no records: `run` first, with `output save record`")]
    NoRecords,
    #[error("{} has errors: nothing was run", path.display())]
    ProgramHasErrors { path: PathBuf },
    #[error("the session has no events: run {run} ({mode}) kept none")]
    NothingKept { run: u64, mode: &'static str },
    #[error("the session has no events: {} of run {run} could not be written to its end", path.display())]
    TraceCutOff { run: u64, path: PathBuf },
    #[error(transparent)]
    Order(#[from] Unmeetable),
    #[error("a run with an imposed order has one worker")]
    OrderWorkers,
    #[error("the session has a minimal record: it holds choices, not events")]
    ChoicesOfRun,
}

impl Fault {
    /// What went wrong with a run: what the facilities found wrong with its events is not the run's fault.
    pub(crate) fn of_run(error: RuntimeError) -> Self {
        match error {
            RuntimeError::Sink(error) => Self::of_facility(error),
            error => Self::Runtime(error),
        }
    }

    /// What went wrong where events are taken in.
    pub(crate) fn of_facility(error: io::Error) -> Self {
        let is_facility = error.get_ref().is_some_and(|inner| inner.is::<FacilityError>());
        if is_facility { Self::Facility(error) } else { Self::Runtime(RuntimeError::Sink(error)) }
    }

    /// What went wrong with a trace file.
    pub(crate) fn of_trace(path: &Path, error: ReadError) -> Self {
        let path = path.to_owned();
        match error {
            ReadError::Trace(TraceError::Io(source)) => Fault::Read { path, source },
            ReadError::Trace(source) => Fault::Trace { path, source },
            source @ ReadError::Sort { .. } => Fault::TraceBroken { path, source },
        }
    }

    /// 1 where the program is to blame, 2 otherwise.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Fault::Runtime(RuntimeError::Initial { .. } | RuntimeError::Misfit { .. }) => 1,
            _ => 2,
        }
    }

    /// The line of a session that it is about, with a column in characters from 1.
    pub(crate) fn excerpt(&self) -> Option<(&str, usize)> {
        match self {
            Fault::InScript { source, .. } => source.excerpt(),
            Fault::Command { line, column, .. } => Some((line, *column)),
            _ => None,
        }
    }

    /// What to do about it.
    pub(crate) fn help(&self) -> Option<String> {
        match self {
            Fault::Param(fault) => fault.help(),
            Fault::InScript { source, .. } => source.help(),
            Fault::NoAlias { help, .. } => Some(help.clone()),
            #[cfg(not(feature = "columns"))]
            Fault::NoColumns { .. } => {
                Some("`cargo build --release --features columns` in Hasse's source builds it".to_owned())
            }
            #[cfg(not(feature = "editor"))]
            Fault::NoWindow => {
                Some("`cargo build --release --features editor` in Hasse's source builds it".to_owned())
            }
            #[cfg(feature = "editor")]
            Fault::Window(hasse_window::WindowError::Platform(_)) => Some(
                "the window needs a screen: on Linux a Wayland compositor or an X server, which WAYLAND_DISPLAY or DISPLAY names, and the libraries that docs/editor.md lists"
                    .to_owned(),
            ),
            Fault::NoSuchNumber { .. } => Some("`status` lists what there is, with numbers".to_owned()),
            Fault::Command { hint, .. } => (!hint.is_empty()).then(|| hint.clone()),
            Fault::Event(error) => error.help(),
            Fault::Inspect(InspectError::NoAction { .. }) => {
                Some("an action comes into being with the first value that is sent to it".to_owned())
            }
            Fault::Inspect(InspectError::Busy { .. }) => Some("`stop` stops all actions".to_owned()),
            Fault::NoFileForGdb => Some("say where it goes: `--save FILE`".to_owned()),
            Fault::NotInRust { .. } => {
                Some("`hasse debug T` steps through a script: `goto EVENT befcomp`, `step`, `rstep`".to_owned())
            }
            Fault::NoEventNamed { path } => Some(format!("hasse isolate {} '/Mult[3]:2'", path.display())),
            Fault::TraceWithoutRecord { .. } => {
                Some("leave --trace out, or --record with it: --trace implies --record full".to_owned())
            }
            Fault::SelectionInMode { .. } => {
                Some("leave --record out: --select and --rcopt imply --record restrict".to_owned())
            }
            Fault::RecordWithoutTrace { .. } => Some("add --trace FILE".to_owned()),
            Fault::Order(Unmeetable::Circle { .. }) => {
                Some("leave out one of these constraints; an action executes its events in the order of their numbers".to_owned())
            }
            Fault::Order(_) => Some("take an earlier moment".to_owned()),
            Fault::OrderWorkers => Some("leave --workers out".to_owned()),
            Fault::KeepsNothing => Some("add --trace FOLDER".to_owned()),
            Fault::KeepsMinimal => Some(
                "it is followed from the beginning of the run: record with --record full, restrict or perf".to_owned(),
            ),
            Fault::BeginsLater { .. } => Some(
                "a replay needs every event; `hasse trace` and `hasse perf` read what was kept".to_owned(),
            ),
            Fault::NothingSelected => {
                Some("add --select NODE, or `[record]` with `options` to the program".to_owned())
            }
            Fault::BadRecordOption { .. } => {
                Some("write `SELECTOR=full`, `SELECTOR=restrict` or `SELECTOR=off`".to_owned())
            }
            Fault::Selector(error) => suggest::selector_help(error),
            Fault::Cut { source, .. } => source.help(),
            Fault::NativesOfRecord { path, .. } => Some(format!(
                "the executable that recorded it has that code: `EXECUTABLE replay {0}`, and `values`, `why`, `isolate` and \
                 `debug` likewise; `hasse verify`, `hasse races`, `hasse perf` and `hasse trace` read {0} without it",
                path.display()
            )),
            Fault::NotReplayable { .. } => {
                Some("a replay needs every event: record with --record full".to_owned())
            }
            Fault::CheckpointsWithoutRecord
            | Fault::DurableWithoutRecord
            | Fault::IndexWithoutRecord => Some("add --trace FILE, without --keep and --record".to_owned()),
            Fault::NotResumable { .. } => {
                Some("a run is resumed from a full record in one file: record with --trace FILE".to_owned())
            }
            Fault::SelectedAlone { .. } => {
                Some("coverage counts every event: record with --record full or perf".to_owned())
            }
            Fault::OnlyChoices { path } => {
                Some(format!("make the events first: hasse replay {} --trace FULL", path.display()))
            }
            Fault::ProgramHasErrors { .. } => {
                Some("mend them and `run` again; what was run before can still be asked".to_owned())
            }
            Fault::NothingKept { .. } => {
                Some("`mode record full; output save record; run` keeps every event".to_owned())
            }
            Fault::TraceCutOff { .. } => {
                Some("`output file NAME; run` writes another file, `output save record; run` keeps the events in memory".to_owned())
            }
            Fault::ChoicesOfRun => Some("`mode replay; run` makes its events".to_owned()),
            Fault::NotInForm { option, takes, .. } => Some(format!("{option} is for {takes}")),
            Fault::ExpandedOnly { .. } => {
                Some("add --expanded, or choose svg, dot or mermaid".to_owned())
            }
            Fault::NeedsOutput { what, .. } => Some(format!("add -o {what}")),
            Fault::Overwrites { .. } => Some("give the file another name".to_owned()),
            Fault::ProgramChanged { changes, .. } => {
                let mut help = "what differs:\n".to_owned();
                for change in changes {
                    let _ = writeln!(help, "  {change}");
                }
                help.push_str("--allow-changes takes the changed program all the same");
                Some(help)
            }
            Fault::NotAProgram { path } => {
                let path = path.display();
                Some(format!("`hasse replay {path}` runs it again, and `hasse trace info {path}` says what is in it"))
            }
            Fault::UnknownTemplate { name, known } => {
                let all = format!("its nodes are: {}", known.join(", "));
                Some(suggest::help(name, known.iter().map(String::as_str), &all))
            }
            Fault::Grant { .. } => Some("name a folder that exists".to_owned()),
            Fault::UnknownFunction { name } => {
                let known = FAMILIES.iter().flat_map(|family| family.functions).map(|function| function.name());
                Some(suggest::help(name, known, "`hasse functions` lists all of them"))
            }
            Fault::UnknownCode { help, .. } | Fault::NoSuchEvent { help, .. } => Some(help.clone()),
            Fault::NoProgram { .. } => Some("programs are files whose name ends in `.hasse`".to_owned()),
            Fault::Exists { .. } => Some("nothing is overwritten; take another name".to_owned()),
            Fault::Rust(fault) => fault.help(),
            Fault::NoSource { .. } => Some(
                "projects are linked with the library: name its folder by --source DIR or HASSE_SOURCE".to_owned(),
            ),
            Fault::ProjectExists { is_generated: true, .. } => {
                Some("--replace generates the project anew, and drops what was changed in its files".to_owned())
            }
            Fault::ProjectExists { .. } => Some("nothing is overwritten; take another folder".to_owned()),
            Fault::NoCargo { .. } => Some("install Rust from https://rustup.rs".to_owned()),
            Fault::UnknownExample { help, .. } => Some(help.clone()),
            Fault::UnknownGraph { help, .. } => Some(help.clone()),
            Fault::NoCheck => Some(
                "give a check, such as 'check pred Gath {Solve}', or a file of them with --file".to_owned(),
            ),
            Fault::NoCheckToStopOn => {
                Some("add one, such as --check 'check pred Gath {Solve}', or a --model FILE".to_owned())
            }
            Fault::Races { source: RaceError::Incomplete { mode: RecordingMode::Minimal }, .. } => Some(
                "`hasse replay T --trace F` makes a full record of it; look for races in that".to_owned(),
            ),
            Fault::Races { source: RaceError::Incomplete { mode: RecordingMode::Holes }, .. } => {
                Some("look for races in the record of the whole run".to_owned())
            }
            Fault::Races { source: RaceError::Incomplete { .. }, .. } => {
                Some("record the run again with `hasse run P --trace F`".to_owned())
            }
            Fault::NoTimes { .. } => Some(
                "leave --window out, or record the run with `hasse run P --record perf --trace T`".to_owned(),
            ),
            Fault::Trace { source: TraceError::HeaderDamaged { .. }, .. } => {
                Some("without its header nobody knows what the events mean: record the run again".to_owned())
            }
            Fault::Trace { source: TraceError::NotATrace, .. } => {
                Some("traces are made by `hasse run P --trace F`".to_owned())
            }
            _ => None,
        }
    }
}
