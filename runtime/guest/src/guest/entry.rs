//! Where the host comes in: finds the body, runs it, and tells how it ended. Nothing unwinds to the host.

use std::any::Any;
use std::cell::Cell;
use std::error::Error;
use std::ffi::c_void;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use super::abi::{DONE, FAILED, HostTable, NO_BODY, RawText};
use super::context::{BodyContext, BodyResult, HostError};
use super::cross::discard;

/// A body of a node.
pub type Body = for<'c, 'e> fn(&'c mut BodyContext<'e>) -> BodyResult;

/// Whether panics of a thread are those of a body.
#[derive(Clone, Copy)]
enum Watch {
    Off,
    On {
        /// The file in which bodies stand.
        file: &'static str,
        /// Line and column of the last panic; 0 where it was in another file.
        at: (u32, u32),
    },
}

thread_local! {
    // Without a destructor: none is left behind on a thread of the host.
    static WATCH: Cell<Watch> = const { Cell::new(Watch::Off) };
}

/// Runs the body at a position of `bodies`, which stand in a file.
///
/// # Safety
/// The functions of the table may be called with `host` during this call, on this thread.
pub unsafe fn run_body(
    bodies: &[Body],
    file: &'static str,
    nth: usize,
    table: *const HostTable,
    host: *mut c_void,
) -> u32 {
    let Some(body) = bodies.get(nth) else { return NO_BODY };
    // SAFETY: the caller's promise.
    let table = unsafe { &*table };
    let before = WATCH.replace(Watch::On { file, at: (0, 0) });
    let ended = catch_unwind(AssertUnwindSafe(|| {
        watch_panics();
        // SAFETY: the caller's promise; the context does not outlive this call.
        let mut context = unsafe { BodyContext::new(table, host) };
        body(&mut context).map_err(number_and_text)
    }));
    let watched = WATCH.replace(before);
    match ended {
        Ok(Ok(())) => return DONE,
        // SAFETY: the caller's promise; the text is valid during the call.
        Ok(Err((number, text))) => unsafe { (table.fail)(host, number, RawText::of(&text)) },
        Err(panic) => {
            let (line, column) = if let Watch::On { at, .. } = watched { at } else { (0, 0) };
            let message = panic_text(panic);
            // SAFETY: the caller's promise; the text is valid during the call.
            unsafe { (table.panicked)(host, RawText::of(&message), line, column) }
        }
    }
    FAILED
}

/// Under which number the host keeps an error, 0 for one of the body, and what it says, with its sources.
fn number_and_text(error: Box<dyn Error + Send + Sync>) -> (u64, String) {
    if let Some(kept) = error.downcast_ref::<HostError>() {
        return (kept.number, kept.text.clone());
    }
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        text += &format!(": {inner}");
        source = inner.source();
    }
    (0, text)
}

/// What a panic says.
fn panic_text(panic: Box<dyn Any + Send>) -> String {
    let panic = match panic.downcast::<String>() {
        Ok(text) => return *text,
        Err(other) => other,
    };
    let text = panic.downcast_ref::<&str>().map_or("no message", |text| text);
    let text = text.to_owned();
    discard(panic);
    text
}

/// From the first call on, remembers where a body panics, and says nothing: the host does. Other panics are told as they
/// were before.
fn watch_panics() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| match WATCH.get() {
            Watch::Off => before(panic),
            Watch::On { file, .. } => {
                let location = panic.location().filter(|location| location.file() == file);
                let at = location.map_or((0, 0), |location| (location.line(), location.column()));
                WATCH.set(Watch::On { file, at });
            }
        }));
    });
}
