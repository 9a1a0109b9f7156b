//! Replay as far as needed: the values of some events of a record, made again.
//!
//! Of a full record only the causal past of the events is followed: it is closed, so that it replays like the
//! record of a run that was killed. A minimal record does not tell what is before what, so that the run is followed
//! until the event has ended.

use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use hasse_debugger::event_path::EventPath;
use hasse_debugger::past::{History, restricted_to};
use hasse_model::event::{EventBatch, EventRecord};
use hasse_model::id::{ActionId, EventId, TemplateId};
use hasse_model::trace::{Names, TraceHeader};
use hasse_runtime::capture::{Capture, Captured};
use hasse_runtime::report::RunReport;
use hasse_runtime::run::{EventSink, Idle, ReplayRecord, RunOptions, StopSignal, replay};

use super::described::Replayed;
use super::error::EventError;
use super::ground::{Ground, find, path};
use crate::Recorded;

/// An event that was made again.
pub(super) struct Regenerated {
    /// With its values.
    pub(super) event: EventRecord,
    pub(super) names: Names,
    pub(super) replayed: Replayed,
    /// Events that took its values, where the record tells.
    pub(super) takers: Vec<String>,
}

/// Refuses records that no replay follows.
pub(super) fn check_replayable(header: &TraceHeader) -> Result<(), EventError> {
    if header.n_before > 0 {
        return Err(EventError::BeginsLater);
    }
    match Recorded::is_replayable(header.mode) {
        true => Ok(()),
        false => Err(EventError::NotReplayable { mode: header.mode }),
    }
}

/// Refuses events before the state that a replay begins with.
pub(super) fn refuse_before_base(record: &ReplayRecord, events: &[EventId]) -> Result<(), EventError> {
    let Some(base) = &record.base else { return Ok(()) };
    let cut = base.cut();
    match events.iter().all(|event| event.count > cut.count(event.action)) {
        true => Ok(()),
        false => Err(EventError::BeforeBase { n_before: base.n_events }),
    }
}

/// Makes one event again, with its values.
pub(super) fn regenerate(ground: Ground<'_>, text: &str) -> Result<Regenerated, EventError> {
    check_replayable(&ground.recorded.header)?;
    let path = path(text)?;
    if ground.is_minimal() {
        return until(ground, &path, text);
    }
    let record = &ground.recorded.record;
    let history = History::new(&record.batches);
    let names = ground.names();
    let id = find(text, &history, &names)?;
    let takers = history.takers(id).into_iter().map(|taker| names.event(taker).to_string());
    let mut takers: Vec<String> = takers.collect();
    takers.sort();
    let n_recorded = Some(history.n_events() as u64);
    let index = names.index_of(id.action).cloned().unwrap_or_default();
    let template = own_template(ground, &names, id);
    let capture = template.map_or_else(Capture::none, |template| Capture::event(template, index, id.count));
    let (mut kept, n_replayed) = past_of(ground, &history, &[id], capture, &names)?;
    let event = kept.pop().ok_or_else(|| EventError::Stopped { event: names.event(id).to_string() })?;
    Ok(Regenerated { event, names, replayed: Replayed { n_replayed, n_recorded }, takers })
}

/// Makes some events of a full record again, with the values of everything that is captured. Returns them in the
/// order of their ids, and the number of events that were replayed.
pub(super) fn past_of(
    ground: Ground<'_>,
    history: &History<'_>,
    events: &[EventId],
    capture: Capture,
    names: &Names,
) -> Result<(Vec<EventRecord>, u64), EventError> {
    let record = &ground.recorded.record;
    refuse_before_base(record, events)?;
    let of_base = record.base.iter().flat_map(|base| base.cut().last_events().to_vec());
    let past = history.past_of(events.iter().copied().chain(of_base));
    let part = ReplayRecord {
        batches: restricted_to(&record.batches, &past),
        templates: record.templates.clone(),
        shared: record.shared.clone(),
        calls: record.calls.clone(),
        minimal: None,
        base: record.base.clone(),
    };
    let keeper = Keeper::new(Wanted::Ids(events.iter().copied().collect()), None);
    let options = options_of(ground, capture, ground.options.stop.clone());
    let report = replay(ground.plan, &options, part, Some(Box::new(keeper.clone())), Box::new(|_| {}))?;
    diverged(&report)?;
    if options.stop.is_set() {
        let event = events.first().map(|event| names.event(*event).to_string()).unwrap_or_default();
        return Err(EventError::Stopped { event });
    }
    let mut kept = std::mem::take(&mut keeper.lock().found);
    kept.sort_by_key(|event| event.id);
    Ok((kept, report.n_events))
}

/// Follows a minimal record until an event has ended.
fn until(ground: Ground<'_>, path: &EventPath, text: &str) -> Result<Regenerated, EventError> {
    let (name, index) = path.node();
    let mut capture = Capture::none();
    for (template_idx, template) in ground.plan.templates.iter().enumerate() {
        if template.name == name {
            capture.add(TemplateId::from_idx(template_idx), Captured::ALL);
        }
    }
    // Without a count it is the first event, if there is no second: that takes the whole run.
    if let Some(count) = path.count() {
        capture = capture.only(index.clone(), count);
    }
    let (keeper, report) = follow(ground, Wanted::Path(path.clone()), path.count().is_some(), capture)?;
    let mut kept = keeper.lock();
    let n_recorded = ground.recorded.record.minimal.as_ref().and_then(|minimal| minimal.n_executed);
    let names = std::mem::take(&mut kept.names);
    let found = std::mem::take(&mut kept.found);
    if ground.options.stop.is_set() && found.is_empty() {
        return Err(EventError::Stopped { event: text.to_owned() });
    }
    kept.counts.retain(|(_, n_executed)| *n_executed > 0);
    let id = path.find(&names, &kept.counts)?;
    let event = found.into_iter().find(|event| event.id == id);
    let event = event.ok_or_else(|| EventError::Stopped { event: text.to_owned() })?;
    let replayed = Replayed { n_replayed: report.n_events, n_recorded };
    Ok(Regenerated { event, names, replayed, takers: Vec::new() })
}

/// The full record of a minimal one, up to an event.
pub(super) fn full_record(ground: Ground<'_>, text: &str) -> Result<Recorded, EventError> {
    let path = path(text)?;
    let ends = path.count().is_some();
    let (keeper, _) = follow(ground, Wanted::All(path), ends, Capture::none())?;
    let batches = std::mem::take(&mut keeper.lock().batches);
    Ok(ground.recorded.with_events(batches))
}

fn follow(
    ground: Ground<'_>,
    wanted: Wanted,
    ends: bool,
    capture: Capture,
) -> Result<(Keeper, RunReport), EventError> {
    let stop = StopSignal::default();
    let keeper =
        Keeper::new(wanted, Some(Ends { own: stop.clone(), asked: ground.options.stop.clone(), ends }));
    keeper.lock().names = ground.names();
    let options = options_of(ground, capture, stop);
    let record = ground.recorded.record.clone();
    let report = replay(ground.plan, &options, record, Some(Box::new(keeper.clone())), Box::new(|_| {}))?;
    diverged(&report)?;
    Ok((keeper, report))
}

pub(super) fn options_of(ground: Ground<'_>, capture: Capture, stop: StopSignal) -> RunOptions {
    let params = ground.recorded.header.params.clone();
    RunOptions { params, capture, stop, ..ground.options.clone() }
}

pub(crate) fn diverged(report: &RunReport) -> Result<(), EventError> {
    report.divergence.as_ref().map_or(Ok(()), |divergence| {
        let (event, expected, found) =
            (divergence.event.clone(), divergence.expected.clone(), divergence.found.clone());
        Err(EventError::Diverged { event, expected, found })
    })
}

fn own_template(ground: Ground<'_>, names: &Names, id: EventId) -> Option<TemplateId> {
    let label = names.template_name(names.template_of(id.action)?)?;
    let own = ground.plan.template_labels().iter().position(|own| own == label)?;
    Some(TemplateId::from_idx(own))
}

/// Which events are kept.
enum Wanted {
    /// These, by their ids in the record.
    Ids(HashSet<EventId>),
    /// Those of this path.
    Path(EventPath),
    /// All of them, up to that of this path.
    All(EventPath),
}

/// How a replay is ended.
struct Ends {
    own: StopSignal,
    /// The user's.
    asked: StopSignal,
    /// Whether the event that was looked for ends it.
    ends: bool,
}

/// Keeps the events that are looked for.
#[derive(Clone)]
struct Keeper(Arc<Mutex<Kept>>);

struct Kept {
    wanted: Wanted,
    ends: Option<Ends>,
    found: Vec<EventRecord>,
    batches: Vec<EventBatch>,
    names: Names,
    /// Events that may be the one that is looked for, and whose actions have no name yet.
    open: Vec<EventId>,
    /// How often actions have executed, in the order of their first event.
    counts: Vec<(ActionId, u64)>,
}

impl Kept {
    /// Whether the event that is looked for has come. Its action may be announced in a later batch of another worker.
    fn has_ended(&mut self) -> bool {
        let (Wanted::Path(path) | Wanted::All(path)) = &self.wanted else { return false };
        let (names, mut has_ended) = (&self.names, false);
        self.open.retain(|id| {
            has_ended |= path.fits_from_main(id.action, names);
            names.template_of(id.action).is_none()
        });
        has_ended
    }
}

impl Keeper {
    fn new(wanted: Wanted, ends: Option<Ends>) -> Self {
        let (found, batches, names) = (Vec::new(), Vec::new(), Names::default());
        let (open, counts) = (Vec::new(), Vec::new());
        Self(Arc::new(Mutex::new(Kept { wanted, ends, found, batches, names, open, counts })))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventSink for Keeper {
    fn take_batch(&mut self, batch: &EventBatch) -> io::Result<()> {
        let kept = &mut *self.lock();
        if let Wanted::Ids(ids) = &kept.wanted {
            let wanted = batch.rows().filter(|row| row.local.is_some() && ids.contains(&row.id));
            kept.found.extend(wanted.map(|row| row.to_record()));
            return Ok(());
        }
        kept.names.read(batch);
        for row in batch.rows() {
            match kept.counts.get_mut(row.id.action.idx()) {
                Some((_, count)) => *count = (*count).max(row.id.count),
                None => {
                    let known = kept.counts.len()..=row.id.action.idx();
                    kept.counts.extend(known.map(|idx| (ActionId::from_idx(idx), 0)));
                    kept.counts[row.id.action.idx()].1 = row.id.count;
                }
            }
            match &kept.wanted {
                Wanted::Path(path) => {
                    if row.local.is_some() && path.count().is_none_or(|count| count == row.id.count) {
                        kept.found.push(row.to_record());
                        kept.open.push(row.id);
                    }
                }
                Wanted::All(path) if path.count() == Some(row.id.count) => kept.open.push(row.id),
                Wanted::All(_) | Wanted::Ids(_) => {}
            }
        }
        if let Wanted::All(_) = kept.wanted {
            kept.batches.push(batch.clone());
        }
        let has_ended = kept.has_ended();
        if let Some(ends) = &kept.ends
            && (ends.asked.is_set() || (ends.ends && has_ended))
        {
            ends.own.stop();
        }
        Ok(())
    }

    fn finish(&mut self, _: &RunReport, _: &Idle) -> io::Result<()> {
        Ok(())
    }
}
