//! What a body asks for, answered: the functions that a library is given, and how a call ends.

use std::collections::VecDeque;
use std::ffi::c_void;

use crate::hasse::abi::{DONE, FAILED, HostTable, NO_BODY};

/// Executions that a body can be called for.
mod context;
/// Values of the host across the boundary.
mod cross;
/// The state of a call.
mod state;
/// The functions that a library is given.
mod table;

#[cfg(test)]
pub(crate) use context::AnyError;
pub(crate) use context::HostContext;

pub use state::CallError;
use state::State;
use table::TableOf;

/// What a library is entered by: position of the body, functions of the host, and what they take.
pub(crate) type Entry = unsafe extern "C" fn(usize, *const HostTable, *mut c_void) -> u32;

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
