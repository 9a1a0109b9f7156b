//! Words and signs of rules. The lexical rules are Rhai's as far as they decide where a bracket,
//! comma or keyword is one: strings, characters and comments are single tokens.

use std::ops::Range;

use hasse_model::name::{begins_name, is_of_name};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An identifier or keyword.
    Word,
    /// An integer without sign.
    Int,
    /// A string, character, real number or comment.
    Other,
    /// `->`, `<-`, `--`, `..`, `..=`, or one character.
    Sign,
}

/// A word or sign and its place.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) range: Range<usize>,
    /// Number of brackets around it; an opening or closing bracket is not within itself.
    pub(crate) depth: usize,
}

const LONG_SIGNS: [&str; 5] = ["..=", "..", "->", "<-", "--"];

/// Cuts a text into tokens. Total: any text has tokens. Comments are left out.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    cut(text, |_| {})
}

/// The comments of a text, in its order.
pub(crate) fn comments(text: &str) -> Vec<Range<usize>> {
    let mut comments = Vec::new();
    cut(text, |comment| comments.push(comment));
    comments
}

fn cut(text: &str, mut on_comment: impl FnMut(Range<usize>)) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut depth: usize = 0;
    let mut start = 0;
    while let Some(letter) = text[start..].chars().next() {
        let rest = &text[start..];
        if letter.is_whitespace() {
            start += letter.len_utf8();
            continue;
        }
        if rest.starts_with("//") || rest.starts_with("/*") {
            let n_bytes = comment_len(rest);
            on_comment(start..start + n_bytes);
            start += n_bytes;
            continue;
        }
        let (kind, n_bytes) = scan(rest, letter);
        if kind == Kind::Sign && matches!(letter, ')' | ']' | '}') {
            depth = depth.saturating_sub(1);
        }
        tokens.push(Token { kind, range: start..start + n_bytes, depth });
        if kind == Kind::Sign && matches!(letter, '(' | '[' | '{') {
            depth += 1;
        }
        start += n_bytes;
    }
    tokens
}

/// Kind and size of the token that a text begins with.
fn scan(rest: &str, first: char) -> (Kind, usize) {
    let len_while = |keep: fn(char) -> bool| rest.find(|letter: char| !keep(letter)).unwrap_or(rest.len());
    match first {
        _ if begins_name(first) => (Kind::Word, len_while(is_of_name)),
        _ if first.is_ascii_digit() => scan_number(rest),
        '"' | '\'' | '`' => (Kind::Other, quoted_len(rest, first, 0)),
        '#' if let Some(n_bytes) = raw_string_len(rest) => (Kind::Other, n_bytes),
        _ => {
            let long = LONG_SIGNS.iter().find(|sign| rest.starts_with(**sign));
            (Kind::Sign, long.map_or(first.len_utf8(), |sign| sign.len()))
        }
    }
}

fn scan_number(rest: &str) -> (Kind, usize) {
    let n_whole = rest.find(|letter: char| !is_of_name(letter)).unwrap_or(rest.len());
    let behind = &rest[n_whole..];
    if behind.starts_with('.') && behind[1..].starts_with(|letter: char| letter.is_ascii_digit()) {
        let n_fraction = behind[1..].find(|letter: char| !is_of_name(letter)).unwrap_or(behind.len() - 1);
        return (Kind::Other, n_whole + 1 + n_fraction);
    }
    (Kind::Int, n_whole)
}

fn comment_len(rest: &str) -> usize {
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    // Comments in blocks nest.
    let (mut depth, mut offset) = (0_usize, 0);
    while let Some(letter) = rest[offset..].chars().next() {
        let (n_bytes, is_open) = match &rest[offset..] {
            inner if inner.starts_with("/*") => (2, Some(true)),
            inner if inner.starts_with("*/") => (2, Some(false)),
            _ => (letter.len_utf8(), None),
        };
        offset += n_bytes;
        match is_open {
            Some(true) => depth += 1,
            Some(false) if depth == 1 => return offset,
            Some(false) => depth -= 1,
            None => {}
        }
    }
    rest.len()
}

/// Size of a raw string, `#"..."#` with any number of `#`, where the text begins with one; all of the rest where it is not
/// closed.
fn raw_string_len(rest: &str) -> Option<usize> {
    let n_signs = rest.bytes().take_while(|byte| *byte == b'#').count();
    let inner = rest[n_signs..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(n_signs));
    Some(inner.find(&end).map_or(rest.len(), |length| n_signs + 1 + length + end.len()))
}

/// Levels of texts within expressions within texts that are looked into.
const MAX_DEPTH: usize = 16;

/// Size of a quoted text with its quotes; all of the rest where it is not closed. Expressions within `` `${..}` `` may hold
/// quotes of their own.
fn quoted_len(rest: &str, quote: char, depth: usize) -> usize {
    let mut is_escaped = false;
    let mut expression_end = 0;
    for (offset, letter) in rest.char_indices().skip(1) {
        if offset < expression_end {
            continue;
        }
        if quote == '`' && depth < MAX_DEPTH && rest[offset..].starts_with("${") {
            expression_end = offset + 2 + braced_len(&rest[offset + 2..], depth + 1);
            continue;
        }
        if letter == quote && !is_escaped {
            return offset + letter.len_utf8();
        }
        is_escaped = letter == '\\' && !is_escaped && quote != '`';
    }
    rest.len()
}

/// Length in bytes up to and including the brace that closes an open one.
fn braced_len(text: &str, level: usize) -> usize {
    let (mut offset, mut depth) = (0, 0_usize);
    while let Some(letter) = text[offset..].chars().next() {
        let rest = &text[offset..];
        offset += match letter {
            '"' | '\'' | '`' => quoted_len(rest, letter, level),
            '#' if let Some(n_bytes) = raw_string_len(rest) => n_bytes,
            _ if rest.starts_with("//") || rest.starts_with("/*") => comment_len(rest),
            _ => letter.len_utf8(),
        };
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => return offset,
            '}' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        tokens(text).into_iter().map(|token| &text[token.range]).collect()
    }

    #[test]
    fn ranges_and_arrows_are_single_signs() {
        assert_eq!(
            texts("a[0]->b for j in 0..=n"),
            ["a", "[", "0", "]", "->", "b", "for", "j", "in", "0", "..=", "n"]
        );
        assert_eq!(texts("1.5..2"), ["1.5", "..", "2"]);
    }

    #[test]
    fn quotes_and_comments_hide_what_is_in_them() {
        assert_eq!(texts(r#"x <- "a, \" if" /* , */ + 'c'"#), ["x", "<-", r#""a, \" if""#, "+", "'c'"]);
        assert_eq!(texts("\"open"), ["\"open"]);
        assert_eq!(texts("x /* a /* , */ if */ y /* open /* */"), ["x", "y"]);
        assert_eq!(
            texts(r###"x <- #"a " if"# if ##"b"#, "## #{"###),
            ["x", "<-", r##"#"a " if"#"##, "if", r###"##"b"#, "##"###, "#", "{"]
        );
        assert_eq!(
            texts("`a ${f(\"`\", #{b: `}`})} if` if `${`"),
            ["`a ${f(\"`\", #{b: `}`})} if`", "if", "`${`"]
        );
    }

    #[test]
    fn depth_counts_brackets_around_a_token() {
        let depths: Vec<_> = tokens("f(a[1], {)").iter().map(|token| token.depth).collect();
        assert_eq!(depths, [0, 0, 1, 1, 2, 1, 1, 1, 1]);
    }
}
