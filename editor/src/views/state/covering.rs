//! Coverage of the program by the record that is shown.

/// Coverage, and whether it is shown.
pub(super) mod count;

use std::sync::Arc;

use super::Views;
use crate::views::coverage::Covered;
use crate::views::task::Task;

impl Views {
    /// Use of rules and arcs by the record, once it was counted; `None` of a record that grows or does not list every
    /// event.
    pub fn covered(&self) -> Option<&Arc<Covered>> {
        self.covering.covered.as_ref()
    }

    /// Returns whether the picture shows what was never used.
    pub fn shows_coverage(&self) -> bool {
        self.covering.is_shown
    }

    /// Sets whether the picture shows what was never used.
    pub fn set_shows_coverage(&mut self, is_shown: bool) {
        self.covering.is_shown = is_shown;
        self.version += 1;
    }

    /// Coverage in a sentence; empty where it is not known.
    pub fn coverage_note(&self) -> String {
        self.covered().map(|covered| covered.coverage().headline()).unwrap_or_default()
    }

    /// Counts the record that is shown once it is whole, and takes up what was counted.
    pub(super) fn poll_covering(&mut self) {
        if let Some(task) = &self.covering.running {
            let counted = task.poll();
            if counted.is_none() && !task.is_lost() {
                return;
            }
            self.covering.running = None;
            self.covering.covered = counted.flatten().map(Arc::new);
            self.version += 1;
        }
        let Some(page) = self.page.as_ref().filter(|_| self.live.is_none() && self.loading.is_none()) else {
            return;
        };
        if self.covering.of.as_ref().is_none_or(|of| !Arc::ptr_eq(of, &page.record)) {
            let record = Arc::clone(&page.record);
            self.covering.of = Some(Arc::clone(&record));
            self.covering.covered = None;
            self.covering.running = Some(Task::start(Arc::clone(&self.wake), move |_| Covered::of(&record)));
            self.version += 1;
        }
    }
}
