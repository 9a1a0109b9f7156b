//! Words and signs of other languages, and the way to write them in Rhai.

use crate::grammar::token::{Kind, tokens};

const WORDS: [(&str, &str); 26] = [
    ("and", "write `&&` for `and`"),
    ("or", "write `||` for `or`"),
    ("not", "write `!` for `not`"),
    ("xor", "write `!=` between truth values, or `^` between integers, for `xor`"),
    ("elif", "write `else if` for `elif`"),
    ("elsif", "write `else if` for `elsif`"),
    ("elseif", "write `else if` for `elseif`"),
    ("null", "write `()` for `null`"),
    ("None", "write `()` for `None`"),
    ("nil", "write `()` for `nil`"),
    ("undefined", "write `()` for `undefined`"),
    ("True", "write `true`"),
    ("False", "write `false`"),
    ("mut", "leave out `mut`: what `let` binds can be changed"),
    ("var", "write `let` for `var`"),
    ("def", "write `fn` for `def`"),
    ("func", "write `fn` for `func`"),
    ("function", "write `fn` for `function`"),
    ("lambda", "write `|x| x + 1` for a function without a name"),
    ("then", "write the branches in braces: `if a { b } else { c }`"),
    ("end", "blocks end with `}`"),
    ("begin", "blocks begin with `{`"),
    ("pass", "an empty block is `{}`"),
    ("foreach", "write `for x in list { .. }`"),
    ("case", "write `switch x { 1 => a, 2 => b, _ => c }`"),
    ("match", "write `switch x { 1 => a, 2 => b, _ => c }`"),
];

/// Words about times, where a rule cannot have them.
const WORDS_OF_TIMES: [(&str, &str); 5] = [
    ("after", "the time stands before the guard: `x <- v after 20ms if n > 0`"),
    ("delay", "a value that is sent later is written `x <- v after 20ms`"),
    ("later", "a value that is sent later is written `x <- v after 20ms`"),
    ("within", "a rule for values that have waited is written `x -> x after 20ms`"),
    ("timeout", "a rule for values that have waited is written `x -> x after 20ms`"),
];

const SIGNS: [(&str, &str); 9] = [
    ("++", "write `+= 1` for `++`"),
    ("--", "write `-= 1` for `--`"),
    ("===", "write `==` for `===`"),
    ("!==", "write `!=` for `!==`"),
    ("<>", "write `!=` for `<>`"),
    (":=", "write `=` for `:=`"),
    ("~", "write `-x - 1` for `~x`"),
    ("#", "comments begin with `//`"),
    ("?", "write `if a { b } else { c }` for `a ? b : c`: an `if` has a value"),
];

/// The way to write here a word of another language.
pub(crate) fn word_hint(word: &str) -> Option<&'static str> {
    WORDS.iter().find(|(foreign, _)| *foreign == word).map(|(_, hint)| *hint)
}

/// The way to write what is at a place of a text that Rhai cannot read, or right before it, where that is a word or sign
/// of another language.
pub(super) fn hint(text: &str, at: usize) -> Option<&'static str> {
    let all = tokens(text);
    let next = all.partition_point(|token| token.range.end <= at);
    // Rhai may stop at the sign after the one that it does not know.
    for token_idx in [Some(next), next.checked_sub(1)].into_iter().flatten() {
        let Some(token) = all.get(token_idx) else { continue };
        let rest = &text[token.range.start..];
        let word = &text[token.range.clone()];
        let before = token_idx.checked_sub(1).map(|before| &all[before]);
        let follows_word =
            before.is_some_and(|before| before.kind == Kind::Word && before.range.end == token.range.start);
        match token.kind {
            Kind::Other if rest.starts_with(['"', '\'']) && follows_word => {
                return Some("write a text with values in it in backquotes: `` `sum ${x}` ``");
            }
            Kind::Other if rest.starts_with('\'') => return Some("strings are in double quotes: \"text\""),
            Kind::Word if word_hint(word).is_some() => return word_hint(word),
            Kind::Word if let Some((_, hint)) = WORDS_OF_TIMES.iter().find(|(known, _)| *known == word) => {
                return Some(hint);
            }
            Kind::Sign => {
                let joined = |sign: &&(&str, &str)| {
                    rest.starts_with(sign.0) || token_idx > 0 && is_second_of(sign.0, text, token.range.start)
                };
                if let Some((_, hint)) = SIGNS.iter().find(joined) {
                    return Some(hint);
                }
            }
            _ => {}
        }
    }
    None
}

/// Whether a sign of two characters has its second one here.
fn is_second_of(sign: &str, text: &str, at: usize) -> bool {
    sign.len() == 2 && at > 0 && text.get(at - 1..).is_some_and(|rest| rest.starts_with(sign))
}
