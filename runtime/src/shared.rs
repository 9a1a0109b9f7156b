//! Shared objects: many readers or one writer (CREW), granted in order of arrival.
//!
//! Nobody blocks a worker here. An execution that has to wait is parked in the object's queue; whoever
//! gives the lock back grants the next ones and makes their instances ready again. All executions take
//! their locks in one canonical order, so that no circle of waiting can arise. In replay a lock is
//! granted when the object stands at the version that the record says (Hyder 1994, section 5.4.2).

use std::collections::VecDeque;
use std::sync::Arc;

use hasse_model::id::{Index, ObjectId, SharedId};
use hasse_model::plan::Access;
use hasse_model::value::{Type, Value};
use parking_lot::Mutex;

use crate::graph::GraphInstance;
use crate::instance::Instance;
use crate::instrumentation::{Instrumentation, ResultOrder};
use crate::token::Version;

/// A shared object.
pub(crate) struct Object<M: Instrumentation, K: ResultOrder> {
    pub(crate) id: ObjectId,
    pub(crate) shared: SharedId,
    pub(crate) graph: Arc<GraphInstance>,
    pub(crate) index: Index,
    pub(crate) ty: Type,
    state: Mutex<State<M, K>>,
}

struct State<M: Instrumentation, K: ResultOrder> {
    value: Value,
    mark: M::Mark,
    /// Result-setting events before the last writer, and before the readers since.
    known_by_writer: K,
    known_by_readers: K,
    n_readers: usize,
    has_writer: bool,
    /// Bound: one entry for each instance at most.
    waiting: VecDeque<Waiting<M, K>>,
}

/// When an execution may have a lock, beside that it is free.
#[derive(Clone, Copy)]
pub(crate) enum Turn {
    /// In a run, and where a minimal record does not tell: what must come before it has come.
    Any,
    /// In replay: when the object stands at this version.
    At(Version),
    /// In replay: the record has no such access.
    Never,
}

struct Waiting<M: Instrumentation, K: ResultOrder> {
    instance: Arc<Instance<M, K>>,
    access: Access,
    turn: Turn,
}

/// What an execution holds of a granted object.
pub(crate) struct Grant<K: ResultOrder> {
    pub(crate) value: Value,
    pub(crate) known: K,
}

impl<M: Instrumentation, K: ResultOrder> Object<M, K> {
    pub(crate) fn new(
        id: ObjectId,
        shared: SharedId,
        graph: Arc<GraphInstance>,
        index: Index,
        ty: Type,
        value: Value,
    ) -> Self {
        let state = State {
            value,
            mark: M::Mark::default(),
            known_by_writer: K::default(),
            known_by_readers: K::default(),
            n_readers: 0,
            has_writer: false,
            waiting: VecDeque::new(),
        };
        Self { id, shared, graph, index, ty, state: Mutex::new(state) }
    }

    /// Locks the object for an execution of `instance`, or parks the instance until it is granted.
    /// In replay `turn` is what the record says of it.
    pub(crate) fn acquire(&self, instance: &Arc<Instance<M, K>>, access: Access, turn: Turn) -> bool {
        let mut state = self.state.lock();
        let may_pass = M::REPLAYS || state.waiting.is_empty();
        if may_pass && state.is_free(access, turn) {
            state.grant(access);
            return true;
        }
        state.waiting.push_back(Waiting { instance: Arc::clone(instance), access, turn });
        false
    }

    /// What a granted execution holds: the content, and what is appended to it, which `note` is shown.
    pub(crate) fn granted(&self, access: Access, note: impl FnOnce(&M::Mark)) -> Grant<K> {
        let state = self.state.lock();
        note(&state.mark);
        let mut known = state.known_by_writer.clone();
        if access == Access::Write {
            known.merge(&state.known_by_readers);
        }
        Grant { value: state.value.clone(), known }
    }

    /// Its value, as the last writer left it.
    pub(crate) fn value(&self) -> Value {
        self.state.lock().value.clone()
    }

    /// Gives a lock back; a writer leaves `written` if it ended well. Calls `ready` for each
    /// instance that is granted by this.
    pub(crate) fn release(
        &self,
        access: Access,
        written: Option<Value>,
        known: &K,
        update_mark: impl FnOnce(&mut M::Mark),
        mut ready: impl FnMut(Arc<Instance<M, K>>),
    ) {
        let mut state = self.state.lock();
        if let Some(value) = written {
            state.value = value;
        }
        update_mark(&mut state.mark);
        match access {
            Access::Read => {
                state.n_readers -= 1;
                state.known_by_readers.merge(known);
            }
            Access::Write => {
                state.has_writer = false;
                state.known_by_writer = known.clone();
                state.known_by_readers = K::default();
            }
        }
        while let Some(position) = state.next_granted() {
            if let Some(waiting) = state.waiting.remove(position) {
                state.grant(waiting.access);
                ready(waiting.instance);
            }
        }
    }
}

impl<M: Instrumentation, K: ResultOrder> State<M, K> {
    fn is_free(&self, access: Access, turn: Turn) -> bool {
        let is_compatible = match access {
            Access::Read => !self.has_writer,
            Access::Write => !self.has_writer && self.n_readers == 0,
        };
        let is_in_turn = match turn {
            Turn::Any => true,
            Turn::Never => false,
            Turn::At(expected) => {
                let current = M::version(&self.mark);
                current.writer == expected.writer
                    && (access == Access::Read || current.readers == expected.readers)
            }
        };
        is_compatible && is_in_turn
    }

    fn grant(&mut self, access: Access) {
        match access {
            Access::Read => self.n_readers += 1,
            Access::Write => self.has_writer = true,
        }
    }

    /// Who is granted next: in order of arrival, or in replay whoever the record says.
    fn next_granted(&self) -> Option<usize> {
        let is_free = |waiting: &Waiting<M, K>| self.is_free(waiting.access, waiting.turn);
        if M::REPLAYS {
            self.waiting.iter().position(is_free)
        } else {
            self.waiting.front().is_some_and(is_free).then_some(0)
        }
    }
}
