//! What is to be recorded, as the command line says it: a mode, and options of instances.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use hasse_debugger::facility::Mode;
use hasse_model::plan::Plan;
use hasse_model::record_options::{RecordOption, RecordOptions, ResolvedOptions};
use hasse_model::trace::RecordingMode;

use crate::fault::Fault;

/// How much a run records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RecordMode {
    /// Every event with its predecessors
    Full,
    /// Events of what is selected, here or in the program file
    Restrict,
    /// Only the choices that were free, and what came from outside: enough for `hasse replay`
    Minimal,
    /// Every event with its predecessors, worker and times
    Perf,
    /// No events
    Off,
    /// Nothing, and no instrumentation at all
    None,
}

impl RecordMode {
    fn name(self) -> &'static str {
        match self {
            RecordMode::Full => "full",
            RecordMode::Restrict => "restrict",
            RecordMode::Minimal => "minimal",
            RecordMode::Perf => "perf",
            RecordMode::Off => "off",
            RecordMode::None => "none",
        }
    }
}

/// Which instances are recorded, and how.
#[derive(clap::Args)]
pub(crate) struct Selection {
    /// Record the events of these nodes or instances alone, such as `Mult`, `Mult[2..5]` or `/call[2]/*`; may be
    /// given several times
    #[arg(long = "select", value_name = "SELECTOR")]
    selected: Vec<String>,
    /// Set the recording option of instances or calls, also of selected ones: `full`, `restrict` or `off`; the
    /// last one that names an instance counts
    #[arg(long = "rcopt", value_name = "SELECTOR=OPTION")]
    options: Vec<String>,
    /// Whether the options of the program file do not count.
    #[arg(skip)]
    is_whole: bool,
}

impl Selection {
    /// These selectors and nothing else, whatever the program file says.
    pub(crate) fn of_set(selected: Vec<String>) -> Self {
        Self { selected, options: Vec::new(), is_whole: true }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.selected.is_empty() && self.options.is_empty()
    }

    /// Options of restricted recording: those of the file first, then what is selected, then what is set.
    pub(crate) fn resolve(&self, plan: &Plan) -> Result<ResolvedOptions, Fault> {
        let mut options = if self.is_whole { RecordOptions::restricted() } else { plan.record.options() };
        let is_bare = self.is_empty() && options.settings.is_empty();
        if is_bare {
            return Err(Fault::NothingSelected);
        }
        for selector in &self.selected {
            options = options.select(selector).map_err(Fault::Selector)?;
        }
        for text in &self.options {
            let bad = || Fault::BadRecordOption { text: text.clone() };
            let (selector, name) = text.rsplit_once('=').ok_or_else(bad)?;
            let option = RecordOption::of_name(name.trim()).ok_or_else(bad)?;
            options = options.set(selector.trim(), option).map_err(Fault::Selector)?;
        }
        options.resolve(plan).map_err(Fault::Selector)
    }
}

/// What a run is to record.
pub(crate) enum Wanted {
    /// Nothing; with `is_off`, of a run that can be controlled.
    Nothing { is_off: bool },
    /// Every event.
    Full,
    /// Selected events.
    Restricted(ResolvedOptions),
    /// Free choices.
    Minimal,
    /// Every event, with times.
    Perf,
}

impl Wanted {
    /// The mode that the trace's header tells.
    pub(crate) fn mode(&self) -> RecordingMode {
        match self {
            Wanted::Nothing { .. } | Wanted::Full => RecordingMode::Full,
            Wanted::Restricted(_) => RecordingMode::Restricted,
            Wanted::Minimal => RecordingMode::Minimal,
            Wanted::Perf => RecordingMode::Perf,
        }
    }
}

impl Wanted {
    /// What facilities there are.
    pub(crate) fn facility_mode(&self) -> Mode {
        match self {
            Wanted::Nothing { is_off: true } => Mode::Off,
            Wanted::Nothing { is_off: false } => Mode::DebuggingOff,
            Wanted::Full => Mode::Full,
            Wanted::Restricted(_) => Mode::Restricted,
            Wanted::Minimal => Mode::Minimal,
            Wanted::Perf => Mode::Perf,
        }
    }
}

/// Refuses options that exclude each other, before anything is read.
pub(crate) fn check(
    mode: Option<RecordMode>,
    selection: &Selection,
    trace: Option<&Path>,
) -> Result<(), Fault> {
    match mode {
        Some(mode @ (RecordMode::Off | RecordMode::None)) if trace.is_some() => {
            Err(Fault::TraceWithoutRecord { mode: mode.name() })
        }
        Some(mode) if mode != RecordMode::Restrict && !selection.is_empty() => {
            let option = if selection.selected.is_empty() { "--rcopt" } else { "--select" };
            Err(Fault::SelectionInMode { option, mode: mode.name() })
        }
        _ => Ok(()),
    }
}

/// What a run of a program is to record, given the options and what its file asks for.
pub(crate) fn wanted(
    mode: Option<RecordMode>,
    selection: &Selection,
    trace: Option<&Path>,
    plan: &Plan,
) -> Result<Wanted, Fault> {
    let restricted = || selection.resolve(plan).map(Wanted::Restricted);
    match mode {
        Some(RecordMode::Full) => Ok(Wanted::Full),
        Some(RecordMode::Restrict) => restricted(),
        Some(RecordMode::Minimal) => Ok(Wanted::Minimal),
        Some(RecordMode::Perf) => Ok(Wanted::Perf),
        Some(RecordMode::Off) => Ok(Wanted::Nothing { is_off: true }),
        Some(RecordMode::None) => Ok(Wanted::Nothing { is_off: false }),
        None if !selection.is_empty() => restricted(),
        None if trace.is_some() && plan.record.is_restricted => restricted(),
        None if trace.is_some() => Ok(Wanted::Full),
        None => Ok(Wanted::Nothing { is_off: false }),
    }
}

/// Where the record of a run goes, if there is to be one; where nobody says it into `STEM.trace`.
pub(crate) fn trace_path(
    mode: Option<RecordMode>,
    selection: &Selection,
    trace: Option<&Path>,
    stem: &OsStr,
) -> Option<PathBuf> {
    let in_current_folder = || PathBuf::from(stem).with_added_extension("trace");
    match (trace, mode) {
        (Some(path), _) => Some(path.to_owned()),
        (None, Some(RecordMode::Off | RecordMode::None)) => None,
        (None, Some(_)) => Some(in_current_folder()),
        (None, None) => (!selection.is_empty()).then(in_current_folder),
    }
}

/// How much a replay records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReplayMode {
    /// Every event with its predecessors
    Full,
    /// Events of what is selected, here or in the program file
    Restrict,
}

/// What a replay is to record, where it is to record at all.
pub(crate) fn of_replay(
    mode: Option<ReplayMode>,
    selection: &Selection,
    plan: &Plan,
) -> Result<Wanted, Fault> {
    match mode {
        Some(ReplayMode::Restrict) => selection.resolve(plan).map(Wanted::Restricted),
        None if !selection.is_empty() => selection.resolve(plan).map(Wanted::Restricted),
        Some(ReplayMode::Full) | None => Ok(Wanted::Full),
    }
}

/// Refuses options of a replay that exclude each other, before anything is read.
pub(crate) fn check_replay(
    mode: Option<ReplayMode>,
    selection: &Selection,
    trace: Option<&Path>,
) -> Result<(), Fault> {
    let option = if selection.selected.is_empty() { "--rcopt" } else { "--select" };
    match (mode, trace) {
        (Some(ReplayMode::Full), _) if !selection.is_empty() => {
            Err(Fault::SelectionInMode { option, mode: "full" })
        }
        (Some(_), None) => Err(Fault::RecordWithoutTrace { option: "--record" }),
        (None, None) if !selection.is_empty() => Err(Fault::RecordWithoutTrace { option }),
        _ => Ok(()),
    }
}
