//! A window without a screen, and a hand with a mouse and a keyboard that uses it.

/// What a mouse and a keyboard do.
mod hand;
/// Programs to look at.
pub(crate) mod programs;
/// Runs whose answers are given by hand.
pub(crate) mod session;

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use hasse_editor::edit::port::Side;
use hasse_ui::{App, Graph};
use hasse_window::{MakeHost, Opened, Setup};
use i_slint_backend_testing::testing_backend::{TestingBackend, TestingBackendOptions};
use i_slint_backend_testing::{AccessibleRole, ElementHandle, ElementQuery, mock_elapsed_time};
use slint::{ComponentHandle, LogicalSize, Model, SharedString};

/// Longest wait for another thread; longer than anything takes on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A place in the window, in logical pixels.
pub(crate) type At = [f32; 2];

/// An open window with a mouse, a keyboard and a folder for files.
pub(crate) struct Driver {
    pub(crate) opened: Opened,
    pub(crate) folder: PathBuf,
    mouse: Cell<At>,
    /// Where and when a click ended: the next one there is no double click.
    clicked: Cell<Option<(At, Instant)>>,
}

impl Driver {
    /// A window with a new program.
    pub(crate) fn empty() -> Self {
        Self::with(None, None)
    }

    /// A window as it opens without a file: with the start page.
    pub(crate) fn start() -> Self {
        Self::opened(None, None, |_| ())
    }

    /// The same with runs.
    #[allow(dead_code, reason = "walks use it")]
    pub(crate) fn start_with(host: Option<MakeHost>) -> Self {
        Self::opened(None, host, |_| ())
    }

    /// A window with a program from a file.
    pub(crate) fn of(text: &str) -> Self {
        Self::with(Some(text), None)
    }

    /// The same with runs.
    pub(crate) fn with(text: Option<&str>, host: Option<MakeHost>) -> Self {
        Self::prepared(text, host, |_| ())
    }

    /// The same in a folder in which something is made before the window opens. What the window keeps is in `state`.
    pub(crate) fn prepared(text: Option<&str>, host: Option<MakeHost>, prepare: impl FnOnce(&Path)) -> Self {
        let driver = Self::opened(text, host, prepare);
        if driver.has("start page") {
            driver.press("Close the start page");
        }
        driver
    }

    fn opened(text: Option<&str>, host: Option<MakeHost>, prepare: impl FnOnce(&Path)) -> Self {
        let folder = new_folder();
        let file = text.map(|text| {
            let path = folder.join("a.hasse");
            fs::write(&path, text).unwrap();
            path
        });
        prepare(&folder);
        let backend = TestingBackendOptions {
            mock_time: true,
            threading: false,
            renderer_name: Some("software".into()),
        };
        // Where tests share a thread, they share its backend.
        let _ = slint::platform::set_platform(Box::new(TestingBackend::new(backend)));
        let functions = hasse_body::functions();
        let state_folder = Some(folder.join("state"));
        let keys_file = Some(folder.join("keys.toml"));
        let opened = Opened::new(Setup { file, host, functions, state_folder, keys_file }).unwrap();
        opened.window.show().unwrap();
        let driver = Self { opened, folder, mouse: Cell::new([0.0; 2]), clicked: Cell::new(None) };
        driver.resize(1280.0, 800.0);
        driver.opened.window.invoke_focus_canvas();
        driver.check();
        driver
    }

    pub(crate) fn resize(&self, width: f32, height: f32) {
        let window = self.opened.window.window();
        window.set_size(LogicalSize::new(width, height));
        self.settle();
    }

    /// Lets the window show what has changed.
    pub(crate) fn settle(&self) {
        // What has changed is shown by timers, as in a real window.
        mock_elapsed_time(Duration::from_millis(1));
        mock_elapsed_time(Duration::from_millis(1));
    }

    /// Waits for the compiler.
    pub(crate) fn check(&self) {
        self.opened.check();
        self.settle();
    }

    /// Waits until something is so that other threads bring about.
    #[track_caller]
    pub(crate) fn wait(&self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let begin = Instant::now();
        loop {
            self.opened.tick();
            self.settle();
            if is_so(self) {
                return;
            }
            assert!(
                begin.elapsed() < PATIENCE,
                "waited for {what}: {:?} {:?}",
                self.labels(AccessibleRole::ListItem),
                self.labels(AccessibleRole::Text)
            );
            sleep(Duration::from_millis(5));
        }
    }

    // What the window holds.

    pub(crate) fn program(&self) -> String {
        self.opened.program()
    }

    pub(crate) fn app(&self) -> App<'_> {
        self.opened.window.global::<App>()
    }

    pub(crate) fn status(&self) -> String {
        self.app().get_status().into()
    }

    pub(crate) fn title(&self) -> String {
        self.app().get_title().into()
    }

    /// The way to the graph that is shown.
    pub(crate) fn path(&self) -> Vec<String> {
        self.app().get_path().iter().map(String::from).collect()
    }

    pub(crate) fn zoom(&self) -> f32 {
        self.opened.window.global::<Graph>().get_zoom()
    }

    /// The lines that are gone from a program and new in it.
    pub(crate) fn since(&self, text: &str) -> Vec<String> {
        let now = self.program();
        let mut new: Vec<&str> = now.lines().collect();
        let mut lines = Vec::new();
        for line in text.lines() {
            match new.iter().position(|held| *held == line) {
                Some(at) => drop(new.remove(at)),
                None => lines.push(format!("-{line}")),
            }
        }
        lines.extend(new.into_iter().map(|line| format!("+{line}")));
        lines
    }

    // What is seen.

    /// All elements with a role.
    pub(crate) fn all(&self, role: AccessibleRole) -> Vec<ElementHandle> {
        ElementQuery::from_root(&self.opened.window).match_accessible_role(role).find_all()
    }

    /// The labels of all elements with a role.
    pub(crate) fn labels(&self, role: AccessibleRole) -> Vec<String> {
        self.all(role).iter().filter_map(|found| found.accessible_label()).map(String::from).collect()
    }

    pub(crate) fn find(&self, role: AccessibleRole, label: &str) -> Option<ElementHandle> {
        let label = SharedString::from(label);
        let query = ElementQuery::from_root(&self.opened.window).match_accessible_role(role);
        query.match_predicate(move |found| found.accessible_label().as_ref() == Some(&label)).find_first()
    }

    /// Something a person can use, by its label; the one that lies on top.
    #[track_caller]
    pub(crate) fn item(&self, label: &str) -> ElementHandle {
        let found = ElementHandle::find_by_accessible_label(&self.opened.window, label);
        let found = found.filter(|found| found.accessible_role() != Some(AccessibleRole::Text)).last();
        found.unwrap_or_else(|| panic!("`{label}` is not in the window"))
    }

    pub(crate) fn has(&self, label: &str) -> bool {
        ElementHandle::find_by_accessible_label(&self.opened.window, label).next().is_some()
    }

    /// Whether a text is seen that has this in it.
    pub(crate) fn reads(&self, part: &str) -> bool {
        self.labels(AccessibleRole::Text).iter().any(|text| text.contains(part))
    }

    pub(crate) fn value(&self, label: &str) -> String {
        self.item(label).accessible_value().unwrap_or_default().into()
    }

    /// A box of the picture.
    pub(crate) fn node(&self, title: &str) -> Option<ElementHandle> {
        let title = SharedString::from(title);
        let nodes = ElementQuery::from_root(&self.opened.window).match_inherits("Node");
        nodes.match_predicate(move |node| node.accessible_label().as_ref() == Some(&title)).find_first()
    }

    /// What assistive technology tells of a box.
    #[track_caller]
    pub(crate) fn told_of(&self, title: &str) -> String {
        self.node(title).unwrap().accessible_description().unwrap_or_default().into()
    }

    /// The middle of a box's title.
    #[track_caller]
    pub(crate) fn node_at(&self, title: &str) -> At {
        let node = self.node(title).unwrap_or_else(|| panic!("no box `{title}`"));
        let (at, size) = (node.absolute_position(), node.size());
        [at.x + size.width / 2.0, at.y + 12.0 * self.zoom()]
    }

    /// Titles of the selected boxes.
    pub(crate) fn selected(&self) -> Vec<String> {
        let nodes = ElementQuery::from_root(&self.opened.window).match_inherits("Node").find_all();
        let selected = nodes.iter().filter(|node| node.accessible_item_selected() == Some(true));
        let mut titles: Vec<String> =
            selected.filter_map(|node| node.accessible_label()).map(String::from).collect();
        titles.sort();
        titles
    }

    #[track_caller]
    pub(crate) fn output(&self, node: &str, port: &str) -> At {
        self.opened.port_at(node, Side::Output, port).unwrap()
    }

    #[track_caller]
    pub(crate) fn input(&self, node: &str, port: &str) -> At {
        self.opened.port_at(node, Side::Input, port).unwrap()
    }

    /// Where the end of a wire can be taken, beside its port.
    pub(crate) fn arc_end(&self, port: At) -> At {
        [port[0] - 14.0 * self.zoom(), port[1]]
    }

    /// A line of the list of graphs.
    #[track_caller]
    pub(crate) fn row(&self, name: &str) -> ElementHandle {
        let rows = self.all(AccessibleRole::ListItem).into_iter();
        let mut rows = rows.filter(|row| row.absolute_position().x < self.app().get_left_width());
        let is_it = |row: &ElementHandle| {
            let label = row.accessible_label().unwrap_or_default();
            label.split([',', ' ']).any(|word| word == name)
        };
        rows.find(is_it).unwrap_or_else(|| panic!("no line `{name}`"))
    }

    /// A place of the picture where nothing is.
    pub(crate) fn nowhere(&self) -> At {
        let graph = self.item("graph").absolute_position();
        [graph.x + 12.0, graph.y + 12.0]
    }

    /// The picture of the window, as pixels, with its size.
    pub(crate) fn snapshot(&self) -> (u32, u32, Vec<u8>) {
        let pixels = self.opened.window.window().take_snapshot().unwrap();
        (pixels.width(), pixels.height(), pixels.as_bytes().to_vec())
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // What stays is in the folder for what is built.
        let _ = self.opened.window.hide();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The middle of an element.
pub(crate) fn middle(element: &ElementHandle) -> At {
    let (at, size) = (element.absolute_position(), element.size());
    [at.x + size.width / 2.0, at.y + size.height / 2.0]
}

/// A folder of its own, removed with the driver.
fn new_folder() -> PathBuf {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let folder =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("window-{}-{number}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}
