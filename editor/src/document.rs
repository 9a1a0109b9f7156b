//! The program under edit: its text, and all that can be undone.
//!
//! The text is the truth. Each edit makes a new text and is kept as the patch between the two, so that undoing gives
//! back the same bytes whatever the edit was, and comments, order and spelling of what an edit does not touch stay as
//! they are.

/// Steps that can be undone and made again.
mod history;
/// What differs between two texts.
mod patch;

use toml_edit::DocumentMut;

use crate::edit::EditError;
use history::{History, Key};
use patch::Patch;

/// A program's text with its history.
#[derive(Clone, Debug)]
pub struct Document {
    text: String,
    /// Whether the file ends its lines with carriage return and line feed. `text` never does.
    has_carriage_returns: bool,
    history: History,
    revision: u64,
}

impl Document {
    /// A document that holds what a file does; nothing can be undone yet.
    pub fn new(text: &str) -> Self {
        let has_carriage_returns = text.contains("\r\n");
        Self {
            text: text.replace("\r\n", "\n"),
            has_carriage_returns,
            history: History::default(),
            revision: 0,
        }
    }

    /// The text; lines end with line feeds.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What is to be written to the file: the text with the line ends that the file had.
    pub fn to_file(&self) -> String {
        if self.has_carriage_returns { self.text.replace('\n', "\r\n") } else { self.text.clone() }
    }

    /// Another number for each change of the text, undoing included.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Edits the program's tables as one step called `label`. Tells whether anything changed; where nothing did, or
    /// `edit` fails, there is no step.
    ///
    /// # Errors
    /// The text is no TOML, or what `edit` gives. Cost: reads and writes the whole text.
    pub fn edit(
        &mut self,
        label: &str,
        edit: impl FnOnce(&mut DocumentMut) -> Result<(), EditError>,
    ) -> Result<bool, EditError> {
        self.edit_as(label, Key::None, edit)
    }

    /// As [`edit`](Self::edit); but where the step before has the same key, both become one.
    ///
    /// # Errors
    /// As for [`edit`](Self::edit).
    pub fn edit_on(
        &mut self,
        label: &str,
        key: &str,
        edit: impl FnOnce(&mut DocumentMut) -> Result<(), EditError>,
    ) -> Result<bool, EditError> {
        self.edit_as(label, Key::Of(key), edit)
    }

    /// As [`edit_on`](Self::edit_on); but a step ends where the next edit is at another place: a word typed letter by letter is
    /// undone as a whole.
    ///
    /// # Errors
    /// As for [`edit`](Self::edit).
    pub fn type_on(
        &mut self,
        label: &str,
        key: &str,
        edit: impl FnOnce(&mut DocumentMut) -> Result<(), EditError>,
    ) -> Result<bool, EditError> {
        self.edit_as(label, Key::Typed(key), edit)
    }

    fn edit_as(
        &mut self,
        label: &str,
        key: Key<'_>,
        edit: impl FnOnce(&mut DocumentMut) -> Result<(), EditError>,
    ) -> Result<bool, EditError> {
        let mut tables: DocumentMut = self.text.parse().map_err(|_| EditError::NotReadable)?;
        edit(&mut tables)?;
        Ok(self.take(label, key, tables.to_string()))
    }

    /// Replaces the whole text, as one step: for what was typed as text, or came from the disk. Tells whether anything
    /// changed.
    pub fn replace(&mut self, label: &str, text: &str) -> bool {
        self.take(label, Key::None, text.replace("\r\n", "\n"))
    }

    /// As [`replace`](Self::replace), one step with the one before where that has the same key and ends at the same place.
    pub fn replace_on(&mut self, label: &str, key: &str, text: &str) -> bool {
        self.take(label, Key::Typed(key), text.replace("\r\n", "\n"))
    }

    fn take(&mut self, label: &str, key: Key<'_>, text: String) -> bool {
        let Some(patch) = Patch::between(&self.text, &text) else { return false };
        self.history.push(label, key, patch, &self.text);
        self.text = text;
        self.revision += 1;
        true
    }

    /// Makes all edits of `edits` one step called `label`.
    ///
    /// # Errors
    /// What `edits` gives; then all of them are undone, and there is no step.
    pub fn group<R>(
        &mut self,
        label: &str,
        edits: impl FnOnce(&mut Self) -> Result<R, EditError>,
    ) -> Result<R, EditError> {
        self.history.open();
        let done = edits(self);
        match done {
            Ok(_) => self.history.close(label),
            Err(_) => {
                self.history.abandon().undo(&mut self.text);
                self.revision += 1;
            }
        }
        done
    }

    /// Closes the step under way: what is typed next is undone by itself.
    pub fn seal(&mut self) {
        self.history.seal();
    }

    /// Returns whether what is typed next may become part of the last step.
    pub fn is_typing(&self) -> bool {
        self.history.is_typing()
    }

    /// Undoes the last step; gives its label.
    pub fn undo(&mut self) -> Option<String> {
        let step = self.history.back()?;
        step.undo(&mut self.text);
        self.revision += 1;
        Some(step.label)
    }

    /// Makes the step again that was undone last; gives its label.
    pub fn redo(&mut self) -> Option<String> {
        let step = self.history.forth()?;
        step.redo(&mut self.text);
        self.revision += 1;
        Some(step.label)
    }

    /// The step that [`undo`](Self::undo) would undo.
    pub fn next_undo(&self) -> Option<&str> {
        self.history.next_back()
    }

    /// The step that [`redo`](Self::redo) would make again.
    pub fn next_redo(&self) -> Option<&str> {
        self.history.next_forth()
    }

    /// Notes that the file holds this text now.
    pub fn mark_saved(&mut self) {
        self.history.mark();
    }

    /// Whether the text is that of the file, by the steps since [`mark_saved`](Self::mark_saved).
    pub fn is_saved(&self) -> bool {
        self.history.is_at_mark()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(document: &mut Document, key: &str, number: i64) -> Result<bool, EditError> {
        document.edit_on("set", key, |tables| {
            tables[key] = toml_edit::value(number);
            Ok(())
        })
    }

    #[test]
    fn what_is_typed_into_one_place_is_one_step() {
        let mut document = Document::new("# kept\na = 1\n");
        for number in [12, 123] {
            assert_eq!(set(&mut document, "a", number), Ok(true));
        }
        assert_eq!(set(&mut document, "a", 123), Ok(false));
        assert_eq!(document.text(), "# kept\na = 123\n");
        document.mark_saved();
        assert_eq!(set(&mut document, "a", 1234), Ok(true));
        assert!(!document.is_saved());
        assert_eq!(document.undo().as_deref(), Some("set"));
        assert!(document.is_saved());
        assert_eq!(document.undo().as_deref(), Some("set"));
        assert_eq!(document.text(), "# kept\na = 1\n");
        assert_eq!(document.undo(), None);
        assert_eq!(document.redo().as_deref(), Some("set"));
        assert!(document.is_saved());
        assert_eq!(document.undo().as_deref(), Some("set"));
        assert_eq!(set(&mut document, "a", 2), Ok(true));
        assert_eq!(document.redo(), None);
        assert_eq!(document.undo().as_deref(), Some("set"));
        assert!(!document.is_saved(), "no steps lead to what was saved any more");
    }

    #[test]
    fn a_group_is_one_step_and_a_failed_one_none() {
        let mut document = Document::new("a = 1\r\nb = 1\r\n");
        let both = document.group("both", |document| {
            set(document, "a", 2)?;
            let inner: Result<(), EditError> = document.group("inner", |document| {
                set(document, "b", 5)?;
                Err(EditError::NotReadable)
            });
            assert_eq!(inner, Err(EditError::NotReadable));
            set(document, "b", 2)
        });
        assert_eq!(both, Ok(true));
        assert_eq!(document.to_file(), "a = 2\r\nb = 2\r\n");
        assert_eq!(document.next_undo(), Some("both"));
        let failed: Result<(), EditError> = document.group("failed", |document| {
            set(document, "a", 3)?;
            Err(EditError::NotReadable)
        });
        assert_eq!(failed, Err(EditError::NotReadable));
        assert_eq!(document.text(), "a = 2\nb = 2\n");
        assert_eq!(document.undo().as_deref(), Some("both"));
        assert_eq!(document.undo(), None);
        assert_eq!(document.to_file(), "a = 1\r\nb = 1\r\n");
    }
}
