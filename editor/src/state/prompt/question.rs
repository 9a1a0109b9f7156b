//! Texts to be asked for.

use crate::drawing::geometry::Rect;
use crate::edit::place::Position;

/// What a text is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The name of a node of the shown graph.
    RenameNode(String),
    /// The name of a graph.
    RenameGraph(String),
    /// The name of the graph that the selected nodes become.
    Collapse,
    /// The text of a new comment.
    NewComment(Position),
    /// The text of a comment.
    Comment(u64),
    /// The title of a frame.
    FrameTitle(u64),
}

/// A text to be asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    /// What for.
    pub purpose: Purpose,
    /// What is written beside the field.
    pub title: &'static str,
    /// What the field holds at first, to be selected.
    pub text: String,
    /// What it is about, on the canvas.
    pub area: Rect,
    /// Whether it may have several lines.
    pub is_multiline: bool,
}
