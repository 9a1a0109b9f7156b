//! The panel of runs and its rows.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use hasse_editor::run::{Mode, RunPanel, Source};
use hasse_editor::target::Target;
use hasse_ui::{EditorWindow, LineOfList, OptionItem, Run as UiRun, ValueItem};
use slint::{ComponentHandle, ModelRc, SharedString};

use super::options::fields::Form;
use super::status::announcement::Announced;
use crate::models::{Lazy, Paged, Rows, model};

/// Subject of a field among the shown values.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Changed {
    /// A name of the action under debug.
    Name(String),
    /// A value that waits on one of its ports, by row of the inspector.
    Queued(usize),
}

/// The panel of runs and its lists.
pub(crate) struct Running {
    pub(crate) panel: RunPanel,
    pub(super) form: Form,
    pub(super) options: Rows<OptionItem>,
    pub(super) actions: Rc<Paged<LineOfList>>,
    pub(super) values: Rows<ValueItem>,
    pub(super) breakpoints: Rows<LineOfList>,
    pub(super) console: Rc<Lazy<LineOfList>>,
    pub(super) log: Rc<Lazy<LineOfList>>,
    /// Whose lines the log shows, and those of them that have a text.
    pub(super) source: Option<Source>,
    pub(super) search: String,
    /// For each value that is shown, what its field changes, where it has one.
    pub(super) assigned: Vec<Option<Changed>>,
    /// The last change; its error is shown below it.
    pub(super) edited: Option<Changed>,
    /// The template whose instances are listed, instead of what is stopped.
    pub(super) table: Option<(String, String)>,
    pub(super) current_breakpoint: Option<u64>,
    /// Breakpoints that were typed and are set.
    pub(super) n_typed: u64,
    /// Where the action under debug was stopped in its body last.
    pub(super) place: Option<Target>,
    pub(super) shown: Option<(u64, usize)>,
    /// The program that the panel knows: how many were opened before it, its revision, and its path.
    pub(super) known: Option<(u64, u64, Option<PathBuf>)>,
    /// Last announcement of the run in the status line.
    pub(super) announced: Announced,
    /// Last problem that it has named.
    pub(super) announced_problem: String,
    /// The record that was opened from a file: what is looked at and replayed, until a run has made another one.
    pub(super) record: Option<PathBuf>,
    /// The run at whose first stop panels were put next to each other.
    pub(super) laid_out: Option<u64>,
    /// Whether that opened the second one.
    pub(super) has_opened: bool,
}

impl Running {
    pub(crate) fn new(window: &EditorWindow, panel: RunPanel) -> Self {
        let running = Self {
            panel,
            form: Form::default(),
            options: Rows::new(),
            actions: Rc::new(Paged::new()),
            values: Rows::new(),
            breakpoints: Rows::new(),
            console: Rc::new(Lazy::new()),
            log: Rc::new(Lazy::new()),
            source: None,
            search: String::new(),
            assigned: Vec::new(),
            edited: None,
            table: None,
            current_breakpoint: None,
            n_typed: 0,
            place: None,
            shown: None,
            known: None,
            announced: Announced::default(),
            announced_problem: String::new(),
            record: None,
            laid_out: None,
            has_opened: false,
        };
        let ui = window.global::<UiRun>();
        ui.set_modes(model(Mode::ALL.iter().map(|mode| SharedString::from(told_mode(*mode)))));
        ui.set_options(running.options.model());
        ui.set_actions(ModelRc::from(Rc::clone(&running.actions)));
        ui.set_values(running.values.model());
        ui.set_breakpoints(running.breakpoints.model());
        ui.set_console(ModelRc::from(Rc::clone(&running.console)));
        ui.set_log(ModelRc::from(Rc::clone(&running.log)));
        running
    }

    /// Forgets the runs of the program, as another one is open.
    pub(super) fn leave_program(&mut self) {
        self.panel.leave_program();
        self.log.clear();
        self.edited = None;
        self.table = None;
        self.current_breakpoint = None;
        self.place = None;
        self.shown = None;
        self.known = None;
        self.announced = Announced::default();
        self.announced_problem.clear();
        self.record = None;
        self.laid_out = None;
    }

    /// The record that was opened from a file.
    pub(crate) fn record(&self) -> Option<&Path> {
        self.record.as_deref()
    }

    /// Returns true for a record that is neither the opened one nor that of the last run: a replay would not follow it.
    pub(crate) fn is_other_record(&self, path: &Path) -> bool {
        match self.record() {
            Some(record) => record != path,
            None => self.panel.runs().next_back().and_then(|run| run.record.as_deref()) != Some(path),
        }
    }

    /// Takes a record of a file as what the modes replay and post-mortem are about; without, it is the last run's. The mode
    /// stays.
    pub(crate) fn set_record(&mut self, record: Option<PathBuf>) {
        self.record = record;
        self.known = None;
    }
}

/// What a mode does, in a few words.
fn told_mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Full => "full: all events",
        Mode::Restrict => "restrict: selected ones",
        Mode::Minimal => "minimal: free choices",
        Mode::Perf => "perf: with times",
        Mode::Off => "off: no record",
        Mode::None => "none: no debugger",
        Mode::Replay => "replay the record",
        Mode::PostMortem => "post-mortem: the record",
    }
}

impl Running {
    /// The path of the action in a row of the list.
    pub(super) fn path_of(&self, row: usize) -> Option<String> {
        let found = match &self.table {
            Some(_) => self.panel.table().row(row),
            None => self.panel.stopped().0.get(row),
        };
        found.map(|action| action.path.clone())
    }
}
