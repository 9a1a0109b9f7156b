//! The state as windows share it: the main one, and that of one panel.

use std::cell::RefCell;
use std::ops::Deref;
use std::rc::{Rc, Weak};

use crate::apart::Apart;
use crate::studio::Studio;

/// The state, shared by the callbacks of one window.
pub(crate) type Shared = Rc<Hub>;

/// The state as the callbacks of one window have it. The hub of the main window owns the second window, and that of the second
/// one only the state, so that there is no cycle.
pub(crate) struct Hub {
    studio: Rc<RefCell<Studio>>,
    /// The hub of the main window, for that of the second one.
    main: Option<Weak<Hub>>,
    pub(crate) apart: RefCell<Option<Apart>>,
}

impl Hub {
    /// The hub of the main window.
    pub(crate) fn main(studio: Studio) -> Shared {
        Rc::new(Self { studio: Rc::new(RefCell::new(studio)), main: None, apart: RefCell::new(None) })
    }

    /// The hub of the window of one panel.
    pub(crate) fn apart(main: &Shared) -> Shared {
        Rc::new(Self {
            studio: Rc::clone(&main.studio),
            main: Some(Rc::downgrade(main)),
            apart: RefCell::new(None),
        })
    }

    /// Returns true for the hub of the window of one panel.
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
