//! The editor of one program, without a window: what is open, what is shown, what is selected, what a hand is doing.
//!
//! A window feeds [`Editor`] with [`pointer`], [`key`] and [`act`], calls
//! [`tick`] while [`is_busy`], and draws the [`Picture`] whenever
//! [`version`] has changed. What only a window can do (menus, text fields, file dialogs, the clipboard)
//! it is asked for by [`Request`]s. All changes of the program are steps of its [`Document`].
//!
//! [`Editor`]: crate::state::Editor
//! [`Request`]: crate::state::Request
//! [`Document`]: crate::document::Document
//! [`pointer`]: crate::state::Editor::pointer
//! [`key`]: crate::state::Editor::key
//! [`act`]: crate::state::Editor::act
//! [`tick`]: crate::state::Editor::tick
//! [`is_busy`]: crate::state::Editor::is_busy
//! [`Picture`]: crate::state::picture::Picture
//! [`version`]: crate::state::Editor::version

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hasse_model::function::FunctionTable;

use crate::comparison::Comparison;
use crate::document::Document;
use crate::drawing::connect::PortName;
use crate::drawing::geometry::{Point, Rect};
use crate::drawing::view::View;
use crate::edit::graph;
use crate::edit::place::Position;
use crate::keymap::Keymap;
use crate::marks::Marks;
use crate::palette::Wire;
use crate::problems::Problems;
use crate::target::Target;

/// Making actions happen.
mod act;
/// All that can be done, with names and keys.
pub mod action;
/// Boxes in line, and layouts.
mod arrange;
/// The program for panels.
mod beside;
/// Edits of the program, and what becomes of them.
mod change;
/// Compiling beside, and what is wrong.
mod check;
/// Nodes as text, to and from the clipboard.
mod clip;
/// Another version of the program next to it.
mod compare;
/// Wires by keys alone.
mod connect;
/// Templates and examples that are not saved yet.
pub mod draft;
/// The shown graph as it is drawn now.
mod drawn;
/// Nodes that were just added.
mod fresh;
/// Gestures of the mouse.
mod gesture;
/// Hints: the next step.
mod guide;
/// Events of mouse and keyboard.
pub mod input;
/// New nodes, and what they are connected with.
mod insert;
/// What can be done with what is under the cursor.
pub mod menu;
/// Which graph is shown, and how one came there.
pub mod navigate;
/// Questions about the file.
pub mod offer;
/// What a window draws.
pub mod picture;
/// Names and texts that are typed into a field.
pub mod prompt;
/// Changes of what is selected.
mod remove;
/// What is selected.
pub mod selection;
/// Opening, saving, and what happens to the file meanwhile.
mod storage;
/// Open graphs.
mod tabs;

use drawn::Drawn;
use fresh::FreshNode;
use gesture::Gesture;
use navigate::Crumb;
use offer::Offer;
use prompt::Prompt;
use selection::Selection;
use storage::Storage;
use tabs::Tabs;

/// What an editor is given.
#[derive(Clone)]
pub struct Config {
    /// Where autosaves and recent files are kept; nothing is kept without.
    pub state_folder: Option<PathBuf>,
    /// What bodies may call.
    pub functions: FunctionTable,
    /// Called on other threads when [`Editor::tick`] should be called soon.
    pub wake: Arc<dyn Fn() + Send + Sync>,
}

impl Default for Config {
    fn default() -> Self {
        Self { state_folder: None, functions: FunctionTable::default(), wake: Arc::new(|| {}) }
    }
}

/// What only a window can do.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Open the palette; what is chosen goes to [`Editor::insert`].
    Palette {
        /// Where on the canvas.
        at: Point,
        /// Where the new node goes.
        place: Position,
        /// The wire that was dropped there, and the port that it comes from.
        wire: Option<(Wire, PortName)>,
    },
    /// Open the menu of [`Editor::context`].
    Menu {
        /// Where on the canvas.
        at: Point,
    },
    /// Ask for a text; it goes to [`Editor::answer_prompt`].
    Prompt(Prompt),
    /// Show a thing in the inspector: which field of a form, which line of a body.
    Show(Target),
    /// Put a text on the clipboard.
    SetClipboard(String),
    /// Give the clipboard's text to [`Editor::paste`].
    Paste,
    /// Save the models of expected behavior, and tell [`Editor::models_saved`].
    SaveModels,
    /// Ask for a file, and give it to [`Editor::open`].
    OpenDialog,
    /// Ask for a file, and give it to [`Editor::save_as`].
    SaveDialog,
    /// Open the field for finding text.
    Find,
    /// Open the field for finding commands.
    Commands,
    /// Everything is saved or given up: the window may close.
    Close,
}

/// A message about what was done, or why it was not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// One sentence; empty for nothing.
    pub text: String,
    /// Whether something was refused or failed.
    pub is_refusal: bool,
}

/// One open program.
pub struct Editor {
    config: Config,
    keymap: Keymap,
    document: Document,
    storage: Storage,
    offer: Option<Offer>,
    check: check::Check,
    drawn: Drawn,
    /// The name of the graph that is shown.
    graph: String,
    /// The calls by which one came to the graph, the first graph first, the shown one last.
    crumbs: Vec<Crumb>,
    tabs: Tabs,
    views: BTreeMap<String, View>,
    /// Graphs whose view is to be made once the canvas has a size.
    unfitted: BTreeSet<String>,
    /// The graph that was fitted into the canvas when it was first shown, and the program's revision then, while nobody
    /// has moved the view.
    fitted: Option<(String, u64)>,
    /// Size of the canvas in logical pixels.
    size: Point,
    selection: Selection,
    hover: Option<crate::drawing::hit::Hit>,
    gesture: Gesture,
    /// Where the mouse is on the canvas; `None` while it is elsewhere.
    cursor: Option<Point>,
    is_space_held: bool,
    marks: BTreeMap<String, Marks>,
    /// The comparison with another version, and the program's revision that it is of.
    comparison: Option<(Comparison, u64)>,
    /// Number of programs that were opened in place of another one.
    n_opened: u64,
    /// Nodes that were added and not edited since.
    fresh: Vec<FreshNode>,
    /// Set for a program that was opened empty, until it runs.
    is_guided: bool,
    /// False while warnings are hidden.
    warns: bool,
    requests: Vec<Request>,
    status: Status,
    version: u64,
    /// Revision of the text at the last tick, and the time of the first tick that saw it.
    typed: (u64, Duration),
    /// The time of the last tick.
    now: Duration,
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
        let check = check::Check::new(&config);
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
    fn take_program(&mut self, text: &str) {
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

    fn changed(&mut self) {
        self.version += 1;
    }

    fn say(&mut self, text: impl Into<String>) {
        self.status = Status { text: text.into(), is_refusal: false };
        self.changed();
    }

    fn refuse(&mut self, text: impl Into<String>) {
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
    fn refresh(&mut self) {
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
    fn draw(&mut self) {
        let known = self.selection.keys(self.drawn.shown());
        if self.drawn.show(&self.graph) {
            self.hover = None;
            self.selection = known.selection(self.drawn.shown());
            self.changed();
        }
    }

    /// The rectangle of the canvas.
    fn canvas(&self) -> Rect {
        Rect::new(0.0, 0.0, self.size.x, self.size.y)
    }
}

/// Returns a text with its first letter in upper case.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}
