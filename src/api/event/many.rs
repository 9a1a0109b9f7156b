//! Values of many events of a full record, made again by one replay.

use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use hasse_debugger::past::{History, restricted_to};
use hasse_model::event::{EventBatch, EventRecord, LocalState};
use hasse_model::id::{EventId, TemplateId};
use hasse_model::value::Value;
use hasse_runtime::capture::{Capture, Captured};
use hasse_runtime::report::RunReport;
use hasse_runtime::run::{EventSink, Idle, ReplayRecord, StopSignal, replay};

use super::error::EventError;
use super::ground::Ground;
use super::regenerate::{check_replayable, diverged, options_of, refuse_before_base};

/// Events with their values, and whether they are all that were asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ManyValues {
    /// The events, in the order of their ids. Each has its [`LocalState`].
    pub events: Vec<EventRecord>,
    /// Whether the memory limit left events out.
    pub is_cut: bool,
}

/// Makes the values of events of a full or timed record again. `wanted` lists the events; `None` stands for all of them.
/// Of the listed ones, only the causal past is replayed. Once the values take about `most_bytes`, the replay ends.
///
/// Cost: one replay in which every execution keeps its values.
///
/// # Errors
/// The record has no full list of events, the replay takes another way than the record, or it is stopped from outside.
pub fn many(
    ground: Ground<'_>,
    wanted: Option<&[EventId]>,
    most_bytes: usize,
) -> Result<ManyValues, EventError> {
    check_replayable(&ground.recorded.header)?;
    if ground.is_minimal() {
        return Err(EventError::NotReplayable { mode: ground.recorded.header.mode });
    }
    let record = &ground.recorded.record;
    let batches = match wanted {
        None => record.batches.clone(),
        Some(wanted) => {
            let past = {
                let history = History::new(&record.batches);
                refuse_before_base(record, wanted)?;
                let of_base = record.base.iter().flat_map(|base| base.cut().last_events().to_vec());
                history.past_of(wanted.iter().copied().chain(of_base))
            };
            restricted_to(&record.batches, &past)
        }
    };
    let part = ReplayRecord {
        batches,
        templates: record.templates.clone(),
        shared: record.shared.clone(),
        calls: record.calls.clone(),
        minimal: None,
        base: record.base.clone(),
    };
    let mut capture = Capture::none();
    for template_idx in 0..ground.plan.templates.len() {
        capture.add(TemplateId::from_idx(template_idx), Captured::ALL);
    }
    // One signal for both: who asks gives it, and so does the keeper once it has enough.
    let stop = ground.options.stop.clone();
    let kept = Arc::new(Mutex::new(Kept::default()));
    let sink = Keeper {
        wanted: wanted.map(|wanted| wanted.iter().copied().collect()),
        most_bytes,
        kept: Arc::clone(&kept),
        stop: stop.clone(),
    };
    let options = options_of(ground, capture, stop.clone());
    let report = replay(ground.plan, &options, part, Some(Box::new(sink)), Box::new(|_| {}))?;
    diverged(&report)?;
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    if stop.is_set() && !kept.is_cut {
        return Err(EventError::Stopped { event: "the events".to_owned() });
    }
    let mut events = std::mem::take(&mut kept.events);
    events.sort_by_key(|event| event.id);
    Ok(ManyValues { events, is_cut: kept.is_cut })
}

#[derive(Default)]
struct Kept {
    events: Vec<EventRecord>,
    n_bytes: usize,
    is_cut: bool,
}

/// Keeps events that carry values until they take too much memory.
struct Keeper {
    /// `None`: all events.
    wanted: Option<HashSet<EventId>>,
    most_bytes: usize,
    kept: Arc<Mutex<Kept>>,
    /// Ends the replay.
    stop: StopSignal,
}

impl EventSink for Keeper {
    fn take_batch(&mut self, batch: &EventBatch) -> io::Result<()> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let is_wanted = |id: &EventId| self.wanted.as_ref().is_none_or(|wanted| wanted.contains(id));
        for row in batch.rows().filter(|row| is_wanted(&row.id)) {
            let Some(local) = row.local else { continue };
            if kept.n_bytes >= self.most_bytes {
                kept.is_cut = true;
                self.stop.stop();
                break;
            }
            kept.n_bytes += n_bytes_of(local);
            kept.events.push(row.to_record());
        }
        Ok(())
    }

    fn finish(&mut self, _: &RunReport, _: &Idle) -> io::Result<()> {
        Ok(())
    }
}

/// About how many bytes the values of an event take. Values that several events share count each time.
fn n_bytes_of(local: &LocalState) -> usize {
    let lists = [
        &local.took,
        &local.before,
        &local.after,
        &local.sent,
        &local.found,
        &local.shared_before,
        &local.shared_after,
        &local.params,
        &local.bound,
        &local.lets,
        &local.results,
    ];
    let values = lists.into_iter().flatten().map(|(name, value)| 48 + name.len() + heap_bytes(value));
    let texts = local.lines.iter().map(|line| 24 + line.len());
    let receivers = local.receivers.iter().map(|(_, path)| 32 + path.len());
    512 + values.sum::<usize>() + texts.sum::<usize>() + receivers.sum::<usize>()
}

/// Bytes that a value keeps on the heap.
pub(crate) fn heap_bytes(value: &Value) -> usize {
    match value {
        Value::Unit | Value::Bool(_) | Value::Int(_) | Value::Real(_) | Value::Char(_) => 0,
        Value::String(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        Value::Vector(entries) => 8 * entries.len(),
        Value::Matrix(matrix) => 8 * matrix.entries().len(),
        Value::Array(items) => items.iter().map(|item| 24 + heap_bytes(item)).sum(),
        Value::Map(entries) => entries.iter().map(|(key, value)| 48 + key.len() + heap_bytes(value)).sum(),
        Value::Struct(held) => held.fields().iter().map(|field| 24 + heap_bytes(field)).sum(),
    }
}
