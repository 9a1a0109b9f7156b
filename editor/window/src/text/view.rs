//! The text view and its rows.

use hasse_editor::panels::program_text::ProgramText;
use hasse_ui::{CodeLine, EditorWindow, ProgramText as UiText};
use slint::ComponentHandle;

use crate::models::Rows;

/// The text view and what the window shows of it.
pub(crate) struct TextView {
    pub(super) text: ProgramText,
    pub(super) lines: Rows<CodeLine>,
    /// The first line that is seen, and how many are.
    pub(super) part: (usize, usize),
    pub(super) version: i32,
    /// Whether the keyboard is in the text: then the picture does not move it.
    pub(super) is_typing: bool,
    pub(super) shown: Option<(u64, (usize, usize), bool)>,
}

impl TextView {
    pub(crate) fn new(window: &EditorWindow) -> Self {
        let lines = Rows::new();
        window.global::<UiText>().set_lines(lines.model());
        Self { text: ProgramText::new(), lines, part: (0, 40), version: 0, is_typing: false, shown: None }
    }
}
