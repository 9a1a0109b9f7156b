//! Rules and arcs that the record which is shown has never used.

use std::path::Path;
use std::sync::Arc;

use hasse_editor::panels::subject::Subject;
use hasse_editor::state::Status as Said;
use hasse_editor::views::coverage::Covered;
use hasse_editor::views::record::RecordSource;
use hasse_ui::Results as UiResults;

use crate::studio::Studio;

impl Studio {
    /// Shows on the picture what was never used, or no longer.
    pub(crate) fn toggle_coverage(&mut self) {
        let views = &mut self.viewing.views;
        let is_shown = !views.shows_coverage();
        views.set_shows_coverage(is_shown);
        if is_shown {
            let text = views.coverage_note();
            self.editor.set_status(Said { text, is_refusal: false });
        }
    }

    /// Takes up coverage of the program that is open. Returns whether it is another one.
    pub(crate) fn take_coverage(&mut self, is_other_program: bool) -> bool {
        let views = &self.viewing.views;
        let is_same = are_same(views.covered(), self.covered.as_ref());
        if is_same && !is_other_program {
            return false;
        }
        self.covered = views.covered().cloned();
        let is_of_program = views.is_of_program(self.editor.document().text());
        let covered = self.covered.clone().filter(|_| is_of_program);
        let is_other = !are_same(covered.as_ref(), self.form.covered.as_ref());
        self.form.covered = covered;
        is_other
    }

    /// Number of events that took the rule in a row of the form.
    pub(crate) fn n_taken(&self, key: &str, row: usize) -> Option<u64> {
        let Subject::Node { graph, node } = self.form.inspector.subject() else { return None };
        let rules = self.form.covered.as_ref()?.rules(graph, node, key);
        rules.get(row).map(|rule| rule.n_taken)
    }

    /// Shows the coverage by the run whose results are shown; by the record that is shown, where there is no run.
    pub(crate) fn show_coverage_of_run(&self, ui: &UiResults<'_>, record: Option<&Path>) {
        let views = &self.viewing.views;
        let is_of_run = match (record, views.source()) {
            (Some(record), Some(RecordSource::File(shown))) => record == shown,
            (None, _) => true,
            _ => false,
        };
        let note = if is_of_run { views.coverage_note() } else { String::new() };
        ui.set_coverage(note.into());
        ui.set_shows_coverage(views.shows_coverage());
    }
}

fn are_same(one: Option<&Arc<Covered>>, other: Option<&Arc<Covered>>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => Arc::ptr_eq(one, other),
        (None, None) => true,
        _ => false,
    }
}
