//! Lines as they are drawn: pieces of one color with their columns.

use std::ops::Range;

use super::diagnose::Diagnosis;
use crate::highlight::{Token, TokenKind};
use crate::marks::LineMark;

/// How many columns a tab takes.
pub const TAB: usize = 4;

/// A piece of a line of one color.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// What it is.
    pub kind: TokenKind,
    /// The column of its first character, from 0.
    pub column: usize,
    /// How many columns it takes.
    pub n_columns: usize,
    /// What is drawn: its text with spaces for tabs.
    pub text: String,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeLine {
    /// Its number, from 1.
    pub number: usize,
    /// Its pieces, from left to right; they make up the line.
    pub spans: Vec<Span>,
    /// What is wrong in it.
    pub diagnoses: Vec<Diagnosis>,
    /// What the breakpoint there looks like, if there is one.
    pub breakpoint: Option<LineMark>,
    /// Whether it is the one that is executed.
    pub is_current: bool,
    /// Its bytes of the text, without the line feed.
    pub bytes: Range<usize>,
}

/// How many columns a text takes.
pub(super) fn column(text: &str) -> usize {
    text.chars().map(|letter| if letter == '\t' { TAB } else { 1 }).sum()
}

/// The pieces of a line.
pub(crate) fn spans(line: &str, tokens: &[Token]) -> Vec<Span> {
    let mut at = 0;
    let spans = tokens.iter().filter_map(|token| {
        let text = line.get(token.range.clone())?;
        let n_columns = column(text);
        let span =
            Span { kind: token.kind, column: at, n_columns, text: text.replace('\t', &" ".repeat(TAB)) };
        at += n_columns;
        Some(span)
    });
    spans.collect()
}
