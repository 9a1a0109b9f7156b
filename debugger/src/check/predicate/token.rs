//! Words and signs of a predicate, as far as one must be told from another to find where its conditions end.

use hasse_model::name::{begins_name, is_of_name};

/// A word, a sign or a literal and where it stands: positions of characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) text: String,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    Number,
    /// A text or character with its quotes, or what of it there is.
    Quoted,
    Sign,
    /// Behind the last character.
    End,
}

impl Token {
    pub(super) fn is(&self, text: &str) -> bool {
        self.text == text && matches!(self.kind, Kind::Word | Kind::Sign)
    }
}

const SIGNS: [&str; 11] = ["->", "=>", "||", "&&", "==", "!=", "<=", ">=", "..", "??", "?."];

/// The token at or behind a position.
pub(super) fn token_at(chars: &[char], at: usize) -> Token {
    let n_spaces = chars[at..].iter().take_while(|next| next.is_whitespace()).count();
    let start = at + n_spaces;
    let rest = &chars[start..];
    let run = |is_wanted: fn(char) -> bool| rest.iter().take_while(|&&next| is_wanted(next)).count();
    let (kind, length) = match rest.first() {
        None => (Kind::End, 0),
        Some('"' | '\'' | '`') => (Kind::Quoted, quoted_length(rest)),
        Some(first) if first.is_ascii_digit() => (Kind::Number, number_length(rest)),
        Some(first) if begins_name(*first) => (Kind::Word, run(is_of_name)),
        Some(_) => {
            let is_next = |sign: &&str| sign.chars().eq(rest.iter().take(2).copied());
            (Kind::Sign, if SIGNS.iter().any(is_next) { 2 } else { 1 })
        }
    };
    Token { kind, text: rest[..length].iter().collect(), start, end: start + length }
}

fn quoted_length(rest: &[char]) -> usize {
    let quote = rest[0];
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            '\\' if quote != '`' => at += 2,
            next if next == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// Digits with a fraction and an exponent; the dots of a range are not a fraction.
fn number_length(rest: &[char]) -> usize {
    let digits = |from: usize| {
        let is_digit = |next: &&char| is_of_name(**next);
        rest.get(from..).map_or(0, |rest| rest.iter().take_while(is_digit).count())
    };
    let whole = digits(0);
    let has_fraction = rest.get(whole) == Some(&'.') && rest.get(whole + 1).is_some_and(char::is_ascii_digit);
    if has_fraction { whole + 1 + digits(whole + 1) } else { whole }
}
