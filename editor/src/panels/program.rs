//! What panels need of the program that they change.

use toml_edit::DocumentMut;

use crate::document::Document;
use crate::edit::EditError;

/// A program that is changed in steps that can be undone: a [`Document`], or what holds one and shows what becomes of it.
pub trait Program {
    /// The text.
    fn text(&self) -> &str;

    /// Another number for each change of the text.
    fn revision(&self) -> u64;

    /// As [`Document::edit`].
    ///
    /// # Errors
    /// As there.
    fn edit(
        &mut self,
        label: &str,
        edit: impl FnOnce(&mut DocumentMut) -> Result<(), EditError>,
    ) -> Result<bool, EditError>;

    /// As [`Document::type_on`].
    ///
    /// # Errors
    /// As there.
    fn edit_on(
        &mut self,
        label: &str,
        key: &str,
        edit: impl FnOnce(&mut DocumentMut) -> Result<(), EditError>,
    ) -> Result<bool, EditError>;

    /// As [`Document::seal`].
    fn seal(&mut self);

    /// As [`Document::undo`].
    fn undo(&mut self) -> Option<String>;
}

impl Program for Document {
    fn text(&self) -> &str {
        self.text()
    }

    fn revision(&self) -> u64 {
        self.revision()
    }

    fn edit(
        &mut self,
        label: &str,
        edit: impl FnOnce(&mut DocumentMut) -> Result<(), EditError>,
    ) -> Result<bool, EditError> {
        self.edit(label, edit)
    }

    fn edit_on(
        &mut self,
        label: &str,
        key: &str,
        edit: impl FnOnce(&mut DocumentMut) -> Result<(), EditError>,
    ) -> Result<bool, EditError> {
        self.type_on(label, key, edit)
    }

    fn seal(&mut self) {
        self.seal();
    }

    fn undo(&mut self) -> Option<String> {
        self.undo()
    }
}
