//! Words of expressions and bodies: which stand for values, and which names a text binds itself.
//!
//! Works on what is written, without parsing it, as the text may be unfinished. Where it cannot tell, a word counts
//! as one that is bound, so that what is built on it rather refuses than changes a meaning.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use hasse_model::name::is_of_name;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Word,
    Number,
    Quoted,
    Sign,
}

#[derive(Clone, Debug)]
struct Token {
    kind: Kind,
    range: Range<usize>,
}

/// Cuts Rhai text into tokens; of strings with code in them, `` `${n}` ``, the code is cut, too.
fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    scan(text, 0, false, &mut found);
    found
}

/// Scans from `start`; to the brace that closes the code in a string where `is_inner`. Gives where it ended.
fn scan(text: &str, mut start: usize, is_inner: bool, found: &mut Vec<Token>) -> usize {
    let mut n_open = 0_usize;
    while let Some(letter) = text[start..].chars().next() {
        let rest = &text[start..];
        let len_while = |keep: fn(char) -> bool| rest.find(|letter| !keep(letter)).unwrap_or(rest.len());
        let (kind, len) = match letter {
            _ if letter.is_whitespace() => {
                start += letter.len_utf8();
                continue;
            }
            '/' if rest.starts_with("//") => {
                start += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            '/' if rest.starts_with("/*") => {
                start += rest.find("*/").map_or(rest.len(), |end| end + 2);
                continue;
            }
            '`' => {
                start = template(text, start + 1, found);
                continue;
            }
            '"' | '\'' => (Kind::Quoted, quoted_len(rest, letter)),
            '#' if rest.trim_start_matches('#').starts_with('"') => (Kind::Quoted, raw_len(rest)),
            _ if letter.is_ascii_digit() => (Kind::Number, number_len(rest)),
            _ if is_of_name(letter) => (Kind::Word, len_while(is_of_name)),
            '.' if rest.starts_with("..") => (Kind::Sign, if rest.starts_with("..=") { 3 } else { 2 }),
            ':' if rest.starts_with("::") => (Kind::Sign, 2),
            '|' if rest.starts_with("||") => (Kind::Sign, 2),
            '}' if is_inner && n_open == 0 => return start,
            _ => (Kind::Sign, letter.len_utf8()),
        };
        n_open += usize::from(letter == '{' && kind == Kind::Sign);
        n_open = n_open.saturating_sub(usize::from(letter == '}'));
        found.push(Token { kind, range: start..start + len });
        start += len;
    }
    start
}

/// Scans the rest of a string with code in it; gives where it ended.
fn template(text: &str, mut start: usize, found: &mut Vec<Token>) -> usize {
    while let Some(letter) = text[start..].chars().next() {
        if letter == '`' {
            found.push(Token { kind: Kind::Quoted, range: start..start + 1 });
            return start + 1;
        }
        if text[start..].starts_with("${") {
            found.push(Token { kind: Kind::Sign, range: start + 1..start + 2 });
            start = scan(text, start + 2, true, found);
        } else {
            start += letter.len_utf8();
        }
    }
    start
}

fn number_len(rest: &str) -> usize {
    let n_whole = rest.find(|letter| !is_of_name(letter)).unwrap_or(rest.len());
    let behind = &rest[n_whole..];
    match behind.strip_prefix('.') {
        Some(fraction) if fraction.starts_with(|letter: char| letter.is_ascii_digit()) => {
            n_whole + 1 + fraction.find(|letter| !is_of_name(letter)).unwrap_or(fraction.len())
        }
        _ => n_whole,
    }
}

fn quoted_len(rest: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (offset, letter) in rest.char_indices().skip(1) {
        if letter == quote && !is_escaped {
            return offset + 1;
        }
        is_escaped = letter == '\\' && !is_escaped;
    }
    rest.len()
}

/// `#"..."#`
fn raw_len(rest: &str) -> usize {
    let n_marks = rest.len() - rest.trim_start_matches('#').len();
    let end = format!("\"{}", "#".repeat(n_marks));
    rest[n_marks + 1..].find(&end).map_or(rest.len(), |found| n_marks + 1 + found + end.len())
}

/// Where words stand that name a value: no fields, functions, keys of maps.
pub(super) fn values(text: &str) -> Vec<Range<usize>> {
    let all = tokens(text);
    let sign =
        |idx: Option<usize>| idx.and_then(|idx| all.get(idx)).map_or("", |token| &text[token.range.clone()]);
    let is_value = |idx: usize| {
        all[idx].kind == Kind::Word
            && sign(idx.checked_sub(1)) != "."
            && !matches!(sign(Some(idx + 1)), "(" | "::" | ":")
    };
    (0..all.len()).filter(|idx| is_value(*idx)).map(|idx| all[idx].range.clone()).collect()
}

/// Whether a value of the text is named so.
pub(super) fn names(text: &str, name: &str) -> bool {
    values(text).into_iter().any(|range| text[range] == *name)
}

/// All names that a text binds: `let`, `const`, `for`, `catch`, parameters of functions and closures.
pub(super) fn bound(text: &str) -> BTreeSet<String> {
    let all = tokens(text);
    let spelled = |idx: usize| all.get(idx).map_or("", |token: &Token| &text[token.range.clone()]);
    let mut bound = BTreeSet::new();
    let mut take_until = |from: usize, end: &str| {
        let words = (from..all.len()).take_while(|idx| spelled(*idx) != end);
        bound.extend(words.filter(|idx| all[*idx].kind == Kind::Word).map(|idx| spelled(idx).to_owned()));
    };
    for idx in 0..all.len() {
        match spelled(idx) {
            "let" | "const" => take_until(idx + 1, spelled(idx + 2)),
            "for" => take_until(idx + 1, "in"),
            "catch" => take_until(idx + 1, ")"),
            "fn" => take_until(idx + 2, ")"),
            "|" if idx == 0 || opens_closure(&all[idx - 1], text) => take_until(idx + 1, "|"),
            _ => {}
        }
    }
    bound
}

/// Whether a closure, and no operand, has stood before.
fn opens_closure(before: &Token, text: &str) -> bool {
    before.kind == Kind::Sign && !matches!(&text[before.range.clone()], ")" | "]" | "}")
        || &text[before.range.clone()] == "return"
}

/// Writes what the map says in place of values of these names, outside of the ranges of `kept`; in parentheses where
/// it is more than a word or number.
pub(super) fn substitute(text: &str, kept: &[Range<usize>], map: &BTreeMap<String, String>) -> String {
    let mut written = text.to_owned();
    for range in values(text).into_iter().rev().filter(|range| !kept.contains(range)) {
        if let Some(new) = map.get(&text[range.clone()]) {
            let new = if is_atom(new) { new.clone() } else { format!("({new})") };
            written.replace_range(range, &new);
        }
    }
    written
}

/// As [`substitute`], for a text that stands in brackets: where it is one word, what comes in its place needs no
/// parentheses.
pub(super) fn substitute_index(text: &str, map: &BTreeMap<String, String>) -> String {
    map.get(text.trim()).cloned().unwrap_or_else(|| substitute(text, &[], map))
}

/// Whether a text is one word, number or string.
pub(super) fn is_atom(text: &str) -> bool {
    matches!(&tokens(text)[..], [only] if only.kind != Kind::Sign && !text.contains('`'))
}

/// Whether a text is one name.
pub(super) fn is_name(text: &str) -> bool {
    matches!(&tokens(text)[..], [only] if only.kind == Kind::Word && only.range == (0..text.len()))
}

/// The name, else the first with a number behind it, that `is_taken` does not hold for.
pub(super) fn fresh(wanted: &str, is_taken: impl Fn(&str) -> bool) -> String {
    if !is_taken(wanted) {
        return wanted.to_owned();
    }
    let numbered = (2_u64..).map(|number| format!("{wanted}{number}"));
    numbered.into_iter().find(|name| !is_taken(name)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_told_from_fields_functions_and_texts() {
        let text = r##"n + a.n + n(1) + f(n) + `n ${n + `${n}`} n` + "n" + #{ n: n } + 0..n // n"##;
        let found: Vec<_> = values(text).into_iter().filter(|range| text[range.clone()] == *"n").collect();
        assert_eq!(found.len(), 6, "{found:?}");
        let map = BTreeMap::from([("n".to_owned(), "k + 1".to_owned()), ("m".to_owned(), "7".to_owned())]);
        assert_eq!(substitute("2 * n - m + `${n}`", &[], &map), "2 * (k + 1) - 7 + `${(k + 1)}`");
        assert_eq!(substitute_index(" n ", &map), "k + 1");
        assert_eq!(substitute_index("n * 2", &map), "(k + 1) * 2");
    }

    #[test]
    fn bound_names_are_found() {
        let text = "let a = 1; for (b, c) in d { } try { } catch (e) { } fn f(g, h) { i | j } k.map(|l, m| l); \
                    let n = || o; const p = q;";
        let expected = ["a", "b", "c", "e", "g", "h", "l", "m", "n", "p"].map(str::to_owned);
        assert_eq!(bound(text), BTreeSet::from(expected));
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_cut(text in "[a-c0-9`\"'{}$#/*|.:(\\\\é \n]{0,40}") {
            let _ = bound(&text);
            let map = BTreeMap::from([("a".to_owned(), "a".to_owned())]);
            proptest::prop_assert_eq!(substitute(&text, &[], &map), text);
        }
    }

    #[test]
    fn unfinished_texts_end() {
        for text in ["`${", "\"", "#\"", "'\\", "let", "|", "`${`", "1.", "a.", "/*", "}"] {
            let _ = (values(text), bound(text));
        }
    }
}
