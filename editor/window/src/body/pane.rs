//! The text editor of a body and its rows.

use hasse_editor::panels::code::CodeEditor;
use hasse_editor::panels::inspector::CellId;
use hasse_editor::target::Target;
use hasse_ui::{Code as UiCode, CodeLine, CodeProblem, CompletionItem, EditorWindow};
use slint::ComponentHandle;

use crate::models::Rows;

/// The text editor and what the window shows of it.
pub(crate) struct Body {
    pub(crate) code: Option<CodeEditor>,
    pub(super) cell: Option<CellId>,
    pub(super) lines: Rows<CodeLine>,
    pub(super) completions: Rows<CompletionItem>,
    pub(super) problems: Rows<CodeProblem>,
    /// The first line that is seen, and how many are.
    pub(super) part: (usize, usize),
    pub(super) version: i32,
    pub(super) shown: Option<(u64, (usize, usize), bool)>,
    /// A line to be brought into view.
    pub(super) wanted_line: Option<usize>,
    /// The revision and the target of which these are the lines of the file.
    pub(crate) file_lines: Option<((u64, Target), Vec<u32>)>,
}

impl Body {
    pub(crate) fn new(window: &EditorWindow) -> Self {
        let (lines, completions, problems) = (Rows::new(), Rows::new(), Rows::new());
        let ui = window.global::<UiCode>();
        ui.set_lines(lines.model());
        ui.set_completions(completions.model());
        ui.set_problems(problems.model());
        Self {
            code: None,
            cell: None,
            lines,
            completions,
            problems,
            part: (0, 20),
            version: 0,
            shown: None,
            wanted_line: None,
            file_lines: None,
        }
    }

    /// Brings a line into view.
    pub(crate) fn show_line(&mut self, line: usize) {
        self.wanted_line = Some(line);
    }
}
