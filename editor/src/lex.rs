//! Words and signs of Rhai texts, rules and arcs, with everything between them: the pieces make up the whole text.
//!
//! Any text can be cut, as texts are unfinished while they are typed. What is quoted ends at the latest with its line,
//! but for templates in back-ticks and strings continued with a backslash.

use std::ops::Range;

use hasse_model::name::{begins_name, is_of_name};

/// Texts in Rust.
pub(crate) mod rust;

/// The language of a body's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Language {
    #[default]
    Rhai,
    Rust,
}

impl Language {
    /// Cuts a text into pieces. Cost: linear.
    pub(crate) fn pieces(self, text: &str) -> Vec<Piece> {
        match self {
            Self::Rhai => pieces(text),
            Self::Rust => rust::pieces(text),
        }
    }
}

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// White space.
    Space,
    /// An identifier or keyword.
    Word,
    /// A number.
    Number,
    /// A string or character, or the literal part of a template.
    Quoted,
    /// A comment.
    Comment,
    /// One sign, such as `->`, `..=`, `(`, or the `${` and `}` of a template.
    Sign,
}

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) kind: Kind,
    /// Bytes.
    pub(crate) range: Range<usize>,
    /// Number of brackets around it; an opening or closing bracket is not within itself.
    pub(crate) depth: usize,
}

const LONG_SIGNS: [&str; 18] = [
    "..=", "...", "<<=", ">>=", "..", "->", "<-", "--", "==", "!=", "<=", ">=", "&&", "||", "::", "=>", "+=",
    "-=",
];

/// Cuts a text into pieces. Cost: linear.
pub(crate) fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    // Number of open braces within each template that is being interpolated.
    let mut templates: Vec<usize> = Vec::new();
    let mut depth: usize = 0;
    let mut start = 0;
    let mut is_in_template = false;
    while let Some(first) = text[start..].chars().next() {
        let rest = &text[start..];
        let (kind, n_bytes) = if is_in_template {
            if rest.starts_with("${") {
                is_in_template = false;
                templates.push(0);
                (Kind::Sign, 2)
            } else {
                let (n_bytes, is_closed) = template_len(rest);
                is_in_template = !is_closed;
                (Kind::Quoted, n_bytes)
            }
        } else if first == '`' {
            let (n_bytes, is_closed) = template_len(&rest[1..]);
            is_in_template = !is_closed;
            (Kind::Quoted, n_bytes + 1)
        } else {
            scan(rest, first)
        };
        let piece = &rest[..n_bytes];
        let is_sign = kind == Kind::Sign;
        if is_sign && matches!(piece, ")" | "]" | "}") {
            depth = depth.saturating_sub(1);
        }
        pieces.push(Piece { kind, range: start..start + n_bytes, depth });
        if is_sign && matches!(piece, "(" | "[" | "{" | "${") {
            depth += 1;
        }
        if is_sign && let Some(braces) = templates.last_mut() {
            match piece {
                "{" => *braces += 1,
                "}" if *braces > 0 => *braces -= 1,
                "}" => {
                    templates.pop();
                    is_in_template = true;
                }
                _ => {}
            }
        }
        start += n_bytes;
    }
    pieces
}

/// Size of the literal part of a template up to `${` or behind the closing back-tick, and whether that is there.
fn template_len(rest: &str) -> (usize, bool) {
    let tick = rest.find('`');
    let hole = rest.find("${");
    match (tick, hole) {
        (Some(tick), Some(hole)) if hole < tick => (hole, false),
        (Some(tick), _) => (tick + 1, true),
        (None, Some(hole)) => (hole, false),
        (None, None) => (rest.len(), false),
    }
}

/// Kind and size of the piece that a text begins with; at least one character.
fn scan(rest: &str, first: char) -> (Kind, usize) {
    let len_while = |keep: fn(char) -> bool| rest.find(|letter: char| !keep(letter)).unwrap_or(rest.len());
    if first.is_whitespace() {
        return (Kind::Space, len_while(char::is_whitespace));
    }
    if rest.starts_with("//") {
        return (Kind::Comment, rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with("/*") {
        return (Kind::Comment, block_comment_len(rest));
    }
    if begins_name(first) {
        return (Kind::Word, len_while(is_of_name));
    }
    if first.is_ascii_digit() {
        return (Kind::Number, number_len(rest));
    }
    match first {
        '"' | '\'' => (Kind::Quoted, quoted_len(rest, first)),
        '#' if rest.trim_start_matches('#').starts_with('"') => (Kind::Quoted, raw_len(rest)),
        _ => {
            let long = LONG_SIGNS.iter().find(|sign| rest.starts_with(**sign));
            (Kind::Sign, long.map_or(first.len_utf8(), |sign| sign.len()))
        }
    }
}

fn number_len(rest: &str) -> usize {
    let words = |from: usize| {
        rest[from..].find(|letter: char| !is_of_name(letter)).map_or(rest.len(), |len| from + len)
    };
    let mut end = words(0);
    if rest[end..].starts_with('.') && rest[end + 1..].starts_with(|letter: char| letter.is_ascii_digit()) {
        end = words(end + 1);
    }
    let is_decimal = !matches!(rest.as_bytes().get(1), Some(b'x' | b'X' | b'b' | b'B' | b'o' | b'O'));
    if is_decimal
        && rest[..end].ends_with(['e', 'E'])
        && rest[end..].starts_with(['+', '-'])
        && rest[end + 1..].starts_with(|letter: char| letter.is_ascii_digit())
    {
        end = words(end + 1);
    }
    end
}

/// Block comments nest.
fn block_comment_len(rest: &str) -> usize {
    let mut n_open = 0_usize;
    let mut start = 0;
    while start < rest.len() {
        if rest[start..].starts_with("/*") {
            n_open += 1;
            start += 2;
        } else if rest[start..].starts_with("*/") {
            n_open -= 1;
            start += 2;
            if n_open == 0 {
                return start;
            }
        } else {
            start += rest[start..].chars().next().map_or(1, char::len_utf8);
        }
    }
    rest.len()
}

/// Size of a quoted text with its quotes; up to the end of the line where it is not closed.
fn quoted_len(rest: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (offset, letter) in rest.char_indices().skip(1) {
        if letter == quote && !is_escaped {
            return offset + letter.len_utf8();
        }
        if letter == '\n' && !(is_escaped && quote == '"') {
            return offset;
        }
        is_escaped = letter == '\\' && !is_escaped;
    }
    rest.len()
}

/// `#"..."#`, with as many `#` behind as before.
fn raw_len(rest: &str) -> usize {
    let n_marks = rest.len() - rest.trim_start_matches('#').len();
    let close = format!("\"{}", "#".repeat(n_marks));
    rest[n_marks + 1..].find(&close).map_or(rest.len(), |at| n_marks + 1 + at + close.len())
}

/// Words that Rhai keeps for itself, as far as programs may use them, sorted.
pub(crate) const KEYWORDS: [&str; 24] = [
    "break",
    "catch",
    "const",
    "continue",
    "do",
    "else",
    "false",
    "fn",
    "for",
    "if",
    "in",
    "is_shared",
    "let",
    "loop",
    "private",
    "return",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "until",
    "while",
    "with",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<(Kind, &str)> {
        let all = pieces(text).into_iter().filter(|piece| piece.kind != Kind::Space);
        all.map(|piece| (piece.kind, &text[piece.range])).collect()
    }

    #[test]
    fn templates_are_cut_at_their_holes() {
        let text = "`a ${f(#{x: 1}, `in${y}`)} b` + 1.5e-3..2";
        let expected = [
            (Kind::Quoted, "`a "),
            (Kind::Sign, "${"),
            (Kind::Word, "f"),
            (Kind::Sign, "("),
            (Kind::Sign, "#"),
            (Kind::Sign, "{"),
            (Kind::Word, "x"),
            (Kind::Sign, ":"),
            (Kind::Number, "1"),
            (Kind::Sign, "}"),
            (Kind::Sign, ","),
            (Kind::Quoted, "`in"),
            (Kind::Sign, "${"),
            (Kind::Word, "y"),
            (Kind::Sign, "}"),
            (Kind::Quoted, "`"),
            (Kind::Sign, ")"),
            (Kind::Sign, "}"),
            (Kind::Quoted, " b`"),
            (Kind::Sign, "+"),
            (Kind::Number, "1.5e-3"),
            (Kind::Sign, ".."),
            (Kind::Number, "2"),
        ];
        assert_eq!(cut(text), expected);
    }

    #[test]
    fn what_is_open_ends_with_its_line_or_the_text() {
        assert_eq!(cut("\"a\nb"), [(Kind::Quoted, "\"a"), (Kind::Word, "b")]);
        assert_eq!(cut("\"a\\\nb\""), [(Kind::Quoted, "\"a\\\nb\"")]);
        assert_eq!(cut("/* /* */ x"), [(Kind::Comment, "/* /* */ x")]);
        assert_eq!(cut("/* /* */ */x"), [(Kind::Comment, "/* /* */ */"), (Kind::Word, "x")]);
        assert_eq!(cut("#\"a\"b\"#c"), [(Kind::Quoted, "#\"a\"b\"#"), (Kind::Word, "c")]);
        assert_eq!(cut("`a"), [(Kind::Quoted, "`a")]);
        assert_eq!(cut("`a${"), [(Kind::Quoted, "`a"), (Kind::Sign, "${")]);
    }
}
