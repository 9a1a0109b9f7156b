//! Edits of the program, and what becomes of them: a new picture, or a refusal in the status.

use std::time::Duration;

use toml_edit::DocumentMut;

use super::editor::Editor;
use super::status::capital;
use crate::edit::EditError;
use crate::fixes::Fix;

/// Pause in typing after which a step of the history begins.
const TYPING_PAUSE: Duration = Duration::from_millis(1500);

impl Editor {
    /// Makes an edit of the program as one step, for panels. A gesture under way ends without effect. A refusal becomes
    /// the status.
    ///
    /// # Errors
    /// As for [`Document::edit`].
    pub fn edit(
        &mut self,
        label: &str,
        edit: impl FnOnce(&mut DocumentMut) -> Result<(), EditError>,
    ) -> Result<bool, EditError> {
        self.cancel();
        let done = self.document.edit(label, edit);
        self.after_edit(label, done)
    }

    /// As [`edit`](Self::edit), one step with the edits before of the same key.
    ///
    /// # Errors
    /// As for [`Document::edit_on`].
    pub fn edit_on(
        &mut self,
        label: &str,
        key: &str,
        edit: impl FnOnce(&mut DocumentMut) -> Result<(), EditError>,
    ) -> Result<bool, EditError> {
        self.cancel();
        let done = self.document.edit_on(label, key, edit);
        self.after_edit(label, done)
    }

    /// Replaces the whole text as one step: for what was typed as text.
    pub fn replace_text(&mut self, label: &str, text: &str) {
        self.cancel();
        self.document.replace(label, text);
        self.refresh();
    }

    /// Makes the change that a hint of the compiler asks for; whether the program is still as the compiler saw it there.
    pub fn apply_fix(&mut self, fix: &Fix) -> bool {
        let Some(text) = fix.apply(self.document.text()) else {
            self.refuse("The program was changed there since it was checked.");
            return false;
        };
        self.replace_text(&lowered(&fix.label), &text);
        self.say(fix.label.clone());
        true
    }

    /// Takes in the text as it is being typed: one step until [`end_typing`](Self::end_typing).
    pub fn type_text(&mut self, text: &str) {
        self.cancel();
        self.document.replace_on("edit the text", "text", text);
        self.refresh();
    }

    /// Closes the step of what was typed.
    pub fn end_typing(&mut self) {
        self.document.seal();
    }

    /// Closes the step of what was typed once nothing has been typed for a while.
    pub(super) fn end_typing_after_pause(&mut self) {
        let revision = self.document.revision();
        if self.typed.0 != revision {
            self.typed = (revision, self.now);
        } else if self.document.is_typing() && self.now.saturating_sub(self.typed.1) >= TYPING_PAUSE {
            self.document.seal();
        }
    }

    /// Shows what became of an edit.
    pub(super) fn after_edit(
        &mut self,
        label: &str,
        done: Result<bool, EditError>,
    ) -> Result<bool, EditError> {
        match &done {
            Ok(true) => self.say(capital(label)),
            Ok(false) => {}
            Err(error) => self.refuse(capital(&error.to_string())),
        }
        self.refresh();
        done
    }

    /// Makes an edit of the shown graph, and tells whether the program changed; a refusal is the status.
    pub(super) fn edit_graph(
        &mut self,
        label: &str,
        edit: impl FnOnce(&mut DocumentMut, &str) -> Result<(), EditError>,
    ) -> bool {
        let graph = self.graph.clone();
        self.edit(label, |tables| edit(tables, &graph)).unwrap_or(false)
    }
}

/// A label as steps are called.
fn lowered(label: &str) -> String {
    let mut letters = label.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}
