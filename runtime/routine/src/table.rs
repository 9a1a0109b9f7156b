//! Tables of scalars: the words of many runs.

use std::cell::Cell;

/// Scalars of runs as words, one row for each run.
#[derive(Clone, Copy, Debug)]
pub struct Table<'c> {
    /// What stands in it.
    pub cells: &'c [Cell<i64>],
    /// Where the inputs stand, in their order.
    pub takes: &'c [Track],
    /// Where the outputs go, in their order. They may go where later rows take their inputs.
    pub gives: &'c [Track],
}

/// Where one scalar of each run is: the first one's cell, and how many it is to the next one's, which is none where it
/// is the same for all.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Track {
    /// The cell of the first row.
    pub start: usize,
    /// Cells from row to row.
    pub step: usize,
}

impl<'c> Table<'c> {
    /// The cell of a track in a row.
    ///
    /// # Panics
    /// If there is none.
    #[inline(always)]
    pub fn cell(&self, track: Track, row: usize) -> &'c Cell<i64> {
        &self.cells[track.start + row * track.step]
    }
}
