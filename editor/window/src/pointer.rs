//! The mouse and the keys on the picture.

/// Clicks at one place.
pub(crate) mod clicks;

use std::collections::BTreeSet;
use std::rc::Rc;

use hasse_editor::drawing::geometry::Point;
use hasse_editor::state::input::{Button, Key, Modifiers, PointerEvent};
use hasse_editor::state::selection::Selection;
use hasse_ui::{App, EditorWindow, Graph};
use slint::ComponentHandle;

use crate::canvas::MINIMAP;
use crate::hub::Shared;
use crate::keys;
use crate::studio::Studio;
use crate::studio::update::go;

impl Studio {
    /// Returns true if the mouse is on a dot or badge, which takes its clicks.
    fn pointer_on_spot(&mut self, kind: &str, at: Point, button: Button, modifiers: Modifiers) -> bool {
        let spot = self.canvas.spot_at(at).filter(|_| !self.editor.is_gesture());
        self.window().global::<Graph>().set_cursor(if spot.is_some() { "hand".into() } else { "".into() });
        match (kind, spot) {
            ("down", Some(spot)) if button != Button::Middle && modifiers == Modifiers::NONE => {
                self.is_spot_pressed = true;
                self.editor.pointer(PointerEvent::Move { at, modifiers });
                self.spot_clicked(spot, button);
                true
            }
            ("up" | "cancel", _) => std::mem::take(&mut self.is_spot_pressed),
            _ => self.is_spot_pressed,
        }
    }

    fn pointer(&mut self, kind: &str, at: Point, button: Button, modifiers: Modifiers) {
        if self.pointer_on_spot(kind, at, button, modifiers) {
            return;
        }
        let event = match kind {
            "down" => {
                self.form.close_suggestions();
                self.use_history(false);
                let clicks = self.clicks.press(at, button);
                PointerEvent::Down { at, button, modifiers, clicks }
            }
            "up" => PointerEvent::Up { at, button, modifiers },
            "move" => PointerEvent::Move { at, modifiers },
            "leave" => PointerEvent::Leave,
            _ => {
                self.editor.cancel();
                return;
            }
        };
        self.editor.pointer(event);
    }

    /// A key that nothing above the picture took. Of a text field's keys only those go on that mean the window as a
    /// whole.
    fn window_key(&mut self, text: &str, modifiers: Modifiers, is_text: bool) -> bool {
        let Some(key) = keys::key(text) else { return false };
        if self.has_menu() || self.search.is_open() || self.has_dialog() {
            // Nothing below them is meant.
            return false;
        }
        if self.beginning.start.is_open() && !is_text && self.start_key(key, modifiers) {
            return true;
        }
        if self.own_key(key, modifiers) || key == Key::Escape && !is_text && self.close_legend() {
            return true;
        }
        if is_text {
            if key == Key::Escape {
                self.later.push(crate::studio::Later::FocusCanvas);
                return true;
            }
            if !self.is_global(key, modifiers) {
                return false;
            }
        }
        self.editor.key(key, modifiers)
    }
}

/// Connects the picture's callbacks.
pub(crate) fn connect(window: &EditorWindow, shared: &Shared) {
    let graph = window.global::<Graph>();
    let weak = Rc::downgrade(shared);
    graph.on_resized(move |width, height| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.editor.resize(Point::new(f64::from(width), f64::from(height))));
    });
    let weak = Rc::downgrade(shared);
    graph.on_pointer(move |kind, x, y, button, shift, control, alt, _| {
        let Some(shared) = weak.upgrade() else { return };
        let button = match button {
            0 => Button::Left,
            1 => Button::Right,
            _ => Button::Middle,
        };
        let modifiers = Modifiers { shift, ctrl: control, alt };
        let at = Point::new(f64::from(x), f64::from(y));
        go(&shared, |studio| {
            studio.drag.pointer(&kind);
            studio.pointer(&kind, at, button, modifiers);
        });
    });
    let weak = Rc::downgrade(shared);
    graph.on_wheel(move |x, y, dx, dy, shift, control, alt| {
        let Some(shared) = weak.upgrade() else { return };
        let event = PointerEvent::Wheel {
            at: Point::new(f64::from(x), f64::from(y)),
            delta: Point::new(f64::from(dx), f64::from(dy)),
            modifiers: Modifiers { shift, ctrl: control, alt },
        };
        go(&shared, |studio| {
            studio.drag.wheel();
            studio.editor.pointer(event);
        });
    });
    let weak = Rc::downgrade(shared);
    graph.on_minimap_pointed(move |x, y| {
        let Some(shared) = weak.upgrade() else { return };
        let size = Point::new(f64::from(MINIMAP.0), f64::from(MINIMAP.1));
        let at = Point::new(f64::from(x) * size.x, f64::from(y) * size.y);
        go(&shared, |studio| studio.editor.pointer_on_minimap(at, size));
    });
    let weak = Rc::downgrade(shared);
    graph.on_node_activated(move |row| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            if let Some(name) = usize::try_from(row).ok().and_then(|row| studio.canvas.name(row)) {
                studio.editor.select(Selection { nodes: BTreeSet::from([name]), ..Selection::default() });
            }
        });
    });
    let app = window.global::<App>();
    let weak = Rc::downgrade(shared);
    app.on_go_to(move |depth| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| studio.editor.go_to_crumb(usize::try_from(depth).unwrap_or(0)));
    });
}

/// Connects the keys of a window.
pub(crate) fn connect_keys(window: &EditorWindow, shared: &Shared) {
    let app = window.global::<App>();
    let weak = Rc::downgrade(shared);
    app.on_key(move |text, shift, control, alt, is_text| {
        let Some(shared) = weak.upgrade() else { return false };
        let modifiers = keys::modifiers(&text, shift, control, alt);
        go(&shared, |studio| studio.window_key(&text, modifiers, is_text))
    });
    let weak = Rc::downgrade(shared);
    app.on_key_up(move |text| {
        let Some(shared) = weak.upgrade() else { return };
        if let Some(key) = keys::key(&text) {
            go(&shared, |studio| studio.editor.key_up(key));
        }
    });
    let weak = Rc::downgrade(shared);
    app.on_pasted(move |text| {
        let Some(shared) = weak.upgrade() else { return };
        go(&shared, |studio| {
            studio.editor.paste(&text);
            studio.later.push(crate::studio::Later::FocusCanvas);
        });
    });
}
