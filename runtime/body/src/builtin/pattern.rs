//! Regular expressions, in the syntax of the crate `regex`: a search takes time linear in the text, whatever the pattern.

use std::cell::RefCell;

use regex::{Captures, Regex, RegexBuilder};
use rhai::{Array, Dynamic, Map};

use super::limits::{Outcome, failure, room_for_bytes, room_for_items};
use super::registry::Common;

/// Maximum number of compiled patterns that a thread keeps; bodies use the same few again and again.
const MOST_COMPILED: usize = 32;
/// Maximum size of a compiled pattern, in bytes.
const MOST_BYTES: usize = 1 << 20;

/// Registers the family.
pub(super) fn register(common: &mut Common) {
    common
        .register_fn("is_match", |text: &str, pattern: &str| {
            Ok(compiled("is_match", pattern)?.is_match(text)) as Outcome<bool>
        })
        .register_fn("first_match", first_match)
        .register_fn("all_matches", all_matches)
        .register_fn("groups", groups)
        .register_fn("all_groups", all_groups)
        .register_fn("replaced_matches", replaced_matches)
        .register_fn("split_matches", split_matches);
}

thread_local! {
    /// Compiled patterns, the last one used first.
    static COMPILED: RefCell<Vec<(String, Regex)>> = const { RefCell::new(Vec::new()) };
}

/// Returns the compiled pattern. `function` is the caller, for the error.
fn compiled(function: &str, pattern: &str) -> Outcome<Regex> {
    COMPILED.with_borrow_mut(|known| {
        if let Some(position) = known.iter().position(|(text, _)| text == pattern) {
            known[..=position].rotate_right(1);
        } else {
            let made = RegexBuilder::new(pattern).size_limit(MOST_BYTES).build();
            let made = made.map_err(|error| {
                let reason = error.to_string();
                let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ");
                failure(format!("`{function}`: `{pattern}` is no regular expression: {reason}"))
            })?;
            known.insert(0, (pattern.to_owned(), made));
            known.truncate(MOST_COMPILED);
        }
        Ok(known[0].1.clone())
    })
}

/// `first_match(text, pattern)`: the first part of the text that matches, or `()`.
fn first_match(text: &str, pattern: &str) -> Outcome<Dynamic> {
    let found = compiled("first_match", pattern)?.find(text).map(|found| found.as_str().to_owned());
    Ok(found.map_or(Dynamic::UNIT, Dynamic::from))
}

/// `all_matches(text, pattern)`: all parts that match, without overlap.
fn all_matches(text: &str, pattern: &str) -> Outcome<Array> {
    let pattern = compiled("all_matches", pattern)?;
    listed(pattern.find_iter(text).map(|found| found.as_str().to_owned().into()))
}

/// `groups(text, pattern)`: the groups of the first match by their numbers and names, or `()`.
fn groups(text: &str, pattern: &str) -> Outcome<Dynamic> {
    let pattern = compiled("groups", pattern)?;
    Ok(pattern.captures(text).map_or(Dynamic::UNIT, |found| Dynamic::from_map(map_of(&pattern, &found))))
}

/// `all_groups(text, pattern)`: the groups of all matches.
fn all_groups(text: &str, pattern: &str) -> Outcome<Array> {
    let pattern = compiled("all_groups", pattern)?;
    listed(pattern.captures_iter(text).map(|found| Dynamic::from_map(map_of(&pattern, &found))))
}

/// Groups that took part in a match. The key of each is its number; a group with a name has it as another key.
fn map_of(pattern: &Regex, found: &Captures<'_>) -> Map {
    let mut map = Map::new();
    for (number, (name, group)) in pattern.capture_names().zip(found.iter()).enumerate() {
        let Some(group) = group else { continue };
        map.insert(number.to_string().into(), group.as_str().to_owned().into());
        if let Some(name) = name {
            map.insert(name.into(), group.as_str().to_owned().into());
        }
    }
    map
}

fn listed(found: impl Iterator<Item = Dynamic>) -> Outcome<Array> {
    let mut items = Array::new();
    for item in found {
        if items.len() == items.capacity() {
            room_for_items(items.len())?;
        }
        items.push(item);
    }
    Ok(items)
}

/// `replaced_matches(text, pattern, with)`: a copy with every match replaced; `$1` and `${name}` in `with` stand for groups.
fn replaced_matches(text: &str, pattern: &str, with: &str) -> Outcome<String> {
    let pattern = compiled("replaced_matches", pattern)?;
    let (mut copy, mut copied) = (String::new(), 0);
    for found in pattern.captures_iter(text) {
        let whole = found.get_match();
        copy.push_str(&text[copied..whole.start()]);
        found.expand(with, &mut copy);
        copied = whole.end();
        // Repeated groups in `with` can make a short text arbitrarily long.
        room_for_bytes(copy.len())?;
    }
    copy.push_str(&text[copied..]);
    Ok(copy)
}

/// `split_matches(text, pattern)`: the parts between matches.
fn split_matches(text: &str, pattern: &str) -> Outcome<Array> {
    let pattern = compiled("split_matches", pattern)?;
    listed(pattern.split(text).map(|part| part.to_owned().into()))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_error};

    #[test]
    fn matches_are_found() {
        check(r#"is_match("order 66", "\\d+") && !is_match("order", "\\d")"#, "true");
        check(r#"first_match("a=1, b=22", "[a-z]=\\d+")"#, "a=1");
        check(r#"first_match("none", "\\d") == ()"#, "true");
        check(r#"all_matches("a=1, b=22", "\\d+") == ["1", "22"]"#, "true");
        check(
            r#""2026-11-29".groups("(?<year>\\d+)-(\\d+)") == #{"0": "2026-11", "1": "2026", "2": "11", year: "2026"}"#,
            "true",
        );
        check(r#"groups("x", "(y)?x") == #{"0": "x"}"#, "true");
        check(r#"all_groups("a1 b2", "([a-z])(\\d)").map(|g| g["2"] + g["1"]) == ["1a", "2b"]"#, "true");
    }

    #[test]
    fn texts_are_rewritten_and_split() {
        check(r#"replaced_matches("Doe, Jane; Roe, Jo", "(\\w+), (\\w+)", "$2 $1")"#, "Jane Doe; Jo Roe");
        check(r#"replaced_matches("größe", "", "-")"#, "-g-r-ö-ß-e-");
        check(r#"split_matches("a , b,c", "\\s*,\\s*") == ["a", "b", "c"]"#, "true");
    }

    #[test]
    fn pattern_that_cannot_be_read_is_an_error() {
        check_error(r#"is_match("x", "(")"#, "`is_match`: `(` is no regular expression: unclosed group");
        check_error(r#"is_match("x", "(\\w{1000}){1000}")"#, "is no regular expression");
    }

    #[test]
    fn evicted_pattern_is_compiled_again() {
        check("let n = 0; for k in 0..100 { if is_match(`${k}`, `^${k}$`) { n += 1; } } n", "100");
        check("let n = 0; for k in 0..100 { if is_match(`${k % 3}`, `^${k % 3}$`) { n += 1; } } n", "100");
    }
}
