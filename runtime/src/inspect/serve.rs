//! Requests of the debugger, served by the thread that started the run.

use hasse_record::instrumentation::Instrumentation;
use hasse_request::control::board::Board;
use hasse_request::report::RunReport;

use crate::fire::worker::Worker;
use crate::inspect::desk::Desk;

/// Serves until all workers have ended.
pub(crate) fn serve_while_running<M: Instrumentation>(board: &Board, worker: &mut Worker<'_, '_, M>) {
    while let Some(request) = board.next_while_running() {
        request(&mut Desk { worker });
    }
}

/// Tells how the run ended, and serves until it is released.
pub(crate) fn serve_while_over<M: Instrumentation>(
    board: &Board,
    report: &RunReport,
    worker: &mut Worker<'_, '_, M>,
) {
    board.conclude(report);
    while let Some(request) = board.next_while_over() {
        request(&mut Desk { worker });
    }
}
