//! Requests of the debugger, served by the thread that started the run.

use super::board::Board;
use super::inspector::Desk;
use crate::instrumentation::Instrumentation;
use crate::report::RunReport;
use crate::worker::Worker;

impl Board {
    /// Serves until all workers have ended.
    pub(crate) fn serve_while_running<M: Instrumentation>(&self, worker: &mut Worker<'_, '_, M>) {
        while let Some(request) = self.next_while_running() {
            request(&mut Desk { worker });
        }
    }

    /// Tells how the run ended, and serves until it is let go of.
    pub(crate) fn serve_while_over<M: Instrumentation>(
        &self,
        report: &RunReport,
        worker: &mut Worker<'_, '_, M>,
    ) {
        self.conclude(report);
        while let Some(request) = self.next_while_over() {
            request(&mut Desk { worker });
        }
    }
}
