//! Windows of one panel: windows with the same state as the main one, each of which shows one of the lower panels alone.

/// Panels that have windows of their own.
pub(crate) mod panels;

use std::rc::Rc;

use hasse_editor::state::Status;
use hasse_ui::{EditorWindow, Theme};
use slint::{CloseRequestResponse, ComponentHandle, LogicalSize, PlatformError, Timer};

use crate::hub::{Apart, Hub, Shared};
use crate::studio::update::show;
use crate::{
    connect_keys, dialogs, keyboard, lists, menus, pointer, points, results, run, search, values, views,
};

/// Size of the window when it opens, in logical pixels.
const SIZE: LogicalSize = LogicalSize { width: 900.0, height: 520.0 };

/// Opens a window of one panel, connected and equal to the main one.
fn open_window(
    main: &Shared,
    main_window: &EditorWindow,
    (number, tab): (i32, i32),
) -> Result<Apart, PlatformError> {
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
    let mut apart = Apart::new(number, window, hub);
    apart.sync(main_window);
    apart.window().window().set_size(SIZE);
    apart.window().show()?;
    keyboard::watch(apart.window());
    apart.window().invoke_focus_canvas();
    Ok(apart)
}

impl Hub {
    /// Returns a window of one panel by its number, where it is open.
    pub(crate) fn apart_window(&self, number: i32) -> Option<EditorWindow> {
        let apart = self.apart.try_borrow().ok()?;
        apart.iter().find(|held| held.number() == number).map(|held| held.window().clone_strong())
    }

    /// Returns all windows of one panel.
    pub(crate) fn apart_windows(&self) -> Vec<EditorWindow> {
        let apart = self.apart.try_borrow();
        apart.map(|apart| apart.iter().map(|held| held.window().clone_strong()).collect()).unwrap_or_default()
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
        apart.retain(|held| wanted.iter().any(|(number, _)| *number == held.number()));
        for (number, tab) in wanted {
            if let Some(held) = apart.iter().find(|held| held.number() == number) {
                held.window().set_apart_tab(tab);
                continue;
            }
            match open_window(self, main_window, (number, tab)) {
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
