//! The pane with runs and results, and the banner.

use hasse_editor::run::PastRun;
use hasse_editor::views::record::{LoadError, Parting};
use hasse_editor::views::task::Task;
use hasse_ui::{EditorWindow, LineOfList, Results as UiResults};
use slint::ComponentHandle;

use crate::models::Rows;
use crate::viewer::Viewer;

/// The pane with runs and results, and the banner.
pub(crate) struct Results {
    pub(super) runs: Rows<LineOfList>,
    pub(super) lines: Rows<LineOfList>,
    /// The run that was chosen, by number; without, the last one that is over.
    pub(super) chosen: Option<u64>,
    /// The run that is clicked next is compared with the chosen one.
    pub(super) is_asking: bool,
    /// The run beside the chosen one.
    pub(super) other: Option<u64>,
    /// Search for the event in which the two part; `None` when it is over.
    pub(super) parting: Option<Looking>,
    /// Result of that search as a text.
    pub(super) parted: String,
    /// The event in which they part.
    pub(super) parted_at: Option<String>,
    /// The name of the result that is looked at.
    pub(super) name: String,
    /// Shows that value.
    pub(crate) viewer: Viewer,
    /// Numbers of the runs in the rows of the list.
    pub(super) numbers: Vec<u64>,
    /// Names of the results in the rows of the list.
    pub(super) names: Vec<String>,
    /// The run whose banner was closed.
    pub(super) closed: Option<u64>,
    /// Number of the last run.
    pub(super) last: Option<u64>,
    pub(super) shown: Option<(u64, bool, bool)>,
    /// Changes with what is chosen here.
    pub(super) version: u64,
}

impl Results {
    pub(crate) fn new(window: &EditorWindow) -> Self {
        let results = Self {
            runs: Rows::new(),
            lines: Rows::new(),
            chosen: None,
            is_asking: false,
            other: None,
            parting: None,
            parted: String::new(),
            parted_at: None,
            name: String::new(),
            viewer: Viewer::new(),
            numbers: Vec::new(),
            names: Vec::new(),
            closed: None,
            last: None,
            shown: None,
            version: 0,
        };
        let ui = window.global::<UiResults>();
        ui.set_runs(results.runs.model());
        ui.set_results(results.lines.model());
        results
    }

    pub(super) fn change(&mut self, change: impl FnOnce(&mut Self)) {
        let before = (self.chosen, self.other);
        change(self);
        if (self.chosen, self.other) != before {
            self.parting = None;
            self.parted.clear();
            self.parted_at = None;
        }
        self.version += 1;
    }

    /// Looks at the last run again.
    pub(crate) fn look_at_last(&mut self) {
        self.change(|results| (results.chosen, results.other) = (None, None));
    }

    /// Forgets which runs were looked at, as another program is open.
    pub(crate) fn leave_program(&mut self) {
        self.change(|results| {
            results.chosen = None;
            results.is_asking = false;
            results.other = None;
            results.name.clear();
            results.closed = None;
        });
        self.shown = None;
    }

    /// Returns whether a search is under way.
    pub(crate) fn is_busy(&self) -> bool {
        self.parting.is_some()
    }
}

/// A search for the event in which two records part.
type Looking = Task<Result<Option<Parting>, LoadError>>;

impl Results {
    /// Shows the value that is looked at, of a run.
    pub(super) fn show_value(&mut self, ui: &UiResults<'_>, run: &PastRun, is_dark: bool) {
        let found = run.results().iter().find(|(name, _)| *name == self.name);
        match found {
            Some((name, value)) => self.viewer.look_at(&format!("{} {name}", run.number), name, value),
            None => self.viewer.clear(),
        }
        ui.set_value(self.viewer.shown(is_dark));
    }
}
