//! The program's output: whole lines, those of one event together, in an order that a replay repeats.

use std::collections::BTreeMap;

use parking_lot::Mutex;

use crate::run::Output;

/// The output of a run.
pub(crate) struct OutputOrder(Mutex<State>);

struct State {
    output: Output,
    /// Position of the next line.
    next_line: u64,
    /// Replay: lines that must wait for earlier ones. Bound: what concurrent events print.
    early: BTreeMap<u64, Vec<String>>,
}

impl OutputOrder {
    pub(crate) fn new(output: Output) -> Self {
        Self(Mutex::new(State { output, next_line: 0, early: BTreeMap::new() }))
    }

    /// Writes the lines of an event; returns the position of the first one.
    pub(crate) fn write_lines(&self, lines: &[String]) -> Option<u64> {
        if lines.is_empty() {
            return None;
        }
        let mut state = self.0.lock();
        let first_line = state.next_line;
        state.write(lines);
        Some(first_line)
    }

    /// Writes the lines of a replayed event when it is their turn in the recorded order.
    pub(crate) fn replay_lines(&self, lines: &mut Vec<String>, first_line: Option<u64>) {
        if lines.is_empty() {
            return;
        }
        let mut state = self.0.lock();
        state.early.insert(first_line.unwrap_or(u64::MAX), std::mem::take(lines));
        loop {
            let next_line = state.next_line;
            let Some(lines) = state.early.remove(&next_line) else { break };
            state.write(&lines);
        }
    }

    /// Writes what still waits: lines behind a gap that the replayed part of a record left.
    pub(crate) fn finish(&self) {
        let mut state = self.0.lock();
        for lines in std::mem::take(&mut state.early).into_values() {
            state.write(&lines);
        }
    }
}

impl State {
    fn write(&mut self, lines: &[String]) {
        for line in lines {
            (self.output)(line);
        }
        self.next_line += lines.len() as u64;
    }
}
