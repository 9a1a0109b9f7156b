//! Programs to begin with that have no file yet: templates and examples.

/// A program to begin with, and its files.
pub(super) mod program;

use std::path::{Path, PathBuf};

use super::editor::Editor;
use super::storage::file::Intent;
pub use program::Draft;
use program::OpenDraft;

impl Editor {
    /// Opens a program without a file in place of the one that is open; where that is not saved, asks first.
    pub fn open_draft(&mut self, draft: Draft) {
        self.leave_for(Intent::Draft(draft));
    }

    /// The path that runs have of the program: its file, or where the files of a draft are. `None` where bodies have
    /// nothing to read.
    pub fn run_path(&self) -> Option<PathBuf> {
        let draft = || self.storage.draft.as_ref()?.path();
        self.path().map(Path::to_owned).or_else(draft)
    }

    /// The name of the file that a program without one would be saved as.
    pub fn suggested_name(&self) -> String {
        self.storage.draft.as_ref().map_or_else(|| "program.hasse".to_owned(), OpenDraft::file_name)
    }
}
