//! Changes of a program file that someone else makes.
//!
//! The folder is watched, not the file: editors replace files by others of the same name. What counts is the content:
//! what the editor itself wrote, and saving a file unchanged, are no changes.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fs, io};

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::{FileError, save, text_of};

/// What happened to the file.
#[derive(Debug)]
pub enum Change {
    /// It holds another text.
    Changed(String),
    /// It is gone.
    Removed,
    /// It holds something else that cannot be read as text.
    Unreadable(FileError),
}

/// Watches one file.
pub struct FileWatcher {
    path: PathBuf,
    known: Arc<Known>,
    events: Receiver<()>,
    wake: Sender<()>,
    /// Stops when it is dropped.
    _watcher: RecommendedWatcher,
}

/// The content that was read or written last; `None` of a file that is not there. As a hash, as programs may be large and
/// nothing else is asked of it.
#[derive(Default)]
struct Known(Mutex<Option<blake3::Hash>>);

impl Known {
    fn get(&self) -> Option<blake3::Hash> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, hash: Option<blake3::Hash>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = hash;
    }
}

impl FileWatcher {
    /// Watches a file of which `text` is known, line ends included. `wake` is called on another thread whenever something
    /// may have changed, for a window to call [`poll`](Self::poll) soon.
    ///
    /// # Errors
    /// The file's folder cannot be watched.
    pub fn new(path: &Path, text: &str, wake: impl Fn() + Send + 'static) -> Result<Self, FileError> {
        // A link may lead out of the folder: what is watched is what it leads to.
        let path = super::one_path(path);
        let cannot_watch = |source| FileError::Watch { path: path.clone(), source };
        let known = Arc::new(Known::default());
        known.set(Some(blake3::hash(text.as_bytes())));
        // Without a bound: one entry for each change on the disk, and all are taken out at once.
        let (sender, events) = mpsc::channel();
        let (watched, changes) = (path.clone(), sender.clone());
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let is_about_it = |path: &PathBuf| path.file_name() == watched.file_name();
            let is_change = event.map_or(true, |event| {
                let may_be_missing = event.paths.is_empty();
                !matches!(event.kind, EventKind::Access(_))
                    && (may_be_missing || event.paths.iter().any(is_about_it))
            });
            if is_change {
                // The other end is gone only while the watcher is dropped.
                let _ = changes.send(());
                wake();
            }
        })
        .map_err(cannot_watch)?;
        let folder = path.parent().unwrap_or(Path::new("."));
        watcher.watch(folder, RecursiveMode::NonRecursive).map_err(cannot_watch)?;
        let watcher = Self { path, known, events, wake: sender, _watcher: watcher };
        // What changed between reading the file and watching it.
        let _ = watcher.wake.send(());
        Ok(watcher)
    }

    /// Saves a text to the file, as [`save`] does, which is then no change. What someone else wrote since the last
    /// [`check`](Self::check) is lost.
    ///
    /// # Errors
    /// As for [`save`].
    pub fn save(&self, text: &str) -> Result<(), FileError> {
        // Before it is written: the change may be seen at once.
        let known = self.known.get();
        self.known.set(Some(blake3::hash(text.as_bytes())));
        save(&self.path, text).inspect_err(|_| self.known.set(known))
    }

    /// The change since the last time, if something has happened and the content differs from what is known. Does not
    /// wait. What is told is known from then on.
    pub fn poll(&self) -> Option<Change> {
        let mut has_event = false;
        while self.events.try_recv().is_ok() {
            has_event = true;
        }
        if has_event { self.check() } else { None }
    }

    /// Waits for a change; for tests and tools without a window.
    pub fn wait(&self) -> Change {
        loop {
            if let Some(change) = self.check() {
                return change;
            }
            // The watcher holds a sender itself.
            let _ = self.events.recv();
        }
    }

    /// Reads the file, whether or not something has happened, and tells where it differs from what is known: to be asked
    /// before saving. A file that is empty for a moment, as some editors leave it while they write, is a change like any
    /// other: the next one follows.
    pub fn check(&self) -> Option<Change> {
        let (hash, change) = match fs::read(&self.path) {
            Ok(bytes) => {
                let hash = blake3::hash(&bytes);
                (Some(hash), text_of(&self.path, bytes).map_or_else(Change::Unreadable, Change::Changed))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => (None, Change::Removed),
            // A moment later it may be readable; nothing is known anew.
            Err(_) => return None,
        };
        if hash == self.known.get() {
            return None;
        }
        self.known.set(hash);
        Some(change)
    }
}
