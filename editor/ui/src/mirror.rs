//! Two windows that show the same: each has globals of its own, which are kept equal.

use slint::ComponentHandle;

use crate::*;

/// Makes one property of two windows equal.
type Link = Box<dyn FnMut(&EditorWindow, &EditorWindow)>;

/// The properties of two windows that are kept equal: the first one is the main window.
pub struct Mirror(Vec<Link>);

impl Mirror {
    /// Links the globals of all windows but those that each window has for itself.
    pub fn new() -> Self {
        Self(links())
    }

    /// Makes the other window equal to the main one. A property that windows set, too, goes the other way where only the other
    /// window has set it since the last time. Cost: one comparison for each property.
    pub fn sync(&mut self, main: &EditorWindow, other: &EditorWindow) {
        self.0.iter_mut().for_each(|link| link(main, other));
    }
}

impl Default for Mirror {
    fn default() -> Self {
        Self::new()
    }
}

fn one_way<T: PartialEq>(
    get: impl Fn(&EditorWindow) -> T + 'static,
    set: impl Fn(&EditorWindow, T) + 'static,
) -> Link {
    Box::new(move |main, other| {
        let value = get(main);
        if get(other) != value {
            set(other, value);
        }
    })
}

fn both_ways<T: PartialEq + Clone + 'static>(
    get: impl Fn(&EditorWindow) -> T + 'static,
    set: impl Fn(&EditorWindow, T) + 'static,
) -> Link {
    let mut last: Option<T> = None;
    Box::new(move |main, other| {
        let (mut value, found) = (get(main), get(other));
        if found != value {
            let is_set_by_other = last.as_ref().is_some_and(|last| *last == value);
            if is_set_by_other {
                value = found;
                set(main, value.clone());
            } else {
                set(other, value.clone());
            }
        }
        last = Some(value);
    })
}

include!(concat!(env!("OUT_DIR"), "/links.rs"));
