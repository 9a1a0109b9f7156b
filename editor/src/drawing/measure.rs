//! How large things are drawn, in world units. Sizes of boxes follow from these lengths as `scene::size` says.
//!
//! Texts are set in a monospaced font, so that their width is known without a font at hand.

use unicode_width::UnicodeWidthStr;

use super::geometry::{Point, Rect};

/// Height of letters of a title.
pub const TITLE_SIZE: f64 = 13.0;
/// Height of letters at ports, in notes, at links and in comments.
pub const TEXT_SIZE: f64 = 11.0;
/// Width of a letter over its height. Monospaced fonts have 0.6; a little more leaves room.
pub const LETTER_WIDTH: f64 = 0.615;
/// Height of a line of text in a comment.
pub const LINE_HEIGHT: f64 = 15.0;
/// Height of a box's title.
pub const TITLE_HEIGHT: f64 = 30.0;
/// Height of a title with a note below it.
pub const NOTED_HEIGHT: f64 = 40.0;
/// Distance of ports at the left and right of a box.
pub const PORT_DISTANCE: f64 = 20.0;
/// How far a port can be hit from its anchor.
pub const PORT_RADIUS: f64 = 7.0;
/// Height of a frame's title, inside its upper edge.
pub const FRAME_TITLE_HEIGHT: f64 = 22.0;

/// Width of a text whose letters have a height. Letters of Chinese, Japanese and Korean are as wide as two others.
pub fn text_width(text: &str, size: f64) -> f64 {
    text.width() as f64 * size * LETTER_WIDTH
}

/// Extent of a comment's or label's text around its upper left corner.
pub fn text_area(at: Point, text: &str) -> Rect {
    let width = text.lines().map(|line| text_width(line, TEXT_SIZE)).fold(0.0, f64::max);
    let n_lines = text.lines().count().max(1);
    Rect::new(at.x, at.y, width + 8.0, n_lines as f64 * LINE_HEIGHT + 4.0)
}
