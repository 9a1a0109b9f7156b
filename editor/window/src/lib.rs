//! The editor's window: what `hasse_editor` holds, shown by the toolkit, and what a person does with it, told back.
//!
//! How the window looks is in the package `hasse-ui`. Here each part of the window has a module with its callbacks, and
//! below it one with its rows and state; `studio` holds them all and decides when what is shown. Nothing of the toolkit goes
//! further than this package.

/// The window of one panel.
mod apart;
/// The start page, the tour and the book.
mod beginning;
/// The body of a unit.
mod body;
/// The picture.
mod canvas;
/// Commands beside editing.
mod command;
/// Another version of the program next to it.
mod compare;
/// Rules and arcs that were never used.
mod coverage;
/// Breakpoints and checks where one points.
mod debugging;
/// Files, questions and texts.
mod dialogs;
/// The inspector.
mod form;
/// The state as windows share it.
mod hub;
/// Instances of nodes and calls.
mod instances;
/// The item that has the keyboard.
mod keyboard;
/// Keys.
mod keys;
/// The legend.
mod legend;
/// Graphs, problems, what is found.
mod lists;
/// Menus.
mod menus;
/// Rows of lists.
mod models;
/// Frames of a drag.
mod pace;
/// Open graphs.
mod panes;
/// Saving a picture.
mod picture;
/// Pictures and texts of views, as the toolkit has them.
mod pixels;
/// The mouse.
mod pointer;
/// The form of one breakpoint.
mod points;
/// Outcomes and results of runs.
mod results;
/// Running and debugging.
mod run;
/// The palette.
mod search;
/// The state.
mod studio;
/// The text of the program.
mod text;
/// Values of events: the state of a moment, probes, one event alone.
mod values;
/// One value.
mod viewer;
/// Records.
mod views;

use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use command::panel;
use hasse_editor::edit::link::LinkList;
use hasse_editor::edit::port::Side;
use hasse_editor::files::{self, FileError};
use hasse_editor::run::Host;
use hasse_editor::state::{Config, Editor};
use hasse_model::function::FunctionTable;
use hasse_ui::{App, EditorWindow};
use hub::{Hub, Shared};
use slint::{ComponentHandle, LogicalSize, PlatformError};
use studio::update::{go, show};
use studio::{Later, Studio};

/// What wakes the window, from any thread.
pub type Wake = Arc<dyn Fn() + Send + Sync>;
/// What makes the host of debug sessions.
pub type MakeHost = Box<dyn FnOnce(Wake) -> Box<dyn Host>>;

/// What a window is opened with.
pub struct Setup {
    /// The program to open, or a record, `*.trace`, to be shown in the views; a new program without. A program, `*.hasse`, that
    /// is not there is made, if its folder is. Without a file, the start page is shown.
    pub file: Option<PathBuf>,
    /// What makes debug sessions, given what wakes the window; without, nothing can be run.
    pub host: Option<MakeHost>,
    /// What bodies may call.
    pub functions: FunctionTable,
    /// Where settings, autosaves and recent files are kept; nothing is kept without.
    pub state_folder: Option<PathBuf>,
    /// The file in which the user says which keys mean what; the usual ones hold without.
    pub keys_file: Option<PathBuf>,
}

/// Why there is no window.
#[derive(Debug, thiserror::Error)]
pub enum WindowError {
    /// The system has no screen that the toolkit can use, or lacks a library.
    #[error("the window cannot be opened: {0}")]
    Platform(String),
    /// The program file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
}

impl From<PlatformError> for WindowError {
    fn from(error: PlatformError) -> Self {
        Self::Platform(reason(&error.to_string()))
    }
}

/// The last cause of several lines, without the place in the toolkit's source that stands before it.
fn reason(told: &str) -> String {
    let cause = |line: &str| {
        let (_, place) = line.split_once(".rs:")?;
        let (_, cause) = place.split_once(": ")?;
        Some(cause.to_owned())
    };
    told.lines().find_map(cause).unwrap_or_else(|| told.lines().collect::<Vec<_>>().join(" "))
}

/// An open window with its state.
pub struct Opened {
    /// The window; dropping it closes it.
    pub window: EditorWindow,
    shared: Shared,
}

impl Opened {
    /// Makes a window without showing it.
    ///
    /// # Errors
    /// Where there is no screen, or the file cannot be read.
    pub fn new(setup: Setup) -> Result<Self, WindowError> {
        let record =
            setup.file.as_deref().filter(|path| path.extension().is_some_and(|found| found == "trace"));
        let program = setup.file.as_deref().filter(|_| record.is_none());
        let new = program.filter(|path| files::can_be_made(path));
        if let Some(path) = program.filter(|_| new.is_none()) {
            // A file that cannot be read is told without a window, and without a screen.
            files::open(path)?;
        }
        let window = EditorWindow::new()?;
        if let Some(path) = new {
            files::make(path)?;
        }
        let weak = window.as_weak();
        let wake: Wake = Arc::new(move || {
            // The window may be gone already; then nothing waits for it.
            let _ = weak.upgrade_in_event_loop(|window| window.global::<App>().invoke_woken());
        });
        let config = Config {
            state_folder: setup.state_folder.clone(),
            functions: setup.functions.clone(),
            wake: Arc::clone(&wake),
        };
        let editor = match program {
            Some(path) => Editor::of_file(config, path)?,
            None => Editor::new(config),
        };
        let host = setup.host.map(|make| make(Arc::clone(&wake)));
        let mut studio = Studio::new(&window, editor, host, setup.functions, wake, setup.state_folder);
        studio.read_keys(setup.keys_file.as_deref());
        let (sizes, is_dark) = (studio.settings.sizes, studio.is_dark);
        let shared = Hub::main(studio);
        let app = window.global::<App>();
        let set = |size: f32, setter: &dyn Fn(f32)| {
            if size > 0.0 {
                setter(size);
            }
        };
        set(sizes.left, &|size| app.set_left_width(size));
        set(sizes.right, &|size| app.set_right_width(size));
        set(sizes.bottom, &|size| app.set_bottom_height(size));
        set(sizes.text, &|size| app.set_text_width(size));
        if sizes.window_width > 0.0 && sizes.window_height > 0.0 {
            window.window().set_size(LogicalSize::new(sizes.window_width, sizes.window_height));
        }
        window.invoke_set_dark(is_dark);
        pointer::connect(&window, &shared);
        menus::connect(&window, &shared);
        search::connect(&window, &shared);
        dialogs::connect(&window, &shared);
        points::connect(&window, &shared);
        instances::connect(&window, &shared);
        legend::connect(&window, &shared);
        form::connect(&window, &shared);
        body::connect(&window, &shared);
        lists::connect(&window, &shared);
        results::connect(&window, &shared);
        run::connect(&window, &shared);
        views::connect(&window, &shared);
        values::connect(&window, &shared);
        compare::connect(&window, &shared);
        beginning::connect(&window, &shared);
        text::connect(&window, &shared);
        panes::connect(&window, &shared);
        pointer::connect_keys(&window, &shared);
        connect_keys(&window, &shared);
        connect(&window, &shared);
        go(&shared, |studio| match record {
            Some(path) => studio.open_record(path),
            None if program.is_none() => studio.open_start_page(),
            None => {}
        });
        Ok(Self { window, shared })
    }

    /// The windows of one panel each, in the order in which they were opened.
    pub fn apart(&self) -> Vec<EditorWindow> {
        self.shared.apart_windows()
    }

    /// Gives the keyboard to the picture where no item has it that can be seen. The window does so before each key that comes from the screen.
    pub fn keep_keyboard(&self) {
        let _ = keyboard::keep(&self.window);
    }

    /// Shows now what has changed, without waiting for the event loop.
    pub fn refresh(&self) {
        show(&self.shared);
    }

    /// The program as it would be saved.
    pub fn program(&self) -> String {
        self.shared.borrow().editor.document().text().to_owned()
    }

    /// Lets time pass for what goes on without a person, takes in what other threads have made, and shows it.
    pub fn tick(&self) {
        go(&self.shared, Studio::tick);
        self.refresh();
    }

    /// Where a port of a node is in the window, in logical pixels. A formal port and a shared object have one, with an
    /// empty name.
    pub fn port_at(&self, node: &str, side: Side, port: &str) -> Option<[f32; 2]> {
        let studio = self.shared.borrow();
        let at = studio.editor.port_at_name(node, side, port)?.shifted(studio.canvas_origin());
        Some([at.x as f32, at.y as f32])
    }

    /// Where the middle of an arc is in the window, in logical pixels.
    pub fn arc_at(&self, row: usize) -> Option<[f32; 2]> {
        let studio = self.shared.borrow();
        let at = studio.editor.link_middle((LinkList::Arcs, row))?.shifted(studio.canvas_origin());
        Some([at.x as f32, at.y as f32])
    }

    /// Waits for the compiler and shows what it says.
    pub fn check(&self) {
        go(&self.shared, |studio| {
            studio.editor.check_now();
        });
        self.refresh();
    }
}

fn connect(window: &EditorWindow, shared: &Shared) {
    let app = window.global::<App>();
    let weak = Rc::downgrade(shared);
    app.on_woken(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, Studio::tick);
    });
    let weak = Rc::downgrade(shared);
    window.window().on_close_requested(move || {
        if let Some(shared) = weak.upgrade() {
            go(&shared, |studio| studio.editor.close());
        }
        slint::CloseRequestResponse::KeepWindowShown
    });
}

/// Connects what each window has: keys, tabs and buttons.
fn connect_keys(window: &EditorWindow, shared: &Shared) {
    let app = window.global::<App>();
    let weak = Rc::downgrade(shared);
    app.on_capture(move |text, shift, control, alt| {
        let Some(shared) = weak.upgrade() else { return false };
        let modifiers = keys::modifiers(&text, shift, control, alt);
        go(&shared, |studio| {
            if studio.has_menu() {
                studio.menu_key(&text)
            } else if studio.search.is_open() {
                studio.search_key(&text)
            } else if studio.points.is_open() {
                studio.point_key(&text)
            } else if studio.has_dialog() {
                studio.dialog_key(&text, shift)
            } else {
                keys::key(&text).is_some_and(|key| studio.own_key(key, modifiers))
            }
        })
    });
    let weak = Rc::downgrade(shared);
    app.on_tab_chosen(move |is_lower| {
        let Some(shared) = weak.upgrade() else { return };
        let focus = if is_lower { Later::FocusPanel } else { Later::FocusCanvas };
        let number = shared.number();
        let own = shared.of_main().and_then(|main| main.apart_window(number));
        go(&shared, |studio| {
            if let Some(own) = own {
                studio.apart.choose(number, own.get_apart_tab());
                studio.settle_panels();
            }
            studio.use_history(is_lower && studio.shown_panels()[0] == panel::HISTORY);
            studio.later.push(focus);
        });
    });
    let weak = Rc::downgrade(shared);
    app.on_act(move |id| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.act_named(&id));
    });
}

/// Opens a window and serves it until it is closed.
///
/// # Errors
/// Where there is no screen, or the file cannot be read.
pub fn open(setup: Setup) -> Result<(), WindowError> {
    let opened = Opened::new(setup)?;
    opened.window.show()?;
    opened.window.invoke_focus_canvas();
    slint::run_event_loop()?;
    opened.window.hide()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::reason;

    #[test]
    fn the_toolkits_reason_is_told_without_its_source() {
        let told = "Could not initialize backend.\nError from Winit backend: os error at /src/winit-0.30.13/mod.rs:765: \
                    no DISPLAY is set.\nNo backends configured.";
        assert_eq!(reason(told), "no DISPLAY is set.");
        assert_eq!(reason("Could not\nopen it"), "Could not open it");
    }
}
