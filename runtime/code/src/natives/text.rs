//! Bodies in Rust whose texts stand in program files: where in the file they failed.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, resume_unwind, set_hook, take_hook};
use std::sync::{Arc, Once};

use hasse_body::natives::panic_text;
use hasse_model::diagnostic::Location;

use crate::natives::error::TextFailure;
use crate::natives::node::{BodyContext, RunBody};

/// Where a panic came from: a place of what was compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PanicPlace {
    /// The file, as the compiler was told.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

thread_local! {
    /// While a body runs whose panics are to be placed: where the last one came from.
    static LAST_PANIC: RefCell<Option<Option<PanicPlace>>> = const { RefCell::new(None) };
}

/// Keeps the places of panics within bodies whose texts stand in the program file, and does not print these: they are told as errors of their
/// events. For the `main` of an executable, as it sets the panic hook of the process; further calls do nothing.
pub fn keep_panic_places() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| {
            if !keep(info) {
                before(info);
            }
        }));
    });
}

/// Tells whether the panic is one of a body.
fn keep(info: &PanicHookInfo<'_>) -> bool {
    LAST_PANIC.with_borrow_mut(|last| {
        let Some(last) = last else { return false };
        *last = info.location().map(|place| PanicPlace {
            file: place.file().to_owned(),
            line: place.line(),
            column: place.column(),
        });
        true
    })
}

/// The same body, whose panics are errors with a place.
pub(crate) fn with_places(
    run: Arc<RunBody>,
    place_of: impl Fn(&PanicPlace) -> Option<Location> + Send + Sync + 'static,
) -> Arc<RunBody> {
    Arc::new(move |context: &mut BodyContext<'_>| {
        LAST_PANIC.set(Some(None));
        let ended = catch_unwind(AssertUnwindSafe(|| run(context)));
        let place = LAST_PANIC.take().flatten();
        ended.unwrap_or_else(|panic| match place.and_then(|place| place_of(&place)) {
            Some(at) => Err(failure(&*panic, at).into()),
            None => resume_unwind(panic),
        })
    })
}

fn failure(panic: &(dyn Any + Send), at: Location) -> TextFailure {
    TextFailure { message: format!("the body panicked: {}", panic_text(panic)), at }
}
