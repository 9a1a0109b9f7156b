//! The state of an editor, and what all parts of it do.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::check::findings::Check;
use super::config::Config;
use super::drawn::Drawn;
use super::fresh::node::FreshNode;
use super::gesture::phase::Gesture;
use super::navigate::crumb::Crumb;
use super::offer::Offer;
use super::request::Request;
use super::selection::selected::Selection;
use super::status::Status;
use super::storage::file::Storage;
use super::tabs::list::Tabs;
use crate::comparison::Comparison;
use crate::document::Document;
use crate::drawing::geometry::{Point, Rect};
use crate::drawing::view::View;
use crate::edit::graph;
use crate::keymap::Keymap;
use crate::marks::Marks;
use crate::problems::Problems;

/// One open program.
pub struct Editor {
    pub(super) config: Config,
    pub(super) keymap: Keymap,
    pub(super) document: Document,
    pub(super) storage: Storage,
    pub(super) offer: Option<Offer>,
    pub(super) check: Check,
    pub(super) drawn: Drawn,
    /// The name of the graph that is shown.
    pub(super) graph: String,
    /// The calls by which one came to the graph, the first graph first, the shown one last.
    pub(super) crumbs: Vec<Crumb>,
    pub(super) tabs: Tabs,
    pub(super) views: BTreeMap<String, View>,
    /// Graphs whose view is to be made once the canvas has a size.
    pub(super) unfitted: BTreeSet<String>,
    /// The graph that was fitted into the canvas when it was first shown, and the program's revision then, while nobody
    /// has moved the view.
    pub(super) fitted: Option<(String, u64)>,
    /// Size of the canvas in logical pixels.
    pub(super) size: Point,
    pub(super) selection: Selection,
    pub(super) hover: Option<crate::drawing::hit::Hit>,
    pub(super) gesture: Gesture,
    /// Where the mouse is on the canvas; `None` while it is elsewhere.
    pub(super) cursor: Option<Point>,
    pub(super) is_space_held: bool,
    pub(super) marks: BTreeMap<String, Marks>,
    /// The comparison with another version, and the program's revision that it is of.
    pub(super) comparison: Option<(Comparison, u64)>,
    /// Number of programs that were opened in place of another one.
    n_opened: u64,
    /// Nodes that were added and not edited since.
    pub(super) fresh: Vec<FreshNode>,
    /// Set for a program that was opened empty, until it runs.
    pub(super) is_guided: bool,
    /// False while warnings are hidden.
    pub(super) warns: bool,
    pub(super) requests: Vec<Request>,
    status: Status,
    pub(super) version: u64,
    /// Revision of the text at the last tick, and the time of the first tick that saw it.
    pub(super) typed: (u64, Duration),
    /// The time of the last tick.
    pub(super) now: Duration,
}

impl Editor {
    /// A new program with one empty graph. Offers what was kept of programs that were never saved.
    pub fn new(config: Config) -> Self {
        let mut editor = Self::of_text(config, &graph::new_program("main"));
        editor.offer_unsaved();
        editor
    }

    /// An editor of a text without a file.
    pub fn of_text(config: Config, text: &str) -> Self {
        let storage = Storage::new(&config);
        let check = Check::new(&config);
        let mut editor = Self {
            config,
            keymap: Keymap::usual([]),
            document: Document::new(text),
            storage,
            offer: None,
            check,
            drawn: Drawn::default(),
            graph: String::new(),
            crumbs: Vec::new(),
            tabs: Tabs::default(),
            views: BTreeMap::new(),
            unfitted: BTreeSet::new(),
            fitted: None,
            size: Point::default(),
            selection: Selection::default(),
            hover: None,
            gesture: Gesture::None,
            cursor: None,
            is_space_held: false,
            marks: BTreeMap::new(),
            comparison: None,
            n_opened: 0,
            fresh: Vec::new(),
            is_guided: false,
            warns: true,
            requests: Vec::new(),
            status: Status::default(),
            version: 1,
            typed: (0, Duration::ZERO),
            now: Duration::ZERO,
        };
        editor.restart();
        editor
    }

    /// Puts another text in place of the program, with nothing to undo.
    pub(super) fn take_program(&mut self, text: &str) {
        self.document = Document::new(text);
        self.drawn = Drawn::default();
        self.check.restart();
        self.selection = Selection::default();
        self.gesture = Gesture::None;
        self.hover = None;
        self.marks.clear();
        self.comparison = None;
        self.n_opened += 1;
        self.fresh.clear();
        self.views.clear();
        self.restart();
    }

    fn restart(&mut self) {
        self.crumbs.clear();
        self.tabs = Tabs::default();
        self.graph.clear();
        self.refresh();
        self.guide_empty();
        self.go_to_main();
    }

    /// The program.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Number of programs that were opened in place of another one.
    pub fn n_opened(&self) -> u64 {
        self.n_opened
    }

    /// Returns whether the program is a new one without nodes that was never saved.
    pub fn is_blank(&self) -> bool {
        self.path().is_none() && self.drawn.graphs().iter().all(|graph| graph.nodes.is_empty())
    }

    /// What is wrong with the program, as far as it is known; it may be of an older text.
    pub fn problems(&self) -> Option<&Problems> {
        self.check.problems()
    }

    /// Another number for each change of what is to be seen.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// What the window is asked to do, in order; each is given once.
    pub fn take_requests(&mut self) -> Vec<Request> {
        std::mem::take(&mut self.requests)
    }

    /// The latest message.
    pub fn status(&self) -> &Status {
        &self.status
    }

    /// Takes up other keys.
    pub fn set_keymap(&mut self, keymap: Keymap) {
        self.keymap = keymap;
        self.changed();
    }

    /// Keys of all commands.
    pub fn keymap(&self) -> &Keymap {
        &self.keymap
    }

    /// Sets the canvas's size in logical pixels. A graph that was seen whole stays so.
    pub fn resize(&mut self, size: Point) {
        if size != self.size && size.x.is_finite() && size.y.is_finite() {
            let saw_all = self.sees_all();
            self.size = size;
            self.changed();
            self.fit_new();
            if saw_all && !self.sees_all() {
                self.fit_whole();
            }
        }
    }

    /// The size of the canvas.
    pub fn size(&self) -> Point {
        self.size
    }

    pub(super) fn changed(&mut self) {
        self.version += 1;
    }

    pub(super) fn say(&mut self, text: impl Into<String>) {
        self.status = Status { text: text.into(), is_refusal: false };
        self.changed();
    }

    pub(super) fn refuse(&mut self, text: impl Into<String>) {
        self.status = Status { text: text.into(), is_refusal: true };
        self.changed();
    }

    /// Shows a message of another part of the window.
    pub fn set_status(&mut self, status: Status) {
        self.status = status;
        self.changed();
    }

    /// What runs and records show on a graph, in place of what was shown.
    pub fn set_marks(&mut self, graph: &str, marks: Marks) {
        let held = self.marks.get(graph);
        if held.map_or(marks == Marks::default(), |held| *held == marks) {
            return;
        }
        if marks == Marks::default() {
            self.marks.remove(graph);
        } else {
            self.marks.insert(graph.to_owned(), marks);
        }
        if graph == self.graph || self.second_graph() == Some(graph) {
            self.changed();
        }
    }

    /// Takes in that time has passed: results of the compiler, changes on the disk, autosaves, panning at the border.
    /// `now` counts from any moment. Tells whether there is something new to see. Does not wait.
    pub fn tick(&mut self, now: Duration) -> bool {
        let version = self.version;
        let passed = now.saturating_sub(self.now);
        self.now = self.now.max(now);
        self.pan_at_border(passed);
        self.poll_check();
        self.poll_storage();
        self.end_typing_after_pause();
        version != self.version
    }

    /// Whether [`tick`](Self::tick) has something to do soon.
    pub fn is_busy(&self) -> bool {
        self.check.is_busy(self.document.revision())
            || self.is_panning_at_border()
            || self.has_to_autosave()
            || self.document.is_typing()
    }

    /// Brings all that is shown in line with the program.
    pub(super) fn refresh(&mut self) {
        if !self.drawn.is_current(self.document.revision()) {
            self.end_gesture();
            self.drawn.read(self.document.text(), self.document.revision());
            self.keep_fresh();
            self.stay_in_program();
            self.changed();
        }
        self.draw();
    }

    /// Draws the shown graph anew where it must be.
    pub(super) fn draw(&mut self) {
        let known = self.selection.keys(self.drawn.shown());
        if self.drawn.show(&self.graph) {
            self.hover = None;
            self.selection = known.selection(self.drawn.shown());
            self.changed();
        }
    }

    /// The rectangle of the canvas.
    pub(super) fn canvas(&self) -> Rect {
        Rect::new(0.0, 0.0, self.size.x, self.size.y)
    }
}
