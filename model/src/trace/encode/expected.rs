//! Events that are as expected: the shortest way to write one.

use super::super::predict::MAX_PREDICTED;
use super::Encoder;
use super::running::{Running, step};
use crate::encoding::varint::put_varint;
use crate::event::EventBatch;
use crate::trace::column::{Column, batch_flag};

impl Encoder {
    /// Writes an event that is as expected, and that no other one repeats: most are where many actions take turns. False where
    /// it is another one, or may be: then nothing is written. What it writes is what [`put_row`](Self::put_row) would.
    #[inline]
    pub(super) fn put_expected(&mut self, batch: &EventBatch, event_idx: usize, state: &mut Running) -> bool {
        if state.flags & batch_flag::EACH != 0
            || batch.has_successor_behind(event_idx)
            || state.extra_of(batch, event_idx).is_some()
            || !state.effects_of(batch, event_idx).is_empty()
            || state.n_folded(batch, event_idx) > 0
        {
            return false;
        }
        let action = batch.action_at(event_idx);
        if batch.actions.get(state.n_announced).is_some_and(|next| next.action == action) {
            return false;
        }
        let Some((last_idx, n_repeats)) = self.predictor.last(action) else { return false };
        let Some(n_items) = batch.is_steps_behind(last_idx, event_idx, n_repeats as u64 + 1) else {
            return false;
        };
        if n_items > MAX_PREDICTED || !self.predictor.may_unfold(n_items) {
            return false;
        }
        put_varint(&mut self.columns[Column::Action as usize], step(state.action, action.0) + 1);
        self.put_flags(0, 0);
        state.action = action.0;
        self.predictor.note(action, None, event_idx, 0);
        true
    }
}
