//! Changes that keys make: line ends with their indentation, indenting, comments, moving lines.

use std::ops::Range;

use super::CodeEditor;
use super::edit::{Command, TextEdit};

/// What lines are indented by where the text does not say.
const INDENT: &str = "    ";

impl CodeEditor {
    /// The change that a key makes; `None` where it makes none, as all of them in a text of one line.
    pub fn command(&self, command: Command) -> Option<TextEdit> {
        if !self.kind.is_many_lines() {
            return None;
        }
        match command {
            Command::NewLine => Some(self.new_line()),
            Command::Indent if self.anchor == self.cursor => Some(self.to_next_stop()),
            Command::Indent => self.each_line(|line| {
                let indent = self.indent();
                (!line.trim().is_empty()).then_some((0, 0, indent))
            }),
            Command::Outdent => self.each_line(|line| {
                let n_most = self.indent().len();
                let n_bytes = if line.starts_with('\t') {
                    1
                } else {
                    line.bytes().take(n_most).take_while(|byte| *byte == b' ').count()
                };
                (n_bytes > 0).then(|| (0, n_bytes, String::new()))
            }),
            Command::ToggleComment => self.toggle_comment(),
            Command::Duplicate => Some(self.duplicate()),
            Command::MoveUp => self.move_up(),
            Command::MoveDown => self.move_down(),
            Command::DeleteLines => Some(self.delete_lines()),
        }
    }

    /// The change after a closing bracket was typed as the first sign of its line: indented as the line with the opening
    /// one. `None` where it is so already, or what was typed is something else.
    pub fn align_closing(&mut self) -> Option<TextEdit> {
        let line = self.line_range(self.line_of(self.cursor));
        let before = &self.text[line.start..self.cursor];
        let n_space = before.len() - before.trim_start_matches([' ', '\t']).len();
        if !matches!(&before[n_space..], "}" | ")" | "]") {
            return None;
        }
        let [_, open] = self.brackets().filter(|[own, _]| *own == line.start + n_space)?;
        let opening = &self.text[self.line_range(self.line_of(open))];
        let indent = &opening[..opening.len() - opening.trim_start_matches([' ', '\t']).len()];
        let range = line.start..line.start + n_space;
        let cursor = line.start + indent.len() + 1;
        let replacement = indent.to_owned();
        (self.text[range.clone()] != replacement).then_some(TextEdit {
            range,
            replacement,
            anchor: cursor,
            cursor,
        })
    }

    /// What a line is indented by: a tab where the text has lines that begin with one, else the least number of spaces
    /// that one begins with, from two on.
    fn indent(&self) -> String {
        if self.text.lines().any(|line| line.starts_with('\t')) {
            return "\t".to_owned();
        }
        let n_spaces = |line: &str| line.len() - line.trim_start_matches(' ').len();
        let least =
            self.text.lines().filter(|line| !line.trim().is_empty()).map(n_spaces).filter(|n| *n >= 2).min();
        least.map_or(INDENT.to_owned(), |n| " ".repeat(n.min(INDENT.len())))
    }

    /// Positions of the lines that the selection touches; a line at whose beginning it ends is not one.
    fn selected_lines(&self) -> Range<usize> {
        let selection = self.selection();
        let first = self.line_of(selection.start);
        let last = self.line_of(selection.end);
        let is_at_start = last > first && self.line_range(last).start == selection.end;
        first..last + usize::from(!is_at_start)
    }

    /// The bytes of the selected lines, without the last line feed.
    fn selected_bytes(&self) -> Range<usize> {
        let lines = self.selected_lines();
        self.line_range(lines.start).start..self.line_range(lines.end - 1).end
    }

    fn new_line(&self) -> TextEdit {
        let selection = self.selection();
        let line = self.line_range(self.line_of(selection.start));
        let before = &self.text[line.start..selection.start];
        let n_space = before.len() - before.trim_start_matches([' ', '\t']).len();
        let indent = &before[..n_space];
        let behind = self.text[selection.end..].trim_start_matches([' ', '\t']);
        let n_passed = self.text.len() - selection.end - behind.len();
        let opens = before.trim_end().ends_with(['{', '(', '[']);
        let mut replacement = format!("\n{indent}");
        if opens {
            replacement.push_str(&self.indent());
        }
        let cursor = selection.start + replacement.len();
        if opens && behind.starts_with(['}', ')', ']']) {
            replacement.push_str(&format!("\n{indent}"));
        }
        TextEdit { range: selection.start..selection.end + n_passed, replacement, anchor: cursor, cursor }
    }

    fn to_next_stop(&self) -> TextEdit {
        let unit = self.indent();
        let replacement = if unit == "\t" {
            unit
        } else {
            let line = self.line_range(self.line_of(self.cursor));
            let column = super::line::column(&self.text[line.start..self.cursor]);
            " ".repeat(unit.len() - column % unit.len())
        };
        let cursor = self.cursor + replacement.len();
        TextEdit { range: self.cursor..self.cursor, replacement, anchor: cursor, cursor }
    }

    /// Changes each selected line: `change` gives where in the line, how many bytes go, and what comes. The selection
    /// stays on what it was on.
    fn each_line(&self, change: impl Fn(&str) -> Option<(usize, usize, String)>) -> Option<TextEdit> {
        let bytes = self.selected_bytes();
        let mut replacement = String::new();
        let (mut anchor, mut cursor) = (self.anchor, self.cursor);
        let mut is_changed = false;
        for line_idx in self.selected_lines() {
            let range = self.line_range(line_idx);
            let line = &self.text[range.clone()];
            if range.start > bytes.start {
                replacement.push('\n');
            }
            let Some((at, n_gone, new)) = change(line) else {
                replacement.push_str(line);
                continue;
            };
            is_changed = true;
            replacement.push_str(&line[..at]);
            replacement.push_str(&new);
            replacement.push_str(&line[at + n_gone..]);
            for (place, old) in [(&mut anchor, self.anchor), (&mut cursor, self.cursor)] {
                let start = range.start + at;
                if old >= start + n_gone && (old > start || n_gone == 0 && old > range.start) {
                    *place = *place + new.len() - n_gone;
                } else if old > start {
                    *place -= old - start;
                }
            }
        }
        is_changed.then_some(TextEdit { range: bytes, replacement, anchor, cursor })
    }

    fn toggle_comment(&self) -> Option<TextEdit> {
        let lines = || self.selected_lines().map(|idx| &self.text[self.line_range(idx)]);
        let solid = || lines().filter(|line| !line.trim().is_empty());
        let n_space = |line: &str| line.len() - line.trim_start().len();
        if solid().next().is_some() && solid().all(|line| line.trim_start().starts_with("//")) {
            return self.each_line(|line| {
                let at = n_space(line);
                let rest = line[at..].strip_prefix("//")?;
                Some((at, 2 + usize::from(rest.starts_with(' ')), String::new()))
            });
        }
        // All at one column, so that what is indented stays so.
        let at = solid().map(n_space).min().unwrap_or(0);
        self.each_line(|line| {
            let is_inside = line.is_char_boundary(at) && line.len() >= at;
            (!line.trim().is_empty() && is_inside).then(|| (at, 0, "// ".to_owned()))
        })
    }

    fn duplicate(&self) -> TextEdit {
        let bytes = self.selected_bytes();
        let replacement = format!("\n{}", &self.text[bytes.clone()]);
        let shift = replacement.len();
        let (anchor, cursor) = (self.anchor + shift, self.cursor + shift);
        TextEdit { range: bytes.end..bytes.end, replacement, anchor, cursor }
    }

    fn move_up(&self) -> Option<TextEdit> {
        let bytes = self.selected_bytes();
        let above = self.line_range(self.selected_lines().start.checked_sub(1)?);
        let replacement = format!("{}\n{}", &self.text[bytes.clone()], &self.text[above.clone()]);
        let shift = above.len() + 1;
        // What ends at the beginning of the line behind does so afterwards.
        let (anchor, cursor) = (self.anchor - shift, self.cursor - shift);
        Some(TextEdit { range: above.start..bytes.end, replacement, anchor, cursor })
    }

    fn move_down(&self) -> Option<TextEdit> {
        let bytes = self.selected_bytes();
        let below_idx = self.selected_lines().end;
        if below_idx >= self.n_lines() {
            return None;
        }
        let below = self.line_range(below_idx);
        let replacement = format!("{}\n{}", &self.text[below.clone()], &self.text[bytes.clone()]);
        let shift = below.len() + 1;
        let n_most = bytes.end + usize::from(below_idx + 1 < self.n_lines());
        let moved = |offset: usize| offset.min(n_most) + shift;
        let (anchor, cursor) = (moved(self.anchor), moved(self.cursor));
        Some(TextEdit { range: bytes.start..below.end, replacement, anchor, cursor })
    }

    fn delete_lines(&self) -> TextEdit {
        let bytes = self.selected_bytes();
        let is_last = bytes.end == self.text.len();
        let start = if is_last { bytes.start.saturating_sub(1) } else { bytes.start };
        let end = if is_last { bytes.end } else { bytes.end + 1 };
        let cursor =
            if is_last { self.text[..start].rfind('\n').map_or(0, |newline| newline + 1) } else { start };
        TextEdit { range: start..end, replacement: String::new(), anchor: cursor, cursor }
    }
}
