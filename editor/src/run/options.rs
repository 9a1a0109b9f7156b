//! How the next run is to be: the fields of the options form.

use std::collections::BTreeMap;

use hasse_debugger::facility::{self, Facility};

pub use hasse_debugger::facility::View;
pub use hasse_model::record_options::RecordOption as RecordChoice;

/// What a run does and how much it records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Records every event.
    #[default]
    Full,
    /// Records what the record options select.
    Restrict,
    /// Records the choices that were free: enough for a replay.
    Minimal,
    /// Records every event with times; cannot be stopped at breakpoints.
    Perf,
    /// Records nothing; can be stopped and asked.
    Off,
    /// Runs without anything of the debugger.
    None,
    /// Follows the session's record, or else the trace that the session was opened on.
    Replay,
    /// Executes nothing: gives the session's record, or else the trace, to displays and checks.
    PostMortem,
}

impl Mode {
    /// All, in the order of the form.
    pub const ALL: [Self; 8] = [
        Self::Full,
        Self::Restrict,
        Self::Minimal,
        Self::Perf,
        Self::Off,
        Self::None,
        Self::Replay,
        Self::PostMortem,
    ];

    /// The word of the form.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Restrict => "restrict",
            Self::Minimal => "minimal",
            Self::Perf => "perf",
            Self::Off => "off",
            Self::None => "none",
            Self::Replay => "replay",
            Self::PostMortem => "post-mortem",
        }
    }

    /// The mode of a word.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// Whether runs in it can be stopped, continued and asked.
    pub fn has_control(self) -> bool {
        !matches!(self, Self::Perf | Self::None | Self::PostMortem)
    }
}

/// The options of the next run. Selectors name nodes, actions or paths, such as `Mult`, `Mult[1..3]`, `/dobts[2]/*`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// What it does and records.
    pub mode: Mode,
    /// Number of worker threads; `None`: as many as there are cores.
    pub n_workers: Option<u32>,
    /// Where free choices and random numbers are drawn from; `None`: another one each time.
    pub seed: Option<u64>,
    /// Values of parameters, as typed; those that are not here have their defaults.
    pub params: BTreeMap<String, String>,
    /// Recording options in the order given; the last one that names an action counts.
    pub record: Vec<(String, RecordChoice)>,
    /// Which events are shown as they come.
    pub display: Option<View>,
    /// What is displayed; empty: everything.
    pub display_set: Vec<String>,
    /// What is expected, such as `pred Gath {Solve}` or `model bts.model`.
    pub checks: Vec<String>,
    /// What the checks are given; empty: everything.
    pub check_set: Vec<String>,
    /// Whether races are looked for.
    pub races: bool,
    /// The file that events are filed in, and which.
    pub file: Option<(String, View)>,
    /// Which events the session keeps, for replays and views.
    pub save: Option<View>,
}

impl Options {
    /// What a session begins with: everything is recorded and kept.
    pub fn new() -> Self {
        Self { save: Some(View::Record), ..Self::default() }
    }
}

/// A part of the options that not every mode uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// Number of worker threads.
    Workers,
    /// Where free choices are drawn from.
    Seed,
    /// Creation parameters.
    Params,
    /// What is recorded.
    Record,
    /// Events are shown as they come, and the set of those.
    Display,
    /// Checks and their set.
    Checks,
    /// Races.
    Races,
    /// Events are filed.
    File,
    /// Events are kept.
    Save,
}

impl Mode {
    /// The mode by which the table of facilities goes.
    fn of_table(self, is_trace: bool) -> facility::Mode {
        match self {
            Self::Full => facility::Mode::Full,
            Self::Restrict => facility::Mode::Restricted,
            Self::Minimal => facility::Mode::Minimal,
            Self::Perf => facility::Mode::Perf,
            Self::Off => facility::Mode::Off,
            Self::None => facility::Mode::DebuggingOff,
            Self::Replay => facility::Mode::Replay,
            Self::PostMortem if is_trace => facility::Mode::PostMortemFile,
            Self::PostMortem => facility::Mode::PostMortemRecords,
        }
    }

    /// Why a part of the options is of no use in this mode; `None` where it is of use. `is_trace`: the subject is a
    /// record.
    pub fn why_unused(self, part: Part, is_trace: bool) -> Option<&'static str> {
        let has = |facility| self.of_table(is_trace).has(facility);
        match part {
            Part::Workers | Part::Seed if self == Self::PostMortem => Some("nothing is executed"),
            Part::Seed if self == Self::Replay => Some("a replay makes the choices of its record"),
            Part::Params if is_trace => Some("a record has its own parameters"),
            Part::Workers | Part::Seed | Part::Params => None,
            Part::Record if self == Self::Restrict => None,
            Part::Record => Some("only the mode restrict selects what is recorded"),
            Part::Races if self == Self::Restrict => {
                Some("finding races takes all events: use the mode full")
            }
            Part::Display => (!has(Facility::Display)).then_some("no events are shown in this mode"),
            Part::Checks | Part::Races => {
                (!has(Facility::Checker)).then_some("nothing is checked in this mode")
            }
            Part::File => (!has(Facility::Filing)).then_some("there are no events to file in this mode"),
            Part::Save => (!has(Facility::Saving)).then_some("no new events are kept in this mode"),
        }
    }
}

impl Options {
    /// What a run in the mode is given: without what the mode does not use, and without lines that are empty.
    #[must_use]
    pub fn of_mode(&self, is_trace: bool) -> Self {
        let mut used = self.clone();
        let is_unused = |part| self.mode.why_unused(part, is_trace).is_some();
        let is_filled = |text: &String| !text.trim().is_empty();
        used.record.retain(|(selector, _)| is_filled(selector));
        used.display_set.retain(is_filled);
        used.check_set.retain(is_filled);
        used.checks.retain(is_filled);
        used.params.retain(|_, text| is_filled(text));
        if is_unused(Part::Display) {
            used.display = None;
        }
        if is_unused(Part::Checks) {
            used.checks.clear();
        }
        if is_unused(Part::Races) {
            used.races = false;
        }
        if is_unused(Part::File) {
            used.file = None;
        }
        used
    }

    /// What a form shows when a session that was `sent` options tells that it has `told`: what differs from what was sent
    /// has been set elsewhere, the rest stays as the form has it.
    #[must_use]
    pub(super) fn taking(self, sent: &Self, told: &Self) -> Self {
        fn either<T: PartialEq + Clone>(own: T, sent: &T, told: &T) -> T {
            if sent == told { own } else { told.clone() }
        }
        Self {
            mode: either(self.mode, &sent.mode, &told.mode),
            n_workers: either(self.n_workers, &sent.n_workers, &told.n_workers),
            seed: either(self.seed, &sent.seed, &told.seed),
            params: either(self.params, &sent.params, &told.params),
            record: either(self.record, &sent.record, &told.record),
            display: either(self.display, &sent.display, &told.display),
            display_set: either(self.display_set, &sent.display_set, &told.display_set),
            checks: either(self.checks, &sent.checks, &told.checks),
            check_set: either(self.check_set, &sent.check_set, &told.check_set),
            races: either(self.races, &sent.races, &told.races),
            file: either(self.file, &sent.file, &told.file),
            save: either(self.save, &sent.save, &told.save),
        }
    }
}
