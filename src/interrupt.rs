//! First Ctrl-C: end the run; second: leave. SIGTERM and SIGHUP do the same to a run; a session they end, too.

use std::path::Path;
use std::time::Duration;
use std::{process, thread};

use hasse_runtime::run::StopSignal;

/// Exit code of a command that a second Ctrl-C ended: 128 and the number of the signal.
pub(crate) const INTERRUPTED: i32 = 130;

/// Lets Ctrl-C, SIGTERM and SIGHUP end the run. Where the system refuses, they end the process, as without this call.
pub(crate) fn stop_on_interrupt(stop: &StopSignal) {
    let (on_interrupt, on_termination) = (stop.clone(), stop.clone());
    self::on_interrupt(move || {
        if on_interrupt.is_set() {
            process::exit(INTERRUPTED);
        }
        eprintln!("stopping; press Ctrl-C again to leave at once");
        on_interrupt.stop();
    });
    self::on_termination(move |code| {
        if on_termination.is_set() {
            process::exit(code);
        }
        on_termination.stop();
    });
}

/// Reads something again.
pub(crate) type Reload = Box<dyn FnMut() + Send>;

/// Exit code of a process that SIGHUP ends.
const HUNG_UP: i32 = 129;

/// Lets Ctrl-C, SIGTERM and SIGHUP drain a service; a second one ends it, or the end of the time that it may take; a third one ends
/// the process. Where there is something to read again, SIGHUP does that instead.
pub(crate) fn drain_on_interrupt(stop: &StopSignal, time: Duration, mut reload: Option<Reload>) {
    let (on_interrupt, on_termination) = (stop.clone(), stop.clone());
    self::on_interrupt(move || drain_or_stop(&on_interrupt, time, INTERRUPTED));
    // A reload ends nothing: it is asked for also where `nohup` has the signal ignored.
    let hang_ups = if reload.is_some() { HangUps::All } else { HangUps::UnlessIgnored };
    answer_signals(hang_ups, move |code| match &mut reload {
        Some(reload) if code == HUNG_UP => reload(),
        _ => drain_or_stop(&on_termination, time, code),
    });
}

fn drain_or_stop(stop: &StopSignal, time: Duration, code: i32) {
    if stop.is_set() {
        process::exit(code);
    }
    if stop.is_draining() {
        eprintln!("stopping; a third signal ends the process at once");
        stop.stop();
    } else {
        eprintln!("draining; a second signal stops at once");
        stop.drain();
        let stop = stop.clone();
        let timer = thread::Builder::new().name("hasse-drain".to_owned()).spawn(move || {
            thread::sleep(time);
            if !stop.is_set() {
                eprintln!("not drained in {time:?}: stopping");
                stop.stop();
            }
        });
        if let Err(error) = timer {
            eprintln!("note: the drain has no limit: {error}");
        }
    }
}

/// Calls a function on every SIGTERM and SIGHUP, with the exit code of a process that the signal ends. A SIGHUP that is
/// ignored, as `nohup` has it, stays so. Where the system refuses, the signals end the process.
pub(crate) fn on_termination(answer: impl FnMut(i32) + Send + 'static) {
    answer_signals(HangUps::UnlessIgnored, answer);
}

/// The SIGHUPs that are answered.
#[derive(PartialEq, Eq)]
enum HangUps {
    All,
    UnlessIgnored,
}

#[cfg(unix)]
fn answer_signals(hang_ups: HangUps, mut answer: impl FnMut(i32) + Send + 'static) {
    use signal_hook::consts::{SIGHUP, SIGTERM};
    use signal_hook::iterator::Signals;

    let are_ignored = hang_ups == HangUps::UnlessIgnored && ignores(SIGHUP);
    let wanted: &[i32] = if are_ignored { &[SIGTERM] } else { &[SIGTERM, SIGHUP] };
    let answers = Signals::new(wanted).and_then(|mut signals| {
        let thread = thread::Builder::new().name("hasse-signals".to_owned());
        thread.spawn(move || signals.forever().for_each(|signal| answer(128 + signal)))
    });
    if let Err(error) = answers {
        eprintln!("note: SIGTERM will not be answered by an orderly end: {error}");
    }
}

/// There are no such signals.
#[cfg(not(unix))]
fn answer_signals(_hang_ups: HangUps, _answer: impl FnMut(i32) + Send + 'static) {}

/// Whether this process ignores a signal; false where the system does not say.
#[cfg(unix)]
fn ignores(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 != 0)
}

/// Calls a function on every Ctrl-C. Where the system refuses, Ctrl-C ends the process.
pub(crate) fn on_interrupt(answer: impl FnMut() + Send + 'static) {
    if let Err(error) = ctrlc::set_handler(answer) {
        eprintln!("note: Ctrl-C will not be answered by an orderly end: {error}");
    }
}

/// Makes a write beyond the size that the system allows a file an error, as one to a full disk: by default a signal ends the
/// process.
#[cfg(unix)]
pub(crate) fn report_file_limits() {
    use std::sync::Arc;

    // Where the system refuses, the signal ends the process, as without this call.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

/// There is no such signal.
#[cfg(not(unix))]
pub(crate) fn report_file_limits() {}

/// Removes an unfinished folder when a signal ends the process.
pub(crate) fn remove_on_interrupt(folder: &Path) {
    let (on_interrupt, on_termination) = (folder.to_owned(), folder.to_owned());
    self::on_interrupt(move || remove_and_exit(&on_interrupt, INTERRUPTED));
    self::on_termination(move |code| remove_and_exit(&on_termination, code));
}

fn remove_and_exit(folder: &Path, code: i32) {
    // A thread that still writes may add a file meanwhile.
    for _ in 0..3 {
        let _ = std::fs::remove_dir_all(folder);
    }
    process::exit(code);
}
