//! The panels of graphs, problems and what is found, with their rows.

use hasse_editor::panels::find_panel::FindPanel;
use hasse_editor::panels::outline_panel::OutlinePanel;
use hasse_editor::panels::problems_panel::{ProblemRow, ProblemsPanel};
use hasse_ui::{EditorWindow, Find, LineOfList, PageBlock, Problems, Tree};
use slint::ComponentHandle;

use crate::models::Rows;

/// The panels with their lists.
pub(crate) struct Lists {
    pub(super) tree: OutlinePanel,
    pub(super) tree_rows: Rows<LineOfList>,
    pub(super) problems: ProblemsPanel,
    pub(super) problem_rows: Rows<LineOfList>,
    pub(super) explained: Rows<PageBlock>,
    pub(super) find: FindPanel,
    pub(super) find_rows: Rows<LineOfList>,
    pub(super) shown: Option<(u64, u64, u64)>,
}

impl Lists {
    pub(crate) fn new(window: &EditorWindow) -> Self {
        let (tree_rows, problem_rows, find_rows) = (Rows::new(), Rows::new(), Rows::new());
        window.global::<Tree>().set_lines(tree_rows.model());
        let explained = Rows::new();
        window.global::<Problems>().set_lines(problem_rows.model());
        window.global::<Problems>().set_explained(explained.model());
        window.global::<Find>().set_lines(find_rows.model());
        Self {
            tree: OutlinePanel::new(),
            tree_rows,
            problems: ProblemsPanel::new(),
            problem_rows,
            explained,
            find: FindPanel::new(),
            find_rows,
            shown: None,
        }
    }
}

impl Lists {
    /// The first error of the program.
    pub(crate) fn first_error(&self) -> Option<&ProblemRow> {
        self.problems.first_error()
    }

    /// Changes with the list of problems.
    pub(crate) fn problems_version(&self) -> u64 {
        self.problems.version()
    }
}
