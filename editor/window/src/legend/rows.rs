//! The rows of the legend.

use hasse_ui::{EditorWindow, Legend as UiLegend, LegendItem};
use slint::ComponentHandle;

use crate::models::Rows;

/// The lines of the legend.
pub(crate) struct Legend {
    pub(super) rows: Rows<LegendItem>,
    /// Theme of the lines that are shown: true for dark.
    pub(super) shown: Option<bool>,
}

impl Legend {
    pub(crate) fn new(window: &EditorWindow) -> Self {
        let legend = Self { rows: Rows::new(), shown: None };
        window.global::<UiLegend>().set_items(legend.rows.model());
        legend
    }
}
