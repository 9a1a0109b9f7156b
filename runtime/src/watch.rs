//! The thread that looks: sees to it that what has ended is handed over in time, whatever bodies do, that minimal records
//! are made whole now and then, that lines of events that last are written, and that a run keeps to its memory.
//!
//! It costs the workers nothing but a flag that they read between two batches of events. How batches are handed over is the
//! subject of [`shelf`](crate::collector::shelf), how records are made whole that of [`cut`](crate::cut).

use std::thread::{self, Scope};

use crossbeam_channel::{RecvTimeoutError, Sender, bounded};

use crate::collector::shelf::PERIOD;
use crate::instrumentation::{Instrumentation, ResultOrder};
use crate::run::RuntimeError;
use crate::scheduler::Scheduler;
use crate::session::Session;
use crate::worker::Ready;

/// Looks until it is dropped.
pub(crate) struct Watch {
    _ends: Sender<()>,
}

/// Starts to look, where the recording wants that or there is something else to `look` at.
pub(crate) fn watch<'s, M: Instrumentation, K: ResultOrder, S: Scheduler<Ready<M, K>>>(
    scope: &'s Scope<'s, '_>,
    session: &'s Session<'_, M, K, S>,
    mut look: Option<impl FnMut() + Send + 's>,
) -> Result<Option<Watch>, RuntimeError> {
    let is_recorded = session.instrumentation.wants_looks();
    if !is_recorded && look.is_none() {
        return Ok(None);
    }
    // Nothing is sent: that nobody can send any more ends the thread.
    let (ends, ended) = bounded::<()>(0);
    thread::Builder::new()
        .name("hasse-watch".to_owned())
        .spawn_scoped(scope, move || {
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(PERIOD) {
                if is_recorded {
                    session.instrumentation.look();
                    session.try_cut();
                }
                if let Some(look) = &mut look {
                    look();
                }
            }
        })
        .map_err(RuntimeError::Spawn)?;
    Ok(Some(Watch { _ends: ends }))
}
