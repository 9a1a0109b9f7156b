//! Searching the history.

use std::rc::Rc;

use hasse_ui::{EditorWindow, Views as UiViews};
use slint::ComponentHandle;

use crate::command::panel;
use crate::hub::Shared;
use crate::studio::update::go;
use crate::studio::{Later, Studio};

impl Studio {
    /// Returns whether a person looks at the event history, so that Ctrl+F searches it.
    pub(crate) fn is_history_used(&self) -> bool {
        self.viewing.is_history_used && self.is_panel_shown(panel::HISTORY)
    }

    /// Notes whether the keys mean the event history.
    pub(crate) fn use_history(&mut self, is_used: bool) {
        self.viewing.is_history_used = is_used;
    }

    /// Shows the event history with a field to search it, which takes the keyboard.
    pub(crate) fn open_search(&mut self) {
        if !self.is_panel_shown(panel::HISTORY) {
            self.show_panel(panel::HISTORY);
        }
        self.use_history(true);
        self.later.retain(|later| *later != Later::FocusPanel);
        self.viewing.has_search = true;
        self.viewing.search_asked = self.viewing.search_asked.wrapping_add(1);
        self.viewing.shown = None;
    }

    fn close_search(&mut self) {
        self.viewing.has_search = false;
        self.viewing.views.search("");
        self.viewing.shown = None;
        self.later.push(Later::FocusCanvas);
    }

    /// Shows the field and what was found.
    pub(super) fn show_search_of_history(&self, ui: &UiViews<'_>) {
        let views = &self.viewing.views;
        ui.set_search_note(views.search_note().into());
        if ui.get_search_text() != views.searched() {
            ui.set_search_text(views.searched().into());
        }
        ui.set_search_asked(self.viewing.search_asked);
        ui.set_has_search(self.viewing.has_search);
    }
}

/// Connects the callbacks of the search.
pub(super) fn connect(window: &EditorWindow, shared: &Shared) {
    let ui = window.global::<UiViews>();
    let weak = Rc::downgrade(shared);
    ui.on_search(move |text| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.viewing.views.search(&text));
    });
    let weak = Rc::downgrade(shared);
    ui.on_search_act(move |name| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| match name.as_str() {
            "open" => studio.open_search(),
            "close" => studio.close_search(),
            name => {
                studio.viewing.views.step_match(name == "next");
            }
        });
    });
}
