//! The record of a run that is under way, and the whole one that takes its place when the run is over.

use std::collections::BTreeSet;
use std::sync::Arc;

use hasse_model::event::EventBatch;
use hasse_model::trace::TraceHeader;

use super::Views;
use crate::views::record::arrays::Record;
use crate::views::record::{Live, RecordSource};
use crate::views::select::Selection;

impl Views {
    /// Begins the record of a run that is under way; playback stays at its end.
    pub fn begin_live(&mut self, header: TraceHeader) {
        self.close();
        self.live = Some(Live::start(header, self.options.clone(), Arc::clone(&self.wake)));
        self.look_again();
    }

    /// Takes in a batch of the run, in the order in which they come. Never waits.
    pub fn push_live(&mut self, batch: Arc<EventBatch>) {
        if let Some(live) = self.live.as_ref().filter(|_| !self.is_live_over) {
            live.push(batch);
        }
    }

    /// Notes that batches of the run were left out: what is shown does not grow any more until the whole record is there.
    pub fn leave_out(&mut self) {
        if self.is_live() {
            self.end_live(None);
            self.message = Some(
                "the run is faster than its picture: later events are left out until the run is over"
                    .to_owned(),
            );
            self.version += 1;
        }
    }

    /// Says that the run has ended. Where its record is kept as `source`, it can be restricted, checked and measured from
    /// now on.
    pub fn end_live(&mut self, source: Option<RecordSource>) {
        if let Some(live) = self.live.as_ref().filter(|_| !self.is_live_over) {
            live.end();
            self.is_live_over = true;
        }
        self.source = source;
    }

    /// Whether the record that is shown grows with a run.
    pub fn is_live(&self) -> bool {
        self.live.is_some() && !self.is_live_over
    }

    /// Loads the whole record of the run whose record has grown here. When it is there, it takes the place of what is
    /// shown; selection, restriction, playback and what is visible stay as far as they can.
    pub fn replace(&mut self, source: RecordSource) {
        let keeps_place = self.page.is_some();
        self.end_live(None);
        self.open(source);
        self.keeps_place = keeps_place;
    }

    pub(super) fn poll_live(&mut self) {
        let Some(live) = &self.live else { return };
        let error = live.poll_error();
        // What is drawn is finished first: a record that grows fast would else never be seen.
        let is_drawn = self
            .page
            .as_ref()
            .is_none_or(|page| !(page.history.is_busy() || page.timeline.is_busy() || page.player.is_busy()));
        if is_drawn {
            match live.poll() {
                Ok(None) => {}
                Ok(Some(record)) => match &self.page {
                    Some(_) => self.grow(record),
                    None => {
                        self.show(record);
                        if let Some(page) = &mut self.page {
                            page.player.set_follows(true);
                        }
                        self.look_again();
                    }
                },
                Err(_) => self.live = None,
            }
        }
        if let Some(error) = error {
            self.message = Some(error.to_string());
            self.version += 1;
        }
    }

    /// Shows a record in the place of one that has the same events and fewer.
    fn grow(&mut self, record: Arc<Record>) {
        let Some(page) = &mut self.page else { return };
        page.record = Arc::clone(&record);
        page.history.set_record(Arc::clone(&record), &self.overlay);
        page.timeline.set_record(Arc::clone(&record), &self.overlay);
        page.elaborated.set_record(Arc::clone(&record));
        page.player.set_record(record);
        self.relate();
        self.version += 1;
    }

    /// Shows the whole record in the place of a part of it. Events and instances are found again by their names.
    pub(super) fn take_over(&mut self, record: Arc<Record>) {
        let Some(page) = &mut self.page else { return self.show(record) };
        let known = Arc::clone(&page.record);
        page.player.stop_following();
        let instances = record.instances_by_path();
        let instance = |old: u32| instances.get(&known.instance_name(old)).copied();
        let selection = match self.selection {
            Selection::Event(event) => {
                record.event_named(&instances, &known.event_name(event)).map(Selection::Event)
            }
            Selection::Action(old) => instance(old).map(Selection::Action),
            other => Some(other),
        };
        let was_restricted = !self.chosen.is_empty();
        let chosen: BTreeSet<u32> = self.chosen.iter().filter_map(|&old| instance(old)).collect();
        self.live = None;
        self.selection = selection.unwrap_or_default();
        self.measuring = None;
        self.performance = None;
        self.grow(record);
        if was_restricted {
            self.restrict_to(chosen);
        }
    }
}
