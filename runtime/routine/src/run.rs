//! Memory and endings of runs.

use crate::compute::Budget;
use crate::evaluator::Stack;
use crate::journal::{Journal, Undo};
use crate::view::View;

/// How a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Outputs stand in the words, objects are written.
    Done,
    /// Nothing has been changed in the objects: the interpreter is to do it.
    GaveUp,
    /// The run was told to stop; nothing has been changed in the objects.
    Interrupted,
}

/// Memory that runs use again and again; one for each thread.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(crate) budget: Budget,
    pub(crate) journal: Journal,
    pub(crate) views: Vec<View>,
    /// True where what runs write may have to be taken back after their end.
    keeps_writes: bool,
    pub(super) stack: Stack,
}

impl Scratch {
    /// Sets how many bytes what the next run makes may take at a time, as the interpreter would count them or more; it gives up
    /// beyond.
    pub fn allow(&mut self, n_bytes: u64) {
        self.budget = Budget { left: n_bytes };
    }

    /// Sets whether the journal of the next run outlives it, for [`Scratch::keep_writes`].
    pub fn set_keeps_writes(&mut self, keeps_writes: bool) {
        self.keeps_writes = keeps_writes;
    }

    /// Moves what the last run wrote to `undo`. There must have been no run since.
    pub fn keep_writes(&mut self, undo: &mut Undo) {
        undo.keep(&mut self.journal);
    }

    /// A run has come to its end.
    #[inline]
    pub(crate) fn end_run(&mut self) {
        if !self.keeps_writes {
            self.journal.forget();
        }
    }
}
