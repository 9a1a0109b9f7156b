//! Shared objects: many readers or one writer (CREW), granted in order of arrival.
//!
//! Nobody blocks a worker here. An execution that has to wait is parked in the object's queue; whoever
//! gives the lock back grants the next ones and makes their instances ready again. All executions take
//! their locks in one canonical order, so that no circle of waiting can arise. In replay a lock is
//! granted when the object stands at the version that the record says (Hyder 1994, section 5.4.2).

use std::collections::VecDeque;
use std::sync::Arc;

use hasse_brief::Brief;
use hasse_model::event::SharedAccess;
use hasse_model::plan::Access;
use hasse_model::value::{Type, Value};
use hasse_record::event::ObjectPlace;
use hasse_record::instrumentation::Instrumentation;
use hasse_record::result_order::ResultOrder;
use hasse_record::stamp::Version;
use smallvec::SmallVec;

/// A shared object, for which those that are behind an `Arc<W>` wait.
pub struct Object<M: Instrumentation, W> {
    /// Identity of the object.
    pub place: ObjectPlace,
    /// Type of its value.
    pub ty: Type,
    state: Brief<State<M, W>>,
}

struct State<M: Instrumentation, W> {
    value: Value,
    mark: M::Mark,
    /// Result-setting events before the last writer, and before the readers since.
    known_by_writer: ResultOrder,
    known_by_readers: ResultOrder,
    n_readers: usize,
    has_writer: bool,
    /// True if a record determines the order of grants, whoever came first.
    follows_turns: bool,
    /// Bound: one entry for each instance at most.
    waiting: VecDeque<Waiting<W>>,
}

/// When an execution may have a lock, beside that it is free.
#[derive(Clone, Copy)]
pub enum Turn {
    /// In a run, and where a minimal record does not tell: what must come before it has come.
    Any,
    /// In replay: when the object stands at this version.
    At(Version),
    /// In replay: the record has no such access.
    Never,
}

struct Waiting<W> {
    instance: Arc<W>,
    access: Access,
    turn: Turn,
}

/// What an execution holds of a granted object.
pub struct Grant {
    /// Value of the object.
    pub value: Value,
    /// Result-setting events before the access.
    pub known: ResultOrder,
}

/// An object that an instance holds for several events in a row, all of which read it or all of which write it.
pub struct Held<M: Instrumentation> {
    access: Access,
    /// Value of the object.
    pub value: Value,
    /// The mark, which a writer has taken out: nobody else looks at it meanwhile. It stays in an object that is read, as others
    /// may read that, too.
    mark: M::Mark,
    /// Result-setting events before the last writer, and before a writer those before the readers since.
    known: ResultOrder,
    /// True if no event has had it since it was locked.
    is_untouched: bool,
}

impl<M: Instrumentation> Held<M> {
    /// True if no event has had it since it was locked.
    pub fn is_untouched(&self) -> bool {
        self.is_untouched
    }

    /// Returns true if it is held by a writer.
    pub fn is_written(&self) -> bool {
        self.access == Access::Write
    }

    /// Result-setting events before an access.
    pub fn known(&self) -> &ResultOrder {
        &self.known
    }

    /// Shows what the instrumentation has appended to the object.
    #[inline(always)]
    pub fn look<W, T>(&self, object: &Object<M, W>, look: impl FnOnce(&M::Mark) -> T) -> T {
        if self.is_written() || size_of::<M::Mark>() == 0 {
            look(&self.mark)
        } else {
            look(&object.state.lock().mark)
        }
    }

    /// Replay: whether the object is as an access of the record found it.
    pub fn is_as_found<W>(&self, object: &Object<M, W>, access: &SharedAccess) -> bool {
        let found = Version::in_record(access);
        self.look(object, |mark| is_at(M::version(mark), found, self.access))
    }

    /// An event leaves the object.
    #[inline(always)]
    pub fn leave<W>(
        &mut self,
        object: &Object<M, W>,
        known: &ResultOrder,
        update_mark: impl FnOnce(&mut M::Mark),
    ) {
        self.is_untouched = false;
        if self.is_written() {
            update_mark(&mut self.mark);
            self.known = known.clone();
        } else if size_of::<M::Mark>() == 0 && known.is_none() {
            update_mark(&mut self.mark);
        } else {
            let mut state = object.state.lock();
            update_mark(&mut state.mark);
            state.known_by_readers.merge(known);
        }
    }
}

/// Returns true if an object at a version is as an access expects it that found another one.
#[inline]
fn is_at(current: Version, found: Version, access: Access) -> bool {
    current.writer == found.writer && (access == Access::Read || current.readers == found.readers)
}

impl<M: Instrumentation, W> Object<M, W> {
    /// Locks the object for several events in a row; where somebody has it or waits for it, or in a replay where it is not
    /// its turn, the instance waits.
    pub fn hold_or_wait(&self, instance: &Arc<W>, access: Access, turn: Turn) -> Option<Held<M>> {
        let mut state = self.state.lock();
        state.acquire(instance, access, turn).then(|| state.hold(access))
    }

    /// The same for an instance that has waited and has been granted it.
    pub fn hold_granted(&self, access: Access) -> Held<M> {
        self.state.lock().hold(access)
    }

    /// As [`give_back`](Self::give_back), where others wait: the instance waits behind them for its next turn. Tells
    /// whether it does.
    pub fn give_back_and_wait(
        &self,
        held: &mut Option<Held<M>>,
        instance: &Arc<W>,
        ready: impl FnMut(Arc<W>),
    ) -> bool {
        let mut state = self.state.lock();
        if state.waiting.is_empty() {
            return false;
        }
        let Some(held) = held.take() else { return false };
        let (instance, access) = (Arc::clone(instance), held.access);
        state.put_back(held);
        state.unlock(access);
        state.waiting.push_back(Waiting { instance, access, turn: Turn::Any });
        let granted = state.grant_next();
        drop(state);
        granted.into_iter().for_each(ready);
        true
    }

    /// Puts back what was taken out; it stays locked.
    pub fn put_back(&self, held: Held<M>) {
        self.state.lock().put_back(held);
    }

    /// Puts back what was taken out, and gives the lock back. Calls `ready` for each instance that is granted by this.
    pub fn give_back(&self, held: Held<M>, ready: impl FnMut(Arc<W>)) {
        let mut state = self.state.lock();
        let access = held.access;
        state.put_back(held);
        state.unlock(access);
        let granted = state.grant_next();
        drop(state);
        granted.into_iter().for_each(ready);
    }

    /// Object that holds a value, free for all; `follows_turns`: a record determines the order of grants.
    pub fn new(place: ObjectPlace, ty: Type, value: Value, follows_turns: bool) -> Self {
        let state = State {
            value,
            mark: M::Mark::default(),
            known_by_writer: ResultOrder::default(),
            known_by_readers: ResultOrder::default(),
            n_readers: 0,
            has_writer: false,
            follows_turns,
            waiting: VecDeque::new(),
        };
        Self { place, ty, state: Brief::new(state) }
    }

    /// Shows the value, the mark, and the result-setting events before the last writer and before the readers since.
    pub fn look<T>(&self, look: impl FnOnce(&Value, &M::Mark, &ResultOrder, &ResultOrder) -> T) -> T {
        let state = self.state.lock();
        look(&state.value, &state.mark, &state.known_by_writer, &state.known_by_readers)
    }

    /// Goes on with the mark of a snapshot, and the result-setting events before the last writer and before the readers
    /// since.
    pub fn resume(&self, mark: M::Mark, (by_writer, by_readers): (ResultOrder, ResultOrder)) {
        let mut state = self.state.lock();
        (state.mark, state.known_by_writer, state.known_by_readers) = (mark, by_writer, by_readers);
    }

    /// Locks the object for an execution of `instance`, or parks the instance until it is granted.
    /// In replay `turn` is what the record says of it.
    pub fn acquire(&self, instance: &Arc<W>, access: Access, turn: Turn) -> bool {
        self.state.lock().acquire(instance, access, turn)
    }

    /// Locks the object and tells at once what the execution holds, as [`granted`](Self::granted) does; or parks
    /// the instance until it is granted.
    pub fn acquire_granted(
        &self,
        instance: &Arc<W>,
        access: Access,
        turn: Turn,
        note: impl FnOnce(&M::Mark),
    ) -> Option<Grant> {
        let mut state = self.state.lock();
        state.acquire(instance, access, turn).then(|| state.granted(access, note))
    }

    /// Returns true if a lock would be granted at once.
    pub fn is_free_for(&self, access: Access) -> bool {
        self.state.lock().is_free(access, Turn::Any)
    }

    /// Replaces the content, for an event that is executed alone.
    pub fn put(&self, value: Value) {
        self.state.lock().value = value;
    }

    /// What a granted execution holds: the content, and what is appended to it, which `note` is shown.
    pub fn granted(&self, access: Access, note: impl FnOnce(&M::Mark)) -> Grant {
        self.state.lock().granted(access, note)
    }

    /// Gives a lock back that was not used. Calls `ready` for each instance that is granted by this.
    pub fn give_up(&self, access: Access, ready: impl FnMut(Arc<W>)) {
        let mut state = self.state.lock();
        state.unlock(access);
        let granted = state.grant_next();
        drop(state);
        granted.into_iter().for_each(ready);
    }

    /// Its value, as the last writer left it.
    pub fn value(&self) -> Value {
        self.state.lock().value.clone()
    }

    /// Gives a lock back; a writer leaves `written` if it ended well. Calls `ready` for each
    /// instance that is granted by this.
    pub fn release(
        &self,
        access: Access,
        written: Option<Value>,
        known: &ResultOrder,
        update_mark: impl FnOnce(&mut M::Mark),
        ready: impl FnMut(Arc<W>),
    ) {
        let mut state = self.state.lock();
        if let Some(value) = written {
            state.value = value;
        }
        update_mark(&mut state.mark);
        match access {
            Access::Read => state.known_by_readers.merge(known),
            Access::Write => {
                state.known_by_writer = known.clone();
                state.known_by_readers = ResultOrder::default();
            }
        }
        state.unlock(access);
        let granted = state.grant_next();
        drop(state);
        granted.into_iter().for_each(ready);
    }
}

impl<M: Instrumentation, W> State<M, W> {
    /// For an instance that has the lock. A writer is the only one who has the value: nothing is left.
    fn hold(&mut self, access: Access) -> Held<M> {
        let mut known = self.known_by_writer.clone();
        let (value, mark) = match access {
            Access::Read => (self.value.clone(), M::Mark::default()),
            Access::Write => {
                known.merge(&self.known_by_readers);
                (std::mem::take(&mut self.value), std::mem::take(&mut self.mark))
            }
        };
        Held { access, value, mark, known, is_untouched: true }
    }

    /// Gives a lock back.
    fn unlock(&mut self, access: Access) {
        match access {
            Access::Read => self.n_readers -= 1,
            Access::Write => self.has_writer = false,
        }
    }

    fn acquire(&mut self, instance: &Arc<W>, access: Access, turn: Turn) -> bool {
        let may_pass = self.follows_turns || self.waiting.is_empty();
        if may_pass && self.is_free(access, turn) {
            self.grant(access);
            return true;
        }
        self.waiting.push_back(Waiting { instance: Arc::clone(instance), access, turn });
        false
    }

    fn granted(&self, access: Access, note: impl FnOnce(&M::Mark)) -> Grant {
        note(&self.mark);
        let mut known = self.known_by_writer.clone();
        if access == Access::Write {
            known.merge(&self.known_by_readers);
        }
        Grant { value: self.value.clone(), known }
    }

    fn is_free(&self, access: Access, turn: Turn) -> bool {
        let is_compatible = match access {
            Access::Read => !self.has_writer,
            Access::Write => !self.has_writer && self.n_readers == 0,
        };
        let is_in_turn = match turn {
            Turn::Any => true,
            Turn::Never => false,
            Turn::At(expected) => is_at(M::version(&self.mark), expected, access),
        };
        is_compatible && is_in_turn
    }

    fn grant(&mut self, access: Access) {
        match access {
            Access::Read => self.n_readers += 1,
            Access::Write => self.has_writer = true,
        }
    }

    fn put_back(&mut self, held: Held<M>) {
        if !held.is_written() {
            return;
        }
        self.value = held.value;
        self.mark = held.mark;
        if !held.is_untouched {
            self.known_by_writer = held.known;
            self.known_by_readers = ResultOrder::default();
        }
    }

    /// Grants what can be granted; the instances that wait for it are to be made ready.
    fn grant_next(&mut self) -> SmallVec<[Arc<W>; 2]> {
        let mut granted = SmallVec::new();
        while let Some(position) = self.next_granted() {
            if let Some(waiting) = self.waiting.remove(position) {
                self.grant(waiting.access);
                granted.push(waiting.instance);
            }
        }
        granted
    }

    /// Who is granted next: in order of arrival, or in replay whoever the record says.
    fn next_granted(&self) -> Option<usize> {
        let is_free = |waiting: &Waiting<W>| self.is_free(waiting.access, waiting.turn);
        if self.follows_turns {
            self.waiting.iter().position(is_free)
        } else {
            self.waiting.front().is_some_and(is_free).then_some(0)
        }
    }
}
