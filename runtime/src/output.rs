//! The program's output: whole lines in an order that a replay repeats.
//!
//! The lines of an event are written when it ends, together. Where it lasts, those printed so far are written meanwhile: at
//! stop points of the debugger, and by a thread that looks from time to time ([`lasting`]).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use hasse_model::event::{Effect, EffectKind};
use hasse_model::id::EventId;
use hasse_model::value::Value;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::run::Output;

/// Lines of events that last.
pub(crate) mod lasting;

/// The output of a run.
pub(crate) struct OutputOrder(Mutex<State>);

impl fmt::Debug for OutputOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutputOrder").finish_non_exhaustive()
    }
}

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

/// Lines of one event that are next to each other in the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// Position of the first one.
    pub(crate) first_line: u64,
    pub(crate) n_lines: usize,
}

/// Note of lines that an event printed before its end.
pub(crate) fn printed_early(first_line: u64, lines: &[String]) -> Effect {
    let lines = lines.iter().map(|line| Value::String(line.as_str().into()));
    let answer = std::iter::once(Value::Int(first_line.cast_signed())).chain(lines).collect();
    Effect { kind: EffectKind::Printed, answer: Ok(Value::Array(Arc::new(answer))) }
}

/// The lines of such a note, with the position of the first one.
pub(crate) fn lines_of(effect: &Effect) -> Option<(u64, Vec<String>)> {
    if effect.kind != EffectKind::Printed {
        return None;
    }
    let Ok(Value::Array(answer)) = &effect.answer else { return None };
    let (Value::Int(first_line), lines) = answer.split_first()? else { return None };
    let line = |line: &Value| match line {
        Value::String(text) => Some(text.to_string()),
        _ => None,
    };
    Some((first_line.cast_unsigned(), lines.iter().map(line).collect::<Option<_>>()?))
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

    /// Writes lines of an event; returns the position of the first one.
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
    pub(crate) fn replay_lines(&self, lines: Vec<String>, first_line: Option<u64>) {
        if lines.is_empty() {
            return;
        }
        let mut state = self.0.lock();
        state.early.insert(first_line.unwrap_or(u64::MAX), lines);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn note_of_early_lines_is_read_back() {
        let lines = vec!["one".to_owned(), String::new()];
        assert_eq!(lines_of(&printed_early(7, &lines)), Some((7, lines)));
        let other = Effect { kind: EffectKind::Time, answer: Ok(Value::Real(1.0)) };
        assert_eq!(lines_of(&other), None);
    }
}
