//! A worker that goes down.

use crate::instrumentation::{Instrumentation, ResultOrder};
use crate::session::Session;

/// Ends the run when its worker goes down, so that the others do not wait for it for ever.
pub(super) struct AbandonOnPanic<'s, 'p, M: Instrumentation, K: ResultOrder>(
    pub(super) &'s Session<'p, M, K>,
);

impl<M: Instrumentation, K: ResultOrder> AbandonOnPanic<'_, '_, M, K> {
    /// The worker has ended well.
    pub(super) fn leave(self) {
        if let Some(board) = &self.0.board {
            board.worker_left();
        }
        std::mem::forget(self);
    }
}

impl<M: Instrumentation, K: ResultOrder> Drop for AbandonOnPanic<'_, '_, M, K> {
    fn drop(&mut self) {
        self.0.pool.abandon();
        if let Some(lines) = &self.0.lines {
            lines.abandon();
        }
        if let Some(board) = &self.0.board {
            board.worker_left();
        }
    }
}
