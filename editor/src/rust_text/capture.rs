//! Names in the braces of format strings.

use std::ops::Range;

use hasse_model::name::{begins_name, is_of_name};

use super::Cut;
use crate::lex::Kind;

/// Macros whose first argument is a format string.
const FORMAT_FIRST: [&str; 9] =
    ["format", "print", "println", "eprint", "eprintln", "panic", "format_args", "unreachable", "todo"];
/// Macros whose second argument is one.
const FORMAT_SECOND: [&str; 4] = ["write", "writeln", "assert", "debug_assert"];

impl<'t> Cut<'t> {
    /// Names in braces of strings, where they stand, and whether it is certain that the string is a format.
    pub(super) fn captured(&self) -> Vec<(&'t str, Range<usize>, bool)> {
        let mut found = Vec::new();
        for idx in (0..self.all.len()).filter(|idx| self.is(*idx, Kind::Quoted)) {
            let is_format = self.is_format(idx);
            let start = self.all[idx].range.start;
            let holes = holes(self.spelled(idx)).into_iter();
            found.extend(holes.map(|range| {
                let range = start + range.start..start + range.end;
                (&self.text[range.clone()], range, is_format)
            }));
        }
        found
    }

    fn is_format(&self, idx: usize) -> bool {
        let Some(open) = self.around[idx] else { return false };
        let Some(name) = self.called_macro(open) else { return false };
        if FORMAT_FIRST.contains(&name) {
            return open + 1 == idx;
        }
        let depth = self.all[idx].depth;
        let first_comma = (open..idx).find(|at| self.all[*at].depth == depth && self.spelled(*at) == ",");
        FORMAT_SECOND.contains(&name) && first_comma.is_some_and(|comma| comma + 1 == idx)
    }
}

/// Names within `{..}` of a string: `{name:spec}`, and `{:width$}` in the spec.
fn holes(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(brace) = text[at..].find('{').map(|found| at + found) {
        let begin = brace + 1;
        if text[begin..].starts_with('{') {
            at = begin + 1;
            continue;
        }
        let end = text[begin..].find(['{', '}']).map_or(text.len(), |len| begin + len);
        at = end;
        // `\u{..}` is a letter.
        if text[..brace].ends_with("\\u") || !text[end..].starts_with('}') {
            continue;
        }
        let name = word(text, begin);
        if matches!(text[name.end..].chars().next(), Some(':' | '}')) {
            found.push(name.clone());
        }
        let spec = text[name.end..end].match_indices('$').map(|(dollar, _)| name.end + dollar);
        found.extend(spec.map(|dollar| {
            let before = text[..dollar].trim_end_matches(is_of_name).len();
            before.max(begin)..dollar
        }));
    }
    found.retain(|range| text[range.clone()].starts_with(begins_name));
    found
}

/// The word at a byte; empty where there is none.
fn word(text: &str, start: usize) -> Range<usize> {
    start..text[start..].find(|letter| !is_of_name(letter)).map_or(text.len(), |len| start + len)
}
