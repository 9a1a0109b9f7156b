//! Lines of standard input, of which there is one for the process. Whoever else reads lines in the same process asks here, too: a
//! body that waits no more may have left the thread reading.

use std::io;

use hasse_model::value::Value;
use parking_lot::Mutex;

use crate::clock::Clock;
use crate::streams::line_of;
use crate::waiting::Pending;
use crate::waiting::feed::Feed;

/// The thread that reads. No line is read before one is wanted.
static INPUT: Mutex<Option<Feed>> = Mutex::new(None);

/// Asks for the next line, without its end; `()` at the end of the input.
///
/// # Errors
/// The thread that reads cannot be started; the run drains.
pub(super) fn ask() -> Result<Pending, String> {
    let mut input = INPUT.lock();
    let feed = match input.take() {
        Some(feed) => feed,
        None => Feed::start(|_| line_of(&mut io::stdin().lock()).map_err(unreadable)).map_err(unreadable)?,
    };
    input.insert(feed).ask_for_input()
}

/// The next line without its end; `None` at the end of the input. Waits for it.
///
/// # Errors
/// It cannot be read, or is not UTF-8; the run was asked to end.
pub fn next_line() -> io::Result<Option<String>> {
    let line = ask().and_then(|pending| pending.block(&Clock::new(false), None, true));
    match line.map_err(io::Error::other)? {
        Value::String(line) => Ok(Some(line.to_string())),
        _ => Ok(None),
    }
}

fn unreadable(error: io::Error) -> String {
    format!("cannot read standard input: {error}")
}
