//! The button at a box that lists instances, and its menu items.

use hasse_editor::calls::CallScope;
use hasse_editor::drawing::geometry::Point;

/// Action of a menu item about instances.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum InstanceItem {
    /// Looks at an action.
    Action(String),
    /// Looks at one instance of a call, or at all of them.
    Call(Option<CallScope>),
    /// Asks why an action is not firing.
    Why(String),
}

/// Instances that the button at a box lists.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Offer {
    /// The node, in the shown graph; none for the button of the picture as a whole.
    pub(super) node: Option<String>,
    pub(super) text: String,
    pub(super) at: Point,
}

/// The button at the box that is selected, and the instance of a call that is looked at.
#[derive(Default)]
pub(crate) struct Instances {
    pub(super) offer: Option<Offer>,
    /// The node whose instances in the record were counted last, and how many the record had.
    pub(super) counted: Option<(usize, String, String)>,
    pub(super) n_counted: usize,
    /// The program that was open, by number, and the instance.
    pub(super) scope: Option<(u64, CallScope)>,
}
