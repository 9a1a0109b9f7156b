//! The state as windows share it: the main one, and those of one panel each.

use std::cell::RefCell;
use std::ops::Deref;
use std::rc::{Rc, Weak};

use hasse_ui::{EditorWindow, Mirror, Theme};
use slint::ComponentHandle;

use crate::studio::Studio;

/// The state, shared by the callbacks of one window.
pub(crate) type Shared = Rc<Hub>;

/// The state as the callbacks of one window have it. The hub of the main window owns the other windows, and those of the others
/// only the state, so that there is no cycle.
pub(crate) struct Hub {
    studio: Rc<RefCell<Studio>>,
    /// The hub of the main window, for those of the others.
    main: Option<Weak<Hub>>,
    /// Number of the window; 0 for the main one.
    number: i32,
    /// Windows of one panel each, in the order in which they were opened.
    pub(crate) apart: RefCell<Vec<Apart>>,
}

impl Hub {
    /// The hub of the main window.
    pub(crate) fn main(studio: Studio) -> Shared {
        Rc::new(Self {
            studio: Rc::new(RefCell::new(studio)),
            main: None,
            number: 0,
            apart: RefCell::new(Vec::new()),
        })
    }

    /// The hub of a window of one panel.
    pub(crate) fn apart(main: &Shared, number: i32) -> Shared {
        Rc::new(Self {
            studio: Rc::clone(&main.studio),
            main: Some(Rc::downgrade(main)),
            number,
            apart: RefCell::new(Vec::new()),
        })
    }

    /// Number of the window; 0 for the main one.
    pub(crate) fn number(&self) -> i32 {
        self.number
    }

    /// Returns true for the hub of a window of one panel.
    pub(crate) fn is_apart(&self) -> bool {
        self.main.is_some()
    }

    /// The hub of the main window.
    pub(crate) fn of_main(self: &Rc<Self>) -> Option<Shared> {
        match &self.main {
            Some(main) => main.upgrade(),
            None => Some(Rc::clone(self)),
        }
    }
}

impl Deref for Hub {
    type Target = RefCell<Studio>;

    fn deref(&self) -> &RefCell<Studio> {
        &self.studio
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
    pub(crate) fn new(number: i32, window: EditorWindow, hub: Shared) -> Self {
        Self { number, window, mirror: Mirror::new(), _hub: hub }
    }

    /// Number of the window.
    pub(crate) fn number(&self) -> i32 {
        self.number
    }

    /// The window.
    pub(crate) fn window(&self) -> &EditorWindow {
        &self.window
    }

    /// Makes the window equal to the main one.
    pub(crate) fn sync(&mut self, main: &EditorWindow) {
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
