//! A worker that goes down.

use crate::instrumentation::{Instrumentation, ResultOrder};
use crate::scheduler::Scheduler;
use crate::session::Session;
use crate::worker::Ready;

/// Ends the run when its worker goes down, so that the others do not wait for it for ever.
pub(super) struct AbandonOnPanic<'s, 'p, M: Instrumentation, K: ResultOrder, S: Scheduler<Ready<M, K>>>(
    pub(super) &'s Session<'p, M, K, S>,
);

impl<M: Instrumentation, K: ResultOrder, S: Scheduler<Ready<M, K>>> AbandonOnPanic<'_, '_, M, K, S> {
    /// The worker has ended well.
    pub(super) fn leave(self) {
        if let Some(board) = &self.0.board {
            board.worker_left();
        }
        std::mem::forget(self);
    }
}

impl<M: Instrumentation, K: ResultOrder, S: Scheduler<Ready<M, K>>> Drop for AbandonOnPanic<'_, '_, M, K, S> {
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
