//! The fields of the form, and what is open in it.

use std::collections::BTreeMap;
use std::sync::Arc;

use hasse_editor::panels::code::CodeEditor;
use hasse_editor::panels::inspector::{Cell, CellId, CellKind, Inspector};
use hasse_editor::target::Attribute;
use hasse_editor::views::coverage::Covered;
use hasse_ui::{CompletionItem, EditorWindow, FormItem, Inspector as UiInspector};
use slint::ComponentHandle;

use super::items::completion_item;
use crate::models::Rows;

/// What is offered for the cell that is typed into.
pub(super) enum Offered {
    Nothing,
    /// Texts of which one is put in place of the whole.
    Choices(Vec<String>),
    /// The editor's completion.
    Code(Box<CodeEditor>),
}

/// The form and what is open in it.
pub(crate) struct Form {
    pub(crate) inspector: Inspector,
    pub(super) items: Rows<FormItem>,
    pub(super) suggestions: Rows<CompletionItem>,
    /// How many lines of a section are shown, where that is not `N_LINES`; by its key.
    pub(super) n_shown: BTreeMap<String, usize>,
    /// For each item the section's key and the row in it; no row for heads.
    pub(super) places: Vec<(String, Option<usize>)>,
    pub(super) offered: Offered,
    /// The cell that offers are for.
    pub(super) typed: Option<CellId>,
    pub(super) suggestion: usize,
    /// Whether one of the offers is meant: something was typed, or the list was gone through.
    pub(super) is_offer_meant: bool,
    /// Whether the list was gone through by keys.
    pub(super) is_offer_chosen: bool,
    /// The cell that has the keyboard.
    pub(super) entered: Option<CellId>,
    /// Set if the subject was renamed: fields keep their contents then.
    pub(super) is_renamed: bool,
    /// The cell that is to have the focus.
    pub(super) focused: Option<CellId>,
    /// Coverage of the program by the record that is shown.
    pub(crate) covered: Option<Arc<Covered>>,
    /// What is to have the focus when its form is shown.
    pub(super) wanted: Option<Attribute>,
    pub(super) version: i32,
    pub(super) shown: Option<u64>,
}

impl Form {
    pub(crate) fn new(window: &EditorWindow) -> Self {
        let (items, suggestions) = (Rows::new(), Rows::new());
        let ui = window.global::<UiInspector>();
        ui.set_items(items.model());
        ui.set_suggestions(suggestions.model());
        Self {
            inspector: Inspector::new(),
            items,
            suggestions,
            n_shown: BTreeMap::new(),
            places: Vec::new(),
            offered: Offered::Nothing,
            typed: None,
            suggestion: 0,
            is_offer_meant: false,
            is_offer_chosen: false,
            entered: None,
            is_renamed: false,
            focused: None,
            covered: None,
            wanted: None,
            version: 0,
            shown: None,
        }
    }

    /// The cell of the body, where what is selected has one.
    pub(crate) fn body(&self) -> Option<&Cell> {
        let cells = self.inspector.sections().iter().filter(|section| section.key == "do");
        let mut cells = cells.flat_map(|section| section.rows.iter().flat_map(|row| &row.cells));
        cells.find(|cell| matches!(cell.kind, CellKind::Code(kind) if kind.is_many_lines()))
    }

    pub(crate) fn has_body(&self) -> bool {
        self.body().is_some()
    }

    pub(super) fn cell_id(&self, item: i32, cell: i32) -> Option<CellId> {
        let (key, row) = self.places.get(usize::try_from(item).ok()?)?;
        Some(CellId::new(key, (*row)?, usize::try_from(cell).ok()?))
    }

    pub(super) fn item_of(&self, id: &CellId) -> Option<i32> {
        let place = (id.key.clone(), Some(id.row));
        self.places.iter().position(|held| *held == place).and_then(|item| i32::try_from(item).ok())
    }

    /// The first cell of what an attribute is about.
    pub(super) fn cell_of(&self, wanted: &Attribute) -> Option<CellId> {
        let section = self.inspector.sections().iter().find(|section| section.key == wanted.key)?;
        let named = wanted.entry.as_ref().and_then(|entry| {
            let is_named = |cell: &Cell| cell.text.split('[').next() == Some(entry);
            section.rows.iter().position(|row| row.cells.first().is_some_and(is_named))
        });
        let row = wanted.row.or(named).unwrap_or(0);
        (row < section.rows.len()).then(|| CellId::new(&section.key, row, 0))
    }

    /// Shows the program's texts in all fields again.
    pub(crate) fn forget_texts(&mut self) {
        self.version += 1;
        self.shown = None;
    }

    /// Closes the list of what is offered.
    pub(crate) fn close_suggestions(&mut self) {
        self.offered = Offered::Nothing;
        self.typed = None;
    }

    pub(super) fn offers(&self) -> Vec<CompletionItem> {
        match &self.offered {
            Offered::Nothing => Vec::new(),
            Offered::Choices(choices) => choices
                .iter()
                .map(|choice| CompletionItem { text: choice.into(), ..CompletionItem::default() })
                .collect(),
            Offered::Code(code) => code.popup().map_or(Vec::new(), |popup| {
                let items = popup.items.iter().map(|offered| &offered.item);
                items.map(completion_item).collect()
            }),
        }
    }
}
