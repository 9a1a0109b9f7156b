//! First Ctrl-C: end the run; second: leave.

use std::process;

use hasse_runtime::run::StopSignal;

/// Exit code of a command that a second Ctrl-C ended: 128 and the number of the signal.
pub(crate) const INTERRUPTED: i32 = 130;

/// Lets Ctrl-C end the run. Where the system refuses, Ctrl-C ends the process, as without this call.
pub(crate) fn stop_on_interrupt(stop: &StopSignal) {
    let stop = stop.clone();
    on_interrupt(move || {
        if stop.is_set() {
            process::exit(INTERRUPTED);
        }
        eprintln!("stopping; press Ctrl-C again to leave at once");
        stop.stop();
    });
}

/// Calls a function on every Ctrl-C. Where the system refuses, Ctrl-C ends the process.
pub(crate) fn on_interrupt(answer: impl FnMut() + Send + 'static) {
    if let Err(error) = ctrlc::set_handler(answer) {
        eprintln!("note: Ctrl-C will not be answered by an orderly end: {error}");
    }
}
