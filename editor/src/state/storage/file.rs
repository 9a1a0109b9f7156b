//! The program's file.

use std::path::PathBuf;
use std::time::Duration;

use super::super::config::Config;
use super::super::draft::program::{Draft, OpenDraft};
use super::keeper::Keeper;
use crate::files::autosave;
use crate::files::watch::FileWatcher;

/// What to do once nothing is lost by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Intent {
    New,
    Draft(Draft),
    Open(PathBuf),
    Close,
}

/// The program's file.
pub(in super::super) struct Storage {
    pub(super) path: Option<PathBuf>,
    /// The template or example that the program began with, until it is saved.
    pub(in super::super) draft: Option<OpenDraft>,
    pub(super) watcher: Option<FileWatcher>,
    /// What the file held when it was read or written last.
    pub(super) base: Option<String>,
    /// What the file holds now, where that is something else and not decided yet.
    pub(super) theirs: Option<String>,
    /// What was kept of other programs that were never saved.
    pub(super) unsaved: Vec<autosave::Autosave>,
    pub(super) keeper: Option<Keeper>,
    /// The revision kept last, and when the first one behind it was seen.
    pub(super) kept: Option<u64>,
    pub(super) waiting_since: Option<Duration>,
    pub(super) intent: Option<Intent>,
    pub(super) has_unsaved_models: bool,
}

impl Storage {
    pub(in super::super) fn new(config: &Config) -> Self {
        Self {
            path: None,
            draft: None,
            watcher: None,
            base: None,
            theirs: None,
            unsaved: Vec::new(),
            keeper: config.state_folder.clone().map(Keeper::new),
            kept: None,
            waiting_since: None,
            intent: None,
            has_unsaved_models: false,
        }
    }
}
