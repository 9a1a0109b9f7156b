//! A restricted trace from a trace.

use std::io;

use hasse_model::event::{EventBatch, EventRecord, QueueEdit};
use hasse_model::id::{ActionId, EventId, GraphInstanceId, ObjectId};
use hasse_model::record_options::RecordOption;
use hasse_model::table::IdTable;
use hasse_model::trace::{BatchSource, Names, TraceError, TraceFooter, TraceHeader, Truncation};

use super::Restrictor;
use crate::carry::TakenTooOften;
use crate::read::{ReadError, Summary, try_lend_in_order};

/// Events of a batch, and bytes of answers and values after which it is handed over with fewer.
const MOST_EVENTS: usize = 1 << 13;
const MOST_BYTES: usize = 1 << 20;

/// Why a trace could not be restricted.
#[derive(Debug, thiserror::Error)]
pub enum RestrictError {
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
    /// What was made of it cannot be written.
    #[error("cannot write the restricted trace")]
    Write(#[from] io::Error),
}

/// Packs records into batches that announce what they name.
#[derive(Debug, Default)]
pub struct Batches {
    batch: EventBatch,
    has_action: IdTable<bool>,
    has_object: IdTable<bool>,
    has_graph: IdTable<bool>,
    n_events: u64,
}

impl Batches {
    /// No records yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of records taken in.
    pub fn n_events(&self) -> u64 {
        self.n_events
    }

    /// Takes in a record, moves its effects, error and values out of it, and hands over a batch that is full.
    ///
    /// # Errors
    /// Where `write` fails.
    pub fn push(
        &mut self,
        record: &mut EventRecord,
        names: &Names,
        write: &mut impl FnMut(&EventBatch) -> io::Result<()>,
    ) -> io::Result<()> {
        self.announce_action(record.id.action, names);
        for object in record.shared.iter().map(|access| access.object) {
            self.announce_object(object, names);
        }
        for object in record.relayed.iter().map(|relayed| relayed.object) {
            self.announce_object(object, names);
        }
        self.batch.push(record);
        self.n_events += 1;
        if self.batch.n_events() >= MOST_EVENTS || self.batch.payload_bytes() >= MOST_BYTES {
            write(&self.batch)?;
            self.batch.clear();
        }
        Ok(())
    }

    /// Takes in a change of a queue that was made by hand.
    pub fn push_edit(&mut self, edit: &QueueEdit, names: &Names) {
        self.announce_graph(edit.graph, names);
        self.batch.edits.push(edit.clone());
    }

    /// The records that wait for the batch to be full.
    pub fn pending(&self) -> &EventBatch {
        &self.batch
    }

    /// Hands over what is left.
    ///
    /// # Errors
    /// Where `write` fails.
    pub fn finish(mut self, write: &mut impl FnMut(&EventBatch) -> io::Result<()>) -> io::Result<()> {
        if !self.batch.is_empty() {
            write(&self.batch)?;
            self.batch.clear();
        }
        Ok(())
    }

    fn announce_action(&mut self, action: ActionId, names: &Names) {
        if std::mem::replace(self.has_action.slot(action.0), true) {
            return;
        }
        if let Some(record) = names.action_record(action) {
            self.announce_graph(record.graph, names);
            self.batch.actions.push(record);
        }
    }

    fn announce_object(&mut self, object: ObjectId, names: &Names) {
        if std::mem::replace(self.has_object.slot(object.0), true) {
            return;
        }
        if let Some(record) = names.object_record(object) {
            self.announce_graph(record.graph, names);
            self.batch.objects.push(record.clone());
        }
    }

    /// Announces a graph instance behind those around it.
    fn announce_graph(&mut self, graph: GraphInstanceId, names: &Names) {
        let mut inward = Vec::new();
        let mut at = graph;
        while at != GraphInstanceId::MAIN && !std::mem::replace(self.has_graph.slot(at.0), true) {
            let Some(record) = names.graph(at) else { break };
            inward.push(record);
            at = record.parent;
        }
        self.batch.graphs.extend(inward.into_iter().rev().cloned());
    }
}

/// What became of a trace that was restricted.
#[derive(Debug)]
pub struct Restricted {
    /// What was read.
    pub summary: Summary,
    /// Number of records handed over.
    pub n_recorded: u64,
}

impl Restricted {
    /// The footer of the restricted trace: that of the trace that was read, with the number of events that are left.
    /// `None` where that one has none, since its run was cut off.
    pub fn footer(&self) -> Option<TraceFooter> {
        let footer = self.summary.footer.clone()?;
        Some(TraceFooter { n_events: self.n_recorded, ..footer })
    }
}

/// Reads a trace, restricts its records and hands them over in batches, which belong behind a header with the mode
/// [`Restricted`](hasse_model::trace::RecordingMode::Restricted). Time and memory: those of reading in causal order
/// and of the [`Restrictor`].
///
/// # Errors
/// Where the source or `write` fails or the trace contradicts itself.
pub fn restricted_batches(
    mut source: impl BatchSource,
    mut option_of: impl FnMut(ActionId, &Names) -> RecordOption,
    mut write: impl FnMut(&EventBatch) -> io::Result<()>,
) -> Result<Restricted, RestrictError> {
    let first = source.next_batch().map_err(ReadError::from)?;
    if let Some(first) = &first
        && let Some(cut) = &first.cut
    {
        write(&restricted_cut(first, cut, source.header(), &mut option_of))?;
    }
    let source = Begun { first, source };
    let mut restrictor = Restrictor::new(source.header().mode, option_of);
    let mut batches = Batches::new();
    let summary = try_lend_in_order(source, |event, names| -> Result<(), RestrictError> {
        let record = restrictor.event(event, names);
        let record = record.map_err(|source| RestrictError::Inconsistent {
            event: names.event(event.id).to_string(),
            source,
        })?;
        match record {
            Some(record) => Ok(batches.push(record, names, &mut write)?),
            None => Ok(()),
        }
    })?;
    summary.edits.iter().for_each(|edit| batches.push_edit(edit, &summary.names));
    let n_recorded = batches.n_events();
    batches.finish(&mut write)?;
    Ok(Restricted { summary, n_recorded })
}

/// The cut with which a rotated record begins, of the actions that are recorded.
fn restricted_cut(
    first: &EventBatch,
    cut: &[EventId],
    header: &TraceHeader,
    option_of: &mut impl FnMut(ActionId, &Names) -> RecordOption,
) -> EventBatch {
    let mut names = Names::new(header);
    names.read(first);
    let mut is_recorded = |action: ActionId| option_of(action, &names) == RecordOption::Full;
    let mut batch = EventBatch::default();
    batch.cut = Some(cut.iter().copied().filter(|last| is_recorded(last.action)).collect());
    batch.graphs.clone_from(&first.graphs);
    batch.actions.extend(first.actions.iter().filter(|action| is_recorded(action.action)).cloned());
    batch
}

/// A source whose first batch has been taken.
struct Begun<S> {
    first: Option<EventBatch>,
    source: S,
}

impl<S: BatchSource> BatchSource for Begun<S> {
    fn header(&self) -> &TraceHeader {
        self.source.header()
    }

    fn next_batch(&mut self) -> Result<Option<EventBatch>, TraceError> {
        match self.first.take() {
            Some(first) => Ok(Some(first)),
            None => self.source.next_batch(),
        }
    }

    fn give_back(&mut self, batch: EventBatch) {
        self.source.give_back(batch);
    }

    fn footer(&self) -> Option<&TraceFooter> {
        self.source.footer()
    }

    fn truncated(&self) -> Option<Truncation> {
        self.source.truncated()
    }
}
