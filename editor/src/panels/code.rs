//! A text editor for bodies, rules and one-line expressions, but for the typing itself, which the window's text input
//! does: it hands in the text and the cursor after each keystroke, and shows lines of colored tokens.
//!
//! Coloring looks at the whole text, so it is done once for each text, and only for the lines asked for cut into what is
//! drawn. Offsets are bytes, columns are characters, a tab being four of them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use hasse_model::diagnostic::Severity;
use hasse_model::function::FunctionTable;

use crate::highlight::{self, Notation, Token};
use crate::lex::{Kind, Language, Piece};
use crate::marks::LineMark;
use crate::names::Names;
use crate::problems::Problems;
use crate::target::{Part, Target};

/// Changes that keys make beside typing.
mod change;
/// What is wrong, at lines and columns.
mod diagnose;
/// Commands of the keyboard, and the edits that they make.
mod edit;
/// Lines as they are drawn.
mod line;
/// What can be typed.
mod popup;

pub use diagnose::Diagnosis;
pub use edit::{Command, TextEdit};
pub(crate) use line::spans as spans_of_line;
pub use line::{CodeLine, Span, TAB};
pub use popup::list::{Offered, Popup};

/// What a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CodeKind {
    /// A body of many lines.
    Body,
    /// A body in Rust.
    Rust,
    /// An expression on one line.
    Expression,
    /// A type, perhaps with `=` and an expression.
    Declaration,
    /// A firing rule.
    Firing,
    /// A routing rule.
    Routing,
    /// An arc.
    Arc,
    /// A share line.
    Share,
}

impl CodeKind {
    /// What the text of a target is, in a program whose bodies are in Rhai; of others than texts an expression.
    pub fn of(target: &Target) -> Self {
        use crate::edit::link::LinkList;
        match (&target.part, target.attribute.as_ref().map(|attribute| attribute.key.as_str())) {
            (Part::Link(LinkList::Arcs, _), _) | (Part::Graph, Some("arcs")) => Self::Arc,
            (Part::Link(LinkList::Shares, _), _) | (Part::Graph, Some("share")) => Self::Share,
            (_, Some("do" | "init")) => Self::Body,
            (_, Some("fire")) => Self::Firing,
            (_, Some("route" | "on_error")) => Self::Routing,
            (_, Some("vars" | "params")) => Self::Declaration,
            _ => Self::Expression,
        }
    }

    /// Whether it has many lines.
    pub fn is_many_lines(self) -> bool {
        matches!(self, Self::Body | Self::Rust)
    }

    fn language(self) -> Language {
        if self == Self::Rust { Language::Rust } else { Language::Rhai }
    }

    fn notation(self) -> Option<Notation> {
        match self {
            Self::Firing => Some(Notation::Firing),
            Self::Routing => Some(Notation::Routing),
            Self::Arc => Some(Notation::Arc),
            Self::Share => Some(Notation::Share),
            Self::Body | Self::Rust | Self::Expression | Self::Declaration => None,
        }
    }
}

/// What is known of a text once it was read.
#[derive(Clone, Debug)]
struct Reading {
    /// Tokens of each line, in bytes of the line.
    tokens: Vec<Vec<Token>>,
    pieces: Vec<Piece>,
}

/// A text with a cursor, and all that is shown at it.
#[derive(Clone, Debug)]
pub struct CodeEditor {
    target: Target,
    kind: CodeKind,
    functions: Arc<FunctionTable>,
    text: String,
    /// Bytes at which lines begin, ascending; the first is 0.
    line_starts: Vec<usize>,
    /// Where the selection began; the cursor where there is none.
    anchor: usize,
    cursor: usize,
    program: String,
    names: Option<Names>,
    reading: Option<Reading>,
    n_readings: u64,
    diagnoses: Vec<Diagnosis>,
    breakpoints: BTreeMap<usize, LineMark>,
    current_line: Option<usize>,
    popup: Option<Popup>,
    /// True if the signature of the call around the cursor is shown.
    has_hint: bool,
    version: u64,
}

impl CodeEditor {
    /// An editor of the text of a target; `functions` lists what bodies may call.
    pub fn new(target: Target, kind: CodeKind, text: &str, functions: Arc<FunctionTable>) -> Self {
        let mut editor = Self {
            target,
            kind,
            functions,
            text: String::new(),
            line_starts: vec![0],
            anchor: 0,
            cursor: 0,
            program: String::new(),
            names: None,
            reading: None,
            n_readings: 0,
            diagnoses: Vec::new(),
            breakpoints: BTreeMap::new(),
            current_line: None,
            popup: None,
            has_hint: false,
            version: 0,
        };
        editor.set_text(text, 0, 0);
        editor
    }

    /// What it is the text of.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// What the text is.
    pub fn kind(&self) -> CodeKind {
        self.kind
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The selected bytes; empty at the cursor where nothing is selected.
    pub fn selection(&self) -> Range<usize> {
        self.anchor.min(self.cursor)..self.anchor.max(self.cursor)
    }

    /// The cursor, in bytes.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// Another number whenever what is shown has changed.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// How often the text was read for its colors: at most once for each text and program.
    pub fn n_readings(&self) -> u64 {
        self.n_readings
    }

    /// Takes in the program that the text stands in, whose names are colored and offered. Cost: a comparison; names are
    /// read when they are needed.
    pub fn set_program(&mut self, program: &str) {
        if self.program != program {
            program.clone_into(&mut self.program);
            // What was read stays until the names turn out to be others.
            let old = self.names.take();
            if let Some(old) = old
                && old == *self.names()
            {
                return;
            }
            self.reading = None;
            self.version += 1;
        }
    }

    fn names(&mut self) -> &Names {
        let (program, target, functions) = (&self.program, &self.target, &self.functions);
        self.names.get_or_insert_with(|| Names::of(program, &target.graph, target.node(), functions))
    }

    /// Takes in the text and the selection after a keystroke; offsets within a character go to its beginning. Tells
    /// whether the text has changed. What was offered is closed: call [`typed`](Self::typed) where a letter was typed.
    pub fn set_text(&mut self, text: &str, anchor: usize, cursor: usize) -> bool {
        let is_changed = self.text != text;
        if is_changed {
            text.clone_into(&mut self.text);
            let behind = text.match_indices('\n').map(|(newline, _)| newline + 1);
            self.line_starts = std::iter::once(0).chain(behind).collect();
            self.reading = None;
        }
        let (anchor, cursor) = (self.floor(anchor), self.floor(cursor));
        if is_changed || (anchor, cursor) != (self.anchor, self.cursor) {
            (self.anchor, self.cursor) = (anchor, cursor);
            self.popup = None;
            self.version += 1;
        }
        is_changed
    }

    fn floor(&self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        (0..=offset).rev().find(|&at| self.text.is_char_boundary(at)).unwrap_or(0)
    }

    /// Makes a change that this gave.
    pub fn apply(&mut self, edit: &TextEdit) -> bool {
        let range = self.floor(edit.range.start)..self.floor(edit.range.end.max(edit.range.start));
        let mut text = self.text.clone();
        text.replace_range(range, &edit.replacement);
        self.set_text(&text, edit.anchor, edit.cursor)
    }

    /// How many lines there are; at least 1.
    pub fn n_lines(&self) -> usize {
        self.line_starts.len()
    }

    /// The line that an offset is in, from 0.
    fn line_of(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|&start| start <= offset).saturating_sub(1)
    }

    /// The bytes of a line without its line feed.
    fn line_range(&self, line_idx: usize) -> Range<usize> {
        let Some(&start) = self.line_starts.get(line_idx) else { return self.text.len()..self.text.len() };
        let end = self.line_starts.get(line_idx + 1).map_or(self.text.len(), |next| next - 1);
        start..end
    }

    /// Line and column of the cursor, both from 1; columns are characters.
    pub fn position(&self) -> (usize, usize) {
        let line = self.line_of(self.cursor);
        (line + 1, line::column(&self.text[self.line_range(line).start..self.cursor]) + 1)
    }

    /// The byte at a line and column, both from 1: where a click goes, or a jump to a line.
    pub fn offset_at(&self, line: usize, column: usize) -> usize {
        let range = self.line_range(line.saturating_sub(1).min(self.n_lines() - 1));
        let text = &self.text[range.clone()];
        let fits = |(at, _): &(usize, char)| line::column(&text[..*at]) < column.saturating_sub(1);
        let n_bytes =
            text.char_indices().take_while(fits).last().map_or(0, |(at, letter)| at + letter.len_utf8());
        range.start + n_bytes
    }

    fn read(&mut self) -> &Reading {
        if self.reading.is_none() {
            self.names();
            self.n_readings += 1;
            let (text, functions) = (&self.text, &*self.functions);
            let names = self.names.clone().unwrap_or_default();
            let tokens = match self.kind.notation() {
                Some(notation) => highlight::line(text, notation, &names, functions),
                None if self.kind == CodeKind::Rust => highlight::rust(text, &names),
                None => highlight::body(text, &names, functions),
            };
            self.reading = Some(Reading { tokens, pieces: self.kind.language().pieces(text) });
        }
        self.reading.get_or_insert_with(|| Reading { tokens: Vec::new(), pieces: Vec::new() })
    }

    /// Lines to be drawn, by their position from 0; fewer where there are not so many. Cost: that of the lines, and the
    /// first time for a text that of reading all of it.
    pub fn lines(&mut self, range: Range<usize>) -> Vec<CodeLine> {
        let range = range.start.min(self.n_lines())..range.end.min(self.n_lines());
        self.read();
        range.map(|idx| self.line(idx)).collect()
    }

    fn line(&self, idx: usize) -> CodeLine {
        let bytes = self.line_range(idx);
        let number = idx + 1;
        let tokens = self.reading.as_ref().and_then(|reading| reading.tokens.get(idx));
        let spans = line::spans(&self.text[bytes.clone()], tokens.map(Vec::as_slice).unwrap_or_default());
        let diagnoses = self.diagnoses.iter().filter(|diagnosis| diagnosis.line == number).cloned();
        CodeLine {
            number,
            spans,
            diagnoses: diagnoses.collect(),
            breakpoint: self.breakpoints.get(&number).copied(),
            is_current: self.current_line == Some(number),
            bytes,
        }
    }

    /// Takes in what is wrong with the program; shows what is about this text. Tells whether that has changed.
    pub fn set_problems(&mut self, problems: &Problems) -> bool {
        let found = diagnose::of_target(problems, &self.target, &self.text);
        let is_changed = found != self.diagnoses;
        self.diagnoses = found;
        self.version += u64::from(is_changed);
        is_changed
    }

    /// What is wrong, by line.
    pub fn diagnoses(&self) -> &[Diagnosis] {
        &self.diagnoses
    }

    /// The line of the next thing that is wrong behind the cursor's line, or before it; around the ends.
    pub fn next_diagnosis(&self, is_forward: bool) -> Option<usize> {
        let own = self.line_of(self.cursor) + 1;
        let lines = || self.diagnoses.iter().map(|diagnosis| diagnosis.line);
        if is_forward {
            lines().filter(|line| *line > own).min().or_else(|| lines().min())
        } else {
            lines().filter(|line| *line < own).max().or_else(|| lines().max())
        }
    }

    /// The worst that is wrong; `None` where nothing is.
    pub fn worst(&self) -> Option<Severity> {
        let is_error = |diagnosis: &Diagnosis| diagnosis.severity == Severity::Error;
        if self.diagnoses.iter().any(is_error) {
            return Some(Severity::Error);
        }
        self.diagnoses.first().map(|diagnosis| diagnosis.severity)
    }

    /// Takes in where breakpoints are, and which line is executed: lines of the text, from 1.
    pub fn set_marks(&mut self, breakpoints: BTreeMap<usize, LineMark>, current_line: Option<usize>) {
        if (&breakpoints, current_line) != (&self.breakpoints, self.current_line) {
            (self.breakpoints, self.current_line) = (breakpoints, current_line);
            self.version += 1;
        }
    }

    /// The bracket at the cursor and the one that belongs to it, as bytes; `None` where there is none, or it has none.
    /// The bracket before the cursor comes first.
    pub fn brackets(&mut self) -> Option<[usize; 2]> {
        self.read();
        let (cursor, text) = (self.cursor, &self.text);
        let pieces = &self.reading.as_ref()?.pieces;
        let sign = |piece: &Piece| if piece.kind == Kind::Sign { &text[piece.range.clone()] } else { "" };
        let is_open = |piece: &Piece| matches!(sign(piece), "(" | "[" | "{" | "${");
        let is_close = |piece: &Piece| matches!(sign(piece), ")" | "]" | "}");
        let first = pieces.partition_point(|piece| piece.range.end < cursor);
        let at = |is_before: bool| {
            let near =
                pieces.iter().enumerate().skip(first).take_while(|(_, piece)| piece.range.start <= cursor);
            near.filter(|(_, piece)| is_open(piece) || is_close(piece))
                .find(
                    |(_, piece)| {
                        if is_before { piece.range.end == cursor } else { piece.range.start == cursor }
                    },
                )
                .map(|(idx, _)| idx)
        };
        let own = at(true).or_else(|| at(false))?;
        let piece = &pieces[own];
        // Within a pair all brackets are deeper: the first at this depth is the other one, or there is none.
        let is_at_depth = |other: &&Piece| other.depth == piece.depth && (is_open(other) || is_close(other));
        let other = if is_open(piece) {
            pieces[own + 1..].iter().find(is_at_depth).filter(|other| is_close(other))?
        } else {
            pieces[..own].iter().rev().find(is_at_depth).filter(|other| is_open(other))?
        };
        let pairs = [("(", ")"), ("[", "]"), ("{", "}"), ("${", "}")];
        let (open, close) = if is_open(piece) { (piece, other) } else { (other, piece) };
        pairs.contains(&(sign(open), sign(close))).then_some([piece.range.start, other.range.start])
    }
}
