//! The program's output: whole lines in an order that a replay repeats.
//!
//! The lines of an event are written when it ends, together. Where it lasts, those printed so far are written meanwhile: at
//! stop points of the debugger, and by a thread that looks from time to time ([`lasting`]).

use std::collections::BTreeMap;
use std::fmt;
use std::slice;
use std::sync::Arc;

use hasse_model::event::{Effect, EffectKind};
use hasse_model::id::EventId;
use hasse_model::snapshot::OutputState;
use hasse_model::value::Value;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use self::held::HeldLines;

/// Lines that wait for their record.
pub mod held;
/// Lines of long events.
pub mod lasting;

/// Takes in the program's output, a line at a time and without its line end.
pub type Output = Box<dyn FnMut(&str) + Send>;

/// The output of a run.
pub struct OutputOrder(Mutex<State>);

impl fmt::Debug for OutputOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutputOrder").finish_non_exhaustive()
    }
}

struct State {
    output: Lines,
    /// Position of the next line. In the replay of a full record its position in the recorded output: lines that were added
    /// have none, and it is not beyond that of a turn that is to come.
    next_line: u64,
    /// Replay of a full record: positions of the first lines of the events that printed, ascending. It is the turn of
    /// one event after the other, however many lines they print now.
    turns: Vec<u64>,
    /// Number of turns that are over.
    n_turns: usize,
    /// Replay: lines that must wait for earlier ones, by the position of their turn, or of the turn that they come after,
    /// and in the order in which they came. Bound: what concurrent events print.
    early: BTreeMap<(u64, u64), Vec<String>>,
    n_early: u64,
    /// Notes by the position of the first line that they precede.
    notes: BTreeMap<u64, Vec<Note>>,
    /// Replay under control: the position after the last line in the past of an event, or of its own, where that line is
    /// still early. Bound: events that end while a line waits.
    ends: FxHashMap<EventId, u64>,
}

/// Position of the lines of a replayed event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinePlace {
    /// Full record: the turn of the event that printed its first line at this position.
    Turn(u64),
    /// Full record: the event printed nothing. Its lines come after those of this turn, the last one before it in causal
    /// order.
    After(Option<u64>),
    /// Minimal record: position of the first line.
    Line(u64),
}

/// Note that a debugger prints among the lines: after those of the events that are causally before.
pub struct Note(Box<dyn FnOnce() + Send>);

impl Note {
    /// Makes a note that is printed by `print`.
    pub fn new(print: impl FnOnce() + Send + 'static) -> Self {
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
pub struct Block {
    /// Position of the first one.
    pub first_line: u64,
    /// Number of lines.
    pub n_lines: usize,
}

/// Note of lines that an event printed before its end.
pub(crate) fn printed_early(first_line: u64, lines: &[String]) -> Effect {
    let lines = lines.iter().map(|line| Value::String(line.as_str().into()));
    let answer = std::iter::once(Value::Int(first_line.cast_signed())).chain(lines).collect();
    Effect { kind: EffectKind::Printed, answer: Ok(Value::Array(Arc::new(answer))) }
}

/// Returns the lines that an event printed before its end, with the position of the first one; `None` for other effects.
pub fn lines_of(effect: &Effect) -> Option<(u64, Vec<String>)> {
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

/// The way that lines take.
enum Lines {
    AtOnce(Output),
    Held(Arc<HeldLines>),
}

impl Lines {
    /// Writes lines that no event of a record prints, or that have been recorded.
    fn write(&mut self, lines: &[String]) {
        match self {
            Self::AtOnce(output) => lines.iter().for_each(|line| output(line)),
            Self::Held(held) => held.write(lines),
        }
    }
}

impl OutputOrder {
    /// Makes an order whose lines are held until their events are recorded.
    pub fn held(held: Arc<HeldLines>) -> Self {
        Self::with(Lines::Held(held), Vec::new())
    }

    /// Makes an order whose lines go to `output`. `turns` are the positions of the first lines of the events that printed,
    /// ascending, in the replay of a full record; else there are none.
    pub fn new(output: Output, turns: Vec<u64>) -> Self {
        Self::with(Lines::AtOnce(output), turns)
    }

    fn with(output: Lines, turns: Vec<u64>) -> Self {
        Self(Mutex::new(State {
            output,
            next_line: 0,
            turns,
            n_turns: 0,
            early: BTreeMap::new(),
            n_early: 0,
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

    /// Writes the lines of a replayed event when it is their turn in the recorded order. A body that was changed may print
    /// other lines than the recorded one, or none: nothing is lost, and nothing comes before what it depends on.
    pub fn replay_lines(&self, lines: &mut Vec<String>, place: LinePlace) {
        let mut state = self.0.lock();
        let lines = std::mem::take(lines);
        match place {
            LinePlace::Turn(turn) => {
                state.early.insert((turn, 0), lines);
                state.write_turns();
            }
            LinePlace::After(before) => match before.filter(|before| state.is_to_come(*before)) {
                Some(before) => state.add_early(before, lines),
                None => state.write_added(&lines),
            },
            LinePlace::Line(first_line) => {
                state.add_early(first_line, lines);
                state.write_positions();
            }
        }
    }

    /// Prints notes of an event that has said nothing yet, as soon as the lines in front of `past` are written.
    pub fn note(&self, past: u64, notes: impl IntoIterator<Item = Note>) {
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
    pub fn replay_notes(&self, first_line: Option<u64>, past: u64, notes: Vec<(usize, Note)>) {
        let mut state = self.0.lock();
        state.hold(first_line.unwrap_or(0), past, notes);
        state.print_notes();
    }

    /// Replay: returns the position after the last line in the past of an event that has these predecessors; 0 where all are written.
    pub fn past(&self, predecessors: impl IntoIterator<Item = EventId>) -> u64 {
        let state = self.0.lock();
        if state.ends.is_empty() {
            return 0;
        }
        let ends = predecessors.into_iter().filter_map(|event| state.ends.get(&event).copied());
        ends.max().unwrap_or(0)
    }

    /// Replay: notes the position after the last line of an event and its past.
    pub fn note_end(&self, event: EventId, end: u64) {
        let mut state = self.0.lock();
        if end > state.next_line {
            state.ends.insert(event, end);
        }
    }

    /// The position in the output, and the lines that wait for earlier ones.
    pub fn state(&self) -> OutputState {
        let state = self.0.lock();
        let early = state.early.iter().map(|(&(turn, nth), lines)| (turn, nth, lines.clone()));
        OutputState { next_line: state.next_line, n_turns: state.n_turns as u64, early: early.collect() }
    }

    /// Goes on at this position. A replay keeps lines back that wait; a run, in which nothing is to come in front of them,
    /// writes them.
    pub fn resume(&self, from: &OutputState, replays: bool) {
        let mut state = self.0.lock();
        state.next_line = from.next_line;
        state.n_turns = usize::try_from(from.n_turns).unwrap_or(usize::MAX);
        for (turn, nth, lines) in &from.early {
            state.n_early = state.n_early.max(*nth);
            if replays {
                state.early.insert((*turn, *nth), lines.clone());
            } else {
                // In a record of the whole, what comes after the cut comes after these lines.
                state.next_line = state.next_line.max(*turn);
                state.output.write(lines);
                state.next_line += lines.len() as u64;
            }
        }
    }

    /// Writes what still waits: lines after a gap that the replayed part of a record left.
    pub fn finish(&self) {
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
        if let (Lines::Held(held), false) = (&self.output, lines.is_empty()) {
            held.hold(self.next_line, lines);
            self.next_line += lines.len() as u64;
            return self.settle_notes();
        }
        for line in lines {
            self.print_notes();
            self.output.write(slice::from_ref(line));
            self.next_line += 1;
        }
        self.settle_notes();
    }

    /// Prints the notes whose turn it is, and forgets the ends of events that are written.
    fn settle_notes(&mut self) {
        self.print_notes();
        if !self.ends.is_empty() {
            let next_line = self.next_line;
            self.ends.retain(|_, end| *end > next_line);
        }
    }

    fn add_early(&mut self, at: u64, lines: Vec<String>) {
        self.n_early += 1;
        self.early.insert((at, self.n_early), lines);
    }

    /// Whether a turn is not over.
    fn is_to_come(&self, turn: u64) -> bool {
        self.turns.get(self.n_turns).is_some_and(|next| *next <= turn)
    }

    /// Writes the lines whose turn it is, and what comes after them.
    fn write_turns(&mut self) {
        while let Some(entry) = self.early.first_entry() {
            let (turn, nth) = *entry.key();
            let is_due = nth == 0 && self.turns.get(self.n_turns) == Some(&turn);
            // What waits to come after a turn follows the lines of that.
            if !is_due && self.is_to_come(turn) {
                break;
            }
            let Some((_, lines)) = self.early.pop_first() else { break };
            if is_due {
                self.write_turn(turn, &lines);
            } else {
                self.write_added(&lines);
            }
        }
    }

    /// Writes the lines whose position is reached, or was passed because others have printed more than in the record.
    fn write_positions(&mut self) {
        while let Some(entry) = self.early.first_entry() {
            if entry.key().0 > self.next_line {
                break;
            }
            let lines = entry.remove();
            self.write(&lines);
        }
    }

    /// Writes the lines of the event whose turn it is.
    fn write_turn(&mut self, turn: u64, lines: &[String]) {
        self.n_turns += 1;
        let next_turn = self.turns.get(self.n_turns).copied();
        self.next_line = self.next_line.max(turn);
        for line in lines {
            self.print_notes();
            self.output.write(slice::from_ref(line));
            self.next_line = (self.next_line + 1).min(next_turn.unwrap_or(u64::MAX));
        }
        self.next_line = next_turn.unwrap_or(self.next_line);
        self.settle_notes();
    }

    /// Writes lines that were not recorded.
    fn write_added(&mut self, lines: &[String]) {
        self.print_notes();
        self.output.write(lines);
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
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// Replays lines in this order of arrival; gives them as they were written before the end, and at the end.
    fn replayed(turns: &[u64], arrivals: &[(LinePlace, &[&str])]) -> (Vec<String>, Vec<String>) {
        let written = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&written);
        let order =
            OutputOrder::new(Box::new(move |line: &str| sink.lock().push(line.to_owned())), turns.to_vec());
        for (place, lines) in arrivals {
            let mut lines = lines.iter().map(|line| (*line).to_owned()).collect();
            order.replay_lines(&mut lines, *place);
        }
        let before = written.lock().clone();
        order.finish();
        let all = written.lock().clone();
        (before, all)
    }

    use LinePlace::{After, Line, Turn};

    #[test]
    fn turns_are_kept_whatever_is_printed() {
        let (before, all) =
            replayed(&[0, 1, 3], &[(Turn(3), &["d"]), (Turn(1), &[]), (Turn(0), &["a", "b", "c"])]);
        assert_eq!(before, ["a", "b", "c", "d"]);
        assert_eq!(all, before);
    }

    #[test]
    fn added_lines_follow_what_is_before_them() {
        let arrivals: [(LinePlace, &[&str]); 6] = [
            (After(None), &["free"]),
            (Turn(1), &["one"]),
            (After(Some(1)), &["added 1"]),
            (After(Some(1)), &["added 2"]),
            (Turn(0), &["zero"]),
            (After(Some(1)), &["late"]),
        ];
        let (before, all) = replayed(&[0, 1, 2], &arrivals);
        assert_eq!(before, ["free", "zero", "one", "added 1", "added 2", "late"]);
        assert_eq!(all, before);
    }

    #[test]
    fn what_comes_after_a_lost_turn_is_written_at_the_end() {
        let (before, all) = replayed(&[0, 1], &[(Turn(1), &["one"]), (After(Some(1)), &["added"])]);
        assert_eq!(before, [""; 0]);
        assert_eq!(all, ["one", "added"]);
    }

    #[test]
    fn positions_that_were_passed_are_written_at_once() {
        let (before, all) = replayed(
            &[],
            &[(Line(1), &["b"]), (Line(0), &["a 1", "a 2"]), (Line(1), &["c"]), (Line(9), &["z"])],
        );
        assert_eq!(before, ["a 1", "a 2", "b", "c"]);
        assert_eq!(all, ["a 1", "a 2", "b", "c", "z"]);
    }

    #[test]
    fn note_of_early_lines_is_read_back() {
        let lines = vec!["one".to_owned(), String::new()];
        assert_eq!(lines_of(&printed_early(7, &lines)), Some((7, lines)));
        let other = Effect { kind: EffectKind::Time, answer: Ok(Value::Real(1.0)) };
        assert_eq!(lines_of(&other), None);
    }
}
