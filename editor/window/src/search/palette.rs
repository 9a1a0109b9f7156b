//! The palette while it is open.

use hasse_editor::drawing::connect::PortName;
use hasse_editor::drawing::geometry::Point;
use hasse_editor::edit::place::Position;
use hasse_editor::panels::search_popup::SearchPopup;
use hasse_ui::{EditorWindow, PaletteItem, Search as UiSearch};
use slint::ComponentHandle;

use crate::models::Rows;

/// The palette while it is open.
pub(crate) struct Search {
    pub(super) rows: Rows<PaletteItem>,
    pub(super) popup: Option<SearchPopup>,
    pub(super) title: String,
    pub(super) at: Point,
    /// Where a new node goes, and what it is connected with.
    pub(super) place: Position,
    pub(super) from: Option<PortName>,
}

impl Search {
    pub(crate) fn new(window: &EditorWindow) -> Self {
        let rows = Rows::new();
        window.global::<UiSearch>().set_items(rows.model());
        Self { rows, popup: None, title: String::new(), at: Point::default(), place: [0, 0], from: None }
    }

    pub(crate) fn is_open(&self) -> bool {
        self.popup.is_some()
    }
}
