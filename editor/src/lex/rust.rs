//! Words and signs of texts in Rust, cut as those in Rhai are: any text can be, and the pieces make up all of it.
//!
//! A string ends behind its closing quote, on whichever line that is; one that is not closed ends with its line.
//! Lifetimes and labels count as signs, as they name no value.

use hasse_model::name::{begins_name, is_of_name};

use super::{Kind, LONG_SIGNS, Piece, block_comment_len, number_len, quoted_len, raw_len};

/// Beginnings of strings and characters that are more than a quote.
const PREFIXES: [&str; 5] = ["br", "cr", "b", "c", "r"];

/// Cuts a text into pieces. Cost: linear.
pub(crate) fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut depth: usize = 0;
    let mut start = 0;
    while let Some(first) = text[start..].chars().next() {
        let (kind, n_bytes) = scan(&text[start..], first);
        let range = start..start + n_bytes;
        let sign = if kind == Kind::Sign { &text[range.clone()] } else { "" };
        if matches!(sign, ")" | "]" | "}") {
            depth = depth.saturating_sub(1);
        }
        pieces.push(Piece { kind, range, depth });
        if matches!(sign, "(" | "[" | "{") {
            depth += 1;
        }
        start += n_bytes;
    }
    pieces
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
    if let Some(n_bytes) = prefixed_len(rest) {
        return (Kind::Quoted, n_bytes);
    }
    match first {
        '"' => (Kind::Quoted, string_len(rest)),
        '\'' => quote(rest),
        _ if begins_name(first) => (Kind::Word, word_len(rest)),
        _ if first.is_ascii_digit() => (Kind::Number, number_len(rest)),
        _ => {
            // `<-` and `--` are two signs each in Rust.
            let long =
                LONG_SIGNS.iter().find(|sign| !matches!(**sign, "<-" | "--") && rest.starts_with(**sign));
            (Kind::Sign, long.map_or(first.len_utf8(), |sign| sign.len()))
        }
    }
}

/// Size of a word, with the `r#` before it.
fn word_len(rest: &str) -> usize {
    let is_raw = rest.strip_prefix("r#").is_some_and(|word| word.starts_with(is_of_name));
    let begin = if is_raw { 2 } else { 0 };
    rest[begin..].find(|letter: char| !is_of_name(letter)).map_or(rest.len(), |len| begin + len)
}

/// Size of a string or character with a prefix, such as `b"a"` and `r#"a"#`; `None` where none begins here.
fn prefixed_len(rest: &str) -> Option<usize> {
    let prefix = PREFIXES.into_iter().find(|prefix| rest.starts_with(prefix))?;
    let behind = &rest[prefix.len()..];
    let len = if prefix.ends_with('r') {
        behind.trim_start_matches('#').starts_with('"').then(|| raw_len(behind))
    } else if behind.starts_with('"') {
        Some(string_len(behind))
    } else {
        (prefix == "b" && behind.starts_with('\'')).then(|| quoted_len(behind, '\''))
    };
    len.map(|len| prefix.len() + len)
}

fn string_len(rest: &str) -> usize {
    let mut is_escaped = false;
    for (offset, letter) in rest.char_indices().skip(1) {
        if letter == '"' && !is_escaped {
            return offset + 1;
        }
        is_escaped = letter == '\\' && !is_escaped;
    }
    rest.find('\n').unwrap_or(rest.len())
}

/// A character, or a lifetime.
fn quote(rest: &str) -> (Kind, usize) {
    let mut letters = rest[1..].chars();
    match (letters.next(), letters.next()) {
        (Some('\\'), _) => (Kind::Quoted, quoted_len(rest, '\'')),
        (Some(letter), Some('\'')) if letter != '\'' => (Kind::Quoted, letter.len_utf8() + 2),
        _ => (Kind::Sign, 1 + rest[1..].find(|letter: char| !is_of_name(letter)).unwrap_or(rest.len() - 1)),
    }
}

/// Words that Rust keeps for itself, sorted.
pub(crate) const KEYWORDS: [&str; 38] = [
    "Self", "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum", "extern",
    "false", "fn", "for", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "type", "unsafe", "use", "where",
    "while",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<(Kind, &str)> {
        let all = pieces(text).into_iter().filter(|piece| piece.kind != Kind::Space);
        all.map(|piece| (piece.kind, &text[piece.range])).collect()
    }

    #[test]
    fn strings_characters_and_lifetimes_are_told_apart() {
        let text = "r#\"a\"b\"# b'x' '\\'' 'é' 'a: &'b str br\"\\\" \"two\nlines\" r#type rest c\"z\" b";
        let expected = [
            (Kind::Quoted, "r#\"a\"b\"#"),
            (Kind::Quoted, "b'x'"),
            (Kind::Quoted, "'\\''"),
            (Kind::Quoted, "'é'"),
            (Kind::Sign, "'a"),
            (Kind::Sign, ":"),
            (Kind::Sign, "&"),
            (Kind::Sign, "'b"),
            (Kind::Word, "str"),
            (Kind::Quoted, "br\"\\\""),
            (Kind::Quoted, "\"two\nlines\""),
            (Kind::Word, "r#type"),
            (Kind::Word, "rest"),
            (Kind::Quoted, "c\"z\""),
            (Kind::Word, "b"),
        ];
        assert_eq!(cut(text), expected);
    }

    #[test]
    fn what_is_open_ends_with_its_line_or_the_text() {
        assert_eq!(cut("\"a\nb"), [(Kind::Quoted, "\"a"), (Kind::Word, "b")]);
        assert_eq!(cut("r#\"a\nb"), [(Kind::Quoted, "r#\"a\nb")]);
        assert_eq!(cut("'\\\nb"), [(Kind::Quoted, "'\\"), (Kind::Word, "b")]);
        assert_eq!(cut("''"), [(Kind::Sign, "'"), (Kind::Sign, "'")]);
        let numbers = [(Kind::Number, "1_0i64"), (Kind::Sign, ".."), (Kind::Number, "2.5e-3f64")];
        assert_eq!(cut("1_0i64..2.5e-3f64"), numbers);
    }
}
