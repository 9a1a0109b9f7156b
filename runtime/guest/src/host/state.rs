//! The state of one call: its context, and the errors that the body has been given.

use std::collections::VecDeque;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

use hasse_model::value::Value;

use super::context::{AnyError, HostContext};
use crate::hasse::abi::{RawText, Receive};
use crate::hasse::cross::{discard, with_raw};

/// Errors kept for one call. A body hands on the last error or one of the last few; of others the text is left.
pub(super) const MOST_KEPT: usize = 16;

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
pub(super) struct State<'c, C> {
    pub(super) context: &'c mut C,
    /// Errors that the body has been told of, with their numbers. Never more than [`MOST_KEPT`].
    pub(super) kept: VecDeque<(u64, AnyError)>,
    /// Number of errors so far; that of the last one.
    pub(super) n_errors: u64,
    /// What keeps the call from being of use, though the body has not been told.
    pub(super) fatal: Option<AnyError>,
    /// How the body says that it failed.
    pub(super) failure: Option<CallError>,
}

impl<C: HostContext> State<'_, C> {
    /// Answers a question; an error is kept, and its number given. A panic is an error like others.
    ///
    /// # Safety
    /// `receive` may be called with `place`.
    pub(super) unsafe fn answer(
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
    pub(super) fn attend<R>(
        &mut self,
        otherwise: R,
        attend: impl FnOnce(&mut C) -> Result<R, AnyError>,
    ) -> R {
        caught(|| attend(self.context)).unwrap_or_else(|error| {
            self.fatal = self.fatal.take().or(Some(error));
            otherwise
        })
    }

    /// What the body says of its failure: the number of an error that is kept, or 0, and the text of it.
    pub(super) fn failed(&mut self, number: u64, text: String) {
        let kept = self.kept.iter().position(|(of_kept, _)| *of_kept == number);
        let kept = kept.and_then(|kept_idx| self.kept.remove(kept_idx));
        self.failure = Some(kept.map_or(CallError::Body(text), |(_, error)| CallError::Host(error)));
    }
}

/// What is done, with a panic as an error.
pub(super) fn caught<R>(run: impl FnOnce() -> Result<R, AnyError>) -> Result<R, AnyError> {
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
pub(super) unsafe fn text<'a>(raw: RawText) -> Result<&'a str, AnyError> {
    // SAFETY: the caller's promise.
    Ok(unsafe { raw.text() }?)
}

/// A text of the library that is to be shown, whatever it is.
///
/// # Safety
/// It is valid during the call.
pub(super) unsafe fn shown(raw: RawText) -> String {
    // SAFETY: the caller's promise.
    unsafe { raw.text() }.map_or_else(|error| error.to_string(), str::to_owned)
}
