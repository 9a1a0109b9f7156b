//! Excerpts: the lines of a program that a report shows, with windows of the long ones.
//!
//! The report library looks for lines from the start of the text on, prints each line whole, and panics where a label
//! begins after column 65,535. So it is given a short text of its own: the lines around the labels, cut where they are
//! long, with their numbers.

use std::collections::BTreeMap;
use std::ops::Range;

use hasse_model::diagnostic::Location;
use hasse_model::quantity::counted;
use miette::{LabeledSpan, MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

/// Length in bytes up to which a line is shown whole.
const MAX_WHOLE: usize = 240;
/// Bytes shown on either side of a label in a longer line.
const CONTEXT: usize = 70;
/// Length in bytes of the labeled part of a longer line.
const MAX_LABELED: usize = 100;
/// Number of lines of a label that are shown.
const MAX_LINES: usize = 12;
/// Number of lines between labels that are shown, too.
const MAX_GAP: usize = 8;
/// Number of labels that are shown.
const MAX_LABELS: usize = 8;
/// Length in bytes of a label's text.
const MAX_LABEL_TEXT: usize = 200;
/// Mark where a line is cut.
const CUT: &str = "...";

/// A short text made of the lines around labels.
pub(super) struct Excerpt {
    name: String,
    text: String,
    lines: Vec<Line>,
    /// Columns of the labels, from 0, by their offsets in the short text.
    columns: Vec<(usize, usize)>,
}

/// A line of the short text.
struct Line {
    /// Offset of its first byte in the short text.
    start: usize,
    /// Number of the line in the program, from 0.
    number: usize,
}

/// Form of a tab in the short text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tab {
    /// Itself; the report library shows it as four columns.
    Kept,
    /// A single space, in lines that are cut: windows of tabs would be four times as wide as their text.
    Space,
}

/// A line of the program that is to be shown.
struct Shown {
    number: usize,
    /// Parts with labels, in offsets of the program.
    labeled: Vec<Range<usize>>,
}

/// A part of the program that was copied.
struct Piece {
    /// Its offset in the short text.
    copy: usize,
    source: Range<usize>,
}

impl Excerpt {
    /// Cuts the lines around labels out of a text, and moves the labels there.
    pub(super) fn new(name: String, text: &str, labels: &[(Location, &str)]) -> (Self, Vec<LabeledSpan>) {
        let labels = &labels[..labels.len().min(MAX_LABELS)];
        let mut shown: BTreeMap<usize, Shown> = BTreeMap::new();
        let spans: Vec<Range<usize>> =
            labels.iter().map(|(at, _)| show_label(text, *at, span(text, *at), &mut shown)).collect();
        fill_gaps(text, &mut shown);
        let mut excerpt = Self { name, text: String::new(), lines: Vec::new(), columns: Vec::new() };
        let mut pieces = Vec::new();
        for (start, line) in &shown {
            excerpt.copy_line(text, *start, line, &mut pieces);
        }
        let moved = labels.iter().zip(&spans).map(|((at, label), span)| {
            let [start, end] = [span.start, span.end].map(|offset| copied(&pieces, offset));
            excerpt.columns.push((start, (at.column as usize).saturating_sub(1)));
            let label = (!label.is_empty()).then(|| super::bounded(label, MAX_LABEL_TEXT));
            LabeledSpan::new(label, start, end.saturating_sub(start))
        });
        let moved = moved.collect();
        (excerpt, moved)
    }

    /// Copies a line, whole or in pieces around its labels.
    fn copy_line(&mut self, text: &str, start: usize, line: &Shown, pieces: &mut Vec<Piece>) {
        self.lines.push(Line { start: self.text.len(), number: line.number });
        let end = line_end(text, start);
        let parts = windows(text, start..end, &line.labeled);
        let tab = if end - start > MAX_WHOLE { Tab::Space } else { Tab::Kept };
        let mut copied_up_to = start;
        for part in parts {
            if part.start > copied_up_to {
                self.text.push_str(CUT);
            }
            copied_up_to = part.end;
            pieces.push(Piece { copy: self.text.len(), source: part.clone() });
            put_printable(&mut self.text, &text[part], tab);
        }
        if end > copied_up_to {
            self.text.push_str(CUT);
        }
        self.text.push('\n');
    }

    fn line_idx(&self, offset: usize) -> usize {
        self.lines.partition_point(|line| line.start <= offset).saturating_sub(1)
    }

    /// Whether a line follows the one before it in the program, too.
    fn is_next(&self, line_idx: usize) -> bool {
        line_idx > 0
            && line_idx < self.lines.len()
            && self.lines[line_idx - 1].number + 1 == self.lines[line_idx].number
    }
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        context_lines_before: usize,
        context_lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        if span.offset() + span.len() > self.text.len() || self.lines.is_empty() {
            return Err(MietteError::OutOfBounds);
        }
        let mut first = self.line_idx(span.offset());
        let mut last = self.line_idx(span.offset() + span.len().saturating_sub(1));
        for _ in 0..context_lines_before {
            first -= usize::from(self.is_next(first));
        }
        for _ in 0..context_lines_after {
            last += usize::from(self.is_next(last + 1));
        }
        // The library joins what it shows of two labels if the second begins within so many lines.
        let mut joined = last;
        while self.is_next(joined + 1) {
            joined += 1;
        }
        let start = self.lines[first].start;
        let end = self.lines.get(last + 1).map_or(self.text.len(), |line| line.start);
        // The library asks without context for the position that it prints above the excerpt.
        let column = match context_lines_before {
            0 => self.columns.iter().find(|(offset, _)| *offset == span.offset()).map_or(0, |found| found.1),
            _ => 0,
        };
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            &self.text.as_bytes()[start..end],
            (start, end - start).into(),
            self.lines[first].number,
            column,
            joined - first + 1,
        )))
    }
}

/// A location as a range of the text, whatever it says; at the end of the text, the end of its last line.
fn span(text: &str, at: Location) -> Range<usize> {
    let last = text.len() - usize::from(text.ends_with('\n'));
    let end = text.floor_char_boundary((at.end as usize).min(text.len()));
    let start = text.floor_char_boundary((at.start as usize).min(last).min(end));
    start..end.max(start)
}

/// Notes the lines of a label, and one on either side; returns the part of the label that is on these lines.
fn show_label(
    text: &str,
    at: Location,
    span: Range<usize>,
    shown: &mut BTreeMap<usize, Shown>,
) -> Range<usize> {
    let mut show = |start: usize, number: usize, labeled: Option<Range<usize>>| {
        let line = shown.entry(start).or_insert_with(|| Shown { number, labeled: Vec::new() });
        line.labeled.extend(labeled);
    };
    let first = line_start(text, span.start);
    let number = (at.line as usize).saturating_sub(1);
    if first > 0 {
        show(line_start(text, first - 1), number.saturating_sub(1), None);
    }
    let (mut start, mut labeled_up_to) = (first, span.start);
    for n_lines in 0..=MAX_LINES {
        let end = line_end(text, start);
        let is_labeled = n_lines == 0 || n_lines < MAX_LINES && start < span.end;
        let labeled = span.start.max(start)..span.end.clamp(span.start.max(start), end.max(span.start));
        if is_labeled {
            labeled_up_to = labeled.end;
        }
        show(start, number + n_lines, is_labeled.then_some(labeled));
        match text[end..].find('\n') {
            Some(newline) if is_labeled && end + newline + 1 < text.len() => start = end + newline + 1,
            _ => break,
        }
    }
    span.start..labeled_up_to
}

/// Adds the lines between two that are shown where they are few: one excerpt is easier to read than two.
fn fill_gaps(text: &str, shown: &mut BTreeMap<usize, Shown>) {
    let starts: Vec<(usize, usize)> = shown.iter().map(|(start, line)| (*start, line.number)).collect();
    for pair in starts.windows(2) {
        let [(before, number), (_, next)] = [pair[0], pair[1]];
        if !(2..=MAX_GAP + 1).contains(&next.saturating_sub(number)) {
            continue;
        }
        let mut start = before;
        for number in number + 1..next {
            let Some(newline) = text[start..].find('\n') else { break };
            start += newline + 1;
            shown.entry(start).or_insert_with(|| Shown { number, labeled: Vec::new() });
        }
    }
}

/// Offset of the line that an offset is in.
fn line_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Offset of the end of the line that begins at an offset, without its line break.
fn line_end(text: &str, start: usize) -> usize {
    let end = text[start..].find('\n').map_or(text.len(), |length| start + length);
    end - usize::from(text[start..end].ends_with('\r'))
}

/// The parts of a line that are shown, in order.
fn windows(text: &str, line: Range<usize>, labeled: &[Range<usize>]) -> Vec<Range<usize>> {
    if line.len() <= MAX_WHOLE {
        return vec![line];
    }
    let mut wanted: Vec<Range<usize>> = labeled
        .iter()
        .map(|part| {
            let start = text.floor_char_boundary(part.start.saturating_sub(CONTEXT).max(line.start));
            let end = (part.end.min(part.start + MAX_LABELED) + CONTEXT).min(line.end);
            start..text.floor_char_boundary(end).max(start)
        })
        .collect();
    if wanted.is_empty() {
        wanted.push(line.start..text.floor_char_boundary(line.start + MAX_WHOLE));
    }
    wanted.sort_by_key(|part| (part.start, part.end));
    let mut parts: Vec<Range<usize>> = Vec::new();
    for part in wanted {
        match parts.last_mut() {
            Some(last) if part.start <= last.end => last.end = last.end.max(part.end),
            _ => parts.push(part),
        }
    }
    parts
}

/// The place in the short text of an offset in the program: in its piece, or at the end of the piece before it.
fn copied(pieces: &[Piece], offset: usize) -> usize {
    let next = pieces.partition_point(|piece| piece.source.start <= offset);
    match next.checked_sub(1).map(|piece_idx| &pieces[piece_idx]) {
        Some(piece) => piece.copy + (offset - piece.source.start).min(piece.source.len()),
        None => 0,
    }
}

/// Appends a text; control characters, which a terminal would obey, become as many spaces as they have bytes.
fn put_printable(copy: &mut String, text: &str, tab: Tab) {
    for character in text.chars() {
        match character.is_control() && (character != '\t' || tab == Tab::Space) {
            true => (0..character.len_utf8()).for_each(|_| copy.push(' ')),
            false => copy.push(character),
        }
    }
}

/// A text, cut if it is longer than so many bytes, with the number of characters that were cut.
pub(crate) fn bounded(text: &str, max_bytes: usize) -> String {
    if text.len() <= max_bytes {
        return text.to_owned();
    }
    let (kept, cut) = text.split_at(text.floor_char_boundary(max_bytes));
    format!("{kept}... ({} more)", counted(cut.chars().count(), "character"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use proptest::prelude::*;

    use super::*;

    /// Bytes of a character that rules are drawn with.
    const BYTES_OF_A_RULE: usize = '\u{2500}'.len_utf8();
    /// Bytes left of the text, with numbers of lines and the rules of labels of several lines, and at the end of a label.
    const GUTTER: usize = 200;
    /// Rows that a label adds: three of its own, the head and the foot of an excerpt, and a line on either side that
    /// another excerpt shows, too.
    const ROWS_OF_A_LABEL: usize = 7;
    /// Rows above and below all excerpts.
    const ROWS_AROUND: usize = 4;

    fn lines() -> impl Strategy<Value = Vec<String>> {
        let pieces =
            prop::sample::select(vec!["a", " ", "\t", "\u{e4}", "\u{1b}", "\u{4e16}", "\u{301}", "\r"]);
        let line = (prop::collection::vec(pieces, 0..6), 0usize..40_000).prop_map(|(pieces, n_times)| {
            pieces.concat().repeat(n_times % if n_times % 3 == 0 { 40_000 } else { 30 })
        });
        prop::collection::vec(line, 1..30)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

        /// Labels anywhere, on lines of any length, even if their lines and columns are wrong.
        #[test]
        fn any_location_is_shown_in_bounds(
            lines in lines(),
            places in prop::collection::vec((any::<prop::sample::Index>(), 0usize..100_000, any::<u16>()), 1..12),
        ) {
            let text = lines.join("\n");
            let labels: Vec<(Location, String)> = places
                .iter()
                .map(|(start, length, line)| {
                    let start = start.index(text.len() + 1);
                    let end = u32::try_from(start + length).unwrap();
                    let start = u32::try_from(start).unwrap();
                    (Location { start, end, line: u32::from(*line), column: start }, "here ".repeat(*length / 900))
                })
                .collect();
            let labels: Vec<(Location, &str)> = labels.iter().map(|(at, text)| (*at, text.as_str())).collect();
            let report = super::super::rendered("any.hasse".to_owned(), &text, "message", &labels);
            let windows = MAX_LABELS * (2 * CONTEXT + MAX_LABELED + CUT.len());
            let widest = BYTES_OF_A_RULE * windows + MAX_LABEL_TEXT + GUTTER;
            let found = report.lines().map(str::len).max().unwrap_or(0);
            prop_assert!(found <= widest, "a line of {found} bytes");
            let rows = report.lines().count();
            let most_rows = lines.len() + ROWS_OF_A_LABEL * MAX_LABELS + ROWS_AROUND;
            prop_assert!(rows <= most_rows, "{rows} rows, at most {most_rows}");
        }
    }

    #[test]
    fn a_long_line_is_cut_to_windows() {
        let text =
            format!("first\nx = [{}, wrong, {}, wrong]\nlast\n", "'a', ".repeat(20_000), "'b', ".repeat(900));
        let place = |offset: usize| {
            let [start, end] = [offset, offset + 5].map(|offset| u32::try_from(offset).unwrap());
            Location { start, end, line: 2, column: start - 5 }
        };
        let [first, second] = [text.find("wrong").unwrap(), text.rfind("wrong").unwrap()];
        let labels = [(place(first), "this"), (place(second), "and that")];
        insta::assert_snapshot!(super::super::rendered("long.hasse".to_owned(), &text, "two", &labels));
    }
}
