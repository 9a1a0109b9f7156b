//! Sizes of boxes, and the anchors of their ports. Sizes are multiples of the grid, so that ports of boxes on the grid are on it,
//! too, and links between them can be level.

use super::parts::{Edge, Port};
use crate::drawing::arrange::GRID;
use crate::drawing::geometry::{Point, Rect};
use crate::drawing::measure::{NOTED_HEIGHT, PORT_DISTANCE, TEXT_SIZE, TITLE_HEIGHT, TITLE_SIZE, text_width};

const PADDING: f64 = 10.0;
const LEAST_WIDTH: f64 = 80.0;
const COLUMN_GAP: f64 = 20.0;
const GRID_STEP: f64 = GRID as f64;

fn up_to_grid(length: f64) -> f64 {
    (length / GRID_STEP).ceil() * GRID_STEP
}

/// How a box is filled.
pub(super) struct Content<'s> {
    pub(super) title: &'s str,
    pub(super) note: &'s str,
    /// Whether it has a single port of its own, at the edge and level with its middle.
    pub(super) is_port: bool,
}

/// Gives a box with its upper left corner at 0 a size, and its ports their anchors.
pub(super) fn lay_out(content: &Content<'_>, ports: &mut [Port]) -> Rect {
    let label_width = |port: &Port| text_width(&port.label, TEXT_SIZE);
    let column = |edge: Edge| {
        let own = ports.iter().filter(|port| port.edge == edge);
        own.fold((0_u32, 0.0_f64), |(n, width), port| (n + 1, width.max(label_width(port))))
    };
    let ((n_left, left_width), (n_right, right_width)) = (column(Edge::Left), column(Edge::Right));
    let header = if content.note.is_empty() { TITLE_HEIGHT } else { NOTED_HEIGHT };
    let text = text_width(content.title, TITLE_SIZE).max(text_width(content.note, TEXT_SIZE));
    let bottom = ports.iter().filter(|port| port.edge == Edge::Bottom);
    let bottom_width = bottom.clone().map(|port| bottom_step(label_width(port))).sum::<f64>();
    let columns = left_width + right_width + COLUMN_GAP;
    let width = text.max(columns).max(bottom_width).max(LEAST_WIDTH - 2.0 * PADDING) + 2.0 * PADDING;
    // An even number of steps: the middle is on the grid, too.
    let width = (width / (2.0 * GRID_STEP)).ceil() * 2.0 * GRID_STEP;
    let n_rows = if content.is_port { 0 } else { n_left.max(n_right) };
    let is_bottom_used = bottom.count() > 0;
    let rows = f64::from(n_rows) * PORT_DISTANCE;
    let foot = match (is_bottom_used, content.is_port) {
        (true, _) => 2.0 * GRID_STEP,
        (false, false) => GRID_STEP,
        (false, true) => 0.0,
    };
    let height = header + rows + foot;
    let height = up_to_grid(height.max(2.0 * PORT_DISTANCE));
    let (mut left_y, mut right_y) = (header + GRID_STEP, header + GRID_STEP);
    if content.is_port {
        (left_y, right_y) = (PORT_DISTANCE, PORT_DISTANCE);
    }
    let mut bottom_x = PADDING;
    for port in ports.iter_mut() {
        let step = bottom_step(text_width(&port.label, TEXT_SIZE));
        port.anchor = match port.edge {
            Edge::Left => Point::new(0.0, step_down(&mut left_y)),
            Edge::Right => Point::new(width, step_down(&mut right_y)),
            Edge::Top => Point::new(width / 2.0, 0.0),
            Edge::Bottom => {
                let x = up_to_grid(bottom_x + step / 2.0 - GRID_STEP);
                bottom_x += step;
                Point::new(x, height)
            }
        };
    }
    // Of a box that is a port itself, only wrongly drawn links need more ports than one.
    let lowest = if content.is_port { left_y.max(right_y) - PORT_DISTANCE + GRID_STEP } else { 0.0 };
    Rect::new(0.0, 0.0, width, height.max(up_to_grid(lowest)))
}

/// A port's place, and then that of the next one.
fn step_down(y: &mut f64) -> f64 {
    *y += PORT_DISTANCE;
    *y - PORT_DISTANCE
}

fn bottom_step(label_width: f64) -> f64 {
    up_to_grid(label_width + GRID_STEP)
}
