//! Lines that wait until the record of their events is on the disk.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use parking_lot::Mutex;

use super::Output;

/// Lines of events, held back until the record has the events.
pub struct HeldLines(Mutex<Held>);

struct Held {
    output: Output,
    /// Lines that an event printed in a row, by the position of the first one. Bound: the lines of the events that the record
    /// is behind, and of those under way.
    blocks: BTreeMap<u64, Vec<String>>,
    /// Positions of those among them whose events are recorded.
    recorded: HashSet<u64>,
}

impl fmt::Debug for HeldLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HeldLines").finish_non_exhaustive()
    }
}

impl HeldLines {
    /// Holds lines that are to go to `output`.
    pub fn new(output: Output) -> Self {
        Self(Mutex::new(Held { output, blocks: BTreeMap::new(), recorded: HashSet::new() }))
    }

    /// Takes in lines that an event has printed in a row.
    pub(super) fn hold(&self, first_line: u64, lines: &[String]) {
        self.0.lock().blocks.insert(first_line, lines.to_vec());
    }

    /// Writes lines that no event of the record prints.
    pub(super) fn write(&self, lines: &[String]) {
        let mut held = self.0.lock();
        lines.iter().for_each(|line| (held.output)(line));
    }

    /// Writes the lines that begin at these positions, whose events are recorded, as soon as those before them are written.
    pub fn release(&self, first_lines: impl IntoIterator<Item = u64>) {
        let mut held = self.0.lock();
        let Held { output, blocks, recorded } = &mut *held;
        recorded.extend(first_lines.into_iter().filter(|first_line| blocks.contains_key(first_line)));
        while let Some(first) = blocks.first_entry().filter(|first| recorded.remove(first.key())) {
            first.remove().iter().for_each(|line| output(line));
        }
    }

    /// Writes the rest. The record is complete.
    pub fn release_all(&self) {
        let mut held = self.0.lock();
        let blocks = std::mem::take(&mut held.blocks);
        blocks.into_values().flatten().for_each(|line| (held.output)(&line));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn lines_wait_for_their_events_and_for_the_lines_before() {
        let written = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&written);
        let held = HeldLines::new(Box::new(move |line: &str| sink.lock().push(line.to_owned())));
        let take = || std::mem::take(&mut *written.lock());
        let hold = |first_line, lines: &[&str]| {
            held.hold(first_line, &lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>());
        };
        hold(0, &["a", "b"]);
        hold(2, &["c"]);
        hold(3, &["d"]);
        assert_eq!(take(), [""; 0]);
        held.release([2]);
        assert_eq!(take(), [""; 0]);
        held.release([0, 7]);
        assert_eq!(take(), ["a", "b", "c"]);
        // A position that was released before its lines came says nothing of them.
        hold(7, &["e"]);
        held.release([3]);
        assert_eq!(take(), ["d"]);
        held.release_all();
        assert_eq!(take(), ["e"]);
    }
}
