//! Events that go on with others, where whoever reads them does not want each by itself.

use super::{Columns, Decoder, Running, check_unfolds};
use crate::encoding::varint::Malformed;
use crate::event::{EventBatch, SharedAccess};
use crate::id::{ActionId, EventId};
use crate::trace::column::{Column, batch_flag};
use crate::trace::predict::{flag, is_short, n_items};

impl Decoder {
    /// Takes an event of which everything is as expected, and those behind it that repeat it, if they go on with the last
    /// event of their action that has a head: they are told by that, whatever came between. False where they do not.
    #[inline]
    pub(super) fn gather(
        &mut self,
        action: ActionId,
        flags: u8,
        columns: &mut Columns<'_>,
        batch: &EventBatch,
        state: &mut Running,
    ) -> Result<bool, Malformed> {
        let Some((head_idx, n_before)) = self.predictor.last(action) else { return Ok(false) };
        if state.flags & batch_flag::EACH != 0 || batch.has_extra(head_idx) {
            return Ok(false);
        }
        let like = batch.core(head_idx);
        let last = EventId { action, count: like.id.count.wrapping_add(n_before as u64) };
        let finds_own = match like.shared {
            [] => true,
            [access] => {
                let expected = access.left_by(last).writer;
                is_foldable(like.shared) && self.predictor.writer(access.object) == expected
            }
            _ => false,
        };
        if !finds_own || !is_short(&like) {
            return Ok(false);
        }
        let n_repeats = match flags & flag::REPEATS {
            0 => 0,
            _ => columns[Column::Repeats as usize].byte()?,
        };
        // As the same events are counted that are not gathered.
        let n_items = n_items(&like);
        check_unfolds(&mut self.predictor, n_items - 1)?;
        check_unfolds(&mut self.predictor, n_items * usize::from(n_repeats))?;
        let n_events = 1 + u32::from(n_repeats);
        self.gathered.resize(batch.n_heads(), 0);
        self.gathered[head_idx] += n_events;
        state.n_gathered += u64::from(n_events);
        state.action = action.0;
        let last = EventId { action, count: last.count.wrapping_add(u64::from(n_events)) };
        self.predictor.note_accesses(last, like.shared);
        self.predictor.note(action, None, head_idx, n_before + n_events as usize);
        Ok(true)
    }

    /// Adds the events that repeat the last one as one row.
    pub(super) fn fold_repeats(
        &mut self,
        batch: &mut EventBatch,
        mut id: EventId,
        (rule, flow_successors): (i32, u64),
        n_repeats: u8,
    ) {
        id.count = id.count.wrapping_add(1);
        self.flow.iter_mut().for_each(|sender| sender.count = sender.count.wrapping_add(1));
        for access in &mut self.shared {
            access.writer = self.predictor.writer(access.object);
        }
        let shared = self.shared.first().copied();
        let n_events = usize::from(n_repeats);
        batch.push_run(id, n_events, rule, &self.routes, &self.flow, shared, flow_successors);
        let last = EventId { action: id.action, count: id.count.wrapping_add(n_events as u64 - 1) };
        self.predictor.note_accesses(last, &self.shared);
    }
}

/// Whether each event that accesses what the one before it has left can be told by the first.
pub(super) fn is_foldable(shared: &[SharedAccess]) -> bool {
    match shared {
        [] => true,
        [access] => access.readers == 0,
        _ => false,
    }
}
