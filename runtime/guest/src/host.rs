//! What a body asks for, answered: the functions that a library is given, and how a call ends.

use std::collections::VecDeque;
use std::error::Error;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

use hasse_model::value::Value;

use crate::hasse::abi::{DONE, FAILED, HostTable, NO_BODY, RawText, Receive};
use crate::hasse::cross::{discard, with_raw};

/// Executions that a body can be called for.
mod context;
/// Values of the host across the boundary.
mod cross;
/// The functions that a library is given.
mod table;

pub(crate) use context::HostContext;

use table::TableOf;

/// Any error.
pub(crate) type AnyError = Box<dyn Error + Send + Sync>;

/// What a library is entered by: position of the body, functions of the host, and what they take.
pub(crate) type Entry = unsafe extern "C" fn(usize, *const HostTable, *mut c_void) -> u32;

/// Errors kept for one call. A body hands on the last error or one of the last few; of others the text is left.
const MOST_KEPT: usize = 16;

/// How a body failed.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// By an error of its context, which is the original one, or as the context panicked.
    #[error("{0}")]
    Host(AnyError),
    /// By an error of its own, with its sources.
    #[error("{0}")]
    Body(String),
    /// By a panic.
    #[error("panicked: {message}")]
    Panic {
        /// What it says.
        message: String,
        /// Line in the file of the library, from 1; 0 where the panic was in another file.
        line: u32,
        /// Column in the file of the library, from 1; 0 where the panic was in another file.
        column: u32,
    },
}

/// One call.
struct State<'c, C> {
    context: &'c mut C,
    /// Errors that the body has been told of, with their numbers. Never more than [`MOST_KEPT`].
    kept: VecDeque<(u64, AnyError)>,
    /// Number of errors so far; that of the last one.
    n_errors: u64,
    /// What keeps the call from being of use, though the body has not been told.
    fatal: Option<AnyError>,
    /// How the body says that it failed.
    failure: Option<CallError>,
}

/// Calls a body.
///
/// # Errors
/// It fails.
///
/// # Safety
/// `entry` is that of a library made of this version of the text.
pub(crate) unsafe fn call<C: HostContext>(
    entry: Entry,
    nth: usize,
    context: &mut C,
) -> Result<(), CallError> {
    let mut state = State { context, kept: VecDeque::new(), n_errors: 0, fatal: None, failure: None };
    // SAFETY: a library of this version calls the functions of the table with the pointer that comes with them, on this
    // thread, and during this call alone; the state is not touched by others meanwhile.
    let end = unsafe { entry(nth, TableOf::<C>::TABLE, (&raw mut state).cast()) };
    if let Some(fatal) = state.fatal {
        return Err(CallError::Host(fatal));
    }
    match (end, state.failure) {
        (DONE, _) => Ok(()),
        (FAILED, Some(failure)) => Err(failure),
        (NO_BODY, _) => Err(CallError::Body(format!("the library has no body at position {nth}"))),
        (other, _) => Err(CallError::Body(format!("the body ended in an unknown way: {other}"))),
    }
}

impl<C: HostContext> State<'_, C> {
    /// Answers a question; an error is kept, and its number given. A panic is an error like others.
    ///
    /// # Safety
    /// `receive` may be called with `place`.
    unsafe fn answer(
        &mut self,
        receive: Receive,
        place: *mut c_void,
        ask: impl FnOnce(&mut C) -> Result<Option<Value>, AnyError>,
    ) -> u64 {
        let answered = caught(|| {
            if let Some(value) = ask(self.context)? {
                // SAFETY: the caller's promise; the value is lent during the call.
                with_raw(&value, |raw| unsafe { receive(place, raw) })?;
            }
            Ok(())
        });
        let Err(error) = answered else { return 0 };
        let text = caught(|| Ok(error.to_string())).unwrap_or_default();
        self.n_errors += 1;
        if self.kept.len() == MOST_KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back((self.n_errors, error));
        // SAFETY: the caller's promise; the text is lent during the call. A text always crosses.
        let _ = with_raw(&Value::String(text.into()), |raw| unsafe { receive(place, raw) });
        self.n_errors
    }

    /// Does what cannot fail but by a panic, which ends the call in its stead.
    fn attend<R>(&mut self, otherwise: R, attend: impl FnOnce(&mut C) -> Result<R, AnyError>) -> R {
        caught(|| attend(self.context)).unwrap_or_else(|error| {
            self.fatal = self.fatal.take().or(Some(error));
            otherwise
        })
    }

    /// What the body says of its failure: the number of an error that is kept, or 0, and the text of it.
    fn failed(&mut self, number: u64, text: String) {
        let kept = self.kept.iter().position(|(of_kept, _)| *of_kept == number);
        let kept = kept.and_then(|kept_idx| self.kept.remove(kept_idx));
        self.failure = Some(kept.map_or(CallError::Body(text), |(_, error)| CallError::Host(error)));
    }
}

/// What is done, with a panic as an error.
fn caught<R>(run: impl FnOnce() -> Result<R, AnyError>) -> Result<R, AnyError> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
        let error = format!("the context of a body panicked: {text}").into();
        discard(panic);
        Err(error)
    })
}

/// A text of the library.
///
/// # Safety
/// It is valid for `'a`.
unsafe fn text<'a>(raw: RawText) -> Result<&'a str, AnyError> {
    // SAFETY: the caller's promise.
    Ok(unsafe { raw.text() }?)
}

/// A text of the library that is to be shown, whatever it is.
///
/// # Safety
/// It is valid during the call.
unsafe fn shown(raw: RawText) -> String {
    // SAFETY: the caller's promise.
    unsafe { raw.text() }.map_or_else(|error| error.to_string(), str::to_owned)
}
