//! Finding text in the program: names of what is drawn, types, rules, bodies and docs.
//!
//! What is searched is the value of each string and each name, not the file: quotes, escapes, comments and positions of
//! drawn things are never found.

use std::ops::Range;

use hasse_model::diagnostic::Location;

use crate::places::Places;
use crate::target::Target;

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What it is in; of a body with the line.
    pub target: Target,
    /// Where in the file.
    pub at: Location,
    /// The line of the name or text that it stands in, without white space around it.
    pub excerpt: String,
    /// Where in the excerpt, in bytes.
    pub range: Range<usize>,
}

/// All places where `query` stands, in the order of the file; none of an empty one. Places do not overlap. A text that
/// is no TOML is searched line by line. Cost: the length of the text times that of the query at worst.
pub fn find(places: &Places, query: &str, is_case_sensitive: bool) -> Vec<Found> {
    let mut found = Vec::new();
    if query.is_empty() {
        return found;
    }
    if !places.is_readable() {
        for range in matches(places.text(), query, is_case_sensitive) {
            let (excerpt, within) = excerpt(places.text(), range.clone());
            let target = places.target(range.start);
            found.push(Found { target, at: places.location(range), excerpt, range: within });
        }
        return found;
    }
    for place in places.all() {
        if place.target.attribute.as_ref().is_some_and(|attribute| attribute.key == "layout") {
            continue;
        }
        if let (Some(key), Some(name)) = (&place.key, &place.name)
            && is_named(&place.target)
        {
            // The name's spelling may have quotes; escapes in names are rare enough to point at the whole.
            let spelled = &places.text()[key.clone()];
            let shift = spelled.find(name.as_str());
            for range in matches(name, query, is_case_sensitive) {
                let at = match shift {
                    Some(shift) => key.start + shift + range.start..key.start + shift + range.end,
                    None => key.clone(),
                };
                let at = places.location(at);
                found.push(Found { target: place.target.clone(), at, excerpt: name.clone(), range });
            }
        }
        let Some(text) = &place.text else { continue };
        let offsets = places.offsets(place);
        for range in matches(text, query, is_case_sensitive) {
            let at = |byte: usize| offsets.get(byte).copied().unwrap_or_default();
            let target = places.target(at(range.start));
            let at = places.location(at(range.start)..at(range.end));
            let (excerpt, range) = excerpt(text, range);
            found.push(Found { target, at, excerpt, range });
        }
    }
    found.sort_by_key(|found| found.at.start);
    found
}

/// Whether the key of a place is a name that the program's author chose.
fn is_named(target: &Target) -> bool {
    let is_field = matches!(target.part, crate::target::Part::Type(_));
    target.attribute.as_ref().is_none_or(|attribute| is_field || attribute.entry.is_some())
}

/// The line around a range without white space around it, and the range in it.
fn excerpt(text: &str, range: Range<usize>) -> (String, Range<usize>) {
    let start = text[..range.start].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[range.start..].find('\n').map_or(text.len(), |newline| range.start + newline);
    let line = &text[start..end];
    // What was found may itself begin or end with white space.
    let start = start + (line.len() - line.trim_start().len()).min(range.start - start);
    let end = (start + text[start..end].trim_end().len()).max(range.end.min(end));
    (text[start..end].to_owned(), range.start - start..range.end.min(end) - start)
}

/// Where `query` stands in a text, in bytes; places do not overlap. Letters of either case are equal where their lower
/// cases are, letter by letter.
fn matches(text: &str, query: &str, is_case_sensitive: bool) -> Vec<Range<usize>> {
    if is_case_sensitive {
        return text.match_indices(query).map(|(start, found)| start..start + found.len()).collect();
    }
    let wanted: Vec<char> = query.chars().flat_map(char::to_lowercase).collect();
    let mut found = Vec::new();
    let mut free = 0;
    for (start, _) in text.char_indices() {
        if start >= free
            && let Some(n_bytes) = prefix(&text[start..], &wanted)
        {
            free = start + n_bytes;
            found.push(start..free);
        }
    }
    found
}

/// How many bytes of a text spell the letters, in any case.
fn prefix(text: &str, wanted: &[char]) -> Option<usize> {
    let mut rest = wanted;
    for (start, letter) in text.char_indices() {
        if rest.is_empty() {
            return Some(start);
        }
        for lower in letter.to_lowercase() {
            let (first, behind) = rest.split_first()?;
            if *first != lower {
                return None;
            }
            rest = behind;
        }
    }
    rest.is_empty().then_some(text.len())
}
