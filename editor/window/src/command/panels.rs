//! Showing the panels below the picture.

use hasse_ui::App;
use slint::{ComponentHandle, Model};

use super::panel;
use crate::studio::{Later, Studio};

impl Studio {
    /// Shows one of the panels below the picture, unless it is shown there.
    pub(crate) fn show_panel(&mut self, panel: i32) {
        let window = self.window();
        let app = window.global::<App>();
        app.set_has_bottom(true);
        if !self.is_panel_shown(panel) {
            app.set_panel(panel);
        }
        self.later.push(Later::FocusPanel);
    }

    /// Returns true if a panel below the picture is visible.
    pub(crate) fn is_panel_shown(&self, panel: i32) -> bool {
        self.shown_panels().contains(&panel)
    }

    /// The panels that are seen: the two below the picture, -1 where there is none, and those in windows of their own.
    pub(crate) fn shown_panels(&self) -> Vec<i32> {
        let window = self.window();
        let app = window.global::<App>();
        let lower = if app.get_has_bottom() { [app.get_panel(), app.get_second()] } else { [-1; 2] };
        lower.into_iter().chain(self.apart_panels()).collect()
    }

    /// The panels in windows of their own.
    fn apart_panels(&self) -> Vec<i32> {
        let panels = self.window().global::<App>().get_second_panels();
        let panel = |tab: i32| panels.row_data(usize::try_from(tab).ok()?);
        self.apart.tabs().filter_map(panel).collect()
    }

    /// Puts a second panel next to the first one, or takes it away.
    pub(super) fn split(&mut self) {
        let window = self.window();
        let app = window.global::<App>();
        app.set_has_bottom(true);
        if app.get_second_tab() >= 0 {
            app.set_second_tab(-1);
            self.later.push(Later::FocusPanel);
            return;
        }
        self.show_next_to(if app.get_panel() == panel::HISTORY { panel::VALUES } else { panel::HISTORY });
    }

    /// Moves the panel that is shown into a window of its own, next to those that there are. Where it cannot be in one, the window
    /// that was opened last is closed and its panel shown; without any, the history gets one.
    pub(super) fn toggle_apart(&mut self) {
        let own = self.shown_panels()[0];
        let is_apart = self.apart_panels().contains(&own);
        match self.side_tab(own).filter(|_| !is_apart) {
            Some(tab) => self.apart.open(tab),
            None => {
                let panel = self.apart_panels().last().copied();
                if self.apart.close_last().is_some() {
                    return panel.into_iter().for_each(|panel| self.show_panel(panel));
                }
                self.apart.open(self.side_tab(panel::HISTORY).unwrap_or(0));
            }
        }
        self.settle_panels();
    }

    /// Takes the panels that have windows of their own out of the main window: a panel is shown once.
    pub(crate) fn settle_panels(&mut self) {
        let apart = self.apart_panels();
        let window = self.window();
        let app = window.global::<App>();
        if apart.contains(&app.get_panel()) {
            app.set_panel(panel::BODY);
        }
        if app.get_second_tab() >= 0 && apart.contains(&app.get_second()) {
            app.set_second_tab(-1);
        }
    }

    /// The position of a panel among the tabs of side panels.
    fn side_tab(&self, panel: i32) -> Option<i32> {
        let panels = self.window().global::<App>().get_second_panels();
        panels.iter().position(|known| known == panel).and_then(|tab| i32::try_from(tab).ok())
    }

    /// Shows a panel next to the first one, each with half of the room.
    pub(crate) fn show_next_to(&mut self, panel: i32) {
        let window = self.window();
        let app = window.global::<App>();
        let Some(tab) = self.side_tab(panel) else { return };
        if app.get_second_tab() < 0 {
            let width = window.window().size().to_logical(window.window().scale_factor()).width;
            let left = if app.get_has_left() { app.get_left_width() } else { 0.0 };
            let right = if app.get_has_right() { app.get_right_width() } else { 0.0 };
            app.set_first_width(((width - left - right) / 2.0).max(220.0));
        }
        app.set_second_tab(tab);
        self.later.push(Later::FocusPanel);
    }
}
