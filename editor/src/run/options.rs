//! How the next run is to be: the fields of the options form.

use std::collections::BTreeMap;

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
