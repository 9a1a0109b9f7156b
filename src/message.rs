//! Messages on standard error, or to what has taken its place for a thread.

use std::cell::RefCell;
use std::io::{self, IsTerminal, Write as _};
use std::rc::Rc;

thread_local! {
    /// What takes the place of standard error for this thread.
    static TAKER: RefCell<Option<Taker>> = const { RefCell::new(None) };
}

/// Takes what would be printed.
pub(crate) type Taker = Rc<dyn Fn(&str)>;

/// Gives what this thread prints from here on to `taker`, without colors, or to standard error again; returns what took
/// it before.
#[cfg(feature = "editor")]
pub(crate) fn divert(taker: Option<Taker>) -> Option<Taker> {
    TAKER.with(|place| place.replace(taker))
}

/// Prints to standard error; where that is closed, nobody wants to know.
pub(crate) fn print(text: &str) {
    let taker = TAKER.with(|place| place.borrow().clone());
    match taker {
        Some(take) => take(text),
        None => {
            let _ = io::stderr().lock().write_all(text.as_bytes());
        }
    }
}

/// Whether what this thread prints is shown in colors.
pub(crate) fn has_color() -> bool {
    let is_empty = |name: &str| std::env::var_os(name).is_none_or(|value| value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    !is_diverted() && io::stderr().is_terminal() && is_empty("NO_COLOR") && !is_dumb
}

/// Returns true if what this thread prints does not go to standard error.
pub(crate) fn is_diverted() -> bool {
    TAKER.with(|place| place.borrow().is_some())
}
