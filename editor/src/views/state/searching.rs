//! Searching the event history.

/// A search, and what it has found.
pub(super) mod search;

use std::sync::Arc;

use hasse_model::quantity::counted;

use super::Views;
use crate::views::record::arrays::Record;
use crate::views::search::EventQuery;
use crate::views::select::Selection;
use crate::views::task::Task;
use crate::views::values::store::Values;

impl Views {
    /// Searches the history for events; see [`EventQuery::parse`]. What is found comes from a thread, with each record that is
    /// shown.
    pub fn search(&mut self, text: &str) {
        if self.search.text != text {
            text.clone_into(&mut self.search.text);
            self.search.query = EventQuery::parse(text);
            self.search.made_of = None;
            self.search.running = None;
            self.search.reveals = true;
            self.overlay.matches = Arc::default();
            self.start_search();
            self.version += 1;
        }
    }

    /// The text that is searched for; empty for none.
    pub fn searched(&self) -> &str {
        &self.search.text
    }

    /// The events that fit, ascending.
    pub fn matches(&self) -> &[u32] {
        &self.overlay.matches
    }

    /// Position of the selected event among those that fit.
    pub fn current_match(&self) -> Option<usize> {
        let Selection::Event(event) = self.selection else { return None };
        self.overlay.matches.binary_search(&event).ok()
    }

    /// Selects the next event that fits, or the one before; around the ends. Returns whether there is one.
    pub fn step_match(&mut self, is_forward: bool) -> bool {
        let matches = Arc::clone(&self.overlay.matches);
        let from = match self.selection {
            Selection::Event(event) => Some(event),
            _ => None,
        };
        let next = match (from, is_forward) {
            (Some(event), true) => matches.get(matches.partition_point(|&found| found <= event)),
            (Some(event), false) => {
                matches.partition_point(|&found| found < event).checked_sub(1).and_then(|at| matches.get(at))
            }
            (None, true) => matches.first(),
            (None, false) => matches.last(),
        };
        let around = if is_forward { matches.first() } else { matches.last() };
        let Some(&event) = next.or(around) else { return false };
        self.select(Selection::Event(event));
        true
    }

    /// The number of events that fit, in words; what is missing for a full answer behind it.
    pub fn search_note(&self) -> String {
        let Some(page) = self.page.as_ref().filter(|_| self.search.query.is_some()) else {
            return String::new();
        };
        let n_matches = self.overlay.matches.len();
        let found = match (self.search.is_busy(), n_matches, self.current_match()) {
            (true, ..) => "searching".to_owned(),
            (false, 0, _) => "no match".to_owned(),
            (false, n_matches, Some(at)) => format!("{} of {n_matches}", at + 1),
            (false, 1, None) => "1 match".to_owned(),
            (false, n_matches, None) => format!("{n_matches} matches"),
        };
        let n_valued = self.values().map_or(0, Values::n_events);
        let is_whole = n_valued >= page.record.n_events() as usize;
        if !self.search.asks_for_values() || is_whole {
            return found;
        }
        let note = match n_valued {
            0 => self.values_note(),
            n_valued => format!("values of {} around this moment", counted(n_valued, "event")),
        };
        format!("{found}; {note}")
    }

    /// Takes up what was found, and searches again where there is another record, or more values.
    pub(super) fn poll_search(&mut self) {
        if let Some(task) = &self.search.running {
            let found = task.poll();
            if found.is_none() && !task.is_lost() {
                return;
            }
            self.search.running = None;
            self.overlay.matches = Arc::new(found.flatten().unwrap_or_default());
            if std::mem::take(&mut self.search.reveals) {
                self.reveal_match();
            }
            self.version += 1;
        }
        self.start_search();
    }

    fn start_search(&mut self) {
        let Some((page, query)) = self.page.as_ref().zip(self.search.query.clone()) else { return };
        let values = self.known_values();
        let n_valued = values.as_ref().map_or(0, |values| values.n_events());
        let is_made =
            |(record, known): &(Arc<Record>, usize)| Arc::ptr_eq(record, &page.record) && *known == n_valued;
        if self.search.running.is_some() || self.search.made_of.as_ref().is_some_and(is_made) {
            return;
        }
        let record = Arc::clone(&page.record);
        self.search.made_of = Some((Arc::clone(&record), n_valued));
        self.search.running = Some(Task::start(Arc::clone(&self.wake), move |control| {
            query.find(&record, values.as_deref(), Some(control))
        }));
    }

    /// Moves the history to the first match from the selected event on, without selecting it.
    fn reveal_match(&mut self) {
        let from = self.selected_event().unwrap_or(0);
        let matches = Arc::clone(&self.overlay.matches);
        let next = matches.get(matches.partition_point(|&found| found < from)).or(matches.first());
        if let (Some(&event), Some(page)) = (next, &mut self.page) {
            page.history.reveal(event);
        }
    }
}
