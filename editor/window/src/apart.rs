//! Windows of one panel: windows with the same state as the main one, each of which shows one of the lower panels alone.

use std::rc::Rc;

use hasse_editor::state::Status;
use hasse_ui::{EditorWindow, Mirror, Theme};
use slint::{CloseRequestResponse, ComponentHandle, LogicalSize, PlatformError, Timer};

use crate::hub::{Hub, Shared};
use crate::studio::show;
use crate::{connect_keys, dialogs, keyboard, lists};
use crate::{menus, pointer, points, results, run, search, values, views};

/// Size of the window when it opens, in logical pixels.
const SIZE: LogicalSize = LogicalSize { width: 900.0, height: 520.0 };

/// Panels that have windows of their own.
#[derive(Default)]
pub(crate) struct ApartPanels {
    /// For each window its number, and the position of its panel among the side panels.
    open: Vec<(i32, i32)>,
    /// Number of windows opened so far.
    n_opened: i32,
}

impl ApartPanels {
    /// Positions of the panels among the side panels, in the order in which their windows were opened.
    pub(crate) fn tabs(&self) -> impl DoubleEndedIterator<Item = i32> {
        self.open.iter().map(|(_, tab)| *tab)
    }

    /// Opens a window for a panel.
    pub(crate) fn open(&mut self, tab: i32) {
        self.n_opened += 1;
        self.open.push((self.n_opened, tab));
    }

    /// Closes the window that was opened last, and returns its panel.
    pub(crate) fn close_last(&mut self) -> Option<i32> {
        self.open.pop().map(|(_, tab)| tab)
    }

    fn close(&mut self, number: i32) {
        self.open.retain(|(known, _)| *known != number);
    }

    /// Shows another panel in a window; the window that has shown it gets the panel of this one.
    pub(crate) fn choose(&mut self, number: i32, tab: i32) {
        let Some(at) = self.open.iter().position(|(known, _)| *known == number) else { return };
        let before = self.open[at].1;
        for (_, other) in self.open.iter_mut().filter(|(_, other)| *other == tab) {
            *other = before;
        }
        self.open[at].1 = tab;
    }
}

/// An open window of one panel.
pub(crate) struct Apart {
    number: i32,
    window: EditorWindow,
    mirror: Mirror,
    /// Callbacks of the window hold it weakly.
    _hub: Shared,
}

impl Apart {
    fn open(
        main: &Shared,
        main_window: &EditorWindow,
        (number, tab): (i32, i32),
    ) -> Result<Self, PlatformError> {
        let window = EditorWindow::new()?;
        window.set_window_number(number);
        window.set_apart_tab(tab);
        let hub = Hub::apart(main, number);
        menus::connect(&window, &hub);
        search::connect(&window, &hub);
        dialogs::connect(&window, &hub);
        points::connect(&window, &hub);
        results::connect(&window, &hub);
        run::connect(&window, &hub);
        views::connect(&window, &hub);
        values::connect(&window, &hub);
        lists::connect(&window, &hub);
        pointer::connect_keys(&window, &hub);
        connect_keys(&window, &hub);
        let again = Rc::downgrade(main);
        window.window().on_close_requested(move || {
            if let Some(main) = again.upgrade()
                && let Ok(mut studio) = main.try_borrow_mut()
            {
                studio.apart.close(number);
            }
            let again = again.clone();
            // The window is dropped when it is no longer calling.
            Timer::single_shot(std::time::Duration::ZERO, move || {
                if let Some(main) = again.upgrade() {
                    show(&main);
                }
            });
            CloseRequestResponse::HideWindow
        });
        // The toolkit's own parts have a theme of their own.
        window.invoke_set_dark(main_window.global::<Theme>().get_dark());
        let mut apart = Self { number, window, mirror: Mirror::new(), _hub: hub };
        apart.sync(main_window);
        apart.window.window().set_size(SIZE);
        apart.window.show()?;
        keyboard::watch(&apart.window);
        apart.window.invoke_focus_canvas();
        Ok(apart)
    }

    fn sync(&mut self, main: &EditorWindow) {
        self.mirror.sync(main, &self.window);
        let is_dark = main.global::<Theme>().get_dark();
        if self.window.global::<Theme>().get_dark() != is_dark {
            self.window.invoke_set_dark(is_dark);
        }
    }
}

impl Drop for Apart {
    fn drop(&mut self) {
        // A window that cannot be hidden is gone already.
        let _ = self.window.hide();
    }
}

impl Hub {
    /// Returns a window of one panel by its number, where it is open.
    pub(crate) fn apart_window(&self, number: i32) -> Option<EditorWindow> {
        let apart = self.apart.try_borrow().ok()?;
        apart.iter().find(|held| held.number == number).map(|held| held.window.clone_strong())
    }

    /// Returns all windows of one panel.
    pub(crate) fn apart_windows(&self) -> Vec<EditorWindow> {
        let apart = self.apart.try_borrow();
        apart.map(|apart| apart.iter().map(|held| held.window.clone_strong()).collect()).unwrap_or_default()
    }

    /// Makes the windows of one panel equal to the main one.
    pub(crate) fn sync_apart(&self, main_window: &EditorWindow) {
        if let Ok(mut apart) = self.apart.try_borrow_mut() {
            apart.iter_mut().for_each(|apart| apart.sync(main_window));
        }
    }

    /// Opens and closes windows of one panel where that is asked for, and makes them equal to the main one. Called on the hub of
    /// the main window, while nothing is borrowed.
    pub(crate) fn follow_apart(self: &Rc<Self>, main_window: &EditorWindow) {
        self.sync_apart(main_window);
        let Ok(mut apart) = self.apart.try_borrow_mut() else { return };
        let Ok(wanted) = self.try_borrow().map(|studio| studio.apart.open.clone()) else { return };
        apart.retain(|held| wanted.iter().any(|(number, _)| *number == held.number));
        for (number, tab) in wanted {
            if let Some(held) = apart.iter().find(|held| held.number == number) {
                held.window.set_apart_tab(tab);
                continue;
            }
            match Apart::open(self, main_window, (number, tab)) {
                Ok(opened) => apart.push(opened),
                Err(error) => {
                    if let Ok(mut studio) = self.try_borrow_mut() {
                        studio.apart.close(number);
                        let text = format!("cannot open another window: {error}");
                        studio.editor.set_status(Status { text, is_refusal: true });
                    }
                }
            }
        }
    }
}
