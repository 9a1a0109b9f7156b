//! When the frames of a drag are made.
//!
//! The toolkit's own timer for frames counts whole milliseconds from the moment it has gone off, late as that may be:
//! on a screen of 60 Hz, frames are 17 to 18 ms apart. While something is dragged, the window asks for its frames itself,
//! each one period of the screen after the last, and the toolkit's own are left out. However often the mouse tells where
//! it is, what it drags is made ready once for each frame.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use hasse_ui::EditorWindow;
use i_slint_backend_winit::winit::event::WindowEvent;
use i_slint_backend_winit::{EventResult, WinitWindowAccessor};
use slint::ComponentHandle;

use crate::keyboard;

/// In thousandths of a hertz, where the screen does not tell.
const REFRESH_RATE: u32 = 60_000;
/// Timers count whole milliseconds, and go off so much later than they are set to.
const TIMER_LATENESS: Duration = Duration::from_millis(1);

/// What the mouse does to a picture.
#[derive(Debug, Default)]
pub(crate) struct Drag {
    is_held: bool,
    has_moved: bool,
}

impl Drag {
    /// Takes note of what a picture tells of the mouse: `down`, `move`, `up`, `cancel`, and others that do not matter.
    pub(crate) fn pointer(&mut self, kind: &str) {
        match kind {
            "down" => self.is_held = true,
            "move" => self.has_moved |= self.is_held,
            "up" | "cancel" => self.is_held = false,
            _ => {}
        }
    }

    pub(crate) fn wheel(&mut self) {
        self.has_moved = true;
    }

    /// Whether the mouse has dragged or turned something since this was asked last.
    pub(crate) fn take(&mut self) -> bool {
        std::mem::take(&mut self.has_moved)
    }
}

/// When the last frame was begun, and whether the next one is on its way.
#[derive(Clone, Default)]
struct Frames {
    begun: Rc<Cell<Option<Instant>>>,
    /// What has changed is shown when the next frame is due.
    is_due: Rc<Cell<bool>>,
    /// The frame that was due has been asked of the window.
    is_asked: Rc<Cell<bool>>,
}

/// Tells when what is dragged is shown, at most once for each frame of the screen.
pub(crate) struct Pace(Frames);

impl Pace {
    pub(crate) fn new(window: &EditorWindow) -> Self {
        let frames = Frames::default();
        let told = frames.clone();
        let own = window.as_weak();
        window.window().on_winit_window_event(move |_, event| {
            if let (WindowEvent::KeyboardInput { .. }, Some(window)) = (event, own.upgrade()) {
                return keyboard::before(&window, event);
            }
            if !matches!(event, WindowEvent::RedrawRequested) || told.is_asked.take() {
                return EventResult::Propagate;
            }
            if told.is_due.get() {
                // That frame has what this one would show.
                return EventResult::PreventDefault;
            }
            told.begun.set(Some(Instant::now()));
            EventResult::Propagate
        });
        Self(frames)
    }

    /// How long to wait before what was dragged is shown, and [`Self::ask`] is called. Without a screen there is nothing
    /// to wait for.
    pub(crate) fn wait(&self, window: &EditorWindow) -> Duration {
        let rate = window.window().with_winit_window(|window| {
            window.current_monitor().and_then(|monitor| monitor.refresh_rate_millihertz())
        });
        let Some(rate) = rate else { return Duration::ZERO };
        self.0.is_due.set(true);
        let period = Duration::from_secs(1_000) / rate.filter(|&rate| rate > 0).unwrap_or(REFRESH_RATE);
        let passed = self.0.begun.get().map_or(period, |begun| begun.elapsed());
        period.saturating_sub(passed + TIMER_LATENESS)
    }

    /// Asks for the frame that is due, if one is, for what was shown from `begun` on.
    pub(crate) fn ask(&self, window: &EditorWindow, begun: Instant) {
        if self.0.is_due.take() {
            self.0.is_asked.set(true);
            self.0.begun.set(Some(begun));
            window.window().with_winit_window(|window| window.request_redraw());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Drag;

    #[test]
    fn a_movement_is_a_drag_only_with_a_button_held() {
        let mut drag = Drag::default();
        drag.pointer("move");
        assert!(!drag.take());
        drag.pointer("down");
        assert!(!drag.take());
        drag.pointer("move");
        assert!(drag.take());
        assert!(!drag.take());
        drag.pointer("up");
        drag.pointer("move");
        assert!(!drag.take());
        drag.wheel();
        assert!(drag.take());
    }
}
