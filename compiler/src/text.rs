//! Text with places: what every pass reads, and how a piece of it finds its way back to the file.
//!
//! A TOML string's value and its spelling differ by quotes, escapes and line ends. A [`Text`] keeps
//! the value together with a map from its bytes to the bytes of the file, and an [`Excerpt`] is a
//! part of a `Text`, so that whatever is cut out of a rule still knows its line and column.

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

use hasse_model::diagnostic::Location;
use hasse_model::name::is_of_name;

use crate::syntax::Name;

/// The text of the file and where its lines begin.
#[derive(Debug)]
pub(crate) struct Source {
    text: String,
    /// Byte offsets of the first bytes of all lines, ascending; the first one is 0.
    line_starts: Vec<usize>,
    /// Number of characters before each multiple of [`STRIDE`] bytes, so that columns of long lines are not counted from
    /// their start.
    n_characters: Vec<usize>,
}

const STRIDE: usize = 256;

impl Source {
    pub(crate) fn new(text: &str) -> Self {
        let behind_newlines = text.match_indices('\n').map(|(newline, _)| newline + 1);
        let line_starts = std::iter::once(0).chain(behind_newlines).collect();
        let mut n_before = 0;
        let n_characters = text
            .as_bytes()
            .chunks(STRIDE)
            .map(|chunk| {
                let n_characters = n_before;
                n_before += n_first_bytes(chunk);
                n_characters
            })
            .collect();
        Self { text: text.to_owned(), line_starts, n_characters }
    }

    /// Number of characters that begin before an offset.
    fn characters_before(&self, offset: usize) -> usize {
        let stride = offset / STRIDE;
        let rest = &self.text.as_bytes()[(stride * STRIDE).min(self.text.len())..offset];
        let n_before = self.n_characters.get(stride).copied();
        // At the end of the text there may be no stride any more.
        n_before.map_or_else(|| self.text.chars().count(), |n_before| n_before + n_first_bytes(rest))
    }

    /// The place of a range of bytes; a range that leaves the text is cut to it.
    pub(crate) fn location(&self, range: Range<usize>) -> Location {
        let start = floor_char(&self.text, range.start);
        let end = floor_char(&self.text, range.end.max(start));
        let line = self.line_starts.partition_point(|&line_start| line_start <= start);
        let line_start = self.line_starts[line - 1];
        let column = self.characters_before(start) - self.characters_before(line_start) + 1;
        let narrow = |wide: usize| u32::try_from(wide).unwrap_or(u32::MAX);
        Location { start: narrow(start), end: narrow(end), line: narrow(line), column: narrow(column) }
    }

    /// The spelling in a range of bytes; a range that leaves the text is cut to it.
    pub(crate) fn spelling(&self, range: Range<usize>) -> &str {
        let start = floor_char(&self.text, range.start);
        &self.text[start..floor_char(&self.text, range.end.max(start))]
    }
}

/// Number of bytes of UTF-8 that begin a character.
fn n_first_bytes(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| (**byte as i8) >= -0x40).count()
}

/// The last character boundary that is not behind `offset`.
fn floor_char(text: &str, offset: usize) -> usize {
    let offset = offset.min(text.len());
    (0..=offset).rev().find(|&candidate| text.is_char_boundary(candidate)).unwrap_or(0)
}

/// The value of a TOML string, and where its bytes stand in the file.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    value: String,
    source: Rc<Source>,
    /// File offset of every byte of `value`, and of the byte behind it; ascending.
    offsets: Vec<usize>,
    /// Offsets in `value` of the first bytes of all its lines, once somebody asks for a line.
    line_starts: OnceCell<Vec<usize>>,
}

impl Text {
    /// The text of a string value that is spelled, quotes included, in `span` of the file.
    pub(crate) fn new(value: &str, source: &Rc<Source>, span: Range<usize>) -> Self {
        let offsets = file_offsets(value, source.spelling(span.clone()), span.start);
        Self { value: value.to_owned(), source: Rc::clone(source), offsets, line_starts: OnceCell::new() }
    }

    /// The text of a key, whose spelling is not looked into: all of it has the key's place.
    pub(crate) fn of_key(key: &Name) -> Self {
        let place = Rc::new(Source::new(&key.text));
        let offsets = (0..=key.text.len()).collect();
        Self { value: key.text.clone(), source: place, offsets, line_starts: OnceCell::new() }
    }

    /// Another text in place of this one, which begins after `n_before` bytes of it; what is before that is where this one begins.
    pub(crate) fn reworded(&self, reword: impl FnOnce(&str) -> String, n_before: usize) -> Self {
        let value = reword(&self.value);
        let (first, last) = (self.offsets[0], self.offsets[self.value.len()]);
        let before = std::iter::repeat_n(first, n_before);
        let mut offsets: Vec<usize> = before.chain(self.offsets.iter().copied()).collect();
        offsets.resize(value.len() + 1, last);
        Self { value, source: Rc::clone(&self.source), offsets, line_starts: OnceCell::new() }
    }

    pub(crate) fn all(&self) -> Excerpt<'_> {
        Excerpt { text: self, range: 0..self.value.len() }
    }

    pub(crate) fn at(&self) -> Location {
        self.all().at()
    }

    fn line_starts(&self) -> &[usize] {
        self.line_starts.get_or_init(|| {
            let after_newlines = self.value.match_indices('\n').map(|(newline, _)| newline + 1);
            std::iter::once(0).chain(after_newlines).collect()
        })
    }

    pub(crate) fn into_name(self) -> Name {
        Name { at: self.at(), text: self.value }
    }

    fn location(&self, range: Range<usize>) -> Location {
        let file_offset = |offset: usize| {
            let last = self.offsets.last().copied().unwrap_or(0);
            self.offsets.get(offset).copied().unwrap_or(last)
        };
        let start = file_offset(range.start);
        // The last byte's own place, plus its size: the bytes behind it may be an escape.
        let end = file_offset(range.end).max(start);
        self.source.location(start..end)
    }
}

/// Aligns the value of a TOML string with its spelling, quotes included, that begins at byte `base` of a file: the file
/// offset of every byte of the value, and of the byte behind it, ascending.
///
/// Exact for what TOML allows; for anything else every byte still gets some place within the spelling. Cost: linear.
pub fn file_offsets(value: &str, spelling: &str, base: usize) -> Vec<usize> {
    let n_quotes = if spelling.starts_with("'''") || spelling.starts_with("\"\"\"") {
        3
    } else {
        // An integer may stand for its expression.
        usize::from(spelling.starts_with(['"', '\'']))
    };
    let has_escapes = spelling.starts_with('"');
    let bytes = spelling.as_bytes();
    let mut place = n_quotes.min(bytes.len());
    if n_quotes == 3 {
        // A newline right behind the opening quotes does not belong to the value.
        place += if spelling[place..].starts_with("\r\n") {
            2
        } else {
            usize::from(spelling[place..].starts_with('\n'))
        };
    }
    let mut offsets = Vec::with_capacity(value.len() + 1);
    for letter in value.chars() {
        if has_escapes {
            place = behind_line_continuations(bytes, place);
        }
        if letter == '\n' && bytes.get(place) == Some(&b'\r') {
            place += 1;
        }
        offsets.extend(std::iter::repeat_n(base + place.min(bytes.len()), letter.len_utf8()));
        for (byte_idx, offset) in offsets.iter_mut().rev().take(letter.len_utf8()).rev().enumerate() {
            *offset += if bytes.get(place) == Some(&b'\\') && has_escapes { 0 } else { byte_idx };
        }
        place += match bytes.get(place) {
            Some(b'\\') if has_escapes => match bytes.get(place + 1) {
                Some(b'u') => 6,
                Some(b'U') => 10,
                Some(b'x') => 4,
                _ => 2,
            },
            _ => letter.len_utf8(),
        };
    }
    offsets.push(base + place.min(bytes.len()));
    offsets
}

/// Skips a backslash at the end of a line together with the white space behind it.
fn behind_line_continuations(bytes: &[u8], mut place: usize) -> usize {
    while bytes.get(place) == Some(&b'\\')
        && bytes.get(place + 1).is_some_and(|byte| byte.is_ascii_whitespace())
    {
        place += 1;
        while bytes.get(place).is_some_and(|byte| byte.is_ascii_whitespace()) {
            place += 1;
        }
    }
    place
}

/// A part of a text.
#[derive(Clone, Debug)]
pub(crate) struct Excerpt<'t> {
    text: &'t Text,
    /// Invariant: within the value, on character boundaries.
    range: Range<usize>,
}

impl<'t> Excerpt<'t> {
    pub(crate) fn as_str(&self) -> &'t str {
        &self.text.value[self.range.clone()]
    }

    pub(crate) fn at(&self) -> Location {
        self.text.location(self.range.clone())
    }

    /// The place of bytes of this excerpt, counted from its start.
    pub(crate) fn at_range(&self, range: Range<usize>) -> Location {
        self.text.location(self.range.start + range.start..self.range.start + range.end)
    }

    /// A part of this excerpt, counted from its start, without the white space around it.
    pub(crate) fn part(&self, range: Range<usize>) -> Self {
        let whole = self.as_str();
        let start = floor_char(whole, range.start);
        let end = floor_char(whole, range.end.max(start));
        let part = &whole[start..end];
        let trimmed = part.trim();
        let start = start + (part.len() - part.trim_start().len());
        let range = self.range.start + start..self.range.start + start + trimmed.len();
        Self { text: self.text, range }
    }

    /// The byte of this excerpt at a line and column of it, both from 1 as Rhai counts them.
    pub(crate) fn offset_at(&self, line: usize, column: usize) -> usize {
        let whole = self.as_str();
        let line_start = if line <= 1 {
            0
        } else {
            let starts = self.text.line_starts();
            let n_before = starts.partition_point(|&start| start <= self.range.start);
            let start = starts.get(n_before + line - 2).copied().unwrap_or(self.range.end);
            start.min(self.range.end) - self.range.start
        };
        let rest = &whole[line_start..];
        rest.char_indices().nth(column.saturating_sub(1)).map_or(whole.len(), |(byte, _)| line_start + byte)
    }

    /// The text before a line and column, both from 1.
    pub(crate) fn before(&self, line: usize, column: usize) -> &'t str {
        &self.as_str()[..self.offset_at(line, column)]
    }

    /// The place of the identifier or sign that stands at a line and column of this excerpt, both
    /// from 1 as Rhai counts them.
    pub(crate) fn at_position(&self, line: usize, column: usize) -> Location {
        let whole = self.as_str();
        let start = self.offset_at(line, column);
        let is_word = |letter: &char| is_of_name(*letter);
        let n_word: usize = whole[start..].chars().take_while(is_word).map(char::len_utf8).sum();
        let n_bytes =
            if n_word > 0 { n_word } else { whole[start..].chars().next().map_or(0, char::len_utf8) };
        self.at_range(start..start + n_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(spelling: &str, value: &str) -> Text {
        let file = format!("k = {spelling}");
        Text::new(value, &Rc::new(Source::new(&file)), 4..4 + spelling.len())
    }

    #[test]
    fn a_block_begins_on_the_line_behind_its_quotes() {
        let block = text("'''\nlet a = 1;\nb\n'''", "let a = 1;\nb\n");
        let at = block.all().at_position(2, 1);
        assert_eq!((at.line, at.column, at.end - at.start), (3, 1, 1));
    }

    #[test]
    fn escapes_shift_what_follows() {
        let escaped = text(r#""\"\u00e9\" + x""#, "\"é\" + x");
        let at = escaped.all().part(7..8).at();
        assert_eq!((at.line, at.column), (1, 19));
    }

    #[test]
    fn carriage_returns_and_continued_lines_are_skipped() {
        let block = text("\"\"\"\r\na\\\r\n   b\r\nc\"\"\"", "ab\nc");
        assert_eq!(block.all().part(1..2).at().line, 3);
        assert_eq!(block.all().part(3..4).at().line, 4);
    }
}
