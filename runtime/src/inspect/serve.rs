//! Requests of the debugger, served by the thread that started the run.

use crate::fire::worker::Worker;
use crate::inspect::desk::Desk;
use crate::record::instrumentation::Instrumentation;
use crate::request::control::board::Board;
use crate::request::report::RunReport;

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
