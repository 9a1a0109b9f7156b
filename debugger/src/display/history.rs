//! A page of the event history: events in causal order, each with what is immediately before it, and the mappings to
//! actions and templates (Hyder 1994, section 6.4.1, figure 6-5).
//!
//! A history scrolls by position: from a number, from an event, or from the end. Lanes show the partial order as far as they fit: one for
//! each action or template, with a mark for the event and one for each lane that an immediate predecessor is on. A
//! restriction shows selected actions alone, as if no others had been recorded (section 6.1).
//!
//! Memory: the events of the page, and for the last events of a history as many as are asked for.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Write};

use hasse_model::event::EventRecord;
use hasse_model::id::ActionId;
use hasse_model::quantity::counted;
use hasse_model::trace::{BatchSource, Names};

use crate::carry::TakenTooOften;
use crate::facility::Restriction;
use crate::read::{ReadError, Summary, try_lend_in_order};

mod lanes;
mod options;
mod tell;

pub use options::{Columns, HistoryOptions, Lanes, Start};
pub use tell::event_json;

/// Why a page cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// The trace cannot be brought into causal order.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The trace contradicts itself.
    #[error("{event}: {source}")]
    Inconsistent {
        /// Path of the event that does not fit.
        event: String,
        /// Why.
        source: TakenTooOften,
    },
    /// The page is to begin at an event that there is not.
    #[error("there is no event `{event}`")]
    NoSuchEvent {
        /// What was asked for.
        event: String,
        /// What there is.
        help: String,
    },
    /// The page cannot be written.
    #[error("cannot write the event history")]
    Write(#[from] io::Error),
}

/// A page of a history.
#[derive(Debug)]
pub struct Page {
    /// Place of the first event, from 1; 0 where the page is empty.
    first: u64,
    events: Vec<EventRecord>,
    /// Number of events of the whole history.
    n_events: u64,
    /// Number of events of each action in the whole history.
    n_events_of: BTreeMap<ActionId, u64>,
    summary: Summary,
    options: HistoryOptions,
}

/// Reads a history and keeps a page of it. Time: that of reading in causal order, and of restricting.
///
/// # Errors
/// Where the source fails, the trace contradicts itself, or the page is to begin at an event that there is not.
pub fn page(
    source: impl BatchSource,
    mut restriction: Option<Restriction<'_>>,
    options: &HistoryOptions,
) -> Result<Page, HistoryError> {
    let mut window = Window::new(options);
    let summary = try_lend_in_order(source, |event, names| -> Result<(), HistoryError> {
        let Some(restriction) = &mut restriction else {
            window.event(event, names);
            return Ok(());
        };
        let restricted = restriction.event(event, names);
        let record = restricted.map_err(|source| HistoryError::Inconsistent {
            event: names.event(event.id).to_string(),
            source,
        })?;
        record.into_iter().for_each(|record| window.event(record, names));
        Ok(())
    })?;
    window.finish(summary, options)
}

/// Reads a history and writes a page of it: the command `history` of sessions.
///
/// # Errors
/// Those of [`page`], and where `out` fails.
pub fn history(
    out: &mut dyn Write,
    source: impl BatchSource,
    restriction: Option<Restriction<'_>>,
    options: &HistoryOptions,
) -> Result<Summary, HistoryError> {
    let page = page(source, restriction, options)?;
    out.write_all(page.to_text().as_bytes())?;
    Ok(page.summary)
}

impl Page {
    /// What was read.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Number of events of the whole history.
    pub fn n_events(&self) -> u64 {
        self.n_events
    }

    /// Place of the first event behind the page, from 1; `None` at the end of the history.
    pub fn next(&self) -> Option<u64> {
        let next = self.first + self.events.len() as u64;
        (self.first > 0 && next <= self.n_events).then_some(next)
    }
}

/// Keeps the events of a page while a history passes.
struct Window<'o> {
    options: &'o HistoryOptions,
    kept: VecDeque<EventRecord>,
    /// Place of the first one that is kept.
    first: u64,
    n_events: u64,
    n_events_of: BTreeMap<ActionId, u64>,
    /// The action and the count that the page is to begin with.
    wanted: Option<(&'o str, u64)>,
    /// The id of that action, once it has executed.
    wanted_id: Option<ActionId>,
}

impl<'o> Window<'o> {
    fn new(options: &'o HistoryOptions) -> Self {
        let wanted = match &options.start {
            Start::Event(event) => event.rsplit_once(':'),
            Start::At(_) | Start::BeforeEnd(_) => None,
        };
        Self {
            options,
            kept: VecDeque::new(),
            first: 0,
            n_events: 0,
            n_events_of: BTreeMap::new(),
            wanted: wanted.and_then(|(action, count)| Some((action, count.parse().ok()?))),
            wanted_id: None,
        }
    }

    fn event(&mut self, event: &EventRecord, names: &Names) {
        self.n_events += 1;
        let n_known = self.n_events_of.entry(event.id.action).or_default();
        *n_known += 1;
        let n_most = self.options.n_events;
        let begins = match &self.options.start {
            Start::At(place) => self.n_events == *place,
            Start::BeforeEnd(n_last) => {
                let n_last = usize::try_from(*n_last).unwrap_or(usize::MAX);
                if self.kept.len() == n_last {
                    self.kept.pop_front();
                    self.first += 1;
                }
                self.first = self.first.max(1);
                self.kept.push_back(event.clone());
                return;
            }
            Start::Event(_) => {
                if let Some((action, count)) = self.wanted {
                    // The paths of an action's later events need not be looked at.
                    if *n_known == 1 && names.action(event.id.action).to_string() == action {
                        self.wanted_id = Some(event.id.action);
                    }
                    self.wanted_id == Some(event.id.action) && event.id.count == count
                } else {
                    false
                }
            }
        };
        if begins {
            self.first = self.n_events;
        }
        if self.first > 0 && self.kept.len() < n_most {
            self.kept.push_back(event.clone());
        }
    }

    fn finish(mut self, summary: Summary, options: &HistoryOptions) -> Result<Page, HistoryError> {
        if let (Start::Event(event), 0) = (&options.start, self.first) {
            let help = match (self.wanted_id, self.wanted) {
                (Some(id), Some((action, _))) => {
                    let n_events = self.n_events_of.get(&id).copied().unwrap_or(0);
                    format!("{action} has {} here", counted(n_events, "event"))
                }
                _ => "no such action executed, or it is not selected; `hasse trace graphs` lists those that executed"
                    .to_owned(),
            };
            return Err(HistoryError::NoSuchEvent { event: event.clone(), help });
        }
        self.kept.truncate(options.n_events);
        let first = if self.kept.is_empty() { 0 } else { self.first };
        Ok(Page {
            first,
            events: self.kept.into(),
            n_events: self.n_events,
            n_events_of: self.n_events_of,
            summary,
            options: options.clone(),
        })
    }
}

#[cfg(test)]
mod tests;
