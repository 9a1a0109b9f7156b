//! The tabs, and the second pane as it was drawn last.

use hasse_editor::drawing::geometry::Point;
use hasse_editor::state::picture::Picture;
use hasse_ui::{App, EditorWindow};
use slint::{ComponentHandle, SharedString};

use crate::canvas::PaneSheet;
use crate::models::Rows;

/// Tabs and second pane of the window.
pub(crate) struct Panes {
    pub(super) tabs: Rows<SharedString>,
    /// Size of the second pane, in logical pixels.
    pub(super) size: Point,
    pub(super) sheet: PaneSheet,
    /// The last picture of the second pane, and what it was drawn for.
    pub(super) drawn: Option<(Picture, Look)>,
}

/// How a picture is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Look {
    pub(super) size: Point,
    /// Physical pixels for a logical one.
    pub(super) scale: f32,
    pub(super) is_dark: bool,
}

impl Panes {
    pub(crate) fn new(window: &EditorWindow) -> Self {
        let tabs = Rows::new();
        window.global::<App>().set_tabs(tabs.model());
        Self { tabs, size: Point::default(), sheet: PaneSheet::default(), drawn: None }
    }
}
