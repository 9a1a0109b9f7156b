//! Opening, saving, and what happens to the file meanwhile: changes on the disk, autosaves, what was kept of a crash.

use std::path::{Path, PathBuf};

use hasse_compiler::format;

use super::config::Config;
use super::draft::program::OpenDraft;
use super::editor::Editor;
use super::offer::{Choice, Matter, Offer};
use super::request::Request;
use crate::edit::graph;
use crate::files::autosave::{self, Recovery};
use crate::files::differences::differences;
use crate::files::merge::{Merged, Side, merge, merge_preferring};
use crate::files::watch::{Change, FileWatcher};
use crate::files::{self, FileError, recent};

/// The program's file.
pub(super) mod file;
/// A thread that keeps texts, so that no edit waits for the disk.
mod keeper;
/// What is kept for a crash, and offered after one.
mod recovery;

use file::{Intent, Storage};

impl Editor {
    /// An editor of a file; offers what was kept of it.
    ///
    /// # Errors
    /// The file cannot be read, or is no text.
    pub fn of_file(config: Config, path: &Path) -> Result<Self, FileError> {
        let text = files::open(path)?;
        let mut editor = Self::of_text(config, &text);
        editor.take_file(path, text);
        Ok(editor)
    }

    /// Opens a file in place of the program; where that is not saved, asks first. What fails is the status.
    pub fn open(&mut self, path: &Path) {
        self.leave_for(Intent::Open(path.to_owned()));
    }

    /// A new program in place of the one that is open; where that is not saved, asks first.
    pub fn new_program(&mut self) {
        self.leave_for(Intent::New);
    }

    /// Takes the program of a record in place of a new one in which nothing was done; it has no file. Whether it was so.
    pub fn take_recorded(&mut self, text: &str) -> bool {
        let is_untouched = self.storage.path.is_none() && self.document.is_saved() && self.offer.is_none();
        if is_untouched {
            self.cancel();
            self.take_program(text);
            self.say("Opened the program of the record");
        }
        is_untouched
    }

    /// Asks for the window to be closed, at once or once the program is saved or given up: see [`Request::Close`].
    pub fn close(&mut self) {
        self.leave_for(Intent::Close);
    }

    pub(super) fn leave_for(&mut self, intent: Intent) {
        self.cancel();
        if self.document.is_saved() {
            return self.leave_models(intent);
        }
        self.storage.intent = Some(intent);
        self.ask(Matter::Unsaved);
    }

    /// The program is saved or given up; its models may not be. They stay where another program is opened.
    fn leave_models(&mut self, intent: Intent) {
        if intent != Intent::Close || !self.storage.has_unsaved_models {
            return self.leave(intent);
        }
        self.storage.intent = Some(intent);
        self.ask(Matter::UnsavedModels);
    }

    /// Tells that there are models of expected behavior that are not saved, or none any more. They are asked about before
    /// the window is closed.
    pub fn set_unsaved_models(&mut self, has_unsaved_models: bool) {
        self.storage.has_unsaved_models = has_unsaved_models;
    }

    /// Goes on with what [`Request::SaveModels`] was asked for, or gives it up where they could not be saved.
    pub fn models_saved(&mut self, are_saved: bool) {
        let intent = self.storage.intent.take();
        if let Some(intent) = intent.filter(|_| are_saved) {
            self.storage.has_unsaved_models = false;
            self.leave(intent);
        }
    }

    fn leave(&mut self, intent: Intent) {
        self.storage.intent = None;
        match intent {
            Intent::New => {
                self.forget_kept();
                self.storage = self.fresh_storage();
                self.take_program(&graph::new_program("main"));
                self.say("New program");
            }
            Intent::Draft(draft) => {
                self.forget_kept();
                self.storage = self.fresh_storage();
                self.take_program(&draft.text);
                self.say(format!("Opened a copy of {}; Ctrl+S asks where to save it.", draft.name));
                self.storage.draft = Some(OpenDraft::new(&draft));
            }
            Intent::Open(path) => match files::open(&path) {
                Ok(text) => {
                    self.forget_kept();
                    self.storage = self.fresh_storage();
                    self.take_program(&text);
                    self.take_file(&path, text);
                }
                Err(error) => self.refuse(super::capital(&error.to_string())),
            },
            Intent::Close => {
                self.forget_kept();
                self.requests.push(Request::Close);
                self.changed();
            }
        }
    }

    fn fresh_storage(&mut self) -> Storage {
        self.offer = None;
        let keeper = self.storage.keeper.take();
        Storage { keeper, ..Storage::new(&Config { state_folder: None, ..self.config.clone() }) }
    }

    fn take_file(&mut self, path: &Path, text: String) {
        self.storage.path = Some(path.to_owned());
        self.watch(path, &text);
        self.remember(path);
        if let Some(folder) = &self.config.state_folder
            && let Recovery::Newer(kept) | Recovery::Both(kept) = autosave::recover(folder, path, Some(&text))
        {
            self.storage.base = Some(text);
            self.ask(Matter::Recovery(kept));
        } else {
            self.storage.base = Some(text);
        }
        self.say(format!("Opened {}", path.display()));
    }

    fn watch(&mut self, path: &Path, text: &str) {
        let wake = self.config.wake.clone();
        // Without a watcher the file is read before it is written.
        self.storage.watcher = FileWatcher::new(path, text, move || wake()).ok();
    }

    fn remember(&mut self, path: &Path) {
        if let Some(folder) = &self.config.state_folder
            && let Err(error) = recent::remember(folder, path)
        {
            self.refuse(super::capital(&error.to_string()));
        }
    }

    /// Returns whether the program is left once a question is answered, or once it is saved.
    pub fn is_leaving(&self) -> bool {
        self.storage.intent.is_some()
    }

    /// Stays with the program, as it was not saved.
    pub fn stay(&mut self) {
        self.storage.intent = None;
    }

    /// The files that were open, the latest first.
    pub fn recent(&self) -> Vec<PathBuf> {
        self.config.state_folder.as_deref().map(recent::recent).unwrap_or_default()
    }

    /// The program's file; `None` where it was never saved.
    pub fn path(&self) -> Option<&Path> {
        self.storage.path.as_deref()
    }

    fn name(&self) -> String {
        let name = self.storage.path.as_deref().and_then(Path::file_name);
        name.map_or_else(|| "The new program".to_owned(), |name| name.to_string_lossy().into_owned())
    }

    /// What stands above the window: the file's name, with a dot before it while it is not saved.
    pub fn title(&self) -> String {
        let name = self.storage.path.as_deref().and_then(Path::file_name);
        let name = match (name, &self.storage.draft) {
            (Some(name), _) => name.to_string_lossy().into_owned(),
            (None, Some(draft)) => format!("{} (not saved)", draft.file_name()),
            (None, None) => "New program".to_owned(),
        };
        if self.document.is_saved() { name } else { format!("\u{25cf} {name}") }
    }

    /// Saves the program; asks for a file where it has none, and what to do where someone else has changed it. Tells
    /// whether it is saved now.
    pub fn save(&mut self) -> bool {
        self.cancel();
        let Some(path) = self.storage.path.clone() else {
            self.requests.push(Request::SaveDialog);
            self.changed();
            return false;
        };
        if let Some(change) = self.look_at_file(&path) {
            self.take_change(change, true);
        }
        if self.storage.theirs.is_some() {
            self.ask_about_disk();
            self.refuse("Not saved: the file was changed on the disk.");
            return false;
        }
        self.put_in_form();
        self.write(&path)
    }

    /// Puts the program into canonical form, as `hasse fmt` does, unless its file was written in another form: what a
    /// person laid out by hand remains so. A text that is no TOML remains as it is.
    fn put_in_form(&mut self) {
        let is_in_form = |text: &str| {
            let text = text.replace("\r\n", "\n");
            format(&text).is_ok_and(|formatted| formatted == text)
        };
        if self.storage.base.as_deref().is_none_or(is_in_form)
            && let Ok(text) = format(self.document.text())
            && self.document.replace("put into canonical form", &text)
        {
            self.refresh();
        }
    }

    /// What the file holds, where that is not what is known of it.
    fn look_at_file(&self, path: &Path) -> Option<Change> {
        if let Some(watcher) = &self.storage.watcher {
            return watcher.check();
        }
        let text = files::open(path).ok()?;
        (self.storage.base.as_ref() != Some(&text)).then_some(Change::Changed(text))
    }

    /// Saves the program to another file, which is its own from then on. Tells whether it is saved now. What the file
    /// held is lost: the dialog has asked.
    pub fn save_as(&mut self, path: &Path) -> bool {
        self.cancel();
        self.put_in_form();
        let text = self.document.to_file();
        if let Err(error) = files::save(path, &text) {
            self.refuse(super::capital(&error.to_string()));
            return false;
        }
        self.forget_kept();
        if let Some(draft) = self.storage.draft.take()
            && let Err(error) = draft.put_beside(path)
        {
            self.refuse(format!("The program is saved, but not the files that it reads: {error}."));
        }
        self.storage.path = Some(path.to_owned());
        self.storage.theirs = None;
        self.watch(path, &text);
        self.remember(path);
        self.is_written(path, text)
    }

    fn write(&mut self, path: &Path) -> bool {
        let text = self.document.to_file();
        let done = match &self.storage.watcher {
            Some(watcher) => watcher.save(&text),
            None => files::save(path, &text),
        };
        match done {
            Ok(()) => self.is_written(path, text),
            Err(error) => {
                self.refuse(super::capital(&error.to_string()));
                false
            }
        }
    }

    fn is_written(&mut self, path: &Path, text: String) -> bool {
        self.storage.base = Some(text);
        self.storage.theirs = None;
        self.document.mark_saved();
        self.forget_kept();
        self.say(format!("Saved {}", path.display()));
        if let Some(intent) = self.storage.intent.take() {
            self.offer = None;
            self.leave_models(intent);
        }
        true
    }

    /// The question that is open.
    pub fn offer(&self) -> Option<&Offer> {
        self.offer.as_ref()
    }

    fn ask(&mut self, matter: Matter) {
        self.offer = Some(Offer::new(matter, &self.name()));
        self.changed();
    }

    fn ask_about_disk(&mut self) {
        let Some(text) = self.storage.theirs.clone() else { return };
        let base = self.storage.base.clone().unwrap_or_default();
        let conflicts = match merge(&base, self.document.text(), &text) {
            Merged::Text(_) => Vec::new(),
            Merged::Conflicts(conflicts) => conflicts,
        };
        let differences = differences(self.document.text(), &text);
        self.ask(Matter::ChangedOnDisk { text, conflicts });
        if let Some(offer) = &mut self.offer {
            offer.differences = differences;
        }
    }

    /// Answers the open question.
    pub fn answer(&mut self, choice: Choice) {
        let Some(offer) = self.offer.take() else { return };
        self.changed();
        match offer.matter {
            Matter::Recovery(kept) => self.answer_recovery(&kept, choice),
            Matter::ChangedOnDisk { text, .. } => self.answer_disk(text, choice),
            Matter::Removed => {
                if choice == Choice::Save
                    && let Some(path) = self.storage.path.clone()
                {
                    self.write(&path);
                }
            }
            Matter::Unsaved => match (choice, self.storage.intent.take()) {
                (Choice::Save, intent) => {
                    self.storage.intent = intent;
                    self.save();
                }
                (Choice::Discard, Some(intent)) => self.leave_models(intent),
                _ => {}
            },
            Matter::UnsavedModels => match (choice, self.storage.intent.take()) {
                (Choice::Save, intent) => {
                    self.storage.intent = intent;
                    self.requests.push(Request::SaveModels);
                }
                (Choice::Discard, Some(intent)) => self.leave(intent),
                _ => {}
            },
        }
    }

    fn answer_disk(&mut self, text: String, choice: Choice) {
        let base = self.storage.base.clone().unwrap_or_default();
        let ours = self.document.text().to_owned();
        let merged = match choice {
            Choice::TakeTheirs => text.clone(),
            Choice::Merge => merge_preferring(Side::Ours, &base, &ours, &text),
            Choice::MergeTheirs => merge_preferring(Side::Theirs, &base, &ours, &text),
            Choice::Overwrite => {
                self.storage.theirs = None;
                self.storage.base = Some(text);
                if let Some(path) = self.storage.path.clone() {
                    self.write(&path);
                }
                return;
            }
            _ => return,
        };
        self.storage.theirs = None;
        self.storage.base = Some(text);
        self.take_merged(&merged);
    }

    /// Takes a text over in which the file's changes are.
    fn take_merged(&mut self, merged: &str) {
        self.cancel();
        self.document.replace("take over changes of the file", merged);
        if Some(self.document.to_file()) == self.storage.base {
            self.document.mark_saved();
        }
        self.refresh();
        self.say("Took over changes of the file.");
    }

    /// What someone else did to the file. While it is being saved, nothing is taken over without a question.
    fn take_change(&mut self, change: Change, is_saving: bool) {
        match change {
            Change::Changed(text) => {
                let is_known = self.storage.base.as_ref() == Some(&text);
                self.storage.theirs = (!is_known).then(|| text.clone());
                if is_known || is_saving {
                    return;
                }
                let base = self.storage.base.clone().unwrap_or_default();
                match merge(&base, self.document.text(), &text) {
                    Merged::Text(merged) => {
                        self.storage.theirs = None;
                        self.storage.base = Some(text);
                        self.take_merged(&merged);
                    }
                    Merged::Conflicts(_) => self.ask_about_disk(),
                }
            }
            Change::Removed if is_saving => {}
            Change::Removed => self.ask(Matter::Removed),
            Change::Unreadable(error) => self.refuse(super::capital(&error.to_string())),
        }
    }
}
