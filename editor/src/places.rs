//! Where drawn things stand in the file, and what stands at a place of the file.
//!
//! The text is read once, with the places of keys and values that `toml_edit` keeps. A text that is no TOML still has
//! its headers: what is wrong in it belongs to the node whose header stands above.

use std::ops::Range;

use hasse_compiler::file_offsets;
use hasse_model::diagnostic::Location;
use toml_edit::Document;

use crate::edit::link::LinkList;
use crate::target::{Part, Target};

/// Reading them from the file.
mod collect;
/// A place of the file, and what is there.
pub(crate) mod place;

use collect::Collector;
use place::Place;

/// Keys that hold texts of many lines in which a line is worth pointing at.
const BODIES: [&str; 2] = ["init", "do"];

/// All places of a text.
#[derive(Clone, Debug)]
pub struct Places {
    text: String,
    /// Byte offsets of the first bytes of all lines, ascending; the first one is 0.
    line_starts: Vec<usize>,
    /// In the order of the file.
    places: Vec<Place>,
    is_readable: bool,
}

impl Places {
    /// Reads a text; whatever it is. Cost: reads all of it.
    pub fn of(text: &str) -> Self {
        let behind_newlines = text.match_indices('\n').map(|(newline, _)| newline + 1);
        let line_starts = std::iter::once(0).chain(behind_newlines).collect();
        let mut places = Collector::default();
        let is_readable = match Document::parse(text) {
            Ok(document) => {
                places.program(document.as_table());
                true
            }
            Err(_) => {
                places.headers(text);
                false
            }
        };
        let mut places = places.places;
        places.sort_by_key(|place| (place.start(), std::cmp::Reverse(place.end())));
        Self { text: text.to_owned(), line_starts, places, is_readable }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the text is TOML; else only headers are known.
    pub fn is_readable(&self) -> bool {
        self.is_readable
    }

    pub(crate) fn all(&self) -> &[Place] {
        &self.places
    }

    /// What stands at a byte of the file; behind its end: at the end. Of comments and blank lines: what the header above
    /// them is of.
    pub fn target(&self, offset: usize) -> Target {
        let holds = |range: &Range<usize>| range.start <= offset && offset < range.end.max(range.start + 1);
        let smallest = |place: &Place| {
            let ranges = [&place.key, &place.value, &place.header].into_iter().flatten();
            ranges.filter(|range| holds(range)).map(Range::len).min()
        };
        let innermost = self
            .places
            .iter()
            .filter_map(|place| Some((smallest(place)?, place)))
            .min_by_key(|(len, _)| *len);
        if let Some((_, place)) = innermost {
            let mut target = place.target.clone();
            if place.value.as_ref().is_some_and(holds)
                && let (Some(attribute), Some(text)) = (&mut target.attribute, &place.text)
                && attribute.entry.is_none()
                && BODIES.contains(&attribute.key.as_str())
            {
                let offsets = self.offsets(place);
                let byte = offsets.partition_point(|&at| at <= offset).saturating_sub(1).min(text.len());
                attribute.line =
                    Some(text.as_bytes()[..byte].iter().filter(|byte| **byte == b'\n').count() + 1);
            }
            return target;
        }
        let starts = self.places.iter().filter_map(|place| Some((place.header.as_ref()?.start, place)));
        let above = starts.filter(|(start, _)| *start <= offset).max_by_key(|(start, _)| *start);
        above.map(|(_, place)| place.target.clone()).unwrap_or_default()
    }

    /// Where the arcs of all graphs stand, each with its row, in the order of the file.
    pub(crate) fn arcs(&self) -> Vec<(Range<usize>, usize)> {
        let arcs = self.places.iter().filter_map(|place| match place.target.part {
            Part::Link(LinkList::Arcs, row) => Some((place.value.clone()?, row)),
            _ => None,
        });
        let mut arcs: Vec<_> = arcs.collect();
        arcs.sort_by_key(|(range, _)| range.start);
        arcs
    }

    /// What stands at the first letter of a line of the file, from 1.
    pub fn target_of_line(&self, line: u32) -> Target {
        let start = (line as usize).checked_sub(1).and_then(|idx| self.line_starts.get(idx)).copied();
        let start = start.unwrap_or(self.text.len());
        let text = self.text[start..].lines().next().unwrap_or_default();
        self.target(start + (text.len() - text.trim_start().len()))
    }

    /// The lines of the file on which the lines of a text begin, such as those of a body; none where it is not there.
    pub fn lines_of(&self, target: &Target) -> Vec<u32> {
        let found = self.places.iter().find(|place| place.target == *target);
        let Some((place, text)) = found.and_then(|place| Some((place, place.text.as_ref()?))) else {
            return Vec::new();
        };
        let offsets = self.offsets(place);
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(newline, _)| newline + 1));
        let line = |byte: usize| {
            let offset = offsets.get(byte).copied().unwrap_or(place.end());
            u32::try_from(self.line_starts.partition_point(|&start| start <= offset)).unwrap_or(u32::MAX)
        };
        starts.map(line).collect()
    }

    /// Where a target stands, as bytes of the file: its name, the value of an attribute without the quotes, a line of
    /// a body. Where it is not in the file: what it is a part of; `None` where that is not there either.
    pub fn range(&self, target: &Target) -> Option<Range<usize>> {
        if target.part == Part::Program && target.attribute.is_none() {
            return Some(0..0);
        }
        let line = target.attribute.as_ref().and_then(|attribute| attribute.line);
        let mut wanted = target.clone();
        if let Some(attribute) = &mut wanted.attribute {
            attribute.line = None;
        }
        loop {
            if let Some(place) = self.places.iter().find(|place| place.target == wanted) {
                return Some(self.shown(place, line));
            }
            wanted = less(&wanted)?;
        }
    }

    /// The bytes of a place that are worth selecting.
    fn shown(&self, place: &Place, line: Option<usize>) -> Range<usize> {
        let Some(text) = &place.text else {
            return place.key.clone().or(place.value.clone()).unwrap_or(0..0);
        };
        let offsets = self.offsets(place);
        let part = match line {
            None => 0..text.len(),
            Some(line) => {
                let mut start = 0;
                let mut lines = text.split_inclusive('\n').map(|line| {
                    let range = start..start + line.trim_end_matches('\n').len();
                    start += line.len();
                    range
                });
                lines.nth(line.saturating_sub(1)).unwrap_or(text.len()..text.len())
            }
        };
        let at = |byte: usize| offsets.get(byte).copied().unwrap_or(place.end());
        at(part.start)..at(part.end)
    }

    /// The file offset of every byte of a place's text, and of the byte behind it.
    pub(crate) fn offsets(&self, place: &Place) -> Vec<usize> {
        let (Some(text), Some(value)) = (&place.text, &place.value) else { return Vec::new() };
        file_offsets(text, &self.text[value.clone()], value.start)
    }

    /// The line and column of a range of bytes; a range that leaves the text is cut to it.
    pub fn location(&self, range: Range<usize>) -> Location {
        let floor = |offset: usize| {
            let offset = offset.min(self.text.len());
            (0..=offset).rev().find(|&at| self.text.is_char_boundary(at)).unwrap_or(0)
        };
        let (start, end) = (floor(range.start), floor(range.end.max(range.start)));
        let line = self.line_starts.partition_point(|&line_start| line_start <= start);
        let line_start = self.line_starts[line - 1];
        let column = self.text[line_start..start].chars().count() + 1;
        let narrow = |wide: usize| u32::try_from(wide).unwrap_or(u32::MAX);
        Location { start: narrow(start), end: narrow(end), line: narrow(line), column: narrow(column) }
    }
}

/// What a target is a part of.
fn less(target: &Target) -> Option<Target> {
    let mut less = target.clone();
    match &mut less.attribute {
        Some(attribute) if attribute.entry.is_some() || attribute.row.is_some() => {
            attribute.entry = None;
            attribute.row = None;
        }
        Some(_) => less.attribute = None,
        None => match &less.part {
            Part::Node(_) | Part::Link(..) => less.part = Part::Graph,
            Part::Program | Part::Type(_) | Part::Graph => return None,
        },
    }
    Some(less)
}
