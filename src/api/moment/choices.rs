//! Records that have the choices of a run, and not its events: a replay makes these.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use hasse_model::event::EventBatch;
use hasse_runtime::report::RunReport;
use hasse_runtime::run::{EventSink, Idle, ReplayRecord, RunOptions, replay};

use crate::Recorded;
use crate::api::event::{EventError, Ground, diverged};

/// The events of a run of which the record has the choices.
pub(super) fn events_of_choices(ground: Ground<'_>) -> Result<ReplayRecord, EventError> {
    let kept = Arc::<Mutex<Vec<EventBatch>>>::default();
    let sink = KeepsAll(Arc::clone(&kept));
    let Ground { plan, recorded, options } = ground;
    let report = replay(plan, options, recorded.record.clone(), Some(Box::new(sink)), Box::new(|_| {}))?;
    diverged(&report)?;
    if options.stop.is_set() {
        return Err(EventError::Stopped { event: "the run".to_owned() });
    }
    let batches = std::mem::take(&mut *kept.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(recorded.with_events(batches).record)
}

/// A record with every event: of a minimal record, those of a replay.
///
/// # Errors
/// The replay leaves the record, or is stopped.
pub fn with_every_event(ground: Ground<'_>) -> Result<Recorded, EventError> {
    match ground.recorded.record.minimal {
        None => Ok(ground.recorded.clone()),
        Some(_) => {
            let params = ground.recorded.header.params.clone();
            let options = RunOptions { params, ..ground.options.clone() };
            let record = events_of_choices(Ground { options: &options, ..ground })?;
            Ok(ground.recorded.with_events(record.batches))
        }
    }
}

/// Keeps all batches.
struct KeepsAll(Arc<Mutex<Vec<EventBatch>>>);

impl EventSink for KeepsAll {
    fn take_batch(&mut self, batch: &EventBatch) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(batch.clone());
        Ok(())
    }

    fn finish(&mut self, _: &RunReport, _: &Idle) -> io::Result<()> {
        Ok(())
    }
}
