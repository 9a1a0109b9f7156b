//! Commands of the keyboard, and the edits that they make.

use std::ops::Range;

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Command {
    /// Enter: a new line, indented as the text before the cursor asks for.
    NewLine,
    /// Tab: more indentation for the selected lines; without a selection, spaces up to the next stop.
    Indent,
    /// Shift+Tab: less of it.
    Outdent,
    /// Makes the selected lines comments, or no comments where all are.
    ToggleComment,
    /// Puts a copy of the selected lines below them.
    Duplicate,
    /// Moves the selected lines above the line before.
    MoveUp,
    /// Moves the selected lines below the line behind.
    MoveDown,
    /// Takes the selected lines out.
    DeleteLines,
}

/// A change of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit {
    /// The bytes that go.
    pub range: Range<usize>,
    /// What comes in their place.
    pub replacement: String,
    /// Where the selection begins in the new text.
    pub anchor: usize,
    /// Where the cursor is in the new text.
    pub cursor: usize,
}
