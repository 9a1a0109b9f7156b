//! What is known of a body in Rust without compiling it: which names occur, what its outermost level binds by `let`,
//! which results it sets.
//!
//! The text is cut into tokens and not parsed: what is wrong within it is for `rustc` to say, which sees it where a
//! program is run or built. So nothing here recurses deeper than brackets nest, and that is bounded.

use std::collections::BTreeSet;
use std::ops::Range;
use std::str::FromStr;

use hasse_model::name::is_of_name;
use proc_macro2::{Delimiter, Group, Ident, Literal, TokenStream, TokenTree, extra};

/// Deepest nesting of brackets.
const MAX_DEPTH: usize = 100;

/// What is known of a text.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// Words that may be names of the node, also those that format strings capture.
    pub(crate) words: BTreeSet<String>,
    /// What the outermost level binds, in the order of the text.
    pub(crate) lets: Vec<Let>,
    /// Names of results; `None` where one is not a literal.
    pub(crate) results: Vec<Option<String>>,
    /// Whether `?` or `return` occurs.
    pub(crate) may_leave: bool,
}

/// A name that `let` binds at the outermost level.
#[derive(Debug)]
pub(crate) struct Let {
    /// The name, without `r#`.
    pub(crate) name: String,
    /// Bytes of the text where it stands.
    pub(crate) range: Range<usize>,
    /// Its type, where it is written, without white space.
    pub(crate) ty: Option<String>,
}

/// A text that cannot be cut into tokens, or nests too deeply.
#[derive(Debug)]
pub(crate) struct Unreadable {
    /// What is wrong.
    pub(crate) message: &'static str,
    /// Bytes of the text where it was noticed.
    pub(crate) range: Range<usize>,
}

/// Looks at a text. Cost: linear.
pub(crate) fn facts(text: &str) -> Result<Facts, Unreadable> {
    let read = read(text);
    // Tokens know their places by a table of all texts that this thread has ever read.
    extra::invalidate_current_thread_spans();
    read
}

fn read(text: &str) -> Result<Facts, Unreadable> {
    let stream = TokenStream::from_str(text).map_err(|error| Unreadable {
        message: "a bracket, a quote or a sign has no partner",
        range: in_text(error.span().byte_range(), text),
    })?;
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    let mut facts = Facts::default();
    look_into(&tokens, 0, &mut facts)
        .map_err(|range| Unreadable { message: "brackets nest too deeply", range: in_text(range, text) })?;
    facts.lets = outer_lets(&tokens);
    Ok(facts)
}

fn in_text(range: Range<usize>, text: &str) -> Range<usize> {
    range.start.min(text.len())..range.end.min(text.len())
}

/// Notes words, results and ways out; gives the place of brackets that nest too deeply.
fn look_into(tokens: &[TokenTree], depth: usize, facts: &mut Facts) -> Result<(), Range<usize>> {
    for (place, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Ident(word) => {
                let word = plain(word);
                facts.may_leave |= word == "return";
                facts.words.insert(word);
            }
            TokenTree::Literal(literal) => facts.words.extend(captured(literal)),
            TokenTree::Punct(sign) => facts.may_leave |= sign.as_char() == '?',
            TokenTree::Group(group) => {
                if depth >= MAX_DEPTH {
                    return Err(group.span_open().byte_range());
                }
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                if is_result(tokens, place) {
                    facts.results.push(inner.first().and_then(text_of));
                }
                look_into(&inner, depth + 1, facts)?;
            }
        }
    }
    Ok(())
}

/// A word without `r#`.
fn plain(word: &Ident) -> String {
    let word = word.to_string();
    word.strip_prefix("r#").map(str::to_owned).unwrap_or(word)
}

fn is_plain_word(token: Option<&TokenTree>, wanted: &str) -> bool {
    matches!(token, Some(TokenTree::Ident(word)) if word == wanted)
}

fn is_sign(token: Option<&TokenTree>, wanted: char) -> bool {
    matches!(token, Some(TokenTree::Punct(sign)) if sign.as_char() == wanted)
}

/// Whether the brackets at a place are those of `context.result(..)`.
fn is_result(tokens: &[TokenTree], place: usize) -> bool {
    let before = |n: usize| place.checked_sub(n).and_then(|at| tokens.get(at));
    is_plain_word(before(1), "result") && is_sign(before(2), '.') && is_plain_word(before(3), "context")
}

/// The content of a plain string literal.
fn text_of(token: &TokenTree) -> Option<String> {
    let TokenTree::Literal(literal) = token else { return None };
    let spelling = literal.to_string();
    let inner = spelling.strip_prefix('"')?.strip_suffix('"')?;
    (!inner.contains('\\')).then(|| inner.to_owned())
}

/// Words behind an opening brace within a string: a macro such as `format!` may capture them.
fn captured(literal: &Literal) -> Vec<String> {
    let spelling = literal.to_string();
    if !spelling.ends_with(['"', '#']) {
        return Vec::new();
    }
    let behind_braces = spelling.split('{').skip(1);
    let is_part = |letter: &char| is_of_name(*letter);
    let words = behind_braces.map(|rest| rest.chars().take_while(is_part).collect::<String>());
    words.filter(|word| !word.is_empty()).collect()
}

/// What `let` binds on the outermost level; not what `if let` and its like bind, which is gone behind their block.
fn outer_lets(tokens: &[TokenTree]) -> Vec<Let> {
    let mut lets = Vec::new();
    for (place, token) in tokens.iter().enumerate() {
        let before = place.checked_sub(1).and_then(|at| tokens.get(at));
        let is_condition = is_plain_word(before, "if")
            || is_plain_word(before, "while")
            || is_sign(before, '&')
            || is_sign(before, '|');
        if !is_plain_word(Some(token), "let") || is_condition {
            continue;
        }
        let rest = &tokens[place + 1..];
        let is_path =
            |at: usize| is_sign(rest.get(at + 1), ':') || (at > 0 && is_sign(rest.get(at - 1), ':'));
        let is_end = |(at, token): (usize, &TokenTree)| match token {
            TokenTree::Punct(sign) => {
                matches!(sign.as_char(), '=' | ';') || (sign.as_char() == ':' && !is_path(at))
            }
            _ => false,
        };
        let n_pattern = rest.iter().enumerate().position(is_end).unwrap_or(rest.len());
        let n_before = lets.len();
        bound_by(&rest[..n_pattern], false, 0, &mut lets);
        // A type is told apart for a single name only.
        if let [only] = &mut lets[n_before..]
            && is_sign(rest.get(n_pattern), ':')
        {
            let ty = rest[n_pattern + 1..]
                .iter()
                .take_while(|token| !is_sign(Some(token), '=') && !is_sign(Some(token), ';'));
            only.ty = Some(ty.map(|token| token.to_string().replace(' ', "")).collect());
        }
    }
    lets
}

/// Names that a pattern binds. What is a path, the name of a variant or of a field with a pattern of its own is none.
fn bound_by(pattern: &[TokenTree], in_braces: bool, depth: usize, lets: &mut Vec<Let>) {
    for (place, token) in pattern.iter().enumerate() {
        let next = pattern.get(place + 1);
        match token {
            TokenTree::Ident(word) => {
                let name = plain(word);
                let is_keyword = matches!(name.as_str(), "mut" | "ref" | "_" | "box");
                let of_path = is_sign(next, ':') && is_sign(pattern.get(place + 2), ':');
                let in_path = place > 0 && is_sign(pattern.get(place - 1), ':') && !in_braces;
                let is_field = in_braces && is_sign(next, ':');
                let is_variant = matches!(next, Some(TokenTree::Group(_)));
                if !is_keyword && !of_path && !in_path && !is_field && !is_variant {
                    lets.push(Let { name, range: word.span().byte_range(), ty: None });
                }
            }
            TokenTree::Group(group) if depth < MAX_DEPTH => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                bound_by(&inner, is_braces(group), depth + 1, lets);
            }
            _ => {}
        }
    }
}

fn is_braces(group: &Group) -> bool {
    group.delimiter() == Delimiter::Brace
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use super::*;

    fn lets(text: &str) -> Vec<(String, Option<String>)> {
        facts(text).unwrap().lets.into_iter().map(|found| (found.name, found.ty)).collect()
    }

    #[test]
    fn the_outermost_level_binds() {
        let text = "let a = 1; let mut b: Vec<f64> = Vec::new(); { let c = 2; } if let Some(d) = e {}\n\
                    let (f, Point { x, y: ref z }) = g; let Some(h) = i else { return Ok(()) };";
        let plain = |name: &str| (name.to_owned(), None);
        let mut expected = vec![plain("a"), ("b".to_owned(), Some("Vec<f64>".to_owned()))];
        expected.extend(["f", "x", "z", "h"].map(plain));
        assert_eq!(lets(text), expected);
    }

    #[test]
    fn paths_and_variants_bind_nothing() {
        assert_eq!(lets("let std::cmp::Ordering::Less = a else { panic!() };"), []);
        assert_eq!(lets("while let Some(x) = a {} if b && let Some(y) = c {}"), []);
    }

    #[test]
    fn words_in_format_strings_count() {
        let facts = facts(r#"context.print(format!("{n:?} of {}", k)); context.result("out", n)?;"#).unwrap();
        assert!(["n", "k", "context"].iter().all(|word| facts.words.contains(*word)));
        assert_eq!(facts.results, [Some("out".to_owned())]);
        assert!(facts.may_leave);
        assert!(!super::facts("let a = !b; assert!(a);").unwrap().may_leave);
    }

    #[test]
    fn a_result_whose_name_is_computed_is_noted() {
        assert_eq!(facts("context.result(&name, 1)").unwrap().results, [None]);
    }

    #[test]
    fn what_is_no_text_in_rust_has_a_place() {
        let fault = facts("let a = (1;\nlet b = 2;").unwrap_err();
        assert!(fault.range.end <= 22);
        let deep = format!("{}{}", "(".repeat(5000), ")".repeat(5000));
        assert_eq!(facts(&deep).unwrap_err().message, "brackets nest too deeply");
    }
}
