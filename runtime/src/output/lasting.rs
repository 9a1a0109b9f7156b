//! Lines of events that last are written while they last.
//!
//! Workers pay nothing for it: the thread that [looks](crate::watch) writes the lines that it finds twice.

use super::OutputOrder;
use crate::effects::SharedContext;

/// The lines of a context at a look.
#[derive(Clone, Copy, Default)]
pub(crate) struct Seen {
    /// Which event printed them.
    pub(crate) serial: u64,
    pub(crate) n_lines: usize,
}

/// The contexts of all workers, with what was seen at the last look.
pub(crate) struct Lasting<'c> {
    contexts: &'c [SharedContext],
    seen: Vec<Seen>,
}

impl<'c> Lasting<'c> {
    pub(crate) fn of(contexts: &'c [SharedContext]) -> Self {
        Self { contexts, seen: vec![Seen::default(); contexts.len()] }
    }

    /// Writes lines that have waited since the last look.
    pub(crate) fn flush(&mut self, output: &OutputOrder) {
        for (context, seen) in self.contexts.iter().zip(&mut self.seen) {
            context.flush_lasting(seen, output);
        }
    }
}
