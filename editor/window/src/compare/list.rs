//! The list of differences.

use hasse_ui::{Compare as UiCompare, EditorWindow, LineOfList};
use slint::ComponentHandle;

use crate::models::Rows;

/// The list of differences.
pub(crate) struct Comparing {
    pub(super) lines: Rows<LineOfList>,
}

impl Comparing {
    pub(crate) fn new(window: &EditorWindow) -> Self {
        let lines = Rows::new();
        window.global::<UiCompare>().set_lines(lines.model());
        Self { lines }
    }
}
