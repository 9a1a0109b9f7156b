//! What runs, records and findings show on the picture of a graph, by names of nodes and rows of links.
//!
//! The window's other parts know what happens; the canvas knows where it is drawn. Between them stands this: plain data of
//! one graph, which the canvas merges into what it draws.

use std::collections::BTreeMap;

use crate::edit::link::LinkList;

/// States of actions, from the most to the least urgent; a box shows the most urgent of its instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ActionMark {
    /// Its body or one of its rules failed.
    Failed,
    /// Held by the debugger.
    Stopped,
    /// Waits in a cycle of instances that wait for each other.
    WaitingForCycle,
    /// Waits for values or a lock.
    Waiting,
    /// Is executing.
    Running,
    /// Could execute next.
    Enabled,
    /// Nothing to do.
    Idle,
    /// Ended.
    Done,
}

impl ActionMark {
    /// The state in a word, the same in all places: an action that has some of its input is waiting, one without any is idle.
    pub fn word(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Stopped => "stopped",
            Self::WaitingForCycle => "waiting in a cycle",
            Self::Waiting => "waiting",
            Self::Running => "executing",
            Self::Enabled => "enabled",
            Self::Idle | Self::Done => "idle",
        }
    }
}

/// One instance of a template as a dot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dot {
    /// The instance's path.
    pub path: String,
    /// Its state.
    pub mark: ActionMark,
    /// Whether it is the one that is looked at.
    pub is_selected: bool,
}

/// What a breakpoint looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakpointMark {
    /// Stops whenever it is reached.
    Enabled,
    /// Stops under a condition.
    Conditional,
    /// Writes a line and goes on.
    LogPoint,
    /// Holds the run now.
    Hit,
    /// Does not count: it is switched off.
    Off,
}

/// Verdict of the checks that name a node, or the two ends of an arc; the most urgent one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CheckMark {
    /// One of them does not hold.
    Violated,
    /// One of them is not decided.
    Unknown,
    /// All of them hold.
    Holds,
}

/// What the breakpoint at a line of a body looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LineMark {
    /// It does not count: it is switched off, or waits for a session that has the line.
    Off,
    /// Writes a line and goes on.
    LogPoint,
    /// Stops under a condition.
    Conditional,
    /// Stops whenever it is reached.
    Stops,
}

/// Kinds of highlights, from a selection in a view, a finding, a race, a wait-for cycle, what the animation shows, or a
/// comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Highlight {
    /// Selected in another view.
    Selected,
    /// Belongs to what is selected in another view.
    Related,
    /// Named by a finding.
    Finding,
    /// Part of a race.
    Race,
    /// Part of a wait-for cycle.
    Cycle,
    /// What the animation shows now.
    Animated,
    /// On the critical path.
    Path,
    /// At another place in another version of the program.
    Moved,
    /// Otherwise in another version of the program.
    Changed,
    /// New since another version of the program.
    Added,
    /// Gone since another version of the program.
    Removed,
}

/// What one box shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeMarks {
    /// The most urgent state of its instances.
    pub state: Option<ActionMark>,
    /// Its instances, one dot each.
    pub dots: Vec<Dot>,
    /// Instances beyond those in `dots`.
    pub n_more: usize,
    /// How many events it had.
    pub n_events: Option<u64>,
    /// The breakpoint on it.
    pub breakpoint: Option<BreakpointMark>,
    /// Verdict of the checks that name it.
    pub check: Option<CheckMark>,
    /// Why it is highlighted.
    pub highlights: Vec<Highlight>,
    /// Left out by a restriction.
    pub is_dimmed: bool,
    /// One line below the box: what is missing, who holds the lock.
    pub note: String,
}

/// What one arc or share line shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkMarks {
    /// Values that wait at its target.
    pub n_queued: Option<u64>,
    /// Fill of the port at its target in percent of the bound, where that has one.
    pub fill: Option<u8>,
    /// Values that went along it.
    pub n_passed: Option<u64>,
    /// The breakpoint on it.
    pub breakpoint: Option<BreakpointMark>,
    /// Verdict of the checks that name its two ends.
    pub check: Option<CheckMark>,
    /// Why it is highlighted.
    pub highlights: Vec<Highlight>,
    /// Left out by a restriction.
    pub is_dimmed: bool,
    /// A value on its way, 0 at the source to 1 at the target.
    pub pulse: Option<f32>,
}

/// Marks of one graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Marks {
    /// By the nodes' names.
    pub nodes: BTreeMap<String, NodeMarks>,
    /// By list and row.
    pub links: BTreeMap<(LinkList, usize), LinkMarks>,
}

impl Marks {
    /// Removes the state of a run, so that another moment can be shown in its place: states, instances, counts, queues,
    /// notes and wait-for cycles. Breakpoints, checks and restrictions remain.
    pub fn clear_run(&mut self) {
        for node in self.nodes.values_mut() {
            let kept = std::mem::take(node);
            *node = NodeMarks {
                breakpoint: kept.breakpoint,
                check: kept.check,
                is_dimmed: kept.is_dimmed,
                highlights: without_cycle(kept.highlights),
                ..NodeMarks::default()
            };
        }
        for link in self.links.values_mut() {
            let kept = std::mem::take(link);
            *link = LinkMarks {
                breakpoint: kept.breakpoint,
                check: kept.check,
                is_dimmed: kept.is_dimmed,
                highlights: without_cycle(kept.highlights),
                ..LinkMarks::default()
            };
        }
    }
}

fn without_cycle(mut highlights: Vec<Highlight>) -> Vec<Highlight> {
    highlights.retain(|highlight| *highlight != Highlight::Cycle);
    highlights
}
