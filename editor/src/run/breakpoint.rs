//! Breakpoints: what is to be set, as the command that sets it, and what is set, with where it stands on the picture.

use std::fmt::Write as _;

use crate::marks::{BreakpointMark, LineMark};
use crate::target::Target;

use super::facts::Facts;

/// Where a breakpoint stops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Values are taken and locks granted, before the body.
    BeforeBody,
    /// After the body, before anything is sent.
    AfterBody,
    /// The routing rules are evaluated.
    Send,
    /// At this line of the program file.
    Line(u32),
    /// When a value passes one of these arcs, by their positions in [`Facts::arcs`].
    Arcs(Vec<usize>),
    /// When the lock of a shared object is granted.
    Object(String),
    /// When an action is created; of this selector, or any if it is empty.
    Creation(String),
    /// When something fails.
    Failed,
}

/// A breakpoint that is to be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BreakpointSpec {
    /// The actions that it is for, as a selector; empty: all.
    pub within: String,
    /// Where it stops.
    pub place: Place,
    /// What must hold, over the names of the action; empty: nothing.
    pub condition: String,
    /// Hits that are passed over.
    pub n_ignored: u64,
    /// For a log point: the text, with expressions in braces. The run goes on behind it.
    pub log: Option<String>,
    /// Whether it is deleted at its first hit.
    pub is_once: bool,
}

impl BreakpointSpec {
    /// One at a place, without a condition.
    pub fn at(within: &str, place: Place) -> Self {
        Self {
            within: within.to_owned(),
            place,
            condition: String::new(),
            n_ignored: 0,
            log: None,
            is_once: false,
        }
    }

    /// The command that sets it.
    pub fn command(&self, facts: &Facts) -> String {
        let word = match (&self.log, self.is_once) {
            (Some(_), _) => "when",
            (None, true) => "once",
            (None, false) => "stop",
        };
        let mut text = word.to_owned();
        if !self.within.trim().is_empty() {
            let _ = write!(text, " in {}", self.within.trim());
        }
        match &self.place {
            Place::BeforeBody => text += " at befcomp",
            Place::AfterBody => text += " at aftcomp",
            Place::Send => text += " at send",
            Place::Line(line) => {
                let _ = write!(text, " at line {line}");
            }
            Place::Arcs(arcs) => {
                let names = arcs.iter().filter_map(|&arc| facts.arcs.get(arc)).map(|arc| arc.name.as_str());
                let _ = write!(text, " on arc {}", names.collect::<Vec<_>>().join(", "));
            }
            Place::Object(name) => {
                let _ = write!(text, " on shared {}", name.trim());
            }
            Place::Creation(selector) => {
                text += " on create";
                if !selector.trim().is_empty() {
                    let _ = write!(text, " {}", selector.trim());
                }
            }
            Place::Failed => text += " on failed",
        }
        if !self.condition.trim().is_empty() {
            let _ = write!(text, " if {}", self.condition.trim());
        }
        if self.n_ignored > 0 {
            let _ = write!(text, " after {}", self.n_ignored);
        }
        if let Some(log) = &self.log {
            let escaped = log.replace('\\', "\\\\").replace('"', "\\\"");
            let _ = write!(text, " {{ log \"{escaped}\" }}");
        }
        text
    }
}

/// The line of a breakpoint, in the text that the session is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineSpot {
    /// As it was asked for.
    pub asked: u32,
    /// That of the statement at which it stops: the first one there or behind.
    pub statement: u32,
}

/// A breakpoint that is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breakpoint {
    /// Its number.
    pub number: u64,
    /// The command that sets it.
    pub command: String,
    /// The nodes and arcs that it stands on; none where it is for everything.
    pub targets: Vec<Target>,
    /// Its line, where it is at one.
    pub line: Option<LineSpot>,
    /// What must hold; empty: nothing.
    pub condition: String,
    /// Hits that are passed over.
    pub n_ignored: u64,
    /// Hits in the run under way or the last one, those that are passed over included.
    pub n_hits: u64,
    /// Whether it counts.
    pub is_enabled: bool,
    /// Whether the run goes on behind it.
    pub is_log_point: bool,
}

impl Breakpoint {
    /// What it looks like beside its line.
    pub fn line_mark(&self) -> LineMark {
        if !self.is_enabled {
            LineMark::Off
        } else if self.is_log_point {
            LineMark::LogPoint
        } else if !self.condition.is_empty() || self.n_ignored > 0 {
            LineMark::Conditional
        } else {
            LineMark::Stops
        }
    }

    /// What it looks like; `is_hit`: an action is stopped at it.
    pub fn mark(&self, is_hit: bool) -> BreakpointMark {
        match self.line_mark() {
            LineMark::Off => BreakpointMark::Off,
            _ if is_hit => BreakpointMark::Hit,
            LineMark::LogPoint => BreakpointMark::LogPoint,
            LineMark::Conditional => BreakpointMark::Conditional,
            LineMark::Stops => BreakpointMark::Enabled,
        }
    }
}
