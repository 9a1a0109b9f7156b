//! The text of the program beside its picture: what is typed changes the picture, and what is drawn changes the text.

use std::ops::Range;

use hasse_model::diagnostic::Severity;

use crate::highlight::{Token, toml};
use crate::panels::code::{Span, spans_of_line};
use crate::places::Places;
use crate::problems::Problems;
use crate::target::{Part, Target};

/// A line of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextLine {
    /// Its number, from 1.
    pub number: usize,
    /// Pieces of one color, from left to right.
    pub spans: Vec<Span>,
    /// The first error, else the first warning, that begins in it.
    pub problem: Option<(Severity, String)>,
    /// Whether it belongs to what is selected on the picture.
    pub is_selected: bool,
}

/// State of the text view.
#[derive(Clone, Debug, Default)]
pub struct ProgramText {
    text: String,
    tokens: Vec<Vec<Token>>,
    cursor: usize,
    places: Option<Places>,
    /// Thing at the caret when the picture was last brought in line.
    followed: Option<Target>,
    /// Selection of the picture.
    targets: Vec<Target>,
    /// Lines of what is selected, from 1.
    selected: Vec<Range<usize>>,
    /// For each problem its line, from 1.
    problems: Vec<(usize, Severity, String)>,
    version: u64,
}

impl ProgramText {
    /// A view without a text.
    pub fn new() -> Self {
        Self::default()
    }

    /// The text as it is shown.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Position of the caret, in bytes.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// Number of lines.
    pub fn n_lines(&self) -> usize {
        self.tokens.len().max(1)
    }

    /// Number of characters of the longest line.
    pub fn n_columns(&self) -> usize {
        self.text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
    }

    /// Changes whenever what is shown changes.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Takes in the program's text as others have changed it; the caret stays at what it was at. Tells whether it is
    /// another text than the one shown.
    pub fn refresh(&mut self, text: &str) -> bool {
        if self.text == text {
            return false;
        }
        self.cursor = moved_cursor(&self.text, text, self.cursor);
        self.take(text);
        true
    }

    /// Takes in what was typed, with the caret after it.
    pub fn type_text(&mut self, text: &str, cursor: usize) {
        self.cursor = cursor.min(text.len());
        if self.text != text {
            self.take(text);
        }
    }

    fn take(&mut self, text: &str) {
        text.clone_into(&mut self.text);
        self.tokens = toml(text);
        self.problems.clear();
        let places = Places::of(text);
        // While the text cannot be read, nothing is known of what stands where.
        self.places = places.is_readable().then_some(places);
        self.mark();
        self.version += 1;
    }

    /// Moves the caret. Returns what it is at, for the picture to select, where that is something else than before.
    pub fn move_cursor(&mut self, cursor: usize) -> Option<Target> {
        self.cursor = cursor.min(self.text.len());
        self.version += 1;
        self.new_target()
    }

    /// Returns what the caret is at, unless that was returned before.
    pub fn new_target(&mut self) -> Option<Target> {
        let target = self.target();
        if target.is_none() || target == self.followed {
            return None;
        }
        self.followed.clone_from(&target);
        target
    }

    /// Thing at the caret; `None` while the text cannot be read.
    pub fn target(&self) -> Option<Target> {
        Some(Target { attribute: None, ..self.places.as_ref()?.target(self.cursor) })
    }

    /// Marks what is selected on the picture. Returns the first line of it, from 1, where that is something else than
    /// before.
    pub fn select(&mut self, targets: Vec<Target>) -> Option<usize> {
        if self.targets == targets {
            return None;
        }
        if !self.followed.iter().eq(&targets) {
            self.followed = None;
        }
        self.targets = targets;
        self.mark();
        self.version += 1;
        self.selected.iter().map(|lines| lines.start).min()
    }

    fn mark(&mut self) {
        let Some(places) = &self.places else { return };
        let text = &self.text;
        let line_of = |at: usize| text.get(..at).map_or(1, |before| before.matches('\n').count() + 1);
        let lines: Vec<&str> = text.split('\n').collect();
        let is_of = |number: usize, target: &Target| {
            let found = u32::try_from(number).map(|number| places.target_of_line(number));
            found.is_ok_and(|found| found.graph == target.graph && found.part == target.part)
        };
        let lines_of = |target: &Target| {
            let first = line_of(places.range(target)?.start);
            let mut end = first + 1;
            // A node goes on to the next table; blank lines before that are no part of it.
            if matches!(target.part, Part::Node(_)) {
                while end <= lines.len() && is_of(end, target) {
                    end += 1;
                }
                while end > first + 1 && lines[end - 2].trim().is_empty() {
                    end -= 1;
                }
            }
            Some(first..end)
        };
        self.selected = self.targets.iter().filter_map(lines_of).collect();
    }

    /// Takes in what is wrong with the program, if it is about this text.
    pub fn set_problems(&mut self, problems: &Problems) {
        if problems.places().text() != self.text {
            return;
        }
        let list = problems.list().iter();
        let problems: Vec<_> = list
            .map(|problem| {
                (problem.at.line as usize, problem.severity, format!("{}: {}", problem.code, problem.message))
            })
            .collect();
        if problems != self.problems {
            self.problems = problems;
            self.version += 1;
        }
    }

    /// Lines of a range of positions, from 0.
    pub fn lines(&self, range: Range<usize>) -> Vec<TextLine> {
        let lines = self.text.split('\n').zip(&self.tokens).enumerate();
        let lines = lines.skip(range.start).take(range.len());
        let line = |(position, (line, tokens)): (usize, (&str, &Vec<Token>))| {
            let number = position + 1;
            let own = self.problems.iter().filter(|(line, ..)| *line == number);
            let worst = own.min_by_key(|(_, severity, _)| *severity != Severity::Error);
            TextLine {
                number,
                spans: spans_of_line(line, tokens),
                problem: worst.map(|(_, severity, message)| (*severity, message.clone())),
                is_selected: self.selected.iter().any(|lines| lines.contains(&number)),
            }
        };
        lines.map(line).collect()
    }

    /// Line and column of the caret, both from 1, and what the text lacks to be drawn.
    pub fn status(&self) -> String {
        let before = self.text.get(..self.cursor).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        if self.places.is_some() || self.text.is_empty() {
            format!("line {line}, column {column}")
        } else {
            format!("line {line}, column {column}; the picture follows once the text can be read")
        }
    }
}

/// Where a caret is after others have changed the text: what is equal at both ends has not moved.
fn moved_cursor(old: &str, new: &str, cursor: usize) -> usize {
    let n_same = old.bytes().zip(new.bytes()).take_while(|(one, other)| one == other).count();
    let n_left = old.len().min(new.len()) - n_same;
    let n_same_end =
        old.bytes().rev().zip(new.bytes().rev()).take(n_left).take_while(|(one, other)| one == other).count();
    let mut moved = if cursor <= n_same {
        cursor
    } else if cursor >= old.len() - n_same_end {
        new.len() - (old.len() - cursor)
    } else {
        n_same
    };
    while !new.is_char_boundary(moved) {
        moved -= 1;
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "hasse = 1\nmain = \"g\"\n\n[graph.g]\narcs = [\"A.x -> B.x\"]\n\n[graph.g.uc.A]\nstart = true\nout = { x = \"int\" }\n\n[graph.g.uc.B]\nin = { x = \"int\" }\n";

    #[test]
    fn what_is_selected_is_marked_and_the_caret_tells_what_it_is_at() {
        let mut view = ProgramText::new();
        assert!(view.refresh(TEXT) && !view.refresh(TEXT));
        let selected = |view: &ProgramText| {
            let lines = view.lines(0..100).into_iter().filter(|line| line.is_selected);
            lines.map(|line| line.number).collect::<Vec<_>>()
        };
        assert_eq!(view.select(vec![Target::of_node("g", "A")]), Some(7));
        assert_eq!(selected(&view), [7, 8, 9]);
        let at = TEXT.find("start").unwrap_or_default();
        assert_eq!(view.move_cursor(at), Some(Target::of_node("g", "A")));
        assert_eq!(view.move_cursor(at + 1), None, "it is still within the same node");
        view.type_text("hasse = ", 8);
        assert_eq!((view.target(), view.n_lines()), (None, 1));
        assert!(view.status().contains("can be read"));
    }

    #[test]
    fn caret_stays_at_what_it_was_at() {
        assert_eq!(moved_cursor("abcdef", "abXYcdef", 5), 7);
        assert_eq!(moved_cursor("abcdef", "abef", 1), 1);
        assert_eq!(moved_cursor("abcdef", "abef", 3), 2);
        assert_eq!(moved_cursor("a\u{e9}", "a\u{e8}", 3), 3);
        assert_eq!(moved_cursor("", "abc", 0), 0);
    }
}
