//! Rotated records: joins the retained segments of a record into one trace.
//!
//! Each segment is a trace of its own. Where the oldest segments are gone, the record begins in the middle of the run. Workers
//! hand over their events at different times, so that the first segment that is left may lack events that are before some of
//! its own. It is therefore the margin: the kept part holds all events of the other segments, and those of the margin that are
//! after one of them. What is left out is a downset of the causal order, as long as no worker kept an event for longer than a
//! segment lasts. The trace begins with a cut, the last event of each action that is left out. A value from there has no
//! sender, and a version of an object from there no writer.

use std::io::{Read, Write};

use hasse_model::event::{Effect, EventBatch, EventRecord};
use hasse_model::id::{ActionId, EventId, ObjectId};
use hasse_model::order::{Before, before};
use hasse_model::plan::Access;
use hasse_model::table::IdTable;
use hasse_model::trace::{
    BatchDecoder, Names, RawBatch, RecordingMode, TraceError, TraceFooter, TraceHeader, TraceReader,
    TraceWriter,
};
use rustc_hash::FxHashSet;

/// The segments of a record, oldest first, which can be read several times.
pub trait Segments {
    /// A source of the bytes of a segment.
    type Source: Read;

    /// Number of segments.
    fn n_segments(&self) -> usize;

    /// Opens a segment.
    ///
    /// # Errors
    /// It cannot be opened, or is no trace.
    fn open(&self, nth: usize) -> Result<TraceReader<Self::Source>, TraceError>;
}

/// Versions of objects, by who wrote them.
type Versions = FxHashSet<(ObjectId, Option<EventId>)>;

/// The number of executions of an action up to which its events are left out; all, where no event of the action is kept.
#[derive(Clone, Copy)]
struct Bound(u64);

impl Default for Bound {
    fn default() -> Self {
        Self(u64::MAX)
    }
}

/// Joins the segments of a record into one trace. It has a footer if the last segment does. Cost: three passes over the segments,
/// one more where the first one writes objects that others read, and more if events of it are after others; memory: the names, 8 bytes
/// for each action and object, and a batch.
///
/// # Errors
/// A segment cannot be read, there is none, or [`TraceError::Write`] where `out` fails.
pub fn join<W: Write>(segments: &impl Segments, out: W) -> Result<W, TraceError> {
    let first = segments.open(0)?.header().clone();
    let mut part = KeptPart { is_whole: first.n_before == 0, mode: first.mode, ..KeptPart::default() };
    let mut names = Names::new(&first);
    if !part.is_whole {
        part.find(segments, &mut names)?;
        part.count(segments)?;
    }
    let header = TraceHeader { n_before: first.n_before + part.n_left_out, ..first };
    let mut writer = TraceWriter::new(out, &header).map_err(TraceError::Write)?;
    if !part.is_whole {
        writer.write_batch(&part.cut(&names)).map_err(TraceError::Write)?;
    }
    let (mut n_events, mut footer) = (0, None);
    let mut unfolding = BatchDecoder::default();
    for nth in 0..segments.n_segments() {
        let mut batches = Batches::of(segments, nth)?;
        while let Some((raw, batch)) = batches.next()? {
            if part.is_whole || nth > 0 && part.is_as_recorded(batch) {
                n_events += u64::from(raw.n_events());
                writer.write_raw(&raw).map_err(TraceError::Write)?;
            } else if let Some(batch) = unfolding.decode(&raw) {
                let kept = part.kept(&batch, nth == 0);
                n_events += kept.n_events() as u64;
                writer.write_batch(&kept).map_err(TraceError::Write)?;
                unfolding.give_back(batch);
            }
        }
        footer = batches.reader.footer().cloned();
    }
    match footer {
        Some(footer) => writer.finish(&TraceFooter { n_events, ..footer }).map_err(TraceError::Write),
        None => Ok(writer.into_inner()),
    }
}

/// Batches of a segment, with events that are alike as one.
struct Batches<R: Read> {
    reader: TraceReader<R>,
    decoder: BatchDecoder,
    batch: EventBatch,
}

impl<R: Read> Batches<R> {
    fn of(segments: &impl Segments<Source = R>, nth: usize) -> Result<Self, TraceError> {
        let mut decoder = BatchDecoder::default();
        decoder.fold();
        Ok(Self { reader: segments.open(nth)?, decoder, batch: EventBatch::default() })
    }

    /// Returns the next batch, encoded and decoded.
    fn next(&mut self) -> Result<Option<(RawBatch, &EventBatch)>, TraceError> {
        let Some(raw) = self.reader.next_raw()? else { return Ok(None) };
        self.decoder.give_back(std::mem::take(&mut self.batch));
        match self.decoder.decode(&raw) {
            Some(batch) => {
                self.batch = batch;
                Ok(Some((raw, &self.batch)))
            }
            None => {
                self.reader.refuse(&raw);
                Ok(None)
            }
        }
    }
}

/// The retained events of a record.
#[derive(Default)]
struct KeptPart {
    bounds: IdTable<Bound>,
    /// By object: number of kept events that read a version of it whose writer is not kept.
    n_readers: IdTable<u64>,
    /// Number of events of the margin that are left out.
    n_left_out: u64,
    mode: RecordingMode,
    /// True if no segment is gone.
    is_whole: bool,
}

impl KeptPart {
    /// Finds where it begins, and reads the names in all segments.
    fn find(&mut self, segments: &impl Segments, names: &mut Names) -> Result<(), TraceError> {
        // A single segment has nothing to be the margin of.
        let first = usize::from(segments.n_segments() > 1);
        for nth in 0..segments.n_segments() {
            let mut batches = Batches::of(segments, nth)?;
            while let Some((_, batch)) = batches.next()? {
                names.read(batch);
                for (row, _) in batch.folded_rows().filter(|_| nth >= first) {
                    self.keep_from(row.id);
                }
            }
        }
        if first > 0 {
            let overwritten = self.overwritten(segments)?;
            while self.take_followers(segments, &self.read(segments, &overwritten)?)? {}
        }
        Ok(())
    }

    /// The versions of objects that events of the margin have overwritten after others read them.
    fn overwritten(&self, segments: &impl Segments) -> Result<Versions, TraceError> {
        let (mut reader, mut versions) = (segments.open(0)?, Versions::default());
        while let Some(batch) = reader.next_batch()? {
            for row in batch.rows().filter(|row| !self.keeps(row.id)) {
                let overwrites = row.shared.iter().filter(|access| access.readers > 0);
                versions.extend(overwrites.map(|access| (access.object, access.writer)));
            }
        }
        Ok(versions)
    }

    /// Those of some versions that kept events have read.
    fn read(&self, segments: &impl Segments, versions: &Versions) -> Result<Versions, TraceError> {
        let mut read = Versions::default();
        let n_segments = if versions.is_empty() { 0 } else { segments.n_segments() };
        for nth in 0..n_segments {
            let mut batches = Batches::of(segments, nth)?;
            while let Some((_, batch)) = batches.next()? {
                for (row, _) in batch.folded_rows().filter(|(row, _)| self.keeps(row.id)) {
                    let reads = row.shared.iter().filter(|access| access.access == Access::Read);
                    let found = reads.map(|access| (access.object, access.writer));
                    read.extend(found.filter(|version| versions.contains(version)));
                }
            }
        }
        Ok(read)
    }

    /// Keeps events of the margin that are after kept ones, some of which have read versions of objects. Returns true if there were
    /// any.
    fn take_followers(&mut self, segments: &impl Segments, read: &Versions) -> Result<bool, TraceError> {
        let (mut reader, mut has_any) = (segments.open(0)?, false);
        let mut event = EventRecord::new(EventId { action: ActionId(0), count: 0 });
        while let Some(batch) = reader.next_batch()? {
            for row in batch.rows() {
                if self.keeps(row.id) {
                    continue;
                }
                row.copy_to(&mut event);
                let follows = before(&event).any(|before| match before {
                    Before::Sequence(event) | Before::Flow(event) => self.keeps(event),
                    Before::Version(_, writer) => writer.is_some_and(|writer| self.keeps(writer)),
                    Before::Readers(object, writer, _) => read.contains(&(object, writer)),
                });
                if follows {
                    self.keep_from(event.id);
                    has_any = true;
                }
            }
        }
        Ok(has_any)
    }

    fn keep_from(&mut self, event: EventId) {
        let bound = self.bounds.slot(event.action.0);
        bound.0 = bound.0.min(event.count.saturating_sub(1));
    }

    fn keeps(&self, event: EventId) -> bool {
        self.bounds.get(event.action.0).is_some_and(|bound| event.count > bound.0)
    }

    /// Counts the discarded events, and the readers of the versions that they wrote.
    fn count(&mut self, segments: &impl Segments) -> Result<(), TraceError> {
        for nth in 0..segments.n_segments() {
            let mut batches = Batches::of(segments, nth)?;
            while let Some((_, batch)) = batches.next()? {
                for (row, n_repeats) in batch.folded_rows() {
                    let n_events = n_repeats as u64 + 1;
                    let n_kept = self.n_kept(row.id, n_events);
                    self.n_left_out += n_events - n_kept;
                    // Events that are alike read the same version.
                    for access in row.shared.iter().filter(|access| access.access == Access::Read) {
                        if access.writer.is_none_or(|writer| !self.keeps(writer)) {
                            *self.n_readers.slot(access.object.0) += n_kept;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Number of retained events in a run of `n_events` events of an action.
    fn n_kept(&self, first: EventId, n_events: u64) -> u64 {
        let Some(bound) = self.bounds.get(first.action.0) else { return 0 };
        let n_left_out = bound.0.saturating_add(1).saturating_sub(first.count);
        n_events - n_left_out.min(n_events)
    }

    /// Returns true if all events of a batch are retained, and so are their predecessors.
    ///
    /// Checks the first event of each run only: the senders and writers of the others are later ones of the same actions.
    fn is_as_recorded(&self, batch: &EventBatch) -> bool {
        batch.folded_rows().all(|(row, _)| {
            self.keeps(row.id)
                && row.flow.iter().all(|&sender| self.keeps(sender))
                && row.relayed.iter().all(|relayed| self.keeps(relayed.event))
                && row.shared.iter().all(|access| match access.writer {
                    Some(writer) => self.keeps(writer),
                    None => access.access == Access::Read,
                })
        })
    }

    /// The batch that the trace begins with: the last events that are left out, and the names of their actions.
    fn cut(&self, names: &Names) -> EventBatch {
        let last = self.bounds.iter().filter(|(_, bound)| (1..u64::MAX).contains(&bound.0));
        let cut = last.map(|(action, bound)| EventId { action: ActionId(action), count: bound.0 });
        let mut batch = names.announced();
        batch.cut = Some(cut.collect());
        batch
    }

    /// Returns the retained events of a batch. Queue edits in the margin are discarded.
    fn kept(&self, batch: &EventBatch, is_margin: bool) -> EventBatch {
        let mut kept = EventBatch::default();
        if !is_margin {
            kept.edits.clone_from(&batch.edits);
        }
        let mut event = EventRecord::new(EventId { action: ActionId(0), count: 0 });
        for row in batch.rows().filter(|row| self.keeps(row.id)) {
            row.copy_to(&mut event);
            self.forget_earlier(&mut event);
            kept.push(&mut event);
        }
        kept
    }

    /// Removes the predecessors of an event that are not retained.
    fn forget_earlier(&self, event: &mut EventRecord) {
        let is_full = self.mode != RecordingMode::Restricted;
        let mut earlier = Vec::new();
        for (flow_idx, &sender) in event.flow.iter().enumerate() {
            if is_full && !self.keeps(sender) {
                earlier.push(event.position_taken(flow_idx));
            }
        }
        event.flow.retain(|&sender| self.keeps(sender));
        event.relayed.retain(|relayed| self.keeps(relayed.event));
        let notes = earlier.into_iter().map(Effect::earlier);
        event.effects.splice(0..0, notes);
        for access in &mut event.shared {
            access.writer = access.writer.filter(|&writer| self.keeps(writer));
            if access.writer.is_none() && access.access == Access::Write {
                access.readers = self.n_readers.get(access.object.0).copied().unwrap_or(0);
            }
        }
    }
}

#[cfg(test)]
mod tests;
