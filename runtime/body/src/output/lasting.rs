//! Lines of long events, written before the events end.
//!
//! Workers pay nothing for it: a thread that looks from time to time writes the lines that it finds twice.

use super::OutputOrder;
use crate::effects::SharedContext;

/// The lines of a context at a look.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    /// Which event printed them.
    pub(crate) serial: u64,
    pub(crate) n_lines: usize,
}

/// Contexts of all workers, with the lines seen at the last look.
#[derive(Debug)]
pub struct Lasting<'c> {
    contexts: &'c [SharedContext],
    seen: Vec<Seen>,
}

impl<'c> Lasting<'c> {
    /// Makes the first look.
    pub fn of(contexts: &'c [SharedContext]) -> Self {
        Self { contexts, seen: vec![Seen::default(); contexts.len()] }
    }

    /// Writes lines that have waited since the last look.
    pub fn flush(&mut self, output: &OutputOrder) {
        for (context, seen) in self.contexts.iter().zip(&mut self.seen) {
            context.flush_lasting(seen, output);
        }
    }
}
