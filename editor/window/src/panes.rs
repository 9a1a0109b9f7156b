//! Open graphs: the tabs above the picture, and the picture of the second pane.

/// The tabs, and the second pane as it was drawn last.
pub(crate) mod pane;

use std::rc::Rc;

use hasse_editor::drawing::geometry::Point;
use hasse_editor::state::Status;
use hasse_ui::{App, EditorWindow};
use slint::{ComponentHandle, Image, SharedString};

use crate::hub::Shared;
use crate::studio::update::go;
use crate::studio::{Later, Studio};
use pane::Look;

/// The number of a tab in the window; -1 for none.
fn number(tab: Option<usize>) -> i32 {
    tab.and_then(|tab| i32::try_from(tab).ok()).unwrap_or(-1)
}

impl Studio {
    /// Shows the tabs, and draws the second pane where its picture has changed.
    pub(crate) fn show_panes(&mut self, window: &EditorWindow) {
        let app = window.global::<App>();
        self.panes.tabs.set(self.editor.tabs().iter().map(SharedString::from));
        app.set_tab(number(Some(self.editor.current_tab())));
        let second = number(self.editor.second_tab());
        if second >= 0 && app.get_second_graph() < 0 {
            // Both have half of the room.
            app.set_pane_width(self.editor.size().x as f32 / 2.0);
        }
        app.set_second_graph(second);
        app.set_is_second_left(self.editor.is_second_left());
        let size = self.panes.size;
        if second < 0 || size.x < 1.0 || size.y < 1.0 {
            return;
        }
        let Some(picture) = self.editor.second_picture(size) else { return };
        let look = Look { size, scale: window.window().scale_factor(), is_dark: self.is_dark };
        if self.panes.drawn.as_ref().is_some_and(|drawn| drawn.0 == picture && drawn.1 == look) {
            return;
        }
        match self.panes.sheet.draw(&picture, size, f64::from(look.scale), look.is_dark) {
            Ok(pixels) => app.set_second_picture(Image::from_rgba8_premultiplied(pixels)),
            Err(error) => {
                let text = format!("cannot draw the second graph: {error}");
                self.editor.set_status(Status { text, is_refusal: true });
            }
        }
        self.panes.drawn = Some((picture, look));
    }
}

/// Connects the callbacks of tabs and panes.
pub(crate) fn connect(window: &EditorWindow, shared: &Shared) {
    let app = window.global::<App>();
    let weak = Rc::downgrade(shared);
    app.on_graph_tab_chosen(move |tab| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            studio.editor.choose_tab(usize::try_from(tab).unwrap_or(usize::MAX));
            studio.later.push(Later::FocusCanvas);
        });
    });
    let weak = Rc::downgrade(shared);
    app.on_graph_tab_closed(move |tab| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            studio.editor.close_tab(usize::try_from(tab).unwrap_or(usize::MAX));
            studio.later.push(Later::FocusCanvas);
        });
    });
    let weak = Rc::downgrade(shared);
    app.on_second_resized(move |width, height| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.panes.size = Point::new(f64::from(width), f64::from(height)));
    });
    let weak = Rc::downgrade(shared);
    app.on_second_chosen(move || {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            if let Some(tab) = studio.editor.second_tab() {
                studio.editor.choose_tab(tab);
            }
            studio.later.push(Later::FocusCanvas);
        });
    });
}
