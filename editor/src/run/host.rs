//! What a debug session can be asked, and what it tells.

use std::path::PathBuf;
use std::sync::Arc;

use hasse_model::diagnostic::Diagnostic;
use hasse_model::event::{EventBatch, EventRecord};
use hasse_model::id::EventId;
use hasse_model::trace::TraceHeader;
use hasse_runtime::control::{ActionView, Explanation};

use crate::views::record::AskedRecord;

use super::breakpoint::Breakpoint;
use super::console::completion::Completion;
use super::facts::Facts;
use super::log::LogLine;
use super::moment::NoMoment;
use super::options::{Mode, Options};
use super::queue::{Queue, QueueChange};
use super::snapshot::{Counters, RunState, Snapshot};
use super::table::page::{Page, PageQuery};

/// A debug session on a thread of its own. Dropping it ends the session and the run that is under way.
pub trait Host: Send {
    /// Hands in a request. Never blocks; requests are carried out in their order, except that [`Request::Stop`] and
    /// [`Request::End`] reach a run that is under way at once.
    fn send(&mut self, request: Request);

    /// The next thing that the session has told, if there is any. Never blocks.
    fn poll(&mut self) -> Option<Told>;
}

/// What a session is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A program as it is in the editor.
    Program {
        /// Where it is kept: files that bodies read are looked for beside it. `None` where it has no place yet.
        path: Option<PathBuf>,
        /// Its text.
        text: Arc<str>,
    },
    /// A record, with the program that it holds.
    Trace(PathBuf),
}

/// What is asked of a session.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Compile a program, or read the head of a record, without a session: answered by [`Told::Described`].
    Describe(Subject),
    /// Begin a session on this with these options, unless the present one is on the same subject and parameters; then
    /// only the options are set. A run that is under way on something else is ended. Breakpoints, checks and sets go on.
    /// Answered by [`Told::Opened`] or [`Told::NotOpened`].
    Open(Subject, Box<Options>),
    /// Start a run, replay, or look at records, as the options say; one that is under way is ended first.
    Run,
    /// Ask all actions, or one, to stop before the next computation.
    Stop(Option<String>),
    /// Let all stopped actions, or one, go on.
    Cont(Option<String>),
    /// Let all stopped actions, or one, go on to the next stop point.
    Next(Option<String>),
    /// Let a stopped action go on to the next statement of its body.
    Step(String),
    /// End the run that is under way.
    End,
    /// Close the session: another program takes its place. Answered by [`Told::Left`] after everything else that it tells.
    Close,
    /// Set a breakpoint by its command, such as `stop in Mult if count == 2`. Answered by [`Told::Placed`].
    SetBreakpoint(String),
    /// Delete a breakpoint.
    DeleteBreakpoint(u64),
    /// Let a breakpoint count, or not for the time being.
    EnableBreakpoint(u64, bool),
    /// Give a name of a stopped action the value of an expression. Answered by [`Told::Assigned`].
    Assign {
        /// The action's path.
        action: String,
        /// The name.
        name: String,
        /// The expression.
        value: String,
    },
    /// Change a value that waits on an input port of an action, while the run is at rest. Answered by [`Told::QueueEdited`].
    EditQueue {
        /// The action's path.
        action: String,
        /// The port, with the index of the element of a family.
        port: String,
        /// The change.
        change: QueueChange,
    },
    /// Carry out a line of the command language. What it prints is told as lines of the console.
    Console(String),
    /// What may stand at a byte offset of a line. Answered by [`Told::Completed`].
    Complete {
        /// The line.
        line: String,
        /// The offset; one that is not at the edge of a letter is moved back to one.
        at: usize,
    },
    /// The action under debug: answered now and at each rest by [`Told::Action`]; `None`: no longer.
    Look(Option<String>),
    /// The arc, by its position in [`Facts::arcs`], whose waiting values are looked at: answered now and at each rest by
    /// [`Told::Queue`]; `None`: no longer.
    Queue(Option<usize>),
    /// Why an action is not firing. Answered by [`Told::Why`].
    Why(String),
    /// Rows of a table of instances, as of the last rest. Answered by [`Told::Page`].
    Page(PageQuery),
    /// What can be read while a run goes on. Answered by [`Told::Counters`].
    Counters,
    /// Go to the moment of the session's record after this number of events; behind the last, to the last. Answered by
    /// [`Told::Rest`] and [`Told::Moment`].
    Moment(u64),
    /// Go to the next hit of a breakpoint in the record, or to the last one before the moment. Answered in the same way.
    Hit {
        /// True for the last one before the moment.
        is_back: bool,
    },
    /// Run from the moment of the session on, with all choices free. Answered as [`Run`](Self::Run), and where that is refused by
    /// [`Told::Moment`].
    Fork,
    /// The values of events of a record, made again by a replay on a thread of its own. A later request gives an earlier
    /// one up. Answered by [`Told::Values`].
    Values {
        /// The record.
        of: AskedRecord,
        /// The events; `None` for all.
        events: Option<Vec<EventId>>,
    },
    /// Execute one event of a record alone, with other values. Answered by [`Told::Alone`].
    Alone {
        /// The record.
        of: AskedRecord,
        /// Path and count, such as `/Mult[3]:2`.
        event: String,
        /// Inputs by their names, such as `b`, and their values as expressions.
        inputs: Vec<(String, String)>,
    },
}

/// What a session tells.
#[derive(Clone, Debug)]
pub enum Told {
    /// The program that was to be described; `None` where it has errors or cannot be read.
    Described(Option<Arc<Facts>>),
    /// A session has begun, or goes on with other options.
    Opened(Arc<Facts>),
    /// The subject has errors or cannot be read: what a person reads.
    NotOpened(String),
    /// What making a program of this text ready to run has found beyond what the compiler says of it: what `rustc` says of its
    /// bodies in Rust.
    Found(Arc<str>, Vec<Diagnostic>),
    /// The state of the run has changed.
    State(RunState),
    /// Options, as set from the panel or the console.
    Options(Box<Options>),
    /// The breakpoints in the order of their numbers, with their hits.
    Breakpoints(Vec<Breakpoint>),
    /// Whether a breakpoint could be set: if not, why not.
    Placed {
        /// The command that was to set it.
        command: String,
        /// What became of it.
        result: Result<(), String>,
    },
    /// Lines of the program, the debugger or the findings, in order.
    Log(Vec<LogLine>),
    /// Lines that answer a line of the console. The flag tells whether it could be carried out.
    Answer(Vec<String>, bool),
    /// What the console asks for its next line with, such as `hasse /Mult[3]> `.
    Prompt(String),
    /// What may stand in place of a word.
    Completed(Completion),
    /// Everything at a rest of the run, or at its end.
    Rest(Arc<Snapshot>),
    /// What was counted while the run goes on.
    Counters(Counters),
    /// Answer to [`Request::Moment`] and [`Request::Hit`], after the [`Rest`](Self::Rest) that shows the moment; or the reason
    /// why there is none.
    Moment(Result<(), NoMoment>),
    /// Rows of a table.
    Page(Page),
    /// The action under debug, or why it cannot be looked at.
    Action(String, Result<Box<ActionView>, String>),
    /// What waits at the end of the arc that is looked at, or why that cannot be said.
    Queue(usize, Result<Queue, String>),
    /// Why an action is not firing, or why that cannot be said.
    Why(String, Result<Box<Explanation>, String>),
    /// Whether a name was given a value: the value as taken, or why not.
    Assigned {
        /// The action.
        action: String,
        /// The name.
        name: String,
        /// The value as a text.
        result: Result<String, String>,
    },
    /// Result of a change of a queue: a message, or the reason why it was refused.
    QueueEdited {
        /// The action.
        action: String,
        /// Text for a person.
        result: Result<String, String>,
    },
    /// Values of events of a record, or why they cannot be made again.
    Values {
        /// The record.
        of: AskedRecord,
        /// The events, each with its values; they may be fewer than asked for where their values take too much memory.
        result: Result<Arc<Vec<EventRecord>>, String>,
    },
    /// An event of a record was executed alone: the lines that say what came of it, or why it could not be.
    Alone {
        /// Path and count.
        event: String,
        /// The lines.
        result: Result<Vec<String>, String>,
    },
    /// A request could not be carried out: what a person reads.
    Refused(String),
    /// A run has begun, in a mode; the following batches belong to it.
    Begun(Mode),
    /// What a record of the run that has begun says before its first event; of modes that record events.
    Header(Arc<TraceHeader>),
    /// A batch of the run under way, while the window keeps up with them.
    Batch(Arc<EventBatch>),
    /// More batches than the window keeps up with: the rest of this run comes with its record.
    BatchesLeftOut,
    /// The record of a run is complete in this file, which stays until three later ones are complete.
    Recorded(PathBuf),
    /// The session has ended of itself: by `quit`, or because of a fault inside it.
    Closed,
    /// The session that was to be closed is closed.
    Left,
}
