//! The threads that look: they see to it that what has ended is handed over in time, whatever bodies do, that minimal records
//! are made whole now and then, that lines of events that last are written, that a run keeps to its memory, and that its
//! checkpoints are taken.
//!
//! They cost the workers nothing but a flag that they read between two batches of events. How batches are handed over is the
//! subject of [`shelf`](hasse_record::collector::shelf), how records are made whole that of [`cut`](crate::inspect::cut).

use std::thread::{self, Scope};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use hasse_record::collector::shelf::PERIOD;
use hasse_record::instrumentation::Instrumentation;
use hasse_request::checkpoint::Checkpoints;
use hasse_request::options::RuntimeError;

use crate::fire::session::Session;
use crate::run::checkpoint::take_checkpoints;

/// Looks until it is dropped.
pub(crate) struct Watch {
    _ends: Sender<()>,
}

/// Periodic checks of the watching thread in addition to the record.
pub(crate) struct Looks<'c, L, W> {
    /// Looks at how much memory the run holds.
    pub(crate) at_memory: Option<L>,
    /// Writes lines of events that last. Has a thread of its own: where nobody reads the output, it waits for ever.
    pub(crate) write_lines: Option<W>,
    /// Takes checkpoints. Has a thread of its own, as keeping one takes its time.
    pub(crate) checkpoints: Option<&'c Checkpoints>,
}

/// Starts to look, where the recording wants that or there is something else to look at.
pub(crate) fn watch<'s, M: Instrumentation>(
    scope: &'s Scope<'s, '_>,
    session: &'s Session<'_, M>,
    looks: Looks<'s, impl FnMut() + Send + 's, impl FnMut() + Send + 's>,
) -> Result<Option<Watch>, RuntimeError> {
    let is_recorded = session.instrumentation.wants_looks();
    let Looks { mut at_memory, write_lines, checkpoints } = looks;
    // Nothing is sent: that nobody can send any more ends the threads.
    let (ends, ended) = bounded::<()>(0);
    let mut has_begun = false;
    if let Some(mut write_lines) = write_lines {
        let ended = ended.clone();
        thread::Builder::new()
            .name("hasse-lines".to_owned())
            .spawn_scoped(scope, move || repeat(&ended, &mut write_lines))
            .map_err(RuntimeError::Spawn)?;
        has_begun = true;
    }
    if let Some(checkpoints) = checkpoints {
        let ended = ended.clone();
        thread::Builder::new()
            .name("hasse-checkpoints".to_owned())
            .spawn_scoped(scope, move || take_checkpoints(session, checkpoints, &ended))
            .map_err(RuntimeError::Spawn)?;
        has_begun = true;
    }
    if is_recorded || at_memory.is_some() {
        let look = move || {
            if is_recorded {
                session.instrumentation.look();
                session.try_cut();
            }
            if let Some(at_memory) = &mut at_memory {
                at_memory();
            }
        };
        thread::Builder::new()
            .name("hasse-watch".to_owned())
            .spawn_scoped(scope, move || repeat(&ended, look))
            .map_err(RuntimeError::Spawn)?;
        has_begun = true;
    }
    Ok(has_begun.then_some(Watch { _ends: ends }))
}

/// Does something every [`PERIOD`] until the other end of the channel is gone.
fn repeat(ended: &Receiver<()>, mut act: impl FnMut()) {
    while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(PERIOD) {
        act();
    }
}
