//! Making edits, and showing what they change.

use hasse_editor::document::Document;
use hasse_editor::edit::EditError;
use toml_edit::DocumentMut;

/// Makes an edit, and checks that undoing it gives the same bytes.
pub(crate) fn edited<R>(
    text: &str,
    edit: impl FnOnce(&mut DocumentMut) -> Result<R, EditError>,
) -> Result<(String, R), EditError> {
    let mut document = Document::new(text);
    let mut given = None;
    let done = document.edit("edit", |tables| {
        given = Some(edit(tables)?);
        Ok(())
    });
    if let Err(error) = done {
        assert_eq!(document.text(), text);
        return Err(error);
    }
    let new = document.text().to_owned();
    document.undo();
    assert_eq!(document.text(), text);
    document.redo();
    assert_eq!(document.text(), new);
    Ok((new, given.unwrap()))
}

/// Lines that are gone and lines that are new.
pub(crate) fn difference(old: &str, new: &str) -> String {
    let diff = similar::TextDiff::from_lines(old, new);
    let changed = diff.iter_all_changes().filter(|change| change.tag() != similar::ChangeTag::Equal);
    changed.map(|change| format!("{}{}", change.tag(), change.value())).collect()
}

/// Why an edit is refused.
pub(crate) fn refused<R: std::fmt::Debug>(
    text: &str,
    edit: impl FnOnce(&mut DocumentMut) -> Result<R, EditError>,
) -> String {
    edited(text, edit).unwrap_err().to_string()
}
