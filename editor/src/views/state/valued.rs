//! Values of the record's events: asking for them when somebody looks, the state of the moment, probes.

/// Values that are known, and who looks at them.
pub(super) mod known;

use std::sync::Arc;

use hasse_model::event::EventRecord;
use hasse_model::trace::RecordingMode;

use super::Views;
use crate::target::{Part, Target};
use crate::views::probes::{Card, Moment};
use crate::views::record::arrays::Record;
use crate::views::record::{AskedRecord, RecordSource};
use crate::views::values::store::Values;
use crate::views::values::{Held, LineageStep, MOST_EVENTS, wanted_at};
pub(super) use known::ValueRequest;

impl Views {
    /// Says whether a panel shows values, so that they are asked for.
    pub fn watch_values(&mut self, is_watched: bool) {
        if self.valued.is_watched != is_watched {
            self.valued.is_watched = is_watched;
            self.version += 1;
        }
    }

    /// Sets whether the current run is at rest.
    pub fn set_at_rest(&mut self, is_at_rest: bool) {
        if self.valued.is_at_rest != is_at_rest {
            self.valued.is_at_rest = is_at_rest;
            self.valued.n_rests += u64::from(is_at_rest);
            self.version += 1;
        }
    }

    /// The values that are to be made again now, where somebody looks at values and they are not known.
    pub fn take_value_request(&mut self) -> Option<ValueRequest> {
        let valued = &self.valued;
        let is_looked_at = valued.is_watched
            || valued.hovered.is_some()
            || !valued.pinned.is_empty()
            || self.search.asks_for_values();
        let page = self.page.as_ref().filter(|_| is_looked_at)?;
        let of = self.asked_record()?;
        let record = &page.record;
        let is_listed = matches!(record.mode(), RecordingMode::Full | RecordingMode::Perf);
        let position = page.player.position();
        let around = (record.n_events() > MOST_EVENTS).then_some(position);
        let is_own = |other: &Arc<Record>| Arc::ptr_eq(other, record);
        let is_answered = valued.known.as_ref().is_some_and(|(of, at, _)| is_own(of) && *at == around)
            || valued.problem.as_ref().is_some_and(|(of, _)| is_own(of));
        let is_open = valued.asked.as_ref().is_some_and(|(of, _)| is_own(of));
        if !is_listed || is_answered || is_open || page.player.is_playing() && around.is_some() {
            return None;
        }
        let events = around.map(|position| wanted_at(record, position));
        let request = ValueRequest { of, events };
        self.valued.asked = Some((Arc::clone(record), around));
        self.version += 1;
        Some(request)
    }

    /// Returns the source of the shown record for requests to a session; `None` while its run executes, and for records in memory.
    pub fn asked_record(&self) -> Option<AskedRecord> {
        match &self.source {
            Some(RecordSource::File(trace)) => Some(AskedRecord::File(trace.clone())),
            Some(RecordSource::Memory { .. }) => None,
            None => self.valued.is_at_rest.then_some(AskedRecord::SoFar { rest: self.valued.n_rests }),
        }
    }

    /// Takes in the answer to a question for values.
    pub fn take_values(&mut self, of: &AskedRecord, result: Result<&[EventRecord], String>) {
        let is_shown = self.asked_record().is_some_and(|shown| shown == *of);
        let Some((record, around)) = self.valued.asked.take_if(|_| is_shown) else { return };
        match result {
            Ok(events) => {
                let values = Values::of(&record, events);
                self.valued.known = Some((record, around, Arc::new(values)));
            }
            Err(problem) => self.valued.problem = Some((record, problem)),
        }
        self.relate();
    }

    /// The values of the record that is shown, as far as they are known.
    pub fn values(&self) -> Option<&Values> {
        let page = self.page.as_ref()?;
        let (_, _, values) = self.valued.known.as_ref().filter(|(of, ..)| Arc::ptr_eq(of, &page.record))?;
        Some(values)
    }

    /// The same, for a thread.
    pub(super) fn known_values(&self) -> Option<Arc<Values>> {
        let page = self.page.as_ref()?;
        let known = self.valued.known.as_ref().filter(|(of, ..)| Arc::ptr_eq(of, &page.record));
        known.map(|(.., values)| Arc::clone(values))
    }

    /// Reason why there are no values, or not those of all events; empty where there is nothing to say.
    pub fn values_note(&self) -> String {
        let Some(page) = &self.page else { return "no record: run the program".to_owned() };
        let record = &page.record;
        if let Some((_, problem)) = self.valued.problem.as_ref().filter(|(of, _)| Arc::ptr_eq(of, record)) {
            return format!("values cannot be made again: {}", problem.lines().next().unwrap_or_default());
        }
        match (record.mode(), &self.source) {
            (RecordingMode::Restricted, _) => {
                "a restricted record does not list every event: run in mode full to see values".to_owned()
            }
            (RecordingMode::Perf, None) => "values are there when the run is over".to_owned(),
            (_, None) if !self.valued.is_at_rest => {
                "values are there when the run is at rest or over".to_owned()
            }
            _ => match self.values() {
                None => "values are being made again by a replay".to_owned(),
                Some(values) if values.n_events() < record.n_events() as usize => {
                    format!(
                        "values of {} of {} events, around this moment",
                        values.n_events(),
                        record.n_events()
                    )
                }
                Some(_) if self.valued.is_at_rest => {
                    "as far as events have ended: what a stopped action has taken counts as waiting"
                        .to_owned()
                }
                Some(_) => String::new(),
            },
        }
    }

    /// The state at the moment of playback.
    pub fn moment(&self) -> Vec<Held> {
        let (Some(page), Some(values)) = (&self.page, self.values()) else { return Vec::new() };
        values.moment(&page.record, page.player.position())
    }

    /// Lineage of the values of an event.
    pub fn lineage(&self, event: u32) -> Vec<LineageStep> {
        let (Some(page), Some(values)) = (&self.page, self.values()) else { return Vec::new() };
        values.lineage(&page.record, event)
    }

    /// Says which thing of the picture is under the pointer.
    pub fn hover_target(&mut self, target: Option<Target>) {
        if self.valued.hovered != target {
            self.valued.hovered = target;
            self.version += 1;
        }
    }

    /// The thing under the pointer.
    pub fn hovered_target(&self) -> Option<&Target> {
        self.valued.hovered.as_ref()
    }

    /// Pins the card of a thing, or takes it away.
    pub fn toggle_pin(&mut self, target: &Target) {
        let target = Target { attribute: None, ..target.clone() };
        let can_be_pinned = matches!(target.part, Part::Node(_) | Part::Link(..));
        match self.valued.pinned.iter().position(|pinned| *pinned == target) {
            Some(at) => drop(self.valued.pinned.remove(at)),
            None if can_be_pinned => self.valued.pinned.push(target),
            None => {}
        }
        self.version += 1;
    }

    /// Whether the card of a thing is pinned.
    pub fn is_pinned(&self, target: &Target) -> bool {
        self.valued.pinned.contains(target)
    }

    /// The cards of a graph: pinned ones, and the one of what is under the pointer last.
    pub fn cards(&self, graph: &str) -> Vec<Card> {
        let Some(page) = &self.page else { return Vec::new() };
        let (note, position) = (self.values_note(), page.player.position());
        let is_under_way = self.source.is_none() && page.player.is_at_end();
        let moment =
            Moment { record: &page.record, values: self.values(), position, is_under_way, note: &note };
        let pinned = self.valued.pinned.iter().map(|target| (target, true));
        let hovered = self.valued.hovered.iter().filter(|target| !self.is_pinned(target));
        let all = pinned.chain(hovered.map(|target| (target, false)));
        let own = all.filter(|(target, _)| target.graph == graph);
        own.filter_map(|(target, is_pinned)| moment.card(target, is_pinned)).collect()
    }
}
