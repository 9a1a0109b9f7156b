//! Where the boxes of the elaborated graph stand.

use std::ops::Range;

use super::graph::{Elaborated, MOST_LAYERED, MOST_LAYERED_LINES, Thing};
use super::ways;
use crate::drawing::geometry::Rect;
use crate::drawing::measure::{TEXT_SIZE, text_width};
use crate::drawing::scene::{Layout, Scene};
use hasse_compiler::{
    EndOutline, GraphOutline, LinkKind, LinkOutline, NodeKind, NodeOutline, PortKind, PortOutline,
};

/// Height of a box in a block, and distance of boxes.
const HEIGHT: f64 = 26.0;
const GAP: f64 = 10.0;
/// Room around the boxes of a block, and for its title.
const MARGIN: f64 = 14.0;
const TITLE: f64 = 26.0;
/// Width of a block beyond which the next one goes below.
const ROW_WIDTH: f64 = 4_000.0;
/// Boxes without lines between them that go into one row.
const MOST_IN_ROW: usize = 12;
/// Greatest width of a box in a block.
const MOST_WIDTH: f64 = 180.0;

/// By what a box is placed.
pub(super) struct Label {
    /// Its path, which no other box has.
    pub(super) path: String,
    /// Its index.
    pub(super) index: Vec<i64>,
}

/// Gives all boxes their positions, and lines their ways; `labels` has one for each box.
pub(super) fn place(graph: &mut Elaborated, labels: &[Label]) {
    let is_small = graph.boxes.len() <= MOST_LAYERED && graph.lines.len() <= MOST_LAYERED_LINES;
    if graph.lines.is_empty() && graph.boxes.len() <= MOST_IN_ROW {
        row(graph);
    } else if is_small && layered(graph, labels) {
        ways::lead_lines(graph);
    } else {
        blocks(graph, labels);
    }
}

/// One next to the other: panels are wider than high.
fn row(graph: &mut Elaborated) {
    let mut x = 0.0;
    for node in &mut graph.boxes {
        let width = text_width(&node.name, TEXT_SIZE) + 24.0;
        node.area = Rect::new(x, 0.0, width, HEIGHT);
        x += width + GAP;
    }
}

/// In layers along the values, as a program's graph is tidied. Returns whether all boxes have a position.
fn layered(graph: &mut Elaborated, labels: &[Label]) -> bool {
    let port = |kind, name: &str| PortOutline {
        kind,
        name: name.to_owned(),
        elements: Vec::new(),
        ty: String::new(),
    };
    let node = |(thing, label): (Thing, &Label)| {
        let (kind, ports) = match thing {
            Thing::Action(_) => {
                let ports = vec![port(PortKind::Input, "i"), port(PortKind::Output, "o")];
                (NodeKind::Unit { is_start: false, is_stop: false }, ports)
            }
            Thing::Object(_) => (NodeKind::Shared(String::new()), Vec::new()),
        };
        NodeOutline {
            name: label.path.clone(),
            kind,
            index: Vec::new(),
            ports,
            doc: String::new(),
            label: String::new(),
        }
    };
    let end = |at: usize, port: &str| EndOutline {
        node: labels[at].path.clone(),
        index: Vec::new(),
        port: port.to_owned(),
        elements: Vec::new(),
        node_range: Range::default(),
        port_range: Range::default(),
    };
    let links = graph.lines.iter().enumerate().filter_map(|(row, line)| {
        let (source, target) = (graph.boxes[line.source].thing, graph.boxes[line.target].thing);
        let is_value = matches!((source, target), (Thing::Action(_), Thing::Action(_)));
        // Objects are placed below their users whatever the lines say.
        is_value.then(|| LinkOutline {
            kind: LinkKind::Arc,
            row,
            source: end(line.source, "o"),
            target: end(line.target, "i"),
        })
    });
    let links = links.collect();
    let things = graph.boxes.iter().map(|node_box| node_box.thing);
    let nodes = things.zip(labels).map(node).collect();
    let outline = GraphOutline { name: String::new(), label: String::new(), is_main: true, nodes, links };
    let scene = Scene::placed(&outline, std::slice::from_ref(&outline), &Layout::default());
    if scene.boxes.len() != graph.boxes.len() {
        return false;
    }
    for (own, placed) in graph.boxes.iter_mut().zip(&scene.boxes) {
        own.area = placed.area;
    }
    true
}

/// Group by group, each with rows and columns.
fn blocks(graph: &mut Elaborated, labels: &[Label]) {
    let (mut x, mut y, mut row_height) = (0.0, 0.0, 0.0_f64);
    let mut first = 0;
    for group in &mut graph.groups {
        let members = first..first + group.n_shown;
        first = members.end;
        let cells = cells(&labels[members.clone()]);
        let boxes = &mut graph.boxes[members];
        let width = boxes.iter().map(|node| text_width(&node.name, TEXT_SIZE) + 16.0).fold(40.0, f64::max);
        let width = width.min(MOST_WIDTH);
        let n_columns = cells.iter().map(|cell| cell.0 + 1).max().unwrap_or(1) as f64;
        let n_rows = cells.iter().map(|cell| cell.1 + 1).max().unwrap_or(1) as f64;
        let whole_width = n_columns * (width + GAP) - GAP + 2.0 * MARGIN;
        let whole_height = n_rows * (HEIGHT + GAP) - GAP + 2.0 * MARGIN + TITLE;
        if x > 0.0 && x + whole_width > ROW_WIDTH {
            (x, y, row_height) = (0.0, y + row_height + 3.0 * GAP, 0.0);
        }
        for (node, (column, row)) in boxes.iter_mut().zip(cells) {
            let left = x + MARGIN + column as f64 * (width + GAP);
            let top = y + MARGIN + TITLE + row as f64 * (HEIGHT + GAP);
            node.area = Rect::new(left, top, width, HEIGHT);
        }
        group.area = Some(Rect::new(x, y, whole_width, whole_height));
        x += whole_width + 3.0 * GAP;
        row_height = row_height.max(whole_height);
    }
}

/// Column and row of each member of a group: by its two index numbers, where those fill a rectangle well enough; else one
/// after the other, in a square.
fn cells(members: &[Label]) -> Vec<(usize, usize)> {
    let pair = |label: &Label| match label.index[..] {
        [row, column] => Some((column, row)),
        _ => None,
    };
    let pairs: Option<Vec<(i64, i64)>> = members.iter().map(pair).collect();
    if let Some(pairs) = pairs.filter(|pairs| !pairs.is_empty()) {
        let range = |of: fn(&(i64, i64)) -> i64| {
            let low = pairs.iter().map(of).min().unwrap_or(0);
            let high = pairs.iter().map(of).max().unwrap_or(0);
            (low, high.saturating_sub(low).saturating_add(1))
        };
        let ((left, n_columns), (top, n_rows)) = (range(|pair| pair.0), range(|pair| pair.1));
        if n_columns.saturating_mul(n_rows) <= 4 * pairs.len() as i64 {
            return pairs
                .iter()
                .map(|(column, row)| ((column - left) as usize, (row - top) as usize))
                .collect();
        }
    }
    // Boxes are some three times as wide as high.
    let n_columns = ((members.len() as f64 / 3.0).sqrt().ceil() as usize).max(1);
    (0..members.len()).map(|at| (at % n_columns, at / n_columns)).collect()
}
