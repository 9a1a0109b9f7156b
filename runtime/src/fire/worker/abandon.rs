//! A worker that goes down.

use hasse_record::instrumentation::Instrumentation;

use crate::fire::session::Session;

/// Ends the run when its worker goes down, so that the others do not wait for it for ever.
pub(crate) struct AbandonOnPanic<'s, 'p, M: Instrumentation>(pub(crate) &'s Session<'p, M>);

impl<M: Instrumentation> AbandonOnPanic<'_, '_, M> {
    /// The worker has ended well.
    pub(crate) fn leave(self) {
        if let Some(board) = &self.0.board {
            board.worker_left();
        }
        std::mem::forget(self);
    }
}

impl<M: Instrumentation> Drop for AbandonOnPanic<'_, '_, M> {
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
