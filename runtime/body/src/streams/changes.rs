//! Changes in a folder, as the operating system reports them.
//!
//! A report only says where to look: the files themselves say what has changed. Some file systems, such as those of other machines, report
//! nothing, and some systems allow few watchers. So the folder is also looked at from time to time, and often where it has no watcher.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use parking_lot::{Condvar, Mutex};

/// Time between two looks at a folder without a watcher.
const LOOK_OFTEN: Duration = Duration::from_millis(20);

/// Time between two looks at a folder that has a watcher.
const LOOK_ANYWAY: Duration = Duration::from_secs(1);

/// Maximum number of reported names before the whole folder is looked at.
const MOST_NAMES: usize = 1_000;

/// Reports of changes in a folder.
pub(super) struct Changes {
    board: Arc<Board>,
    /// Longest wait for a report.
    period: Duration,
    /// Reports until it is dropped; `None` where the system has none.
    _watcher: Option<RecommendedWatcher>,
}

/// Reports that have not been taken.
#[derive(Default)]
struct Board {
    reported: Mutex<Reported>,
    has_changed: Condvar,
}

/// Files that may have changed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum Reported {
    #[default]
    Nothing,
    /// Names of files.
    Names(BTreeSet<OsString>),
    /// Any file of the folder.
    All,
}

/// Ends the wait for a report.
#[derive(Clone)]
pub(super) struct Waker(Arc<Board>);

impl fmt::Debug for Waker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Waker").finish_non_exhaustive()
    }
}

impl Waker {
    pub(super) fn wake(&self) {
        self.0.report(None);
    }
}

impl Board {
    /// Reports a file, or all of them.
    fn report(&self, name: Option<&OsStr>) {
        let mut reported = self.reported.lock();
        match (&mut *reported, name) {
            (Reported::All, _) => {}
            (Reported::Nothing, Some(name)) => *reported = Reported::Names(BTreeSet::from([name.to_owned()])),
            (Reported::Names(names), Some(name)) if names.len() < MOST_NAMES => {
                names.insert(name.to_owned());
            }
            (Reported::Names(_), Some(_)) | (_, None) => *reported = Reported::All,
        }
        drop(reported);
        self.has_changed.notify_all();
    }
}

impl Changes {
    /// Reports changes in a folder from now on; if `only` is set, those of one file.
    pub(super) fn of(folder: &Path, only: Option<OsString>) -> Self {
        let board = Arc::new(Board::default());
        let (of_watcher, watched) = (Arc::clone(&board), folder.to_owned());
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            let Ok(event) = event else { return of_watcher.report(None) };
            if matches!(event.kind, EventKind::Access(_)) {
                return;
            }
            if event.need_rescan() || event.paths.is_empty() {
                of_watcher.report(None);
            }
            for path in &event.paths {
                let name = path.file_name().filter(|_| path.parent() == Some(&watched));
                if only.is_none() || name.is_none() || name == only.as_deref() {
                    of_watcher.report(name);
                }
            }
        });
        let watcher = watcher.and_then(|mut watcher| {
            watcher.watch(folder, RecursiveMode::NonRecursive)?;
            Ok(watcher)
        });
        let watcher = watcher.ok();
        let period = if watcher.is_some() { LOOK_ANYWAY } else { LOOK_OFTEN };
        Self { board, period, _watcher: watcher }
    }

    pub(super) fn waker(&self) -> Waker {
        Waker(Arc::clone(&self.board))
    }

    /// Waits for a report, then for those that come within `more`: a file is often written in several steps.
    pub(super) fn wait(&self, more: Duration) -> Reported {
        let mut reported = self.board.reported.lock();
        while *reported == Reported::Nothing {
            if self.board.has_changed.wait_for(&mut reported, self.period).timed_out() {
                std::mem::take(&mut *reported);
                return Reported::All;
            }
        }
        if let Reported::Names(_) = &*reported {
            drop(reported);
            thread::sleep(more);
            reported = self.board.reported.lock();
        }
        std::mem::take(&mut *reported)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::ffi::OsStr;

    use super::{Board, MOST_NAMES, Reported};

    #[test]
    fn many_names_become_the_whole_folder() {
        let board = Board::default();
        board.report(Some(OsStr::new("a")));
        board.report(Some(OsStr::new("a")));
        assert_eq!(*board.reported.lock(), Reported::Names(BTreeSet::from(["a".into()])));
        for k in 0..=MOST_NAMES {
            board.report(Some(OsStr::new(&k.to_string())));
        }
        assert_eq!(*board.reported.lock(), Reported::All);
        board.report(Some(OsStr::new("b")));
        assert_eq!(*board.reported.lock(), Reported::All);
    }
}
