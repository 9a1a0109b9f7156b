//! What a run wrote, so that it can be taken back.
//!
//! Before the first write to an object the journal keeps what it held. A payload that others hold, too, is kept by holding it
//! once more: the write copies it anyway. A small payload is copied. Of a large one that nobody else holds, the journal
//! notes each place with the value that stood there, so that a run that writes little of it costs little; once an eighth of
//! it has been noted it is copied after all, so that a run that writes all of it costs one copy.

use std::sync::Arc;

use hasse_model::value::Value;

/// Payloads up to this size are copied before the first write.
const SMALL: usize = 512;

/// Buffers above this capacity are given back at the end of a run.
const MOST_KEPT: usize = 1 << 16;

/// What to take back, object by object. Empty between runs but for its memory.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    records: Vec<Record>,
}

/// What to take back in one object.
#[derive(Debug, Default)]
struct Record {
    state: State,
    /// Whether it is an object of the routine's own, which nobody wants back.
    is_own: bool,
    /// What the object held, where others hold it, too.
    shared: Value,
    /// The entries that it held, if it is a vector or a matrix.
    entries: Vec<f64>,
    /// The items or fields that it held.
    items: Vec<Value>,
    /// How many items it had.
    n_items: usize,
    /// Places that were written, and what stood there before, in the order of the writes.
    log: Vec<(usize, Value)>,
}

/// How an object can be taken back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Nothing has been written.
    #[default]
    Untouched,
    /// It is in `shared`.
    Shared,
    /// It is in `entries` or `items`.
    Copied,
    /// The writes are in `log`.
    Logged,
    /// It is an array behind whose first `n_items` others were added, and nothing else was changed.
    Grown,
}

impl Journal {
    /// Makes room for the objects of a run, of which the last ones are the routine's own, and forgets what a run left that
    /// ended in a panic.
    pub(crate) fn begin(&mut self, n_objects: usize, n_own: usize) {
        self.forget();
        if self.records.len() < n_objects + n_own {
            self.records.resize_with(n_objects + n_own, Record::default);
        }
        for (object_idx, record) in self.records[..n_objects + n_own].iter_mut().enumerate() {
            record.is_own = object_idx >= n_objects;
        }
    }

    /// Is to be called before something in an object is written. `place` is the position of what the object itself holds and is
    /// changed, `None` where that is not known. The payload of the object is unique afterwards. Returns whether later writes to
    /// this object may be done without a call.
    pub(crate) fn before_write(
        &mut self,
        object_idx: usize,
        object: &mut Value,
        place: Option<usize>,
    ) -> bool {
        let record = &mut self.records[object_idx];
        if record.is_own {
            return true;
        }
        match record.state {
            State::Shared | State::Copied => return true,
            State::Untouched => record.state = record.first_state(object),
            State::Grown => {
                self.before_change(object_idx, object);
                return true;
            }
            State::Logged => {}
        }
        if record.state != State::Logged {
            return true;
        }
        match place {
            Some(place) if record.log.len() < size(object) / 8 => {
                record.log.push((place, old(object, place)));
                false
            }
            _ => {
                record.copy(object);
                for (place, value) in record.log.drain(..).rev() {
                    match value {
                        Value::Real(entry) if !record.entries.is_empty() => record.entries[place] = entry,
                        value => record.items[place] = value,
                    }
                }
                record.state = State::Copied;
                true
            }
        }
    }

    /// Is to be called before an object is changed as a whole, or replaced by another one.
    pub(crate) fn before_change(&mut self, object_idx: usize, object: &Value) {
        let record = &mut self.records[object_idx];
        if record.is_own || record.state == State::Shared {
            return;
        }
        // One handle more: whoever changes the object makes a copy.
        let mut before = object.clone();
        if record.state != State::Untouched {
            record.write_back(&mut before);
            record.clear();
        }
        record.shared = before;
        record.state = State::Shared;
    }

    /// Is to be called before items are added behind those of an array.
    pub(crate) fn before_growth(&mut self, object_idx: usize, object: &mut Value) {
        let record = &mut self.records[object_idx];
        match record.state {
            State::Untouched if !record.is_own => {
                record.state = if make_unique(object, &mut record.shared) {
                    record.n_items = size(object);
                    State::Grown
                } else {
                    State::Shared
                };
            }
            State::Untouched | State::Shared | State::Grown => {}
            State::Copied | State::Logged => self.before_change(object_idx, object),
        }
    }

    /// Has all objects hold what they held when the run began.
    pub(crate) fn take_back(&mut self, objects: &mut [Value]) {
        self.records.iter_mut().zip(objects).for_each(|(record, object)| record.take_back(object));
    }

    /// Forgets what was written.
    pub(crate) fn forget(&mut self) {
        for record in &mut self.records {
            if record.state != State::Untouched {
                record.clear();
            }
        }
    }
}

/// Writes of a run that has come to its end, as long as they may have to be taken back: where an event fails later on.
#[derive(Debug, Default)]
pub struct Undo(Journal);

impl Undo {
    /// Keeps what a journal holds, in place of what it kept before.
    pub(crate) fn keep(&mut self, journal: &mut Journal) {
        std::mem::swap(&mut self.0, journal);
        journal.forget();
    }

    /// Has the object at a position hold what it held before the run.
    pub fn take_back(&mut self, object_idx: usize, object: &mut Value) {
        if let Some(record) = self.0.records.get_mut(object_idx) {
            record.take_back(object);
        }
    }

    /// Forgets the writes.
    pub fn forget(&mut self) {
        self.0.forget();
    }
}

impl Record {
    /// Has the object hold what it held when the run began.
    fn take_back(&mut self, object: &mut Value) {
        match self.state {
            State::Untouched => {}
            State::Shared => *object = std::mem::take(&mut self.shared),
            State::Copied | State::Logged | State::Grown => self.write_back(object),
        }
        self.clear();
    }

    /// Readies an object for its first write.
    fn first_state(&mut self, object: &mut Value) -> State {
        if !make_unique(object, &mut self.shared) {
            State::Shared
        } else if size(object) <= SMALL {
            self.copy(object);
            State::Copied
        } else {
            State::Logged
        }
    }

    fn copy(&mut self, object: &Value) {
        match object {
            Value::Vector(entries) => self.entries.extend_from_slice(entries),
            Value::Matrix(matrix) => self.entries.extend_from_slice(matrix.entries()),
            Value::Array(items) => self.items.extend_from_slice(items),
            Value::Struct(held) => self.items.extend_from_slice(held.fields()),
            _ => {}
        }
    }

    /// Has an object that was not replaced hold what it held.
    fn write_back(&mut self, object: &mut Value) {
        for (place, value) in self.log.drain(..).rev() {
            write_old(object, place, value);
        }
        match (self.state, object) {
            (State::Grown, Value::Array(items)) => Arc::make_mut(items).truncate(self.n_items),
            (State::Copied, object) => self.write_copy_back(object),
            _ => {}
        }
    }

    fn write_copy_back(&mut self, object: &mut Value) {
        match object {
            Value::Vector(entries) => Arc::make_mut(entries).copy_from_slice(&self.entries),
            Value::Matrix(matrix) => Arc::make_mut(matrix).entries_mut().copy_from_slice(&self.entries),
            Value::Array(items) => Arc::make_mut(items).swap_with_slice(&mut self.items),
            Value::Struct(held) => Arc::make_mut(held).fields_mut().swap_with_slice(&mut self.items),
            _ => {}
        }
    }

    fn clear(&mut self) {
        self.state = State::Untouched;
        self.shared = Value::Unit;
        self.entries.clear();
        self.items.clear();
        self.log.clear();
        self.entries.shrink_to(MOST_KEPT);
        self.items.shrink_to(MOST_KEPT);
        self.log.shrink_to(MOST_KEPT);
    }
}

/// Makes the payload of an object unique. If others hold it, `shared` holds it from then on, the object a copy of it, and
/// the result is false.
fn make_unique(object: &mut Value, shared: &mut Value) -> bool {
    fn of<T: Clone>(payload: &mut Arc<T>, wrap: fn(Arc<T>) -> Value, shared: &mut Value) -> bool {
        if Arc::get_mut(payload).is_some() {
            return true;
        }
        *shared = wrap(Arc::clone(payload));
        Arc::make_mut(payload);
        false
    }
    match object {
        Value::Vector(entries) => of(entries, Value::Vector, shared),
        Value::Matrix(matrix) => of(matrix, Value::Matrix, shared),
        Value::Array(items) => of(items, Value::Array, shared),
        Value::Struct(held) => of(held, Value::Struct, shared),
        _ => true,
    }
}

/// Number of entries, items or fields.
fn size(object: &Value) -> usize {
    match object {
        Value::Vector(entries) => entries.len(),
        Value::Matrix(matrix) => matrix.entries().len(),
        Value::Array(items) => items.len(),
        Value::Struct(held) => held.fields().len(),
        _ => 0,
    }
}

/// What stands at a place.
fn old(object: &Value, place: usize) -> Value {
    match object {
        Value::Vector(entries) => Value::Real(entries[place]),
        Value::Matrix(matrix) => Value::Real(matrix.entries()[place]),
        Value::Array(items) => items[place].clone(),
        Value::Struct(held) => held.fields()[place].clone(),
        _ => Value::Unit,
    }
}

/// Puts back what stood at a place.
fn write_old(object: &mut Value, place: usize, value: Value) {
    match (object, value) {
        (Value::Vector(entries), Value::Real(entry)) => Arc::make_mut(entries)[place] = entry,
        (Value::Matrix(matrix), Value::Real(entry)) => Arc::make_mut(matrix).entries_mut()[place] = entry,
        (Value::Array(items), value) => Arc::make_mut(items)[place] = value,
        (Value::Struct(held), value) => Arc::make_mut(held).fields_mut()[place] = value,
        _ => {}
    }
}
