//! Dots of the picture: instances in rows below their box, bends of wires, and values on their way.

use hasse_editor::drawing::geometry::{Point, Rect};
use hasse_editor::drawing::measure::text_width;
use hasse_editor::marks::Dot;
use hasse_editor::state::picture::{Detail, NodeItem, Picture};
use hasse_ui::DotItem;

use super::colors::state_number;

/// Most rows of dots below a box; each has as many as the width of the box takes.
const MAX_ROWS: usize = 3;

/// Size of a dot with the room around it, and how many a row has. The number of events is at the right of the first row.
fn dot_grid(node: &NodeItem, zoom: f64) -> (f64, usize) {
    let cell = (10.0 * zoom).max(5.0);
    let events = node.marks.n_events.map_or(0.0, |n| text_width(&n.to_string(), 10.0 * zoom) + 4.0);
    (cell, (((node.area.width() - events) / cell).floor() as usize).max(1))
}

/// Height of the dots of a box, with the number of instances that have none.
pub(super) fn foot(node: &NodeItem, zoom: f64) -> f64 {
    let more = if node.marks.n_more > 0 { 14.0 * zoom } else { 0.0 };
    sink(node, zoom) + dots_height(node, zoom) + more
}

/// Room for the ports at the lower edge of a box, above its dots.
pub(super) fn sink(node: &NodeItem, zoom: f64) -> f64 {
    if node.last_port_below.is_some() { 5.0 * zoom } else { 0.0 }
}

/// Distance of the text below a box from its left edge: clear of the share lines that leave the lower edge.
pub(super) fn caption_inset(node: &NodeItem, zoom: f64) -> f64 {
    node.last_port_below.map_or(0.0, |port| port + 7.0 * zoom)
}

/// Height of the rows of dots of a box.
pub(super) fn dots_height(node: &NodeItem, zoom: f64) -> f64 {
    let (cell, n_columns) = dot_grid(node, zoom);
    let n_rows = node.marks.dots.len().div_ceil(n_columns).min(MAX_ROWS);
    n_rows as f64 * cell
}

/// The instances of a box that have a dot, with their areas.
pub(super) fn dots_of(node: &NodeItem, zoom: f64) -> impl Iterator<Item = (Rect, &Dot)> {
    let (cell, n_columns) = dot_grid(node, zoom);
    let dots = node.marks.dots.iter().take(n_columns * MAX_ROWS).enumerate();
    let corner = Point::new(node.area.min.x, node.area.max.y + 3.0 + sink(node, zoom));
    dots.map(move |(number, dot)| {
        let (column, row) = (number % n_columns, number / n_columns);
        let at = Point::new(corner.x + column as f64 * cell, corner.y + row as f64 * cell);
        (Rect::new(at.x, at.y, cell * 0.8, cell * 0.8), dot)
    })
}

/// All dots: of instances, bends and pulses.
pub(super) fn dots(picture: &Picture) -> Vec<DotItem> {
    let mut items = Vec::new();
    if picture.detail == Detail::Full {
        let all = picture.nodes.iter().flat_map(|node| dots_of(node, picture.zoom));
        items.extend(all.map(|(area, dot)| DotItem {
            x: area.min.x as f32,
            y: area.min.y as f32,
            size: area.width() as f32,
            state: state_number(dot.mark),
            is_selected: dot.is_selected,
        }));
    }
    for (point, is_selected, state, size) in picture
        .bends
        .iter()
        .map(|bend| (bend.at, bend.is_selected, 7, 8.0))
        .chain(picture.pulses.iter().map(|pulse| (pulse.at, false, 5, 10.0)))
    {
        items.push(DotItem {
            x: (point.x - size / 2.0) as f32,
            y: (point.y - size / 2.0) as f32,
            size: size as f32,
            state,
            is_selected,
        });
    }
    items
}

#[cfg(test)]
mod tests {
    use hasse_editor::marks::{ActionMark, NodeMarks};
    use hasse_editor::state::picture::{ErrorMark, NodeLook};

    use super::*;

    fn node(width: f64, n_dots: usize, n_events: Option<u64>, n_more: usize) -> NodeItem {
        let dot =
            |number| Dot { path: format!("/Work[{number}]"), mark: ActionMark::Idle, is_selected: false };
        let dots = (0..n_dots).map(dot).collect();
        NodeItem {
            key: "Work".to_owned(),
            area: Rect::new(100.0, 50.0, width, 60.0),
            title: "Work[i]".to_owned(),
            note: String::new(),
            doc: String::new(),
            look: NodeLook::Unit,
            is_start: false,
            is_stop: false,
            is_selected: false,
            is_hovered: false,
            last_port_below: None,
            error: ErrorMark::default(),
            marks: NodeMarks { dots, n_events, n_more, ..NodeMarks::default() },
        }
    }

    #[test]
    fn dots_leave_room_for_the_number_of_events() {
        for zoom in [0.5, 0.72, 1.0, 2.0] {
            let node = node(140.0 * zoom, 40, Some(123_456), 0);
            let number = text_width("123456", 10.0 * zoom);
            let first_row = dots_of(&node, zoom).filter(|(area, _)| area.min.y < node.area.max.y + 4.0);
            let right = first_row.map(|(area, _)| area.max.x).fold(0.0, f64::max);
            assert!(right <= node.area.max.x - number, "at zoom {zoom}");
        }
    }

    #[test]
    fn text_below_a_box_is_below_all_its_dots() {
        for (n_dots, n_more) in [(0, 0), (3, 0), (16, 0), (200, 56)] {
            for zoom in [0.5, 1.0, 2.0] {
                let node = node(80.0 * zoom, n_dots, Some(16), n_more);
                let lowest = dots_of(&node, zoom).map(|(area, _)| area.max.y).fold(node.area.max.y, f64::max);
                // The text is 2 pixels below.
                assert!(node.area.max.y + foot(&node, zoom) + 2.0 >= lowest, "{n_dots} dots at zoom {zoom}");
            }
        }
    }
}
