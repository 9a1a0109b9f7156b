//! Items of menus about breakpoints and checks.

use hasse_editor::run::{PointPlace, PointReaction};
use hasse_editor::target::Target;

/// Action of a menu item about breakpoints and checks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum DebugItem {
    /// Sets a breakpoint at a place, or deletes it.
    Toggle(Target, PointPlace),
    /// Opens the form of a new breakpoint.
    New(Target, PointReaction),
    /// Opens the form of one that is set.
    Edit(Target, u64),
    /// Switches those of a target off or on.
    Switch(Target),
    /// Deletes them.
    Delete(Vec<u64>),
    /// Checks the record, after each run again.
    Check(String),
    /// Looks for races.
    Races,
}
