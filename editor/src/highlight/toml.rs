//! Colors of a program file: tables, keys, strings, numbers and comments.

use hasse_model::name::is_of_name;

use super::token::{Token, TokenKind};

/// The construct in which a line begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Within {
    #[default]
    Nothing,
    /// A string of several lines, by the character of its quotes.
    String(char),
}

/// The tokens of a program file, line by line, without the line feeds. Cost: linear in the text.
pub fn toml(text: &str) -> Vec<Vec<Token>> {
    let mut within = Within::Nothing;
    text.split('\n').map(|line| tokens(line, &mut within)).collect()
}

fn tokens(line: &str, within: &mut Within) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut push = |kind: TokenKind, start: usize, end: usize| {
        if start < end {
            tokens.push(Token { kind, range: start..end });
        }
    };
    let mut at = 0;
    if let Within::String(quote) = *within {
        let fence = quote.to_string().repeat(3);
        at = line.find(&fence).map_or(line.len(), |end| end + 3);
        push(TokenKind::String, 0, at);
        if at == line.len() && !line.ends_with(&fence) {
            return tokens;
        }
        *within = Within::Nothing;
    } else if line.trim_start().starts_with('[') && line.trim_end().ends_with(']') && !line.contains('"') {
        push(TokenKind::Keyword, 0, line.len());
        return tokens;
    }
    while let Some(letter) = line[at..].chars().next() {
        let rest = &line[at..];
        let (kind, len) = match letter {
            '#' => (TokenKind::Comment, rest.len()),
            '"' | '\'' => {
                let fence = letter.to_string().repeat(3);
                if rest.starts_with(&fence) {
                    match rest[3..].find(&fence) {
                        Some(end) => (TokenKind::String, end + 6),
                        None => {
                            *within = Within::String(letter);
                            (TokenKind::String, rest.len())
                        }
                    }
                } else {
                    let len = quoted_len(rest, letter);
                    let is_key = rest[len..].trim_start().starts_with('=');
                    (if is_key { TokenKind::Field } else { TokenKind::String }, len)
                }
            }
            _ if letter.is_ascii_digit() => (TokenKind::Number, word_len(rest)),
            _ if is_word(letter) => {
                let len = word_len(rest);
                let kind = match &rest[..len] {
                    "true" | "false" => TokenKind::Number,
                    _ => TokenKind::Field,
                };
                (kind, len)
            }
            _ => (
                TokenKind::Plain,
                rest.find(|other| !is_plain(other)).unwrap_or(rest.len()).max(letter.len_utf8()),
            ),
        };
        push(kind, at, at + len);
        at += len;
    }
    tokens
}

fn is_word(letter: char) -> bool {
    is_of_name(letter) || letter == '-'
}

fn is_plain(letter: char) -> bool {
    !is_word(letter) && !matches!(letter, '#' | '"' | '\'')
}

fn word_len(text: &str) -> usize {
    text.find(|letter| !is_word(letter)).unwrap_or(text.len())
}

/// Length of a string in quotes, to the end of the text where it is not closed.
fn quoted_len(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        if letter == quote && !is_escaped {
            return at + 1;
        }
        is_escaped = letter == '\\' && quote == '"' && !is_escaped;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_make_up_the_lines() {
        let text = "hasse = 1  # one\n[graph.g.uc.A]\nout = { \"x[i]\" = \"int\" }\ndo = '''\nlet a = \"b\";\n'''\nstart = true\n\u{e9} = 'x";
        let lines = toml(text);
        for (line, tokens) in text.split('\n').zip(&lines) {
            let whole: String = tokens.iter().map(|token| &line[token.range.clone()]).collect();
            assert_eq!(whole, line);
        }
        let kinds = |line: usize| lines[line].iter().map(|token| token.kind).collect::<Vec<_>>();
        assert_eq!(kinds(1), [TokenKind::Keyword]);
        assert_eq!(kinds(4), [TokenKind::String]);
        assert_eq!(kinds(6), [TokenKind::Field, TokenKind::Plain, TokenKind::Number]);
        assert_eq!(kinds(0).last(), Some(&TokenKind::Comment));
        assert!(kinds(2).contains(&TokenKind::Field) && kinds(2).contains(&TokenKind::String));
    }
}
