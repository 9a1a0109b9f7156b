//! `--watch`: does something again whenever a program file changes.
//!
//! The folder is watched, not the file: editors replace files by others of the same name. What counts
//! is the text, so that saving it unchanged does nothing. A run under way is stopped when its program
//! changes.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{fs, process};

use hasse_runtime::run::StopSignal;
use notify::{EventKind, RecursiveMode, Watcher};

use crate::ending::Ending;
use crate::fault::Fault;
use crate::{interrupt, message, report};

/// For how long nothing must happen to a file before it is read: saving is often several steps.
const QUIET: Duration = Duration::from_millis(40);

/// What the watcher's thread, the handler of Ctrl-C and the main thread share.
#[derive(Default)]
struct Shared {
    /// The text that was dealt with last, and what stops dealing with it.
    current: Mutex<(Option<Vec<u8>>, StopSignal)>,
    is_interrupted: AtomicBool,
}

impl Shared {
    /// Asks a run under way to end, if the file holds another text than it was made from.
    fn look(&self, path: &Path) -> bool {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let has_changed = fs::read(path).ok() != current.0;
        if has_changed {
            current.1.stop();
        }
        has_changed
    }

    /// Begins a round: from now on, a change stops it.
    fn begin(&self, path: &Path) -> StopSignal {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        *current = (fs::read(path).ok(), StopSignal::default());
        if self.is_interrupted.load(Ordering::SeqCst) {
            current.1.stop();
        }
        current.1.clone()
    }

    fn interrupt(&self) {
        // A second Ctrl-C does not wait for what the first one is to end.
        if self.is_interrupted.swap(true, Ordering::SeqCst) {
            process::exit(interrupt::INTERRUPTED);
        }
        self.current.lock().unwrap_or_else(PoisonError::into_inner).1.stop();
    }
}

/// One time that something is done with the file.
pub(crate) struct Round {
    /// Ends it.
    pub(crate) stop: StopSignal,
    shared: Arc<Shared>,
}

impl Round {
    /// Returns whether no round follows: Ctrl-C was pressed.
    pub(crate) fn is_last(&self) -> bool {
        self.shared.is_interrupted.load(Ordering::SeqCst)
    }
}

/// Calls `round` now and after every change of the file, until Ctrl-C.
///
/// # Errors
/// The folder cannot be watched. What goes wrong in a round is printed: the next change may mend it.
pub(crate) fn watch(
    path: &Path,
    mut round: impl FnMut(&Round) -> Result<Ending, Fault>,
) -> Result<Ending, Fault> {
    let cannot_watch = |source| Fault::Watch { path: path.to_owned(), source };
    // Without a bound: one entry for each time that somebody saves, and all are taken out at once.
    let (sender, events) = mpsc::channel();
    let shared = Arc::new(Shared::default());
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    let (on_change, watched, changes) = (Arc::clone(&shared), path.to_owned(), sender.clone());
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let is_about_it = |path: &PathBuf| path.file_name() == watched.file_name();
        let is_change = event.is_ok_and(|event| {
            let may_be_missing = event.paths.is_empty();
            !matches!(event.kind, EventKind::Access(_))
                && (may_be_missing || event.paths.iter().any(is_about_it))
        });
        if is_change && on_change.look(&watched) {
            // The other end is gone only while the command ends.
            let _ = changes.send(());
        }
    })
    .map_err(cannot_watch)?;
    watcher.watch(&folder, RecursiveMode::NonRecursive).map_err(cannot_watch)?;
    let (on_interrupt, on_termination) = (Arc::clone(&shared), Arc::clone(&shared));
    let termination_sender = sender.clone();
    interrupt::on_interrupt(move || {
        on_interrupt.interrupt();
        let _ = sender.send(());
    });
    interrupt::on_termination(move |_| {
        on_termination.interrupt();
        let _ = termination_sender.send(());
    });
    loop {
        let begun = Round { stop: shared.begin(path), shared: Arc::clone(&shared) };
        if let Err(fault) = round(&begun) {
            report::print_fault(&fault);
        }
        if shared.is_interrupted.load(Ordering::SeqCst) {
            return Ok(Ending::Fine);
        }
        // What changed while the round went on has sent its event already.
        message::print(&format!("watching {}; Ctrl-C ends\n", path.display()));
        if !wait_for_change(&events, &shared, path) {
            return Ok(Ending::Fine);
        }
        message::print(&format!("{} has changed\n", path.display()));
    }
}

/// Waits until the file holds another text, and for a moment longer; false on Ctrl-C.
fn wait_for_change(events: &Receiver<()>, shared: &Shared, path: &Path) -> bool {
    while events.recv().is_ok() {
        while events.recv_timeout(QUIET) != Err(RecvTimeoutError::Timeout) {
            if shared.is_interrupted.load(Ordering::SeqCst) {
                return false;
            }
        }
        if shared.is_interrupted.load(Ordering::SeqCst) {
            return false;
        }
        if shared.look(path) {
            return true;
        }
    }
    false
}
