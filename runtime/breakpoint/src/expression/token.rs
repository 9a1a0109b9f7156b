//! Words and signs of an expression or of a command with expressions in it, as far as its spelling has to be looked
//! at: strings, characters and numbers are single tokens. There are no comments: `/call/*` is a path.

use std::ops::Range;

use hasse_model::name::{begins_name, is_of_name};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An identifier or keyword.
    Word,
    /// A number.
    Number,
    /// A string or character, with its quotes.
    Quoted,
    /// An operator, bracket or other sign.
    Sign,
}

/// A word or sign.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    /// Place in the text, in characters.
    pub(crate) range: Range<usize>,
    pub(crate) text: String,
}

impl Token {
    /// Whether it is a sign.
    pub(crate) fn is(&self, sign: &str) -> bool {
        self.kind == Kind::Sign && self.text == sign
    }

    /// Whether it is a word, in any case.
    pub(crate) fn is_word(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text.eq_ignore_ascii_case(word)
    }
}

/// Longest first.
const LONG_SIGNS: [&str; 33] = [
    "<<=", ">>=", "**=", "..=", "...", "==", "!=", "<=", ">=", "=>", "+=", "-=", "*=", "/=", "%=", "&=",
    "|=", "^=", "&&", "||", "..", "->", "<-", "??", "?.", "?[", "::", "#{", "<<", ">>", "**", "++", "--",
];

/// Cuts a text into tokens; white space is left out.
///
/// # Errors
/// Place and name of what is not closed.
pub(crate) fn tokens(letters: &[char]) -> Result<Vec<Token>, (usize, &'static str)> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        let letter = letters[at];
        if letter.is_whitespace() {
            at += 1;
            continue;
        }
        let rest = &letters[at..];
        let (kind, n_letters) = match letter {
            _ if begins_name(letter) => (Kind::Word, word_len(rest)),
            _ if letter.is_ascii_digit() => (Kind::Number, number_len(rest)),
            '"' | '\'' | '`' => (Kind::Quoted, quoted_len(rest).ok_or((at, "a text"))?),
            _ => {
                let is_next = |sign: &&&str| sign.chars().eq(rest.iter().copied().take(sign.len()));
                (Kind::Sign, LONG_SIGNS.iter().find(is_next).map_or(1, |sign| sign.len()))
            }
        };
        let range = at..at + n_letters;
        tokens.push(Token { kind, text: letters[range.clone()].iter().collect(), range });
        at += n_letters;
    }
    Ok(tokens)
}

fn word_len(rest: &[char]) -> usize {
    rest.iter().take_while(|&&letter| is_of_name(letter)).count()
}

/// Digits, a fraction, an exponent with its sign.
fn number_len(rest: &[char]) -> usize {
    let digit_at = |at: usize| rest.get(at).is_some_and(char::is_ascii_digit);
    let mut n_letters = word_len(rest);
    if rest.get(n_letters) == Some(&'.') && digit_at(n_letters + 1) {
        n_letters += 1 + word_len(&rest[n_letters + 1..]);
    }
    let is_decimal = !rest.starts_with(&['0', 'x']);
    let ends_in_e = matches!(rest[n_letters - 1], 'e' | 'E');
    if is_decimal && ends_in_e && matches!(rest.get(n_letters), Some('+' | '-')) && digit_at(n_letters + 1) {
        n_letters += 1 + word_len(&rest[n_letters + 1..]);
    }
    n_letters
}

/// Size of a quoted text with its quotes; `None` where it is not closed.
fn quoted_len(rest: &[char]) -> Option<usize> {
    let quote = rest[0];
    let mut is_escaped = false;
    for (at, &letter) in rest.iter().enumerate().skip(1) {
        if letter == quote && !is_escaped {
            return Some(at + 1);
        }
        is_escaped = letter == '\\' && !is_escaped && quote != '`';
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<String> {
        let letters: Vec<char> = text.chars().collect();
        tokens(&letters).expect("closed").into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn ranges_numbers_and_quotes_are_single_tokens() {
        assert_eq!(cut("m[..,1.5e-3..2]"), ["m", "[", "..", ",", "1.5e-3", "..", "2", "]"]);
        assert_eq!(cut("0..n"), ["0", "..", "n"]);
        assert_eq!(cut(r#"x="a \" = "!='='"#), ["x", "=", r#""a \" = ""#, "!=", "'='"]);
        assert_eq!(cut("0xe-1 ä2"), ["0xe", "-", "1", "ä2"]);
    }

    #[test]
    fn what_is_not_closed_is_named() {
        let told = |text: &str| tokens(&text.chars().collect::<Vec<_>>()).expect_err("not closed");
        assert_eq!(told("a + \"b"), (4, "a text"));
        assert_eq!(cut("/call[2]/* at"), ["/", "call", "[", "2", "]", "/", "*", "at"]);
    }
}
