//! Running and debugging on the picture: what a debug session can do and tell, and the panel that shows it.
//!
//! A session lives on a thread of its own behind a [`Host`]; the panel sends [`Request`]s and polls what
//! is [`Told`], so that the window never waits for a run. While a run goes on, the panel asks for nothing but
//! [`Counters`], at most twenty times a second: the session answers from what the thread that collects events has counted
//! anyway, and from one look at the state of the run, so that no worker waits. States of actions, queues, objects and
//! cycles are read when the run has come to rest: once, into a [`Snapshot`] of bounded size, with all instances kept at
//! the session's side, of which the panel asks for the pages that are shown.
//!
//! [`Host`]: crate::run::Host
//! [`Request`]: crate::run::Request
//! [`Told`]: crate::run::Told
//! [`Counters`]: crate::run::Counters
//! [`Snapshot`]: crate::run::Snapshot

mod breakpoint;
mod console;
mod ended;
mod facts;
mod form;
mod host;
mod inspector;
mod lines;
mod log;
mod marks;
mod moment;
mod options;
mod panel;
mod past;
mod point;
mod queue;
mod snapshot;
mod table;
mod toolbar;

pub use breakpoint::{Breakpoint, BreakpointSpec, LineSpot, Place};
pub use console::completion::Completion;
pub use console::{Console, MOST_CONSOLE_LINES};
pub use ended::{Cause, Ended, Failure, MOST_FAILURES, Results, duration_text};
pub use facts::{ArcFact, Facts, ParamFact, TemplateFact};
pub use form::{Choices, Field, FieldId, FieldKind, List};
pub use host::{Host, Request, Subject, Told};
pub use inspector::{CUT_OFF, Inspector, Row, RowKind, stop_words, why_lines};
pub use lines::LineMap;
pub use log::{Log, LogLine, MOST_LOG_LINES, Source};
pub use moment::{Moment, NoMoment};
pub use options::{Mode, Options, Part, RecordChoice, View};
pub use panel::RunPanel;
pub use past::{Compared, MOST_RUNS, PastRun, compared};
pub use point::{PointField, PointForm, PointOffer, PointPlace, PointReaction};
pub use queue::{MOST_QUEUED, Queue, QueueChange, QueuedValue};
pub use snapshot::{
    Counters, LinkQueue, MOST_DOTS, MOST_LISTED, RunState, Snapshot, TemplateCount, state_words,
};
pub use table::InstanceTable;
pub use table::page::{Order, Page, PageQuery};
pub use toolbar::Button;
