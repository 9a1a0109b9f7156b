//! The program's output: whole lines, those of one event together, in an order that a replay repeats.

use std::collections::BTreeMap;
use std::fmt;

use hasse_model::id::EventId;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::run::Output;

/// The output of a run.
pub(crate) struct OutputOrder(Mutex<State>);

struct State {
    output: Output,
    /// Position of the next line.
    next_line: u64,
    /// Replay: lines that must wait for earlier ones. Bound: what concurrent events print.
    early: BTreeMap<u64, Vec<String>>,
    /// Notes by the position of the first line that they precede.
    notes: BTreeMap<u64, Vec<Note>>,
    /// Replay under control: the position after the last line in the past of an event, or of its own, where that line is
    /// still early. Bound: events that end while a line waits.
    ends: FxHashMap<EventId, u64>,
}

/// Something that a debugger prints among the lines: after those of the events that are causally before.
pub(crate) struct Note(Box<dyn FnOnce() + Send>);

impl Note {
    /// A note that is printed by `print`.
    pub(crate) fn new(print: impl FnOnce() + Send + 'static) -> Self {
        Self(Box::new(print))
    }
}

impl fmt::Debug for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Note")
    }
}

impl OutputOrder {
    pub(crate) fn new(output: Output) -> Self {
        Self(Mutex::new(State {
            output,
            next_line: 0,
            early: BTreeMap::new(),
            notes: BTreeMap::new(),
            ends: FxHashMap::default(),
        }))
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

    /// Prints notes of an event that has said nothing yet, as soon as the lines in front of `past` are written.
    pub(crate) fn note(&self, past: u64, notes: impl IntoIterator<Item = Note>) {
        let mut state = self.0.lock();
        state.notes.entry(past).or_default().extend(notes);
        state.print_notes();
    }

    /// Writes the lines of an event with notes among them, each after a number of lines; returns the position of the first
    /// line.
    pub(crate) fn write_noted(&self, lines: &[String], notes: Vec<(usize, Note)>) -> Option<u64> {
        let mut state = self.0.lock();
        let first_line = state.next_line;
        state.hold(first_line, 0, notes);
        state.write(lines);
        (!lines.is_empty()).then_some(first_line)
    }

    /// Replay: has notes printed among the lines of an event, of which the first has this position, and after its past.
    pub(crate) fn replay_notes(&self, first_line: Option<u64>, past: u64, notes: Vec<(usize, Note)>) {
        let mut state = self.0.lock();
        state.hold(first_line.unwrap_or(0), past, notes);
        state.print_notes();
    }

    /// Replay: the position after the last line in the past of an event that has these predecessors; 0 where all are written.
    pub(crate) fn past(&self, predecessors: impl IntoIterator<Item = EventId>) -> u64 {
        let state = self.0.lock();
        if state.ends.is_empty() {
            return 0;
        }
        let ends = predecessors.into_iter().filter_map(|event| state.ends.get(&event).copied());
        ends.max().unwrap_or(0)
    }

    /// Replay: notes the position after the last line of an event and its past.
    pub(crate) fn note_end(&self, event: EventId, end: u64) {
        let mut state = self.0.lock();
        if end > state.next_line {
            state.ends.insert(event, end);
        }
    }

    /// Writes what still waits: lines after a gap that the replayed part of a record left.
    pub(crate) fn finish(&self) {
        let mut state = self.0.lock();
        for lines in std::mem::take(&mut state.early).into_values() {
            state.write(&lines);
        }
        for note in std::mem::take(&mut state.notes).into_values().flatten() {
            (note.0)();
        }
    }
}

impl State {
    fn write(&mut self, lines: &[String]) {
        for line in lines {
            self.print_notes();
            (self.output)(line);
            self.next_line += 1;
        }
        self.print_notes();
        if !self.ends.is_empty() {
            let next_line = self.next_line;
            self.ends.retain(|_, end| *end > next_line);
        }
    }

    fn hold(&mut self, first_line: u64, past: u64, notes: Vec<(usize, Note)>) {
        for (n_before, note) in notes {
            self.notes.entry(past.max(first_line + n_before as u64)).or_default().push(note);
        }
    }

    /// Prints the notes whose turn it is.
    fn print_notes(&mut self) {
        while let Some(first) = self.notes.first_entry().filter(|first| *first.key() <= self.next_line) {
            first.remove().into_iter().for_each(|note| (note.0)());
        }
    }
}
