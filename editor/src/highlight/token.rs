//! Tokens, and cutting them into lines.

use std::ops::Range;

use crate::lex::{Kind, Piece};
use crate::names::NameKind;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TokenKind {
    /// White space, signs.
    Plain,
    /// A keyword.
    Keyword,
    /// A number.
    Number,
    /// A string or character, or the literal part of a template.
    String,
    /// A comment.
    Comment,
    /// A name of the node or graph, or one that the text binds.
    Name(NameKind),
    /// A function that can be called, or that the text defines; in Rust any that is called, and macros.
    Function,
    /// A field behind a dot, or a key of an object.
    Field,
    /// A node or formal port of the graph.
    Node,
    /// A port that is there.
    Port,
    /// A name that nothing has.
    Unknown,
}

/// A piece of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Bytes of its line.
    pub range: Range<usize>,
}

pub(super) fn is_solid(piece: &Piece) -> bool {
    !matches!(piece.kind, Kind::Space | Kind::Comment)
}

/// Cuts pieces at line feeds.
pub(super) fn lines(text: &str, all: &[Piece], kinds: Vec<TokenKind>) -> Vec<Vec<Token>> {
    let mut lines = vec![Vec::new()];
    let mut line_start = 0;
    for (piece, kind) in all.iter().zip(kinds) {
        let mut start = piece.range.start;
        for (newline, _) in text[piece.range.clone()].match_indices('\n') {
            let newline = piece.range.start + newline;
            push(&mut lines, kind, start - line_start..newline - line_start);
            lines.push(Vec::new());
            line_start = newline + 1;
            start = line_start;
        }
        push(&mut lines, kind, start - line_start..piece.range.end - line_start);
    }
    lines
}

/// Adds a token to the last line; to the one before it where that is of the same kind.
pub(super) fn push(lines: &mut [Vec<Token>], kind: TokenKind, range: Range<usize>) {
    let Some(line) = lines.last_mut().filter(|_| !range.is_empty()) else { return };
    match line.last_mut() {
        Some(last) if last.kind == kind => last.range.end = range.end,
        _ => line.push(Token { kind, range }),
    }
}
