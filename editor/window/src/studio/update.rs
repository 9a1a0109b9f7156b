//! Changes of the state, and showing what has changed once before the next frame.

use std::rc::Rc;
use std::time::{Duration, Instant};

use hasse_ui::EditorWindow;
use slint::{ComponentHandle, Timer, TimerMode};

use super::{Later, Studio};
use crate::hub::Shared;

/// How often the editor is told that time has passed, while it has something to do.
const TICK: Duration = Duration::from_millis(33);

/// Lets `step` change the state, and then shows what has changed.
pub(crate) fn go<R: Default>(shared: &Shared, step: impl FnOnce(&mut Studio) -> R) -> R {
    // The toolkit calls back while something is shown only for what was shown before.
    let Ok(mut studio) = shared.try_borrow_mut() else { return R::default() };
    if let Some(main) = shared.of_main() {
        main.sync_apart(&studio.window());
    }
    let popups = studio.popups();
    let done = step(&mut studio);
    studio.serve();
    if studio.popups() != popups {
        studio.popup_window = shared.number();
    }
    let later = std::mem::take(&mut studio.later);
    let window = studio.window();
    let is_scheduled = std::mem::replace(&mut studio.is_scheduled, true);
    let wait = if studio.drag.take() && !is_scheduled { studio.pace.wait(&window) } else { Duration::ZERO };
    drop(studio);
    if !is_scheduled {
        let again = Rc::downgrade(shared);
        Timer::single_shot(wait, move || {
            if let Some(shared) = again.upgrade() {
                show(&shared);
            }
        });
    }
    carry_out(shared, &window, later);
    done
}

/// Does what makes the toolkit call back at once.
fn carry_out(shared: &Shared, window: &EditorWindow, later: Vec<Later>) {
    // The keyboard stays in the window whose callback it was.
    let own = || {
        let apart = shared
            .of_main()
            .filter(|_| shared.is_apart())
            .and_then(|main| main.apart_window(shared.number()));
        apart.unwrap_or_else(|| window.clone_strong())
    };
    for action in later {
        match action {
            Later::FocusCanvas => own().invoke_focus_canvas(),
            Later::FocusPanel => own().invoke_focus_panel(),
            Later::FocusCode => {
                // A body takes the focus once it is shown.
                show(shared);
                window.invoke_focus_code();
            }
            Later::FocusText => window.invoke_focus_text(),
            Later::FocusFind => window.invoke_focus_find(),
            Later::FocusConsole => window.invoke_focus_console(),
            Later::Copy(text) => window.invoke_copy(text.into()),
            Later::Paste => window.invoke_paste(),
            Later::Quit => {
                if let Ok(mut studio) = shared.try_borrow_mut() {
                    studio.remember();
                }
                // Without an event loop there is nothing to leave.
                let _ = slint::quit_event_loop();
            }
        }
    }
}

/// Shows what has changed, and starts or stops the clock.
pub(crate) fn show(shared: &Shared) {
    let Ok(mut studio) = shared.try_borrow_mut() else { return };
    studio.is_scheduled = false;
    let begun = Instant::now();
    studio.refresh();
    let window = studio.window();
    studio.pace.ask(&window, begun);
    // A field that had the keyboard may be gone.
    let later = std::mem::take(&mut studio.later);
    let is_busy = studio.is_busy();
    if is_busy && !studio.ticker.running() {
        let again = Rc::downgrade(shared);
        studio.ticker.start(TimerMode::Repeated, TICK, move || {
            if let Some(shared) = again.upgrade() {
                go(&shared, Studio::tick);
            }
        });
    } else if !is_busy && studio.ticker.running() {
        studio.ticker.stop();
    }
    drop(studio);
    if let Some(main) = shared.of_main() {
        main.follow_apart(&window);
    }
    carry_out(shared, &window, later);
}
