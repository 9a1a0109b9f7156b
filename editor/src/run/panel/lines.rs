//! Breakpoints at lines, while the program is being edited.
//!
//! A session knows the lines of the text that it was opened on. The margin shows them where these lines are now, and what is
//! clicked there waits, hollow, until a session has the line.

use std::collections::BTreeMap;

use super::super::breakpoint::{BreakpointSpec, Place};
use super::super::host::Subject;
use super::super::lines::LineMap;
use super::super::snapshot::RunState;
use crate::marks::LineMark;
use crate::places::Places;
use crate::target::Target;

use super::RunPanel;

impl RunPanel {
    /// Breakpoints by the line of the program's present text.
    pub fn line_marks(&self) -> BTreeMap<u32, LineMark> {
        let mut marks: BTreeMap<u32, LineMark> =
            self.waiting_lines.iter().map(|&line| (line, LineMark::Off)).collect();
        for breakpoint in &self.breakpoints {
            let Some(line) = breakpoint.line.and_then(|spot| self.line_now(spot.statement)) else { continue };
            let mark = breakpoint.line_mark();
            let held = marks.entry(line).or_insert(mark);
            *held = mark.max(*held);
        }
        marks
    }

    /// The line of the program's present text at which the action under debug is stopped within its body.
    pub fn current_line(&self) -> Option<u32> {
        let at = self.inspector.line().filter(|_| self.state.is_at_rest())?;
        self.line_now(at)
    }

    /// The unit in whose body the action under debug is stopped, with the line of the body.
    pub fn current_place(&self) -> Option<Target> {
        self.place_of(self.current_line()?)
    }

    /// Place of a line of the session's text in the program's present one, in a body or a rule; `None` where the line is gone.
    pub fn place_of_session_line(&self, line: u32) -> Option<Target> {
        self.place_of(self.line_now(line)?)
    }

    /// Place of a line of the program's present text.
    fn place_of(&self, line: u32) -> Option<Target> {
        let text = match &self.subject {
            Some(Subject::Program { text, .. }) => text,
            Some(Subject::Trace(_)) | None => &self.facts.as_ref()?.text,
        };
        let target = Places::of(text).target_of_line(line);
        target.node().is_some().then_some(target)
    }

    /// Sets a breakpoint at a line of the program's present text, or deletes those that stand there. Where no session has
    /// the line, one is opened; until that is done, the breakpoint waits.
    pub fn toggle_line(&mut self, line: u32) {
        self.version += 1;
        let n_waiting = self.waiting_lines.len();
        self.waiting_lines.retain(|known| *known != line);
        let is_there = |spot: u32| self.line_now(spot) == Some(line);
        let here = self
            .breakpoints
            .iter()
            .filter(|known| known.line.is_some_and(|spot| is_there(spot.asked) || is_there(spot.statement)));
        let numbers: Vec<u64> = here.map(|known| known.number).collect();
        let is_deleted = !numbers.is_empty() || self.waiting_lines.len() < n_waiting;
        numbers.into_iter().for_each(|number| self.delete_breakpoint(number));
        if is_deleted {
            return;
        }
        if self.has_session() {
            if let Some(known) = self.line_of_session(line) {
                self.place_line(known);
                return;
            }
            if self.state.is_under_way() {
                // The next run is of a text that has the line.
                self.waiting_lines.push(line);
                return;
            }
        }
        self.waiting_lines.push(line);
        self.open();
    }

    fn place_line(&mut self, line: u32) {
        let spec = BreakpointSpec::at("", Place::Line(line));
        self.set_breakpoint_now(&spec);
    }

    /// Whether a session takes breakpoints: one on the present text, or one whose run is under way.
    fn has_session(&self) -> bool {
        let is_open = !matches!(self.state, RunState::Closed | RunState::Opening);
        is_open && (self.is_current() || self.state.is_under_way())
    }

    /// Where a line of the session's text is now.
    pub(super) fn line_now(&self, line: u32) -> Option<u32> {
        match self.line_map() {
            Some(map) => map.forward(line),
            None => Some(line),
        }
    }

    fn line_of_session(&self, line: u32) -> Option<u32> {
        match self.line_map() {
            Some(map) => map.back(line),
            None => Some(line),
        }
    }

    /// From the session's text to the present one; `None` where they are the same.
    fn line_map(&self) -> Option<&LineMap> {
        let (Some(facts), Some(Subject::Program { text, .. })) = (&self.facts, &self.subject) else {
            return None;
        };
        (facts.text != *text).then(|| self.lines.get_or_init(|| LineMap::new(&facts.text, text)))
    }

    /// Lines that wait move with the text.
    pub(super) fn move_waiting(&mut self, next: &Subject) {
        self.lines.take();
        let (Some(Subject::Program { path, text: old }), Subject::Program { path: next_path, text }) =
            (&self.subject, next)
        else {
            self.waiting_lines.clear();
            return;
        };
        if path != next_path && old != text {
            self.waiting_lines.clear();
        } else if !self.waiting_lines.is_empty() {
            let map = LineMap::new(old, text);
            self.waiting_lines = self.waiting_lines.iter().filter_map(|line| map.forward(*line)).collect();
        }
    }

    /// A session has begun: what has waited for it is set.
    pub(super) fn place_waiting(&mut self) {
        self.lines.take();
        if self.is_current() {
            for line in std::mem::take(&mut self.waiting_lines) {
                self.place_line(line);
            }
        }
    }
}
