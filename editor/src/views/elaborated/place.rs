//! Where the boxes of the elaborated graph stand.

use std::ops::Range;

use hasse_compiler::{
    EndOutline, GraphOutline, LinkKind, LinkOutline, NodeKind, NodeOutline, PortKind, PortOutline,
};
use hasse_model::id::Index;

use super::{Elaborated, MOST_LAYERED, MOST_LAYERED_LINES, Thing};
use crate::drawing::geometry::Rect;
use crate::drawing::measure::{TEXT_SIZE, text_width};
use crate::drawing::scene::{Layout, Scene};
use crate::views::record::Record;

/// Height of a box in a block, and distance of boxes.
const HEIGHT: f64 = 26.0;
const GAP: f64 = 10.0;
/// Room around the boxes of a block, and for its title.
const MARGIN: f64 = 14.0;
const TITLE: f64 = 26.0;
/// Width of a block beyond which the next one goes below.
const ROW_WIDTH: f64 = 4_000.0;
/// Greatest width of a box in a block.
const MOST_WIDTH: f64 = 180.0;

/// Gives all boxes their places.
pub(super) fn place(graph: &mut Elaborated, record: &Record) {
    let is_small = graph.boxes.len() <= MOST_LAYERED && graph.lines.len() <= MOST_LAYERED_LINES;
    if is_small { layered(graph, record) } else { blocks(graph, record) }
}

/// In layers along the values, as a program's graph is tidied.
fn layered(graph: &mut Elaborated, record: &Record) {
    let name = |thing: Thing| match thing {
        Thing::Action(instance) => record.instance_name(instance),
        Thing::Object(object) => format!("object {}", record.names().object(object)),
    };
    let port = |kind, name: &str| PortOutline {
        kind,
        name: name.to_owned(),
        elements: Vec::new(),
        ty: String::new(),
    };
    let node = |thing: Thing| {
        let (kind, ports) = match thing {
            Thing::Action(_) => {
                let ports = vec![port(PortKind::Input, "i"), port(PortKind::Output, "o")];
                (NodeKind::Unit { is_start: false, is_stop: false }, ports)
            }
            Thing::Object(_) => (NodeKind::Shared(String::new()), Vec::new()),
        };
        NodeOutline { name: name(thing), kind, index: Vec::new(), ports, doc: String::new() }
    };
    let end = |thing: Thing, port: &str| EndOutline {
        node: name(thing),
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
            source: end(source, "o"),
            target: end(target, "i"),
        })
    });
    let links = links.collect();
    let nodes = graph.boxes.iter().map(|node_box| node(node_box.thing)).collect();
    let outline = GraphOutline { name: String::new(), is_main: true, nodes, links };
    let scene = Scene::placed(&outline, std::slice::from_ref(&outline), &Layout::default());
    if scene.boxes.len() != graph.boxes.len() {
        // Nothing is known of where they stand.
        return blocks(graph, record);
    }
    for (own, placed) in graph.boxes.iter_mut().zip(&scene.boxes) {
        own.area = placed.area;
    }
}

/// Group by group, each with rows and columns.
fn blocks(graph: &mut Elaborated, record: &Record) {
    let (mut x, mut y, mut row_height) = (0.0, 0.0, 0.0_f64);
    let mut first = 0;
    for group in &mut graph.groups {
        let boxes = first..first + group.n_shown;
        first = boxes.end;
        let boxes = &mut graph.boxes[boxes];
        let indices: Vec<Option<&Index>> = boxes
            .iter()
            .map(|node| match node.thing {
                Thing::Action(instance) => {
                    let id = record.instances().get(instance as usize)?.id;
                    record.names().index_of(id)
                }
                Thing::Object(_) => None,
            })
            .collect();
        let cells = cells(&indices);
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
fn cells(indices: &[Option<&Index>]) -> Vec<(usize, usize)> {
    let pair = |index: &Option<&Index>| match index.map(|index| index.as_slice()) {
        Some([row, column]) => Some((*column, *row)),
        _ => None,
    };
    let pairs: Option<Vec<(i64, i64)>> = indices.iter().map(pair).collect();
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
    let n_columns = ((indices.len() as f64 / 3.0).sqrt().ceil() as usize).max(1);
    (0..indices.len()).map(|at| (at % n_columns, at / n_columns)).collect()
}
