//! One execution, as its body sees it: each question goes to the host.

use std::cell::OnceCell;
use std::error::Error;
use std::ffi::c_void;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use super::abi::{Give, HostTable, RawFacts, RawText, RawValue, Receive, slice};
use super::convert::{FromValue, IntoValue, Mismatch};
use super::cross::{from_raw, with_raw};
use super::value::Value;
use super::wire::WireError;

/// What a body gives back: nothing, or any error; `?` works on all of them.
pub type BodyResult = BodyOutcome<()>;

/// What a body gives back, or a part of one: a value, or any error; `?` works on all of them.
pub type BodyOutcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// One execution, as its body sees it.
///
/// Names are those of the node: creation parameters, index names, vars, shared names, what the
/// firing rule bound, and the names that the body declares.
pub struct BodyContext<'e> {
    table: &'e HostTable,
    /// What the functions of the table take. Invariant: valid for them during `'e`.
    host: *mut c_void,
    facts: OnceCell<Facts>,
}

struct Facts {
    rule: i32,
    count: u64,
    index: Box<[i64]>,
}

/// An error that the host keeps: handed back, it is that error again.
#[derive(Debug)]
pub struct HostError {
    /// Under which it is kept.
    pub(super) number: u64,
    /// What it says.
    pub(super) text: String,
}

impl fmt::Display for HostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Error for HostError {}

/// Writes which execution it is.
impl fmt::Debug for BodyContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BodyContext")
            .field("index", &self.index())
            .field("count", &self.count())
            .finish_non_exhaustive()
    }
}

impl<'e> BodyContext<'e> {
    /// The execution that a host calls for.
    ///
    /// # Safety
    /// During `'e`, and on this thread, the functions of the table may be called with `host`.
    pub(super) unsafe fn new(table: &'e HostTable, host: *mut c_void) -> Self {
        Self { table, host, facts: OnceCell::new() }
    }
}

impl BodyContext<'_> {
    /// The value of a name.
    ///
    /// # Errors
    /// The node has no such name, or it holds a value of another type; `Option<T>` is `None` where
    /// the firing rule taken does not bind the name.
    pub fn get<T: FromValue>(&self, name: &str) -> BodyOutcome<T> {
        let value = received(|receive, place| {
            // SAFETY: the host is valid by the invariant of the field, the name during the call, and `receive` and
            // `place` belong together.
            unsafe { (self.table.get)(self.host, RawText::of(name), receive, place) }
        })?;
        T::from_value(value).map_err(|mismatch| self.mismatch(name, &mismatch))
    }

    /// Takes the value of a name. A var or an object that was taken must be set again. Creation parameters and index
    /// names stay.
    ///
    /// # Errors
    /// As for [`get`](Self::get).
    pub fn take<T: FromValue>(&mut self, name: &str) -> BodyOutcome<T> {
        let value = received(|receive, place| {
            // SAFETY: as for `get`.
            unsafe { (self.table.take)(self.host, RawText::of(name), receive, place) }
        })?;
        T::from_value(value).map_err(|mismatch| self.mismatch(name, &mismatch))
    }

    /// Whether a name holds a value: a bound name of the rule taken does, that of another rule does not.
    pub fn is_set(&self, name: &str) -> bool {
        // SAFETY: the host is valid by the invariant of the field, and the name during the call.
        unsafe { (self.table.is_set)(self.host, RawText::of(name)) }
    }

    /// Sets a var, a shared object that is declared as `write`, or a name that the body declares.
    ///
    /// # Errors
    /// The name is another one, or of a type that the value does not fit.
    pub fn set(&mut self, name: &str, value: impl IntoValue) -> BodyResult {
        self.give(self.table.set, name, &value.into_value())
    }

    /// Sets a named result of the run.
    ///
    /// # Errors
    /// The body does not declare it.
    pub fn result(&mut self, name: &str, value: impl IntoValue) -> BodyResult {
        self.give(self.table.result, name, &value.into_value())
    }

    fn give(&mut self, give: Give, name: &str, value: &Value) -> BodyResult {
        let number = received(|receive, place| {
            let lend = |raw: &RawValue| {
                // SAFETY: the host is valid by the invariant of the field, name and value during the call, and `receive`
                // and `place` belong together.
                unsafe { give(self.host, RawText::of(name), raw, receive, place) }
            };
            with_raw(value, lend).unwrap_or_else(|error| {
                // SAFETY: `place` is that of `receive`, which has not been given away.
                unsafe { *place.cast::<Place>() = Some(Err(error)) };
                0
            })
        });
        number.map(|_| ())
    }

    /// Index numbers of the instance.
    pub fn index(&self) -> &[i64] {
        &self.facts().index
    }

    /// Position of the firing rule taken, from 0; -1 for a start node's first execution.
    pub fn rule(&self) -> i32 {
        self.facts().rule
    }

    /// Which execution this is, from 1.
    pub fn count(&self) -> u64 {
        self.facts().count
    }

    fn facts(&self) -> &Facts {
        self.facts.get_or_init(|| {
            let mut raw = RawFacts { rule: -1, count: 0, index: ptr::null(), n_index: 0 };
            // SAFETY: the host is valid by the invariant of the field, and `raw` may be written.
            unsafe { (self.table.facts)(self.host, &raw mut raw) };
            // SAFETY: so many index numbers are valid until the host is asked for something else.
            let index = unsafe { slice(raw.index, raw.n_index) };
            Facts { rule: raw.rule, count: raw.count, index: index.into() }
        })
    }

    /// Prints a text as whole lines.
    pub fn print(&mut self, text: impl fmt::Display) {
        // SAFETY: the host is valid by the invariant of the field, and the text during the call.
        unsafe { (self.table.print)(self.host, RawText::of(&text.to_string())) }
    }

    /// A random number within 0..1, from the event's own stream: recorded, and the same in every run
    /// with one seed.
    ///
    /// # Errors
    /// A replay whose record has something else at this place.
    pub fn random(&mut self) -> BodyOutcome<f64> {
        let value = received(|receive, place| {
            // SAFETY: the host is valid by the invariant of the field, and `receive` and `place` belong together.
            unsafe { (self.table.random)(self.host, receive, place) }
        })?;
        Ok(f64::from_value(value)?)
    }

    /// Ends the body if the run was asked to end; to be asked in long loops.
    ///
    /// # Errors
    /// The run was asked to end: to be handed on by `?`.
    pub fn check_stop(&self) -> BodyResult {
        let answer = received(|receive, place| {
            // SAFETY: the host is valid by the invariant of the field, and `receive` and `place` belong together.
            unsafe { (self.table.check_stop)(self.host, receive, place) }
        });
        answer.map(|_| ())
    }

    /// The error of the host for a name that holds something else: it alone knows its code.
    #[cold]
    fn mismatch(&self, name: &str, mismatch: &Mismatch) -> Box<dyn Error + Send + Sync> {
        let [name, expected, found] = [name, &mismatch.expected, &mismatch.found].map(RawText::of);
        let answer = received(|receive, place| {
            // SAFETY: the host is valid by the invariant of the field, the texts during the call, and `receive` and
            // `place` belong together.
            unsafe { (self.table.mismatch)(self.host, name, expected, found, receive, place) }
        });
        answer.err().unwrap_or_else(|| mismatch.clone().into())
    }
}

/// Where a value comes to.
type Place = Option<Result<Value, WireError>>;

/// Asks the host for something; what it hands over, or nothing, is the answer, or the text of an error.
fn received(ask: impl FnOnce(Receive, *mut c_void) -> u64) -> BodyOutcome<Value> {
    let mut place: Place = None;
    let number = ask(receive, (&raw mut place).cast());
    match (number, place) {
        (0, None) => Ok(Value::Unit),
        (0, Some(received)) => Ok(received?),
        (number, Some(Ok(Value::String(text)))) => Err(HostError { number, text: text.to_string() }.into()),
        (number, _) => Err(HostError { number, text: "no message".to_owned() }.into()),
    }
}

/// Takes a value over.
///
/// # Safety
/// `place` is a [`Place`] that nobody else looks at during the call, and `value` a value that is valid during it.
unsafe extern "C" fn receive(place: *mut c_void, value: *const RawValue) {
    // SAFETY: the caller's promise.
    let raw = unsafe { &*value };
    // SAFETY: the caller's promise.
    let take = AssertUnwindSafe(|| unsafe { from_raw(raw) });
    let received = catch_unwind(take).unwrap_or(Err(WireError::Shape));
    // SAFETY: the caller's promise.
    unsafe { *place.cast::<Place>() = Some(received) };
}
