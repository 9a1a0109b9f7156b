//! Spacing within arcs, share lines and rules: `a.p->b[i+1].q` becomes `a.p -> b[i + 1].q`.
//!
//! Only blanks between tokens change. Texts with comments or line breaks are left as they are.

use crate::grammar::token::{Kind, Token, tokens};

/// What notation a string holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    /// An arc or share line: index numbers are integer expressions.
    Line,
    /// A firing or routing rule: values and guards are Rhai and keep their spacing.
    Rule,
}

impl Notation {
    /// The notation of the strings under a key.
    pub(super) fn of_key(key: &str) -> Self {
        if matches!(key, "arcs" | "share") { Notation::Line } else { Notation::Rule }
    }
}

/// The text with canonical spacing.
pub(super) fn spaced(text: &str, notation: Notation) -> String {
    let all = tokens(text);
    let is_odd =
        |token: &Token| notation == Notation::Line && token.depth > 0 && &text[token.range.clone()] == "--";
    if text.contains('\n') || all.iter().any(is_odd) {
        return text.to_owned();
    }
    let mut spaced = String::new();
    let mut end = 0;
    for (token_idx, token) in all.iter().enumerate() {
        let gap = &text[end..token.range.start];
        if !gap.trim().is_empty() {
            return text.to_owned();
        }
        if token_idx > 0 && needs_space(text, &all, token_idx, !gap.is_empty(), notation) {
            spaced.push(' ');
        }
        spaced.push_str(&text[token.range.clone()]);
        end = token.range.end;
    }
    if text[end..].trim().is_empty() { spaced } else { text.to_owned() }
}

/// Whether a space stands in front of a token that is not the first.
fn needs_space(text: &str, all: &[Token], token_idx: usize, has_space: bool, notation: Notation) -> bool {
    let (before, token) = (&all[token_idx - 1], &all[token_idx]);
    let (before_text, token_text) = (&text[before.range.clone()], &text[token.range.clone()]);
    // At the start of a part of a rule, a word is a port, whatever it is called.
    let is_port = |idx: usize| {
        idx.checked_sub(1)
            .is_none_or(|before| all[before].depth == 0 && &text[all[before].range.clone()] == ",")
    };
    let is_keyword = |idx: usize, word: &str| {
        let token = &all[idx];
        token.kind == Kind::Word
            && token.depth == 0
            && matches!(word, "for" | "in" | "if" | "else")
            && !is_port(idx)
    };
    if matches!(before_text, "->" | "<-" | "--") || matches!(token_text, "->" | "<-" | "--") {
        return true;
    }
    // In arcs, `in` is the interface.
    if notation == Notation::Rule
        && (is_keyword(token_idx - 1, before_text) || is_keyword(token_idx, token_text))
    {
        return true;
    }
    if token.kind == Kind::Sign && matches!(token_text, "," | "]" | ")")
        || before.kind == Kind::Sign && matches!(before_text, "[" | "(")
    {
        return false;
    }
    if before_text == "," {
        return true;
    }
    if token.kind == Kind::Sign && token_text == "[" && before.kind == Kind::Word {
        return false;
    }
    match notation {
        Notation::Rule => {
            let is_range = |token: &Token, sign: &str| token.depth == 0 && matches!(sign, ".." | "..=");
            has_space && !is_range(before, before_text) && !is_range(token, token_text)
        }
        Notation::Line => {
            let is_operator = |sign: &str| matches!(sign, "+" | "-" | "*" | "/" | "%");
            let ends_operand =
                |token: &Token, sign: &str| token.kind != Kind::Sign || matches!(sign, "]" | ")");
            let is_unary = is_operator(before_text)
                && token_idx
                    .checked_sub(2)
                    .is_none_or(|idx| !ends_operand(&all[idx], &text[all[idx].range.clone()]));
            if is_operator(before_text) {
                !is_unary
            } else if is_operator(token_text) {
                ends_operand(before, before_text)
            } else {
                // Two words in a row are no arc; they stay two.
                has_space && token.kind != Kind::Sign && before.kind != Kind::Sign
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arcs_are_spaced() {
        for (text, expected) in [
            ("a.p->b.q", "a.p -> b.q"),
            (" a [ i ] . p [ j ]  ->b[i+1,j-1].q[-1]", "a[i].p[j] -> b[i + 1, j - 1].q[-1]"),
            ("a.p -> b[2*(i+-1)].q", "a.p -> b[2 * (i + -1)].q"),
            ("total--Teller[i].total", "total -- Teller[i].total"),
            ("in .a->out .b", "in.a -> out.b"),
            ("a.p -> /* where? */ b.q", "a.p -> /* where? */ b.q"),
            ("a.p  to b", "a.p to b"),
        ] {
            assert_eq!(spaced(text, Notation::Line), expected);
        }
    }

    #[test]
    fn rules_are_spaced_around_their_values() {
        for (text, expected) in [
            (
                "b->v,seg [j]->parts[j]  for j in 0 .. n  if k==0",
                "b -> v, seg[j] -> parts[j] for j in 0..n if k==0",
            ),
            ("x<-\"a  ->  b\"", "x <- \"a  ->  b\""),
            ("x <- if a{1}else{2}  if b", "x <- if a{1} else {2} if b"),
            ("x <- f( a , [ b ] )", "x <- f(a, [b])"),
            ("in[ 0 ]->x,for [1]->y if z", "in[0] -> x, for[1] -> y if z"),
            ("x <- a // why\n", "x <- a // why\n"),
        ] {
            assert_eq!(spaced(text, Notation::Rule), expected);
        }
    }
}
