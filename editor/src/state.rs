//! The editor of one program, without a window: what is open, what is shown, what is selected, what a hand is doing.
//!
//! A window feeds [`Editor`] with [`pointer`], [`key`] and [`act`], calls
//! [`tick`] while [`is_busy`], and draws the [`Picture`] whenever
//! [`version`] has changed. What only a window can do (menus, text fields, file dialogs, the clipboard)
//! it is asked for by [`Request`]s. All changes of the program are steps of its [`Document`].
//!
//! [`Editor`]: crate::state::Editor
//! [`Request`]: crate::state::Request
//! [`Document`]: crate::document::Document
//! [`pointer`]: crate::state::Editor::pointer
//! [`key`]: crate::state::Editor::key
//! [`act`]: crate::state::Editor::act
//! [`tick`]: crate::state::Editor::tick
//! [`is_busy`]: crate::state::Editor::is_busy
//! [`Picture`]: crate::state::picture::Picture
//! [`version`]: crate::state::Editor::version

/// Making actions happen.
mod act;
/// All that can be done, with names and keys.
pub mod action;
/// Boxes in line, and layouts.
mod arrange;
/// The program for panels.
mod beside;
/// Edits of the program, and what becomes of them.
mod change;
/// Compiling beside, and what is wrong.
mod check;
/// Nodes as text, to and from the clipboard.
mod clip;
/// Another version of the program next to it.
mod compare;
/// What an editor is given.
mod config;
/// Wires by keys alone.
mod connect;
/// Templates and examples that are not saved yet.
pub mod draft;
/// The shown graph as it is drawn now.
mod drawn;
/// The state of an editor, and what all parts of it do.
mod editor;
/// Nodes that were just added.
mod fresh;
/// Gestures of the mouse.
mod gesture;
/// Hints: the next step.
mod guide;
/// Events of mouse and keyboard.
pub mod input;
/// New nodes, and what they are connected with.
mod insert;
/// What can be done with what is under the cursor.
pub mod menu;
/// Which graph is shown, and how one came there.
pub mod navigate;
/// Questions about the file.
pub mod offer;
/// What a window draws.
pub mod picture;
/// Names and texts that are typed into a field.
pub mod prompt;
/// Changes of what is selected.
mod remove;
/// What only a window can do.
mod request;
/// What is selected.
pub mod selection;
/// Messages about what was done.
mod status;
/// Opening, saving, and what happens to the file meanwhile.
mod storage;
/// Open graphs.
mod tabs;

pub use config::Config;
pub use editor::Editor;
pub use request::Request;
pub use status::{Status, capital};
