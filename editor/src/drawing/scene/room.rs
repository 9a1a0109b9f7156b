//! Room around boxes.

use super::parts::NodeBox;
use crate::drawing::geometry::{Point, Rect};

/// Room below a box for the states of its instances and a line about them.
pub(super) const STATE_ROOM: f64 = 28.0;
/// Room between a box, with the port marks at its edges, and a label.
pub(super) const LABEL_ROOM: f64 = 7.0;

/// A box with the room around it that texts of links leave free.
pub(super) fn room_of(node: &NodeBox) -> Rect {
    let area = node.area.grown(LABEL_ROOM);
    Rect { max: Point::new(area.max.x, node.area.max.y + STATE_ROOM), ..area }
}
