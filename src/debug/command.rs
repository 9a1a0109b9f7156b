//! What can be said in a session, as data. How it is written and what it means is in [`table`](super::table).

use std::fmt;

use hasse_debugger::check::command::Command as Check;
use hasse_debugger::display::history::Start;
use hasse_debugger::facility::View;
use hasse_debugger::perf::{By, Window};
use hasse_model::record_options::RecordOption;

use hasse_runtime::control::grammar::Keyword;

/// What a command is asked of.
mod asked;
/// Questions over time, and ways through bodies.
mod over_time;

pub(super) use asked::{AskedEvent, Symbol};
pub(super) use over_time::{Occurrence, OverTime, Walk, Wherefrom};

use super::alias::Alias;
use super::line::quoted;
use crate::export;

/// A command with its arguments.
#[derive(Debug)]
pub(super) enum Command {
    /// Shows or changes the mode.
    Mode(Option<Mode>),
    /// Shows the recording options.
    RecordOptions,
    /// Sets the recording option of what a selector names, or else of the selected scope.
    RecordOption { selector: Option<String>, option: RecordOption },
    /// Adds a check.
    Check(Check),
    /// Adds the models of a file, or one of them.
    Model { path: String },
    /// Restricts what is checked; empty: everything.
    CheckSet(Vec<String>),
    /// Looks for races, or no longer.
    Races(bool),
    /// Adds to what is displayed; empty: everything.
    Display(Vec<String>),
    /// What is shown, filed and saved.
    Output(Output),
    /// Deletes by number what `status` lists.
    Delete { kind: Option<Kind>, number: u64 },
    /// Starts a run or replay, or gives the records to the facilities again.
    Run { in_background: bool },
    /// Ends the run under way, and starts a new one.
    Rerun { in_background: bool },
    /// Waits until a run in the background is at rest or over.
    Wait,
    /// Asks all actions, or the selected ones, to stop.
    Stop,
    /// Sets a breakpoint: its word, what stands behind it, and the column of that.
    Breakpoint { keyword: Keyword, text: String, column: usize },
    /// Stops all actions, or carries out commands, when a check is violated or there is a race.
    OnFinding(OnFinding),
    /// Has breakpoints or checks count or not, by number; without numbers, all of their kind.
    Enable { is_enabled: bool, kind: Option<Kind>, numbers: Vec<u64> },
    /// Lets stopped actions go on, several times.
    Cont { in_background: bool, n_times: u64 },
    /// Lets stopped actions go on to their next stop point, several times.
    GoNext { in_background: bool, n_times: u64 },
    /// Goes through a body.
    Walk(Walk),
    /// Ends the run.
    Kill,
    /// Goes on from the moment with all choices free, once or several times.
    Fork { n_times: Option<u64>, settings: Vec<Setting>, column: usize },
    /// Goes to a moment of the record.
    Goto(Target),
    /// Goes by events.
    Move { way: Move, column: usize },
    /// The moment that the session is at.
    Moment,
    /// Goes back to the last hit of a breakpoint, several times.
    ContBack { n_times: u64, column: usize },
    /// Asks something over time.
    OverTime(OverTime),
    /// The value of an expression.
    Print { text: String, column: usize },
    /// The state of an action or graph.
    Dump,
    /// Gives a name another value.
    Assign { name: String, text: String, column: usize },
    /// Shows or changes what waits on input ports.
    Queue(QueueCommand),
    /// Why an action does not fire, or what caused an event.
    Why(AskedEvent),
    /// What an event took, had and sent.
    Values(AskedEvent),
    /// Executes an event alone.
    Isolate { event: AskedEvent, changes: Vec<Change>, save: Option<String> },
    /// A cycle of waiting.
    Deadlock,
    /// Stopped actions.
    Stopped,
    /// The verdicts so far.
    Verdicts,
    /// Elaborated and program graph, or one of them.
    Graphs { kind: Option<GraphKind>, selectors: Vec<String> },
    /// A page of the event history.
    History(History),
    /// Where the time went.
    Perf(Perf),
    /// Writes the events for another tool.
    Export(Export),
    /// Options, checks and sets.
    Status,
    /// Selects a scope.
    Select { target: String, column: usize },
    /// The selected scope.
    Where,
    /// Instances or events of the selected scope.
    List { what: Option<Listed>, selectors: Vec<String>, range: Option<Range> },
    /// The type of a name.
    Whatis(Symbol),
    /// Where a name is declared, seen from the scope.
    Which(Symbol),
    /// All that is known of a name; without one, the names that the scope sees.
    Psym(Option<Symbol>),
    /// Shows aliases.
    ShowAlias(Option<String>),
    /// Defines an alias.
    Alias { name: String, alias: Alias },
    /// Removes an alias.
    Unalias { name: String, column: usize },
    /// Reads commands from a file.
    Source(String),
    /// Writes the session to a file.
    Save(String),
    /// Continues the session of a file.
    Restore(String),
    /// How much is told of the session's inside; shown without a level.
    Debug(Option<i64>),
    /// What there is to say.
    Help(Option<(String, usize)>),
    /// The end.
    Quit,
}

/// A var or shared object, and the value that it is to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    pub(super) name: String,
    /// The value, as written.
    pub(super) text: String,
    pub(super) column: usize,
}

impl Command {
    /// The part of the run at a moment that it needs.
    pub(super) fn needs_moment(&self) -> Needs {
        match self {
            Self::Print { .. } | Self::Dump | Self::Queue(QueueCommand::Show { target: None, .. }) => {
                Needs::Selected
            }
            Self::Deadlock
            | Self::Stopped
            | Self::Queue(_)
            | Self::Walk(_)
            | Self::Why(_)
            | Self::List { .. }
            | Self::Assign { .. }
            | Self::GoNext { .. }
            | Self::Graphs { .. } => Needs::Everything,
            _ => Needs::Nothing,
        }
    }

    /// Returns true if it asks the actions of a run, which a session on a trace has at its moment.
    pub(super) fn asks_a_run(&self) -> bool {
        matches!(
            self,
            Self::Print { .. }
                | Self::Dump
                | Self::Deadlock
                | Self::Stopped
                | Self::Queue(QueueCommand::Show { .. })
                | Self::Walk(Walk::Stack | Walk::Locals)
        )
    }
}

/// The part of a run that a command asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needs {
    /// None.
    Nothing,
    /// The selected action, where one is selected; else all.
    Selected,
    /// All actions.
    Everything,
}

/// A moment to go to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// By the number of events before it.
    Position { number: u64, column: usize },
    /// By the share of events before it, in hundredths.
    Share(u64),
    /// At an event.
    Event { event: AskedEvent, at: At },
}

/// A moment of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    /// It has not begun.
    Before,
    /// It has taken its values, and its body has not begun.
    Befcomp,
    /// Its body has ended, and nothing is sent.
    Aftcomp,
    /// It has ended.
    After,
}

/// A way by events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    Back(u64),
    Forth(u64),
    First,
    Last,
}

/// Change of the values that wait on an input port. Positions count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum QueueCommand {
    /// Lists what waits on the ports of an action, or of the selected scope.
    Show { target: Option<String>, column: usize },
    /// Drops a value.
    Drop { port: PortName, position: usize },
    /// Replaces a value by that of an expression.
    Set { port: PortName, position: usize, text: String, column: usize },
    /// Adds the value of an expression after the others.
    Add { port: PortName, text: String, column: usize },
}

/// An input port, or an element of a family, as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PortName {
    /// The action; the selected one where there is none.
    pub(super) action: Option<String>,
    /// Name and element.
    pub(super) port: String,
    pub(super) column: usize,
}

/// Something that the events of a run may show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finding {
    /// The check with this number is violated, or any.
    Check(Option<u64>),
    /// There is a race.
    Race,
}

/// Reaction of a session to a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OnFinding {
    pub(super) finding: Finding,
    /// In order; `None` for `stop on`.
    pub(super) commands: Option<Vec<FindingCommand>>,
}

/// A command at a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FindingCommand {
    /// Prints a text.
    Log(String),
    /// Prints the verdicts so far.
    Verdicts,
    /// Stops all actions.
    Stop,
}

impl OnFinding {
    /// The commands, in order.
    pub(super) fn commands(&self) -> Vec<FindingCommand> {
        self.commands.clone().unwrap_or_else(|| vec![FindingCommand::Stop])
    }

    /// The word that it begins with.
    pub(super) fn word(&self) -> &'static str {
        if self.commands.is_some() { "when" } else { "stop" }
    }
}

impl fmt::Display for FindingCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FindingCommand::Log(text) => write!(f, "log {}", quoted(text)),
            FindingCommand::Verdicts => f.write_str("verdicts"),
            FindingCommand::Stop => f.write_str("stop"),
        }
    }
}

impl fmt::Display for OnFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())?;
        match self.finding {
            Finding::Check(None) => f.write_str(" on check")?,
            Finding::Check(Some(number)) => write!(f, " on check {number}")?,
            Finding::Race => f.write_str(" on race")?,
        }
        let Some(commands) = &self.commands else { return Ok(()) };
        let commands: Vec<String> = commands.iter().map(FindingCommand::to_string).collect();
        write!(f, " {{ {} }}", commands.join("; "))
    }
}

/// An input of an event that is to be another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) name: String,
    /// As it was written.
    pub(super) value: String,
    pub(super) column: usize,
}

/// Which folding of the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GraphKind {
    Elaborated,
    Program,
}

/// A page of the event history. Without place and selectors, the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct History {
    pub(super) place: Option<Place>,
    pub(super) selectors: Vec<String>,
}

/// Where a page begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// By number. Without a number of events, the page has the usual one.
    From { start: Start, n_events: Option<usize>, column: usize },
    /// At an event.
    Event { target: String, column: usize },
}

impl Place {
    pub(super) fn column(&self) -> usize {
        match self {
            Place::From { column, .. } | Place::Event { column, .. } => *column,
        }
    }
}

/// What is reported of the time of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Perf {
    pub(super) by: Option<By>,
    pub(super) n_top: Option<usize>,
    /// With its column.
    pub(super) window: Option<(Window, usize)>,
    pub(super) svg: Option<String>,
}

/// What is written for another tool.
#[derive(Clone, Debug)]
pub(super) struct Export {
    pub(super) format: export::Format,
    pub(super) path: String,
    pub(super) graph: Option<export::Graph>,
    pub(super) by: Option<export::By>,
}

/// What `list` lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Listed {
    Instances,
    Events,
}

/// Positions in a list, from 1: the first on, below the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) low: u64,
    pub(super) high: u64,
}

impl Range {
    /// Everything.
    pub(super) const ALL: Self = Self { low: 1, high: u64::MAX };

    pub(super) fn has(self, position: u64) -> bool {
        (self.low..self.high).contains(&position)
    }
}

/// What has a number in `status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Breakpoint,
    Check,
    Display,
}

impl Kind {
    /// The word of commands and messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Breakpoint => "breakpoint",
            Kind::Check => "check",
            Kind::Display => "disp",
        }
    }
}

/// What `run` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// A run that records every event.
    Full,
    /// A run that records by options.
    Restrict,
    /// A run that records its free choices.
    Minimal,
    /// A timed run.
    Perf,
    /// A run without a record.
    Off,
    /// A run without anything of the debugger.
    DebuggingOff,
    /// A run that follows the session's records, or the trace.
    Replay,
    /// No run: the session's records, or the trace.
    PostMortem(Option<Origin>),
}

/// Where events come from that were recorded before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// The records of the session.
    Records,
    /// The trace that the session was opened on, or the file that was filed last.
    File,
}

impl Mode {
    /// All modes with their names; the first name of a mode is the one that is shown.
    pub(super) const NAMES: [(&'static str, Self); 13] = [
        ("record full", Self::Full),
        ("record restrict", Self::Restrict),
        ("record minimal", Self::Minimal),
        ("record perf", Self::Perf),
        ("perftr", Self::Perf),
        ("record off", Self::Off),
        ("dbgoff", Self::DebuggingOff),
        ("replay", Self::Replay),
        ("postmortem", Self::PostMortem(None)),
        ("postmortem record", Self::PostMortem(Some(Origin::Records))),
        ("postmortem records", Self::PostMortem(Some(Origin::Records))),
        ("postmortem ufile", Self::PostMortem(Some(Origin::File))),
        ("postmortem file", Self::PostMortem(Some(Origin::File))),
    ];

    /// The name in commands.
    pub(super) fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, mode)| *mode == self).map_or("?", |(name, _)| name)
    }
}

/// What becomes of the events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// Shown on the way.
    Display(Option<View>),
    /// Filed.
    File(Option<(FileName, View)>),
    /// Kept in the session.
    Save(Save),
}

/// The name of the file that events are filed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FileName {
    /// As given.
    Given(String),
    /// The program's, with the ending `.trace`, in the current folder.
    OfProgram,
}

/// What a session keeps of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Save {
    /// The events.
    pub(super) view: Option<View>,
    /// The elaborated and the program graph, also where nothing is displayed.
    pub(super) graphs: bool,
}

/// The word of commands for a view.
pub(in super::super) fn shown(view: Option<View>) -> &'static str {
    match view {
        Some(View::Record) => "record",
        Some(View::Display) => "disp",
        Some(View::Check) => "check",
        None => "off",
    }
}
