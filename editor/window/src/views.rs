//! The record of the last run in three linked views, its playback, and findings.

/// What a person does.
mod connect;
/// Checks, races and models.
mod findings;
/// Menus at the pointer.
pub(crate) mod menu;
/// The player: moments of the record, in the session.
mod player;
/// What the session tells, and records of files.
mod records;
/// Searching the history.
mod search;
/// What is shown.
mod show;
/// The views, their playback, and what the window keeps for them.
pub(crate) mod viewing;

pub(crate) use connect::connect;

use std::collections::BTreeSet;
use std::sync::Arc;

use hasse_editor::marks::Marks;
use hasse_editor::state::Status as Said;
use hasse_editor::views::preview::PreviewSource;

use crate::command::panel;
use crate::studio::Studio;

impl Studio {
    /// What runs and records show on a graph, together.
    pub(crate) fn marks_of(&self, graph: &str) -> Marks {
        let views = &self.viewing.views;
        let mut marks = self.running.as_ref().map(|running| running.panel.marks(graph)).unwrap_or_default();
        let is_under_way = self.running.as_ref().is_some_and(|running| running.panel.state().is_under_way());
        let is_back = views.page().is_some_and(|page| !page.player.is_at_end() || page.player.is_playing());
        // Of a run that is over, and of one under way where somebody looks back, what the playback shows.
        let shows_playback = !is_under_way || views.is_live() && is_back;
        let is_moment = self.shows_moment();
        let is_of_program = views.is_of_program(self.editor.document().text());
        // The state is that of its moment: it would be wrong at any other.
        if !is_moment && (shows_playback && is_back || self.has_other_moment()) {
            marks.clear_run();
        }
        if is_moment && !is_of_program {
            marks.links.clear();
        }
        let shows_playback = shows_playback && !is_moment;
        let own = views.marks(graph);
        for (name, seen) in own.nodes {
            let held = marks.nodes.entry(name).or_default();
            held.check = seen.check;
            held.highlights.extend(seen.highlights);
            held.is_dimmed |= seen.is_dimmed;
            if shows_playback {
                held.state = seen.state.or(held.state);
                held.n_events = seen.n_events.or(held.n_events);
                if held.note.is_empty() || is_under_way {
                    held.note = seen.note;
                }
            } else {
                held.n_events = held.n_events.or(seen.n_events);
            }
            if shows_playback && !seen.dots.is_empty() {
                held.dots = seen.dots;
                held.n_more = seen.n_more;
            }
        }
        let is_of_run = self.running.as_ref().is_some_and(|running| running.record().is_none());
        // Rows of arcs of another text are others.
        for (key, seen) in own.links.into_iter().filter(|_| is_of_program) {
            let held = marks.links.entry(key).or_default();
            held.check = seen.check;
            held.highlights.extend(seen.highlights);
            held.is_dimmed |= seen.is_dimmed;
            // A record has the values that were taken. What else waits is known from the run.
            let n_waiting = held.n_queued.filter(|_| is_of_run).unwrap_or(0);
            let n_untaken = n_waiting.saturating_sub(seen.n_queued.unwrap_or(0));
            if shows_playback {
                held.n_queued = seen.n_queued.map(|n_queued| n_queued + n_untaken).or(held.n_queued);
                held.n_passed = seen.n_passed.map(|n_passed| n_passed + n_untaken).or(held.n_passed);
                held.pulse = seen.pulse.or(held.pulse);
            } else {
                held.n_queued = held.n_queued.or(seen.n_queued);
                held.n_passed = held.n_passed.or(seen.n_passed.map(|n_passed| n_passed + n_untaken));
            }
        }
        marks
    }

    /// Selects in the views what is selected on the picture.
    pub(crate) fn select_in_views(&mut self) {
        let selection = self.editor.selection().clone();
        let graph = self.editor.graph().to_owned();
        let views = &mut self.viewing.views;
        match (selection.nodes.len(), selection.links.len()) {
            (1, 0) => selection.nodes.first().is_some_and(|node| views.click_node(&graph, node)),
            (0, 1) => selection.links.first().is_some_and(|(_, row)| views.click_arc(&graph, *row)),
            _ => false,
        };
    }

    /// Restricts the views to what is selected on the picture, or shows all again.
    fn restrict_views(&mut self) {
        let views = &mut self.viewing.views;
        if !views.chosen().is_empty() {
            views.restrict_to(BTreeSet::new());
            return;
        }
        let nodes = self.editor.selection().nodes.clone();
        if nodes.is_empty() {
            let text = "Select the nodes that the display is to be restricted to.".to_owned();
            self.editor.set_status(Said { text, is_refusal: true });
            return;
        }
        views.restrict_to_nodes(self.editor.graph(), &nodes);
    }

    /// Shows the elaborated graph as it may come to be in a run, or again that of the record.
    pub(crate) fn toggle_preview(&mut self) {
        let is_shown = self.is_panel_shown(panel::ELABORATED);
        let is_on = is_shown && self.viewing.views.is_previewing() && self.viewing.views.page().is_some();
        self.viewing.views.set_prefers_preview(!is_on);
        if !is_shown {
            self.show_panel(panel::ELABORATED);
        }
    }

    /// Tells the preview of the program and the parameters of the run form, and what is selected on the picture.
    fn tell_preview(&mut self, is_seen: bool) {
        let is_seen = is_seen && self.viewing.views.is_previewing();
        if is_seen {
            let options = self.running.as_ref().map(|running| running.panel.options());
            let params = options.map(|options| options.params.clone()).unwrap_or_default();
            let known = (self.editor.n_opened(), self.editor.document().revision(), params);
            if self.viewing.previewed.as_ref() != Some(&known) {
                let text = Arc::from(self.editor.document().text());
                let source = PreviewSource { text, params: known.2.clone() };
                self.viewing.previewed = Some(known);
                self.viewing.views.preview_mut().set_source(source);
            }
            let nodes: Vec<&str> = self.editor.selection().nodes.iter().map(String::as_str).collect();
            self.viewing.views.preview_mut().mark(self.editor.graph(), &nodes);
        }
        self.viewing.views.preview_mut().set_shown(is_seen);
    }
}
