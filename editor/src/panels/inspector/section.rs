//! What the inspector shows: sections of rows of cells.

use hasse_model::diagnostic::Severity;

use crate::fixes::Fix;
use crate::forms::FieldKind;
use crate::panels::code::CodeKind;
use crate::target::Target;

/// Which cell: a text that can be typed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellId {
    /// The section's key.
    pub key: String,
    /// The row in the section, from 0.
    pub row: usize,
    /// The cell in the row, from 0.
    pub cell: usize,
}

impl CellId {
    /// The cell of a section.
    pub fn new(key: &str, row: usize, cell: usize) -> Self {
        Self { key: key.to_owned(), row, cell }
    }
}

/// How a cell is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    /// A line of text.
    Line,
    /// `true` or `false`.
    Flag,
    /// One of the cell's choices.
    Choice,
    /// Several lines of text.
    Lines,
    /// A body, rule or expression, with colors and completion.
    Code(CodeKind),
}

/// A text that can be typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Which one it is.
    pub id: CellId,
    /// What stands before it, where a row has several; may be empty.
    pub label: String,
    /// How it is typed.
    pub kind: CellKind,
    /// What it shows: the program's text, or what was typed and is not in the program yet.
    pub text: String,
    /// What is offered for it; may be empty. Of [`CellKind::Choice`]: all that it can be.
    pub choices: Vec<String>,
    /// Whether what is typed waits for Enter or for the focus to leave, as names do.
    pub is_committed: bool,
    /// Whether the text is not in the program yet.
    pub is_kept: bool,
    /// Why it cannot be.
    pub error: Option<String>,
    /// What it is in the program, for completion and colors.
    pub target: Target,
    /// The program's text of it.
    pub(super) base: String,
}

/// Something wrong with a row, a section or the whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowProblem {
    /// How bad it is.
    pub severity: Severity,
    /// Stable code.
    pub code: &'static str,
    /// One sentence.
    pub message: String,
    /// What to do about it, where that is known.
    pub help: Option<String>,
    /// The edit that does it, where there is one.
    pub fix: Option<Fix>,
    /// Which line of a body, from 1.
    pub line: Option<usize>,
}

/// A row of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its texts.
    pub cells: Vec<Cell>,
    /// What is wrong with it.
    pub problems: Vec<RowProblem>,
    /// Whether it can be taken out.
    pub can_remove: bool,
    /// Whether it can change places with the row above.
    pub can_move_up: bool,
    /// Whether it can change places with the row below.
    pub can_move_down: bool,
    /// Whether it was added and is not in the program yet.
    pub is_draft: bool,
}

/// A field of what is selected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Its key: that of the file, or `name`, `main`, `line`, `source`, `target`, `text`, `title`, `color`.
    pub key: String,
    /// What stands above it.
    pub label: String,
    /// What it is for, in a sentence.
    pub help: String,
    /// Something that it could hold.
    pub example: String,
    /// What it holds.
    pub kind: FieldKind,
    /// Its rows; exactly one of a section that is no list.
    pub rows: Vec<Row>,
    /// What is wrong with it beside what is wrong with its rows.
    pub problems: Vec<RowProblem>,
    /// What the second cell of a new row can be; may be empty.
    pub(super) choices: Vec<String>,
    /// Whether a row can be added.
    pub can_add: bool,
    /// Whether the file has it in another form than can be shown here: it has to be edited as text.
    pub is_foreign: bool,
}

impl Section {
    /// A section of one row with one text.
    pub(super) fn single(key: &str, label: &str, help: &str, example: &str, cell: Cell) -> Self {
        let row = Row::of(vec![cell]);
        Self {
            key: key.to_owned(),
            label: label.to_owned(),
            help: help.to_owned(),
            example: example.to_owned(),
            kind: FieldKind::Line,
            rows: vec![row],
            problems: Vec::new(),
            choices: Vec::new(),
            can_add: false,
            is_foreign: false,
        }
    }

    /// Rows that are in the program.
    pub(super) fn n_held(&self) -> usize {
        self.rows.iter().filter(|row| !row.is_draft).count()
    }

    /// Whether it is a list of rows.
    pub(super) fn is_list(&self) -> bool {
        matches!(self.kind, FieldKind::Entries | FieldKind::Accesses | FieldKind::Arguments | FieldKind::Rows)
    }

    pub(super) fn is_of_entries(&self) -> bool {
        self.is_list() && self.kind != FieldKind::Rows
    }

    pub(super) fn cell(&self, row: usize, cell: usize) -> Option<&Cell> {
        self.rows.get(row)?.cells.get(cell)
    }
}

impl Row {
    pub(super) fn of(cells: Vec<Cell>) -> Self {
        Self {
            cells,
            problems: Vec::new(),
            can_remove: false,
            can_move_up: false,
            can_move_down: false,
            is_draft: false,
        }
    }
}

impl Cell {
    pub(super) fn new(id: CellId, kind: CellKind, text: &str, target: Target) -> Self {
        Self {
            id,
            label: String::new(),
            kind,
            text: text.to_owned(),
            choices: Vec::new(),
            is_committed: false,
            is_kept: false,
            error: None,
            target,
            base: text.to_owned(),
        }
    }

    pub(super) fn committed(mut self) -> Self {
        self.is_committed = true;
        self
    }

    pub(super) fn labeled(mut self, label: &str) -> Self {
        self.label = label.to_owned();
        self
    }

    pub(super) fn offering(mut self, choices: impl IntoIterator<Item = String>) -> Self {
        self.choices = choices.into_iter().collect();
        self
    }
}
