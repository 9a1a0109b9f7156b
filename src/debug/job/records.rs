//! Events of a run that a session has in memory.

use std::io::{self, Write};
use std::sync::Arc;

use hasse_model::event::EventBatch;
use hasse_model::trace::{RecordingMode, TraceError, TraceFooter, TraceHeader, TraceReader, TraceWriter};
use hasse_runtime::run::Idle;

/// The events of a run that the session has kept.
#[derive(Clone)]
pub(in super::super) struct Records {
    pub(in super::super) header: TraceHeader,
    pub(super) batches: Arc<Vec<EventBatch>>,
    /// Number of events of the run, recorded or not.
    pub(super) n_executed: u64,
    /// Actions that were created and never executed; none of a run that is under way.
    pub(super) idle: Arc<Idle>,
    /// Of a minimal record, which is no sequence of events: its trace.
    pub(super) choices: Option<Arc<Vec<u8>>>,
}

impl Records {
    pub(in super::super) fn n_events(&self) -> usize {
        self.batches.iter().map(EventBatch::n_events).sum()
    }

    /// Whether they are of the same run, at the same time.
    pub(in super::super) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.batches, &other.batches)
    }

    /// The events, batch by batch.
    pub(in super::super) fn batches(&self) -> &[EventBatch] {
        &self.batches
    }

    /// The records as a trace.
    pub(in super::super) fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write(&mut bytes)?;
        Ok(bytes)
    }

    /// Writes the records as a trace.
    pub(in super::super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        if let Some(choices) = &self.choices {
            return out.write_all(choices);
        }
        let mut writer = TraceWriter::new(out, &self.header)?;
        self.batches.iter().try_for_each(|batch| writer.write_batch(batch))?;
        writer.finish(&self.footer())?;
        Ok(())
    }

    /// The records of such a trace.
    pub(in super::super) fn of_bytes(bytes: &[u8]) -> Result<Self, TraceError> {
        let mut reader = TraceReader::open(bytes)?;
        let mut batches = Vec::new();
        while let Some(batch) = reader.next_batch()? {
            batches.push(batch);
        }
        let footer = reader.footer();
        let n_executed = footer.map_or(0, |footer| footer.n_executed);
        let idle = footer
            .map(|footer| Idle { graphs: footer.idle_graphs.clone(), actions: footer.idle_actions.clone() });
        let header = reader.header().clone();
        let choices = (header.mode == RecordingMode::Minimal).then(|| Arc::new(bytes.to_vec()));
        let idle = Arc::new(idle.unwrap_or_default());
        Ok(Self { header, batches: Arc::new(batches), n_executed, idle, choices })
    }

    pub(super) fn footer(&self) -> TraceFooter {
        let n_events = self.n_events() as u64;
        TraceFooter {
            outcome: "saved".to_owned(),
            n_events,
            n_executed: self.n_executed,
            idle_graphs: self.idle.graphs.clone(),
            idle_actions: self.idle.actions.clone(),
            ..TraceFooter::default()
        }
    }
}
