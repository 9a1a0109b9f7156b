//! What a window draws of the shown graph: plain data in logical pixels of the canvas, of what is seen and little more.
//!
//! Order is that of drawing: frames, comments, wires, boxes with ports, labels, and what belongs to a gesture on top.
//! Boxes below [`FULL_ZOOM`] are told as titles, below [`TITLE_ZOOM`] as blocks. Letters are as high as those of
//! [`measure`](crate::drawing::measure) times the zoom.
//!
//! [`FULL_ZOOM`]: crate::state::picture::FULL_ZOOM
//! [`TITLE_ZOOM`]: crate::state::picture::TITLE_ZOOM

use super::editor::Editor;
use super::gesture::phase::Gesture;
use crate::drawing::arrange::GRID;
use crate::drawing::geometry::{Point, Rect};
use crate::drawing::hit::visible;
use crate::drawing::minimap::Minimap;
use crate::marks::NodeMarks;

/// Boxes and ports.
mod boxes;
/// What a picture consists of.
pub(super) mod items;
/// Samples of its signs with their meaning.
mod legend;
/// What a gesture shows.
mod overlay;
/// The picture of all of a graph.
mod whole;
/// Wires with what stands at them.
mod wires;

pub use super::check::findings::ErrorMark;
pub use super::selection::selected::LinkKey;
pub use items::{
    BandItem, CommentItem, Cursor, Detail, Dot, FrameItem, Ghost, Grid, MinimapPicture, NodeItem, NodeLook,
    Picture, PortItem, PortState, WireBadge, WireGroup, WireLabel, WireStyle,
};
pub use legend::{LegendLine, LegendSample, SAMPLE, legend};

/// Zoom below which boxes are told as titles.
pub const FULL_ZOOM: f64 = 0.45;
/// Zoom below which boxes are told as blocks: titles cannot be read then.
pub const TITLE_ZOOM: f64 = 0.35;
/// Least distance of the lines of the grid that is drawn, in pixels.
const LEAST_GRID: f64 = 12.0;

impl Editor {
    /// The picture of what the canvas shows. Cost: linear in what is seen.
    pub fn picture(&mut self) -> Picture {
        let mut picture = self.drawn_picture(false);
        self.add_gesture(&mut picture);
        picture
    }

    /// The picture without what a gesture shows. With `are_wires_apart` each wire is a group of its own.
    pub(super) fn drawn_picture(&mut self, are_wires_apart: bool) -> Picture {
        self.mark_errors();
        let view = self.view();
        let zoom = view.zoom();
        let detail = match zoom {
            _ if zoom >= FULL_ZOOM => Detail::Full,
            _ if zoom >= TITLE_ZOOM => Detail::Titles,
            _ => Detail::Blocks,
        };
        let mut picture = Picture {
            version: self.version,
            graph: self.graph.clone(),
            zoom,
            detail,
            grid: grid(view.screen_from_world(Point::default()), zoom),
            frames: Vec::new(),
            comments: Vec::new(),
            wires: Vec::new(),
            nodes: Vec::new(),
            ports: Vec::new(),
            labels: Vec::new(),
            badges: Vec::new(),
            bends: Vec::new(),
            pulses: Vec::new(),
            guides: Vec::new(),
            band: None,
            ghost: None,
            knife: Vec::new(),
            cursor: self.mouse(),
        };
        let Some(shown) = self.drawn.shown() else { return picture };
        let things = visible(&shown.scene, &shown.index, view.visible(self.size));
        self.add_notes(&mut picture, &things);
        self.add_wires(&mut picture, &things.links, are_wires_apart);
        self.add_gone_wires(&mut picture);
        self.add_gone_boxes(&mut picture);
        self.add_boxes(&mut picture, &things.boxes);
        if detail == Detail::Full {
            self.add_ports(&mut picture, &things.boxes);
        }
        picture
    }

    /// All of the graph in a rectangle of a size, for [`pointer_on_minimap`](Self::pointer_on_minimap).
    pub fn minimap(&self, size: Point) -> MinimapPicture {
        let Some(shown) = self.drawn.shown() else { return MinimapPicture::default() };
        let seen = self.view().visible(self.size);
        let map = Minimap::new(&shown.scene, seen, Rect::new(0.0, 0.0, size.x, size.y));
        let frames = shown.scene.frames.iter().map(|frame| map.map_rect_from_world(frame.area));
        MinimapPicture {
            nodes: map.boxes(&shown.scene),
            frames: frames.collect(),
            view: map.map_rect_from_world(seen),
            extends_beyond_view: shown.scene.bounds().is_some_and(|all| !seen.contains_rect(all)),
        }
    }

    /// Where a box of the shown graph is on the canvas; also of one that is not seen.
    pub fn node_area(&self, node: &str) -> Option<Rect> {
        let scene = &self.drawn.shown()?.scene;
        let area = scene.boxes[scene.box_named(node)?].area;
        Some(self.view().screen_rect_from_world(area))
    }

    /// Marks of runs and records on a node of the shown graph.
    pub fn node_marks(&self, node: &str) -> Option<&NodeMarks> {
        self.marks.get(&self.graph)?.nodes.get(node)
    }

    /// Areas on the canvas of the boxes that are seen.
    pub fn box_areas(&self) -> Vec<Rect> {
        let Some(shown) = self.drawn.shown() else { return Vec::new() };
        let view = self.view();
        let seen = visible(&shown.scene, &shown.index, view.visible(self.size)).boxes;
        seen.iter().map(|&idx| view.screen_rect_from_world(shown.scene.boxes[idx].area)).collect()
    }

    /// Where a port of the shown graph is on the canvas; `port` is empty where the node is one itself.
    pub fn port_at_name(&self, node: &str, side: crate::edit::port::Side, port: &str) -> Option<Point> {
        let shown = self.drawn.shown()?;
        let name = crate::drawing::connect::PortName { node: node.to_owned(), side, port: port.to_owned() };
        let anchor = shown.scene.port(shown.place_of(&name)?)?.anchor;
        Some(self.view().screen_from_world(anchor))
    }

    /// Where the middle of a wire is on the canvas.
    pub fn link_middle(&self, key: LinkKey) -> Option<Point> {
        let scene = &self.drawn.shown()?.scene;
        let link = &scene.links[scene.link_at_row(key.0, key.1)?];
        Some(self.view().screen_from_world(link.path.middle()?))
    }

    /// Point on the canvas at a share of a link's length, from 0 to 1.
    pub fn link_at_share(&self, key: LinkKey, share: f64) -> Option<Point> {
        let scene = &self.drawn.shown()?.scene;
        let link = &scene.links[scene.link_at_row(key.0, key.1)?];
        Some(self.view().screen_from_world(link.path.at_share(share)?))
    }

    /// Whether a gesture is one that draws a wire.
    pub(super) fn is_wiring(&self) -> bool {
        matches!(self.gesture, Gesture::Wire(_) | Gesture::Keys(_))
    }
}

/// The grid as far as it can be told apart.
fn grid(origin: Point, zoom: f64) -> Grid {
    let mut step = GRID as f64 * zoom;
    while step < LEAST_GRID {
        step *= 2.0;
    }
    Grid { offset: Point::new(origin.x.rem_euclid(step), origin.y.rem_euclid(step)), step }
}
