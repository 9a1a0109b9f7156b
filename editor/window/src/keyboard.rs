//! The item that has the keyboard.

use hasse_ui::EditorWindow;
use i_slint_backend_winit::winit::event::{KeyEvent, WindowEvent};
use i_slint_backend_winit::winit::keyboard::{Key, NamedKey};
use i_slint_backend_winit::{EventResult, WinitWindowAccessor};
use i_slint_core::window::WindowInner;
use slint::ComponentHandle;

/// Gives the keyboard to the picture where no item has it that can be seen: a field that is scrolled out of sight loses it, and
/// the keys of the window would be dead until the next click. Returns true if it did.
pub(crate) fn keep(window: &EditorWindow) -> bool {
    // The toolkit has no public way to ask. Its version is fixed.
    let item = WindowInner::from_pub(window.window()).focus_item.borrow().upgrade();
    let is_lost = item.is_none_or(|item| !item.is_visible());
    if is_lost {
        window.invoke_focus_canvas();
    }
    is_lost
}

/// Does so before a key is handed on. What was typed into a field that is out of sight is no command to the picture.
pub(crate) fn before(window: &EditorWindow, event: &WindowEvent) -> EventResult {
    let WindowEvent::KeyboardInput { event, .. } = event else { return EventResult::Propagate };
    if event.state.is_pressed() && keep(window) && is_typing(event) {
        EventResult::PreventDefault
    } else {
        EventResult::Propagate
    }
}

/// Returns true for keys that change a text.
fn is_typing(event: &KeyEvent) -> bool {
    let is_change =
        matches!(event.logical_key, Key::Named(NamedKey::Delete | NamedKey::Backspace | NamedKey::Enter));
    // With Ctrl, the text is a control character.
    is_change || event.text.as_ref().is_some_and(|text| !text.chars().any(char::is_control))
}

/// Has a window do so that nobody else listens to.
pub(crate) fn watch(window: &EditorWindow) {
    let own = window.as_weak();
    window.window().on_winit_window_event(move |_, event| {
        own.upgrade().map_or(EventResult::Propagate, |window| before(&window, event))
    });
}
