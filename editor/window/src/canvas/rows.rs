//! The lists of the picture.

use std::cell::RefCell;

use hasse_editor::drawing::geometry::{Point, Rect};
use hasse_editor::marks::Highlight;
use hasse_editor::state::Editor;
use hasse_editor::state::picture::{Detail, NodeItem as NodeOfPicture, Picture};
use hasse_ui::{
    BlockItem, CommentItem, DotItem, EditorWindow, FrameItem, Graph, LabelItem, LineItem, NodeItem, PortItem,
    Theme, WireItem,
};
use slint::{ComponentHandle, Image, Model};

use super::colors::{color, refused};
use super::description::port_descriptions;
use super::dots::dots;
use super::far::{Far, Paint};
use super::items::{
    MINIMAP, block_item, comment_item, detail, frame_item, grid_lines, has_badge, labels, line_item, minimap,
    node_item, path_item, port_item, wire_item,
};
use super::spots::{Spot, spots};
use crate::models::Rows;

/// Text of an empty graph.
const FIRST_STEP: &str = "Press A or double click to add a node.\nDrag from port to port to connect.";

/// Text of a canvas that shows no part of its graph.
const OUT_OF_SIGHT: &str = "The graph is out of sight. Press H to show all of it.";

/// The lists of the picture.
pub(crate) struct CanvasRows {
    pub(super) frames: Rows<FrameItem>,
    pub(super) comments: Rows<CommentItem>,
    pub(super) wires: Rows<WireItem>,
    pub(super) nodes: Rows<NodeItem>,
    blocks: Rows<BlockItem>,
    pub(super) ports: Rows<PortItem>,
    pub(super) dots: Rows<DotItem>,
    pub(super) labels: Rows<LabelItem>,
    guides: Rows<LineItem>,
    /// What lies below small boxes.
    far: RefCell<Far>,
    /// Places of the grid's lines.
    columns: Rows<f32>,
    pub(super) rows: Rows<f32>,
    /// What the nodes that are shown are called, in their order.
    names: RefCell<Vec<String>>,
    /// Areas of dots and badges, which take clicks.
    spots: RefCell<Vec<(Rect, Spot)>>,
}

impl CanvasRows {
    /// Empty lists, given to the picture of a window.
    pub(crate) fn new(graph: &Graph<'_>) -> Self {
        let rows = Self {
            frames: Rows::new(),
            comments: Rows::new(),
            wires: Rows::new(),
            nodes: Rows::new(),
            blocks: Rows::new(),
            ports: Rows::new(),
            dots: Rows::new(),
            labels: Rows::new(),
            guides: Rows::new(),
            far: RefCell::default(),
            columns: Rows::new(),
            rows: Rows::new(),
            names: RefCell::default(),
            spots: RefCell::default(),
        };
        graph.set_frames(rows.frames.model());
        graph.set_comments(rows.comments.model());
        graph.set_wires(rows.wires.model());
        graph.set_nodes(rows.nodes.model());
        graph.set_blocks(rows.blocks.model());
        graph.set_ports(rows.ports.model());
        graph.set_dots(rows.dots.model());
        graph.set_labels(rows.labels.model());
        graph.set_guides(rows.guides.model());
        graph.set_columns(rows.columns.model());
        graph.set_rows(rows.rows.model());
        rows
    }

    /// Shows what the editor's canvas shows.
    pub(crate) fn show(&self, window: &EditorWindow, editor: &mut Editor, is_dark: bool) {
        let picture = editor.picture();
        let graph = window.global::<Graph>();
        self.show_picture(&graph, &window.global::<Theme>(), &picture, editor.size(), is_dark);
        graph.set_is_empty(
            picture.nodes.is_empty() && picture.frames.is_empty() && picture.comments.is_empty(),
        );
        graph.set_hint(if editor.has_picture() { OUT_OF_SIGHT.into() } else { FIRST_STEP.into() });
        let size = Point::new(f64::from(MINIMAP.0), f64::from(MINIMAP.1));
        let map = editor.minimap(size);
        graph.set_extends_beyond_view(map.extends_beyond_view);
        if map.extends_beyond_view && graph.get_has_minimap() {
            graph.set_minimap(minimap(&map, is_dark));
        }
    }

    /// Shows a picture on a canvas of a size.
    pub(super) fn show_picture(
        &self,
        graph: &Graph<'_>,
        theme: &Theme<'_>,
        picture: &Picture,
        size: Point,
        is_dark: bool,
    ) {
        graph.set_zoom(picture.zoom as f32);
        graph.set_detail(detail(picture.detail).into());
        let grid = grid_lines(picture, size);
        if picture.detail == Detail::Full {
            self.far.borrow_mut().clear();
            graph.set_far(Image::default());
            let [columns, rows] = grid;
            self.columns.set(columns);
            self.rows.set(rows);
        } else {
            let paint = Paint::of(theme);
            graph.set_far(self.far.borrow_mut().draw(picture, size, &grid, &paint, is_dark));
            self.columns.set([]);
            self.rows.set([]);
        }
        self.frames.set(picture.frames.iter().map(|frame| frame_item(frame, is_dark)));
        self.comments.set(picture.comments.iter().map(comment_item));
        let near = picture.wires.iter().filter(|group| !group.commands.is_empty());
        self.wires.set(near.map(|group| wire_item(group, is_dark)));
        self.show_boxes(picture);
        let ports = picture.ports.iter().filter(|port| !port.is_covered);
        self.ports.set(ports.map(|port| port_item(port, picture.zoom, is_dark)));
        self.dots.set(dots(picture));
        self.labels.set(labels(picture, is_dark));
        *self.spots.borrow_mut() = spots(picture, is_dark);
        self.guides.set(picture.guides.iter().map(|[from, to]| line_item(Rect::spanned(*from, *to))));
        let band = picture.band.map(|band| line_item(band.area));
        graph.set_has_band(band.is_some());
        graph.set_band(band.unwrap_or_default());
        self.show_ghost(graph, picture, is_dark);
    }

    fn show_boxes(&self, picture: &Picture) {
        let ports = port_descriptions(picture);
        let is_drawn = |node: &NodeOfPicture| picture.detail == Detail::Blocks && !has_badge(node);
        let boxes = || picture.nodes.iter().zip(&ports);
        let (near, far) =
            (boxes().filter(|(node, _)| !is_drawn(node)), boxes().filter(|(node, _)| is_drawn(node)));
        // What is gone cannot be selected.
        let name = |node: &NodeOfPicture| {
            let is_gone = node.marks.highlights.contains(&Highlight::Removed);
            if is_gone { String::new() } else { node.key.clone() }
        };
        *self.names.borrow_mut() = near.clone().chain(far.clone()).map(|(node, _)| name(node)).collect();
        self.nodes.set(near.map(|(node, ports)| node_item(node, ports, picture.zoom)));
        self.blocks.set(far.map(|(node, _)| block_item(node)));
    }

    /// Returns the areas of the labels.
    pub(crate) fn label_areas(&self) -> Vec<Rect> {
        let area = |label: &LabelItem| {
            let [x, y, width, height] = [label.x, label.y, label.width, label.height].map(f64::from);
            Rect::new(x, y, width, height)
        };
        self.labels.model().iter().map(|label| area(&label)).collect()
    }

    /// The name of a node that is shown.
    pub(crate) fn name(&self, row: usize) -> Option<String> {
        self.names.borrow().get(row).filter(|name| !name.is_empty()).cloned()
    }

    /// The dot or badge at a place of the canvas; of several, the one on top.
    pub(crate) fn spot_at(&self, at: Point) -> Option<Spot> {
        let spots = self.spots.borrow();
        spots.iter().rev().find(|(area, _)| area.contains(at)).map(|(_, spot)| spot.clone())
    }

    fn show_ghost(&self, graph: &Graph<'_>, picture: &Picture, is_dark: bool) {
        let knife = (picture.knife.len() > 1).then(|| {
            let area = Rect::around(picture.knife.iter().copied()).unwrap_or_default();
            let mut commands = String::new();
            for (number, point) in picture.knife.iter().enumerate() {
                let sign = if number == 0 { 'M' } else { 'L' };
                commands += &format!("{sign} {:.1} {:.1} ", point.x - area.min.x, point.y - area.min.y);
            }
            path_item(area, &commands, refused(is_dark), 2.0)
        });
        let ghost = picture.ghost.as_ref().map(|ghost| {
            let own = color(if is_dark { ghost.dark } else { ghost.light });
            let shown = if ghost.takes == Some(false) { refused(is_dark) } else { own };
            path_item(ghost.area, &ghost.commands, shown, 2.0)
        });
        graph.set_has_ghost(knife.is_some() || ghost.is_some());
        graph.set_ghost(knife.or(ghost).unwrap_or_default());
        let told = picture.ghost.as_ref().filter(|ghost| !ghost.text.is_empty());
        graph.set_reason(told.map(|ghost| (&ghost.text).into()).unwrap_or_default());
        graph.set_is_refused(told.is_some_and(|ghost| ghost.takes == Some(false)));
        graph.set_reason_x(told.map_or(0.0, |ghost| ghost.to.x as f32));
        graph.set_reason_y(told.map_or(0.0, |ghost| ghost.to.y as f32));
    }
}
