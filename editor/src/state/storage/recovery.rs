//! What is kept of programs that are not saved, and what is offered of it after a crash.

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::super::editor::Editor;
use super::super::offer::{Choice, Matter};
use super::keeper::Keeper;
use crate::files::autosave;
use crate::files::watch::FileWatcher;

/// How long a change may be without an autosave.
const AUTOSAVE_PAUSE: Duration = Duration::from_secs(3);
/// How the names of programs begin that were never saved.
const UNSAVED: &str = "unsaved-";

impl Editor {
    pub(super) fn answer_recovery(&mut self, kept: &autosave::Autosave, choice: Choice) {
        match choice {
            Choice::Recover => {
                self.cancel();
                self.document.replace("recover what was not saved", &kept.text);
                self.refresh();
                self.say("Took over what was not saved.");
            }
            Choice::Discard => {}
            _ => return self.ask_next_unsaved(),
        }
        if let Some(keeper) = &self.storage.keeper {
            keeper.forget(&kept.path);
        }
        self.storage.kept = None;
        // A program without a file holds one text: the others wait for the next start.
        if choice == Choice::Discard {
            self.ask_next_unsaved();
        }
    }

    /// Looks at the file and keeps what is not saved.
    pub(in super::super) fn poll_storage(&mut self) {
        // A drag is not disturbed: the change is taken in behind it.
        if !self.is_gesture()
            && let Some(change) = self.storage.watcher.as_ref().and_then(FileWatcher::poll)
        {
            self.take_change(change, false);
        }
        let revision = self.document.revision();
        if self.document.is_saved() || self.storage.keeper.is_none() || self.storage.kept == Some(revision) {
            self.storage.waiting_since = None;
            return;
        }
        let since = *self.storage.waiting_since.get_or_insert(self.now);
        if self.now.saturating_sub(since) < AUTOSAVE_PAUSE
            || matches!(self.offer_matter(), Some(Matter::Recovery(_)))
        {
            return;
        }
        let path = self.kept_path();
        let time_secs = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        if let (Some(keeper), Some(path)) = (&self.storage.keeper, path) {
            keeper.keep(path, self.document.to_file(), self.storage.base.clone(), time_secs);
            self.storage.kept = Some(revision);
            self.storage.waiting_since = None;
        }
        if let Some(error) = self.storage.keeper.as_ref().and_then(Keeper::failure) {
            self.refuse(format!("Cannot keep what is not saved: {error}"));
        }
    }

    fn offer_matter(&self) -> Option<&Matter> {
        self.offer.as_ref().map(|offer| &offer.matter)
    }

    /// Whether an autosave is due later.
    pub(in super::super) fn has_to_autosave(&self) -> bool {
        self.storage.keeper.is_some()
            && !self.document.is_saved()
            && self.storage.kept != Some(self.document.revision())
    }

    /// Under which name the program is kept.
    fn kept_path(&self) -> Option<PathBuf> {
        let folder = self.config.state_folder.as_ref()?;
        let unsaved = || folder.join(format!("{UNSAVED}{}.hasse", std::process::id()));
        Some(self.storage.path.clone().unwrap_or_else(unsaved))
    }

    pub(super) fn forget_kept(&mut self) {
        if let (Some(keeper), Some(path)) = (&self.storage.keeper, self.kept_path()) {
            keeper.forget(&path);
        }
        self.storage.kept = None;
    }

    /// Offers what was kept of programs that were never saved.
    pub(in super::super) fn offer_unsaved(&mut self) {
        let Some(folder) = &self.config.state_folder else { return };
        let is_unsaved = |kept: &autosave::Autosave| {
            let name = kept.path.file_name().map(|name| name.to_string_lossy().into_owned());
            name.is_some_and(|name| name.starts_with(UNSAVED))
        };
        let mut kept = autosave::all(folder);
        kept.retain(is_unsaved);
        kept.reverse();
        self.storage.unsaved = kept;
        self.ask_next_unsaved();
    }

    fn ask_next_unsaved(&mut self) {
        if let Some(kept) = self.storage.unsaved.pop() {
            self.ask(Matter::Recovery(kept));
        }
    }
}
