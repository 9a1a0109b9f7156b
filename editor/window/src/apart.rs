//! The window of one panel: a second window with the same state, which shows one of the lower panels alone.

use std::rc::Rc;

use hasse_editor::state::Status;
use hasse_ui::{App, EditorWindow, Mirror, Theme};
use slint::{CloseRequestResponse, ComponentHandle, LogicalSize, PlatformError, Timer};

use crate::hub::{Hub, Shared};
use crate::studio::show;
use crate::{connect_keys, dialogs, keyboard, lists};
use crate::{menus, pointer, points, results, run, search, values, views};

/// Size of the window when it opens, in logical pixels.
const SIZE: LogicalSize = LogicalSize { width: 900.0, height: 520.0 };

/// An open window of one panel.
pub(crate) struct Apart {
    window: EditorWindow,
    mirror: Mirror,
    /// Callbacks of the window hold it weakly.
    _hub: Shared,
}

impl Apart {
    fn open(main: &Shared, main_window: &EditorWindow) -> Result<Self, PlatformError> {
        let window = EditorWindow::new()?;
        window.set_is_apart(true);
        let hub = Hub::apart(main);
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
        let main_window_again = main_window.as_weak();
        window.window().on_close_requested(move || {
            if let Some(main_window) = main_window_again.upgrade() {
                main_window.global::<App>().set_apart_tab(-1);
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
        let mut apart = Self { window, mirror: Mirror::new(), _hub: hub };
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
    /// Returns the window of one panel, where it is open.
    pub(crate) fn apart_window(&self) -> Option<EditorWindow> {
        self.apart.try_borrow().ok()?.as_ref().map(|apart| apart.window.clone_strong())
    }

    /// Makes the second window, where it is open, equal to the main one.
    pub(crate) fn sync_apart(&self, main_window: &EditorWindow) {
        if let Ok(mut apart) = self.apart.try_borrow_mut()
            && let Some(apart) = apart.as_mut()
        {
            apart.sync(main_window);
        }
    }

    /// Opens or closes the second window where that is asked for, and makes it equal to the main one. Called on the hub of the
    /// main window, while nothing is borrowed.
    pub(crate) fn follow_apart(self: &Rc<Self>, main_window: &EditorWindow) {
        self.sync_apart(main_window);
        let Ok(mut apart) = self.apart.try_borrow_mut() else { return };
        let is_wanted = main_window.global::<App>().get_apart_tab() >= 0;
        if is_wanted && apart.is_none() {
            match Apart::open(self, main_window) {
                Ok(opened) => *apart = Some(opened),
                Err(error) => {
                    main_window.global::<App>().set_apart_tab(-1);
                    if let Ok(mut studio) = self.try_borrow_mut() {
                        let text = format!("cannot open another window: {error}");
                        studio.editor.set_status(Status { text, is_refusal: true });
                    }
                }
            }
        } else if !is_wanted {
            *apart = None;
        }
    }
}
