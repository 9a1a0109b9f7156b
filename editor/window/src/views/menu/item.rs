//! Items of the menu.

use hasse_editor::target::Target;

/// Action of a menu item of the views.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ViewItem {
    /// Shows what is selected in another view.
    Show(i32),
    /// Shows its node or arc on the picture.
    Picture(Target),
    /// Shows what it took, had and sent.
    Values(u32),
    /// Goes to the moment right after it.
    PlayTo(u32),
    /// Sets a breakpoint by its command.
    Break(String),
    /// Executes the record again up to a breakpoint.
    Replay {
        command: String,
        name: String,
    },
    /// Selects another event.
    Select(u32),
    /// Marks its immediate predecessors.
    Predecessors(u32),
    /// Shows this instance alone, or all again.
    Restrict,
    Copy(String),
    Fit,
}
