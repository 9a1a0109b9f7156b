//! Decisions from outside: every free choice of a run is taken by a [`Choose`].
//!
//! A run with a [`Chooser`] has one worker and executes one event at a time. Wherever the program leaves open how it goes on,
//! the run stops at a [`ChoicePoint`], which lists what is possible, and goes on with the possibility that the chooser returns.
//! The run is a function of the program, its parameters, the seed of its random numbers and these decisions; only what bodies
//! ask of the world outside (the time, files, the environment) is none of them.
//!
//! [`Chosen`] is the ready chooser: a list of decisions, a rule for the rest, and a log of what was possible and what was taken.
//! An explorer of all executions runs a program with a prefix of decisions, reads the log, and comes back with another prefix.
//!
//! # Points
//! - [`ChoiceKind::Next`]: which execution is next. It is a point also where only one is possible, so that each execution is
//!   one step of the log. Only executions are listed that can take place: of actions with an enabled firing rule, of start
//!   nodes, and of actions that fail before they take anything.
//! - [`ChoiceKind::Rule`]: which of several enabled firing rules it takes.
//! - [`ChoiceKind::Arrival`]: from which of several senders a value on a port has arrived first.
//!
//! # Why these are all
//! Every record of a run, with any number of workers, is the record of a sequence of decisions:
//!
//! - *Locks.* An execution has all its objects at one moment, between the last grant and the first release. Ordered by these
//!   moments, executions one at a time find and leave the same versions of objects. So whoever is granted an object that
//!   becomes free is whoever is next: all actions that wait for it are possibilities of [`ChoiceKind::Next`], readers and
//!   writers, and a lock is no decision of its own. In a run that a debugger controls, a stopped execution keeps its objects;
//!   actions that need them are not possible until it ends.
//! - *Values taken.* What an execution takes before it waits for its objects it can as well take when it has them: values that
//!   come in between take none away, and guards see nothing of queues.
//! - *Arrival.* An execution gives its objects back before it sends, sends its values one after the other, and only values of
//!   one sender keep their order on a port. So two executions in one order at an object may have the other order at a port, or
//!   one order at one port and the other at the next: the order of arrival does not follow from that of executions. It is
//!   decided when a value is taken, among the first values of all senders that have sent to this port and element, which
//!   includes every order in which values could have arrived before. A sender may be an action anywhere: the way through the
//!   interfaces of graphs and the arcs, several to one port among them, change nothing of that.
//! - *Failures.* A guard that fails stops an action as soon as the plain ports that its rule takes from hold values. While one of
//!   these has not arrived, another rule can be taken: the failure is a possibility of [`ChoiceKind::Rule`], as are the rules
//!   that need other values.
//! - *The stop node.* It is an execution among others; those that are not chosen before it do not take place.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A list of decisions.
pub mod chosen;
/// Names of actions, events, ports and objects.
pub mod names;

pub use crate::decision::chosen::{Chosen, Logged, Rest};
pub use crate::decision::names::{ActionName, EventName, ObjectName, PortName};
#[doc(no_inline)]
pub use hasse_model::event::Outcome;
#[doc(no_inline)]
pub use hasse_model::id::{CallId, Index, SharedId, TemplateId};
#[doc(no_inline)]
pub use hasse_model::plan::Access;

/// Takes the free choices of a run. It is called on the worker of the run, which waits for its answer: it must not wait for the
/// run in turn.
pub trait Choose: Send {
    /// A run begins.
    fn begin(&mut self) {}

    /// Returns the position of the possibility to go on with.
    ///
    /// # Errors
    /// [`Stop`] ends the run at this point: nothing of what is possible takes place.
    fn choose(&mut self, point: &ChoicePoint<'_>) -> Result<usize, Stop>;

    /// An execution has ended, before the next point.
    fn executed(&mut self, _event: ExecutedEvent) {}
}

/// A chooser shared with other code, which reads its state between runs.
impl<C: Choose> Choose for Arc<Mutex<C>> {
    fn begin(&mut self) {
        self.lock().unwrap_or_else(PoisonError::into_inner).begin();
    }

    fn choose(&mut self, point: &ChoicePoint<'_>) -> Result<usize, Stop> {
        self.lock().unwrap_or_else(PoisonError::into_inner).choose(point)
    }

    fn executed(&mut self, event: ExecutedEvent) {
        self.lock().unwrap_or_else(PoisonError::into_inner).executed(event);
    }
}

/// A point of a run at which several ways are open, or at which the next execution begins.
#[derive(Clone, Copy, Debug)]
pub struct ChoicePoint<'c> {
    /// Position in the sequence of the run's points, from 0.
    pub position: usize,
    /// The subject of the decision.
    pub kind: &'c ChoiceKind,
    /// The ways on, at least one. They are sorted by names and by positions in the program, so that the same state of a run has
    /// the same list.
    pub possible: &'c [Possibility],
}

impl ChoicePoint<'_> {
    /// Returns the position of the possibility with this text, such as `/Mult[3]:2`.
    pub fn find(&self, text: &str) -> Option<usize> {
        self.possible.iter().position(|possibility| possibility.to_string() == text)
    }
}

/// The subject of a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChoiceKind {
    /// The next execution.
    Next,
    /// The firing rule that an execution takes.
    Rule {
        /// The execution.
        event: EventName,
    },
    /// The value that has arrived first on a port, of those from different senders, so that the execution takes it. For an execution
    /// that fails before it takes values, the first value that has come to the action at all.
    Arrival {
        /// The execution.
        event: EventName,
        /// Position of the value among those that the execution takes, from 0.
        value: usize,
    },
}

/// Writes such as `the firing rule of /A:1`.
impl fmt::Display for ChoiceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChoiceKind::Next => write!(f, "the next execution"),
            ChoiceKind::Rule { event } => write!(f, "the firing rule of {event}"),
            ChoiceKind::Arrival { event, value } => write!(f, "value {value} of those that {event} takes"),
        }
    }
}

/// A way on from a point.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Possibility {
    /// An action begins its next execution.
    Begin {
        /// The execution.
        event: EventName,
        /// The objects that it will read and write, in the order of locking; none of an execution that fails before.
        objects: Arc<[ObjectUse]>,
    },
    /// An action goes on with an execution that a debugger had stopped.
    Resume {
        /// The execution.
        event: EventName,
    },
    /// A firing rule is taken.
    Rule {
        /// Position of the rule, from 0.
        rule: usize,
        /// True if its guard or a bound fails, which ends the action with an error.
        fails: bool,
    },
    /// A value is the first to arrive.
    Value {
        /// The port.
        port: PortName,
        /// The event that sent it; `None` for a value that a person has added.
        sender: Option<EventName>,
    },
}

/// Writes such as `/A:1`, `rule 0` or `/A:1 on /M.a`.
impl fmt::Display for Possibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Possibility::Begin { event, .. } => write!(f, "{event}"),
            Possibility::Resume { event } => write!(f, "{event} goes on"),
            Possibility::Rule { rule, fails: false } => write!(f, "rule {rule}"),
            Possibility::Rule { rule, fails: true } => write!(f, "rule {rule} fails"),
            Possibility::Value { port, sender: Some(sender) } => write!(f, "{sender} on {port}"),
            Possibility::Value { port, sender: None } => write!(f, "a value added by hand on {port}"),
        }
    }
}

/// A shared object as an execution uses it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectUse {
    /// The object.
    pub object: ObjectName,
    /// Reading or writing.
    pub access: Access,
}

/// A choice that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Position in the sequence of the run's points, from 0.
    pub position: usize,
    /// The subject of the decision.
    pub kind: ChoiceKind,
    /// The ways on.
    pub possible: Vec<Possibility>,
    /// Position of the way that was taken.
    pub taken: usize,
}

/// Writes such as `2: the next execution: /B:1 of /A:1, /B:1`.
impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {} of ", self.position, self.kind, self.possible[self.taken])?;
        self.possible.iter().enumerate().try_for_each(|(position, possibility)| {
            let separator = if position > 0 { ", " } else { "" };
            write!(f, "{separator}{possibility}")
        })
    }
}

/// An execution that has ended: what it has taken, used and sent.
///
/// Two executions of different actions that follow each other are independent, so that they can change places and open no other
/// way, if neither sends to a port from which the other takes, neither writes an object that the other uses, and neither is that of
/// the stop node. Sending to one port is independent: the order of arrival is decided when a value is taken. Two
/// executions that print can change places, and the output shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutedEvent {
    /// Its name, as records have it.
    pub event: EventName,
    /// Position of the firing rule, or -1 for the first execution of a start node and for one that has failed before.
    pub rule: i32,
    /// Its outcome.
    pub outcome: Outcome,
    /// The values that it has taken, in order; of one that has failed before, the values that it comes after.
    pub took: Vec<TakenValue>,
    /// The objects that it has read and written, in the order of locking.
    pub objects: Arc<[ObjectUse]>,
    /// The ports that it has sent to, one item for each value, in the order of sending.
    pub sent: Vec<PortName>,
    /// True if it has printed: the order of printing executions shows in the output.
    pub prints: bool,
    /// True if it has asked the world outside.
    pub asks: bool,
    /// True for the execution of the stop node, after which none begins.
    pub stops: bool,
}

/// A value that an execution has taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenValue {
    /// The port.
    pub port: PortName,
    /// The event that sent it; `None` for a value that a person has added.
    pub sender: Option<EventName>,
}

/// Ends a run at a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The reason, for a person.
    pub reason: String,
    /// True if the report is to say who waits for what at the point.
    pub is_explained: bool,
}

impl Stop {
    /// A stop for this reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), is_explained: false }
    }

    /// Has the report say who waits for what, as that of a run which went quiescent. Those that could go on are among them.
    #[must_use]
    pub fn explained(self) -> Self {
        Self { is_explained: true, ..self }
    }
}

/// A run that was stopped by its chooser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoppedAt {
    /// Position of the point, from 0.
    pub position: usize,
    /// The subject of the decision.
    pub kind: ChoiceKind,
    /// The ways on.
    pub possible: Vec<Possibility>,
    /// The reason that the chooser gave.
    pub reason: String,
    /// True if the report says who waits for what.
    pub is_explained: bool,
}

/// A decision that is not possible at its point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImpossibleDecision {
    /// Position of the point, from 0.
    pub position: usize,
    /// The subject of the decision.
    pub kind: ChoiceKind,
    /// The ways on.
    pub possible: Vec<Possibility>,
    /// The decision.
    pub decision: usize,
}

/// Number of possibilities that a message lists.
const MAX_LISTED: usize = 20;

impl fmt::Display for ImpossibleDecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { position, kind, possible, decision } = self;
        write!(f, "decision {decision} is not possible at point {position}, {kind}; possible: ")?;
        for (nth, possibility) in possible.iter().take(MAX_LISTED).enumerate() {
            let separator = if nth > 0 { ", " } else { "" };
            write!(f, "{separator}{nth} ({possibility})")?;
        }
        match possible.len().saturating_sub(MAX_LISTED) {
            0 => Ok(()),
            n_more => write!(f, " and {n_more} more"),
        }
    }
}

/// A hold on a [`Choose`] that options of runs can have; clones share it. It serves one run at a time.
#[derive(Clone)]
pub struct Chooser(Arc<Held<dyn Choose>>);

struct Held<C: ?Sized> {
    is_in_use: AtomicBool,
    choose: parking_lot::Mutex<C>,
}

impl Chooser {
    /// A chooser for runs.
    pub fn new(choose: impl Choose + 'static) -> Self {
        Self(Arc::new(Held { is_in_use: AtomicBool::new(false), choose: parking_lot::Mutex::new(choose) }))
    }

    /// Asks for a decision.
    ///
    /// # Errors
    /// The run is to stop here.
    pub fn choose(&self, point: &ChoicePoint<'_>) -> Result<usize, Stop> {
        self.0.choose.lock().choose(point)
    }

    /// Tells of an event that was executed.
    pub fn executed(&self, event: ExecutedEvent) {
        self.0.choose.lock().executed(event);
    }

    /// Begins a run, if no other one is under way.
    pub fn begin(&self) -> Option<ChooserUse> {
        if self.0.is_in_use.swap(true, Ordering::Acquire) {
            return None;
        }
        let in_use = ChooserUse(self.clone());
        self.0.choose.lock().begin();
        Some(in_use)
    }
}

impl From<&Chosen> for Chooser {
    fn from(chosen: &Chosen) -> Self {
        Self::new(chosen.clone())
    }
}

impl From<Chosen> for Chooser {
    fn from(chosen: Chosen) -> Self {
        Self::new(chosen)
    }
}

impl fmt::Debug for Chooser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chooser").finish_non_exhaustive()
    }
}

/// A run that uses a chooser, until it is dropped.
pub struct ChooserUse(Chooser);

impl Drop for ChooserUse {
    fn drop(&mut self) {
        self.0.0.is_in_use.store(false, Ordering::Release);
    }
}
