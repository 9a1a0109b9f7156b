//! A thread that keeps texts that are not saved, so that no edit waits for the disk.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use crossbeam_channel::{Sender, unbounded};

use crate::files::autosave;

enum Task {
    Keep { path: PathBuf, text: String, base: Option<String>, time_secs: u64 },
    Forget(PathBuf),
}

/// Keeps and forgets texts, in the order of the calls.
pub(super) struct Keeper {
    tasks: Option<Sender<Task>>,
    worker: Option<JoinHandle<()>>,
    failure: Arc<Mutex<Option<String>>>,
}

impl Keeper {
    pub(super) fn new(folder: PathBuf) -> Self {
        // Without a bound: one text in some seconds at most.
        let (tasks, received) = unbounded();
        let failure = Arc::new(Mutex::new(None));
        let own = Arc::clone(&failure);
        let worker = thread::spawn(move || {
            for task in received {
                let done = match task {
                    Task::Keep { path, text, base, time_secs } => {
                        autosave::keep(&folder, &path, &text, base.as_deref(), time_secs)
                    }
                    Task::Forget(path) => autosave::forget(&folder, &path),
                };
                if let Err(error) = done {
                    *own.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.to_string());
                }
            }
        });
        Self { tasks: Some(tasks), worker: Some(worker), failure }
    }

    fn send(&self, task: Task) {
        if let Some(tasks) = &self.tasks {
            // The worker ends only when this is dropped.
            let _ = tasks.send(task);
        }
    }

    pub(super) fn keep(&self, path: PathBuf, text: String, base: Option<String>, time_secs: u64) {
        self.send(Task::Keep { path, text, base, time_secs });
    }

    pub(super) fn forget(&self, path: &Path) {
        self.send(Task::Forget(path.to_owned()));
    }

    /// Why the last text was not kept; told once.
    pub(super) fn failure(&self) -> Option<String> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Ends the worker once all is kept.
impl Drop for Keeper {
    fn drop(&mut self) {
        self.tasks = None;
        if let Some(worker) = self.worker.take() {
            // What it calls does not panic.
            let _ = worker.join();
        }
    }
}
