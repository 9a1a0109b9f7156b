//! Executions: what an event that has taken its values holds until it ends.

use hasse_body::effects::EventContext;
use hasse_body::script::{CodeError, ScriptEnd};
use hasse_code::frame::Frame;
use hasse_model::event::{Effect, LocalState};
use hasse_model::id::EventId;
use hasse_model::value::Value;

use crate::store::outgoing::Outgoing;

use hasse_record::instrumentation::Instrumentation;
use hasse_record::result_order::ResultOrder;
pub(crate) use hasse_request::control::state::StopPoint;
pub(crate) use hasse_request::control::state::Why;
use rhai::Dynamic;

/// An execution that has taken its values.
pub(crate) struct Execution<M: Instrumentation> {
    pub(crate) id: EventId,
    /// Position of the firing rule taken, or -1.
    pub(crate) rule: i32,
    pub(crate) draft: M::Draft,
    pub(crate) known: ResultOrder,
    /// Number of locks held; beyond, the lock that is asked for next.
    pub(crate) n_locks: usize,
    /// What was bound, by slot, while the execution waits for a lock.
    pub(crate) bound: Vec<(usize, Dynamic)>,
    /// An error that came up before the body: a guard or `init` that failed.
    pub(crate) early_error: Option<CodeError>,
    /// Values that are kept with the record.
    pub(crate) local: Option<Box<LocalState>>,
    /// Replay: true if the recorded event has effects or printed lines.
    pub(crate) had_effects: bool,
    /// In a controlled run.
    pub(crate) controlled: Option<Box<Controlled>>,
}

impl<M: Instrumentation> Execution<M> {
    pub(crate) fn local_state(&mut self) -> &mut LocalState {
        self.local.get_or_insert_default()
    }

    /// Notes that a value that it takes was added by hand.
    #[cold]
    pub(crate) fn note_added(&mut self, position: usize, value: &Value) {
        let controlled = self.controlled.get_or_insert_default();
        controlled.assigned.push(Effect::added(position, value.clone()));
    }
}

/// Work of an execution so far, from its body on.
pub(crate) struct Work {
    /// What the body wrote to shared objects, by position of the lock.
    pub(crate) written: Vec<Option<Value>>,
    pub(crate) ended: Result<(), Fault>,
    /// Kept here while the action is stopped; else with the worker, which uses the memory again.
    pub(crate) outgoing: Vec<Outgoing>,
    pub(crate) routes_taken: Vec<u32>,
    pub(crate) sent: Vec<(String, Value)>,
}

impl Work {
    pub(crate) fn new() -> Self {
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
pub(crate) enum Progress<M: Instrumentation> {
    Ended,
    /// It waits for a lock.
    Waits(Box<Execution<M>>),
    /// Its action is stopped.
    Stopped(Box<Execution<M>>),
}

/// Why a body gave no result.
pub(crate) enum Fault {
    Failed(CodeError),
    Stopped,
}

impl From<CodeError> for Fault {
    fn from(error: CodeError) -> Self {
        if error.is_interruption() { Fault::Stopped } else { Fault::Failed(error) }
    }
}

impl From<ScriptEnd> for Fault {
    fn from(end: ScriptEnd) -> Self {
        Self::from(CodeError::from(end))
    }
}

/// State of an execution in a controlled run.
#[derive(Default)]
pub(crate) struct Controlled {
    /// Events whose values were removed, in order.
    pub(crate) senders: Vec<EventId>,
    /// Events that last wrote the objects that were granted.
    pub(crate) writers: Vec<EventId>,
    /// A value that it took came from an action that was told `next`.
    pub(crate) is_nexted: bool,
    /// It was told `next` before its computation.
    pub(crate) stops_at_aftcomp: bool,
    /// It was told to step before its computation.
    pub(crate) steps: bool,
    /// It was told to step at the last statement of its body.
    pub(crate) stepped_out: bool,
    /// It was told `next`: those that it sends to are to stop.
    pub(crate) sends_next: bool,
    /// Values that the user has assigned, and values that it took and the user had added, to be recorded with the event.
    pub(crate) assigned: Vec<Effect>,
    pub(crate) stopped: Option<Box<Stopped>>,
}

/// State of an execution while its action is stopped.
pub(crate) struct Stopped {
    pub(crate) point: StopPoint,
    pub(crate) frame: Box<Frame>,
    pub(crate) context: EventContext,
    pub(crate) work: Work,
    pub(crate) reasons: Vec<Why>,
    /// The user has let it go on, and no worker has come to it yet.
    pub(crate) is_resumed: bool,
}
