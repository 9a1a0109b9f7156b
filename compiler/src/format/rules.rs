//! Spacing within arcs, share lines and rules: `a.p->b[i+1].q` becomes `a.p -> b[i + 1].q`.
//!
//! Only blanks and line ends between tokens and comments change. A text of several lines keeps its lines: a line is indented by
//! two blanks for each line before it that opens brackets around it, and blank lines go.

use std::ops::Range;

use crate::grammar::token::{Kind, Token, comments, tokens};

/// Blanks in front of a line for each line that opens brackets around it.
const INDENTATION: usize = 2;

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
    if all.iter().any(is_odd) {
        return text.to_owned();
    }
    let pieces = pieces(text, &all);
    let sign_of = |piece: &Piece| match piece {
        Piece::Token(_, range) => text[range.clone()].chars().next().filter(|_| range.len() == 1),
        Piece::Comment(_) => None,
    };
    let closes = |piece: &Piece| matches!(sign_of(piece), Some(')' | ']' | '}'));
    let mut spaced = String::new();
    let mut n_lines = 1;
    // The line of each open bracket. Brackets that are opened on one line indent once.
    let mut open: Vec<usize> = Vec::new();
    let mut end = 0;
    for (piece_idx, piece) in pieces.iter().enumerate() {
        let range = piece.range();
        let gap = &text[end..range.start];
        end = range.end;
        if piece_idx > 0 && gap.contains('\n') {
            n_lines += 1;
            let n_closed = n_first_closing(text, &pieces[piece_idx..], closes);
            let mut lines = open[..open.len().saturating_sub(n_closed)].to_vec();
            lines.dedup();
            spaced.push('\n');
            spaced.push_str(&" ".repeat(INDENTATION * lines.len()));
        } else if piece_idx > 0 {
            let has_space = match (&pieces[piece_idx - 1], piece) {
                (Piece::Token(..), Piece::Token(token_idx, _)) => {
                    needs_space(text, &all, *token_idx, !gap.is_empty(), notation)
                }
                (Piece::Comment(_), _) | (_, Piece::Comment(_)) => true,
            };
            spaced.push_str(if has_space { " " } else { "" });
        }
        match sign_of(piece) {
            Some('(' | '[' | '{') => open.push(n_lines),
            _ if closes(piece) => drop(open.pop()),
            _ => {}
        }
        spaced.push_str(match piece {
            Piece::Token(..) => &text[range],
            Piece::Comment(_) => shown_comment(&text[range]),
        });
    }
    // The quotes that close a text of several lines are on a line of their own.
    if n_lines > 1 {
        spaced.push('\n');
    }
    // Texts that are neither arcs nor rules may have signs that would join into one, such as two minuses, or a comment that is not closed.
    let is_same = token_texts(&spaced) == token_texts(text) && comment_texts(&spaced) == comment_texts(text);
    if is_same { spaced } else { text.to_owned() }
}

/// Number of closing brackets that a line begins with.
fn n_first_closing(text: &str, pieces: &[Piece], closes: impl Fn(&Piece) -> bool) -> usize {
    let n_closing = pieces.iter().take_while(|piece| closes(piece)).count();
    let is_same_line = |pair: &&[Piece]| !text[pair[0].range().end..pair[1].range().start].contains('\n');
    n_closing.min(1 + pieces.windows(2).take_while(is_same_line).count())
}

/// Tokens of a text, without blanks.
enum Piece {
    /// A token, by its position.
    Token(usize, Range<usize>),
    Comment(Range<usize>),
}

impl Piece {
    fn range(&self) -> Range<usize> {
        match self {
            Piece::Token(_, range) | Piece::Comment(range) => range.clone(),
        }
    }
}

/// The tokens and comments of a text, in its order.
fn pieces(text: &str, all: &[Token]) -> Vec<Piece> {
    let all = all.iter().enumerate().map(|(token_idx, token)| Piece::Token(token_idx, token.range.clone()));
    let mut pieces: Vec<Piece> = all.chain(comments(text).into_iter().map(Piece::Comment)).collect();
    pieces.sort_by_key(|piece| piece.range().start);
    pieces
}

/// The comments of a text, without blanks at the end of a line.
fn comment_texts(text: &str) -> Vec<&str> {
    comments(text).into_iter().map(|range| shown_comment(&text[range])).collect()
}

fn shown_comment(comment: &str) -> &str {
    if comment.starts_with("//") { comment.trim_end() } else { comment }
}

/// The tokens of a text: two texts that have the same ones mean the same.
pub(crate) fn token_texts(text: &str) -> Vec<&str> {
    tokens(text).into_iter().map(|token| &text[token.range]).collect()
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
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn tokens_comments_and_lines_of_any_text_are_kept(
            pieces in prop::collection::vec(
                prop::sample::select(vec![
                    "a", "->", "<-", "--", ",", "[", "]", "(", ")", "{", "}", "for", "in", "if", "..", "1", "1.5", "`b\n  ${c}`",
                    "\"//\"", "#", "+", "=", "|", " ", "  ", "\n", "\n\n", "\t", "// why \n", "/* all\n of */", "/*", "'",
                ]),
                0..30,
            ),
            is_rule: bool,
        ) {
            let text = pieces.concat();
            let notation = if is_rule { Notation::Rule } else { Notation::Line };
            let formatted = spaced(&text, notation);
            prop_assert_eq!(token_texts(&formatted), token_texts(&text), "{:?}", &formatted);
            prop_assert_eq!(comment_texts(&formatted), comment_texts(&text), "{:?}", &formatted);
            prop_assert_eq!(spaced(&formatted, notation), formatted);
        }
    }

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
            ("a.p->b.q/*x*///  why ", "a.p -> b.q /*x*/ //  why"),
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
            ("x <- a // why\n", "x <- a // why"),
            ("\n  a->b  \n", "a -> b"),
        ] {
            assert_eq!(spaced(text, Notation::Rule), expected);
        }
    }

    #[test]
    fn lines_of_a_rule_are_kept() {
        let text = "  a->x ,\t// first, \n\n\n     seg [j]->parts[j]\n for j in 0 .. n   /* all\n   of them */\n\
                    if parts.all( |part| {\npart>0   // positive\n      && x==1\n// more\n})\n   \n";
        let expected = "a -> x, // first,\nseg[j] -> parts[j]\nfor j in 0..n /* all\n   of them */\n\
                        if parts.all(|part| {\n  part>0 // positive\n  && x==1\n  // more\n})\n";
        assert_eq!(spaced(text, Notation::Rule), expected);
        assert_eq!(spaced(expected, Notation::Rule), expected);
        let line = "a [ i ]\n .p->// here\n b[\ni+1\n].q";
        let expected = "a[i]\n.p -> // here\nb[\n  i + 1\n].q\n";
        assert_eq!(spaced(line, Notation::Line), expected);
        assert_eq!(spaced(expected, Notation::Line), expected);
        let quoted = "x <- `a\n   b ${\n c }`\n  + \"//\"\n";
        assert_eq!(spaced(quoted, Notation::Rule), "x <- `a\n   b ${\n c }`\n+ \"//\"\n");
    }
}
