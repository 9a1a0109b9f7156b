//! A window without a screen, and a hand with a mouse and a keyboard that uses it.

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
use slint::platform::{Key, PointerEventButton, WindowEvent};
use slint::{ComponentHandle, LogicalPosition, LogicalSize, Model, SharedString};

/// Longest wait for another thread.
const PATIENCE: Duration = Duration::from_secs(10);

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

    /// A window with a program from a file.
    pub(crate) fn of(text: &str) -> Self {
        Self::with(Some(text), None)
    }

    /// The same with runs.
    pub(crate) fn with(text: Option<&str>, host: Option<MakeHost>) -> Self {
        let folder = new_folder();
        let file = text.map(|text| {
            let path = folder.join("a.hasse");
            fs::write(&path, text).unwrap();
            path
        });
        let backend = TestingBackendOptions {
            mock_time: true,
            threading: false,
            renderer_name: Some("software".into()),
        };
        // Where tests share a thread, they share its backend.
        let _ = slint::platform::set_platform(Box::new(TestingBackend::new(backend)));
        let functions = hasse_runtime::body::functions();
        let opened =
            Opened::new(Setup { file, host, functions, state_folder: Some(folder.join("state")) }).unwrap();
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
        for _ in 0..2 {
            mock_elapsed_time(Duration::from_millis(1));
            self.opened.refresh();
        }
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
            assert!(begin.elapsed() < PATIENCE, "waited for {what}");
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

    // The mouse.

    fn dispatch(&self, event: WindowEvent) {
        self.opened.window.window().dispatch_event(event);
    }

    pub(crate) fn move_to(&self, [x, y]: At) {
        self.mouse.set([x, y]);
        self.dispatch(WindowEvent::PointerMoved { position: LogicalPosition::new(x, y) });
    }

    fn button(&self, button: PointerEventButton, is_down: bool) {
        let [x, y] = self.mouse.get();
        let position = LogicalPosition::new(x, y);
        self.dispatch(if is_down {
            WindowEvent::PointerPressed { position, button }
        } else {
            WindowEvent::PointerReleased { position, button }
        });
    }

    pub(crate) fn down(&self, at: At) {
        if let Some((place, then)) = self.clicked.take()
            && (place[0] - at[0]).hypot(place[1] - at[1]) < 6.0
        {
            sleep(Duration::from_millis(410).saturating_sub(then.elapsed()));
        }
        self.move_to(at);
        self.button(PointerEventButton::Left, true);
    }

    pub(crate) fn up(&self) {
        self.button(PointerEventButton::Left, false);
        self.clicked.set(Some((self.mouse.get(), Instant::now())));
        self.settle();
    }

    pub(crate) fn click_at(&self, at: At) {
        self.down(at);
        self.up();
    }

    pub(crate) fn right_click(&self, at: At) {
        self.move_to(at);
        self.button(PointerEventButton::Right, true);
        self.button(PointerEventButton::Right, false);
        self.settle();
    }

    pub(crate) fn double_click(&self, at: At) {
        self.down(at);
        self.button(PointerEventButton::Left, false);
        self.down(at);
        self.up();
    }

    /// Presses, moves there in three steps, and does not let go.
    pub(crate) fn pull(&self, from: At, to: At) {
        self.down(from);
        for part in [0.3, 0.7, 1.0] {
            self.move_to([from[0] + (to[0] - from[0]) * part, from[1] + (to[1] - from[1]) * part]);
        }
        self.settle();
    }

    pub(crate) fn drag(&self, from: At, to: At) {
        self.pull(from, to);
        self.up();
    }

    pub(crate) fn wheel(&self, [x, y]: At, delta_y: f32) {
        self.move_to([x, y]);
        let position = LogicalPosition::new(x, y);
        self.dispatch(WindowEvent::PointerScrolled { position, delta_x: 0.0, delta_y });
        self.settle();
    }

    /// Clicks the middle of something, found by its label.
    #[track_caller]
    pub(crate) fn click(&self, label: &str) {
        self.click_at(middle(&self.item(label)));
    }

    /// Does what something does by default, as assistive technology does it.
    #[track_caller]
    pub(crate) fn press(&self, label: &str) {
        self.item(label).invoke_accessible_default_action();
        self.settle();
    }

    // The keyboard.

    fn text(&self, text: &str) {
        let text = SharedString::from(text);
        self.dispatch(WindowEvent::KeyPressed { text: text.clone() });
        self.dispatch(WindowEvent::KeyReleased { text });
        mock_elapsed_time(Duration::from_millis(1));
        self.opened.refresh();
    }

    /// Types letters.
    pub(crate) fn type_text(&self, text: &str) {
        text.chars().for_each(|letter| self.text(&letter.to_string()));
        self.settle();
    }

    pub(crate) fn key(&self, key: Key) {
        self.text(&char::from(key).to_string());
        self.settle();
    }

    fn held(&self, modifiers: &[Key], press: impl FnOnce(&Self)) {
        let text = |key: &Key| SharedString::from(char::from(*key).to_string());
        for key in modifiers {
            self.dispatch(WindowEvent::KeyPressed { text: text(key) });
        }
        press(self);
        for key in modifiers {
            self.dispatch(WindowEvent::KeyReleased { text: text(key) });
        }
        self.settle();
    }

    pub(crate) fn ctrl(&self, letter: char) {
        self.held(&[Key::Control], |driver| driver.text(&letter.to_string()));
    }

    pub(crate) fn ctrl_shift(&self, letter: char) {
        self.held(&[Key::Control, Key::Shift], |driver| {
            driver.text(&letter.to_ascii_uppercase().to_string())
        });
    }

    pub(crate) fn alt(&self, letter: char) {
        self.held(&[Key::Alt], |driver| driver.text(&letter.to_string()));
    }

    pub(crate) fn key_with(&self, modifier: Key, key: Key) {
        self.held(&[modifier], |driver| driver.text(&char::from(key).to_string()));
    }

    pub(crate) fn click_with(&self, modifier: Key, at: At) {
        self.held(&[modifier], |driver| driver.click_at(at));
    }

    /// Puts a text in place of what a field holds, by the keyboard.
    #[track_caller]
    pub(crate) fn write(&self, label: &str, text: &str) {
        self.click(label);
        self.ctrl('a');
        self.type_text(text);
    }

    /// Chooses a command by its name.
    pub(crate) fn command(&self, name: &str) {
        self.ctrl_shift('p');
        self.type_text(name);
        self.key(Key::Return);
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
