//! What only a window can do.

use super::prompt::question::Prompt;
use crate::drawing::connect::PortName;
use crate::drawing::geometry::Point;
use crate::edit::place::Position;
use crate::palette::Wire;
use crate::target::Target;

/// What only a window can do.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Open the palette; what is chosen goes to [`Editor::insert`](crate::state::Editor::insert).
    Palette {
        /// Where on the canvas.
        at: Point,
        /// Where the new node goes.
        place: Position,
        /// The wire that was dropped there, and the port that it comes from.
        wire: Option<(Wire, PortName)>,
    },
    /// Open the menu of [`Editor::context`](crate::state::Editor::context).
    Menu {
        /// Where on the canvas.
        at: Point,
    },
    /// Ask for a text; it goes to [`Editor::answer_prompt`](crate::state::Editor::answer_prompt).
    Prompt(Prompt),
    /// Show a thing in the inspector: which field of a form, which line of a body.
    Show(Target),
    /// Put a text on the clipboard.
    SetClipboard(String),
    /// Give the clipboard's text to [`Editor::paste`](crate::state::Editor::paste).
    Paste,
    /// Save the models of expected behavior, and tell [`Editor::models_saved`](crate::state::Editor::models_saved).
    SaveModels,
    /// Ask for a file, and give it to [`Editor::open`](crate::state::Editor::open).
    OpenDialog,
    /// Ask for a file, and give it to [`Editor::save_as`](crate::state::Editor::save_as).
    SaveDialog,
    /// Open the field for finding text.
    Find,
    /// Open the field for finding commands.
    Commands,
    /// Everything is saved or given up: the window may close.
    Close,
}
