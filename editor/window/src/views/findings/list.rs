//! What the panel of findings keeps.

use std::path::PathBuf;

use hasse_ui::LineOfList;
use slint::ModelRc;

use crate::models::Rows;

/// What the panel of findings keeps.
pub(in super::super) struct Asking {
    pub(super) lines: Rows<LineOfList>,
    /// For each line: the finding, and the line of its evidence.
    pub(super) places: Vec<(usize, Option<usize>)>,
    /// The line of evidence that is selected.
    pub(super) evidence: Option<usize>,
    pub(super) status: String,
    pub(super) is_wrong: bool,
    /// The model that is selected with its text as it was taken, and what a person has made of it.
    pub(super) model: Option<(usize, String)>,
    pub(super) typed: String,
    pub(super) version: i32,
    /// The program whose models are in the list.
    pub(super) program: Option<PathBuf>,
    /// The file that may be written over, as was asked.
    pub(super) writes_over: Option<PathBuf>,
}

impl Asking {
    pub(in super::super) fn new() -> Self {
        Self {
            lines: Rows::new(),
            places: Vec::new(),
            evidence: None,
            status: String::new(),
            is_wrong: false,
            model: None,
            typed: String::new(),
            version: 0,
            program: None,
            writes_over: None,
        }
    }

    pub(in super::super) fn lines(&self) -> ModelRc<LineOfList> {
        self.lines.model()
    }

    /// Forgets what was found, as another program is open.
    pub(in super::super) fn leave_program(&mut self) {
        self.evidence = None;
        self.say("", false);
    }

    pub(super) fn say(&mut self, text: impl Into<String>, is_wrong: bool) {
        self.status = text.into();
        self.is_wrong = is_wrong;
        self.writes_over = None;
    }
}
