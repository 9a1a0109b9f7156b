//! Executions: what an event that has taken its values holds until it ends.

use hasse_body::effects::EventContext;
use hasse_body::script::{CodeError, ScriptEnd};
use hasse_code::frame::Frame;
use hasse_model::event::{Effect, LocalState};
use hasse_model::id::EventId;
use hasse_model::value::Value;
use hasse_record::instrumentation::Instrumentation;
use hasse_record::result_order::ResultOrder;
use hasse_request::control::state::{StopPoint, Why};
use hasse_request::control::stepping::{BodyView, Step};
use rhai::Dynamic;
use thin_vec::ThinVec;

use crate::outgoing::Outgoing;

/// An execution that has taken its values.
pub struct Execution<M: Instrumentation> {
    /// Action and count.
    pub id: EventId,
    /// Position of the firing rule taken, or -1.
    pub rule: i32,
    /// Record under construction.
    pub draft: M::Draft,
    /// Result-setting events before it.
    pub known: ResultOrder,
    /// Number of locks held; beyond, the lock that is asked for next.
    pub n_locks: usize,
    /// Values of bound names, by slot, while the execution waits for a lock or an answer.
    pub bound: Vec<(usize, Dynamic)>,
    /// An error that came up before the body: a guard or `init` that failed.
    pub early_error: Option<CodeError>,
    /// State to which a failed event, or a failed attempt of its body, is rolled back. `None` for nodes that stop at errors, and where
    /// nothing was taken: a guard or `init` has failed.
    pub savepoint: Option<Box<Savepoint>>,
    /// Number of retries of its body so far.
    pub n_retries: u64,
    /// Effects of its body so far, while it waits for an answer.
    pub waiting: Option<Box<EventContext>>,
    /// Values that are kept with the record.
    pub local: Option<Box<LocalState>>,
    /// Replay: true if the recorded event has effects or printed lines.
    pub had_effects: bool,
    /// Notes about the event that are recorded among its effects.
    pub notes: ThinVec<Effect>,
    /// In a controlled run.
    pub controlled: Option<Box<Controlled>>,
}

/// State to which an execution is rolled back.
#[derive(Default)]
pub struct Savepoint {
    /// Vars when the firing rule was selected.
    pub vars: Vec<Dynamic>,
    /// Vars, bound names and shared objects before the body, by slot.
    pub body_state: Vec<(usize, Dynamic)>,
}

impl<M: Instrumentation> Execution<M> {
    /// Values that are kept with the record, made when they are first asked for.
    pub fn local_state(&mut self) -> &mut LocalState {
        self.local.get_or_insert_default()
    }

    /// Notes that a value that it takes was added by hand.
    #[cold]
    pub fn note_added(&mut self, position: usize, value: &Value) {
        let controlled = self.controlled.get_or_insert_default();
        controlled.assigned.push(Effect::added(position, value.clone()));
    }
}

/// Work of an execution so far, from its body on.
pub struct Work {
    /// What the body wrote to shared objects, by position of the lock.
    pub written: Vec<Option<Value>>,
    /// End of the body.
    pub ended: Result<(), Fault>,
    /// Kept here while the action is stopped; else with the worker, which uses the memory again.
    pub outgoing: Vec<Outgoing>,
    /// Routing rules that held, by position.
    pub routes_taken: Vec<u32>,
    /// Values sent, each with the name of its port, that are kept with the record.
    pub sent: Vec<(String, Value)>,
}

impl Default for Work {
    #[inline]
    fn default() -> Self {
        Self {
            written: Vec::new(),
            ended: Ok(()),
            outgoing: Vec::new(),
            routes_taken: Vec::new(),
            sent: Vec::new(),
        }
    }
}

/// How far an execution got.
pub enum Progress<M: Instrumentation> {
    /// It ended.
    Ended,
    /// It waits for a lock or an answer.
    Waits(Box<Execution<M>>),
    /// Its action is stopped.
    Stopped(Box<Execution<M>>),
}

/// Why a body gave no result.
pub enum Fault {
    /// It failed.
    Failed(CodeError),
    /// The run was stopped.
    Stopped,
    /// It waits for an answer.
    Waits,
}

impl From<CodeError> for Fault {
    #[inline]
    fn from(error: CodeError) -> Self {
        if error.is_interruption() { Fault::Stopped } else { Fault::Failed(error) }
    }
}

impl From<ScriptEnd> for Fault {
    #[inline]
    fn from(end: ScriptEnd) -> Self {
        if matches!(end, ScriptEnd::Waits) {
            return Self::Waits;
        }
        Self::from(CodeError::from(end))
    }
}

/// State of an execution in a controlled run.
#[derive(Default)]
pub struct Controlled {
    /// Events whose values were removed, in order.
    pub senders: Vec<EventId>,
    /// Events that last wrote the objects that were granted.
    pub writers: Vec<EventId>,
    /// A value that it took came from an action that was told `next`.
    pub is_nexted: bool,
    /// It was told `next` before its computation.
    pub stops_at_aftcomp: bool,
    /// It was told to step before its computation.
    pub steps: Option<Step>,
    /// It was told to step at the last statement of its body.
    pub stepped_out: bool,
    /// Course of its body, where that was looked at.
    pub body: BodyView,
    /// It was told `next`: those that it sends to are to stop.
    pub sends_next: bool,
    /// Values that the user has assigned, and values that it took and the user had added, to be recorded with the event.
    pub assigned: Vec<Effect>,
    /// State while its action is stopped.
    pub stopped: Option<Box<Stopped>>,
}

/// State of an execution while its action is stopped.
pub struct Stopped {
    /// Stop point where it is stopped.
    pub point: StopPoint,
    /// Values of the names.
    pub frame: Box<Frame>,
    /// Effects of the execution so far.
    pub context: EventContext,
    /// Work so far.
    pub work: Work,
    /// Reasons for which it is stopped.
    pub reasons: Vec<Why>,
    /// The user has let it go on, and no worker has come to it yet.
    pub is_resumed: bool,
}
