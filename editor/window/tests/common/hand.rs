use std::thread::sleep;
use std::time::{Duration, Instant};

use i_slint_backend_testing::mock_elapsed_time;
use slint::platform::{Key, PointerEventButton, WindowEvent};
use slint::{ComponentHandle, LogicalPosition, SharedString};

use super::{At, Driver, middle};

impl Driver {
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
        // What has changed is shown by a timer.
        mock_elapsed_time(Duration::from_millis(1));
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
}
